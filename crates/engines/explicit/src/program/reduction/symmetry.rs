//! Symmetry: processes of one type that nobody can tell apart are put in order, so that states which differ only in who is who are one.
//!
//! The processes of a type that are there from the beginning may be interchanged if that changes nothing but their numbers, and nobody looks at numbers. That is read off the program, and a type for which it is not so is refused with the reason:
//! no expression reads a process's number, its place or its variables from outside, or who moved last; nobody keeps the number of a process that is started; priorities play no part; processes of the type make no channels of their own (whose numbers would go with them) and never
//! end (only the youngest process can, which tells them apart). Then every permutation of their records maps steps to steps and flaws to flaws, and a search of representatives finds a violation if there is one (Ip, Dill, *Better verification through symmetry*, 1996). A state's representative
//! has the records of each type in ascending order of their bytes. Such processes are older than all that end, so their records are always at the same places.
//!
//! Paths of representatives are made runs again by following steps up to representatives, and judged as any other run; what is written as evidence for *holds* is made without symmetry.

use crate::program::steps::action::Compiled;
use crate::program::steps::layout::CHANNEL_TAG;
use entail_program::{Action, Expression, Initial, Pattern, ProcessType, Program, Scope};

/// What may be interchanged.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// For each type: where the records of its processes begin, and how long one is.
    types: Vec<(Vec<usize>, usize)>,
}

impl Symmetry {
    /// The symmetry of a program, or why it has none.
    pub fn of(program: &Program, compiled: &Compiled) -> Result<Symmetry, String> {
        if let Some(reason) = tells_apart(program) {
            return Err(reason.into());
        }
        let initial = match compiled.initial() {
            Ok(initial) => initial.bytes,
            Err(_) => return Err("the program has no initial state".into()),
        };
        let layout = &compiled.layout;
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); program.processes.len()];
        let mut at = layout.records;
        while at < initial.len() {
            let tag = initial[at];
            at += match tag.checked_sub(CHANNEL_TAG) {
                Some(channel) => layout.channel_sizes[usize::from(channel)],
                None => {
                    places[usize::from(tag)].push(at);
                    layout.process_sizes[usize::from(tag)]
                }
            };
        }
        let mut symmetry = Symmetry { types: Vec::new() };
        let mut refused = None;
        for (kind, places) in places.into_iter().enumerate() {
            let process = &program.processes[kind];
            match refusal(process) {
                _ if places.len() < 2 => {}
                Some(reason) => {
                    refused.get_or_insert(format!("processes of type `{}` {reason}", process.name));
                }
                None => symmetry.types.push((places, layout.process_sizes[kind])),
            }
        }
        match symmetry.types.is_empty() {
            false => Ok(symmetry),
            true => Err(refused.unwrap_or_else(|| "no type has several processes from the beginning".into())),
        }
    }

    /// Turns a state into its representative.
    pub fn canonize(&self, state: &mut [u8]) {
        // (A step that goes wrong leads to no state.)
        if state.is_empty() {
            return;
        }
        for (places, size) in &self.types {
            // By insertion: there are few, and mostly one is out of order.
            for end in 1..places.len() {
                let mut at = end;
                while at > 0 && record(state, places[at - 1], *size) > record(state, places[at], *size) {
                    let (before, behind) = state.split_at_mut(places[at]);
                    let before = &mut before[places[at - 1]..places[at - 1] + size];
                    before.swap_with_slice(&mut behind[..*size]);
                    at -= 1;
                }
            }
        }
    }
}

fn record(state: &[u8], at: usize, size: usize) -> &[u8] {
    &state[at..at + size]
}

/// Why processes of one type cannot be interchanged, whatever it is.
fn tells_apart(program: &Program) -> Option<&'static str> {
    if program.has_priorities {
        return Some("processes have priorities");
    }
    if program.has_last {
        return Some("the program reads who moved last");
    }
    let mut reason = None;
    let mut look = |expression: &Expression| {
        let found = match expression {
            Expression::ProcessNumber => Some("a process reads its own number"),
            Expression::LastProcess => Some("the program reads who moved last"),
            Expression::Priority(_) => Some("the program reads priorities"),
            Expression::At(..) | Expression::LocationOf(_) => Some("the program reads where a process is"),
            Expression::Enabled(_) => Some("the program asks who can move"),
            Expression::Load(place) if matches!(place.scope, Scope::Remote(..)) => {
                Some("the program reads variables of a process from outside")
            }
            _ => None,
        };
        reason = reason.or(found);
    };
    program.visit_expressions(&mut look);
    let cells = program.processes.iter().flat_map(|process| &process.cells);
    for cell in program.globals.iter().chain(cells) {
        if let Initial::Computed(value) = &cell.initial {
            value.visit(&mut look);
        }
    }
    let edges = (program.processes.iter())
        .flat_map(|process| &process.locations)
        .flat_map(|location| &location.edges);
    for action in edges.flat_map(|edge| &edge.actions) {
        let found = match action {
            Action::Start { number: Some(_), .. } => {
                Some("the number of a process is kept where it is started")
            }
            Action::SetPriority(..) => Some("the program sets priorities"),
            Action::Receive { patterns, .. } if patterns.iter().any(binds_outside) => {
                Some("variables of a process are set from outside")
            }
            Action::Assign(place, _) if matches!(place.scope, Scope::Remote(..)) => {
                Some("variables of a process are set from outside")
            }
            _ => None,
        };
        reason = reason.or(found);
    }
    reason
}

fn binds_outside(pattern: &Pattern) -> bool {
    matches!(pattern, Pattern::Bind(place) if matches!(place.scope, Scope::Remote(..)))
}

/// Why the processes of a type cannot be interchanged.
fn refusal(process: &ProcessType) -> Option<&'static str> {
    if (process.cells.iter()).any(|cell| matches!(cell.initial, Initial::Channel(_))) {
        return Some("have channels of their own");
    }
    // (Places where deterministic sequences begin lead on as well.)
    let mut pending: Vec<usize> = process.start.iter().map(|start| start.index()).collect();
    let mut seen = vec![false; process.locations.len()];
    while let Some(at) = pending.pop() {
        let Some(location) = process.locations.get(at) else {
            continue;
        };
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        for edge in &location.edges {
            for action in &edge.actions {
                match action {
                    Action::End => return Some("can end, which only the youngest process can"),
                    Action::Deterministic(entry) => pending.push(entry.index()),
                    _ => {}
                }
            }
            pending.push(edge.target.index());
        }
    }
    None
}
