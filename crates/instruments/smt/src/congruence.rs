//! Congruence closure with explanations (Nieuwenhuis, Oliveras 2007), with bounds taken back in any number of steps.
//!
//! Nodes are terms. Classes are merged by asserted equations and by congruence; each merge leaves an edge in a forest of proofs, along
//! which a set of asserted equations that explains an equality is collected. Different constants of one sort are never equal.

use entail_first_order::TermId;
use entail_sat::Lit;
use rustc_hash::FxHashMap;

pub(crate) type Node = usize;

/// What a node does with its arguments: its operator and those operands' classes.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Signature {
    function: u64,
    args: Box<[Node]>,
}

#[derive(Clone, Copy)]
enum Cause {
    Asserted(Lit),
    Congruent(Node, Node),
}

struct Data {
    term: TermId,
    representative: Node,
    /// The next of the class, in a circle.
    next: Node,
    size: usize,
    /// Applications with an argument in the class, kept at representatives.
    uses: Vec<Node>,
    function: Option<(u64, Box<[Node]>)>,
    edge: Option<(Node, Cause)>,
    /// A node of the class that is a constant, different from all others.
    constant: Option<Node>,
    /// Disequalities with members of the class: the other side, and the literal.
    unequal: Vec<Sides>,
    /// Equation atoms with a member of the class: both sides and the atom.
    atoms: Vec<Sides>,
}

enum Undo {
    Merge {
        small: Node,
        large: Node,
        uses: usize,
        constant: Option<Node>,
        unequal: usize,
        atoms: usize,
    },
    Edge(Node, Node),
    Table(Signature),
    Unequal(Node),
}

/// What follows: literals to propagate with the equality that implies them.
pub(crate) enum Consequence {
    /// The nodes are equal, so the literal is true.
    Equal(Node, Node, Lit),
    /// The literal says that the first nodes of the pairs are equal; each equals the second one of its pair, and these two differ: by the
    /// literal given, or as different constants.
    Unequal(Lit, [(Node, Node); 2], Option<Lit>),
}

impl Consequence {
    /// The value its literal gets: 1 if it is true, -1 if it is false.
    pub fn value(&self) -> i8 {
        match self {
            Consequence::Equal(..) => 1,
            Consequence::Unequal(..) => -1,
        }
    }
}

/// Equations or disequalities with a member of a class: both sides and the literal.
type Sides = (Node, Node, Lit);

#[derive(Default)]
pub(crate) struct Congruence {
    nodes: Vec<Data>,
    ids: FxHashMap<TermId, Node>,
    table: FxHashMap<Signature, Node>,
    trail: Vec<Undo>,
    marks: Vec<usize>,
    pending: Vec<(Node, Node, Cause)>,
    pub consequences: Vec<Consequence>,
}

impl Congruence {
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, term: TermId) -> Option<Node> {
        self.ids.get(&term).copied()
    }

    pub fn term(&self, node: Node) -> TermId {
        self.nodes[node].term
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn find(&self, node: Node) -> Node {
        self.nodes[node].representative
    }

    /// The function and the argument nodes of an application.
    pub fn application(&self, node: Node) -> Option<(u64, &[Node])> {
        self.nodes[node]
            .function
            .as_ref()
            .map(|(function, args)| (*function, &**args))
    }

    /// A node for a term; the solver is at level 0.
    pub fn add(&mut self, term: TermId, function: Option<(u64, Vec<Node>)>, is_constant: bool) -> Node {
        if let Some(&known) = self.ids.get(&term) {
            return known;
        }
        let node = self.nodes.len();
        self.ids.insert(term, node);
        self.nodes.push(Data {
            term,
            representative: node,
            next: node,
            size: 1,
            uses: Vec::new(),
            function: function.map(|(function, args)| (function, args.into())),
            edge: None,
            constant: is_constant.then_some(node),
            unequal: Vec::new(),
            atoms: Vec::new(),
        });
        if let Some((_, args)) = &self.nodes[node].function {
            let classes: Vec<Node> = args.iter().map(|&arg| self.find(arg)).collect();
            for class in classes {
                self.nodes[class].uses.push(node);
            }
            self.enter(node);
        }
        node
    }

    /// An atom that says two nodes are equal.
    pub fn watch(&mut self, a: Node, b: Node, atom: Lit) {
        for node in [self.find(a), self.find(b)] {
            self.nodes[node].atoms.push((a, b, atom));
        }
        if self.find(a) == self.find(b) {
            self.consequences.push(Consequence::Equal(a, b, atom));
        }
    }

    fn signature(&self, node: Node) -> Option<Signature> {
        let (function, args) = self.nodes[node].function.as_ref()?;
        Some(Signature {
            function: *function,
            args: args.iter().map(|&arg| self.find(arg)).collect(),
        })
    }

    /// Enters an application into the table, or finds what it is congruent to.
    fn enter(&mut self, node: Node) {
        let Some(signature) = self.signature(node) else {
            return;
        };
        match self.table.get(&signature) {
            Some(&other) if self.find(other) != self.find(node) => {
                self.pending.push((node, other, Cause::Congruent(node, other)));
            }
            Some(_) => {}
            None => {
                self.table.insert(signature.clone(), node);
                self.trail.push(Undo::Table(signature));
            }
        }
    }

    pub fn push(&mut self) {
        self.marks.push(self.trail.len());
    }

    pub fn pop_to(&mut self, level: usize) {
        while self.marks.len() > level {
            let mark = self.marks.pop().unwrap_or(0);
            while self.trail.len() > mark {
                if let Some(undo) = self.trail.pop() {
                    self.undo(undo);
                }
            }
            self.pending.clear();
            self.consequences.clear();
        }
    }

    fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Table(signature) => drop(self.table.remove(&signature)),
            Undo::Edge(from, to) => {
                // A later merge may have turned the edge around.
                let (from, to) = match self.nodes[from].edge {
                    Some((end, _)) if end == to => (from, to),
                    _ => (to, from),
                };
                if self.nodes[from].edge.is_some_and(|(end, _)| end == to) {
                    self.nodes[from].edge = None;
                }
            }
            Undo::Unequal(node) => drop(self.nodes[node].unequal.pop()),
            Undo::Merge {
                small,
                large,
                uses,
                constant,
                unequal,
                atoms,
            } => {
                let after = self.nodes[small].next;
                self.nodes[small].next = self.nodes[large].next;
                self.nodes[large].next = after;
                // The circles are apart again: relabel the small one.
                let mut member = small;
                loop {
                    self.nodes[member].representative = small;
                    member = self.nodes[member].next;
                    if member == small {
                        break;
                    }
                }
                let size = self.nodes[small].size;
                let data = &mut self.nodes[large];
                data.size -= size;
                data.uses.truncate(uses);
                data.constant = constant;
                data.unequal.truncate(unequal);
                data.atoms.truncate(atoms);
            }
        }
    }

    pub fn assert_equal(&mut self, a: Node, b: Node, reason: Lit) {
        self.pending.push((a, b, Cause::Asserted(reason)));
    }

    /// Notes a disequality; literals in conflict if the nodes are equal.
    pub fn assert_unequal(&mut self, a: Node, b: Node, reason: Lit) -> Result<(), Vec<Lit>> {
        let (ra, rb) = (self.find(a), self.find(b));
        if ra == rb {
            let mut conflict = self.explain(a, b);
            conflict.push(reason);
            return Err(conflict);
        }
        for class in [ra, rb] {
            self.nodes[class].unequal.push((a, b, reason));
            self.trail.push(Undo::Unequal(class));
        }
        // Other atoms between the two classes are false.
        let class = match self.nodes[ra].atoms.len() < self.nodes[rb].atoms.len() {
            true => ra,
            false => rb,
        };
        let mut false_atoms = Vec::new();
        for &atom in &self.nodes[class].atoms {
            let (own, other) = self.sides(atom, ra);
            if self.find(own) == ra && self.find(other) == rb && atom.2 != !reason {
                false_atoms.push(Consequence::Unequal(atom.2, [(own, a), (other, b)], Some(reason)));
            }
        }
        self.consequences.extend(false_atoms);
        Ok(())
    }

    /// The side that is in a class first.
    fn sides(&self, (a, b, _): Sides, class: Node) -> (Node, Node) {
        if self.find(a) == class { (a, b) } else { (b, a) }
    }

    /// Finds atoms of a class that are false because the class differs from that of the other side, by one of these disequalities of its.
    fn refute_atoms(&self, class: Node, atoms: &[Sides], unequal: &[Sides], found: &mut Vec<Consequence>) {
        if atoms.is_empty() || unequal.is_empty() {
            return;
        }
        let mut differing: FxHashMap<Node, (Node, Node, Lit)> = FxHashMap::default();
        for &one in unequal {
            let (own, other) = self.sides(one, class);
            differing.entry(self.find(other)).or_insert((own, other, one.2));
        }
        for &atom in atoms {
            let (own, other) = self.sides(atom, class);
            if let Some(&(x, y, reason)) = differing.get(&self.find(other)) {
                found.push(Consequence::Unequal(atom.2, [(own, x), (other, y)], Some(reason)));
            }
        }
    }

    /// The same for a class with a constant, and other sides whose class has another one.
    fn refute_by_constants(
        &self,
        class: Node,
        constant: Node,
        atoms: &[Sides],
        found: &mut Vec<Consequence>,
    ) {
        for &atom in atoms {
            let (own, other) = self.sides(atom, class);
            match self.nodes[self.find(other)].constant {
                Some(theirs) if theirs != constant => {
                    found.push(Consequence::Unequal(
                        atom.2,
                        [(own, constant), (other, theirs)],
                        None,
                    ));
                }
                _ => {}
            }
        }
    }

    /// Merges what is waiting; literals in conflict, if there is one.
    pub fn close(&mut self) -> Result<(), Vec<Lit>> {
        while let Some((a, b, cause)) = self.pending.pop() {
            let (ra, rb) = (self.find(a), self.find(b));
            if ra == rb {
                continue;
            }
            let (small, large, from, to) = match self.nodes[ra].size < self.nodes[rb].size {
                true => (ra, rb, a, b),
                false => (rb, ra, b, a),
            };
            self.reroot(from);
            self.nodes[from].edge = Some((to, cause));
            self.trail.push(Undo::Edge(from, to));
            if let Err(conflict) = self.merge(small, large) {
                self.pending.clear();
                return Err(conflict);
            }
        }
        Ok(())
    }

    /// Turns the edges on the way from a node to its root around.
    fn reroot(&mut self, node: Node) {
        let mut edge = self.nodes[node].edge.take();
        let mut from = node;
        while let Some((to, cause)) = edge {
            edge = self.nodes[to].edge.replace((from, cause));
            from = to;
        }
    }

    fn merge(&mut self, small: Node, large: Node) -> Result<(), Vec<Lit>> {
        let large_data = &self.nodes[large];
        self.trail.push(Undo::Merge {
            small,
            large,
            uses: large_data.uses.len(),
            constant: large_data.constant,
            unequal: large_data.unequal.len(),
            atoms: large_data.atoms.len(),
        });
        let mut member = small;
        loop {
            self.nodes[member].representative = large;
            member = self.nodes[member].next;
            if member == small {
                break;
            }
        }
        let after = self.nodes[small].next;
        self.nodes[small].next = self.nodes[large].next;
        self.nodes[large].next = after;
        let size = self.nodes[small].size;
        self.nodes[large].size += size;
        let uses = self.nodes[small].uses.clone();
        let atoms = self.nodes[small].atoms.clone();
        let unequal = self.nodes[small].unequal.clone();
        let unequal_count = unequal.len();
        let constants = (self.nodes[small].constant, self.nodes[large].constant);
        self.nodes[large].uses.extend(&uses);
        self.nodes[large].atoms.extend(&atoms);
        self.nodes[large].unequal.extend(&unequal);
        self.nodes[large].constant = constants.1.or(constants.0);
        if let (Some(a), Some(b)) = constants
            && a != b
        {
            return Err(self.explain(a, b));
        }
        for (a, b, reason) in unequal {
            if self.find(a) == self.find(b) {
                let mut conflict = self.explain(a, b);
                conflict.push(reason);
                return Err(conflict);
            }
        }
        for &(a, b, atom) in &atoms {
            if self.find(a) == self.find(b) {
                self.consequences.push(Consequence::Equal(a, b, atom));
            }
        }
        // What one of the classes knew to be different, the other one's atoms learn.
        let mut found = Vec::new();
        let data = &self.nodes[large];
        let (old_atoms, new_atoms) = data.atoms.split_at(data.atoms.len() - atoms.len());
        let (old_unequal, new_unequal) = data.unequal.split_at(data.unequal.len() - unequal_count);
        self.refute_atoms(large, new_atoms, old_unequal, &mut found);
        self.refute_atoms(large, old_atoms, new_unequal, &mut found);
        match constants {
            (None, Some(constant)) => self.refute_by_constants(large, constant, new_atoms, &mut found),
            (Some(constant), None) => self.refute_by_constants(large, constant, old_atoms, &mut found),
            _ => {}
        }
        self.consequences.extend(found);
        for application in uses {
            self.enter(application);
        }
        Ok(())
    }

    /// Asserted literals from which the equality of two nodes of one class follows.
    pub fn explain(&self, a: Node, b: Node) -> Vec<Lit> {
        let mut literals = Vec::new();
        let mut waiting = vec![(a, b)];
        let mut done: rustc_hash::FxHashSet<(Node, Node)> = Default::default();
        while let Some((a, b)) = waiting.pop() {
            if a == b || !done.insert((a, b)) {
                continue;
            }
            let mut ancestors: rustc_hash::FxHashSet<Node> = Default::default();
            let mut node = a;
            ancestors.insert(node);
            while let Some((to, _)) = self.nodes[node].edge {
                node = to;
                ancestors.insert(node);
            }
            let mut meeting = b;
            while !ancestors.contains(&meeting) {
                match self.nodes[meeting].edge {
                    Some((to, _)) => meeting = to,
                    None => break,
                }
            }
            for start in [a, b] {
                let mut node = start;
                while node != meeting {
                    let Some((to, cause)) = self.nodes[node].edge else {
                        break;
                    };
                    match cause {
                        Cause::Asserted(lit) => literals.push(lit),
                        Cause::Congruent(one, other) => {
                            if let (Some((_, xs)), Some((_, ys))) =
                                (&self.nodes[one].function, &self.nodes[other].function)
                            {
                                waiting.extend(xs.iter().copied().zip(ys.iter().copied()));
                            }
                        }
                    }
                    node = to;
                }
            }
        }
        literals.sort_unstable();
        literals.dedup();
        literals
    }
}
