//! Small covers as gates.
//!
//! A cover of a netlist lists where it is true, row by row: the sum of three bits has four rows of three entries, that of five has sixteen. Circuits that are compared have more in
//! common where such a function is written with the gates it is made of. So the function is taken apart by its truth table, from the outside in:
//!
//! 1. An input whose cofactors are constant or complements of one another is a gate by itself (`x ∧ g`, `x ∨ g`, `x ⊕ g`).
//! 2. Two inputs that the function reads as one bit (of the four cofactors there are only two) are a gate that the rest reads: a disjoint decomposition (Ashenhurst, "The decomposition of
//!    switching functions", 1957).
//! 3. Otherwise an input chooses between its cofactors (Shannon), the one that leaves the fewest inputs to both.
//!
//! The function stays what it was on values 0 and 1; with X it may know more or less. The cost is bounded by the number of inputs, which is at most [`MOST_INPUTS`].

use crate::netlist::{Builder, complement};
use entail_btor2::{Argument, BitSort, Operator};
use rustc_hash::FxHashMap;

const BIT: BitSort = BitSort::Bits(1);

/// Covers of more inputs are left as they are written.
pub(crate) const MOST_INPUTS: usize = 6;

/// The values of each input, in the order of truth tables.
const INPUTS: [u64; MOST_INPUTS] = [
    0xAAAA_AAAA_AAAA_AAAA,
    0xCCCC_CCCC_CCCC_CCCC,
    0xF0F0_F0F0_F0F0_F0F0,
    0xFF00_FF00_FF00_FF00,
    0xFFFF_0000_FFFF_0000,
    0xFFFF_FFFF_0000_0000,
];

/// The truth table of a cover.
pub(crate) fn table_of(rows: &[Vec<Option<bool>>], value: bool) -> u64 {
    let agrees = |row: &Vec<Option<bool>>| {
        let entries = row.iter().zip(INPUTS);
        entries.fold(u64::MAX, |all, (entry, input)| match entry {
            None => all,
            Some(true) => all & input,
            Some(false) => all & !input,
        })
    };
    let some = rows.iter().map(agrees).fold(0, |some, row| some | row);
    if value { some } else { !some }
}

/// The function of a table where an input has a value; it does not read the input any more.
fn cofactor(table: u64, input: usize, value: bool) -> u64 {
    let kept = if value {
        table & INPUTS[input]
    } else {
        table & !INPUTS[input]
    };
    let shift = 1 << input;
    kept | if value { kept >> shift } else { kept << shift }
}

fn reads(table: u64, input: usize) -> bool {
    cofactor(table, input, false) != cofactor(table, input, true)
}

/// Gates with the function of a table of some inputs.
pub(crate) fn gates_of(builder: &mut Builder, table: u64, inputs: &[Argument]) -> Argument {
    let mut making = Making {
        builder,
        inputs: inputs.to_vec(),
        known: FxHashMap::default(),
    };
    making.function(table)
}

/// Functions of the same inputs that have been made.
struct Making<'b> {
    builder: &'b mut Builder,
    inputs: Vec<Argument>,
    known: FxHashMap<u64, Argument>,
}

impl Making<'_> {
    fn gate(&mut self, operator: Operator, arguments: Vec<Argument>) -> Argument {
        self.builder.operation(operator, BIT, arguments, Vec::new())
    }

    fn function(&mut self, table: u64) -> Argument {
        if table == 0 || table == u64::MAX {
            return self.builder.constant(table != 0);
        }
        for (input, &argument) in self.inputs.iter().enumerate() {
            if table == INPUTS[input] || table == !INPUTS[input] {
                return if table == INPUTS[input] {
                    argument
                } else {
                    complement(argument)
                };
            }
        }
        if let Some(&made) = self.known.get(&table) {
            return made;
        }
        if let Some(&made) = self.known.get(&!table) {
            return complement(made);
        }
        let read: Vec<usize> = (0..self.inputs.len())
            .filter(|&input| reads(table, input))
            .collect();
        let by_one = read.iter().find_map(|&input| self.one_input(table, input));
        let made = match by_one.or_else(|| self.two_inputs(table, &read)) {
            Some(made) => made,
            None => self.choice(table, &read),
        };
        self.known.insert(table, made);
        made
    }

    /// An input and a function of the others under one operator.
    fn one_input(&mut self, table: u64, input: usize) -> Option<Argument> {
        let (low, high) = (cofactor(table, input, false), cofactor(table, input, true));
        let argument = self.inputs[input];
        // A disjunction is made as the complement of a conjunction.
        let (operator, argument, rest, flipped) = match (low, high) {
            (0, rest) => (Operator::And, argument, rest, false),
            (rest, 0) => (Operator::And, complement(argument), rest, false),
            (u64::MAX, rest) => (Operator::And, argument, !rest, true),
            (rest, u64::MAX) => (Operator::And, complement(argument), !rest, true),
            (low, high) if low == !high => (Operator::Xor, argument, low, false),
            _ => return None,
        };
        let rest = self.function(rest);
        let made = self.gate(operator, vec![argument, rest]);
        Some(if flipped { complement(made) } else { made })
    }

    /// Two inputs that are read as one bit.
    fn two_inputs(&mut self, table: u64, read: &[usize]) -> Option<Argument> {
        let pairs = read.iter().enumerate();
        let mut pairs = pairs.flat_map(|(at, &first)| read[..at].iter().map(move |&second| (first, second)));
        pairs.find_map(|(first, second)| {
            // Where both are 0; where the second is 1; the first; both.
            let at = |one, other| cofactor(cofactor(table, first, one), second, other);
            let parts = [at(false, false), at(false, true), at(true, false), at(true, true)];
            let differs = parts.map(|part| part != parts[0]);
            let other = parts.into_iter().find(|part| *part != parts[0])?;
            if !parts.iter().all(|part| *part == parts[0] || *part == other) {
                return None;
            }
            let within = [0, 1, 2, 3].map(|place| match place {
                0 => !INPUTS[first] & !INPUTS[second],
                1 => !INPUTS[first] & INPUTS[second],
                2 => INPUTS[first] & !INPUTS[second],
                _ => INPUTS[first] & INPUTS[second],
            });
            let places = within.into_iter().zip(differs);
            let bit = places.fold(0, |bit, (place, differs)| if differs { bit | place } else { bit });
            let bit = self.function(bit);
            let mut inputs = self.inputs.clone();
            inputs[first] = bit;
            let rest = (parts[0] & !INPUTS[first]) | (other & INPUTS[first]);
            Some(gates_of(self.builder, rest, &inputs))
        })
    }

    /// An input chooses between the two functions that it leaves.
    fn choice(&mut self, table: u64, read: &[usize]) -> Argument {
        let size = |part: u64| read.iter().filter(|&&input| reads(part, input)).count();
        let left =
            |&&input: &&usize| size(cofactor(table, input, false)) + size(cofactor(table, input, true));
        let Some(&input) = read.iter().min_by_key(left) else {
            return self.builder.constant(table & 1 == 1);
        };
        let low = self.function(cofactor(table, input, false));
        let high = self.function(cofactor(table, input, true));
        let chosen = self.inputs[input];
        self.gate(Operator::Ite, vec![chosen, high, low])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_btor2::{Btor2, Node};
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    /// The table of a line of a circuit whose first lines are the inputs.
    fn value(circuit: &Btor2, argument: Argument) -> u64 {
        let flip = if argument.negated { u64::MAX } else { 0 };
        let own = match circuit.node(argument.line) {
            Node::Input(_) => INPUTS[argument.line.index()],
            Node::Constant { .. } => 0,
            Node::Operation {
                operator, arguments, ..
            } => {
                let of: Vec<u64> = arguments.iter().map(|one| value(circuit, *one)).collect();
                match operator {
                    Operator::And => of[0] & of[1],
                    Operator::Xor => of[0] ^ of[1],
                    Operator::Ite => (of[0] & of[1]) | (!of[0] & of[2]),
                    other => panic!("{other:?} is not made"),
                }
            }
            other => panic!("{other:?} is not made"),
        };
        own ^ flip
    }

    fn inputs_of(builder: &mut Builder, count: usize) -> Vec<Argument> {
        let inputs = (0..count).map(|_| builder.circuit.add(Node::Input(BIT), None));
        inputs.map(Argument::plain).collect()
    }

    #[test]
    fn gates_have_the_function_of_the_rows() {
        let effort = std::env::var("ENTAIL_EFFORT").map_or(1, |text| text.parse().unwrap_or(1_usize));
        let mut random = StdRng::seed_from_u64(3);
        for _ in 0..4_000 * effort {
            let count = random.random_range(0..=MOST_INPUTS);
            let rows: Vec<Vec<Option<bool>>> = (0..random.random_range(0..9))
                .map(|_| {
                    let entry = |_| match random.random_range(0..3) {
                        0 => None,
                        other => Some(other == 1),
                    };
                    (0..count).map(entry).collect()
                })
                .collect();
            let truth = random.random_bool(0.7);
            let mut builder = Builder::default();
            let inputs = inputs_of(&mut builder, count);
            let made = gates_of(&mut builder, table_of(&rows, truth), &inputs);
            let table = value(&builder.circuit, made);
            for situation in 0..1_usize << count {
                let agrees = |row: &Vec<Option<bool>>| {
                    let mut entries = row.iter().enumerate();
                    entries.all(|(at, entry)| entry.is_none_or(|one| one == (situation >> at & 1 == 1)))
                };
                let expected = rows.iter().any(agrees) == truth;
                assert_eq!(table >> situation & 1 == 1, expected, "{rows:?} {situation}");
            }
        }
    }

    /// The parity of six bits has 32 rows, and five gates; the carry of an adder has three rows, and five.
    #[test]
    fn sums_are_chains_of_gates() {
        let mut builder = Builder::default();
        let inputs = inputs_of(&mut builder, MOST_INPUTS);
        let parity = INPUTS.into_iter().fold(0, |all, input| all ^ input);
        gates_of(&mut builder, parity, &inputs);
        assert_eq!(builder.circuit.nodes.len(), MOST_INPUTS + 5);
        // Two inputs that are read as one bit.
        let mut builder = Builder::default();
        let inputs = inputs_of(&mut builder, 4);
        let sum = INPUTS[0] ^ INPUTS[1];
        let carry = (sum & INPUTS[2]) | (!sum & INPUTS[3]);
        gates_of(&mut builder, carry, &inputs);
        assert_eq!(builder.circuit.nodes.len(), 4 + 2);
    }
}
