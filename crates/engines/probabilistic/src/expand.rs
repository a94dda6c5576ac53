//! Expanding states: the commands that are enabled together, the outcomes of each combination, and the rows they make.
//!
//! The order of choices and targets is that of the reference interpreter (`entail_markov::interpreter`), so that states get the same numbers.
//! Some hundred states are expanded to packed targets; then all these targets are looked up together, and the rows are written.
//! All lists are used again from batch to batch. The states themselves are stored elsewhere, so that several explorers can share them.

use crate::bytecode::Stopped;
use crate::compiled::{Compiled, compile};
use crate::condition::{Condition, Seen};
use crate::numbers::{Num, Numbers};
use crate::packing::Layout;
use crate::rows::Parts;
use crate::sparse::NONE;
use crate::store::{Lookup, StateStore};
use entail_markov::interpreter;
use entail_markov::{CommandKind, Kind, Network, Rational, SemanticError};
use rustc_hash::FxHashMap;

/// Choices with more outcomes than this are merged by hashing.
const MANY: usize = 24;

/// With so many targets a batch is full.
const ENOUGH: usize = 512;

/// One choice while a state is expanded: its transitions, by target in the order of first mention, and rewards lie in the explorer's lists.
#[derive(Clone, Copy)]
struct OpenChoice {
    action: u32,
    markovian: bool,
    /// Where its outcomes begin and end in [`Batch::weights`].
    from: usize,
    to: usize,
    weight: Num,
    /// Where its rewards begin in [`Batch::rewards`].
    rewards: usize,
}

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Lower,
    Upper,
}

/// What the states of a batch lead to.
#[derive(Default)]
struct Batch {
    /// Packed targets, one after the other, with their weights and, later, their numbers.
    targets: Vec<u64>,
    weights: Vec<Num>,
    found: Lookup,
    choices: Vec<OpenChoice>,
    rewards: Vec<Num>,
    /// Where the choices of each state end.
    ends: Vec<usize>,
}

/// Lists that every expansion uses again.
#[derive(Default)]
struct Scratch {
    /// Combinations of commands: the action, and where their commands lie in `commands`.
    combinations: Vec<(u32, usize, usize)>,
    commands: Vec<(u32, u32)>,
    /// Enabled commands of the parts of a synchronisation, and where each part's begin.
    ready: Vec<(u32, u32)>,
    parts: Vec<usize>,
    at: Vec<usize>,
    /// Partial targets as packed states, one after the other, with their weights.
    states: Vec<u64>,
    weights: Vec<Num>,
    more_states: Vec<u64>,
    more_weights: Vec<Num>,
    of_command: Vec<Num>,
    source: Vec<u64>,
}

/// A network being explored: its compiled commands, the numbers met, and the batch at hand.
pub(crate) struct Explorer<'n> {
    network: &'n Network,
    pub compiled: Compiled,
    pub numbers: Numbers,
    pub layout: Layout,
    stack: Vec<i64>,
    scratch: Scratch,
    batch: Batch,
    /// Structures that earn differently on different outcomes of one choice.
    pub mixed: Vec<bool>,
    /// Which end of intervals is taken.
    end: End,
    /// Weights of probabilistic commands whose sum was checked, with the scaled weights.
    sums: FxHashMap<Vec<Num>, Vec<Num>>,
}

impl<'n> Explorer<'n> {
    /// An explorer with an empty batch.
    pub fn new(network: &'n Network, end: End) -> Explorer<'n> {
        let mut numbers = Numbers::default();
        let layout = Layout::new(network);
        let compiled = compile(network, &layout, &mut numbers);
        Explorer {
            network,
            compiled,
            numbers,
            layout,
            stack: Vec::new(),
            scratch: Scratch::default(),
            batch: Batch::default(),
            mixed: vec![false; network.rewards.len()],
            end,
            sums: FxHashMap::default(),
        }
    }

    /// Appends the enabled commands of a group to a list.
    fn enabled(&mut self, group: (usize, usize), state: &[i64]) -> Result<(), Stopped> {
        let (component, group) = group;
        let commands = &self.compiled.commands[component];
        let seen = Seen {
            packed: &self.scratch.source,
            values: state,
        };
        for &position in self.compiled.groups[group].candidates(state) {
            if commands[position as usize]
                .guard
                .holds(self.network, seen, &mut self.stack)?
            {
                self.scratch.ready.push((component as u32, position));
            }
        }
        Ok(())
    }

    /// Lists the combinations of enabled commands, in the order of the reference interpreter.
    fn combine(&mut self, state: &[i64]) -> Result<(), Stopped> {
        self.scratch.combinations.clear();
        self.scratch.commands.clear();
        for component in 0..self.compiled.alone.len() {
            self.scratch.ready.clear();
            self.enabled((component, self.compiled.alone[component]), state)?;
            let scratch = &mut self.scratch;
            for &command in &scratch.ready {
                let from = scratch.commands.len();
                scratch.commands.push(command);
                scratch.combinations.push((NONE, from, from + 1));
            }
        }
        for joint in 0..self.compiled.joint.len() {
            let parts = self.compiled.joint[joint].len();
            self.scratch.ready.clear();
            self.scratch.parts.clear();
            for part in 0..parts {
                let begin = self.scratch.ready.len();
                self.scratch.parts.push(begin);
                self.enabled(self.compiled.joint[joint][part], state)?;
                if self.scratch.ready.len() == begin {
                    break;
                }
            }
            let scratch = &mut self.scratch;
            let complete = scratch.parts.len() == parts
                && scratch
                    .parts
                    .last()
                    .is_some_and(|&last| last < scratch.ready.len());
            if !complete {
                continue;
            }
            scratch.parts.push(scratch.ready.len());
            let action = (self.network.synchronisations[joint].action).map_or(NONE, |action| action.0);
            scratch.at.clear();
            scratch.at.extend_from_slice(&scratch.parts[..parts]);
            loop {
                let from = scratch.commands.len();
                for &at in &scratch.at {
                    scratch.commands.push(scratch.ready[at]);
                }
                scratch.combinations.push((action, from, scratch.commands.len()));
                let Some(next) = (0..parts)
                    .rev()
                    .find(|&part| scratch.at[part] + 1 < scratch.parts[part + 1])
                else {
                    break;
                };
                scratch.at[next] += 1;
                for part in next + 1..parts {
                    scratch.at[part] = scratch.parts[part];
                }
            }
        }
        Ok(())
    }

    /// Adds the choices of a state, which is given in both of its shapes, to the batch.
    pub fn expand(
        &mut self,
        Seen {
            packed,
            values: state,
        }: Seen,
    ) -> Result<(), Stopped> {
        self.scratch.source.clear();
        self.scratch.source.extend_from_slice(packed);
        self.combine(state)?;
        let scratch = &mut self.scratch;
        // Maximal progress: where something happens at once, delays do not matter, and their targets are not reached.
        if self.network.kind == Kind::Ma {
            let delayed = |&(_, from, to): &(u32, usize, usize)| {
                scratch.commands[from..to].iter().any(|&(component, position)| {
                    self.compiled.commands[component as usize][position as usize].kind
                        == CommandKind::Markovian
                })
            };
            if !scratch.combinations.iter().all(delayed) {
                let kept: Vec<_> = scratch
                    .combinations
                    .iter()
                    .filter(|combination| !delayed(combination))
                    .copied()
                    .collect();
                scratch.combinations = kept;
            }
        }
        for at in 0..self.scratch.combinations.len() {
            let (action, from, to) = self.scratch.combinations[at];
            self.step(state, action, from, to)?;
        }
        self.batch.ends.push(self.batch.choices.len());
        Ok(())
    }

    /// Adds a state without choices to the batch.
    pub fn pass_over(&mut self) {
        self.batch.ends.push(self.batch.choices.len());
    }

    /// Whether a condition holds in a state. Where it has no value, it does not hold.
    pub fn meets(&mut self, condition: &Condition, state: Seen) -> bool {
        condition
            .holds(self.network, state, &mut self.stack)
            .unwrap_or(false)
    }

    /// Whether as many targets are waiting as are well looked up together.
    pub fn batch_is_full(&self) -> bool {
        self.batch.weights.len() >= ENOUGH
    }

    /// Finds the targets of the batch that are stored already, as far as that is quick.
    pub fn look_up_targets(&mut self, store: &StateStore) {
        store.look_up(&self.batch.targets, &mut self.batch.found);
    }

    /// The targets of the batch, and what is known of them.
    pub fn met(&mut self) -> (&[u64], &mut Lookup) {
        (&self.batch.targets, &mut self.batch.found)
    }

    /// The same, to be looked at.
    pub fn seen(&self) -> (&[u64], &Lookup) {
        (&self.batch.targets, &self.batch.found)
    }

    /// Numbers the targets that were not found, in their order.
    pub fn number_new_targets(&mut self, store: &mut StateStore) {
        store.intern_unknown(&self.batch.targets, &mut self.batch.found);
    }

    /// Begins the next batch.
    pub fn clear_batch(&mut self) {
        let batch = &mut self.batch;
        batch.targets.clear();
        batch.weights.clear();
        batch.choices.clear();
        batch.rewards.clear();
        batch.ends.clear();
    }

    /// The weights of a command in a state; those of probabilities are checked and scaled. They are left in [`Scratch::of_command`], their sum is
    /// given.
    fn weights(&mut self, component: usize, position: usize, state: &[i64]) -> Result<Num, Stopped> {
        let command = &mut self.compiled.commands[component][position];
        let weights = &mut self.scratch.of_command;
        weights.clear();
        if let Some(constant) = &command.constant {
            weights.extend_from_slice(constant);
            return Ok(Numbers::ONE);
        }
        if command.uncertain {
            return self.ends(component, position, state);
        }
        for branch in &mut command.branches {
            let weight = branch.weight.value(self.network, state, &mut self.numbers)?;
            if self.numbers.float(weight) < 0.0 {
                return Err(Stopped);
            }
            weights.push(weight);
        }
        if command.kind == CommandKind::Markovian {
            return Ok((weights.iter()).fold(Numbers::ZERO, |sum, &weight| self.numbers.add(sum, weight)));
        }
        if let Some(scaled) = self.sums.get(weights.as_slice()) {
            weights.copy_from_slice(scaled);
            return Ok(Numbers::ONE);
        }
        let sum = weights
            .iter()
            .fold(Rational::ZERO, |sum, &weight| sum + self.numbers.exact(weight));
        let off = if sum < Rational::ONE {
            Rational::ONE - &sum
        } else {
            &sum - Rational::ONE
        };
        if off > interpreter::sum_tolerance() {
            return Err(Stopped);
        }
        let sum = self.numbers.intern(sum);
        let scaled: Vec<Num> = weights
            .iter()
            .map(|&weight| self.numbers.divide(weight, sum))
            .collect();
        let unscaled = std::mem::replace(weights, scaled.clone());
        self.sums.insert(unscaled, scaled);
        Ok(Numbers::ONE)
    }

    /// The ends of a command's intervals, as [`Explorer::weights`]: some distribution must lie between them, and none of them gives a branch no
    /// chance.
    fn ends(&mut self, component: usize, position: usize, state: &[i64]) -> Result<Num, Stopped> {
        let command = &mut self.compiled.commands[component][position];
        let (mut least, mut most) = (Numbers::ZERO, Numbers::ZERO);
        for branch in &mut command.branches {
            let low = branch.weight.value(self.network, state, &mut self.numbers)?;
            let high = match &mut branch.upper {
                Some(upper) => upper.value(self.network, state, &mut self.numbers)?,
                None => low,
            };
            let (exact_low, exact_high) = (self.numbers.exact(low), self.numbers.exact(high));
            if exact_low > exact_high || *exact_low < Rational::ZERO || (low == Numbers::ZERO && high != low)
            {
                return Err(Stopped);
            }
            least = self.numbers.add(least, low);
            most = self.numbers.add(most, high);
            self.scratch.of_command.push(match self.end {
                End::Lower => low,
                End::Upper => high,
            });
        }
        if *self.numbers.exact(least) > Rational::ONE || *self.numbers.exact(most) < Rational::ONE {
            return Err(Stopped);
        }
        Ok(Numbers::ONE)
    }

    /// The joint step of some commands.
    fn step(&mut self, state: &[i64], action: u32, from: usize, to: usize) -> Result<(), Stopped> {
        let structures = self.network.rewards.len();
        let rewards = self.batch.rewards.len();
        self.batch.rewards.resize(rewards + structures, Numbers::ZERO);
        self.scratch.states.clear();
        self.scratch.states.extend_from_slice(&self.scratch.source);
        self.scratch.weights.clear();
        self.scratch.weights.push(Numbers::ONE);
        let mut total = Numbers::ONE;
        let mut markovian = false;
        for at in from..to {
            let (component, position) = self.scratch.commands[at];
            let (component, position) = (component as usize, position as usize);
            let sum = self.weights(component, position, state)?;
            self.multiply_out(component, position, state)?;
            self.earn(component, position, state, sum, rewards)?;
            markovian |= self.compiled.commands[component][position].kind == CommandKind::Markovian;
            total = self.numbers.multiply(total, sum);
        }
        let (scratch, batch) = (&self.scratch, &mut self.batch);
        let begin = batch.weights.len();
        batch.targets.extend_from_slice(&scratch.states);
        batch.weights.extend_from_slice(&scratch.weights);
        if total != Numbers::ONE {
            for reward in &mut batch.rewards[rewards..] {
                *reward = self.numbers.multiply(*reward, total);
            }
        }
        let seen = Seen {
            packed: &scratch.source,
            values: state,
        };
        for item in &mut self.compiled.step_rewards {
            if item.action == action && item.guard.holds(self.network, seen, &mut self.stack)? {
                let value = item.value.value(self.network, state, &mut self.numbers)?;
                let earned = self.numbers.multiply(value, total);
                let own = &mut batch.rewards[rewards + item.structure];
                *own = self.numbers.add(*own, earned);
            }
        }
        batch.choices.push(OpenChoice {
            action,
            markovian,
            from: begin,
            to: batch.weights.len(),
            weight: total,
            rewards,
        });
        Ok(())
    }

    /// Multiplies the partial targets by the outcomes of one more command, whose weights [`Explorer::weights`] has left.
    fn multiply_out(&mut self, component: usize, position: usize, state: &[i64]) -> Result<(), Stopped> {
        let width = self.layout.words;
        let command = &self.compiled.commands[component][position];
        let scratch = &mut self.scratch;
        if command.branches.len() == 1 && scratch.of_command[0] != Numbers::ZERO {
            let targets = scratch.states.chunks_exact_mut(width);
            for (weight, target) in scratch.weights.iter_mut().zip(targets) {
                *weight = self.numbers.multiply(*weight, scratch.of_command[0]);
                let update = &command.branches[0].update;
                update.apply(self.network, state, &self.layout, target, &mut self.stack)?;
            }
            return Ok(());
        }
        scratch.more_states.clear();
        scratch.more_weights.clear();
        for (&so_far, target) in scratch.weights.iter().zip(scratch.states.chunks_exact(width)) {
            for (&weight, branch) in scratch.of_command.iter().zip(&command.branches) {
                if weight == Numbers::ZERO {
                    continue;
                }
                let begin = scratch.more_states.len();
                scratch.more_states.extend_from_slice(target);
                let target = &mut scratch.more_states[begin..];
                let (layout, stack) = (&self.layout, &mut self.stack);
                branch.update.apply(self.network, state, layout, target, stack)?;
                scratch.more_weights.push(self.numbers.multiply(so_far, weight));
            }
        }
        std::mem::swap(&mut scratch.states, &mut scratch.more_states);
        std::mem::swap(&mut scratch.weights, &mut scratch.more_weights);
        Ok(())
    }

    /// Adds what the outcomes of one command earn on average, and notes structures whose outcomes earn differently.
    fn earn(
        &mut self,
        component: usize,
        position: usize,
        state: &[i64],
        sum: Num,
        rewards: usize,
    ) -> Result<(), Stopped> {
        let command = &mut self.compiled.commands[component][position];
        if !command.earns {
            return Ok(());
        }
        let scratch = &mut self.scratch;
        let outcomes = scratch
            .of_command
            .iter()
            .filter(|&&weight| weight != Numbers::ZERO)
            .count();
        // By structure: the first value, and how many outcomes earn just that.
        let mut first: Vec<(usize, Num, usize)> = Vec::new();
        for (&weight, branch) in scratch.of_command.iter().zip(&mut command.branches) {
            for (structure, value) in &mut branch.rewards {
                let value = value.value(self.network, state, &mut self.numbers)?;
                if weight != Numbers::ZERO {
                    match first.iter_mut().find(|(known, ..)| known == structure) {
                        Some((_, known, count)) if *known == value => *count += 1,
                        Some((_, _, count)) => *count = usize::MAX / 2,
                        None => first.push((*structure, value, 1)),
                    }
                }
                if sum != Numbers::ZERO {
                    let share = self.numbers.multiply(value, weight);
                    let share = self.numbers.divide(share, sum);
                    let own = &mut self.batch.rewards[rewards + *structure];
                    *own = self.numbers.add(*own, share);
                }
            }
        }
        for (structure, value, count) in first {
            self.mixed[structure] |= value != Numbers::ZERO && count != outcomes;
        }
        Ok(())
    }

    /// Writes the rows of the choices of a state of the batch: one for all of them in chains and races, otherwise one each; false if there is
    /// none.
    fn close_all(&mut self, position: usize, sparse: &mut Parts) -> bool {
        let kind = self.network.kind;
        let from = position
            .checked_sub(1)
            .map_or(0, |before| self.batch.ends[before]);
        let to = self.batch.ends[position];
        // Expanding has left either delayed or immediate choices.
        let together = match kind {
            _ if from == to => return false,
            Kind::Dtmc | Kind::Ctmc => true,
            Kind::Ma => self.batch.choices[from].markovian,
            Kind::Mdp => false,
        };
        if together {
            return self.close(from..to, sparse);
        }
        let mut any = false;
        for at in from..to {
            any |= self.close(at..at + 1, sparse);
        }
        any
    }

    /// Writes the rows of a state of the batch, or its loop if it has no way out.
    pub fn close_or_stay(
        &mut self,
        position: usize,
        number: u32,
        store: &StateStore,
        parts: &mut Parts,
    ) -> Result<(), SemanticError> {
        if self.close_all(position, parts) {
            return Ok(());
        }
        let mut state = Vec::new();
        store.read(number as usize, &mut state);
        if let Some(mistake) = self.network.dead_ends.mistake(self.network, &state) {
            return Err(mistake);
        }
        parts.deadlocks.push(number);
        parts.stay(number, self.network.kind, &self.compiled.earns);
        Ok(())
    }

    /// Writes the row that choices make together; false if all their weights are zero.
    fn close(&mut self, group: std::ops::Range<usize>, sparse: &mut Parts) -> bool {
        let batch = &self.batch;
        let choices = &batch.choices[group];
        let total = (choices.iter()).fold(Numbers::ZERO, |sum, choice| self.numbers.add(sum, choice.weight));
        if total == Numbers::ZERO {
            return false;
        }
        let structures = self.network.rewards.len();
        let markovian = choices.iter().any(|choice| choice.markovian);
        let action = if self.network.kind.has_choices() && !markovian {
            choices[0].action
        } else {
            NONE
        };
        let begin = sparse.targets.len();
        let outcomes: usize = choices.iter().map(|choice| choice.to - choice.from).sum();
        let many = outcomes > MANY;
        let mut positions: FxHashMap<u32, usize> = FxHashMap::default();
        for choice in choices {
            for at in choice.from..choice.to {
                let (target, weight) = (batch.found.numbers[at], batch.weights[at]);
                let known = match many {
                    true => positions.get(&target).copied(),
                    false => (sparse.targets[begin..].iter())
                        .position(|known| *known == target)
                        .map(|at| begin + at),
                };
                match known {
                    Some(at) => sparse.values[at] = self.numbers.add(sparse.values[at], weight),
                    None => {
                        if many {
                            positions.insert(target, sparse.targets.len());
                        }
                        sparse.targets.push(target);
                        sparse.values.push(weight);
                    }
                }
            }
        }
        if total != Numbers::ONE {
            for value in &mut sparse.values[begin..] {
                *value = self.numbers.divide(*value, total);
            }
        }
        sparse.rows.push(sparse.targets.len() as u32);
        if self.network.kind.has_choices() {
            sparse.actions.push(action);
        }
        if self.network.kind.is_timed() {
            sparse.rates.push(if markovian { total } else { Num(NONE) });
        }
        for structure in (0..structures).filter(|&structure| self.compiled.earns[structure]) {
            let sum = (choices.iter()).fold(Numbers::ZERO, |sum, choice| {
                self.numbers.add(sum, batch.rewards[choice.rewards + structure])
            });
            // Choices that race, and earn differently for each unit of their weights.
            let mut alike = choices.iter().filter(|choice| choice.weight != Numbers::ZERO);
            if let Some(first) = alike.next() {
                let own = (self.numbers).divide(batch.rewards[first.rewards + structure], first.weight);
                for other in alike {
                    let theirs =
                        (self.numbers).divide(batch.rewards[other.rewards + structure], other.weight);
                    self.mixed[structure] |= own != theirs;
                }
            }
            let reward = self.numbers.divide(sum, total);
            sparse.step_rewards[structure].push(reward);
        }
        true
    }
}
