//! Abstract models: is everything they claim about the model so, and do they show the verdict?
//!
//! All reachable states are enumerated, and each is looked at. What is checked of them is modal simulation by "looks like", from the
//! definition. Then the property is evaluated on the modal system, again from the definition: two sets of states for each subformula,
//! fixpoints from the beginning every time.

use super::outcome::Checker;
use crate::reference::{Evaluation, Graph, NotRechecked, Target};
use entail_answer::CheckReport;
use entail_evidence::{DeadEnds, ModalModel, Truth};
use entail_logic::mu::{Fairness, Fixpoint, Modality, Mu, MuNode, MuVar};
use entail_logic::{Formula, Fragment, Question};
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
    let counting = match question {
        // Path quantifiers range over infinite paths: other states do not count.
        Question::Formula(_) if checker.dead_ends == DeadEnds::Maximal && graph.dead_end.is_some() => {
            return Err(NotRechecked::Undefined("paths that end count".to_owned()));
        }
        Question::Formula(_) => with_infinite_paths(&graph),
        _ => vec![true; graph.states.len()],
    };
    let looks = match looks_like(model, &graph, &counting)? {
        Ok(looks) => looks,
        Err(problem) => return Ok(CheckReport::rejected(problem)),
    };
    if let Some(problem) = misses(checker, model, &graph, &looks)? {
        return Ok(CheckReport::rejected(problem));
    }
    if let Question::Formula(formula) = question
        && (!formula.is_in(Fragment::Ctl) || !checker.system.compassion.is_empty())
    {
        return judged_by_the_model(checker, &graph, formula, holds);
    }
    let reading = Reading {
        kmts,
        atoms: &model.atoms,
        checker,
    };
    let known = reading.value(&in_mu_calculus(checker, question)?, &mut Vec::new())?;
    let mut initial = kmts.initial().iter();
    let shown = match holds {
        true => initial.all(|state| known.holds[state.index()]),
        false => initial.any(|state| known.fails[state.index()]),
    };
    Ok(match shown {
        true => CheckReport::Accepted,
        false => CheckReport::rejected("the abstract model does not decide the property"),
    })
}

/// Formulas that the mu-calculus has no short form for are evaluated on the model itself, which is at hand.
fn judged_by_the_model(
    checker: &Checker<'_>,
    graph: &Graph,
    formula: &Formula<TermId>,
    holds: bool,
) -> Result<CheckReport, NotRechecked> {
    let mut evaluation = Evaluation::new(checker.system, graph, checker.limits, checker.budget)?;
    let truths = evaluation.states(formula)?;
    let asked = evaluation.states(&Formula::constant(true).globally().exists())?;
    let found = (0..graph.initial).all(|state| truths[state] || !asked[state]);
    Ok(match found == holds {
        true => CheckReport::Accepted,
        false => CheckReport::rejected("on the model itself the property has another truth"),
    })
}

/// The states from which a path never ends.
fn with_infinite_paths(graph: &Graph) -> Vec<bool> {
    let mut live = vec![true; graph.states.len()];
    loop {
        let goes_on = |state: usize| {
            let mut steps = graph.steps_of(state);
            steps.any(|step| matches!(graph.targets[step], Target::State(to) if live[to]))
        };
        let still: Vec<bool> = (0..live.len())
            .map(|state| live[state] && goes_on(state))
            .collect();
        if still == live {
            return live;
        }
        live = still;
    }
}

/// The abstract state of every reachable one that counts.
fn looks_like(
    model: &ModalModel,
    graph: &Graph,
    counting: &[bool],
) -> Result<Result<Vec<Option<usize>>, String>, NotRechecked> {
    let mut numbers = FxHashMap::default();
    for (number, class) in model.classes.iter().enumerate() {
        if numbers.insert(class.clone(), number).is_some() {
            return Ok(Err("two abstract states look the same".into()));
        }
    }
    let mut looks = Vec::with_capacity(graph.states.len());
    for (state, &counts) in graph.states.iter().zip(counting) {
        if !counts {
            looks.push(None);
            continue;
        }
        let mut seen = Vec::with_capacity(model.abstraction.observations.len());
        for observation in &model.abstraction.observations {
            let value = evaluate(&model.terms, observation.term, Valuation::state(state));
            let no_value =
                |_| NotRechecked::Undefined(format!("`{}` has no value in a state", observation.name));
            seen.push(value.map_err(no_value)?);
        }
        match numbers.get(&seen) {
            Some(&number) => looks.push(Some(number)),
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
    looks: &[Option<usize>],
) -> Result<Option<String>, NotRechecked> {
    let kmts = &model.kmts;
    let abstract_state = |number: usize| StateId::new(number as u32);
    let initial = looks[..graph.initial].iter().flatten();
    let mut initial: Vec<StateId> = initial.map(|&at| abstract_state(at)).collect();
    initial.sort_unstable();
    initial.dedup();
    if initial != kmts.initial() {
        return Ok(Some(
            "the initial abstract states are not those of the initial states".into(),
        ));
    }
    for (state, look) in looks.iter().enumerate() {
        checker.budget.check()?;
        let Some(look) = *look else {
            continue;
        };
        let from = abstract_state(look);
        let targets: Vec<StateId> = graph
            .steps_of(state)
            .filter_map(|step| match graph.targets[step] {
                Target::State(to) => looks[to].map(abstract_state),
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
            let truth = if checker.is_about_steps(atom) {
                // It may be true where some step satisfies it, and is sure nowhere.
                let mut steps = graph.steps_of(state);
                match steps.any(|step| graph.term_at(atom, step) == Truth::True) {
                    true => Truth::Unknown,
                    false => Truth::False,
                }
            } else {
                evaluate_bool(&checker.system.terms, atom, Valuation::state(values)).into()
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

/// The property in the mu-calculus: modalities over all steps, path quantifiers over infinite just paths.
fn in_mu_calculus(checker: &Checker<'_>, question: &Question<TermId>) -> Result<Mu<TermId>, NotRechecked> {
    let undefined = |why: &str| NotRechecked::Undefined(why.to_owned());
    let system = checker.system;
    match question {
        Question::Mu(formula) => Ok(formula.clone()),
        Question::Invariant(atom) => {
            let always = MuVar::new("Always");
            let body = Mu::and([Mu::variable(&always).every_next(), Mu::atom(*atom)]);
            Ok(body.fixpoint(Fixpoint::Greatest, &always))
        }
        Question::Formula(formula) => {
            if !system.compassion.is_empty() {
                return Err(undefined("compassion has no meaning in the mu-calculus"));
            }
            let justice: Vec<Formula<TermId>> =
                system.justice.iter().map(|&term| Formula::atom(term)).collect();
            let read = match justice.is_empty() {
                true => formula.to_mu(Fairness::Total),
                false => {
                    let begins = Formula::constant(true).globally().exists();
                    begins.implies(formula).to_mu(Fairness::Justice(&justice))
                }
            };
            read.map_err(|error| undefined(&error.to_string()))
        }
        Question::ShortestPath(..) | Question::LongestPath(..) => {
            Err(undefined("lengths are not those of abstract paths"))
        }
    }
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
            MuNode::Modal(_, actions, _) if !actions.is_any() => {
                return Err(NotRechecked::Undefined("steps have no actions here".into()));
            }
            MuNode::Modal(modality, _, operand) => {
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
