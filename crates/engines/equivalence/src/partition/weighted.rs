//! Lumping: the coarsest probabilistic bisimulation of a system whose choices carry labels and weights, such as a Markov chain or a Markov decision
//! process.
//!
//! Two partitions are refined together, one of states and one of choices. Choices are alike if they have the same label and give every class of
//! states the same weight; states are alike if they have alike choices, however many of each. A class of states is a *splitter* until it was used:
//! the weights it gets from choices are summed, and classes of choices fall apart by these sums. States whose choices have moved to a new class are
//! grouped by the classes of all their choices.
//!
//! For chains, where a state has one choice, this is Markov chain lumping by Valmari and Franceschinis (2010): weights need only be compared, never
//! subtracted, so that exact numbers behind interned names do; of the parts of a class that was a splitter before, the largest need not be one again, because
//! its weight follows from the others. Each transition is looked at O(log n) times, and parts are sorted: O(m log n) for m transitions. With choices it is the
//! two-level refinement of Groote, Rivera Verduzco and de Vink (2018), except that a state's choices are listed again when one of them moves, instead of being
//! counted: a factor of the largest number of choices of a state.
//!
//! Memory: 8 bytes a transition and about 30 a state and a choice beside the system.

use super::refinable::Refinable;
use entail_budget::{Budget, Spent};
use rustc_hash::FxHashMap;

/// A system with labelled choices and weights, in compressed rows. `W` names a weight: equal weights have equal names.
#[derive(Clone, Copy, Debug)]
pub struct Weighted<'a, W> {
    /// The first choice of each state, and one past the last.
    pub choices: &'a [u32],
    /// The first transition of each choice, and one past the last.
    pub rows: &'a [u32],
    /// Targets of transitions; no target twice in a row is needed, but allowed.
    pub targets: &'a [u32],
    /// Weights of transitions; none is zero.
    pub weights: &'a [W],
}

/// Which states, and which choices, are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lumping {
    /// The class of each state; classes are numbered in the order of their first states.
    pub states: Vec<u32>,
    /// The class of each choice.
    pub choices: Vec<u32>,
    /// A state of each class: its first.
    pub representatives: Vec<u32>,
}

/// The coarsest lumping that respects a colour of each state and a label of each choice; nothing once it has more than `most` classes. `add` gives the sum of two
/// weights.
pub fn lump<W: Copy + Ord>(
    system: Weighted<'_, W>,
    colours: &[u32],
    labels: &[u32],
    most: usize,
    add: &mut dyn FnMut(W, W) -> W,
    budget: &Budget,
) -> Result<Option<Lumping>, Spent> {
    let mut refinement = Refinement::new(system, colours, labels);
    refinement.group_all();
    while let Some(splitter) = refinement.waiting.pop() {
        if refinement.states.set_count() > most {
            return Ok(None);
        }
        budget.check()?;
        refinement.split_choices(splitter, add);
        refinement.split_states();
    }
    Ok((refinement.states.set_count() <= most).then(|| refinement.result()))
}

struct Refinement<'a, W> {
    system: Weighted<'a, W>,
    owner: Vec<u32>,
    /// The transitions into each state, as choice and weight, and where they begin.
    incoming: Vec<(u32, W)>,
    into: Vec<u32>,
    states: Refinable,
    choices: Refinable,
    /// Classes of states that are to be used as splitters.
    waiting: Vec<u32>,
    /// What choices give to the present splitter.
    given: Vec<Option<W>>,
    giving: Vec<u32>,
    /// Classes of choices that are new.
    fresh: Vec<u32>,
    /// The names of the sets of choice classes that states have, while they are compared.
    signature: Vec<u32>,
    names: FxHashMap<Vec<u32>, u32>,
    moved: Vec<u32>,
}

/// Numbers in the order of first occurrence, so that none is left out; with how many there are.
fn compact(keys: &[u32]) -> (Vec<u32>, usize) {
    let mut names: FxHashMap<u32, u32> = FxHashMap::default();
    let compact = keys
        .iter()
        .map(|&key| {
            let next = names.len() as u32;
            *names.entry(key).or_insert(next)
        })
        .collect();
    (compact, names.len())
}

impl<'a, W: Copy + Ord> Refinement<'a, W> {
    fn new(system: Weighted<'a, W>, colours: &[u32], labels: &[u32]) -> Refinement<'a, W> {
        let size = colours.len();
        let mut owner = vec![0u32; labels.len()];
        let mut into = vec![0u32; size + 1];
        for &target in system.targets {
            into[target as usize + 1] += 1;
        }
        for at in 0..size {
            into[at + 1] += into[at];
        }
        let mut fill = into.clone();
        let mut incoming: Vec<(u32, W)> = match system.weights.first() {
            Some(&any) => vec![(0, any); system.targets.len()],
            None => Vec::new(),
        };
        for state in 0..size {
            for choice in system.choices[state]..system.choices[state + 1] {
                owner[choice as usize] = state as u32;
                let row = system.rows[choice as usize] as usize..system.rows[choice as usize + 1] as usize;
                for at in row {
                    let place = &mut fill[system.targets[at] as usize];
                    incoming[*place as usize] = (choice, system.weights[at]);
                    *place += 1;
                }
            }
        }
        let (colours, colour_count) = compact(colours);
        let (labels, label_count) = compact(labels);
        Refinement {
            system,
            owner,
            incoming,
            into,
            states: Refinable::by_keys(&colours, colour_count),
            given: vec![None; labels.len()],
            choices: Refinable::by_keys(&labels, label_count),
            waiting: (0..colour_count as u32).collect(),
            giving: Vec::new(),
            fresh: Vec::new(),
            signature: vec![0; size],
            names: FxHashMap::default(),
            moved: Vec::new(),
        }
    }

    /// Groups all states by the classes of their choices.
    fn group_all(&mut self) {
        self.moved = (0..self.signature.len() as u32).collect();
        self.group_moved();
    }

    /// Splits classes of choices by what they give to a class of states.
    fn split_choices(&mut self, splitter: u32, add: &mut dyn FnMut(W, W) -> W) {
        for &state in self.states.elements(splitter) {
            let (from, to) = (self.into[state as usize], self.into[state as usize + 1]);
            for &(choice, weight) in &self.incoming[from as usize..to as usize] {
                let given = &mut self.given[choice as usize];
                *given = Some(match *given {
                    Some(sum) => add(sum, weight),
                    None => {
                        self.giving.push(choice);
                        weight
                    }
                });
            }
        }
        for &choice in &self.giving {
            self.choices.mark(choice);
        }
        let (given, fresh) = (&self.given, &mut self.fresh);
        self.choices
            .split_by(|choice| given[choice as usize], |_, new| fresh.push(new));
        for choice in self.giving.drain(..) {
            self.given[choice as usize] = None;
        }
    }

    /// Splits classes of states whose choices are in new classes.
    fn split_states(&mut self) {
        for class in self.fresh.drain(..) {
            let owners = self.choices.elements(class).iter();
            self.moved
                .extend(owners.map(|&choice| self.owner[choice as usize]));
        }
        self.group_moved();
    }

    /// Groups the states in `moved` by the classes of their choices.
    fn group_moved(&mut self) {
        self.names.clear();
        let mut classes: Vec<u32> = Vec::new();
        for at in 0..self.moved.len() {
            let state = self.moved[at];
            let own = self.system.choices[state as usize]..self.system.choices[state as usize + 1];
            classes.clear();
            classes.extend(own.map(|choice| self.choices.set_of(choice)));
            classes.sort_unstable();
            classes.dedup();
            let next = self.names.len() as u32;
            let name = match self.names.get(&classes) {
                Some(&name) => name,
                None => {
                    self.names.insert(classes.clone(), next);
                    next
                }
            };
            self.signature[state as usize] = name;
            self.states.mark(state);
        }
        self.moved.clear();
        // The old number stays with the largest part, which waits if the whole did.
        let (signature, waiting) = (&self.signature, &mut self.waiting);
        self.states
            .split_by(|state| signature[state as usize], |_, new| waiting.push(new));
    }

    fn result(self) -> Lumping {
        let (states, count) = compact(&self.states.into_sets());
        let (choices, _) = compact(&self.choices.into_sets());
        let mut representatives = vec![u32::MAX; count];
        for (state, &class) in states.iter().enumerate().rev() {
            representatives[class as usize] = state as u32;
        }
        Lumping {
            states,
            choices,
            representatives,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use std::collections::{BTreeMap, BTreeSet};

    /// A random system: for each state its colour, for each choice its label and weights by target.
    type Plain = Vec<(u32, Vec<(u32, Vec<(u32, u32)>)>)>;

    fn random_system(random: &mut StdRng) -> Plain {
        let size = random.random_range(1..14u32);
        let chain = random.random_bool(0.4);
        let colours = random.random_range(1..3u32);
        (0..size)
            .map(|_| {
                let count = if chain { 1 } else { random.random_range(0..4) };
                let choices = (0..count).map(|_| {
                    let label = random.random_range(0..2);
                    let row = (0..random.random_range(0..4))
                        .map(|_| (random.random_range(0..size), random.random_range(1..3)));
                    (label, row.collect())
                });
                let choices = choices.collect();
                (random.random_range(0..colours), choices)
            })
            .collect()
    }

    /// By the definition: from the colours on, states are told apart by their sets of labels with weights by class until nothing changes.
    fn by_definition(system: &Plain) -> Vec<u32> {
        let mut classes: Vec<u32> = system.iter().map(|(colour, _)| *colour).collect();
        loop {
            let mut names = BTreeMap::new();
            let next: Vec<u32> = (system.iter().zip(&classes))
                .map(|((_, choices), &own)| {
                    let choices: BTreeSet<_> = (choices.iter())
                        .map(|(label, row)| {
                            let mut sums = BTreeMap::new();
                            for &(target, weight) in row {
                                *sums.entry(classes[target as usize]).or_insert(0) += weight;
                            }
                            (*label, sums)
                        })
                        .collect();
                    let count = names.len() as u32;
                    *names.entry((own, choices)).or_insert(count)
                })
                .collect();
            if names.len() == classes.iter().collect::<BTreeSet<_>>().len() {
                return compact(&classes).0;
            }
            classes = next;
        }
    }

    #[test]
    fn classes_are_those_of_the_definition() {
        let mut random = StdRng::seed_from_u64(19);
        let budget = Budget::unlimited();
        for _ in 0..4000 {
            let plain = random_system(&mut random);
            let (mut choices, mut rows) = (vec![0], vec![0]);
            let (mut targets, mut weights, mut labels) = (Vec::new(), Vec::new(), Vec::new());
            for (_, own) in &plain {
                for (label, row) in own {
                    labels.push(*label);
                    targets.extend(row.iter().map(|&(target, _)| target));
                    weights.extend(row.iter().map(|&(_, weight)| weight));
                    rows.push(targets.len() as u32);
                }
                choices.push(labels.len() as u32);
            }
            let colours: Vec<u32> = plain.iter().map(|(colour, _)| *colour).collect();
            let system = Weighted {
                choices: &choices,
                rows: &rows,
                targets: &targets,
                weights: &weights,
            };
            let found = lump(system, &colours, &labels, plain.len(), &mut |a, b| a + b, &budget);
            let found = found.expect("no limit").expect("never more classes than states");
            let expected = by_definition(&plain);
            assert_eq!(found.states, expected, "{plain:?}");
            let count = found.representatives.len();
            if count > 1 {
                let fewer = lump(system, &colours, &labels, count - 1, &mut |a, b| a + b, &budget);
                assert_eq!(fewer.expect("no limit"), None, "{plain:?}");
            }
        }
    }
}
