//! Boolean gates as clauses (Tseitin's encoding), with constants folded and equal gates shared.

use crate::solver::{Lit, Solver};
use rustc_hash::FxHashMap;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Gate {
    And(Vec<Lit>),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
}

/// Builds gates in a solver.
pub(crate) struct Gates {
    pub(crate) solver: Solver,
    truth: Lit,
    known: FxHashMap<Gate, Lit>,
    /// Literals that are no longer used in new gates, each with one that is equal to it and older.
    merged: FxHashMap<Lit, Lit>,
}

impl Gates {
    pub(crate) fn new() -> Gates {
        let mut solver = Solver::new();
        let truth = solver.fresh();
        solver.clause(&[truth]);
        Gates {
            solver,
            truth,
            known: FxHashMap::default(),
            merged: FxHashMap::default(),
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

    /// The literal that stands for this one in new gates.
    fn resolved(&self, mut literal: Lit) -> Lit {
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
        self.solver.fresh()
    }

    pub(crate) fn require(&mut self, literal: Lit) {
        self.solver.clause(&[literal]);
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
                let gate = Gate::And(inputs.clone());
                if let Some(&output) = self.known.get(&gate) {
                    return output;
                }
                let output = self.fresh();
                let mut long: Vec<Lit> = vec![output];
                for &input in &inputs {
                    self.solver.clause(&[!output, input]);
                    long.push(!input);
                }
                self.solver.clause(&long);
                self.known.insert(gate, output);
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
        // Complements move to the output, so that all four versions share one gate.
        let (positive_a, positive_b) = (a.max(!a), b.max(!b));
        let flip = (positive_a != a) != (positive_b != b);
        let gate = Gate::Xor(positive_a.min(positive_b), positive_a.max(positive_b));
        if let Some(&output) = self.known.get(&gate) {
            return output.flipped_if(flip);
        }
        let (a, b, output) = (positive_a, positive_b, self.fresh());
        self.solver.clause(&[!output, a, b]);
        self.solver.clause(&[!output, !a, !b]);
        self.solver.clause(&[output, !a, b]);
        self.solver.clause(&[output, a, !b]);
        self.known.insert(gate, output);
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
        if self.as_constant(then).is_some() || self.as_constant(otherwise).is_some() || then == !otherwise {
            let (high, low) = (self.and(condition, then), self.and(!condition, otherwise));
            return self.or(high, low);
        }
        let gate = Gate::Mux(condition, then, otherwise);
        if let Some(&output) = self.known.get(&gate) {
            return output;
        }
        let output = self.fresh();
        self.solver.clause(&[!condition, !then, output]);
        self.solver.clause(&[!condition, then, !output]);
        self.solver.clause(&[condition, !otherwise, output]);
        self.solver.clause(&[condition, otherwise, !output]);
        self.known.insert(gate, output);
        output
    }
}
