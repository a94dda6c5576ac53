//! The instructions of which routines are made.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, Endianness, InstBuilder, MemFlags, types};
use cranelift_frontend::{FuncInstBuilder, FunctionBuilder};

/// A 32-bit number that is known when the code runs.
#[derive(Clone, Copy, Debug)]
pub struct Value(ir::Value);

/// A 32-bit number that changes while the code runs.
#[derive(Clone, Copy, Debug)]
pub struct Variable(cranelift_frontend::Variable);

/// A point in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(Block);

/// A piece of the byte string that is known to be inside.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    address: ir::Value,
    extent: u32,
}

/// How a number lies in bytes, least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// 8 bits without sign.
    Byte,
    /// 16 bits with sign.
    Short,
    /// 16 bits without sign.
    UnsignedShort,
    /// 32 bits.
    Word,
}

impl Size {
    fn bytes(self) -> u32 {
        match self {
            Size::Byte => 1,
            Size::Short | Size::UnsignedShort => 2,
            Size::Word => 4,
        }
    }
}

/// What can be done with two numbers. Arithmetic wraps; comparisons are of signed numbers and give 0 or 1; only the last five bits of a
/// shift's distance count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    /// Gives up if the second is zero.
    Divide,
    /// Gives up if the second is zero.
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    /// The sign is kept.
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Of numbers without sign.
    Below,
}

/// Takes down the instructions of one routine.
///
/// Code is written block by block: after an instruction that leaves (a jump, a branch, an answer) nothing follows until the next [`Assembler::place`].
pub struct Assembler<'f> {
    builder: FunctionBuilder<'f>,
    bytes: ir::Value,
    length: ir::Value,
    table: ir::Value,
    entries: ir::Value,
    arguments: [ir::Value; 2],
    given_up: Block,
    /// Where code goes on that gives up.
    refuge: Block,
    may_write: bool,
    /// The current block has been left.
    has_left: bool,
    /// Labels without a place.
    open: Vec<Block>,
    mistake: Option<&'static str>,
}

/// What a routine returns if it gives up.
pub(crate) const GIVEN_UP: i64 = -1;

impl<'f> Assembler<'f> {
    /// The function's parameters must be an address, a length, an address, a length, and two 32-bit numbers.
    pub(crate) fn new(mut builder: FunctionBuilder<'f>, may_write: bool) -> Assembler<'f> {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let given_up = builder.create_block();
        builder.set_cold_block(given_up);
        let parameter = |position: usize| builder.block_params(entry)[position];
        Assembler {
            bytes: parameter(0),
            length: parameter(1),
            table: parameter(2),
            entries: parameter(3),
            arguments: [parameter(4), parameter(5)],
            builder,
            given_up,
            refuge: given_up,
            may_write,
            has_left: false,
            open: Vec::new(),
            mistake: None,
        }
    }

    pub(crate) fn finish(mut self) -> Result<(), &'static str> {
        self.refuge = self.given_up;
        if !self.has_left {
            self.give_up();
        }
        if !self.open.is_empty() {
            self.mistake = Some("a label without a place");
        }
        for block in std::mem::take(&mut self.open) {
            self.builder.switch_to_block(block);
            self.has_left = false;
            self.give_up();
        }
        self.builder.switch_to_block(self.given_up);
        self.has_left = false;
        let code = self.ins().iconst(types::I64, GIVEN_UP);
        self.ins().return_(&[code]);
        self.builder.seal_all_blocks();
        self.builder.finalize();
        match self.mistake {
            None => Ok(()),
            Some(mistake) => Err(mistake),
        }
    }

    /// Where the next instruction goes. Behind one that has left begins a block that nothing reaches.
    fn ins(&mut self) -> FuncInstBuilder<'_, 'f> {
        if self.has_left {
            let unreachable = self.builder.create_block();
            self.builder.switch_to_block(unreachable);
            self.has_left = false;
        }
        self.builder.ins()
    }

    fn flags() -> MemFlags {
        // Not `aligned`: numbers lie where they like.
        MemFlags::new().with_notrap().with_endianness(Endianness::Little)
    }

    /// A number that is always the same.
    pub fn constant(&mut self, number: i32) -> Value {
        Value(self.ins().iconst(types::I32, i64::from(number as u32)))
    }

    /// The first or second number the routine is called with.
    pub fn argument(&mut self, second: bool) -> Value {
        Value(self.arguments[usize::from(second)])
    }

    /// Two numbers make one.
    pub fn combine(&mut self, operation: Operation, left: Value, right: Value) -> Value {
        let (Value(a), Value(b)) = (left, right);
        let compare = |assembler: &mut Self, condition: IntCC| {
            let bit = assembler.ins().icmp(condition, a, b);
            assembler.ins().uextend(types::I32, bit)
        };
        Value(match operation {
            Operation::Add => self.ins().iadd(a, b),
            Operation::Subtract => self.ins().isub(a, b),
            Operation::Multiply => self.ins().imul(a, b),
            Operation::Divide | Operation::Remainder => return self.divide(operation, a, b),
            Operation::And => self.ins().band(a, b),
            Operation::Or => self.ins().bor(a, b),
            Operation::Xor => self.ins().bxor(a, b),
            Operation::ShiftLeft => self.ins().ishl(a, b),
            Operation::ShiftRight => self.ins().sshr(a, b),
            Operation::Equal => compare(self, IntCC::Equal),
            Operation::NotEqual => compare(self, IntCC::NotEqual),
            Operation::Less => compare(self, IntCC::SignedLessThan),
            Operation::LessEqual => compare(self, IntCC::SignedLessThanOrEqual),
            Operation::Greater => compare(self, IntCC::SignedGreaterThan),
            Operation::GreaterEqual => compare(self, IntCC::SignedGreaterThanOrEqual),
            Operation::Below => compare(self, IntCC::UnsignedLessThan),
        })
    }

    /// The processor's division fails for zero, and for the one quotient that is no 32-bit number: neither reaches it.
    fn divide(&mut self, operation: Operation, a: ir::Value, b: ir::Value) -> Value {
        let is_zero = self.ins().icmp_imm(IntCC::Equal, b, 0);
        self.give_up_if_bit(is_zero);
        let is_negation = self.ins().icmp_imm(IntCC::Equal, b, -1);
        let one = self.ins().iconst(types::I32, 1);
        let divisor = self.ins().select(is_negation, one, b);
        Value(match operation {
            Operation::Divide => {
                let quotient = self.ins().sdiv(a, divisor);
                let negated = self.ins().ineg(a);
                self.ins().select(is_negation, negated, quotient)
            }
            // Dividing by one leaves nothing either.
            _ => self.ins().srem(a, divisor),
        })
    }

    /// The bytes from `base` on, if there are so many; else it gives up.
    pub fn window(&mut self, base: Value, extent: u32) -> Window {
        let base = self.ins().uextend(types::I64, base.0);
        // Both are below 2^32, so the sum of 64-bit numbers is exact.
        let end = self.ins().iadd_imm(base, i64::from(extent));
        let length = self.length;
        let is_outside = self.ins().icmp(IntCC::UnsignedGreaterThan, end, length);
        self.give_up_if_bit(is_outside);
        Window {
            address: self.builder.ins().iadd(self.bytes, base),
            extent,
        }
    }

    /// Within a window, one of `length` pieces that lie `stride` apart from `offset` on; gives up if there is none of that number.
    pub fn piece(
        &mut self,
        window: Window,
        offset: u32,
        (index, length, stride): (Value, u32, u32),
        extent: u32,
    ) -> Window {
        let last = u64::from(length.saturating_sub(1)) * u64::from(stride);
        if length == 0 || u64::from(offset) + last + u64::from(extent) > u64::from(window.extent) {
            self.mistake = Some("a piece outside of its window");
        }
        let is_outside = self
            .ins()
            .icmp_imm(IntCC::UnsignedGreaterThanOrEqual, index.0, i64::from(length));
        self.give_up_if_bit(is_outside);
        let index = self.ins().uextend(types::I64, index.0);
        let distance = self.ins().imul_imm(index, i64::from(stride));
        let address = self.ins().iadd(window.address, distance);
        Window {
            address: self.ins().iadd_imm(address, i64::from(offset)),
            extent,
        }
    }

    fn is_inside(&mut self, window: Window, offset: u32, size: Size) -> bool {
        let inside = u64::from(offset) + u64::from(size.bytes()) <= u64::from(window.extent);
        if !inside || offset > i32::MAX as u32 {
            self.mistake = Some("a number outside of its window");
            return false;
        }
        true
    }

    /// The number at an offset of a window.
    pub fn load(&mut self, window: Window, offset: u32, size: Size) -> Value {
        if !self.is_inside(window, offset, size) {
            return self.constant(0);
        }
        let (flags, offset, address) = (Self::flags(), offset as i32, window.address);
        let kind = types::I32;
        let ins = self.ins();
        Value(match size {
            Size::Byte => ins.uload8(kind, flags, address, offset),
            Size::Short => ins.sload16(kind, flags, address, offset),
            Size::UnsignedShort => ins.uload16(kind, flags, address, offset),
            Size::Word => ins.load(kind, flags, address, offset),
        })
    }

    /// Stores a number at an offset of a window; what does not fit is cut off.
    pub fn store(&mut self, window: Window, offset: u32, size: Size, value: Value) {
        if !self.may_write {
            self.mistake = Some("a reader that writes");
            return;
        }
        if !self.is_inside(window, offset, size) {
            return;
        }
        let (flags, offset, address) = (Self::flags(), offset as i32, window.address);
        let ins = self.ins();
        match size {
            Size::Byte => ins.istore8(flags, value.0, address, offset),
            Size::Short | Size::UnsignedShort => ins.istore16(flags, value.0, address, offset),
            Size::Word => ins.store(flags, value.0, address, offset),
        };
    }

    /// Moves bytes of a window towards its beginning: `count` of them from offset `from` to offset `to`.
    pub fn move_down(&mut self, window: Window, from: u32, to: u32, count: u32) {
        let end = u64::from(from) + u64::from(count);
        if !self.may_write || to > from || end > u64::from(window.extent.min(i32::MAX as u32)) {
            self.mistake = Some("bytes moved outside of a window");
            return;
        }
        // Piece by piece from below: what is stored lies before what is still to be loaded.
        self.pieces(count, |assembler, kind, at| {
            let flags = Self::flags();
            let (from, to) = ((from + at) as i32, (to + at) as i32);
            let piece = assembler.ins().load(kind, flags, window.address, from);
            assembler.ins().store(flags, piece, window.address, to);
        });
    }

    /// Sets bytes of a window to zero.
    pub fn clear(&mut self, window: Window, offset: u32, count: u32) {
        let end = u64::from(offset) + u64::from(count);
        if !self.may_write || end > u64::from(window.extent.min(i32::MAX as u32)) {
            self.mistake = Some("bytes cleared outside of a window");
            return;
        }
        self.pieces(count, |assembler, kind, at| {
            let zero = assembler.ins().iconst(kind, 0);
            let offset = (offset + at) as i32;
            assembler.ins().store(Self::flags(), zero, window.address, offset);
        });
    }

    /// Calls `each` for pieces of 8, 4, 2 and 1 bytes that cover `count` bytes.
    fn pieces(&mut self, count: u32, mut each: impl FnMut(&mut Self, ir::Type, u32)) {
        let mut at = 0;
        for (kind, size) in [(types::I64, 8), (types::I32, 4), (types::I16, 2), (types::I8, 1)] {
            while count - at >= size {
                each(self, kind, at);
                at += size;
            }
        }
    }

    /// The entry of the table; gives up if it has none of that number.
    pub fn entry(&mut self, index: Value) -> Value {
        let index = self.ins().uextend(types::I64, index.0);
        let entries = self.entries;
        let is_outside = self.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, entries);
        self.give_up_if_bit(is_outside);
        let distance = self.ins().imul_imm(index, 4);
        let address = self.builder.ins().iadd(self.table, distance);
        let flags = MemFlags::new().with_notrap();
        Value(self.ins().load(types::I32, flags, address, 0))
    }

    /// A new variable that holds a number.
    pub fn variable(&mut self, first: Value) -> Variable {
        let variable = self.builder.declare_var(types::I32);
        self.builder.def_var(variable, first.0);
        Variable(variable)
    }

    /// What a variable holds.
    pub fn get(&mut self, variable: Variable) -> Value {
        Value(self.builder.use_var(variable.0))
    }

    /// Lets a variable hold something else.
    pub fn set(&mut self, variable: Variable, value: Value) {
        self.builder.def_var(variable.0, value.0);
    }

    /// A point that has no place yet.
    pub fn label(&mut self) -> Label {
        let block = self.builder.create_block();
        self.open.push(block);
        Label(block)
    }

    /// What follows is reached by jumps to this label, and from above if that has not left.
    pub fn place(&mut self, label: Label) {
        let Some(position) = self.open.iter().rposition(|&block| block == label.0) else {
            self.mistake = Some("a label with two places");
            return;
        };
        self.open.swap_remove(position);
        if !self.has_left {
            self.ins().jump(label.0, &[]);
        }
        self.builder.switch_to_block(label.0);
        self.has_left = false;
    }

    /// Goes on at a label.
    pub fn jump(&mut self, label: Label) {
        self.ins().jump(label.0, &[]);
        self.has_left = true;
    }

    /// Goes on at the first label if the number is not zero, else at the second.
    pub fn branch(&mut self, condition: Value, then: Label, otherwise: Label) {
        self.ins().brif(condition.0, then.0, &[], otherwise.0, &[]);
        self.has_left = true;
    }

    /// Returns a number that is not negative.
    pub fn answer(&mut self, value: Value) {
        let value = self.ins().uextend(types::I64, value.0);
        self.ins().return_(&[value]);
        self.has_left = true;
    }

    /// From now on, what gives up goes on at a label; without one, it returns nothing.
    pub fn give_up_at(&mut self, label: Option<Label>) {
        self.refuge = label.map_or(self.given_up, |label| label.0);
    }

    /// Gives up.
    pub fn give_up(&mut self) {
        let refuge = self.refuge;
        self.ins().jump(refuge, &[]);
        self.has_left = true;
    }

    /// Gives up if the number is zero.
    pub fn give_up_unless(&mut self, condition: Value) {
        let is_zero = self.ins().icmp_imm(IntCC::Equal, condition.0, 0);
        self.give_up_if_bit(is_zero);
    }

    fn give_up_if_bit(&mut self, bit: ir::Value) {
        let (next, refuge) = (self.builder.create_block(), self.refuge);
        self.ins().brif(bit, refuge, &[], next, &[]);
        self.builder.switch_to_block(next);
    }
}
