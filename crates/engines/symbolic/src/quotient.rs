//! The bisimulation quotient of a model by decision diagrams: signature refinement (Blom and Orzan 2003; symbolically, Wimmer, Herbstritt,
//! Hermanns, Strampp and Becker 2006).
//!
//! The partition is one function P(s, k): state `s` is in block number `k`, in binary. The *signature* of a state is the set of blocks its
//! successors are in; for all states at once it is the preimage of P, S(s, k). Two states stay together if they were, and have equal
//! signatures. With the bits of `k` below those of the states in the order, every node of P and S below the states is one block, or one
//! signature, and a walk down both at once meets each pair of them: a new number is given to each pair, and put in its place. When the number of
//! blocks stays the same, the partition is stable.
//!
//! The cost is that of an image for each round and of the walk, which is at most the product of the sizes of the two diagrams. States are never
//! listed, only blocks.

#![allow(clippy::mutable_key_type)] // What may change inside a handle is a count, not its identity.

use crate::options::SymbolicOptions;
use crate::state_space::{Observed, StateSpace};
use crate::stop::{Attempt, NotComputed};
use entail_budget::{Budget, Silent};
use entail_dd::{Bdd, Manager, Var};
use entail_evidence::CheckOptions;
use entail_model::{Lts, LtsBuilder, Observation, StateId, TAU, TransitionSystem, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Bits of a block's number.
const NUMBER_BITS: usize = 20;

/// The reachable states of a model, equivalent ones as one.
#[derive(Clone, Debug)]
pub struct SymbolicQuotient {
    /// The blocks and the steps between them, all internal; colours are what is observed: the names of true conditions, `x=3` for others.
    pub lts: Lts,
    /// A state of each block.
    pub members: Vec<Vec<Option<Value>>>,
    /// How many states each block has, in decimal.
    pub sizes: Vec<String>,
    /// How many states are reachable, in decimal.
    pub states: String,
    /// Rounds of refinement.
    pub rounds: usize,
}

/// The coarsest partition of the reachable states in which states of a block look the same and have successors in the same blocks.
pub fn symbolic_quotient(
    system: &TransitionSystem,
    observations: &[Observation],
    options: &CheckOptions,
    settings: &SymbolicOptions,
    budget: &Budget,
) -> Attempt<SymbolicQuotient> {
    let mut space = StateSpace::open(system, options, settings, budget)?;
    space.watch(budget);
    let reachable = space.reachable(budget, &Silent)?;
    // Numbers must stay below states.
    space.manager().set_auto_reorder(None);
    let numbers = space.manager().new_vars(NUMBER_BITS)?;
    let mut partition = Partition {
        manager: space.manager().clone(),
        below: numbers.iter().copied().collect(),
        numbers,
        blocks: 0,
        function: space.manager().zero(),
    };
    partition.by_looks(&space, &reachable, observations, budget)?;
    let mut rounds = 0;
    loop {
        budget.check_now()?;
        rounds += 1;
        let signatures = space.preimage(&partition.function)?;
        let before = partition.blocks;
        partition.refine(&signatures, budget)?;
        if partition.blocks == before {
            break;
        }
    }
    let signatures = space.preimage(&partition.function)?;
    partition.quotient(&space, &reachable, &signatures, observations, rounds, budget)
}

struct Partition {
    manager: Manager,
    /// Bits of a number, most significant first.
    numbers: Vec<Var>,
    below: FxHashSet<Var>,
    blocks: usize,
    /// P(s, k).
    function: Bdd,
}

/// Results of the walk, by the pair of nodes.
type Walked = FxHashMap<(Bdd, Bdd), Bdd>;

impl Partition {
    fn number(&self, number: usize) -> Attempt<Bdd> {
        let bits = self.numbers.iter().enumerate();
        let width = self.numbers.len();
        Ok(self
            .manager
            .cube(bits.map(|(at, &var)| (var, number >> (width - 1 - at) & 1 == 1)))?)
    }

    fn new_block(&mut self) -> Attempt<Bdd> {
        if self.blocks >> NUMBER_BITS != 0 {
            return Err(NotComputed::Unsupported(format!(
                "the quotient has more than {} blocks",
                1 << NUMBER_BITS
            )));
        }
        self.blocks += 1;
        self.number(self.blocks - 1)
    }

    /// States that look the same are one block.
    fn by_looks(
        &mut self,
        space: &StateSpace<'_>,
        states: &Bdd,
        observations: &[Observation],
        budget: &Budget,
    ) -> Attempt<()> {
        let observed = observed(space, observations)?;
        let mut rest = states.clone();
        while let Some(state) = space.pick(&rest) {
            budget.check()?;
            let mut alike = rest.clone();
            for one in &observed {
                let value = one.at(&state)?;
                alike = alike.and(&one.is(space, &value)?)?;
            }
            let number = self.new_block()?;
            self.function = self.function.or(&alike.and(&number)?)?;
            rest = rest.minus(&alike)?;
        }
        Ok(())
    }

    /// Splits blocks by the signatures of their states.
    fn refine(&mut self, signatures: &Bdd, budget: &Budget) -> Attempt<()> {
        self.blocks = 0;
        let mut blocks = Walked::default();
        let mut walked = Walked::default();
        let function = self.function.clone();
        self.function = self.walk(&function, signatures, &mut blocks, &mut walked, budget)?;
        Ok(())
    }

    fn walk(
        &mut self,
        block: &Bdd,
        signature: &Bdd,
        blocks: &mut Walked,
        walked: &mut Walked,
        budget: &Budget,
    ) -> Attempt<Bdd> {
        // States that are not reachable are in no block.
        if block.is_false() {
            return Ok(block.clone());
        }
        let key = (block.clone(), signature.clone());
        if let Some(known) = walked.get(&key) {
            return Ok(known.clone());
        }
        budget.check()?;
        let top = |node: &Bdd| node.top().filter(|(var, ..)| !self.below.contains(var));
        let (left, right) = (top(block), top(signature));
        let level = |top: &Option<(Var, Bdd, Bdd)>| top.as_ref().map(|(var, ..)| self.manager.level(*var));
        let result = match (level(&left), level(&right)) {
            (None, None) => match blocks.get(&key) {
                Some(known) => known.clone(),
                None => {
                    let number = self.new_block()?;
                    blocks.insert(key.clone(), number.clone());
                    number
                }
            },
            (a, b) => {
                let highest = a.into_iter().chain(b).min();
                let parts = |node: &Bdd, top: Option<(Var, Bdd, Bdd)>, here: bool| match top {
                    Some((_, low, high)) if here => (low, high),
                    _ => (node.clone(), node.clone()),
                };
                let var = match (&left, a == highest, &right) {
                    (Some((var, ..)), true, _) | (_, _, Some((var, ..))) | (Some((var, ..)), ..) => *var,
                    (None, _, None) => {
                        return Err(NotComputed::Unsupported("a diagram without a variable".into()));
                    }
                };
                let (block_low, block_high) = parts(block, left, a == highest);
                let (signature_low, signature_high) = parts(signature, right, b == highest);
                let low = self.deeper(&block_low, &signature_low, blocks, walked, budget)?;
                let high = self.deeper(&block_high, &signature_high, blocks, walked, budget)?;
                self.manager.var(var)?.ite(&high, &low)?
            }
        };
        walked.insert(key, result.clone());
        Ok(result)
    }

    fn deeper(
        &mut self,
        block: &Bdd,
        signature: &Bdd,
        blocks: &mut Walked,
        walked: &mut Walked,
        budget: &Budget,
    ) -> Attempt<Bdd> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            self.walk(block, signature, blocks, walked, budget)
        })
    }

    fn quotient(
        &self,
        space: &StateSpace<'_>,
        reachable: &Bdd,
        signatures: &Bdd,
        observations: &[Observation],
        rounds: usize,
        budget: &Budget,
    ) -> Attempt<SymbolicQuotient> {
        let observed = observed(space, observations)?;
        let mut builder = LtsBuilder::new(self.blocks as u64);
        let (mut members, mut sizes) = (Vec::new(), Vec::new());
        for number in 0..self.blocks {
            budget.check_now()?;
            let block = self.function.cofactor_by(&self.number(number)?)?;
            let Some(state) = space.pick(&block) else {
                return Err(NotComputed::Unsupported("a block without states".into()));
            };
            let id = StateId::new(number as u32);
            let after = signatures.cofactor_by(&space.cube(&state)?)?;
            for bits in after.models(&self.numbers) {
                let to = bits
                    .iter()
                    .fold(0u32, |number, &bit| number << 1 | u32::from(bit));
                builder.transition(id, TAU, StateId::new(to));
            }
            let mut propositions: Vec<Arc<str>> = Vec::new();
            for (one, observation) in observed.iter().zip(observations) {
                match one.at(&state)? {
                    Value::Bool(true) => propositions.push(observation.name.clone()),
                    Value::Bool(false) => {}
                    value => propositions.push(format!("{}={value}", observation.name).into()),
                }
            }
            let colour = builder.colour(propositions);
            builder.paint(id, colour);
            if !block.is_disjoint_from(space.initial())? {
                builder.initial(id);
            }
            sizes.push(space.count(&block));
            members.push(space.valuation(&state));
        }
        let lts = builder
            .build()
            .map_err(|error| NotComputed::Unsupported(error.to_string()))?;
        Ok(SymbolicQuotient {
            lts,
            members,
            sizes,
            states: space.count(reachable),
            rounds,
        })
    }
}

fn observed(space: &StateSpace<'_>, observations: &[Observation]) -> Attempt<Vec<Observed>> {
    let terms = &space.system().terms;
    observations
        .iter()
        .map(|observation| space.observed(terms, observation.term))
        .collect()
}
