//! `enabled(p)`: whether a process has an edge whose first action could be executed. As in SPIN's verifier a false `provided` clause makes no
//! difference, and the model has no channels where sender and receiver meet.

use super::code::{Code, Compiler, View};
use super::layout::{CHANNEL_TAG, LENGTH, location};
use entail_program::{Action, Edge, Expression, Pattern, ProcessTypeId, Program};
use std::cell::Cell;

/// What must be so for an edge to be executable.
#[derive(Clone, Debug)]
enum Test {
    Always,
    Condition(Code),
    /// The channel has room.
    Room(Code),
    /// The channel has such a message.
    Message(Code, Vec<Option<Code>>, bool),
    /// No younger process lives.
    Youngest,
}

/// For each process type and location, the tests of its edges; empty if nobody asks.
#[derive(Clone, Debug, Default)]
pub struct Tests(Vec<Vec<Vec<Test>>>);

impl Tests {
    /// The tests of a program, or why there are none.
    pub fn of(program: &Program, compiler: Compiler<'_>) -> Result<Tests, String> {
        let mut asked = false;
        program.visit_expressions(&mut |inner| asked |= matches!(inner, Expression::Enabled(_)));
        if !asked {
            return Ok(Tests::default());
        }
        if program.channels.iter().any(|channel| channel.capacity == 0) {
            return Err("`enabled()` is not supported together with rendezvous channels".into());
        }
        let mut tests = Vec::new();
        for (position, process) in program.processes.iter().enumerate() {
            let compiler = Compiler {
                process: Some(ProcessTypeId(position as u8)),
                ..compiler
            };
            let mut own = Vec::new();
            for here in &process.locations {
                let mut found = Vec::new();
                for edge in &here.edges {
                    match edge.actions.first() {
                        // A deterministic sequence can be entered if its first step can be made.
                        Some(Action::Deterministic(entry)) => {
                            for edge in &process.locations[entry.index()].edges {
                                found.push(compiler.test(edge)?);
                            }
                        }
                        _ => found.push(compiler.test(edge)?),
                    }
                }
                own.push(found);
            }
            tests.push(own);
        }
        Ok(Tests(tests))
    }
}

impl Compiler<'_> {
    fn test(&self, edge: &Edge) -> Result<Test, String> {
        Ok(match edge.actions.first() {
            Some(Action::Guard(condition)) => Test::Condition(self.code(condition)?),
            Some(Action::Send { channel, .. }) => Test::Room(self.code(channel)?),
            Some(Action::Receive {
                channel,
                patterns,
                anywhere,
                ..
            }) => {
                let wanted: Result<Vec<Option<Code>>, String> = patterns
                    .iter()
                    .map(|pattern| match pattern {
                        Pattern::Match(value) => self.code(value).map(Some),
                        Pattern::Bind(_) | Pattern::Ignore => Ok(None),
                    })
                    .collect();
                Test::Message(self.code(channel)?, wanted?, *anywhere)
            }
            Some(Action::End) => Test::Youngest,
            _ => Test::Always,
        })
    }
}

impl View<'_> {
    /// Whether a process has an executable edge.
    pub fn is_enabled(&self, number: i32) -> bool {
        let Some(&record) = self.records.processes.get(number as usize) else {
            return false;
        };
        let record = record as usize;
        let tests = &self.facts.tests.0[self.bytes[record] as usize][location(self.bytes, record)];
        tests.iter().any(|test| {
            let view = View {
                bytes: self.bytes,
                records: self.records,
                layout: self.layout,
                facts: self.facts,
                process: number as usize,
                record,
                timeout: self.timeout,
                fault: Cell::new(None),
            };
            // What goes wrong can be executed.
            view.passes(test) || view.fault.take().is_some()
        })
    }

    fn passes(&self, test: &Test) -> bool {
        match test {
            Test::Always => true,
            Test::Condition(condition) => self.value(condition) != 0,
            Test::Room(channel) => self.channel(self.value(channel)).is_some_and(|record| {
                let kind = self.bytes[record] - CHANNEL_TAG;
                (self.bytes[record + LENGTH] as usize) < self.layout.channels[kind as usize].capacity
            }),
            Test::Message(channel, wanted, anywhere) => {
                self.channel(self.value(channel)).is_some_and(|record| {
                    let wanted = |field| wanted.get(field).and_then(Option::as_ref);
                    self.matching(record, *anywhere, wanted).is_some()
                })
            }
            Test::Youngest => self.process + 1 == self.records.processes.len(),
        }
    }
}
