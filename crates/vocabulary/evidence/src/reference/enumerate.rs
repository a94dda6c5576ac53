//! States and steps by backtracking.
//!
//! Variables get values one after the other; after each, the conjuncts that mention the variable are evaluated in Kleene's
//! sense and the branch is cut when one is false. When all variables have values every conjunct is decided. The only
//! refinement is for conjuncts of the form `x = t`: where `t` is known by then, it is the only value tried. Variables are
//! taken in an order in which that happens as often as possible.

use super::{CheckLimits, NotRechecked};
use entail_budget::Budget;
use entail_model::{
    Op, TermId, Terms, TransitionSystem, Valuation, Value, VarId, VarKind, evaluate, evaluate_bool,
};

/// Which valuation a constraint speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum When {
    /// The current state, or the step from it.
    Now,
    /// The next state (read as a current one).
    After,
}

/// A condition that is required.
#[derive(Clone, Copy)]
pub(crate) struct Constraint<'a> {
    pub terms: &'a Terms,
    pub term: TermId,
    pub when: When,
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
        let constraint = |term: &TermId, when| Constraint {
            terms: &system.terms,
            term: *term,
            when,
        };
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
        self.search(&self.initial, &mut partial, 0, &mut |partial| visit(&partial.now))
            .map(drop)
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
            .map(|&term| Constraint {
                terms: &self.system.terms,
                term,
                when: When::Now,
            })
            .collect();
        all.extend_from_slice(constraints);
        let plan = Plan::new(slots, &all);
        let mut partial = Partial {
            now: self.system.blank(),
            after: Vec::new(),
        };
        self.search(&plan, &mut partial, 0, &mut |partial| visit(&partial.now))
            .map(drop)
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
        self.search(&self.step, &mut partial, 0, &mut |partial| {
            visit(&partial.now, &partial.after)
        })
        .map(drop)
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

    fn search(
        &self,
        plan: &Plan<'_>,
        partial: &mut Partial,
        depth: usize,
        visit: &mut dyn FnMut(&Partial) -> Result<Visit, NotRechecked>,
    ) -> Result<Visit, NotRechecked> {
        if depth == 0 && !plan.fixed.iter().all(|constraint| possible(constraint, partial)) {
            return Ok(Visit::Continue);
        }
        self.budget.check()?;
        let Some(&slot) = plan.slots.get(depth) else {
            return visit(partial);
        };
        let sort = &self.system.variable(slot.1).sort;
        let forced = plan.equal[depth]
            .iter()
            .find_map(|other| evaluate(other.terms, other.term, partial.valuation(other.when)).ok());
        let count = match (&forced, sort.size()) {
            (Some(value), _) => u64::from(sort.contains(value)),
            (None, Some(size)) if size <= self.limits.values => size,
            (None, _) => {
                return Err(NotRechecked::TooLarge(format!(
                    "`{}` has too many values to try each",
                    self.system.variable(slot.1).name
                )));
            }
        };
        for position in 0..count {
            let value = forced.clone().unwrap_or_else(|| sort.value_at(position));
            partial.set(slot, Some(value));
            if plan.watched[depth]
                .iter()
                .all(|constraint| possible(constraint, partial))
                && self.search(plan, partial, depth + 1, visit)? == Visit::Stop
            {
                partial.set(slot, None);
                return Ok(Visit::Stop);
            }
        }
        partial.set(slot, None);
        Ok(Visit::Continue)
    }
}

/// Whether the constraint is not known to be false.
fn possible(constraint: &Constraint<'_>, partial: &Partial) -> bool {
    evaluate_bool(
        constraint.terms,
        constraint.term,
        partial.valuation(constraint.when),
    ) != Ok(false)
}

impl<'a> Plan<'a> {
    fn new(slots: Vec<Slot>, constraints: &[Constraint<'a>]) -> Plan<'a> {
        let mentions = |constraint: &Constraint<'_>| -> Vec<Slot> { mentioned(constraint) };
        let equalities: Vec<(Slot, Constraint<'a>)> = constraints.iter().flat_map(equality).collect();
        // A slot comes once everything that one of its equalities reads is there; where none is ready, the first one left.
        let mut left = slots;
        let mut ordered: Vec<Slot> = Vec::with_capacity(left.len());
        while !left.is_empty() {
            let ready = left.iter().position(|slot| {
                equalities.iter().any(|(defined, other)| {
                    defined == slot && mentions(other).iter().all(|read| !left.contains(read))
                })
            });
            ordered.push(left.remove(ready.unwrap_or(0)));
        }
        let of = |slot: &Slot, list: &[Constraint<'a>]| -> Vec<Constraint<'a>> {
            list.iter()
                .filter(|constraint| mentions(constraint).contains(slot))
                .copied()
                .collect()
        };
        Plan {
            watched: ordered.iter().map(|slot| of(slot, constraints)).collect(),
            equal: ordered
                .iter()
                .map(|slot| {
                    let mine = equalities.iter().filter(|(defined, _)| defined == slot);
                    mine.map(|(_, other)| *other).collect()
                })
                .collect(),
            fixed: constraints
                .iter()
                .filter(|constraint| mentions(constraint).iter().all(|slot| !ordered.contains(slot)))
                .copied()
                .collect(),
            slots: ordered,
        }
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
    let Constraint { terms, term, when } = *constraint;
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
            let other = Constraint {
                terms,
                term: other,
                when,
            };
            Some((slot, other))
        })
        .collect()
}
