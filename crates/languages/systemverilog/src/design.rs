//! A design without its assertions, and what was taken out of it.

use crate::preprocess::Origins;
use crate::property::{Bounds, Parser};
use crate::psl::{self, Bound, PslCheck};
use crate::scan::Declarations;
use crate::sites::one_line;
use crate::token::Token;
use entail_logic::{Assertion, Formula, Sequence};
use entail_source::{Diagnostic, Source, Span};
use std::fmt::Write as _;

/// What is done with a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// It shall be true.
    Assert,
    /// Only behaviour on which it is true counts. (`restrict` as well.)
    Assume,
    /// Behaviour on which it is true shall exist.
    Cover,
}

/// How a check is found in the elaborated design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A property over wires: [`atom_wire`] and [`bound_wire`].
    Property,
    /// An immediate assertion in a procedure, left to the elaborator under the label [`IMMEDIATE`] and its number. A cover is asserted negated.
    Immediate,
}

/// An assertion, assumption or cover of the text.
#[derive(Clone, Debug)]
pub struct Check {
    /// What is done with it.
    pub directive: Directive,
    /// How it is found again.
    pub form: Form,
    /// Its name below its module or generate block.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its place.
    pub span: Span,
    /// Number of Boolean expressions.
    pub atoms: usize,
    /// The module it stands in.
    pub module: String,
    /// The only instance it is about, as its wires' names begin; nothing if it is about every instance of the module.
    pub only: Option<String>,
    /// Its clocks as they are written.
    pub clocks: Vec<String>,
    /// The names of its local variables, by their numbers.
    pub locals: Vec<String>,
    /// The names that it is meant for each value of (`forall` in PSL), in the order of their wires ([`replicated_wire`]).
    pub replicated: Vec<String>,
    /// The clock that it has where none is written: of the procedure around it, or the default.
    pub(crate) inherited: Option<String>,
    /// Why it cannot be decided, if it cannot.
    pub problem: Option<Diagnostic>,
    /// The conditions under which a procedure gets there.
    pub(crate) conditions: Vec<(Vec<Token>, bool)>,
    /// The property, for another look at it once constants are known.
    pub(crate) tokens: Vec<Token>,
    /// Whether it is asked of every tick.
    pub(crate) always: bool,
    /// The default clock and the default reset.
    pub(crate) disable: Option<Vec<Token>>,
    /// What it is made from, if it stands in a PSL file.
    pub(crate) psl: Option<PslCheck>,
}

/// A design.
#[derive(Clone, Debug)]
pub struct Design {
    /// The text without assertions, for the elaborator.
    pub text: String,
    /// What was taken out.
    pub checks: Vec<Check>,
    /// Immediate assumptions, which the elaborator reads: the modules they stand in, and their places.
    pub assumed: Vec<(String, Span)>,
    /// What may surprise.
    pub warnings: Vec<Diagnostic>,
    /// The modules that no other module of the text instantiates, as far as names tell.
    pub roots: Vec<String>,
    /// There is nothing in the text but immediate assertions that the elaborator reads as they stand: it can be handed on unchanged.
    pub plain: bool,
    /// All modules.
    pub modules: Vec<String>,
    /// Names or types in it are known to a complete elaborator only: names inside other modules, sizes of casts.
    pub demanding: Option<Diagnostic>,
    /// The text as it stands but for constants of any value (`(* anyconst *)`), which only the reader of yosys itself knows; nothing if there are none.
    pub constants: Option<String>,
    /// There is something in it that only the reader of yosys itself knows.
    pub is_yosys_only: bool,
    pub(crate) declarations: Declarations,
    pub(crate) bound: Vec<Bound>,
    /// Where the text that was gone through comes from.
    pub(crate) origins: Origins,
}

/// The label that immediate assertions get, before their number.
pub const IMMEDIATE: &str = "entail_immediate_";

/// The wire of a Boolean expression of a check.
pub fn atom_wire(check: usize, atom: usize) -> String {
    format!("entail$p{check}$a{atom}")
}

/// The wire of a constant that bounds a delay or repetition of a check.
pub fn bound_wire(check: usize, bound: usize) -> String {
    format!("entail$p{check}$b{bound}")
}

/// The wire of a local variable of a check, which nothing drives.
pub fn local_wire(check: usize, local: usize) -> String {
    format!("entail$p{check}$v{local}")
}

/// The wire of a value that a local variable of a check gets.
pub fn value_wire(check: usize, value: usize) -> String {
    format!("entail$p{check}$w{value}")
}

/// The wire of an end point of a sequence (`.triggered`, `.matched`), which nothing drives.
pub fn end_wire(check: usize, end: usize) -> String {
    format!("entail$p{check}$t{end}")
}

/// The wire of a name that a check is meant for each value of, which nothing drives.
pub fn replicated_wire(check: usize, name: usize) -> String {
    format!("entail$p{check}$f{name}")
}

/// The wire of a value that is chosen at every step (`nondet` in PSL), which nothing drives.
pub(crate) fn free_wire(check: usize, number: usize) -> String {
    format!("entail$p{check}$n{number}")
}

/// The wire that is the signal which is a clock of a check where it is true.
pub(crate) fn level_wire(check: usize, clock: usize) -> String {
    format!("entail$p{check}$level{clock}")
}

/// The wire that tells where a check stands in the hierarchy.
pub fn marker_wire(check: usize) -> String {
    format!("entail$p{check}$here")
}

/// The check that a wire of this name marks.
pub fn marker_of(wire: &str) -> Option<usize> {
    wire.strip_prefix("entail$p")?.strip_suffix("$here")?.parse().ok()
}

/// The wire that stands for the ticks of a check without a clock.
pub(crate) fn tick_wire(check: usize) -> String {
    format!("entail$p{check}$tick")
}

/// Whether a net of the elaborated design stands for the ticks of a check without a clock.
pub fn is_tick(net: &str) -> bool {
    let wire = net.rfind("entail$").map_or("", |at| &net[at..]);
    wire.ends_with("$tick")
}

/// The wire that is one of the clocks of a check.
pub fn clock_wire(check: usize, clock: usize) -> String {
    format!("entail$p{check}$clock{clock}")
}

/// The wire of the condition under which an edge is a tick (`iff`).
pub fn gate_wire(check: usize, clock: usize) -> String {
    format!("entail$p{check}$gate{clock}")
}

/// What a letter of the words is that properties are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// A tick of the one clock there is.
    Ticks,
    /// A step of the model, in which any clocks may tick: each is an atom behind those of the check, true where the clock has ticked, and atoms have
    /// the values that they had before.
    Edges,
}

/// The clock that ticks in every step.
pub(crate) const EVERY_STEP: &str = "$global_clock";

/// An event that is a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge<'e> {
    /// The edge that counts rises; nothing if every step counts.
    pub rises: Option<bool>,
    /// The signal.
    pub signal: &'e str,
    /// The condition under which it counts.
    pub gate: Option<&'e str>,
}

impl<'e> Edge<'e> {
    /// An edge as it is written, if it is one of one signal.
    pub fn of(event: &'e str) -> Option<Edge<'e>> {
        let (edge, gate) = match event.split_once(" iff ") {
            Some((edge, gate)) => (edge, Some(gate)),
            None => (event, None),
        };
        if edge == EVERY_STEP {
            let (rises, signal) = (None, "");
            return Some(Edge { rises, signal, gate });
        }
        let (word, signal) = edge.split_once(' ')?;
        let rises = match word {
            "posedge" => Some(true),
            "negedge" => Some(false),
            _ => return None,
        };
        is_signal(signal).then_some(Edge { rises, signal, gate })
    }

    /// The wires by which the clock of a check is found again in the elaborated design.
    pub(crate) fn wires(&self, check: usize, place: usize) -> String {
        let mut text = String::new();
        if self.rises.is_some() {
            let wire = clock_wire(check, place);
            let _ = write!(text, "(* keep *) wire \\{wire} = {}; ", self.signal);
        }
        if let Some(gate) = self.gate {
            let wire = gate_wire(check, place);
            let _ = write!(text, "(* keep *) wire \\{wire} = |({gate}); ");
        }
        text
    }
}

/// Whether the text of an event's signal is a name, or a part of what has a name.
fn is_signal(text: &str) -> bool {
    let is_word = |word: &str| !matches!(word, "or" | "iff" | "posedge" | "negedge" | "edge");
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '[' | ']' | ' ' | '\\');
    text.split(' ').all(is_word) && text.chars().all(is_part)
}

/// A property, its atoms numbered.
#[derive(Clone, Debug)]
pub enum Claim {
    /// One of single runs.
    Linear(Assertion<usize>),
    /// One of the tree of all runs.
    Branching(Formula<usize>),
}

/// What a check says.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The property.
    pub claim: Claim,
    /// The end points of sequences that it reads as conditions, in the order of their wires ([`end_wire`]).
    pub ends: Vec<EndPoint>,
    /// Number of values that local variables get.
    pub values: usize,
}

/// Where matches of a sequence end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndPoint {
    /// The sequence, over the atoms of the check.
    pub sequence: Sequence<usize>,
    /// A tick later (`.matched`), or at once (`.triggered`).
    pub later: bool,
}

impl Design {
    /// Checks are shown with their places in the user's text, and as they are written there.
    pub(crate) fn show_as_written(&mut self, source: &Source) {
        let origins = &self.origins;
        let told = |problem: &mut Diagnostic| *problem = origins.told(problem.clone());
        for check in &mut self.checks {
            let is_otherwise = origins.is_written_otherwise(check.span);
            check.span = origins.of(check.span);
            if is_otherwise {
                check.text = one_line(source.slice(check.span));
            }
            check.problem.iter_mut().for_each(told);
        }
        for (_, span) in &mut self.assumed {
            *span = origins.of(*span);
        }
        self.warnings.iter_mut().for_each(told);
        self.demanding.iter_mut().for_each(told);
        for bound in &mut self.bound {
            bound.stands_at(|span| origins.of(span));
        }
    }

    /// Of a net of the elaborated design: whether it is a clock of a check, and then whether its rising edge counts.
    pub fn clock_of(&self, net: &str) -> Option<bool> {
        let wire = &net[net.rfind("entail$p")?..];
        let (check, clock) = wire.strip_prefix("entail$p")?.split_once("$clock")?;
        let check = self.checks.get(check.parse::<usize>().ok()?)?;
        Edge::of(check.clocks.get(clock.parse::<usize>().ok()?)?)?.rises
    }

    /// Of a net of the elaborated design: the check that takes the steps in which it is true for ticks.
    pub fn level_of(&self, net: &str) -> Option<usize> {
        let wire = &net[net.rfind("entail$p")?..];
        let (check, _) = wire.strip_prefix("entail$p")?.split_once("$level")?;
        check.parse().ok()
    }

    /// Whether a place is that of a declaration or a statement of a unit in PSL.
    pub fn is_of_unit(&self, span: Span) -> bool {
        self.bound
            .iter()
            .any(|bound| bound.declares_at(span, &self.origins))
    }

    /// The place in a PSL file that a message is about which the elaborator gives for a line of the design.
    pub fn blamed(&self, line: Span, message: &str) -> Option<Span> {
        let mut bound = self.bound.iter();
        bound.find_map(|bound| bound.blamed(line, message, &self.checks, &self.origins))
    }

    /// The assertion of a check ([`Form::Property`]), its atoms numbered, once the constants of an instance are known. Behind the atoms of the check come
    /// its clocks, where letters are steps of the model or clocks have conditions.
    pub fn assertion(
        &self,
        check: usize,
        timing: Timing,
        bounds: &dyn Fn(usize) -> Option<u32>,
    ) -> Result<Meaning, Diagnostic> {
        let asked = &self.checks[check];
        let declarations = &self.declarations;
        let mut parser = Parser::new(
            declarations,
            &asked.module,
            check,
            Bounds::Known(bounds),
            asked.directive,
        );
        parser.inherits(asked.inherited.clone());
        parser.conditions.clone_from(&asked.conditions);
        parser.timing = timing;
        parser.first_clock = asked.atoms;
        let claim = match &asked.psl {
            Some(check) => psl::specification(&mut parser, check),
            None => {
                let read = parser.specification(&asked.tokens, asked.disable.as_deref(), asked.always);
                read.map(Claim::Linear)
            }
        };
        let claim = claim.map_err(|problem| self.origins.told(problem))?;
        Ok(Meaning {
            claim,
            ends: parser.ends,
            values: parser.emitted.locals.values,
        })
    }
}
