//! A circuit unrolled in time, as one growing and-inverter graph and one growing set of clauses.
//!
//! Time frames are built by structural hashing over the frames before: constants from the initial state run through the graph, and logic
//! that does not change between frames is shared. Clauses are added only for the cones that are asked about.

use entail_sat::{Aig, Circuit, ConeEncoder, Imported, Lit, Run, SatSolver, Signal};

/// How the first frame's latches start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In an initial state.
    Initial,
    /// Anywhere.
    Anywhere,
}

struct Frame {
    latches: Vec<Signal>,
    inputs: Vec<Signal>,
    imported: Imported,
}

/// The unrolling of a circuit in a solver.
pub struct Unrolling<'a, S> {
    circuit: &'a Circuit,
    aig: Aig,
    frames: Vec<Frame>,
    encoder: ConeEncoder,
    /// The solver; the circuit's constraints are required in every frame.
    pub solver: S,
    start: Start,
    roots: Vec<Signal>,
}

impl<'a, S: SatSolver> Unrolling<'a, S> {
    /// An unrolling without frames; `roots` are the signals that will be asked for beside the circuit's own.
    pub fn new(circuit: &'a Circuit, roots: &[Signal], start: Start, solver: S) -> Unrolling<'a, S> {
        let mut all: Vec<Signal> = circuit.latches.iter().map(|latch| latch.next).collect();
        all.extend(
            circuit
                .constraints
                .iter()
                .chain(&circuit.step_constraints)
                .chain(roots),
        );
        if start == Start::Initial {
            all.extend(&circuit.init_constraints);
        }
        Unrolling {
            circuit,
            aig: Aig::new(),
            frames: Vec::new(),
            encoder: ConeEncoder::new(),
            solver,
            start,
            roots: all,
        }
    }

    /// How many frames there are.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Adds a frame, with the constraints; the frame before it gets its step constraints.
    pub fn extend(&mut self) {
        let latches: Vec<Signal> = match self.frames.last() {
            Some(last) => {
                let next = self
                    .circuit
                    .latches
                    .iter()
                    .map(|latch| last.imported.get(latch.next));
                next.map(|signal| signal.expect("next functions are roots"))
                    .collect()
            }
            None => {
                let initial = |init: entail_sat::Init| match (self.start, init.as_constant()) {
                    (Start::Initial, Some(value)) => Some(Signal::constant(value)),
                    _ => None,
                };
                let inits: Vec<Option<Signal>> = self
                    .circuit
                    .latches
                    .iter()
                    .map(|latch| initial(latch.init))
                    .collect();
                inits
                    .into_iter()
                    .map(|init| init.unwrap_or_else(|| self.aig.leaf()))
                    .collect()
            }
        };
        let inputs: Vec<Signal> = self.circuit.inputs.iter().map(|_| self.aig.leaf()).collect();
        let mut leaves = vec![Signal::FALSE; self.circuit.aig.len()];
        for (latch, &signal) in self.circuit.latches.iter().zip(&latches) {
            leaves[latch.node.index()] = signal;
        }
        for (input, &signal) in self.circuit.inputs.iter().zip(&inputs) {
            leaves[input.index()] = signal;
        }
        let roots = self.roots.iter().copied();
        let imported = self
            .aig
            .import(&self.circuit.aig, roots, |_, node| leaves[node.index()]);
        self.frames.push(Frame {
            latches,
            inputs,
            imported,
        });
        let here = self.frames.len() - 1;
        let mut required: Vec<(Signal, usize)> = self
            .circuit
            .constraints
            .iter()
            .map(|&signal| (signal, here))
            .collect();
        if here > 0 {
            required.extend(
                self.circuit
                    .step_constraints
                    .iter()
                    .map(|&signal| (signal, here - 1)),
            );
        } else if self.start == Start::Initial {
            required.extend(self.circuit.init_constraints.iter().map(|&signal| (signal, 0)));
        }
        for (signal, frame) in required {
            let literal = self.literal(signal, frame);
            self.solver.add_clause(&[literal]);
        }
    }

    /// The signal of a root in a frame.
    pub fn signal(&self, signal: Signal, frame: usize) -> Signal {
        self.frames[frame]
            .imported
            .get(signal)
            .expect("only roots are asked for")
    }

    /// The literal of a root in a frame, its cone encoded.
    pub fn literal(&mut self, signal: Signal, frame: usize) -> Lit {
        let signal = self.signal(signal, frame);
        self.encoder.encode(&self.aig, signal, &mut self.solver)
    }

    /// A literal that says that the latches of two frames differ.
    pub fn differ(&mut self, first: usize, second: usize) -> Lit {
        let pairs: Vec<(Signal, Signal)> = self.frames[first]
            .latches
            .iter()
            .copied()
            .zip(self.frames[second].latches.iter().copied())
            .collect();
        let mut differences = Vec::with_capacity(pairs.len());
        for (a, b) in pairs {
            differences.push(self.aig.xor(a, b));
        }
        let differ = self.aig.or_all(differences);
        self.encoder.encode(&self.aig, differ, &mut self.solver)
    }

    /// The run up to a frame that the solver's model shows; what the clauses do not speak of is false.
    pub fn run(&self, last: usize) -> Run {
        let value = |signal: Signal| match (signal.as_constant(), self.encoder.literal(signal)) {
            (Some(value), _) => value,
            (None, Some(literal)) => self.solver.value(literal).unwrap_or(false),
            (None, None) => false,
        };
        let read = |signals: &[Signal]| signals.iter().map(|&signal| value(signal)).collect::<Vec<bool>>();
        Run {
            initial: read(&self.frames[0].latches),
            inputs: self.frames[..=last]
                .iter()
                .map(|frame| read(&frame.inputs))
                .collect(),
        }
    }
}
