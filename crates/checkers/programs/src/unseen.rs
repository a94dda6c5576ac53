//! Whether what happens may depend on variables that are no part of the state.
//!
//! Sets of states leave such variables out, so they show something only of programs that never compute with one. Printing one as it is, and counting one up or down by a number, changes nothing but itself; every
//! other place where one stands is taken to matter, also where it could never be reached.

use entail_program::{Action, Binary, Expression, Initial, Pattern, Place, Program, Scope};

/// Whether a variable that is no part of the state is used for anything but printing and counting it.
pub fn computes_with_unseen(program: &Program) -> bool {
    let of_types = program.processes.iter();
    let provided = of_types.clone().filter_map(|process| process.provided.as_ref());
    let cells = program
        .globals
        .iter()
        .chain(of_types.clone().flat_map(|process| &process.cells));
    let initial = cells.filter_map(|cell| match &cell.initial {
        Initial::Computed(value) => Some(value),
        Initial::Value(_) | Initial::Channel(_) => None,
    });
    let mut actions = of_types
        .flat_map(|process| &process.locations)
        .flat_map(|location| &location.edges)
        .flat_map(|edge| &edge.actions);
    let mut values = program
        .conditions
        .iter()
        .chain(&program.ends_when)
        .chain(provided)
        .chain(initial);
    values.any(reads) || actions.any(acts_on)
}

/// Whether an action computes with one.
fn acts_on(action: &Action) -> bool {
    match action {
        Action::Else | Action::Skip | Action::Deterministic(_) | Action::End => false,
        Action::Guard(value) | Action::Assert(value) | Action::Require(value, _) => reads(value),
        Action::Assign(place, value) => {
            let is_counted = place.scope == Scope::Unseen && counts(value);
            computes_place(place) || !is_counted && reads(value)
        }
        Action::Start {
            number, arguments, ..
        } => number.as_ref().is_some_and(computes_place) || arguments.iter().any(reads),
        Action::Send { channel, fields, .. } => reads(channel) || fields.iter().any(reads),
        Action::Receive {
            channel, patterns, ..
        } => reads(channel) || patterns.iter().any(matches_with),
        Action::Print(_, values) => values.iter().any(|value| match value {
            Expression::Load(place) => computes_place(place),
            value => reads(value),
        }),
        Action::SetPriority(process, value) => reads(process) || reads(value),
    }
}

fn matches_with(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Match(value) => reads(value),
        Pattern::Bind(place) => computes_place(place),
        Pattern::Ignore => false,
    }
}

/// Whether which place is meant depends on one.
fn computes_place(place: &Place) -> bool {
    let owner = match &place.scope {
        Scope::Remote(_, Some(number)) => reads(number),
        _ => false,
    };
    owner || place.indices.iter().any(|index| reads(&index.value))
}

/// A variable of this sort, without indices, plus or minus a number.
fn counts(value: &Expression) -> bool {
    let Expression::Binary(Binary::Add | Binary::Subtract, variable, by) = value else {
        return false;
    };
    let Expression::Load(place) = &**variable else {
        return false;
    };
    place.scope == Scope::Unseen && place.indices.is_empty() && matches!(**by, Expression::Constant(_))
}

/// Whether one is read anywhere in an expression.
fn reads(expression: &Expression) -> bool {
    let mut pending = vec![expression];
    while let Some(expression) = pending.pop() {
        match expression {
            Expression::Load(place) => {
                if place.scope == Scope::Unseen || computes_place(place) {
                    return true;
                }
            }
            Expression::Unary(_, operand)
            | Expression::Probe(_, operand)
            | Expression::Priority(operand)
            | Expression::LocationOf(operand)
            | Expression::Enabled(operand) => pending.push(operand),
            Expression::Binary(_, left, right) => pending.extend([&**left, &**right]),
            Expression::Conditional(parts) => pending.extend(parts.iter()),
            Expression::Poll {
                channel, patterns, ..
            } => {
                if patterns.iter().any(matches_with) {
                    return true;
                }
                pending.push(channel);
            }
            Expression::At(_, number, _) => pending.extend(number.as_deref()),
            Expression::Constant(_)
            | Expression::ProcessNumber
            | Expression::ProcessCount
            | Expression::LastProcess
            | Expression::Timeout
            | Expression::NonProgress => {}
        }
    }
    false
}
