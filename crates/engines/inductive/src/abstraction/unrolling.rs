//! The abstract circuit unrolled in time, in one solver that lives as long as the abstraction grows.
//!
//! A variable for each object at each position where something kept reads it. The clauses that define an object are added when it is kept, at all
//! positions where it is read; until then it is a free variable. Objects kept for good have their clauses as they are. Objects on trial
//! have a *guard*: a literal in front of all their clauses, assumed in every call, so that the solver says which of them a refutation needed.
//! A trial ends with the guard asserted or denied, by one unit clause.

use super::objects::{Object, Objects};
use entail_budget::{Budget, Spent};
use entail_sat::{Answer, Cadical, Lit, Node, Query, SatSolver, Signal, Var};

/// How an object takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// It is free.
    LeftOut,
    /// It is defined if its guard is assumed.
    OnTrial(Lit),
    /// It is defined.
    Kept,
}

const NONE: u32 = u32::MAX;

pub(super) struct AbstractUnrolling<'o> {
    objects: &'o Objects<'o>,
    solver: Cadical,
    truth: Var,
    part: Vec<Part>,
    on_trial: Vec<Node>,
    /// A row's column for each node that has variables.
    column: Vec<u32>,
    columns: u32,
    /// For each position a row of variables.
    rows: Vec<Vec<Option<Var>>>,
    /// Variables whose objects are kept and not defined yet.
    pending: Vec<(Node, usize)>,
}

impl<'o> AbstractUnrolling<'o> {
    /// Nothing kept but what conditions on the first state read, no position.
    pub(super) fn new(objects: &'o Objects<'o>) -> AbstractUnrolling<'o> {
        let mut solver = Cadical::new();
        let truth = solver.new_var();
        solver.add_clause(&[truth.lit(true)]);
        let mut part = vec![Part::LeftOut; objects.circuit.aig.len()];
        for node in objects.of_first_state() {
            part[node.index()] = Part::Kept;
        }
        AbstractUnrolling {
            objects,
            solver,
            truth,
            part,
            on_trial: Vec::new(),
            column: vec![NONE; objects.circuit.aig.len()],
            columns: 0,
            rows: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// How many positions there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn is_kept(&self, node: Node) -> bool {
        self.part[node.index()] != Part::LeftOut
    }

    /// The objects on trial.
    pub(super) fn on_trial(&self) -> &[Node] {
        &self.on_trial
    }

    /// Everything kept, in increasing order.
    pub(super) fn kept(&self) -> Vec<Node> {
        let nodes = (0..self.part.len()).map(Node::new);
        nodes.filter(|&node| self.is_kept(node)).collect()
    }

    /// Adds a position, with the constraints; the position before it gets its step constraints.
    pub(super) fn extend(&mut self) {
        self.rows.push(Vec::new());
        let here = self.rows.len() - 1;
        let circuit = self.objects.circuit;
        let mut required: Vec<(Signal, usize)> = Vec::new();
        required.extend(circuit.constraints.iter().map(|&signal| (signal, here)));
        match here.checked_sub(1) {
            Some(before) => {
                required.extend(circuit.step_constraints.iter().map(|&signal| (signal, before)));
            }
            None => required.extend(circuit.init_constraints.iter().map(|&signal| (signal, 0))),
        }
        for (signal, position) in required {
            let literal = self.literal(signal, position);
            self.define_pending();
            self.solver.add_clause(&[literal]);
        }
    }

    /// Keeps an object for good.
    pub(super) fn keep(&mut self, node: Node) {
        if self.part[node.index()] == Part::LeftOut {
            self.join(node, Part::Kept);
        }
    }

    /// Keeps an object on trial.
    pub(super) fn try_out(&mut self, node: Node) {
        if self.part[node.index()] == Part::LeftOut {
            let guard = self.solver.new_var().lit(true);
            self.on_trial.push(node);
            self.join(node, Part::OnTrial(guard));
        }
    }

    fn join(&mut self, node: Node, part: Part) {
        self.part[node.index()] = part;
        for position in 0..self.rows.len() {
            if self.known(node, position).is_some() {
                self.pending.push((node, position));
            }
        }
        self.define_pending();
    }

    /// Ends all trials: keeps the objects of a sorted list and leaves out the others.
    pub(super) fn decide_trials(&mut self, needed: &[Node]) {
        for node in std::mem::take(&mut self.on_trial) {
            let Part::OnTrial(guard) = self.part[node.index()] else {
                continue;
            };
            let stays = needed.binary_search(&node).is_ok();
            self.solver.add_clause(&[guard.flipped_if(!stays)]);
            self.part[node.index()] = if stays { Part::Kept } else { Part::LeftOut };
        }
    }

    /// Whether bad is reached at a position when the given objects on trial are defined and the others are free.
    pub(super) fn reaches_bad(
        &mut self,
        position: usize,
        defined: &[Node],
        conflict_limit: Option<u64>,
        budget: &Budget,
    ) -> Result<Answer, Spent> {
        let bad = self.literal(self.objects.bad, position);
        self.define_pending();
        let mut assumptions: Vec<Lit> = defined.iter().filter_map(|&node| self.guard(node)).collect();
        assumptions.push(bad);
        let query = Query {
            assumptions: &assumptions,
            constraint: &[],
            conflict_limit,
        };
        self.solver.solve_query(query, budget)
    }

    /// Those of the objects on trial whose definitions the last refutation used.
    pub(super) fn used(&self, among: &[Node]) -> Vec<Node> {
        let used = |node: &Node| self.guard(*node).is_some_and(|guard| self.solver.failed(guard));
        among.iter().copied().filter(used).collect()
    }

    /// Bad is not reached at a position: what is kept for good says so.
    pub(super) fn refuted(&mut self, position: usize) {
        let bad = self.literal(self.objects.bad, position);
        self.solver.add_clause(&[!bad]);
    }

    /// The value of a node in the solver's model; false where it does not matter.
    pub(super) fn value(&self, node: Node, position: usize) -> bool {
        match self.known(node, position) {
            _ if node.index() == 0 => false,
            Some(var) => self.solver.value(var.lit(true)).unwrap_or(false),
            None => false,
        }
    }

    /// The values of all variables in the solver's model, position by position and column by column.
    pub(super) fn values(&self) -> Vec<Vec<bool>> {
        let value = |var: &Option<Var>| {
            var.and_then(|var| self.solver.value(var.lit(true)))
                .unwrap_or(false)
        };
        self.rows
            .iter()
            .map(|row| row.iter().map(value).collect())
            .collect()
    }

    /// The column of each node; larger than any row is long where it has none.
    pub(super) fn columns(&self) -> Vec<u32> {
        self.column.clone()
    }

    fn guard(&self, node: Node) -> Option<Lit> {
        match self.part[node.index()] {
            Part::OnTrial(guard) => Some(guard),
            Part::LeftOut | Part::Kept => None,
        }
    }

    fn known(&self, node: Node, position: usize) -> Option<Var> {
        let column = self.column[node.index()];
        *self.rows[position].get(column as usize)?
    }

    fn literal(&mut self, signal: Signal, position: usize) -> Lit {
        let node = signal.node();
        if node.index() == 0 {
            return self.truth.lit(signal.is_complemented());
        }
        let var = self.known(node, position).unwrap_or_else(|| {
            let column = &mut self.column[node.index()];
            if *column == NONE {
                *column = self.columns;
                self.columns += 1;
            }
            let row = &mut self.rows[position];
            row.resize(row.len().max(*column as usize + 1), None);
            let var = self.solver.new_var();
            row[*column as usize] = Some(var);
            if self.is_kept(node) {
                self.pending.push((node, position));
            }
            var
        });
        var.lit(!signal.is_complemented())
    }

    fn define_pending(&mut self) {
        while let Some((node, position)) = self.pending.pop() {
            self.define(node, position);
        }
    }

    /// Adds the clauses that say what an object is at a position.
    fn define(&mut self, node: Node, position: usize) {
        let out = self.literal(node.signal(), position);
        let mut clauses: Vec<Vec<Lit>> = Vec::new();
        let objects = self.objects;
        match objects.of(node) {
            Object::Gate(gate) => {
                let operands: Vec<(Signal, Lit)> = gate
                    .operands()
                    .map(|signal| (signal, self.literal(signal, position)))
                    .collect();
                let literal = |signal: Signal| {
                    let found = operands.iter().find(|(operand, _)| *operand == signal);
                    found.map(|(_, literal)| *literal).unwrap_or(out)
                };
                gate.clauses(out, literal, |clause| clauses.push(clause.to_vec()));
            }
            Object::Latch(latch) => {
                let latch = &objects.circuit.latches[latch];
                match position.checked_sub(1) {
                    Some(before) => {
                        let next = self.literal(latch.next, before);
                        clauses.extend([vec![!out, next], vec![out, !next]]);
                    }
                    None => {
                        clauses.extend(latch.init.as_constant().map(|value| vec![out.flipped_if(!value)]))
                    }
                }
            }
            Object::Constant | Object::Input(_) | Object::Hidden => {}
        }
        let guard = self.guard(node).map(|guard| !guard);
        for mut clause in clauses {
            clause.extend(guard);
            self.solver.add_clause(&clause);
        }
    }
}
