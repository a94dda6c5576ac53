//! Worked examples of the handbook with known answers, under their numbers. Every answer's evidence is checked.

mod ch02;
mod ch05;
mod surveys;

use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, DeadEnds, Engine, Outcome, Verdict};
use entail_explicit::Explicit;
use entail_logic::{Formula, Property, Question, parse};
use entail_model::{Kripke, Sort, TermId, TransitionSystem, VarId, VarKind};
use entail_systems_checker::check_outcome;

/// A system under construction: terms by short names.
#[derive(Default)]
struct Bench {
    system: TransitionSystem,
}

impl Bench {
    fn new() -> Bench {
        Bench::default()
    }

    fn variable(&mut self, name: &str, low: i64, high: i64) -> VarId {
        self.system
            .add_variable(name, Sort::range(low, high), VarKind::State)
    }

    fn is(&mut self, variable: VarId, value: i64) -> TermId {
        let (x, value) = (self.system.current(variable), self.system.terms.integer(value));
        self.system.terms.equal(x, value).expect("integers")
    }

    fn becomes(&mut self, variable: VarId, value: i64) -> TermId {
        let (x, value) = (self.system.next(variable), self.system.terms.integer(value));
        self.system.terms.equal(x, value).expect("integers")
    }

    fn keeps(&mut self, variable: VarId) -> TermId {
        let (x, next) = (self.system.current(variable), self.system.next(variable));
        self.system.terms.equal(next, x).expect("one sort")
    }

    fn and(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        self.system.terms.and(terms)
    }

    fn or(&mut self, terms: impl IntoIterator<Item = TermId>) -> TermId {
        self.system.terms.or(terms)
    }

    fn not(&mut self, term: TermId) -> TermId {
        self.system.terms.not(term)
    }

    /// One transition: a guard, assignments of constants, all other variables kept.
    fn transition(&mut self, guard: TermId, assignments: &[(VarId, i64)]) -> TermId {
        let mut parts = vec![guard];
        for variable in self.system.variable_ids() {
            let assigned = assignments.iter().find(|(other, _)| *other == variable);
            let part = match assigned {
                Some(&(_, value)) => self.becomes(variable, value),
                None => self.keeps(variable),
            };
            parts.push(part);
        }
        self.and(parts)
    }

    /// Nothing changes.
    fn stutter(&mut self) -> TermId {
        let always = self.system.terms.truth(true);
        self.transition(always, &[])
    }

    fn relation(&mut self, moves: Vec<TermId>) {
        let relation = self.or(moves);
        self.system.transition = vec![relation];
    }

    /// A formula over named terms.
    fn formula(&self, text: &str, atoms: &[(&str, TermId)]) -> Formula<TermId> {
        formula(text, |name| {
            let found = atoms.iter().find(|(other, _)| *other == name);
            found.unwrap_or_else(|| panic!("no atom {name}")).1
        })
    }
}

fn formula(text: &str, atom: impl Fn(&str) -> TermId) -> Formula<TermId> {
    let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    let formula = parsed.map_atoms(&mut |name: &String| atom(name));
    if formula.is_state_formula() {
        formula
    } else {
        formula.forall()
    }
}

fn decide(
    system: &TransitionSystem,
    question: Question<TermId>,
    logic: entail_logic::Logic,
    dead_ends: DeadEnds,
) -> Outcome {
    let property = Property {
        name: None,
        text: String::new(),
        logic,
        question,
    };
    let options = CheckOptions {
        dead_ends,
        ..CheckOptions::default()
    };
    let budget = Budget::unlimited();
    let outcome = Explicit::default()
        .check(system, &property, &options, &budget, &Silent)
        .expect("the model has a meaning");
    let report = check_outcome(system, &property, &outcome, &options, &budget);
    assert!(report.is_accepted(), "{report}");
    outcome
}

fn holds(system: &TransitionSystem, formula: &Formula<TermId>) -> bool {
    let outcome = decide(
        system,
        Question::Formula(formula.clone()),
        entail_logic::Logic::CtlStar,
        DeadEnds::Infinite,
    );
    assert_ne!(outcome.verdict, Verdict::Unknown);
    outcome.verdict == Verdict::Holds
}

/// A formula over the propositions of a Kripke structure.
fn kripke_formula(kripke: &Kripke, text: &str) -> (TransitionSystem, Formula<TermId>) {
    let system = kripke.to_system();
    let formula = formula(text, |name| {
        let define = system.defines.iter().find(|define| &*define.name == name);
        define.unwrap_or_else(|| panic!("no proposition {name}")).term
    });
    (system, formula)
}
