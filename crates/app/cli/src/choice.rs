//! Asking which step to take.

use crate::failure::CommandError;
use crate::terminal::print;
use std::io::{BufRead, IsTerminal};

/// So many choices are listed.
const MOST_LISTED: usize = 30;

/// So many steps are taken at once.
pub const MOST_AT_ONCE: usize = 10_000;

/// What somebody who walks through a model wants.
pub enum Choice {
    Step(usize),
    /// So many steps at random.
    Random(usize),
    /// On as long as there is one step only.
    Go,
    /// So many steps back.
    Back(usize),
    /// Only steps after which this is true; all if it is empty.
    Constrain(String),
    /// Only choices that contain this text are listed.
    Search(String),
    Print,
    Walk,
    Save(String),
    Quit,
}

fn choice(answer: &str, choices: usize, help: &str) -> Result<Choice, String> {
    let (word, rest) = answer.split_once(' ').unwrap_or((answer, ""));
    match (word, rest.trim()) {
        ("" | "r", "") if choices > 0 => Ok(Choice::Random(1)),
        ("g", _) => Ok(Choice::Go),
        ("b", "") => Ok(Choice::Back(1)),
        ("r" | "b", number) => match number.parse::<usize>() {
            Ok(number) if word == "r" => Ok(Choice::Random(number.min(MOST_AT_ONCE))),
            Ok(number) => Ok(Choice::Back(number)),
            Err(_) => Err(help.to_owned()),
        },
        ("c", condition) => Ok(Choice::Constrain(condition.to_owned())),
        ("f", text) if !text.is_empty() => Ok(Choice::Search(text.to_owned())),
        ("p", _) => Ok(Choice::Print),
        ("t", _) => Ok(Choice::Walk),
        ("s", file) if !file.is_empty() => Ok(Choice::Save(file.to_owned())),
        ("q", _) => Ok(Choice::Quit),
        (number, _) => match number.parse::<usize>() {
            Ok(number) if (1..=choices).contains(&number) => Ok(Choice::Step(number - 1)),
            Ok(_) => Err(format!("choose a number from 1 to {choices}\n")),
            Err(_) => Err(help.to_owned()),
        },
    }
}

/// Lists the choices and reads one; nothing at the end of the input.
pub fn ask(lines: &[String], help: &str) -> Result<Option<Choice>, CommandError> {
    for (number, line) in lines.iter().take(MOST_LISTED).enumerate() {
        print(&format!("  {:>3}  {line}\n", number + 1));
    }
    if lines.len() > MOST_LISTED {
        print(&format!("  … or a number up to {}\n", lines.len()));
    }
    loop {
        if std::io::stdin().is_terminal() {
            print("> ");
        }
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        if read.map_err(|error| CommandError::input(format!("cannot read your choice: {error}")))? == 0 {
            return Ok(None);
        }
        match choice(answer.trim(), lines.len(), help) {
            Ok(Choice::Search(text)) => {
                let found = lines.iter().enumerate().filter(|(_, line)| line.contains(&text));
                for (number, line) in found.take(MOST_LISTED) {
                    print(&format!("  {:>3}  {line}\n", number + 1));
                }
            }
            Ok(choice) => return Ok(Some(choice)),
            Err(message) => print(&message),
        }
    }
}
