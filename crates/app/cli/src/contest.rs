//! `entail play`: the user on the side that loses, against what the evidence says.

use crate::Context;
use crate::arguments::Play;
use crate::choice::{Choice, ask};
use crate::failure::{CommandError, HOLDS, UNKNOWN};
use crate::limits::Limits;
use crate::solve::{decide, load};
use crate::terminal::print;
use entail_answer::{Answer, Verdict};
use entail_family::{Command, Contest};
use entail_logic::Logic;

/// After so many moves without the user's turn the play is over: it repeats itself.
const MOST_REPLIES: usize = 100;

const HELP: &str = "choose a number; q: give up\n";

pub fn run(options: &Play, context: &Context) -> Result<u8, CommandError> {
    let limits = Limits::new(options.timeout, None);
    let mut loaded = load(
        &options.game,
        options.language.as_deref(),
        Command::Check,
        context,
        &limits,
    )?;
    if let Some(text) = &options.mu
        && loaded.model.add_property(text, Some(Logic::Mu))? != 0
    {
        return Err(CommandError::usage(
            "--mu plays formulas on graphs, which have no properties of their own".to_owned(),
        ));
    }
    let mut answer: Option<Answer> = None;
    let mut failure = None;
    decide(&loaded, None, context, &limits, &mut |decided, _| {
        failure = decided.failure;
        answer = Some(decided.answer);
    })?;
    if let Some(error) = failure {
        return Err(CommandError::Internal(error.message));
    }
    let Some(answer) = answer.filter(|answer| answer.verdict != Verdict::Unknown) else {
        return Err(CommandError::Message(
            "it is not known who wins".to_owned(),
            UNKNOWN,
        ));
    };
    let name = options.game.display();
    match loaded.model.contest(0, &answer, &context.options) {
        Some(contest) => play(&mut *contest.map_err(CommandError::usage)?),
        None => Err(CommandError::usage(format!("{name} is not something to play"))),
    }
}

fn play(contest: &mut dyn Contest) -> Result<u8, CommandError> {
    let lines = |lines: Vec<String>| lines.iter().for_each(|line| print(&format!("{line}\n")));
    lines(contest.rules());
    let mut replies = 0;
    loop {
        lines(contest.position());
        if let Some(reply) = contest.reply() {
            print(&format!("  {reply}\n"));
            replies += 1;
            match replies < MOST_REPLIES {
                true => continue,
                false => break,
            }
        }
        replies = 0;
        let choices = contest.choices();
        if choices.is_empty() {
            break;
        }
        match ask(&choices, HELP)? {
            Some(Choice::Step(chosen)) => contest.choose(chosen),
            Some(Choice::Random(_)) => contest.choose(0),
            None | Some(Choice::Quit) => break,
            Some(_) => print(HELP),
        }
    }
    print(&format!("{}\n", contest.ending()));
    Ok(HOLDS)
}
