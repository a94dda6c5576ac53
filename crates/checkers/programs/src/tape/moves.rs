//! Who can move in a state, and what comes of it.
//!
//! As the reference interpreter has it: while a process has control, only it moves, unless it cannot; of a process, the executable edges of the smallest rank may be taken; `else` if nothing before it could; where sender and
//! receiver meet, every receiver that is ready gives a step; if nobody can move, `timeout` is true and everybody tries again. A step that goes wrong is a step.

use super::act::{act, bind, finish, message};
use super::row::{LENGTH, Row};
use super::value::{Eye, evaluate};
use entail_program::{Action, Edge, Fault, Program};

/// A small step.
#[derive(Debug)]
pub struct Small {
    /// Who moves.
    pub process: u8,
    /// Who receives what is sent, where sender and receiver meet.
    pub receiver: Option<u8>,
    /// The position of the state it leads to among those of the list, or what goes wrong.
    pub result: Result<usize, Fault>,
    /// Who has control afterwards.
    pub control: Option<u8>,
}

/// A list of steps with their states. The room for states is used again.
#[derive(Debug, Default)]
pub struct Moves {
    /// The steps.
    pub list: Vec<Small>,
    /// Nobody could move before `timeout` was true.
    pub timed_out: bool,
    rows: Vec<Row>,
    used: usize,
}

impl Moves {
    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.list.clear();
        self.timed_out = false;
        self.used = 0;
    }

    /// The state at a position.
    pub fn row(&self, position: usize) -> &Row {
        &self.rows[position]
    }

    /// Copies a state; the copy's position.
    fn copy(&mut self, row: &Row) -> usize {
        match self.rows.get_mut(self.used) {
            Some(room) => room.clone_from(row),
            None => self.rows.push(row.clone()),
        }
        self.used += 1;
        self.used - 1
    }
}

/// All steps from a state in which `control` has control. A deterministic sequence that takes more than `longest` steps is a fault.
pub fn moves(program: &Program, row: &Row, control: Option<u8>, longest: u64, out: &mut Moves) {
    out.clear();
    let eye = |process: usize, timeout: bool| Eye {
        program,
        process,
        timeout,
        longest,
    };
    if let Some(process) = control.map(usize::from).filter(|&one| one < row.processes.len()) {
        process_moves(&eye(process, false), row, out);
        if !out.list.is_empty() {
            return;
        }
    }
    for timeout in [false, true] {
        for process in (0..row.processes.len()).rev() {
            process_moves(&eye(process, timeout), row, out);
        }
        if !out.list.is_empty() {
            out.timed_out = timeout;
            return;
        }
    }
}

/// Whether a process can go on while it has control.
pub fn can_move(program: &Program, row: &Row, process: u8) -> bool {
    let eye = Eye {
        program,
        process: process.into(),
        timeout: false,
        longest: 1,
    };
    eye.process < row.processes.len() && may_move(&eye, row) && executable(&eye, row, true)
}

/// Whether nobody of higher priority keeps a process from moving.
fn may_move(eye: &Eye<'_>, row: &Row) -> bool {
    let own = match eye.program.has_priorities {
        true => row.priority(eye.process),
        false => return true,
    };
    !(0..row.processes.len()).any(|other| {
        row.priority(other) > own
            && executable(
                &Eye {
                    process: other,
                    ..*eye
                },
                row,
                true,
            )
    })
}

/// Whether a false `provided` clause keeps a process from moving.
fn is_held(eye: &Eye<'_>, row: &Row) -> bool {
    let provided = &eye.program.process(row.kind(eye.process)).provided;
    provided
        .as_ref()
        .is_some_and(|provided| matches!(evaluate(eye, row, provided), Ok(0)))
}

/// Whether a process has an executable edge; with `provided`, its `provided` clause counts. An edge that goes wrong is executable.
pub fn executable(eye: &Eye<'_>, row: &Row, provided: bool) -> bool {
    if provided && is_held(eye, row) {
        return false;
    }
    let process = eye.program.process(row.kind(eye.process));
    let edges = &process.locations[row.location(eye.process).index()].edges;
    let mut scratch = None;
    edges.iter().any(|edge| match begins(eye, row, edge) {
        Ok(Beginning::Blocks) => false,
        Ok(Beginning::Goes) | Err(_) => true,
        Ok(Beginning::Offers(at)) => {
            // Whether somebody takes it can depend on what the sender does after.
            let scratch: &mut Moves = scratch.get_or_insert_default();
            scratch.clear();
            offer(eye, row, edge, at, scratch);
            !scratch.list.is_empty()
        }
    })
}

/// What the first action of an edge does.
enum Beginning {
    Blocks,
    Goes,
    /// Sends on a channel where sender and receiver meet, whose record begins here.
    Offers(usize),
}

/// How an edge begins. That it goes may mean that it goes wrong.
fn begins(eye: &Eye<'_>, row: &Row, edge: &Edge) -> Result<Beginning, Fault> {
    let goes = match edge.actions.first() {
        Some(Action::Send { channel, .. }) => {
            let at = eye.channel(row, evaluate(eye, row, channel)?)?;
            let capacity = eye.program.channels[row.channel_kind(at)].capacity as usize;
            if capacity == 0 {
                return Ok(Beginning::Offers(at));
            }
            (row.cells[at + LENGTH] as usize) < capacity
        }
        Some(action) => begins_alone(eye, row, action)?,
        None => true,
    };
    Ok(if goes { Beginning::Goes } else { Beginning::Blocks })
}

/// Whether an action does not block, where nobody is met.
fn begins_alone(eye: &Eye<'_>, row: &Row, action: &Action) -> Result<bool, Fault> {
    Ok(match action {
        Action::Guard(condition) => evaluate(eye, row, condition)? != 0,
        Action::End => eye.process + 1 == row.processes.len(),
        Action::Send { channel, .. } => {
            let at = eye.channel(row, evaluate(eye, row, channel)?)?;
            let capacity = eye.program.channels[row.channel_kind(at)].capacity as usize;
            (row.cells[at + LENGTH] as usize) < capacity
        }
        Action::Receive {
            channel,
            patterns,
            anywhere,
            keep,
        } => {
            let at = eye.channel(row, evaluate(eye, row, channel)?)?;
            let kind = &eye.program.channels[row.channel_kind(at)];
            let goes_wrong = *keep && kind.capacity == 0;
            let has_any = row.cells[at + LENGTH] > 0;
            goes_wrong
                || has_any
                    && (patterns.len() > kind.fields.len()
                        || eye.matching(row, at, patterns, *anywhere)?.is_some())
        }
        Action::Deterministic(entry) => {
            let process = eye.program.process(row.kind(eye.process));
            for edge in &process.locations[entry.index()].edges {
                let goes = match edge.actions.first() {
                    Some(action) => begins_alone(eye, row, action)?,
                    None => true,
                };
                if goes {
                    return Ok(true);
                }
            }
            false
        }
        Action::Else
        | Action::Skip
        | Action::Assign(..)
        | Action::Start { .. }
        | Action::Assert(_)
        | Action::Require(..)
        | Action::Print(..)
        | Action::SetPriority(..) => true,
    })
}

/// Adds what one process can do.
fn process_moves(eye: &Eye<'_>, row: &Row, out: &mut Moves) {
    if is_held(eye, row) || !may_move(&Eye { longest: 1, ..*eye }, row) {
        return;
    }
    let process = eye.program.process(row.kind(eye.process));
    let mut rank_taken = None;
    let mut moved = false;
    for edge in &process.locations[row.location(eye.process).index()].edges {
        if rank_taken.is_some_and(|rank| rank < edge.rank) {
            break;
        }
        if moved && matches!(edge.actions.first(), Some(Action::Else)) {
            continue;
        }
        let before = out.list.len();
        let small = |result| Small {
            process: eye.process as u8,
            receiver: None,
            result,
            control: edge.keeps_control.then_some(eye.process as u8),
        };
        match begins(eye, row, edge) {
            Err(fault) => {
                moved = true;
                out.list.push(small(Err(fault)));
            }
            Ok(Beginning::Blocks) => {}
            Ok(Beginning::Offers(at)) => moved |= offer(eye, row, edge, at, out),
            Ok(Beginning::Goes) => {
                moved = true;
                let copy = out.copy(row);
                let after = &mut out.rows[copy];
                let done = match edge.actions.first() {
                    Some(Action::Guard(_)) | None => Ok(true),
                    Some(action) => act(eye, action, after),
                };
                let result = done.and_then(|goes| match goes {
                    true => finish(eye, &edge.actions, edge.target, after),
                    false => Err(Fault::BlockedInside),
                });
                out.list.push(small(result.map(|()| copy)));
            }
        }
        if out.list.len() > before {
            rank_taken = Some(edge.rank);
        }
    }
}

/// Adds the steps in which a receiver takes what is sent on the channel whose record begins at a place. Whether the sender itself goes wrong, which is a step of its own.
fn offer(eye: &Eye<'_>, row: &Row, edge: &Edge, at: usize, out: &mut Moves) -> bool {
    let Some(Action::Send { fields, .. }) = edge.actions.first() else {
        return false;
    };
    let number = row.channels.iter().position(|&other| other as usize == at);
    let number = number.map_or(0, |position| position as i32 + 1);
    let mut after = row.clone();
    let kinds = &eye.program.channels[row.channel_kind(at)].fields;
    let offered = message(eye, row, fields, kinds)
        .and_then(|message| finish(eye, &edge.actions, edge.target, &mut after).map(|()| message));
    let offered = match offered {
        Ok(offered) => offered,
        Err(fault) => {
            out.list.push(Small {
                process: eye.process as u8,
                receiver: None,
                result: Err(fault),
                control: edge.keeps_control.then_some(eye.process as u8),
            });
            return true;
        }
    };
    for receiver in (0..after.processes.len())
        .rev()
        .filter(|&other| other != eye.process)
    {
        let receiving = Eye {
            process: receiver,
            ..*eye
        };
        if is_held(&receiving, &after) {
            continue;
        }
        let process = eye.program.process(after.kind(receiver));
        let mut rank_taken = None;
        for edge in &process.locations[after.location(receiver).index()].edges {
            if rank_taken.is_some_and(|rank| rank < edge.rank) {
                break;
            }
            let result = match is_ready(&receiving, &after, edge, number, &offered) {
                Ok(false) => continue,
                Ok(true) => {
                    let copy = out.copy(&after);
                    let taken = take_offered(&receiving, edge, &offered, &mut out.rows[copy]);
                    taken.map(|()| copy)
                }
                Err(fault) => Err(fault),
            };
            rank_taken = Some(edge.rank);
            out.list.push(Small {
                process: eye.process as u8,
                receiver: Some(receiver as u8),
                result,
                control: edge.keeps_control.then_some(receiver as u8),
            });
        }
    }
    false
}

/// Whether an edge waits for a message that is offered on a channel.
fn is_ready(eye: &Eye<'_>, row: &Row, edge: &Edge, number: i32, offered: &[i32]) -> Result<bool, Fault> {
    let Some(Action::Receive {
        channel, patterns, ..
    }) = edge.actions.first()
    else {
        return Ok(false);
    };
    if evaluate(eye, row, channel)? != number {
        return Ok(false);
    }
    if patterns.len() != offered.len() {
        return Err(Fault::Fields {
            given: patterns.len(),
            expected: offered.len(),
        });
    }
    eye.fits(row, patterns, offered)
}

fn take_offered(eye: &Eye<'_>, edge: &Edge, offered: &[i32], row: &mut Row) -> Result<(), Fault> {
    if let Some(Action::Receive { patterns, .. }) = edge.actions.first() {
        bind(eye, row, patterns, offered)?;
    }
    finish(eye, &edge.actions, edge.target, row)
}
