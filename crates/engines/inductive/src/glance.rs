//! A glance at a property: what one step decides, or a few, with one encoding for all properties of a circuit.
//!
//! Many properties of hardware are true of every state, or false after a step or two. First: is there any state at all, reachable or not, in which the property is violated? (Latches that three-valued
//! simulation shows to be constant have their values.) If not, the property holds, and that these latches are constant is the certificate. Otherwise bounded search (Biere, Cimatti, Clarke, Zhu) for a few steps.
//!
//! Both questions are asked of solvers that live as long as the session: what properties have in common is encoded once, time frames share logic by structural hashing, and what was learned about
//! one property helps with the next. Only the cones of what is asked are encoded. A glance that decides nothing in its time leaves the property to others.

use crate::answer::{Invariant, SafetyAnswer};
use crate::bmc::Interrupted;
use crate::unrolling::Start;
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_sat::{Aig, Cadical, Circuit, ConeEncoder, Lit, Node, Run, SatSolver, Signal, constant_latches};
use rustc_hash::FxHashMap;

/// Steps of the bounded search.
const FEW: u64 = 4;

/// What glances at one circuit share. The circuit may grow between them by gates, not by latches, inputs or constraints.
pub(crate) struct Glance {
    constants: Vec<Option<bool>>,
    anywhere: SharedUnrolling,
    from_start: SharedUnrolling,
}

impl Glance {
    pub(crate) fn new(circuit: &Circuit) -> Glance {
        let constants = constant_latches(circuit);
        Glance {
            anywhere: SharedUnrolling::new(circuit, Start::Anywhere, &constants),
            from_start: SharedUnrolling::new(circuit, Start::Initial, &constants),
            constants,
        }
    }

    /// Whether bad can become true, as far as a glance tells: within at most `bound` steps.
    pub(crate) fn at(
        &mut self,
        circuit: &Circuit,
        bad: Signal,
        bound: Option<u64>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<SafetyAnswer, Interrupted> {
        let stopped = |safe_up_to: Option<u64>| move |spent: Spent| Interrupted { spent, safe_up_to };
        if self
            .anywhere
            .meets(circuit, bad, 0, budget)
            .map_err(stopped(None))?
            .is_none()
        {
            return Ok(SafetyAnswer::Safe(self.certificate()));
        }
        let last = bound.map_or(FEW, |bound| bound.min(FEW));
        for depth in 0..=last {
            progress.report(&Snapshot {
                phase: "a glance at the first steps",
                depth: Some(depth),
                ..Snapshot::default()
            });
            let before = stopped(depth.checked_sub(1));
            let met = self.from_start.meets(circuit, bad, depth as usize, budget);
            if let Some(run) = met.map_err(before)? {
                return Ok(SafetyAnswer::Unsafe(run));
            }
        }
        Ok(SafetyAnswer::SafeUpTo(last))
    }

    /// That constant latches are constant. (It is the same for all properties, so that it is judged once.)
    fn certificate(&self) -> Invariant {
        let constants = self.constants.iter().enumerate();
        let excluded = constants.filter_map(|(position, value)| Some(vec![(position, !(*value)?)]));
        Invariant {
            excluded: excluded.collect(),
            formulas: Vec::new(),
        }
    }
}

/// An unrolling that takes up signals when they are first asked for, in the frames in which they are.
struct SharedUnrolling {
    start: Start,
    constants: Vec<Option<bool>>,
    aig: Aig,
    encoder: ConeEncoder,
    solver: Cadical,
    /// What leaves of the circuit are in each frame, by node.
    frames: Vec<Vec<Option<Signal>>>,
    /// What is required up to each frame. (Of a shorter run nothing is required that only later frames say.)
    required: Vec<Vec<Lit>>,
    latch_at: FxHashMap<Node, usize>,
}

impl SharedUnrolling {
    fn new(circuit: &Circuit, start: Start, constants: &[Option<bool>]) -> SharedUnrolling {
        let latches = circuit.latches.iter().enumerate();
        SharedUnrolling {
            start,
            constants: constants.to_vec(),
            required: Vec::new(),
            latch_at: latches.map(|(position, latch)| (latch.node, position)).collect(),
            aig: Aig::new(),
            encoder: ConeEncoder::new(),
            solver: Cadical::new(),
            frames: Vec::new(),
        }
    }

    /// A run to bad at the end of so many steps, if there is one. From anywhere, the run is not one of the circuit.
    fn meets(
        &mut self,
        circuit: &Circuit,
        bad: Signal,
        depth: usize,
        budget: &Budget,
    ) -> Result<Option<Run>, Spent> {
        budget.check_now()?;
        while self.frames.len() <= depth {
            self.extend(circuit);
        }
        let violated = self.literal(circuit, bad, depth);
        let required = self.required[..=depth].iter().flatten().copied();
        let asked: Vec<Lit> = required.chain([violated]).collect();
        let is_met = self.solver.satisfiable(&asked, budget)?;
        Ok(is_met.then(|| self.run(circuit, depth)))
    }

    /// Adds a frame in which the constraints are required; those on steps are of the step to it.
    fn extend(&mut self, circuit: &Circuit) {
        let here = self.frames.len();
        self.frames.push(Vec::new());
        let required = circuit.constraints.iter().map(|&signal| (signal, here));
        let mut required: Vec<(Signal, usize)> = required.collect();
        match here.checked_sub(1) {
            Some(before) => {
                required.extend(circuit.step_constraints.iter().map(|&signal| (signal, before)));
            }
            None if self.start == Start::Initial => {
                required.extend(circuit.init_constraints.iter().map(|&signal| (signal, 0)));
            }
            None => {}
        }
        let literals = required.into_iter();
        let literals = literals.map(|(signal, frame)| self.literal(circuit, signal, frame));
        let literals = literals.collect();
        self.required.push(literals);
    }

    fn literal(&mut self, circuit: &Circuit, signal: Signal, frame: usize) -> Lit {
        let signal = self.signal(circuit, signal, frame);
        self.encoder.encode(&self.aig, signal, &mut self.solver)
    }

    /// A signal in a frame, its cone taken up.
    fn signal(&mut self, circuit: &Circuit, signal: Signal, frame: usize) -> Signal {
        self.take_up(circuit, vec![signal], frame);
        let leaves = &self.frames[frame];
        let imported = self.aig.import(&circuit.aig, [signal], |_, node| {
            leaves[node.index()].unwrap_or(Signal::FALSE)
        });
        imported.get(signal).expect("its cone was taken up")
    }

    /// Gives the latches and inputs below some signals their meaning in a frame: earlier frames first.
    fn take_up(&mut self, circuit: &Circuit, roots: Vec<Signal>, frame: usize) {
        self.frames[frame].resize(circuit.aig.len(), None);
        let leaves = circuit.aig.cone(roots).into_iter();
        let is_open = |node: &Node| {
            node.index() > 0
                && circuit.aig.fanins(*node).is_none()
                && self.frames[frame][node.index()].is_none()
        };
        let open: Vec<Node> = leaves.filter(is_open).collect();
        let latches = open.iter().filter_map(|node| self.latch_at.get(node).copied());
        let latches: Vec<usize> = latches.collect();
        let nexts: Vec<Signal> = latches.iter().map(|&latch| circuit.latches[latch].next).collect();
        let mut values: FxHashMap<Node, Signal> = FxHashMap::default();
        if let Some(before) = frame.checked_sub(1) {
            self.take_up(circuit, nexts.clone(), before);
            let leaves = &self.frames[before];
            let imported = self.aig.import(&circuit.aig, nexts.iter().copied(), |_, node| {
                leaves[node.index()].unwrap_or(Signal::FALSE)
            });
            for (&latch, &next) in latches.iter().zip(&nexts) {
                let value = self.constants[latch].map(Signal::constant);
                let value = value
                    .or_else(|| imported.get(next))
                    .expect("its cone was taken up");
                values.insert(circuit.latches[latch].node, value);
            }
        } else {
            for &latch in &latches {
                let initial = match self.start {
                    Start::Initial => circuit.latches[latch].init.as_constant(),
                    Start::Anywhere => None,
                };
                if let Some(value) = self.constants[latch].or(initial) {
                    values.insert(circuit.latches[latch].node, Signal::constant(value));
                }
            }
        }
        for node in open {
            let value = values.get(&node).copied();
            let value = value.unwrap_or_else(|| self.aig.leaf());
            self.frames[frame][node.index()] = Some(value);
        }
    }

    /// The run that the solver's model shows; what was not asked about is false, but for latches that have a first value.
    fn run(&self, circuit: &Circuit, last: usize) -> Run {
        let value = |signal: Signal| match (signal.as_constant(), self.encoder.literal(signal)) {
            (Some(value), _) => value,
            (None, Some(literal)) => self.solver.value(literal).unwrap_or(false),
            (None, None) => false,
        };
        let read =
            |frame: usize, node: Node| self.frames[frame].get(node.index()).copied().flatten().map(value);
        let initial = circuit.latches.iter().map(|latch| {
            let known = read(0, latch.node);
            known.or(latch.init.as_constant()).unwrap_or(false)
        });
        let inputs = (0..=last).map(|frame| {
            let inputs = circuit.inputs.iter();
            inputs.map(|&input| read(frame, input).unwrap_or(false)).collect()
        });
        Run {
            initial: initial.collect(),
            inputs: inputs.collect(),
        }
    }
}
