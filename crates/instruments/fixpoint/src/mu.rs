//! The mu-calculus over any region algebra: algorithm SMC of chapter 31, section 2.3.
//!
//! A fixpoint is approximated from nothing (`mu`) or everything (`nu`) until it repeats. [`Strategy::Naive`] does just
//! that: an inner fixpoint starts afresh each time an outer one takes a step, n^d iterations for nesting depth d. It is
//! the reference.
//!
//! [`Strategy::Reuse`] keeps, for every fixpoint, its last result and the values its free variables had then. If none has
//! changed, the result stands. If all have grown, the least fixpoint has grown too, and its old value is a sound place to
//! start from; dually for the greatest. This is the observation of Emerson and Lei, applied by comparing values instead of
//! by looking at the syntax: only where a fixpoint depends on a variable of the other kind does it start afresh, so the
//! exponent is the alternation depth instead of the nesting depth, and alternation-free formulas take linearly many steps.
//! Subformulas without free variables are evaluated once.

use crate::RegionAlgebra;
use entail_logic::mu::{Action, Actions, Fixpoint, Modality, Mu, MuNode, MuVar};
use hashbrown::HashMap;

/// How fixpoints are iterated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Strategy {
    /// Every inner fixpoint from the beginning, every time.
    Naive,
    /// From the last result wherever that is sound.
    #[default]
    Reuse,
}

/// Why an evaluation did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluateError<E> {
    /// An operation of the algebra failed.
    #[error(transparent)]
    Region(E),
    /// A modality names an action that the algebra does not know.
    #[error("there is no action `{0}`")]
    UnknownAction(Action),
    /// The formula has a free variable.
    #[error("the variable `{0}` is not bound")]
    FreeVariable(MuVar),
}

/// The value of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation<R> {
    /// The states where it is true.
    pub region: R,
    /// How many times the body of a fixpoint was evaluated.
    pub iterations: usize,
}

/// Sees the approximants of fixpoints as they are computed.
pub trait Observer<R> {
    /// The approximation of a variable has reached this value; `step` 0 is the value it started with.
    fn approximant(&mut self, variable: &MuVar, step: usize, region: &R);
}

/// Looks away.
pub struct NoObserver;

impl<R> Observer<R> for NoObserver {
    fn approximant(&mut self, _: &MuVar, _: usize, _: &R) {}
}

impl<R, F: FnMut(&MuVar, usize, &R)> Observer<R> for F {
    fn approximant(&mut self, variable: &MuVar, step: usize, region: &R) {
        self(variable, step, region);
    }
}

/// The states where a formula without free variables is true.
pub fn evaluate<G: RegionAlgebra>(
    algebra: &mut G,
    formula: &Mu<G::Atom>,
) -> Result<Evaluation<G::Region>, EvaluateError<G::Error>>
where
    G::Atom: Clone,
{
    evaluate_with(algebra, formula, Strategy::default(), &mut NoObserver)
}

/// The same with a chosen strategy, under an observer.
pub fn evaluate_with<G: RegionAlgebra>(
    algebra: &mut G,
    formula: &Mu<G::Atom>,
    strategy: Strategy,
    observer: &mut impl Observer<G::Region>,
) -> Result<Evaluation<G::Region>, EvaluateError<G::Error>>
where
    G::Atom: Clone,
{
    let mut program = Program::default();
    let root = program.compile(formula, &mut Vec::new())?;
    let slots = program.variables.len();
    let mut run = Run {
        algebra,
        program: &program,
        strategy,
        observer,
        values: vec![None; slots],
        last: (0..slots).map(|_| None).collect(),
        closed: HashMap::new(),
        iterations: 0,
    };
    let region = run.eval(root)?;
    Ok(Evaluation {
        region,
        iterations: run.iterations,
    })
}

type NodeId = usize;
/// A binder; its variable's value lives in the slot of this number.
type Slot = usize;

enum Step<A> {
    Constant(bool),
    Literal(A, bool),
    Variable(Slot),
    And(Vec<NodeId>),
    Or(Vec<NodeId>),
    Modal(Modality, Actions, NodeId),
    Fixpoint(Fixpoint, Slot, NodeId),
}

/// The formula as a list, operands before operators, with variables resolved to their binders.
struct Program<A> {
    steps: Vec<(Step<A>, Vec<Slot>)>,
    variables: Vec<MuVar>,
}

impl<A> Default for Program<A> {
    fn default() -> Self {
        Program {
            steps: Vec::new(),
            variables: Vec::new(),
        }
    }
}

impl<A: Clone> Program<A> {
    /// Adds the formula; `scope` has the binders around it, innermost last.
    fn compile<E>(&mut self, formula: &Mu<A>, scope: &mut Vec<Slot>) -> Result<NodeId, EvaluateError<E>> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.compile_step(formula, scope))
    }

    fn compile_step<E>(
        &mut self,
        formula: &Mu<A>,
        scope: &mut Vec<Slot>,
    ) -> Result<NodeId, EvaluateError<E>> {
        let mut free: Vec<Slot> = Vec::new();
        let mut operands = Vec::new();
        let step = match formula.node() {
            MuNode::Constant(truth) => Step::Constant(*truth),
            MuNode::Literal(atom, positive) => Step::Literal(atom.clone(), *positive),
            MuNode::Variable(variable) => {
                let bound = scope
                    .iter()
                    .rev()
                    .find(|&&slot| self.variables[slot] == *variable);
                let slot = *bound.ok_or_else(|| EvaluateError::FreeVariable(variable.clone()))?;
                free.push(slot);
                Step::Variable(slot)
            }
            MuNode::And(list) | MuNode::Or(list) => {
                for operand in list {
                    operands.push(self.compile(operand, scope)?);
                }
                match formula.node() {
                    MuNode::And(_) => Step::And(operands.clone()),
                    _ => Step::Or(operands.clone()),
                }
            }
            MuNode::Modal(modality, actions, operand) => {
                let operand = self.compile(operand, scope)?;
                operands.push(operand);
                Step::Modal(*modality, actions.clone(), operand)
            }
            MuNode::Fixpoint(fixpoint, variable, body) => {
                let slot = self.variables.len();
                self.variables.push(variable.clone());
                scope.push(slot);
                let body = self.compile(body, scope)?;
                scope.pop();
                operands.push(body);
                Step::Fixpoint(*fixpoint, slot, body)
            }
        };
        for operand in operands {
            free.extend(self.steps[operand].1.iter().copied());
        }
        if let Step::Fixpoint(_, slot, _) = step {
            free.retain(|&other| other != slot);
        }
        free.sort_unstable();
        free.dedup();
        self.steps.push((step, free));
        Ok(self.steps.len() - 1)
    }
}

/// What a fixpoint was when it was last computed.
struct Last<R> {
    /// Values of the free variables, in the order of the step's list.
    environment: Vec<R>,
    result: R,
}

struct Run<'a, G: RegionAlgebra, O> {
    algebra: &'a mut G,
    program: &'a Program<G::Atom>,
    strategy: Strategy,
    observer: &'a mut O,
    values: Vec<Option<G::Region>>,
    last: Vec<Option<Last<G::Region>>>,
    closed: HashMap<NodeId, G::Region>,
    iterations: usize,
}

type Value<G> = Result<<G as RegionAlgebra>::Region, EvaluateError<<G as RegionAlgebra>::Error>>;

impl<G: RegionAlgebra, O: Observer<G::Region>> Run<'_, G, O> {
    fn eval(&mut self, node: NodeId) -> Value<G> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.eval_step(node))
    }

    fn eval_step(&mut self, node: NodeId) -> Value<G> {
        let (step, free) = &self.program.steps[node];
        let keep = free.is_empty() && self.strategy == Strategy::Reuse;
        if keep && let Some(known) = self.closed.get(&node) {
            return Ok(known.clone());
        }
        let region = match step {
            Step::Constant(true) => self.algebra.full().map_err(EvaluateError::Region)?,
            Step::Constant(false) => self.algebra.empty().map_err(EvaluateError::Region)?,
            Step::Literal(atom, positive) => {
                let states = self.algebra.atom(atom).map_err(EvaluateError::Region)?;
                if *positive {
                    states
                } else {
                    self.algebra.complement(&states).map_err(EvaluateError::Region)?
                }
            }
            Step::Variable(slot) => self.values[*slot]
                .clone()
                .expect("a variable has a value while its body is evaluated"),
            Step::And(list) | Step::Or(list) => {
                let conjunction = matches!(step, Step::And(_));
                let mut result = self.eval(list[0])?;
                for &operand in &list[1..] {
                    let value = self.eval(operand)?;
                    result = match conjunction {
                        true => self.algebra.and(&result, &value),
                        false => self.algebra.or(&result, &value),
                    }
                    .map_err(EvaluateError::Region)?;
                }
                result
            }
            Step::Modal(modality, actions, operand) => {
                let target = self.eval(*operand)?;
                self.modal(*modality, actions, &target)?
            }
            Step::Fixpoint(fixpoint, slot, body) => self.fixpoint(*fixpoint, *slot, *body, free)?,
        };
        if keep {
            self.closed.insert(node, region.clone());
        }
        Ok(region)
    }

    fn modal(&mut self, modality: Modality, actions: &Actions, target: &G::Region) -> Value<G> {
        if actions.is_any() {
            return match modality {
                Modality::Some => self.algebra.pre(target),
                Modality::Every => self.algebra.dpre(target),
            }
            .map_err(EvaluateError::Region);
        }
        // `[A] f` is `!<A> !f`.
        let negated = |run: &mut Self, region: &G::Region| {
            let region = match modality {
                Modality::Some => Ok(region.clone()),
                Modality::Every => run.algebra.complement(region),
            };
            region.map_err(EvaluateError::Region)
        };
        let target = negated(self, target)?;
        let mut leading = self.algebra.empty().map_err(EvaluateError::Region)?;
        for action in self.named(actions)? {
            let through = self
                .algebra
                .labelled_pre(&action, &target)
                .map_err(EvaluateError::Region)?;
            let through = through.ok_or(EvaluateError::UnknownAction(action))?;
            leading = self
                .algebra
                .or(&leading, &through)
                .map_err(EvaluateError::Region)?;
        }
        negated(self, &leading)
    }

    /// The actions of a set that the algebra knows. An action that it does not know is an error if it is asked for by name.
    fn named(&self, actions: &Actions) -> Result<Vec<Action>, EvaluateError<G::Error>> {
        if !actions.is_complement() {
            return Ok(actions.names().to_vec());
        }
        let known = self.algebra.actions();
        if known.is_empty()
            && let Some(named) = actions.names().first()
        {
            return Err(EvaluateError::UnknownAction(named.clone()));
        }
        Ok((known.iter())
            .filter(|name| actions.contains(name))
            .map(|name| Action::from(name.as_str()))
            .collect())
    }

    fn fixpoint(&mut self, fixpoint: Fixpoint, slot: Slot, body: NodeId, free: &[Slot]) -> Value<G> {
        let environment: Vec<G::Region> = free
            .iter()
            .map(|&slot| self.values[slot].clone().expect("outer variables have values"))
            .collect();
        let mut current = match self.reusable(fixpoint, slot, &environment)? {
            Reusable::Result(result) => return Ok(result),
            Reusable::Start(start) => start,
            Reusable::Nothing => match fixpoint {
                Fixpoint::Least => self.algebra.empty(),
                Fixpoint::Greatest => self.algebra.full(),
            }
            .map_err(EvaluateError::Region)?,
        };
        let variable = &self.program.variables[slot];
        self.observer.approximant(variable, 0, &current);
        // An inner run of the same binder cannot overlap with this one, so the slot is this run's own.
        for step in 1.. {
            self.values[slot] = Some(current.clone());
            let next = self.eval(body)?;
            self.iterations += 1;
            self.observer.approximant(variable, step, &next);
            let stable = self.algebra.equal(&next, &current);
            current = next;
            if stable.map_err(EvaluateError::Region)? {
                break;
            }
        }
        self.values[slot] = None;
        if self.strategy == Strategy::Reuse {
            self.last[slot] = Some(Last {
                environment,
                result: current.clone(),
            });
        }
        Ok(current)
    }

    /// What the last result is good for now that the free variables have these values.
    fn reusable(
        &mut self,
        fixpoint: Fixpoint,
        slot: Slot,
        environment: &[G::Region],
    ) -> Result<Reusable<G::Region>, EvaluateError<G::Error>> {
        let Some(last) = self.last[slot].take() else {
            return Ok(Reusable::Nothing);
        };
        let mut unchanged = true;
        for (old, new) in last.environment.iter().zip(environment) {
            if self.algebra.equal(old, new).map_err(EvaluateError::Region)? {
                continue;
            }
            unchanged = false;
            let towards = match fixpoint {
                Fixpoint::Least => self.algebra.included(old, new),
                Fixpoint::Greatest => self.algebra.included(new, old),
            };
            if !towards.map_err(EvaluateError::Region)? {
                return Ok(Reusable::Nothing);
            }
        }
        if unchanged {
            let result = last.result.clone();
            self.last[slot] = Some(last);
            return Ok(Reusable::Result(result));
        }
        Ok(Reusable::Start(last.result))
    }
}

enum Reusable<R> {
    /// Nothing changed: the result stands.
    Result(R),
    /// Approximation can go on from here.
    Start(R),
    Nothing,
}
