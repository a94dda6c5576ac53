//! An assertion of an instance, and what is judged about it.
//!
//! What a monitor says is not believed. On a trace the assertion itself is evaluated, on the values that its wires have there, and so are the assumptions; where
//! a proof says that no behaviour is accepted, the monitor is shown to accept every word it is there for.

use entail_budget::Budget;
use entail_evidence::{CheckReport, DeadEnds, Trace, Truth};
use entail_logic::Assertion;
use entail_model::{TermId, TransitionSystem};
use entail_source::Span;
use entail_systems_checker::{AssertionWord, MonitorCircuit, PathEnd, PathWord, View};
use entail_systemverilog::Directive;

/// A property of an instance.
#[derive(Clone, Debug)]
pub(crate) struct AskedAssertion {
    /// Its name in reports.
    pub(crate) name: String,
    pub(crate) directive: Directive,
    /// Its text.
    pub(crate) text: String,
    pub(crate) place: Span,
    /// What it says; nothing if the elaborator has made a bad state of it.
    pub(crate) assertion: Option<Assertion<usize>>,
    /// The wires of its atoms.
    pub(crate) atoms: Vec<String>,
    /// The same in the model.
    pub(crate) terms: Vec<TermId>,
    /// The circuit that watches it, as it stands in the model.
    pub(crate) monitor: Option<MonitorCircuit>,
}

impl AskedAssertion {
    /// Whether a monitor of ours watches it.
    pub(crate) fn has_monitor(&self) -> bool {
        self.assertion.is_some()
    }

    /// Judges whether the monitor accepts every word it is there for, so that what is proved with it is proved of the property.
    pub(crate) fn check_monitor(&self, budget: &Budget) -> CheckReport {
        match (&self.assertion, &self.monitor) {
            (None, _) => CheckReport::Accepted,
            (Some(_), None) => CheckReport::unchecked("the monitor of an assertion, which is part of the circuit"),
            (Some(assertion), Some(monitor)) => {
                let truth = self.directive != Directive::Assert;
                monitor.sees_all(assertion, truth, budget)
            }
        }
    }

    /// Finds the wires in the model.
    pub(crate) fn resolve(&mut self, system: &mut TransitionSystem) {
        let atoms = self.atoms.iter();
        self.terms = atoms.filter_map(|name| term_named(system, name)).collect();
    }

    /// The truth of the atoms on a trace, letter by letter, as far as it is known.
    fn word(&self, system: &TransitionSystem, trace: &Trace) -> Result<Vec<Vec<bool>>, String> {
        let end = PathEnd::of(trace, DeadEnds::Infinite);
        let path = PathWord::new(system, trace, end).ok_or("the trace is empty")?;
        let mut letters: Vec<Vec<bool>> = vec![Vec::new(); trace.steps.len()];
        let mut known = trace.steps.len();
        if self.terms.len() != self.atoms.len() {
            return Err("the model does not have all wires of the property".to_owned());
        }
        for &term in &self.terms {
            for (position, truth) in path.term(term).into_iter().enumerate() {
                match truth {
                    Truth::True => letters[position].push(true),
                    Truth::False => letters[position].push(false),
                    Truth::Unknown => known = known.min(position),
                }
            }
        }
        if trace.loop_start.is_some() && known < letters.len() {
            return Err("the trace leaves open what the wires are".to_owned());
        }
        letters.truncate(known);
        Ok(letters)
    }

    /// Whether a trace shows what is claimed: a violation of an assertion, a witness of a cover, on which the assumptions are met.
    pub(crate) fn check_trace(
        &self,
        system: &TransitionSystem,
        trace: &Trace,
        assumed: &[&AskedAssertion],
    ) -> CheckReport {
        match self.shows(system, trace, assumed) {
            Ok(()) => CheckReport::Accepted,
            Err(problem) => CheckReport::rejected(problem),
        }
    }

    fn shows(
        &self,
        system: &TransitionSystem,
        trace: &Trace,
        assumed: &[&AskedAssertion],
    ) -> Result<(), String> {
        let letters = match &self.assertion {
            Some(_) => self.word(system, trace)?,
            None => vec![Vec::new(); trace.steps.len()],
        };
        let is_shown = |letters: &[Vec<bool>]| {
            let word = AssertionWord::new(letters.to_vec(), trace.loop_start);
            match (&self.assertion, self.directive) {
                // (A bad state is shown by the last step.)
                (None, _) => letters.len() == trace.steps.len(),
                (Some(assertion), Directive::Cover) => word.holds(assertion, View::Strong),
                (Some(assertion), _) => !word.holds(assertion, View::Weak),
            }
        };
        if !is_shown(&letters) {
            return Err(match self.directive {
                Directive::Cover => "the property is not true of the trace",
                Directive::Assert | Directive::Assume => "the property is not false of the trace",
            }
            .to_owned());
        }
        // After the letter that decides, nothing is assumed.
        let needed = match trace.loop_start {
            Some(_) => letters.len(),
            None => (1..=letters.len())
                .find(|&count| is_shown(&letters[..count]))
                .unwrap_or(letters.len()),
        };
        for other in assumed {
            let Some(assumption) = &other.assertion else {
                continue;
            };
            let mut letters = other.word(system, trace)?;
            letters.truncate(needed);
            let word = AssertionWord::new(letters, trace.loop_start);
            if !word.holds(assumption, View::Weak) {
                return Err(format!("the assumption {} is not true of the trace", other.name));
            }
        }
        Ok(())
    }
}

fn term_named(system: &mut TransitionSystem, name: &str) -> Option<TermId> {
    let define = system.defines.iter().find(|define| &*define.name == name);
    match define {
        Some(define) => Some(define.term),
        None => {
            let variable = system.find_variable(name)?;
            Some(system.current(variable))
        }
    }
}
