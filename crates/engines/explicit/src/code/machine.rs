//! The machine that runs compiled terms and plans.
//!
//! State: the registers, one stamp a subroutine, a stack of return positions (only while evaluating) and a stack of
//! choice points (only while running a plan). A choice point is a code position. `version` counts bindings of variables:
//! a subroutine's result is valid if its stamp is the present version, or for those that read the current state only, if it
//! is not older than the state.

use super::instruction::{Code, FAIL, Instruction, Target, WordOp};
use super::word_arithmetic;
use crate::layout::{Layout, Register};
use entail_budget::{Budget, Spent};
use entail_model::{Terms, Valuation, Value, VarId, evaluate_with};

/// The budget is asked once in this many failures.
const POLL: u32 = 256;

/// A running machine.
#[derive(Debug)]
pub(crate) struct Machine {
    pub registers: Vec<i64>,
    stamps: Vec<u64>,
    version: u64,
    state_version: u64,
    returns: Vec<Target>,
    choices: Vec<Target>,
    /// Whether bindings change the current state (when initial states are enumerated).
    binds_current: bool,
    /// Whether values outside domains go on, to be judged by hazards.
    pub lenient: bool,
    /// Whether a value outside its domain was bound since the plan was started.
    pub outside: bool,
    polls: u32,
}

/// What the machine needs besides its own state.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub code: &'a Code,
    pub layout: &'a Layout,
    pub terms: &'a Terms,
}

impl Machine {
    pub fn new(code: &Code) -> Machine {
        Machine {
            registers: code.registers.clone(),
            stamps: vec![0; code.subroutines.len()],
            version: 1,
            state_version: 1,
            returns: Vec::new(),
            choices: Vec::new(),
            binds_current: false,
            lenient: false,
            outside: false,
            polls: POLL,
        }
    }

    /// Says that the registers of the current state have been changed from outside.
    pub fn state_changed(&mut self) {
        self.version += 1;
        self.state_version = self.version;
    }

    /// Starts a plan. The first solution comes with [`Machine::resume`].
    pub fn start(&mut self, plan: Target, binds_current: bool) {
        self.binds_current = binds_current;
        self.outside = false;
        self.choices.clear();
        self.choices.push(plan);
        self.state_changed();
    }

    /// Goes on to the next solution of the plan; false if there is none.
    pub fn resume(&mut self, context: Context<'_>, budget: &Budget) -> Result<bool, Spent> {
        self.run(context, FAIL, Some(budget))
    }

    /// Runs the expression at an entry point.
    pub fn evaluate(&mut self, context: Context<'_>, entry: Target) {
        let choices = std::mem::take(&mut self.choices);
        // Expressions contain no choice, so nothing here can spend the budget.
        let finished = self.run(context, entry, None);
        debug_assert!(matches!(finished, Ok(true)));
        self.choices = choices;
    }

    #[inline]
    fn bound(&mut self) {
        self.version += 1;
        if self.binds_current {
            self.state_version = self.version;
        }
    }

    fn run(&mut self, context: Context<'_>, start: Target, budget: Option<&Budget>) -> Result<bool, Spent> {
        let instructions = &context.code.instructions[..];
        let mut at = start as usize;
        macro_rules! get {
            ($register:expr) => {
                self.registers[$register as usize]
            };
        }
        macro_rules! set {
            ($register:expr, $cell:expr) => {{
                let cell = $cell;
                self.registers[$register as usize] = cell;
                at += 1;
            }};
        }
        macro_rules! jump_if {
            ($condition:expr, $target:expr) => {
                at = if $condition { $target as usize } else { at + 1 }
            };
        }
        loop {
            match instructions[at] {
                Instruction::Fail => {
                    self.poll(budget)?;
                    match self.choices.pop() {
                        Some(choice) => at = choice as usize,
                        None => return Ok(false),
                    }
                }
                Instruction::Yield | Instruction::Halt => return Ok(true),
                Instruction::Jump(target) => at = target as usize,
                Instruction::JumpIf(register, target) => jump_if!(get!(register) != 0, target),
                Instruction::JumpUnless(register, target) => jump_if!(get!(register) == 0, target),
                Instruction::JumpIfEqual(left, right, target) => jump_if!(get!(left) == get!(right), target),
                Instruction::JumpUnlessEqual(left, right, target) => {
                    jump_if!(get!(left) != get!(right), target)
                }
                Instruction::JumpIfLess(left, right, target) => jump_if!(get!(left) < get!(right), target),
                Instruction::JumpUnlessLess(left, right, target) => {
                    jump_if!(get!(left) >= get!(right), target)
                }
                Instruction::Call(number) => {
                    let subroutine = context.code.subroutines[number as usize];
                    if self.is_remembered(number, subroutine.volatile) {
                        at += 1;
                    } else {
                        self.returns.push(at as Target + 1);
                        at = subroutine.start as usize;
                    }
                }
                Instruction::Return(number) => {
                    self.stamps[number as usize] = self.version;
                    match self.returns.pop() {
                        Some(target) => at = target as usize,
                        None => return Ok(true),
                    }
                }
                Instruction::Copy { to, from } => set!(to, get!(from)),
                Instruction::Not { to, from } => set!(to, get!(from) ^ 1),
                Instruction::Equal { to, left, right } => set!(to, i64::from(get!(left) == get!(right))),
                Instruction::Less { to, left, right } => set!(to, i64::from(get!(left) < get!(right))),
                Instruction::Add { to, left, right } => set!(to, get!(left).wrapping_add(get!(right))),
                Instruction::Subtract { to, left, right } => set!(to, get!(left).wrapping_sub(get!(right))),
                Instruction::Multiply { to, left, right } => set!(to, get!(left).wrapping_mul(get!(right))),
                Instruction::Divide { to, left, right } => {
                    set!(to, get!(left).checked_div(get!(right)).unwrap_or(0));
                }
                Instruction::Remainder { to, left, right } => {
                    set!(to, get!(left).checked_rem(get!(right)).unwrap_or(get!(left)));
                }
                Instruction::Negate { to, from } => set!(to, get!(from).wrapping_neg()),
                Instruction::Word {
                    op,
                    width,
                    signed,
                    to,
                    left,
                    right,
                } => {
                    let right = self.word_operand(op, right);
                    set!(
                        to,
                        word_arithmetic::apply(op, u32::from(width), signed, get!(left), right)
                    );
                }
                Instruction::Reference { to, term } => {
                    let value = self.reference(context, term);
                    set!(to, context.code.cells.cell(&value).unwrap_or(i64::MAX));
                }
                Instruction::Try(target) => {
                    self.choices.push(target);
                    at += 1;
                }
                Instruction::Switch { on, table } => {
                    at = context.code.switches[table as usize].target(get!(on)) as usize;
                }
                Instruction::Assign { to, from, checked } => {
                    jump_if!(!self.assign(context, to, from, checked), FAIL);
                }
                Instruction::AssignRun { to, from, count } => {
                    self.assign_run(to as usize, from as usize, count as usize);
                    at += count as usize;
                }
                Instruction::AssignWide {
                    variable,
                    first,
                    term,
                } => {
                    jump_if!(!self.assign_wide(context, variable, first as usize, term), FAIL);
                }
                Instruction::FirstValue { counter } => set!(counter, 0),
                Instruction::NextValue { to, counter } => {
                    jump_if!(!self.next_value(context, to, counter, at as Target), FAIL);
                }
            }
        }
    }

    /// Asks now and then whether the budget is spent.
    #[inline]
    fn poll(&mut self, budget: Option<&Budget>) -> Result<(), Spent> {
        self.polls -= 1;
        if self.polls == 0 {
            self.polls = POLL;
            if let Some(budget) = budget {
                budget.check()?;
            }
        }
        Ok(())
    }

    /// Whether a subroutine's result is still that of the values now bound.
    #[inline]
    fn is_remembered(&self, subroutine: u32, volatile: bool) -> bool {
        let valid = if volatile {
            self.version
        } else {
            self.state_version
        };
        self.stamps[subroutine as usize] >= valid
    }

    /// The second operand of a word operation: for cuts and extensions the number stands in the instruction itself.
    #[inline]
    fn word_operand(&self, op: WordOp, right: Register) -> i64 {
        match op {
            WordOp::Extract | WordOp::Extend => i64::from(right),
            _ => self.registers[right as usize],
        }
    }

    /// Assigns a cell; false, and nothing is assigned, if it is outside the domain and that is not left to hazards.
    #[inline]
    fn assign(&mut self, context: Context<'_>, to: Register, from: Register, checked: bool) -> bool {
        let cell = self.registers[from as usize];
        self.bound();
        if checked && context.layout.domain(to).position(cell).is_none() {
            self.outside = true;
            if !self.lenient {
                return false;
            }
        }
        self.registers[to as usize] = cell;
        true
    }

    /// Copies cells one by one: runs are short, and a call of a copying routine would take longer.
    #[inline]
    fn assign_run(&mut self, to: usize, from: usize, count: usize) {
        self.bound();
        for position in 0..count {
            self.registers[to + position] = self.registers[from + position];
        }
    }

    /// Assigns a value of several cells; false, and nothing is assigned, if it is outside the variable's domain.
    fn assign_wide(&mut self, context: Context<'_>, variable: VarId, first: usize, term: u32) -> bool {
        let value = self.reference(context, term);
        self.bound();
        let Some(cells) = context.layout.cells_of(variable, &value) else {
            self.outside = true;
            return false;
        };
        self.registers[first..first + cells.len()].copy_from_slice(&cells);
        true
    }

    /// Assigns the next value of a domain, counts it, and remembers to come back for another; false if there is none.
    #[inline]
    fn next_value(&mut self, context: Context<'_>, to: Register, counter: Register, again: Target) -> bool {
        let domain = context.layout.domain(to);
        let position = self.registers[counter as usize] as u64;
        if position > domain.last() {
            return false;
        }
        self.bound();
        self.registers[counter as usize] = position as i64 + 1;
        self.registers[to as usize] = domain.cell_at(position);
        self.choices.push(again);
        true
    }

    fn reference(&self, context: Context<'_>, number: u32) -> Value {
        let reference = &context.code.references[number as usize];
        let variables = |list: &[VarId], at: &dyn Fn(VarId) -> std::ops::Range<Register>| {
            let length = list
                .iter()
                .map(|variable| variable.index() + 1)
                .max()
                .unwrap_or(0);
            let mut values = vec![None; length];
            for &variable in list {
                values[variable.index()] =
                    Some(context.layout.value(variable, at(variable), &self.registers));
            }
            values
        };
        let current = variables(&reference.current, &|variable| context.layout.now(variable));
        let next = variables(&reference.next, &|variable| context.layout.after(variable));
        evaluate_with(context.terms, &reference.cone, Valuation::step(&current, &next))
            .pop()
            .flatten()
            .expect("every variable of the term has a value")
    }
}
