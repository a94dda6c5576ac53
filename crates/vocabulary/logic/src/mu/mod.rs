//! The modal mu-calculus in positive form (chapter 26, section 2).
//!
//! `p`, `!p`, `X`, `&`, `|`, `<a> f`, `[a] f`, `mu X. f`, `nu X. f`: negation stands in front of atoms only, so every body is
//! monotone in its variables and every fixpoint exists. A modality ranges over the edges of a set of [`Actions`]. The
//! negation of a formula without free variables is its [`Mu::dual`].
//!
//! Variables are names. An inner binder hides an outer one of the same name; [`Mu::well_named`] renames so that every name
//! is bound once and none is both bound and free, which the passes that look at a formula by its variables ask for.

mod actions;
mod alternation;
mod equation;
mod from_ctl;
mod guarded;
mod parse;
mod print;
mod program;

pub use actions::Actions;
pub use alternation::{Alternation, BoundVariable};
pub use equation::{Equation, EquationSystem};
pub use from_ctl::{Fairness, NotCtl};
pub use parse::parse_mu;

use crate::nesting::deep;
use hashbrown::{HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A fixpoint variable, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MuVar(Arc<str>);

impl MuVar {
    /// The variable of this name.
    pub fn new(name: impl AsRef<str>) -> MuVar {
        MuVar(Arc::from(name.as_ref()))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MuVar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An action label, by name.
pub type Action = Arc<str>;

/// Least or greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fixpoint {
    /// `mu`
    Least,
    /// `nu`
    Greatest,
}

impl Fixpoint {
    /// The dual fixpoint operator.
    pub fn dual(self) -> Fixpoint {
        match self {
            Fixpoint::Least => Fixpoint::Greatest,
            Fixpoint::Greatest => Fixpoint::Least,
        }
    }

    /// Where its approximation begins: `mu` with nothing, `nu` with everything.
    pub fn first_approximant(self) -> bool {
        self == Fixpoint::Greatest
    }
}

/// Some successor or every successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Modality {
    /// `<a> f`
    Some,
    /// `[a] f`
    Every,
}

impl Modality {
    /// The dual modality.
    pub fn dual(self) -> Modality {
        match self {
            Modality::Some => Modality::Every,
            Modality::Every => Modality::Some,
        }
    }
}

/// One node of a mu-calculus formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MuNode<A> {
    /// True or false.
    Constant(bool),
    /// An atomic proposition, or (`false`) its negation.
    Literal(A, bool),
    /// A variable.
    Variable(MuVar),
    /// Conjunction.
    And(Vec<Mu<A>>),
    /// Disjunction.
    Or(Vec<Mu<A>>),
    /// A modality over the edges of some actions.
    Modal(Modality, Actions, Mu<A>),
    /// A fixpoint.
    Fixpoint(Fixpoint, MuVar, Mu<A>),
}

/// A formula of the mu-calculus: a reference-counted tree, cheap to clone.
#[derive(Debug)]
pub struct Mu<A>(Arc<MuNode<A>>);

impl<A: PartialEq> PartialEq for Mu<A> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || deep(|| *self.0 == *other.0)
    }
}

impl<A: Eq> Eq for Mu<A> {}

impl<A: Hash> Hash for Mu<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        deep(|| self.0.hash(state));
    }
}

impl<A> Clone for Mu<A> {
    fn clone(&self) -> Self {
        Mu(Arc::clone(&self.0))
    }
}

impl<A> From<MuNode<A>> for Mu<A> {
    fn from(node: MuNode<A>) -> Self {
        Mu(Arc::new(node))
    }
}

/// A deep formula is taken apart with a list instead of the machine stack.
impl<A> Drop for Mu<A> {
    fn drop(&mut self) {
        let mut doomed = Vec::new();
        self.release_operands(&mut doomed);
        while let Some(mut formula) = doomed.pop() {
            formula.release_operands(&mut doomed);
        }
    }
}

impl<A> Mu<A> {
    /// The outermost operator with its operands.
    pub fn node(&self) -> &MuNode<A> {
        &self.0
    }

    fn release_operands(&mut self, into: &mut Vec<Mu<A>>) {
        let Some(node) = Arc::get_mut(&mut self.0) else {
            return;
        };
        if matches!(
            node,
            MuNode::Constant(_) | MuNode::Literal(..) | MuNode::Variable(_)
        ) {
            return;
        }
        match std::mem::replace(node, MuNode::Constant(false)) {
            MuNode::And(list) | MuNode::Or(list) => into.extend(list),
            MuNode::Modal(_, _, a) | MuNode::Fixpoint(_, _, a) => into.push(a),
            MuNode::Constant(_) | MuNode::Literal(..) | MuNode::Variable(_) => {}
        }
    }

    /// Calls `visit` for every atom, as often as it occurs.
    pub fn for_each_atom<'a>(&'a self, visit: &mut impl FnMut(&'a A)) {
        let mut pending = vec![self];
        while let Some(formula) = pending.pop() {
            if let MuNode::Literal(atom, _) = formula.node() {
                visit(atom);
            }
            pending.extend(formula.operands().iter().rev());
        }
    }

    /// The formula with a closed formula in place of each atom.
    pub fn expand_atoms<B: Clone>(&self, map: &mut impl FnMut(&A) -> Mu<B>) -> Mu<B> {
        deep(|| match self.node() {
            MuNode::Constant(truth) => Mu::from(MuNode::Constant(*truth)),
            MuNode::Literal(atom, true) => map(atom),
            MuNode::Literal(atom, false) => map(atom).dual(),
            MuNode::Variable(name) => Mu::from(MuNode::Variable(name.clone())),
            MuNode::And(list) => Mu::from(MuNode::And(list.iter().map(|f| f.expand_atoms(map)).collect())),
            MuNode::Or(list) => Mu::from(MuNode::Or(list.iter().map(|f| f.expand_atoms(map)).collect())),
            MuNode::Modal(modality, actions, f) => {
                Mu::from(MuNode::Modal(*modality, actions.clone(), f.expand_atoms(map)))
            }
            MuNode::Fixpoint(fixpoint, name, f) => {
                Mu::from(MuNode::Fixpoint(*fixpoint, name.clone(), f.expand_atoms(map)))
            }
        })
    }

    /// The same formula over other atoms.
    pub fn map_atoms<B>(&self, map: &mut impl FnMut(&A) -> B) -> Mu<B> {
        deep(|| {
            Mu::from(match self.node() {
                MuNode::Constant(truth) => MuNode::Constant(*truth),
                MuNode::Literal(atom, positive) => MuNode::Literal(map(atom), *positive),
                MuNode::Variable(name) => MuNode::Variable(name.clone()),
                MuNode::And(list) => MuNode::And(list.iter().map(|f| f.map_atoms(map)).collect()),
                MuNode::Or(list) => MuNode::Or(list.iter().map(|f| f.map_atoms(map)).collect()),
                MuNode::Modal(modality, actions, f) => {
                    MuNode::Modal(*modality, actions.clone(), f.map_atoms(map))
                }
                MuNode::Fixpoint(fixpoint, name, f) => {
                    MuNode::Fixpoint(*fixpoint, name.clone(), f.map_atoms(map))
                }
            })
        })
    }

    /// True or false.
    pub fn constant(truth: bool) -> Self {
        MuNode::Constant(truth).into()
    }

    /// An atom.
    pub fn atom(atom: A) -> Self {
        MuNode::Literal(atom, true).into()
    }

    /// A negated atom.
    pub fn negated_atom(atom: A) -> Self {
        MuNode::Literal(atom, false).into()
    }

    /// A variable.
    pub fn variable(variable: &MuVar) -> Self {
        MuNode::Variable(variable.clone()).into()
    }

    /// The conjunction, flat; none is true.
    pub fn and(operands: impl IntoIterator<Item = Mu<A>>) -> Self {
        let mut list = Vec::new();
        for operand in operands {
            match operand.node() {
                MuNode::And(inner) => list.extend(inner.iter().cloned()),
                _ => list.push(operand),
            }
        }
        match list.len() {
            0 => Mu::constant(true),
            1 => list.remove(0),
            _ => MuNode::And(list).into(),
        }
    }

    /// The disjunction, flat; none is false.
    pub fn or(operands: impl IntoIterator<Item = Mu<A>>) -> Self {
        let mut list = Vec::new();
        for operand in operands {
            match operand.node() {
                MuNode::Or(inner) => list.extend(inner.iter().cloned()),
                _ => list.push(operand),
            }
        }
        match list.len() {
            0 => Mu::constant(false),
            1 => list.remove(0),
            _ => MuNode::Or(list).into(),
        }
    }

    /// `<> self`
    pub fn some_next(&self) -> Self {
        MuNode::Modal(Modality::Some, Actions::any(), self.clone()).into()
    }

    /// `[] self`
    pub fn every_next(&self) -> Self {
        MuNode::Modal(Modality::Every, Actions::any(), self.clone()).into()
    }

    /// `mu variable. self` or `nu variable. self`
    pub fn fixpoint(&self, fixpoint: Fixpoint, variable: &MuVar) -> Self {
        MuNode::Fixpoint(fixpoint, variable.clone(), self.clone()).into()
    }

    /// The direct subformulas.
    pub fn operands(&self) -> &[Mu<A>] {
        match self.node() {
            MuNode::Constant(_) | MuNode::Literal(..) | MuNode::Variable(_) => &[],
            MuNode::And(list) | MuNode::Or(list) => list,
            MuNode::Modal(_, _, a) | MuNode::Fixpoint(_, _, a) => std::slice::from_ref(a),
        }
    }

    /// Number of nodes, as a tree.
    pub fn size(&self) -> usize {
        1 + self
            .operands()
            .iter()
            .map(|operand| deep(|| operand.size()))
            .sum::<usize>()
    }

    /// The variables that are not bound.
    pub fn free_variables(&self) -> HashSet<MuVar> {
        match self.node() {
            MuNode::Variable(variable) => HashSet::from_iter([variable.clone()]),
            MuNode::Fixpoint(_, variable, body) => {
                let mut free = deep(|| body.free_variables());
                free.remove(variable);
                free
            }
            _ => {
                let mut free = HashSet::new();
                for operand in self.operands() {
                    free.extend(deep(|| operand.free_variables()));
                }
                free
            }
        }
    }
}

impl<A: Clone> Mu<A> {
    /// The same operator over other operands, as many as [`Mu::operands`] gives.
    fn with_operands(&self, operands: Vec<Mu<A>>) -> Mu<A> {
        let mut operands = operands.into_iter();
        let mut take = || operands.next().expect("as many operands as the operator has");
        match self.node() {
            MuNode::Constant(_) | MuNode::Literal(..) | MuNode::Variable(_) => self.clone(),
            MuNode::And(_) => Mu::and(operands),
            MuNode::Or(_) => Mu::or(operands),
            MuNode::Modal(modality, actions, _) => MuNode::Modal(*modality, actions.clone(), take()).into(),
            MuNode::Fixpoint(fixpoint, variable, _) => {
                MuNode::Fixpoint(*fixpoint, variable.clone(), take()).into()
            }
        }
    }

    fn map_operands(&self, map: impl FnMut(&Mu<A>) -> Mu<A>) -> Mu<A> {
        self.with_operands(self.operands().iter().map(map).collect())
    }

    /// Every operator replaced by its dual (chapter 26, fact 1): the negation of a formula without free variables. (With free
    /// ones it is the negation where they stand for complements.)
    pub fn dual(&self) -> Mu<A> {
        let below = |operand: &Mu<A>| deep(|| operand.dual());
        match self.node() {
            MuNode::Constant(truth) => Mu::constant(!truth),
            MuNode::Literal(atom, positive) => MuNode::Literal(atom.clone(), !positive).into(),
            MuNode::Variable(_) => self.clone(),
            MuNode::And(list) => Mu::or(list.iter().map(below)),
            MuNode::Or(list) => Mu::and(list.iter().map(below)),
            MuNode::Modal(modality, actions, a) => {
                MuNode::Modal(modality.dual(), actions.clone(), below(a)).into()
            }
            MuNode::Fixpoint(fixpoint, variable, body) => {
                MuNode::Fixpoint(fixpoint.dual(), variable.clone(), below(body)).into()
            }
        }
    }

    /// The same formula with bound variables renamed where needed, so that no name is bound twice and none is both bound
    /// and free. Names that are fine stay; others get a number.
    pub fn well_named(&self) -> Mu<A> {
        let mut taken = self.free_variables();
        self.rename(&mut taken, &HashMap::new())
    }

    fn rename(&self, taken: &mut HashSet<MuVar>, names: &HashMap<MuVar, MuVar>) -> Mu<A> {
        deep(|| match self.node() {
            MuNode::Variable(variable) => match names.get(variable) {
                Some(renamed) => Mu::variable(renamed),
                None => self.clone(),
            },
            MuNode::Fixpoint(fixpoint, variable, body) => {
                let fresh = fresh_name(variable, taken);
                taken.insert(fresh.clone());
                let mut names = names.clone();
                names.insert(variable.clone(), fresh.clone());
                body.rename(taken, &names).fixpoint(*fixpoint, &fresh)
            }
            _ => self.map_operands(|operand| operand.rename(taken, names)),
        })
    }

    /// The formula with the free occurrences of a variable replaced. Binders that would capture a free variable of the
    /// replacement are renamed.
    pub fn substitute(&self, variable: &MuVar, replacement: &Mu<A>) -> Mu<A> {
        let free = replacement.free_variables();
        self.substitute_under(variable, replacement, &free)
    }

    fn substitute_under(&self, variable: &MuVar, replacement: &Mu<A>, free: &HashSet<MuVar>) -> Mu<A> {
        deep(|| match self.node() {
            MuNode::Variable(found) if found == variable => replacement.clone(),
            MuNode::Fixpoint(_, bound, _) if bound == variable => self.clone(),
            MuNode::Fixpoint(fixpoint, bound, body) if free.contains(bound) => {
                let mut taken = body.free_variables();
                taken.extend(free.iter().cloned());
                taken.insert(variable.clone());
                let fresh = fresh_name(bound, &taken);
                body.substitute(bound, &Mu::variable(&fresh))
                    .substitute_under(variable, replacement, free)
                    .fixpoint(*fixpoint, &fresh)
            }
            _ => self.map_operands(|operand| operand.substitute_under(variable, replacement, free)),
        })
    }

    /// A fixpoint unfolded once: `f(mu X. f)` for `mu X. f`. Other formulas stay.
    pub fn unfold(&self) -> Mu<A> {
        match self.node() {
            MuNode::Fixpoint(_, variable, body) => body.substitute(variable, self),
            _ => self.clone(),
        }
    }
}

/// The name itself if it is not taken, otherwise the name with the first number that is free.
fn fresh_name(variable: &MuVar, taken: &HashSet<MuVar>) -> MuVar {
    if !taken.contains(variable) {
        return variable.clone();
    }
    (1usize..)
        .map(|number| MuVar::new(format!("{variable}_{number}")))
        .find(|name| !taken.contains(name))
        .expect("there are more numbers than names")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Mu<String> {
        parse_mu(text).expect(text)
    }

    #[test]
    fn negation_is_duality() {
        assert_eq!(parse("nu X. p & [a]X").dual(), parse("mu X. !p | <a>X"));
        assert_eq!(
            parse("nu Y. mu X. (p & <a>Y) | <a>X").dual(),
            parse("mu Y. nu X. (!p | [a]Y) & [a]X")
        );
        let formula = parse("nu Y. mu X. (p & <a>Y) | <>X");
        assert_eq!(formula.dual().dual(), formula);
    }

    #[test]
    fn renaming_makes_every_bound_name_unique() {
        let formula = parse("(mu X. p | <>X) & (nu X. q & []X)").well_named();
        assert_eq!(formula.to_string(), "(mu X. p | <>X) & (nu X_1. q & []X_1)");
        let hidden = parse("mu X. <>X | (nu X. []X)").well_named();
        assert_eq!(hidden.to_string(), "mu X. <>X | (nu X_1. []X_1)");
    }

    #[test]
    fn substitution_does_not_capture() {
        let (x, y) = (MuVar::new("X"), MuVar::new("Y"));
        let body: Mu<String> = Mu::or([Mu::variable(&x), Mu::variable(&y)]).fixpoint(Fixpoint::Least, &y);
        let substituted = body.substitute(&x, &Mu::variable(&y));
        assert_eq!(substituted.to_string(), "mu Y_1. Y | Y_1");
        let unfolded = parse("mu X. p | <>X").unfold();
        assert_eq!(unfolded.to_string(), "p | <>(mu X. p | <>X)");
    }
}
