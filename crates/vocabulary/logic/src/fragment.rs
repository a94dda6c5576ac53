//! Which logics a formula belongs to, and where it stands in the temporal hierarchy.
//!
//! One bottom-up pass computes a [`Classification`], the set of all [`Fragment`]s that contain the formula *as it is
//! written* (`A !F p` is not CTL although `AG !p` is). Quantifiers count with the polarity they have in positive normal
//! form, so `!EF p` is ACTL. The classes of the temporal hierarchy (Manna, Pnueli; chapter 2, feature 16) are the
//! syntactic ones: a formula that is in the class semantically may be missed, never the other way round. They are
//! given for LTL formulas only, where a leading `A` is read away.
//!
//! Cost: one visit per node; the operands' sets are combined with bit operations.

use crate::nesting::deep;
use crate::{Binary, Formula, Interval, Node, Quantifier, Unary};
use std::fmt;

/// A class of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fragment {
    /// No temporal operator and no path quantifier.
    Propositional,
    /// True or false of a state: every temporal operator is below a path quantifier.
    StateFormula,
    /// No path quantifier: a path formula of LTL.
    QuantifierFree,
    /// `AG p` with `p` propositional.
    Invariant,
    /// Computation tree logic: a state formula where each quantifier stands over one future operator (bounded or not) whose
    /// operands are CTL again, or over a CTL formula itself (`E p`: there is a fair path, and `p`).
    Ctl,
    /// Linear-time logic, with past: a quantifier-free formula, or `A` over one.
    Ltl,
    /// CTL with universal quantifiers only (in positive normal form).
    Actl,
    /// CTL with existential quantifiers only (in positive normal form).
    Ectl,
    /// State formulas with universal quantifiers only (in positive normal form).
    ActlStar,
    /// State formulas with existential quantifiers only (in positive normal form).
    EctlStar,
    /// No past operator.
    PureFuture,
    /// No bounded operator.
    Unbounded,
    /// Neither `X`, `Y`, `Z` nor a bounded operator: blind to stuttering.
    StutterInvariant,
    /// LTL, violated by a finite prefix if at all.
    Safety,
    /// LTL, satisfied by a finite prefix if at all (co-safety).
    Guarantee,
    /// LTL, a Boolean combination of safety and guarantee.
    Obligation,
    /// LTL, of the form "infinitely often".
    Recurrence,
    /// LTL, of the form "from some point on".
    Persistence,
}

use Fragment::*;

/// All fragments with the names reports use. A formula's [`Classification::logic`] is the first of the leading four that it
/// belongs to.
const NAMES: [(Fragment, &str); 18] = [
    (Propositional, "propositional"),
    (Invariant, "invariant"),
    (Ctl, "ctl"),
    (Ltl, "ltl"),
    (StateFormula, "state"),
    (QuantifierFree, "path"),
    (Actl, "actl"),
    (Ectl, "ectl"),
    (ActlStar, "actl*"),
    (EctlStar, "ectl*"),
    (PureFuture, "future"),
    (Unbounded, "unbounded"),
    (StutterInvariant, "stutter-invariant"),
    (Safety, "safety"),
    (Guarantee, "guarantee"),
    (Obligation, "obligation"),
    (Recurrence, "recurrence"),
    (Persistence, "persistence"),
];

/// A set of fragments.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Classification(u32);

const fn set(fragments: &[Fragment]) -> u32 {
    let mut bits = 0;
    let mut at = 0;
    while at < fragments.len() {
        bits |= 1 << fragments[at] as u32;
        at += 1;
    }
    bits
}

/// What negation exchanges.
const DUALS: [(Fragment, Fragment); 4] = [
    (ActlStar, EctlStar),
    (Actl, Ectl),
    (Safety, Guarantee),
    (Recurrence, Persistence),
];

/// What operators cannot lose: these stay true of a formula iff they are true of all operands, unless said otherwise.
const LEAF: u32 = ALL & !set(&[Invariant]);
const ALL: u32 = (1 << NAMES.len()) - 1;
const TEMPORAL_CLASSES: u32 = set(&[Safety, Guarantee, Obligation, Recurrence, Persistence]);
const CTL_FAMILY: u32 = set(&[Ctl, Actl, Ectl]);
const STAR_FAMILY: u32 = set(&[ActlStar, EctlStar]);
/// A future operator remembers this many bits higher which CTL fragments its operands belong to, for the quantifier that may
/// stand over it.
const OPERANDS: u32 = 20;

impl Classification {
    /// Whether the formula belongs to the fragment.
    pub fn contains(self, fragment: Fragment) -> bool {
        self.0 & set(&[fragment]) != 0
    }

    /// All fragments it belongs to.
    pub fn fragments(self) -> impl Iterator<Item = Fragment> {
        NAMES
            .into_iter()
            .map(|(fragment, _)| fragment)
            .filter(move |&fragment| self.contains(fragment))
    }

    /// The smallest logic it belongs to, as reports name it: "propositional", "invariant", "ctl", "ltl" or "ctl*".
    pub fn logic(self) -> &'static str {
        NAMES[..4]
            .iter()
            .find(|(fragment, _)| self.contains(*fragment))
            .map_or("ctl*", |(_, name)| name)
    }

    /// The lowest class of the temporal hierarchy that is sure, if the formula is LTL.
    pub fn temporal_class(self) -> Option<&'static str> {
        let lowest = [Safety, Guarantee, Obligation, Recurrence, Persistence]
            .into_iter()
            .find(|&class| self.contains(class));
        match lowest {
            Some(class) => Some(class.name()),
            None => self.contains(Ltl).then_some("reactivity"),
        }
    }

    fn negated(self) -> Classification {
        let mut bits = self.0;
        for (a, b) in DUALS {
            let (has_a, has_b) = (self.contains(a), self.contains(b));
            bits &= !set(&[a, b]);
            bits |= u32::from(has_b) << a as u32 | u32::from(has_a) << b as u32;
        }
        Classification(bits)
    }

    fn restrict(&mut self, fragment: Fragment, condition: bool) {
        if !condition {
            self.0 &= !set(&[fragment]);
        }
    }

    fn without(self, bits: u32) -> Classification {
        Classification(self.0 & !bits)
    }
}

impl Fragment {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        NAMES
            .iter()
            .find(|(fragment, _)| *fragment == self)
            .map_or("", |(_, name)| name)
    }
}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Classification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.fragments()).finish()
    }
}

impl<A> Formula<A> {
    /// The fragments the formula belongs to, as it is written.
    pub fn classify(&self) -> Classification {
        let mut class = self.classify_node();
        if let Node::Quantified(Quantifier::Forall, path) = self.node() {
            let path_class = path.classify_node();
            if path_class.contains(QuantifierFree) {
                class = class.without(TEMPORAL_CLASSES);
                class.0 |= set(&[Ltl]) | path_class.0 & TEMPORAL_CLASSES;
            }
            if let Node::Unary(Unary::Globally, Interval::ALWAYS, operand) = path.node()
                && operand.is_propositional()
            {
                class.0 |= set(&[Invariant]);
            }
        }
        if !class.contains(Ltl) {
            class = class.without(TEMPORAL_CLASSES);
        }
        if !class.contains(StateFormula) {
            class = class.without(STAR_FAMILY);
        }
        Classification(class.0 & ALL)
    }

    /// Whether it belongs to the fragment, as it is written.
    pub fn is_in(&self, fragment: Fragment) -> bool {
        self.classify().contains(fragment)
    }

    /// The classes of the formula as a subformula: `Ltl` means quantifier-free, and the temporal classes are those of a path
    /// formula in which state subformulas count as atoms.
    fn classify_node(&self) -> Classification {
        let all = |operands: &[&Formula<A>]| {
            let classes = operands.iter().map(|operand| deep(|| operand.classify_node()).0);
            Classification(classes.fold(LEAF, |meet, class| meet & class))
        };
        match self.node() {
            Node::Constant(_) | Node::Atom(_) => Classification(LEAF),
            Node::Not(a) => deep(|| a.classify_node()).negated(),
            Node::And(_) | Node::Or(_) => all(&self.operands()),
            Node::Implies(a, b) => Classification(all(&[a]).negated().0 & all(&[b]).0),
            Node::Iff(a, b) | Node::Xor(a, b) => {
                let both = all(&[a, b]);
                Classification(both.0 & both.negated().0)
            }
            Node::Quantified(quantifier, path) => quantified(*quantifier, path),
            Node::Unary(op, interval, a) => unary(*op, *interval, all(&[a])),
            Node::Binary(op, interval, a, b) => binary(*op, *interval, all(&[a]), all(&[b])),
        }
    }
}

fn quantified<A>(quantifier: Quantifier, path: &Formula<A>) -> Classification {
    let below = deep(|| path.classify_node());
    // The quantifier is over one operator whose operands are CTL, or over a CTL formula.
    let ctl_shaped = match path.node() {
        Node::Unary(..) | Node::Binary(..) => below.0 >> OPERANDS,
        _ => below.0,
    };
    let lost = match quantifier {
        Quantifier::Forall => set(&[EctlStar, Ectl]),
        Quantifier::Exists => set(&[ActlStar, Actl]),
    };
    let bits = below.0 & !CTL_FAMILY | ctl_shaped & CTL_FAMILY | set(&[StateFormula]) | TEMPORAL_CLASSES;
    Classification(bits & !lost & !set(&[Propositional, QuantifierFree, Ltl]))
}

/// What every temporal operator does to the classes of its operands. The star fragments are kept: they only speak of
/// quantifiers, and a path formula without `E` is what `A` may stand over in ACTL*.
fn temporal(meet: Classification, past: bool, bounded: bool, step: bool) -> Classification {
    let mut class = meet.without(CTL_FAMILY | set(&[StateFormula, Propositional]));
    if !past {
        class.0 |= (meet.0 & CTL_FAMILY) << OPERANDS;
    }
    class.restrict(PureFuture, !past);
    class.restrict(Unbounded, !bounded);
    class.restrict(StutterInvariant, !bounded && !step);
    class
}

fn unary(op: Unary, interval: Interval, a: Classification) -> Classification {
    let step = matches!(op, Unary::Next | Unary::Yesterday | Unary::WeakYesterday);
    let mut class = temporal(a, op.is_past(), !interval.is_always(), step);
    // Past operators and bounded ones combine finitely many positions, which keeps every class.
    if interval.to.is_none() {
        match op {
            Unary::Finally => {
                class.restrict(Safety, false);
                class.restrict(Obligation, a.contains(Guarantee));
                class.restrict(Recurrence, a.contains(Guarantee));
            }
            Unary::Globally => {
                class.restrict(Guarantee, false);
                class.restrict(Obligation, a.contains(Safety));
                class.restrict(Persistence, a.contains(Safety));
            }
            _ => {}
        }
    }
    class
}

fn binary(op: Binary, interval: Interval, a: Classification, b: Classification) -> Classification {
    let mut class = temporal(
        Classification(a.0 & b.0),
        op.is_past(),
        !interval.is_always(),
        false,
    );
    if interval.to.is_some() {
        return class;
    }
    // `held` is the operand that must last, `goal` the one that ends it; strong operators insist on the goal.
    let (held, goal, strong) = match op {
        Binary::Until => (a, b, true),
        Binary::WeakUntil => (a, b, false),
        Binary::StrongRelease => (b, a, true),
        Binary::Release => (b, a, false),
        Binary::Since | Binary::Triggered => return class,
    };
    if strong {
        class.restrict(Safety, false);
        let reaches = |class| held.contains(class) && goal.contains(Guarantee);
        class.restrict(Obligation, reaches(Obligation));
        class.restrict(Recurrence, reaches(Recurrence));
    } else {
        class.restrict(Guarantee, false);
        let lasts = |class| held.contains(Safety) && goal.contains(class);
        class.restrict(Obligation, lasts(Obligation));
        class.restrict(Persistence, lasts(Persistence));
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logic(text: &str) -> &'static str {
        crate::parse(text).expect(text).classify().logic()
    }

    fn is(text: &str, fragment: Fragment) -> bool {
        crate::parse(text).expect(text).is_in(fragment)
    }

    #[test]
    fn the_smallest_logic_is_named() {
        for (text, expected) in [
            ("p & !q", "propositional"),
            ("AG (p -> q)", "invariant"),
            ("A G p", "invariant"),
            ("AG EF p", "ctl"),
            ("EBF 1..3 p", "ctl"),
            ("AF AG p", "ctl"),
            ("A [p BU 1..3 EX q]", "ctl"),
            ("F G p", "ltl"),
            ("A (F G p)", "ltl"),
            ("AG H p", "ltl"),
            ("A (F G p) | AG EF p", "ctl*"),
            ("A (G F p -> F E G p)", "ctl*"),
            ("A !F p", "ltl"),
            ("E F G p", "ctl*"),
            ("p & F q", "ltl"),
        ] {
            assert_eq!(logic(text), expected, "{text}");
        }
    }

    #[test]
    fn universal_and_existential_fragments_count_quantifiers_with_their_polarity() {
        assert!(is("!EF p", Actl) && !is("!EF p", Ectl));
        assert!(is("AG (p -> AF q)", Actl));
        assert!(!is("AG (AF p -> AF q)", Actl));
        assert!(is("EG p -> AF q", Actl));
        assert!(!is("AF p <-> q", Actl) && !is("AF p <-> q", Ectl));
        assert!(is("A (G F p | F A X q)", ActlStar) && !is("A (G F p | F A X q)", Actl));
        assert!(is("E (F p & G E F q)", EctlStar) && !is("E (F p & G A F q)", EctlStar));
        assert!(is("p", Actl) && is("p", EctlStar));
    }

    #[test]
    fn the_temporal_hierarchy_is_recognised_by_syntax() {
        for (text, expected) in [
            ("G (p -> X q)", "safety"),
            ("G (grant -> O request)", "safety"),
            ("!grant W request", "safety"),
            ("F p", "guarantee"),
            ("p U q", "guarantee"),
            ("G p | F q", "obligation"),
            ("G F p", "recurrence"),
            ("G (p -> F q)", "recurrence"),
            ("F G p", "persistence"),
            ("G F p -> G F q", "reactivity"),
            ("A (F G p)", "persistence"),
            ("G F[0,3] p", "safety"),
        ] {
            let class = crate::parse(text).expect(text).classify();
            assert_eq!(class.temporal_class(), Some(expected), "{text}");
        }
        assert_eq!(
            crate::parse("AG EF p").expect("ctl").classify().temporal_class(),
            None
        );
    }

    #[test]
    fn next_past_and_bounds_are_noticed() {
        assert!(is("G (p -> F q)", StutterInvariant));
        assert!(!is("F X p", StutterInvariant) && !is("F[0,2] p", StutterInvariant));
        assert!(is("F X p", PureFuture) && !is("F Y p", PureFuture));
        assert!(!is("EBF 0..2 p", Unbounded));
    }
}
