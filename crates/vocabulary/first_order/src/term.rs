//! Sorts, symbols and hash-consed terms.
//!
//! A term is an operator with operands; equal terms have equal numbers, and operands have smaller numbers than the terms that use them,
//! so that no algorithm over terms needs recursion. Operators are few: what SMT-LIB has besides is written with them when a term is
//! built (`build.rs`, `words.rs`). Quantifiers bind symbols.

use crate::{FloatOp, Format, Rational, Rounding};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use num_bigint::BigUint;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// A sort's number in its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SortId(u32);

/// A symbol's number in its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(u32);

/// A term's number in its [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(u32);

impl SortId {
    /// Truth values.
    pub const BOOL: SortId = SortId(0);
    /// Whole numbers.
    pub const INT: SortId = SortId(1);
    /// Real numbers.
    pub const REAL: SortId = SortId(2);

    /// Whether it is [`SortId::INT`] or [`SortId::REAL`].
    pub fn is_arithmetic(self) -> bool {
        self == SortId::INT || self == SortId::REAL
    }
}

impl SortId {
    /// Its number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl SymbolId {
    /// Its number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl TermId {
    /// Its number.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The term of this number.
    pub fn from_index(index: usize) -> TermId {
        TermId(index as u32)
    }
}

/// A set of values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Whole numbers.
    Int,
    /// Real numbers.
    Real,
    /// Words of this many bits.
    Word(u32),
    /// Floating-point numbers of a format.
    Float(Format),
    /// Rounding modes.
    Rounding,
    /// Total maps from an index sort to an element sort.
    Array(SortId, SortId),
    /// A non-empty set that nothing else is known of.
    Uninterpreted(String),
}

/// A function symbol; a constant has no argument sorts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name as the source writes it, without bars.
    pub name: String,
    /// Sorts of the arguments.
    pub arguments: Vec<SortId>,
    /// Sort of the result.
    pub result: SortId,
}

/// What a term does with its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Truth.
    True,
    /// Falsehood.
    False,
    /// Negation.
    Not,
    /// Conjunction of any number.
    And,
    /// Disjunction of any number.
    Or,
    /// Exclusive disjunction of two.
    Xor,
    /// Equality of two of one sort.
    Eq,
    /// If-then-else.
    Ite,
    /// A symbol applied to its arguments.
    Apply(SymbolId),
    /// For all values of these symbols, the operand.
    Forall(Box<[SymbolId]>),
    /// A number.
    Number(Rational),
    /// A sum of any number.
    Add,
    /// A product of any number.
    Mul,
    /// Less than or equal.
    Le,
    /// Less than.
    Lt,
    /// An integer as a real.
    ToReal,
    /// The floor of a real.
    ToInt,
    /// Euclidean quotient; 0 where the divisor is 0.
    IntDiv,
    /// Real quotient; 0 where the divisor is 0.
    Divide,
    /// A word.
    Word(BigUint),
    /// High part, low part.
    Concat,
    /// Bits from the first number down to the second.
    Extract(u32, u32),
    /// Bitwise complement.
    WordNot,
    /// Bitwise conjunction.
    WordAnd,
    /// Bitwise disjunction.
    WordOr,
    /// Bitwise exclusive disjunction.
    WordXor,
    /// Two's complement.
    WordNeg,
    /// Sum that wraps.
    WordAdd,
    /// Product that wraps.
    WordMul,
    /// Unsigned quotient; all ones where the divisor is 0.
    WordDivide,
    /// Unsigned remainder; the dividend where the divisor is 0.
    WordRemainder,
    /// Shift to the left, zeros come in.
    ShiftLeft,
    /// Shift to the right, zeros come in.
    ShiftRight,
    /// Shift to the right, the sign comes in.
    ShiftRightSigned,
    /// Unsigned less than.
    WordLess,
    /// Signed less than.
    WordLessSigned,
    /// The element of an array at an index.
    Select,
    /// An array changed at an index.
    Store,
    /// The array that has the operand everywhere.
    ConstantArray,
    /// An index at which two arrays differ, if they do.
    Difference,
    /// A rounding mode.
    Rounding(Rounding),
    /// An operation on floating-point numbers.
    Float(FloatOp),
}

/// A term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TermNode {
    /// The operator.
    pub op: Op,
    /// The operands.
    pub args: Box<[TermId]>,
    /// The sort of its values.
    pub sort: SortId,
}

/// The store of sorts, symbols and terms.
#[derive(Clone, Debug)]
pub struct Terms {
    sorts: Vec<Sort>,
    sort_ids: FxHashMap<Sort, SortId>,
    symbols: Vec<Symbol>,
    nodes: Vec<TermNode>,
    /// The numbers of all terms, found by their nodes.
    ids: HashTable<TermId>,
    /// Functions that say what a division by zero gives.
    pub(crate) by_zero: FxHashMap<&'static str, SymbolId>,
    /// Functions that say what operations on floating-point numbers give where they are not determined.
    pub(crate) undetermined: FxHashMap<String, SymbolId>,
    /// Symbols that stand for functions whose meaning is not modelled.
    inexact: FxHashMap<(String, SortId), SymbolId>,
    /// Terms of words as they were written, with what laws made of them.
    laws: Vec<(TermId, TermId)>,
    lawful: rustc_hash::FxHashSet<TermId>,
    /// Sums that are the numbers of words.
    pub(crate) numbers_of_words: FxHashMap<TermId, TermId>,
    /// Triggers written with universal formulas.
    triggers: FxHashMap<TermId, Vec<Vec<TermId>>>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// A store with the truth values.
    pub fn new() -> Terms {
        let mut terms = Terms {
            sorts: Vec::new(),
            sort_ids: FxHashMap::default(),
            symbols: Vec::new(),
            nodes: Vec::new(),
            ids: HashTable::new(),
            by_zero: FxHashMap::default(),
            undetermined: FxHashMap::default(),
            inexact: FxHashMap::default(),
            laws: Vec::new(),
            lawful: rustc_hash::FxHashSet::default(),
            numbers_of_words: FxHashMap::default(),
            triggers: FxHashMap::default(),
        };
        for sort in [Sort::Bool, Sort::Int, Sort::Real] {
            terms.sort_id(sort);
        }
        terms.make(Op::True, &[], SortId::BOOL);
        terms.make(Op::False, &[], SortId::BOOL);
        terms
    }

    /// Truth.
    pub fn truth(&self) -> TermId {
        TermId(0)
    }

    /// Falsehood.
    pub fn falsehood(&self) -> TermId {
        TermId(1)
    }

    /// The number of a sort.
    pub fn sort_id(&mut self, sort: Sort) -> SortId {
        if let Some(&known) = self.sort_ids.get(&sort) {
            return known;
        }
        let id = SortId(self.sorts.len() as u32);
        self.sorts.push(sort.clone());
        self.sort_ids.insert(sort, id);
        id
    }

    /// The sort of words of this width.
    pub fn word_sort(&mut self, width: u32) -> SortId {
        self.sort_id(Sort::Word(width))
    }

    /// The sort of this number.
    pub fn sort(&self, id: SortId) -> &Sort {
        &self.sorts[id.0 as usize]
    }

    /// A new symbol; another one of the same name is another symbol.
    pub fn declare(&mut self, name: &str, arguments: &[SortId], result: SortId) -> SymbolId {
        self.symbols.push(Symbol {
            name: name.to_owned(),
            arguments: arguments.to_vec(),
            result,
        });
        SymbolId(self.symbols.len() as u32 - 1)
    }

    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.index()]
    }

    /// How many symbols there are.
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// A function whose meaning is not modelled, applied: an arbitrary function of this name stands for it. A model of formulas with
    /// such terms proves nothing ([`Terms::is_inexact`]).
    pub fn inexact(&mut self, name: &str, args: &[TermId], result: SortId) -> TermId {
        let key = (name.to_owned(), result);
        let symbol = match self.inexact.get(&key) {
            Some(&known) => known,
            None => {
                let sorts: Vec<SortId> = args.iter().map(|&arg| self.sort_of(arg)).collect();
                let fresh = self.declare(name, &sorts, result);
                self.inexact.insert(key, fresh);
                fresh
            }
        };
        self.make(Op::Apply(symbol), args, result)
    }

    /// Whether formulas speak of functions whose meaning is not modelled.
    pub fn is_inexact(&self, formulas: &[TermId]) -> bool {
        !self.inexact.is_empty()
            && self.cone(formulas).iter().any(|&term| {
                matches!(self.op(term), Op::Apply(symbol) if self.inexact.values().any(|one| one == symbol))
            })
    }

    /// A new constant as a term.
    pub fn constant(&mut self, name: &str, sort: SortId) -> TermId {
        let symbol = self.declare(name, &[], sort);
        self.make(Op::Apply(symbol), &[], sort)
    }

    /// The term of a symbol without arguments.
    pub fn constant_of(&mut self, symbol: SymbolId) -> TermId {
        let sort = self.symbol(symbol).result;
        self.make(Op::Apply(symbol), &[], sort)
    }

    /// The term of an operator and operands, as it is, nothing simplified.
    pub fn make(&mut self, op: Op, args: &[TermId], sort: SortId) -> TermId {
        let hash_of = |op: &Op, args: &[TermId]| FxBuildHasher.hash_one((op, args, sort));
        let nodes = &self.nodes;
        let is_same = |known: &TermId| {
            let node = &nodes[known.index()];
            *node.args == *args && node.sort == sort && node.op == op
        };
        let rehash = |known: &TermId| {
            let node = &nodes[known.index()];
            FxBuildHasher.hash_one((&node.op, &*node.args, node.sort))
        };
        match self.ids.entry(hash_of(&op, args), is_same, rehash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let id = TermId(nodes.len() as u32);
                place.insert(id);
                self.nodes.push(TermNode {
                    op,
                    args: args.into(),
                    sort,
                });
                id
            }
        }
    }

    /// A term's node.
    #[inline]
    pub fn node(&self, id: TermId) -> &TermNode {
        &self.nodes[id.index()]
    }

    /// A term's operator.
    #[inline]
    pub fn op(&self, id: TermId) -> &Op {
        &self.nodes[id.index()].op
    }

    /// A term's operands.
    #[inline]
    pub fn args(&self, id: TermId) -> &[TermId] {
        &self.nodes[id.index()].args
    }

    /// A term's sort.
    #[inline]
    pub fn sort_of(&self, id: TermId) -> SortId {
        self.nodes[id.index()].sort
    }

    /// Notes that a law made `built` of an operator and operands.
    pub(crate) fn note_law(&mut self, op: Op, args: &[TermId], sort: SortId, built: TermId) -> TermId {
        let written = self.make(op, args, sort);
        if written != built && self.lawful.insert(written) {
            self.laws.push((written, built));
        }
        built
    }

    /// Terms of words as they were written, with what laws made of them when they were built, in the order in which they were met first.
    /// Whoever believes formulas made by [`Terms::build`] relies on these pairs being equal, and can show it for each of them.
    pub fn applied_laws(&self) -> &[(TermId, TermId)] {
        &self.laws
    }

    /// Notes the triggers written with a universal formula (`:pattern`): each is a list of terms that are matched together. They say where
    /// instances are worth having and mean nothing; [`Terms::substitute`] carries them along.
    pub fn note_triggers(&mut self, universal: TermId, triggers: Vec<Vec<TermId>>) {
        if !triggers.is_empty() {
            self.triggers.insert(universal, triggers);
        }
    }

    /// The triggers written with a universal formula.
    pub fn triggers(&self, universal: TermId) -> &[Vec<TermId>] {
        self.triggers.get(&universal).map_or(&[], Vec::as_slice)
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the truth values are always there.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The width of a word term; 0 for others.
    pub fn width(&self, id: TermId) -> u32 {
        match self.sort(self.sort_of(id)) {
            Sort::Word(width) => *width,
            _ => 0,
        }
    }

    /// The number a term is written as.
    pub fn number(&self, id: TermId) -> Option<&Rational> {
        match self.op(id) {
            Op::Number(value) => Some(value),
            _ => None,
        }
    }

    /// The word a term is written as.
    pub fn word_value(&self, id: TermId) -> Option<&BigUint> {
        match self.op(id) {
            Op::Word(value) => Some(value),
            _ => None,
        }
    }

    /// The terms that the roots are built from, themselves included, operands first.
    pub fn cone(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen: rustc_hash::FxHashSet<TermId> = roots.iter().copied().collect();
        let mut waiting: Vec<TermId> = seen.iter().copied().collect();
        while let Some(term) = waiting.pop() {
            for &arg in self.args(term) {
                if seen.insert(arg) {
                    waiting.push(arg);
                }
            }
        }
        let mut cone: Vec<TermId> = seen.into_iter().collect();
        cone.sort_unstable();
        cone
    }

    /// The term with its operands replaced, simplified as when it was built.
    pub fn rebuild(&mut self, id: TermId, args: &[TermId]) -> TermId {
        if self.args(id) == args {
            return id;
        }
        let node = self.node(id).clone();
        self.build(node.op, args, node.sort)
    }

    /// The roots with terms replaced as the map says; the map is extended with all that was met.
    pub fn substitute(&mut self, roots: &[TermId], map: &mut FxHashMap<TermId, TermId>) -> Vec<TermId> {
        let mut waiting: Vec<TermId> = roots.to_vec();
        while let Some(&term) = waiting.last() {
            if map.contains_key(&term) {
                waiting.pop();
                continue;
            }
            let before = waiting.len();
            let written = self.triggers(term).iter().flatten();
            for &arg in self.node(term).args.iter().chain(written) {
                if !map.contains_key(&arg) {
                    waiting.push(arg);
                }
            }
            if waiting.len() > before {
                continue;
            }
            let args: Vec<TermId> = self.args(term).iter().map(|arg| map[arg]).collect();
            let image = self.rebuild(term, &args);
            if image != term && matches!(self.op(image), Op::Forall(_)) {
                let written = self.triggers(term).iter();
                let moved = written.map(|parts| parts.iter().map(|part| map[part]).collect());
                let moved = moved.collect();
                self.note_triggers(image, moved);
            }
            map.insert(term, image);
            waiting.pop();
        }
        roots.iter().map(|root| map[root]).collect()
    }
}
