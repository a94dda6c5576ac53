//! Unrealizable cores: guarantees of a specification that cannot be met together (Könighofer, Hofferek, Bloem 2013).
//!
//! Guarantees are left out one by one; one without which the environment still wins is not needed. What is left is unrealizable, and where every question was answered, leaving out any one more makes it realizable.
//! A machine of the environment against the core is one against the whole specification, which only asks for more.

use entail_budget::{Budget, Spent};
use entail_game::Player;
use entail_logic::Formula;
use entail_synthesis::{Goal, Outcome, Problem, SynthesisError, synthesize, synthesize_by_counting};
use entail_tlsf::Specification;
use std::time::Duration;

/// How long one question may take, by either engine.
const SLICE: Duration = Duration::from_millis(1500);

/// Where a guarantee stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Preset,
    Assert,
    Guarantee,
}

impl Section {
    const ALL: [Section; 3] = [Section::Preset, Section::Assert, Section::Guarantee];

    /// Its name in saved evidence.
    pub fn name(self) -> &'static str {
        match self {
            Section::Preset => "preset",
            Section::Assert => "assert",
            Section::Guarantee => "guarantee",
        }
    }

    /// The section of a name.
    pub fn named(name: &str) -> Option<Section> {
        Section::ALL.into_iter().find(|section| section.name() == name)
    }

    fn of(self, specification: &Specification) -> &Vec<Formula<String>> {
        match self {
            Section::Preset => &specification.preset,
            Section::Assert => &specification.assert,
            Section::Guarantee => &specification.guarantee,
        }
    }
}

/// A guarantee: its section, and its position there.
pub(crate) type Guarantee = (Section, usize);

/// Guarantees that cannot be met together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Core {
    pub guarantees: Vec<Guarantee>,
    /// Whether none of them can be left out; otherwise some question was not answered.
    pub is_minimal: bool,
}

/// All guarantees of a specification.
pub(crate) fn guarantees(specification: &Specification) -> Vec<Guarantee> {
    (Section::ALL.into_iter())
        .flat_map(|section| (0..section.of(specification).len()).map(move |at| (section, at)))
        .collect()
}

/// The specification with these guarantees only.
pub(crate) fn only(specification: &Specification, kept: &[Guarantee]) -> Specification {
    let of = |section: Section| {
        let all = section.of(specification).iter().enumerate();
        (all.filter(|(at, _)| kept.contains(&(section, *at))))
            .map(|(_, formula)| formula.clone())
            .collect()
    };
    Specification {
        preset: of(Section::Preset),
        assert: of(Section::Assert),
        guarantee: of(Section::Guarantee),
        ..specification.clone()
    }
}

/// A guarantee as a line.
pub(crate) fn described(specification: &Specification, (section, at): Guarantee) -> Option<String> {
    let formula = section.of(specification).get(at)?;
    Some(match section {
        Section::Preset => format!("at first {formula}"),
        Section::Assert => format!("always {formula}"),
        Section::Guarantee => formula.to_string(),
    })
}

/// Leaves out guarantees as long as the environment wins; gives its last machine, too, if it was asked at all.
pub(crate) fn shrink(
    specification: &Specification,
    problem: &Problem,
    budget: &Budget,
) -> Result<(Core, Option<Outcome>), Spent> {
    let mut core = Core {
        guarantees: guarantees(specification),
        is_minimal: true,
    };
    let mut last = None;
    for guarantee in core.guarantees.clone() {
        let fewer: Vec<Guarantee> = (core.guarantees.iter().copied())
            .filter(|one| *one != guarantee)
            .collect();
        let smaller = Problem {
            goal: Goal::Formula(only(specification, &fewer).formula()),
            ..problem.clone()
        };
        match decided(&smaller, budget)? {
            Some(outcome) if outcome.winner == Player::Odd => {
                core.guarantees = fewer;
                last = Some(outcome);
            }
            Some(_) => {}
            None => core.is_minimal = false,
        }
    }
    Ok((core, last))
}

/// A way to decide a problem.
type Engine = fn(&Problem, &Budget) -> Result<Outcome, SynthesisError>;

/// Who wins, if that is found soon.
fn decided(problem: &Problem, budget: &Budget) -> Result<Option<Outcome>, Spent> {
    let engines: [Engine; 2] = [synthesize, |problem, budget| {
        synthesize_by_counting(problem, None, budget)
    }];
    for engine in engines {
        budget.check_now()?;
        if let Ok(outcome) = engine(problem, &budget.part(SLICE)) {
            return Ok(Some(outcome));
        }
    }
    Ok(None)
}
