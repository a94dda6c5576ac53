//! Abstract models: is everything they claim about the model so, and do they show the verdict?
//!
//! All reachable states are enumerated, and each is looked at. What is checked of them is modal simulation by "looks like", from the
//! definition. Then the property is evaluated on the modal system, again from the definition: two sets of states for each subformula,
//! fixpoints from the beginning every time.

use super::CheckReport;
use super::outcome::Checker;
use crate::reference::{Graph, NotRechecked, Target};
use crate::{DeadEnds, ModalModel, Truth};
use entail_logic::mu::{Fairness, Fixpoint, Modality, Mu, MuNode, MuVar};
use entail_logic::{Formula, Question};
use entail_model::{Kmts, StateId, TermId, Valuation, evaluate, evaluate_bool};
use rustc_hash::FxHashMap;

/// Whether an abstract model establishes a verdict.
pub(super) fn modal(
    checker: &Checker<'_>,
    question: &Question<TermId>,
    holds: bool,
    model: &ModalModel,
) -> CheckReport {
    match try_modal(checker, question, holds, model) {
        Ok(report) => report,
        Err(why) => CheckReport::unchecked(format!("the abstract model ({why})")),
    }
}

fn try_modal(
    checker: &Checker<'_>,
    question: &Question<TermId>,
    holds: bool,
    model: &ModalModel,
) -> Result<CheckReport, NotRechecked> {
    let ModalModel { kmts, classes, .. } = model;
    if classes.len() != kmts.state_count() || model.atoms.len() != kmts.propositions().len() {
        return Ok(CheckReport::rejected(
            "the abstract model has other states or propositions than it says",
        ));
    }
    let graph = checker.graph(model.atoms.clone(), &[], None)?;
    if let Some(problem) = checker.meaningless(&graph) {
        return Ok(CheckReport::rejected(problem));
    }
    let looks = match looks_like(model, &graph)? {
        Ok(looks) => looks,
        Err(problem) => return Ok(CheckReport::rejected(problem)),
    };
    if let Some(problem) = misses(checker, model, &graph, &looks)? {
        return Ok(CheckReport::rejected(problem));
    }
    for formula in readings(checker, question, graph.dead_end.is_none())? {
        let reading = Reading {
            kmts,
            atoms: &model.atoms,
            checker,
        };
        let known = reading.value(&formula, &mut Vec::new())?;
        let initial = |set: &[bool]| {
            kmts.initial()
                .iter()
                .map(|state| set[state.index()])
                .collect::<Vec<_>>()
        };
        let shown = match holds {
            true => initial(&known.holds).iter().all(|&truth| truth),
            false => initial(&known.fails).iter().any(|&truth| truth),
        };
        if shown {
            return Ok(CheckReport::Accepted);
        }
    }
    Ok(CheckReport::rejected(
        "the abstract model does not decide the property",
    ))
}

/// The abstract state of every reachable one.
fn looks_like(model: &ModalModel, graph: &Graph) -> Result<Result<Vec<usize>, String>, NotRechecked> {
    let mut numbers = FxHashMap::default();
    for (number, class) in model.classes.iter().enumerate() {
        if numbers.insert(class.clone(), number).is_some() {
            return Ok(Err("two abstract states look the same".into()));
        }
    }
    let mut looks = Vec::with_capacity(graph.states.len());
    for state in &graph.states {
        let mut seen = Vec::with_capacity(model.abstraction.observations.len());
        for observation in &model.abstraction.observations {
            let value = evaluate(&model.terms, observation.term, Valuation::state(state)).map_err(|_| {
                NotRechecked::Undefined(format!("`{}` has no value in a state", observation.name))
            })?;
            seen.push(value);
        }
        match numbers.get(&seen) {
            Some(&number) => looks.push(number),
            None => {
                let seen = model.abstraction.show(&seen).to_string();
                return Ok(Err(format!(
                    "a reachable state looks like no abstract one: {seen}"
                )));
            }
        }
    }
    Ok(Ok(looks))
}

/// What the modal system tells wrong about the model.
fn misses(
    checker: &Checker<'_>,
    model: &ModalModel,
    graph: &Graph,
    looks: &[usize],
) -> Result<Option<String>, NotRechecked> {
    let kmts = &model.kmts;
    let abstract_state = |number: usize| StateId::new(number as u32);
    let mut initial: Vec<StateId> = looks[..graph.initial]
        .iter()
        .map(|&at| abstract_state(at))
        .collect();
    initial.sort_unstable();
    initial.dedup();
    if initial != kmts.initial() {
        return Ok(Some(
            "the initial abstract states are not those of the initial states".into(),
        ));
    }
    for (state, &look) in looks.iter().enumerate() {
        checker.budget.check()?;
        let from = abstract_state(look);
        let targets: Vec<StateId> = graph
            .steps_of(state)
            .filter_map(|step| match graph.targets[step] {
                Target::State(to) => Some(abstract_state(looks[to])),
                Target::End => None,
            })
            .collect();
        if let Some(to) = targets
            .iter()
            .find(|&&to| kmts.may(from).binary_search(&to).is_err())
        {
            return Ok(Some(format!(
                "a step of the model, from {from} to {to}, may not be there"
            )));
        }
        for into in kmts.must(from) {
            if !targets.iter().any(|to| into.contains(to)) {
                return Ok(Some(format!(
                    "a step that must be there, from {from}, is not in the model"
                )));
            }
        }
        for (known, &atom) in kmts.propositions().iter().zip(&model.atoms) {
            let (holds, fails) = (known.holds.contains(look), known.fails.contains(look));
            let values = &graph.states[state];
            let truth = match evaluate_bool(&checker.system.terms, atom, Valuation::state(values)) {
                Ok(truth) => Truth::from(truth),
                // About steps: it may be true where some step satisfies it, and is sure nowhere.
                Err(_) => match graph
                    .steps_of(state)
                    .any(|step| graph.term_at(atom, step) != Truth::False)
                {
                    true => Truth::Unknown,
                    false => Truth::False,
                },
            };
            if holds && truth != Truth::True || fails && truth != Truth::False {
                return Ok(Some(format!(
                    "a proposition has another truth in a state of {from}"
                )));
            }
        }
    }
    Ok(None)
}

/// The property in the mu-calculus: modalities over all steps, path quantifiers over infinite just paths. Where every state has a successor,
/// either reading will do.
fn readings(
    checker: &Checker<'_>,
    question: &Question<TermId>,
    total: bool,
) -> Result<Vec<Mu<TermId>>, NotRechecked> {
    let undefined = |why: &str| NotRechecked::Undefined(why.to_owned());
    let system = checker.system;
    Ok(match question {
        Question::Mu(formula) => vec![formula.clone()],
        Question::Invariant(atom) => {
            let always = MuVar::new("Always");
            let body = Mu::and([Mu::variable(&always).every_next(), Mu::atom(*atom)]);
            vec![body.fixpoint(Fixpoint::Greatest, &always)]
        }
        Question::Formula(formula) => {
            if !system.compassion.is_empty() {
                return Err(undefined("compassion has no meaning in the mu-calculus"));
            }
            if !total && checker.dead_ends == DeadEnds::Maximal {
                return Err(undefined("paths that end count"));
            }
            let justice: Vec<Formula<TermId>> =
                system.justice.iter().map(|&term| Formula::atom(term)).collect();
            let begins = Formula::constant(true).globally().exists();
            let mut readings = vec![begins.implies(formula).to_mu(Fairness::Justice(&justice))];
            if total && justice.is_empty() {
                readings.push(formula.to_mu(Fairness::Total));
            }
            let readings: Result<Vec<Mu<TermId>>, _> = readings.into_iter().collect();
            readings.map_err(|error| undefined(&error.to_string()))?
        }
        Question::ShortestPath(..) | Question::LongestPath(..) => {
            return Err(undefined("lengths are not those of abstract paths"));
        }
    })
}

/// Where a formula is known to be true, and known to be false.
#[derive(Clone, PartialEq)]
struct Known {
    holds: Vec<bool>,
    fails: Vec<bool>,
}

struct Reading<'r, 'a> {
    kmts: &'r Kmts,
    atoms: &'r [TermId],
    checker: &'r Checker<'a>,
}

impl Reading<'_, '_> {
    fn states(&self, truth: impl Fn(StateId) -> bool) -> Vec<bool> {
        self.kmts.states().map(truth).collect()
    }

    fn value(
        &self,
        formula: &Mu<TermId>,
        variables: &mut Vec<(MuVar, Known)>,
    ) -> Result<Known, NotRechecked> {
        self.checker.budget.check()?;
        let kmts = self.kmts;
        Ok(match formula.node() {
            MuNode::Constant(truth) => Known {
                holds: self.states(|_| *truth),
                fails: self.states(|_| !truth),
            },
            MuNode::Literal(atom, positive) => {
                let position = self.atoms.iter().position(|known| known == atom);
                let position = position
                    .ok_or_else(|| NotRechecked::Undefined("an atom is not among the propositions".into()))?;
                let known = &kmts.propositions()[position];
                let (holds, fails) = match positive {
                    true => (&known.holds, &known.fails),
                    false => (&known.fails, &known.holds),
                };
                Known {
                    holds: self.states(|state| holds.contains(state.index())),
                    fails: self.states(|state| fails.contains(state.index())),
                }
            }
            MuNode::Variable(name) => {
                let bound = variables.iter().rev().find(|(known, _)| known == name);
                let free = || NotRechecked::Undefined(format!("the variable {name} is free"));
                bound.ok_or_else(free)?.1.clone()
            }
            MuNode::And(list) | MuNode::Or(list) => {
                let all = matches!(formula.node(), MuNode::And(_));
                let mut values = Vec::with_capacity(list.len());
                for operand in list {
                    values.push(self.value(operand, variables)?);
                }
                let every = |part: fn(&Known) -> &Vec<bool>| {
                    self.states(|state| values.iter().all(|value| part(value)[state.index()]))
                };
                let some = |part: fn(&Known) -> &Vec<bool>| {
                    self.states(|state| values.iter().any(|value| part(value)[state.index()]))
                };
                match all {
                    true => Known {
                        holds: every(|known| &known.holds),
                        fails: some(|known| &known.fails),
                    },
                    false => Known {
                        holds: some(|known| &known.holds),
                        fails: every(|known| &known.fails),
                    },
                }
            }
            MuNode::Modal(_, Some(_), _) => {
                return Err(NotRechecked::Undefined("steps have no actions here".into()));
            }
            MuNode::Modal(modality, None, operand) => {
                let value = self.value(operand, variables)?;
                let must = |set: &[bool]| {
                    let into = |targets: &[StateId]| targets.iter().all(|to| set[to.index()]);
                    self.states(|state| kmts.must(state).any(into))
                };
                let may =
                    |set: &[bool]| self.states(|state| kmts.may(state).iter().all(|to| set[to.index()]));
                match modality {
                    Modality::Some => Known {
                        holds: must(&value.holds),
                        fails: may(&value.fails),
                    },
                    Modality::Every => Known {
                        holds: may(&value.holds),
                        fails: must(&value.fails),
                    },
                }
            }
            MuNode::Fixpoint(fixpoint, name, body) => {
                let start = *fixpoint == Fixpoint::Greatest;
                let mut value = Known {
                    holds: self.states(|_| start),
                    fails: self.states(|_| !start),
                };
                loop {
                    variables.push((name.clone(), value.clone()));
                    let next = self.value(body, variables);
                    variables.pop();
                    let next = next?;
                    if next == value {
                        return Ok(value);
                    }
                    value = next;
                }
            }
        })
    }
}
