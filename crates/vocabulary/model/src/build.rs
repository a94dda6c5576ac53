//! Constructors of terms: they check sorts, compute the result's sort, and simplify what can be seen locally.
//!
//! Simplification is what every consumer would do anyway: constants are folded, Boolean connectives are flattened,
//! sorted and stripped of duplicates and complements, and comparisons that the operands' domains decide are decided.
//! Boolean constructors take Boolean terms only and panic otherwise (a fault of the caller); the others return
//! [`SortError`], since a language's reader may want to report it.
//! Those of words and arrays are in `build_words`.

use crate::evaluate::apply;
use crate::{Op, Sort, SortError, TermId, Terms, Value, VarId};

pub(crate) type Built = Result<TermId, SortError>;

/// Smallest and largest value, wide enough for the result of any operation on 64-bit bounds.
type Bounds = (i128, i128);

impl Terms {
    pub(crate) fn mismatch(&self, operation: &'static str, operands: &[TermId]) -> SortError {
        let sorts: Vec<String> = operands.iter().map(|&term| self.sort(term).to_string()).collect();
        SortError {
            operation,
            operands: sorts.join(" and "),
        }
    }

    pub(crate) fn is_bool(&self, term: TermId) -> bool {
        *self.sort(term) == Sort::Bool
    }

    /// Interns an operation, or its value if all operands are constants.
    pub(crate) fn operation(&mut self, op: Op, operands: &[TermId], sort: Sort) -> TermId {
        let values: Option<Vec<&Value>> = operands.iter().map(|&term| self.as_constant(term)).collect();
        if let Some(values) = values {
            let sorts: Vec<&Sort> = operands.iter().map(|&term| self.sort(term)).collect();
            let value = apply(&op, &values, &sorts, &sort);
            return self.constant_of(value, sort);
        }
        self.intern(op, operands, sort)
    }

    /// A value with the smallest sort that has it.
    pub fn constant(&mut self, value: Value) -> TermId {
        let sort = value.sort();
        self.intern(Op::Constant(value), &[], sort)
    }

    /// A folded result: scalars get their smallest sort, arrays keep the given one.
    fn constant_of(&mut self, value: Value, sort: Sort) -> TermId {
        match value {
            Value::Array(_) => self.intern(Op::Constant(value), &[], sort),
            scalar => self.constant(scalar),
        }
    }

    /// A truth value.
    pub fn truth(&mut self, truth: bool) -> TermId {
        self.constant(Value::Bool(truth))
    }

    /// An integer.
    pub fn integer(&mut self, number: i64) -> TermId {
        self.constant(Value::Int(number))
    }

    /// A variable now. Systems offer `TransitionSystem::current`, which knows the sort.
    pub fn current(&mut self, variable: VarId, sort: Sort) -> TermId {
        self.intern(Op::Current(variable), &[], sort)
    }

    /// A variable after the step.
    pub fn next(&mut self, variable: VarId, sort: Sort) -> TermId {
        self.intern(Op::Next(variable), &[], sort)
    }

    // ----- Boolean connectives -----

    /// `!a`
    pub fn not(&mut self, a: TermId) -> TermId {
        assert!(self.is_bool(a), "negation of a term of sort {}", self.sort(a));
        match self.op(a) {
            Op::Not => self.operands(a)[0],
            Op::Constant(Value::Bool(truth)) => {
                let truth = !truth;
                self.truth(truth)
            }
            _ => self.intern(Op::Not, &[a], Sort::Bool),
        }
    }

    /// The conjunction of all.
    pub fn and(&mut self, operands: impl IntoIterator<Item = TermId>) -> TermId {
        self.connective(Op::And, operands.into_iter().collect())
    }

    /// The conjunction of two, as a gate of a circuit: unlike [`Terms::and`] it never takes an operand apart, so that a graph of gates
    /// stays as small as it is (a chain of `n` gates that are all used elsewhere would flatten to `n²` operands).
    pub fn and_gate(&mut self, a: TermId, b: TermId) -> TermId {
        assert!(
            self.is_bool(a) && self.is_bool(b),
            "an and-gate of terms that are not Boolean"
        );
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let negates =
            |terms: &Terms, x: TermId, y: TermId| *terms.op(x) == Op::Not && terms.operands(x)[0] == y;
        match (self.as_truth(a), self.as_truth(b)) {
            (Some(false), _) | (_, Some(true)) => a,
            (_, Some(false)) | (Some(true), _) => b,
            _ if a == b => a,
            _ if negates(self, a, b) || negates(self, b, a) => self.truth(false),
            _ => self.intern(Op::And, &[a, b], Sort::Bool),
        }
    }

    /// The disjunction of all.
    pub fn or(&mut self, operands: impl IntoIterator<Item = TermId>) -> TermId {
        self.connective(Op::Or, operands.into_iter().collect())
    }

    fn connective(&mut self, op: Op, operands: Vec<TermId>) -> TermId {
        // `absorbing` decides the connective alone; its complement is neutral.
        let absorbing = op == Op::Or;
        let mut flat: Vec<TermId> = Vec::with_capacity(operands.len());
        for operand in operands {
            assert!(
                self.is_bool(operand),
                "Boolean connective of a term of sort {}",
                self.sort(operand)
            );
            match self.as_truth(operand) {
                Some(truth) if truth == absorbing => return operand,
                Some(_) => {}
                None if *self.op(operand) == op => flat.extend_from_slice(self.operands(operand)),
                None => flat.push(operand),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let has_complement = flat.iter().any(|&operand| {
            *self.op(operand) == Op::Not && flat.binary_search(&self.operands(operand)[0]).is_ok()
        });
        if has_complement {
            return self.truth(absorbing);
        }
        match flat.as_slice() {
            [] => self.truth(!absorbing),
            [single] => *single,
            _ => self.intern(op, &flat, Sort::Bool),
        }
    }

    /// `a -> b`
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or([not_a, b])
    }

    /// `a <-> b`
    pub fn iff(&mut self, a: TermId, b: TermId) -> TermId {
        assert!(
            self.is_bool(a) && self.is_bool(b),
            "equivalence of terms that are not Boolean"
        );
        self.equal(a, b).expect("Booleans are comparable")
    }

    /// Exclusive or of truth values.
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.iff(a, b);
        self.not(same)
    }

    // ----- every sort -----

    /// `if condition then a else b`
    pub fn ite(&mut self, condition: TermId, a: TermId, b: TermId) -> Built {
        assert!(
            self.is_bool(condition),
            "condition of sort {}",
            self.sort(condition)
        );
        let sort = self
            .sort(a)
            .join(self.sort(b))
            .map_err(|_| self.mismatch("a choice", &[a, b]))?;
        if let Some(truth) = self.as_truth(condition) {
            return Ok(if truth { a } else { b });
        }
        if a == b {
            return Ok(a);
        }
        if sort == Sort::Bool {
            match (self.as_truth(a), self.as_truth(b)) {
                (Some(true), _) => return Ok(self.or([condition, b])),
                (_, Some(false)) => return Ok(self.and([condition, a])),
                (Some(false), _) => {
                    let otherwise = self.not(condition);
                    return Ok(self.and([otherwise, b]));
                }
                (_, Some(true)) => return Ok(self.implies(condition, a)),
                _ => {}
            }
        }
        if *self.op(condition) == Op::Not {
            let positive = self.operands(condition)[0];
            return Ok(self.intern(Op::Ite, &[positive, b, a], sort));
        }
        Ok(self.intern(Op::Ite, &[condition, a, b], sort))
    }

    /// `a = b`
    pub fn equal(&mut self, a: TermId, b: TermId) -> Built {
        if !self.sort(a).comparable(self.sort(b)) {
            return Err(self.mismatch("equality", &[a, b]));
        }
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return Ok(self.truth(true));
        }
        if self.is_bool(a) {
            for (constant, other) in [(a, b), (b, a)] {
                match self.as_truth(constant) {
                    Some(true) => return Ok(other),
                    Some(false) => return Ok(self.not(other)),
                    None => {}
                }
            }
            if let (Op::Not, _) | (_, Op::Not) = (self.op(a), self.op(b)) {
                let strip = |terms: &Terms, term: TermId| match terms.op(term) {
                    Op::Not => (terms.operands(term)[0], true),
                    _ => (term, false),
                };
                let ((inner_a, flip_a), (inner_b, flip_b)) = (strip(self, a), strip(self, b));
                let same = self.equal(inner_a, inner_b)?;
                return Ok(if flip_a != flip_b { self.not(same) } else { same });
            }
        }
        if self.disjoint(a, b) {
            return Ok(self.truth(false));
        }
        Ok(self.operation(Op::Equal, &[a, b], Sort::Bool))
    }

    fn disjoint(&self, a: TermId, b: TermId) -> bool {
        let (left, right) = (self.sort(a), self.sort(b));
        if let (Some((a, b)), Some((c, d))) = (left.integer_bounds(), right.integer_bounds())
            && (b < c || d < a)
        {
            return true;
        }
        match (left, right) {
            (Sort::Enum(values), other) | (other, Sort::Enum(values)) => {
                !values.iter().any(|value| other.contains(value))
            }
            _ => false,
        }
    }

    /// `a != b`
    pub fn differ(&mut self, a: TermId, b: TermId) -> Built {
        let same = self.equal(a, b)?;
        Ok(self.not(same))
    }

    /// `a = v1 | a = v2 | …`
    pub fn one_of(&mut self, a: TermId, choices: &[TermId]) -> Built {
        let equalities: Result<Vec<TermId>, SortError> =
            choices.iter().map(|&choice| self.equal(a, choice)).collect();
        Ok(self.or(equalities?))
    }

    // ----- arithmetic -----

    /// Turns an integer enumeration into the integers it consists of; other sorts stay.
    pub(crate) fn integral(&mut self, term: TermId) -> TermId {
        match (self.sort(term), self.sort(term).integer_bounds()) {
            (Sort::Enum(_), Some((low, high))) => {
                self.operation(Op::AsInteger, &[term], Sort::Range { low, high })
            }
            _ => term,
        }
    }

    /// `a < b`
    pub fn less(&mut self, a: TermId, b: TermId) -> Built {
        let (a, b) = (self.integral(a), self.integral(b));
        match (self.sort(a), self.sort(b)) {
            (
                Sort::Range {
                    low: a_low,
                    high: a_high,
                },
                Sort::Range {
                    low: b_low,
                    high: b_high,
                },
            ) => {
                if a_high < b_low {
                    return Ok(self.truth(true));
                }
                if a_low >= b_high {
                    return Ok(self.truth(false));
                }
            }
            (left @ Sort::Word { .. }, right) if left == right => {}
            _ => return Err(self.mismatch("comparison", &[a, b])),
        }
        if a == b {
            return Ok(self.truth(false));
        }
        Ok(self.operation(Op::Less, &[a, b], Sort::Bool))
    }

    /// `a <= b`
    pub fn less_equal(&mut self, a: TermId, b: TermId) -> Built {
        let greater = self.less(b, a)?;
        Ok(self.not(greater))
    }

    fn arithmetic(
        &mut self,
        name: &'static str,
        op: Op,
        a: TermId,
        b: TermId,
        bounds: fn(Bounds, Bounds) -> Bounds,
    ) -> Built {
        let (a, b) = (self.integral(a), self.integral(b));
        let sort = match (self.sort(a), self.sort(b)) {
            (
                Sort::Range {
                    low: a_low,
                    high: a_high,
                },
                Sort::Range {
                    low: b_low,
                    high: b_high,
                },
            ) => {
                let wide = |low: &i64, high: &i64| (i128::from(*low), i128::from(*high));
                let (low, high) = bounds(wide(a_low, a_high), wide(b_low, b_high));
                match (i64::try_from(low), i64::try_from(high)) {
                    (Ok(low), Ok(high)) => Sort::Range { low, high },
                    _ => {
                        let operands = format!(
                            "{} and {}: the result exceeds 64 bits",
                            self.sort(a),
                            self.sort(b)
                        );
                        return Err(SortError {
                            operation: name,
                            operands,
                        });
                    }
                }
            }
            (left @ Sort::Word { .. }, right) if left == right => left.clone(),
            _ => return Err(self.mismatch(name, &[a, b])),
        };
        Ok(self.operation(op, &[a, b], sort))
    }

    /// `a + b`
    pub fn add(&mut self, a: TermId, b: TermId) -> Built {
        self.arithmetic("addition", Op::Add, a, b, |(a, b), (c, d)| (a + c, b + d))
    }

    /// `a - b`
    pub fn subtract(&mut self, a: TermId, b: TermId) -> Built {
        self.arithmetic("subtraction", Op::Subtract, a, b, |(a, b), (c, d)| (a - d, b - c))
    }

    /// `a * b`
    pub fn multiply(&mut self, a: TermId, b: TermId) -> Built {
        self.arithmetic("multiplication", Op::Multiply, a, b, |(a, b), (c, d)| {
            let corners = [a * c, a * d, b * c, b * d];
            let fold = |pick: fn(i128, i128) -> i128| corners.into_iter().reduce(pick).unwrap_or_default();
            (fold(i128::min), fold(i128::max))
        })
    }

    /// `a / b` towards zero
    pub fn divide(&mut self, a: TermId, b: TermId) -> Built {
        self.arithmetic("division", Op::Divide, a, b, |(a, b), (c, d)| {
            let most = a.abs().max(b.abs());
            match (a >= 0, c >= 0) {
                (true, true) => (0, b / c.max(1)),
                _ if b <= 0 && d <= 0 => (0, most),
                _ => (-most, most),
            }
        })
    }

    /// `a mod b` with the sign of `a`
    pub fn remainder(&mut self, a: TermId, b: TermId) -> Built {
        self.arithmetic("remainder", Op::Remainder, a, b, |(a, b), (c, d)| {
            let (low, high) = (a.min(0), b.max(0));
            if c <= 0 && 0 <= d {
                return (low, high);
            }
            let most = c.abs().max(d.abs()) - 1;
            (low.max(-most), high.min(most))
        })
    }

    /// `-a`
    pub fn negate(&mut self, a: TermId) -> Built {
        let a = self.integral(a);
        let sort = match self.sort(a) {
            Sort::Range { low, high } => match (high.checked_neg(), low.checked_neg()) {
                (Some(low), Some(high)) => Sort::Range { low, high },
                _ => return Err(self.mismatch("negation", &[a])),
            },
            word @ Sort::Word { .. } => word.clone(),
            _ => return Err(self.mismatch("negation", &[a])),
        };
        Ok(self.operation(Op::Negate, &[a], sort))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boolean(terms: &mut Terms, index: u32) -> TermId {
        terms.current(VarId::new(index), Sort::Bool)
    }

    #[test]
    fn equal_terms_have_equal_ids_and_operands_come_first() {
        let mut terms = Terms::new();
        let (a, b) = (boolean(&mut terms, 0), boolean(&mut terms, 1));
        let ab = terms.and([a, b]);
        let ba = terms.and([b, a, b]);
        assert_eq!(ab, ba);
        assert!(terms.operands(ab).iter().all(|&operand| operand < ab));
    }

    #[test]
    fn complements_and_constants_decide_connectives() {
        let mut terms = Terms::new();
        let (a, b) = (boolean(&mut terms, 0), boolean(&mut terms, 1));
        let not_a = terms.not(a);
        let contradiction = terms.and([b, a, not_a]);
        assert_eq!(terms.as_truth(contradiction), Some(false));
        let nothing = terms.and([]);
        assert_eq!(terms.as_truth(nothing), Some(true));
        let xor = terms.xor(a, not_a);
        assert_eq!(terms.as_truth(xor), Some(true));
    }

    #[test]
    fn gates_are_not_taken_apart() {
        let mut terms = Terms::new();
        let (a, b, c) = (
            boolean(&mut terms, 0),
            boolean(&mut terms, 1),
            boolean(&mut terms, 2),
        );
        let ab = terms.and_gate(b, a);
        let abc = terms.and_gate(ab, c);
        assert_eq!(terms.operands(abc), [c, ab]);
        let (not_c, yes, no) = (terms.not(c), terms.truth(true), terms.truth(false));
        assert_eq!(terms.and_gate(not_c, c), no);
        assert_eq!(
            [
                terms.and_gate(yes, c),
                terms.and_gate(c, c),
                terms.and_gate(no, c)
            ],
            [c, c, no]
        );
    }

    #[test]
    fn integer_sorts_contain_every_result() {
        let mut terms = Terms::new();
        for (a_low, a_high, b_low, b_high) in [(-3, 4, -2, 3), (0, 5, 1, 3), (-5, -1, -4, -2), (2, 3, 0, 0)] {
            let x = terms.current(VarId::new(0), Sort::range(a_low, a_high));
            let y = terms.current(VarId::new(1), Sort::range(b_low, b_high));
            let built = [
                terms.add(x, y),
                terms.subtract(x, y),
                terms.multiply(x, y),
                terms.divide(x, y),
                terms.remainder(x, y),
            ];
            for term in built {
                let term = term.expect("integers");
                let sort = terms.sort(term).clone();
                for a in a_low..=a_high {
                    for b in b_low..=b_high {
                        let values = [Some(Value::Int(a)), Some(Value::Int(b))];
                        let value = crate::evaluate(&terms, term, crate::Valuation::state(&values));
                        let value = value.expect("all variables have values");
                        assert!(
                            sort.contains(&value),
                            "{:?} {a} {b} = {value} outside {sort}",
                            terms.op(term)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn domains_decide_comparisons() {
        let mut terms = Terms::new();
        let x = terms.current(VarId::new(0), Sort::range(0, 3));
        let nine = terms.integer(9);
        let equal = terms.equal(x, nine).expect("comparable");
        assert_eq!(terms.as_truth(equal), Some(false));
        let less = terms.less(x, nine).expect("comparable");
        assert_eq!(terms.as_truth(less), Some(true));
        let truth = terms.truth(true);
        assert!(terms.equal(x, truth).is_err());
    }
}
