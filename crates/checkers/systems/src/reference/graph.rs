//! The reachable graph, with steps as nodes.
//!
//! A path is a sequence of steps: at each position a state, the inputs chosen there, and the next state. Terms over inputs and
//! next values therefore have their truth at a step, and all algorithms of the reference walk on steps: the successors of a
//! step are the steps that leave its target. Steps from one state to another that agree on every observed term are one node.
//!
//! Dead ends, by policy: `Stutter` adds a step from the state to itself; `Maximal` adds a step to *the end*, which is one
//! node without a state that follows itself for ever (so that a finite path is an infinite one whose rest does not exist);
//! otherwise nothing is added and no path goes on there.

use super::enumerate::Visit;
use super::{CheckLimits, Enumerator, NotRechecked};
use crate::condition::{Conditions, looks_ahead, reads_inputs};
use entail_budget::Budget;
use entail_evidence::{DeadEnds, Truth};
use entail_model::{TermId, TransitionSystem, Valuation, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a step leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    State(usize),
    /// Past the end of a maximal path.
    End,
}

/// A step between two reachable states, for those who draw graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphStep {
    /// Number of the state it leaves.
    pub from: usize,
    /// Number of the state it leads to.
    pub to: usize,
}

/// The reachable states and steps of a system.
pub struct Graph {
    pub(crate) states: Vec<Vec<Option<Value>>>,
    numbers: FxHashMap<Vec<Option<Value>>, usize>,
    /// How many of the first states are initial.
    pub(crate) initial: usize,
    /// The steps that leave state `s` are `first_step[s]..first_step[s + 1]`.
    pub(crate) first_step: Vec<usize>,
    pub(crate) targets: Vec<Target>,
    /// The observed terms, and their truth at each step, one row a step.
    observed: FxHashMap<TermId, usize>,
    labels: Vec<Truth>,
    /// A reachable state without successors, if there is one.
    pub(crate) dead_end: Option<usize>,
    /// What the first reachable hazard says.
    pub(crate) hazard: Option<String>,
    /// Whether the search stopped at the bound with states unexplored.
    pub(crate) cut: bool,
}

/// What to build.
pub(crate) struct Scope<'a> {
    /// States to start from besides the initial ones.
    pub further: &'a [Vec<Option<Value>>],
    /// Terms whose truth is needed.
    pub observed: Vec<TermId>,
    pub dead_ends: DeadEnds,
    /// Longest paths followed.
    pub bound: Option<u64>,
}

impl Graph {
    /// The reachable graph of a system, if it is within the limits. Meant for drawing: dead ends are left as they are.
    pub fn of(
        system: &TransitionSystem,
        limits: CheckLimits,
        budget: &Budget,
    ) -> Result<Graph, NotRechecked> {
        let scope = Scope {
            further: &[],
            observed: Vec::new(),
            dead_ends: DeadEnds::Infinite,
            bound: None,
        };
        Graph::build(system, &scope, limits, budget)
    }

    /// The reachable states; a state's number is its position.
    pub fn states(&self) -> &[Vec<Option<Value>>] {
        &self.states
    }

    /// How many of the states, the first ones, are initial.
    pub fn initial_states(&self) -> usize {
        self.initial
    }

    /// The number of a state without successors, if there is one.
    pub fn dead_end(&self) -> Option<usize> {
        self.dead_end
    }

    /// The steps between states, each pair once.
    pub fn edges(&self) -> Vec<GraphStep> {
        let mut seen = FxHashSet::default();
        let mut edges = Vec::new();
        for from in 0..self.states.len() {
            for step in self.steps_of(from) {
                if let Target::State(to) = self.targets[step]
                    && seen.insert((from, to))
                {
                    edges.push(GraphStep { from, to });
                }
            }
        }
        edges
    }

    /// The number of a state (inputs are ignored).
    pub fn find(&self, system: &TransitionSystem, state: &[Option<Value>]) -> Option<usize> {
        self.numbers.get(&without_inputs(system, state)).copied()
    }

    pub(crate) fn build(
        system: &TransitionSystem,
        scope: &Scope<'_>,
        limits: CheckLimits,
        budget: &Budget,
    ) -> Result<Graph, NotRechecked> {
        let enumerator = Enumerator::new(system, limits, budget);
        let mut graph = Graph {
            states: Vec::new(),
            numbers: FxHashMap::default(),
            initial: 0,
            first_step: vec![0],
            targets: Vec::new(),
            observed: FxHashMap::default(),
            labels: Vec::new(),
            dead_end: None,
            hazard: None,
            cut: false,
        };
        for &term in &scope.observed {
            let column = graph.observed.len();
            graph.observed.entry(term).or_insert(column);
        }
        enumerator.initial_states(&mut |state| {
            graph.number(state.to_vec(), &limits)?;
            Ok(Visit::Continue)
        })?;
        graph.initial = graph.states.len();
        for state in scope.further {
            graph.number(without_inputs(system, state), &limits)?;
        }
        let still = choosing_system(system);
        let expansion = Expansion {
            system,
            enumerator,
            hazards: Conditions::new(&system.terms, &hazard_conditions(system)),
            choices: still.as_ref().map(|still| Enumerator::new(still, limits, budget)),
            observed: Conditions::new(&system.terms, &graph.observed_terms()),
            dead_ends: scope.dead_ends,
            limits,
        };
        let mut level_end = graph.states.len();
        let mut depth = 0;
        let mut at = 0;
        while at < graph.states.len() {
            if at == level_end {
                depth += 1;
                level_end = graph.states.len();
            }
            if scope.bound == Some(depth) {
                graph.cut = true;
                // States at the bound are counted, but nothing is known about what follows.
                graph
                    .first_step
                    .resize(graph.states.len() + 1, graph.targets.len());
                break;
            }
            graph.expand(&expansion, at)?;
            at += 1;
        }
        Ok(graph)
    }

    /// The same graph with further terms observed that are about states: they have the same truth at all steps from a state.
    pub(crate) fn observing(&self, system: &TransitionSystem, terms: &[TermId]) -> Graph {
        let before = self.observed.len();
        let mut observed = self.observed.clone();
        for &term in terms {
            let column = observed.len();
            observed.entry(term).or_insert(column);
        }
        let mut graph = Graph {
            states: self.states.clone(),
            numbers: self.numbers.clone(),
            initial: self.initial,
            first_step: self.first_step.clone(),
            targets: self.targets.clone(),
            observed,
            labels: Vec::new(),
            dead_end: self.dead_end,
            hazard: self.hazard.clone(),
            cut: self.cut,
        };
        let conditions = Conditions::new(&system.terms, &graph.observed_terms()[before..]);
        for (number, state) in self.states.iter().enumerate() {
            let truths = conditions.truths(Valuation::state(state));
            for step in self.steps_of(number) {
                let known = &self.labels[step * before..(step + 1) * before];
                graph.labels.extend_from_slice(known);
                graph.labels.extend_from_slice(&truths);
            }
        }
        graph
    }

    fn number(&mut self, state: Vec<Option<Value>>, limits: &CheckLimits) -> Result<usize, NotRechecked> {
        if let Some(&number) = self.numbers.get(&state) {
            return Ok(number);
        }
        if self.states.len() >= limits.states {
            return Err(NotRechecked::TooLarge(format!(
                "the model has more than {} reachable states",
                limits.states
            )));
        }
        let number = self.states.len();
        self.states.push(state.clone());
        self.numbers.insert(state, number);
        Ok(number)
    }

    fn expand(&mut self, expansion: &Expansion<'_>, from: usize) -> Result<(), NotRechecked> {
        let limits = &expansion.limits;
        let state = self.states[from].clone();
        let here = Valuation::state(&state);
        self.note_hazard(expansion, here, Met::State);
        if let Some(choices) = &expansion.choices {
            choices.steps_from(&state, &mut |now, _| {
                self.note_hazard(expansion, Valuation::state(now), Met::Choice);
                Ok(Visit::Continue)
            })?;
        }
        let mut seen: FxHashSet<(usize, Vec<Truth>)> = FxHashSet::default();
        expansion.enumerator.steps_from(&state, &mut |now, after| {
            let step = Valuation::step(now, after);
            self.note_hazard(expansion, step, Met::Step);
            let labels = expansion.observed.truths(step);
            let to = self.number(after.to_vec(), limits)?;
            if seen.insert((to, labels.clone())) {
                if self.targets.len() >= limits.steps {
                    return Err(NotRechecked::TooLarge(format!(
                        "the model has more than {} steps",
                        limits.steps
                    )));
                }
                self.targets.push(Target::State(to));
                self.labels.extend(labels);
            }
            Ok(Visit::Continue)
        })?;
        if seen.is_empty() {
            self.dead_end.get_or_insert(from);
            let added = match expansion.dead_ends {
                DeadEnds::Infinite | DeadEnds::Error => None,
                DeadEnds::Stutter => Some((Target::State(from), Valuation::step(&state, &state))),
                DeadEnds::Maximal => Some((Target::End, Valuation::state(&state))),
            };
            if let Some((target, step)) = added {
                self.targets.push(target);
                self.labels.extend(expansion.observed.truths(step));
            }
        }
        self.first_step.push(self.targets.len());
        Ok(())
    }

    /// A hazard about next values is met along a step only, one about inputs where inputs can be chosen, even where their values are decided without.
    fn note_hazard(&mut self, expansion: &Expansion<'_>, at: Valuation<'_>, along: Met) {
        if self.hazard.is_none() {
            self.hazard = hazard_at(expansion.system, &expansion.hazards, at, along);
        }
    }

    fn observed_terms(&self) -> Vec<TermId> {
        let mut terms: Vec<(TermId, usize)> = self.observed.iter().map(|(&t, &c)| (t, c)).collect();
        terms.sort_unstable_by_key(|&(_, column)| column);
        terms.into_iter().map(|(term, _)| term).collect()
    }

    /// The steps that leave a state.
    pub(crate) fn steps_of(&self, state: usize) -> std::ops::Range<usize> {
        self.first_step[state]..self.first_step[state + 1]
    }

    /// How many steps there are.
    pub(crate) fn step_count(&self) -> usize {
        self.targets.len()
    }

    /// The truth of an observed term at a step.
    pub(crate) fn term_at(&self, term: TermId, step: usize) -> Truth {
        match self.observed.get(&term) {
            Some(&column) => self.labels[step * self.observed.len() + column],
            None => Truth::Unknown,
        }
    }
}

/// The conditions of a system's hazards.
pub(crate) fn hazard_conditions(system: &TransitionSystem) -> Vec<TermId> {
    system.hazards.iter().map(|hazard| hazard.condition).collect()
}

/// What the first hazard says that is met by a state or a step; `hazards` are the conditions of all, in order.
pub(crate) fn hazard_at(
    system: &TransitionSystem,
    hazards: &Conditions<'_>,
    at: Valuation<'_>,
    along: Met,
) -> Option<String> {
    if system.hazards.is_empty() {
        return None;
    }
    let met = hazards.truths(at);
    let counts = |condition: TermId| {
        let needed = if looks_ahead(&system.terms, condition) {
            Met::Step
        } else if reads_inputs(system, condition) {
            Met::Choice
        } else {
            Met::State
        };
        needed <= along
    };
    let mut hazards = system.hazards.iter().zip(met);
    let first = hazards.find(|(hazard, truth)| *truth == Truth::True && counts(hazard.condition));
    first.map(|(hazard, _)| hazard.message.clone())
}

/// How much of a step a hazard is looked for in: the state, also the inputs, also where it leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Met {
    State,
    Choice,
    Step,
}

/// The system whose steps are the choices of inputs, where hazards read inputs.
pub(crate) fn choosing_system(system: &TransitionSystem) -> Option<TransitionSystem> {
    let about_inputs = |&term: &TermId| !looks_ahead(&system.terms, term) && reads_inputs(system, term);
    let hazards = hazard_conditions(system);
    hazards.iter().any(about_inputs).then(|| only_choosing(system))
}

/// The system in which a step chooses inputs as the system's own steps may, and changes nothing.
fn only_choosing(system: &TransitionSystem) -> TransitionSystem {
    let mut still = system.clone();
    still.transition.retain(|&term| !looks_ahead(&system.terms, term));
    for variable in system.state_variables() {
        let (now, next) = (still.current(variable), still.next(variable));
        if let Ok(same) = still.terms.equal(now, next) {
            still.transition.push(same);
        }
    }
    still
}

/// What is needed to follow the steps from a state.
struct Expansion<'a> {
    system: &'a TransitionSystem,
    enumerator: Enumerator<'a>,
    hazards: Conditions<'a>,
    /// The choices of inputs, as steps that change nothing; where hazards read inputs.
    choices: Option<Enumerator<'a>>,
    observed: Conditions<'a>,
    dead_ends: DeadEnds,
    limits: CheckLimits,
}

/// The state alone.
pub(crate) fn without_inputs(system: &TransitionSystem, values: &[Option<Value>]) -> Vec<Option<Value>> {
    let mut state = values.to_vec();
    for input in system.input_variables() {
        if let Some(value) = state.get_mut(input.index()) {
            *value = None;
        }
    }
    state
}
