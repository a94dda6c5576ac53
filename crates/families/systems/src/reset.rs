//! Resets from the command line: `--reset rst_n=0:3` holds a signal at 0 for three steps and at 1 from then on.
//!
//! The runs of a design from its power-up include those on which it is never reset. A constraint leaves those of interest: in the first steps the
//! signal is active, afterwards it is not. Steps are counted by registers of one bit, one after the other.

use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node};
use num_bigint::BigUint;
use std::sync::Arc;

/// A signal that is active in the first steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reset {
    /// Its name in the design.
    signal: String,
    /// The value it has while it is active.
    active: bool,
    /// For so many steps.
    steps: u32,
}

/// A reset lasts at most so many steps.
const LONGEST: u32 = 10_000;

impl Reset {
    /// `NAME`, `NAME=VALUE` or `NAME=VALUE:STEPS`.
    pub(crate) fn read(text: &str) -> Result<Reset, String> {
        let (signal, rest) = text.split_once('=').unwrap_or((text, "1"));
        let (value, steps) = rest.split_once(':').unwrap_or((rest, "1"));
        let active = match value.trim() {
            "0" => false,
            "1" => true,
            other => return Err(format!("the active value of a reset is 0 or 1, not `{other}`")),
        };
        let steps = steps.trim().parse().ok();
        let steps = steps.filter(|steps| (1..=LONGEST).contains(steps));
        let steps = steps.ok_or_else(|| format!("a reset lasts 1 to {LONGEST} steps"))?;
        let signal = signal.trim().to_owned();
        match signal.is_empty() {
            true => Err("a reset is written NAME=VALUE:STEPS".to_owned()),
            false => Ok(Reset {
                signal,
                active,
                steps,
            }),
        }
    }

    /// Constrains a circuit; `top` may stand before the signal's name.
    pub(crate) fn constrain(&self, circuit: &mut Btor2, top: &str) -> Result<(), String> {
        let inside = self
            .signal
            .strip_prefix(top)
            .and_then(|rest| rest.strip_prefix('.'));
        let name = inside.unwrap_or(&self.signal);
        let found = circuit.lines().find(|(line, node)| {
            node.sort() == Some(BitSort::Bits(1)) && circuit.symbols[line.index()].as_deref() == Some(name)
        });
        let Some((signal, _)) = found.map(|(line, node)| (line, node.clone())) else {
            return Err(format!(
                "there is no signal `{}` of one bit to reset",
                self.signal
            ));
        };
        // The register at the end of the chain is false as long as the reset is active.
        let bit = |circuit: &mut Btor2, value: u8| {
            let bits = Arc::new(BigUint::from(value));
            circuit.add(Node::Constant { width: 1, bits }, None)
        };
        let zero = bit(circuit, 0);
        let mut before = bit(circuit, 1);
        for _ in 0..self.steps {
            let state = circuit.add(Node::State(BitSort::Bits(1)), None);
            let value = Argument::plain(zero);
            circuit.add(Node::Init { state, value }, None);
            let value = Argument::plain(before);
            circuit.add(Node::Next { state, value }, None);
            before = state;
        }
        let plain = |line: LineIndex| Argument::plain(line);
        let differs = circuit.add(
            Node::Operation {
                sort: BitSort::Bits(1),
                operator: entail_btor2::Operator::Xor,
                arguments: vec![plain(signal), plain(before)],
                numbers: Vec::new(),
            },
            None,
        );
        // Active high: the signal differs from "over"; active low: it is the same.
        let negated = !self.active;
        circuit.add(
            Node::Constraint(Argument {
                line: differs,
                negated,
            }),
            None,
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_has_a_value_and_a_length() {
        let read = |text: &str| Reset::read(text).map(|reset| (reset.active, reset.steps));
        assert_eq!(read("rst"), Ok((true, 1)));
        assert_eq!(read("rst_n=0"), Ok((false, 1)));
        assert_eq!(read("rst_n=0:3"), Ok((false, 3)));
        for wrong in ["", "=0", "rst=2", "rst=1:0", "rst=1:x", "rst=1:99999999"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
