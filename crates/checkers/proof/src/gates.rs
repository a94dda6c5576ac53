//! Boolean gates as clauses (Tseitin's encoding), with constants folded and equal gates shared, or as decision diagrams.

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

/// Builds gates, and decides whether some of them can be true together.
pub(crate) struct Gates {
    basis: Basis,
    truth: Lit,
    known: FxHashMap<Rc<Gate>, Lit>,
    /// The gates of variables that are outputs of some.
    definitions: FxHashMap<u32, Rc<Gate>>,
    /// Literals that are no longer used in new gates, each with one that is equal to it and older.
    merged: FxHashMap<Lit, Lit>,
}

impl Gates {
    pub(crate) fn new() -> Gates {
        let mut solver = Solver::new();
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

    /// Two literals that the clauses make equal: gates that are made from now on read the older one for both.
    pub(crate) fn merge(&mut self, a: Lit, b: Lit) {
        let (a, b) = (self.resolved(a), self.resolved(b));
        if a == b || a == !b {
            return;
        }
        let (older, newer) = match a.variable() < b.variable() {
            true => (a, b),
            false => (b, a),
        };
        self.merged.insert(newer, older);
        self.merged.insert(!newer, !older);
    }

    /// Notes a gate that was made.
    fn note(&mut self, gate: Gate, output: Lit) {
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
                let gate = Gate::And(inputs.clone());
                if let Some(&output) = self.known.get(&gate) {
                    return output;
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
        // Complements move to the output, so that all four versions share one gate.
        let (positive_a, positive_b) = (a.max(!a), b.max(!b));
        let flip = (positive_a != a) != (positive_b != b);
        let gate = Gate::Xor(positive_a.min(positive_b), positive_a.max(positive_b));
        if let Some(&output) = self.known.get(&gate) {
            return output.flipped_if(flip);
        }
        let (a, b, output) = (positive_a, positive_b, self.fresh());
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
        if self.as_constant(then).is_some() || self.as_constant(otherwise).is_some() || then == !otherwise {
            let (high, low) = (self.and(condition, then), self.and(!condition, otherwise));
            return self.or(high, low);
        }
        let gate = Gate::Mux(condition, then, otherwise);
        if let Some(&output) = self.known.get(&gate) {
            return output;
        }
        let output = self.fresh();
        self.clause(&[!condition, !then, output]);
        self.clause(&[!condition, then, !output]);
        self.clause(&[condition, !otherwise, output]);
        self.clause(&[condition, otherwise, !output]);
        self.note(gate, output);
        output
    }
}
