//! Clauses of circuits.
//!
//! [`GateCnf`] is the transition relation of a circuit, written once: a variable for every latch, input and gate, the clauses that
//! define the gates, and for each variable the variables it is defined by ([`Fanins`]: what a query's domain is made of).
//! [`ConeEncoder`] adds the clauses of growing graphs (unrollings) to a solver as they are needed.

use crate::aig::{Aig, Node, Signal};
use crate::circuit::Circuit;
use crate::elimination::Definitions;
use crate::gates::gates;
use crate::{Lit, SatSolver, Var};

/// The variables that each variable's gate reads.
#[derive(Clone, Debug, Default)]
pub struct Fanins {
    starts: Vec<u32>,
    vars: Vec<Var>,
}

impl Fanins {
    /// What the variable is defined by; nothing for leaves and for variables added later.
    #[inline]
    pub fn of(&self, var: Var) -> &[Var] {
        match self.starts.get(var.index()..var.index() + 2) {
            Some(&[start, end]) => &self.vars[start as usize..end as usize],
            _ => &[],
        }
    }

    /// Says what the variable after all those known so far is defined by; the ones between are leaves.
    fn push(&mut self, var: Var, operands: impl Iterator<Item = Var>) {
        self.starts.resize(var.index() + 1, self.vars.len() as u32);
        self.vars.extend(operands);
        self.starts.push(self.vars.len() as u32);
    }
}

/// One copy of a circuit's gates as clauses. Variable 0 is true.
#[derive(Clone, Debug)]
pub struct GateCnf {
    variables: usize,
    literals: Vec<Lit>,
    ends: Vec<u32>,
    fanins: Fanins,
    of_node: Vec<Option<Var>>,
}

impl GateCnf {
    /// The clauses of what a circuit's next functions and `roots` need. Every latch, input, next function and root has a variable;
    /// other gates have one where that is cheaper than having none.
    pub fn new(circuit: &Circuit, roots: &[Signal]) -> GateCnf {
        let mut all: Vec<Signal> = roots.to_vec();
        all.extend(circuit.latches.iter().map(|latch| latch.next));
        let gates = gates(&circuit.aig, &all, |node| node.index() == 0);
        let leaves = circuit
            .latches
            .iter()
            .map(|latch| latch.node)
            .chain(circuit.inputs.iter().copied());
        let numbered: Vec<Node> = [Node::new(0)]
            .into_iter()
            .chain(leaves)
            .chain(gates.iter().map(|(node, _)| *node))
            .collect();
        let mut number = vec![None; circuit.aig.len()];
        for (at, node) in numbered.iter().enumerate() {
            number[node.index()] = Some(Var::new(at));
        }
        // The constant's node is false; its variable is true.
        let literal = |of_node: &[Option<Var>], signal: Signal| {
            let constant = signal.node().index() == 0;
            of_node[signal.node().index()].map(|var| var.lit(signal.is_complemented() == constant))
        };
        let numbered_literal = |signal| literal(&number, signal).expect("operands have numbers");
        let mut definitions = Definitions::new(numbered.len());
        for (node, gate) in &gates {
            let out = numbered_literal(node.signal());
            gate.clauses(out, numbered_literal, |clause| definitions.add(out.var(), clause));
        }
        let mut kept = vec![false; numbered.len()];
        for &signal in &all {
            kept[numbered_literal(signal).var().index()] = true;
        }
        let eliminated = definitions.eliminate(&kept);

        let mut renumbered: Vec<Option<Var>> = vec![None; numbered.len()];
        let mut of_node = vec![None; circuit.aig.len()];
        let mut variables = 0;
        for (at, node) in numbered.iter().enumerate() {
            if !eliminated[at] {
                renumbered[at] = Some(Var::new(variables));
                of_node[node.index()] = renumbered[at];
                variables += 1;
            }
        }
        let mut cnf = GateCnf {
            variables,
            literals: Vec::new(),
            ends: Vec::new(),
            fanins: Fanins::default(),
            of_node,
        };
        cnf.push(&[Var::new(0).lit(true)]);
        for (old, new) in renumbered.iter().enumerate() {
            let Some(new) = *new else { continue };
            let moved = |literal: &Lit| {
                let var = renumbered[literal.var().index()].expect("definitions use what was kept");
                var.lit(literal.is_positive())
            };
            let mut operands: Vec<Var> = Vec::new();
            for clause in definitions.of(Var::new(old)) {
                let clause: Vec<Lit> = clause.iter().map(moved).collect();
                operands.extend(clause.iter().map(|literal| literal.var()));
                cnf.push(&clause);
            }
            operands.sort_unstable();
            operands.dedup();
            cnf.fanins
                .push(new, operands.into_iter().filter(|&operand| operand != new));
        }
        cnf
    }

    fn push(&mut self, clause: &[Lit]) {
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len() as u32);
    }

    /// The literal of a signal: a latch, an input, a root or a gate that got a variable.
    pub fn lit(&self, signal: Signal) -> Lit {
        // The constant's node is false; its variable is true.
        let constant = signal.node().index() == 0;
        self.of_node[signal.node().index()]
            .expect("only roots, leaves and gates are asked for")
            .lit(signal.is_complemented() == constant)
    }

    /// What each variable is defined by.
    pub fn fanins(&self) -> &Fanins {
        &self.fanins
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The clauses.
    pub fn clauses(&self) -> impl Iterator<Item = &[Lit]> + '_ {
        (0..self.ends.len()).map(|at| {
            let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
            &self.literals[start..self.ends[at] as usize]
        })
    }

    /// Adds variables and clauses to an empty solver.
    pub fn load(&self, solver: &mut impl SatSolver) {
        while solver.variables() < self.variables {
            solver.new_var();
        }
        for clause in self.clauses() {
            solver.add_clause(clause);
        }
    }
}

/// Adds the cones of signals of a growing graph to a solver, each gate once.
#[derive(Clone, Debug, Default)]
pub struct ConeEncoder {
    of_node: Vec<Option<Var>>,
    fanins: Fanins,
}

impl ConeEncoder {
    /// Nothing encoded yet.
    pub fn new() -> ConeEncoder {
        ConeEncoder::default()
    }

    /// The literal of a signal, its cone encoded.
    pub fn encode(&mut self, aig: &Aig, signal: Signal, solver: &mut impl SatSolver) -> Lit {
        self.of_node.resize(aig.len(), None);
        if self.of_node[0].is_none() {
            let truth = solver.new_var();
            solver.add_clause(&[truth.lit(true)]);
            self.of_node[0] = Some(truth);
        }
        if self.of_node[signal.node().index()].is_none() {
            let found = gates(aig, &[signal], |node| self.of_node[node.index()].is_some());
            for (node, gate) in found {
                for operand in gate.operands() {
                    // Operands without a gate are leaves.
                    self.variable(operand.node(), solver);
                }
                let out = self.variable(node, solver);
                let operands = gate.operands().map(|operand| operand.node().index());
                let of_node = &self.of_node;
                self.fanins.push(out, operands.filter_map(|index| of_node[index]));
                let literal = |signal: Signal| self.literal(signal).expect("operands come first");
                let mut clauses: Vec<Vec<Lit>> = Vec::new();
                gate.clauses(out.lit(true), literal, |clause| clauses.push(clause.to_vec()));
                for clause in clauses {
                    solver.add_clause(&clause);
                }
            }
            self.variable(signal.node(), solver);
        }
        self.literal(signal).expect("just encoded")
    }

    /// What each variable is defined by.
    pub fn fanins(&self) -> &Fanins {
        &self.fanins
    }

    /// Encodes a leaf as a variable that is there already.
    pub fn bind(&mut self, aig: &Aig, leaf: Node, variable: Var) {
        self.of_node.resize(aig.len(), None);
        self.of_node[leaf.index()] = Some(variable);
    }

    fn variable(&mut self, node: Node, solver: &mut impl SatSolver) -> Var {
        *self.of_node[node.index()].get_or_insert_with(|| solver.new_var())
    }

    /// The literal of a signal that was encoded.
    pub fn literal(&self, signal: Signal) -> Option<Lit> {
        let constant = signal.node().index() == 0;
        let var = self.of_node.get(signal.node().index()).copied().flatten()?;
        Some(var.lit(signal.is_complemented() == constant))
    }
}
