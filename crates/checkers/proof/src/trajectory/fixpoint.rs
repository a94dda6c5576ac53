//! Judging the sets of states that prove an assertion graph.
//!
//! Nothing here has three values. For each edge, one step of the circuit is encoded with Boolean registers and inputs and Boolean symbolic variables, and it is refuted:
//!
//! - *closed*: that from a state in the set of the edge's beginning, doing what the antecedent says, the step leads out of the set of its end;
//! - *demanded*: that such a step has another value than the consequent demands.
//!
//! What three values tell is seen first (`step_assertion.rs`), since that takes no register as a variable. The rest is asked register by register of small diagrams of the checker's own, from what is known of the registers that each reads, and of a solver where they do not tell.
//!
//! The first vertex's set must contain all states. So by induction every state of a path lies in the set of its vertex, and the graph holds for all Boolean runs of the circuit.
//!
//! Where what is driven later counts, there are rounds of sets, and steps need only be looked at that lead into the sets of the last round. A round is right if it contains all states from which
//! paths go on as they should: for an edge after which a path is infinite (or fair) again, the states before the round before it; for an edge after which the end, or a fair edge, is finitely many steps away, the
//! states before the round itself, by induction on that number.

use super::conditions::Literals;
use super::step_assertion::StepAssertions;
use crate::gates::{Form, Gates};
use crate::induction::Refusal;
use crate::solver::Lit;
use entail_budget::Budget;
use entail_trajectories::{
    AssertionGraph, Drive, Fixpoint, Gate, GraphEdge, Netlist, NodeId, Satisfaction, Specification, StateSet,
    Vertex, Wire,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Parts of a claim whose diagrams are too large before diagrams are given up.
const MOST_FAILURES: usize = 4;

/// Parts of a claim that share diagrams.
const MOST_TOGETHER: usize = 128;

/// What registers may be at first: where each may be 1, and where it may be 0.
type Allowed = Rc<FxHashMap<u32, (u32, u32)>>;

const MALFORMED: Refusal = Refusal::Unproved("they are not sets of states of this circuit");

/// The registers that a node reads within a step.
fn registers_before(netlist: &Netlist, node: NodeId) -> Vec<u32> {
    let mut seen = FxHashSet::from_iter([node]);
    let mut open = vec![node];
    let mut found = Vec::new();
    while let Some(node) = open.pop() {
        let read: &[Wire] = match &netlist.gate(node) {
            Gate::And(a, b) => &[*a, *b],
            Gate::Copy(a) => &[*a],
            Gate::Register(_) => {
                found.push(node.0);
                &[]
            }
            Gate::Zero | Gate::Input => &[],
        };
        open.extend(
            read.iter()
                .map(|wire| wire.node)
                .filter(|&node| seen.insert(node)),
        );
    }
    found
}

/// Accepts the claim that sets of states prove an assertion graph.
pub fn check_fixpoint(
    netlist: &Netlist,
    specification: &Specification,
    graph: &AssertionGraph,
    fixpoint: &Fixpoint,
    budget: &Budget,
) -> Result<(), Refusal> {
    let claim = Claim {
        netlist,
        specification,
        graph,
        fixpoint,
    };
    claim.check_form()?;
    claim.check_first(budget)?;
    let as_assertions = StepAssertions::new(specification, fixpoint).ok_or(MALFORMED)?;
    for round in 0..fixpoint.futures.len() {
        for edge in &graph.edges {
            claim.check_future(round, edge, budget)?;
        }
    }
    for edge in &graph.edges {
        claim.check_edge(edge, &as_assertions, budget)?;
    }
    Ok(())
}

struct Claim<'c> {
    netlist: &'c Netlist,
    specification: &'c Specification,
    graph: &'c AssertionGraph,
    fixpoint: &'c Fixpoint,
}

impl Claim<'_> {
    /// Every number means something.
    fn check_form(&self) -> Result<(), Refusal> {
        let functions = &self.fixpoint.functions;
        let variables = self.specification.variables() as u32;
        for (position, &(variable, high, low)) in functions.iter().enumerate() {
            if variable >= variables || high.max(low) as usize >= position + 2 {
                return Err(MALFORMED);
            }
        }
        let is_function = |number: u32| (number as usize) < functions.len() + 2;
        let is_register = |node: u32| {
            let node = NodeId(node);
            node.index() < self.netlist.len() && matches!(self.netlist.gate(node), Gate::Register(Some(_)))
        };
        let is_set = |set: &StateSet| {
            let registers = set.registers.iter();
            let mut known = FxHashSet::default();
            is_function(set.alive)
                && registers.into_iter().all(|&(node, high, low)| {
                    is_register(node) && is_function(high) && is_function(low) && known.insert(node)
                })
        };
        let vertices = self.graph.vertices.len();
        let all = [&self.fixpoint.reached].into_iter().chain(&self.fixpoint.futures);
        let is_right = |sets: &Vec<StateSet>| sets.len() == vertices && sets.iter().all(is_set);
        let looks_ahead = self.graph.satisfaction != Satisfaction::Strong;
        match all.into_iter().all(is_right) && (looks_ahead || self.fixpoint.futures.is_empty()) {
            true => Ok(()),
            false => Err(MALFORMED),
        }
    }

    /// Paths may begin in every state.
    fn check_first(&self, budget: &Budget) -> Result<(), Refusal> {
        let mut step = Step::new(self, Form::Clauses);
        let set = &self.fixpoint.reached[0];
        let states: Vec<(u32, Lit)> = set
            .registers
            .iter()
            .map(|&(node, ..)| (node, step.gates.fresh()))
            .collect();
        let inside = step.within(set, &|node| {
            states
                .iter()
                .find(|(known, _)| *known == node)
                .map(|(_, lit)| *lit)
        });
        let outside = !inside?;
        match step.gates.satisfiable(&[outside], budget)? {
            true => Err(Refusal::Initiation),
            false => Ok(()),
        }
    }

    /// The set of a round at a vertex; nothing if it is all states.
    fn future(&self, round: Option<usize>, vertex: Vertex) -> Option<&StateSet> {
        let ends = matches!(
            self.graph.satisfaction,
            Satisfaction::Normal | Satisfaction::Terminal
        );
        if ends && self.graph.is_terminal(vertex) {
            return None;
        }
        self.fixpoint.futures.get(round?)?.get(vertex as usize)
    }

    /// A state from which an edge is taken, and a path goes on, is in the set of a round.
    fn check_future(&self, round: usize, edge: &GraphEdge, budget: &Budget) -> Result<(), Refusal> {
        let from_last = match self.graph.satisfaction {
            Satisfaction::Strong | Satisfaction::Normal => true,
            Satisfaction::Terminal => false,
            Satisfaction::Fair => edge.is_fair,
        };
        let target = match from_last {
            true => self.future(round.checked_sub(1), edge.to),
            false => self.future(Some(round), edge.to),
        };
        let mut step = Step::new(self, Form::Clauses);
        step.take(edge, target)?;
        let inside = match self.future(Some(round), edge.from) {
            Some(set) => step.before(set)?,
            None => return Ok(()),
        };
        match step.gates.satisfiable(&[!inside], budget)? {
            true => Err(Refusal::Unproved("a state from which paths go on is missing")),
            false => Ok(()),
        }
    }

    /// A step along an edge stays inside, and does what is demanded.
    fn check_edge(
        &self,
        edge: &GraphEdge,
        as_assertions: &StepAssertions,
        budget: &Budget,
    ) -> Result<(), Refusal> {
        let open = as_assertions.unseen(self.netlist, self.graph, edge, &self.fixpoint.reached, budget)?;
        let open = self.not_seen_by_diagrams(edge, open, budget)?;
        if open.is_empty() {
            return Ok(());
        }
        let mut step = Step::new(self, Form::Clauses);
        step.take(edge, self.target(edge))?;
        let begin = step.before(&self.fixpoint.reached[edge.from as usize])?;
        step.gates.require(begin);
        for claim in open {
            let (wrong, _) = step.broken(&claim)?;
            if step.gates.satisfiable(&[wrong], budget)? {
                return Err(match claim {
                    Claimed::Demanded(_) => Refusal::Comparison,
                    Claimed::Alive(_) | Claimed::Inside(..) => Refusal::Consecution,
                });
            }
        }
        Ok(())
    }

    /// The states that a step must lead to if a path goes on.
    fn target(&self, edge: &GraphEdge) -> Option<&StateSet> {
        self.future(self.fixpoint.futures.len().checked_sub(1), edge.to)
    }

    /// The parts of what is claimed about an edge that small diagrams do not show, each from what is known of the registers that it reads.
    fn not_seen_by_diagrams(
        &self,
        edge: &GraphEdge,
        parts: Vec<Claimed>,
        budget: &Budget,
    ) -> Result<Vec<Claimed>, Refusal> {
        let from = &self.fixpoint.reached[edge.from as usize];
        let allowed = from.registers.iter();
        let allowed: Allowed = Rc::new(allowed.map(|&(node, high, low)| (node, (high, low))).collect());
        let mut open = Vec::new();
        let mut failures = 0;
        let mut step: Option<Step<'_>> = None;
        for (number, claim) in parts.into_iter().enumerate() {
            // Few parts share diagrams: what they cost grows with all variables that were met.
            if number % MOST_TOGETHER == 0 {
                step = None;
            }
            if failures > MOST_FAILURES {
                open.push(claim);
                continue;
            }
            let shown = match &mut step {
                Some(step) => step.shows(&claim, budget),
                none => {
                    let mut begun = Step::new(self, Form::Diagrams);
                    begun.begin(edge, self.target(edge), (from.alive, &allowed))?;
                    none.insert(begun).shows(&claim, budget)
                }
            };
            match shown {
                Ok(true) => {}
                Ok(false) => open.push(claim),
                Err(Refusal::TooLarge) => {
                    failures += 1;
                    step = None;
                    open.push(claim);
                }
                Err(other) => return Err(other),
            }
        }
        Ok(open)
    }
}

/// A part of what is claimed about an edge.
#[derive(Clone, Copy)]
pub(super) enum Claimed {
    /// The set of its end has states for the valuation.
    Alive(u32),
    /// A register is afterwards what that set allows: by functions that say where it may be 1 and 0.
    Inside(u32, u32, u32),
    /// What is demanded is so.
    Demanded(Drive),
}

/// One step of the circuit, with Boolean values.
struct Step<'s> {
    claim: &'s Claim<'s>,
    gates: Gates,
    literals: Literals,
    nodes: FxHashMap<NodeId, Lit>,
    functions: FxHashMap<u32, Lit>,
    /// What is true of every step that is looked at.
    facts: Vec<Lit>,
    /// The registers that those read, and what each register may be at first.
    read: BTreeSet<u32>,
    allowed: Allowed,
}

impl<'s> Step<'s> {
    fn new(claim: &'s Claim<'s>, form: Form) -> Step<'s> {
        let mut step = Step {
            claim,
            gates: Gates::in_form(form),
            literals: Literals::default(),
            nodes: FxHashMap::default(),
            functions: FxHashMap::default(),
            facts: Vec::new(),
            read: BTreeSet::new(),
            allowed: Allowed::default(),
        };
        let conditions = &claim.specification.conditions;
        let assumption = step
            .literals
            .condition(&mut step.gates, conditions, claim.graph.assumption);
        step.gates.require(assumption);
        step
    }

    /// Notes what is true of a step from some states along an edge, to some states.
    fn begin(
        &mut self,
        edge: &GraphEdge,
        target: Option<&StateSet>,
        (alive, allowed): (u32, &Allowed),
    ) -> Result<(), Refusal> {
        let alive = self.function(alive);
        self.facts.push(alive);
        self.allowed = Rc::clone(allowed);
        for drive in &edge.antecedent {
            let said = self.said(drive)?;
            self.facts.push(said);
            self.note_registers(drive.node);
        }
        let Some(target) = target else {
            return Ok(());
        };
        let alive = self.function(target.alive);
        self.facts.push(alive);
        for &(node, high, low) in &target.registers {
            let (left, next) = self.broken(&Claimed::Inside(node, high, low))?;
            self.facts.push(!left);
            next.into_iter().for_each(|node| self.note_registers(node));
        }
        Ok(())
    }

    fn note_registers(&mut self, node: NodeId) {
        let found = registers_before(self.claim.netlist, node);
        self.read.extend(found);
    }

    /// Whether a part of a claim follows from the facts, and from what the registers are that it and they read.
    fn shows(&mut self, claim: &Claimed, budget: &Budget) -> Result<bool, Refusal> {
        let (wrong, node) = self.broken(claim)?;
        let mut registers = self.read.clone();
        registers.extend(
            node.into_iter()
                .flat_map(|node| registers_before(self.claim.netlist, node)),
        );
        let mut asked = vec![wrong];
        for node in registers {
            let Some(&(high, low)) = self.allowed.get(&node) else {
                continue;
            };
            let (high, low) = (self.function(high), self.function(low));
            let value = self.wire(Wire::of(NodeId(node)))?;
            asked.push(self.gates.mux(value, high, low));
        }
        asked.extend(&self.facts);
        Ok(!self.gates.satisfiable(&asked, budget)?)
    }

    /// Where a part of a claim is wrong, and the node that it speaks of.
    fn broken(&mut self, claim: &Claimed) -> Result<(Lit, Option<NodeId>), Refusal> {
        match claim {
            Claimed::Alive(alive) => Ok((!self.function(*alive), None)),
            Claimed::Inside(node, high, low) => {
                let next = self.next_of(*node)?;
                let (high, low) = (self.function(*high), self.function(*low));
                let value = self.wire(next)?;
                Ok((!self.gates.mux(value, high, low), Some(next.node)))
            }
            Claimed::Demanded(drive) => Ok((!self.said(drive)?, Some(drive.node))),
        }
    }

    /// What a register becomes.
    fn next_of(&self, register: u32) -> Result<Wire, Refusal> {
        match self.claim.netlist.gate(NodeId(register)) {
            Gate::Register(Some(next)) => Ok(next),
            _ => Err(MALFORMED),
        }
    }

    /// Requires that the step is one along an edge, to some states.
    fn take(&mut self, edge: &GraphEdge, target: Option<&StateSet>) -> Result<(), Refusal> {
        for drive in &edge.antecedent {
            let said = self.said(drive)?;
            self.gates.require(said);
        }
        if let Some(target) = target {
            let inside = self.after(target)?;
            self.gates.require(inside);
        }
        Ok(())
    }

    /// That a node is what a drive says, where it says something.
    fn said(&mut self, drive: &Drive) -> Result<Lit, Refusal> {
        let conditions = &self.claim.specification.conditions;
        let guard = self.literals.condition(&mut self.gates, conditions, drive.guard);
        let value = self.literals.condition(&mut self.gates, conditions, drive.value);
        let node = self.wire(Wire::of(drive.node))?;
        let other = self.gates.xor(node, value);
        Ok(!self.gates.and(guard, other))
    }

    fn wire(&mut self, wire: Wire) -> Result<Lit, Refusal> {
        let netlist = self.claim.netlist;
        if wire.node.index() >= netlist.len() {
            return Err(MALFORMED);
        }
        let mut open = vec![wire.node];
        while let Some(&node) = open.last() {
            if self.nodes.contains_key(&node) {
                open.pop();
                continue;
            }
            let read = |nodes: &FxHashMap<NodeId, Lit>, wire: Wire| {
                nodes
                    .get(&wire.node)
                    .map(|literal| literal.flipped_if(wire.negated))
            };
            let made = match netlist.gate(node) {
                Gate::Zero => self.gates.constant(false),
                Gate::Input | Gate::Register(_) => self.gates.fresh(),
                Gate::Copy(a) => match read(&self.nodes, a) {
                    Some(literal) => literal,
                    None => {
                        open.push(a.node);
                        continue;
                    }
                },
                Gate::And(a, b) => match (read(&self.nodes, a), read(&self.nodes, b)) {
                    (Some(a), Some(b)) => self.gates.and(a, b),
                    _ => {
                        open.extend([a.node, b.node]);
                        continue;
                    }
                },
            };
            self.nodes.insert(node, made);
            open.pop();
        }
        Ok(self.nodes[&wire.node].flipped_if(wire.negated))
    }

    /// That the state before the step is in a set.
    fn before(&mut self, set: &StateSet) -> Result<Lit, Refusal> {
        let mut values = FxHashMap::default();
        for &(node, ..) in &set.registers {
            values.insert(node, self.wire(Wire::of(NodeId(node)))?);
        }
        self.within(set, &|node| values.get(&node).copied())
    }

    /// That the state after the step is in a set.
    fn after(&mut self, set: &StateSet) -> Result<Lit, Refusal> {
        let mut values = FxHashMap::default();
        for &(node, ..) in &set.registers {
            let next = self.next_of(node)?;
            values.insert(node, self.wire(next)?);
        }
        self.within(set, &|node| values.get(&node).copied())
    }

    /// That registers with some values are in a set.
    fn within(&mut self, set: &StateSet, value: &dyn Fn(u32) -> Option<Lit>) -> Result<Lit, Refusal> {
        let mut all = vec![self.function(set.alive)];
        for &(node, high, low) in &set.registers {
            let (high, low) = (self.function(high), self.function(low));
            let value = value(node).ok_or(MALFORMED)?;
            all.push(self.gates.mux(value, high, low));
        }
        Ok(self.gates.all(all))
    }

    /// A function of the symbolic variables; those it is made of come before it.
    fn function(&mut self, number: u32) -> Lit {
        let mut open = vec![number];
        while let Some(&next) = open.last() {
            let known = |functions: &FxHashMap<u32, Lit>, gates: &Gates, number: u32| match number {
                0 | 1 => Some(gates.constant(number == 1)),
                _ => functions.get(&number).copied(),
            };
            if known(&self.functions, &self.gates, next).is_some() {
                open.pop();
                continue;
            }
            let (variable, high, low) = self.claim.fixpoint.functions[next as usize - 2];
            let parts = (
                known(&self.functions, &self.gates, high),
                known(&self.functions, &self.gates, low),
            );
            match parts {
                (Some(high), Some(low)) => {
                    let variable = self.literals.variable(&mut self.gates, variable);
                    let literal = self.gates.mux(variable, high, low);
                    self.functions.insert(next, literal);
                    open.pop();
                }
                _ => open.extend([high, low]),
            }
        }
        match number {
            0 | 1 => self.gates.constant(number == 1),
            _ => self.functions[&number],
        }
    }
}
