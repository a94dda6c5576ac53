//! Instances of universal formulas by matching (E-matching, de Moura and Bjørner 2007), modulo the model at hand.
//!
//! A *trigger* of a formula is a set of applications of functions and arrays that have all its bound variables, written with it or taken from its body. It is matched against the
//! applications that the solver knows: a variable takes the term in its place, a term without variables must have the same value in the
//! model, an application inside is looked for among the known ones with that value. So two terms are equal here if the model says
//! so, not if the equations imply it; an instance is worth having only where the model makes it false, and that is asked afterwards.
//! Cost: the number of known applications, to the power of the trigger's size, cut off.

use entail_first_order::{Evaluator, Interpretation, Op, SymbolId, TermId, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Work is cut off after so many attempts to match.
const MOST_ATTEMPTS: usize = 40_000;
/// So many matches are handed out.
const MOST_MATCHES: usize = 4_000;
/// A trigger has at most so many parts.
const MOST_PARTS: usize = 4;

/// The applications that are known, and their values.
pub(crate) struct Known {
    by_head: FxHashMap<Head, Vec<TermId>>,
    values: FxHashMap<TermId, Value>,
}

/// What is applied.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Head {
    Function(SymbolId),
    Select,
    Store,
}

fn head(terms: &Terms, term: TermId) -> Option<Head> {
    match terms.op(term) {
        Op::Apply(symbol) if !terms.args(term).is_empty() => Some(Head::Function(*symbol)),
        Op::Select => Some(Head::Select),
        Op::Store => Some(Head::Store),
        _ => None,
    }
}

impl Known {
    /// Those among these terms.
    pub fn new(terms: &Terms, known: &[TermId], model: &Interpretation) -> Known {
        let mut evaluator = Evaluator::new(terms, model);
        let mut by_head: FxHashMap<Head, Vec<TermId>> = FxHashMap::default();
        let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
        for &term in known {
            let Some(head) = head(terms, term) else { continue };
            let all = terms.args(term).iter().chain([&term]);
            let mut has_values = true;
            for &part in all {
                match evaluator.value(part) {
                    Ok(value) => drop(values.insert(part, value)),
                    Err(_) => has_values = false,
                }
            }
            if has_values {
                by_head.entry(head).or_default().push(term);
            }
        }
        Known { by_head, values }
    }

    fn with(&self, head: Head) -> &[TermId] {
        self.by_head.get(&head).map_or(&[], Vec::as_slice)
    }
}

/// A formula's bound variables and what its body is matched by.
pub(crate) struct Trigger {
    bound: Vec<SymbolId>,
    parts: Vec<TermId>,
}

/// The bound variables in a term.
fn variables(terms: &Terms, term: TermId, bound: &[SymbolId]) -> FxHashSet<SymbolId> {
    (terms.cone(&[term]).into_iter())
        .filter_map(|part| match terms.op(part) {
            Op::Apply(symbol) if bound.contains(symbol) => Some(*symbol),
            _ => None,
        })
        .collect()
}

impl Trigger {
    /// Triggers of a universal formula: those written with it (`:pattern`), if one of them can be matched, or else inferred ones.
    pub fn of(terms: &Terms, universal: TermId) -> Vec<Trigger> {
        let Op::Forall(bound) = terms.op(universal) else {
            return Vec::new();
        };
        let written: Vec<Trigger> = (terms.triggers(universal).iter())
            .filter(|parts| {
                let all = parts.iter().flat_map(|&part| variables(terms, part, bound));
                let is_applied = parts.iter().all(|&part| head(terms, part).is_some());
                is_applied && all.collect::<FxHashSet<_>>().len() == bound.len()
            })
            .map(|parts| Trigger {
                bound: bound.to_vec(),
                parts: parts.clone(),
            })
            .collect();
        match written.is_empty() {
            true => Trigger::inferred(terms, bound, terms.args(universal)[0]),
            false => written,
        }
    }

    /// Each application that has all variables, or else a few that have them together.
    fn inferred(terms: &Terms, bound: &[SymbolId], body: TermId) -> Vec<Trigger> {
        let mut applications: Vec<(TermId, FxHashSet<SymbolId>, usize)> = Vec::new();
        for part in terms.cone(&[body]) {
            let is_inside = |part: TermId| {
                (terms.cone(&[part]).into_iter()).all(|inner| {
                    head(terms, inner).is_some()
                        || matches!(
                            terms.op(inner),
                            Op::Apply(_) | Op::Number(_) | Op::Word(_) | Op::True | Op::False
                        )
                })
            };
            if head(terms, part).is_some() && is_inside(part) {
                let own = variables(terms, part, bound);
                if !own.is_empty() {
                    applications.push((part, own, terms.cone(&[part]).len()));
                }
            }
        }
        applications.sort_by_key(|(term, _, size)| (*size, *term));
        let whole: Vec<Trigger> = (applications.iter())
            .filter(|(_, own, _)| own.len() == bound.len())
            .take(3)
            .map(|(term, ..)| Trigger {
                bound: bound.to_vec(),
                parts: vec![*term],
            })
            .collect();
        if !whole.is_empty() {
            return whole;
        }
        let (mut covered, mut parts) = (FxHashSet::default(), Vec::new());
        for (term, own, _) in &applications {
            if !own.is_subset(&covered) && parts.len() < MOST_PARTS {
                covered.extend(own.iter().copied());
                parts.push(*term);
            }
        }
        match covered.len() == bound.len() {
            true => vec![Trigger {
                bound: bound.to_vec(),
                parts,
            }],
            false => Vec::new(),
        }
    }

    /// The terms for the variables under which the trigger is among the known applications.
    pub fn matches(&self, terms: &Terms, known: &Known, model: &Interpretation) -> Vec<Vec<TermId>> {
        let mut matcher = Matcher {
            terms,
            known,
            model,
            bound: &self.bound,
            attempts: 0,
        };
        let mut found = vec![FxHashMap::default()];
        for &part in &self.parts {
            let mut longer = Vec::new();
            for taken in &found {
                if let Some(head) = head(terms, part) {
                    for &term in known.with(head) {
                        matcher.arguments(part, term, taken, &mut longer);
                    }
                }
            }
            longer.truncate(MOST_MATCHES);
            found = longer;
        }
        (found.into_iter())
            .filter_map(|taken| {
                self.bound
                    .iter()
                    .map(|symbol| taken.get(symbol).copied())
                    .collect()
            })
            .collect()
    }
}

/// What variables stand for.
type Taken = FxHashMap<SymbolId, TermId>;

struct Matcher<'a> {
    terms: &'a Terms,
    known: &'a Known,
    model: &'a Interpretation,
    bound: &'a [SymbolId],
    attempts: usize,
}

impl Matcher<'_> {
    fn same(&self, a: TermId, b: TermId) -> bool {
        a == b || (self.known.values.get(&a)).is_some_and(|value| self.known.values.get(&b) == Some(value))
    }

    /// Matches the arguments of an application with those of a known one.
    fn arguments(&mut self, pattern: TermId, term: TermId, taken: &Taken, found: &mut Vec<Taken>) {
        let mut states = vec![taken.clone()];
        let (terms, pairs) = (
            self.terms,
            self.terms.args(pattern).iter().zip(self.terms.args(term)),
        );
        if terms.args(pattern).len() != terms.args(term).len() {
            return;
        }
        for (&part, &place) in pairs {
            let mut next = Vec::new();
            for state in &states {
                self.part(part, place, state, &mut next);
            }
            states = next;
        }
        found.extend(states);
    }

    fn part(&mut self, pattern: TermId, term: TermId, taken: &Taken, found: &mut Vec<Taken>) {
        self.attempts += 1;
        if self.attempts > MOST_ATTEMPTS || found.len() > MOST_MATCHES {
            return;
        }
        if let Op::Apply(symbol) = self.terms.op(pattern)
            && self.bound.contains(symbol)
        {
            match taken.get(symbol) {
                Some(&other) if !self.same(other, term) => {}
                Some(_) => found.push(taken.clone()),
                None => {
                    let mut more = taken.clone();
                    more.insert(*symbol, term);
                    found.push(more);
                }
            }
            return;
        }
        if variables(self.terms, pattern, self.bound).is_empty() {
            let own = Evaluator::new(self.terms, self.model).value(pattern).ok();
            if own.is_some() && own.as_ref() == self.known.values.get(&term) {
                found.push(taken.clone());
            }
            return;
        }
        // An application inside: any known one with the same value.
        if let Some(head) = head(self.terms, pattern) {
            for &other in self.known.with(head) {
                if self.same(other, term) {
                    self.arguments(pattern, other, taken, found);
                }
            }
        }
    }
}
