//! States and steps by backtracking.
//!
//! Variables get values one after the other; after each, the conjuncts that mention the variable are evaluated in Kleene's
//! sense and the branch is cut when one is false. When all variables have values every conjunct is decided. The only
//! refinement is for conjuncts of the form `x = t`: where `t` is known by then, it is the only value tried. Variables are
//! taken in an order in which that happens as often as possible.

use super::{CheckLimits, NotRechecked};
use crate::condition::Condition;
use entail_budget::Budget;
use entail_evidence::Truth;
use entail_model::{Op, TermId, Terms, TransitionSystem, Valuation, Value, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which valuation a constraint speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum When {
    /// The current state, or the step from it.
    Now,
    /// The next state (read as a current one).
    After,
}

/// A condition that is required.
#[derive(Clone)]
pub(crate) struct Constraint<'a> {
    terms: &'a Terms,
    term: TermId,
    when: When,
    condition: Condition<'a>,
}

impl<'a> Constraint<'a> {
    pub fn new(terms: &'a Terms, term: TermId, when: When) -> Constraint<'a> {
        Constraint {
            terms,
            term,
            when,
            condition: Condition::new(terms, term),
        }
    }

    /// Whether it is not known to be false.
    fn is_possible(&self, partial: &Partial) -> bool {
        self.condition.truth(partial.valuation(self.when)) != Truth::False
    }
}

/// A variable now or after the step.
type Slot = (When, VarId);

/// One search: which variables get values in which order, and what is evaluated when.
struct Plan<'a> {
    slots: Vec<Slot>,
    /// For each slot, the constraints that mention it.
    watched: Vec<Vec<Constraint<'a>>>,
    /// For each slot, terms that it must be equal to.
    equal: Vec<Vec<Constraint<'a>>>,
    /// Constraints that mention no slot.
    fixed: Vec<Constraint<'a>>,
}

/// A slot whose values are being tried.
struct Trial {
    /// The only value to try, if it is known.
    forced: Option<Value>,
    tried: u64,
    count: u64,
}

/// A valuation under construction.
struct Partial {
    now: Vec<Option<Value>>,
    after: Vec<Option<Value>>,
}

impl Partial {
    fn valuation(&self, when: When) -> Valuation<'_> {
        match when {
            When::Now => Valuation::step(&self.now, &self.after),
            When::After => Valuation::state(&self.after),
        }
    }

    fn set(&mut self, (when, variable): Slot, value: Option<Value>) {
        match when {
            When::Now => self.now[variable.index()] = value,
            When::After => self.after[variable.index()] = value,
        }
    }
}

/// What a visitor wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    Continue,
    Stop,
}

/// Called with each state.
type StateVisitor<'v> = dyn FnMut(&[Option<Value>]) -> Result<Visit, NotRechecked> + 'v;
/// Called with each step: the state with its inputs, and the next state.
type StepVisitor<'v> = dyn FnMut(&[Option<Value>], &[Option<Value>]) -> Result<Visit, NotRechecked> + 'v;

/// Enumerates the states and steps of a system.
pub(crate) struct Enumerator<'a> {
    system: &'a TransitionSystem,
    limits: CheckLimits,
    budget: &'a Budget,
    initial: Plan<'a>,
    step: Plan<'a>,
}

impl<'a> Enumerator<'a> {
    pub fn new(system: &'a TransitionSystem, limits: CheckLimits, budget: &'a Budget) -> Enumerator<'a> {
        let constraint = |term: &TermId, when| Constraint::new(&system.terms, *term, when);
        let invariants = |when| system.invariant.iter().map(move |term| constraint(term, when));
        let mut initial: Vec<Constraint<'a>> = invariants(When::Now).collect();
        initial.extend(system.init.iter().map(|term| constraint(term, When::Now)));
        let mut step: Vec<Constraint<'a>> = system
            .transition
            .iter()
            .map(|term| constraint(term, When::Now))
            .collect();
        step.extend(invariants(When::After));
        let state_slots = system
            .state_variables()
            .map(|variable| (When::Now, variable))
            .collect();
        let mut step_slots: Vec<Slot> = system
            .input_variables()
            .map(|variable| (When::Now, variable))
            .collect();
        step_slots.extend(
            system
                .state_variables()
                .filter(|&variable| system.variable(variable).kind == VarKind::State)
                .map(|variable| (When::After, variable)),
        );
        Enumerator {
            system,
            limits,
            budget,
            initial: Plan::new(state_slots, &initial),
            step: Plan::new(step_slots, &step),
        }
    }

    /// All initial states.
    pub fn initial_states(&self, visit: &mut StateVisitor<'_>) -> Result<(), NotRechecked> {
        let mut partial = Partial {
            now: self.system.blank(),
            after: Vec::new(),
        };
        self.search(&self.initial, &mut partial, &mut |partial| visit(&partial.now))
    }

    /// All states (reachable or not) that satisfy further constraints.
    pub fn states_with(
        &self,
        constraints: &[Constraint<'_>],
        visit: &mut StateVisitor<'_>,
    ) -> Result<(), NotRechecked> {
        let slots = self.initial.slots.clone();
        let mut all: Vec<Constraint<'_>> = self
            .system
            .invariant
            .iter()
            .map(|&term| Constraint::new(&self.system.terms, term, When::Now))
            .collect();
        all.extend_from_slice(constraints);
        let plan = Plan::new(slots, &all);
        let mut partial = Partial {
            now: self.system.blank(),
            after: Vec::new(),
        };
        self.search(&plan, &mut partial, &mut |partial| visit(&partial.now))
    }

    /// All steps from a state: the state with the inputs of the step, and the next state.
    pub fn steps_from(
        &self,
        state: &[Option<Value>],
        visit: &mut StepVisitor<'_>,
    ) -> Result<(), NotRechecked> {
        let mut partial = Partial {
            now: state.to_vec(),
            after: self.system.blank(),
        };
        for variable in self.system.variable_ids() {
            match self.system.variable(variable).kind {
                VarKind::State => {}
                VarKind::Input => partial.now[variable.index()] = None,
                VarKind::Frozen => partial.after[variable.index()] = state[variable.index()].clone(),
            }
        }
        self.search(&self.step, &mut partial, &mut |partial| {
            visit(&partial.now, &partial.after)
        })
    }

    /// Whether the state has no successor.
    pub fn is_dead_end(&self, state: &[Option<Value>]) -> Result<bool, NotRechecked> {
        let mut dead = true;
        self.steps_from(state, &mut |_, _| {
            dead = false;
            Ok(Visit::Stop)
        })?;
        Ok(dead)
    }

    /// Depth-first, with the trials of the slots so far on an explicit stack.
    fn search(
        &self,
        plan: &Plan<'_>,
        partial: &mut Partial,
        visit: &mut dyn FnMut(&Partial) -> Result<Visit, NotRechecked>,
    ) -> Result<(), NotRechecked> {
        if !plan
            .fixed
            .iter()
            .all(|constraint| constraint.is_possible(partial))
        {
            return Ok(());
        }
        let mut trials: Vec<Trial> = Vec::with_capacity(plan.slots.len());
        loop {
            self.budget.check()?;
            if trials.len() < plan.slots.len() {
                trials.push(self.trial(plan, partial, trials.len())?);
            } else if visit(partial)? == Visit::Stop {
                return Ok(());
            }
            // Go on with the deepest slot that has a value left which is not refuted at once.
            loop {
                let Some(depth) = trials.len().checked_sub(1) else {
                    return Ok(());
                };
                let (slot, trial) = (plan.slots[depth], &mut trials[depth]);
                if trial.tried == trial.count {
                    partial.set(slot, None);
                    trials.pop();
                    continue;
                }
                let sort = &self.system.variable(slot.1).sort;
                let value = trial.forced.clone().unwrap_or_else(|| sort.value_at(trial.tried));
                trial.tried += 1;
                partial.set(slot, Some(value));
                let mut watched = plan.watched[depth].iter();
                if watched.all(|constraint| constraint.is_possible(partial)) {
                    break;
                }
            }
        }
    }

    /// The values to try for a slot.
    fn trial(&self, plan: &Plan<'_>, partial: &Partial, depth: usize) -> Result<Trial, NotRechecked> {
        let variable = self.system.variable(plan.slots[depth].1);
        let forced = plan.equal[depth]
            .iter()
            .find_map(|other| other.condition.value(partial.valuation(other.when)));
        let count = match (&forced, variable.sort.size()) {
            (Some(value), _) => u64::from(variable.sort.contains(value)),
            (None, Some(size)) if size <= self.limits.values => size,
            (None, _) => {
                return Err(NotRechecked::TooLarge(format!(
                    "`{}` has too many values to try each",
                    variable.name
                )));
            }
        };
        Ok(Trial {
            forced,
            tried: 0,
            count,
        })
    }
}

impl<'a> Plan<'a> {
    /// A slot comes once everything that one of its equalities reads is there; where none is ready, the first one left.
    fn new(slots: Vec<Slot>, constraints: &[Constraint<'a>]) -> Plan<'a> {
        let equalities: Vec<(Slot, Constraint<'a>)> = constraints.iter().flat_map(equality).collect();
        let is_slot: FxHashSet<Slot> = slots.iter().copied().collect();
        let read = |constraint: &Constraint<'a>| -> Vec<Slot> {
            let slots = mentioned(constraint).into_iter();
            slots.filter(|slot| is_slot.contains(slot)).collect()
        };
        let mut readers: FxHashMap<Slot, Vec<usize>> = FxHashMap::default();
        let mut missing: Vec<usize> = Vec::with_capacity(equalities.len());
        let mut ready: Vec<Slot> = Vec::new();
        for (number, (slot, other)) in equalities.iter().enumerate() {
            let reads = read(other);
            missing.push(reads.len());
            if reads.is_empty() {
                ready.push(*slot);
            }
            for slot in reads {
                readers.entry(slot).or_default().push(number);
            }
        }
        let mut ordered: Vec<Slot> = Vec::with_capacity(slots.len());
        let mut placed: FxHashSet<Slot> = FxHashSet::default();
        let mut rest = slots.iter().copied();
        while let Some(slot) = ready.pop().or_else(|| rest.next()) {
            if !is_slot.contains(&slot) || !placed.insert(slot) {
                continue;
            }
            ordered.push(slot);
            for &number in readers.get(&slot).into_iter().flatten() {
                missing[number] -= 1;
                if missing[number] == 0 {
                    ready.push(equalities[number].0);
                }
            }
        }
        let position: FxHashMap<Slot, usize> =
            ordered.iter().enumerate().map(|(at, &slot)| (slot, at)).collect();
        let mut plan = Plan {
            watched: vec![Vec::new(); ordered.len()],
            equal: vec![Vec::new(); ordered.len()],
            fixed: Vec::new(),
            slots: ordered,
        };
        for constraint in constraints {
            let reads = read(constraint);
            for slot in &reads {
                plan.watched[position[slot]].push(constraint.clone());
            }
            if reads.is_empty() {
                plan.fixed.push(constraint.clone());
            }
        }
        for (slot, other) in equalities {
            if let Some(&at) = position.get(&slot) {
                plan.equal[at].push(other);
            }
        }
        plan
    }
}

/// The slots a constraint reads.
fn mentioned(constraint: &Constraint<'_>) -> Vec<Slot> {
    let (current, next) = constraint.terms.support(&[constraint.term]);
    let mut slots: Vec<Slot> = current
        .into_iter()
        .map(|variable| (constraint.when, variable))
        .collect();
    if constraint.when == When::Now {
        slots.extend(next.into_iter().map(|variable| (When::After, variable)));
    }
    slots
}

/// The slots that the constraint says are equal to a term.
fn equality<'a>(constraint: &Constraint<'a>) -> Vec<(Slot, Constraint<'a>)> {
    let &Constraint {
        terms, term, when, ..
    } = constraint;
    if *terms.op(term) != Op::Equal {
        return Vec::new();
    }
    let sides = terms.operands(term);
    let pairs = [(sides[0], sides[1]), (sides[1], sides[0])];
    let slot_of = |side: TermId| match terms.op(side) {
        Op::Current(variable) => Some((when, *variable)),
        Op::Next(variable) if when == When::Now => Some((When::After, *variable)),
        _ => None,
    };
    pairs
        .into_iter()
        .filter_map(|(side, other)| {
            let slot = slot_of(side)?;
            Some((slot, Constraint::new(terms, other, when)))
        })
        .collect()
}
