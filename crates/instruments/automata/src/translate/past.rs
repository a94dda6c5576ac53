//! Past operators: gone from the formula, back in the automaton.
//!
//! A past formula is a function of the letters read so far, so a deterministic monitor knows its value: one bit of memory
//! for each past operator (`p S q` now is `q | (p & p S q before)`). We replace every past subformula by a fresh
//! proposition, translate the rest, and run the result in product with the monitors, whose outputs replace the fresh
//! propositions on the labels. Where a past operator looks at a future formula `g`, another fresh proposition `y` stands for `g`,
//! tied to it by `G (y <-> g)`, and is projected away at the end (it is determined by the word, so nothing is gained or
//! lost). Past to future can cost an exponential in the number of past operators, and no more.

use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::{Label, Labels};
use crate::ltl::arena::deep;
use crate::ltl::syntax::boolean_label;
use entail_budget::Budget;
use entail_logic::{Binary, Formula, Interval, Node, Unary};
use rustc_hash::FxHashMap;

/// One monitored past operator over present-time operands.
#[derive(Clone)]
enum Monitor {
    /// `p S q`
    Since(Formula<String>, Formula<String>),
    /// `p T q`
    Triggered(Formula<String>, Formula<String>),
    /// `Y p` (false at first) or `Z p` (true at first).
    Before(Formula<String>, bool),
}

/// A formula without past, with what its fresh propositions mean.
pub struct WithoutPast {
    /// The future-time formula over old and fresh propositions.
    pub formula: Formula<String>,
    monitors: Vec<(String, Monitor)>,
    futures: Vec<String>,
}

/// Whether a past operator occurs.
pub fn has_past(formula: &Formula<String>) -> bool {
    match formula.node() {
        Node::Unary(op, ..) if op.is_past() => true,
        Node::Binary(op, ..) if op.is_past() => true,
        _ => formula
            .operands()
            .into_iter()
            .any(|operand| deep(|| has_past(operand))),
    }
}

/// Replaces past operators by fresh propositions.
pub fn without_past(formula: &Formula<String>) -> Result<WithoutPast> {
    let mut rewriting = Rewriting::default();
    let rewritten = rewriting.rewrite(&formula.positive_normal_form())?;
    let mut parts = vec![rewritten];
    for (name, meaning) in &rewriting.futures {
        parts.push(Formula::atom(name.clone()).iff(meaning).globally());
    }
    Ok(WithoutPast {
        formula: Formula::and(parts),
        monitors: rewriting.monitors,
        futures: rewriting.futures.into_iter().map(|(name, _)| name).collect(),
    })
}

#[derive(Default)]
struct Rewriting {
    monitors: Vec<(String, Monitor)>,
    futures: Vec<(String, Formula<String>)>,
    known: FxHashMap<Formula<String>, Formula<String>>,
}

/// How many steps bounded past operators may unroll to.
const MAX_PAST_UNROLLING: u32 = 64;

impl Rewriting {
    fn rewrite(&mut self, formula: &Formula<String>) -> Result<Formula<String>> {
        deep(|| self.rewrite_operator(formula))
    }

    fn rewrite_operator(&mut self, formula: &Formula<String>) -> Result<Formula<String>> {
        if let Some(known) = self.known.get(formula) {
            return Ok(known.clone());
        }
        let result = match formula.node() {
            Node::Unary(op, interval, a) if op.is_past() => match op {
                Unary::Yesterday | Unary::WeakYesterday => {
                    let a = self.present(a)?;
                    self.monitored(Monitor::Before(a, *op == Unary::WeakYesterday))
                }
                Unary::Once => self.since(*interval, &Formula::constant(true), a)?,
                _ => self.triggered(*interval, &Formula::constant(false), a)?,
            },
            Node::Binary(Binary::Since, interval, a, b) => self.since(*interval, a, b)?,
            Node::Binary(Binary::Triggered, interval, a, b) => self.triggered(*interval, a, b)?,
            _ => {
                let operands = formula
                    .operands()
                    .into_iter()
                    .map(|operand| self.rewrite(operand))
                    .collect::<Result<Vec<_>>>()?;
                formula.with_operands(operands)
            }
        };
        self.known.insert(formula.clone(), result.clone());
        Ok(result)
    }

    /// A formula about the present: without temporal operators.
    fn present(&mut self, formula: &Formula<String>) -> Result<Formula<String>> {
        let rewritten = self.rewrite(formula)?;
        if rewritten.is_propositional() {
            return Ok(rewritten);
        }
        if let Some((name, _)) = self.futures.iter().find(|(_, meaning)| *meaning == rewritten) {
            return Ok(Formula::atom(name.clone()));
        }
        let name = format!("\u{1}future{}", self.futures.len());
        self.futures.push((name.clone(), rewritten));
        Ok(Formula::atom(name))
    }

    fn monitored(&mut self, monitor: Monitor) -> Formula<String> {
        let name = format!("\u{1}past{}", self.monitors.len());
        self.monitors.push((name.clone(), monitor));
        Formula::atom(name)
    }

    fn bounds(&self, interval: Interval) -> Result<()> {
        if interval.to.unwrap_or(0).max(interval.from) > MAX_PAST_UNROLLING {
            return Err(AutomataError::NotLtl(format!(
                "bounds of past operators above {MAX_PAST_UNROLLING} are not supported"
            )));
        }
        Ok(())
    }

    /// `a S[from,to] b`.
    fn since(
        &mut self,
        interval: Interval,
        a: &Formula<String>,
        b: &Formula<String>,
    ) -> Result<Formula<String>> {
        self.looking_back(interval, a, b, false)
    }

    /// `a T[from,to] b`.
    fn triggered(
        &mut self,
        interval: Interval,
        a: &Formula<String>,
        b: &Formula<String>,
    ) -> Result<Formula<String>> {
        self.looking_back(interval, a, b, true)
    }

    /// Since, or with `dual` triggered (and for or, true before the start): bounds are unrolled by "yesterday".
    fn looking_back(
        &mut self,
        interval: Interval,
        a: &Formula<String>,
        b: &Formula<String>,
        dual: bool,
    ) -> Result<Formula<String>> {
        self.bounds(interval)?;
        if interval.is_empty() {
            return Ok(Formula::constant(dual));
        }
        let either = |x: Formula<String>, y: Formula<String>| {
            if dual {
                Formula::and([x, y])
            } else {
                Formula::or([x, y])
            }
        };
        let both = |x: Formula<String>, y: Formula<String>| {
            if dual {
                Formula::or([x, y])
            } else {
                Formula::and([x, y])
            }
        };
        let (a, b) = (self.present(a)?, self.present(b)?);
        let mut result = match interval.to {
            None if dual => self.monitored(Monitor::Triggered(a.clone(), b.clone())),
            None => self.monitored(Monitor::Since(a.clone(), b.clone())),
            Some(to) => {
                let mut result = b.clone();
                for _ in interval.from..to {
                    let before = self.monitored(Monitor::Before(result, dual));
                    result = either(b.clone(), both(a.clone(), before));
                }
                result
            }
        };
        for _ in 0..interval.from {
            let before = self.monitored(Monitor::Before(result, dual));
            result = both(a.clone(), before);
        }
        Ok(result)
    }
}

/// What the monitors say on a letter, given their memory: outputs and next memory, as functions of the letter.
struct Step {
    outputs: Vec<Label>,
    memory: Vec<Label>,
}

impl WithoutPast {
    fn initial_memory(&self) -> u64 {
        self.monitors
            .iter()
            .enumerate()
            .fold(0, |bits, (position, (_, monitor))| match monitor {
                Monitor::Since(..) | Monitor::Before(_, false) => bits,
                Monitor::Triggered(..) | Monitor::Before(_, true) => bits | 1 << position,
            })
    }

    fn step(&self, memory: u64, propositions: &[String], labels: &mut Labels) -> Step {
        let mut step = Step {
            outputs: Vec::new(),
            memory: Vec::new(),
        };
        for (position, (_, monitor)) in self.monitors.iter().enumerate() {
            let remembered = if memory >> position & 1 == 1 {
                Label::TRUE
            } else {
                Label::FALSE
            };
            let (output, next) = match monitor {
                Monitor::Since(a, b) => {
                    let (a, b) = (
                        self.value(a, &step, propositions, labels),
                        self.value(b, &step, propositions, labels),
                    );
                    let held = labels.and(a, remembered);
                    let now = labels.or(b, held);
                    (now, now)
                }
                Monitor::Triggered(a, b) => {
                    let (a, b) = (
                        self.value(a, &step, propositions, labels),
                        self.value(b, &step, propositions, labels),
                    );
                    let held = labels.or(a, remembered);
                    let now = labels.and(b, held);
                    (now, now)
                }
                Monitor::Before(a, _) => (remembered, self.value(a, &step, propositions, labels)),
            };
            step.outputs.push(output);
            step.memory.push(next);
        }
        step
    }

    /// The value of a present-time formula over propositions and the outputs computed so far.
    fn value(
        &self,
        formula: &Formula<String>,
        step: &Step,
        propositions: &[String],
        labels: &mut Labels,
    ) -> Label {
        let raw = boolean_label(formula, propositions, labels);
        self.substitute(raw, step, propositions, labels)
    }

    fn substitute(&self, label: Label, step: &Step, propositions: &[String], labels: &mut Labels) -> Label {
        let image = |var: u32| {
            let name = &propositions[var as usize];
            let position = self.monitors.iter().position(|(monitor, _)| monitor == name)?;
            step.outputs.get(position).copied()
        };
        labels.compose(label, &image, &mut FxHashMap::default())
    }

    /// The automaton of [`WithoutPast::formula`] in product with the monitors, over the original propositions.
    pub fn restore(&self, automaton: &Automaton, budget: &Budget) -> Result<Automaton> {
        if self.monitors.len() > 64 {
            return Err(AutomataError::NotLtl("more than 64 past operators".into()));
        }
        // Every name a monitor may mention needs a variable.
        let mut propositions = automaton.propositions().to_vec();
        let mut mention = |formula: &Formula<String>| {
            formula.for_each_atom(&mut |name| {
                if !propositions.contains(name) {
                    propositions.push(name.clone());
                }
            });
        };
        for (name, monitor) in &self.monitors {
            mention(&Formula::atom(name.clone()));
            match monitor {
                Monitor::Since(a, b) | Monitor::Triggered(a, b) => {
                    mention(a);
                    mention(b);
                }
                Monitor::Before(a, _) => mention(a),
            }
        }
        let mut source = automaton.over(&propositions)?;
        let mut result = source.skeleton();
        let mut number: FxHashMap<(State, u64), State> = FxHashMap::default();
        let mut pending = Vec::new();
        for &state in source.initial() {
            let fresh = result.add_state();
            number.insert((state, self.initial_memory()), fresh);
            pending.push((state, self.initial_memory()));
            result.add_initial(fresh);
        }
        let mut steps: FxHashMap<u64, Step> = FxHashMap::default();
        let mut at = 0;
        while at < pending.len() {
            budget.check()?;
            let (state, memory) = pending[at];
            let step = steps
                .entry(memory)
                .or_insert_with(|| self.step(memory, &propositions, &mut source.labels));
            for edge in source.edges(state).to_vec() {
                let label = self.substitute(edge.label, step, &propositions, &mut source.labels);
                // Split the letters by the memory they leave behind.
                let mut parts = vec![(label, 0u64)];
                for (position, next) in step.memory.iter().enumerate() {
                    parts = parts
                        .into_iter()
                        .flat_map(|(label, bits)| {
                            let yes = source.labels.and(label, *next);
                            let no = source.labels.minus(label, *next);
                            [(yes, bits | 1 << position), (no, bits)]
                        })
                        .filter(|(label, _)| *label != Label::FALSE)
                        .collect();
                }
                for (label, bits) in parts {
                    let target = *number.entry((edge.target, bits)).or_insert_with(|| {
                        pending.push((edge.target, bits));
                        result.add_state()
                    });
                    result.edges[at].push(crate::automaton::Edge {
                        label,
                        target,
                        marks: edge.marks,
                    });
                }
            }
            at += 1;
        }
        result.labels = source.labels;
        let fresh: Vec<String> = self
            .monitors
            .iter()
            .map(|(name, _)| name.clone())
            .chain(self.futures.iter().cloned())
            .collect();
        Ok(crate::algebra::projection::project(&result, &fresh))
    }
}
