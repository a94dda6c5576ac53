//! Abstract models with something wrong in them: the checker must reject each.

use entail_abstraction::{AbstractEngine, AbstractOptions};
use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, CheckReport, Engine, Evidence, ModalModel, Outcome, Verdict};
use entail_logic::Logic;
use entail_logic::Property;
use entail_model::{Kmts, KmtsBuilder, StateId, TermId, TransitionSystem, Value};
use entail_smv::read;
use entail_source::Source;
use entail_systems_checker::check_outcome;

const MUTEX: &str = include_str!("../../../../../examples/abstraction/mutex.smv");

struct Case {
    system: TransitionSystem,
    property: Property<TermId>,
    verdict: Verdict,
    model: ModalModel,
}

fn case(formula: &str) -> Case {
    let mut model = read(&Source::new("mutex", MUTEX)).expect("a model");
    let property = model.parse_property(formula, Logic::Ctl).expect(formula);
    let engine = AbstractEngine {
        options: AbstractOptions::default(),
    };
    let outcome = engine
        .check(
            &model.system,
            &property,
            &CheckOptions::default(),
            &Budget::unlimited(),
            &Silent,
        )
        .expect("a meaning");
    let Some(Evidence::Modal(evidence)) = outcome.evidence else {
        panic!("{formula} is decided by an abstract model");
    };
    let case = Case {
        system: model.system,
        property,
        verdict: outcome.verdict,
        model: *evidence,
    };
    assert_eq!(case.judge(&case.model), CheckReport::Accepted);
    case
}

impl Case {
    fn judge(&self, model: &ModalModel) -> CheckReport {
        let outcome = Outcome::complete(self.verdict, Evidence::Modal(Box::new(model.clone())));
        check_outcome(
            &self.system,
            &self.property,
            &outcome,
            &CheckOptions::default(),
            &Budget::unlimited(),
        )
    }

    fn with(&self, kmts: Kmts) -> ModalModel {
        ModalModel {
            kmts,
            ..self.model.clone()
        }
    }

    fn rejected(&self, model: &ModalModel, what: &str) {
        assert!(self.judge(model).is_rejected(), "{what} was accepted");
    }
}

/// The system without one step, and without the hyper-transitions into it.
fn without_step(kmts: &Kmts, from: StateId, to: StateId) -> Kmts {
    let mut builder = KmtsBuilder::new(kmts.state_count());
    for &state in kmts.initial() {
        builder.initial(state);
    }
    for state in kmts.states() {
        for &target in kmts.may(state) {
            if (state, target) != (from, to) {
                builder.may(state, target);
            }
        }
        for targets in kmts.must(state) {
            if state != from || !targets.contains(&to) {
                builder.must(state, targets.to_vec());
            }
        }
    }
    for known in kmts.propositions() {
        let states =
            |set: &entail_model::StateSet| set.ones().map(|at| StateId::new(at as u32)).collect::<Vec<_>>();
        builder.proposition(&*known.name, states(&known.holds), states(&known.fails));
    }
    builder.build().expect("consistent")
}

#[test]
fn every_change_that_matters_is_found() {
    let mut changes = 0;
    for formula in [
        "AG !(C1 & C2)",
        "AG EF (N1 & N2 & flag)",
        "EG AF flag",
        "AG (T1 -> AF C1)",
    ] {
        let case = case(formula);
        let kmts = &case.model.kmts;
        for from in kmts.states() {
            for &to in kmts.may(from) {
                // What is not reachable in the model may be left out without harm; what is cannot.
                let report = case.judge(&case.with(without_step(kmts, from, to)));
                changes += usize::from(report.is_rejected());
                // A step that need not be there is claimed to be.
                if !kmts.is_must(from, to) {
                    let mut builder = kmts.to_builder();
                    builder.must(from, [to]);
                    changes += usize::from(
                        case.judge(&case.with(builder.build().expect("consistent")))
                            .is_rejected(),
                    );
                }
            }
        }
        assert!(changes > 0);

        let mut nobody_starts = KmtsBuilder::new(kmts.state_count());
        for state in kmts.states() {
            kmts.may(state).iter().for_each(|&to| {
                nobody_starts.may(state, to);
            });
        }
        for known in kmts.propositions() {
            nobody_starts.proposition(&*known.name, [], []);
        }
        case.rejected(
            &case.with(nobody_starts.build().expect("consistent")),
            "no initial state",
        );

        for (at, _) in kmts.propositions().iter().enumerate() {
            let mut builder = KmtsBuilder::new(kmts.state_count());
            kmts.initial().iter().for_each(|&state| {
                builder.initial(state);
            });
            for state in kmts.states() {
                kmts.may(state).iter().for_each(|&to| {
                    builder.may(state, to);
                });
                kmts.must(state).for_each(|to| {
                    builder.must(state, to.to_vec());
                });
            }
            for (position, known) in kmts.propositions().iter().enumerate() {
                let states = |set: &entail_model::StateSet| {
                    set.ones().map(|at| StateId::new(at as u32)).collect::<Vec<_>>()
                };
                let (holds, fails) = (states(&known.holds), states(&known.fails));
                match position == at {
                    true => builder.proposition(&*known.name, fails, holds),
                    false => builder.proposition(&*known.name, holds, fails),
                };
            }
            case.rejected(
                &case.with(builder.build().expect("consistent")),
                "a flipped proposition",
            );
        }

        let mut looks_alike = case.model.clone();
        if looks_alike.classes.len() > 1 {
            looks_alike.classes[1] = looks_alike.classes[0].clone();
            case.rejected(&looks_alike, "two classes that look the same");
        }
        let mut strange = case.model.clone();
        for class in &mut strange.classes {
            for value in class.iter_mut() {
                if let Value::Bool(truth) = value {
                    *truth = !*truth;
                }
            }
        }
        case.rejected(&strange, "observations that no state has");
        let mut short = case.model.clone();
        short.classes.pop();
        case.rejected(&short, "fewer classes than states");

        let opposite = Case {
            verdict: match case.verdict {
                Verdict::Holds => Verdict::Fails,
                _ => Verdict::Holds,
            },
            ..case
        };
        opposite.rejected(&opposite.model, "the opposite verdict");
    }
    assert!(changes >= 20, "{changes}");
}
