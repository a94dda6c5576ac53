//! Models: values of terms under the current assignment, and the interpretation they make.

use crate::solver::Solver;
use entail_first_order::{FunctionValue, Interpretation, Op, Rational, Sort, SortId, TermId, Terms, Value};
use num_bigint::BigUint;
use num_traits::Zero;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Values of terms under the solver's assignment.
pub(crate) struct Valuation<'a> {
    solver: &'a Solver,
    terms: &'a Terms,
    infinitesimal: Rational,
    forms: crate::linear::Forms,
    numbers: FxHashMap<TermId, Rational>,
    arrays: FxHashMap<usize, Value>,
    shape: Option<Rc<ArrayShape>>,
}

impl<'a> Valuation<'a> {
    pub fn new(solver: &'a Solver, terms: &'a Terms) -> Valuation<'a> {
        Valuation {
            infinitesimal: solver.simplex.concrete_infinitesimal(),
            solver,
            terms,
            forms: crate::linear::Forms::default(),
            numbers: FxHashMap::default(),
            arrays: FxHashMap::default(),
            shape: None,
        }
    }

    fn leaf(&self, leaf: TermId) -> Rational {
        match self.solver.leaves.get(&leaf) {
            Some(&var) => {
                let value = self.solver.simplex.value(var);
                &value.real + &(&value.infinitesimal * &self.infinitesimal)
            }
            None => Rational::zero(),
        }
    }

    /// The number of an arithmetic term.
    pub fn number(&mut self, term: TermId) -> Rational {
        if let Some(known) = self.numbers.get(&term) {
            return known.clone();
        }
        let form = self.forms.of(self.terms, term);
        let mut value = form.constant.clone();
        for (leaf, factor) in &form.parts {
            value += &(&self.leaf(*leaf) * factor);
        }
        self.numbers.insert(term, value.clone());
        value
    }

    /// The value of a term that the solver knows.
    pub fn of(&mut self, term: TermId) -> Value {
        let sort = self.terms.sort_of(term);
        match self.terms.sort(sort) {
            Sort::Bool => {
                let value = self
                    .solver
                    .lits
                    .get(&term)
                    .map_or(0, |&lit| self.solver.core.value(lit));
                Value::Bool(value > 0)
            }
            Sort::Int | Sort::Real => Value::Number(self.number(term)),
            Sort::Word(_) | Sort::Float(_) | Sort::Rounding => {
                let mut word = BigUint::zero();
                if let Some(bits) = self.solver.bits.get(&term) {
                    for (position, &bit) in bits.iter().enumerate() {
                        word.set_bit(position as u64, self.solver.core.value(bit) > 0);
                    }
                }
                Value::Word(word)
            }
            Sort::Uninterpreted(_) => {
                let node = self.solver.congruence.node(term);
                Value::Element(node.map_or(0, |node| self.solver.congruence.find(node) as u64))
            }
            Sort::Array(..) => self.array(term),
        }
    }

    fn array(&mut self, term: TermId) -> Value {
        let sort = self.terms.sort_of(term);
        let Some(node) = self.solver.congruence.node(term) else {
            return Value::of_sort(self.terms, sort);
        };
        let class = self.solver.congruence.find(node);
        if let Some(known) = self.arrays.get(&class) {
            return known.clone();
        }
        let (solver, terms) = (self.solver, self.terms);
        let shape = Rc::clone((self.shape).get_or_insert_with(|| Rc::new(ArrayShape::new(solver, terms))));
        let default = match shape.constants.get(&shape.component(class)) {
            Some(&constant) => self.of(constant),
            None => self.default_of(sort, shape.numbers.get(&shape.component(class)).copied()),
        };
        let mut value = Value::Array(Box::new(default), BTreeMap::new());
        for &read in shape.reads.get(&class).map_or(&[][..], Vec::as_slice) {
            let (index, element) = (self.of(self.terms.args(read)[1]), self.of(read));
            value = value.stored(index, element);
        }
        let value = value.unique(self.terms, sort);
        self.arrays.insert(class, value.clone());
        value
    }

    /// What an array has where nothing is known of it: for components of different numbers different elements, so that their arrays
    /// differ without anything having to be decided.
    fn default_of(&self, sort: SortId, component: Option<u64>) -> Value {
        let Sort::Array(index, element) = *self.terms.sort(sort) else {
            return Value::Bool(false);
        };
        let has_universals = !self.solver.universals.is_empty();
        let is_open = |sort: SortId| matches!(self.terms.sort(sort), Sort::Uninterpreted(_));
        let number = component.filter(|_| !has_universals || !(is_open(index) || is_open(element)));
        match (number, self.terms.sort(element)) {
            (Some(number), Sort::Int | Sort::Real) => Value::Number(Rational::integer(number as i64)),
            (Some(number), Sort::Word(width)) if number.checked_shr(*width).unwrap_or(0) == 0 => {
                Value::Word(BigUint::from(number))
            }
            (Some(number), Sort::Uninterpreted(_)) if number > 0 => {
                Value::Element(self.solver.congruence.len() as u64 + number)
            }
            _ => Value::of_sort(self.terms, element),
        }
    }
}

/// How the classes of arrays hang together: two are of one component if writes lead from one to the other. They agree almost everywhere.
struct ArrayShape {
    /// Towards the representatives of components.
    parents: FxHashMap<usize, usize>,
    /// Elements of the constant arrays in a component.
    constants: FxHashMap<usize, TermId>,
    /// The components, counted.
    numbers: FxHashMap<usize, u64>,
    /// The reads of a class.
    reads: FxHashMap<usize, Vec<TermId>>,
}

impl ArrayShape {
    fn new(solver: &Solver, terms: &Terms) -> ArrayShape {
        let congruence = &solver.congruence;
        let mut shape = ArrayShape {
            parents: FxHashMap::default(),
            constants: FxHashMap::default(),
            numbers: FxHashMap::default(),
            reads: FxHashMap::default(),
        };
        let class_of = |term: TermId| congruence.node(term).map(|node| congruence.find(node));
        for node in 0..congruence.len() {
            let term = congruence.term(node);
            let Some(&first) = terms.args(term).first() else {
                continue;
            };
            match (terms.op(term), class_of(first)) {
                (Op::Select, Some(array)) => shape.reads.entry(array).or_default().push(term),
                (Op::Store, Some(base)) => {
                    let (a, b) = (shape.component(congruence.find(node)), shape.component(base));
                    if a != b {
                        shape.parents.insert(a.max(b), a.min(b));
                    }
                }
                _ => {}
            }
        }
        for node in 0..congruence.len() {
            let term = congruence.term(node);
            if !matches!(terms.sort(terms.sort_of(term)), Sort::Array(..)) {
                continue;
            }
            let component = shape.component(congruence.find(node));
            if *terms.op(term) == Op::ConstantArray {
                shape.constants.insert(component, terms.args(term)[0]);
            }
            let next = shape.numbers.len() as u64;
            shape.numbers.entry(component).or_insert(next);
        }
        shape
    }

    fn component(&self, class: usize) -> usize {
        let mut at = class;
        while let Some(&parent) = self.parents.get(&at) {
            at = parent;
        }
        at
    }
}

impl Solver {
    /// The interpretation of the current assignment.
    pub(crate) fn build_model(&self, terms: &Terms) -> Interpretation {
        let mut values = Valuation::new(self, terms);
        let mut model = Interpretation::default();
        let mut known: Vec<TermId> = self.internalized.iter().copied().collect();
        known.sort_unstable();
        for term in known {
            let Op::Apply(symbol) = terms.op(term) else {
                continue;
            };
            let value = values.of(term);
            let arguments: Vec<Value> = terms.args(term).iter().map(|&arg| values.of(arg)).collect();
            let function = model.functions.entry(*symbol).or_insert_with(|| FunctionValue {
                table: BTreeMap::new(),
                otherwise: value.clone(),
            });
            if !arguments.is_empty() {
                function.table.insert(arguments, value);
            }
        }
        model
    }
}
