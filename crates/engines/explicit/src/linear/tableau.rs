//! The automaton of a path formula, built on the fly.
//!
//! A state is a set of formulas that must hold from here on, and what past operators need to remember. Reading a letter (the
//! truth of the atoms at a position) decomposes the set by the expansion laws
//!
//! ```text
//! p U q = q | p & X (p U q)        p R q = q & (p | X (p R q))
//! ```
//!
//! into the alternatives for the next position (Gerth, Peled, Vardi and Wolper's construction; letters are known when a state
//! is expanded, so contradictions never arise). An alternative that puts an unbounded until off breaks its promise on that
//! transition; a run is accepting if for each until infinitely many transitions do not. Alternatives with more obligations
//! and more broken promises than another are dropped.
//!
//! Past operators are deterministic given the truth of their operands: one remembered bit each. A future formula below a past
//! operator is promised or not at each position, and the past operator believes the promise; since formulas are monotone,
//! that is sound, and complete because promising exactly what is true is one of the choices.
//!
//! At the last position of a finite path, strong obligations for the next position fail and weak ones vanish.

use super::path_formula::{Path, PathFormulas, PathId, Strength};
use crate::graph::marks::{MarkSets, contains, insert};
use crate::search::explore::Halt;
use entail_evidence::Statistics;
use entail_logic::Interval;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// A state of the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TableauState(pub u32);

/// The truth of all atoms at a position, interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Letter(pub u32);

/// A transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub to: TableauState,
    /// The promises that are not broken, as a number in [`Tableau::kept_sets`].
    pub kept: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Contents {
    obligations: Box<[PathId]>,
    memory: Box<[u64]>,
}

/// Future formulas below past operators more than this are not handled: each doubles the alternatives.
const MOST_GUESSES: usize = 12;

/// The automaton so far.
#[derive(Debug)]
pub(crate) struct Tableau {
    pub formulas: PathFormulas,
    /// Unbounded untils; bit `k` of a kept set belongs to the `k`th.
    promises: HashMap<PathId, usize, FxBuildHasher>,
    pub kept_sets: MarkSets,
    /// Past operators; bit `k` of a memory belongs to the `k`th.
    past: Vec<PathId>,
    past_ids: HashMap<PathId, usize, FxBuildHasher>,
    /// Future formulas right below past operators.
    guessed: Vec<PathId>,
    states: Vec<Contents>,
    state_ids: HashMap<Contents, TableauState, FxBuildHasher>,
    letters: MarkSets,
    moves: HashMap<(TableauState, Letter), Rc<[Move]>, FxBuildHasher>,
    initial: TableauState,
}

/// Alternatives under construction.
#[derive(Clone)]
struct Branch {
    todo: Vec<PathId>,
    done: Vec<PathId>,
    next: Vec<PathId>,
    broken: Vec<u64>,
}

impl Tableau {
    /// The automaton of a formula.
    pub fn new(formulas: PathFormulas, root: PathId) -> Result<Tableau, Halt> {
        let (mut promises, mut past): (HashMap<PathId, usize, FxBuildHasher>, Vec<PathId>) =
            (HashMap::default(), Vec::new());
        for id in formulas.ids() {
            match formulas.node(id) {
                Path::Until(_, _, Interval::ALWAYS) => {
                    let number = promises.len();
                    promises.insert(id, number);
                }
                Path::Yesterday(..) | Path::Since(..) | Path::Triggered(..) => past.push(id),
                _ => {}
            }
        }
        let past_ids = past.iter().enumerate().map(|(bit, &id)| (id, bit)).collect();
        let mut guessed = Vec::new();
        for &id in &past {
            match *formulas.node(id) {
                Path::Yesterday(p, _) => collect_future(&formulas, p, &mut guessed),
                Path::Since(p, q) | Path::Triggered(p, q) => {
                    collect_future(&formulas, p, &mut guessed);
                    collect_future(&formulas, q, &mut guessed);
                }
                _ => {}
            }
        }
        if guessed.len() > MOST_GUESSES {
            return Err(Halt::Unknown {
                reason: "too many future operators below past operators".into(),
                statistics: Statistics::default(),
            });
        }
        let letters = MarkSets::new(formulas.atoms.len().max(1));
        let mut memory = vec![0; past.len().div_ceil(64)];
        for (bit, &id) in past.iter().enumerate() {
            if let Path::Yesterday(_, Strength::Weak) | Path::Triggered(..) = formulas.node(id) {
                insert(&mut memory, bit);
            }
        }
        let mut tableau = Tableau {
            kept_sets: MarkSets::new(promises.len().max(1)),
            promises,
            past,
            past_ids,
            guessed,
            states: Vec::new(),
            state_ids: HashMap::default(),
            letters,
            moves: HashMap::default(),
            initial: TableauState(0),
            formulas,
        };
        let obligations = match tableau.formulas.node(root) {
            Path::Constant(true) => Vec::new(),
            _ => vec![root],
        };
        tableau.initial = tableau.intern(obligations, memory);
        Ok(tableau)
    }

    /// Where every word starts.
    pub fn initial(&self) -> TableauState {
        self.initial
    }

    /// How many promises there are.
    pub fn promise_count(&self) -> usize {
        self.promises.len()
    }

    /// Whether nothing is required any more: every continuation is accepted.
    pub fn is_satisfied(&self, state: TableauState) -> bool {
        self.states[state.0 as usize].obligations.is_empty()
    }

    /// The letter with these atoms true.
    pub fn letter(&mut self, atoms: &[u64]) -> Letter {
        Letter(self.letters.intern(atoms))
    }

    /// Words in a letter.
    pub fn letter_words(&self) -> usize {
        self.letters.words()
    }

    fn intern(&mut self, mut obligations: Vec<PathId>, mut memory: Vec<u64>) -> TableauState {
        obligations.sort_unstable();
        obligations.dedup();
        if obligations.is_empty() {
            // Nothing will ask the past any more.
            memory.fill(0);
        }
        let contents = Contents {
            obligations: obligations.into(),
            memory: memory.into(),
        };
        if let Some(&id) = self.state_ids.get(&contents) {
            return id;
        }
        let id = TableauState(self.states.len() as u32);
        self.states.push(contents.clone());
        self.state_ids.insert(contents, id);
        id
    }

    /// The transitions of a state on a letter.
    pub fn moves(&mut self, state: TableauState, letter: Letter) -> Rc<[Move]> {
        if let Some(found) = self.moves.get(&(state, letter)) {
            return Rc::clone(found);
        }
        let mut moves = Vec::new();
        for (memory, branches) in self.expand(state, letter, false) {
            let kept = minimal(branches);
            for mut branch in kept {
                let formulas = &self.formulas;
                branch
                    .next
                    .retain(|&id| *formulas.node(id) != Path::Constant(true));
                if branch
                    .next
                    .iter()
                    .any(|&id| *formulas.node(id) == Path::Constant(false))
                {
                    continue;
                }
                let to = self.intern(branch.next, memory.clone());
                let mut kept = vec![0; self.kept_sets.words()];
                for bit in 0..self.promises.len() {
                    if !contains(&branch.broken, bit) {
                        insert(&mut kept, bit);
                    }
                }
                let kept = self.kept_sets.intern(&kept);
                let step = Move { to, kept };
                if !moves.contains(&step) {
                    moves.push(step);
                }
            }
        }
        let moves: Rc<[Move]> = moves.into();
        self.moves.insert((state, letter), Rc::clone(&moves));
        moves
    }

    /// Whether the letter alone satisfies the state: nothing is required of the next position, not even to exist.
    pub fn decides(&mut self, state: TableauState, letter: Letter) -> bool {
        self.expand(state, letter, false)
            .into_iter()
            .any(|(_, branches)| branches.iter().any(|branch| branch.next.is_empty()))
    }

    /// Whether a path that ends at a position with this letter is accepted.
    pub fn accepts_end(&mut self, state: TableauState, letter: Letter) -> bool {
        self.expand(state, letter, true)
            .into_iter()
            .any(|(_, branches)| !branches.is_empty())
    }

    /// For each choice of promises to past operators: the memory afterwards, and the alternatives.
    fn expand(&mut self, state: TableauState, letter: Letter, last: bool) -> Vec<(Vec<u64>, Vec<Branch>)> {
        let Contents { obligations, memory } = self.states[state.0 as usize].clone();
        let guesses = if obligations.is_empty() {
            0
        } else {
            self.guessed.len()
        };
        let mut result = Vec::new();
        for guess in 0..1u32 << guesses {
            let mut todo: Vec<PathId> = obligations.to_vec();
            let promised = self.guessed.iter().take(guesses).enumerate();
            todo.extend(
                promised
                    .filter(|(bit, _)| guess >> bit & 1 == 1)
                    .map(|(_, &id)| id),
            );
            let branches = self.decompose(todo, letter, &memory, guess, last);
            if branches.is_empty() {
                continue;
            }
            let mut after = vec![0; memory.len()];
            for (bit, &id) in self.past.iter().enumerate() {
                let remembered = match *self.formulas.node(id) {
                    Path::Yesterday(p, _) => self.value(p, letter, &memory, guess),
                    _ => self.value(id, letter, &memory, guess),
                };
                if remembered {
                    insert(&mut after, bit);
                }
            }
            result.push((after, branches));
        }
        result
    }

    fn decompose(
        &mut self,
        todo: Vec<PathId>,
        letter: Letter,
        memory: &[u64],
        guess: u32,
        last: bool,
    ) -> Vec<Branch> {
        let mut finished = Vec::new();
        let mut open = vec![Branch {
            todo,
            done: Vec::new(),
            next: Vec::new(),
            broken: vec![0; self.promises.len().div_ceil(64)],
        }];
        'branches: while let Some(mut branch) = open.pop() {
            while let Some(id) = branch.todo.pop() {
                if branch.done.contains(&id) {
                    continue;
                }
                branch.done.push(id);
                let node = self.formulas.node(id).clone();
                let consistent = match node {
                    Path::Constant(truth) => truth,
                    Path::Literal { atom, positive } => {
                        self.letters.contains(letter.0, atom as usize) == positive
                    }
                    Path::Yesterday(..) | Path::Since(..) | Path::Triggered(..) => {
                        self.value(id, letter, memory, guess)
                    }
                    Path::And(operands) => {
                        branch.todo.extend(operands.iter().copied());
                        true
                    }
                    Path::Or(operands) => {
                        for &operand in &operands {
                            let mut alternative = branch.clone();
                            alternative.todo.push(operand);
                            open.push(alternative);
                        }
                        false
                    }
                    Path::Next(p, strength) => later(&mut branch, p, strength, last),
                    Path::Until(p, q, interval) => {
                        let put_off = self.put_off(id, interval);
                        if interval.from == 0 {
                            let mut fulfilled = branch.clone();
                            fulfilled.todo.push(q);
                            open.push(fulfilled);
                        }
                        branch.todo.push(p);
                        if let Some(&promise) = self.promises.get(&id) {
                            insert(&mut branch.broken, promise);
                        }
                        later(&mut branch, put_off, Strength::Strong, last)
                    }
                    Path::Release(p, q, interval) => {
                        let put_off = self.put_off(id, interval);
                        if interval.from == 0 {
                            branch.todo.push(q);
                        }
                        let mut released = branch.clone();
                        released.todo.push(p);
                        open.push(released);
                        later(&mut branch, put_off, Strength::Weak, last)
                    }
                };
                if !consistent {
                    continue 'branches;
                }
            }
            finished.push(branch);
        }
        finished
    }

    /// The same bounded operator, one position later.
    fn put_off(&mut self, id: PathId, interval: Interval) -> PathId {
        if interval.is_always() {
            return id;
        }
        let interval = Interval {
            from: interval.from.saturating_sub(1),
            to: interval.to.map(|to| to.saturating_sub(1)),
        };
        match *self.formulas.node(id) {
            Path::Until(p, q, _) => self.formulas.until(p, q, interval),
            Path::Release(p, q, _) => self.formulas.release(p, q, interval),
            _ => id,
        }
    }

    /// The truth of a formula at this position, where promised future formulas are believed.
    fn value(&self, id: PathId, letter: Letter, memory: &[u64], guess: u32) -> bool {
        let of = |id: PathId| self.value(id, letter, memory, guess);
        let remembered = |id: PathId| contains(memory, self.past_ids[&id]);
        match self.formulas.node(id) {
            Path::Constant(truth) => *truth,
            Path::Literal { atom, positive } => self.letters.contains(letter.0, *atom as usize) == *positive,
            Path::And(operands) => operands.iter().all(|&operand| of(operand)),
            Path::Or(operands) => operands.iter().any(|&operand| of(operand)),
            Path::Yesterday(..) => remembered(id),
            Path::Since(p, q) => of(*q) || (of(*p) && remembered(id)),
            Path::Triggered(p, q) => of(*q) && (of(*p) || remembered(id)),
            Path::Next(..) | Path::Until(..) | Path::Release(..) => self
                .guessed
                .iter()
                .position(|&guessed| guessed == id)
                .is_some_and(|bit| guess >> bit & 1 == 1),
        }
    }
}

/// Requires a formula of the next position, if there is to be one.
fn later(branch: &mut Branch, id: PathId, strength: Strength, last: bool) -> bool {
    if last {
        return strength == Strength::Weak;
    }
    branch.next.push(id);
    true
}

fn collect_future(formulas: &PathFormulas, id: PathId, out: &mut Vec<PathId>) {
    match formulas.node(id) {
        Path::And(operands) | Path::Or(operands) => {
            for &operand in operands {
                collect_future(formulas, operand, out);
            }
        }
        Path::Next(..) | Path::Until(..) | Path::Release(..) if !out.contains(&id) => out.push(id),
        _ => {}
    }
}

/// Drops alternatives that another one is at least as good as.
fn minimal(mut branches: Vec<Branch>) -> Vec<Branch> {
    for branch in &mut branches {
        branch.next.sort_unstable();
        branch.next.dedup();
    }
    branches.sort_by_key(|branch| branch.next.len());
    let mut kept: Vec<Branch> = Vec::new();
    for branch in branches {
        let better = |other: &Branch| {
            other.next.iter().all(|id| branch.next.binary_search(id).is_ok())
                && other.broken.iter().zip(&branch.broken).all(|(a, b)| a & !b == 0)
        };
        if !kept.iter().any(better) {
            kept.push(branch);
        }
    }
    kept
}
