//! From plans to code.
//!
//! Tests become jumps to `Fail`, alternatives leave choice points. A long list of alternatives whose first tests compare
//! the same variable with different constants (transitions of one process from its control states) is entered by a switch:
//! the variable that most alternatives test is taken first, those that do not test it come after, and each bucket is
//! divided again. So a relation written as ten thousand disjuncts costs a state a few switches, not ten thousand tests.

use super::{Given, Literal, Plan, Step, Unknowns};
use crate::code::compile::{Compiler, Label};
use crate::code::instruction::{FAIL, Instruction, SwitchTable};
use crate::layout::{Register, is_scalar};
use entail_model::{Op, Sort};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// Fewer alternatives than this are tried one after the other.
const FEW: usize = 4;
/// Larger domains get no table.
const LARGEST_TABLE: u64 = 1 << 16;

/// Compiles a plan that ends by yielding; gives its start.
pub(crate) fn emit_plan(compiler: &mut Compiler<'_>, unknowns: &Unknowns, plan: &Plan) -> Label {
    let start = compiler.label();
    compiler.place(start);
    let mut emitter = Emitter { compiler, unknowns };
    emitter.steps(plan);
    compiler.emit(Instruction::Yield);
    start
}

struct Emitter<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
    unknowns: &'c Unknowns,
}

impl Emitter<'_, '_> {
    fn steps(&mut self, plan: &Plan) {
        for step in plan {
            stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.step(step));
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Test(literal) => self.compiler.jump(literal.term, !literal.positive, Label::FAIL),
            Step::Decide { unknown, truth } => {
                let to = self.unknowns.get(*unknown).registers.start;
                let from = self.compiler.constant(i64::from(*truth));
                self.compiler.emit(Instruction::Assign {
                    to,
                    from,
                    checked: false,
                });
            }
            Step::Assign {
                unknown,
                value,
                negated,
            } => self.assign(*unknown, *value, *negated),
            Step::Distinct(left, right) => {
                if let (Some(left), Some(right)) = (self.given(*left), self.given(*right)) {
                    self.compiler.emit(Instruction::JumpIfEqual(left, right, FAIL));
                }
            }
            Step::Each(unknown) => {
                for to in self.unknowns.get(*unknown).registers.clone() {
                    let counter = self.compiler.fresh_register();
                    self.compiler.emit(Instruction::FirstValue { counter });
                    self.compiler.emit(Instruction::NextValue { to, counter });
                }
            }
            Step::Branch {
                any_of,
                then,
                otherwise,
            } => {
                let (taken, end) = (self.compiler.label(), self.compiler.label());
                for literal in any_of {
                    self.compiler.jump(literal.term, literal.positive, taken);
                }
                self.steps(otherwise);
                self.compiler.emit(Instruction::Jump(end.0));
                self.compiler.place(taken);
                self.steps(then);
                self.compiler.place(end);
            }
            Step::Alternatives(plans) => {
                let end = self.compiler.label();
                let plans: Vec<&Plan> = plans
                    .iter()
                    .filter(|plan| !matches!(plan.last(), Some(Step::Never)))
                    .collect();
                self.alternatives(&plans, end, &mut Vec::new());
                self.compiler.place(end);
            }
            Step::Never => self.compiler.emit(Instruction::Jump(FAIL)),
        }
    }

    /// The register of a given value; none for wide ones, which are not compared.
    fn given(&mut self, given: Given) -> Option<Register> {
        match given {
            Given::Truth(truth) => Some(self.compiler.constant(i64::from(truth))),
            Given::Term(term, negated) => {
                if !is_scalar(self.compiler.system.terms.sort(term)) {
                    return None;
                }
                let from = self.compiler.operand(term);
                if !negated {
                    return Some(from);
                }
                let to = self.compiler.fresh_register();
                self.compiler.emit(Instruction::Not { to, from });
                Some(to)
            }
        }
    }

    fn assign(&mut self, unknown: super::Unknown, value: entail_model::TermId, negated: bool) {
        let target = self.unknowns.get(unknown).clone();
        let to = target.registers.start;
        let system = self.compiler.system;
        let sort = &system.variable(target.variable).sort;
        if !is_scalar(sort) {
            let term = self.compiler.reference(value);
            self.compiler.emit(Instruction::AssignWide {
                variable: target.variable,
                first: to,
                term,
            });
            return;
        }
        let mut from = self.compiler.operand(value);
        if negated {
            let complement = self.compiler.fresh_register();
            self.compiler.emit(Instruction::Not { to: complement, from });
            from = complement;
        }
        let checked = !within(system.terms.sort(value), sort);
        self.compiler.emit(Instruction::Assign { to, from, checked });
    }

    // ----- alternatives -----

    /// Tries the plans one after the other; each goes on at `end`. `divided` are the variables already switched on.
    fn alternatives(&mut self, plans: &[&Plan], end: Label, divided: &mut Vec<Register>) {
        let mut rest: Vec<&Plan> = plans.to_vec();
        while rest.len() > FEW {
            let Some(on) = self.discriminator(&rest, divided) else {
                break;
            };
            let mut buckets: HashMap<i64, Vec<&Plan>, FxBuildHasher> = HashMap::default();
            let mut others = Vec::new();
            let mut order = Vec::new();
            for plan in rest {
                match self.tested(plan).find(|&(register, _)| register == on) {
                    Some((_, cell)) => {
                        let bucket = buckets.entry(cell).or_default();
                        if bucket.is_empty() {
                            order.push(cell);
                        }
                        bucket.push(plan);
                    }
                    None => others.push(plan),
                }
            }
            rest = others;
            let next = self.compiler.label();
            if !rest.is_empty() {
                self.compiler.emit(Instruction::Try(next.0));
            }
            self.switch(on, &order, &buckets, end, divided);
            self.compiler.place(next);
            if rest.is_empty() {
                return;
            }
        }
        let Some((last, first)) = rest.split_last() else {
            self.compiler.emit(Instruction::Jump(FAIL));
            return;
        };
        for plan in first {
            let next = self.compiler.label();
            self.compiler.emit(Instruction::Try(next.0));
            self.steps(plan);
            self.compiler.emit(Instruction::Jump(end.0));
            self.compiler.place(next);
        }
        self.steps(last);
        self.compiler.emit(Instruction::Jump(end.0));
    }

    fn switch(
        &mut self,
        on: Register,
        order: &[i64],
        buckets: &HashMap<i64, Vec<&Plan>, FxBuildHasher>,
        end: Label,
        divided: &mut Vec<Register>,
    ) {
        let domain = self.compiler.layout.domain(on).clone();
        let mut targets = vec![FAIL; domain.last() as usize + 1];
        let mut entries = Vec::new();
        for &cell in order {
            if let Some(position) = domain.position(cell) {
                let label = self.compiler.label();
                targets[position as usize] = label.0;
                entries.push((label, cell));
            }
        }
        let table = self.compiler.switch_table(SwitchTable { domain, targets });
        self.compiler.emit(Instruction::Switch { on, table });
        divided.push(on);
        for (label, cell) in entries {
            self.compiler.place(label);
            self.alternatives(&buckets[&cell], end, divided);
        }
        divided.pop();
    }

    /// The variable that most of the plans compare with a constant before anything else, if that is worth a switch.
    fn discriminator(&self, plans: &[&Plan], divided: &[Register]) -> Option<Register> {
        let mut counts: HashMap<Register, u32, FxBuildHasher> = HashMap::default();
        for plan in plans {
            for (register, _) in self.tested(plan) {
                if !divided.contains(&register) {
                    *counts.entry(register).or_default() += 1;
                }
            }
        }
        counts
            .into_iter()
            .filter(|&(register, count)| {
                count > 1 && self.compiler.layout.domain(register).last() < LARGEST_TABLE
            })
            .max_by_key(|&(register, count)| (count, std::cmp::Reverse(register)))
            .map(|(register, _)| register)
    }

    /// The comparisons of a variable with a constant that a plan begins with.
    fn tested<'p>(&'p self, plan: &'p Plan) -> impl Iterator<Item = (Register, i64)> + 'p {
        plan.iter()
            .map_while(|step| match step {
                Step::Test(literal) => Some(*literal),
                _ => None,
            })
            .filter_map(|literal| self.comparison(literal))
    }

    fn comparison(&self, literal: Literal) -> Option<(Register, i64)> {
        let terms = &self.compiler.system.terms;
        let variable = |term| match terms.op(term) {
            Op::Current(variable) => Some(self.compiler.layout.now(*variable).start),
            Op::Next(variable) => Some(self.compiler.layout.after(*variable).start),
            _ => None,
        };
        if let Some(register) = variable(literal.term) {
            return Some((register, i64::from(literal.positive)));
        }
        let operands = terms.operands(literal.term);
        if *terms.op(literal.term) != Op::Equal || !literal.positive || !is_scalar(terms.sort(operands[0])) {
            return None;
        }
        [(operands[0], operands[1]), (operands[1], operands[0])]
            .into_iter()
            .find_map(|(side, other)| Some((variable(side)?, self.compiler.constant_cell(other)?)))
    }
}

/// Whether every value of the first sort is in the second.
fn within(inner: &Sort, outer: &Sort) -> bool {
    match (inner, outer) {
        (a, b) if a == b => true,
        (
            Sort::Range { low, high },
            Sort::Range {
                low: least,
                high: most,
            },
        ) => least <= low && high <= most,
        (Sort::Enum(values), outer) => values.len() <= 64 && values.iter().all(|value| outer.contains(value)),
        _ => false,
    }
}
