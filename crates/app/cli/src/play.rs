//! `entail compare --play`: the game of Spoiler and Duplicator, with Entail on the winning side.

use crate::choice::{Choice, ask};
use crate::failure::CommandError;
use crate::terminal::print;
use entail::Board;
use entail::players::{Duplicator, Move, Spoiler, Turn};
use entail_evidence::equivalence::{Comparison, Related, Relation, RelationQuery, Side, Unrelated};
use entail_model::StateId;

const HELP: &str = "choose a number; q: quit\n";

/// Whether there is a game of this relation.
pub fn check(relation: Relation) -> Result<(), CommandError> {
    match relation {
        Relation::Strong | Relation::Branching | Relation::Simulation | Relation::ReadySimulation => Ok(()),
        other => Err(CommandError::usage(format!(
            "--play knows the games of strong, branching, simulation and ready-simulation, not of {other}"
        ))),
    }
}

pub fn play(board: Board<'_>, question: RelationQuery, comparison: &Comparison) -> Result<(), CommandError> {
    match comparison {
        Comparison::Unrelated(unrelated) => against_spoiler(board, unrelated),
        Comparison::Related(related) => against_duplicator(board, question, related),
    }
}

/// Lets the user choose; nothing to stop.
fn choose(lines: &[String]) -> Result<Option<usize>, CommandError> {
    loop {
        match ask(lines, HELP)? {
            Some(Choice::Step(chosen)) => return Ok(Some(chosen)),
            // Enter takes the first.
            Some(Choice::Random(1)) => return Ok(Some(0)),
            None | Some(Choice::Quit) => return Ok(None),
            Some(_) => print(HELP),
        }
    }
}

fn choose_start(starts: &[StateId], whose: &str) -> Result<Option<StateId>, CommandError> {
    if let [only] = starts {
        return Ok(Some(*only));
    }
    print(&format!("{whose} begins in\n"));
    let lines: Vec<String> = starts.iter().map(|state| format!("state {state}")).collect();
    Ok(choose(&lines)?.map(|chosen| starts[chosen]))
}

fn against_spoiler(board: Board<'_>, unrelated: &Unrelated) -> Result<(), CommandError> {
    let Unrelated::Formula { formula, holds_in } = unrelated else {
        return Ok(());
    };
    let Some(mut spoiler) = Spoiler::new(board.systems[0], board.systems[1], formula, *holds_in) else {
        return Ok(());
    };
    print("\nYou are Duplicator: answer every step with one of the same action. Entail is Spoiler.\n");
    let other = usize::from(spoiler.other_side() == Side::Second);
    let Some(start) = choose_start(board.systems[other].initial(), board.names[other])? else {
        return Ok(());
    };
    spoiler.begin_in(start);
    loop {
        print(&format!("{}\n", board.position(spoiler.position())));
        match spoiler.turn() {
            Turn::Won(won) => {
                print(&format!("Spoiler wins: {}\n", board.won(&won)));
                return Ok(());
            }
            Turn::Challenge { step, answers } => {
                print(&format!("Spoiler     {}\n", board.made(&step)));
                let lines: Vec<String> = answers.iter().map(|answer| board.made(answer)).collect();
                match choose(&lines)? {
                    Some(chosen) => spoiler.play(&step, &answers[chosen]),
                    None => return Ok(()),
                }
            }
        }
    }
}

fn against_duplicator(
    board: Board<'_>,
    question: RelationQuery,
    related: &Related,
) -> Result<(), CommandError> {
    let [first, second] = board.systems;
    let Some(mut duplicator) = Duplicator::new(first, second, question, related) else {
        return Ok(());
    };
    print("\nYou are Spoiler: make a step that cannot be answered. Entail is Duplicator.\n");
    // In a bisimulation game the first move decides nothing, unless there are several ways to begin.
    let single = board.systems.iter().all(|lts| lts.initial().len() == 1);
    let begun = match question.both_ways && !(single && question.relation.is_bisimulation()) {
        false => Side::First,
        true => {
            let lines = board.names.map(|name| format!("begin with {name}"));
            match choose(&lines)? {
                Some(0) => Side::First,
                Some(_) => Side::Second,
                None => return Ok(()),
            }
        }
    };
    let side = usize::from(begun == Side::Second);
    let Some(start) = choose_start(board.systems[side].initial(), board.names[side])? else {
        return Ok(());
    };
    let lost =
        || CommandError::Internal("Duplicator has no answer although the systems are related".to_owned());
    if !duplicator.begin(begun, start) {
        return Err(lost());
    }
    loop {
        print(&format!("{}\n", board.position(duplicator.position())));
        let moves: Vec<Move> = (duplicator.sides(begun).into_iter())
            .flat_map(|side| duplicator.moves(side))
            .collect();
        if moves.is_empty() {
            print("Duplicator wins: there is no step to answer\n");
            return Ok(());
        }
        let lines: Vec<String> = moves.iter().map(|step| board.made(step)).collect();
        let Some(chosen) = choose(&lines)? else {
            print("Duplicator wins: it could have gone on for ever\n");
            return Ok(());
        };
        let answer = duplicator.answer(&moves[chosen]).ok_or_else(lost)?;
        print(&format!("Duplicator  {}\n", board.made(&answer)));
    }
}
