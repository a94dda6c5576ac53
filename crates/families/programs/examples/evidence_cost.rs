//! What evidence costs: for each Promela file and each requirement that holds, the seconds of the search, of writing the set of states (with ranks), and of checking it.
//!
//! ```text
//! cargo run --release -p entail-programs --example evidence_cost -- model.pml …
//! ```

use entail_answer::Verdict;
use entail_budget::{Budget, Silent};
use entail_explicit::{Closing, ProgramEngine, SearchOptions};
use entail_program::{ProgramEvidence, RequirementKind};
use entail_programs::{Preprocessing, ProgramModel};
use entail_programs_checker::{advisor_of, check_closed, check_ranked, check_reduced, observer_of};
use std::path::Path;
use std::time::{Duration, Instant};

/// Nothing is begun that takes longer.
const LIMIT: Duration = Duration::from_secs(20);

fn main() {
    println!("states/pairs\tsearch\tunreduced\twith set\tcheck\tcheck/unreduced\tfile");
    for file in std::env::args().skip(1) {
        let Ok(model) = ProgramModel::load(Path::new(&file), Preprocessing::default()) else {
            println!("-\t-\t-\t-\t-\t-\t{file}: not read");
            continue;
        };
        for requirement in model.requirements() {
            let program = model.program();
            let time = |closing, reduction| {
                let engine = ProgramEngine {
                    options: SearchOptions {
                        reduction,
                        ..SearchOptions::default()
                    },
                    closing,
                    observer: observer_of(requirement).and_then(Result::ok),
                    advisor: Some(advisor_of(requirement)),
                    ..ProgramEngine::default()
                };
                let budget = Budget::unlimited().with_timeout(Some(LIMIT));
                let begun = Instant::now();
                let answer = engine.check(program, requirement, &budget, &Silent);
                (answer, begun.elapsed().as_secs_f64())
            };
            let (searched, search) = time(Closing::Never, true);
            if searched.verdict != Verdict::Holds {
                continue;
            }
            let (_, unreduced) = time(Closing::Never, false);
            let (written, with_set) = time(Closing::Always, true);
            let budget = Budget::unlimited().with_timeout(Some(LIMIT));
            let begun = Instant::now();
            let (size, report) = match &written.evidence {
                Some(ProgramEvidence::Closed(set)) => {
                    (set.len(), check_closed(program, requirement, set, &budget))
                }
                Some(ProgramEvidence::Ranked(set)) => (
                    set.ranks(),
                    check_ranked(program, requirement, false, set, &budget),
                ),
                Some(ProgramEvidence::Reduced(set)) => (
                    set.ranked().states().len(),
                    check_reduced(program, requirement, set, &budget),
                ),
                _ => {
                    println!("-\t{search:.3}\t{unreduced:.3}\t-\t-\t-\t{file}: no set");
                    continue;
                }
            };
            let check = begun.elapsed().as_secs_f64();
            let kind = match requirement.question {
                RequirementKind::Safety => "safety",
                _ => "infinite runs",
            };
            let ratio = check / unreduced;
            println!(
                "{size}\t{search:.3}\t{unreduced:.3}\t{with_set:.3}\t{check:.3}\t{ratio:.2}\t{file} {kind}: {report}"
            );
        }
    }
}
