//! X of gold as don't-cares: what engines are asked where gold has sources of X.
//!
//! In the product gold runs with 0 for every X. Beside the registers that X can reach go *masks*, registers of their own that say which bits are known: the same whatever the X are, by the
//! shape of the operators. (The rules are those of SystemVerilog's operators, with conditional operators for `if`; the checker has them in `entail_proof::pair`.) The property becomes: no
//! output of gold is known and differs from gate's, as long as no constraint of gold is known to be violated. It is an invariant of the product, so all engines can be asked.
//!
//! Masks are terms over the product's variables. What X cannot reach has none, so the cost is that of the part of gold behind X.

use crate::model::Content;
use entail_logic::Question;
use entail_model::{
    Define, Op, Register, Sort, SortError, TermId, Terms, TransitionSystem, Value, VarId, VarKind, Word,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What of gold is X, as variables of the product.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Gold's registers.
    pub(super) registers: FxHashSet<VarId>,
    /// What is X at every step.
    pub(super) always: FxHashSet<VarId>,
    /// Registers that are X at first.
    pub(super) first: FxHashSet<VarId>,
}

type Built = Result<TermId, SortError>;

/// Adds masks to a product whose last defines are the outputs, gold's and gate's in turn, and then the bad states of `groups`, and turns its properties into questions about what is known. Gives the
/// masks of registers; nothing if there are memories that X can reach, or a register that is chosen anew at every step.
pub(super) fn add_masks(
    content: &mut Content,
    sources: &Sources,
    outputs: usize,
    groups: &[Vec<usize>],
) -> Option<Vec<(VarId, VarId)>> {
    let registers = content.circuit.as_mut()?;
    let registers = &mut registers.registers;
    let system = &mut content.system;
    let reached = reached(system, &registers.registers, sources)?;
    let mut masked = Vec::new();
    let mut masks = Masks::default();
    for register in &registers.registers {
        if !reached.contains(&register.variable) {
            continue;
        }
        let variable = system.variable(register.variable);
        let (name, sort) = (format!("known({})", variable.name), mask_sort(&variable.sort));
        let mask = system.add_variable(name, sort, VarKind::State);
        let (of, now) = (system.current(register.variable), system.current(mask));
        masks.of.insert(of, now);
        masked.push((register.clone(), mask));
    }
    for &source in &sources.always {
        let of = system.current(source);
        let sort = mask_sort(&system.variable(source).sort);
        let nothing = full(&mut system.terms, &sort, false);
        masks.of.insert(of, nothing);
    }
    let ahead = system.terms.mention_next();
    let constraints: Vec<usize> = (0..system.transition.len())
        .filter(|&at| !ahead[system.transition[at].index()])
        .collect();
    let last = system.defines.len().checked_sub(groups.len())?;
    let first = last.checked_sub(2 * outputs)?;
    let compared: Vec<(TermId, TermId)> = system.defines[first..last]
        .chunks(2)
        .map(|pair| (pair[0].term, pair[1].term))
        .collect();
    let mut roots: Vec<TermId> = compared.iter().map(|&(gold, _)| gold).collect();
    roots.extend(constraints.iter().map(|&at| system.transition[at]));
    for (register, _) in &masked {
        roots.extend(register.init.iter().chain(&register.next));
    }
    for term in system.terms.cone(&roots) {
        masks.add(&mut system.terms, term).ok()?;
    }
    for (register, mask) in &masked {
        let sort = system.variable(*mask).sort.clone();
        let begins = match register
            .init
            .filter(|_| !sources.first.contains(&register.variable))
        {
            Some(init) => masks.known(&mut system.terms, init),
            None => full(&mut system.terms, &sort, false),
        };
        let next = masks.known(&mut system.terms, register.next?);
        let (now, after) = (system.current(*mask), system.next(*mask));
        let (first, step) = (
            system.terms.equal(now, begins).ok()?,
            system.terms.equal(after, next).ok()?,
        );
        system.init.push(first);
        system.transition.push(step);
        registers.registers.push(Register {
            variable: *mask,
            init: Some(begins),
            next: Some(next),
        });
    }
    let mut met = Vec::new();
    for at in constraints {
        let constraint = system.transition[at];
        let known = masks.known(&mut system.terms, constraint);
        let unknown = system.terms.not(known);
        system.transition[at] = system.terms.or([constraint, unknown]);
        met.push(system.transition[at]);
    }
    let different = differences(system, &masks, &compared, first).ok()?;
    for (property, positions) in content.properties.iter_mut().zip(groups) {
        let any = positions.iter().map(|&position| different[position]);
        let any = system.terms.or(any.collect::<Vec<_>>());
        let bad = system.terms.and(met.iter().copied().chain([any]));
        property.question = Question::Invariant(system.terms.not(bad));
    }
    Some(
        masked
            .iter()
            .map(|(register, mask)| (register.variable, *mask))
            .collect(),
    )
}

/// Of each pair of outputs, whether gold's is known and another one; what is known is shown beside them.
fn differences(
    system: &mut TransitionSystem,
    masks: &Masks,
    compared: &[(TermId, TermId)],
    first: usize,
) -> Result<Vec<TermId>, SortError> {
    let mut different = Vec::with_capacity(compared.len());
    for (position, &(gold, gate)) in compared.iter().enumerate() {
        let Some(&mask) = masks.of.get(&gold) else {
            different.push(system.terms.differ(gold, gate)?);
            continue;
        };
        let name = format!("known({})", system.defines[first + 2 * position].name);
        system.defines.push(Define {
            name: name.into(),
            term: mask,
        });
        let terms = &mut system.terms;
        different.push(match terms.sort(gold) {
            Sort::Bool => {
                let differ = terms.xor(gold, gate);
                terms.and([mask, differ])
            }
            _ => {
                let differ = terms.bit_xor(gold, gate)?;
                let counts = terms.bit_and(differ, mask)?;
                let sort = terms.sort(counts).clone();
                let nothing = full(terms, &sort, false);
                terms.differ(counts, nothing)?
            }
        });
    }
    Ok(different)
}

/// The registers of gold that X can reach, if there is no memory and nothing that is chosen anew among them.
fn reached(system: &TransitionSystem, registers: &[Register], sources: &Sources) -> Option<FxHashSet<VarId>> {
    let is_memory = |variable: &VarId| matches!(system.variable(*variable).sort, Sort::Array { .. });
    if sources.always.iter().any(is_memory) {
        return None;
    }
    let mut reached: FxHashSet<VarId> = sources.first.clone();
    let gold: Vec<&Register> = registers
        .iter()
        .filter(|register| sources.registers.contains(&register.variable))
        .filter(|register| !sources.always.contains(&register.variable))
        .collect();
    let reads: Vec<Vec<VarId>> = gold
        .iter()
        .map(|register| {
            let roots: Vec<TermId> = register.init.iter().chain(&register.next).copied().collect();
            system.terms.support(&roots).0
        })
        .collect();
    loop {
        let before = reached.len();
        for (register, reads) in gold.iter().zip(&reads) {
            if reads
                .iter()
                .any(|one| reached.contains(one) || sources.always.contains(one))
            {
                reached.insert(register.variable);
            }
        }
        if reached.len() == before {
            break;
        }
    }
    let is_free = gold.iter().any(|register| register.next.is_none());
    (!is_free && !reached.iter().any(is_memory)).then_some(reached)
}

/// What has bits has one in the mask for each; an array has one for all of it.
fn mask_sort(sort: &Sort) -> Sort {
    match sort {
        Sort::Word { width, .. } => Sort::word(*width),
        _ => Sort::Bool,
    }
}

/// A mask that is the same everywhere.
fn full(terms: &mut Terms, sort: &Sort, truth: bool) -> TermId {
    match sort {
        Sort::Word { width, .. } => {
            let zero = Word::from_u64(*width, false, 0);
            terms.constant(Value::Word(if truth { zero.not() } else { zero }))
        }
        _ => terms.truth(truth),
    }
}

/// The masks of terms that X can reach.
#[derive(Default)]
struct Masks {
    of: FxHashMap<TermId, TermId>,
}

impl Masks {
    /// The mask of a term.
    fn known(&self, terms: &mut Terms, term: TermId) -> TermId {
        match self.of.get(&term) {
            Some(&mask) => mask,
            None => {
                let sort = mask_sort(terms.sort(term));
                full(terms, &sort, true)
            }
        }
    }

    /// Whether all bits of a term are known.
    fn is_known(&self, terms: &mut Terms, term: TermId) -> Built {
        let mask = self.known(terms, term);
        match terms.sort(mask).clone() {
            Sort::Bool => Ok(mask),
            sort => {
                let everything = full(terms, &sort, true);
                terms.equal(mask, everything)
            }
        }
    }

    /// Notes the mask of a term whose operands have theirs.
    fn add(&mut self, terms: &mut Terms, term: TermId) -> Result<(), SortError> {
        let operands = terms.operands(term).to_vec();
        if operands.iter().any(|operand| self.of.contains_key(operand)) {
            let mask = self.rule(terms, term, &operands)?;
            self.of.insert(term, mask);
        }
        Ok(())
    }

    fn rule(&self, terms: &mut Terms, term: TermId, operands: &[TermId]) -> Built {
        let op = terms.op(term).clone();
        let sort = terms.sort(term).clone();
        let has_bits =
            |terms: &Terms, at: usize| matches!(terms.sort(operands[at]), Sort::Bool | Sort::Word { .. });
        match op {
            Op::Not | Op::BitNot | Op::Reinterpret { .. } => Ok(self.known(terms, operands[0])),
            Op::BoolToWord => {
                let mask = self.known(terms, operands[0]);
                terms.bool_to_word(mask)
            }
            Op::And | Op::Or => self.connective(terms, operands, op == Op::Or),
            Op::BitAnd | Op::BitOr | Op::BitXor => self.bitwise(terms, &op, operands),
            Op::Ite => self.choice(terms, operands, &sort),
            Op::Equal if has_bits(terms, 0) => self.equality(terms, operands),
            Op::Concat => {
                let (high, low) = (self.known(terms, operands[0]), self.known(terms, operands[1]));
                terms.concat(high, low)
            }
            Op::Extract { high, low } => {
                let mask = self.known(terms, operands[0]);
                terms.extract(mask, high, low)
            }
            Op::Extend { by } => {
                let is_signed = terms
                    .sort(operands[0])
                    .word_shape()
                    .is_some_and(|(_, signed)| signed);
                let mask = self.known(terms, operands[0]);
                let unknown = as_unknown(terms, mask, is_signed)?;
                let unknown = terms.extend(unknown, by)?;
                as_mask(terms, unknown)
            }
            Op::ShiftLeft | Op::ShiftRight if has_bits(terms, 0) && has_bits(terms, 1) => {
                let is_signed = sort.word_shape().is_some_and(|(_, signed)| signed);
                let mask = self.known(terms, operands[0]);
                let unknown = as_unknown(terms, mask, is_signed)?;
                let moved = match op {
                    Op::ShiftLeft => terms.shift_left(unknown, operands[1])?,
                    _ => terms.shift_right(unknown, operands[1])?,
                };
                let moved = as_mask(terms, moved)?;
                let by_known = self.is_known(terms, operands[1])?;
                let nothing = full(terms, &mask_sort(&sort), false);
                terms.ite(by_known, moved, nothing)
            }
            _ => {
                let all = self.all(terms, operands)?;
                let mask = mask_sort(&sort);
                let (everything, nothing) = (full(terms, &mask, true), full(terms, &mask, false));
                terms.ite(all, everything, nothing)
            }
        }
    }

    /// Whether all operands are known.
    fn all(&self, terms: &mut Terms, operands: &[TermId]) -> Built {
        let mut known = Vec::with_capacity(operands.len());
        for &operand in operands {
            known.push(self.is_known(terms, operand)?);
        }
        Ok(terms.and(known))
    }

    /// A conjunction or a disjunction: a known operand that absorbs the others decides.
    fn connective(&self, terms: &mut Terms, operands: &[TermId], absorbing: bool) -> Built {
        let mut deciding = vec![self.all(terms, operands)?];
        for &operand in operands {
            let known = self.known(terms, operand);
            let fits = if absorbing { operand } else { terms.not(operand) };
            deciding.push(terms.and([known, fits]));
        }
        Ok(terms.or(deciding))
    }

    fn bitwise(&self, terms: &mut Terms, op: &Op, operands: &[TermId]) -> Built {
        let (left, right) = (self.known(terms, operands[0]), self.known(terms, operands[1]));
        let mut known = terms.bit_and(left, right)?;
        if *op == Op::BitXor {
            return Ok(known);
        }
        for (mask, operand) in [(left, operands[0]), (right, operands[1])] {
            let value = unsigned(terms, operand)?;
            let fits = if *op == Op::BitOr {
                value
            } else {
                terms.bit_not(value)?
            };
            let deciding = terms.bit_and(mask, fits)?;
            known = terms.bit_or(known, deciding)?;
        }
        Ok(known)
    }

    /// A choice whose condition is X is known where both branches are, and agree.
    fn choice(&self, terms: &mut Terms, operands: &[TermId], sort: &Sort) -> Built {
        let is_known = self.known(terms, operands[0]);
        let (then, otherwise) = (self.known(terms, operands[1]), self.known(terms, operands[2]));
        let taken = terms.ite(operands[0], then, otherwise)?;
        let same = match sort {
            Sort::Bool => {
                let agree = terms.iff(operands[1], operands[2]);
                terms.and([then, otherwise, agree])
            }
            Sort::Word { .. } => {
                let (a, b) = (unsigned(terms, operands[1])?, unsigned(terms, operands[2])?);
                let differ = terms.bit_xor(a, b)?;
                let agree = terms.bit_not(differ)?;
                let both = terms.bit_and(then, otherwise)?;
                terms.bit_and(both, agree)?
            }
            _ => terms.truth(false),
        };
        terms.ite(is_known, taken, same)
    }

    /// Two words differ if a bit does that is known in both.
    fn equality(&self, terms: &mut Terms, operands: &[TermId]) -> Built {
        let all = self.all(terms, operands)?;
        let (left, right) = (self.known(terms, operands[0]), self.known(terms, operands[1]));
        let differ = match terms.sort(operands[0]) {
            Sort::Bool => {
                let differ = terms.xor(operands[0], operands[1]);
                terms.and([left, right, differ])
            }
            _ => {
                let (a, b) = (unsigned(terms, operands[0])?, unsigned(terms, operands[1])?);
                let differ = terms.bit_xor(a, b)?;
                let both = terms.bit_and(left, right)?;
                let counts = terms.bit_and(differ, both)?;
                let sort = terms.sort(counts).clone();
                let nothing = full(terms, &sort, false);
                terms.differ(counts, nothing)?
            }
        };
        Ok(terms.or([all, differ]))
    }
}

fn unsigned(terms: &mut Terms, word: TermId) -> Built {
    match terms.sort(word).word_shape() {
        Some((_, true)) => terms.reinterpret(word, false),
        _ => Ok(word),
    }
}

/// The bits that are not known, as a word that is extended and shifted as the value is.
fn as_unknown(terms: &mut Terms, mask: TermId, signed: bool) -> Built {
    let unknown = terms.bit_not(mask)?;
    match signed {
        true => terms.reinterpret(unknown, true),
        false => Ok(unknown),
    }
}

fn as_mask(terms: &mut Terms, unknown: TermId) -> Built {
    let unknown = unsigned(terms, unknown)?;
    terms.bit_not(unknown)
}
