//! From terms to code.
//!
//! Every term has a register of its own. A term that is used once is compiled in place, a cheap one again wherever it
//! is used; a term that is used in several places, or that lies deep, becomes a subroutine with a remembered result, so
//! the code is linear in the number of terms and neither compiling nor running recurses deeply. Boolean connectives and
//! choices are short-circuited; in the position of a test they become jumps without materialised truth values. Terms over
//! wide words and arrays are left to the reference evaluation as a whole.

use super::instruction::{Code, FAIL, Instruction, ReferenceTerm, Subroutine, SwitchTable, Target, WordOp};
use crate::Unsupported;
use crate::cell::Cells;
use crate::layout::{Layout, Register, is_scalar};
use entail_model::{Op, Sort, TermId, TransitionSystem, VarId, VarKind};
use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// Terms of at most this many instructions are compiled again wherever they are used.
const CHEAP: u16 = 3;
/// Terms nested deeper than this become subroutines.
const DEEPEST: u16 = 40;

/// A place in the code that is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub Target);

impl Label {
    /// The instruction `Fail`.
    pub const FAIL: Label = Label(FAIL);
}

/// What the compiler knows about a term, indexed by its position in the cone.
#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    /// Instructions when compiled in place.
    cost: u16,
    depth: u16,
    shared: bool,
    forced: bool,
    volatile: bool,
    by_reference: bool,
}

/// A compiler at work; [`Compiler::finish`] gives the code.
pub(crate) struct Compiler<'a> {
    pub system: &'a TransitionSystem,
    pub layout: &'a Layout,
    cells: Cells,
    cone: Vec<TermId>,
    facts: Vec<Facts>,
    in_place: FixedBitSet,
    instructions: Vec<Instruction>,
    /// By label.
    places: Vec<Target>,
    registers: Vec<i64>,
    register_of: HashMap<TermId, Register, FxBuildHasher>,
    constants: HashMap<i64, Register, FxBuildHasher>,
    subroutines: HashMap<TermId, u32, FxBuildHasher>,
    /// Start label and volatility by number.
    starts: Vec<(Label, bool)>,
    waiting: Vec<TermId>,
    references: Vec<ReferenceTerm>,
    reference_of: HashMap<TermId, u32, FxBuildHasher>,
    switches: Vec<SwitchTable>,
}

impl<'a> Compiler<'a> {
    /// A compiler for terms that the roots are built from.
    pub fn new(
        system: &'a TransitionSystem,
        layout: &'a Layout,
        roots: &[TermId],
    ) -> Result<Compiler<'a>, Unsupported> {
        let cone = system.terms.cone(roots);
        let cells = layout.cells.with_terms(&system.terms, &cone)?;
        let mut compiler = Compiler {
            system,
            layout,
            cells,
            facts: vec![Facts::default(); cone.len()],
            in_place: FixedBitSet::with_capacity(cone.len()),
            cone,
            instructions: vec![Instruction::Fail],
            places: vec![FAIL],
            registers: vec![0; layout.leaves()],
            register_of: HashMap::default(),
            constants: HashMap::default(),
            subroutines: HashMap::default(),
            starts: Vec::new(),
            waiting: Vec::new(),
            references: Vec::new(),
            reference_of: HashMap::default(),
            switches: Vec::new(),
        };
        compiler.learn_facts();
        Ok(compiler)
    }

    fn position(&self, term: TermId) -> usize {
        self.cone
            .binary_search(&term)
            .expect("the compiler was told all roots")
    }

    fn facts(&self, term: TermId) -> Facts {
        self.facts[self.position(term)]
    }

    fn learn_facts(&mut self) {
        let terms = &self.system.terms;
        let mut used = FixedBitSet::with_capacity(self.cone.len());
        for at in 0..self.cone.len() {
            let term = self.cone[at];
            let mut facts = Facts::default();
            match terms.op(term) {
                Op::Constant(_) => {}
                Op::Current(variable) => facts.volatile = self.is_input(*variable),
                Op::Next(variable) => facts.volatile = !self.is_frozen(*variable),
                _ => facts.cost = 1,
            }
            facts.by_reference = !is_scalar(terms.sort(term));
            for &operand in terms.operands(term) {
                let position = self.position(operand);
                let below = self.facts[position];
                let calls = below.forced || (below.cost > CHEAP && below.shared);
                facts.cost = facts.cost.saturating_add(if calls { 1 } else { below.cost });
                facts.depth = facts.depth.max(if calls { 0 } else { below.depth } + 1);
                facts.volatile |= below.volatile;
                facts.by_reference |= !is_scalar(terms.sort(operand));
                if used.put(position) {
                    self.facts[position].shared = true;
                }
            }
            facts.forced = facts.depth > DEEPEST;
            self.facts[at] = facts;
        }
    }

    fn is_input(&self, variable: VarId) -> bool {
        self.system.variable(variable).kind == VarKind::Input
    }

    fn is_frozen(&self, variable: VarId) -> bool {
        self.system.variable(variable).kind == VarKind::Frozen
    }

    // ----- building blocks for plans -----

    /// Appends an instruction.
    pub fn emit(&mut self, instruction: Instruction) {
        self.instructions.push(instruction);
    }

    /// A new label.
    pub fn label(&mut self) -> Label {
        self.places.push(Target::MAX);
        Label(self.places.len() as Target - 1)
    }

    /// Says that a label is here.
    pub fn place(&mut self, label: Label) {
        self.places[label.0 as usize] = self.instructions.len() as Target;
    }

    /// A register nobody else uses.
    pub fn fresh_register(&mut self) -> Register {
        self.registers.push(0);
        self.registers.len() as Register - 1
    }

    /// The register that holds a constant cell.
    pub fn constant(&mut self, cell: i64) -> Register {
        if let Some(&register) = self.constants.get(&cell) {
            return register;
        }
        let register = self.fresh_register();
        self.registers[register as usize] = cell;
        self.constants.insert(cell, register);
        register
    }

    /// A switch table; targets are labels until the code is linked.
    pub fn switch_table(&mut self, table: SwitchTable) -> u32 {
        self.switches.push(table);
        self.switches.len() as u32 - 1
    }

    /// The cell of a constant term.
    pub fn constant_cell(&self, term: TermId) -> Option<i64> {
        self.cells.cell(self.system.terms.as_constant(term)?)
    }

    /// The number of a term that the reference evaluation evaluates.
    pub fn reference(&mut self, term: TermId) -> u32 {
        if let Some(&number) = self.reference_of.get(&term) {
            return number;
        }
        let cone = self.system.terms.cone(&[term]);
        let (mut current, mut next) = (Vec::new(), Vec::new());
        for &part in &cone {
            match self.system.terms.op(part) {
                Op::Current(variable) => current.push(*variable),
                Op::Next(variable) => next.push(*variable),
                _ => {}
            }
        }
        let number = self.references.len() as u32;
        self.references.push(ReferenceTerm { cone, current, next });
        self.reference_of.insert(term, number);
        number
    }

    // ----- terms -----

    /// The register that holds the term, with code that computes it if it has to be computed.
    pub fn operand(&mut self, term: TermId) -> Register {
        if let Some(register) = self.leaf(term) {
            return register;
        }
        let register = self.register(term);
        if self.calls(term) {
            self.call(term);
        } else {
            self.compute(term, register);
        }
        register
    }

    fn leaf(&mut self, term: TermId) -> Option<Register> {
        match self.system.terms.op(term) {
            Op::Constant(value) => {
                let cell = self.cells.cell(value)?;
                Some(self.constant(cell))
            }
            Op::Current(variable) => Some(self.layout.now(*variable).start),
            Op::Next(variable) => Some(self.layout.after(*variable).start),
            _ => None,
        }
    }

    fn register(&mut self, term: TermId) -> Register {
        if let Some(&register) = self.register_of.get(&term) {
            return register;
        }
        let register = self.fresh_register();
        self.register_of.insert(term, register);
        register
    }

    /// Whether the term is computed by a subroutine; if not, it will be in place now.
    fn calls(&mut self, term: TermId) -> bool {
        let position = self.position(term);
        let facts = self.facts[position];
        let expensive = facts.cost > CHEAP || facts.by_reference;
        facts.forced || (expensive && (facts.shared || self.in_place.put(position)))
    }

    fn call(&mut self, term: TermId) {
        let number = match self.subroutines.get(&term) {
            Some(&number) => number,
            None => {
                let number = self.starts.len() as u32;
                let (start, volatile) = (self.label(), self.facts(term).volatile);
                self.starts.push((start, volatile));
                self.subroutines.insert(term, number);
                self.waiting.push(term);
                number
            }
        };
        self.emit(Instruction::Call(number));
    }

    /// Code that leaves the term's value in a register.
    pub fn value_into(&mut self, term: TermId, to: Register) {
        if let Some(from) = self.leaf(term) {
            self.emit(Instruction::Copy { to, from });
        } else if self.calls(term) {
            let from = self.register(term);
            self.call(term);
            self.emit(Instruction::Copy { to, from });
        } else {
            self.compute(term, to);
        }
    }

    fn compute(&mut self, term: TermId, to: Register) {
        let system = self.system;
        if self.facts(term).by_reference {
            let number = self.reference(term);
            self.emit(Instruction::Reference { to, term: number });
            return;
        }
        let operands = system.terms.operands(term);
        let op = system.terms.op(term);
        match op {
            Op::Constant(_) | Op::Current(_) | Op::Next(_) => unreachable!("leaves are not computed"),
            Op::And | Op::Or => {
                let end = self.label();
                for (at, &operand) in operands.iter().enumerate() {
                    self.value_into(operand, to);
                    if at + 1 < operands.len() {
                        self.emit(match op {
                            Op::And => Instruction::JumpUnless(to, end.0),
                            _ => Instruction::JumpIf(to, end.0),
                        });
                    }
                }
                self.place(end);
            }
            Op::Ite => {
                let (otherwise, end) = (self.label(), self.label());
                self.jump(operands[0], false, otherwise);
                self.value_into(operands[1], to);
                self.emit(Instruction::Jump(end.0));
                self.place(otherwise);
                self.value_into(operands[2], to);
                self.place(end);
            }
            _ => {
                let left = self.operand(operands[0]);
                let right = operands.get(1).map_or(left, |&right| self.operand(right));
                let sort = system.terms.sort(operands[0]);
                let instruction = match (op, sort) {
                    (Op::Not, _) => Instruction::Not { to, from: left },
                    (Op::AsInteger | Op::BoolToWord | Op::Reinterpret { .. }, _) => {
                        Instruction::Copy { to, from: left }
                    }
                    (Op::Equal, _) => Instruction::Equal { to, left, right },
                    (Op::IntToWord { width, .. }, _) => {
                        word(WordOp::FromInteger, *width, false, to, left, right)
                    }
                    (op, Sort::Word { width, signed }) => {
                        let result = system.terms.sort(term);
                        self.word_instruction(op, (*width, *signed), result, to, left, right, operands)
                    }
                    (op, _) => integer_instruction(op, to, left, right),
                };
                self.emit(instruction);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn word_instruction(
        &self,
        op: &Op,
        (width, signed): (u32, bool),
        result: &Sort,
        to: Register,
        left: Register,
        right: Register,
        operands: &[TermId],
    ) -> Instruction {
        let plain = |op| word(op, width, signed, to, left, right);
        match op {
            Op::Less => plain(WordOp::Less),
            Op::Add => plain(WordOp::Add),
            Op::Subtract => plain(WordOp::Subtract),
            Op::Negate => plain(WordOp::Negate),
            Op::Multiply => plain(WordOp::Multiply),
            Op::Divide => plain(WordOp::Divide),
            Op::Remainder => plain(WordOp::Remainder),
            Op::BitNot => plain(WordOp::BitNot),
            Op::BitAnd => plain(WordOp::BitAnd),
            Op::BitOr => plain(WordOp::BitOr),
            Op::BitXor => plain(WordOp::BitXor),
            Op::ShiftLeft => plain(WordOp::ShiftLeft),
            Op::ShiftRight => plain(WordOp::ShiftRight),
            Op::WordToInt => plain(WordOp::ToInteger),
            Op::Concat => {
                let low = self
                    .system
                    .terms
                    .sort(operands[1])
                    .word_shape()
                    .map_or(0, |shape| shape.0);
                word(WordOp::Concat, low, false, to, left, right)
            }
            Op::Extract { high, low } => word(WordOp::Extract, high - low + 1, false, to, left, *low),
            Op::Extend { .. } => {
                let wide = result.word_shape().map_or(width, |shape| shape.0);
                word(WordOp::Extend, wide, signed, to, left, width)
            }
            op => unreachable!("{op:?} on words"),
        }
    }

    /// Code that goes to the label if the Boolean term has the given truth, and goes on otherwise.
    pub fn jump(&mut self, term: TermId, truth: bool, target: Label) {
        let system = self.system;
        if let Some(constant) = system.terms.as_truth(term) {
            if constant == truth {
                self.emit(Instruction::Jump(target.0));
            }
            return;
        }
        let leaf = matches!(system.terms.op(term), Op::Current(_) | Op::Next(_));
        let facts = self.facts(term);
        if leaf || facts.by_reference || self.calls(term) {
            let register = if leaf || facts.by_reference {
                self.operand(term)
            } else {
                self.call(term);
                self.register(term)
            };
            self.emit(match truth {
                true => Instruction::JumpIf(register, target.0),
                false => Instruction::JumpUnless(register, target.0),
            });
            return;
        }
        let operands = system.terms.operands(term);
        match system.terms.op(term) {
            Op::Not => self.jump(operands[0], !truth, target),
            // The absorbing value of one operand decides; its absence needs all of them.
            op @ (Op::And | Op::Or) if (*op == Op::Or) == truth => {
                for &operand in operands {
                    self.jump(operand, truth, target);
                }
            }
            Op::And | Op::Or => {
                let end = self.label();
                let (last, first) = operands.split_last().expect("connectives have operands");
                for &operand in first {
                    self.jump(operand, !truth, end);
                }
                self.jump(*last, truth, target);
                self.place(end);
            }
            Op::Equal => {
                let (left, right) = (self.operand(operands[0]), self.operand(operands[1]));
                self.emit(match truth {
                    true => Instruction::JumpIfEqual(left, right, target.0),
                    false => Instruction::JumpUnlessEqual(left, right, target.0),
                });
            }
            Op::Less if !matches!(system.terms.sort(operands[0]), Sort::Word { .. }) => {
                let (left, right) = (self.operand(operands[0]), self.operand(operands[1]));
                self.emit(match truth {
                    true => Instruction::JumpIfLess(left, right, target.0),
                    false => Instruction::JumpUnlessLess(left, right, target.0),
                });
            }
            Op::Ite => {
                let (otherwise, end) = (self.label(), self.label());
                self.jump(operands[0], false, otherwise);
                self.jump(operands[1], truth, target);
                self.emit(Instruction::Jump(end.0));
                self.place(otherwise);
                self.jump(operands[2], truth, target);
                self.place(end);
            }
            _ => {
                let register = self.register(term);
                self.compute(term, register);
                self.emit(match truth {
                    true => Instruction::JumpIf(register, target.0),
                    false => Instruction::JumpUnless(register, target.0),
                });
            }
        }
    }

    /// An entry point that leaves the term's value in the register given back.
    pub fn entry(&mut self, term: TermId) -> (Label, Register) {
        let start = self.label();
        self.place(start);
        let register = self.operand(term);
        self.emit(Instruction::Halt);
        (start, register)
    }

    /// Compiles the waiting subroutines and links. The function given back turns labels into code positions.
    pub fn finish(mut self) -> (Code, impl Fn(Label) -> Target + use<>) {
        while let Some(term) = self.waiting.pop() {
            let number = self.subroutines[&term];
            self.place(self.starts[number as usize].0);
            let register = self.register(term);
            self.compute(term, register);
            self.emit(Instruction::Return(number));
        }
        let places = self.places;
        let resolve = move |label: Label| places[label.0 as usize];
        for instruction in &mut self.instructions {
            match instruction {
                Instruction::Jump(target)
                | Instruction::Try(target)
                | Instruction::JumpIf(_, target)
                | Instruction::JumpUnless(_, target)
                | Instruction::JumpIfEqual(_, _, target)
                | Instruction::JumpUnlessEqual(_, _, target)
                | Instruction::JumpIfLess(_, _, target)
                | Instruction::JumpUnlessLess(_, _, target) => *target = resolve(Label(*target)),
                _ => {}
            }
        }
        for target in self.switches.iter_mut().flat_map(|table| &mut table.targets) {
            *target = resolve(Label(*target));
        }
        join_assignments(&mut self.instructions);
        let code = Code {
            instructions: self.instructions,
            subroutines: self
                .starts
                .iter()
                .map(|&(start, volatile)| Subroutine {
                    start: resolve(start),
                    volatile,
                })
                .collect(),
            references: self.references,
            switches: self.switches,
            registers: self.registers,
            cells: self.cells,
        };
        (code, resolve)
    }
}

/// Where unchecked assignments copy neighbouring registers to neighbouring registers, the first of them copies all and goes on behind the last. The others stay for
/// those who jump to them. What does not change in a step is mostly copied like this.
fn join_assignments(instructions: &mut [Instruction]) {
    let plain = |instruction: &Instruction| match *instruction {
        Instruction::Assign {
            to,
            from,
            checked: false,
        } => Some((to, from)),
        _ => None,
    };
    let mut begin = 0;
    while begin < instructions.len() {
        let Some((to, from)) = plain(&instructions[begin]) else {
            begin += 1;
            continue;
        };
        let follows = |count: u32| {
            let next = instructions.get(begin + count as usize).and_then(plain);
            next == Some((to + count, from + count)) && to.abs_diff(from) > count
        };
        let count = (1..).find(|&count| !follows(count)).unwrap_or(1);
        if count > 1 {
            instructions[begin] = Instruction::AssignRun { to, from, count };
        }
        begin += count as usize;
    }
}

fn word(op: WordOp, width: u32, signed: bool, to: Register, left: Register, right: Register) -> Instruction {
    Instruction::Word {
        op,
        width: width as u8,
        signed,
        to,
        left,
        right,
    }
}

fn integer_instruction(op: &Op, to: Register, left: Register, right: Register) -> Instruction {
    match op {
        Op::Less => Instruction::Less { to, left, right },
        Op::Add => Instruction::Add { to, left, right },
        Op::Subtract => Instruction::Subtract { to, left, right },
        Op::Multiply => Instruction::Multiply { to, left, right },
        Op::Divide => Instruction::Divide { to, left, right },
        Op::Remainder => Instruction::Remainder { to, left, right },
        Op::Negate => Instruction::Negate { to, from: left },
        op => unreachable!("{op:?} on integers"),
    }
}
