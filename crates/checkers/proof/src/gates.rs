//! Boolean gates as clauses (Tseitin's encoding), with constants folded and equal gates shared, or as decision diagrams.
//!
//! Literals that were proved equal are merged, and with them the gates that read the same from then on (congruence closure): what is made again later is found again.

use crate::diagrams::Diagrams;
use crate::solver::{Lit, NoAnswer, Solver};
use entail_budget::Budget;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How questions are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// By a SAT solver whose proofs are checked.
    Clauses,
    /// By decision diagrams, as long as they are small.
    Diagrams,
}

/// What gates are made of.
enum Basis {
    Clauses(Box<Solver>),
    Diagrams {
        diagrams: Box<Diagrams>,
        /// What is true in every question.
        required: Vec<Lit>,
    },
}

/// What a literal is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Gate {
    And(Vec<Lit>),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
}

/// What a gate has become by merging.
enum Normal {
    /// Another literal.
    Literal(Lit),
    /// A gate, or its complement.
    Gate(Gate, bool),
}

/// An exclusive or: complements move to the output, so that all four versions share one gate.
fn exclusive(a: Lit, b: Lit) -> (Gate, bool) {
    let (positive_a, positive_b) = (a.max(!a), b.max(!b));
    let flip = (positive_a != a) != (positive_b != b);
    (
        Gate::Xor(positive_a.min(positive_b), positive_a.max(positive_b)),
        flip,
    )
}

/// A choice: the condition and the first branch are positive, so that all versions share one gate.
fn choice(condition: Lit, then: Lit, otherwise: Lit) -> (Gate, bool) {
    let (condition, then, otherwise) = match condition.is_positive() {
        true => (condition, then, otherwise),
        false => (!condition, otherwise, then),
    };
    let flip = !then.is_positive();
    (
        Gate::Mux(condition, then.flipped_if(flip), otherwise.flipped_if(flip)),
        flip,
    )
}

/// Builds gates, and decides whether some of them can be true together.
pub(crate) struct Gates {
    basis: Basis,
    truth: Lit,
    known: FxHashMap<Rc<Gate>, Lit>,
    /// The gates of variables that are outputs of some.
    definitions: FxHashMap<u32, Rc<Gate>>,
    /// For each variable, the variables of the gates that read it.
    readers: FxHashMap<u32, Vec<u32>>,
    /// Literals that are no longer used in new gates, each with one that is equal to it and older.
    merged: FxHashMap<Lit, Lit>,
}

impl Gates {
    pub(crate) fn new() -> Gates {
        Gates::with(Solver::new())
    }

    /// Gates of a solver that does nothing but search.
    pub(crate) fn plain() -> Gates {
        Gates::with(Solver::plain())
    }

    fn with(mut solver: Solver) -> Gates {
        let truth = solver.fresh();
        solver.clause(&[truth]);
        Gates::made_of(Basis::Clauses(Box::new(solver)), truth)
    }

    /// Gates of either form.
    pub(crate) fn in_form(form: Form) -> Gates {
        match form {
            Form::Clauses => Gates::new(),
            Form::Diagrams => {
                let basis = Basis::Diagrams {
                    diagrams: Box::new(Diagrams::new()),
                    required: Vec::new(),
                };
                Gates::made_of(basis, Lit::TRUE_NODE)
            }
        }
    }

    fn made_of(basis: Basis, truth: Lit) -> Gates {
        Gates {
            basis,
            truth,
            known: FxHashMap::default(),
            definitions: FxHashMap::default(),
            readers: FxHashMap::default(),
            merged: FxHashMap::default(),
        }
    }

    /// Whether the assumptions can be true together with what is required. "No" of a solver has been proved.
    pub(crate) fn satisfiable(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, NoAnswer> {
        match &mut self.basis {
            Basis::Clauses(solver) => solver.satisfiable(assumptions, budget),
            Basis::Diagrams { diagrams, required } => {
                budget.check_now().map_err(NoAnswer::Spent)?;
                Ok(diagrams.satisfiable(required.iter().chain(assumptions).copied())?)
            }
        }
    }

    /// The same; a solver gives up after so many conflicts.
    pub(crate) fn try_for(
        &mut self,
        conflicts: i32,
        assumptions: &[Lit],
        budget: &Budget,
    ) -> Result<Option<bool>, NoAnswer> {
        match &mut self.basis {
            Basis::Clauses(solver) => solver.try_for(conflicts, assumptions, budget),
            Basis::Diagrams { .. } => self.satisfiable(assumptions, budget).map(Some),
        }
    }

    /// Requires that one of some literals is true.
    pub(crate) fn clause(&mut self, literals: &[Lit]) {
        match &mut self.basis {
            Basis::Clauses(solver) => solver.clause(literals),
            Basis::Diagrams { .. } => {
                let any = self.any(literals.iter().copied());
                self.require(any);
            }
        }
    }

    /// What is assumed together very often: as one literal for a solver, apart for diagrams, which would have to multiply them.
    pub(crate) fn assumed_together(&mut self, literals: Vec<Lit>) -> Vec<Lit> {
        match self.basis {
            Basis::Clauses(_) => vec![self.all(literals)],
            Basis::Diagrams { .. } => literals,
        }
    }

    /// Two literals that the clauses make equal: gates that are made from now on read the older one for both, and so do those that were made before.
    pub(crate) fn merge(&mut self, a: Lit, b: Lit) {
        let mut equal = vec![(a, b)];
        while let Some((a, b)) = equal.pop() {
            let (a, b) = (self.resolved(a), self.resolved(b));
            if a == b || a == !b {
                continue;
            }
            let (older, newer) = match a.variable() < b.variable() {
                true => (a, b),
                false => (b, a),
            };
            self.merged.insert(newer, older);
            self.merged.insert(!newer, !older);
            let readers = self.readers.remove(&newer.variable()).unwrap_or_default();
            for &reader in &readers {
                let output = Lit::of_node(reader);
                match self.definitions.get(&reader).and_then(|gate| self.normal(gate)) {
                    Some(Normal::Literal(literal)) => equal.push((output, literal)),
                    Some(Normal::Gate(gate, flip)) => {
                        let known = *self.known.entry(Rc::new(gate)).or_insert(output.flipped_if(flip));
                        equal.push((output, known.flipped_if(flip)));
                    }
                    None => {}
                }
            }
            self.readers.entry(older.variable()).or_default().extend(readers);
        }
    }

    /// What a gate is now that literals were merged; nothing where it would be made of several gates.
    fn normal(&self, gate: &Gate) -> Option<Normal> {
        let literal = |truth: bool| Some(Normal::Literal(self.constant(truth)));
        match gate {
            Gate::And(inputs) => {
                let inputs = inputs.iter().map(|&input| self.resolved(input));
                let mut inputs: Vec<Lit> = inputs.filter(|&input| input != self.truth).collect();
                inputs.sort_unstable();
                inputs.dedup();
                let is_denied = |input: &Lit| inputs.binary_search(&!*input).is_ok();
                if inputs.contains(&!self.truth) || inputs.iter().any(is_denied) {
                    return literal(false);
                }
                match inputs.as_slice() {
                    [] => literal(true),
                    [single] => Some(Normal::Literal(*single)),
                    _ => Some(Normal::Gate(Gate::And(inputs), false)),
                }
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.resolved(*a), self.resolved(*b));
                for (constant, other) in [(a, b), (b, a)] {
                    if let Some(truth) = self.as_constant(constant) {
                        return Some(Normal::Literal(other.flipped_if(truth)));
                    }
                }
                if a == b || a == !b {
                    return literal(a != b);
                }
                let (gate, flip) = exclusive(a, b);
                Some(Normal::Gate(gate, flip))
            }
            Gate::Mux(condition, then, otherwise) => {
                let [condition, then, otherwise] =
                    [condition, then, otherwise].map(|&one| self.resolved(one));
                match self.as_constant(condition) {
                    Some(true) => return Some(Normal::Literal(then)),
                    Some(false) => return Some(Normal::Literal(otherwise)),
                    None if then == otherwise => return Some(Normal::Literal(then)),
                    None => {}
                }
                let is_simple = [then, otherwise]
                    .iter()
                    .any(|&one| self.as_constant(one).is_some());
                match is_simple || then == !otherwise {
                    true => None,
                    false => {
                        let (gate, flip) = choice(condition, then, otherwise);
                        Some(Normal::Gate(gate, flip))
                    }
                }
            }
        }
    }

    /// Notes a gate that was made.
    fn note(&mut self, gate: Gate, output: Lit) {
        let mut read = |input: &Lit| {
            let readers = self.readers.entry(input.variable()).or_default();
            readers.push(output.variable());
        };
        match &gate {
            Gate::And(inputs) => inputs.iter().for_each(&mut read),
            Gate::Xor(a, b) => [a, b].into_iter().for_each(&mut read),
            Gate::Mux(a, b, c) => [a, b, c].into_iter().for_each(&mut read),
        }
        let gate = Rc::new(gate);
        self.definitions.insert(output.variable(), Rc::clone(&gate));
        self.known.insert(gate, output);
    }

    /// The gate whose output a variable is.
    pub(crate) fn definition(&self, variable: u32) -> Option<&Gate> {
        self.definitions.get(&variable).map(|gate| &**gate)
    }

    /// The literal that stands for this one in new gates.
    pub(crate) fn resolved(&self, mut literal: Lit) -> Lit {
        while let Some(&older) = self.merged.get(&literal) {
            literal = older;
        }
        literal
    }

    /// Whether a literal is the constant true by what gates and merged literals say, without the solver.
    pub(crate) fn is_true(&self, literal: Lit) -> bool {
        self.as_constant(self.resolved(literal)) == Some(true)
    }

    pub(crate) fn constant(&self, truth: bool) -> Lit {
        self.truth.flipped_if(!truth)
    }

    fn as_constant(&self, literal: Lit) -> Option<bool> {
        if literal == self.truth {
            Some(true)
        } else if literal == !self.truth {
            Some(false)
        } else {
            None
        }
    }

    pub(crate) fn fresh(&mut self) -> Lit {
        match &mut self.basis {
            Basis::Clauses(solver) => solver.fresh(),
            Basis::Diagrams { diagrams, .. } => diagrams.variable(),
        }
    }

    pub(crate) fn require(&mut self, literal: Lit) {
        match &mut self.basis {
            Basis::Clauses(solver) => solver.clause(&[literal]),
            Basis::Diagrams { required, .. } => required.push(literal),
        }
    }

    pub(crate) fn all(&mut self, literals: impl IntoIterator<Item = Lit>) -> Lit {
        let mut inputs: Vec<Lit> = Vec::new();
        for literal in literals {
            let literal = self.resolved(literal);
            match self.as_constant(literal) {
                Some(true) => {}
                Some(false) => return literal,
                None => inputs.push(literal),
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        if inputs
            .iter()
            .any(|&literal| inputs.binary_search(&!literal).is_ok())
        {
            return self.constant(false);
        }
        match inputs.as_slice() {
            [] => self.constant(true),
            [single] => *single,
            _ => {
                if let Basis::Diagrams { diagrams, .. } = &mut self.basis {
                    return inputs
                        .into_iter()
                        .fold(self.truth, |all, one| diagrams.and(all, one));
                }
                if let &[a, b] = inputs.as_slice()
                    && let Some((condition, then, otherwise)) = self.neither(a, b)
                {
                    return self.mux(condition, then, otherwise);
                }
                let gate = Gate::And(inputs.clone());
                if let Some(&output) = self.known.get(&gate) {
                    return self.resolved(output);
                }
                let output = self.fresh();
                let mut long: Vec<Lit> = vec![output];
                for &input in &inputs {
                    self.clause(&[!output, input]);
                    long.push(!input);
                }
                self.clause(&long);
                self.note(gate, output);
                output
            }
        }
    }

    /// A conjunction of two complements of conjunctions that is a choice: `¬(c ∧ t) ∧ ¬(¬c ∧ e)`. The same choice may have been made as one gate elsewhere.
    fn neither(&self, a: Lit, b: Lit) -> Option<(Lit, Lit, Lit)> {
        let inputs = |literal: Lit| match self.definition(literal.variable()) {
            Some(Gate::And(inputs)) if !literal.is_positive() => match inputs.as_slice() {
                &[one, other] => Some([self.resolved(one), self.resolved(other)]),
                _ => None,
            },
            _ => None,
        };
        let ([p, q], [r, s]) = (inputs(a)?, inputs(b)?);
        let pairs = [(p, q, r, s), (p, q, s, r), (q, p, r, s), (q, p, s, r)];
        let found = pairs
            .into_iter()
            .find(|(condition, _, denied, _)| *condition == !*denied);
        found.map(|(condition, then, _, otherwise)| (condition, !then, !otherwise))
    }

    pub(crate) fn any(&mut self, literals: impl IntoIterator<Item = Lit>) -> Lit {
        !self.all(literals.into_iter().map(|literal| !literal))
    }

    pub(crate) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.all([a, b])
    }

    pub(crate) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        self.any([a, b])
    }

    pub(crate) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (self.resolved(a), self.resolved(b));
        for (constant, other) in [(a, b), (b, a)] {
            if let Some(truth) = self.as_constant(constant) {
                return other.flipped_if(truth);
            }
        }
        if a == b || a == !b {
            return self.constant(a != b);
        }
        if let Basis::Diagrams { diagrams, .. } = &mut self.basis {
            return diagrams.mux(a, !b, b);
        }
        let (gate, flip) = exclusive(a, b);
        if let Some(&output) = self.known.get(&gate) {
            return self.resolved(output).flipped_if(flip);
        }
        let (a, b, output) = (a.max(!a), b.max(!b), self.fresh());
        self.clause(&[!output, a, b]);
        self.clause(&[!output, !a, !b]);
        self.clause(&[output, !a, b]);
        self.clause(&[output, a, !b]);
        self.note(gate, output);
        output.flipped_if(flip)
    }

    pub(crate) fn mux(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        let condition = self.resolved(condition);
        let (then, otherwise) = (self.resolved(then), self.resolved(otherwise));
        match self.as_constant(condition) {
            Some(true) => return then,
            Some(false) => return otherwise,
            None => {}
        }
        if then == otherwise {
            return then;
        }
        if let Basis::Diagrams { diagrams, .. } = &mut self.basis {
            return diagrams.mux(condition, then, otherwise);
        }
        if then == !otherwise {
            return !self.xor(condition, then);
        }
        if self.as_constant(then).is_some() || self.as_constant(otherwise).is_some() {
            let (high, low) = (self.and(condition, then), self.and(!condition, otherwise));
            return self.or(high, low);
        }
        let (gate, flip) = choice(condition, then, otherwise);
        if let Some(&output) = self.known.get(&gate) {
            return self.resolved(output).flipped_if(flip);
        }
        let Gate::Mux(condition, then, otherwise) = gate else {
            return self.constant(false);
        };
        let output = self.fresh();
        self.clause(&[!condition, !then, output]);
        self.clause(&[!condition, then, !output]);
        self.clause(&[condition, !otherwise, output]);
        self.clause(&[condition, otherwise, !output]);
        self.note(gate, output);
        output.flipped_if(flip)
    }
}
