//! Equality: a closure under reflexivity, symmetry, transitivity and congruence, by repeated passes.
//!
//! The terms that matter for a clause are mostly near its surface, while terms may be large: the closure is computed over operands down
//! to a small depth first, with deeper ones as opaque leaves, and over all of them only if that was not enough. Opaque leaves can only
//! hide a contradiction, never make one.

use entail_first_order::{Op, SortId, TermId, Terms};
use rustc_hash::FxHashMap;

/// How deep operands are looked at, first try to last.
const DEPTHS: [usize; 4] = [1, 3, 10, usize::MAX];

/// Whether literals contradict each other by equality alone. Terms are formulas with their truth values.
pub(super) fn contradicts(terms: &Terms, literals: &[(TermId, bool)]) -> bool {
    let mut size = (0, 0);
    for depth in DEPTHS {
        let closure = Closure::new(terms, literals, depth);
        // A deeper look may enter terms whose operands are all there already.
        let entered = closure
            .is_entered
            .iter()
            .filter(|&&is_entered| is_entered)
            .count();
        if (closure.terms_in_order.len(), entered) == size {
            return false;
        }
        size = (closure.terms_in_order.len(), entered);
        if closure.close(literals) {
            return true;
        }
    }
    false
}

struct Closure<'a> {
    terms: &'a Terms,
    terms_in_order: Vec<TermId>,
    /// Whether the operands of a term are there.
    is_entered: Vec<bool>,
    place: FxHashMap<TermId, usize>,
    parent: Vec<usize>,
}

impl<'a> Closure<'a> {
    /// The terms of the literals down to a depth, each a class of its own.
    fn new(terms: &'a Terms, literals: &[(TermId, bool)], depth: usize) -> Closure<'a> {
        let mut closure = Closure {
            terms,
            terms_in_order: Vec::new(),
            is_entered: Vec::new(),
            place: FxHashMap::default(),
            parent: Vec::new(),
        };
        closure.meet(terms.truth());
        closure.meet(terms.falsehood());
        // The sides of equations are at the surface.
        let mut level: Vec<TermId> = Vec::new();
        for &(term, _) in literals {
            closure.meet(term);
            level.push(term);
            if *terms.op(term) == Op::Eq {
                level.extend(terms.args(term));
            }
        }
        for _ in 0..=depth {
            let mut below = Vec::new();
            for term in level {
                let place = closure.meet(term);
                let is_opaque = matches!(terms.op(term), Op::Forall(_)) || terms.args(term).is_empty();
                if is_opaque || std::mem::replace(&mut closure.is_entered[place], true) {
                    continue;
                }
                for &arg in terms.args(term) {
                    closure.meet(arg);
                    below.push(arg);
                }
            }
            if below.is_empty() {
                break;
            }
            level = below;
        }
        closure
    }

    fn meet(&mut self, term: TermId) -> usize {
        if let Some(&known) = self.place.get(&term) {
            return known;
        }
        let place = self.parent.len();
        self.place.insert(term, place);
        self.parent.push(place);
        self.terms_in_order.push(term);
        self.is_entered.push(false);
        place
    }

    fn class(&self, mut place: usize) -> usize {
        while self.parent[place] != place {
            place = self.parent[place];
        }
        place
    }

    fn class_of(&self, term: TermId) -> usize {
        self.class(self.place[&term])
    }

    /// Merges two classes; whether they were different.
    fn merge(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.class(a), self.class(b));
        self.parent[a.max(b)] = a.min(b);
        a != b
    }

    /// Merges what the literals and congruence make equal; whether something that differs is equal then.
    fn close(mut self, literals: &[(TermId, bool)]) -> bool {
        let (truth, falsehood) = (
            self.place[&self.terms.truth()],
            self.place[&self.terms.falsehood()],
        );
        let mut unequal: Vec<(usize, usize)> = vec![(truth, falsehood)];
        for &(term, is_true) in literals {
            self.merge(self.place[&term], if is_true { truth } else { falsehood });
            if let (Op::Eq, &[a, b]) = (self.terms.op(term), self.terms.args(term)) {
                let pair = (self.place[&a], self.place[&b]);
                match is_true {
                    true => drop(self.merge(pair.0, pair.1)),
                    false => unequal.push(pair),
                }
            }
        }
        while self.pass() {}
        unequal.iter().any(|&(a, b)| self.class(a) == self.class(b)) || self.equates_constants()
    }

    /// Merges what is congruent now; whether anything was.
    fn pass(&mut self) -> bool {
        let mut signatures: FxHashMap<(&Op, SortId, Vec<usize>), usize> = FxHashMap::default();
        let mut equal = Vec::new();
        for (place, &term) in self.terms_in_order.iter().enumerate() {
            if !self.is_entered[place] {
                continue;
            }
            let node = self.terms.node(term);
            if node.op == Op::Not {
                let (truth, falsehood) = (
                    self.class_of(self.terms.truth()),
                    self.class_of(self.terms.falsehood()),
                );
                match self.class_of(node.args[0]) {
                    inner if inner == truth => equal.push((place, falsehood)),
                    inner if inner == falsehood => equal.push((place, truth)),
                    _ => {}
                }
            }
            let args = node.args.iter().map(|&arg| self.class_of(arg)).collect();
            match signatures.entry((&node.op, node.sort, args)) {
                std::collections::hash_map::Entry::Vacant(vacant) => drop(vacant.insert(place)),
                std::collections::hash_map::Entry::Occupied(other) => equal.push((place, *other.get())),
            }
        }
        let mut changed = false;
        for (a, b) in equal {
            changed |= self.merge(a, b);
        }
        changed
    }

    /// Whether different numbers or words of one sort are in one class.
    fn equates_constants(&self) -> bool {
        let mut seen: FxHashMap<(usize, SortId), TermId> = FxHashMap::default();
        self.terms_in_order.iter().any(|&term| {
            matches!(self.terms.op(term), Op::Number(_) | Op::Word(_))
                && *(seen.entry((self.class_of(term), self.terms.sort_of(term)))).or_insert(term) != term
        })
    }
}
