//! From diagrams to rows: the part of a model in which something is still to be computed, state by state.
//!
//! Only open states have rows. All goals are one state behind them, and all other states another one, so that a model of which graph analysis leaves little open
//! becomes a small one. What is left is solved by the same methods as models that were explored state by state.

use super::numbering::{Numbering, Place};
use super::space::Space;
use crate::check::Trouble;
use crate::numbers::{Num, Numbers};
use crate::sparse::{NONE, Sparse};
use entail_budget::{Budget, Spent};
use entail_dd::Bdd;
use entail_markov::{Component, DeadEnds, Initial, Kind, Network};
use fixedbitset::FixedBitSet;

use super::levels::{self, Levels};

/// A transition: from, the choice's step, to, the probability.
type Entry = (u32, u32, u32, Num);

/// What is to be written out.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// The states that get rows.
    pub open: &'a Bdd,
    pub goal: &'a Bdd,
    /// What choices earn, or states.
    pub earned: Earned<'a>,
    /// Sets of open states.
    pub sets: &'a [&'a Bdd],
    /// Whether rates are wanted, too.
    pub timed: bool,
}

/// What is earned, by state.
#[derive(Clone, Copy)]
pub(super) enum Earned<'a> {
    Nothing,
    /// By choice.
    ByChoices(&'a [Levels]),
    ByStates(&'a Levels),
}

/// The open part of a model.
pub(super) struct Reduced {
    pub model: Sparse,
    pub numbering: Numbering,
    /// What choices earn, or states.
    pub rewards: Vec<Num>,
    /// The sets that were wanted, by number.
    pub sets: Vec<FixedBitSet>,
    /// The state that stands for all goals; the one behind it stands for all that is lost.
    pub goal: usize,
}

/// Collects what walks find, while the budget lasts.
struct Collected<'b> {
    entries: Vec<Entry>,
    budget: &'b Budget,
    spent: Option<Spent>,
}

impl Collected<'_> {
    fn add(&mut self, entry: Entry) -> bool {
        self.entries.push(entry);
        if self.entries.len().is_multiple_of(4096)
            && let Err(spent) = self.budget.check_now()
        {
            self.spent = Some(spent);
        }
        self.spent.is_none()
    }

    fn sorted(mut self) -> Result<Vec<Entry>, Trouble> {
        match self.spent {
            Some(spent) => Err(spent.into()),
            None => {
                self.entries.sort_unstable();
                Ok(self.entries)
            }
        }
    }
}

impl Space<'_> {
    /// The rows of the open states, for the operator that asks for reaching goals, and what is earned.
    pub fn reduced(&mut self, wanted: Wanted<'_>, budget: &Budget) -> Result<Reduced, Trouble> {
        let Wanted { open, goal, .. } = wanted;
        let bits = self.encoding.now();
        let count = open.count_log2(&bits);
        if count >= 31.0 {
            return Err(Trouble::Undecided(format!(
                "about 2^{count:.0} states are open after graph analysis: too many to be solved one by one"
            )));
        }
        // One copy for everything, so that all levels are those of one moment.
        let mut functions: Vec<Bdd> = Vec::new();
        let mut parts: Vec<(usize, usize, Num)> = Vec::new();
        for (choice, steps) in self.choices.iter().enumerate() {
            for &at in &steps.steps {
                for (value, set) in levels::within(&self.steps[at].rows, open)? {
                    functions.push(set);
                    parts.push((choice, at, value));
                }
            }
        }
        let enabled = functions.len();
        functions.extend(self.choices.iter().map(|choice| choice.enabled.clone()));
        let rewarded = functions.len();
        let mut gains: Vec<(usize, Num)> = Vec::new();
        let mut earns = |at: usize, levels: &Levels| {
            for (value, set) in levels {
                functions.push(set.clone());
                gains.push((at, *value));
            }
        };
        match wanted.earned {
            Earned::Nothing => {}
            Earned::ByChoices(all) => all.iter().enumerate().for_each(|(at, own)| earns(at, own)),
            Earned::ByStates(own) => earns(0, own),
        }
        let left = functions.len();
        let mut rates: Vec<Num> = Vec::new();
        if wanted.timed {
            for (value, set) in &self.exits {
                functions.push(set.clone());
                rates.push(*value);
            }
        }
        let sets = functions.len();
        functions.extend(wanted.sets.iter().map(|&set| set.clone()));
        let borrowed: Vec<&Bdd> = functions.iter().collect();
        let numbering = Numbering::new(&self.encoding, open, goal, &borrowed);
        let size = numbering.open_states() as u32;
        let collected = || Collected {
            entries: Vec::new(),
            budget,
            spent: None,
        };

        let mut transitions = collected();
        for (&(choice, at, value), &relation) in parts.iter().zip(&numbering.others) {
            let mut written = vec![false; self.encoding.variables.len()];
            for &variable in &self.steps[at].written {
                written[variable] = true;
            }
            numbering.transitions(relation, &written, &mut |from, place| {
                let to = match place {
                    Place::Open(to) => to as u32,
                    _ => size,
                };
                transitions.add((from as u32, choice as u32, to, value))
            });
        }
        // A choice may lose everything: it is there all the same.
        for (at, &set) in (0u32..).zip(&numbering.others[enabled..rewarded]) {
            numbering.states(set, &mut |from| {
                transitions.add((from as u32, at, NONE, Numbers::ZERO))
            });
        }
        let mut earnings = collected();
        for (&(at, value), &set) in gains.iter().zip(&numbering.others[rewarded..left]) {
            numbering.states(set, &mut |from| earnings.add((from as u32, at as u32, 0, value)));
        }
        let mut exits = vec![Numbers::ZERO; if wanted.timed { size as usize } else { 0 }];
        for (&rate, &set) in rates.iter().zip(&numbering.others[left..sets]) {
            numbering.states(set, &mut |from| {
                exits[from as usize] = rate;
                true
            });
        }
        let marked = |&set: &u32| {
            let mut members = FixedBitSet::with_capacity(size as usize + 2);
            numbering.states(set, &mut |from| {
                members.insert(from as usize);
                true
            });
            members
        };
        let sets = numbering.others[sets..].iter().map(marked).collect();
        let (transitions, earnings) = (transitions.sorted()?, earnings.sorted()?);
        let by_states = matches!(wanted.earned, Earned::ByStates(_));
        let exits = wanted.timed.then_some(&exits[..]);
        let (model, rewards) = self.assembled(size, &transitions, (&earnings, by_states), exits, budget)?;
        Ok(Reduced {
            model,
            numbering,
            rewards,
            sets,
            goal: size as usize,
        })
    }

    /// The model of sorted transitions. With exit rates by state, it is one in continuous time.
    fn assembled(
        &mut self,
        size: u32,
        transitions: &[Entry],
        (earnings, by_states): (&[Entry], bool),
        exits: Option<&[Num]>,
        budget: &Budget,
    ) -> Result<(Sparse, Vec<Num>), Trouble> {
        let kind = match (self.network.kind.has_choices(), exits.is_some()) {
            (true, true) => Kind::Ma,
            (true, false) => Kind::Mdp,
            (false, true) => Kind::Ctmc,
            (false, false) => Kind::Dtmc,
        };
        let mut model = Sparse::empty(kind, self.network);
        let mut numbers = self.numbers.clone();
        let minus_one = numbers.intern(-entail_markov::Rational::ONE);
        let (mut at, mut earning) = (0, 0);
        let mut rewards = Vec::new();
        for state in 0..size {
            budget.check()?;
            while at < transitions.len() && transitions[at].0 == state {
                let choice = transitions[at].1;
                let mut mass = Numbers::ZERO;
                while at < transitions.len() && (transitions[at].0, transitions[at].1) == (state, choice) {
                    let (_, _, to, value) = transitions[at];
                    at += 1;
                    if to == NONE {
                        continue;
                    }
                    mass = numbers.add(mass, value);
                    let begin = *model.rows.last().unwrap_or(&0) as usize;
                    match model.targets.len() > begin && model.targets.last() == Some(&to) {
                        true => {
                            let last = model.values.len() - 1;
                            model.values[last] = numbers.add(model.values[last], value);
                        }
                        false => {
                            model.targets.push(to);
                            model.values.push(value);
                        }
                    }
                }
                if mass != Numbers::ONE {
                    let negative = numbers.multiply(mass, minus_one);
                    model.targets.push(size + 1);
                    model.values.push(numbers.add(Numbers::ONE, negative));
                }
                model.rows.push(model.targets.len() as u32);
                if let Some(exits) = exits {
                    let delayed = self
                        .choices
                        .get(choice as usize)
                        .is_some_and(|choice| choice.delayed);
                    model.rates.push(match delayed {
                        true => exits[state as usize],
                        false => Num(NONE),
                    });
                }
                if by_states {
                    continue;
                }
                let mut reward = Numbers::ZERO;
                while earning < earnings.len()
                    && (earnings[earning].0, earnings[earning].1) <= (state, choice)
                {
                    if (earnings[earning].0, earnings[earning].1) == (state, choice) {
                        reward = earnings[earning].3;
                    }
                    earning += 1;
                }
                rewards.push(reward);
            }
            if model.rows.len() as u32 - 1 == *model.choices.last().unwrap_or(&0) {
                // Nothing is known of where it leads, since that does not matter: every state has a row all the same.
                model.targets.push(size + 1);
                model.values.push(Numbers::ONE);
                model.rows.push(model.targets.len() as u32);
                model.rates.extend(exits.map(|_| Numbers::ONE));
                if !by_states {
                    rewards.push(Numbers::ZERO);
                }
            }
            model.choices.push(model.rows.len() as u32 - 1);
        }
        for sink in [size, size + 1] {
            model.targets.push(sink);
            model.values.push(Numbers::ONE);
            model.rows.push(model.targets.len() as u32);
            model.choices.push(model.rows.len() as u32 - 1);
            model.rates.extend(exits.map(|_| Numbers::ONE));
            rewards.push(Numbers::ZERO);
        }
        if by_states {
            rewards = vec![Numbers::ZERO; size as usize + 2];
            for &(state, _, _, value) in earnings {
                rewards[state as usize] = value;
            }
        }
        let states = size as usize + 2;
        model.deadlocks = FixedBitSet::with_capacity(states);
        model.unexplored = FixedBitSet::with_capacity(states);
        model.numbers = numbers;
        Ok((model, rewards))
    }
}

/// A network without anything, for a model that is given by its rows.
pub(crate) fn shell(kind: Kind) -> Network {
    Network {
        kind,
        variables: Vec::new(),
        components: Vec::<Component>::new(),
        actions: Vec::new(),
        synchronisations: Vec::new(),
        initial: Initial::Values(Vec::new()),
        labels: Vec::new(),
        rewards: Vec::new(),
        dead_ends: DeadEnds::Stay,
    }
}
