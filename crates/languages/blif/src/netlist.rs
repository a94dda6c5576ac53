//! A flat netlist.

/// A signal, by its position among the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signal(pub u32);

impl Signal {
    /// As a position in a list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a latch holds first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initially {
    /// 0 or 1.
    Value(bool),
    /// 2 or 3, "don't care" and "unknown": nothing is said.
    Unknown,
}

/// A latch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latch {
    /// What it holds next.
    pub input: Signal,
    /// What it holds.
    pub output: Signal,
    /// What it holds first.
    pub initially: Initially,
}

/// A gate: a cover of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// The signal that it drives.
    pub output: Signal,
    /// The signals that it reads.
    pub inputs: Vec<Signal>,
    /// The output has [`Gate::value`] where a row agrees with the inputs: each entry says what an input must be, or nothing.
    pub rows: Vec<Vec<Option<bool>>>,
    /// The value that the rows are about; where no row agrees, the output has the other one.
    pub value: bool,
}

/// A netlist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blif {
    /// The name of the model.
    pub name: String,
    /// The names of signals; those inside instances begin with the instance's path.
    pub names: Vec<String>,
    /// The inputs, in the order of the text.
    pub inputs: Vec<Signal>,
    /// The outputs, in the order of the text.
    pub outputs: Vec<Signal>,
    /// The latches.
    pub latches: Vec<Latch>,
    /// The gates, each after the gates that it reads.
    pub gates: Vec<Gate>,
}

impl Blif {
    /// The name of a signal.
    pub fn name_of(&self, signal: Signal) -> &str {
        &self.names[signal.index()]
    }
}
