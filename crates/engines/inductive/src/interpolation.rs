//! Interpolation (McMillan 2003): over-approximated reachability from refutations of bounded model checking.
//!
//! `R` is a set of states, at first the initial ones. Side A says "a step from `R`", side B "bad is met within the next k - 1 steps of the state
//! after it". If they contradict each other, the interpolant is a set that contains the successors of `R` and from which bad is not that near;
//! it is added to `R`. When nothing new is added, `R` is inductive and has no bad state. If they do not contradict each other and `R` is still
//! the initial states, there is a run to bad; otherwise the approximation was too coarse, and everything starts again with a larger k.
//!
//! Side B demands step constraints only before bad: `path(j) = constraints(j) ∧ (bad(j) ∨ step(j) ∧ path(j + 1))`.
//! The two sides have graphs of their own and share only the variables of the state between them.

use crate::answer::{CircuitFormula, Invariant, Leaf, SafetyAnswer};
use crate::bmc::{Interrupted, bounded_search};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_sat::{Aig, Cadical, Circuit, ConeEncoder, Interpolator, Node, SatSolver, Signal, System, Var};
use rustc_hash::FxHashMap;

/// Sets of states, as signals of one graph whose leaves are the latches.
pub(crate) struct States {
    pub(crate) aig: Aig,
    pub(crate) latches: Vec<Signal>,
    pub(crate) initial: Signal,
}

impl States {
    pub(crate) fn new(circuit: &Circuit) -> States {
        let mut aig = Aig::new();
        let latches: Vec<Signal> = circuit.latches.iter().map(|_| aig.leaf()).collect();
        let mut conjuncts: Vec<Signal> = Vec::new();
        for (latch, &signal) in circuit.latches.iter().zip(&latches) {
            if let Some(value) = latch.init.as_constant() {
                conjuncts.push(signal.flipped_if(!value));
            }
        }
        let constraints = circuit.init_constraints.iter().copied();
        let leaves = leaf_table(circuit, &latches, &[]);
        let imported = aig.import(&circuit.aig, constraints.clone(), |_, node| leaves[node.index()]);
        conjuncts.extend(constraints.filter_map(|signal| imported.get(signal)));
        let initial = aig.and_all(conjuncts);
        States {
            aig,
            latches,
            initial,
        }
    }

    /// Whether every state of the first set is in the second.
    pub(crate) fn is_subset(&self, small: Signal, large: Signal, budget: &Budget) -> Result<bool, Spent> {
        let mut solver = Cadical::new();
        let mut encoder = ConeEncoder::new();
        let inside = encoder.encode(&self.aig, small, &mut solver);
        let outside = !encoder.encode(&self.aig, large, &mut solver);
        Ok(!solver.satisfiable(&[inside, outside], budget)?)
    }
}

/// What the leaves of a circuit's graph are elsewhere.
pub(crate) fn leaf_table(circuit: &Circuit, latches: &[Signal], inputs: &[Signal]) -> Vec<Signal> {
    let mut leaves = vec![Signal::FALSE; circuit.aig.len()];
    for (latch, &signal) in circuit.latches.iter().zip(latches) {
        leaves[latch.node.index()] = signal;
    }
    for (input, &signal) in circuit.inputs.iter().zip(inputs) {
        leaves[input.index()] = signal;
    }
    leaves
}

/// What a search ends with, unless it runs out of time or memory.
pub(crate) type Found = Result<Result<SafetyAnswer, Interrupted>, Spent>;

/// Looks at the initial states, then searches; the search notes up to which depth there is no counterexample.
pub(crate) fn beyond_initial_states(
    circuit: &Circuit,
    bad: Signal,
    budget: &Budget,
    progress: &dyn Progress,
    search: impl FnOnce(States, &mut Option<u64>) -> Found,
) -> Result<SafetyAnswer, Interrupted> {
    match bounded_search(circuit, bad, Some(0), budget, progress) {
        Ok(SafetyAnswer::SafeUpTo(_)) => {}
        other => return other,
    }
    let mut proved = Some(0);
    search(States::new(circuit), &mut proved).unwrap_or_else(|spent| {
        Err(Interrupted {
            spent,
            safe_up_to: proved,
        })
    })
}

/// Decides whether bad is reachable.
pub fn interpolation(
    circuit: &Circuit,
    bad: Signal,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<SafetyAnswer, Interrupted> {
    beyond_initial_states(circuit, bad, budget, progress, |states, proved| {
        search(circuit, bad, states, budget, progress, proved)
    })
}

fn search(
    circuit: &Circuit,
    bad: Signal,
    mut states: States,
    budget: &Budget,
    progress: &dyn Progress,
    proved: &mut Option<u64>,
) -> Found {
    let initial = states.initial;
    for depth in 1u64.. {
        let behind = Behind::new(circuit, bad, depth);
        let mut reached = initial;
        loop {
            budget.check_now()?;
            progress.report(&Snapshot {
                phase: "interpolation",
                depth: Some(depth),
                nodes: Some(states.aig.len() as u64),
                ..Snapshot::default()
            });
            match image(circuit, &mut states, reached, &behind, budget)? {
                Image::Within(next) => {
                    *proved = (*proved).max(Some(depth));
                    if states.is_subset(next, reached, budget)? {
                        return Ok(Ok(SafetyAnswer::Safe(invariant(&states, reached))));
                    }
                    reached = states.aig.or(reached, next);
                }
                Image::MeetsBad if reached == initial => {
                    // A run exists; the bounded search finds a shortest one.
                    return Ok(bounded_search(circuit, bad, Some(depth), budget, progress));
                }
                Image::MeetsBad => break,
                Image::NoProof => {
                    return Ok(Ok(SafetyAnswer::SafeUpTo(proved.unwrap_or(0))));
                }
            }
        }
    }
    unreachable!("the depths do not end")
}

pub(crate) fn invariant(states: &States, reached: Signal) -> Invariant {
    // Only what the formula depends on goes into the certificate.
    let mut aig = Aig::new();
    let mut leaves: Vec<(Node, Leaf)> = Vec::new();
    let positions: FxHashMap<Node, usize> = states
        .latches
        .iter()
        .enumerate()
        .map(|(position, signal)| (signal.node(), position))
        .collect();
    let imported = aig.import(&states.aig, [reached], |aig, node| {
        let leaf = aig.leaf();
        leaves.push((leaf.node(), Leaf::Latch(positions[&node])));
        leaf
    });
    let signal = imported.get(reached).unwrap_or(Signal::TRUE);
    Invariant {
        excluded: Vec::new(),
        formulas: vec![CircuitFormula {
            aig,
            leaves,
            claims: vec![(signal, Signal::TRUE)],
        }],
    }
}

/// Side B: the bad signal is true at one of some positions.
struct Behind {
    aig: Aig,
    latches: Vec<Signal>,
    path: Signal,
}

impl Behind {
    fn new(circuit: &Circuit, bad: Signal, positions: u64) -> Behind {
        let mut aig = Aig::new();
        let first: Vec<Signal> = circuit.latches.iter().map(|_| aig.leaf()).collect();
        let mut latches = first.clone();
        let mut roots: Vec<Signal> = circuit.latches.iter().map(|latch| latch.next).collect();
        roots.extend(circuit.constraints.iter().chain(&circuit.step_constraints));
        roots.push(bad);
        // For each position: its constraints, bad, and what a step needs.
        let mut seen: Vec<(Signal, Signal, Signal)> = Vec::new();
        for _ in 0..positions {
            let inputs: Vec<Signal> = circuit.inputs.iter().map(|_| aig.leaf()).collect();
            let leaves = leaf_table(circuit, &latches, &inputs);
            let imported = aig.import(&circuit.aig, roots.iter().copied(), |_, node| {
                leaves[node.index()]
            });
            let moved = |signal: &Signal| imported.get(*signal).expect("a root");
            let constraints: Vec<Signal> = circuit.constraints.iter().map(moved).collect();
            let steps: Vec<Signal> = circuit.step_constraints.iter().map(moved).collect();
            let (constraint, step) = (aig.and_all(constraints), aig.and_all(steps));
            seen.push((constraint, moved(&bad), step));
            latches = circuit.latches.iter().map(|latch| moved(&latch.next)).collect();
        }
        let path = seen
            .into_iter()
            .rev()
            .fold(Signal::FALSE, |path, (constraint, bad, step)| {
                let further = aig.and(step, path);
                let met = aig.or(bad, further);
                aig.and(constraint, met)
            });
        Behind {
            aig,
            latches: first,
            path,
        }
    }
}

enum Image {
    /// The successors are in this set, from which bad is not near.
    Within(Signal),
    MeetsBad,
    /// The solver's proof cannot be used.
    NoProof,
}

/// One step from a set, and not to bad within the positions behind it.
fn image(
    circuit: &Circuit,
    states: &mut States,
    from: Signal,
    behind: &Behind,
    budget: &Budget,
) -> Result<Image, Spent> {
    let mut solver = Interpolator::new();
    let between: Vec<Var> = circuit.latches.iter().map(|_| solver.new_var()).collect();

    solver.set_part(0);
    let mut aig = Aig::new();
    let latches: Vec<Signal> = circuit.latches.iter().map(|_| aig.leaf()).collect();
    let inputs: Vec<Signal> = circuit.inputs.iter().map(|_| aig.leaf()).collect();
    let leaves = leaf_table(circuit, &latches, &inputs);
    let mut roots: Vec<Signal> = circuit.latches.iter().map(|latch| latch.next).collect();
    roots.extend(circuit.constraints.iter().chain(&circuit.step_constraints));
    let imported = aig.import(&circuit.aig, roots, |_, node| leaves[node.index()]);
    let of_state: FxHashMap<Node, Signal> = states
        .latches
        .iter()
        .zip(&latches)
        .map(|(leaf, &latch)| (leaf.node(), latch))
        .collect();
    let set = aig.import(&states.aig, [from], |_, node| of_state[&node]);
    let mut encoder = ConeEncoder::new();
    let constraints = circuit.constraints.iter().chain(&circuit.step_constraints);
    let required = constraints
        .filter_map(|&signal| imported.get(signal))
        .chain(set.get(from));
    for signal in required.collect::<Vec<_>>() {
        let literal = encoder.encode(&aig, signal, &mut solver);
        solver.add_clause(&[literal]);
    }
    for (latch, &variable) in circuit.latches.iter().zip(&between) {
        let next = imported.get(latch.next).expect("a root");
        let next = encoder.encode(&aig, next, &mut solver);
        solver.add_clause(&[!next, variable.lit(true)]);
        solver.add_clause(&[next, variable.lit(false)]);
    }

    solver.set_part(1);
    let mut encoder = ConeEncoder::new();
    for (leaf, &variable) in behind.latches.iter().zip(&between) {
        encoder.bind(&behind.aig, leaf.node(), variable);
    }
    let path = encoder.encode(&behind.aig, behind.path, &mut solver);
    solver.add_clause(&[path]);

    if solver.satisfiable(&[], budget)? {
        return Ok(Image::MeetsBad);
    }
    let latches = &states.latches;
    let position = |variable: Var| variable.index();
    let interpolant = solver.interpolant(0, System::McMillan, &mut states.aig, |_, variable| {
        latches[position(variable)]
    });
    Ok(interpolant.map_or(Image::NoProof, Image::Within))
}
