//! Equations `x = opt over choices of (constant + Σ p · x)`: what is left when graph analysis has decided the rest.
//!
//! Variables are *blocks* of states with the same value: single states, or end components in which a scheduler may move freely. Targets with
//! known values are folded into the constants. With end components collapsed the equations have one solution, so that iterating from above
//! and from below meets (Haddad and Monmege 2014).
//!
//! If probabilities lie in intervals, what is known cannot be folded into the constants, because how much of it counts depends on the other values: then
//! the numbers behind the last block stand for zero and one ([`System::known`]).

use crate::numbers::{Num, Numbers};
use crate::sparse::Sparse;
use entail_markov::Optimum;

/// What is known of a state before the equations are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its value.
    Known(Num),
    /// It is part of a block.
    Block(u32),
    /// Choices that may lead here are not to be used.
    Forbidden,
}

/// The equations.
pub(crate) struct System {
    pub optimum: Optimum,
    /// Values are probabilities: none is above 1.
    pub probability: bool,
    /// The first choice of each block, and one past the last.
    pub blocks: Vec<u32>,
    pub rows: Vec<u32>,
    pub targets: Vec<u32>,
    pub values: Vec<Num>,
    pub constants: Vec<Num>,
    /// The upper ends of probabilities, if these lie in intervals (`values` are then the lower ends); otherwise empty.
    pub uppers: Vec<Num>,
    /// Whether probabilities are chosen for the greatest sum rather than the least, where they lie in intervals.
    pub generous: bool,
}

/// Targets of rows with more than so many are found by a table.
const MANY: usize = 16;

/// Where the targets of a long row lie in it, by target; what is left of other rows is seen to be wrong when it is looked up (Briggs and Torczon 1993).
struct Places(Vec<u32>);

impl Places {
    /// Where a target lies in the row that begins at `from`.
    fn find(&self, targets: &[u32], from: usize, target: u32) -> Option<usize> {
        let row = &targets[from..];
        if row.len() <= MANY {
            return row.iter().position(|&known| known == target);
        }
        let at = self.0[target as usize] as usize;
        (at >= from && targets.get(at) == Some(&target)).then(|| at - from)
    }

    /// Notes the last target of the row that begins at `from`, once the row is long.
    fn note(&mut self, targets: &[u32], from: usize) {
        let long = targets.len() - from;
        let new = match long.cmp(&(MANY + 1)) {
            std::cmp::Ordering::Less => return,
            std::cmp::Ordering::Equal => from..targets.len(),
            std::cmp::Ordering::Greater => targets.len() - 1..targets.len(),
        };
        for at in new {
            self.0[targets[at] as usize] = at as u32;
        }
    }
}

/// What choices earn, where a block may stop, and which choices lead to known values.
type Made<'a> = (
    Option<&'a [Num]>,
    &'a dyn Fn(usize) -> bool,
    &'a mut dyn FnMut(usize) -> Option<u32>,
);

impl System {
    /// The equations of some blocks. `reward` is what a choice earns; `stop` says that a block may also stop with value zero.
    pub fn new(
        model: &Sparse,
        numbers: &mut Numbers,
        optimum: Optimum,
        roles: &[Role],
        members: &[Vec<u32>],
        reward: Option<&[Num]>,
        stop: &dyn Fn(usize) -> bool,
    ) -> System {
        let made: Made<'_> = (reward, stop, &mut |_| None);
        System::made(model, numbers, optimum, roles, members, made)
    }

    /// The equations of probabilities where some choices lead to known values: `outside` numbers these choices, and behind the blocks stand unknowns
    /// for them.
    pub fn with_outside(
        model: &Sparse,
        numbers: &mut Numbers,
        optimum: Optimum,
        roles: &[Role],
        members: &[Vec<u32>],
        outside: &mut dyn FnMut(usize) -> Option<u32>,
    ) -> System {
        let made: Made<'_> = (None, &|_| false, outside);
        System::made(model, numbers, optimum, roles, members, made)
    }

    fn made(
        model: &Sparse,
        numbers: &mut Numbers,
        optimum: Optimum,
        roles: &[Role],
        members: &[Vec<u32>],
        (reward, stop, outside): Made<'_>,
    ) -> System {
        let mut system = System {
            optimum,
            probability: reward.is_none(),
            blocks: vec![0],
            rows: vec![0],
            targets: Vec::new(),
            values: Vec::new(),
            constants: Vec::new(),
            uppers: Vec::new(),
            generous: true,
        };
        let uncertain = model.has_intervals();
        let mut places = Places(vec![0; members.len() + 2]);
        let known = |value: Num| members.len() as u32 + u32::from(value != Numbers::ZERO);
        for (block, states) in members.iter().enumerate() {
            for &state in states {
                'choices: for choice in model.choices_of(state as usize) {
                    if let Some(known) = outside(choice) {
                        system.targets.push(members.len() as u32 + known);
                        system.values.push(Numbers::ONE);
                        system.constants.push(Numbers::ZERO);
                        system.rows.push(system.targets.len() as u32);
                        continue;
                    }
                    let from = system.targets.len();
                    let mut constant = reward.map_or(Numbers::ZERO, |reward| reward[choice]);
                    let mut inside = true;
                    for at in model.row(choice) {
                        match roles[model.targets[at] as usize] {
                            Role::Forbidden => {
                                system.targets.truncate(from);
                                system.values.truncate(from);
                                system.uppers.truncate(from);
                                continue 'choices;
                            }
                            Role::Known(value) if uncertain => {
                                inside = false;
                                system.add(numbers, &mut places, from, known(value), (model, at));
                            }
                            Role::Known(value) => {
                                inside = false;
                                let share = numbers.multiply(model.values[at], value);
                                constant = numbers.add(constant, share);
                            }
                            Role::Block(target) => {
                                inside &= target as usize == block;
                                system.add(numbers, &mut places, from, target, (model, at));
                            }
                        }
                    }
                    // A choice that stays in the block earns nothing there: such blocks are made of free moves only.
                    if inside && constant == Numbers::ZERO {
                        system.targets.truncate(from);
                        system.values.truncate(from);
                        system.uppers.truncate(from);
                        continue;
                    }
                    system.constants.push(constant);
                    system.rows.push(system.targets.len() as u32);
                }
            }
            if stop(block) || system.constants.len() as u32 == *system.blocks.last().expect("never empty") {
                system.constants.push(Numbers::ZERO);
                system.rows.push(system.targets.len() as u32);
            }
            system.blocks.push(system.constants.len() as u32);
        }
        system
    }

    /// Adds a transition of the model to the row that begins at `from`; those to one block are put together.
    fn add(
        &mut self,
        numbers: &mut Numbers,
        places: &mut Places,
        from: usize,
        target: u32,
        (model, at): (&Sparse, usize),
    ) {
        match places.find(&self.targets, from, target) {
            Some(known) => {
                let value = &mut self.values[from + known];
                *value = numbers.add(*value, model.values[at]);
                if model.has_intervals() {
                    let upper = &mut self.uppers[from + known];
                    *upper = numbers.add(*upper, model.uppers[at]);
                }
            }
            None => {
                self.targets.push(target);
                places.note(&self.targets, from);
                self.values.push(model.values[at]);
                if model.has_intervals() {
                    self.uppers.push(model.uppers[at]);
                }
            }
        }
    }

    /// What stands behind the values of the blocks where probabilities are intervals.
    pub fn known(&self) -> &'static [f64] {
        match self.uppers.is_empty() {
            true => &[],
            false => &[0.0, 1.0],
        }
    }

    pub fn len(&self) -> usize {
        self.blocks.len() - 1
    }

    #[inline]
    pub fn choices_of(&self, block: usize) -> std::ops::Range<usize> {
        self.blocks[block] as usize..self.blocks[block + 1] as usize
    }

    #[inline]
    pub fn row(&self, choice: usize) -> std::ops::Range<usize> {
        self.rows[choice] as usize..self.rows[choice + 1] as usize
    }

    /// The blocks that a block's equation mentions.
    pub fn successors(&self, block: u32) -> impl Iterator<Item = u32> + '_ {
        let choices = self.choices_of(block as usize);
        let from = self.rows[choices.start] as usize;
        let to = self.rows[choices.end] as usize;
        let blocks = self.len() as u32;
        (self.targets[from..to].iter().copied()).filter(move |&target| target < blocks)
    }
}
