//! State formulas of CTL*, bottom-up, as sets of reachable states.
//!
//! A path quantifier over one temporal operator whose operands are state formulas (CTL) is decided by the operator's
//! fixpoint on steps: `E X p`, `E [p U q]` and `E G p` with their bounds; the other operators by duality. Any other path
//! formula goes to the tableau. Paths are fair in the sense of the system; a finite maximal path is fair.

use super::fair::FairGraph;
use super::graph::{Graph, Target};
use super::tableau;
use super::{CheckLimits, NotRechecked};
use crate::condition::Condition;
use entail_budget::Budget;
use entail_evidence::Truth;
use entail_logic::{Binary, Formula, Interval, Node, Quantifier, Unary};
use entail_model::{TermId, TransitionSystem, Valuation};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Evaluates state formulas on one graph; results are kept.
pub(crate) struct Evaluation<'a> {
    pub system: &'a TransitionSystem,
    pub graph: &'a Graph,
    pub limits: CheckLimits,
    pub budget: &'a Budget,
    /// The steps, and the end as the last node.
    steps: FairGraph,
    /// Steps from which a fair path starts.
    fair: Vec<bool>,
    known: FxHashMap<Formula<TermId>, Rc<Vec<bool>>>,
    /// Sends every path formula to the tableau, for tests that compare the two.
    pub only_tableau: bool,
}

impl<'a> Evaluation<'a> {
    pub fn new(
        system: &'a TransitionSystem,
        graph: &'a Graph,
        limits: CheckLimits,
        budget: &'a Budget,
    ) -> Result<Evaluation<'a>, NotRechecked> {
        let end = graph.step_count();
        let mut successors: Vec<Vec<u32>> = graph
            .targets
            .iter()
            .map(|target| match target {
                Target::State(state) => graph.steps_of(*state).map(|step| step as u32).collect(),
                Target::End => vec![end as u32],
            })
            .collect();
        successors.push(vec![end as u32]);
        let mut steps = FairGraph::new(successors);
        // At a step of a dead end inputs have no value; a term that depends on them is not met there.
        let met = |term: TermId, at_end: bool| -> Vec<bool> {
            (0..end)
                .map(|step| graph.term_at(term, step) == Truth::True)
                .chain([at_end])
                .collect()
        };
        steps.justice = system.justice.iter().map(|&term| met(term, true)).collect();
        steps.compassion = system
            .compassion
            .iter()
            .map(|&(p, q)| (met(p, false), met(q, true)))
            .collect();
        let fair = steps.fair(&vec![true; end + 1], budget)?;
        Ok(Evaluation {
            system,
            graph,
            limits,
            budget,
            steps,
            fair,
            known: FxHashMap::default(),
            only_tableau: false,
        })
    }

    /// Whether some fair path starts in the state.
    pub fn has_fair_path(&self, state: usize) -> bool {
        self.graph.steps_of(state).any(|step| self.fair[step])
    }

    /// The states that satisfy a state formula.
    pub fn states(&mut self, formula: &Formula<TermId>) -> Result<Rc<Vec<bool>>, NotRechecked> {
        if let Some(found) = self.known.get(formula) {
            return Ok(Rc::clone(found));
        }
        self.budget.check_now()?;
        let count = self.graph.states.len();
        let result: Vec<bool> = match formula.node() {
            Node::Constant(truth) => vec![*truth; count],
            Node::Atom(term) => self.atom(*term)?,
            Node::Not(p) => self.states(p)?.iter().map(|truth| !truth).collect(),
            Node::And(list) => self.fold(list, true, |left, right| left && right)?,
            Node::Or(list) => self.fold(list, false, |left, right| left || right)?,
            Node::Implies(p, q) => self.combine(p, q, |p, q| !p || q)?,
            Node::Iff(p, q) => self.combine(p, q, |p, q| p == q)?,
            Node::Xor(p, q) => self.combine(p, q, |p, q| p != q)?,
            Node::Quantified(Quantifier::Exists, path) => self.exists(path)?,
            Node::Quantified(Quantifier::Forall, path) => {
                let negated = self.exists(&path.not())?;
                negated.into_iter().map(|truth| !truth).collect()
            }
            Node::Unary(..) | Node::Binary(..) => {
                return Err(NotRechecked::Undefined(
                    "a temporal operator stands outside every path quantifier".into(),
                ));
            }
        };
        let result = Rc::new(result);
        self.known.insert(formula.clone(), Rc::clone(&result));
        Ok(result)
    }

    fn atom(&self, term: TermId) -> Result<Vec<bool>, NotRechecked> {
        let condition = Condition::new(&self.system.terms, term);
        let truth = |state: &Vec<_>| condition.truth(Valuation::state(state)).known();
        let truths: Option<Vec<bool>> = self.graph.states.iter().map(truth).collect();
        truths.ok_or_else(|| {
            NotRechecked::Undefined("an atom outside every path quantifier depends on inputs".into())
        })
    }

    fn fold(
        &mut self,
        list: &[Formula<TermId>],
        unit: bool,
        combine: fn(bool, bool) -> bool,
    ) -> Result<Vec<bool>, NotRechecked> {
        let mut result = vec![unit; self.graph.states.len()];
        for operand in list {
            let operand = self.states(operand)?;
            for (left, &right) in result.iter_mut().zip(operand.iter()) {
                *left = combine(*left, right);
            }
        }
        Ok(result)
    }

    fn combine(
        &mut self,
        p: &Formula<TermId>,
        q: &Formula<TermId>,
        combine: fn(bool, bool) -> bool,
    ) -> Result<Vec<bool>, NotRechecked> {
        let (p, q) = (self.states(p)?, self.states(q)?);
        Ok(p.iter().zip(q.iter()).map(|(&p, &q)| combine(p, q)).collect())
    }

    /// The states with a fair path that satisfies the path formula.
    fn exists(&mut self, path: &Formula<TermId>) -> Result<Vec<bool>, NotRechecked> {
        let steps = if self.only_tableau {
            None
        } else {
            self.fixpoint(path, true)?
        };
        let Some(steps) = steps else {
            return tableau::exists(self, path);
        };
        Ok((0..self.graph.states.len())
            .map(|state| self.graph.steps_of(state).any(|step| steps[step]))
            .collect())
    }

    /// The steps that start a fair path satisfying a CTL path formula (or its negation); `None` if it is not of that shape.
    fn fixpoint(&mut self, path: &Formula<TermId>, truth: bool) -> Result<Option<Vec<bool>>, NotRechecked> {
        match path.node() {
            Node::Not(inner) => self.fixpoint(inner, !truth),
            Node::Unary(op, interval, p) if !op.is_past() && self.is_state(p) => {
                let p = self.on_steps(p, truth)?;
                let always = vec![true; p.len()];
                Ok(Some(match (op, truth) {
                    // The negation of a strong next is true at the end of a maximal path.
                    (Unary::Next, true) => self.next(&p),
                    (Unary::Next, false) => self.next_or_end(&p),
                    (Unary::Finally, true) | (Unary::Globally, false) => {
                        self.until(&always, &p, *interval)?
                    }
                    (_, _) => self.globally(&p, *interval)?,
                }))
            }
            Node::Binary(Binary::Until, interval, p, q) if truth && self.is_state(p) && self.is_state(q) => {
                let (p, q) = (self.on_steps(p, true)?, self.on_steps(q, true)?);
                Ok(Some(self.until(&p, &q, *interval)?))
            }
            Node::Binary(Binary::Release, interval, p, q)
                if !truth && self.is_state(p) && self.is_state(q) =>
            {
                let (p, q) = (self.on_steps(p, false)?, self.on_steps(q, false)?);
                Ok(Some(self.until(&p, &q, *interval)?))
            }
            _ => Ok(None),
        }
    }

    /// Whether the operand speaks of states alone (atoms over inputs speak of steps).
    fn is_state(&self, formula: &Formula<TermId>) -> bool {
        let mut only_states = formula.is_state_formula();
        formula.for_each_atom(&mut |&term| {
            let (current, next) = self.system.terms.support(&[term]);
            let input = |variable: &entail_model::VarId| {
                self.system.variable(*variable).kind == entail_model::VarKind::Input
            };
            only_states &= next.is_empty() && !current.iter().any(input);
        });
        only_states
    }

    /// For each step, whether the state it leaves satisfies the formula (or its negation). The end satisfies nothing.
    fn on_steps(&mut self, formula: &Formula<TermId>, truth: bool) -> Result<Vec<bool>, NotRechecked> {
        let states = self.states(formula)?;
        let mut result = vec![false; self.graph.step_count() + 1];
        for (state, &holds) in states.iter().enumerate() {
            for step in self.graph.steps_of(state) {
                result[step] = holds == truth;
            }
        }
        Ok(result)
    }

    fn end(&self) -> usize {
        self.graph.step_count()
    }

    /// Steps followed by a fair step of the set; the end does not exist.
    fn next(&self, p: &[bool]) -> Vec<bool> {
        (0..p.len())
            .map(|step| {
                let follows = |&next: &u32| {
                    let next = next as usize;
                    next != self.end() && p[next] && self.fair[next]
                };
                self.steps.successors[step].iter().any(follows)
            })
            .collect()
    }

    fn next_or_end(&self, p: &[bool]) -> Vec<bool> {
        let mut result = self.next(p);
        for (step, truth) in result.iter_mut().enumerate() {
            *truth |= self.steps.successors[step].contains(&(self.end() as u32));
        }
        result
    }

    fn until(&self, p: &[bool], q: &[bool], interval: Interval) -> Result<Vec<bool>, NotRechecked> {
        if interval.is_empty() {
            return Ok(vec![false; p.len()]);
        }
        let fair_q: Vec<bool> = (0..q.len())
            .map(|s| q[s] && self.fair[s] && s != self.end())
            .collect();
        let later = |set: &[bool]| -> Vec<bool> {
            let next = self.next(set);
            (0..p.len()).map(|step| p[step] && next[step]).collect()
        };
        let mut set = match interval.to {
            None => self.steps.reach(p, &fair_q),
            Some(to) => {
                let mut set = fair_q.clone();
                for _ in interval.from..to {
                    self.budget.check_now()?;
                    let longer: Vec<bool> = later(&set).iter().zip(&fair_q).map(|(&a, &b)| a || b).collect();
                    if longer == set {
                        break;
                    }
                    set = longer;
                }
                set
            }
        };
        for _ in 0..interval.from {
            self.budget.check_now()?;
            let earlier = later(&set);
            if earlier == set {
                break;
            }
            set = earlier;
        }
        Ok(set)
    }

    /// Steps with a fair path on which the set holds throughout the interval.
    fn globally(&self, p: &[bool], interval: Interval) -> Result<Vec<bool>, NotRechecked> {
        if interval.is_empty() {
            return Ok(self.fair.clone());
        }
        // Past the end nothing is asked.
        let mut p = p.to_vec();
        let end = self.end();
        p[end] = true;
        let any_later = |set: &[bool]| -> Vec<bool> {
            let later = |step: usize| self.steps.successors[step].iter().any(|&next| set[next as usize]);
            (0..set.len()).map(later).collect()
        };
        let mut set = match interval.to {
            None => self.steps.fair(&p, self.budget)?,
            Some(to) => {
                let here: Vec<bool> = (0..p.len()).map(|s| p[s] && self.fair[s]).collect();
                let mut set = here.clone();
                for _ in interval.from..to {
                    self.budget.check_now()?;
                    let longer: Vec<bool> =
                        any_later(&set).iter().zip(&here).map(|(&a, &b)| a && b).collect();
                    if longer == set {
                        break;
                    }
                    set = longer;
                }
                set
            }
        };
        for _ in 0..interval.from {
            self.budget.check_now()?;
            let earlier = any_later(&set);
            if earlier == set {
                break;
            }
            set = earlier;
        }
        Ok(set)
    }
}
