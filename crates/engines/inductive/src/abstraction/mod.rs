//! Abstraction of circuits: most of a large circuit is left out, and what matters is found.
//!
//! An abstraction keeps some latches and gates; everything else that these read is a free input. What is proved of the abstract circuit holds in
//! the whole one. A counterexample of the abstract circuit is one of the whole only if its free inputs have the values that the
//! objects in their place have.
//!
//! A bounded search makes the abstraction, depth by depth: from counterexamples (`gate_level.rs`) or from proofs (`proof_based.rs`). When
//! it has not changed for some depths, IC3 is asked about the abstract circuit. An invariant ends the search; a counterexample refines
//! the abstraction; if IC3 takes too long the bounded search goes on, and both get more time in their next turn.
//!
//! Termination: each depth is refuted after finitely many refinements (at worst everything is kept); IC3's counterexamples are longer than
//! what is refuted, and the abstract circuit has finitely many states.

mod cause;
mod gate_level;
mod objects;
mod proof_based;
mod rounds;
mod small_circuit;
mod unrolling;

use crate::answer::SafetyAnswer;
use crate::bmc::Interrupted;
use crate::ic3::ic3;
use crate::reduction::{Patience, Reduced};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_evidence::Round;
use entail_sat::{Circuit, Node, Run, Signal};
use gate_level::GateLevel;
use objects::Objects;
use proof_based::ProofBased;
use rounds::Rounds;
use small_circuit::SmallCircuit;
use std::time::Duration;

/// How long the first turn of IC3 is.
const FIRST_TURN: Duration = Duration::from_millis(100);

/// Which abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Localization {
    /// Latches and gates that counterexamples ask for.
    GateLevel,
    /// Latches that proofs ask for.
    ProofBased,
}

/// An answer about the whole circuit, and how it was found.
#[derive(Clone, Debug)]
pub struct Localized {
    /// The answer.
    pub answer: SafetyAnswer,
    /// The rounds it took.
    pub rounds: Vec<Round>,
}

/// What the bounded search found at a depth.
enum Advance {
    /// The abstraction does not reach bad; it had to grow for that if `changed`.
    Refuted { changed: bool },
    /// A counterexample of the whole circuit.
    Real(Run),
}

/// A growing abstraction.
trait Abstraction {
    /// All smaller depths are refuted.
    fn depth(&self) -> usize;

    /// Whether a latch or gate is kept.
    fn is_kept(&self, node: Node) -> bool;

    /// Decides the next depth.
    fn advance(&mut self, rounds: &mut Rounds, budget: &Budget) -> Result<Advance, Spent>;

    /// Makes use of a counterexample of the abstract circuit; gives the one of the whole circuit if it shows one.
    fn refine(&mut self, small: &SmallCircuit, run: &Run) -> Option<Run>;
}

/// Decides whether bad is reachable, by IC3 on an abstraction of the circuit. Correspondences that depend on other inputs than the
/// `observable` ones are not used in a proof.
pub fn localized(
    circuit: &Circuit,
    bad: Signal,
    how: Localization,
    observable: &[bool],
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Localized, Interrupted> {
    let objects = Objects::new(circuit, bad);
    let mut abstraction: Box<dyn Abstraction + '_> = match how {
        Localization::GateLevel => Box::new(GateLevel::new(&objects)),
        Localization::ProofBased => Box::new(ProofBased::new(&objects)),
    };
    let mut search = Search {
        objects: &objects,
        abstraction: abstraction.as_mut(),
        observable,
        rounds: Rounds::new(),
        budget,
        progress,
    };
    let answer = search.run();
    let (depth, rounds) = (search.abstraction.depth(), search.rounds.list);
    match answer {
        Ok(answer) => Ok(Localized { answer, rounds }),
        Err(spent) => Err(Interrupted {
            spent,
            safe_up_to: (depth as u64).checked_sub(1),
        }),
    }
}

struct Search<'s, 'o> {
    objects: &'s Objects<'o>,
    abstraction: &'s mut (dyn Abstraction + 's),
    observable: &'s [bool],
    rounds: Rounds,
    budget: &'s Budget,
    progress: &'s dyn Progress,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<SafetyAnswer, Spent> {
        let mut turn = FIRST_TURN;
        loop {
            if let Some(run) = self.settle(turn)? {
                return Ok(SafetyAnswer::Unsafe(run));
            }
            let abstraction = &*self.abstraction;
            let small = SmallCircuit::new(self.objects, |node| abstraction.is_kept(node));
            let slice = self.budget.part(turn);
            match self.prove(&small, &slice) {
                Ok(SafetyAnswer::Safe(invariant)) => {
                    let invariant = small.lift_invariant(invariant);
                    self.round(
                        "holds".into(),
                        "an invariant of the abstraction is one of the circuit".into(),
                    );
                    return Ok(SafetyAnswer::Safe(invariant));
                }
                Ok(SafetyAnswer::Unsafe(run)) => {
                    let steps = run.inputs.len() - 1;
                    if let Some(run) = self.abstraction.refine(&small, &run) {
                        return Ok(SafetyAnswer::Unsafe(run));
                    }
                    self.round(
                        format!("fails in {steps} steps, by IC3"),
                        "what it guessed is kept".into(),
                    );
                }
                Ok(SafetyAnswer::SafeUpTo(_)) => {}
                Err(_) => {
                    self.budget.check_now()?;
                    turn *= 2;
                }
            }
        }
    }

    /// Goes on until the abstraction has not changed for some depths, or the turn is over.
    fn settle(&mut self, turn: Duration) -> Result<Option<Run>, Spent> {
        let slice = self.budget.part(turn);
        let mut unchanged = 0;
        loop {
            self.progress.report(&Snapshot {
                phase: "abstraction",
                depth: Some(self.abstraction.depth() as u64),
                ..Snapshot::default()
            });
            let before = self.rounds.list.len();
            match self.abstraction.advance(&mut self.rounds, &slice) {
                Ok(Advance::Real(run)) => return Ok(Some(run)),
                Ok(Advance::Refuted { changed }) => {
                    if self.rounds.list.len() > before {
                        let abstraction = &*self.abstraction;
                        self.rounds
                            .measure(self.objects, |node| abstraction.is_kept(node));
                    }
                    unchanged = if changed { 0 } else { unchanged + 1 };
                    if unchanged >= 2 + self.abstraction.depth() / 4 {
                        return Ok(None);
                    }
                }
                Err(_) => {
                    self.budget.check_now()?;
                    return Ok(None);
                }
            }
        }
    }

    /// IC3 on the abstract circuit.
    fn prove(&self, small: &SmallCircuit, slice: &Budget) -> Result<SafetyAnswer, Interrupted> {
        let observable = small.observable(self.observable);
        let reduced = Reduced::merging(&small.circuit, small.bad, &observable, Patience::Little, slice);
        let answer = ic3(&reduced.circuit, reduced.bad, slice, self.progress)?;
        Ok(reduced.lift(answer))
    }

    fn round(&mut self, found: String, outcome: String) {
        self.rounds.push(found, outcome);
        let abstraction = &*self.abstraction;
        self.rounds
            .measure(self.objects, |node| abstraction.is_kept(node));
    }
}
