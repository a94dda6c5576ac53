//! Judging a proof that two circuits have the same outputs.
//!
//! The proof is an invariant: a conjunction, most of whose members say that two signals agree, in an order in which earlier ones help with later ones. It is
//! judged in four frames, each a solver of its own:
//!
//! 1. *anywhere*: state and inputs are arbitrary. Members that can be proved here hold everywhere, and are known in the other frames.
//! 2. *initially*: registers have their first values.
//! 3. *after a step* from a state inside the invariant.
//! 4. *outputs*: inside the invariant no output differs.
//!
//! Where X of gold are don't-cares, gold is encoded with 0 for every X, and beside it the masks of what is known ([`masks`]); registers that may be X have a second variable for theirs, which
//! is placed as registers are. Only what is known is compared.
//!
//! Where all members hold anywhere (as in circuits without registers), the second and third frame have nothing to show, and the first goes on as the fourth.
//!
//! Members are proved one after the other. What is proved is added to the solver, and of two signals that agree the later one is replaced by the earlier in all gates
//! that are made from then on. So the two circuits grow together, and most questions are answered by the gates being the same, most others by a window of gates around them. (That is SAT sweeping; the proof
//! says which signals, and nothing of how the sweeping engine works is used here.) Every answer of the solver comes with a checked proof.

use super::known::{Masks, masks};
use super::{BitOf, DontCares, Half, Pair, Place};
use crate::encode::{Codes, Encoder, bit_width};
use crate::gates::Gates;
use crate::induction::Refusal;
use crate::part::Part;
use crate::solver::Lit;
use entail_budget::Budget;
use entail_evidence::Certificate;
use entail_model::{Op, TermId, Terms, TransitionSystem, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Conflicts after which a member of circuits with registers is no longer tried anywhere; it is asked along steps then.
const CONFLICTS_ANYWHERE: i32 = 2_000;

/// The parts of the gates that are looked at before all of them are.
const PARTS: [Part; 2] = [
    Part {
        gates: 100,
        conflicts: 200,
    },
    Part {
        gates: 1_500,
        conflicts: 2_000,
    },
];

/// The proof that was last accepted: most outputs are proved by the same one.
#[derive(Debug, Default)]
pub struct KnownProof(Option<(Certificate, FxHashSet<TermId>)>);

/// Accepts a proof that these outputs are always the same. `both` is looked at for the sorts and kinds of the variables that the proof speaks of, and for nothing else.
pub fn check_equivalence(
    pair: &Pair,
    both: &TransitionSystem,
    outputs: &[usize],
    certificate: &Certificate,
    known: &mut KnownProof,
    budget: &Budget,
) -> Result<(), Refusal> {
    let Certificate { terms, invariant } = certificate;
    let (current, next) = terms.support(&[*invariant]);
    let is_there = |id: &VarId| id.index() < both.variables().len();
    if !next.is_empty() || !current.iter().all(is_there) {
        return Err(Refusal::NotAboutStates);
    }
    let claim = Claim {
        pair,
        both,
        terms,
        invariant: *invariant,
        budget,
    };
    let (universal, frame) = match known.0.take() {
        Some((before, universal)) if before.is_same(certificate) => (universal, None),
        _ => {
            let (universal, frame) = claim.anywhere(outputs)?;
            let is_everywhere = claim.members().iter().all(|member| universal.contains(member));
            if !is_everywhere {
                claim.initially(&universal)?;
                claim.after_a_step(&universal)?;
            }
            (universal, is_everywhere.then_some(frame))
        }
    };
    claim.same_outputs(outputs, frame)?;
    known.0 = Some((certificate.clone(), universal));
    Ok(())
}

/// What is done with a member of the invariant where a frame meets it.
enum Duty<'d> {
    /// It is known here.
    Assume,
    /// It is proved, unless it is one of these, which hold everywhere.
    Prove(&'d FxHashSet<TermId>, Refusal),
    /// It is proved if that is easy; those that are, are collected.
    Try(&'d mut FxHashSet<TermId>),
}

/// The bits of a term, and which of them are known, if not all are.
type Coded = (Vec<Lit>, Option<Vec<Lit>>);

struct Claim<'c> {
    pair: &'c Pair,
    both: &'c TransitionSystem,
    terms: &'c Terms,
    invariant: TermId,
    budget: &'c Budget,
}

impl<'c> Claim<'c> {
    fn members(&self) -> Vec<TermId> {
        match self.terms.op(self.invariant) {
            Op::And => self.terms.operands(self.invariant).to_vec(),
            _ => vec![self.invariant],
        }
    }

    /// Whether something is kept from step to step.
    fn has_registers(&self) -> bool {
        let keeps = |half: &Half| half.registers.registers.iter().any(|one| one.next.is_some());
        keeps(&self.pair.gold) || keeps(&self.pair.gate)
    }

    /// Meets the members of the invariant in order, in the current frame or the next.
    fn meet(&self, encoder: &mut Encoder<'_>, next: bool, mut duty: Duty<'_>) -> Result<(), Refusal> {
        let members: FxHashSet<TermId> = self.members().into_iter().collect();
        let conflicts = match self.has_registers() {
            true => CONFLICTS_ANYWHERE,
            false => i32::MAX,
        };
        let mut codes = Codes::default();
        for term in self.terms.cone(&self.members()) {
            let bits = encoder.code(self.terms, term, next, &codes)?;
            codes.insert(term, bits);
            if !members.contains(&term) {
                continue;
            }
            let literal = codes[&term][0];
            let mut holds = !matches!(duty, Duty::Assume) && self.is_seen(&encoder.gates, literal)?;
            match &mut duty {
                Duty::Assume => holds = true,
                Duty::Prove(universal, refusal) => {
                    if !holds && !universal.contains(&term) {
                        let violated = encoder.gates.satisfiable(&[!literal], self.budget)?;
                        if violated {
                            return Err(refusal.clone());
                        }
                    }
                    holds = true;
                }
                Duty::Try(proved) => {
                    if !holds {
                        let answer = encoder.gates.try_for(conflicts, &[!literal], self.budget)?;
                        holds = answer == Some(false);
                    }
                    if holds {
                        proved.insert(term);
                    }
                }
            }
            if holds {
                encoder.gates.require(literal);
                self.merge(encoder, term, &codes);
            }
        }
        Ok(())
    }

    /// Whether a literal is true by the gates around it.
    fn is_seen(&self, gates: &Gates, literal: Lit) -> Result<bool, Refusal> {
        if gates.is_true(literal) || gates.is_true_in_window(literal) {
            return Ok(true);
        }
        for part in PARTS {
            if gates.is_true_in_part(literal, part, self.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A member that holds says of which signals the later one is no longer needed.
    fn merge(&self, encoder: &mut Encoder<'_>, member: TermId, codes: &Codes) {
        let (inner, flipped) = match self.terms.op(member) {
            Op::Not => (self.terms.operands(member)[0], true),
            _ => (member, false),
        };
        let truth = encoder.gates.constant(!flipped);
        match (self.terms.op(inner), self.terms.operands(inner)) {
            (Op::Equal, &[a, b]) if codes[&a].len() == 1 && codes[&b].len() == 1 => {
                encoder
                    .gates
                    .merge(codes[&a][0], codes[&b][0].flipped_if(flipped));
            }
            _ => encoder.gates.merge(codes[&inner][0], truth),
        }
    }

    /// The members that hold everywhere, and the frame in which they do.
    fn anywhere(&self, outputs: &[usize]) -> Result<(FxHashSet<TermId>, Encoder<'c>), Refusal> {
        let mut proved = FxHashSet::default();
        let mut encoder = self.frame()?;
        if !self.has_registers() {
            // Both circuits come first: the gates of the proof are found among theirs, and what is merged is merged there.
            let wanted = outputs.iter().filter_map(|&at| self.pair.outputs.get(at));
            let (gold, gate): (Vec<_>, Vec<_>) = wanted.map(|one| (&one.gold, &one.gate)).unzip();
            for (half, bits) in [(&self.pair.gold, gold), (&self.pair.gate, gate)] {
                let roots: Vec<TermId> = bits.into_iter().flatten().map(|(term, _)| *term).collect();
                encoder = self.codes_of(encoder, half, &roots)?.0;
            }
        }
        self.meet(&mut encoder, false, Duty::Try(&mut proved))?;
        Ok((proved, encoder))
    }

    /// The variable that holds the mask of a register of gold, if there is one.
    fn mask_of(&self, half: &Half, register: VarId) -> Option<VarId> {
        let DontCares::Masked(held) = &self.pair.dont_cares else {
            return None;
        };
        let mut held = held.iter().filter(|_| std::ptr::eq(half, &self.pair.gold));
        held.find(|(gold, _)| *gold == register).map(|&(_, mask)| mask)
    }

    /// An input of gold that is X is 0 beside its mask. Where its place among the variables of both is its own (gate reads it nowhere), that place is 0 as well: proofs may say so.
    fn place_unknown(&self, encoder: &mut Encoder<'_>, next: bool) -> Result<(), Refusal> {
        let gold = &self.pair.gold;
        if !self.is_masked(gold) {
            return Ok(());
        }
        let in_gate = |here: VarId| {
            let mut places = self.pair.gate.places.iter();
            places.any(|place| match place {
                Place::Whole(there) => *there == here,
                Place::Bits(bits) => bits.iter().any(|(there, _)| *there == here),
            })
        };
        for &variable in &self.pair.unknown {
            let Some(Place::Whole(here)) = gold.places.get(variable.index()) else {
                continue;
            };
            if gold.system.variable(variable).kind != VarKind::Input || in_gate(*here) {
                continue;
            }
            // (A memory that is too large is read by nothing that is masked.)
            if let Ok(width) = bit_width(&self.both.variable(*here).sort) {
                let zeros = vec![encoder.gates.constant(false); width];
                encoder.place(*here, next, zeros)?;
            }
        }
        Ok(())
    }

    /// A frame in which nothing is known but what X of gold are.
    fn frame(&self) -> Result<Encoder<'c>, Refusal> {
        let mut encoder = Encoder::new(self.both);
        self.place_unknown(&mut encoder, false)?;
        Ok(encoder)
    }

    /// Whether X of gold are don't-cares, and this is gold.
    fn is_masked(&self, half: &Half) -> bool {
        matches!(self.pair.dont_cares, DontCares::Masked(_)) && std::ptr::eq(half, &self.pair.gold)
    }

    /// Says what of a register is known: all of it, unless a variable holds its mask.
    fn place_mask(
        &self,
        encoder: &mut Encoder<'_>,
        half: &Half,
        register: VarId,
        next: bool,
        (mask, width): (Option<Vec<Lit>>, usize),
    ) -> Result<(), Refusal> {
        match (self.mask_of(half, register), mask) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(Refusal::Unproved("a register that may be X has no mask")),
            (Some(held), mask) => {
                let truth = encoder.gates.constant(true);
                let mask = mask.unwrap_or_else(|| vec![truth; width]);
                Ok(encoder.place(held, next, mask)?)
            }
        }
    }

    fn initially(&self, universal: &FxHashSet<TermId>) -> Result<(), Refusal> {
        let mut encoder = self.frame()?;
        for (half, ties) in [(&self.pair.gate, &[][..]), (&self.pair.gold, &self.pair.ties[..])] {
            for register in &half.registers.registers {
                if half.system.variable(register.variable).kind == VarKind::Input {
                    continue;
                }
                let tie = ties.iter().find(|tie| tie.gold == register.variable);
                let (bits, mask) = match (register.init, tie) {
                    (Some(init), _) => {
                        let (back, mut bits) = self.codes_of(encoder, half, &[init])?;
                        encoder = back;
                        bits.remove(0)
                    }
                    (None, Some(tie)) => (self.tied(&mut encoder, &tie.gate)?, None),
                    (None, None) if self.is_masked(half) => {
                        let here = home(half, register.variable)?;
                        let width = bit_width(&self.both.variable(here).sort)?;
                        let nothing = vec![encoder.gates.constant(false); width];
                        (nothing.clone(), Some(nothing))
                    }
                    (None, None) => continue,
                };
                let width = bits.len();
                encoder.place(home(half, register.variable)?, false, bits)?;
                self.place_mask(&mut encoder, half, register.variable, false, (mask, width))?;
            }
        }
        self.meet(&mut encoder, false, Duty::Prove(universal, Refusal::Initiation))
    }

    /// The bits that registers of gate begin with.
    fn tied(&self, encoder: &mut Encoder<'_>, place: &Place) -> Result<Vec<Lit>, Refusal> {
        match place {
            Place::Whole(register) => self.bits_at(encoder, &self.pair.gate, *register),
            Place::Bits(bits) => {
                let mut found = Vec::with_capacity(bits.len());
                for &(register, bit) in bits {
                    let whole = self.bits_at(encoder, &self.pair.gate, register)?;
                    found.push(*whole.get(bit as usize).ok_or_else(nowhere)?);
                }
                Ok(found)
            }
        }
    }

    fn after_a_step(&self, universal: &FxHashSet<TermId>) -> Result<(), Refusal> {
        let mut encoder = self.inside(None)?;
        let mut after = Vec::new();
        for half in [&self.pair.gold, &self.pair.gate] {
            let registers = half.registers.registers.iter();
            let moving: Vec<(VarId, TermId)> = registers
                .filter_map(|one| Some((one.variable, one.next?)))
                .collect();
            let roots: Vec<TermId> = moving.iter().map(|&(_, next)| next).collect();
            let (back, codes) = self.codes_of(encoder, half, &roots)?;
            encoder = back;
            for (&(variable, _), found) in moving.iter().zip(codes) {
                after.push((half, variable, found));
            }
        }
        self.place_unknown(&mut encoder, true)?;
        for (half, variable, (bits, mask)) in after {
            let width = bits.len();
            encoder.place(home(half, variable)?, true, bits)?;
            self.place_mask(&mut encoder, half, variable, true, (mask, width))?;
        }
        self.meet(&mut encoder, true, Duty::Prove(universal, Refusal::Consecution))
    }

    /// A frame inside the invariant, under inputs that gold's constraints allow; one in which all members hold may be given.
    fn inside(&self, frame: Option<Encoder<'c>>) -> Result<Encoder<'c>, Refusal> {
        let encoder = match frame {
            Some(frame) => frame,
            None => {
                let mut encoder = self.frame()?;
                self.meet(&mut encoder, false, Duty::Assume)?;
                encoder
            }
        };
        let gold = &self.pair.gold;
        let ahead = gold.system.terms.mention_next();
        let constraints: Vec<TermId> = (gold.system.transition.iter().copied())
            .filter(|term| !ahead[term.index()])
            .collect();
        let (mut encoder, codes) = self.codes_of(encoder, gold, &constraints)?;
        for (bits, mask) in codes {
            // (What is X violates nothing.)
            let known = mask.map_or_else(|| encoder.gates.constant(true), |mask| mask[0]);
            let met = encoder.gates.or(bits[0], !known);
            encoder.gates.require(met);
        }
        Ok(encoder)
    }

    fn same_outputs(&self, outputs: &[usize], frame: Option<Encoder<'c>>) -> Result<(), Refusal> {
        let wanted: Option<Vec<_>> = outputs.iter().map(|&at| self.pair.outputs.get(at)).collect();
        let wanted = wanted.ok_or(Refusal::NotAboutStates)?;
        let pairs: Vec<(BitOf, BitOf)> = (wanted.iter())
            .flat_map(|one| one.gold.iter().copied().zip(one.gate.iter().copied()))
            .collect();
        let in_gold: Vec<TermId> = pairs.iter().map(|((term, _), _)| *term).collect();
        let in_gate: Vec<TermId> = pairs.iter().map(|(_, (term, _))| *term).collect();
        let (encoder, gold) = self.codes_of(self.inside(frame)?, &self.pair.gold, &in_gold)?;
        let (mut encoder, gate) = self.codes_of(encoder, &self.pair.gate, &in_gate)?;
        for (((_, ours), (_, theirs)), (gold, gate)) in pairs.into_iter().zip(gold.iter().zip(&gate)) {
            let ((gold, mask), (gate, _)) = (gold, gate);
            let known = match mask {
                Some(mask) => Some(*mask.get(ours as usize).ok_or_else(nowhere)?),
                None => None,
            };
            let ours = *gold.get(ours as usize).ok_or_else(nowhere)?;
            let theirs = *gate.get(theirs as usize).ok_or_else(nowhere)?;
            let mut differ = encoder.gates.xor(ours, theirs);
            if let Some(known) = known {
                differ = encoder.gates.and(known, differ);
            }
            if encoder.gates.is_true(!differ) {
                continue;
            }
            if !self.is_seen(&encoder.gates, !differ)? {
                if encoder.gates.satisfiable(&[differ], self.budget)? {
                    return Err(Refusal::Safety);
                }
                encoder.gates.require(!differ);
            }
            if known.is_none() {
                encoder.gates.merge(ours, theirs);
            }
        }
        Ok(())
    }

    /// The bits of a variable of one circuit now.
    fn bits_at(&self, encoder: &mut Encoder<'_>, half: &Half, variable: VarId) -> Result<Vec<Lit>, Refusal> {
        match half.places.get(variable.index()).ok_or_else(nowhere)? {
            Place::Whole(here) => Ok(encoder.variable(*here, false)?),
            Place::Bits(bits) => {
                let mut found = Vec::with_capacity(bits.len());
                for &(here, bit) in bits {
                    let whole = encoder.variable(here, false)?;
                    found.push(*whole.get(bit as usize).ok_or_else(nowhere)?);
                }
                Ok(found)
            }
        }
    }

    /// The bits of terms of one circuit, which reads its variables where they are among those of both, and which of them are known where not all are.
    fn codes_of(
        &self,
        mut encoder: Encoder<'c>,
        half: &Half,
        roots: &[TermId],
    ) -> Result<(Encoder<'c>, Vec<Coded>), Refusal> {
        let terms = &half.system.terms;
        let (current, _) = terms.support(roots);
        let mut bits = Vec::with_capacity(current.len());
        let mut known: FxHashMap<VarId, Vec<Lit>> = FxHashMap::default();
        for variable in current {
            let is_input = half.system.variable(variable).kind == VarKind::Input;
            let here = match self.is_masked(half) && is_input && self.pair.unknown.contains(&variable) {
                true => {
                    let nothing =
                        vec![encoder.gates.constant(false); bit_width(&half.system.variable(variable).sort)?];
                    known.insert(variable, nothing.clone());
                    nothing
                }
                false => self.bits_at(&mut encoder, half, variable)?,
            };
            if let Some(held) = self.mask_of(half, variable) {
                known.insert(variable, encoder.variable(held, false)?);
            }
            bits.push((variable, here));
        }
        let (gates, frame) = encoder.apart();
        let mut own = Encoder::with_gates(&half.system, gates);
        for (variable, bits) in bits {
            own.place(variable, false, bits)?;
        }
        let codes = own.codes(terms, roots, false)?;
        let (mut gates, _) = own.apart();
        let masks: Masks<Lit> = match known.is_empty() {
            true => Masks::default(),
            false => masks(
                &mut gates,
                terms,
                &terms.cone(roots),
                |term| codes[&term].clone(),
                |variable| known.get(&variable).cloned(),
            ),
        };
        let found = roots
            .iter()
            .map(|root| (codes[root].clone(), masks.get(root).cloned()));
        let found = found.collect();
        Ok((frame.with(gates), found))
    }
}

/// The one place of a register.
fn home(half: &Half, register: VarId) -> Result<VarId, Refusal> {
    match half.places.get(register.index()) {
        Some(Place::Whole(here)) => Ok(*here),
        _ => Err(nowhere()),
    }
}

fn nowhere() -> Refusal {
    Refusal::NotEncoded("a signal of the two circuits has no place among those of both".into())
}
