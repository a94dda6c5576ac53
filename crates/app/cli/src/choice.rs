//! Asking which step to take.

use crate::failure::Stop;
use crate::terminal::print;
use std::io::{BufRead, IsTerminal};

/// So many choices are listed.
const MOST_LISTED: usize = 30;

/// What somebody who walks through a model wants.
pub enum Choice {
    Step(usize),
    Random,
    Back,
    Print,
    Walk,
    Save(String),
    Quit,
}

fn choice(answer: &str, choices: usize, help: &str) -> Result<Choice, String> {
    let (word, rest) = answer.split_once(' ').unwrap_or((answer, ""));
    match (word, rest.trim()) {
        ("" | "r", _) if choices > 0 => Ok(Choice::Random),
        ("b", _) => Ok(Choice::Back),
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
pub fn ask(lines: &[String], help: &str) -> Result<Option<Choice>, Stop> {
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
        if read.map_err(|error| Stop::input(format!("cannot read your choice: {error}")))? == 0 {
            return Ok(None);
        }
        match choice(answer.trim(), lines.len(), help) {
            Ok(choice) => return Ok(Some(choice)),
            Err(message) => print(&message),
        }
    }
}
