//! Clauses of circuits.
//!
//! [`GateCnf`] is the transition relation of a circuit, written once: a variable for every latch, input and gate, the clauses that
//! define the gates, and for each variable the variables it is defined by ([`Fanins`]: what a query's domain is made of).
//! [`ConeEncoder`] adds the clauses of growing graphs (unrollings) to a solver as they are needed.

use crate::aig::{Aig, Node, Signal};
use crate::circuit::Circuit;
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
    /// The clauses of what a circuit's next functions and `roots` need. Every latch and input has a variable.
    pub fn new(circuit: &Circuit, roots: &[Signal]) -> GateCnf {
        let mut all: Vec<Signal> = roots.to_vec();
        all.extend(circuit.latches.iter().map(|latch| latch.next));
        let gates = gates(&circuit.aig, &all, |node| node.index() == 0);
        let mut of_node = vec![None; circuit.aig.len()];
        of_node[0] = Some(Var::new(0));
        let mut variables = 1;
        let leaves = circuit
            .latches
            .iter()
            .map(|latch| latch.node)
            .chain(circuit.inputs.iter().copied());
        for node in leaves.chain(gates.iter().map(|(node, _)| *node)) {
            of_node[node.index()] = Some(Var::new(variables));
            variables += 1;
        }
        let mut cnf = GateCnf {
            variables,
            literals: Vec::new(),
            ends: Vec::new(),
            fanins: Fanins::default(),
            of_node,
        };
        cnf.push(&[Var::new(0).lit(true)]);
        let mut defined: Vec<Vec<Var>> = vec![Vec::new(); variables];
        for (node, gate) in &gates {
            let out = cnf.lit(node.signal());
            let mut clauses: Vec<Vec<Lit>> = Vec::new();
            gate.clauses(
                out,
                |signal| cnf.lit(signal),
                |clause| clauses.push(clause.to_vec()),
            );
            for clause in clauses {
                cnf.push(&clause);
            }
            defined[out.var().index()] = gate.operands().map(|signal| cnf.lit(signal).var()).collect();
        }
        cnf.fanins.starts.push(0);
        for vars in defined {
            cnf.fanins.vars.extend(vars);
            cnf.fanins.starts.push(cnf.fanins.vars.len() as u32);
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
