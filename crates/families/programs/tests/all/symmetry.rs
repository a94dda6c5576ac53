//! Interchanging processes that nobody can tell apart changes no verdict, gives runs of the program itself, and is refused with a reason where somebody can.

use crate::random_programs::effort;
use entail_answer::{Answer, Figure, Verdict};
use entail_budget::{Budget, Silent};
use entail_explicit::{Closing, ProgramEngine, SearchOptions};
use entail_program::ProgramEvidence;
use entail_programs::ProgramModel;
use entail_programs_checker::{check_closed, judge};
use entail_source::Source;

/// The safety of a program, whose evidence is accepted.
fn decided(text: &str, symmetry: bool) -> Answer<ProgramEvidence> {
    let model =
        ProgramModel::read(Source::new("model.pml", text)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let engine = ProgramEngine {
        options: SearchOptions {
            reduction: false,
            ..SearchOptions::default()
        },
        symmetry,
        closing: Closing::Always,
        ..ProgramEngine::default()
    };
    let (program, requirement) = (model.program(), &model.requirements()[0]);
    let budget = Budget::unlimited();
    let answer = engine.check(program, requirement, &budget, &Silent);
    match &answer.evidence {
        Some(ProgramEvidence::Run(run)) => {
            judge(program, requirement, run, false).unwrap_or_else(|reason| panic!("{reason}\n{text}"));
        }
        Some(ProgramEvidence::Closed(set)) => {
            let report = check_closed(program, requirement, set, &budget);
            assert!(!report.is_rejected(), "{report}\n{text}");
        }
        evidence => panic!("{evidence:?}\n{text}"),
    }
    answer
}

fn told(answer: &Answer<ProgramEvidence>) -> String {
    match answer.statistics.get("symmetry") {
        Some(Figure::Text(text)) => text.clone(),
        other => panic!("{other:?}"),
    }
}

const USERS: &str = "byte free = 2; byte inside;
    active [4] proctype user() { byte n;
        do :: atomic { free > 0 -> free-- }; inside++; assert(inside <= LIMIT); n = 1 - n; inside--; free++ od }";

#[test]
fn users_of_a_semaphore_are_interchanged() {
    let safe = USERS.replace("LIMIT", "2");
    let (all, fewer) = (decided(&safe, false), decided(&safe, true));
    assert_eq!((all.verdict, fewer.verdict), (Verdict::Holds, Verdict::Holds));
    assert_eq!(told(&fewer), "used");
    let (all, fewer) = (all.statistics.states(), fewer.statistics.states());
    assert!(
        fewer.expect("counted") * 8 < all.expect("counted"),
        "{fewer:?} of {all:?}"
    );
    let failing = decided(&USERS.replace("LIMIT", "1"), true);
    assert_eq!((failing.verdict, told(&failing)), (Verdict::Fails, "used".into()));
}

#[test]
fn what_tells_processes_apart_is_said() {
    for (text, reason) in [
        (
            "byte x; active [2] proctype p() { do :: x = _pid od }",
            "a process reads its own number",
        ),
        (
            "byte x; active [2] proctype p() { x = 1 }",
            "processes of type `p` can end, which only the youngest process can",
        ),
        (
            "active [2] proctype p() { chan c = [1] of { bit }; do :: c!1; c?1 od }",
            "processes of type `p` have channels of their own",
        ),
        (
            "byte x; active proctype p() { do :: x = 1 od }",
            "no type has several processes from the beginning",
        ),
        (
            "byte x; active [2] proctype p() { do :: x = 1 od } proctype q() { skip }
             init { x = run q(); do :: skip od }",
            "the number of a process is kept where it is started",
        ),
        (
            "active [2] proctype p() { at: do :: skip od } active proctype q() { do :: p@at od }",
            "the program reads where a process is",
        ),
    ] {
        let answer = decided(text, true);
        assert_eq!(told(&answer), format!("refused: {reason}"), "{text}");
    }
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }

    fn value(&mut self) -> String {
        match self.below(4) {
            0 => "g".into(),
            1 => "h".into(),
            2 => "n".into(),
            _ => self.below(3).to_string(),
        }
    }

    fn statement(&mut self) -> String {
        let value = self.value();
        match self.below(8) {
            0 => format!("g = ({value} + 1) % 3"),
            1 => format!("h = {value}"),
            2 | 3 => format!("n = {value}"),
            4 => format!("({} == {value})", self.value()),
            5 => "c!n".into(),
            6 => "c?n".into(),
            _ => format!("assert({value} != {} || g != h)", self.below(3)),
        }
    }

    /// Two types of processes that go round for ever, several of each.
    fn program(&mut self) -> String {
        let capacity = self.below(2);
        let mut text = format!("byte g, h; chan c = [{capacity}] of {{ byte }};\n");
        for name in ["p", "q"] {
            text += &format!(
                "active [{}] proctype {name}() {{ byte n;\ndo\n",
                1 + self.below(3)
            );
            for _ in 0..1 + self.below(2) {
                let statements: Vec<String> = (0..1 + self.below(3)).map(|_| self.statement()).collect();
                text += &match self.below(4) {
                    0 => format!(":: atomic {{ {} }}\n", statements.join("; ")),
                    _ => format!(":: {}\n", statements.join("; ")),
                };
            }
            text += "od }\n";
        }
        text
    }
}

#[test]
fn random_programs_have_the_same_verdict_with_and_without() {
    let (mut used, mut failed, mut smaller) = (0, 0, 0);
    for seed in 0..120 * effort() {
        let text = Dice(seed * 2 + 1).program();
        let (all, fewer) = (decided(&text, false), decided(&text, true));
        assert_eq!(all.verdict, fewer.verdict, "seed {seed}\n{text}");
        used += u64::from(told(&fewer) == "used");
        failed += u64::from(all.verdict == Verdict::Fails);
        smaller += u64::from(fewer.statistics.states() < all.statistics.states());
    }
    assert!(
        used > 60 * effort() && failed > 10 * effort() && smaller > 10 * effort(),
        "{used} {failed} {smaller}"
    );
}
