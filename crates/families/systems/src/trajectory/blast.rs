//! A circuit of words as a netlist of gates, with the names of its signals.
//!
//! Every operator becomes the gates that a textbook would draw, and nothing is shared, folded or rewritten afterwards: three-valued simulation follows these gates. A multiplexer is two ANDs and an OR (X on
//! its select gives X unless both data inputs are 0), a comparison is a chain, an adder ripples, a memory is read through a decoder. Files that are made of gates (AIGER, covers of BLIF) keep theirs.
//!
//! First values of registers are not used: a register is X until something drives it, as trajectory evaluation wants it.

use crate::equivalence::register_names;
use entail_btor2::{Argument, BitSort, Btor2, Node, Operator};
use entail_trajectories::{Gate, Netlist, NodeId, Role, Wire};

/// Most bits of a memory that is taken apart.
const MOST_MEMORY_BITS: u64 = 1 << 22;

type Bits = Vec<Wire>;

/// The value of a line: the elements of a memory, or one word.
type Elements = Vec<Bits>;

/// The netlist of a circuit, or what in it has no gates here. `unnamed` gives names to inputs and registers that have none.
pub(crate) fn netlist(
    circuit: &Btor2,
    unnamed: impl Fn(Role, usize, u64) -> String,
) -> Result<Netlist, String> {
    let mut netlist = Netlist::default();
    let zero = Wire::of(netlist.add(Gate::Zero));
    let mut blaster = Blaster {
        netlist,
        zero,
        lines: vec![None; circuit.nodes.len()],
    };
    let called = register_names(circuit);
    let named = named_lines(circuit);
    let (mut inputs, mut registers) = (0, 0);
    for (line, node) in circuit.lines() {
        let symbol = circuit.symbols[line.index()].as_deref();
        let id = circuit.ids.get(line.index()).copied().unwrap_or(0);
        let elements = match node {
            Node::Input(sort) => {
                let elements = blaster.leaves(*sort, Gate::Input)?;
                let name = symbol.map_or_else(|| unnamed(Role::Input, inputs, id), str::to_owned);
                inputs += 1;
                blaster.name(&name, Role::Input, &elements, *sort);
                elements
            }
            Node::State(sort) => {
                let elements = blaster.leaves(*sort, Gate::Register(None))?;
                let name = symbol.or(called.get(&line).copied());
                let name = name.map_or_else(|| unnamed(Role::Register, registers, id), str::to_owned);
                registers += 1;
                blaster.name(&name, Role::Register, &elements, *sort);
                elements
            }
            Node::Constant { width, bits } => {
                let bit = |at: u32| blaster.constant(bits.bit(u64::from(at)));
                vec![(0..*width).map(bit).collect()]
            }
            Node::Operation {
                sort,
                operator,
                arguments,
                numbers,
            } => {
                let arguments: Vec<Elements> = arguments
                    .iter()
                    .map(|argument| blaster.argument(*argument))
                    .collect();
                let mut elements = blaster.operation(*operator, &arguments, numbers)?;
                if named[line.index()] {
                    blaster.settle(&mut elements);
                }
                if let Some(name) = symbol {
                    blaster.name(name, Role::Internal, &elements, *sort);
                }
                elements
            }
            Node::Next { state, value } => {
                let next = blaster.argument(*value);
                let state = blaster.lines[state.index()].clone().unwrap_or_default();
                for (register, next) in state.iter().flatten().zip(next.iter().flatten()) {
                    blaster.netlist.set_next(register.node, *next);
                }
                continue;
            }
            Node::Output(argument) | Node::Bad(argument) => {
                if let (Some(name), Some(sort)) = (symbol, circuit.sort(argument.line)) {
                    let elements = blaster.argument(*argument);
                    blaster.name(name, Role::Internal, &elements, sort);
                }
                continue;
            }
            Node::Init { .. } | Node::Constraint(_) | Node::Fair(_) | Node::Justice(_) => continue,
        };
        blaster.lines[line.index()] = Some(elements);
    }
    Ok(blaster.netlist)
}

/// The lines whose values have names: their own, that of an output, or that of a line that only repeats them.
fn named_lines(circuit: &Btor2) -> Vec<bool> {
    let mut named: Vec<bool> = circuit.symbols.iter().map(Option::is_some).collect();
    named.resize(circuit.nodes.len(), false);
    for position in (0..circuit.nodes.len()).rev() {
        let repeated = match &circuit.nodes[position] {
            Node::Output(argument) | Node::Bad(argument) => Some(*argument),
            Node::Operation {
                operator: Operator::Uext,
                arguments,
                numbers,
                ..
            } if numbers.iter().all(|&more| more == 0) => arguments.first().copied(),
            _ => None,
        };
        if let Some(argument) = repeated.filter(|argument| named[position] && !argument.negated) {
            named[argument.line.index()] = true;
        }
    }
    named
}

struct Blaster {
    netlist: Netlist,
    zero: Wire,
    lines: Vec<Option<Elements>>,
}

impl Blaster {
    fn constant(&self, truth: bool) -> Wire {
        if truth { !self.zero } else { self.zero }
    }

    fn leaves(&mut self, sort: BitSort, gate: Gate) -> Result<Elements, String> {
        let (count, width) = match sort {
            BitSort::Bits(width) => (1, width),
            BitSort::Array { index, element } => {
                let bits = 1u64
                    .checked_shl(index)
                    .and_then(|count| count.checked_mul(u64::from(element)));
                match bits {
                    Some(bits) if index < 32 && bits <= MOST_MEMORY_BITS => (1u64 << index, element),
                    _ => {
                        return Err(format!(
                            "a memory of 2^{index} words of {element} bits is too large to be taken apart (at most {MOST_MEMORY_BITS} bits)"
                        ));
                    }
                }
            }
        };
        let mut word = || (0..width).map(|_| Wire::of(self.netlist.add(gate))).collect();
        Ok((0..count).map(|_| word()).collect())
    }

    fn name(&mut self, name: &str, role: Role, elements: &Elements, sort: BitSort) {
        let is_memory = matches!(sort, BitSort::Array { .. });
        self.netlist.name(name, role, is_memory, elements);
    }

    /// Makes nets of negated wires: who drives the net drives all that read it.
    fn settle(&mut self, elements: &mut Elements) {
        for wire in elements.iter_mut().flatten().filter(|wire| wire.negated) {
            *wire = Wire::of(self.netlist.add(Gate::Copy(*wire)));
        }
    }

    fn argument(&self, argument: Argument) -> Elements {
        let mut elements = self.lines[argument.line.index()].clone().unwrap_or_default();
        if argument.negated {
            for wire in elements.iter_mut().flatten() {
                *wire = !*wire;
            }
        }
        elements
    }

    fn and(&mut self, a: Wire, b: Wire) -> Wire {
        let node: NodeId = self.netlist.add(Gate::And(a, b));
        Wire::of(node)
    }

    fn or(&mut self, a: Wire, b: Wire) -> Wire {
        !self.and(!a, !b)
    }

    fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let (one, other) = (self.and(a, !b), self.and(!a, b));
        self.or(one, other)
    }

    fn mux(&mut self, when: Wire, then: Wire, otherwise: Wire) -> Wire {
        let (then, otherwise) = (self.and(when, then), self.and(!when, otherwise));
        self.or(then, otherwise)
    }

    fn all(&mut self, bits: &[Wire]) -> Wire {
        match bits {
            [] => self.constant(true),
            [first, rest @ ..] => rest.iter().fold(*first, |all, &bit| self.and(all, bit)),
        }
    }

    fn any(&mut self, bits: &[Wire]) -> Wire {
        let flipped: Bits = bits.iter().map(|&bit| !bit).collect();
        !self.all(&flipped)
    }

    fn pairwise(
        &mut self,
        a: &[Wire],
        b: &[Wire],
        mut gate: impl FnMut(&mut Self, Wire, Wire) -> Wire,
    ) -> Bits {
        a.iter().zip(b).map(|(&a, &b)| gate(self, a, b)).collect()
    }

    fn same(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let differ = self.pairwise(a, b, Self::xor);
        !self.any(&differ)
    }

    /// The sum with a carry in, and the carry out.
    fn sum(&mut self, a: &[Wire], b: &[Wire], mut carry: Wire) -> (Bits, Wire) {
        let mut bits = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            bits.push(self.xor(half, carry));
            let (both, through) = (self.and(a, b), self.and(half, carry));
            carry = self.or(both, through);
        }
        (bits, carry)
    }

    fn difference(&mut self, a: &[Wire], b: &[Wire]) -> (Bits, Wire) {
        let flipped: Bits = b.iter().map(|&bit| !bit).collect();
        let (bits, carry) = self.sum(a, &flipped, self.constant(true));
        (bits, !carry)
    }

    /// Whether one number is less than the other; signed ones with their highest bits exchanged.
    fn less(&mut self, a: &[Wire], b: &[Wire], signed: bool) -> Wire {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if let (true, Some(a), Some(b)) = (signed, a.last_mut(), b.last_mut()) {
            (*a, *b) = (!*a, !*b);
        }
        self.difference(&a, &b).1
    }

    fn product(&mut self, a: &[Wire], b: &[Wire]) -> Bits {
        let width = a.len();
        let mut total = vec![self.constant(false); width];
        for (shift, &factor) in b.iter().enumerate() {
            let row: Bits = a[..width - shift]
                .iter()
                .map(|&bit| self.and(bit, factor))
                .collect();
            let (high, _) = self.sum(&total[shift..], &row, self.constant(false));
            total.splice(shift.., high);
        }
        total
    }

    /// Quotient and remainder by subtracting the shifted divisor where it fits; by zero all ones and the dividend.
    fn division(&mut self, a: &[Wire], b: &[Wire]) -> (Bits, Bits) {
        let width = a.len();
        let mut wide = b.to_vec();
        wide.push(self.constant(false));
        let mut rest = vec![self.constant(false); width + 1];
        let mut quotient = vec![self.constant(false); width];
        for at in (0..width).rev() {
            rest.insert(0, a[at]);
            rest.truncate(width + 1);
            let (less, borrow) = self.difference(&rest, &wide);
            quotient[at] = !borrow;
            rest = self.pairwise(&less, &rest, |blaster, less, rest| {
                blaster.mux(!borrow, less, rest)
            });
        }
        rest.truncate(width);
        (quotient, rest)
    }

    /// A shift by a word: stages by powers of two, and everything out if a higher bit is set.
    fn shift(&mut self, a: &[Wire], by: &[Wire], left: bool, fill: Wire) -> Bits {
        let mut bits = a.to_vec();
        let stages = usize::BITS - (a.len() - 1).leading_zeros();
        let (low, high) = by.split_at(by.len().min(stages as usize));
        for (stage, &when) in low.iter().enumerate() {
            let distance = 1usize << stage;
            let moved: Bits = (0..bits.len())
                .map(|at| match left {
                    true => at.checked_sub(distance).map_or(fill, |from| bits[from]),
                    false => bits.get(at + distance).copied().unwrap_or(fill),
                })
                .collect();
            bits = self.pairwise(&moved, &bits, |blaster, moved, bit| blaster.mux(when, moved, bit));
        }
        if high.is_empty() {
            return bits;
        }
        let out = self.any(high);
        bits.iter().map(|&bit| self.mux(out, fill, bit)).collect()
    }

    /// A rotation of a word whose width is a power of two.
    fn rotation(&mut self, a: &[Wire], by: &[Wire], left: bool) -> Bits {
        let mut bits = a.to_vec();
        let width = bits.len();
        for (stage, &when) in by.iter().take(width.ilog2() as usize).enumerate() {
            let distance = (1usize << stage) % width;
            let moved: Bits = (0..width)
                .map(|at| {
                    bits[(if left {
                        at + width - distance
                    } else {
                        at + distance
                    }) % width]
                })
                .collect();
            bits = self.pairwise(&moved, &bits, |blaster, moved, bit| blaster.mux(when, moved, bit));
        }
        bits
    }

    /// Whether an address is this number.
    fn decoded(&mut self, address: &[Wire], number: usize) -> Wire {
        let literals: Bits = (address.iter().enumerate())
            .map(|(bit, &wire)| if number >> bit & 1 == 1 { wire } else { !wire })
            .collect();
        self.all(&literals)
    }

    fn read(&mut self, memory: &Elements, address: &[Wire]) -> Bits {
        let width = memory.first().map_or(0, Vec::len);
        let mut selected: Vec<Bits> = vec![Vec::with_capacity(memory.len()); width];
        for (number, word) in memory.iter().enumerate() {
            let here = self.decoded(address, number);
            for (bit, &wire) in word.iter().enumerate() {
                let gated = self.and(here, wire);
                selected[bit].push(gated);
            }
        }
        selected.iter().map(|bits| self.any(bits)).collect()
    }

    fn write(&mut self, memory: &Elements, address: &[Wire], word: &[Wire]) -> Elements {
        let mut written = Vec::with_capacity(memory.len());
        for (number, old) in memory.iter().enumerate() {
            let here = self.decoded(address, number);
            written.push(self.pairwise(word, old, |blaster, new, old| blaster.mux(here, new, old)));
        }
        written
    }

    fn operation(
        &mut self,
        operator: Operator,
        arguments: &[Elements],
        numbers: &[u32],
    ) -> Result<Elements, String> {
        use Operator::*;
        let word = |at: usize| {
            arguments
                .get(at)
                .and_then(|elements| elements.first())
                .cloned()
                .unwrap_or_default()
        };
        match operator {
            Read => return Ok(vec![self.read(&arguments[0], &word(1))]),
            Write => return Ok(self.write(&arguments[0], &word(1), &word(2))),
            Ite => {
                let when = word(0)[0];
                let pairs = arguments[1].iter().zip(&arguments[2]);
                let choose = |(then, otherwise): (&Bits, &Bits)| {
                    self.pairwise(then, otherwise, |blaster, then, otherwise| {
                        blaster.mux(when, then, otherwise)
                    })
                };
                return Ok(pairs.map(choose).collect());
            }
            Eq | Neq => {
                let all = |elements: &Elements| elements.concat();
                let same = self.same(&all(&arguments[0]), &all(&arguments[1]));
                return Ok(vec![vec![if operator == Eq { same } else { !same }]]);
            }
            _ => {}
        }
        let (a, b) = (word(0), word(1));
        let one = |wire: Wire| vec![wire];
        let flipped = |bits: Bits| -> Bits { bits.into_iter().map(|bit| !bit).collect() };
        let width = a.len();
        let nothing = vec![self.constant(false); width];
        Ok(vec![match operator {
            Not => flipped(a),
            Inc => self.sum(&a, &nothing, self.constant(true)).0,
            Dec => self.sum(&a, &flipped(nothing), self.constant(false)).0,
            Neg => self.difference(&nothing, &a).0,
            Redand => one(self.all(&a)),
            Redor => one(self.any(&a)),
            Redxor => one(a[1..].iter().fold(a[0], |odd, &bit| self.xor(odd, bit))),
            Iff | Xnor => flipped(self.pairwise(&a, &b, Self::xor)),
            Implies => one(self.or(!a[0], b[0])),
            Ugt => one(self.less(&b, &a, false)),
            Ult => one(self.less(&a, &b, false)),
            Ugte => one(!self.less(&a, &b, false)),
            Ulte => one(!self.less(&b, &a, false)),
            Sgt => one(self.less(&b, &a, true)),
            Slt => one(self.less(&a, &b, true)),
            Sgte => one(!self.less(&a, &b, true)),
            Slte => one(!self.less(&b, &a, true)),
            And => self.pairwise(&a, &b, Self::and),
            Nand => flipped(self.pairwise(&a, &b, Self::and)),
            Or => self.pairwise(&a, &b, Self::or),
            Nor => flipped(self.pairwise(&a, &b, Self::or)),
            Xor => self.pairwise(&a, &b, Self::xor),
            Sll => self.shift(&a, &b, true, self.constant(false)),
            Srl => self.shift(&a, &b, false, self.constant(false)),
            Sra => self.shift(&a, &b, false, a[width - 1]),
            Rol | Ror if width.is_power_of_two() => self.rotation(&a, &b, operator == Rol),
            Add => self.sum(&a, &b, self.constant(false)).0,
            Sub => self.difference(&a, &b).0,
            Mul => self.product(&a, &b),
            Udiv => self.division(&a, &b).0,
            Urem => self.division(&a, &b).1,
            Uaddo => one(self.sum(&a, &b, self.constant(false)).1),
            Usubo => one(self.difference(&a, &b).1),
            Concat => b.into_iter().chain(a).collect(),
            Slice => a[numbers[1] as usize..=numbers[0] as usize].to_vec(),
            Uext => a
                .into_iter()
                .chain(vec![self.constant(false); numbers[0] as usize])
                .collect(),
            Sext => {
                let sign = a[width - 1];
                a.into_iter().chain(vec![sign; numbers[0] as usize]).collect()
            }
            _ => return Err(format!("the operator `{}` has no gates here", operator.name())),
        }])
    }
}
