//! The program: cells, channels, process types and their guarded edges. Plain data.

use crate::expression::{Expression, Pattern, Place, Scope};
use crate::fault::Fault;
use entail_source::{Source, Span};

/// How a cell stores a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellType {
    /// One bit.
    Bit,
    /// 0 to 255; also names of messages and numbers of processes and channels.
    Byte,
    /// 16 bits with sign.
    Short,
    /// 32 bits with sign.
    Int,
    /// Unsigned numbers of this many bits.
    Unsigned(u8),
    /// The name of a message ([`Program::message_names`]).
    MessageName,
    /// The number of a channel; 0 is none.
    Channel,
    /// The number of a process.
    ProcessNumber,
}

impl CellType {
    /// The value that remains when a number is stored.
    pub fn store(self, value: i32) -> i32 {
        match self {
            CellType::Bit => value & 1,
            CellType::Byte | CellType::MessageName | CellType::Channel | CellType::ProcessNumber => {
                value & 0xff
            }
            CellType::Short => i32::from(value as i16),
            CellType::Int => value,
            CellType::Unsigned(bits) if bits >= 32 => value,
            CellType::Unsigned(bits) => value & ((1i32 << bits).wrapping_sub(1)),
        }
    }

    /// Bytes a value needs.
    pub fn bytes(self) -> usize {
        match self {
            CellType::Short => 2,
            CellType::Int => 4,
            CellType::Unsigned(bits) => match bits {
                0..=8 => 1,
                9..=16 => 2,
                _ => 4,
            },
            _ => 1,
        }
    }
}

/// What a cell holds in the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Initial {
    /// A number.
    Value(i32),
    /// What this evaluates to; earlier cells have their values already.
    Computed(Expression),
    /// A new channel.
    Channel(usize),
}

/// A scalar variable, or an element of an array, or a field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its name with all indices and fields.
    pub name: String,
    /// How it stores numbers.
    pub kind: CellType,
    /// What it holds first.
    pub initial: Initial,
    /// Whether traces show it.
    pub shown: bool,
}

/// A kind of channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelType {
    /// Messages that fit; with 0, sender and receiver meet.
    pub capacity: u32,
    /// The fields of a message.
    pub fields: Vec<CellType>,
}

/// A place in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Position in [`Program::sources`].
    pub file: u32,
    /// Where in it.
    pub span: Span,
    /// Of a statement of an inline function: the call, as a file and a place in it.
    pub call: Option<(u32, Span)>,
}

impl Origin {
    /// A place in a file.
    pub fn new(file: u32, span: Span) -> Origin {
        Origin {
            file,
            span,
            call: None,
        }
    }

    /// The call of the inline function that this is a statement of.
    pub fn call(self) -> Option<Origin> {
        self.call.map(|(file, span)| Origin::new(file, span))
    }
}

/// Position in [`Program::processes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessTypeId(pub u8);

/// Position in [`ProcessType::locations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(pub u16);

impl LocationId {
    /// Where a deterministic sequence ends: no location.
    pub const DONE: LocationId = LocationId(u16::MAX);

    /// For tables indexed by locations.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One thing an edge does. Of the actions of an edge only the first may block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Blocks while the expression is zero.
    Guard(Expression),
    /// Blocks while another edge of the location can be executed.
    Else,
    /// Does nothing.
    Skip,
    /// Stores a value.
    Assign(Place, Expression),
    /// Starts a process and stores its number, if there is a place for it.
    Start {
        /// Where its number goes.
        number: Option<Place>,
        /// What is started.
        process: ProcessTypeId,
        /// Its first cells.
        arguments: Vec<Expression>,
        /// Its priority.
        priority: u8,
    },
    /// Sends a message; blocks while the channel is full, or nobody is ready to receive where sender and receiver meet.
    Send {
        /// The channel.
        channel: Expression,
        /// The message.
        fields: Vec<Expression>,
        /// Before the first larger message, instead of behind the last.
        sorted: bool,
    },
    /// Receives a message; blocks while there is none that matches.
    Receive {
        /// The channel.
        channel: Expression,
        /// What is expected.
        patterns: Vec<Pattern>,
        /// The first message that matches, instead of the first if it matches.
        anywhere: bool,
        /// The message stays in the channel.
        keep: bool,
    },
    /// Fails if the expression is zero.
    Assert(Expression),
    /// Fails with this fault if the expression is zero.
    Require(Expression, Fault),
    /// Prints. `%d` and the like in the text stand for the values.
    Print(String, Vec<Expression>),
    /// Runs the edges from this location on, always the first that can be executed, until [`LocationId::DONE`]. Blocks if the first step does.
    Deterministic(LocationId),
    /// Sets a process's priority.
    SetPriority(Expression, Expression),
    /// Ends the process; blocks while younger processes live.
    End,
}

/// A guarded edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What it does.
    pub actions: Vec<Action>,
    /// Where it leads.
    pub target: LocationId,
    /// The process goes on without others in between.
    pub keeps_control: bool,
    /// Edges of smaller rank come first, and while one of a rank can be executed, those of larger rank cannot.
    pub rank: u16,
    /// The number by which the tools of its language know it; unique in the program.
    pub number: u32,
    /// Where it stands in the text.
    pub origin: Origin,
    /// Where the statements stand that are joined with it, in their order.
    pub joined: Vec<Origin>,
}

/// A control location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// What can be done here, in the order in which it is tried.
    pub edges: Vec<Edge>,
    /// A process may stay here for ever.
    pub is_end: bool,
    /// Passing here is progress.
    pub is_progress: bool,
    /// Passing here infinitely often is accepting.
    pub is_accepting: bool,
    /// A formula or another process asks whether a process is here.
    pub is_observed: bool,
    /// Where it stands in the text.
    pub origin: Origin,
}

/// A kind of process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessType {
    /// Its name.
    pub name: String,
    /// Its variables; parameters come first.
    pub cells: Vec<Cell>,
    /// How many of them are parameters.
    pub parameters: usize,
    /// Its control locations.
    pub locations: Vec<Location>,
    /// Where it starts.
    pub start: Option<LocationId>,
    /// Processes of this kind can execute only while this is not zero.
    pub provided: Option<Expression>,
    /// The priority it is given where nothing else is said.
    pub priority: u8,
    /// Where it stands in the text.
    pub origin: Origin,
}

/// Communicating processes.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The texts it came from; the first is the main one.
    pub sources: Vec<Source>,
    /// Global variables.
    pub globals: Vec<Cell>,
    /// Kinds of channels.
    pub channels: Vec<ChannelType>,
    /// Kinds of processes.
    pub processes: Vec<ProcessType>,
    /// The processes there are in the beginning, in the order of their numbers.
    pub initial: Vec<ProcessTypeId>,
    /// Names of messages by number; 0 is none.
    pub message_names: Vec<String>,
    /// Only processes of the highest priority among those that can execute do.
    pub has_priorities: bool,
    /// The program reads which process made the last step (`_last`).
    pub has_last: bool,
    /// Some place is [`crate::Scope::Unseen`].
    pub has_unseen: bool,
    /// In a valid end state, where no process can move, this is not zero either.
    pub ends_when: Option<Expression>,
    /// Conditions that formulas speak about.
    pub conditions: Vec<Expression>,
}

/// More processes or channels than this are a fault.
pub const MOST_OF_A_KIND: usize = 255;

impl Program {
    /// The process type of a number.
    pub fn process(&self, id: ProcessTypeId) -> &ProcessType {
        &self.processes[id.0 as usize]
    }

    /// The text at a place.
    pub fn text(&self, origin: Origin) -> &str {
        self.sources
            .get(origin.file as usize)
            .map_or("", |source| source.slice(origin.span))
    }

    /// The file and line of a place.
    pub fn line(&self, origin: Origin) -> (&str, usize) {
        self.sources.get(origin.file as usize).map_or(("", 0), |source| {
            (source.name(), source.place(origin.span.start).line)
        })
    }

    /// Every expression of every edge, provided clause and condition.
    pub fn visit_expressions(&self, visit: &mut impl FnMut(&Expression)) {
        self.conditions
            .iter()
            .chain(&self.ends_when)
            .for_each(|condition| condition.visit(visit));
        for process in &self.processes {
            if let Some(provided) = &process.provided {
                provided.visit(visit);
            }
            for edge in process.locations.iter().flat_map(|location| &location.edges) {
                edge.actions.iter().for_each(|action| action.visit(visit));
            }
        }
    }
}

impl Program {
    /// Whether what happens may depend on variables that are no part of the state: whether one is read other than to be printed as it is, or counted up or down.
    pub fn reads_unseen(&self) -> bool {
        let mut reads = false;
        let mut look = |expression: &Expression| {
            reads |= matches!(expression, Expression::Load(place) if place.scope == Scope::Unseen);
        };
        (self.conditions.iter().chain(&self.ends_when)).for_each(|condition| condition.visit(&mut look));
        let locals = self.processes.iter().flat_map(|process| &process.cells);
        for cell in self.globals.iter().chain(locals) {
            if let Initial::Computed(value) = &cell.initial {
                value.visit(&mut look);
            }
        }
        for process in &self.processes {
            if let Some(provided) = &process.provided {
                provided.visit(&mut look);
            }
            let edges = process.locations.iter().flat_map(|location| &location.edges);
            for action in edges.flat_map(|edge| &edge.actions) {
                match action {
                    Action::Print(_, values) => values.iter().for_each(|value| match value {
                        Expression::Load(place) => place.visit(&mut look),
                        value => value.visit(&mut look),
                    }),
                    // What is counted there stays there.
                    Action::Assign(place, value) if place.scope == Scope::Unseen && value.is_counting() => {
                        place.visit(&mut look);
                    }
                    action => action.visit(&mut look),
                }
            }
        }
        reads
    }
}

impl Action {
    /// Calls `visit` with every expression inside.
    pub fn visit(&self, visit: &mut impl FnMut(&Expression)) {
        match self {
            Action::Guard(value) | Action::Assert(value) | Action::Require(value, _) => value.visit(visit),
            Action::Assign(place, value) => {
                place.visit(visit);
                value.visit(visit);
            }
            Action::Start {
                number, arguments, ..
            } => {
                if let Some(place) = number {
                    place.visit(visit);
                }
                arguments.iter().for_each(|value| value.visit(visit));
            }
            Action::Send { channel, fields, .. } => {
                channel.visit(visit);
                fields.iter().for_each(|value| value.visit(visit));
            }
            Action::Receive {
                channel, patterns, ..
            } => {
                channel.visit(visit);
                patterns.iter().for_each(|pattern| pattern.visit(visit));
            }
            Action::Print(_, values) => values.iter().for_each(|value| value.visit(visit)),
            Action::SetPriority(process, value) => {
                process.visit(visit);
                value.visit(visit);
            }
            Action::Else | Action::Skip | Action::Deterministic(_) | Action::End => {}
        }
    }
}
