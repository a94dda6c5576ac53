//! Words as bits: circuits over literals, made when a term is met (Kroening, Strichman, chapter 6).
//!
//! Gates are shared and constants folded. Each gate has a variable with its defining clauses; a product is a sum of shifted rows, a
//! quotient is defined by the product that it undoes.

use entail_budget::{Budget, Spent};
use entail_sat::Lit;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
}

/// Gates that exist, and clauses that are still to be given to the solver.
#[derive(Default)]
pub(crate) struct Gates {
    known: FxHashMap<Gate, Lit>,
    pub clauses: Vec<Vec<Lit>>,
    truth: Option<Lit>,
    /// Looked at in circuits of quadratic size.
    limits: Budget,
    /// The budget was spent inside a circuit: what was built is not that circuit.
    pub stopped: Option<Spent>,
}

/// Bits, least significant first.
pub(crate) type Bits = Vec<Lit>;

impl Gates {
    pub fn with_truth(truth: Lit) -> Gates {
        Gates {
            truth: Some(truth),
            ..Gates::default()
        }
    }

    /// Stops large circuits when this budget is spent.
    pub fn watch(&mut self, budget: &Budget) {
        self.limits = budget.same_limits();
    }

    fn must_stop(&mut self) -> bool {
        if self.stopped.is_none() {
            self.stopped = self.limits.check_now().err();
        }
        self.stopped.is_some()
    }

    pub fn constant(&self, value: bool) -> Lit {
        let truth = self.truth.expect("the solver makes the constant first");
        if value { truth } else { !truth }
    }

    fn fixed(&self, lit: Lit) -> Option<bool> {
        match self.truth {
            Some(truth) if lit == truth => Some(true),
            Some(truth) if lit == !truth => Some(false),
            _ => None,
        }
    }

    pub fn and(&mut self, a: Lit, b: Lit, fresh: &mut dyn FnMut() -> Lit) -> Lit {
        match (self.fixed(a), self.fixed(b)) {
            (Some(false), _) | (_, Some(false)) => return self.constant(false),
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            _ if a == b => return a,
            _ if a == !b => return self.constant(false),
            _ => {}
        }
        let key = Gate::And(a.min(b), a.max(b));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let out = fresh();
        self.clauses
            .extend([vec![!out, a], vec![!out, b], vec![out, !a, !b]]);
        self.known.insert(key, out);
        out
    }

    pub fn or(&mut self, a: Lit, b: Lit, fresh: &mut dyn FnMut() -> Lit) -> Lit {
        !self.and(!a, !b, fresh)
    }

    pub fn xor(&mut self, a: Lit, b: Lit, fresh: &mut dyn FnMut() -> Lit) -> Lit {
        match (self.fixed(a), self.fixed(b)) {
            (Some(value), _) => return if value { !b } else { b },
            (_, Some(value)) => return if value { !a } else { a },
            _ if a == b => return self.constant(false),
            _ if a == !b => return self.constant(true),
            _ => {}
        }
        let flips = a.is_positive() == b.is_positive();
        let (x, y) = (a.var().lit(true), b.var().lit(true));
        let key = Gate::Xor(x.min(y), x.max(y));
        let out = match self.known.get(&key) {
            Some(&known) => known,
            None => {
                let out = fresh();
                self.clauses.extend([
                    vec![!out, x, y],
                    vec![!out, !x, !y],
                    vec![out, !x, y],
                    vec![out, x, !y],
                ]);
                self.known.insert(key, out);
                out
            }
        };
        if flips { out } else { !out }
    }

    pub fn mux(&mut self, c: Lit, a: Lit, b: Lit, fresh: &mut dyn FnMut() -> Lit) -> Lit {
        match self.fixed(c) {
            Some(true) => return a,
            Some(false) => return b,
            None if a == b => return a,
            None => {}
        }
        match (self.fixed(a), self.fixed(b)) {
            (Some(true), _) => return self.or(c, b, fresh),
            (Some(false), _) => return self.and(!c, b, fresh),
            (_, Some(true)) => return self.or(!c, a, fresh),
            (_, Some(false)) => return self.and(c, a, fresh),
            _ => {}
        }
        if a == !b {
            return !self.xor(c, a, fresh);
        }
        let key = Gate::Mux(c, a, b);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let out = fresh();
        self.clauses.extend([
            vec![!c, !a, out],
            vec![!c, a, !out],
            vec![c, !b, out],
            vec![c, b, !out],
            vec![!a, !b, out],
            vec![a, b, !out],
        ]);
        self.known.insert(key, out);
        out
    }

    pub fn add(
        &mut self,
        a: &[Lit],
        b: &[Lit],
        mut carry: Lit,
        fresh: &mut dyn FnMut() -> Lit,
    ) -> (Bits, Lit) {
        let mut sum = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            let half = self.xor(x, y, fresh);
            sum.push(self.xor(half, carry, fresh));
            let both = self.and(x, y, fresh);
            let passed = self.and(half, carry, fresh);
            carry = self.or(both, passed, fresh);
        }
        (sum, carry)
    }

    pub fn negate(&mut self, a: &[Lit], fresh: &mut dyn FnMut() -> Lit) -> Bits {
        let inverted: Bits = a.iter().map(|&bit| !bit).collect();
        let zeros = vec![self.constant(false); a.len()];
        let one = self.constant(true);
        self.add(&inverted, &zeros, one, fresh).0
    }

    pub fn multiply(&mut self, a: &[Lit], b: &[Lit], fresh: &mut dyn FnMut() -> Lit) -> Bits {
        let width = a.len();
        let mut sum = vec![self.constant(false); width];
        for shift in 0..width {
            if self.fixed(b[shift]) == Some(false) {
                continue;
            }
            if self.must_stop() {
                break;
            }
            let mut row = vec![self.constant(false); width];
            for position in shift..width {
                row[position] = self.and(a[position - shift], b[shift], fresh);
            }
            let zero = self.constant(false);
            sum = self.add(&sum, &row, zero, fresh).0;
        }
        sum
    }

    /// Whether `a < b`, unsigned.
    pub fn less(&mut self, a: &[Lit], b: &[Lit], fresh: &mut dyn FnMut() -> Lit) -> Lit {
        let mut less = self.constant(false);
        for (&x, &y) in a.iter().zip(b) {
            let differ = self.xor(x, y, fresh);
            less = self.mux(differ, y, less, fresh);
        }
        less
    }

    pub fn equal(&mut self, a: &[Lit], b: &[Lit], fresh: &mut dyn FnMut() -> Lit) -> Lit {
        let mut equal = self.constant(true);
        for (&x, &y) in a.iter().zip(b) {
            let differ = self.xor(x, y, fresh);
            equal = self.and(equal, !differ, fresh);
        }
        equal
    }

    /// Quotient and remainder by restoring division; by zero all ones and the dividend.
    pub fn divide(&mut self, a: &[Lit], b: &[Lit], fresh: &mut dyn FnMut() -> Lit) -> (Bits, Bits) {
        let width = a.len();
        let zero = self.constant(false);
        let mut divisor = b.to_vec();
        divisor.push(zero);
        let mut rest = vec![zero; width + 1];
        let mut quotient = vec![zero; width];
        for position in (0..width).rev() {
            if self.must_stop() {
                break;
            }
            rest.pop();
            rest.insert(0, a[position]);
            let too_small = self.less(&rest, &divisor, fresh);
            quotient[position] = !too_small;
            let inverted: Bits = divisor.iter().map(|&bit| !bit).collect();
            let one = self.constant(true);
            let (difference, _) = self.add(&rest, &inverted, one, fresh);
            rest = (rest.iter().zip(&difference))
                .map(|(&keep, &less)| self.mux(too_small, keep, less, fresh))
                .collect();
        }
        rest.pop();
        (quotient, rest)
    }

    /// A shift by a word; `fill` comes in, `is_left` says from which side.
    pub fn shift(
        &mut self,
        a: &[Lit],
        by: &[Lit],
        fill: Lit,
        is_left: bool,
        fresh: &mut dyn FnMut() -> Lit,
    ) -> Bits {
        let width = a.len();
        let mut bits = a.to_vec();
        let mut too_far = self.constant(false);
        for (stage, &control) in by.iter().enumerate() {
            let distance = 1usize
                .checked_shl(stage as u32)
                .filter(|&distance| distance < width && stage < 32);
            let Some(distance) = distance else {
                too_far = self.or(too_far, control, fresh);
                continue;
            };
            bits = (0..width)
                .map(|position| {
                    let source = match is_left {
                        true => position.checked_sub(distance),
                        false => Some(position + distance).filter(|&source| source < width),
                    };
                    let moved = source.map_or(fill, |source| bits[source]);
                    self.mux(control, moved, bits[position], fresh)
                })
                .collect();
        }
        bits.iter()
            .map(|&bit| self.mux(too_far, fill, bit, fresh))
            .collect()
    }
}
