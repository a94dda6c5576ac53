//! Transition relations: disjunctions of conjunctive partitions with frames.
//!
//! A synchronous model has one *part*, a conjunctive partition. An interleaving model has a part for each process or group of
//! actions; a part keeps most variables as they are, and kept variables do not occur in it at all: they are neither
//! quantified nor renamed. Images are taken part by part; reachability may apply each part to what the earlier ones have
//! just added (chaining).

use crate::conjunctive_partition::{Schedule, cluster};
use crate::encoding::{Bit, Encoding};
use crate::stop::Attempt;
use entail_dd::{Bdd, Manager, Substitution, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a part is made from.
#[derive(Clone)]
pub(crate) struct PartSpec {
    /// Conditions on current, input and next bits.
    pub conjuncts: Vec<Bdd>,
    /// The bits that may change.
    pub changed: Vec<Bit>,
    /// Whether the step chooses no inputs (a repeated dead end).
    pub inputless: bool,
}

/// One disjunct of the relation.
pub(crate) struct Part {
    /// The conjunction, with all other bits kept, is the disjunct.
    transition: Vec<Bdd>,
    /// The same with the invariants of the next state.
    conjuncts: Vec<Bdd>,
    pub changed: Vec<Bit>,
    pub inputless: bool,
    forward: Schedule,
    backward: Schedule,
    to_next: Substitution,
    to_current: Substitution,
    /// Next bits of kept variables with their current ones.
    kept: FxHashMap<Var, Var>,
    inputs: FxHashSet<Var>,
}

impl Part {
    /// `invariants` are conditions on current bits that hold in every state; `bits` are all bits that change in some part.
    pub fn new(
        encoding: &Encoding,
        spec: PartSpec,
        invariants: &[Bdd],
        bits: &[Bit],
        cluster_size: usize,
    ) -> Attempt<Part> {
        let manager = &encoding.manager;
        let PartSpec {
            conjuncts,
            changed,
            inputless,
        } = spec;
        let inputs = encoding.input_bits.iter().copied();
        let current: Vec<Var> = changed
            .iter()
            .map(|bit| bit.current)
            .chain(inputs.clone())
            .collect();
        let next: Vec<Var> = changed.iter().filter_map(|bit| bit.next).chain(inputs).collect();
        let moving: FxHashSet<Var> = changed.iter().map(|bit| bit.current).collect();
        let kept: FxHashMap<Var, Var> = bits
            .iter()
            .filter(|bit| !moving.contains(&bit.current))
            .filter_map(|bit| Some((bit.next?, bit.current)))
            .collect();
        let to_next = encoding.renaming(&changed, true)?;
        let to_current = encoding.renaming(&changed, false)?;

        let conjuncts = conjuncts.iter().map(|conjunct| framed(manager, &kept, conjunct));
        let conjuncts = cluster(
            manager,
            conjuncts.collect::<Attempt<_>>()?,
            &current,
            cluster_size,
        )?;
        // States satisfy the invariants; only what may change has to be asked again.
        let mut kept_invariants = Vec::new();
        for invariant in invariants {
            if invariant.support().iter().any(|var| moving.contains(var)) {
                kept_invariants.push(invariant.substitute(&to_next)?);
            }
        }
        let mut all = conjuncts.clone();
        all.extend(cluster(manager, kept_invariants, &current, cluster_size)?);
        Ok(Part {
            forward: Schedule::new(manager, &all, &current)?,
            backward: Schedule::new(manager, &conjuncts, &next)?,
            to_next,
            to_current,
            transition: conjuncts,
            conjuncts: all,
            changed,
            inputless,
            kept,
            inputs: encoding.input_bits.iter().copied().collect(),
        })
    }

    /// Makes the conjuncts for predecessors smaller, given that only predecessors inside `care` are wanted from now on.
    pub fn simplify_backward(&mut self, encoding: &Encoding, care: &Bdd) -> Attempt<()> {
        let mut simpler = Vec::with_capacity(self.transition.len());
        for conjunct in &self.transition {
            simpler.push(conjunct.simplify(care)?);
        }
        let inputs = encoding.input_bits.iter().copied();
        let next: Vec<Var> = self
            .changed
            .iter()
            .filter_map(|bit| bit.next)
            .chain(inputs)
            .collect();
        self.backward = Schedule::new(&encoding.manager, &simpler, &next)?;
        Ok(())
    }

    /// Successors of a set.
    pub fn image(&self, states: &Bdd) -> Attempt<Bdd> {
        Ok(self.forward.product(states)?.substitute(&self.to_current)?)
    }

    /// Predecessors of a set of states (which satisfy the invariants) by steps that satisfy a condition on current, input
    /// and next bits.
    pub fn preimage(&self, encoding: &Encoding, states: &Bdd, along: Option<&Bdd>) -> Attempt<Bdd> {
        let mut target = states.substitute(&self.to_next)?;
        if let Some(along) = along {
            target = target.and(&self.along(encoding, along)?)?;
        }
        self.backward.product(&target)
    }

    /// A condition on steps as this part's steps see it.
    fn along(&self, encoding: &Encoding, condition: &Bdd) -> Attempt<Bdd> {
        let condition = framed(&encoding.manager, &self.kept, condition)?;
        if self.inputless {
            let inputs = encoding.manager.var_set(encoding.input_bits.iter().copied())?;
            return Ok(condition.forall(&inputs)?);
        }
        Ok(condition)
    }

    /// The steps from one state, given as a cube of all its bits, into a set: a condition on inputs and changed next bits.
    pub fn steps_from(
        &self,
        encoding: &Encoding,
        state: &Bdd,
        into: &Bdd,
        along: Option<&Bdd>,
    ) -> Attempt<Bdd> {
        let mut steps = into.substitute(&self.to_next)?.cofactor_by(state)?;
        if let Some(along) = along {
            steps = steps.and(&self.along(encoding, along)?.cofactor_by(state)?)?;
        }
        for conjunct in &self.conjuncts {
            if steps.is_false() {
                break;
            }
            steps = steps.and(&conjunct.cofactor_by(state)?)?;
        }
        Ok(steps)
    }

    /// The steps from a set of states into a set, as a condition on current bits, inputs and changed next bits; it may not have more nodes than `largest`.
    pub fn steps(
        &self,
        encoding: &Encoding,
        from: &Bdd,
        into: &Bdd,
        along: Option<&Bdd>,
        largest: usize,
    ) -> Attempt<Bdd> {
        let mut steps = from.and(&into.substitute(&self.to_next)?)?;
        if let Some(along) = along {
            steps = steps.and(&self.along(encoding, along)?)?;
        }
        for valid in &encoding.valid_inputs {
            steps = steps.and(valid)?;
        }
        for conjunct in &self.conjuncts {
            steps = steps.and(conjunct)?;
            if steps.node_count() > largest {
                return Err(crate::strategy::too_large());
            }
        }
        Ok(steps)
    }

    /// The topmost level of a state bit that the part reads or changes.
    pub fn top_level(&self) -> usize {
        let manager = match self.conjuncts.first() {
            Some(conjunct) => conjunct.manager(),
            None => return 0,
        };
        let inputs = &self.inputs;
        let read = self
            .conjuncts
            .iter()
            .flat_map(|conjunct| conjunct.support())
            .filter(|var| !inputs.contains(var));
        let changed = self.changed.iter().flat_map(|bit| [Some(bit.current), bit.next]);
        read.chain(changed.flatten())
            .map(|var| manager.level(var))
            .min()
            .unwrap_or(0)
    }

    /// The conjuncts again, without the invariants, to build a product with something else.
    pub fn spec(&self) -> PartSpec {
        PartSpec {
            conjuncts: self.transition.clone(),
            changed: self.changed.clone(),
            inputless: self.inputless,
        }
    }

    pub fn nodes(&self) -> usize {
        self.forward.nodes()
    }
}

/// A condition on a step with the next bits of kept variables replaced by their current ones.
fn framed(manager: &Manager, kept: &FxHashMap<Var, Var>, condition: &Bdd) -> Attempt<Bdd> {
    if kept.is_empty() {
        return Ok(condition.clone());
    }
    let pairs: Vec<(Var, Var)> = condition
        .support()
        .into_iter()
        .filter_map(|var| Some((var, *kept.get(&var)?)))
        .collect();
    if pairs.is_empty() {
        return Ok(condition.clone());
    }
    Ok(condition.substitute(&Substitution::renaming(manager, pairs)?)?)
}
