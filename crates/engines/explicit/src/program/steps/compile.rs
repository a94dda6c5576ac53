//! From a program to its compiled form.

use super::action::{Act, Compiled, CompiledEdge, CompiledProcess, Expected, First};
use super::code::{Code, Compiler, Facts};
use super::layout::{Layout, Width};
use entail_program::{Action, Initial, Pattern, ProcessTypeId, Program, Scope};
use entail_search::MachineCode;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

impl Compiled {
    /// Compiles a program, or says what is not supported.
    pub fn new(program: &Program) -> Result<Compiled, String> {
        let layout = Layout::of(program)?;
        let first = |compiler: &Compiler<'_>, initial: &Initial| -> Result<First, String> {
            Ok(match initial {
                Initial::Value(value) => First::Value(*value),
                Initial::Computed(expression) => First::Computed(compiler.code(expression)?),
                Initial::Channel(kind) => First::Channel(*kind as u8),
            })
        };
        let outside = Compiler {
            layout: &layout,
            process: None,
        };
        let mut globals = Vec::new();
        for (cell, &at) in program.globals.iter().zip(&layout.globals) {
            globals.push((at, Width::of(cell.kind), first(&outside, &cell.initial)?));
        }
        let mut processes = Vec::new();
        for (position, process) in program.processes.iter().enumerate() {
            let compiler = Compiler {
                layout: &layout,
                process: Some(ProcessTypeId(position as u8)),
            };
            let mut locations: Vec<Box<[CompiledEdge]>> = Vec::new();
            for location in &process.locations {
                let mut edges = Vec::new();
                for edge in &location.edges {
                    let acts: Result<Vec<Act>, String> =
                        edge.actions.iter().map(|action| compiler.act(action)).collect();
                    let mut acts = acts?.into_iter();
                    let first = acts.next().unwrap_or(Act::Skip);
                    edges.push(CompiledEdge {
                        first,
                        rest: acts.filter(|act| !matches!(act, Act::Skip)).collect(),
                        target: edge.target.0,
                        keeps_control: edge.keeps_control,
                        rank: edge.rank,
                    });
                }
                locations.push(edges.into_boxed_slice());
            }
            let mut initial = Vec::new();
            for (cell, &at) in process.cells.iter().zip(&layout.cells[position]) {
                initial.push((at, Width::of(cell.kind), first(&compiler, &cell.initial)?));
            }
            let flags =
                |flag: fn(&entail_program::Location) -> bool| process.locations.iter().map(flag).collect();
            let receive = |edge: &CompiledEdge| matches!(edge.first, Act::Receive { .. });
            processes.push(CompiledProcess {
                receives: locations.iter().map(|edges| edges.iter().any(receive)).collect(),
                machine: locations.iter().map(|_| OnceLock::new()).collect(),
                locations,
                ends: flags(|location| location.is_end),
                accepting: flags(|location| location.is_accepting),
                provided: process
                    .provided
                    .as_ref()
                    .map(|condition| compiler.code(condition))
                    .transpose()?,
                start: process.start.map_or(0, |start| start.0),
                parameters: process.parameters,
                initial,
                size: layout.process_sizes[position],
            });
        }
        let facts = Facts::of(program, outside)?;
        let ends_when = program.ends_when.as_ref();
        let ends_when = ends_when.map(|wanted| outside.code(wanted)).transpose()?;
        Ok(Compiled {
            facts,
            ends_when,
            processes,
            has_last: program.has_last,
            has_priorities: program.has_priorities,
            machine_code: MachineCode::default(),
            workshop_is_busy: AtomicBool::new(false),
            globals,
            initial: program
                .initial
                .iter()
                .map(|&kind| (kind.0, program.process(kind).priority))
                .collect(),
            layout,
        })
    }
}

impl Compiler<'_> {
    fn act(&self, action: &Action) -> Result<Act, String> {
        let codes = |expressions: &[entail_program::Expression]| -> Result<Vec<Code>, String> {
            expressions
                .iter()
                .map(|expression| self.code(expression))
                .collect()
        };
        Ok(match action {
            Action::Guard(condition) => match self.code(condition)? {
                Code::Constant(value) if value != 0 => Act::Skip,
                code => Act::Guard(code),
            },
            Action::Else => Act::Else,
            Action::Skip => Act::Skip,
            // Stored nowhere; what is computed may go wrong all the same.
            Action::Assign(place, value) if place.scope == Scope::Unseen => {
                let mut values = vec![self.code(value)?];
                if !place.indices.is_empty() {
                    values.push(Code::Load(Box::new(self.spot(place)?)));
                }
                Act::Print(values)
            }
            Action::Assign(place, value) => {
                let (spot, code) = (self.spot(place)?, self.code(value)?);
                match (spot.fixed(), matches!(place.scope, Scope::Local)) {
                    (Some(at), true) => Act::AssignLocal(at, spot.width, code),
                    (Some(at), false) => Act::AssignGlobal(at, spot.width, code),
                    (None, _) => Act::Assign(spot, code),
                }
            }
            Action::Start {
                number,
                process,
                arguments,
                priority,
            } => Act::Start(
                number
                    .as_ref()
                    .filter(|place| place.scope != Scope::Unseen)
                    .map(|place| self.spot(place))
                    .transpose()?,
                process.0,
                codes(arguments)?,
                *priority,
            ),
            Action::Send {
                channel,
                fields,
                sorted,
            } => Act::Send(self.code(channel)?, codes(fields)?, *sorted),
            Action::Receive {
                channel,
                patterns,
                anywhere,
                keep,
            } => {
                let expected: Result<Vec<Expected>, String> = patterns
                    .iter()
                    .map(|pattern| {
                        Ok(match pattern {
                            Pattern::Match(value) => Expected::Match(self.code(value)?),
                            Pattern::Bind(place) => Expected::Bind(self.spot(place)?),
                            Pattern::Ignore => Expected::Ignore,
                        })
                    })
                    .collect();
                Act::Receive {
                    channel: self.code(channel)?,
                    expected: expected?,
                    anywhere: *anywhere,
                    keep: *keep,
                }
            }
            Action::Assert(condition) => Act::Assert(self.code(condition)?),
            Action::Require(condition, fault) => Act::Require(self.code(condition)?, fault.clone()),
            Action::Print(_, values) => Act::Print(codes(values)?),
            Action::Deterministic(entry) => Act::Deterministic(entry.0),
            Action::SetPriority(process, value) => Act::SetPriority(self.code(process)?, self.code(value)?),
            Action::End => Act::End,
        })
    }
}
