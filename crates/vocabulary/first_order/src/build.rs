//! Building terms, with the simplifications that hold by the definition of the operator alone.
//!
//! Callers have checked sorts and numbers of operands (`languages/smtlib` does, with places). Simplification is local: constants are
//! folded, `x = x` is true, double negations vanish, words have their laws (`word_laws.rs`). Whatever is more ambitious belongs to a solver,
//! which must be able to prove it.

use crate::{FloatOp, Op, Rational, Sort, SortId, TermId, Terms};

impl Terms {
    /// The term of an operator and operands, simplified.
    pub fn build(&mut self, op: Op, args: &[TermId], sort: SortId) -> TermId {
        match (&op, args) {
            (Op::Not, &[a]) => self.not(a),
            (Op::And, _) => self.and(args),
            (Op::Or, _) => self.or(args),
            (Op::Xor, &[a, b]) => self.xor(a, b),
            (Op::Eq, &[a, b]) => self.eq(a, b),
            (Op::Ite, &[c, a, b]) => self.ite(c, a, b),
            (Op::Add, _) => self.add(args, sort),
            (Op::Mul, _) => self.mul(args, sort),
            (Op::Le, &[a, b]) => self.le(a, b),
            (Op::Lt, &[a, b]) => self.lt(a, b),
            (Op::ToReal, &[a]) => self.to_real(a),
            (Op::ToInt, &[a]) => self.to_int(a),
            (Op::IntDiv, &[a, b]) => self.raw_int_div(a, b),
            (Op::Divide, &[a, b]) => self.raw_divide(a, b),
            (Op::Select, &[a, i]) => self.select(a, i),
            (Op::Store | Op::ConstantArray | Op::Difference | Op::Apply(_) | Op::Forall(_), _) => {
                self.make(op, args, sort)
            }
            (Op::True | Op::False | Op::Number(_) | Op::Word(_) | Op::Rounding(_), _) => {
                self.make(op, args, sort)
            }
            (Op::Float(op), _) => self.float_term(*op, args, sort),
            _ => self.build_word(op, args, sort),
        }
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> TermId {
        if value { self.truth() } else { self.falsehood() }
    }

    /// Negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        match self.op(a) {
            Op::True => self.falsehood(),
            Op::False => self.truth(),
            Op::Not => self.args(a)[0],
            _ => self.make(Op::Not, &[a], SortId::BOOL),
        }
    }

    /// Conjunction.
    pub fn and(&mut self, args: &[TermId]) -> TermId {
        self.junction(args, true)
    }

    /// Disjunction.
    pub fn or(&mut self, args: &[TermId]) -> TermId {
        self.junction(args, false)
    }

    fn junction(&mut self, args: &[TermId], is_and: bool) -> TermId {
        let (unit, zero) = (self.bool(is_and), self.bool(!is_and));
        let mut kept: Vec<TermId> = Vec::with_capacity(args.len());
        for &arg in args {
            if arg == zero {
                return zero;
            }
            if arg != unit {
                kept.push(arg);
            }
        }
        kept.sort_unstable();
        kept.dedup();
        // A term's negation has a larger number than the term, so it is there to be found.
        for &arg in &kept {
            if *self.op(arg) == Op::Not && kept.binary_search(&self.args(arg)[0]).is_ok() {
                return zero;
            }
        }
        match kept.as_slice() {
            [] => unit,
            &[one] => one,
            _ => self.make(if is_and { Op::And } else { Op::Or }, &kept, SortId::BOOL),
        }
    }

    /// Implication.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    /// Exclusive disjunction.
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// Equality.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        match self.word_equation(a, b) {
            Some(simpler) => self.note_law(Op::Eq, &[a, b], SortId::BOOL, simpler),
            None => self.equation(a, b),
        }
    }

    /// Equality as an equation of just these sides, unless it is true or false by their being equal, or different constants. What
    /// speaks of an equation of two terms, an axiom's instance say, wants it as it is.
    pub fn equation(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.truth();
        }
        let (a, b) = (a.min(b), a.max(b));
        if self.sort_of(a) == SortId::BOOL {
            match (self.op(a), self.op(b)) {
                (Op::True, _) => return b,
                (Op::False, _) => return self.not(b),
                _ => {}
            }
            let complement = self.not(a);
            if complement == b {
                return self.falsehood();
            }
        }
        match (self.op(a), self.op(b)) {
            (Op::Number(x), Op::Number(y)) => self.bool(x == y),
            (Op::Word(x), Op::Word(y)) => self.bool(x == y),
            (Op::Rounding(x), Op::Rounding(y)) => self.bool(x == y),
            (Op::Float(FloatOp::FromBits), Op::Float(FloatOp::FromBits)) => {
                match (self.literal(a), self.literal(b)) {
                    (Some(x), Some(y)) => self.bool(x == y),
                    _ => self.make(Op::Eq, &[a, b], SortId::BOOL),
                }
            }
            _ => self.make(Op::Eq, &[a, b], SortId::BOOL),
        }
    }

    /// If-then-else.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        match self.op(condition) {
            Op::True => return then,
            Op::False => return otherwise,
            Op::Not => {
                let inner = self.args(condition)[0];
                return self.ite(inner, otherwise, then);
            }
            _ => {}
        }
        if then == otherwise {
            return then;
        }
        let sort = self.sort_of(then);
        if sort == SortId::BOOL {
            match (self.op(then), self.op(otherwise)) {
                (Op::True, _) => return self.or(&[condition, otherwise]),
                (Op::False, _) => {
                    let not = self.not(condition);
                    return self.and(&[not, otherwise]);
                }
                (_, Op::True) => return self.implies(condition, then),
                (_, Op::False) => return self.and(&[condition, then]),
                _ => {}
            }
        }
        self.make(Op::Ite, &[condition, then, otherwise], sort)
    }

    /// A number of this arithmetic sort.
    pub fn numeral(&mut self, value: Rational, sort: SortId) -> TermId {
        self.make(Op::Number(value), &[], sort)
    }

    /// A whole number.
    pub fn int(&mut self, value: i64) -> TermId {
        self.numeral(Rational::integer(value), SortId::INT)
    }

    /// A sum.
    pub fn add(&mut self, args: &[TermId], sort: SortId) -> TermId {
        let mut constant = Rational::zero();
        let mut kept = Vec::with_capacity(args.len());
        for &arg in args {
            match self.op(arg) {
                Op::Number(value) => constant += value,
                Op::Add => {
                    for &inner in self.args(arg) {
                        match self.op(inner) {
                            Op::Number(value) => constant += value,
                            _ => kept.push(inner),
                        }
                    }
                }
                _ => kept.push(arg),
            }
        }
        if !constant.is_zero() || kept.is_empty() {
            kept.push(self.numeral(constant, sort));
        }
        match kept.as_slice() {
            &[one] => one,
            _ => self.make(Op::Add, &kept, sort),
        }
    }

    /// A product. A constant factor comes first and is distributed over a sum.
    pub fn mul(&mut self, args: &[TermId], sort: SortId) -> TermId {
        let mut factor = Rational::one();
        let mut kept = Vec::with_capacity(args.len());
        for &arg in args {
            match self.op(arg) {
                Op::Number(value) => factor = &factor * value,
                Op::Mul => {
                    for &inner in self.args(arg) {
                        match self.op(inner) {
                            Op::Number(value) => factor = &factor * value,
                            _ => kept.push(inner),
                        }
                    }
                }
                _ => kept.push(arg),
            }
        }
        if factor.is_zero() || kept.is_empty() {
            return self.numeral(factor, sort);
        }
        if let (&[one], true) = (kept.as_slice(), factor.is_one()) {
            return one;
        }
        if let &[one] = kept.as_slice()
            && *self.op(one) == Op::Add
        {
            let number = self.numeral(factor, sort);
            let parts: Vec<TermId> = self.args(one).to_vec();
            let parts: Vec<TermId> = parts
                .iter()
                .map(|&part| self.mul(&[number, part], sort))
                .collect();
            return self.add(&parts, sort);
        }
        kept.sort_unstable();
        if !factor.is_one() {
            let number = self.numeral(factor, sort);
            kept.insert(0, number);
        }
        self.make(Op::Mul, &kept, sort)
    }

    /// The negative.
    pub fn neg(&mut self, a: TermId) -> TermId {
        let sort = self.sort_of(a);
        let minus = self.numeral(Rational::integer(-1), sort);
        self.mul(&[minus, a], sort)
    }

    /// A difference.
    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let negative = self.neg(b);
        self.add(&[a, negative], self.sort_of(a))
    }

    /// Less than or equal.
    pub fn le(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.op(a), self.op(b)) {
            (Op::Number(x), Op::Number(y)) => self.bool(x <= y),
            _ if a == b => self.truth(),
            _ => self.make(Op::Le, &[a, b], SortId::BOOL),
        }
    }

    /// Less than, as the negation of `b <= a`.
    pub fn lt(&mut self, a: TermId, b: TermId) -> TermId {
        let reverse = self.le(b, a);
        self.not(reverse)
    }

    /// An integer as a real.
    pub fn to_real(&mut self, a: TermId) -> TermId {
        match self.op(a) {
            _ if self.sort_of(a) == SortId::REAL => a,
            Op::Number(value) => self.numeral(value.clone(), SortId::REAL),
            _ => self.make(Op::ToReal, &[a], SortId::REAL),
        }
    }

    /// The floor of a real.
    pub fn to_int(&mut self, a: TermId) -> TermId {
        match self.op(a) {
            _ if self.sort_of(a) == SortId::INT => a,
            Op::Number(value) => self.numeral(value.floor(), SortId::INT),
            Op::ToReal => self.args(a)[0],
            _ => self.make(Op::ToInt, &[a], SortId::INT),
        }
    }

    fn by_zero(&mut self, name: &'static str, a: TermId) -> TermId {
        let sort = self.sort_of(a);
        let symbol = match self.by_zero.get(name) {
            Some(&known) => known,
            None => {
                let fresh = self.declare(name, &[sort], sort);
                self.by_zero.insert(name, fresh);
                fresh
            }
        };
        self.make(Op::Apply(symbol), &[a], sort)
    }

    fn guarded(&mut self, name: &'static str, a: TermId, b: TermId, quotient: TermId) -> TermId {
        match self.number(b).map(Rational::is_zero) {
            Some(true) => self.by_zero(name, a),
            Some(false) => quotient,
            None => {
                let zero = self.numeral(Rational::zero(), self.sort_of(b));
                let is_zero = self.eq(b, zero);
                let anything = self.by_zero(name, a);
                self.ite(is_zero, anything, quotient)
            }
        }
    }

    /// SMT-LIB's `/`: a quotient, by zero a function of the dividend.
    pub fn divide(&mut self, a: TermId, b: TermId) -> TermId {
        let quotient = self.raw_divide(a, b);
        self.guarded("/0", a, b, quotient)
    }

    fn raw_divide(&mut self, a: TermId, b: TermId) -> TermId {
        match self.number(b).cloned() {
            Some(value) if value.is_zero() => self.numeral(Rational::zero(), SortId::REAL),
            Some(value) => {
                let inverse = self.numeral(value.recip(), SortId::REAL);
                self.mul(&[inverse, a], SortId::REAL)
            }
            None => self.make(Op::Divide, &[a, b], SortId::REAL),
        }
    }

    /// SMT-LIB's `div`: the Euclidean quotient, by zero a function of the dividend.
    pub fn int_div(&mut self, a: TermId, b: TermId) -> TermId {
        let quotient = self.raw_int_div(a, b);
        self.guarded("div0", a, b, quotient)
    }

    fn raw_int_div(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => {
                let value = euclidean_quotient(x, y);
                self.numeral(value, SortId::INT)
            }
            (None, Some(y)) if y.is_one() => a,
            _ => self.make(Op::IntDiv, &[a, b], SortId::INT),
        }
    }

    /// SMT-LIB's `mod`: the Euclidean remainder, by zero a function of the dividend.
    pub fn modulo(&mut self, a: TermId, b: TermId) -> TermId {
        let quotient = self.raw_int_div(a, b);
        let product = self.mul(&[b, quotient], SortId::INT);
        let rest = self.sub(a, product);
        self.guarded("mod0", a, b, rest)
    }

    /// The absolute value.
    pub fn abs(&mut self, a: TermId) -> TermId {
        let zero = self.numeral(Rational::zero(), self.sort_of(a));
        let is_positive = self.le(zero, a);
        let negative = self.neg(a);
        self.ite(is_positive, a, negative)
    }

    /// The element of an array at an index.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let Sort::Array(_, element) = *self.sort(self.sort_of(array)) else {
            unreachable!("callers select from arrays")
        };
        match self.op(array) {
            Op::ConstantArray => self.args(array)[0],
            Op::Store if self.args(array)[1] == index => self.args(array)[2],
            _ => self.make(Op::Select, &[array, index], element),
        }
    }

    /// An array changed at an index.
    pub fn store(&mut self, array: TermId, index: TermId, element: TermId) -> TermId {
        self.make(Op::Store, &[array, index, element], self.sort_of(array))
    }
}

/// The quotient with a remainder that is not negative; 0 where the divisor is 0.
pub fn euclidean_quotient(a: &Rational, b: &Rational) -> Rational {
    match b.signum() {
        0 => Rational::zero(),
        1 => (a / b).floor(),
        _ => (a / b).ceil(),
    }
}
