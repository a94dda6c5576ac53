//! A run as a message sequence chart: the processes side by side and the messages as arrows between them.
//!
//! A row is a step. A message that is put into a channel is followed until somebody takes it out: channels are replayed as queues of
//! messages still under way, so that every arrow ends at the step that received that very message. A process number that is used
//! again after its process has ended gets a lane of its own.

use super::steps::parties;
use super::values::{channel_names, shown_number};
use entail_program::{Event, Program, Replayed, Run, State};
use entail_show::{Arrow, Lane, SequenceChart, SequenceRow};

/// The chart of a run.
pub fn chart(program: &Program, run: &Run, replayed: &Replayed) -> SequenceChart {
    let mut drawing = Drawing::default();
    if let Some(first) = replayed.situations.first() {
        drawing.arrive(program, &first.state, 0);
    }
    let mut rows = Vec::new();
    for (row, (step, before)) in run.steps.iter().zip(&replayed.situations).enumerate() {
        let before = &before.state;
        let after = replayed.situations.get(row + 1).map(|after| &after.state);
        let (party, _) = parties(program, before, step);
        rows.push(SequenceRow {
            lane: drawing.lane(step.process),
            place: party.place(program).to_string(),
            text: party.statement,
        });
        for event in replayed.events.get(row).into_iter().flatten() {
            drawing.follow(program, after.unwrap_or(before), row, event);
        }
        if let Some(after) = after {
            drawing.arrive(program, after, row + 1);
        }
    }
    for &lane in &drawing.present {
        drawing.lanes[lane].end = rows.len();
    }
    SequenceChart {
        lanes: drawing.lanes,
        rows,
        arrows: drawing.arrows,
        loop_start: run.loop_start,
    }
}

#[derive(Default)]
struct Drawing {
    lanes: Vec<Lane>,
    arrows: Vec<Arrow>,
    /// The lane of each process that is there.
    present: Vec<usize>,
    /// The arrows of the messages in each channel.
    under_way: Vec<Vec<usize>>,
}

impl Drawing {
    fn lane(&self, process: u8) -> usize {
        self.present.get(usize::from(process)).copied().unwrap_or(0)
    }

    /// Processes that have ended leave, new ones get lanes.
    fn arrive(&mut self, program: &Program, state: &State, row: usize) {
        for gone in self
            .present
            .drain(state.processes.len().min(self.present.len())..)
        {
            self.lanes[gone].end = row;
        }
        for (number, process) in state.processes.iter().enumerate().skip(self.present.len()) {
            self.present.push(self.lanes.len());
            self.lanes.push(Lane {
                name: format!("{}({number})", program.process(process.kind).name),
                first: row,
                end: row,
            });
        }
        self.under_way.resize(state.channels.len(), Vec::new());
    }

    /// Draws what happens in a step.
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
                let to = (row, self.lane(*process));
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
                Some(&kind) => shown_number(program, kind, value),
                None => value.to_string(),
            })
            .collect();
        self.arrows.push(Arrow {
            from: (row, self.lane(sender)),
            to: receiver.map(|receiver| (row, self.lane(receiver))),
            channel: channel_names(program, state)
                .get(at)
                .cloned()
                .unwrap_or_else(|| format!("channel {channel}")),
            message: message.join(","),
        });
    }
}
