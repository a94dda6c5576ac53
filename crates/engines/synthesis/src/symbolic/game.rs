//! The game of a specification, as decision diagrams.
//!
//! Its state is in latches: registers of earlier letters, and the states of the formula's parts. In each step the players set the signals; latches go on by
//! their functions. States that decide the formula are won or lost; elsewhere the condition's memory says what must be seen again and again.

use super::component::{Component, Observer, once};
use super::condition::{Combination, Memory, Relaxation};
use super::letters::{Latch, Letters};
use super::observation::Observations;
use super::sets::Sets;
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
    parts: Vec<Planned>,
    observations: Vec<(Formula<String>, u32)>,
}

/// How a part is followed.
enum Planned {
    Deterministic(ParityAutomaton),
    Sets(Sets),
}

impl Planned {
    fn new(formula: &Formula<String>, budget: &Budget) -> Result<Planned, SynthesisError> {
        if let Some(sets) = Sets::new(formula, budget)? {
            return Ok(Planned::Sets(sets));
        }
        let how = Translation {
            target: Target::Parity,
            ..Translation::default()
        };
        Ok(Planned::Deterministic(translate(formula, how, budget)?.into()))
    }

    fn propositions(&self) -> &[String] {
        match self {
            Planned::Deterministic(goal) => goal.automaton.propositions(),
            Planned::Sets(sets) => sets.automaton.propositions(),
        }
    }

    /// Its bits can be made of this. `tests` are the values of its propositions.
    fn followed(self, tests: Vec<Bdd>, late: u32, budget: &Budget) -> Result<Followed, SynthesisError> {
        Ok(match self {
            Planned::Sets(sets) => Followed::Sets(sets, tests, late),
            Planned::Deterministic(goal) => {
                let names = goal.automaton.propositions().to_vec();
                let level = |name: &str| names.iter().position(|known| known == name).map(|at| at as u32);
                let part = Part::new(&goal, &level, budget)?;
                Followed::Part(Observer { part, tests, late })
            }
        })
    }
}

/// A part with what its propositions observe.
enum Followed {
    Part(Observer),
    Sets(Sets, Vec<Bdd>, u32),
}

impl Followed {
    fn states(&self) -> usize {
        match self {
            Followed::Part(observer) => observer.part.roots.len(),
            Followed::Sets(sets, ..) => sets.automaton.state_count(),
        }
    }

    fn invariant(&self, negated: bool, letters: &Letters) -> Result<Option<Bdd>, SynthesisError> {
        match self {
            Followed::Part(observer) => observer.invariant(negated, letters),
            Followed::Sets(..) => Ok(None),
        }
    }

    fn component(&self, letters: &Letters, latches: &mut Vec<Latch>) -> Result<Component, SynthesisError> {
        match self {
            Followed::Part(observer) => observer.component(letters, latches),
            Followed::Sets(sets, tests, late) => sets.component(letters, tests, *late, latches),
        }
    }
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
                    parts: vec![Planned::Deterministic(ParityAutomaton {
                        automaton: numbered,
                        priorities: goal.priorities.clone(),
                    })],
                    observations: list,
                })
            }
            Goal::Formula(formula) => {
                let small = observations.replaced(formula);
                let (skeleton, parts) = take_apart(&small);
                let parts = parts.iter().map(|part| Planned::new(part, budget));
                Ok(Plan {
                    skeleton,
                    parts: parts.collect::<Result<_, _>>()?,
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
        let of_part: Vec<Vec<usize>> = (plan.parts.iter())
            .map(|part| part.propositions().iter().map(number).collect())
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
        let mut followed = Vec::new();
        for ((part, numbers), late) in plan.parts.into_iter().zip(&of_part).zip(late_of) {
            budget.check_now()?;
            let mut tests = Vec::with_capacity(numbers.len());
            for &at in numbers {
                tests.push(letters.value(&plan.observations[at].0, late)?);
            }
            followed.push(part.followed(tests, late, budget)?);
        }
        let mut latches = letters.latches()?;
        let mut components = Components {
            letters: &letters,
            followed: &followed,
            latches: &mut latches,
            made: Vec::new(),
            of_part: vec![None; followed.len()],
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
            parts: followed.len(),
            part_states: followed.iter().map(Followed::states).sum(),
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
    followed: &'a [Followed],
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
                    let followed = &self.followed[*part as usize];
                    // A goal is what is reached when its negation, an invariant, is violated.
                    match followed.invariant(*negated == conjunction, self.letters)? {
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
        let component = self.followed[part].component(self.letters, self.latches)?;
        self.made.push(component);
        self.of_part[part] = Some(self.made.len() - 1);
        Ok(self.made.len() - 1)
    }
}
