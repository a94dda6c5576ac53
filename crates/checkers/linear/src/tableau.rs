//! The automaton of the words that violate a formula.
//!
//! The negated formula is pushed down to literals, `&`, `|`, `X`, `U` and `R`. A position is a set of formulas that must be true from here on, and an edge is one way to make all of them true: conjunctions are taken apart, of a
//! disjunction one part is chosen, `f U g` is `g`, or `f` now and the same from the next state on, `f R g` is `g` now and either `f` or the same from the next state on (Gerth, Peled, Vardi, Wolper, *Simple on-the-fly automatic
//! verification of linear temporal logic*, 1995; marks on edges as in Couvreur, FM 1999). Each `U` has a mark, which is met by every edge that does not put it off; a word is read with all marks met infinitely
//! often if and only if nothing is put off for ever, that is, if the formula is true on it.
//!
//! An edge is left out if another one asks for less in every respect: of what is true now, of what must be true next, and of what is put off. Whatever can follow the first can follow the second, with
//! the same marks or more.

use entail_logic::{Binary, Formula, Interval, Node, Observer, ObserverEdge, Unary};
use std::collections::{BTreeMap, BTreeSet};

/// Formulas with more nodes, automata with more positions, and bounds above this are not supported; nor is more work than this for one position.
const LARGEST_FORMULA: usize = 2_000;
const MOST_POSITIONS: usize = 2_000;
const LARGEST_BOUND: u32 = 200;
const MOST_WORK: usize = 20_000;

/// Why there is no automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub &'static str);

/// Position of a subformula in [`Tableau::parts`].
type Part = usize;

/// A subformula; operands come before it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Constant(bool),
    Literal(usize, bool),
    And(Vec<Part>),
    Or(Vec<Part>),
    Next(Part),
    Until(Part, Part),
    Release(Part, Part),
}

/// One way to make a set of formulas true.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Way {
    literals: BTreeMap<usize, bool>,
    next: BTreeSet<Part>,
    put_off: BTreeSet<Part>,
}

impl Way {
    /// Whether it asks for no more than another.
    fn is_easier(&self, other: &Way) -> bool {
        self.next.is_subset(&other.next)
            && self.put_off.is_subset(&other.put_off)
            && (self.literals.iter()).all(|(atom, truth)| other.literals.get(atom) == Some(truth))
    }
}

#[derive(Default)]
struct Tableau {
    parts: Vec<Operator>,
    numbers: BTreeMap<Operator, Part>,
}

/// The automaton of the words on which a formula is false; atoms are the numbers of conditions.
pub fn violations(formula: &Formula<usize>) -> Result<Observer, Unsupported> {
    if formula.size() > LARGEST_FORMULA {
        return Err(Unsupported("formulas of this size"));
    }
    let mut tableau = Tableau::default();
    let whole = tableau.part_of(formula, false)?;
    let untils: Vec<Part> = (0..tableau.parts.len())
        .filter(|&part| matches!(tableau.parts[part], Operator::Until(..)))
        .collect();
    if untils.len() > 64 {
        return Err(Unsupported("formulas with so many temporal operators"));
    }
    let mut numbers: BTreeMap<BTreeSet<Part>, u16> = BTreeMap::new();
    let mut waiting: Vec<BTreeSet<Part>> = vec![BTreeSet::from([whole])];
    numbers.insert(waiting[0].clone(), 0);
    let mut observer = Observer {
        positions: Vec::new(),
        marks: untils.len() as u32,
    };
    while let Some(wanted) = waiting.get(observer.positions.len()).cloned() {
        let mut edges = Vec::new();
        for way in tableau.ways(&wanted)? {
            let fresh = numbers.len() as u16;
            let target = *numbers.entry(way.next.clone()).or_insert(fresh);
            if target == fresh {
                waiting.push(way.next);
            }
            let met = (untils.iter().enumerate()).filter(|(_, until)| !way.put_off.contains(until));
            edges.push(ObserverEdge {
                literals: way.literals.into_iter().collect(),
                target,
                marks: met.fold(0, |marks, (mark, _)| marks | 1 << mark),
            });
        }
        if numbers.len() > MOST_POSITIONS {
            return Err(Unsupported("formulas with so large an automaton"));
        }
        observer.positions.push(edges);
    }
    Ok(observer)
}

impl Tableau {
    fn part(&mut self, operator: Operator) -> Part {
        let fresh = self.parts.len();
        let part = *self.numbers.entry(operator.clone()).or_insert(fresh);
        if part == fresh {
            self.parts.push(operator);
        }
        part
    }

    fn constant(&mut self, truth: bool) -> Part {
        self.part(Operator::Constant(truth))
    }

    fn both(&mut self, left: Part, right: Part) -> Part {
        self.part(Operator::And(vec![left, right]))
    }

    fn either(&mut self, left: Part, right: Part) -> Part {
        self.part(Operator::Or(vec![left, right]))
    }

    /// A conjunction, if `conjunctive`, or a disjunction.
    fn joined(&mut self, conjunctive: bool, left: Part, right: Part) -> Part {
        match conjunctive {
            true => self.both(left, right),
            false => self.either(left, right),
        }
    }

    /// The formula itself, if `truth`, or its negation.
    fn part_of(&mut self, formula: &Formula<usize>, truth: bool) -> Result<Part, Unsupported> {
        Ok(match formula.node() {
            Node::Constant(value) => self.constant(*value == truth),
            Node::Atom(atom) => self.part(Operator::Literal(*atom, truth)),
            Node::Not(operand) => self.part_of(operand, !truth)?,
            Node::And(operands) | Node::Or(operands) => {
                let parts = operands.iter().map(|operand| self.part_of(operand, truth));
                let parts = parts.collect::<Result<Vec<Part>, Unsupported>>()?;
                match matches!(formula.node(), Node::And(_)) == truth {
                    true => self.part(Operator::And(parts)),
                    false => self.part(Operator::Or(parts)),
                }
            }
            Node::Implies(left, right) => {
                let (left, right) = (self.part_of(left, !truth)?, self.part_of(right, truth)?);
                self.joined(!truth, left, right)
            }
            Node::Iff(left, right) => self.alike(left, right, truth)?,
            Node::Xor(left, right) => self.alike(left, right, !truth)?,
            Node::Unary(operator, interval, operand) => {
                let operand = self.part_of(operand, truth)?;
                match operator {
                    Unary::Next => self.part(Operator::Next(operand)),
                    Unary::Finally | Unary::Globally => {
                        let is_finally = (*operator == Unary::Finally) == truth;
                        self.some_or_all(is_finally, *interval, operand)?
                    }
                    _ => return Err(Unsupported("past operators")),
                }
            }
            Node::Binary(operator, interval, left, right) if interval.is_always() => {
                let (left, right) = (self.part_of(left, truth)?, self.part_of(right, truth)?);
                match (operator, truth) {
                    (Binary::Until, true) | (Binary::Release, false) => {
                        self.part(Operator::Until(left, right))
                    }
                    (Binary::Release, true) | (Binary::Until, false) => {
                        self.part(Operator::Release(left, right))
                    }
                    // `p W q` is `q R (p | q)`, and `p M q` is `q U (p & q)`; with both operands negated, the negation of each is the other form.
                    (Binary::WeakUntil, true) => {
                        let now = self.either(left, right);
                        self.part(Operator::Release(right, now))
                    }
                    (Binary::WeakUntil, false) => {
                        let now = self.both(left, right);
                        self.part(Operator::Until(right, now))
                    }
                    (Binary::StrongRelease, true) => {
                        let now = self.both(left, right);
                        self.part(Operator::Until(right, now))
                    }
                    (Binary::StrongRelease, false) => {
                        let now = self.either(left, right);
                        self.part(Operator::Release(right, now))
                    }
                    (Binary::Since | Binary::Triggered, _) => return Err(Unsupported("past operators")),
                }
            }
            Node::Binary(..) => return Err(Unsupported("bounded operators with two operands")),
            Node::Quantified(..) => return Err(Unsupported("path quantifiers")),
        })
    }

    /// Both are true or both are false, if `alike`; else exactly one is true.
    fn alike(
        &mut self,
        left: &Formula<usize>,
        right: &Formula<usize>,
        alike: bool,
    ) -> Result<Part, Unsupported> {
        let (left_true, right_true) = (self.part_of(left, true)?, self.part_of(right, alike)?);
        let (left_false, right_false) = (self.part_of(left, false)?, self.part_of(right, !alike)?);
        let first = self.both(left_true, right_true);
        let second = self.both(left_false, right_false);
        Ok(self.either(first, second))
    }

    /// At some state of an interval, if `is_finally`, or at all of them.
    fn some_or_all(
        &mut self,
        is_finally: bool,
        interval: Interval,
        operand: Part,
    ) -> Result<Part, Unsupported> {
        if interval.from.max(interval.to.unwrap_or(0)) > LARGEST_BOUND {
            return Err(Unsupported("bounds as large as this"));
        }
        let mut part = match interval.to {
            None => {
                let constant = self.constant(is_finally);
                match is_finally {
                    true => self.part(Operator::Until(constant, operand)),
                    false => self.part(Operator::Release(constant, operand)),
                }
            }
            Some(to) => {
                let mut part = self.constant(!is_finally);
                for _ in interval.from..=to {
                    let later = self.part(Operator::Next(part));
                    part = self.joined(!is_finally, operand, later);
                }
                part
            }
        };
        for _ in 0..interval.from {
            part = self.part(Operator::Next(part));
        }
        Ok(part)
    }

    /// All ways to make some formulas true, but those that ask for more than another.
    fn ways(&self, wanted: &BTreeSet<Part>) -> Result<Vec<Way>, Unsupported> {
        let mut found: Vec<Way> = Vec::new();
        let mut pending = vec![(
            wanted.iter().copied().collect::<Vec<Part>>(),
            BTreeSet::new(),
            Way::default(),
        )];
        let mut work = 0;
        while let Some((mut todo, mut done, mut way)) = pending.pop() {
            work += 1;
            if work > MOST_WORK {
                return Err(Unsupported("formulas with so large an automaton"));
            }
            let Some(part) = todo.pop() else {
                if !found.iter().any(|other| other.is_easier(&way)) {
                    found.retain(|other| !way.is_easier(other));
                    found.push(way);
                }
                continue;
            };
            if !done.insert(part) {
                pending.push((todo, done, way));
                continue;
            }
            match &self.parts[part] {
                Operator::Constant(false) => continue,
                Operator::Constant(true) => {}
                Operator::Literal(atom, truth) => {
                    if *way.literals.entry(*atom).or_insert(*truth) != *truth {
                        continue;
                    }
                }
                Operator::And(parts) => todo.extend(parts),
                Operator::Or(parts) => {
                    for &chosen in parts {
                        let mut todo = todo.clone();
                        todo.push(chosen);
                        pending.push((todo, done.clone(), way.clone()));
                    }
                    continue;
                }
                Operator::Next(operand) => self.demand(*operand, &mut way.next),
                Operator::Until(left, right) => {
                    let mut now = todo.clone();
                    now.push(*right);
                    pending.push((now, done.clone(), way.clone()));
                    todo.push(*left);
                    way.next.insert(part);
                    way.put_off.insert(part);
                }
                Operator::Release(left, right) => {
                    todo.push(*right);
                    let mut now = todo.clone();
                    now.push(*left);
                    pending.push((now, done.clone(), way.clone()));
                    way.next.insert(part);
                }
            }
            pending.push((todo, done, way));
        }
        Ok(found)
    }

    /// Adds a formula to what must be true next; the parts of a conjunction by themselves, so that equal demands are equal sets.
    fn demand(&self, part: Part, next: &mut BTreeSet<Part>) {
        let mut pending = vec![part];
        while let Some(part) = pending.pop() {
            match &self.parts[part] {
                Operator::Constant(true) => {}
                Operator::And(parts) => pending.extend(parts),
                _ => {
                    next.insert(part);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The truth of a formula at each position of a lasso, by its definition; letters are sets of bits.
    fn truth(formula: &Formula<usize>, word: &[u64], start: usize) -> Vec<bool> {
        let length = word.len();
        let after = |at: usize, steps: usize| {
            (0..steps).fold(at, |at, _| if at + 1 < length { at + 1 } else { start })
        };
        let all = |truth: &dyn Fn(usize) -> bool| (0..length).map(truth).collect::<Vec<bool>>();
        let inner = |formula: &Formula<usize>| truth(formula, word, start);
        let far = 3 * length;
        match formula.node() {
            Node::Constant(value) => vec![*value; length],
            Node::Atom(atom) => all(&|at| word[at] >> atom & 1 == 1),
            Node::Not(operand) => inner(operand).into_iter().map(|value| !value).collect(),
            Node::And(operands) => {
                let operands: Vec<Vec<bool>> = operands.iter().map(inner).collect();
                all(&|at| operands.iter().all(|operand| operand[at]))
            }
            Node::Or(operands) => {
                let operands: Vec<Vec<bool>> = operands.iter().map(inner).collect();
                all(&|at| operands.iter().any(|operand| operand[at]))
            }
            Node::Implies(left, right) => {
                let (left, right) = (inner(left), inner(right));
                all(&|at| !left[at] || right[at])
            }
            Node::Iff(left, right) | Node::Xor(left, right) => {
                let (left, right) = (inner(left), inner(right));
                let alike = matches!(formula.node(), Node::Iff(..));
                all(&|at| (left[at] == right[at]) == alike)
            }
            Node::Unary(operator, interval, operand) => {
                let operand = inner(operand);
                let (from, to) = (
                    interval.from as usize,
                    interval.to.map_or(interval.from as usize + far, |to| to as usize),
                );
                let within = |at: usize| (from..=to).map(move |steps| after(at, steps));
                match operator {
                    Unary::Next => all(&|at| operand[after(at, 1)]),
                    Unary::Finally => all(&|at| within(at).any(|at| operand[at])),
                    _ => all(&|at| within(at).all(|at| operand[at])),
                }
            }
            Node::Binary(operator, _, left, right) => {
                let (left, right) = (inner(left), inner(right));
                let until = |first: &dyn Fn(usize) -> bool, last: &dyn Fn(usize) -> bool| {
                    all(&|at| {
                        let end = (0..=far).find(|&steps| last(after(at, steps)));
                        end.is_some_and(|end| (0..end).all(|steps| first(after(at, steps))))
                    })
                };
                let not = |truth: Vec<bool>| truth.into_iter().map(|value| !value).collect::<Vec<bool>>();
                match operator {
                    Binary::Until => until(&|at| left[at], &|at| right[at]),
                    Binary::Release => not(until(&|at| !left[at], &|at| !right[at])),
                    Binary::WeakUntil => {
                        let (until, always) = (
                            until(&|at| left[at], &|at| right[at]),
                            not(until(&|_| true, &|at| !left[at])),
                        );
                        all(&|at| until[at] || always[at])
                    }
                    _ => until(&|at| right[at], &|at| left[at] && right[at]),
                }
            }
            Node::Quantified(..) => unreachable!("not made here"),
        }
    }

    /// Whether the observer accepts a lasso: a component of the product with all marks, found by pairs that reach each other.
    fn accepts(observer: &Observer, word: &[u64], start: usize) -> bool {
        let count = observer.positions.len();
        let steps = |node: usize| -> Vec<(usize, u64)> {
            let (at, position) = (node / count, node % count);
            let next = if at + 1 < word.len() { at + 1 } else { start };
            let fits = |edge: &&ObserverEdge| {
                (edge.literals.iter()).all(|&(atom, truth)| (word[at] >> atom & 1 == 1) == truth)
            };
            let edges = observer.positions[position].iter().filter(fits);
            edges
                .map(|edge| (next * count + usize::from(edge.target), edge.marks))
                .collect()
        };
        let nodes = count * word.len();
        let mut reach = vec![vec![false; nodes]; nodes];
        for from in 0..nodes {
            let mut pending: Vec<usize> = steps(from).into_iter().map(|(to, _)| to).collect();
            while let Some(node) = pending.pop() {
                if !std::mem::replace(&mut reach[from][node], true) {
                    pending.extend(steps(node).into_iter().map(|(to, _)| to));
                }
            }
        }
        let all = ((1u128 << observer.marks) - 1) as u64;
        (0..nodes)
            .filter(|&node| node == 0 || reach[0][node])
            .any(|node| {
                let inside = (0..nodes).filter(|&other| reach[node][other] && reach[other][node]);
                let met = inside.flat_map(steps).filter(|&(to, _)| reach[to][node]);
                reach[node][node] && met.fold(0, |met, (_, marks)| met | marks) == all
            })
    }

    struct Dice(u64);

    impl Dice {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 33) % bound
        }

        fn formula(&mut self, depth: u32) -> Formula<usize> {
            if depth == 0 {
                return match self.below(8) {
                    0 => Formula::constant(self.below(2) == 0),
                    atom => Formula::atom(atom as usize % 3),
                };
            }
            let left = self.formula(depth - 1);
            let unary = [Unary::Next, Unary::Finally, Unary::Globally];
            let binary = [
                Binary::Until,
                Binary::Release,
                Binary::WeakUntil,
                Binary::StrongRelease,
            ];
            match self.below(14) {
                0 => left.not(),
                1 => Formula::and([left, self.formula(depth - 1)]),
                2 => Formula::or([left, self.formula(depth - 1)]),
                3 => left.implies(&self.formula(depth - 1)),
                4 => left.iff(&self.formula(depth - 1)),
                5 => left.xor(&self.formula(depth - 1)),
                6 => {
                    let from = self.below(3) as u32;
                    let interval = Interval::bounded(from, from + self.below(3) as u32);
                    Formula::unary_within(unary[1 + self.below(2) as usize], interval, &left)
                }
                7..=9 => Formula::unary(unary[self.below(3) as usize], &left),
                _ => Formula::binary(binary[self.below(4) as usize], &left, &self.formula(depth - 1)),
            }
        }
    }

    #[test]
    fn the_automaton_accepts_the_words_on_which_the_formula_is_false() {
        let effort: u64 = std::env::var("ENTAIL_EFFORT")
            .ok()
            .and_then(|effort| effort.parse().ok())
            .unwrap_or(1);
        let (mut accepted, mut tried) = (0u64, 0u64);
        for seed in 0..400 * effort {
            let mut dice = Dice(seed * 2 + 1);
            let depth = 1 + dice.below(3) as u32;
            let formula = dice.formula(depth);
            let Ok(observer) = violations(&formula) else {
                continue;
            };
            if observer.positions.len() > 30 {
                continue;
            }
            for _ in 0..4 {
                let length = 1 + dice.below(5) as usize;
                let word: Vec<u64> = (0..length).map(|_| dice.below(8)).collect();
                let start = dice.below(length as u64) as usize;
                let is_true = truth(&formula, &word, start)[0];
                assert_eq!(
                    accepts(&observer, &word, start),
                    !is_true,
                    "{formula:?} {word:?} {start}\n{observer:?}"
                );
                tried += 1;
                accepted += u64::from(!is_true);
            }
        }
        assert!(
            tried > 800 * effort && accepted > tried / 5 && accepted < tried * 4 / 5,
            "{accepted} {tried}"
        );
    }

    #[test]
    fn a_response_needs_two_positions() {
        let response = Formula::atom(0).implies(&Formula::atom(1).finally()).globally();
        let observer = violations(&response).expect("supported");
        assert_eq!(observer.positions.len(), 2, "{observer:?}");
        assert_eq!(observer.conditions(), [0, 1]);
    }

    #[test]
    fn what_is_not_supported_is_said() {
        let past = Formula::unary(Unary::Once, &Formula::atom(0));
        assert_eq!(violations(&past), Err(Unsupported("past operators")));
        assert!(violations(&Formula::atom(0).finally().forall()).is_err());
        let long = Formula::unary_within(Unary::Finally, Interval::bounded(0, 100_000), &Formula::atom(0));
        assert!(violations(&long).is_err());
    }
}
