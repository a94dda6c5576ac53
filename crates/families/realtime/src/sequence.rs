//! A run as a sequence chart: what processes do together, from top to bottom in the order of time.
//!
//! A row is a step, with the time at which it is taken as far as times are fixed. It belongs to the process that sends, or comes first; an arrow leads from it to each of the others that take part.

use crate::trace::{Stop, edge_text};
use entail_clocks::Network;
use entail_show::{Arrow, Lane, SequenceChart, SequenceRow};

/// The chart of a run; nothing where a process is alone, or nothing happens.
pub(crate) fn chart(network: &Network, stops: &[Stop], loop_start: Option<usize>) -> Option<SequenceChart> {
    let mut rows = Vec::new();
    let mut arrows = Vec::new();
    let process = |edge: usize| network.edges[edge].process;
    // Waits are no rows: which row begins each state.
    let mut first_rows = Vec::with_capacity(stops.len());
    for (position, stop) in stops.iter().enumerate() {
        if let (true, Some((&first, others))) = (position > 0, stop.edges.split_first()) {
            let row = rows.len();
            let edge = &network.edges[first];
            rows.push(SequenceRow {
                lane: process(first),
                place: stop
                    .time
                    .as_ref()
                    .map_or_else(String::new, |time| format!("time {time}")),
                text: edge_text(network, first),
            });
            arrows.extend(others.iter().map(|&other| Arrow {
                from: (row, process(first)),
                to: Some((row, process(other))),
                channel: network.events[edge.event].clone(),
                message: String::new(),
            }));
        }
        first_rows.push(rows.len());
    }
    if network.processes.len() < 2 || rows.is_empty() {
        return None;
    }
    let lane = |name: &String| Lane {
        name: name.clone(),
        first: 0,
        end: rows.len(),
    };
    Some(SequenceChart {
        lanes: network
            .processes
            .iter()
            .map(|process| lane(&process.name))
            .collect(),
        loop_start: loop_start.and_then(|start| first_rows.get(start).copied()),
        arrows,
        rows,
    })
}
