//! The syntax tree: CTL* with past and bounded operators.
//!
//! A [`Formula`] is a reference-counted tree, cheap to clone and to share; the operators are data ([`Unary`], [`Binary`])
//! so that code which treats them alike is written once. Conjunctions and disjunctions are flat lists, so a long one does
//! not make a deep tree. Passes recurse on the nesting through [`deep`], so a deep formula is slow at worst.

use crate::Interval;
use crate::nesting::deep;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// "On all paths" or "on some path".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantifier {
    /// `A`
    Forall,
    /// `E`
    Exists,
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unary {
    /// `X p`: in the next state.
    Next,
    /// `F p`: now or later.
    Finally,
    /// `G p`: now and always.
    Globally,
    /// `Y p`: there is a previous state and `p` is true in it.
    Yesterday,
    /// `Z p`: `p` is true in the previous state, if there is one.
    WeakYesterday,
    /// `O p`: now or earlier.
    Once,
    /// `H p`: now and always before.
    Historically,
}

/// Temporal operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binary {
    /// `p U q`: `q` now or later, `p` until then.
    Until,
    /// `p R q` (also `V`): `q` until and including the state where `p`, or for ever.
    Release,
    /// `p W q`: `p` until `q`, or for ever.
    WeakUntil,
    /// `p M q`: `q` until and including the state where `p`, which comes.
    StrongRelease,
    /// `p S q`: `q` now or earlier, `p` since then.
    Since,
    /// `p T q`: `q` since and including the state where `p`, or always.
    Triggered,
}

/// One node of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node<A> {
    /// True or false.
    Constant(bool),
    /// An atomic proposition.
    Atom(A),
    /// Negation.
    Not(Formula<A>),
    /// Conjunction.
    And(Vec<Formula<A>>),
    /// Disjunction.
    Or(Vec<Formula<A>>),
    /// Implication.
    Implies(Formula<A>, Formula<A>),
    /// Equivalence.
    Iff(Formula<A>, Formula<A>),
    /// Exclusive or.
    Xor(Formula<A>, Formula<A>),
    /// A path quantifier.
    Quantified(Quantifier, Formula<A>),
    /// A temporal operator with one operand. `Next` and the yesterdays have [`Interval::ALWAYS`].
    Unary(Unary, Interval, Formula<A>),
    /// A temporal operator with two operands.
    Binary(Binary, Interval, Formula<A>, Formula<A>),
}

/// A formula of CTL* with past.
#[derive(Debug)]
pub struct Formula<A>(Arc<Node<A>>);

// Comparing and hashing go through `deep` so that nesting cannot exhaust the stack; shared parts compare at once.

impl<A: PartialEq> PartialEq for Formula<A> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || deep(|| *self.0 == *other.0)
    }
}

impl<A: Eq> Eq for Formula<A> {}

impl<A: Hash> Hash for Formula<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        deep(|| self.0.hash(state));
    }
}

impl<A: PartialOrd> PartialOrd for Formula<A> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        deep(|| self.0.partial_cmp(&other.0))
    }
}

impl<A: Ord> Ord for Formula<A> {
    fn cmp(&self, other: &Self) -> Ordering {
        deep(|| self.0.cmp(&other.0))
    }
}

impl<A> Clone for Formula<A> {
    fn clone(&self) -> Self {
        Formula(Arc::clone(&self.0))
    }
}

/// A deep formula is taken apart with a list instead of the machine stack.
impl<A> Drop for Formula<A> {
    fn drop(&mut self) {
        let mut doomed = Vec::new();
        self.release_operands(&mut doomed);
        while let Some(mut formula) = doomed.pop() {
            formula.release_operands(&mut doomed);
        }
    }
}

impl<A> From<Node<A>> for Formula<A> {
    fn from(node: Node<A>) -> Self {
        Formula(Arc::new(node))
    }
}

impl<A> Formula<A> {
    /// The outermost operator with its operands.
    pub fn node(&self) -> &Node<A> {
        &self.0
    }

    /// A number that two clones share, and that differs between formulas alive at the same time: for caches.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Moves the operands out if nobody else holds this node, leaving a leaf.
    fn release_operands(&mut self, into: &mut Vec<Formula<A>>) {
        let Some(node) = Arc::get_mut(&mut self.0) else {
            return;
        };
        if matches!(node, Node::Constant(_) | Node::Atom(_)) {
            return;
        }
        match std::mem::replace(node, Node::Constant(false)) {
            Node::Constant(_) | Node::Atom(_) => {}
            Node::Not(a) | Node::Quantified(_, a) | Node::Unary(_, _, a) => into.push(a),
            Node::And(list) | Node::Or(list) => into.extend(list),
            Node::Implies(a, b) | Node::Iff(a, b) | Node::Xor(a, b) | Node::Binary(_, _, a, b) => {
                into.push(a);
                into.push(b);
            }
        }
    }

    /// True or false.
    pub fn constant(truth: bool) -> Self {
        Node::Constant(truth).into()
    }

    /// An atomic proposition.
    pub fn atom(atom: A) -> Self {
        Node::Atom(atom).into()
    }

    /// `!self`, without a double negation.
    pub fn not(&self) -> Self {
        match self.node() {
            Node::Not(inner) => inner.clone(),
            Node::Constant(truth) => Formula::constant(!truth),
            _ => Node::Not(self.clone()).into(),
        }
    }

    /// The conjunction; nested conjunctions are flattened, one operand stands for itself, none is true.
    pub fn and(operands: impl IntoIterator<Item = Formula<A>>) -> Self {
        Self::flat(operands, Node::And, |node| match node {
            Node::And(inner) => Some(inner),
            _ => None,
        })
        .unwrap_or_else(|| Formula::constant(true))
    }

    /// The disjunction; nested disjunctions are flattened, one operand stands for itself, none is false.
    pub fn or(operands: impl IntoIterator<Item = Formula<A>>) -> Self {
        Self::flat(operands, Node::Or, |node| match node {
            Node::Or(inner) => Some(inner),
            _ => None,
        })
        .unwrap_or_else(|| Formula::constant(false))
    }

    fn flat(
        operands: impl IntoIterator<Item = Formula<A>>,
        make: fn(Vec<Formula<A>>) -> Node<A>,
        nested: fn(&Node<A>) -> Option<&Vec<Formula<A>>>,
    ) -> Option<Self> {
        let mut list = Vec::new();
        for operand in operands {
            match nested(operand.node()) {
                Some(inner) => list.extend(inner.iter().cloned()),
                None => list.push(operand),
            }
        }
        if list.len() > 1 {
            Some(make(list).into())
        } else {
            list.pop()
        }
    }

    /// `self -> other`
    pub fn implies(&self, other: &Self) -> Self {
        Node::Implies(self.clone(), other.clone()).into()
    }

    /// `self <-> other`
    pub fn iff(&self, other: &Self) -> Self {
        Node::Iff(self.clone(), other.clone()).into()
    }

    /// `self xor other`
    pub fn xor(&self, other: &Self) -> Self {
        Node::Xor(self.clone(), other.clone()).into()
    }

    /// On all (fair) paths.
    pub fn forall(&self) -> Self {
        self.quantified(Quantifier::Forall)
    }

    /// On some (fair) path.
    pub fn exists(&self) -> Self {
        self.quantified(Quantifier::Exists)
    }

    /// Under a path quantifier.
    pub fn quantified(&self, quantifier: Quantifier) -> Self {
        Node::Quantified(quantifier, self.clone()).into()
    }

    /// A unary temporal operator without a bound.
    pub fn unary(op: Unary, operand: &Self) -> Self {
        Self::unary_within(op, Interval::ALWAYS, operand)
    }

    /// A unary temporal operator.
    pub fn unary_within(op: Unary, interval: Interval, operand: &Self) -> Self {
        Node::Unary(op, interval, operand.clone()).into()
    }

    /// A binary temporal operator without a bound.
    pub fn binary(op: Binary, left: &Self, right: &Self) -> Self {
        Self::binary_within(op, Interval::ALWAYS, left, right)
    }

    /// A binary temporal operator.
    pub fn binary_within(op: Binary, interval: Interval, left: &Self, right: &Self) -> Self {
        Node::Binary(op, interval, left.clone(), right.clone()).into()
    }

    /// `X self`
    pub fn next(&self) -> Self {
        Self::unary(Unary::Next, self)
    }

    /// `F self`
    pub fn finally(&self) -> Self {
        Self::unary(Unary::Finally, self)
    }

    /// `G self`
    pub fn globally(&self) -> Self {
        Self::unary(Unary::Globally, self)
    }

    /// `self U other`
    pub fn until(&self, other: &Self) -> Self {
        Self::binary(Binary::Until, self, other)
    }

    /// `self R other`
    pub fn release(&self, other: &Self) -> Self {
        Self::binary(Binary::Release, self, other)
    }

    /// The direct subformulas, left to right.
    pub fn operands(&self) -> Vec<&Formula<A>> {
        match self.node() {
            Node::Constant(_) | Node::Atom(_) => vec![],
            Node::Not(a) | Node::Quantified(_, a) | Node::Unary(_, _, a) => vec![a],
            Node::And(list) | Node::Or(list) => list.iter().collect(),
            Node::Implies(a, b) | Node::Iff(a, b) | Node::Xor(a, b) | Node::Binary(_, _, a, b) => vec![a, b],
        }
    }

    /// The same operator over other operands (as many as [`Formula::operands`] gives).
    pub fn with_operands(&self, operands: Vec<Formula<A>>) -> Self
    where
        A: Clone,
    {
        match self.node() {
            Node::Atom(_) => self.clone(),
            _ => self.over(operands),
        }
    }

    /// The same operator over operands that may have other atoms.
    ///
    /// # Panics
    /// An atom is no operator.
    pub fn over<B: Clone>(&self, operands: Vec<Formula<B>>) -> Formula<B> {
        let mut operands = operands.into_iter();
        let mut take = || operands.next().expect("as many operands as the operator has");
        match self.node() {
            Node::Constant(truth) => Formula::constant(*truth),
            Node::Atom(_) => panic!("an atom has no operands"),
            Node::Not(_) => take().not(),
            Node::And(_) => Formula::and(operands),
            Node::Or(_) => Formula::or(operands),
            Node::Implies(..) => Node::Implies(take(), take()).into(),
            Node::Iff(..) => Node::Iff(take(), take()).into(),
            Node::Xor(..) => Node::Xor(take(), take()).into(),
            Node::Quantified(quantifier, _) => Node::Quantified(*quantifier, take()).into(),
            Node::Unary(op, interval, _) => Node::Unary(*op, *interval, take()).into(),
            Node::Binary(op, interval, ..) => Node::Binary(*op, *interval, take(), take()).into(),
        }
    }

    /// The formula with every atom replaced.
    pub fn map_atoms<B: Clone>(&self, map: &mut impl FnMut(&A) -> B) -> Formula<B> {
        self.expand_atoms(&mut |atom| Formula::atom(map(atom)))
    }

    /// The formula with every atom replaced by a formula.
    pub fn expand_atoms<B: Clone>(&self, map: &mut impl FnMut(&A) -> Formula<B>) -> Formula<B> {
        if let Node::Atom(atom) = self.node() {
            return map(atom);
        }
        let operands = self.operands().into_iter();
        let operands = operands.map(|operand| deep(|| operand.expand_atoms(map)));
        self.over(operands.collect())
    }

    /// Calls `visit` on every atom, left to right.
    pub fn for_each_atom<'a>(&'a self, visit: &mut impl FnMut(&'a A)) {
        if let Node::Atom(atom) = self.node() {
            visit(atom);
        }
        for operand in self.operands() {
            deep(|| operand.for_each_atom(visit));
        }
    }

    /// Number of nodes, shared ones counted as often as they occur.
    pub fn size(&self) -> usize {
        1 + self
            .operands()
            .into_iter()
            .map(|operand| deep(|| operand.size()))
            .sum::<usize>()
    }

    /// Whether it has neither a temporal operator nor a path quantifier.
    pub fn is_propositional(&self) -> bool {
        !matches!(
            self.node(),
            Node::Quantified(..) | Node::Unary(..) | Node::Binary(..)
        ) && self
            .operands()
            .into_iter()
            .all(|operand| deep(|| operand.is_propositional()))
    }

    /// Whether its truth depends on a state alone: every temporal operator is below a path quantifier.
    pub fn is_state_formula(&self) -> bool {
        match self.node() {
            Node::Unary(..) | Node::Binary(..) => false,
            Node::Quantified(..) => true,
            _ => self
                .operands()
                .into_iter()
                .all(|operand| deep(|| operand.is_state_formula())),
        }
    }
}

impl Quantifier {
    /// The dual quantifier.
    pub fn dual(self) -> Quantifier {
        match self {
            Quantifier::Forall => Quantifier::Exists,
            Quantifier::Exists => Quantifier::Forall,
        }
    }

    /// Its letter.
    pub fn symbol(self) -> &'static str {
        match self {
            Quantifier::Forall => "A",
            Quantifier::Exists => "E",
        }
    }
}

impl Unary {
    /// The operator `d` with `!op p = d !p`. (`X` is its own dual because paths are infinite.)
    pub fn dual(self) -> Unary {
        match self {
            Unary::Next => Unary::Next,
            Unary::Finally => Unary::Globally,
            Unary::Globally => Unary::Finally,
            Unary::Yesterday => Unary::WeakYesterday,
            Unary::WeakYesterday => Unary::Yesterday,
            Unary::Once => Unary::Historically,
            Unary::Historically => Unary::Once,
        }
    }

    /// Its letter, as SMV writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Unary::Next => "X",
            Unary::Finally => "F",
            Unary::Globally => "G",
            Unary::Yesterday => "Y",
            Unary::WeakYesterday => "Z",
            Unary::Once => "O",
            Unary::Historically => "H",
        }
    }

    /// Whether it looks back.
    pub fn is_past(self) -> bool {
        matches!(
            self,
            Unary::Yesterday | Unary::WeakYesterday | Unary::Once | Unary::Historically
        )
    }
}

impl Binary {
    /// The operator `d` with `!(p op q) = !p d !q`.
    pub fn dual(self) -> Binary {
        match self {
            Binary::Until => Binary::Release,
            Binary::Release => Binary::Until,
            Binary::WeakUntil => Binary::StrongRelease,
            Binary::StrongRelease => Binary::WeakUntil,
            Binary::Since => Binary::Triggered,
            Binary::Triggered => Binary::Since,
        }
    }

    /// Its letter; SMV writes `V` for release.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::Until => "U",
            Binary::Release => "V",
            Binary::WeakUntil => "W",
            Binary::StrongRelease => "M",
            Binary::Since => "S",
            Binary::Triggered => "T",
        }
    }

    /// Whether it looks back.
    pub fn is_past(self) -> bool {
        matches!(self, Binary::Since | Binary::Triggered)
    }
}
