//! Whether a monitor sees everything it is there for: every word of an assertion is accepted by the circuit that watches for it.
//!
//! An engine proves that a design together with a monitor never reaches an accepting state. That says something about the assertion only if the monitor
//! accepts *every* word on which the assertion is false (or, watching a cover, true; or, as an assumption, allows every word on which it is true). This is what is
//! judged here, from the circuit alone: it is compared with the assertion followed letter by letter (`progression.rs`), by a game. One player takes a letter and a
//! run of the assertion; the other answers with values of the circuit's free inputs and must accept when the run does. If the answering player can always go on, the circuit
//! simulates the assertion, so it accepts all its words. Positions are pairs of duties left and values of registers. A circuit without free inputs whose signals
//! never fall when registers rise is in no worse position with more registers set, so only the least values are kept: the registers that follow earlier attempts do not
//! multiply positions. Simulation is sufficient, not necessary: where it fails, words on the way are tried, and only a word that shows the difference is a
//! reason to reject the monitor.

use crate::assertion::AssertionWord;
use crate::constants::explained;
use crate::progression::{DutyId, Open, Progression, both};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_logic::{Assertion, View};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A gate of a monitor; its operands are earlier gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorGate {
    /// A constant.
    Constant(bool),
    /// What an atom says of the letter.
    Atom(usize),
    /// What a register holds.
    Register(usize),
    /// A free input.
    Choice(usize),
    /// Negation.
    Not(usize),
    /// Conjunction.
    And(usize, usize),
}

/// What a monitor does with the words it accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorGoal {
    /// A signal is true at some letter.
    Reached(usize),
    /// A signal is true at infinitely many letters.
    Recurring(usize),
    /// The first signal is true at every letter, and the second, if there is one, at infinitely many.
    Kept(usize, Option<usize>),
}

/// A circuit that watches words.
#[derive(Clone, Debug)]
pub struct MonitorCircuit {
    /// The gates.
    pub gates: Vec<MonitorGate>,
    /// For each register of one bit, what it holds first, and the gate it holds next.
    pub registers: Vec<(bool, usize)>,
    /// How it accepts.
    pub goal: MonitorGoal,
}

/// Positions of the game, at most.
const MOST_POSITIONS: usize = 60_000;

/// Gates evaluated, at most.
const MOST_WORK: u64 = 400_000_000;

/// Answers to one letter, at most.
const MOST_ANSWERS: usize = 4_096;

/// Words that are tried where the game is lost.
const MOST_WORDS: usize = 200;

/// Values of registers.
type Values = Vec<bool>;

/// Duties left, and those of them that are owed since the last breakpoint.
type Duties = (BTreeSet<DutyId>, BTreeSet<DutyId>);

/// A letter, as far as it is decided.
type PartialLetter = Vec<Option<bool>>;

/// Duties left, those of them that are owed since the last breakpoint, and registers.
type Position = (BTreeSet<DutyId>, BTreeSet<DutyId>, Values);

/// An answer of the circuit to a letter: registers afterwards, whether its signal was true, and whether it is still alive.
type Answer = (Values, bool, bool);

/// What one letter and one run demand: one of some positions, or nothing if it is met already.
struct Demand {
    letter: Vec<Option<bool>>,
    options: Vec<usize>,
    /// With the letter, nothing is left to be shown of the run.
    is_over: bool,
}

impl MonitorCircuit {
    /// Judges whether the circuit accepts every word on which an assertion has a truth value. Of an assertion with local variables: whether it accepts the word under some
    /// constants, for which the atoms that read variables, and those that compare them with what is assigned, are evaluated.
    pub fn sees_all(&self, assertion: &Assertion<usize>, truth: bool, budget: &Budget) -> CheckReport {
        if let Err(reason) = explained(assertion, truth) {
            return CheckReport::unchecked(reason);
        }
        let atoms = self.gates.iter().filter_map(|gate| match gate {
            MonitorGate::Atom(atom) => Some(atom + 1),
            _ => None,
        });
        let mut game = Game {
            circuit: self,
            progression: Progression::new(assertion, truth),
            monotone: self.is_monotone(),
            atoms: atoms.max().unwrap_or(0),
            positions: Vec::new(),
            numbers: FxHashMap::default(),
            least: FxHashMap::default(),
            demands: Vec::new(),
            from: Vec::new(),
            endless: BTreeSet::new(),
            edges: BTreeSet::new(),
            work: 0,
        };
        match game.play(budget) {
            Ok(true) => CheckReport::Accepted,
            Ok(false) => match game.difference(assertion, truth) {
                Some(word) => CheckReport::rejected(format!(
                    "the monitor of the assertion does not accept the word {word:?}"
                )),
                None => CheckReport::unchecked("that the monitor sees every violation was not shown"),
            },
            Err(reason) => CheckReport::unchecked(reason),
        }
    }

    /// Whether no signal falls when a register rises, and there are no free inputs.
    fn is_monotone(&self) -> bool {
        // For each gate, whether it depends on a register positively, negatively.
        let mut signs: Vec<(bool, bool)> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            signs.push(match *gate {
                MonitorGate::Constant(_) | MonitorGate::Atom(_) => (false, false),
                MonitorGate::Register(_) => (true, false),
                MonitorGate::Choice(_) => return false,
                MonitorGate::Not(inner) => (signs[inner].1, signs[inner].0),
                MonitorGate::And(left, right) => {
                    (signs[left].0 || signs[right].0, signs[left].1 || signs[right].1)
                }
            });
        }
        let roots = self.registers.iter().map(|(_, next)| *next);
        roots.chain(self.signals()).all(|root| !signs[root].1)
    }

    fn signals(&self) -> Vec<usize> {
        match self.goal {
            MonitorGoal::Reached(signal) | MonitorGoal::Recurring(signal) => vec![signal],
            MonitorGoal::Kept(alive, None) => vec![alive],
            MonitorGoal::Kept(alive, Some(signal)) => vec![alive, signal],
        }
    }

    /// The values of all gates, as far as they are known.
    pub(crate) fn evaluate(
        &self,
        registers: &[bool],
        letter: &[Option<bool>],
        choices: &[Option<bool>],
    ) -> Vec<Option<bool>> {
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            values.push(match *gate {
                MonitorGate::Constant(truth) => Some(truth),
                MonitorGate::Atom(atom) => letter.get(atom).copied().flatten(),
                MonitorGate::Register(place) => registers.get(place).copied(),
                MonitorGate::Choice(place) => choices.get(place).copied().flatten(),
                MonitorGate::Not(inner) => values[inner].map(|truth| !truth),
                MonitorGate::And(left, right) => match (values[left], values[right]) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), other) | (other, Some(true)) => other,
                    (None, None) => None,
                },
            });
        }
        values
    }

    /// An atom or a free input that keeps a gate from having a value.
    fn missing(&self, values: &[Option<bool>], root: usize) -> Option<MonitorGate> {
        let mut at = root;
        loop {
            if values[at].is_some() {
                return None;
            }
            match self.gates[at] {
                MonitorGate::Not(inner) => at = inner,
                MonitorGate::And(left, right) => at = if values[left].is_none() { left } else { right },
                leaf => return Some(leaf),
            }
        }
    }

    fn choices(&self) -> usize {
        let choices = self.gates.iter().filter_map(|gate| match gate {
            MonitorGate::Choice(place) => Some(place + 1),
            _ => None,
        });
        choices.max().unwrap_or(0)
    }
}

struct Game<'c> {
    circuit: &'c MonitorCircuit,
    progression: Progression,
    monotone: bool,
    atoms: usize,
    positions: Vec<Position>,
    numbers: FxHashMap<Position, usize>,
    /// Of a circuit that is monotone: the positions that have the same duties.
    least: FxHashMap<Duties, Vec<usize>>,
    /// For each position, what must be answered.
    demands: Vec<Vec<Demand>>,
    /// For each position, the one it was first met from, and the letter.
    from: Vec<Option<(usize, PartialLetter)>>,
    /// Duties that need not end, and which duties follow which.
    endless: BTreeSet<DutyId>,
    edges: BTreeSet<(DutyId, DutyId)>,
    work: u64,
}

impl Game<'_> {
    /// Whether the circuit wins.
    fn play(&mut self, budget: &Budget) -> Result<bool, String> {
        let first = self.circuit.registers.iter().map(|(first, _)| *first).collect();
        let start: BTreeSet<DutyId> = BTreeSet::from([0]);
        self.position((start, BTreeSet::new(), first), None);
        let mut done = 0;
        while done < self.positions.len() {
            budget.check_now().map_err(|spent| spent.to_string())?;
            if self.positions.len() > MOST_POSITIONS || self.work > MOST_WORK {
                return Err("the monitor is too large to be compared with the assertion".to_owned());
            }
            let mut letters = vec![vec![None; self.atoms]];
            let mut demands = Vec::new();
            while let Some(letter) = letters.pop() {
                match self.answer(done, &letter) {
                    Ok(found) => demands.extend(found),
                    Err(Open::TooLarge) => {
                        return Err("the assertion has too many alternatives to be followed".to_owned());
                    }
                    Err(Open::Atom(atom)) => {
                        for truth in [true, false] {
                            let mut letter = letter.clone();
                            letter.resize(letter.len().max(atom + 1), None);
                            letter[atom] = Some(truth);
                            letters.push(letter);
                        }
                    }
                }
            }
            self.demands.push(demands);
            done += 1;
        }
        if matches!(self.circuit.goal, MonitorGoal::Reached(_)) && self.may_go_on_forever() {
            return Err(
                "the assertion may be decided by infinite words only, the monitor by finite ones".to_owned(),
            );
        }
        Ok(self.winning()[0])
    }

    /// The number of a position, or of one that is no better for the circuit.
    fn position(&mut self, position: Position, from: Option<(usize, PartialLetter)>) -> usize {
        if let Some(&known) = self.numbers.get(&position) {
            return known;
        }
        if self.monotone {
            let duties = (position.0.clone(), position.1.clone());
            let known = self.least.entry(duties).or_default();
            let is_least = |other: &&usize| {
                let values = &self.positions[**other].2;
                values.iter().zip(&position.2).all(|(less, more)| *more || !less)
            };
            if let Some(&other) = known.iter().find(is_least) {
                return other;
            }
            known.push(self.positions.len());
        }
        self.numbers.insert(position.clone(), self.positions.len());
        self.positions.push(position);
        self.from.push(from);
        self.positions.len() - 1
    }

    /// What a letter demands at a position.
    fn answer(&mut self, at: usize, letter: &[Option<bool>]) -> Result<Vec<Demand>, Open> {
        let (duties, owed, registers) = self.positions[at].clone();
        let runs = self.runs(&duties, &owed, letter)?;
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let answers = self.answers(&registers, letter)?;
        let is_over = matches!(self.circuit.goal, MonitorGoal::Reached(_));
        if is_over && answers.iter().any(|(_, signal, _)| *signal) {
            return Ok(Vec::new());
        }
        // A run is accepted again and again where nothing is owed.
        let accepts = !is_over && owed.is_empty();
        let mut demands = Vec::new();
        for (duties, owed) in runs {
            let over = duties.is_empty();
            let mut options = Vec::new();
            for (values, signal, alive) in &answers {
                let allowed = *alive && (!accepts || *signal) && !(over && is_over);
                if allowed {
                    let next = (duties.clone(), owed.clone(), values.clone());
                    options.push(self.position(next, Some((at, letter.to_vec()))));
                }
            }
            options.sort_unstable();
            options.dedup();
            demands.push(Demand {
                letter: letter.to_vec(),
                options,
                is_over: over,
            });
        }
        Ok(demands)
    }

    /// The ways in which runs go on: duties left, and those of them that are owed.
    fn runs(
        &mut self,
        duties: &BTreeSet<DutyId>,
        owed: &BTreeSet<DutyId>,
        letter: &[Option<bool>],
    ) -> Result<Vec<Duties>, Open> {
        // A duty that follows from one that is owed has an odd number.
        let mut whole = vec![BTreeSet::new()];
        for &duty in duties {
            let after = self.progression.after(duty, letter)?;
            for &next in after.iter().flatten() {
                self.edges.insert((duty, next));
                if !self.progression.must_end(next) {
                    self.endless.insert(next);
                }
            }
            let mark = u32::from(owed.contains(&duty));
            let marked: Vec<BTreeSet<u32>> = after
                .iter()
                .map(|one| one.iter().map(|next| next * 2 + mark).collect())
                .collect();
            whole = both(&whole, &marked)?;
        }
        let runs = whole.into_iter().map(|marked| {
            let duties: BTreeSet<DutyId> = marked.iter().map(|next| next / 2).collect();
            let binding = |next: &DutyId| self.progression.must_end(*next);
            let owed: BTreeSet<DutyId> = match owed.is_empty() {
                true => duties.iter().copied().filter(binding).collect(),
                false => {
                    let carried = marked.iter().filter(|next| *next % 2 == 1).map(|next| next / 2);
                    carried.filter(binding).collect()
                }
            };
            (duties, owed)
        });
        let mut runs: Vec<_> = runs.collect();
        if matches!(self.circuit.goal, MonitorGoal::Reached(_)) {
            // What is owed does not matter.
            runs.iter_mut().for_each(|(_, owed)| owed.clear());
        }
        Ok(runs)
    }

    /// What the circuit can do with a letter.
    fn answers(&mut self, registers: &[bool], letter: &[Option<bool>]) -> Result<Vec<Answer>, Open> {
        let circuit = self.circuit;
        let signals = circuit.signals();
        let roots: Vec<usize> = (circuit.registers.iter().map(|(_, next)| *next))
            .chain(signals.iter().copied())
            .collect();
        let mut found: BTreeSet<Answer> = BTreeSet::new();
        let mut open = vec![vec![None; circuit.choices()]];
        while let Some(choices) = open.pop() {
            self.work += circuit.gates.len() as u64;
            let values = circuit.evaluate(registers, letter, &choices);
            let mut undecided = None;
            for &root in &roots {
                match circuit.missing(&values, root) {
                    Some(MonitorGate::Atom(atom)) => return Err(Open::Atom(atom)),
                    Some(MonitorGate::Choice(choice)) => undecided = Some(choice),
                    _ => {}
                }
            }
            if let Some(choice) = undecided {
                for truth in [false, true] {
                    let mut choices = choices.clone();
                    choices[choice] = Some(truth);
                    open.push(choices);
                }
                if open.len() + found.len() > MOST_ANSWERS {
                    return Err(Open::TooLarge);
                }
                continue;
            }
            let value = |gate: usize| values[gate].unwrap_or(false);
            let next = circuit.registers.iter().map(|(_, next)| value(*next)).collect();
            let (signal, alive) = match circuit.goal {
                MonitorGoal::Reached(signal) | MonitorGoal::Recurring(signal) => (value(signal), true),
                MonitorGoal::Kept(alive, signal) => (signal.is_none_or(value), value(alive)),
            };
            found.insert((next, signal, alive));
        }
        Ok(found.into_iter().collect())
    }

    /// Whether some duty that need not end can be met again and again.
    fn may_go_on_forever(&self) -> bool {
        self.endless.iter().any(|&duty| {
            let mut seen = BTreeSet::new();
            let mut stack = vec![duty];
            while let Some(one) = stack.pop() {
                for &(_, next) in self.edges.range((one, 0)..=(one, DutyId::MAX)) {
                    if next == duty {
                        return true;
                    }
                    if seen.insert(next) {
                        stack.push(next);
                    }
                }
            }
            false
        })
    }

    /// For each position, whether the circuit can go on from it forever: the greatest fixpoint.
    fn winning(&self) -> Vec<bool> {
        let mut good = vec![true; self.positions.len()];
        loop {
            let mut changed = false;
            for at in 0..good.len() {
                let met = |demand: &Demand| demand.options.iter().any(|&option| good[option]);
                if good[at] && !self.demands[at].iter().all(met) {
                    good[at] = false;
                    changed = true;
                }
            }
            if !changed {
                return good;
            }
        }
    }

    /// A finite word that decides for the assertion and that the circuit does not accept.
    fn difference(&self, assertion: &Assertion<usize>, truth: bool) -> Option<Vec<Vec<bool>>> {
        let MonitorGoal::Reached(signal) = self.circuit.goal else {
            return None;
        };
        let has_locals = !assertion.assigned().is_empty();
        let mut tried = 0;
        for at in 0..self.demands.len() {
            for demand in self.demands[at].iter().filter(|one| one.options.is_empty()) {
                tried += 1;
                if tried > MOST_WORDS {
                    return None;
                }
                let mut letters = vec![demand.letter.clone()];
                let mut place = at;
                while let Some((before, letter)) = &self.from[place] {
                    letters.push(letter.clone());
                    place = *before;
                }
                letters.reverse();
                let count = letters.iter().map(Vec::len).max().unwrap_or(0);
                let word: Vec<Vec<bool>> = (letters.iter())
                    .map(|letter| (0..count).map(|atom| letter.get(atom).copied().flatten().unwrap_or(false)))
                    .map(Iterator::collect)
                    .collect();
                let direct = AssertionWord::new(word.clone(), None);
                let decided = match truth {
                    // (Letters do not tell which values are assigned, but that they are those of the constants.)
                    _ if has_locals => demand.is_over,
                    true => direct.holds(assertion, View::Strong),
                    false => !direct.holds(assertion, View::Weak),
                };
                if decided && !self.accepts(&word, signal) {
                    return Some(word);
                }
            }
        }
        None
    }

    /// Whether some values of the free inputs make a signal true on a word.
    fn accepts(&self, word: &[Vec<bool>], signal: usize) -> bool {
        let circuit = self.circuit;
        let mut now: BTreeSet<Values> =
            BTreeSet::from([circuit.registers.iter().map(|(first, _)| *first).collect()]);
        for letter in word {
            let letter: Vec<Option<bool>> = letter.iter().copied().map(Some).collect();
            let mut next = BTreeSet::new();
            for registers in &now {
                let mut open = vec![vec![None; circuit.choices()]];
                while let Some(choices) = open.pop() {
                    let values = circuit.evaluate(registers, &letter, &choices);
                    let roots = circuit.registers.iter().map(|(_, next)| *next).chain([signal]);
                    let choice = roots
                        .into_iter()
                        .find_map(|root| match circuit.missing(&values, root) {
                            Some(MonitorGate::Choice(choice)) => Some(choice),
                            _ => None,
                        });
                    match choice {
                        Some(choice) => {
                            for truth in [false, true] {
                                let mut choices = choices.clone();
                                choices[choice] = Some(truth);
                                open.push(choices);
                            }
                        }
                        None if values[signal] == Some(true) => return true,
                        None => {
                            let after = circuit.registers.iter();
                            next.insert(after.map(|(_, next)| values[*next].unwrap_or(false)).collect());
                        }
                    }
                    // Where there is too much to be tried, nothing is claimed.
                    if next.len() + open.len() > MOST_ANSWERS {
                        return true;
                    }
                }
            }
            now = next;
        }
        false
    }
}
