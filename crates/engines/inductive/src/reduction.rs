//! Making a circuit smaller for one question, and the way back.
//!
//! Constants: latches that three-valued simulation shows to be constant are replaced by their values. The simulation's result is
//! inductive, so a certificate for the whole circuit says it too.
//!
//! Equivalent signals: gates that are the same function of latches and inputs are one. That needs no word in a certificate; where circuits are
//! compared, it is said all the same, since it is most of what a checker has to find out.
//!
//! Corresponding signals: where a proof shows that a latch or a gate always agrees with an earlier one (or its complement), the earlier one
//! takes its place. The equalities are inductive together, and a certificate says them.
//!
//! Cone of influence: latches and inputs that neither bad nor a constraint depends on are left out. A run of the small circuit is a run of
//! the whole one, whatever the others do (their next values are simulated, their inputs are arbitrary, their initial values are
//! any that they may have); an invariant of the small one is one of the whole.

use crate::answer::{CircuitFormula, Invariant, Leaf, SafetyAnswer};
use crate::bmc::Interrupted;
use crate::ic3::ic3;
use entail_budget::{Budget, Progress};
use entail_sat::{
    Aig, Circuit, Correspondence, Effort, Latch, Node, Run, Signal, constant_latches, corresponding_signals,
    equivalent_signals,
};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// How long a circuit may be looked at before the search proper begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience {
    /// Little: a search that may find a counterexample at once follows.
    Little,
    /// Much: a proof is looked for.
    Much,
}

impl Patience {
    /// The time to spend, given what is left.
    fn within(self, left: Option<Duration>) -> Duration {
        let (share, most) = match self {
            Patience::Little => (20, Duration::from_secs(1)),
            Patience::Much => (4, Duration::from_secs(20)),
        };
        left.map_or(most, |left| (left / share).min(most))
    }
}

/// What a certificate says of signals that were merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// As little as implies the rest.
    Essential,
    /// Everything, in an order in which each is easily seen after those before it.
    Everything,
}

/// A smaller circuit with the way back.
pub(crate) struct Reduced {
    pub(crate) circuit: Circuit,
    pub(crate) bad: Signal,
    /// From the whole circuit to the small one.
    steps: Vec<Step>,
}

impl Reduced {
    /// Leaves out what `bad` does not depend on, and constants.
    pub(crate) fn new(whole: &Circuit, bad: Signal) -> Reduced {
        let mut same_as = Correspondence::trivial(whole);
        for (latch, value) in whole.latches.iter().zip(constant_latches(whole)) {
            if let Some(value) = value {
                same_as.merge(latch.node, Signal::constant(value));
            }
        }
        let told: Vec<Vec<Node>> = same_as.essential().iter().map(|&node| vec![node]).collect();
        let (circuit, bad, step) = Step::take(whole, bad, &same_as, &told);
        Reduced {
            circuit,
            bad,
            steps: vec![step],
        }
    }

    /// The same, and with equivalent and corresponding signals merged, as far as they are found in time. Correspondences
    /// that depend on other inputs than the `observable` ones are not used.
    pub(crate) fn merging(
        whole: &Circuit,
        bad: Signal,
        observable: &[bool],
        patience: Patience,
        budget: &Budget,
    ) -> Reduced {
        let patience = patience.within(budget.time_left());
        Reduced::telling(whole, bad, observable, Telling::Essential, &budget.part(patience))
    }

    /// The same within a budget; what is merged is told in certificates.
    pub(crate) fn telling(
        whole: &Circuit,
        bad: Signal,
        observable: &[bool],
        telling: Telling,
        budget: &Budget,
    ) -> Reduced {
        let mut reduced = Reduced::new(whole, bad);
        let effort = match telling {
            Telling::Essential => Effort::Little,
            Telling::Everything => Effort::Much,
        };
        if let Ok(found) = equivalent_signals(&reduced.circuit, effort, budget) {
            let hidden = reduced.hidden(observable);
            reduced.merge(&found, telling, &hidden);
        }
        let hidden = reduced.hidden(observable);
        let is_candidate = |node: Node| !hidden[node.index()];
        // Without latches no step says more than any position does.
        if reduced.bad != Signal::FALSE
            && !reduced.circuit.latches.is_empty()
            && let Ok(found) = corresponding_signals(&reduced.circuit, is_candidate, effort, budget)
        {
            reduced.merge(&found, telling, &hidden);
        }
        reduced
    }

    /// For each node of the small circuit, whether it depends on an input that is not observable: nothing can be said about it.
    fn hidden(&self, observable: &[bool]) -> Vec<bool> {
        let inputs = self.circuit.inputs.iter().zip(self.observable(observable));
        let hidden: Vec<Node> = inputs
            .filter(|(_, seen)| !seen)
            .map(|(&input, _)| input)
            .collect();
        self.circuit.aig.depending_on(&hidden)
    }

    /// Which inputs of the small circuit are observable, given those of the whole.
    pub(crate) fn observable(&self, in_whole: &[bool]) -> Vec<bool> {
        let outwards = |input: usize| {
            self.steps
                .iter()
                .rev()
                .fold(input, |input, step| step.inputs[input])
        };
        let inputs = 0..self.circuit.inputs.len();
        inputs.map(|input| in_whole[outwards(input)]).collect()
    }

    /// The position in the whole circuit of a latch of the small one.
    pub(crate) fn latch_of_whole(&self, latch: usize) -> usize {
        let outwards = self.steps.iter().rev();
        outwards.fold(latch, |latch, step| step.latches[latch])
    }

    fn merge(&mut self, found: &Correspondence, telling: Telling, hidden: &[bool]) {
        if found.merged().next().is_some() {
            let told: Vec<Vec<Node>> = match telling {
                Telling::Essential => found.essential().iter().map(|&node| vec![node]).collect(),
                Telling::Everything => {
                    let is_told =
                        |(node, same): &(Node, Signal)| !hidden[node.index()] && !hidden[same.node().index()];
                    vec![found.merged().filter(is_told).map(|(node, _)| node).collect()]
                }
            };
            let (circuit, bad, step) = Step::take(&self.circuit, self.bad, found, &told);
            self.circuit = circuit;
            self.bad = bad;
            self.steps.push(step);
        }
    }

    /// An answer about the small circuit as one about the whole.
    pub(crate) fn lift(&self, answer: SafetyAnswer) -> SafetyAnswer {
        let outwards = self.steps.iter().rev();
        match answer {
            SafetyAnswer::Safe(invariant) => {
                SafetyAnswer::Safe(outwards.fold(invariant, |invariant, step| step.lift_invariant(invariant)))
            }
            SafetyAnswer::Unsafe(run) => {
                SafetyAnswer::Unsafe(outwards.fold(run, |run, step| step.lift_run(&run)))
            }
            bounded => bounded,
        }
    }
}

/// One reduction, from a larger circuit to a smaller one.
struct Step {
    /// For each latch of the smaller circuit, its position in the larger one.
    latches: Vec<usize>,
    inputs: Vec<usize>,
    /// What the latches of the larger circuit hold initially where the smaller one does not say.
    initial: Vec<Initially>,
    inputs_before: usize,
    /// What was used: signals of the larger circuit that agree.
    agreeing: Vec<CircuitFormula>,
}

/// The initial value of a latch that may not be in the smaller circuit.
#[derive(Clone, Copy)]
enum Initially {
    Constant(bool),
    /// That of an earlier latch, or its complement.
    Latch(usize, bool),
}

impl Step {
    /// Leaves out what `bad` does not depend on where nodes are replaced by what they agree with; of some of them, in groups, certificates will tell.
    fn take(
        larger: &Circuit,
        bad: Signal,
        same_as: &Correspondence,
        told: &[Vec<Node>],
    ) -> (Circuit, Signal, Step) {
        let resolve = |signal: Signal| same_as.of(signal.node()).flipped_if(signal.is_complemented());
        let mut latch_at = vec![None; larger.aig.len()];
        for (position, latch) in larger.latches.iter().enumerate() {
            latch_at[latch.node.index()] = Some(position);
        }
        let roots: Vec<Signal> = larger
            .init_constraints
            .iter()
            .chain(&larger.constraints)
            .chain(&larger.step_constraints)
            .copied()
            .chain([bad])
            .collect();
        let mut needed = vec![false; larger.aig.len()];
        let mut stack: Vec<Node> = roots.iter().map(|&root| resolve(root).node()).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut needed[node.index()], true) {
                continue;
            }
            if let Some((a, b)) = larger.aig.fanins(node) {
                stack.extend([resolve(a).node(), resolve(b).node()]);
            } else if let Some(position) = latch_at[node.index()] {
                stack.push(resolve(larger.latches[position].next).node());
            }
        }
        let mut circuit = Circuit::new();
        let mut image: Vec<Option<Signal>> = vec![None; larger.aig.len()];
        image[0] = Some(Signal::FALSE);
        let is_needed = |node: &Node| needed[node.index()];
        let latches: Vec<usize> = (0..larger.latches.len())
            .filter(|&position| is_needed(&larger.latches[position].node))
            .collect();
        for &position in &latches {
            let latch = &larger.latches[position];
            image[latch.node.index()] = Some(circuit.add_latch(latch.init));
        }
        let inputs: Vec<usize> = (0..larger.inputs.len())
            .filter(|&position| is_needed(&larger.inputs[position]))
            .collect();
        for &position in &inputs {
            image[larger.inputs[position].index()] = Some(circuit.add_input());
        }
        let moved = |image: &[Option<Signal>], signal: Signal| {
            let signal = resolve(signal);
            image[signal.node().index()]
                .expect("what is needed was moved")
                .flipped_if(signal.is_complemented())
        };
        for index in 1..larger.aig.len() {
            if needed[index]
                && let Some((a, b)) = larger.aig.fanins(Node::new(index))
            {
                let (a, b) = (moved(&image, a), moved(&image, b));
                image[index] = Some(circuit.aig.and(a, b));
            }
        }
        let moved = |signal: Signal| moved(&image, signal);
        for (latch, &position) in circuit.latches.iter_mut().zip(&latches) {
            *latch = Latch {
                next: moved(larger.latches[position].next),
                ..*latch
            };
        }
        let all = |signals: &[Signal]| signals.iter().map(|&signal| moved(signal)).collect();
        circuit.init_constraints = all(&larger.init_constraints);
        circuit.constraints = all(&larger.constraints);
        circuit.step_constraints = all(&larger.step_constraints);
        let bad = moved(bad);
        circuit.bad = vec![bad];
        let initially = |latch: &Latch| {
            let same = same_as.of(latch.node);
            match (
                latch.init.as_constant().or(same.as_constant()),
                latch_at[same.node().index()],
            ) {
                (None, Some(other)) if same.node() != latch.node => {
                    Initially::Latch(other, same.is_complemented())
                }
                (constant, _) => Initially::Constant(constant.unwrap_or(false)),
            }
        };
        let step = Step {
            latches,
            inputs,
            initial: larger.latches.iter().map(initially).collect(),
            inputs_before: larger.inputs.len(),
            agreeing: told
                .iter()
                .map(|nodes| agreeing(larger, same_as, nodes))
                .collect(),
        };
        (circuit, bad, step)
    }

    fn lift_invariant(&self, mut invariant: Invariant) -> Invariant {
        for (latch, _) in invariant.excluded.iter_mut().flatten() {
            *latch = self.latches[*latch];
        }
        for (_, leaf) in invariant
            .formulas
            .iter_mut()
            .flat_map(|formula| &mut formula.leaves)
        {
            *leaf = match *leaf {
                Leaf::Latch(latch) => Leaf::Latch(self.latches[latch]),
                Leaf::Input(input) => Leaf::Input(self.inputs[input]),
            };
        }
        invariant.formulas.extend(self.agreeing.iter().cloned());
        invariant
    }

    fn lift_run(&self, run: &Run) -> Run {
        let mut initial: Vec<bool> = Vec::with_capacity(self.initial.len());
        let mut kept = self.latches.iter().zip(&run.initial).peekable();
        for (position, &initially) in self.initial.iter().enumerate() {
            let known = kept.next_if(|(at, _)| **at == position);
            initial.push(match (known, initially) {
                (Some((_, &value)), _) => value,
                (None, Initially::Constant(value)) => value,
                (None, Initially::Latch(other, flip)) => initial[other] != flip,
            });
        }
        let widen = |inputs: &Vec<bool>| {
            let mut wide = vec![false; self.inputs_before];
            for (&position, &value) in self.inputs.iter().zip(inputs) {
                wide[position] = value;
            }
            wide
        };
        Run {
            initial,
            inputs: run.inputs.iter().map(widen).collect(),
        }
    }
}

/// "These nodes are what they were replaced by", in this order.
fn agreeing(circuit: &Circuit, same_as: &Correspondence, nodes: &[Node]) -> CircuitFormula {
    let latches = circuit.latches.iter().enumerate();
    let latches = latches.map(|(position, latch)| (latch.node, Leaf::Latch(position)));
    let inputs = circuit.inputs.iter().enumerate();
    let inputs = inputs.map(|(position, &input)| (input, Leaf::Input(position)));
    let leaf_at: FxHashMap<Node, Leaf> = latches.chain(inputs).collect();
    let mut aig = Aig::new();
    let mut leaves = Vec::new();
    let roots = nodes.iter().flat_map(|&node| [node.signal(), same_as.of(node)]);
    let imported = aig.import(&circuit.aig, roots, |aig, node| {
        let leaf = aig.leaf();
        leaves.push((leaf.node(), leaf_at[&node]));
        leaf
    });
    let moved = |signal: Signal| imported.get(signal).expect("roots were imported");
    let claims = nodes
        .iter()
        .map(|&node| (moved(node.signal()), moved(same_as.of(node))));
    CircuitFormula {
        claims: claims.collect(),
        aig,
        leaves,
    }
}

/// Decides whether bad is reachable by IC3 on the circuit reduced to what matters.
pub fn ic3_reduced(
    circuit: &Circuit,
    bad: Signal,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<SafetyAnswer, Interrupted> {
    let observable = vec![true; circuit.inputs.len()];
    let reduced = Reduced::merging(circuit, bad, &observable, Patience::Much, budget);
    let answer = ic3(&reduced.circuit, reduced.bad, budget, progress)?;
    Ok(reduced.lift(answer))
}
