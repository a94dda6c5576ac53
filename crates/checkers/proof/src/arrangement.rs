//! Whether a proof is judged by decision diagrams or by a solver, and in which order diagrams have the variables.
//!
//! A set that was written out from a diagram reads its variables in the diagram's order, from the root on. So the distance from the root at which a
//! formula reads a variable, on the average, gives an order in which the formula is small again; whoever wrote it need not be asked, and need not be believed, since
//! no order makes an answer wrong. Bits of one variable stand together, each beside its value after the step.
//!
//! Wide models, and long ones, go to the solver at once; others when their diagrams turn out to be large.

use crate::encode::{bit_count, term_count};
use crate::gates::Form;
use crate::induction::Refusal;
use entail_model::{Op, TermId, Terms, TransitionSystem, VarId};
use rustc_hash::FxHashMap;

/// Models with more bits of variables are not tried with diagrams.
const MOST_BITS: usize = 200;

/// Models and proofs with more terms are not tried with diagrams.
const MOST_TERMS: usize = 40_000;

/// How the questions of a proof are decided.
#[derive(Clone, Debug)]
pub(crate) struct Arrangement {
    pub(crate) form: Form,
    /// The variables from the first level of diagrams on.
    pub(crate) order: Vec<VarId>,
}

/// Which values diagrams get levels for from the start; others get theirs below when they are first asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    /// The state before the step. Inputs and the state after it may be given by a strategy.
    Now,
    /// The state before the step, inputs, and the state after it.
    NowAndNext,
}

impl Arrangement {
    /// Everything is asked of a solver.
    pub(crate) fn clauses() -> Arrangement {
        Arrangement {
            form: Form::Clauses,
            order: Vec::new(),
        }
    }

    /// Diagrams for a proof about a set of states, if the model is narrow enough.
    fn diagrams(system: &TransitionSystem, terms: &Terms, set: TermId) -> Option<Arrangement> {
        if bit_count(system)? > MOST_BITS || term_count(system) > MOST_TERMS || terms.len() > MOST_TERMS {
            return None;
        }
        let depths = depths(terms, set);
        let mut order: Vec<VarId> = system.variable_ids().collect();
        // (What the set does not read comes last, as declared.)
        order.sort_by(|a, b| {
            let [a, b] = [a, b].map(|id| depths.get(id).copied().unwrap_or(f64::INFINITY));
            a.total_cmp(&b)
        });
        Some(Arrangement {
            form: Form::Diagrams,
            order,
        })
    }
}

/// Which ways of deciding questions are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Diagrams where that is promising, and a solver if they turn out to be too large.
    Either,
    /// A solver alone.
    Solver,
}

impl Way {
    /// Asks all questions of a proof about a set of states.
    pub(crate) fn ask(
        self,
        system: &TransitionSystem,
        (terms, set): (&Terms, TermId),
        mut questions: impl FnMut(&Arrangement) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if self == Way::Either
            && let Some(arrangement) = Arrangement::diagrams(system, terms, set)
        {
            match questions(&arrangement) {
                Err(Refusal::TooLarge) => {}
                answer => return answer,
            }
        }
        questions(&Arrangement::clauses())
    }
}

/// Which variables a term speaks of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Nothing,
    One(VarId),
    Several,
}

/// How far from the root, on the average, a formula reads each variable.
fn depths(terms: &Terms, root: TermId) -> FxHashMap<VarId, f64> {
    // Operands come before what is made of them.
    let cone = terms.cone(&[root]);
    let mut about: FxHashMap<TermId, About> = FxHashMap::default();
    for &term in &cone {
        let own = match terms.op(term) {
            Op::Current(id) | Op::Next(id) => About::One(*id),
            _ => About::Nothing,
        };
        let operands = terms.operands(term).iter().map(|operand| about[operand]);
        let together = operands.fold(own, |all, one| match (all, one) {
            (About::Nothing, other) | (other, About::Nothing) => other,
            (all, one) if all == one => all,
            _ => About::Several,
        });
        about.insert(term, together);
    }
    let mut depth: FxHashMap<TermId, u32> = FxHashMap::default();
    let mut read: FxHashMap<VarId, (f64, f64)> = FxHashMap::default();
    for &term in cone.iter().rev() {
        let here = depth.get(&term).copied().unwrap_or(0);
        for operand in terms.operands(term) {
            let below = depth.entry(*operand).or_insert(0);
            *below = (*below).max(here + 1);
            if let (About::Several, About::One(id)) = (about[&term], about[operand]) {
                let (sum, count) = read.entry(id).or_insert((0.0, 0.0));
                *sum += f64::from(here);
                *count += 1.0;
            }
        }
    }
    read.into_iter()
        .map(|(id, (sum, count))| (id, sum / count))
        .collect()
}
