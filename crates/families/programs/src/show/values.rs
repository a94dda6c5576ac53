//! The variables and channels of a state, as people read them.

use entail_program::{Cell, CellType, Program, State};

/// A variable or channel with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownValue {
    /// Its name; those of a process begin with its type and number.
    pub name: String,
    /// The value.
    pub text: String,
    /// How it stores numbers; channels with what is in them are of the kind of channels.
    pub kind: CellType,
}

impl ShownValue {
    /// Whether it is what variables and channels begin with.
    pub fn is_quiet(&self) -> bool {
        self.text == quiet(self.kind)
    }
}

/// What a variable or channel of a kind begins with, where nothing else is said.
pub fn quiet(kind: CellType) -> &'static str {
    match kind {
        CellType::Channel => "[]",
        _ => "0",
    }
}

/// A number as people write it: names of messages by name.
pub fn shown_number(program: &Program, kind: CellType, value: i32) -> String {
    let name = usize::try_from(value).ok().filter(|&at| at > 0);
    match name.and_then(|at| program.message_names.get(at)) {
        Some(name) if kind == CellType::MessageName => name.clone(),
        _ => value.to_string(),
    }
}

/// The names of the channels of a state: of the first variable that holds each.
pub fn channel_names(program: &Program, state: &State) -> Vec<String> {
    let mut names: Vec<Option<String>> = vec![None; state.channels.len()];
    let mut name = |number: i32, name: String| {
        if let Some(slot) = usize::try_from(number - 1).ok().and_then(|at| names.get_mut(at)) {
            slot.get_or_insert(name);
        }
    };
    for (cell, &content) in program.globals.iter().zip(&state.globals) {
        if cell.kind == CellType::Channel {
            name(content, cell.name.clone());
        }
    }
    for (number, process) in state.processes.iter().enumerate() {
        let kind = program.process(process.kind);
        for (cell, &content) in kind.cells.iter().zip(&process.cells) {
            if cell.kind == CellType::Channel {
                name(content, format!("{}({number}).{}", kind.name, cell.name));
            }
        }
    }
    let numbered =
        |(at, name): (usize, Option<String>)| name.unwrap_or_else(|| format!("channel {}", at + 1));
    names.into_iter().enumerate().map(numbered).collect()
}

/// The variables and channels of a state with their values.
pub fn values(program: &Program, state: &State) -> Vec<ShownValue> {
    let mut found = Vec::new();
    let mut add = |prefix: &str, cell: &Cell, content: i32| {
        if cell.shown && cell.kind != CellType::Channel {
            found.push(ShownValue {
                name: format!("{prefix}{}", cell.name),
                text: shown_number(program, cell.kind, content),
                kind: cell.kind,
            });
        }
    };
    for (cell, &content) in program.globals.iter().zip(&state.globals) {
        add("", cell, content);
    }
    for (number, process) in state.processes.iter().enumerate() {
        let kind = program.process(process.kind);
        let prefix = format!("{}({number}).", kind.name);
        for (cell, &content) in kind.cells.iter().zip(&process.cells) {
            add(&prefix, cell, content);
        }
    }
    for (channel, name) in state.channels.iter().zip(channel_names(program, state)) {
        let kinds = &program.channels[channel.kind].fields;
        let message = |message: &Vec<i32>| {
            let fields: Vec<String> = (message.iter().zip(kinds))
                .map(|(&field, &kind)| shown_number(program, kind, field))
                .collect();
            fields.join(",")
        };
        let messages: Vec<String> = channel.messages.iter().map(message).collect();
        found.push(ShownValue {
            name,
            text: format!("[{}]", messages.join(" ")),
            kind: CellType::Channel,
        });
    }
    found
}

/// What differs after a step: names and new values. What is new and has the value that everything begins with is left out.
pub fn changes(program: &Program, before: &State, after: &State) -> Vec<(String, String)> {
    let old: std::collections::HashMap<String, String> = values(program, before)
        .into_iter()
        .map(|value| (value.name, value.text))
        .collect();
    values(program, after)
        .into_iter()
        .filter(|value| {
            old.get(&value.name)
                .map_or(!value.is_quiet(), |old| *old != value.text)
        })
        .map(|value| (value.name, value.text))
        .collect()
}
