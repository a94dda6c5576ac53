//! Abstraction of circuits: most of a large circuit is left out, and what matters is found.
//!
//! An abstraction keeps some latches and gates; everything else that these read is a free input. What is proved of the abstract circuit holds in
//! the whole one. A counterexample of the abstract circuit is one of the whole only if its free inputs have the values that the
//! objects in their place have.
//!
//! An abstraction that keeps most of the circuit is no help; then the whole circuit is asked, or nobody.
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
use crate::ic3::{Ic3, ic3};
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

/// How long the first turn of each search is.
const FIRST_TURN: Duration = Duration::from_millis(100);

/// Which abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Localization {
    /// Latches and gates that counterexamples ask for.
    GateLevel,
    /// Latches that proofs ask for.
    ProofBased,
}

/// What to do when an abstraction turns out to keep most of the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WhenLarge {
    /// IC3 is asked about the whole circuit.
    #[default]
    AskTheWhole,
    /// Nothing: somebody else does that already.
    GiveUp,
}

/// How a search ended, and its rounds.
#[derive(Clone, Debug)]
pub struct Localized {
    /// What it ended with.
    pub end: End,
    /// The rounds it took.
    pub rounds: Vec<Round>,
}

/// What a search ended with.
#[derive(Clone, Debug)]
pub enum End {
    /// An answer about the whole circuit.
    Answer(SafetyAnswer),
    /// The abstraction keeps most of the circuit.
    NoHelp,
    /// The budget was spent.
    Interrupted(Interrupted),
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

    /// Whether it is known that the abstraction reaches bad at the current depth, so that it has to grow.
    fn is_too_coarse(&self) -> bool;

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
    (how, when_large): (Localization, WhenLarge),
    observable: &[bool],
    budget: &Budget,
    progress: &dyn Progress,
) -> Localized {
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
    let end = search.run();
    let (depth, mut rounds) = (search.abstraction.depth(), search.rounds);
    let end = match end {
        Ok(Some(answer)) => End::Answer(answer),
        Ok(None) => match when_large {
            WhenLarge::GiveUp => End::NoHelp,
            WhenLarge::AskTheWhole => {
                rounds.push(
                    "keeps most of the circuit".into(),
                    "the whole circuit is asked".into(),
                );
                let reduced = Reduced::merging(circuit, bad, observable, Patience::Much, budget);
                match ic3(&reduced.circuit, reduced.bad, budget, progress) {
                    Ok(answer) => End::Answer(reduced.lift(answer)),
                    Err(interrupted) => End::Interrupted(interrupted),
                }
            }
        },
        Err(spent) => End::Interrupted(Interrupted {
            spent,
            safe_up_to: (depth as u64).checked_sub(1),
        }),
    };
    Localized {
        end,
        rounds: rounds.list,
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

/// IC3 at work on an abstract circuit.
struct Prover {
    small: SmallCircuit,
    reduced: Reduced,
    ic3: Ic3,
}

impl Search<'_, '_> {
    /// The answer; none if the abstraction is no help.
    fn run(&mut self) -> Result<Option<SafetyAnswer>, Spent> {
        let mut turn = FIRST_TURN;
        let mut prover: Option<Prover> = None;
        loop {
            match self.settle(turn)? {
                Settled::Real(run) => return Ok(Some(SafetyAnswer::Unsafe(run))),
                Settled::NoHelp => return Ok(None),
                Settled::Unchanged => {}
                Settled::Changed => prover = None,
            }
            let slice = self.budget.part(turn);
            let at_work = match &mut prover {
                Some(prover) => prover,
                None => prover.insert(self.prover(&slice)),
            };
            match at_work.ic3.advance(&slice, self.progress) {
                Ok(SafetyAnswer::Safe(invariant)) => {
                    self.round(
                        "holds".into(),
                        "an invariant of the abstraction is one of the circuit".into(),
                    );
                    let lifted = at_work.reduced.lift(SafetyAnswer::Safe(invariant));
                    return Ok(Some(at_work.small.lift(lifted)));
                }
                Ok(answer) => {
                    if let SafetyAnswer::Unsafe(run) = at_work.reduced.lift(answer) {
                        let steps = run.inputs.len() - 1;
                        if let Some(run) = self.abstraction.refine(&at_work.small, &run) {
                            return Ok(Some(SafetyAnswer::Unsafe(run)));
                        }
                        self.round(
                            format!("fails in {steps} steps, by IC3"),
                            "what it guessed is kept".into(),
                        );
                    }
                    prover = None;
                }
                Err(_) => {
                    self.budget.check_now()?;
                    turn *= 2;
                }
            }
        }
    }

    /// Goes on until the abstraction has not changed for some depths, or the turn is over and it may be good enough.
    fn settle(&mut self, turn: Duration) -> Result<Settled, Spent> {
        let mut slice = self.budget.part(turn);
        let (mut unchanged, mut has_changed) = (0, false);
        loop {
            self.progress.report(&Snapshot {
                phase: "abstraction",
                depth: Some(self.abstraction.depth() as u64),
                ..Snapshot::default()
            });
            let before = self.rounds.list.len();
            match self.abstraction.advance(&mut self.rounds, &slice) {
                Ok(Advance::Real(run)) => return Ok(Settled::Real(run)),
                Ok(Advance::Refuted { changed }) => {
                    if self.rounds.list.len() > before {
                        self.measure();
                    }
                    unchanged = if changed { 0 } else { unchanged + 1 };
                    has_changed |= changed;
                    if changed && self.is_no_help() {
                        return Ok(Settled::NoHelp);
                    }
                    if unchanged >= 2 + self.abstraction.depth() / 4 {
                        break;
                    }
                }
                Err(_) => {
                    self.budget.check_now()?;
                    if !self.abstraction.is_too_coarse() {
                        break;
                    }
                    slice = self.budget.part(turn);
                }
            }
        }
        Ok(if has_changed {
            Settled::Changed
        } else {
            Settled::Unchanged
        })
    }

    /// IC3 on the abstract circuit.
    fn prover(&self, slice: &Budget) -> Prover {
        let abstraction = &*self.abstraction;
        let small = SmallCircuit::new(self.objects, |node| abstraction.is_kept(node));
        let observable = small.observable(self.observable);
        let reduced = Reduced::merging(&small.circuit, small.bad, &observable, Patience::Little, slice);
        let ic3 = Ic3::new(&reduced.circuit, reduced.bad);
        Prover { small, reduced, ic3 }
    }

    /// Whether the abstraction keeps most of the circuit: more than half of its latches, and more than a quarter of its gates.
    fn is_no_help(&self) -> bool {
        let kept = self.kept();
        2 * kept.latches > self.objects.circuit.latches.len() && 4 * kept.gates > self.objects.gates().len()
    }

    fn kept(&self) -> Kept {
        let latches = self.objects.circuit.latches.iter();
        let gates = self.objects.gates().iter();
        Kept {
            latches: latches
                .filter(|latch| self.abstraction.is_kept(latch.node))
                .count(),
            gates: gates.filter(|(node, _)| self.abstraction.is_kept(*node)).count(),
        }
    }

    fn round(&mut self, found: String, outcome: String) {
        self.rounds.push(found, outcome);
        self.measure();
    }

    /// Says how large the abstraction is after the last round.
    fn measure(&mut self) {
        let Kept { latches, gates } = self.kept();
        let (all_latches, all_gates) = (self.objects.circuit.latches.len(), self.objects.gates().len());
        self.rounds.measure(format!(
            "{latches} of {all_latches} latches, {gates} of {all_gates} gates"
        ));
    }
}

/// How large an abstraction is.
struct Kept {
    latches: usize,
    gates: usize,
}

/// What a turn of the bounded search ended with.
enum Settled {
    /// The abstraction is as it was before.
    Unchanged,
    /// It has grown.
    Changed,
    /// It keeps most of the circuit.
    NoHelp,
    /// A counterexample of the whole circuit.
    Real(Run),
}
