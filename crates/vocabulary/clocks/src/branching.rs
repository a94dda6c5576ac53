//! Nested questions about runs: timed computation tree logic (TCTL), with a clock for each operator that has an interval.
//!
//! A run is maximal as in [`crate::Query::Stay`]. `E[ p U q ]`: some run has a moment at which `q` holds, and `p` at every moment before. `E[] p`: on some run `p` holds at every moment. The rest is written with these: `A<> q` is not `E[] !q`,
//! and `A[ p U q ]` means neither `E[] !q` nor `E[ !q U !p && !q ]`. An interval is a condition on a clock that is set to 0 where the operator is evaluated.

use crate::{ClockName, Comparison, Expression, Formula};

/// A formula over the conditions of a [`Branching`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nested {
    /// A condition on states, by number.
    Condition(usize),
    /// The opposite.
    Not(Box<Nested>),
    /// All of them.
    And(Vec<Nested>),
    /// One of them.
    Or(Vec<Nested>),
    /// `E[ p U q ]`
    SomeUntil(Box<Nested>, Box<Nested>),
    /// `E[] p`
    SomeAlways(Box<Nested>),
    /// It holds when this clock is set to 0.
    Fresh(usize, Box<Nested>),
}

/// A nested question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branching {
    /// Conditions on states, and on the clocks of intervals.
    pub conditions: Vec<Formula>,
    /// What is to hold in every initial state.
    pub formula: Nested,
    /// The clocks of intervals: numbers behind those of the network.
    pub clocks: Vec<usize>,
}

/// A bound of an interval, and whether it belongs to it.
pub type End = (i64, bool);

/// The time at which something is to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// From.
    pub least: End,
    /// To; nothing: for ever.
    pub most: Option<End>,
}

impl Nested {
    /// The opposite.
    pub fn negated(self) -> Nested {
        match self {
            Nested::Not(inner) => *inner,
            other => Nested::Not(Box::new(other)),
        }
    }
}

impl Branching {
    /// A question without any part; its clocks come behind so many.
    pub fn new() -> Branching {
        Branching {
            conditions: Vec::new(),
            formula: Nested::And(Vec::new()),
            clocks: Vec::new(),
        }
    }

    /// A condition on states.
    pub fn condition(&mut self, formula: Formula) -> Nested {
        self.conditions.push(formula);
        Nested::Condition(self.conditions.len() - 1)
    }

    /// A clock, and the condition that it is within an interval; nothing without an interval.
    fn timed(&mut self, interval: Option<Interval>, clocks: usize) -> Option<(usize, Nested)> {
        let interval = interval?;
        let clock = clocks + self.clocks.len() + 1;
        self.clocks.push(clock);
        let compared = |comparison: Comparison, bound: i64| Formula::Clock {
            left: ClockName::one(clock),
            right: ClockName::one(0),
            comparison,
            bound: Expression::Constant(bound),
        };
        let mut parts = vec![match interval.least {
            (bound, true) => compared(Comparison::GreaterEqual, bound),
            (bound, false) => compared(Comparison::Greater, bound),
        }];
        parts.extend(interval.most.map(|most| match most {
            (bound, true) => compared(Comparison::LessEqual, bound),
            (bound, false) => compared(Comparison::Less, bound),
        }));
        let within = self.condition(Formula::And(parts));
        Some((clock, within))
    }

    /// `E[ from U to ]` or `A[ from U to ]` in a network with so many clocks.
    pub fn until(
        &mut self,
        all: bool,
        from: Nested,
        to: Nested,
        interval: Option<Interval>,
        clocks: usize,
    ) -> Nested {
        let timed = self.timed(interval, clocks);
        let goal = match &timed {
            Some((_, within)) => Nested::And(vec![to, within.clone()]),
            None => to,
        };
        let until = match all {
            false => Nested::SomeUntil(Box::new(from), Box::new(goal)),
            true => {
                let not_goal = goal.negated();
                let gives_up = Nested::And(vec![from.negated(), not_goal.clone()]);
                Nested::Or(vec![
                    Nested::SomeAlways(Box::new(not_goal.clone())),
                    Nested::SomeUntil(Box::new(not_goal), Box::new(gives_up)),
                ])
                .negated()
            }
        };
        fresh(timed, until)
    }

    /// `E[] inner` or `A[] inner` in a network with so many clocks.
    pub fn always(&mut self, all: bool, inner: Nested, interval: Option<Interval>, clocks: usize) -> Nested {
        let timed = self.timed(interval, clocks);
        let kept = match &timed {
            Some((_, within)) => Nested::Or(vec![inner, within.clone().negated()]),
            None => inner,
        };
        let always = match all {
            false => Nested::SomeAlways(Box::new(kept)),
            true => {
                let anything = Nested::And(Vec::new());
                Nested::SomeUntil(Box::new(anything), Box::new(kept.negated())).negated()
            }
        };
        fresh(timed, always)
    }
}

impl Default for Branching {
    fn default() -> Branching {
        Branching::new()
    }
}

fn fresh(timed: Option<(usize, Nested)>, inner: Nested) -> Nested {
    match timed {
        Some((clock, _)) => Nested::Fresh(clock, Box::new(inner)),
        None => inner,
    }
}
