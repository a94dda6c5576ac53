//! The declarations that are written for the elaborator in the place of a check: wires of its expressions, registers of past values.

use crate::design::tick_wire;
use crate::locals::LocalVariables;
use entail_source::Diagnostic;
use std::fmt::Write as _;

/// The declarations that stand for a check's expressions.
#[derive(Default)]
pub(crate) struct Emitted {
    pub(crate) text: String,
    pub(crate) check: usize,
    registers: usize,
    /// The event at which past values are taken; without one, every step of the model.
    pub(crate) clock: Option<String>,
    has_tick: bool,
    /// The first expression whose size only a complete elaborator knows.
    pub(crate) demanding: Option<Diagnostic>,
    /// The local variables of sequences and properties, as far as they are met.
    pub(crate) locals: LocalVariables,
}

impl Emitted {
    pub(crate) fn new(check: usize) -> Emitted {
        Emitted {
            check,
            ..Emitted::default()
        }
    }

    /// The event at which registers change.
    fn event(&mut self) -> String {
        let edge = self.clock.as_deref().and_then(single_edge);
        edge.unwrap_or_else(|| {
            // An event of its own: it is no clock of the design, and every step has it.
            let name = tick_wire(self.check);
            if !std::mem::replace(&mut self.has_tick, true) {
                let _ = write!(self.text, "wire \\{name} ; ");
            }
            format!("posedge \\{name} ")
        })
    }

    /// The value of an expression some ticks ago; with a gate, of the ticks at which that is true.
    pub(crate) fn past(&mut self, expression: &str, count: u32, gate: Option<&str>) -> String {
        let event = if count > 0 { self.event() } else { String::new() };
        let mut value = expression.to_owned();
        let gate = gate.map_or(String::new(), |gate| format!("if ({gate}) "));
        for _ in 0..count {
            let name = format!("\\entail$p{}$r{} ", self.check, self.registers);
            self.registers += 1;
            let _ = write!(
                self.text,
                "reg [$bits({{{expression}}})-1:0] {name}; initial {name} = 0; always @({event}) {gate}{name} <= {value}; "
            );
            value = name;
        }
        match count {
            0 => value,
            // The register is a word without a sign; with the expression as the other choice the whole has a sign where the expression has one.
            _ => format!("(1'b1 ? $signed({value}) : {expression})"),
        }
    }
}

/// The first edge of an event, if it is one of a signal.
fn single_edge(event: &str) -> Option<String> {
    let first = event.split(" or ").next()?.split(',').next()?.trim();
    let is_edge = first.starts_with("posedge ") || first.starts_with("negedge ");
    is_edge.then(|| format!("{first} "))
}
