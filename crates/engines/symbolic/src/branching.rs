//! The states that satisfy a state formula, by fixpoints.
//!
//! Formulas are evaluated bottom-up as sets of reachable states, each subformula once (chapter 8, Fig. 3, 4). A quantifier over
//! a path formula whose operators can be handled one at a time is a fixpoint: CTL, and beyond it what distributes over the
//! quantifier, such as `A G (p -> F q)`, `A G F p` or `A (p & X X q)`: with `E` pushed inwards, `E (a | b)`, `E (s & a)`,
//! `E X a`, `E F a`, `E (s U a)` where `s` is a state formula. All other path formulas go to the tester construction
//! ([`crate::tester`]).
//!
//! Paths are fair, and finite ones count as the dead-end policy says; past the end of a finite path `X` is false, so `!X p`
//! is true there although `X !p` is not.

use crate::machine::counts_finite_paths;
use crate::model::{EncodedSystem, is_about_steps};
use crate::reachability::Watch;
use crate::stop::{Attempt, NotComputed};
use entail_dd::Bdd;
use entail_logic::{Binary, Formula, Interval, Node, Quantifier, Unary};
use entail_model::TermId;

/// Intervals longer than this are not unrolled.
pub(crate) const LONGEST_INTERVAL: u32 = 1 << 20;

impl EncodedSystem<'_> {
    /// The reachable states that satisfy a state formula.
    pub fn label(&mut self, formula: &Formula<TermId>, watch: Watch<'_>) -> Attempt<Bdd> {
        if let Some(known) = self.labels.get(formula) {
            return Ok(known.clone());
        }
        let states = stacker::maybe_grow(1 << 16, 1 << 20, || self.label_node(formula, watch))?;
        self.labels.insert(formula.clone(), states.clone());
        Ok(states)
    }

    fn label_node(&mut self, formula: &Formula<TermId>, watch: Watch<'_>) -> Attempt<Bdd> {
        let all = self.reachable(watch)?;
        Ok(match formula.node() {
            Node::Constant(true) => all,
            Node::Constant(false) => self.manager().zero(),
            Node::Atom(term) => {
                if is_about_steps(self.system, *term) {
                    return Err(NotComputed::Unsupported(
                        "an atom about inputs or next values has no truth in a state; it belongs under a linear-time formula".into(),
                    ));
                }
                self.condition(*term)?.and(&all)?
            }
            Node::Not(p) => all.minus(&self.label(p, watch)?)?,
            Node::And(list) => {
                let mut states = all;
                for p in list {
                    states = states.and(&self.label(p, watch)?)?;
                }
                states
            }
            Node::Or(list) => {
                let mut states = self.manager().zero();
                for p in list {
                    states = states.or(&self.label(p, watch)?)?;
                }
                states
            }
            Node::Implies(p, q) => all.minus(&self.label(p, watch)?)?.or(&self.label(q, watch)?)?,
            Node::Iff(p, q) => all.minus(&self.label(p, watch)?.xor(&self.label(q, watch)?)?)?,
            Node::Xor(p, q) => self.label(p, watch)?.xor(&self.label(q, watch)?)?,
            Node::Quantified(Quantifier::Exists, path) => self.exists(path, true, watch)?,
            Node::Quantified(Quantifier::Forall, path) => all.minus(&self.exists(path, false, watch)?)?,
            Node::Unary(..) | Node::Binary(..) => {
                return Err(NotComputed::Unsupported(
                    "a path formula is asked of a state".into(),
                ));
            }
        })
    }

    /// States from which some path that counts satisfies the path formula (`holds`), or violates it.
    pub fn exists(&mut self, path: &Formula<TermId>, holds: bool, watch: Watch<'_>) -> Attempt<Bdd> {
        if self.is_stepwise(path, holds) {
            self.stepwise(path, holds, watch)
        } else {
            self.by_tester(path, holds, watch)
        }
    }

    /// Whether the formula has a truth value in a state that can be computed by labelling.
    pub fn is_label(&self, formula: &Formula<TermId>) -> bool {
        let mut about_steps = false;
        formula.for_each_atom(&mut |&atom| about_steps |= is_about_steps(self.system, atom));
        formula.is_state_formula() && !about_steps
    }

    /// Whether `E` (over the formula, or over its negation) can be pushed inwards operator by operator.
    pub fn is_stepwise(&self, path: &Formula<TermId>, holds: bool) -> bool {
        if self.compassion_on_steps && self.settings.compassion_in_ctl {
            return false;
        }
        self.is_stepwise_here(path, holds)
    }

    fn is_stepwise_here(&self, path: &Formula<TermId>, holds: bool) -> bool {
        if self.is_label(path) {
            return true;
        }
        let deep = |p: &Formula<TermId>, holds: bool| {
            stacker::maybe_grow(1 << 16, 1 << 20, || self.is_stepwise_here(p, holds))
        };
        let label = |p: &Formula<TermId>| self.is_label(p);
        match path.node() {
            Node::Not(p) => deep(p, !holds),
            Node::And(_) | Node::Or(_) | Node::Implies(..) => {
                let (operands, conjunction) = junction(path, holds).expect("a junction");
                let moving: Vec<_> = operands.iter().filter(|(p, _)| !label(p)).collect();
                (!conjunction || moving.len() <= 1) && moving.iter().all(|(p, holds)| deep(p, *holds))
            }
            Node::Unary(Unary::Next, _, p) => deep(p, holds),
            Node::Unary(Unary::Finally, _, p) if holds => deep(p, true),
            Node::Unary(Unary::Globally, _, p) if !holds => deep(p, false),
            Node::Unary(Unary::Finally | Unary::Globally, _, p) => label(p),
            Node::Binary(op, interval, p, q) => match Shape::of(*op, holds, p, q) {
                Some(shape) => {
                    let goal_is_free = interval.is_always() || shape.strong;
                    label(shape.held) && (label(shape.goal) || goal_is_free && deep(shape.goal, holds))
                }
                None => false,
            },
            _ => false,
        }
    }

    /// The label of a state formula or of its negation.
    pub fn label_as(&mut self, formula: &Formula<TermId>, holds: bool, watch: Watch<'_>) -> Attempt<Bdd> {
        let states = self.label(formula, watch)?;
        match holds {
            true => Ok(states),
            false => Ok(self.reachable(watch)?.minus(&states)?),
        }
    }

    fn stepwise(&mut self, path: &Formula<TermId>, holds: bool, watch: Watch<'_>) -> Attempt<Bdd> {
        stacker::maybe_grow(1 << 16, 1 << 20, || self.stepwise_node(path, holds, watch))
    }

    fn stepwise_node(&mut self, path: &Formula<TermId>, holds: bool, watch: Watch<'_>) -> Attempt<Bdd> {
        if self.is_label(path) {
            let states = self.label_as(path, holds, watch)?;
            return self.fairly(states, watch);
        }
        match path.node() {
            Node::Not(p) => self.stepwise(p, !holds, watch),
            Node::And(_) | Node::Or(_) | Node::Implies(..) => {
                let (operands, conjunction) = junction(path, holds).expect("a junction");
                if !conjunction {
                    let mut states = self.manager().zero();
                    for (p, holds) in operands {
                        states = states.or(&self.stepwise(p, holds, watch)?)?;
                    }
                    return Ok(states);
                }
                let (labels, moving): (Vec<_>, Vec<_>) =
                    operands.into_iter().partition(|(p, _)| self.is_label(p));
                let mut states = self.reachable(watch)?;
                for (p, holds) in labels {
                    states = states.and(&self.label_as(p, holds, watch)?)?;
                }
                if states.is_false() || moving.is_empty() {
                    return self.fairly(states, watch);
                }
                for (p, holds) in moving {
                    states = states.and(&self.stepwise(p, holds, watch)?)?;
                }
                Ok(states)
            }
            Node::Unary(Unary::Next, _, p) => {
                let after = self.stepwise(p, holds, watch)?;
                self.some_next(&after, !holds, watch)
            }
            Node::Unary(Unary::Finally, interval, p) if holds => {
                let goal = self.stepwise(p, true, watch)?;
                let all = self.reachable(watch)?;
                self.some_until(&all, &goal, *interval, watch)
            }
            Node::Unary(Unary::Globally, interval, p) if !holds => {
                let goal = self.stepwise(p, false, watch)?;
                let all = self.reachable(watch)?;
                self.some_until(&all, &goal, *interval, watch)
            }
            Node::Unary(Unary::Finally | Unary::Globally, interval, p) => {
                let held = self.label_as(p, holds, watch)?;
                let never = self.manager().zero();
                self.some_release(&never, &held, *interval, watch)
            }
            Node::Binary(op, interval, p, q) => {
                let shape = Shape::of(*op, holds, p, q).expect("past operators are not stepwise");
                let held = self.label_as(shape.held, holds, watch)?;
                let goal = self.stepwise(shape.goal, holds, watch)?;
                match (shape.strong, shape.together) {
                    (true, false) => self.some_until(&held, &goal, *interval, watch),
                    (true, true) => {
                        let both = goal.and(&held)?;
                        self.some_until(&held, &both, *interval, watch)
                    }
                    (false, true) => self.some_release(&goal, &held, *interval, watch),
                    (false, false) => {
                        // p W q = q V (p | q)
                        let either = held.or(&goal)?;
                        self.some_release(&goal, &either, *interval, watch)
                    }
                }
            }
            _ => Err(NotComputed::Unsupported(
                "a formula that should have gone to the tester".into(),
            )),
        }
    }

    /// Those of the states from which a path that counts starts. Which these are is only found out if there are states to ask
    /// about: an invariant that holds is established without it.
    pub(crate) fn fairly(&mut self, states: Bdd, watch: Watch<'_>) -> Attempt<Bdd> {
        match states.is_false() {
            true => Ok(states),
            false => Ok(states.and(&self.fair_states(watch)?)?),
        }
    }

    /// States with a step into the set; `weak`: or without any step (where finite paths count).
    pub(crate) fn some_next(&mut self, states: &Bdd, weak: bool, watch: Watch<'_>) -> Attempt<Bdd> {
        let all = self.reachable(watch)?;
        let mut found = self.machine.preimage(&self.encoding, states)?.and(&all)?;
        if weak && counts_finite_paths(self.dead_end_policy) {
            found = found.or(&self.dead_ends(watch)?)?;
        }
        Ok(found)
    }

    /// `E [held U goal]` over an interval; the goal contains only states with a path that counts.
    fn some_until(&mut self, held: &Bdd, goal: &Bdd, interval: Interval, watch: Watch<'_>) -> Attempt<Bdd> {
        if interval.is_empty() {
            return Ok(self.manager().zero());
        }
        limit(interval)?;
        let mut states = match interval.to {
            None => self.fixpoints(watch).until(held, goal)?,
            Some(to) => {
                let mut states = goal.clone();
                for _ in interval.from..to {
                    watch.budget.check_now()?;
                    let longer = goal.or(&self.some_next(&states, false, watch)?.and(held)?)?;
                    if longer == states {
                        break;
                    }
                    states = longer;
                }
                states
            }
        };
        for _ in 0..interval.from {
            watch.budget.check_now()?;
            let longer = self.some_next(&states, false, watch)?.and(held)?;
            if longer == states {
                break;
            }
            states = longer;
        }
        Ok(states)
    }

    /// `E [goal V held]` over an interval: `held` up to and including the state where `goal` is met, which need not come.
    fn some_release(&mut self, goal: &Bdd, held: &Bdd, interval: Interval, watch: Watch<'_>) -> Attempt<Bdd> {
        let fair = self.fair_states(watch)?;
        if interval.is_empty() {
            return Ok(fair);
        }
        limit(interval)?;
        let released = goal.and(&fair)?;
        let held_fairly = held.and(&fair)?;
        let mut states = match interval.to {
            None => {
                let ended = released.and(held)?;
                let for_ever = self.some_globally(held, watch)?;
                if ended.is_false() {
                    for_ever
                } else {
                    self.fixpoints(watch).until(&held_fairly, &ended.or(&for_ever)?)?
                }
            }
            Some(to) => {
                let mut states = held_fairly.clone();
                for _ in interval.from..to {
                    watch.budget.check_now()?;
                    let longer = self
                        .some_next(&states, true, watch)?
                        .or(&released)?
                        .and(&held_fairly)?;
                    if longer == states {
                        break;
                    }
                    states = longer;
                }
                states
            }
        };
        for _ in 0..interval.from {
            watch.budget.check_now()?;
            let longer = self.some_next(&states, true, watch)?.or(&released)?;
            if longer == states {
                break;
            }
            states = longer;
        }
        Ok(states)
    }

    /// `E G held`.
    pub(crate) fn some_globally(&mut self, held: &Bdd, watch: Watch<'_>) -> Attempt<Bdd> {
        let held = self.fairly(held.clone(), watch)?;
        if held.is_false() {
            return Ok(held);
        }
        let dead = self.dead_ends(watch)?;
        let compassion = self.compassion();
        let fixpoints = self.fixpoints(watch);
        let mut states = fixpoints.fair(&held, &self.machine.justice, &compassion)?;
        if counts_finite_paths(self.dead_end_policy) {
            let ends = held.and(&dead)?;
            if !ends.is_false() {
                states = states.or(&fixpoints.until(&held, &ends)?)?;
            }
        }
        Ok(states)
    }
}

fn limit(interval: Interval) -> Attempt<()> {
    if interval.from > LONGEST_INTERVAL || interval.to.is_some_and(|to| to > LONGEST_INTERVAL) {
        return Err(NotComputed::Unsupported(format!(
            "the bounds {interval} are too large"
        )));
    }
    Ok(())
}

/// The operands of a conjunction or disjunction with the truth wanted of each, and whether all are wanted.
#[allow(clippy::type_complexity)]
pub(crate) fn junction(path: &Formula<TermId>, holds: bool) -> Option<(Vec<(&Formula<TermId>, bool)>, bool)> {
    match path.node() {
        Node::And(list) => Some((list.iter().map(|p| (p, holds)).collect(), holds)),
        Node::Or(list) => Some((list.iter().map(|p| (p, holds)).collect(), !holds)),
        Node::Implies(p, q) => Some((vec![(p, !holds), (q, holds)], !holds)),
        _ => None,
    }
}

/// A binary operator as "`held` until `goal`".
pub(crate) struct Shape<'f> {
    pub held: &'f Formula<TermId>,
    pub goal: &'f Formula<TermId>,
    /// The goal must come.
    pub strong: bool,
    /// `held` must be true together with the goal.
    pub together: bool,
}

impl<'f> Shape<'f> {
    /// The operator, or its dual over negated operands.
    pub fn of(op: Binary, holds: bool, p: &'f Formula<TermId>, q: &'f Formula<TermId>) -> Option<Shape<'f>> {
        let (held, goal, strong, together) = match if holds { op } else { op.dual() } {
            Binary::Until => (p, q, true, false),
            Binary::WeakUntil => (p, q, false, false),
            Binary::StrongRelease => (q, p, true, true),
            Binary::Release => (q, p, false, true),
            Binary::Since | Binary::Triggered => return None,
        };
        Some(Shape {
            held,
            goal,
            strong,
            together,
        })
    }
}
