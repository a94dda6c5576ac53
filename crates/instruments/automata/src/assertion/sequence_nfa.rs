//! Sequences as nondeterministic automata on finite words, conditions on their edges.
//!
//! The construction follows the sequence (position automata, products for intersections); an automaton has one initial state, number 0, which is
//! never entered again, and no empty edges. States from which no accepting state can be reached *by shape* are dropped; an edge whose condition
//! is `false` stays, because a weak sequence waits on it (see `entail_logic::Assertion`): the letter that satisfies every condition takes it. Below `first_match` that letter
//! decides for the earliest match, so there an edge that it does not take stays only if some other letter does. So a run is alive iff the sequence is not yet prevented
//! from matching. Size is linear in the written-out sequence but for intersections (products) and `first_match` (subsets).

use entail_logic::{Guard, Sequence};
use rustc_hash::FxHashMap;

/// A sequence whose automaton would be too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceTooLarge;

/// Most states of an automaton.
const MOST_STATES: usize = 20_000;
/// Most edges of an automaton.
const MOST_EDGES: usize = 400_000;
/// Most different conditions at the states of a subset, when `first_match` makes an automaton deterministic.
const MOST_CONDITIONS: usize = 12;

/// An automaton on finite words.
#[derive(Clone, Debug)]
pub(crate) struct SequenceNfa<A> {
    /// For each state, its edges.
    pub(crate) edges: Vec<Vec<Edge<A>>>,
    /// For each state, whether a word may end there.
    pub(crate) accepting: Vec<bool>,
}

/// A letter that satisfies a condition leads to a state.
#[derive(Clone, Debug)]
pub(crate) struct Edge<A> {
    pub(crate) guard: Guard<A>,
    pub(crate) to: usize,
    /// Whether the letter that satisfies every condition takes it.
    by_any: bool,
}

impl<A: Clone + Eq + std::hash::Hash> Edge<A> {
    fn new(guard: Guard<A>, to: usize) -> Edge<A> {
        Edge {
            guard,
            to,
            by_any: true,
        }
    }

    /// An edge for letters that take both, if there are any.
    fn joined(&self, other: &Edge<A>, to: usize) -> Option<Edge<A>> {
        let edge = Edge {
            guard: self.guard.and(&other.guard),
            to,
            by_any: self.by_any && other.by_any,
        };
        (edge.by_any || is_satisfiable(&edge.guard)).then_some(edge)
    }

    fn moved(&self, shift: usize) -> Edge<A> {
        Edge {
            to: self.to + shift,
            ..self.clone()
        }
    }
}

/// A condition, the states that are met under it, and whether the letter that satisfies every condition meets just them.
type SubsetEdge<A> = (Guard<A>, Vec<usize>, bool);

/// Whether some letter satisfies a condition: by cases of its atoms.
fn is_satisfiable<A: Clone + PartialEq>(guard: &Guard<A>) -> bool {
    match guard {
        Guard::Constant(truth) => *truth,
        Guard::Atom(_) => true,
        _ => match first_atom(guard) {
            None => guard.evaluate(&mut |_| false),
            Some(atom) => [true, false]
                .into_iter()
                .any(|truth| is_satisfiable(&with_atom(guard, &atom, truth))),
        },
    }
}

fn first_atom<A: Clone>(guard: &Guard<A>) -> Option<A> {
    match guard {
        Guard::Constant(_) => None,
        Guard::Atom(atom) => Some(atom.clone()),
        Guard::Not(inner) => first_atom(inner),
        Guard::And(left, right) | Guard::Or(left, right) => first_atom(left).or_else(|| first_atom(right)),
    }
}

/// A condition where the truth of an atom is known.
fn with_atom<A: Clone + PartialEq>(guard: &Guard<A>, atom: &A, truth: bool) -> Guard<A> {
    match guard {
        Guard::Atom(one) if one == atom => Guard::Constant(truth),
        Guard::Constant(_) | Guard::Atom(_) => guard.clone(),
        Guard::Not(inner) => with_atom(inner, atom, truth).negated(),
        Guard::And(left, right) => with_atom(left, atom, truth).and(&with_atom(right, atom, truth)),
        Guard::Or(left, right) => with_atom(left, atom, truth).or(&with_atom(right, atom, truth)),
    }
}

impl<A: Clone + Eq + std::hash::Hash> SequenceNfa<A> {
    /// The automaton of a sequence.
    pub(crate) fn new(sequence: &Sequence<A>) -> Result<SequenceNfa<A>, SequenceTooLarge> {
        Ok(build(sequence)?.trimmed())
    }

    fn of_empty() -> SequenceNfa<A> {
        SequenceNfa {
            edges: vec![Vec::new()],
            accepting: vec![true],
        }
    }

    fn checked(self) -> Result<SequenceNfa<A>, SequenceTooLarge> {
        let edges: usize = self.edges.iter().map(Vec::len).sum();
        match self.edges.len() <= MOST_STATES && edges <= MOST_EDGES {
            true => Ok(self),
            false => Err(SequenceTooLarge),
        }
    }

    /// Takes over the states of another automaton except its initial one; gives the edges of that one.
    fn take_over(&mut self, other: &SequenceNfa<A>) -> Vec<Edge<A>> {
        let shift = self.edges.len() - 1;
        let moved =
            |edges: &[Edge<A>]| -> Vec<Edge<A>> { edges.iter().map(|edge| edge.moved(shift)).collect() };
        for state in 1..other.edges.len() {
            self.edges.push(moved(&other.edges[state]));
            self.accepting.push(other.accepting[state]);
        }
        moved(&other.edges[0])
    }

    fn then(mut self, other: &SequenceNfa<A>) -> Result<SequenceNfa<A>, SequenceTooLarge> {
        let own = self.edges.len();
        let begin = self.take_over(other);
        for state in 0..own {
            if self.accepting[state] {
                self.edges[state].extend(begin.iter().cloned());
                self.accepting[state] = other.accepting[0];
            }
        }
        self.checked()
    }

    fn fused(mut self, other: &SequenceNfa<A>) -> Result<SequenceNfa<A>, SequenceTooLarge> {
        let own = self.edges.len();
        let begin = self.take_over(other);
        for state in 0..own {
            let mut shared = Vec::new();
            for last in &self.edges[state] {
                if last.to < own && self.accepting[last.to] {
                    shared.extend(begin.iter().filter_map(|first| last.joined(first, first.to)));
                }
            }
            self.edges[state].extend(shared);
        }
        self.accepting[..own].fill(false);
        self.checked()
    }

    fn or(mut self, other: &SequenceNfa<A>) -> Result<SequenceNfa<A>, SequenceTooLarge> {
        let begin = self.take_over(other);
        self.edges[0].extend(begin);
        self.accepting[0] |= other.accepting[0];
        self.checked()
    }

    fn product(&self, other: &SequenceNfa<A>) -> Result<SequenceNfa<A>, SequenceTooLarge> {
        let mut numbers = FxHashMap::default();
        let mut pairs = vec![(0, 0)];
        numbers.insert((0, 0), 0);
        let mut product = SequenceNfa {
            edges: Vec::new(),
            accepting: Vec::new(),
        };
        let mut total = 0;
        while product.edges.len() < pairs.len() {
            let (left, right) = pairs[product.edges.len()];
            let mut edges = Vec::new();
            for first in &self.edges[left] {
                for second in &other.edges[right] {
                    let pair = (first.to, second.to);
                    let known = numbers.get(&pair).copied();
                    let Some(edge) = first.joined(second, known.unwrap_or(pairs.len())) else {
                        continue;
                    };
                    if known.is_none() {
                        numbers.insert(pair, pairs.len());
                        pairs.push(pair);
                    }
                    edges.push(edge);
                }
            }
            total += edges.len();
            if pairs.len() > MOST_STATES || total > MOST_EDGES {
                return Err(SequenceTooLarge);
            }
            product.edges.push(edges);
            product
                .accepting
                .push(self.accepting[left] && other.accepting[right]);
        }
        Ok(product.trimmed())
    }

    fn starred(mut self) -> Result<SequenceNfa<A>, SequenceTooLarge> {
        let begin = self.edges[0].clone();
        for state in 1..self.edges.len() {
            if self.accepting[state] {
                self.edges[state].extend(begin.iter().cloned());
            }
        }
        self.accepting[0] = true;
        self.checked()
    }

    fn repeated(&self, least: u32, most: Option<u32>) -> Result<SequenceNfa<A>, SequenceTooLarge> {
        let copies = most.unwrap_or(least) as usize;
        if copies.saturating_mul(self.edges.len()) > MOST_STATES {
            return Err(SequenceTooLarge);
        }
        let mut whole = SequenceNfa::of_empty();
        for _ in 0..least {
            whole = whole.then(self)?;
        }
        match most {
            None => whole.then(&self.clone().starred()?),
            Some(most) => {
                // The optional copies are nested, (r (r …)?)?, so that each has one way in.
                let mut optional = SequenceNfa::of_empty();
                for _ in least..most {
                    optional = self.clone().then(&optional)?;
                    optional.accepting[0] = true;
                }
                whole.then(&optional)
            }
        }
    }

    /// Without states that cannot be reached or that lead nowhere.
    fn trimmed(self) -> SequenceNfa<A> {
        let count = self.edges.len();
        let mut before = vec![Vec::new(); count];
        for (from, edges) in self.edges.iter().enumerate() {
            for edge in edges {
                before[edge.to].push(from);
            }
        }
        let mut useful = vec![false; count];
        let mut stack: Vec<usize> = (0..count).filter(|&state| self.accepting[state]).collect();
        while let Some(state) = stack.pop() {
            if !std::mem::replace(&mut useful[state], true) {
                stack.extend(&before[state]);
            }
        }
        let mut numbers = vec![usize::MAX; count];
        let mut order = vec![0];
        numbers[0] = 0;
        let mut done = 0;
        while done < order.len() {
            for edge in &self.edges[order[done]] {
                if useful[edge.to] && numbers[edge.to] == usize::MAX {
                    numbers[edge.to] = order.len();
                    order.push(edge.to);
                }
            }
            done += 1;
        }
        let edges = order.iter().map(|&state| {
            let kept = self.edges[state].iter().filter(|edge| useful[edge.to]);
            let mut edges: Vec<Edge<A>> = Vec::new();
            for edge in kept {
                let to = numbers[edge.to];
                match edges.iter_mut().find(|known| known.to == to) {
                    Some(known) => {
                        known.guard = known.guard.or(&edge.guard);
                        known.by_any |= edge.by_any;
                    }
                    None => edges.push(Edge { to, ..edge.clone() }),
                }
            }
            edges
        });
        SequenceNfa {
            edges: edges.collect(),
            accepting: order.iter().map(|&state| self.accepting[state]).collect(),
        }
    }

    /// The words of which no proper prefix is one: subsets, cut where they accept.
    fn first_match(&self) -> Result<SequenceNfa<A>, SequenceTooLarge> {
        if self.accepting[0] {
            return Ok(SequenceNfa::of_empty());
        }
        let mut numbers: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        let mut subsets = vec![vec![0]];
        numbers.insert(vec![0], 0);
        let mut result = SequenceNfa {
            edges: Vec::new(),
            accepting: Vec::new(),
        };
        let mut total = 0;
        while result.edges.len() < subsets.len() {
            let subset = subsets[result.edges.len()].clone();
            let accepting = subset.iter().any(|&state| self.accepting[state]);
            let mut edges = Vec::new();
            if !accepting {
                for (guard, target, by_any) in self.subset_edges(&subset)? {
                    let to = *numbers.entry(target).or_insert_with_key(|target| {
                        subsets.push(target.clone());
                        subsets.len() - 1
                    });
                    edges.push(Edge { guard, to, by_any });
                }
            }
            total += edges.len();
            if subsets.len() > MOST_STATES || total > MOST_EDGES {
                return Err(SequenceTooLarge);
            }
            result.edges.push(edges);
            result.accepting.push(accepting);
        }
        Ok(result.trimmed())
    }

    /// The subsets that follow a subset, each under the condition that decides for it; and the one that the letter which satisfies every condition leads to.
    fn subset_edges(&self, subset: &[usize]) -> Result<Vec<SubsetEdge<A>>, SequenceTooLarge> {
        let mut conditions: Vec<Guard<A>> = Vec::new();
        let mut moves = Vec::new();
        let mut by_any = Vec::new();
        for edge in subset.iter().flat_map(|&state| &self.edges[state]) {
            let number = match conditions.iter().position(|known| *known == edge.guard) {
                Some(number) => number,
                None => {
                    conditions.push(edge.guard.clone());
                    conditions.len() - 1
                }
            };
            moves.push((number, edge.to));
            if edge.by_any {
                by_any.push(edge.to);
            }
        }
        if conditions.len() > MOST_CONDITIONS {
            return Err(SequenceTooLarge);
        }
        let mut edges: Vec<SubsetEdge<A>> = Vec::new();
        for choice in 1_u32..1 << conditions.len() {
            let mut guard = Guard::Constant(true);
            for (number, condition) in conditions.iter().enumerate() {
                let chosen = choice >> number & 1 == 1;
                guard = guard.and(&if chosen {
                    condition.clone()
                } else {
                    condition.negated()
                });
            }
            if is_satisfiable(&guard) {
                let targets = moves.iter().filter(|(number, _)| choice >> number & 1 == 1);
                edges.push((guard, sorted(targets.map(|(_, to)| *to).collect()), false));
            }
        }
        if !by_any.is_empty() {
            edges.push((Guard::Constant(false), sorted(by_any), true));
        }
        Ok(edges)
    }
}

/// A set of states, each once.
fn sorted(mut states: Vec<usize>) -> Vec<usize> {
    states.sort_unstable();
    states.dedup();
    states
}

fn build<A: Clone + Eq + std::hash::Hash>(
    sequence: &Sequence<A>,
) -> Result<SequenceNfa<A>, SequenceTooLarge> {
    Ok(match sequence {
        Sequence::Empty => SequenceNfa::of_empty(),
        Sequence::Guard(guard) => SequenceNfa {
            edges: vec![vec![Edge::new(guard.clone(), 1)], Vec::new()],
            accepting: vec![false, true],
        },
        Sequence::Concatenation(left, right) => build(left)?.then(&build(right)?)?,
        Sequence::Fusion(left, right) => build(left)?.fused(&build(right)?)?,
        Sequence::Union(left, right) => build(left)?.or(&build(right)?)?,
        Sequence::Intersection(left, right) => build(left)?.product(&build(right)?)?,
        Sequence::Both(left, right) => {
            let (left, right) = (build(left)?, build(right)?);
            let rest = build(&Sequence::anything().repeated(0, None))?;
            let one = left.product(&right.clone().then(&rest)?)?;
            let other = left.then(&rest)?.product(&right)?;
            one.or(&other)?
        }
        Sequence::Repetition { body, least, most } => build(body)?.repeated(*least, *most)?,
        Sequence::FirstMatch(inner) => build(inner)?.trimmed().first_match()?,
        // (Local variables are constants to automata.)
        Sequence::Assigning { body, equal, .. } => {
            build(body)?.fused(&build(&Sequence::Guard(Guard::Atom(equal.clone())))?)?
        }
    })
}
