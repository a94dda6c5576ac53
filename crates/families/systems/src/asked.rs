//! An assertion of an instance, and what is judged about it.
//!
//! What a monitor says is not believed. On a trace the assertion itself is evaluated, on the values that its wires have there, and so are the assumptions; where
//! a proof says that no behaviour is accepted, the monitor is shown to accept every word it is there for. Local variables are constants to the monitor; neither for traces nor for proofs
//! is the form with constants taken for the assertion.

use crate::attempt_values::{AskedEnd, LocalPart};
use crate::judge::reported;
use entail_budget::Budget;
use entail_evidence::{Certificate, CheckReport, DeadEnds, Trace, Truth};
use entail_logic::Assertion;
use entail_model::{Sort, TermId, TransitionSystem, Value, VarId, Word};
use entail_proof::check_invariant;
use entail_source::Span;
use entail_systems_checker::{
    AssertionWord, LocalBits, MonitorCircuit, PathEnd, PathWord, TraceLocals, View, are_free_constants,
    assignments,
};
use entail_systemverilog::Directive;
use std::cell::Cell;

/// Atoms that the last step of a trace may leave open.
const MOST_OPEN: usize = 6;

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
    /// What it says of local variables, if it has some.
    pub(crate) locals: Option<LocalPart>,
    /// The end points of sequences that it reads.
    pub(crate) ends: Vec<AskedEnd>,
}

impl AskedAssertion {
    /// Whether a monitor of ours watches it.
    pub(crate) fn has_monitor(&self) -> bool {
        self.assertion.is_some()
    }

    /// What it says as it is written, with local variables if it has some.
    fn said(&self) -> Option<&Assertion<usize>> {
        let written = self.locals.as_ref().map(|part| &part.assertion);
        written.or(self.assertion.as_ref())
    }

    /// Judges whether the monitor accepts every word it is there for, so that what is proved with it is proved of the property.
    pub(crate) fn check_monitor(&self, system: &TransitionSystem, budget: &Budget) -> CheckReport {
        match (self.said(), &self.monitor) {
            (None, _) => CheckReport::Accepted,
            (Some(_), None) => {
                CheckReport::unchecked("the monitor of an assertion, which is part of the circuit")
            }
            (Some(assertion), Some(monitor)) => {
                let truth = self.directive != Directive::Assert;
                let parts = [
                    self.check_ends(budget),
                    self.check_locals(system, assertion, budget),
                ];
                let problem = parts.into_iter().find(|report| !report.is_accepted());
                problem.unwrap_or_else(|| monitor.sees_all(assertion, truth, budget))
            }
        }
    }

    /// Judges what stands for local variables in the model: registers that are constants of any value, and wires that compare them with what is assigned.
    fn check_locals(
        &self,
        system: &TransitionSystem,
        assertion: &Assertion<usize>,
        budget: &Budget,
    ) -> CheckReport {
        let Some(part) = &self.locals else {
            return CheckReport::Accepted;
        };
        let registers: Vec<VarId> = part.places.iter().flatten().map(|bits| bits.variable).collect();
        if !part.is_whole() || !are_free_constants(system, &registers) {
            return CheckReport::unchecked("that local variables are registers of any value");
        }
        let mut extended = system.clone();
        let mut compares = Vec::new();
        for (local, value, equal) in assignments(assertion) {
            let places = part.places.get(local.0 as usize);
            let terms = part.terms.get(value as usize).zip(self.terms.get(equal));
            let compared = places.zip(terms).and_then(|(places, (&value, &equal))| {
                let same = assigned(&mut extended, places, value)?;
                Some(extended.terms.iff(equal, same))
            });
            match compared {
                Some(compared) => compares.push(compared),
                None => return CheckReport::unchecked("what local variables are compared with"),
            }
        }
        let all = extended.terms.and(compares);
        let invariant = extended.terms.truth(true);
        let certificate = Certificate {
            terms: extended.terms.clone(),
            invariant,
        };
        reported(check_invariant(&extended, &certificate, all, budget))
    }

    /// Judges whether the circuits of end points say where matches end.
    fn check_ends(&self, budget: &Budget) -> CheckReport {
        for end in &self.ends {
            let report = match &end.monitor {
                Some(monitor) => monitor.marks_ends(&end.sequence, budget),
                None => CheckReport::unchecked("the end points of a sequence, which are part of the circuit"),
            };
            if report != CheckReport::Accepted {
                return report;
            }
        }
        CheckReport::Accepted
    }

    /// Finds the wires in the model.
    pub(crate) fn resolve(&mut self, system: &mut TransitionSystem) {
        let atoms = self.atoms.iter();
        self.terms = atoms.filter_map(|name| term_named(system, name)).collect();
        for end in &mut self.ends {
            end.term = term_named(system, &end.wire);
        }
        if let Some(part) = &mut self.locals {
            let variables = part.variables.iter();
            part.places = variables.filter_map(|pieces| bits_of(system, pieces)).collect();
            let mut terms = |names: &[String]| -> Vec<TermId> {
                let names = names.iter();
                names.filter_map(|name| term_named(system, name)).collect()
            };
            part.terms = terms(&part.values);
            if let Some(wires) = &mut part.unsampled {
                wires.atom_terms = terms(&wires.atoms);
                wires.value_terms = terms(&wires.values);
            }
        }
    }

    /// The truth of the atoms on a trace, letter by letter, as far as it is known. What the last step leaves open (inputs that do not matter) is completed in
    /// every way: there may be several words.
    fn words(&self, system: &TransitionSystem, trace: &Trace) -> Result<Vec<Vec<Vec<bool>>>, String> {
        let end = PathEnd::of(trace, DeadEnds::Infinite);
        let path = PathWord::new(system, trace, end).ok_or("the trace is empty")?;
        let mut letters: Vec<Vec<Truth>> = vec![Vec::new(); trace.steps.len()];
        if self.terms.len() != self.atoms.len() {
            return Err("the model does not have all wires of the property".to_owned());
        }
        for &term in &self.terms {
            for (position, truth) in path.term(term).into_iter().enumerate() {
                letters[position].push(truth);
            }
        }
        let is_open = |letter: &Vec<Truth>| letter.contains(&Truth::Unknown);
        let known = letters.iter().position(is_open).unwrap_or(letters.len());
        if trace.loop_start.is_some() && known < letters.len() {
            return Err("the trace leaves open what the wires are".to_owned());
        }
        let values = |letter: &Vec<Truth>| letter.iter().map(|truth| *truth == Truth::True).collect();
        let word: Vec<Vec<bool>> = letters[..known].iter().map(values).collect();
        let Some(last) = letters.get(known).filter(|_| known + 1 == letters.len()) else {
            return Ok(vec![word]);
        };
        let open: Vec<usize> = (0..last.len())
            .filter(|&atom| last[atom] == Truth::Unknown)
            .collect();
        if open.len() > MOST_OPEN {
            return Ok(vec![word]);
        }
        let completed = (0_u32..1 << open.len()).map(|choice| {
            let mut letter: Vec<bool> = values(last);
            for (place, &atom) in open.iter().enumerate() {
                letter[atom] = choice >> place & 1 == 1;
            }
            let mut word = word.clone();
            word.push(letter);
            word
        });
        Ok(completed.collect())
    }

    /// Whether a trace shows what is claimed: a violation of an assertion, a witness of a cover, on which the assumptions are met.
    pub(crate) fn check_trace(
        &self,
        system: &TransitionSystem,
        trace: &Trace,
        assumed: &[&AskedAssertion],
    ) -> CheckReport {
        match self.shows(system, trace, assumed) {
            Ok(Shown::All) => CheckReport::Accepted,
            Ok(Shown::Open) => {
                CheckReport::unchecked("the trace leaves open what local variables are assigned")
            }
            Err(problem) => CheckReport::rejected(problem),
        }
    }

    /// Whether the end points that are read are where matches end on the trace.
    fn ends_are_right(&self, system: &TransitionSystem, trace: &Trace) -> Result<(), String> {
        if self.ends.is_empty() {
            return Ok(());
        }
        let end = PathEnd::of(trace, DeadEnds::Infinite);
        let path = PathWord::new(system, trace, end).ok_or("the trace is empty")?;
        for end in &self.ends {
            let term = end
                .term
                .ok_or("the model does not have the end point of a sequence")?;
            let said = path.term(term);
            for letters in self.words(system, trace)? {
                let length = letters.len();
                let word = AssertionWord::new(letters, trace.loop_start);
                let ends = word.ends(&end.sequence, end.later);
                let ends = ends.ok_or("the end points of a sequence differ from round to round")?;
                let is_right =
                    |(said, &is): (&Truth, &bool)| *said == Truth::Unknown || *said == Truth::from(is);
                if !said[..length.min(said.len())].iter().zip(&ends).all(is_right) {
                    return Err("the trace is wrong about where matches of a sequence end".to_owned());
                }
            }
        }
        Ok(())
    }

    fn shows(
        &self,
        system: &TransitionSystem,
        trace: &Trace,
        assumed: &[&AskedAssertion],
    ) -> Result<Shown, String> {
        self.ends_are_right(system, trace)?;
        let reader = match &self.locals {
            None => None,
            Some(part) => {
                if !part.is_whole() {
                    return Err("the model does not have all local variables of the property".to_owned());
                }
                let places = &part.places;
                Some(match &part.unsampled {
                    None => TraceLocals::new(system, trace, places, &self.terms, &part.terms),
                    Some(wires) => {
                        let (atoms, values) = (&wires.atom_terms, &wires.value_terms);
                        TraceLocals::new(system, trace, places, atoms, values).a_step_before()
                    }
                })
            }
        };
        let is_open = Cell::new(false);
        let said = self.said();
        let words = match &self.assertion {
            Some(_) => self.words(system, trace)?,
            None => vec![vec![Vec::new(); trace.steps.len()]],
        };
        let shown_by = |letters: &[Vec<bool>]| {
            let mut word = AssertionWord::new(letters.to_vec(), trace.loop_start);
            if let Some(reader) = &reader {
                word = word.with_locals(reader);
            }
            let is_shown = match (said, self.directive) {
                // (A bad state is shown by the last step.)
                (None, _) => letters.len() == trace.steps.len(),
                (Some(assertion), Directive::Cover) => word.holds(assertion, View::Strong),
                (Some(assertion), _) => !word.holds(assertion, View::Weak),
            };
            is_open.set(is_open.get() || word.is_open());
            is_shown
        };
        let is_shown = |count: usize| words.iter().all(|word| shown_by(&word[..count.min(word.len())]));
        let length = words.iter().map(Vec::len).max().unwrap_or(0);
        let shown = is_shown(length);
        if is_open.get() {
            return Ok(Shown::Open);
        }
        if !shown {
            return Err(match self.directive {
                Directive::Cover => "the property is not true of the trace",
                Directive::Assert | Directive::Assume => "the property is not false of the trace",
            }
            .to_owned());
        }
        // After the letter that decides, nothing is assumed.
        let needed = match trace.loop_start {
            Some(_) => length,
            None => (1..=length).find(|&count| is_shown(count)).unwrap_or(length),
        };
        for other in assumed {
            let Some(assumption) = &other.assertion else {
                continue;
            };
            other.ends_are_right(system, trace)?;
            let words = other.words(system, trace)?;
            let is_met = |word: &Vec<Vec<bool>>| {
                let letters = word[..needed.min(word.len())].to_vec();
                AssertionWord::new(letters, trace.loop_start).holds(assumption, View::Weak)
            };
            if !words.iter().any(is_met) {
                return Err(format!("the assumption {} is not true of the trace", other.name));
            }
        }
        Ok(Shown::All)
    }
}

/// What a trace has shown.
enum Shown {
    /// What is claimed.
    All,
    /// Nothing: it leaves something open.
    Open,
}

/// The bits of a local variable in the model, if all are there.
fn bits_of(system: &TransitionSystem, pieces: &[(String, u32)]) -> Option<Vec<LocalBits>> {
    let mut low = 0;
    let lowest_first = pieces.iter().rev().map(|(name, width)| {
        let bits = LocalBits {
            variable: system.find_variable(name)?,
            low,
            width: *width,
        };
        low += width;
        Some(bits)
    });
    lowest_first.collect()
}

/// That the bits of a local variable are those of a term.
fn assigned(system: &mut TransitionSystem, places: &[LocalBits], value: TermId) -> Option<TermId> {
    let mut same = Vec::with_capacity(places.len());
    for bits in places {
        let register = system.current(bits.variable);
        let terms = &mut system.terms;
        let part = match (terms.sort(value), bits.low) {
            (Sort::Bool, 0) => value,
            (Sort::Bool, _) => return None,
            _ => terms.extract(value, bits.low + bits.width - 1, bits.low).ok()?,
        };
        // (A register of one bit is a truth value.)
        let part = match (terms.sort(part), terms.sort(register)) {
            (Sort::Word { width: 1, .. }, Sort::Bool) => {
                let one = terms.constant(Value::Word(Word::from_u64(1, false, 1)));
                terms.equal(part, one).ok()?
            }
            _ => part,
        };
        same.push(terms.equal(part, register).ok()?);
    }
    Some(system.terms.and(same))
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
