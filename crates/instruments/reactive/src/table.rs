//! Machines as tables: states by classes of letters.
//!
//! Letters that no state tells apart are one class: the common refinement of all diagrams, itself a diagram with classes at its ends. Costs the product of the diagrams; a machine whose
//! letters fall into too many classes, or whose diagrams have too large a product, has no table.

use crate::loose::{LooseMachine, LooseNode, OutputSet, OutputSets};
use entail_game::{Decision, ReactiveMachine};
use rustc_hash::FxHashMap;

/// More nodes of the product of two diagrams are not made.
const MOST_NODES: usize = 200_000;

/// What a state does on a class of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// What may be written.
    pub allowed: OutputSet,
    /// The next state; nothing if anything may follow.
    pub next: Option<u32>,
}

/// A node of the diagram of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LetterNode {
    Test(u32, u32, u32),
    Class(u32),
}

/// A machine as a table. State 0 is the first.
#[derive(Clone, Debug)]
pub struct Table {
    /// The names of what is read.
    pub reads: Vec<String>,
    /// The names of what is written.
    pub writes: Vec<String>,
    /// Whether it writes before it reads: then all cells of a state allow the same.
    pub is_moore: bool,
    /// What may be written.
    pub sets: OutputSets,
    /// From letters to classes; the last node is the root.
    pub(crate) letters: Vec<LetterNode>,
    /// For each state, its cells.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// The table of a machine; nothing if its letters fall into more classes than this, or its diagrams test in different orders.
    pub fn new(machine: &LooseMachine, most_classes: usize) -> Option<Table> {
        let ordered = machine.nodes.iter().all(|node| match *node {
            LooseNode::Test { read, low, high } => {
                [low, high]
                    .iter()
                    .all(|&next| match machine.nodes[next as usize] {
                        LooseNode::Test { read: later, .. } => later > read,
                        LooseNode::Step { .. } => true,
                    })
            }
            LooseNode::Step { .. } => true,
        });
        if !ordered {
            return None;
        }
        let mut letters = vec![LetterNode::Class(0)];
        for &root in &machine.states {
            letters = refined(&letters, machine, root, most_classes)?;
        }
        let mut table = Table {
            reads: machine.reads.clone(),
            writes: machine.writes.clone(),
            is_moore: machine.is_moore,
            sets: machine.sets.clone(),
            letters,
            rows: Vec::with_capacity(machine.states.len()),
        };
        let samples = table.samples();
        for &root in &machine.states {
            let cells = samples.iter().map(|letter| cell(machine, root, letter));
            table.rows.push(cells.collect());
        }
        Some(table)
    }

    /// Number of classes of letters.
    pub fn classes(&self) -> usize {
        let class = |node: &LetterNode| match node {
            LetterNode::Class(class) => *class as usize + 1,
            LetterNode::Test(..) => 0,
        };
        self.letters.iter().map(class).max().unwrap_or(0)
    }

    /// A letter of each class.
    pub fn samples(&self) -> Vec<Vec<bool>> {
        // From the root down, the first way to each node.
        let mut way: Vec<Option<Vec<bool>>> = vec![None; self.letters.len()];
        if let Some(root) = way.last_mut() {
            *root = Some(vec![false; self.reads.len()]);
        }
        let mut samples = vec![Vec::new(); self.classes()];
        for at in (0..self.letters.len()).rev() {
            let Some(letter) = way[at].take() else {
                continue;
            };
            match self.letters[at] {
                LetterNode::Class(class) => samples[class as usize] = letter,
                LetterNode::Test(read, low, high) => {
                    let mut with = letter.clone();
                    with[read as usize] = true;
                    way[high as usize].get_or_insert(with);
                    way[low as usize].get_or_insert(letter);
                }
            }
        }
        samples
    }

    /// The class of a letter.
    pub fn class(&self, read: &dyn Fn(u32) -> bool) -> usize {
        let mut at = self.letters.len() - 1;
        loop {
            match self.letters[at] {
                LetterNode::Class(class) => return class as usize,
                LetterNode::Test(signal, low, high) => at = if read(signal) { high } else { low } as usize,
            }
        }
    }

    /// The same machine with other rows, numbered from the first state on as they are met; classes that all rows treat alike become one.
    pub(crate) fn with_rows(&self, rows: &[Vec<Cell>], first: u32, sets: OutputSets) -> Table {
        let mut number: FxHashMap<u32, u32> = FxHashMap::from_iter([(first, 0)]);
        let mut order = vec![first];
        let mut made: Vec<Vec<Cell>> = Vec::new();
        while let Some(&state) = order.get(made.len()) {
            let renumbered = rows[state as usize].iter().map(|cell| Cell {
                allowed: cell.allowed,
                next: cell.next.map(|next| {
                    let fresh = order.len() as u32;
                    *number.entry(next).or_insert_with(|| {
                        order.push(next);
                        fresh
                    })
                }),
            });
            made.push(renumbered.collect());
        }
        let mut columns: FxHashMap<Vec<Cell>, u32> = FxHashMap::default();
        let mut class_of = Vec::new();
        let mut kept = Vec::new();
        for class in 0..self.classes() {
            let column: Vec<Cell> = made.iter().map(|row| row[class]).collect();
            let fresh = columns.len() as u32;
            let new = *columns.entry(column).or_insert_with(|| {
                kept.push(class);
                fresh
            });
            class_of.push(new);
        }
        let mut builder = LetterBuilder::default();
        let mut image: Vec<u32> = Vec::with_capacity(self.letters.len());
        for node in &self.letters {
            image.push(match *node {
                LetterNode::Class(class) => builder.node(LetterNode::Class(class_of[class as usize])),
                LetterNode::Test(read, low, high) => {
                    builder.test(read, image[low as usize], image[high as usize])
                }
            });
        }
        Table {
            reads: self.reads.clone(),
            writes: self.writes.clone(),
            is_moore: self.is_moore,
            sets,
            letters: builder.upto(image.last().copied().unwrap_or(0)),
            rows: made
                .iter()
                .map(|row| kept.iter().map(|&class| row[class]).collect())
                .collect(),
        }
    }

    /// A machine that does one of the things that are allowed.
    pub fn resolved(&self) -> ReactiveMachine {
        let mut nodes: Vec<Decision> = Vec::new();
        let mut numbers: FxHashMap<Decision, u32> = FxHashMap::default();
        let mut push = |decision: Decision| {
            *numbers.entry(decision).or_insert_with_key(|decision| {
                nodes.push(decision.clone());
                nodes.len() as u32 - 1
            })
        };
        let mut states = Vec::with_capacity(self.rows.len());
        for (state, row) in self.rows.iter().enumerate() {
            let mut image: Vec<u32> = Vec::with_capacity(self.letters.len());
            for node in &self.letters {
                image.push(match *node {
                    LetterNode::Class(class) => {
                        let cell = row[class as usize];
                        push(Decision::Step {
                            written: self.sets.pick(cell.allowed, self.writes.len()),
                            next: cell.next.unwrap_or(state as u32),
                        })
                    }
                    LetterNode::Test(read, low, high) => match (image[low as usize], image[high as usize]) {
                        (low, high) if low == high => low,
                        (low, high) => push(Decision::Test { read, low, high }),
                    },
                });
            }
            states.push(image.last().copied().unwrap_or(0));
        }
        ReactiveMachine {
            reads: self.reads.clone(),
            writes: self.writes.clone(),
            is_moore: self.is_moore,
            nodes,
            states,
        }
    }
}

/// What a state does on a letter.
fn cell(machine: &LooseMachine, root: u32, letter: &[bool]) -> Cell {
    let mut at = root;
    loop {
        match machine.nodes[at as usize] {
            LooseNode::Test { read, low, high } => at = if letter[read as usize] { high } else { low },
            LooseNode::Step { allowed, next } => return Cell { allowed, next },
        }
    }
}

/// A diagram of letters that is being made.
#[derive(Default)]
struct LetterBuilder {
    nodes: Vec<LetterNode>,
    numbers: FxHashMap<LetterNode, u32>,
}

impl LetterBuilder {
    fn node(&mut self, node: LetterNode) -> u32 {
        let nodes = &mut self.nodes;
        *self.numbers.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() as u32 - 1
        })
    }

    fn test(&mut self, read: u32, low: u32, high: u32) -> u32 {
        match low == high {
            true => low,
            false => self.node(LetterNode::Test(read, low, high)),
        }
    }

    /// The nodes up to the root, which is last. Nodes made later are not needed, since a node's successors come before it.
    fn upto(mut self, root: u32) -> Vec<LetterNode> {
        self.nodes.truncate(root as usize + 1);
        self.nodes
    }
}

/// The classes split by what a state does.
fn refined(
    letters: &[LetterNode],
    machine: &LooseMachine,
    root: u32,
    most_classes: usize,
) -> Option<Vec<LetterNode>> {
    let mut walk = Refining {
        letters,
        machine,
        most_classes,
        builder: LetterBuilder::default(),
        classes: FxHashMap::default(),
        known: FxHashMap::default(),
    };
    let root = walk.node(letters.len() as u32 - 1, root)?;
    Some(walk.builder.upto(root))
}

struct Refining<'a> {
    letters: &'a [LetterNode],
    machine: &'a LooseMachine,
    most_classes: usize,
    builder: LetterBuilder,
    classes: FxHashMap<(u32, u32), u32>,
    known: FxHashMap<(u32, u32), u32>,
}

impl Refining<'_> {
    /// Both diagrams at once. The recursion is as deep as there are signals.
    fn node(&mut self, letter: u32, step: u32) -> Option<u32> {
        if let Some(&known) = self.known.get(&(letter, step)) {
            return Some(known);
        }
        let (one, other) = (self.letters[letter as usize], self.machine.nodes[step as usize]);
        let made = match (one, other) {
            _ if self.known.len() > MOST_NODES => return None,
            (LetterNode::Class(class), LooseNode::Step { .. }) => {
                let fresh = self.classes.len() as u32;
                let class = *self.classes.entry((class, step)).or_insert(fresh);
                if self.classes.len() > self.most_classes {
                    return None;
                }
                self.builder.node(LetterNode::Class(class))
            }
            (
                LetterNode::Test(read, low, high),
                LooseNode::Test {
                    read: other,
                    low: l,
                    high: h,
                },
            ) if read == other => {
                let (low, high) = (self.node(low, l)?, self.node(high, h)?);
                self.builder.test(read, low, high)
            }
            (LetterNode::Test(read, low, high), other) if !matches!(other, LooseNode::Test { read: earlier, .. } if earlier < read) =>
            {
                let (low, high) = (self.node(low, step)?, self.node(high, step)?);
                self.builder.test(read, low, high)
            }
            (_, LooseNode::Test { read, low, high }) => {
                let (low, high) = (self.node(letter, low)?, self.node(letter, high)?);
                self.builder.test(read, low, high)
            }
            (LetterNode::Test(..), LooseNode::Step { .. }) => return None,
        };
        self.known.insert((letter, step), made);
        Some(made)
    }
}
