//! Transition systems whose states are values of first-order sorts.
//!
//! A state gives each variable a value; a step relates a state, inputs, and the next state. Inputs have a value in every state, the last
//! one included. The transition relation need not be total: invariants are about reachable states alone and path formulas about endless
//! paths, so dead ends do not matter to either.

use crate::{Evaluator, Interpretation, Op, SymbolId, TermId, Terms, Value};
use entail_logic::{Formula, Node, Unary};
use rustc_hash::FxHashMap;

/// A variable of the state.
#[derive(Clone, Debug)]
pub struct StateVariable {
    /// Its name as the source writes it.
    pub name: String,
    /// The constant that stands for it now.
    pub current: TermId,
    /// The constant that stands for it after the step.
    pub next: TermId,
}

/// What a property says. Its formulas are over current variables and inputs.
#[derive(Clone, Debug)]
pub enum Claim {
    /// The formula is true in every reachable state, whatever the inputs.
    Invariant(TermId),
    /// The path formula is true of every endless fair path from an initial state.
    Path(Formula<TermId>),
}

impl Claim {
    /// The formulas it is made of.
    pub fn formulas(&self) -> Vec<TermId> {
        match self {
            Claim::Invariant(formula) => vec![*formula],
            Claim::Path(path) => {
                let mut atoms = Vec::new();
                path.for_each_atom(&mut |&atom| atoms.push(atom));
                atoms
            }
        }
    }

    /// The invariant, if it is one.
    pub fn invariant(&self) -> Option<TermId> {
        match self {
            Claim::Invariant(formula) => Some(*formula),
            Claim::Path(_) => None,
        }
    }

    /// An invariant from which it follows: for `G p`, and for several of them, that the formulas are true in every reachable state. The
    /// converse is not true: a violating state may be on no endless fair path.
    pub fn sufficient_invariant(&self, terms: &mut Terms) -> Option<TermId> {
        let always = |path: &Formula<TermId>| match path.node() {
            Node::Unary(Unary::Globally, interval, inner) if interval.is_always() => match inner.node() {
                Node::Atom(atom) => Some(*atom),
                _ => None,
            },
            _ => None,
        };
        match self {
            Claim::Invariant(formula) => Some(*formula),
            Claim::Path(path) => match path.node() {
                Node::And(parts) => {
                    let all: Option<Vec<TermId>> = parts.iter().map(always).collect();
                    all.map(|all| terms.and(&all))
                }
                _ => always(path),
            },
        }
    }
}

/// A property with its text.
#[derive(Clone, Debug)]
pub struct FirstOrderProperty {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its text in the source.
    pub text: String,
    /// Offsets of its text.
    pub place: (usize, usize),
    /// What it says.
    pub claim: Claim,
}

/// A system with its terms.
#[derive(Clone, Debug)]
pub struct FirstOrderSystem {
    /// The terms that everything is made of.
    pub terms: Terms,
    /// The variables of the state.
    pub variables: Vec<StateVariable>,
    /// The inputs: constants that are free in every state.
    pub inputs: Vec<TermId>,
    /// The initial states.
    pub init: TermId,
    /// The steps.
    pub transition: TermId,
    /// Formulas over current variables and inputs that are true again and again on fair paths.
    pub justice: Vec<TermId>,
    /// Pairs of such formulas: if the first is true again and again on a fair path, the second is.
    pub compassion: Vec<(TermId, TermId)>,
}

/// A path: values of variables and inputs at each position.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct FirstOrderTrace {
    /// Values of the variables, in their order.
    pub states: Vec<Vec<Value>>,
    /// Values of the inputs, in their order, for the same positions.
    pub inputs: Vec<Vec<Value>>,
}

/// The symbol of a term that is a constant.
pub(crate) fn symbol_of(terms: &Terms, constant: TermId) -> Option<SymbolId> {
    match terms.op(constant) {
        Op::Apply(symbol) if terms.args(constant).is_empty() => Some(*symbol),
        _ => None,
    }
}

impl FirstOrderSystem {
    /// Whether a trace is a path from an initial state to one that violates the invariant; what is wrong otherwise.
    pub fn replay(&self, trace: &FirstOrderTrace, invariant: TermId) -> Result<(), String> {
        self.follow(trace)?;
        match self.truth_at(trace, trace.states.len() - 1, invariant)? {
            true => Err("the last state satisfies the property".into()),
            false => Ok(()),
        }
    }

    /// Whether a trace is a path from an initial state; what is wrong otherwise.
    pub fn follow(&self, trace: &FirstOrderTrace) -> Result<(), String> {
        if trace.states.is_empty() || trace.states.len() != trace.inputs.len() {
            return Err("the trace has no states, or inputs for other positions".into());
        }
        if !self.truth_at(trace, 0, self.init)? {
            return Err("the first state is not initial".into());
        }
        for position in 0..trace.states.len() - 1 {
            if !self.truth_at(trace, position, self.transition)? {
                return Err(format!("there is no step from position {position} to the next"));
            }
        }
        // The last position's values have been looked at as next ones alone.
        self.meaning_at(trace, trace.states.len() - 1).map(drop)
    }

    /// The truth of a formula at a position of a trace, and between it and the next one.
    pub fn truth_at(
        &self,
        trace: &FirstOrderTrace,
        position: usize,
        formula: TermId,
    ) -> Result<bool, String> {
        let meaning = self.meaning_at(trace, position)?;
        let value = Evaluator::new(&self.terms, &meaning).is_true(formula);
        value.map_err(|_| format!("a formula has no value at position {position}"))
    }

    fn meaning_at(&self, trace: &FirstOrderTrace, position: usize) -> Result<Interpretation, String> {
        let mut meaning = Interpretation::default();
        if trace.states[position].len() != self.variables.len()
            || trace.inputs[position].len() != self.inputs.len()
        {
            return Err(format!(
                "position {position} does not give every variable a value"
            ));
        }
        let now = self.variables.iter().map(|variable| variable.current);
        let next = self.variables.iter().map(|variable| variable.next);
        let following = trace.states.get(position + 1).into_iter().flatten();
        let all = (now.zip(&trace.states[position]))
            .chain(self.inputs.iter().copied().zip(&trace.inputs[position]))
            .chain(next.zip(following));
        for (constant, value) in all {
            let symbol = symbol_of(&self.terms, constant).ok_or("a variable is no constant")?;
            meaning.set(symbol, value.clone());
        }
        match meaning.is_well_sorted(&self.terms) {
            true => Ok(meaning),
            false => Err(format!(
                "position {position} has a value that is not of its variable's sort"
            )),
        }
    }

    /// A formula over current variables, next variables and inputs with constants of their own for a position and the next.
    pub fn at(&mut self, formula: TermId, position: usize, copies: &mut Copies) -> TermId {
        copies.reach(self, position + 1);
        let mut map = std::mem::take(&mut copies.maps[position]);
        let image = self.terms.substitute(&[formula], &mut map)[0];
        copies.maps[position] = map;
        image
    }
}

/// Constants for each position of a path, made when they are needed.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// For each position, the variables' constants.
    pub states: Vec<Vec<TermId>>,
    /// For each position, the inputs' constants.
    pub inputs: Vec<Vec<TermId>>,
    maps: Vec<FxHashMap<TermId, TermId>>,
}

impl Copies {
    /// Makes constants up to a position and maps for the steps before it.
    pub fn reach(&mut self, system: &mut FirstOrderSystem, position: usize) {
        while self.states.len() <= position {
            let at = self.states.len();
            let terms = &mut system.terms;
            let mut copy =
                |name: &str, like: TermId| terms.constant(&format!("{name}@{at}"), terms.sort_of(like));
            let states = system
                .variables
                .iter()
                .map(|v| copy(&v.name, v.current))
                .collect();
            self.states.push(states);
            let inputs: Vec<TermId> = (system.inputs.iter().enumerate())
                .map(|(index, &input)| copy(&format!("input{index}"), input))
                .collect();
            self.inputs.push(inputs);
            if at > 0 {
                let mut map = FxHashMap::default();
                for (index, variable) in system.variables.iter().enumerate() {
                    map.insert(variable.current, self.states[at - 1][index]);
                    map.insert(variable.next, self.states[at][index]);
                }
                map.extend(
                    system
                        .inputs
                        .iter()
                        .copied()
                        .zip(self.inputs[at - 1].iter().copied()),
                );
                self.maps.push(map);
            }
        }
    }
}
