//! Regular modalities: those of propositional dynamic logic (Fischer, Ladner 1979), written out as fixpoints.
//!
//! A program is a set of actions, a test, a sequence, a choice or a repetition. `<P> f` says that some way through `P` ends where `f` is true, `[P] f` that all do:
//!
//! ```text
//! <P; Q> f = <P><Q> f     <P | Q> f = <P> f | <Q> f     <P*> f = mu Z. f | <P> Z     <?g> f = g & f
//! ```
//!
//! and dually for boxes. The operand is shared, not copied, but counts once for each alternative in front of it where sizes are told.

use super::{Actions, Fixpoint, Modality, Mu, MuNode, MuVar};
use crate::nesting::deep;

/// A program.
#[derive(Clone, Debug)]
pub(super) enum Program {
    /// One step of one of these actions.
    Step(Actions),
    /// No step; goes on where the formula is true. In a box the formula is kept negated.
    Test(Mu<String>),
    /// One after the other.
    Sequence(Vec<Program>),
    /// One of them.
    Choice(Vec<Program>),
    /// Any number of times, also none.
    Star(Box<Program>),
}

impl Program {
    /// One of several programs. Steps become one step of one set, so that a choice between actions is a set of actions.
    pub fn choice(parts: Vec<Program>) -> Program {
        let mut steps: Option<Actions> = None;
        let mut others = Vec::new();
        for part in parts {
            match part {
                Program::Step(actions) => {
                    steps = Some(steps.map_or(actions.clone(), |known| known.union(&actions)));
                }
                other => others.push(other),
            }
        }
        let mut all: Vec<Program> = steps.map(Program::Step).into_iter().chain(others).collect();
        match all.len() {
            1 => all.remove(0),
            _ => Program::Choice(all),
        }
    }

    /// The formula `<self> operand` or `[self] operand`. `fresh` gives names that occur nowhere else.
    pub fn modality(
        &self,
        modality: Modality,
        operand: Mu<String>,
        fresh: &mut dyn FnMut() -> MuVar,
    ) -> Mu<String> {
        let either = |parts: Vec<Mu<String>>| match modality {
            Modality::Some => Mu::or(parts),
            Modality::Every => Mu::and(parts),
        };
        deep(|| match self {
            Program::Step(actions) => MuNode::Modal(modality, actions.clone(), operand).into(),
            Program::Test(condition) => match modality {
                Modality::Some => Mu::and([condition.clone(), operand]),
                Modality::Every => Mu::or([condition.clone(), operand]),
            },
            Program::Sequence(parts) => {
                (parts.iter().rev()).fold(operand, |rest, part| part.modality(modality, rest, fresh))
            }
            Program::Choice(parts) => {
                let mut operands = Vec::new();
                for part in parts {
                    operands.push(part.modality(modality, operand.clone(), fresh));
                }
                either(operands)
            }
            Program::Star(body) => {
                let variable = fresh();
                let again = body.modality(modality, Mu::variable(&variable), fresh);
                let fixpoint = match modality {
                    Modality::Some => Fixpoint::Least,
                    Modality::Every => Fixpoint::Greatest,
                };
                either(vec![operand, again]).fixpoint(fixpoint, &variable)
            }
        })
    }
}
