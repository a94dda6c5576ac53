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
//! Where all members hold anywhere (as in circuits without registers), the second and third frame have nothing to show, and the first goes on as the fourth.
//!
//! Members are proved one after the other. What is proved is added to the solver, and of two signals that agree the later one is replaced by the earlier in all gates
//! that are made from then on. So the two circuits grow together, and most questions are answered by the gates being the same, most others by a window of gates around them. (That is SAT sweeping; the proof
//! says which signals, and nothing of how the sweeping engine works is used here.) Every answer of the solver comes with a checked proof.

use super::{BitOf, Half, Pair, Place};
use crate::encode::{Codes, Encoder};
use crate::gates::Gates;
use crate::induction::Refusal;
use crate::part::Part;
use crate::solver::Lit;
use entail_budget::Budget;
use entail_evidence::Certificate;
use entail_model::{Op, TermId, Terms, TransitionSystem, VarId, VarKind};
use rustc_hash::FxHashSet;

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
            let (universal, frame) = claim.anywhere()?;
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
    fn anywhere(&self) -> Result<(FxHashSet<TermId>, Encoder<'c>), Refusal> {
        let mut proved = FxHashSet::default();
        let mut encoder = Encoder::new(self.both);
        self.meet(&mut encoder, false, Duty::Try(&mut proved))?;
        Ok((proved, encoder))
    }

    fn initially(&self, universal: &FxHashSet<TermId>) -> Result<(), Refusal> {
        let mut encoder = Encoder::new(self.both);
        for (half, ties) in [(&self.pair.gate, &[][..]), (&self.pair.gold, &self.pair.ties[..])] {
            for register in &half.registers.registers {
                if half.system.variable(register.variable).kind == VarKind::Input {
                    continue;
                }
                let tie = ties.iter().find(|tie| tie.gold == register.variable);
                let bits = match (register.init, tie) {
                    (Some(init), _) => {
                        let (back, mut bits) = self.codes_of(encoder, half, &[init])?;
                        encoder = back;
                        bits.remove(0)
                    }
                    (None, Some(tie)) => self.tied(&mut encoder, &tie.gate)?,
                    (None, None) => continue,
                };
                encoder.place(home(half, register.variable)?, false, bits)?;
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
            for (&(variable, _), bits) in moving.iter().zip(codes) {
                after.push((home(half, variable)?, bits));
            }
        }
        for (here, bits) in after {
            encoder.place(here, true, bits)?;
        }
        self.meet(&mut encoder, true, Duty::Prove(universal, Refusal::Consecution))
    }

    /// A frame inside the invariant, under inputs that gold's constraints allow; one in which all members hold may be given.
    fn inside(&self, frame: Option<Encoder<'c>>) -> Result<Encoder<'c>, Refusal> {
        let encoder = match frame {
            Some(frame) => frame,
            None => {
                let mut encoder = Encoder::new(self.both);
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
        for bits in codes {
            encoder.gates.require(bits[0]);
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
            let ours = *gold.get(ours as usize).ok_or_else(nowhere)?;
            let theirs = *gate.get(theirs as usize).ok_or_else(nowhere)?;
            let differ = encoder.gates.xor(ours, theirs);
            if encoder.gates.is_true(!differ) {
                continue;
            }
            if self.is_seen(&encoder.gates, !differ)? {
                encoder.gates.merge(ours, theirs);
                continue;
            }
            if encoder.gates.satisfiable(&[differ], self.budget)? {
                return Err(Refusal::Safety);
            }
            encoder.gates.require(!differ);
            encoder.gates.merge(ours, theirs);
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

    /// The bits of terms of one circuit, which reads its variables where they are among those of both.
    fn codes_of(
        &self,
        mut encoder: Encoder<'c>,
        half: &Half,
        roots: &[TermId],
    ) -> Result<(Encoder<'c>, Vec<Vec<Lit>>), Refusal> {
        let (current, _) = half.system.terms.support(roots);
        let mut bits = Vec::with_capacity(current.len());
        for variable in current {
            bits.push((variable, self.bits_at(&mut encoder, half, variable)?));
        }
        let (gates, frame) = encoder.apart();
        let mut own = Encoder::with_gates(&half.system, gates);
        for (variable, bits) in bits {
            own.place(variable, false, bits)?;
        }
        let codes = own.codes(&half.system.terms, roots, false)?;
        let found = roots.iter().map(|root| codes[root].clone()).collect();
        Ok((frame.with(own.apart().0), found))
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
