//! Two circuits side by side, with one question: is an output different?
//!
//! Inputs that belong together are one, in gold's shape. Gate comes first, since registers of gold without a first value begin as gate's registers do that belong to
//! them. X of gold are any value, or 0 where masks say what is known (`masks.rs`). Registers are called `gold.r` and `gate.r`, outputs `gold.o` and `gate.o`.

use super::ports::Matching;
use super::side::Side;
use crate::netlist::{Builder, complement};
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

const BIT: BitSort = BitSort::Bits(1);

/// What belongs together.
pub(crate) struct Correspondence {
    pub(crate) inputs: Matching,
    pub(crate) states: Matching,
    pub(crate) outputs: Matching,
}

/// Both circuits.
pub(crate) struct Product {
    pub(crate) circuit: Btor2,
    /// Where lines of gold and gate have gone; inputs of gate may be made of several of gold.
    pub(crate) gold: Vec<Option<LineIndex>>,
    pub(crate) gate: Vec<Option<LineIndex>>,
    /// Of inputs of gate that are made of gold's: which lines of gold, and which of their bits, from the lowest on.
    pub(crate) made_of: FxHashMap<LineIndex, Vec<(LineIndex, u32)>>,
    /// Registers of gold (its lines) that begin as registers of gate (its lines, and bits) do.
    pub(crate) ties: Vec<(LineIndex, Vec<(LineIndex, u32)>)>,
    /// What of gold is X at every step, and which registers are at first (its lines).
    pub(crate) unknown: Vec<LineIndex>,
    pub(crate) unknown_first: Vec<LineIndex>,
}

/// What stands for an X of gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InPlaceOfX {
    AnyValue,
    Zero,
}

/// Puts both circuits together; there is a bad state for each group of outputs (positions in the matching), under its name.
pub(crate) fn product(
    gold: &Side,
    gate: &Side,
    belongs: &Correspondence,
    groups: &[(String, Vec<usize>)],
    in_place_of_x: InPlaceOfX,
) -> Product {
    let mut making = Making {
        builder: Builder::default(),
        in_place_of_x,
        product: Product {
            circuit: Btor2::default(),
            gold: vec![None; gold.circuit.nodes.len()],
            gate: vec![None; gate.circuit.nodes.len()],
            made_of: FxHashMap::default(),
            ties: Vec::new(),
            unknown: Vec::new(),
            unknown_first: Vec::new(),
        },
    };
    let alone = belongs.inputs.only_gold.iter().flat_map(|bus| &bus.bits);
    let alone = alone.map(|&(port, _)| gold.inputs[port]);
    let unknown: FxHashSet<LineIndex> = gold.anonymous.iter().copied().chain(alone).collect();
    let gold_map = making.gold_inputs(gold, &unknown);
    let gate_map = making.gate(gold, gate, belongs, &gold_map);
    let gold_map = making.gold(gold, gate, belongs, gold_map, &gate_map);
    making.questions(gold, gate, &belongs.outputs, groups, (&gold_map, &gate_map));
    Product {
        circuit: making.builder.circuit,
        ..making.product
    }
}

/// For each line of a circuit, what it is in the product.
type Images = Vec<Option<Argument>>;

struct Making {
    builder: Builder,
    in_place_of_x: InPlaceOfX,
    product: Product,
}

fn image(images: &Images, argument: Argument) -> Option<Argument> {
    let found = images[argument.line.index()]?;
    Some(Argument {
        negated: found.negated != argument.negated,
        ..found
    })
}

fn lines(images: &Images) -> Vec<Option<LineIndex>> {
    images
        .iter()
        .map(|image| image.map(|argument| argument.line))
        .collect()
}

impl Making {
    /// A register that is always 0.
    fn zero(&mut self, state: LineIndex, sort: BitSort) {
        let (BitSort::Bits(width) | BitSort::Array { element: width, .. }) = sort;
        let bits = Arc::new(BigUint::ZERO);
        let zero = self.builder.circuit.add(Node::Constant { width, bits }, None);
        let value = Argument::plain(zero);
        self.builder.circuit.add(Node::Init { state, value }, None);
        let value = Argument::plain(state);
        self.builder.circuit.add(Node::Next { state, value }, None);
    }

    fn gold_inputs(&mut self, gold: &Side, unknown: &FxHashSet<LineIndex>) -> Images {
        let mut images: Images = vec![None; gold.circuit.nodes.len()];
        for &line in gold.inputs.iter().chain(&gold.anonymous) {
            let name = match &gold.circuit.symbols[line.index()] {
                Some(name) => name.clone(),
                None => format!("gold.x{}", line.index()),
            };
            let node = gold.circuit.node(line).clone();
            let made = match (&node, self.in_place_of_x) {
                (Node::Input(sort), InPlaceOfX::Zero) if unknown.contains(&line) => {
                    self.product.unknown.push(line);
                    let state = self.builder.circuit.add(Node::State(*sort), Some(name));
                    self.zero(state, *sort);
                    state
                }
                _ => self.builder.circuit.add(node, Some(name)),
            };
            images[line.index()] = Some(Argument::plain(made));
        }
        images
    }

    /// A bit of a value.
    fn bit(&mut self, argument: Argument, width: u32, bit: u32) -> Argument {
        match width {
            1 => argument,
            _ => self
                .builder
                .operation(Operator::Slice, BIT, vec![argument], vec![bit, bit]),
        }
    }

    /// Bits, from the lowest on, as one value.
    fn joined(&mut self, bits: &[Argument]) -> Argument {
        let mut bits = bits.iter().copied();
        let Some(mut value) = bits.next() else {
            return self.builder.constant(false);
        };
        for (width, bit) in (2..).zip(bits) {
            value = self.builder.operation(
                Operator::Concat,
                BitSort::Bits(width),
                vec![bit, value],
                Vec::new(),
            );
        }
        value
    }

    fn gate(&mut self, gold: &Side, gate: &Side, belongs: &Correspondence, gold_map: &Images) -> Images {
        // For each input of gate, where its bits come from: an input of gold and its bit.
        let mut sources: FxHashMap<LineIndex, Vec<Option<(LineIndex, u32)>>> = FxHashMap::default();
        for (ours, theirs) in &belongs.inputs.pairs {
            for (&(here, bit), &(there, position)) in ours.bits.iter().zip(&theirs.bits) {
                let width = gate.input_ports[there].width.max(1) as usize;
                let bits = sources
                    .entry(gate.inputs[there])
                    .or_insert_with(|| vec![None; width]);
                bits[position as usize] = Some((gold.inputs[here], bit));
            }
        }
        let mut images: Images = vec![None; gate.circuit.nodes.len()];
        for (line, node) in gate.circuit.lines() {
            let made = match node {
                Node::Input(sort) => {
                    let known = sources
                        .get(&line)
                        .and_then(|bits| bits.iter().copied().collect::<Option<Vec<_>>>());
                    match known {
                        Some(bits) => Some(self.made_of_gold(gold, gold_map, line, *sort, bits)),
                        None => {
                            let name = gate.circuit.symbols[line.index()].clone();
                            let name = name.unwrap_or_else(|| format!("x{}", line.index()));
                            let input = self
                                .builder
                                .circuit
                                .add(node.clone(), Some(format!("gate.{name}")));
                            Some(Argument::plain(input))
                        }
                    }
                }
                node => self.copied(gate, "gate", line, node, &images),
            };
            images[line.index()] = made;
        }
        self.product.gate = lines(&images);
        images
    }

    /// An input of gate as bits of gold's.
    fn made_of_gold(
        &mut self,
        gold: &Side,
        gold_map: &Images,
        line: LineIndex,
        sort: BitSort,
        bits: Vec<(LineIndex, u32)>,
    ) -> Argument {
        let of = |line: LineIndex| gold_map[line.index()];
        let first = bits.first().map(|&(line, _)| line);
        let whole = first.filter(|&first| {
            let places = bits.iter().zip(0..);
            gold.circuit.sort(first) == Some(sort)
                && places.into_iter().all(|(&from, bit)| from == (first, bit))
        });
        let made = match whole.and_then(of) {
            Some(whole) => whole,
            None => {
                let mut taken = Vec::with_capacity(bits.len());
                for &(from, bit) in &bits {
                    let width = match gold.circuit.sort(from) {
                        Some(BitSort::Bits(width)) => width,
                        _ => 1,
                    };
                    if let Some(value) = of(from) {
                        taken.push(self.bit(value, width, bit));
                    }
                }
                self.joined(&taken)
            }
        };
        self.product.made_of.insert(line, bits);
        made
    }

    /// A line of one circuit in the product.
    fn copied(
        &mut self,
        side: &Side,
        who: &str,
        line: LineIndex,
        node: &Node,
        images: &Images,
    ) -> Option<Argument> {
        let of = |argument: &Argument| image(images, *argument);
        let node = match node {
            Node::Operation {
                sort,
                operator,
                arguments,
                numbers,
            } => Node::Operation {
                sort: *sort,
                operator: *operator,
                arguments: arguments.iter().map(of).collect::<Option<Vec<_>>>()?,
                numbers: numbers.clone(),
            },
            Node::Init { state, value } => Node::Init {
                state: images[state.index()]?.line,
                value: of(value)?,
            },
            Node::Next { state, value } => Node::Next {
                state: images[state.index()]?.line,
                value: of(value)?,
            },
            Node::Constraint(argument) => Node::Constraint(of(argument)?),
            node => node.clone(),
        };
        let name = match &node {
            Node::State(_) => {
                let name = side.circuit.symbols[line.index()].clone();
                Some(format!(
                    "{who}.{}",
                    name.unwrap_or_else(|| format!("state{}", line.index()))
                ))
            }
            _ => None,
        };
        Some(Argument::plain(self.builder.circuit.add(node, name)))
    }

    fn gold(
        &mut self,
        gold: &Side,
        gate: &Side,
        belongs: &Correspondence,
        mut images: Images,
        gate_map: &Images,
    ) -> Images {
        let partners = partners(gold, gate, &belongs.states);
        let moving: FxHashSet<LineIndex> = (gold.circuit.lines())
            .filter_map(|(_, node)| match node {
                Node::Next { state, .. } => Some(*state),
                _ => None,
            })
            .collect();
        for (line, node) in gold.circuit.lines() {
            if images[line.index()].is_some() {
                continue;
            }
            let tie = match node {
                Node::State(sort) if !gold.initialised.contains(&line) => partners
                    .get(&line)
                    .and_then(|bits| self.begun(gate, gate_map, *sort, bits)),
                _ => None,
            };
            let made = self.copied(gold, "gold", line, node, &images);
            if let (Node::State(sort), None, Some(made)) = (node, tie, made)
                && !gold.initialised.contains(&line)
                && self.in_place_of_x == InPlaceOfX::Zero
            {
                self.begin_with_x(line, made.line, *sort, moving.contains(&line));
            }
            if let (Some(value), Some(state)) = (tie, made) {
                let state = state.line;
                self.builder.circuit.add(Node::Init { state, value }, None);
                self.product.ties.push((line, partners[&line].clone()));
            }
            images[line.index()] = made;
        }
        self.product.gold = lines(&images);
        images
    }

    /// A register of gold that is X at first, or, if it has no next value, always.
    fn begin_with_x(&mut self, line: LineIndex, state: LineIndex, sort: BitSort, moves: bool) {
        if !moves {
            self.product.unknown.push(line);
            self.zero(state, sort);
            return;
        }
        self.product.unknown_first.push(line);
        let (BitSort::Bits(width) | BitSort::Array { element: width, .. }) = sort;
        let bits = Arc::new(BigUint::ZERO);
        let zero = self.builder.circuit.add(Node::Constant { width, bits }, None);
        let value = Argument::plain(zero);
        self.builder.circuit.add(Node::Init { state, value }, None);
    }

    /// What registers of gate begin with, as the first value of a register of gold; nothing if the sorts do not fit.
    fn begun(
        &mut self,
        gate: &Side,
        gate_map: &Images,
        sort: BitSort,
        bits: &[(LineIndex, u32)],
    ) -> Option<Argument> {
        if let &[(register, 0)] = bits
            && gate.circuit.sort(register) == Some(sort)
        {
            return gate_map[register.index()];
        }
        let BitSort::Bits(_) = sort else {
            return None;
        };
        let mut values = Vec::with_capacity(bits.len());
        for &(register, bit) in bits {
            let Some(BitSort::Bits(width)) = gate.circuit.sort(register) else {
                return None;
            };
            let value = gate_map[register.index()]?;
            values.push(self.bit(value, width, bit));
        }
        Some(self.joined(&values))
    }

    /// The outputs of both under their names, and for each group of them whether one differs.
    fn questions(
        &mut self,
        gold: &Side,
        gate: &Side,
        outputs: &Matching,
        groups: &[(String, Vec<usize>)],
        (gold_map, gate_map): (&Images, &Images),
    ) {
        let mut same: Vec<Argument> = Vec::with_capacity(outputs.pairs.len());
        for (ours, theirs) in &outputs.pairs {
            let values = [(gold, gold_map, ours, "gold"), (gate, gate_map, theirs, "gate")].map(
                |(side, images, bus, who)| {
                    let mut bits = Vec::with_capacity(bus.bits.len());
                    for &(port, bit) in &bus.bits {
                        if let Some(value) = image(images, side.outputs[port]) {
                            bits.push((value, side.output_ports[port].width, bit));
                        }
                    }
                    (bits, who)
                },
            );
            let mut joined = Vec::with_capacity(2);
            for (bits, who) in values {
                let is_whole = bits.iter().zip(0..).all(|(&(value, width, bit), at)| {
                    bit == at && value == bits[0].0 && width as usize == bits.len()
                });
                let value = match (is_whole, bits.first()) {
                    (true, Some(&(value, ..))) => value,
                    _ => {
                        let bits: Vec<Argument> = bits
                            .iter()
                            .map(|&(value, width, bit)| self.bit(value, width, bit))
                            .collect();
                        self.joined(&bits)
                    }
                };
                let name = format!("{who}.{}", ours.name);
                self.builder.circuit.add(Node::Output(value), Some(name));
                joined.push(value);
            }
            let equal = self.builder.operation(Operator::Eq, BIT, joined, Vec::new());
            same.push(equal);
        }
        for (name, positions) in groups {
            let all: Vec<Argument> = positions.iter().map(|&position| same[position]).collect();
            let all = self.builder.all(all);
            self.builder
                .circuit
                .add(Node::Bad(complement(all)), Some(name.clone()));
        }
    }
}

/// For each register of gold that belongs to registers of gate: which ones, bit by bit from the lowest on.
fn partners(gold: &Side, gate: &Side, states: &Matching) -> FxHashMap<LineIndex, Vec<(LineIndex, u32)>> {
    let mut partners: FxHashMap<LineIndex, Vec<(LineIndex, u32)>> = FxHashMap::default();
    for (ours, theirs) in &states.pairs {
        // (The bits of one port follow each other, from the lowest on.)
        for (&(here, _), &(there, bit)) in ours.bits.iter().zip(&theirs.bits) {
            partners
                .entry(gold.states[here])
                .or_default()
                .push((gate.states[there], bit));
        }
    }
    partners
}
