//! What an action looks at and changes, as far as the text tells. Variables of the process itself concern nobody else and are told only where they change.

use entail_program::{Action, Expression, Pattern, Place, Scope};

/// Uses of a channel, as bits: something is sent to its end.
pub const SEND: u8 = 1;
/// Something is sorted in among its messages.
pub const SORT: u8 = 2;
/// A message is received.
pub const TAKE: u8 = 4;
/// It is asked about.
pub const LOOK: u8 = 8;
/// Everything that changes its messages.
pub const CHANGE: u8 = SEND | SORT | TAKE;
/// Everything.
pub const ANY: u8 = CHANGE | LOOK;

/// Something that an action touches.
#[derive(Clone, Debug, PartialEq)]
pub enum Touch {
    /// A global variable is read, or written.
    Global(Place, bool),
    /// A variable of the process is written.
    OwnWritten(Place),
    /// A channel is used.
    Channel(Expression, u8),
    /// A process is started.
    Start,
    /// The process ends.
    End,
}

/// The program has something about which nothing is said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strange(pub &'static str);

/// What is collected.
#[derive(Default)]
struct Collected {
    touches: Vec<Touch>,
    strange: Option<Strange>,
}

impl Collected {
    fn add(&mut self, touch: Touch) {
        if !self.touches.contains(&touch) {
            self.touches.push(touch);
        }
    }

    /// Everything that is read by this expression and those inside it.
    fn read(&mut self, expression: &Expression) {
        expression.visit(&mut |inner| match inner {
            Expression::Load(place) => match &place.scope {
                Scope::Global => self.add(Touch::Global((**place).clone(), false)),
                Scope::Local | Scope::Unseen => {}
                Scope::Remote(..) => self.strange = Some(Strange("variables of other processes")),
            },
            Expression::Probe(_, channel) | Expression::Poll { channel, .. } => {
                self.add(Touch::Channel((**channel).clone(), LOOK));
            }
            Expression::ProcessCount => self.strange = Some(Strange("numbers of processes")),
            Expression::LastProcess => self.strange = Some(Strange("last movers")),
            Expression::Priority(_) => self.strange = Some(Strange("priorities")),
            Expression::At(..) | Expression::LocationOf(_) => {
                self.strange = Some(Strange("locations of processes"));
            }
            Expression::NonProgress | Expression::Enabled(_) => {
                self.strange = Some(Strange("labels and executability"));
            }
            Expression::Constant(_)
            | Expression::Unary(..)
            | Expression::Binary(..)
            | Expression::Conditional(_)
            | Expression::ProcessNumber
            // It is false while anything else is possible, and a set of steps that suffices has a step.
            | Expression::Timeout => {}
        });
    }

    fn write(&mut self, place: &Place) {
        place.indices.iter().for_each(|index| self.read(&index.value));
        match &place.scope {
            Scope::Global => self.add(Touch::Global(place.clone(), true)),
            Scope::Local => self.add(Touch::OwnWritten(place.clone())),
            Scope::Unseen => {}
            Scope::Remote(..) => self.strange = Some(Strange("variables of other processes")),
        }
    }

    fn done(self) -> Result<Vec<Touch>, Strange> {
        match self.strange {
            Some(strange) => Err(strange),
            None => Ok(self.touches),
        }
    }
}

/// What an action touches. The edges of a deterministic sequence are not looked into.
pub fn touches_of(action: &Action) -> Result<Vec<Touch>, Strange> {
    let mut found = Collected::default();
    match action {
        Action::Else | Action::Skip | Action::Deterministic(_) => {}
        Action::Guard(value) | Action::Assert(value) | Action::Require(value, _) => found.read(value),
        Action::Print(_, values) => values.iter().for_each(|value| found.read(value)),
        Action::Assign(place, value) => {
            found.read(value);
            found.write(place);
        }
        Action::Start {
            number, arguments, ..
        } => {
            arguments.iter().for_each(|argument| found.read(argument));
            number.iter().for_each(|place| found.write(place));
            found.add(Touch::Start);
        }
        Action::Send {
            channel,
            fields,
            sorted,
        } => {
            found.read(channel);
            fields.iter().for_each(|field| found.read(field));
            found.add(Touch::Channel(channel.clone(), if *sorted { SORT } else { SEND }));
        }
        Action::Receive {
            channel, patterns, ..
        } => {
            found.read(channel);
            for pattern in patterns {
                match pattern {
                    Pattern::Match(value) => found.read(value),
                    Pattern::Bind(place) => found.write(place),
                    Pattern::Ignore => {}
                }
            }
            found.add(Touch::Channel(channel.clone(), TAKE));
        }
        Action::End => found.add(Touch::End),
        Action::SetPriority(..) => return Err(Strange("priorities")),
    }
    found.done()
}

/// What a condition of a formula looks at, which is evaluated outside of all processes.
pub fn touches_of_condition(condition: &Expression) -> Result<Vec<Touch>, Strange> {
    let mut is_own = false;
    condition.visit(&mut |inner| {
        is_own |= match inner {
            Expression::Load(place) => place.scope == Scope::Local,
            Expression::ProcessNumber | Expression::Timeout => true,
            _ => false,
        }
    });
    let mut found = Collected::default();
    found.read(condition);
    match is_own {
        true => Err(Strange("variables of processes")),
        false => found.done(),
    }
}
