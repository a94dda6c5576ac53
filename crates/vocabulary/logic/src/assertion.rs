//! Assertions about clocked behaviour: sequences (regular expressions over conditions) and the temporal operators of SVA and PSL on top.
//!
//! This is the core both languages are reduced to when they are read. A *sequence* denotes a set of finite words, letters being the values of the
//! atoms at the ticks of the clock: `##1` is concatenation, `##0` fusion (the last letter of the one is the first of the other). Delays, goto
//! repetition, `throughout` and `within` are made of these by the functions below, as IEEE 1800-2017 annex F defines them.
//! An *assertion* is true or false of an infinite word. A sequence as an assertion is *strong* (some prefix matches) or *weak* (no finite
//! prefix makes it impossible to match, where what is impossible is told by the shape of the sequence alone: letters after the prefix are letters like others
//! or satisfy every condition, even `false`; a letter like others is of use below `first_match` only, where the other one may make a match too early). A match has at least one letter. `|=>` is `|->` after one more letter.
//!
//! Where a match of a sequence ends, a *local variable* may get a value ([`Sequence::Assigning`]); conditions further on in the same match, and in what the
//! match implies, may read it. Each attempt has variables of its own.
//!
//! Clocks are gone: a letter is a tick. Aborts (`disable iff`, `accept_on`, `reject_on`) are looked at on every letter on which their operand is still
//! being evaluated.

use std::collections::BTreeSet;
use std::sync::Arc;

/// A Boolean combination of atoms, about one letter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Guard<A> {
    /// Always so, or never.
    Constant(bool),
    /// What an atom says.
    Atom(A),
    /// Negation.
    Not(Arc<Guard<A>>),
    /// Conjunction.
    And(Arc<Guard<A>>, Arc<Guard<A>>),
    /// Disjunction.
    Or(Arc<Guard<A>>, Arc<Guard<A>>),
}

impl<A> Guard<A> {
    /// The same condition with other atoms.
    pub fn map<B>(&self, atom: &mut dyn FnMut(&A) -> B) -> Guard<B> {
        match self {
            Guard::Constant(truth) => Guard::Constant(*truth),
            Guard::Atom(name) => Guard::Atom(atom(name)),
            Guard::Not(inner) => Guard::Not(Arc::new(inner.map(atom))),
            Guard::And(left, right) => Guard::And(Arc::new(left.map(atom)), Arc::new(right.map(atom))),
            Guard::Or(left, right) => Guard::Or(Arc::new(left.map(atom)), Arc::new(right.map(atom))),
        }
    }
}

impl<A: Clone + PartialEq> Guard<A> {
    /// The negation; constants are folded, double negations dropped.
    #[must_use]
    pub fn negated(&self) -> Guard<A> {
        match self {
            Guard::Constant(truth) => Guard::Constant(!truth),
            Guard::Not(inner) => (**inner).clone(),
            other => Guard::Not(Arc::new(other.clone())),
        }
    }

    /// The conjunction, constants folded.
    #[must_use]
    pub fn and(&self, other: &Guard<A>) -> Guard<A> {
        match (self, other) {
            (Guard::Constant(false), _) | (_, Guard::Constant(false)) => Guard::Constant(false),
            (Guard::Constant(true), rest) | (rest, Guard::Constant(true)) => rest.clone(),
            (left, right) if left == right => left.clone(),
            (left, right) => Guard::And(Arc::new(left.clone()), Arc::new(right.clone())),
        }
    }

    /// The disjunction, constants folded.
    #[must_use]
    pub fn or(&self, other: &Guard<A>) -> Guard<A> {
        match (self, other) {
            (Guard::Constant(true), _) | (_, Guard::Constant(true)) => Guard::Constant(true),
            (Guard::Constant(false), rest) | (rest, Guard::Constant(false)) => rest.clone(),
            (left, right) if left == right => left.clone(),
            (left, right) => Guard::Or(Arc::new(left.clone()), Arc::new(right.clone())),
        }
    }

    /// The truth under a valuation of the atoms.
    pub fn evaluate(&self, atom: &mut dyn FnMut(&A) -> bool) -> bool {
        match self {
            Guard::Constant(truth) => *truth,
            Guard::Atom(name) => atom(name),
            Guard::Not(inner) => !inner.evaluate(atom),
            Guard::And(left, right) => left.evaluate(atom) && right.evaluate(atom),
            Guard::Or(left, right) => left.evaluate(atom) || right.evaluate(atom),
        }
    }
}

/// A local variable of an assertion, by its number. A variable that is assigned again has another number from there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local(pub u32);

/// A set of finite words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sequence<A> {
    /// The empty word alone.
    Empty,
    /// One letter that satisfies a condition.
    Guard(Guard<A>),
    /// One after the other: `##1`.
    Concatenation(Arc<Sequence<A>>, Arc<Sequence<A>>),
    /// One after the other, sharing a letter: `##0`. Neither part is empty.
    Fusion(Arc<Sequence<A>>, Arc<Sequence<A>>),
    /// Either: `or`.
    Union(Arc<Sequence<A>>, Arc<Sequence<A>>),
    /// Both, of the same length: `intersect`.
    Intersection(Arc<Sequence<A>>, Arc<Sequence<A>>),
    /// Both, ending where the later one ends: `and`.
    Both(Arc<Sequence<A>>, Arc<Sequence<A>>),
    /// Many times one after the other: `[*least:most]`.
    Repetition {
        /// What is repeated.
        body: Arc<Sequence<A>>,
        /// How often at least.
        least: u32,
        /// How often at most, if there is a limit.
        most: Option<u32>,
    },
    /// The words no proper prefix of which is one: `first_match`.
    FirstMatch(Arc<Sequence<A>>),
    /// Its words; where one ends, a local variable gets the value that an expression has on the last letter: `(body, local = value)`.
    Assigning {
        /// The sequence. It is not empty.
        body: Arc<Sequence<A>>,
        /// The variable.
        local: Local,
        /// The number of the expression.
        value: u32,
        /// True of a letter on which the expression has the value that the variable has.
        equal: A,
    },
}

impl<A> Sequence<A> {
    /// The same sequence with other atoms.
    pub fn map<B>(&self, atom: &mut dyn FnMut(&A) -> B) -> Sequence<B> {
        match self {
            Sequence::Empty => Sequence::Empty,
            Sequence::Guard(guard) => Sequence::Guard(guard.map(atom)),
            Sequence::Concatenation(left, right) => {
                Sequence::Concatenation(Arc::new(left.map(atom)), Arc::new(right.map(atom)))
            }
            Sequence::Fusion(left, right) => {
                Sequence::Fusion(Arc::new(left.map(atom)), Arc::new(right.map(atom)))
            }
            Sequence::Union(left, right) => {
                Sequence::Union(Arc::new(left.map(atom)), Arc::new(right.map(atom)))
            }
            Sequence::Intersection(left, right) => {
                Sequence::Intersection(Arc::new(left.map(atom)), Arc::new(right.map(atom)))
            }
            Sequence::Both(left, right) => {
                Sequence::Both(Arc::new(left.map(atom)), Arc::new(right.map(atom)))
            }
            Sequence::Repetition { body, least, most } => Sequence::Repetition {
                body: Arc::new(body.map(atom)),
                least: *least,
                most: *most,
            },
            Sequence::FirstMatch(body) => Sequence::FirstMatch(Arc::new(body.map(atom))),
            Sequence::Assigning {
                body,
                local,
                value,
                equal,
            } => Sequence::Assigning {
                body: Arc::new(body.map(atom)),
                local: *local,
                value: *value,
                equal: atom(equal),
            },
        }
    }
}

impl<A: Clone> Sequence<A> {
    /// A letter of any kind.
    pub fn anything() -> Sequence<A> {
        Sequence::Guard(Guard::Constant(true))
    }

    /// Repetition.
    #[must_use]
    pub fn repeated(self, least: u32, most: Option<u32>) -> Sequence<A> {
        Sequence::Repetition {
            body: Arc::new(self),
            least,
            most,
        }
    }

    /// Concatenation.
    #[must_use]
    pub fn then(self, other: Sequence<A>) -> Sequence<A> {
        Sequence::Concatenation(Arc::new(self), Arc::new(other))
    }

    /// `self ##[least:most] other`.
    #[must_use]
    pub fn delayed(self, least: u32, most: Option<u32>, other: Sequence<A>) -> Sequence<A> {
        if most == Some(0) {
            return Sequence::Fusion(Arc::new(self), Arc::new(other));
        }
        if most == Some(1) && least == 1 {
            return self.then(other);
        }
        // `##[0:n]` is `##0` or `##[1:n]`.
        let later = |this: Sequence<A>, other: Sequence<A>| {
            let first = least.max(1);
            let gap = Sequence::anything().repeated(first - 1, most.map(|most| most - 1));
            this.then(gap).then(other)
        };
        match least {
            0 => {
                let fused = Sequence::Fusion(Arc::new(self.clone()), Arc::new(other.clone()));
                Sequence::Union(Arc::new(fused), Arc::new(later(self, other)))
            }
            _ => later(self, other),
        }
    }

    /// `##[least:most] self`.
    #[must_use]
    pub fn after(self, least: u32, most: Option<u32>) -> Sequence<A> {
        match (least, most) {
            (0, Some(0)) => self,
            _ => Sequence::anything().repeated(least, most).then(self),
        }
    }

    /// `condition throughout self`.
    #[must_use]
    pub fn throughout(self, condition: Guard<A>) -> Sequence<A> {
        let always = Sequence::Guard(condition).repeated(0, None);
        Sequence::Intersection(Arc::new(always), Arc::new(self))
    }

    /// `self within other`.
    #[must_use]
    pub fn within(self, other: Sequence<A>) -> Sequence<A> {
        let around = || Sequence::anything().repeated(0, None);
        let padded = around().then(self).then(around());
        Sequence::Intersection(Arc::new(padded), Arc::new(other))
    }

    /// Whether the empty word is one of its words.
    pub fn is_nullable(&self) -> bool {
        match self {
            Sequence::Empty => true,
            Sequence::Guard(_) | Sequence::Fusion(..) => false,
            Sequence::Concatenation(left, right)
            | Sequence::Intersection(left, right)
            | Sequence::Both(left, right) => left.is_nullable() && right.is_nullable(),
            Sequence::Union(left, right) => left.is_nullable() || right.is_nullable(),
            Sequence::Repetition { body, least, .. } => *least == 0 || body.is_nullable(),
            Sequence::FirstMatch(inner) => inner.is_nullable(),
            Sequence::Assigning { .. } => false,
        }
    }

    /// Notes the local variables that it assigns.
    pub fn assigned(&self, into: &mut BTreeSet<Local>) {
        match self {
            Sequence::Empty | Sequence::Guard(_) => {}
            Sequence::Concatenation(left, right)
            | Sequence::Fusion(left, right)
            | Sequence::Union(left, right)
            | Sequence::Intersection(left, right)
            | Sequence::Both(left, right) => {
                left.assigned(into);
                right.assigned(into);
            }
            Sequence::Repetition { body, .. } | Sequence::FirstMatch(body) => body.assigned(into),
            Sequence::Assigning { body, local, .. } => {
                into.insert(*local);
                body.assigned(into);
            }
        }
    }
}

impl<A: Clone + PartialEq> Sequence<A> {
    /// `condition[->least:most]`: up to its `least`th to `most`th occurrence.
    pub fn goto(condition: &Guard<A>, least: u32, most: Option<u32>) -> Sequence<A> {
        let absent = Sequence::Guard(condition.negated()).repeated(0, None);
        let one = absent.then(Sequence::Guard(condition.clone()));
        one.repeated(least, most)
    }

    /// `condition[=least:most]`: with so many occurrences, and then none.
    pub fn nonconsecutive(condition: &Guard<A>, least: u32, most: Option<u32>) -> Sequence<A> {
        let absent = Sequence::Guard(condition.negated()).repeated(0, None);
        Sequence::goto(condition, least, most).then(absent)
    }
}

/// How the end of a finite word is taken (Eisner, Fisman, Havlicek, Lustig, McIsaac, Van Campenhout: Reasoning with temporal logic on truncated paths, 2003).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// What lies beyond is for the best: true if nothing has gone wrong.
    Weak,
    /// The word is all there is: weak operators are satisfied by it, strong ones have to be fulfilled in it.
    Neutral,
    /// What lies beyond is for the worst: true if nothing can go wrong any more.
    Strong,
}

impl View {
    /// The view of what is negated.
    #[must_use]
    pub fn of_negation(self) -> View {
        match self {
            View::Weak => View::Strong,
            View::Neutral => View::Neutral,
            View::Strong => View::Weak,
        }
    }

    /// Whether an operator of some strength that goes on beyond the end is satisfied.
    pub fn beyond(self, strong: bool) -> bool {
        match self {
            View::Weak => true,
            View::Neutral => !strong,
            View::Strong => false,
        }
    }
}

/// True or false of an infinite word; of a finite one, in a [`View`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Assertion<A> {
    /// A sequence matches (strong), or is not prevented from matching (weak).
    Sequence {
        /// The sequence; its empty match does not count.
        sequence: Arc<Sequence<A>>,
        /// Whether it must match.
        strong: bool,
    },
    /// Negation.
    Not(Arc<Assertion<A>>),
    /// Conjunction.
    And(Arc<Assertion<A>>, Arc<Assertion<A>>),
    /// Disjunction.
    Or(Arc<Assertion<A>>, Arc<Assertion<A>>),
    /// `|->`: where a nonempty match of the sequence ends, the consequent is true.
    Implication {
        /// The sequence.
        antecedent: Arc<Sequence<A>>,
        /// What must be true.
        consequent: Arc<Assertion<A>>,
    },
    /// After so many letters.
    Next {
        /// How many.
        count: u32,
        /// Whether a word that ends before does not satisfy it. (An infinite one does not end.)
        strong: bool,
        /// What is true then.
        body: Arc<Assertion<A>>,
    },
    /// The left one is true up to where the right one is.
    Until {
        /// What is true before.
        left: Arc<Assertion<A>>,
        /// What ends it.
        right: Arc<Assertion<A>>,
        /// Whether the end must come.
        strong: bool,
    },
    /// The evaluation of the body is cut short where a condition is true.
    Abort {
        /// The condition.
        condition: Guard<A>,
        /// Whether the body then counts as true (`accept_on`, `disable iff`) or false (`reject_on`).
        accept: bool,
        /// What is evaluated otherwise.
        body: Arc<Assertion<A>>,
    },
}

impl<A> Assertion<A> {
    /// The same assertion with other atoms.
    pub fn map<B>(&self, atom: &mut dyn FnMut(&A) -> B) -> Assertion<B> {
        match self {
            Assertion::Sequence { sequence, strong } => Assertion::Sequence {
                sequence: Arc::new(sequence.map(atom)),
                strong: *strong,
            },
            Assertion::Not(inner) => Assertion::Not(Arc::new(inner.map(atom))),
            Assertion::And(left, right) => {
                Assertion::And(Arc::new(left.map(atom)), Arc::new(right.map(atom)))
            }
            Assertion::Or(left, right) => Assertion::Or(Arc::new(left.map(atom)), Arc::new(right.map(atom))),
            Assertion::Implication {
                antecedent,
                consequent,
            } => Assertion::Implication {
                antecedent: Arc::new(antecedent.map(atom)),
                consequent: Arc::new(consequent.map(atom)),
            },
            Assertion::Next { count, strong, body } => Assertion::Next {
                count: *count,
                strong: *strong,
                body: Arc::new(body.map(atom)),
            },
            Assertion::Until { left, right, strong } => Assertion::Until {
                left: Arc::new(left.map(atom)),
                right: Arc::new(right.map(atom)),
                strong: *strong,
            },
            Assertion::Abort {
                condition,
                accept,
                body,
            } => Assertion::Abort {
                condition: condition.map(atom),
                accept: *accept,
                body: Arc::new(body.map(atom)),
            },
        }
    }
}

impl<A: Clone> Assertion<A> {
    /// The local variables that are assigned in it.
    pub fn assigned(&self) -> BTreeSet<Local> {
        let mut found = BTreeSet::new();
        self.note_assigned(&mut found);
        found
    }

    fn note_assigned(&self, into: &mut BTreeSet<Local>) {
        match self {
            Assertion::Sequence { sequence, .. } => sequence.assigned(into),
            Assertion::Not(inner) => inner.note_assigned(into),
            Assertion::And(left, right)
            | Assertion::Or(left, right)
            | Assertion::Until { left, right, .. } => {
                left.note_assigned(into);
                right.note_assigned(into);
            }
            Assertion::Implication {
                antecedent,
                consequent,
            } => {
                antecedent.assigned(into);
                consequent.note_assigned(into);
            }
            Assertion::Next { body, .. } | Assertion::Abort { body, .. } => body.note_assigned(into),
        }
    }

    /// A condition on the first letter.
    pub fn guard(guard: Guard<A>) -> Assertion<A> {
        Assertion::Sequence {
            sequence: Arc::new(Sequence::Guard(guard)),
            strong: true,
        }
    }

    /// Negation.
    #[must_use]
    pub fn negated(self) -> Assertion<A> {
        match self {
            Assertion::Not(inner) => (*inner).clone(),
            other => Assertion::Not(Arc::new(other)),
        }
    }

    /// Conjunction.
    #[must_use]
    pub fn and(self, other: Assertion<A>) -> Assertion<A> {
        Assertion::And(Arc::new(self), Arc::new(other))
    }

    /// Disjunction.
    #[must_use]
    pub fn or(self, other: Assertion<A>) -> Assertion<A> {
        Assertion::Or(Arc::new(self), Arc::new(other))
    }

    /// `self until other`, or `s_until`.
    #[must_use]
    pub fn until(self, other: Assertion<A>, strong: bool) -> Assertion<A> {
        Assertion::Until {
            left: Arc::new(self),
            right: Arc::new(other),
            strong,
        }
    }

    /// `always self`.
    #[must_use]
    pub fn always(self) -> Assertion<A> {
        self.until(Assertion::guard(Guard::Constant(false)), false)
    }

    /// `s_eventually self`.
    #[must_use]
    pub fn eventually(self) -> Assertion<A> {
        Assertion::guard(Guard::Constant(true)).until(self, true)
    }

    /// `nexttime [count] self`, or `s_nexttime`.
    #[must_use]
    pub fn after(self, count: u32, strong: bool) -> Assertion<A> {
        match count {
            0 => self,
            _ => Assertion::Next {
                count,
                strong,
                body: Arc::new(self),
            },
        }
    }

    /// `sequence |-> self`, or `|=>` if there is one letter between.
    #[must_use]
    pub fn implied_by(self, sequence: Sequence<A>, overlapping: bool) -> Assertion<A> {
        let antecedent = match overlapping {
            true => sequence,
            false => sequence.then(Sequence::anything()),
        };
        Assertion::Implication {
            antecedent: Arc::new(antecedent),
            consequent: Arc::new(self),
        }
    }

    /// The condition, if the assertion is no more than one on the first letter.
    pub fn as_guard(&self) -> Option<&Guard<A>> {
        match self {
            Assertion::Sequence { sequence, .. } => match &**sequence {
                Sequence::Guard(guard) => Some(guard),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_that_may_be_zero_is_a_fusion_or_a_concatenation() {
        let atom = |name: char| Sequence::Guard(Guard::Atom(name));
        let both = atom('a').delayed(0, Some(2), atom('b'));
        let Sequence::Union(fused, later) = both else {
            panic!("two ways");
        };
        assert!(matches!(&*fused, Sequence::Fusion(..)));
        assert!(matches!(&*later, Sequence::Concatenation(..)));
        assert!(!fused.is_nullable() && !later.is_nullable());
        assert!(atom('a').repeated(0, None).is_nullable());
    }
}
