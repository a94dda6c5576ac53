//! A design without its assertions, and what was taken out of it.

use crate::property::{Bounds, Parser};
use crate::scan::Declarations;
use crate::token::Token;
use entail_logic::Assertion;
use entail_source::{Diagnostic, Span};

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
    /// Its clock as it is written, if it has one.
    pub clock: Option<String>,
    /// The property, for another look at it once constants are known.
    pub(crate) tokens: Vec<Token>,
    /// Whether it is asked of every tick.
    pub(crate) always: bool,
    /// The default clock and the default reset.
    pub(crate) disable: Option<Vec<Token>>,
}

/// A design.
#[derive(Clone, Debug)]
pub struct Design {
    /// The text without assertions, for the elaborator.
    pub text: String,
    /// What was taken out.
    pub checks: Vec<Check>,
    /// What may surprise.
    pub warnings: Vec<Diagnostic>,
    /// The modules that no other module of the text instantiates, as far as names tell.
    pub roots: Vec<String>,
    /// There is nothing in the text but immediate assertions that the elaborator reads as they stand: it can be handed on unchanged.
    pub plain: bool,
    /// All modules.
    pub modules: Vec<String>,
    pub(crate) declarations: Declarations,
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

/// The wire that tells where a check stands in the hierarchy.
pub fn marker_wire(check: usize) -> String {
    format!("entail$p{check}$here")
}

/// The check that a wire of this name marks.
pub fn marker_of(wire: &str) -> Option<usize> {
    wire.strip_prefix("entail$p")?.strip_suffix("$here")?.parse().ok()
}

/// The wire that is the clock of a check.
pub(crate) fn clock_wire(check: usize) -> String {
    format!("entail$p{check}$clock")
}

impl Design {
    /// Of a net of the elaborated design: whether it is the clock of a check, and then whether its rising edge counts.
    pub fn clock_of(&self, net: &str) -> Option<bool> {
        let wire = &net[net.rfind("entail$p")?..];
        let check = wire.strip_prefix("entail$p")?.strip_suffix("$clock")?;
        let check = self.checks.get(check.parse::<usize>().ok()?)?;
        Some(check.clock.as_ref()?.starts_with("posedge"))
    }

    /// The assertion of a check ([`Form::Property`]), its atoms numbered, once the constants of an instance are known.
    pub fn assertion(
        &self,
        check: usize,
        bounds: &dyn Fn(usize) -> Option<u32>,
    ) -> Result<Assertion<usize>, Diagnostic> {
        let asked = &self.checks[check];
        let declarations = &self.declarations;
        let mut parser = Parser::new(
            declarations,
            &asked.module,
            check,
            Bounds::Known(bounds),
            asked.directive,
        );
        parser.specification(&asked.tokens, asked.disable.as_deref(), asked.always)
    }
}
