//! A circuit as the binary format has it: a few flat arrays, the numbers of variables implied by their positions.

use std::collections::BTreeMap;

/// A literal: twice a variable, plus one if it is negated. The constants are 0 (false) and 1 (true).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(pub u32);

impl Literal {
    /// The constant false.
    pub const FALSE: Literal = Literal(0);
    /// The constant true.
    pub const TRUE: Literal = Literal(1);

    /// A variable, not negated.
    pub fn of(variable: u32) -> Literal {
        Literal(variable << 1)
    }

    /// The variable.
    pub fn variable(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it is negated.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Negated if `flip`.
    pub fn flipped_if(self, flip: bool) -> Literal {
        Literal(self.0 ^ u32::from(flip))
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// What a latch holds first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reset {
    /// False.
    Zero,
    /// True.
    One,
    /// Anything.
    Free,
}

/// A latch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latch {
    /// What it holds next.
    pub next: Literal,
    /// What it holds first.
    pub reset: Reset,
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SymbolKind {
    /// An input.
    Input,
    /// A latch.
    Latch,
    /// An output.
    Output,
    /// A bad-state property.
    Bad,
    /// An invariant constraint.
    Constraint,
    /// A justice property.
    Justice,
    /// A fairness constraint.
    Fairness,
}

/// The letter that stands for each kind.
const LETTERS: [(SymbolKind, u8); 7] = [
    (SymbolKind::Input, b'i'),
    (SymbolKind::Latch, b'l'),
    (SymbolKind::Output, b'o'),
    (SymbolKind::Bad, b'b'),
    (SymbolKind::Constraint, b'c'),
    (SymbolKind::Justice, b'j'),
    (SymbolKind::Fairness, b'f'),
];

impl SymbolKind {
    /// The kind a letter stands for.
    pub fn of_letter(letter: u8) -> Option<SymbolKind> {
        LETTERS.iter().find(|row| row.1 == letter).map(|row| row.0)
    }

    /// The letter that stands for it.
    pub fn letter(self) -> char {
        LETTERS
            .iter()
            .find(|row| row.0 == self)
            .map_or('?', |row| char::from(row.1))
    }
}

/// A circuit. Variable 0 is the constant; then come the inputs, the latches, and the gates in an order in which operands precede
/// gates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aiger {
    /// Number of inputs.
    pub inputs: u32,
    /// The latches.
    pub latches: Vec<Latch>,
    /// The operands of each gate.
    pub gates: Vec<[Literal; 2]>,
    /// The outputs.
    pub outputs: Vec<Literal>,
    /// Bad-state properties.
    pub bad: Vec<Literal>,
    /// Invariant constraints.
    pub constraints: Vec<Literal>,
    /// Justice properties.
    pub justice: Vec<Vec<Literal>>,
    /// Fairness constraints.
    pub fairness: Vec<Literal>,
    /// Names, by kind and position.
    pub symbols: BTreeMap<(SymbolKind, u32), String>,
    /// The comment at the end.
    pub comment: String,
}

impl Aiger {
    /// The variable of an input.
    pub fn input(&self, position: u32) -> Literal {
        Literal::of(1 + position)
    }

    /// The variable of a latch.
    pub fn latch(&self, position: u32) -> Literal {
        Literal::of(1 + self.inputs + position)
    }

    /// The variable of a gate.
    pub fn gate(&self, position: u32) -> Literal {
        Literal::of(1 + self.inputs + self.latches.len() as u32 + position)
    }

    /// The largest variable.
    pub fn last_variable(&self) -> u32 {
        self.inputs + (self.latches.len() + self.gates.len()) as u32
    }

    /// The name of something, if it has one.
    pub fn symbol(&self, kind: SymbolKind, position: u32) -> Option<&str> {
        self.symbols.get(&(kind, position)).map(String::as_str)
    }

    /// How many there are of a kind.
    pub fn count(&self, kind: SymbolKind) -> usize {
        match kind {
            SymbolKind::Input => self.inputs as usize,
            SymbolKind::Latch => self.latches.len(),
            SymbolKind::Output => self.outputs.len(),
            SymbolKind::Bad => self.bad.len(),
            SymbolKind::Constraint => self.constraints.len(),
            SymbolKind::Justice => self.justice.len(),
            SymbolKind::Fairness => self.fairness.len(),
        }
    }

    /// Before version 1.9 there were only outputs; model checkers read them as bad states, and still do where a file names no property.
    pub fn outputs_are_bad(&self) -> bool {
        self.bad.is_empty() && self.justice.is_empty()
    }

    /// What must never be true: the bad-state properties, or else the outputs; with the kind their names are filed under.
    pub fn bad_states(&self) -> (SymbolKind, &[Literal]) {
        if self.outputs_are_bad() {
            (SymbolKind::Output, &self.outputs)
        } else {
            (SymbolKind::Bad, &self.bad)
        }
    }

    /// The values of all variables, given those of inputs and latches. A plain reference, linear in the circuit.
    pub fn evaluate(&self, inputs: &[bool], latches: &[bool]) -> Vec<bool> {
        let mut values = Vec::with_capacity(self.last_variable() as usize + 1);
        values.push(false);
        values.extend_from_slice(inputs);
        values.extend_from_slice(latches);
        for &[a, b] in &self.gates {
            let gate = Aiger::value(&values, a) && Aiger::value(&values, b);
            values.push(gate);
        }
        values
    }

    /// A literal's value, given those of the variables.
    pub fn value(values: &[bool], literal: Literal) -> bool {
        values[literal.variable() as usize] != literal.is_negated()
    }
}
