//! LTL to generalized Büchi automata with acceptance on edges (Couvreur's construction with decision diagrams).
//!
//! A state is a formula the rest of the word must satisfy. Its *expansion* is a Boolean function over the propositions,
//! over variables `next[g]` ("the next state must satisfy g") and over `promise[g]` ("g is owed"): `a U b` expands to
//! `b | (a & promise[b] & next[a U b])`. For each set of letters on which the expansion is the same function of the other
//! variables, its prime implicants are the edges: the `next` variables of one are the target, and its promises are the
//! acceptance marks the edge does *not* carry. A run is accepting if it owes nothing for ever, that is, sees every mark
//! infinitely often.
//!
//! Invariants: the propositions are the topmost variables; expansions are monotone in all others (so prime implicants are
//! unique). States with equal expansions are one. Worst case exponential in the formula, as it must be.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::{Label, Labels};
use crate::ltl::arena::{Arena, Ltl, LtlNode, deep};
use entail_budget::Budget;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Residual functions with the letters that lead to each.
type Residuals = Rc<Vec<(Label, Label)>>;

/// The largest number of diagram nodes for one formula.
const LARGEST_EXPANSION: usize = 1_000_000;

/// What a variable behind the propositions stands for.
#[derive(Clone, Copy)]
enum Variable {
    Next(Ltl),
    Promise(u32),
}

/// The states of the automaton of a formula, built on demand.
pub struct Expansion<'a> {
    arena: &'a mut Arena,
    /// The store in which edge labels live.
    pub labels: Labels,
    propositions: u32,
    variables: Vec<Variable>,
    next_variables: FxHashMap<Ltl, u32>,
    promise_variables: FxHashMap<Ltl, u32>,
    promises: u32,
    expanded: FxHashMap<Ltl, Label>,
    residuals: FxHashMap<Label, Residuals>,
    primes: FxHashMap<Label, Rc<Vec<Vec<u32>>>>,
    conjunctions: FxHashMap<Vec<Ltl>, Ltl>,
    hand_on: bool,
}

/// An edge of the construction: letters, target formula, promises still owed.
pub struct ExpansionEdge {
    /// The letters.
    pub label: Label,
    /// What the rest of the word must satisfy.
    pub target: Ltl,
    /// The promises the edge does not keep.
    pub owed: Marks,
}

impl<'a> Expansion<'a> {
    /// A construction over all propositions of the arena.
    pub fn new(arena: &'a mut Arena) -> Result<Expansion<'a>> {
        let count = arena.propositions.len();
        if count > 64 {
            return Err(AutomataError::TooManyPropositions(count));
        }
        let mut labels = Labels::default();
        labels.limit(LARGEST_EXPANSION);
        labels.join_watch(&arena.booleans);
        Ok(Expansion {
            arena,
            labels,
            propositions: count as u32,
            variables: Vec::new(),
            next_variables: FxHashMap::default(),
            promise_variables: FxHashMap::default(),
            promises: 0,
            expanded: FxHashMap::default(),
            residuals: FxHashMap::default(),
            primes: FxHashMap::default(),
            conjunctions: FxHashMap::default(),
            hand_on: false,
        })
    }

    /// Whether the diagrams are still what they claim to be.
    fn check(&self) -> Result<()> {
        self.labels.check_watch()?;
        if self.labels.is_full() {
            return Err(AutomataError::TooLarge(
                "the diagrams of the formula have more than a million nodes",
            ));
        }
        Ok(())
    }

    fn next_variable(&mut self, formula: Ltl) -> Label {
        if let LtlNode::And(list) = self.arena.node(formula).clone() {
            return list.into_iter().fold(Label::TRUE, |all, operand| {
                let operand = self.next_variable(operand);
                self.labels.and(all, operand)
            });
        }
        if formula == Arena::TRUE || formula == Arena::FALSE {
            return if formula == Arena::TRUE {
                Label::TRUE
            } else {
                Label::FALSE
            };
        }
        let fresh = self.propositions + self.variables.len() as u32;
        let var = *self.next_variables.entry(formula).or_insert(fresh);
        if var == fresh {
            self.variables.push(Variable::Next(formula));
        }
        self.labels.literal(var, true)
    }

    fn promise(&mut self, formula: Ltl) -> Label {
        let fresh = self.propositions + self.variables.len() as u32;
        let var = *self.promise_variables.entry(formula).or_insert(fresh);
        if var == fresh {
            self.variables.push(Variable::Promise(self.promises));
            self.promises += 1;
        }
        self.labels.literal(var, true)
    }

    /// The function that says what the first letter must be, what comes next, and what is owed.
    pub fn expand(&mut self, formula: Ltl) -> Label {
        if let Some(&known) = self.expanded.get(&formula) {
            return known;
        }
        let result = deep(|| self.expand_operator(formula));
        self.expanded.insert(formula, result);
        result
    }

    fn expand_operator(&mut self, formula: Ltl) -> Label {
        match self.arena.node(formula).clone() {
            LtlNode::True => Label::TRUE,
            LtlNode::False => Label::FALSE,
            LtlNode::Literal(p, truth) => self.labels.literal(p, truth),
            LtlNode::And(list) => list.into_iter().fold(Label::TRUE, |all, operand| {
                let operand = self.expand(operand);
                self.labels.and(all, operand)
            }),
            LtlNode::Or(list) => list.into_iter().fold(Label::FALSE, |any, operand| {
                let operand = self.expand(operand);
                self.labels.or(any, operand)
            }),
            LtlNode::Next(a) => self.next_variable(a),
            LtlNode::Finally(a) => {
                let wait = self.wait(Label::TRUE, Some(a), formula);
                let now = self.expand(a);
                self.labels.or(now, wait)
            }
            LtlNode::Until(a, b) => {
                let hold = self.expand(a);
                let wait = self.wait(hold, Some(b), formula);
                let now = self.expand(b);
                self.labels.or(now, wait)
            }
            LtlNode::WeakUntil(a, b) => {
                let hold = self.expand(a);
                let wait = self.wait(hold, None, formula);
                let now = self.expand(b);
                self.labels.or(now, wait)
            }
            LtlNode::Release(a, b) => {
                let wait = self.wait(Label::TRUE, None, formula);
                let released = self.expand(a);
                let hold = self.expand(b);
                let either = self.labels.or(released, wait);
                self.labels.and(hold, either)
            }
            LtlNode::StrongRelease(a, b) => {
                let wait = self.wait(Label::TRUE, Some(a), formula);
                let released = self.expand(a);
                let hold = self.expand(b);
                let either = self.labels.or(released, wait);
                self.labels.and(hold, either)
            }
            LtlNode::Globally(a) => {
                let now = self.recurring(a);
                let again = self.next_variable(formula);
                self.labels.and(now, again)
            }
        }
    }

    /// `hold`, the promise, and the formula again in the next state.
    fn wait(&mut self, hold: Label, promise: Option<Ltl>, formula: Ltl) -> Label {
        let again = self.next_variable(formula);
        let wait = self.labels.and(hold, again);
        match promise {
            Some(owed) => {
                let owed = self.promise(owed);
                self.labels.and(wait, owed)
            }
            None => wait,
        }
    }

    /// The expansion of a formula that is demanded again in every later state: `F b` need not be handed on.
    fn recurring(&mut self, formula: Ltl) -> Label {
        match self.arena.node(formula).clone() {
            LtlNode::And(list) => list.into_iter().fold(Label::TRUE, |all, operand| {
                let operand = deep(|| self.recurring(operand));
                self.labels.and(all, operand)
            }),
            LtlNode::Finally(b) if !self.hand_on => {
                let now = self.expand(b);
                let owed = self.promise(b);
                self.labels.or(now, owed)
            }
            _ => self.expand(formula),
        }
    }

    /// The residuals of a function by letters.
    fn residuals(&mut self, label: Label, budget: &Budget) -> Result<Residuals> {
        if let Some(known) = self.residuals.get(&label) {
            return Ok(Rc::clone(known));
        }
        let result = match self.labels.top(label) {
            Some(var) if var < self.propositions => {
                let (low, high) = self.labels.children(label);
                let (low, high) = (self.residuals(low, budget)?, self.residuals(high, budget)?);
                let mut joined: Vec<(Label, Label)> = Vec::with_capacity(low.len() + high.len());
                let mut position: FxHashMap<Label, usize> = FxHashMap::default();
                for (residual, letters) in low.iter() {
                    budget.check()?;
                    let letters = self.labels.node(var, *letters, Label::FALSE);
                    position.insert(*residual, joined.len());
                    joined.push((*residual, letters));
                }
                for (residual, letters) in high.iter() {
                    budget.check()?;
                    let letters = self.labels.node(var, Label::FALSE, *letters);
                    match position.get(residual) {
                        Some(&at) => joined[at].1 = self.labels.or(joined[at].1, letters),
                        None => joined.push((*residual, letters)),
                    }
                }
                joined
            }
            _ if label == Label::FALSE => vec![],
            _ => vec![(label, Label::TRUE)],
        };
        let result = Rc::new(result);
        self.residuals.insert(label, Rc::clone(&result));
        Ok(result)
    }

    /// The prime implicants of a monotone function of `next` and `promise` variables.
    fn primes(&mut self, label: Label, budget: &Budget) -> Result<Rc<Vec<Vec<u32>>>> {
        if let Some(known) = self.primes.get(&label) {
            return Ok(Rc::clone(known));
        }
        let result = match self.labels.top(label) {
            None if label == Label::TRUE => vec![vec![]],
            None => vec![],
            Some(var) => {
                let (low, high) = self.labels.children(label);
                let (low, high) = (self.primes(low, budget)?, self.primes(high, budget)?);
                let mut all: Vec<Vec<u32>> = (*low).clone();
                for cube in high.iter() {
                    budget.check()?;
                    let covered = low.iter().any(|weaker| weaker.iter().all(|v| cube.contains(v)));
                    if !covered {
                        let mut longer = vec![var];
                        longer.extend_from_slice(cube);
                        all.push(longer);
                    }
                }
                all
            }
        };
        let result = Rc::new(result);
        self.primes.insert(label, Rc::clone(&result));
        Ok(result)
    }

    /// The conjunction of target formulas, false if two exclude each other. A safety formula that others imply is left out.
    /// (Other formulas must stay even if implied: dropping `F b` at every step would lose track of what it owes.)
    fn conjunction(&mut self, mut parts: Vec<Ltl>) -> Ltl {
        parts.sort_unstable();
        if let Some(&known) = self.conjunctions.get(&parts) {
            return known;
        }
        let key = parts.clone();
        let mut position = 0;
        while position < parts.len() {
            let this = parts[position];
            let implied = self.arena.traits(this).safety
                && (0..parts.len()).any(|other| other != position && self.arena.implies(parts[other], this));
            if implied {
                parts.remove(position);
            } else {
                position += 1;
            }
        }
        let mut clash = false;
        for left in 0..parts.len() {
            for right in left + 1..parts.len() {
                clash |= self.arena.excludes(parts[left], parts[right]);
            }
        }
        let result = if clash {
            Arena::FALSE
        } else {
            self.arena.raw_and(parts)
        };
        self.conjunctions.insert(key, result);
        result
    }

    /// The edges that leave the state of a formula.
    pub fn edges(&mut self, formula: Ltl, budget: &Budget) -> Result<Vec<ExpansionEdge>> {
        let expansion = self.expand(formula);
        self.check()?;
        let mut edges: Vec<ExpansionEdge> = Vec::new();
        let mut position: FxHashMap<(Ltl, Marks), usize> = FxHashMap::default();
        for (residual, letters) in self.residuals(expansion, budget)?.iter() {
            budget.check()?;
            for prime in self.primes(*residual, budget)?.iter() {
                budget.check()?;
                let mut owed = Marks::NONE;
                let mut next = Vec::new();
                for var in prime {
                    match self.variables[(*var - self.propositions) as usize] {
                        Variable::Next(formula) => next.push(formula),
                        Variable::Promise(mark) => {
                            owed = owed.with(Marks(1u64.checked_shl(mark).unwrap_or(0)))
                        }
                    }
                }
                let target = self.conjunction(next);
                if target == Arena::FALSE {
                    continue;
                }
                match position.get(&(target, owed)) {
                    Some(&at) => edges[at].label = self.labels.or(edges[at].label, *letters),
                    None => {
                        position.insert((target, owed), edges.len());
                        edges.push(ExpansionEdge {
                            label: *letters,
                            target,
                            owed,
                        });
                    }
                }
            }
        }
        self.check()?;
        Ok(edges)
    }

    /// From now on `G F b` hands on `F b` as its own obligation, for automata that follow obligations one by one.
    pub(crate) fn hand_on_everything(&mut self) {
        self.hand_on = true;
    }

    /// The edges of a formula's state as sets of obligations, whatever is owed.
    pub(crate) fn obligations(&mut self, formula: Ltl, budget: &Budget) -> Result<Vec<(Label, Vec<Ltl>)>> {
        let expansion = self.expand(formula);
        self.check()?;
        let mut edges: Vec<(Label, Vec<Ltl>)> = Vec::new();
        for (residual, letters) in self.residuals(expansion, budget)?.iter() {
            for prime in self.primes(*residual, budget)?.iter() {
                let next: Vec<Ltl> = prime
                    .iter()
                    .filter_map(|var| match self.variables[(*var - self.propositions) as usize] {
                        Variable::Next(formula) => Some(formula),
                        Variable::Promise(_) => None,
                    })
                    .collect();
                match edges.iter_mut().find(|(_, known)| *known == next) {
                    Some(edge) => edge.0 = self.labels.or(edge.0, *letters),
                    None => edges.push((*letters, next)),
                }
            }
        }
        self.check()?;
        Ok(edges)
    }

    /// Number of promises made so far.
    pub fn promise_count(&self) -> u32 {
        self.promises
    }
}

/// The generalized Büchi automaton of a formula, as the construction gives it.
pub fn expand_to_automaton(arena: &mut Arena, formula: Ltl, budget: &Budget) -> Result<Automaton> {
    Ok(expand_bounded(arena, formula, usize::MAX, budget)?.expect("there is no bound"))
}

/// The same, or nothing if it has more than `limit` states.
pub fn expand_bounded(
    arena: &mut Arena,
    formula: Ltl,
    limit: usize,
    budget: &Budget,
) -> Result<Option<Automaton>> {
    let propositions = arena.propositions.clone();
    let mut expansion = Expansion::new(arena)?;
    let mut states: FxHashMap<Label, State> = FxHashMap::default();
    let mut formulas = vec![formula];
    let mut edges = Vec::new();
    states.insert(expansion.expand(formula), State(0));
    let mut at = 0;
    while at < formulas.len() {
        budget.check_now()?;
        if formulas.len() > limit {
            return Ok(None);
        }
        let mut list = Vec::new();
        for edge in expansion.edges(formulas[at], budget)? {
            let key = expansion.expand(edge.target);
            expansion.check()?;
            if key == Label::FALSE {
                continue;
            }
            let fresh = State(formulas.len() as u32);
            let target = *states.entry(key).or_insert(fresh);
            if target == fresh {
                formulas.push(edge.target);
            }
            list.push((edge.label, target, edge.owed));
        }
        edges.push(list);
        at += 1;
    }
    let count = expansion.promise_count();
    if count > 64 {
        return Err(AutomataError::TooManyMarks(count as usize));
    }
    let mut automaton = Automaton::new(propositions, Acceptance::generalized_buchi(count), count)?;
    automaton.labels = std::mem::take(&mut expansion.labels);
    automaton.labels.limit(usize::MAX);
    automaton.edges = vec![Vec::new(); edges.len()];
    for (source, list) in edges.into_iter().enumerate() {
        for (label, target, owed) in list {
            automaton.add_edge(
                State(source as u32),
                label,
                target,
                Marks::first(count).without(owed),
            );
        }
    }
    automaton.add_initial(State(0));
    automaton.compact_labels();
    automaton.merge_edges();
    Ok(Some(automaton))
}
