//! Where matches of a sequence end, on a word and in a circuit that says so.
//!
//! On a word, runs begin at every letter and are followed by their definition. A circuit is compared by walking through all letters with what is left of the
//! runs on one side and its registers on the other: the two agree if its signal is true at just the letters at which some run ends. There are at most as
//! many pairs as the limits below allow, and 2^atoms letters at each.

use crate::assertion::AssertionWord;
use crate::derivatives::{Letter, derivatives};
use crate::monitor::{MonitorCircuit, MonitorGate, MonitorGoal};
use crate::threads::{At, Locals, Outcome, Thread, step};
use entail_budget::Budget;
use entail_evidence::CheckReport;
use entail_logic::Sequence;
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Atoms that a comparison may have, and pairs that it may meet.
const MOST_ATOMS: usize = 12;
const MOST_PAIRS: usize = 20_000;

impl AssertionWord<'_> {
    /// At which letters a match ends that began anywhere before; `later` asks for the letters after those. Nothing if on a lasso the rounds of its loop differ.
    pub fn ends(&self, sequence: &Arc<Sequence<usize>>, later: bool) -> Option<Vec<bool>> {
        let mut ends: Vec<Option<bool>> = vec![None; self.len()];
        let mut running: BTreeSet<Thread> = BTreeSet::new();
        let mut met: FxHashSet<(Vec<Thread>, bool)> = FxHashSet::default();
        let mut at = (self.len() > 0).then_some(0);
        let mut ended_before = false;
        while let Some(position) = at {
            running.insert(Thread::new(sequence, &Locals::default()));
            let mut next = BTreeSet::new();
            let mut ended = false;
            for thread in &running {
                for outcome in step(thread, At::Position(self, position)) {
                    match outcome {
                        Outcome::Ended(_) => ended = true,
                        Outcome::Rest(rest) => drop(next.insert(rest)),
                    }
                }
            }
            let said = if later { ended_before } else { ended };
            if ends[position].replace(said).is_some_and(|other| other != said) {
                return None;
            }
            running = next;
            ended_before = ended;
            at = self.successor(position);
            // A round that begins as an earlier one did is the same.
            let comes_back = at.is_some_and(|next| next <= position);
            if comes_back && !met.insert((running.iter().cloned().collect(), ended)) {
                break;
            }
        }
        ends.into_iter().collect()
    }
}

impl MonitorCircuit {
    /// Judges whether the circuit's signal is true at just the letters at which a match of a sequence ends.
    pub fn marks_ends(&self, sequence: &Arc<Sequence<usize>>, budget: &Budget) -> CheckReport {
        let MonitorGoal::Reached(signal) = self.goal else {
            return CheckReport::unchecked("the end points of a sequence, which are part of the circuit");
        };
        let mut atoms: BTreeSet<usize> = self
            .gates
            .iter()
            .filter_map(|gate| match gate {
                MonitorGate::Atom(atom) => Some(*atom),
                _ => None,
            })
            .collect();
        let noted = std::cell::RefCell::new(&mut atoms);
        sequence.map(&mut |&atom| noted.borrow_mut().insert(atom));
        let atoms: Vec<usize> = atoms.into_iter().collect();
        let is_free = self
            .gates
            .iter()
            .any(|gate| matches!(gate, MonitorGate::Choice(_)));
        if atoms.len() > MOST_ATOMS || is_free {
            return CheckReport::unchecked("the end points of a sequence: too many conditions");
        }
        let first: Vec<bool> = self.registers.iter().map(|(first, _)| *first).collect();
        let start = (BTreeSet::new(), first);
        let mut met = FxHashSet::from_iter([start.clone()]);
        let mut waiting = vec![start];
        while let Some((rests, registers)) = waiting.pop() {
            if met.len() > MOST_PAIRS || budget.check_now().is_err() {
                return CheckReport::unchecked("the end points of a sequence: there was no time");
            }
            for choice in 0_u32..1 << atoms.len() {
                let mut letter = vec![None; atoms.last().map_or(0, |last| last + 1)];
                for (place, &atom) in atoms.iter().enumerate() {
                    letter[atom] = Some(choice >> place & 1 == 1);
                }
                let missing = Cell::new(None);
                let mut next: BTreeSet<Arc<Sequence<usize>>> = BTreeSet::new();
                for rest in rests.iter().chain([sequence]) {
                    next.extend(derivatives(rest, Letter::Partial(&letter, &missing)));
                }
                let ended = next.iter().any(|rest| rest.is_nullable());
                let values = self.evaluate(&registers, &letter, &[]);
                if values[signal] != Some(ended) {
                    let message = "the circuit does not say where matches of a sequence end";
                    return CheckReport::rejected(message);
                }
                next.retain(|rest| **rest != Sequence::Empty);
                let after: Option<Vec<bool>> = self.registers.iter().map(|(_, next)| values[*next]).collect();
                let Some(after) = after else {
                    return CheckReport::unchecked("the end points of a sequence: an open register");
                };
                let pair = (next, after);
                if met.insert(pair.clone()) {
                    waiting.push(pair);
                }
            }
        }
        CheckReport::Accepted
    }
}
