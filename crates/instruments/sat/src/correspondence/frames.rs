//! Copies of a circuit in which signals are replaced by the first of their group, and questions about them.

use super::groups::{Groups, Observed, Random};
use super::{CONFLICTS, simulate, word};
use crate::aig::{Aig, Node, Signal};
use crate::cdcl::Cdcl;
use crate::circuit::Circuit;
use crate::cnf::ConeEncoder;
use crate::{Answer, Lit, Query, SatSolver, Var};
use entail_budget::{Budget, Spent};
use rustc_hash::{FxHashMap, FxHashSet};

/// How hard a question about one pair may be.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// Conflicts after which it is given up.
    pub(super) conflicts: u64,
    /// Whether the pair is then left for a round with more of them, or taken for different.
    pub(super) puts_off: bool,
}

/// What a round has come to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    /// A group was split.
    Split,
    /// No group was split, and pairs were put off.
    PutOff,
    /// All pairs of all groups agree.
    Settled,
}

/// Where the groups should agree.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the initial states, as far as the latches' values say which these are.
    Initial,
    /// After a step that the constraints allow from any state in which they agree.
    AfterStep,
    /// In all states, constraints or not.
    Anywhere,
}

/// One or two copies of the circuit in one graph and one solver.
pub(super) struct Frames<'a> {
    pub(super) circuit: &'a Circuit,
    pub(super) order: &'a [Node],
    pub(super) place: Place,
    pub(super) graph: Aig,
    solver: Cdcl,
    encoder: ConeEncoder,
    /// The leaves of the graph for latches and inputs, by copy.
    leaves: [FxHashMap<Node, Signal>; 2],
    /// Pairs that are equal whatever the leaves are.
    proved: FxHashSet<(Signal, Signal)>,
    /// Pairs that were too hard, and for how many conflicts.
    pub(super) put_off: FxHashMap<(Signal, Signal), u64>,
    /// Constraints on the step before; every question of this round contains them.
    required: Vec<Signal>,
    /// Assumed in the questions of this round: it makes the clauses about replaced gates hold.
    hypotheses: Option<Lit>,
    /// For each variable, the variables of the clauses about replaced gates that it occurs in.
    neighbours: FxHashMap<Var, Vec<Lit>>,
    /// The variables of all of these clauses.
    assumed: Vec<Lit>,
    random: Random,
}

/// A node with what it is by its own definition and what it should be.
pub(super) struct Pair {
    pub(super) node: Node,
    /// What it agreed with when the copies were made.
    pub(super) first: Signal,
    pub(super) own: Signal,
    pub(super) expected: Signal,
}

impl<'a> Frames<'a> {
    pub(super) fn new(circuit: &'a Circuit, order: &'a [Node], place: Place) -> Frames<'a> {
        Frames {
            circuit,
            order,
            place,
            graph: Aig::new(),
            solver: Cdcl::new(),
            encoder: ConeEncoder::new(),
            leaves: Default::default(),
            proved: FxHashSet::default(),
            put_off: FxHashMap::default(),
            required: Vec::new(),
            hypotheses: None,
            neighbours: FxHashMap::default(),
            assumed: Vec::new(),
            random: Random::default(),
        }
    }

    /// One round of questions about all pairs.
    pub(super) fn round(
        &mut self,
        groups: &mut Groups,
        patience: Patience,
        budget: &Budget,
    ) -> Result<Round, Spent> {
        match self.place {
            Place::Initial | Place::Anywhere => self.sweep(groups, patience, budget),
            Place::AfterStep => self.refine(groups, patience, budget),
        }
    }

    /// A round about what agrees after a step: all of it is assumed of the state before.
    fn refine(&mut self, groups: &mut Groups, patience: Patience, budget: &Budget) -> Result<Round, Spent> {
        let (images, assumed) = self.copies(groups);
        let (mut changed, mut is_open) = (false, false);
        for pair in &images.pairs {
            // A group that was split in this round is asked about in the next one.
            if groups.first(pair.node) != pair.first {
                continue;
            }
            let key = (pair.own, pair.expected);
            let tried = self.put_off.get(&key).copied().unwrap_or(0);
            let answer = match tried >= patience.conflicts {
                true => Answer::Unknown,
                false => self.can_differ(pair, assumed.is_any, patience.conflicts, budget)?,
            };
            match answer {
                Answer::Unsatisfiable => {}
                Answer::Satisfiable => {
                    let (values, counts) = self.values_after_a_step(&assumed.latches, groups);
                    let is_split = groups.split(|node| Observed {
                        value: values[node.index()],
                        counts,
                    });
                    if !is_split {
                        groups.isolate(pair.node);
                    }
                    changed = true;
                }
                Answer::Unknown if patience.puts_off => {
                    self.put_off.insert(key, patience.conflicts);
                    is_open = true;
                }
                Answer::Unknown => {
                    groups.isolate(pair.node);
                    changed = true;
                }
            }
        }
        Ok(match (changed, is_open) {
            (true, _) => Round::Split,
            (false, true) => Round::PutOff,
            (false, false) => Round::Settled,
        })
    }

    /// The nodes that do not agree with the first of their group by the agreement of earlier nodes alone.
    pub(super) fn essential(&mut self, groups: &Groups, budget: &Budget) -> Result<Vec<Node>, Spent> {
        let (images, _) = self.copies(groups);
        let mut essential = Vec::new();
        for pair in &images.pairs {
            if self.can_differ(pair, false, CONFLICTS, budget)? != Answer::Unsatisfiable {
                essential.push(pair.node);
            }
        }
        Ok(essential)
    }

    /// The copy that is asked about, and what is assumed of the one before it.
    fn copies(&mut self, groups: &Groups) -> (Images, Assumed) {
        let circuit = self.circuit;
        let mut latches: Vec<Signal> = Vec::with_capacity(circuit.latches.len());
        for latch in &circuit.latches {
            let known = latch.init.as_constant().filter(|_| self.place == Place::Initial);
            latches.push(known.map_or_else(|| self.leaf(0, latch.node), Signal::constant));
        }
        let mut images = self.copy(0, &latches, groups);
        let mut assumed = Assumed::default();
        let mut required = Vec::new();
        match self.place {
            Place::Initial | Place::Anywhere => {}
            Place::AfterStep => {
                required.extend(images.of(&circuit.constraints));
                required.extend(images.of(&circuit.step_constraints));
                let pairs = std::mem::take(&mut images.pairs);
                self.assume(&pairs);
                assumed = Assumed {
                    is_any: !pairs.is_empty(),
                    latches: circuit
                        .latches
                        .iter()
                        .map(|latch| images.at(latch.node.signal()))
                        .collect(),
                };
                let next: Vec<Signal> = circuit
                    .latches
                    .iter()
                    .map(|latch| images.at(latch.next))
                    .collect();
                images = self.copy(1, &next, groups);
            }
        }
        required.retain(|&signal| signal != Signal::TRUE);
        self.required = required;
        (images, assumed)
    }

    /// Whether a node can be something else than what it should be.
    pub(super) fn can_differ(
        &mut self,
        pair: &Pair,
        is_assuming: bool,
        conflicts: u64,
        budget: &Budget,
    ) -> Result<Answer, Spent> {
        budget.check()?;
        let key = (pair.own, pair.expected);
        if self.proved.contains(&key) {
            return Ok(Answer::Unsatisfiable);
        }
        let mut assumptions: Vec<Lit> = self.hypotheses.into_iter().collect();
        for &signal in &self.required {
            assumptions.push(self.encoder.encode(&self.graph, signal, &mut self.solver));
        }
        let different = self.graph.xor(pair.own, pair.expected);
        let different = self.encoder.encode(&self.graph, different, &mut self.solver);
        assumptions.push(different);
        let query = Query {
            assumptions: &assumptions,
            conflict_limit: Some(conflicts),
            ..Query::default()
        };
        self.solver
            .restrict_to(assumptions.iter().copied(), self.encoder.fanins());
        let mut answer = self.solver.solve_query(query, budget)?;
        if answer == Answer::Satisfiable && is_assuming {
            // Perhaps only because assumptions outside the cone did not take part: those next to it do now.
            let near: Vec<Lit> = self
                .solver
                .domain()
                .flat_map(|var| self.neighbours.get(&var).into_iter().flatten())
                .copied()
                .collect();
            let roots = assumptions.iter().copied().chain(near);
            self.solver.restrict_to(roots, self.encoder.fanins());
            answer = self.solver.solve_query(query, budget)?;
            if answer == Answer::Satisfiable {
                // A group is split for good: that must not be because an assumption further away did not take part.
                let roots = assumptions.iter().chain(&self.assumed).copied();
                self.solver.restrict_to(roots, self.encoder.fanins());
                answer = self.solver.solve_query(query, budget)?;
            }
        }
        // What does not need the assumptions of this round holds in all rounds.
        let alone = |literal: &Lit| *literal == different || !self.solver.failed(*literal);
        if answer == Answer::Unsatisfiable && assumptions.iter().all(alone) {
            self.proved.insert(key);
            self.solver.add_clause(&[!different]);
        }
        Ok(answer)
    }

    pub(super) fn leaf(&mut self, copy: usize, node: Node) -> Signal {
        let graph = &mut self.graph;
        *self.leaves[copy].entry(node).or_insert_with(|| graph.leaf())
    }

    /// A copy of the circuit in which every node is replaced by the first of its group; what is to be shown (or
    /// assumed, of the first of two copies) is in the pairs.
    fn copy(&mut self, copy: usize, latches: &[Signal], groups: &Groups) -> Images {
        let latch_at: FxHashMap<Node, Signal> = self
            .circuit
            .latches
            .iter()
            .map(|latch| latch.node)
            .zip(latches.iter().copied())
            .collect();
        let is_assumed = self.place == Place::AfterStep && copy == 0;
        let mut of_node: Vec<Option<Signal>> = vec![None; self.circuit.aig.len()];
        let mut pairs = Vec::new();
        of_node[0] = Some(Signal::FALSE);
        for &node in self.order {
            if node.index() == 0 {
                continue;
            }
            let first = groups.first(node);
            let expected = (first != node.signal()).then(|| image(&of_node, first));
            let own = match self.circuit.aig.fanins(node) {
                Some((a, b)) => {
                    let (a, b) = (image(&of_node, a), image(&of_node, b));
                    self.graph.and(a, b)
                }
                // In a state that is only assumed a latch is what it agrees with.
                None => match (latch_at.get(&node), expected) {
                    (Some(_), Some(expected)) if is_assumed => expected,
                    (Some(&signal), _) => signal,
                    (None, _) => self.leaf(copy, node),
                },
            };
            of_node[node.index()] = Some(match expected {
                Some(expected) if own != expected => {
                    pairs.push(Pair {
                        node,
                        first,
                        own,
                        expected,
                    });
                    expected
                }
                _ => own,
            });
        }
        Images { of_node, pairs }
    }

    /// Assumes of replaced gates that they are what their definitions say, in this round only.
    fn assume(&mut self, pairs: &[Pair]) {
        if let Some(old) = self.hypotheses.take() {
            self.solver.add_clause(&[!old]);
        }
        self.neighbours.clear();
        self.assumed.clear();
        let guard = self.solver.new_var().lit(true);
        for pair in pairs {
            let mut literal = |signal| self.encoder.encode(&self.graph, signal, &mut self.solver);
            // Over the gate's operands, so that the clauses work where these take part in a question and the gate does not.
            let expected = literal(pair.expected);
            self.assumed.push(expected);
            match self.graph.fanins(pair.own.node()) {
                Some((a, b)) => {
                    let (a, b) = (literal(a), literal(b));
                    self.assumed.extend([a, b]);
                    for (one, others) in [(expected, [a, b]), (a, [expected, b]), (b, [expected, a])] {
                        self.neighbours.entry(one.var()).or_default().extend(others);
                    }
                    let expected = if pair.own.is_complemented() {
                        !expected
                    } else {
                        expected
                    };
                    self.solver.add_clause(&[!guard, !expected, a]);
                    self.solver.add_clause(&[!guard, !expected, b]);
                    self.solver.add_clause(&[!guard, expected, !a, !b]);
                }
                None => {
                    let own = literal(pair.own);
                    self.assumed.push(own);
                    self.solver.add_clause(&[!guard, !expected, own]);
                    self.solver.add_clause(&[!guard, expected, !own]);
                }
            }
        }
        self.hypotheses = Some(guard);
    }

    /// The values of the circuit itself in the solver's model and in 63 variations of it. If the pair agrees there after all, an earlier pair does not, with which
    /// something was replaced: the groups are split where the circuit differs, not where the copy does.
    pub(super) fn circuit_values(&mut self) -> Vec<u64> {
        let circuit = self.circuit;
        let mut values = vec![0u64; circuit.aig.len()];
        let inputs = circuit.inputs.iter().map(|&input| (input, None));
        let latches = circuit.latches.iter().map(|latch| {
            let known = latch.init.as_constant().filter(|_| self.place == Place::Initial);
            (latch.node, known)
        });
        let leaves: Vec<(Node, Option<bool>)> = inputs.chain(latches).collect();
        for (node, known) in leaves {
            let leaf = self.leaves[0].get(&node).copied();
            let literal = leaf.and_then(|leaf| self.encoder.literal(leaf));
            values[node.index()] = match known {
                Some(value) => {
                    if value {
                        u64::MAX
                    } else {
                        0
                    }
                }
                None => self.varied(literal.and_then(|literal| self.solver.value(literal))),
            };
        }
        simulate(&circuit.aig, self.order, &mut values);
        values
    }

    /// A bit as the model has it, different in one of eight variations; any bit if the model does not say.
    fn varied(&mut self, value: Option<bool>) -> u64 {
        let Some(value) = value else {
            return self.random.next();
        };
        let changes = self.random.next() & self.random.next() & self.random.next() & !1;
        changes ^ if value { u64::MAX } else { 0 }
    }

    /// The values of the circuit itself after a step, in the solver's model and in 63 variations of it, and in which of these the step begins in a state in which the groups agree. (In the copy
    /// the values of a node may be others, where something before it is replaced that does not agree: groups are not split because of that.) The values of the latches before the step are given as
    /// signals of the graph.
    fn values_after_a_step(&mut self, latches: &[Signal], groups: &Groups) -> (Vec<u64>, u64) {
        let circuit = self.circuit;
        let mut of_leaf: FxHashMap<Node, u64> = FxHashMap::default();
        let mut values = vec![0u64; circuit.aig.len()];
        for (latch, &signal) in circuit.latches.iter().zip(latches) {
            let word = match signal.as_constant() {
                Some(true) => u64::MAX,
                Some(false) => 0,
                None => {
                    let leaf = signal.node();
                    let plain = match of_leaf.get(&leaf) {
                        Some(&word) => word,
                        None => self.varied_leaf(Some(leaf.signal())),
                    };
                    of_leaf.insert(leaf, plain);
                    plain ^ if signal.is_complemented() { u64::MAX } else { 0 }
                }
            };
            values[latch.node.index()] = word;
        }
        self.set_inputs(0, &mut values);
        simulate(&circuit.aig, self.order, &mut values);
        let mut counts = u64::MAX;
        for &constraint in circuit.constraints.iter().chain(&circuit.step_constraints) {
            counts &= word(&values, constraint);
        }
        for &node in self.order {
            counts &= !(values[node.index()] ^ word(&values, groups.first(node)));
        }
        let next: Vec<u64> = circuit
            .latches
            .iter()
            .map(|latch| word(&values, latch.next))
            .collect();
        for (latch, next) in circuit.latches.iter().zip(next) {
            values[latch.node.index()] = next;
        }
        self.set_inputs(1, &mut values);
        simulate(&circuit.aig, self.order, &mut values);
        (values, counts)
    }

    /// The values of inputs of a copy in the model and its variations.
    fn set_inputs(&mut self, copy: usize, values: &mut [u64]) {
        for &input in &self.circuit.inputs {
            let leaf = self.leaves[copy].get(&input).copied();
            values[input.index()] = self.varied_leaf(leaf);
        }
    }

    fn varied_leaf(&mut self, leaf: Option<Signal>) -> u64 {
        let literal = leaf.and_then(|leaf| self.encoder.literal(leaf));
        self.varied(literal.and_then(|literal| self.solver.value(literal)))
    }
}

/// What is assumed of the copy before the one that is asked about.
#[derive(Default)]
struct Assumed {
    /// That some gates are what they were replaced by.
    is_any: bool,
    /// What the latches are, as signals of the graph.
    latches: Vec<Signal>,
}

/// What the nodes of the circuit are in one copy.
struct Images {
    of_node: Vec<Option<Signal>>,
    pairs: Vec<Pair>,
}

impl Images {
    fn at(&self, signal: Signal) -> Signal {
        image(&self.of_node, signal)
    }

    fn of(&self, signals: &[Signal]) -> Vec<Signal> {
        signals.iter().map(|&signal| self.at(signal)).collect()
    }
}

pub(super) fn image(of_node: &[Option<Signal>], signal: Signal) -> Signal {
    of_node[signal.node().index()]
        .expect("what is asked for comes earlier in the order")
        .flipped_if(signal.is_complemented())
}
