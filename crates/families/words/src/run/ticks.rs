//! What a step of a recorded run is: a tick of a clock.
//!
//! A clock is an edge of a signal; at a tick, values are those just before the edge, as simulators sample them. Or it is a condition: then its ticks are the times at which
//! that is true, and values are those of that time. Without a clock every time of the file is a step.

use entail_source::{Diagnostic, Span};
use entail_systemverilog::Edge;
use entail_waves::{Bit, Expression, Leaf, Moments, Past, Recording, Word, parse};

/// A clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// The numbers of the times at which it ticks.
    pub(crate) ticks: Vec<usize>,
    /// Whether values are those of the time before.
    pub(crate) samples_before: bool,
}

impl Clock {
    /// Every time of a run.
    pub(crate) fn every_time(recording: &Recording) -> Clock {
        Clock {
            ticks: (0..recording.times.len()).collect(),
            samples_before: false,
        }
    }

    /// The clock of an event. Problems are about the whole of it.
    pub(crate) fn of(event: &str, recording: &Recording, scope: &[String]) -> Result<Clock, Diagnostic> {
        let problem = |message: String| Diagnostic::error("psl::clock", message, Span::new(0, 0), "here");
        let expression = |text: &str| {
            let read = parse(text, &mut |name, span| named(recording, scope, name, span));
            read.map_err(|inner| problem(format!("the clock `{event}`: {}", inner.message)))
        };
        let Some(edge) = Edge::of(event) else {
            let message = format!("`{event}` is no clock: it is an edge of a signal, or an expression");
            return Err(problem(message));
        };
        let gate = edge.gate.map(expression).transpose()?;
        let Some(rises) = edge.rises else {
            let counts = |time: &usize| {
                gate.as_ref()
                    .is_none_or(|gate| gate.truth(&at_time(recording, *time)))
            };
            return Ok(Clock {
                ticks: (0..recording.times.len()).filter(counts).collect(),
                samples_before: false,
            });
        };
        let signal = expression(edge.signal)?;
        let level = |time: usize| signal.value(&at_time(recording, time)).0[0];
        let mut ticks = Vec::new();
        let mut before = match recording.times.is_empty() {
            true => Bit::X,
            false => level(0),
        };
        for time in 1..recording.times.len() {
            let now = level(time);
            // IEEE 1800-2017, table 9-2.
            let (from, to) = match rises {
                true => (Bit::Zero, Bit::One),
                false => (Bit::One, Bit::Zero),
            };
            let is_edge = before != now && (before == from || now == to);
            if is_edge
                && gate
                    .as_ref()
                    .is_none_or(|gate| gate.truth(&at_time(recording, time - 1)))
            {
                ticks.push(time);
            }
            before = now;
        }
        match ticks.is_empty() {
            false => Ok(Clock {
                ticks,
                samples_before: true,
            }),
            true => Err(problem(format!("the clock `{event}` does not tick in this run"))),
        }
    }

    /// The time of which values are taken at a tick.
    fn sampled(&self, time: usize) -> usize {
        time - usize::from(self.samples_before)
    }

    /// The moment of a time: what is true then, and what was at earlier ticks.
    pub(crate) fn moment<'m>(&'m self, recording: &'m Recording, time: usize) -> Moment<'m> {
        Moment {
            recording,
            clock: Some(self),
            sampled: self.sampled(time),
            before: self.ticks.partition_point(|tick| *tick < time),
            given: &[],
        }
    }
}

/// A time of a run, and the ticks before it.
pub(crate) struct Moment<'m> {
    recording: &'m Recording,
    clock: Option<&'m Clock>,
    sampled: usize,
    /// Number of ticks before.
    before: usize,
    /// What is known of every tick.
    given: &'m [Vec<bool>],
}

impl<'m> Moment<'m> {
    /// The same, with truth values that are known of every tick.
    pub(crate) fn knowing(self, given: &'m [Vec<bool>]) -> Moment<'m> {
        Moment { given, ..self }
    }
}

/// A time without a past.
fn at_time(recording: &Recording, time: usize) -> Moment<'_> {
    Moment {
        recording,
        clock: None,
        sampled: time,
        before: 0,
        given: &[],
    }
}

impl Moments for Moment<'_> {
    fn signal(&self, number: usize) -> Word {
        self.recording.value(number, self.sampled)
    }

    fn given(&self, number: usize) -> bool {
        let truths = self.given.get(number);
        truths.is_some_and(|truths| truths.get(self.before) == Some(&true))
    }

    fn earlier(&self, count: u32) -> Past<'_> {
        let clock = self.clock?;
        let before = self.before.checked_sub(count as usize)?;
        Some(Box::new(Moment {
            before,
            sampled: clock.sampled(clock.ticks[before]),
            ..*self
        }))
    }
}

/// What a name stands for in a scope.
pub(crate) fn named(
    recording: &Recording,
    scope: &[String],
    name: &str,
    span: Span,
) -> Result<Leaf, Diagnostic> {
    let Some(number) = recording.find(scope, name) else {
        let message = format!("there is no signal `{name}` in this run");
        let problem = Diagnostic::error("psl::signal", message, span, "here");
        let known = recording.signals.iter().map(|signal| signal.name.as_str());
        let around = match scope {
            [] => "the run".to_owned(),
            scope => format!("`{}`", scope.join(".")),
        };
        return Err(match entail_source::nearest(name, known) {
            Some(near) => problem.with_help(format!("looked for in {around}; do you mean `{near}`?")),
            None => problem.with_help(format!("looked for in {around}; --scope names another place")),
        });
    };
    let signal = &recording.signals[number];
    if signal.is_other {
        let message = format!("`{name}` is a text or a real number, which expressions do not read");
        return Err(Diagnostic::error("psl::unsupported", message, span, "here"));
    }
    Ok(Leaf::Signal {
        number,
        width: signal.width,
        range: signal.range,
        signed: signal.signed,
    })
}

/// The value of an expression of constants of the design.
pub(crate) fn constant(recording: &Recording, expression: &Expression) -> Option<Word> {
    let mut signals = Vec::new();
    expression.signals(&mut signals);
    let is_constant = signals
        .iter()
        .all(|signal| recording.signals[*signal].is_parameter);
    is_constant.then(|| expression.value(&at_time(recording, 0)))
}
