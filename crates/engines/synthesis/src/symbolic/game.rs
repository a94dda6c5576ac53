//! The game of a specification, as decision diagrams.
//!
//! Its state is in latches: registers of earlier letters, and the states of the formula's parts. In each step the players set the signals; latches go on by
//! their functions. States that decide the formula are won or lost; elsewhere the condition's memory says what must be seen again and again.

use super::component::{Component, Observer, once};
use super::condition::{Combination, Memory, Relaxation};
use super::letters::{Latch, Letters};
use super::observation::Observations;
use crate::part::Part;
use crate::problem::{Goal, ParityAutomaton, Problem, SynthesisError};
use crate::skeleton::{Skeleton, take_apart};
use entail_automata::{Automaton, Target, Translation, translate};
use entail_budget::Budget;
use entail_dd::{AutoReorder, Bdd, Manager, Var};
use entail_logic::Formula;

/// A game.
pub(crate) struct Game {
    pub manager: Manager,
    pub inputs: Vec<Var>,
    pub outputs: Vec<Var>,
    pub latches: Vec<Latch>,
    /// The states that the system has lost, and won.
    pub decided: [Bdd; 2],
    components: Vec<Component>,
    combination: Combination,
    /// Parts of the formula, and states of their automata.
    pub parts: usize,
    pub part_states: usize,
}

/// Parts, how they are combined, what their propositions observe.
struct Plan {
    skeleton: Skeleton,
    automata: Vec<ParityAutomaton>,
    observations: Vec<(Formula<String>, u32)>,
}

impl Plan {
    fn new(problem: &Problem, budget: &Budget) -> Result<Plan, SynthesisError> {
        let mut observations = Observations::default();
        match &problem.goal {
            Goal::Automaton(goal) => {
                let automaton = &goal.automaton;
                // Its propositions are signals as they are.
                let names = automaton.propositions();
                let list = names
                    .iter()
                    .map(|name| (Formula::atom(name.clone()), 0))
                    .collect();
                let mut numbered = Automaton::new(
                    (0..names.len()).map(|at| at.to_string()).collect(),
                    automaton.acceptance().clone(),
                    automaton.mark_count(),
                )?;
                numbered.labels = automaton.labels.clone();
                for _ in automaton.states() {
                    numbered.add_state();
                }
                for &state in automaton.initial() {
                    numbered.add_initial(state);
                }
                for state in automaton.states() {
                    for edge in automaton.edges(state) {
                        numbered.add_edge(state, edge.label, edge.target, edge.marks);
                    }
                }
                Ok(Plan {
                    skeleton: Skeleton::Part(0, false),
                    automata: vec![ParityAutomaton {
                        automaton: numbered,
                        priorities: goal.priorities.clone(),
                    }],
                    observations: list,
                })
            }
            Goal::Formula(formula) => {
                let small = observations.replaced(formula);
                let (skeleton, parts) = take_apart(&small);
                let how = Translation {
                    target: Target::Parity,
                    ..Translation::default()
                };
                let mut automata = Vec::with_capacity(parts.len());
                for part in &parts {
                    automata.push(translate(part, how, budget)?.into());
                }
                Ok(Plan {
                    skeleton,
                    automata,
                    observations: observations.list,
                })
            }
        }
    }
}

impl Game {
    /// The game of a problem.
    pub fn new(problem: &Problem, budget: &Budget) -> Result<Game, SynthesisError> {
        let plan = Plan::new(problem, budget)?;
        let manager = Manager::for_budget(budget, 1)?;
        manager.set_auto_reorder(Some(AutoReorder::default()));
        // Each part observes all its propositions equally late.
        let number = |name: &String| name.parse::<usize>().unwrap_or(usize::MAX);
        let of_part: Vec<Vec<usize>> = (plan.automata.iter())
            .map(|goal| goal.automaton.propositions().iter().map(number).collect())
            .collect();
        let mut observed = Vec::new();
        let mut late_of = Vec::new();
        for numbers in &of_part {
            let depths = numbers.iter().map(|&at| plan.observations[at].1);
            let late = depths.max().unwrap_or(0);
            late_of.push(late);
            for &at in numbers {
                observed.push((plan.observations[at].0.clone(), late));
            }
        }
        let signals: Vec<String> = problem.inputs.iter().chain(&problem.outputs).cloned().collect();
        let mut letters = Letters::new(&manager, &signals, &observed)?;
        let mut observers = Vec::new();
        for ((automaton, numbers), late) in plan.automata.iter().zip(&of_part).zip(late_of) {
            budget.check_now()?;
            let level = |name: &str| {
                let own = number(&name.to_owned());
                numbers.iter().position(|&known| known == own).map(|at| at as u32)
            };
            let part = Part::new(automaton, &level, budget)?;
            let mut tests = Vec::with_capacity(numbers.len());
            for &at in numbers {
                tests.push(letters.value(&plan.observations[at].0, late)?);
            }
            observers.push(Observer { part, tests, late });
        }
        let mut latches = letters.latches()?;
        let mut components = Components {
            letters: &letters,
            observers: &observers,
            latches: &mut latches,
            made: Vec::new(),
            of_part: vec![None; observers.len()],
        };
        let combination = components.combined(&plan.skeleton)?;
        let made = components.made;
        let decided = combination.decided(&manager, &made)?;
        let variables = |names: &[String]| -> Result<Vec<Var>, SynthesisError> {
            names.iter().map(|name| letters.signal(name)).collect()
        };
        Ok(Game {
            inputs: variables(&problem.inputs)?,
            outputs: variables(&problem.outputs)?,
            latches,
            decided,
            components: made,
            combination,
            parts: observers.len(),
            part_states: observers.iter().map(|observer| observer.part.roots.len()).sum(),
            manager,
        })
    }
}

impl Game {
    /// The memory of the condition, if it has at most so many values.
    pub fn memory(
        &self,
        relaxation: Relaxation,
        most: usize,
        budget: &Budget,
    ) -> Result<Memory, SynthesisError> {
        let components = &self.components;
        Memory::new(
            &self.combination,
            &self.manager,
            components,
            &self.decided,
            relaxation,
            most,
            budget,
        )
    }
}

/// Making components.
struct Components<'a> {
    letters: &'a Letters,
    observers: &'a [Observer],
    latches: &'a mut Vec<Latch>,
    made: Vec<Component>,
    of_part: Vec<Option<usize>>,
}

impl Components<'_> {
    /// The combination of a skeleton. Invariants that stand together in a conjunction, and goals that stand together in a disjunction, are one component.
    fn combined(&mut self, skeleton: &Skeleton) -> Result<Combination, SynthesisError> {
        let (list, conjunction) = match skeleton {
            Skeleton::Constant(truth) => return Ok(Combination::Constant(*truth)),
            Skeleton::Part(..) => (std::slice::from_ref(skeleton), true),
            Skeleton::And(list) => (&list[..], true),
            Skeleton::Or(list) => (&list[..], false),
        };
        let mut happens = Vec::new();
        let mut combined = Vec::new();
        for one in list {
            match one {
                Skeleton::Part(part, negated) => {
                    let observer = &self.observers[*part as usize];
                    // A goal is what is reached when its negation, an invariant, is violated.
                    match observer.invariant(*negated == conjunction, self.letters)? {
                        Some(letters) => happens.push(letters),
                        None => combined.push(Combination::Component(self.part(*part as usize)?, *negated)),
                    }
                }
                other => combined.push(self.combined(other)?),
            }
        }
        if !happens.is_empty() {
            self.made
                .push(once(self.letters, &happens, !conjunction, self.latches)?);
            combined.push(Combination::Component(self.made.len() - 1, false));
        }
        Ok(match (combined.len(), conjunction) {
            (1, _) => combined.remove(0),
            (_, true) => Combination::And(combined),
            (_, false) => Combination::Or(combined),
        })
    }

    fn part(&mut self, part: usize) -> Result<usize, SynthesisError> {
        if let Some(known) = self.of_part[part] {
            return Ok(known);
        }
        let component = self.observers[part].component(self.letters, self.latches)?;
        self.made.push(component);
        self.of_part[part] = Some(self.made.len() - 1);
        Ok(self.made.len() - 1)
    }
}
