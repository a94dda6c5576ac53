//! What the edges of a program touch, as far as its text tells.
//!
//! An access names a place, a channel or a number of its own. Which array element or which channel is meant may depend on variables of the process: that is
//! decided later, when there is a state.

use entail_program::{
    Action, Binary, Expression, Initial, Pattern, Place, Probe, ProcessTypeId, Program, Scope, Unary,
};

/// How something is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Read,
    Write,
    Send,
    /// Sent into its place among the others.
    Sort,
    Receive,
    /// Its messages are waited for: more at the end do no harm.
    Peek,
    /// Room is waited for: fewer messages do no harm.
    Room,
    /// What matters is how many messages there are.
    Probe,
}

/// What the value of an expression is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Somebody waits until it is not zero.
    Awaited,
    /// Somebody waits until it is zero.
    Avoided,
    Any,
}

/// What is touched.
#[derive(Clone, Debug, PartialEq)]
pub enum Target<'a> {
    /// A variable, or an element of one.
    Place(&'a Place),
    Channel(&'a Expression),
    /// Where processes of this type are.
    LocationOf(ProcessTypeId),
    /// All variables of processes of this type: one comes or goes.
    Existence(ProcessTypeId),
    Starts(ProcessTypeId),
    Ends,
    Count,
}

/// Something that is touched somehow.
#[derive(Clone, Debug, PartialEq)]
pub struct Access<'a> {
    pub target: Target<'a>,
    pub manner: Manner,
    /// Local variables in it are those of another process, one that is being started.
    pub foreign: bool,
}

impl<'a> Access<'a> {
    fn new(target: Target<'a>, manner: Manner) -> Access<'a> {
        Access {
            target,
            manner,
            foreign: false,
        }
    }
}

/// Something depends on more than can be said of single places.
#[derive(Clone, Copy, Debug)]
pub struct Unbounded(pub &'static str);

/// Collects accesses.
pub type Sink<'s, 'a> = &'s mut dyn FnMut(Access<'a>);

/// What evaluating an expression touches.
pub fn of_expression<'a>(expression: &'a Expression, sink: Sink<'_, 'a>) -> Result<(), Unbounded> {
    of_value(expression, Purpose::Any, sink)
}

fn of_value<'a>(expression: &'a Expression, purpose: Purpose, sink: Sink<'_, 'a>) -> Result<(), Unbounded> {
    match expression {
        Expression::Constant(_) | Expression::ProcessNumber => {}
        // While another step is possible it is 0, and a set of steps that suffices has one.
        Expression::Timeout => {}
        Expression::Load(place) => of_place(place, Manner::Read, sink)?,
        Expression::Unary(Unary::Not, operand) => {
            let turned = match purpose {
                Purpose::Awaited => Purpose::Avoided,
                Purpose::Avoided => Purpose::Awaited,
                Purpose::Any => Purpose::Any,
            };
            of_value(operand, turned, sink)?;
        }
        Expression::Unary(_, operand) => of_expression(operand, sink)?,
        Expression::Binary(Binary::And | Binary::Or, left, right) => {
            of_value(left, purpose, sink)?;
            of_value(right, purpose, sink)?;
        }
        Expression::Binary(_, left, right) => {
            of_expression(left, sink)?;
            of_expression(right, sink)?;
        }
        Expression::Conditional(parts) => {
            for part in parts.iter() {
                of_expression(part, sink)?;
            }
        }
        Expression::Probe(probe, channel) => {
            let manner = match (probe, purpose) {
                (Probe::NotEmpty, Purpose::Awaited) | (Probe::Empty, Purpose::Avoided) => Manner::Peek,
                (Probe::NotFull, Purpose::Awaited) | (Probe::Full, Purpose::Avoided) => Manner::Room,
                _ => Manner::Probe,
            };
            of_channel(channel, manner, sink)?;
        }
        Expression::Poll {
            channel,
            patterns,
            anywhere,
        } => {
            let manner = match purpose {
                Purpose::Awaited if !anywhere => Manner::Peek,
                _ => Manner::Probe,
            };
            of_channel(channel, manner, sink)?;
            of_patterns(patterns, false, sink)?;
        }
        Expression::ProcessCount => sink(Access::new(Target::Count, Manner::Read)),
        Expression::At(kind, number, _) => {
            sink(Access::new(Target::LocationOf(*kind), Manner::Read));
            if let Some(number) = number {
                of_expression(number, sink)?;
            }
        }
        Expression::LastProcess => return Err(Unbounded("`_last`")),
        Expression::Priority(_) => return Err(Unbounded("priorities")),
        Expression::NonProgress => return Err(Unbounded("`np_`")),
        Expression::LocationOf(_) => return Err(Unbounded("`pc_value()`")),
        Expression::Enabled(_) => return Err(Unbounded("`enabled()`")),
    }
    Ok(())
}

fn of_place<'a>(place: &'a Place, manner: Manner, sink: Sink<'_, 'a>) -> Result<(), Unbounded> {
    sink(Access::new(Target::Place(place), manner));
    if let Scope::Remote(_, Some(number)) = &place.scope {
        of_expression(number, sink)?;
    }
    place
        .indices
        .iter()
        .try_for_each(|index| of_expression(&index.value, sink))
}

fn of_channel<'a>(channel: &'a Expression, manner: Manner, sink: Sink<'_, 'a>) -> Result<(), Unbounded> {
    sink(Access::new(Target::Channel(channel), manner));
    of_expression(channel, sink)
}

fn of_patterns<'a>(patterns: &'a [Pattern], binds: bool, sink: Sink<'_, 'a>) -> Result<(), Unbounded> {
    for pattern in patterns {
        match pattern {
            Pattern::Match(value) => of_expression(value, sink)?,
            Pattern::Bind(place) if binds => of_place(place, Manner::Write, sink)?,
            Pattern::Bind(_) | Pattern::Ignore => {}
        }
    }
    Ok(())
}

/// What an action touches. Sequences inside are left out: their locations are visited by themselves.
pub fn of_action<'a>(
    program: &'a Program,
    owner: ProcessTypeId,
    action: &'a Action,
    sink: Sink<'_, 'a>,
) -> Result<(), Unbounded> {
    let number = |target: Target<'a>| Access::new(target, Manner::Write);
    match action {
        Action::Guard(value) => of_value(value, Purpose::Awaited, sink)?,
        Action::Assert(value) | Action::Require(value, _) => of_expression(value, sink)?,
        Action::Else | Action::Skip | Action::Deterministic(_) => {}
        Action::Assign(place, value) => {
            of_place(place, Manner::Write, sink)?;
            of_expression(value, sink)?;
        }
        Action::Start {
            number: place,
            process,
            arguments,
            ..
        } => {
            if let Some(place) = place {
                of_place(place, Manner::Write, sink)?;
            }
            for argument in arguments {
                of_expression(argument, sink)?;
            }
            sink(number(Target::Starts(*process)));
            sink(number(Target::Existence(*process)));
            for cell in &program.process(*process).cells {
                if let Initial::Computed(value) = &cell.initial {
                    of_expression(value, &mut |access| {
                        sink(Access {
                            foreign: true,
                            ..access
                        })
                    })?;
                }
            }
        }
        Action::Send {
            channel,
            fields,
            sorted,
        } => {
            of_channel(channel, if *sorted { Manner::Sort } else { Manner::Send }, sink)?;
            for field in fields {
                of_expression(field, sink)?;
            }
        }
        Action::Receive {
            channel,
            patterns,
            keep,
            ..
        } => {
            of_channel(channel, if *keep { Manner::Peek } else { Manner::Receive }, sink)?;
            of_patterns(patterns, true, sink)?;
        }
        Action::Print(_, values) => {
            for value in values {
                of_expression(value, sink)?;
            }
        }
        Action::SetPriority(..) => return Err(Unbounded("priorities")),
        Action::End => {
            sink(number(Target::Ends));
            sink(number(Target::Existence(owner)));
        }
    }
    Ok(())
}
