//! The instruction set.
//!
//! Registers hold cells. Expression code is straight-line with forward jumps for short circuits; a term that several
//! places share is a *subroutine* whose result is remembered until one of its variables changes. Plan code adds choice:
//! `Try` and `NextValue` leave a point to come back to, `Fail` goes back to the latest one, `Yield` hands a complete
//! valuation to the caller. Register values need no undoing: whatever is computed after a choice point is
//! computed again after coming back to it.

use crate::cell::{Cells, Domain};
use crate::layout::Register;
use entail_model::{TermId, VarId};

/// A position in the code (before linking: a label).
pub(crate) type Target = u32;

/// Operations on words of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordOp {
    Less,
    Add,
    Subtract,
    Negate,
    Multiply,
    Divide,
    Remainder,
    BitNot,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    /// The first operand above the second, whose width is the operation's.
    Concat,
    /// Bits from the amount in the second *field* (not register) on; the width is the result's.
    Extract,
    /// From the width in the second field to the operation's.
    Extend,
    /// The number the word stands for.
    ToInteger,
    /// An integer cut to the width.
    FromInteger,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {
    /// Back to the latest choice point.
    Fail,
    /// A complete valuation.
    Yield,
    /// The end of an entry point's expression.
    Halt,
    Jump(Target),
    JumpIf(Register, Target),
    JumpUnless(Register, Target),
    JumpIfEqual(Register, Register, Target),
    JumpUnlessEqual(Register, Register, Target),
    JumpIfLess(Register, Register, Target),
    JumpUnlessLess(Register, Register, Target),
    /// Makes sure the subroutine's register is up to date.
    Call(u32),
    /// The end of a subroutine.
    Return(u32),
    Copy {
        to: Register,
        from: Register,
    },
    Not {
        to: Register,
        from: Register,
    },
    Equal {
        to: Register,
        left: Register,
        right: Register,
    },
    Less {
        to: Register,
        left: Register,
        right: Register,
    },
    Add {
        to: Register,
        left: Register,
        right: Register,
    },
    Subtract {
        to: Register,
        left: Register,
        right: Register,
    },
    Multiply {
        to: Register,
        left: Register,
        right: Register,
    },
    Divide {
        to: Register,
        left: Register,
        right: Register,
    },
    Remainder {
        to: Register,
        left: Register,
        right: Register,
    },
    Negate {
        to: Register,
        from: Register,
    },
    Word {
        op: WordOp,
        width: u8,
        signed: bool,
        to: Register,
        left: Register,
        right: Register,
    },
    /// The value of a term as the reference evaluation gives it, for terms over wide words and arrays.
    Reference {
        to: Register,
        term: u32,
    },
    /// Leaves a choice point at the target and goes on.
    Try(Target),
    /// Goes to the table's entry for the register's cell, or fails.
    Switch {
        on: Register,
        table: u32,
    },
    /// Sets a variable's register; a cell outside the domain fails, or is marked where hazards have to be found.
    Assign {
        to: Register,
        from: Register,
        checked: bool,
    },
    /// So many unchecked assignments of neighbouring registers at once; the next instructions are the single ones, which are skipped.
    AssignRun {
        to: Register,
        from: Register,
        count: u32,
    },
    /// The same for a wide variable, by the reference evaluation.
    AssignWide {
        variable: VarId,
        first: Register,
        term: u32,
    },
    /// Starts counting through a register's domain.
    FirstValue {
        counter: Register,
    },
    /// The next value of the register's domain, leaving a choice point here; fails when there is none.
    NextValue {
        to: Register,
        counter: Register,
    },
}

/// A term that only the reference evaluation can evaluate.
#[derive(Debug)]
pub(crate) struct ReferenceTerm {
    pub cone: Vec<TermId>,
    pub current: Vec<VarId>,
    pub next: Vec<VarId>,
}

/// Where a switch goes.
#[derive(Debug)]
pub(crate) struct SwitchTable {
    pub domain: Domain,
    /// By position; [`FAIL`] where there is nothing.
    pub targets: Vec<Target>,
}

impl SwitchTable {
    /// Where a value leads: [`FAIL`] if it is outside the domain or nothing belongs to it.
    #[inline]
    pub fn target(&self, cell: i64) -> Target {
        self.domain
            .position(cell)
            .map_or(FAIL, |position| self.targets[position as usize])
    }
}

/// A remembered term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subroutine {
    pub start: Target,
    /// Whether it reads inputs or next values; otherwise it is computed once a state.
    pub volatile: bool,
}

/// Linked code.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub instructions: Vec<Instruction>,
    pub subroutines: Vec<Subroutine>,
    pub references: Vec<ReferenceTerm>,
    pub switches: Vec<SwitchTable>,
    /// Initial contents of all registers; constants have theirs.
    pub registers: Vec<i64>,
    /// The numbering of named constants, those of the compiled terms included.
    pub cells: Cells,
}

/// The position of the instruction `Fail`.
pub(crate) const FAIL: Target = 0;
