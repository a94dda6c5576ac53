//! Message sequence charts: a run with the processes side by side and the messages as arrows between them.
//!
//! A row is a step. A message that is put into a channel is followed until somebody takes it out: channels are replayed as queues of
//! messages still under way, so that every arrow ends at the step that received that very message. A process number that is used
//! again after its process has ended gets a column of its own.

mod svg;
mod text;

use crate::program::{channel_names, place_text, shown_steps, shown_value};
use entail_program::{Event, Program, Replayed, Run, State};

pub use svg::svg;
pub use text::text;

/// A run as a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// The processes, in the order in which they appear.
    pub columns: Vec<Column>,
    /// The steps.
    pub rows: Vec<Row>,
    /// The messages, in the order in which they are sent.
    pub arrows: Vec<Arrow>,
    /// The run returns to before this row.
    pub loop_start: Option<usize>,
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its type and number.
    pub name: String,
    /// The first row in which it is there.
    pub first: usize,
    /// The row behind the last in which it is there.
    pub end: usize,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Who moves.
    pub column: usize,
    /// Where the statement stands; the file is named if it is not the main one.
    pub place: String,
    /// The statement.
    pub statement: String,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Row and column where it is sent.
    pub from: (usize, usize),
    /// Row and column where it is received, if it is.
    pub to: Option<(usize, usize)>,
    /// Its channel.
    pub channel: String,
    /// Its fields.
    pub message: String,
}

impl Chart {
    /// The chart of a run.
    pub fn new(program: &Program, run: &Run, replayed: &Replayed) -> Chart {
        let mut drawing = Drawing::default();
        if let Some(first) = replayed.situations.first() {
            drawing.arrive(program, &first.state, 0);
        }
        let mut rows = Vec::new();
        for (row, step) in shown_steps(program, run, replayed).into_iter().enumerate() {
            let before = &replayed.situations[row].state;
            let after = replayed.situations.get(row + 1).map(|after| &after.state);
            rows.push(Row {
                column: drawing.column(step.number),
                place: place_text(program, &step.place),
                statement: step.statement,
            });
            for event in replayed.events.get(row).into_iter().flatten() {
                drawing.follow(program, after.unwrap_or(before), row, event);
            }
            if let Some(after) = after {
                drawing.arrive(program, after, row + 1);
            }
        }
        for &column in &drawing.present {
            drawing.columns[column].end = rows.len();
        }
        Chart {
            columns: drawing.columns,
            rows,
            arrows: drawing.arrows,
            loop_start: run.loop_start,
        }
    }
}

#[derive(Default)]
struct Drawing {
    columns: Vec<Column>,
    arrows: Vec<Arrow>,
    /// The column of each process that is there.
    present: Vec<usize>,
    /// The arrows of the messages in each channel.
    under_way: Vec<Vec<usize>>,
}

impl Drawing {
    fn column(&self, process: u8) -> usize {
        self.present.get(usize::from(process)).copied().unwrap_or(0)
    }

    /// Processes that have ended leave, new ones get columns.
    fn arrive(&mut self, program: &Program, state: &State, row: usize) {
        for gone in self
            .present
            .drain(state.processes.len().min(self.present.len())..)
        {
            self.columns[gone].end = row;
        }
        for (number, process) in state.processes.iter().enumerate().skip(self.present.len()) {
            self.present.push(self.columns.len());
            self.columns.push(Column {
                name: format!("{}({number})", program.process(process.kind).name),
                first: row,
                end: row,
            });
        }
        self.under_way.resize(state.channels.len(), Vec::new());
    }

    fn follow(&mut self, program: &Program, state: &State, row: usize, event: &Event) {
        let (sender, receiver, channel, message) = match event {
            Event::Sent {
                process,
                channel,
                message,
                ..
            } => (*process, None, *channel, message),
            Event::Met {
                sender,
                receiver,
                channel,
                message,
            } => (*sender, Some(*receiver), *channel, message),
            Event::Received {
                process,
                channel,
                position,
                keep: false,
                ..
            } => {
                let to = (row, self.column(*process));
                if let Some(queue) = usize::try_from(channel - 1)
                    .ok()
                    .and_then(|at| self.under_way.get_mut(at))
                    && *position < queue.len()
                {
                    self.arrows[queue.remove(*position)].to = Some(to);
                }
                return;
            }
            Event::Received { .. } | Event::Printed { .. } | Event::Timeout => return,
        };
        let Ok(at) = usize::try_from(channel - 1) else {
            return;
        };
        if let Event::Sent { position, .. } = event {
            if self.under_way.len() <= at {
                self.under_way.resize(at + 1, Vec::new());
            }
            let queue = &mut self.under_way[at];
            queue.insert((*position).min(queue.len()), self.arrows.len());
        }
        let fields = state
            .channels
            .get(at)
            .map_or(&[][..], |channel| &program.channels[channel.kind].fields);
        let message: Vec<String> = message
            .iter()
            .enumerate()
            .map(|(field, &value)| match fields.get(field) {
                Some(&kind) => shown_value(program, kind, value),
                None => value.to_string(),
            })
            .collect();
        self.arrows.push(Arrow {
            from: (row, self.column(sender)),
            to: receiver.map(|receiver| (row, self.column(receiver))),
            channel: channel_names(program, state)
                .get(at)
                .cloned()
                .unwrap_or_else(|| format!("channel {channel}")),
            message: message.join(","),
        });
    }
}
