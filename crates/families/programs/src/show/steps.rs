//! The steps of a run: which process, where in the text, which statement, what changed.

use super::values::changes;
use entail_program::{Action, Origin, Program, Replayed, Run, State, Step};
use entail_show::SourcePlace;

/// Statements are cut after so many letters, steps that join several after more.
const LONGEST_STATEMENT: usize = 60;
const LONGEST_STEP: usize = 100;

/// A process that takes part in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// Its type and number.
    pub name: String,
    /// The file of its statement.
    pub file: String,
    /// The line of its statement.
    pub line: usize,
    /// Its statement.
    pub statement: String,
}

impl Party {
    /// A process at one of the edges of its location.
    pub fn new(program: &Program, state: &State, number: u8, edge: u16) -> Party {
        let Some(process) = state.processes.get(usize::from(number)) else {
            return Party {
                name: format!("process {number}"),
                file: String::new(),
                line: 0,
                statement: String::new(),
            };
        };
        let kind = program.process(process.kind);
        let location = &kind.locations[process.location.index()];
        let edge = location.edges.get(usize::from(edge));
        let origin = edge.map_or(location.origin, |edge| edge.origin);
        let (file, line) = program.line(origin);
        let statement = match edge.and_then(|edge| edge.actions.first()) {
            Some(Action::End) => "(the process ends)".to_owned(),
            _ => {
                // A step may join several statements; parts of one `for` stand at the same place.
                let joined = edge.map_or(&[][..], |edge| &edge.joined);
                let mut places: Vec<Origin> = std::iter::once(origin).chain(joined.iter().copied()).collect();
                places.dedup();
                // A call is named once.
                let mut call = None;
                let texts: Vec<String> = places
                    .into_iter()
                    .map(|place| match place.call {
                        same if same.is_some() && same == call => words_at(program, place),
                        other => {
                            call = other;
                            statement_at(program, place)
                        }
                    })
                    .collect();
                clipped(texts.join("; "), LONGEST_STEP)
            }
        };
        Party {
            name: format!("{}({number})", kind.name),
            file: file.to_owned(),
            line,
            statement,
        }
    }

    /// Where its statement stands; the file is named if it is not the main one.
    pub fn place(&self, program: &Program) -> SourcePlace {
        place(program, &self.file, self.line)
    }
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownStep {
    /// Who moves.
    pub party: Party,
    /// Of a meeting, the receiver.
    pub partner: Option<Party>,
    /// What changed: names and values.
    pub changes: Vec<(String, String)>,
}

/// Who takes part in a step from a state: who moves, and of a meeting the receiver.
pub fn parties(program: &Program, state: &State, step: &Step) -> (Party, Option<Party>) {
    let receiver = step
        .receiver
        .map(|(number, edge)| Party::new(program, state, number, edge));
    (Party::new(program, state, step.process, step.edge), receiver)
}

/// The assertion that a step violates, with who violates it where. A step may join several statements.
pub fn violated_assertion(program: &Program, state: &State, step: &Step) -> String {
    let party = Party::new(program, state, step.process, step.edge);
    let process = state.processes.get(usize::from(step.process));
    let edge = process.and_then(|process| {
        let kind = program.process(process.kind);
        let location = &kind.locations[process.location.index()];
        location.edges.get(usize::from(step.edge))
    });
    let origins = edge
        .into_iter()
        .flat_map(|edge| std::iter::once(edge.origin).chain(edge.joined.iter().copied()));
    let assertions = origins.filter(|origin| words_at(program, *origin).starts_with("assert"));
    match assertions.collect::<Vec<_>>().as_slice() {
        [one] => {
            let (file, line) = program.line(*one);
            let (text, place) = (statement_at(program, *one), place(program, file, line));
            format!("{text} at {place}, by {}", party.name)
        }
        _ => format!(
            "{} at {}, by {}",
            party.statement,
            party.place(program),
            party.name
        ),
    }
}

/// The steps of a run.
pub fn shown_steps(program: &Program, run: &Run, replayed: &Replayed) -> Vec<ShownStep> {
    let steps = run.steps.iter().zip(&replayed.situations).enumerate();
    steps
        .map(|(position, (step, before))| {
            let (party, partner) = parties(program, &before.state, step);
            let after = replayed.situations.get(position + 1);
            ShownStep {
                party,
                partner,
                changes: after.map_or(Vec::new(), |after| changes(program, &before.state, &after.state)),
            }
        })
        .collect()
}

/// A step that could be taken, on one line.
pub fn offered(program: &Program, state: &State, step: &Step) -> String {
    let (party, partner) = parties(program, state, step);
    let one = |party: &Party| format!("{}  {}  {}", party.name, party.place(program), party.statement);
    let partner = partner.map_or(String::new(), |partner| format!("  →  {}", one(&partner)));
    one(&party) + &partner
}

/// Where the processes are, a line each.
pub fn whereabouts(program: &Program, state: &State) -> Vec<String> {
    let at = |number: usize| at_line(program, state, number, "at");
    (0..state.processes.len()).map(at).collect()
}

/// The processes that are where none may stay for ever, a line each.
pub fn stuck(program: &Program, state: &State) -> Vec<String> {
    let is_stuck = |number: &usize| {
        let process = &state.processes[*number];
        !program.process(process.kind).locations[process.location.index()].is_end
    };
    (0..state.processes.len())
        .filter(is_stuck)
        .map(|number| at_line(program, state, number, "is stuck at"))
        .collect()
}

fn at_line(program: &Program, state: &State, number: usize, is_at: &str) -> String {
    let process = &state.processes[number];
    let kind = program.process(process.kind);
    let origin = kind.locations[process.location.index()].origin;
    let (file, line) = program.line(origin);
    let place = place(program, file, line);
    format!(
        "{}({number}) {is_at} {place}: {}",
        kind.name,
        statement_at(program, origin)
    )
}

/// A line; the file is named if it is not the main one.
pub fn place(program: &Program, file: &str, line: usize) -> SourcePlace {
    let main = program.sources.first().map_or("", |source| source.name());
    SourcePlace {
        file: (file != main).then(|| file.to_owned()),
        line,
    }
}

/// The statement at a place: of a `for` its head, of an inline function the call with the statement of its body.
pub fn statement_at(program: &Program, origin: Origin) -> String {
    let own = words_at(program, origin);
    match origin.call() {
        Some(call) => clipped(format!("{}: {own}", words_at(program, call)), LONGEST_STATEMENT),
        None => own,
    }
}

fn words_at(program: &Program, origin: Origin) -> String {
    let mut text = program.text(origin);
    let is_loop = text
        .strip_prefix("for")
        .is_some_and(|rest| rest.trim_start().starts_with('('));
    if let (true, Some(body)) = (is_loop, text.find('{')) {
        text = text[..body].trim_end();
    }
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    clipped(words.join(" "), LONGEST_STATEMENT)
}

fn clipped(text: String, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
