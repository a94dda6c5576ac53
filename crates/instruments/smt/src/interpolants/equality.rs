//! Interpolants of lemmas of equality (Fuchs, Goel, Grundy, Krstić, Tinelli 2009).
//!
//! The contradiction is a path of equations between two terms that must differ. Edges are literals or congruences, whose arguments have
//! paths of their own. Each edge belongs to a side; a congruence between terms of different sides is cut in two at a term over symbols of
//! both, made from such terms on the paths of its arguments. What a stretch of the left side says is: if the equations of the right side
//! that its congruences need hold, its ends are equal. Cost: the size of the tree of paths, which is limited.

use super::Side;
use super::lemma::Sided;
use entail_first_order::{Op, TermId, Terms};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Paths with more edges than this have no interpolant.
const MOST_EDGES: usize = 4_000;
/// Lemmas over more terms have no interpolant: the closure is computed naively.
const MOST_TERMS: usize = 1_000;
/// Terms that are nested deeper than this are not looked into.
const MOST_DEPTH: usize = 200;

/// An edge of a path, with the side it belongs to.
#[derive(Clone, Debug)]
struct Edge {
    from: TermId,
    to: TermId,
    is_left: bool,
    /// Paths of the arguments, for a congruence.
    arguments: Vec<Vec<Edge>>,
}

/// Why two terms are joined in the forest.
#[derive(Clone, Copy, Debug)]
enum Joined {
    /// A literal, of the left side alone or not.
    Literal {
        is_left: bool,
    },
    Congruence,
}

/// The closure: a forest of equations.
#[derive(Default)]
struct Forest {
    neighbours: FxHashMap<TermId, Vec<(TermId, Joined)>>,
    classes: FxHashMap<TermId, usize>,
}

impl Forest {
    fn join(&mut self, a: TermId, b: TermId, joined: Joined) -> bool {
        let (keep, change) = (self.classes[&a], self.classes[&b]);
        if keep == change {
            return false;
        }
        for class in self.classes.values_mut().filter(|class| **class == change) {
            *class = keep;
        }
        self.neighbours.entry(a).or_default().push((b, joined));
        self.neighbours.entry(b).or_default().push((a, joined));
        true
    }

    fn close(&mut self, terms: &Terms, cone: &[TermId]) {
        let mut changed = true;
        while changed {
            changed = false;
            let mut known: FxHashMap<(&Op, Vec<usize>), TermId> = FxHashMap::default();
            for &term in cone.iter().filter(|&&term| !terms.args(term).is_empty()) {
                let classes = terms.args(term).iter().map(|arg| self.classes[arg]).collect();
                let &mut other = known.entry((terms.op(term), classes)).or_insert(term);
                if self.join(other, term, Joined::Congruence) {
                    changed = true;
                    break;
                }
            }
        }
    }

    /// The forest's path between two terms of one class.
    fn route(&self, from: TermId, to: TermId) -> Option<Vec<(TermId, TermId, Joined)>> {
        let mut before: FxHashMap<TermId, (TermId, Joined)> = FxHashMap::default();
        let mut waiting = VecDeque::from([from]);
        while let Some(term) = waiting.pop_front() {
            if term == to {
                let mut route = Vec::new();
                let mut at = to;
                while at != from {
                    let (previous, joined) = before[&at];
                    route.push((previous, at, joined));
                    at = previous;
                }
                route.reverse();
                return Some(route);
            }
            for &(next, joined) in self.neighbours.get(&term).into_iter().flatten() {
                if next != from && !before.contains_key(&next) {
                    before.insert(next, (term, joined));
                    waiting.push_back(next);
                }
            }
        }
        None
    }
}

struct Paths<'a> {
    forest: Forest,
    side: &'a dyn Fn(&Terms, TermId) -> Side,
    edges: usize,
}

impl Paths<'_> {
    /// The path between two terms, every edge with a side.
    fn path(
        &mut self,
        terms: &mut Terms,
        from: TermId,
        to: TermId,
        depth: usize,
    ) -> Result<Vec<Edge>, String> {
        let route = self
            .forest
            .route(from, to)
            .ok_or("a path of equations is missing")?;
        self.edges += route.len();
        if self.edges > MOST_EDGES || depth > MOST_DEPTH {
            return Err("a lemma of equality is too large".into());
        }
        let mut path = Vec::with_capacity(route.len());
        for (from, to, joined) in route {
            match joined {
                Joined::Literal { is_left } => path.push(Edge {
                    from,
                    to,
                    is_left,
                    arguments: Vec::new(),
                }),
                Joined::Congruence => {
                    let pairs: Vec<(TermId, TermId)> = (terms
                        .args(from)
                        .iter()
                        .copied()
                        .zip(terms.args(to).iter().copied()))
                    .collect();
                    let mut arguments = Vec::with_capacity(pairs.len());
                    for (a, b) in pairs {
                        arguments.push(self.path(terms, a, b, depth + 1)?);
                    }
                    path.extend(self.sided(terms, from, to, arguments)?);
                }
            }
        }
        Ok(path)
    }

    /// A congruence as one edge of a side, or two.
    fn sided(
        &mut self,
        terms: &mut Terms,
        from: TermId,
        to: TermId,
        arguments: Vec<Vec<Edge>>,
    ) -> Result<Vec<Edge>, String> {
        let [a, b] = [from, to].map(|term| (self.side)(terms, term));
        let is_left = match (a, b) {
            _ if a.has_right() && b.has_right() => Some(false),
            _ if a.has_left() && b.has_left() => Some(true),
            _ => None,
        };
        if let Some(is_left) = is_left {
            return Ok(vec![Edge {
                from,
                to,
                is_left,
                arguments,
            }]);
        }
        let starts = terms.args(from).to_vec();
        let (mut first, mut second, mut middle) = (Vec::new(), Vec::new(), Vec::new());
        for (start, path) in starts.into_iter().zip(arguments) {
            let places = std::iter::once(start).chain(path.iter().map(|edge| edge.to));
            let place = places
                .enumerate()
                .find(|&(_, term)| (self.side)(terms, term) == Side::Both);
            let (place, term) = place.ok_or("a path of equations has no term of both sides")?;
            middle.push(term);
            second.push(path[place..].to_vec());
            first.push(path[..place].to_vec());
        }
        let (op, sort) = (terms.op(from).clone(), terms.sort_of(from));
        let middle = terms.make(op, &middle, sort);
        Ok(vec![
            Edge {
                from,
                to: middle,
                is_left: a.has_left(),
                arguments: first,
            },
            Edge {
                from: middle,
                to,
                is_left: b.has_left(),
                arguments: second,
            },
        ])
    }
}

/// A longest stretch of a path on one side.
fn stretches(path: &[Edge]) -> impl Iterator<Item = &[Edge]> {
    path.chunk_by(|a, b| a.is_left == b.is_left)
}

/// The stretches of the right side that a path of the left side needs for its congruences.
fn premises<'p>(stretch: &'p [Edge], found: &mut Vec<&'p [Edge]>) {
    for argument in stretch.iter().flat_map(|edge| &edge.arguments) {
        for inner in stretches(argument) {
            match inner[0].is_left {
                true => premises(inner, found),
                false => found.push(inner),
            }
        }
    }
}

fn ends(terms: &mut Terms, stretch: &[Edge]) -> TermId {
    terms.equation(stretch[0].from, stretch[stretch.len() - 1].to)
}

/// What the left side says about a path between terms that the right side can speak of.
fn summary(terms: &mut Terms, path: &[Edge], parts: &mut Vec<TermId>) {
    for stretch in stretches(path) {
        if stretch[0].is_left {
            let goal = ends(terms, stretch);
            implication(terms, stretch, goal, parts);
        } else {
            for argument in stretch.iter().flat_map(|edge| &edge.arguments) {
                summary(terms, argument, parts);
            }
        }
    }
}

/// That a path of the left side gives its goal, if the right side gives what its congruences need.
fn implication(terms: &mut Terms, stretch: &[Edge], goal: TermId, parts: &mut Vec<TermId>) {
    let mut needed = Vec::new();
    premises(stretch, &mut needed);
    conclude(terms, &needed, goal, parts);
}

fn conclude(terms: &mut Terms, needed: &[&[Edge]], goal: TermId, parts: &mut Vec<TermId>) {
    let mut clause = vec![goal];
    for stretch in needed {
        summary(terms, stretch, parts);
        let equation = ends(terms, stretch);
        clause.push(terms.not(equation));
    }
    parts.push(terms.or(&clause));
}

/// The interpolant of a clause that holds by equality alone.
pub(super) fn interpolant(
    terms: &mut Terms,
    literals: &[Sided],
    side: &dyn Fn(&Terms, TermId) -> Side,
) -> Result<TermId, String> {
    let roots: Vec<TermId> = literals.iter().map(|(_, term, _)| *term).collect();
    let mut cone = terms.cone(&roots);
    cone.extend([terms.truth(), terms.falsehood()]);
    cone.sort_unstable();
    cone.dedup();
    if cone.len() > MOST_TERMS {
        return Err("a lemma of equality is too large".into());
    }
    let mut forest = Forest {
        classes: (cone.iter().enumerate())
            .map(|(class, &term)| (term, class))
            .collect(),
        ..Forest::default()
    };
    let mut unequal: Vec<(TermId, TermId, bool)> = Vec::new();
    for &(literal, term, own) in literals {
        let (mut term, mut is_true) = (term, literal < 0);
        while *terms.op(term) == Op::Not {
            term = terms.args(term)[0];
            is_true = !is_true;
        }
        let is_left = !own.has_right();
        match (terms.op(term), is_true) {
            (Op::Eq, true) => {
                let [a, b] = [terms.args(term)[0], terms.args(term)[1]];
                forest.join(a, b, Joined::Literal { is_left });
            }
            (Op::Eq, false) => unequal.push((terms.args(term)[0], terms.args(term)[1], is_left)),
            _ => {
                forest.join(term, terms.bool(is_true), Joined::Literal { is_left });
            }
        }
    }
    forest.close(terms, &cone);
    // Different values differ, and everybody can say so.
    let values: Vec<TermId> = cone
        .iter()
        .copied()
        .filter(|&term| is_value(terms, term))
        .collect();
    for (place, &a) in values.iter().enumerate() {
        unequal.extend(values[place + 1..].iter().map(|&b| (a, b, false)));
    }
    let found = unequal
        .into_iter()
        .find(|(a, b, _)| forest.classes[a] == forest.classes[b]);
    let (a, b, is_left) = found.ok_or("the equations contradict nothing")?;
    let mut paths = Paths {
        forest,
        side,
        edges: 0,
    };
    let path = paths.path(terms, a, b, 0)?;
    let mut parts = Vec::new();
    match is_left {
        false => summary(terms, &path, &mut parts),
        true => {
            let mut needed = Vec::new();
            for stretch in stretches(&path) {
                match stretch[0].is_left {
                    true => premises(stretch, &mut needed),
                    false => needed.push(stretch),
                }
            }
            let falsehood = terms.falsehood();
            conclude(terms, &needed, falsehood, &mut parts);
        }
    }
    Ok(terms.and(&parts))
}

fn is_value(terms: &Terms, term: TermId) -> bool {
    matches!(terms.op(term), Op::True | Op::False | Op::Number(_) | Op::Word(_))
}
