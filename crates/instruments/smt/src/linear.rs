//! Linear forms: sums of terms with rational factors.

use entail_first_order::{Op, Rational, SortId, TermId, Terms};
use rustc_hash::FxHashMap;

/// A sum of leaves with factors that are not zero, sorted by leaf, and a constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct LinearForm {
    pub parts: Vec<(TermId, Rational)>,
    pub constant: Rational,
}

impl LinearForm {
    pub fn add(&mut self, other: &LinearForm, factor: &Rational) {
        if factor.is_zero() {
            return;
        }
        self.constant += &(&other.constant * factor);
        let mut sum = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut left, mut right) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (Some((a, x)), Some((b, y))) if a == b => {
                    let value = x + &(y * factor);
                    if !value.is_zero() {
                        sum.push((*a, value));
                    }
                    left.next();
                    right.next();
                }
                (Some((a, x)), Some((b, _))) if a < b => {
                    sum.push((*a, x.clone()));
                    left.next();
                }
                (Some((a, x)), None) => {
                    sum.push((*a, x.clone()));
                    left.next();
                }
                (_, Some((b, y))) => {
                    sum.push((*b, y * factor));
                    right.next();
                }
                (None, None) => break,
            }
        }
        self.parts = sum;
    }

    pub fn scale(&mut self, factor: &Rational) {
        self.constant = &self.constant * factor;
        self.parts
            .iter_mut()
            .for_each(|(_, value)| *value = &*value * factor);
    }
}

/// Linear forms of terms, kept.
#[derive(Default)]
pub(crate) struct Forms {
    known: FxHashMap<TermId, LinearForm>,
}

impl Forms {
    /// The form of an arithmetic term; products of variables, conditionals and applications are leaves.
    pub fn of(&mut self, terms: &Terms, root: TermId) -> LinearForm {
        let mut waiting = vec![root];
        while let Some(&term) = waiting.last() {
            if self.known.contains_key(&term) {
                waiting.pop();
                continue;
            }
            let node = terms.node(term);
            let inner: &[TermId] = match &node.op {
                Op::Add => &node.args,
                Op::Mul if node.args.len() == 2 && terms.number(node.args[0]).is_some() => &node.args[1..],
                Op::ToReal => &node.args,
                _ => &[],
            };
            let before = waiting.len();
            waiting.extend(inner.iter().filter(|arg| !self.known.contains_key(arg)));
            if waiting.len() > before {
                continue;
            }
            let form = match &node.op {
                Op::Number(value) => LinearForm {
                    parts: Vec::new(),
                    constant: value.clone(),
                },
                Op::Add => {
                    let mut sum = LinearForm::default();
                    for arg in inner {
                        sum.add(&self.known[arg], &Rational::one());
                    }
                    sum
                }
                _ if !inner.is_empty() => {
                    let mut form = self.known[&inner[0]].clone();
                    if let (Op::Mul, Some(factor)) = (&node.op, terms.number(node.args[0])) {
                        form.scale(factor);
                    }
                    form
                }
                _ => LinearForm {
                    parts: vec![(term, Rational::one())],
                    constant: Rational::zero(),
                },
            };
            self.known.insert(term, form);
            waiting.pop();
        }
        self.known[&root].clone()
    }
}

/// Makes the factors whole numbers without common divisor, the first one positive; the factor the form was divided by.
pub(crate) fn normalize(form: &mut LinearForm) -> Rational {
    let Some((_, first)) = form.parts.first() else {
        return Rational::one();
    };
    let mut denominators = Rational::one();
    for (_, value) in &form.parts {
        let d = value.denominator_number();
        let g = denominators.gcd(&d);
        denominators = &denominators * &(&d / &g);
    }
    let mut divisor = Rational::zero();
    for (_, value) in &form.parts {
        divisor = divisor.gcd(&(value * &denominators));
    }
    let mut scale = &divisor / &denominators;
    if first.is_negative() {
        scale = -scale;
    }
    form.scale(&scale.recip());
    scale
}

/// A term with a factor. A product keeps its own factors apart from the number: it is a leaf.
pub(crate) fn scaled(terms: &mut Terms, factor: &Rational, term: TermId, sort: SortId) -> TermId {
    let number = terms.numeral(factor.clone(), sort);
    match terms.op(term) {
        _ if factor.is_one() => term,
        Op::Mul if !factor.is_zero() => terms.make(Op::Mul, &[number, term], sort),
        _ => terms.mul(&[number, term], sort),
    }
}

/// The term of a form without its constant.
pub(crate) fn term_of(terms: &mut Terms, form: &LinearForm, sort: SortId) -> TermId {
    let mut parts = Vec::with_capacity(form.parts.len());
    for (leaf, factor) in &form.parts {
        let leaf = if sort == SortId::REAL {
            terms.to_real(*leaf)
        } else {
            *leaf
        };
        parts.push(scaled(terms, factor, leaf, sort));
    }
    terms.add(&parts, sort)
}
