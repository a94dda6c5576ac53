//! The proof that no fair path violates a formula of linear time: ranks of the model with a monitor of the violation.
//!
//! The monitor is the tester with kept promises ([`entail_automata::tester`]) in the form that [`entail_evidence::LivenessCertificate`]'s module defines: a promise is a bit that is true
//! at the position where it has to be kept, so whoever makes it sets the bit's next value. All its requirements are conditions on steps. The reachable states of the product
//! are the invariant, and the order in which the fixpoint for fair paths removes them gives the ranks ([`crate::ranks`]).

use crate::certificate::certificate;
use crate::encoding::Bit;
use crate::fair_states::Fixpoints;
use crate::machine::{Machine, counts_finite_paths};
use crate::model::EncodedSystem;
use crate::proof_sets::write_stages;
use crate::reachability::{Reached, Watch};
use crate::stop::{Attempt, NotComputed};
use crate::written::Writer;
use entail_automata::tester::{self, Condition, Gate, Tester};
use entail_dd::Bdd;
use entail_evidence::{FixpointProof, Progress, ProvedSet};
use entail_logic::{Formula, Node};
use entail_model::TermId;

/// Bounded operators are written out up to this bound, as by the checker.
const MAX_WRITTEN_OUT: u32 = 256;

/// The monitor's bits and what they ask for.
struct Monitored {
    machine: Machine,
    bits: Vec<Bit>,
}

impl EncodedSystem<'_> {
    /// Bits for a monitor, those of earlier ones used again.
    fn monitor_bits(&self, count: usize) -> Attempt<Vec<Bit>> {
        let mut spare = self.spare.borrow_mut();
        while spare.len() < count {
            spare.push(self.encoding.add_pair()?);
        }
        Ok(spare[..count].to_vec())
    }

    /// Ranks that prove that no fair path violates a path formula; none if it has no such proof.
    pub(crate) fn monitored_proof(
        &mut self,
        path: &Formula<TermId>,
        watch: Watch<'_>,
    ) -> Attempt<Option<FixpointProof>> {
        let finite_paths = counts_finite_paths(self.dead_end_policy) && !self.dead_ends(watch)?.is_false();
        if finite_paths || self.machine.parts.iter().any(|part| part.inputless) {
            return Ok(None);
        }
        let Ok(written_out) = path.expand_bounds(MAX_WRITTEN_OUT) else {
            return Ok(None);
        };
        let violation = written_out.negated_normal_form();
        let Ok(tester) = Tester::kept(&violation) else {
            return Ok(None);
        };
        let is_atom = |leaf: &Formula<TermId>| matches!(leaf.node(), Node::Atom(_));
        if !tester.leaves.iter().all(is_atom) {
            return Ok(None);
        }
        let monitored = self.monitored(&tester)?;
        let machine = &monitored.machine;
        let mut reached = Reached::start(&machine.initial);
        reached.run(machine, None, watch)?;
        let fixpoints = Fixpoints {
            encoding: &self.encoding,
            machine,
            watch,
        };
        let Some(stages) = fixpoints.ranks(&reached.states, &machine.justice)? else {
            return Err(NotComputed::Unsupported("a monitor finds a fair path".into()));
        };
        let mut hazards = None;
        if !self.system.hazards.is_empty() {
            let safe = self.reachable(watch)?;
            hazards = certificate(self.system, &self.encoding, &safe);
            if hazards.is_none() {
                return Ok(None);
            }
        }
        let mut writer = Writer::new(self.system, &self.encoding, &monitored.bits);
        let written = writer
            .set(&reached.states)
            .zip(write_stages(&mut writer, &stages));
        let Some((reachable, stages)) = written else {
            return Ok(None);
        };
        let unfair = ProvedSet {
            states: writer.terms.truth(true),
            progress: vec![Progress {
                stages,
                strategy: Vec::new(),
            }],
        };
        Ok(Some(FixpointProof {
            terms: writer.terms,
            monitored: true,
            reachable,
            unfair: Some(unfair),
            fair: None,
            operators: Vec::new(),
            hazards,
        }))
    }

    /// The model with the monitor.
    fn monitored(&mut self, tester: &Tester<TermId>) -> Attempt<Monitored> {
        let compassion = self.system.compassion.clone();
        let own = tester.bits.len();
        let first = tester.start.map(|_| own);
        let over = own + usize::from(first.is_some());
        let bits = self.monitor_bits(over + compassion.len())?;
        let manager = self.manager().clone();
        let now = |at: usize| manager.var(bits[at].current);
        let next = |at: usize| match bits[at].next {
            Some(next) => manager.var(next),
            None => manager.var(bits[at].current),
        };
        let mut gates: Vec<Bdd> = Vec::with_capacity(tester.gates().len());
        for gate in tester.gates() {
            gates.push(match *gate {
                Gate::True => manager.one(),
                Gate::Leaf(leaf) => match tester.leaves[leaf].node() {
                    Node::Atom(term) => self.condition(*term)?,
                    _ => return Err(NotComputed::Unsupported("a quantifier below a monitor".into())),
                },
                // A promise is kept at the next position.
                Gate::Bit(bit) => match tester.bits[bit] {
                    tester::Bit::Promise { .. } => next(bit)?,
                    tester::Bit::Memory { .. } | tester::Bit::Lasting => now(bit)?,
                },
                Gate::And(a, b) => value(&gates, a).and(&value(&gates, b))?,
            });
        }
        let mut required = Vec::new();
        let mut initial = self.machine.initial.clone();
        for (at, bit) in tester.bits.iter().enumerate() {
            let begins = match *bit {
                tester::Bit::Promise { claim } => {
                    required.push(now(at)?.implies(&value(&gates, claim))?);
                    false
                }
                tester::Bit::Memory {
                    initially,
                    next: claim,
                } => {
                    required.push(next(at)?.iff(&value(&gates, claim))?);
                    initially
                }
                tester::Bit::Lasting => {
                    required.push(now(at)?.implies(&next(at)?)?);
                    false
                }
            };
            initial = initial.and(&if begins { now(at)? } else { now(at)?.not() })?;
        }
        for &condition in &tester.always {
            required.push(value(&gates, condition));
        }
        if let (Some(start), Some(first)) = (tester.start, first) {
            required.push(next(first)?.not());
            required.push(now(first)?.implies(&value(&gates, start))?);
            initial = initial.and(&now(first)?)?;
        }
        let mut justice: Vec<Bdd> = (tester.justice.iter())
            .map(|&condition| value(&gates, condition))
            .collect();
        justice.extend(self.machine.justice.iter().cloned());
        for (at, (often, then)) in compassion.into_iter().enumerate() {
            let at = over + at;
            required.push(now(at)?.implies(&next(at)?)?);
            required.push(now(at)?.implies(&self.condition(often)?.not())?);
            justice.push(now(at)?.or(&self.condition(then)?)?);
            initial = initial.minus(&now(at)?)?;
        }
        let specs = self.machine.parts.iter().map(|part| {
            let mut spec = part.spec();
            spec.conjuncts.extend(required.iter().cloned());
            spec.changed.extend(&bits);
            spec
        });
        let all_bits = self.encoding.state_bits.iter().chain(&bits).copied().collect();
        let mut machine = Machine::new(
            &self.encoding,
            specs.collect(),
            &self.invariants,
            all_bits,
            initial,
            self.settings.cluster_size,
        )?;
        machine.justice = justice;
        Ok(Monitored { machine, bits })
    }
}

/// The meaning of a condition, given that of the gates.
fn value(gates: &[Bdd], condition: Condition) -> Bdd {
    let gate = &gates[condition.gate()];
    if condition.is_negated() {
        gate.not()
    } else {
        gate.clone()
    }
}
