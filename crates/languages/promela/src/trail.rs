//! SPIN's trails: runs as numbers of processes and transitions.
//!
//! A line `depth:process:transition` is a step; where sender and receiver meet, two lines are. Transitions are numbered through the whole
//! model in the order in which SPIN's parser makes statements, which is the order in which ours does ([`entail_program::Edge::number`]).
//! Lines with negative depths say something about the trail: `-2` there is a claim, which is process 0 and moves all others up by
//! one; `-4` statements were merged; `-1` the loop begins here. Claims are not followed: their steps are passed over.
//!
//! Reading never guesses: a line that is no possible step of the model is an error at its place.

use crate::{PromelaModel, Trouble};
use entail_program::{Program, Replayed, Run, State, Step};
use entail_source::{Diagnostic, Source, Span};

/// What is known about the trails of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trails {
    /// A line stands for a statement and those that are merged with it.
    Merged,
    /// A line stands for one statement.
    Unmerged,
    /// SPIN numbers the statements otherwise, because the model has a jump with a label that another process looks at.
    OtherNumbers,
}

/// Why some models have no trails.
const OTHER_NUMBERS: &str = "SPIN numbers the statements of models with a `goto` whose label is looked at from outside, in its own way: no trails";

/// A run as a trail.
pub fn write_trail(model: &PromelaModel, run: &Run) -> Result<String, String> {
    let mut lines = match model.trails {
        Trails::Merged => vec!["-4:-4:-4".to_owned()],
        Trails::Unmerged => Vec::new(),
        Trails::OtherNumbers => return Err(OTHER_NUMBERS.into()),
    };
    let mut depth = 0;
    let mut replayed = Replayed::begin(&model.program);
    for (position, step) in run.steps.iter().enumerate() {
        if run.loop_start == Some(position) {
            lines.push("-1:-1:-1".into());
        }
        let impossible = || format!("step {} is not possible", position + 1);
        let here = replayed.situations.last().ok_or_else(impossible)?;
        for (process, edge) in [Some((step.process, step.edge)), step.receiver]
            .into_iter()
            .flatten()
        {
            depth += 1;
            let number = number(&model.program, &here.state, process, edge).ok_or_else(impossible)?;
            lines.push(format!("{depth}:{process}:{number}"));
        }
        let mut moves = replayed.moves(&model.program).into_iter();
        let chosen = moves.find(|found| found.step == *step).ok_or_else(impossible)?;
        replayed.take(&model.program, chosen);
    }
    if run.loop_start == Some(run.steps.len()) {
        lines.push("-1:-1:-1".into());
    }
    lines.push(String::new());
    Ok(lines.join("\n"))
}

/// Follows a trail, as far as it goes. A loop that it marks is one only if it comes back to the same state; otherwise the mark is dropped.
pub fn follow_trail(model: &PromelaModel, trail: &Source) -> Result<(Run, Replayed), Trouble> {
    if model.trails == Trails::OtherNumbers {
        let help = "have the run found by `entail check`";
        return Err(wrong(trail, Span::new(0, 0), OTHER_NUMBERS, help));
    }
    let program = &model.program;
    let (mut run, mut replayed) = (Run::default(), Replayed::begin(program));
    let mut lines = lines(trail)?.into_iter().peekable();
    let mut has_claim = false;
    while let Some(line) = lines.next() {
        match line.depth {
            -1 => run.loop_start = Some(run.steps.len()),
            -2 => has_claim = true,
            -4 => {}
            0.. => {
                let Some(process) = line.process(has_claim) else {
                    continue;
                };
                let next = lines
                    .peek()
                    .and_then(|next| Some((next.process(has_claim)?, next.transition)));
                let Some((step, chosen)) = choose(program, &replayed, (process, line.transition), next)
                else {
                    return Err(wrong(
                        trail,
                        line.span,
                        &impossible(program, &replayed, &run, (process, line.transition)),
                        "the trail must belong to this very text, and to a verifier made without `-o` options",
                    ));
                };
                if step.receiver.is_some() {
                    lines.next();
                }
                run.steps.push(step);
                replayed.take(program, chosen);
            }
            _ => {
                let help = "trails of `pan` begin with -2 and -4 lines and mark loops by -1";
                return Err(wrong(trail, line.span, "this kind of line is not known", help));
            }
        }
    }
    let closes = |start: usize| {
        replayed.fault.is_none() && replayed.situations.get(start) == replayed.situations.last()
    };
    run.loop_start = run.loop_start.filter(|&start| closes(start));
    Ok((run, replayed))
}

/// The possible step that one or two lines stand for.
fn choose(
    program: &Program,
    replayed: &Replayed,
    wanted: (i64, i64),
    next: Option<(i64, i64)>,
) -> Option<(Step, entail_program::interpret::Move)> {
    let here = replayed.situations.last()?;
    let is = |(process, edge): (u8, u16), (wanted, transition): (i64, i64)| {
        i64::from(process) == wanted
            && number(program, &here.state, process, edge).map(i64::from) == Some(transition)
    };
    replayed
        .moves(program)
        .into_iter()
        .find(|found| {
            let step = found.step;
            is((step.process, step.edge), wanted)
                && match step.receiver {
                    Some(receiver) => next.is_some_and(|next| is(receiver, next)),
                    None => true,
                }
        })
        .map(|found| (found.step, found))
}

fn impossible(
    program: &Program,
    replayed: &Replayed,
    run: &Run,
    (process, transition): (i64, i64),
) -> String {
    let steps = run.steps.len();
    if let Some(fault) = &replayed.fault {
        return format!("the run is over after step {steps}: {fault}");
    }
    let can: Vec<String> = replayed
        .moves(program)
        .iter()
        .filter_map(|found| {
            let here = replayed.situations.last()?;
            let number = number(program, &here.state, found.step.process, found.step.edge)?;
            Some(format!("{}:{number}", found.step.process))
        })
        .take(10)
        .collect();
    format!(
        "process {process} cannot take transition {transition} after step {steps}; possible are {}",
        match can.is_empty() {
            true => "none".to_owned(),
            false => can.join(", "),
        }
    )
}

/// SPIN's number of an edge.
fn number(program: &Program, state: &State, process: u8, edge: u16) -> Option<u32> {
    let process = state.processes.get(usize::from(process))?;
    let location = &program.process(process.kind).locations[process.location.index()];
    location.edges.get(usize::from(edge)).map(|edge| edge.number)
}

/// A line of a trail.
struct Line {
    depth: i64,
    process: i64,
    transition: i64,
    span: Span,
}

impl Line {
    /// The process that moves; none if it is the claim.
    fn process(&self, has_claim: bool) -> Option<i64> {
        match has_claim {
            true => (self.process > 0).then_some(self.process - 1),
            false => Some(self.process),
        }
    }
}

fn lines(trail: &Source) -> Result<Vec<Line>, Trouble> {
    let mut found = Vec::new();
    let mut start = 0;
    for text in trail.text().split_inclusive('\n') {
        let span = Span::new(start, start + text.trim_end().len());
        start += text.len();
        if text.trim().is_empty() {
            continue;
        }
        let numbers: Option<Vec<i64>> = text
            .trim()
            .split(':')
            .map(|number| number.trim().parse().ok())
            .collect();
        let Some([depth, process, transition]) = numbers.as_deref() else {
            let help = "a trail has lines of three numbers, such as `1:0:7`";
            return Err(wrong(trail, span, "this is no line of a trail", help));
        };
        found.push(Line {
            depth: *depth,
            process: *process,
            transition: *transition,
            span,
        });
    }
    Ok(found)
}

fn wrong(trail: &Source, span: Span, message: &str, help: &str) -> Trouble {
    Trouble {
        source: trail.clone(),
        diagnostics: Diagnostic::error("promela::trail", message, span, "here")
            .with_help(help)
            .within(trail.text())
            .into(),
    }
}
