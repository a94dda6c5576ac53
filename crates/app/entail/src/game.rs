//! The game that shows why two systems differ, in words.

use entail_equivalence::game::{Move, Spoiler, Turn, Won};
use entail_evidence::equivalence::{Side, Unrelated};
use entail_model::{Lts, StateId};

/// The two systems and what the user calls them.
#[derive(Clone, Copy, Debug)]
pub struct Board<'a> {
    /// The systems.
    pub systems: [&'a Lts; 2],
    /// Their names.
    pub names: [&'a str; 2],
}

fn index(side: Side) -> usize {
    usize::from(side == Side::Second)
}

impl Board<'_> {
    /// A position.
    pub fn position(&self, at: [StateId; 2]) -> String {
        let one = |side: usize| {
            let lts = self.systems[side];
            let look = match lts.is_coloured() {
                true => {
                    let names: Vec<&str> = lts.propositions(at[side]).iter().map(|name| &**name).collect();
                    format!(" {{{}}}", names.join(", "))
                }
                false => String::new(),
            };
            format!("{} in {}{look}", self.names[side], at[side])
        };
        format!("{}, {}", one(0), one(1))
    }

    /// A step or an answer.
    pub fn made(&self, made: &Move) -> String {
        let lts = self.systems[index(made.side)];
        let mut text = format!("{}: {}", self.names[index(made.side)], made.path[0]);
        for state in &made.path[1..] {
            text += &format!(" -> {state}");
        }
        match made.step {
            // Of Kripke structures, all steps are hidden, and none needs to be named.
            Some((_, to)) if lts.is_coloured() && lts.actions().len() == 1 => text += &format!(" -> {to}"),
            Some((action, to)) => text += &format!(" -{}-> {to}", lts.action_name(action)),
            None if made.path.len() == 1 => text += " stays",
            None => {}
        }
        if let Some(end) = made.rest {
            text += &format!(" -> … -> {end}");
        }
        text
    }

    /// Why Spoiler has won.
    pub fn won(&self, won: &Won) -> String {
        let name = |side: Side| self.names[index(side)];
        match won {
            Won::Proposition(proposition, side) => {
                format!(
                    "{proposition} holds in {} and not in {}",
                    name(*side),
                    name(side.other())
                )
            }
            Won::Forever(side) => format!(
                "{} can take hidden steps for ever without leaving its class, and {} cannot",
                name(*side),
                name(side.other())
            ),
            Won::NoAnswer(step) => {
                format!(
                    "{}, and {} has no answer",
                    self.made(step),
                    name(step.side.other())
                )
            }
            Won::Formula(side) => {
                format!(
                    "the formula is true in {} and not in {}",
                    name(*side),
                    name(side.other())
                )
            }
        }
    }
}

/// A shown game has at most so many rounds.
const MOST_ROUNDS: usize = 12;

/// A play in which Spoiler follows the formula and Duplicator holds out as long as it can, line by line.
pub fn shown_game(board: Board<'_>, unrelated: &Unrelated) -> Vec<String> {
    let Unrelated::Formula { formula, holds_in } = unrelated else {
        return Vec::new();
    };
    let Some(mut spoiler) = Spoiler::new(board.systems[0], board.systems[1], formula, *holds_in) else {
        return Vec::new();
    };
    let mut lines = vec![board.position(spoiler.position())];
    for _ in 0..MOST_ROUNDS {
        match spoiler.turn() {
            Turn::Won(won) => {
                lines.push(format!("Spoiler wins: {}", board.won(&won)));
                return lines;
            }
            Turn::Challenge { step, answers } => {
                let Some(answer) = spoiler.best_answer(&step, &answers) else {
                    break;
                };
                let choice = match answers.len() {
                    1 => " (the only answer)".to_owned(),
                    more => format!(" (one of {more} answers, none of which helps)"),
                };
                lines.push(format!("Spoiler     {}", board.made(&step)));
                lines.push(format!("Duplicator  {}{choice}", board.made(answer)));
                spoiler.play(&step, answer);
            }
        }
    }
    lines.push("… and so on".to_owned());
    lines
}
