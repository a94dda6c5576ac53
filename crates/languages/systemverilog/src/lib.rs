//! SystemVerilog's assertions.
//!
//! **Here:** the preprocessor, the tokens of a text, the outline of its modules, the grammar of sequences and properties, PSL files bound to modules, and the text without its assertions ([`Design::text`]),
//! in which every Boolean expression of an assertion is a wire ([`atom_wire`]) and every line is where it was.
//!
//! **Not here:** elaboration (widths, parameters, packages, hierarchy: whoever reads the text), what an assertion means (`entail_logic`), how it is decided.
//!
//! **Invariants:** readers never panic; an assertion that is not understood is an error at its place, never left out: of the text, if it is malformed or an
//! assumption, of the one check ([`Check::problem`]) if it is well formed and uses something that is not read. What the elaborator finds as
//! constants (delays and repetitions given by parameters) is asked back by [`Design::assertion`], instance by instance.

mod any_constant;
mod checker_sites;
mod checkers;
mod clocking;
mod cursor;
mod declarations;
mod design;
mod emitted;
mod end_point;
mod expression;
mod instance;
mod locals;
mod preprocess;
pub mod project;
mod property;
mod psl;
mod repeated_locals;
mod scan;
#[cfg(test)]
mod scan_tests;
mod scopes;
mod sequence;
mod sites;
mod statement;
mod temporal;
mod token;
mod tolerated;
#[cfg(test)]
mod written_tests;

pub use design::{
    Check, Claim, Design, Directive, Edge, EndPoint, Form, IMMEDIATE, Meaning, Timing, atom_wire, bound_wire,
    clock_wire, end_wire, gate_wire, is_tick, local_wire, marker_of, marker_wire, replicated_wire,
    value_wire,
};
pub use preprocess::{Include, Surroundings};
pub use psl::{OUTPUTS, Said, UnitDirective, branching, clock_event, directives, meaning, signals};
pub use scan::{read, read_with};
