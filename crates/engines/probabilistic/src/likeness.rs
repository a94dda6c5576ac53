//! Whether two models behave alike, and if not, a formula that tells them apart.
//!
//! Both models are explored and laid side by side as one system, whose coarsest lumping (`entail_equivalence::weighted`) respects labels, rewards and rates. They are alike if their initial
//! states belong to the same classes. Otherwise the classes are told apart once more, naively and in rounds: in round 0 by labels and rewards of states, in the next one by
//! choices that lead into the classes of the round before with other probabilities. A pair of classes that differs first in round `k` is told apart by a formula about the
//! classes of round `k - 1` (Hennessy and Milner 1985; with probabilities Larsen and Skou 1991): a choice of the one differs from each choice of the other that takes as long and earns the
//! same, so that there is a class which it reaches with a greater probability, and this class is told from the others by formulas of earlier rounds. Formulas are shared, so
//! that there is at most one for each pair of classes.
//!
//! **Invariant:** the formula of a pair holds in all states that are in the class of the first one in its round, and in none that is in the class of the second one.

use crate::check::{Settings, Trouble, Workshop};
use crate::generate::Extent;
use crate::lumped::{Rows, quotient_rows};
use crate::numbers::{Num, Numbers};
use crate::sparse::NONE;
use entail_budget::{Budget, Progress};
use entail_equivalence::weighted::{Weighted, lump};
use entail_markov::{Expr, Fractions, Likeness, Network, Observation, Property, Rational};
use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Formulas with more parts are not made.
const MOST_FORMULAS: usize = 20_000;

/// So many names of classes are kept, in all rounds together.
const MOST_NAMES: usize = 100_000_000;

/// What comparing two models has found.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Classes or a formula. Nothing if the models are not alike, and a formula that says so would be too large.
    pub likeness: Option<Likeness>,
    /// States and transitions of both.
    pub sizes: [(usize, usize); 2],
    /// How many classes the states of both have together.
    pub classes: usize,
}

/// Two models side by side, in interned numbers; states of the second come behind those of the first.
struct Union {
    choices: Vec<u32>,
    rows: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<Num>,
    /// By choice: its rate (or [`NONE`]), and what it earns by each structure.
    looks: Vec<(u32, Vec<Num>)>,
    /// By choice: a name of that.
    labels: Vec<u32>,
    /// By state: the labels that it carries, and what being there earns.
    surfaces: Vec<(Vec<bool>, Vec<Num>)>,
    /// By state: a name of that.
    colours: Vec<u32>,
    initial: [Vec<u32>; 2],
    /// How many states the first model has.
    first: usize,
    numbers: Numbers,
}

/// Compares two models of at most so many states each.
pub fn compare(
    networks: [&Network; 2],
    settings: Settings,
    extent: &Extent,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Compared, Trouble> {
    let (names, structures) = common(networks)?;
    let mut shops = Vec::with_capacity(2);
    for network in networks {
        let shop = Workshop::new(network, settings, extent.clone(), budget, progress)?;
        shop.without_intervals("comparing models")?;
        shops.push(shop);
    }
    let sizes = [0, 1].map(|at: usize| (shops[at].size(), shops[at].model.transitions()));
    let mut union = Union::new(&mut shops, &names, &structures, budget)?;
    drop(shops);
    let weighted = Weighted {
        choices: &union.choices,
        rows: &union.rows,
        targets: &union.targets,
        weights: &union.weights,
    };
    let mut numbers = std::mem::take(&mut union.numbers);
    let mut add = |a: Num, b: Num| numbers.add(a, b);
    let size = union.surfaces.len();
    let found = lump(weighted, &union.colours, &union.labels, size, &mut add, budget)?;
    let Some(lumping) = found else {
        let reason = "more classes than states were found";
        return Err(Trouble::Undecided(reason.to_owned()));
    };
    let initial = [0, 1].map(|at: usize| -> BTreeSet<u32> {
        let states = union.initial[at].iter();
        states.map(|&state| lumping.states[state as usize]).collect()
    });
    let classes = lumping.representatives.len();
    let likeness = if initial[0] == initial[1] {
        let (first, second) = lumping.states.split_at(union.first);
        Some(Likeness::Alike {
            classes: [first.to_vec(), second.to_vec()],
        })
    } else {
        let rows = quotient_rows(weighted, &lumping, &mut numbers);
        let small = Small {
            union: &union,
            rows,
            representatives: &lumping.representatives,
            numbers: &numbers,
        };
        small.told_apart(&initial, &names, budget)?
    };
    Ok(Compared {
        likeness,
        sizes,
        classes,
    })
}

/// The labels of both models, and for each reward structure of the first its position there and that of the same name in the second.
fn common(networks: [&Network; 2]) -> Result<(Vec<String>, [Vec<usize>; 2]), Trouble> {
    let refused = |what: String| Err(Trouble::Unsupported(what));
    let timed = networks.map(|network| network.kind.is_timed());
    if timed[0] != timed[1] {
        let what = "one model is in continuous time, the other in steps: they have no behaviour in common";
        return refused(what.to_owned());
    }
    let names = networks
        .map(|network| -> BTreeSet<&str> { network.labels.iter().map(|(name, _)| name.as_str()).collect() });
    let listed = |names: &[&str]| names.join("\", \"");
    for (at, which) in [(0, "first"), (1, "second")] {
        let only: Vec<&str> = names[at].difference(&names[1 - at]).copied().collect();
        if !only.is_empty() {
            return refused(format!(
                "only the {which} model has the labels \"{}\": states are compared by their labels, so both models need the same ones",
                listed(&only)
            ));
        }
    }
    let mut left: Vec<usize> = (0..networks[1].rewards.len()).collect();
    let mut second = Vec::new();
    let shown = |name: &Option<String>| match name {
        Some(name) => format!("the reward structure \"{name}\""),
        None => "a reward structure without a name".to_owned(),
    };
    for structure in &networks[0].rewards {
        let same = |&at: &usize| networks[1].rewards[at].name == structure.name;
        match left.iter().position(same) {
            Some(position) => second.push(left.remove(position)),
            None => return refused(format!("only the first model has {}", shown(&structure.name))),
        }
    }
    if let Some(&more) = left.first() {
        let name = shown(&networks[1].rewards[more].name);
        return refused(format!("only the second model has {name}"));
    }
    let names = names[0].iter().map(|&name| name.to_owned()).collect();
    Ok((names, [(0..second.len()).collect(), second]))
}

impl Union {
    fn new(
        shops: &mut [Workshop<'_>],
        names: &[String],
        structures: &[Vec<usize>; 2],
        budget: &Budget,
    ) -> Result<Union, Trouble> {
        let first = shops[0].size();
        let mut union = Union {
            choices: vec![0],
            rows: vec![0],
            targets: Vec::new(),
            weights: Vec::new(),
            looks: Vec::new(),
            labels: Vec::new(),
            surfaces: Vec::new(),
            colours: Vec::new(),
            initial: [Vec::new(), Vec::new()],
            first,
            numbers: Numbers::default(),
        };
        let total: usize = shops.iter().map(|shop| shop.model.transitions()).sum();
        if total >= NONE as usize {
            return Err(Trouble::Unsupported("models of this size together".to_owned()));
        }
        for (at, shop) in shops.iter_mut().enumerate() {
            union.add(at, shop, names, &structures[at], budget)?;
        }
        let mut known: FxHashMap<&(u32, Vec<Num>), u32> = FxHashMap::default();
        for look in &union.looks {
            let next = known.len() as u32;
            union.labels.push(*known.entry(look).or_insert(next));
        }
        let mut known: FxHashMap<&(Vec<bool>, Vec<Num>), u32> = FxHashMap::default();
        for surface in &union.surfaces {
            let next = known.len() as u32;
            union.colours.push(*known.entry(surface).or_insert(next));
        }
        Ok(union)
    }

    /// Adds the states of a model.
    fn add(
        &mut self,
        side: usize,
        shop: &mut Workshop<'_>,
        names: &[String],
        structures: &[usize],
        budget: &Budget,
    ) -> Result<(), Trouble> {
        let offset = if side == 0 { 0 } else { self.first as u32 };
        let mut sets: Vec<FixedBitSet> = Vec::with_capacity(names.len());
        for name in names {
            let set: Option<Expr> = (shop.network.labels.iter())
                .find(|(own, _)| own == name)
                .map(|(_, set)| set.clone());
            let set = set.unwrap_or(Expr::from(false));
            sets.push(shop.set(&Property::Expr(set), budget)?);
        }
        let mut rewards = Vec::with_capacity(structures.len());
        for &structure in structures {
            rewards.push(shop.state_rewards(structure, budget)?);
        }
        let model = &shop.model;
        // The other model's numbers by their names here.
        let own: Vec<Num> = (0..model.numbers.len() as u32)
            .map(|number| self.numbers.intern(model.numbers.exact(Num(number)).clone()))
            .collect();
        let named = |number: Num| own[number.0 as usize];
        for state in 0..model.states() {
            budget.check()?;
            for choice in model.choices_of(state) {
                (self.targets).extend(model.targets_of(choice).iter().map(|&target| target + offset));
                (self.weights).extend(model.values[model.row(choice)].iter().map(|&value| named(value)));
                self.rows.push(self.targets.len() as u32);
                let earned = structures.iter().map(|&structure| {
                    let of = &model.step_rewards[structure];
                    of.get(choice).map_or(Numbers::ZERO, |&number| named(number))
                });
                let rate = model.rate(choice).map_or(NONE, |rate| named(rate).0);
                self.looks.push((rate, earned.collect()));
            }
            self.choices.push(self.looks.len() as u32);
            let labels = sets.iter().map(|set| set.contains(state)).collect();
            let earned = rewards.iter().map(|of| named(of[state])).collect();
            self.surfaces.push((labels, earned));
        }
        self.initial[side] = model.initial.iter().map(|&state| state + offset).collect();
        Ok(())
    }
}

/// The classes, with one state's choices each.
struct Small<'u> {
    union: &'u Union,
    rows: Rows,
    representatives: &'u [u32],
    numbers: &'u Numbers,
}

/// Where a choice leads: to blocks of a round, with which probabilities.
type Masses = FxHashMap<u32, Rational>;

/// How two classes are told apart.
enum Plan {
    /// By what is seen without a step.
    Surface,
    /// By a choice that the first has (or the second, and then its formula is negated), and blocks that it reaches with greater probabilities than the other's choices: for each a class in it, that
    /// probability, and classes from which it must be told.
    Choice {
        negated: bool,
        choice: usize,
        reaches: Vec<(u32, Rational, Vec<u32>)>,
    },
}

impl Small<'_> {
    fn classes(&self) -> usize {
        self.representatives.len()
    }

    fn choices_of(&self, class: u32) -> std::ops::Range<usize> {
        let class = class as usize;
        self.rows.choices[class] as usize..self.rows.choices[class + 1] as usize
    }

    fn label(&self, choice: usize) -> u32 {
        self.union.labels[self.rows.origin[choice] as usize]
    }

    /// Where a choice leads, in blocks.
    fn masses(&self, choice: usize, blocks: &[u32]) -> Masses {
        let mut found = Masses::default();
        for at in self.rows.rows[choice] as usize..self.rows.rows[choice + 1] as usize {
            let block = blocks[self.rows.targets[at] as usize];
            let probability = self.numbers.exact(self.rows.values[at]);
            *found.entry(block).or_insert(Rational::ZERO) += probability;
        }
        found
    }

    /// The block of each class, round by round, until the initial classes of one model, which are given first, differ from all of the other; nothing if that takes too many rounds.
    fn rounds(&self, apart: &[(u32, u32)], budget: &Budget) -> Result<Option<Vec<Vec<u32>>>, Trouble> {
        let colour = |&state: &u32| self.union.colours[state as usize];
        let mut rounds: Vec<Vec<u32>> = vec![self.representatives.iter().map(colour).collect()];
        loop {
            let last = &rounds[rounds.len() - 1];
            if apart.iter().all(|&(a, b)| last[a as usize] != last[b as usize]) {
                return Ok(Some(rounds));
            }
            if (rounds.len() + 1) * self.classes() > MOST_NAMES {
                return Ok(None);
            }
            let mut names: FxHashMap<(u32, BTreeSet<Look>), u32> = FxHashMap::default();
            let mut next = Vec::with_capacity(self.classes());
            for class in 0..self.classes() as u32 {
                budget.check()?;
                let looks = self.choices_of(class).map(|choice| {
                    let mut masses: Vec<(u32, Rational)> = self.masses(choice, last).into_iter().collect();
                    masses.sort_unstable_by_key(|(block, _)| *block);
                    (self.label(choice), masses)
                });
                let name = names.len() as u32;
                next.push(
                    *names
                        .entry((last[class as usize], looks.collect()))
                        .or_insert(name),
                );
            }
            rounds.push(next);
        }
    }

    /// A formula that holds in an initial state of one model and in none of the other.
    fn told_apart(
        &self,
        initial: &[BTreeSet<u32>; 2],
        names: &[String],
        budget: &Budget,
    ) -> Result<Option<Likeness>, Trouble> {
        let alone = |side: usize| initial[side].difference(&initial[1 - side]).next().copied();
        let (in_second, class) = match (alone(0), alone(1)) {
            (Some(class), _) => (false, class),
            (None, Some(class)) => (true, class),
            (None, None) => return Ok(None),
        };
        let others = initial[usize::from(!in_second)].iter();
        let apart: Vec<(u32, u32)> = others.map(|&other| (class, other)).collect();
        let Some(rounds) = self.rounds(&apart, budget)? else {
            return Ok(None);
        };
        let Some(plans) = self.plans(&apart, &rounds, budget)? else {
            return Ok(None);
        };
        let mut written = Written {
            small: self,
            names,
            formulas: Vec::new(),
            of_pairs: FxHashMap::default(),
        };
        for (pair, plan) in plans {
            let formula = written.formula(pair, plan);
            written.of_pairs.insert(pair, formula);
        }
        let parts: Vec<usize> = apart.iter().map(|pair| written.of_pairs[pair]).collect();
        written.formulas.push(Observation::All(parts));
        Ok(Some(Likeness::Distinguished {
            in_second,
            formulas: written.formulas,
        }))
    }

    /// How pairs are told apart, and all that this needs: earlier rounds first. Nothing if these are too many.
    fn plans(
        &self,
        apart: &[(u32, u32)],
        rounds: &[Vec<u32>],
        budget: &Budget,
    ) -> Result<Option<Planned>, Trouble> {
        let mut firsts: Vec<FxHashMap<u32, u32>> = Vec::with_capacity(rounds.len());
        for blocks in rounds {
            let mut first = FxHashMap::default();
            for (class, &block) in blocks.iter().enumerate() {
                first.entry(block).or_insert(class as u32);
            }
            firsts.push(first);
        }
        let mut waiting = apart.to_vec();
        let mut seen: FxHashSet<(u32, u32)> = waiting.iter().copied().collect();
        let mut found = Vec::new();
        while let Some((a, b)) = waiting.pop() {
            budget.check_now()?;
            if seen.len() > MOST_FORMULAS {
                return Ok(None);
            }
            let differ = |blocks: &Vec<u32>| blocks[a as usize] != blocks[b as usize];
            let Some(round) = rounds.iter().position(differ) else {
                return Ok(None);
            };
            let plan = match round.checked_sub(1) {
                None => Plan::Surface,
                Some(before) => {
                    let (blocks, first) = (&rounds[before], &firsts[before]);
                    let plan = self.by_choice(a, b, blocks, first, false);
                    match plan.or_else(|| self.by_choice(b, a, blocks, first, true)) {
                        Some(plan) => plan,
                        None => return Ok(None),
                    }
                }
            };
            if let Plan::Choice { reaches, .. } = &plan {
                for (block, _, others) in reaches {
                    for &other in others {
                        if seen.insert((*block, other)) {
                            waiting.push((*block, other));
                        }
                    }
                }
            }
            found.push((round, (a, b), plan));
        }
        found.sort_by_key(|(round, ..)| *round);
        Ok(Some(
            found.into_iter().map(|(_, pair, plan)| (pair, plan)).collect(),
        ))
    }

    /// A choice of a class that none of another class matches, with the blocks that show it.
    fn by_choice(
        &self,
        a: u32,
        b: u32,
        blocks: &[u32],
        first: &FxHashMap<u32, u32>,
        negated: bool,
    ) -> Option<Plan> {
        let others: Vec<(u32, Masses)> = (self.choices_of(b))
            .map(|choice| (self.label(choice), self.masses(choice, blocks)))
            .collect();
        self.choices_of(a).find_map(|choice| {
            let (label, own) = (self.label(choice), self.masses(choice, blocks));
            let mut reaches: Vec<(u32, Rational, Vec<u32>)> = Vec::new();
            for (_, theirs) in others.iter().filter(|(other, _)| *other == label) {
                let more =
                    |(block, mass): &(&u32, &Rational)| theirs.get(block).is_none_or(|their| their < *mass);
                let (&block, mass) = own.iter().filter(more).min_by_key(|(block, _)| **block)?;
                let class = first[&block];
                let from = theirs.keys().filter(|&&other| other != block);
                let mut from: Vec<u32> = from.map(|other| first[other]).collect();
                match reaches.iter_mut().find(|(known, ..)| *known == class) {
                    Some((.., known)) => known.append(&mut from),
                    None => reaches.push((class, mass.clone(), from)),
                }
            }
            for (.., from) in &mut reaches {
                from.sort_unstable();
                from.dedup();
            }
            Some(Plan::Choice {
                negated,
                choice,
                reaches,
            })
        })
    }
}

/// Pairs of classes, each with how it is told apart.
type Planned = Vec<((u32, u32), Plan)>;

/// Formulas, as they are written down.
struct Written<'s> {
    small: &'s Small<'s>,
    names: &'s [String],
    formulas: Vec<Observation>,
    /// The formula of each pair of classes.
    of_pairs: FxHashMap<(u32, u32), usize>,
}

impl Written<'_> {
    fn push(&mut self, formula: Observation) -> usize {
        self.formulas.push(formula);
        self.formulas.len() - 1
    }

    fn formula(&mut self, (a, b): (u32, u32), plan: Plan) -> usize {
        let small = self.small;
        match plan {
            Plan::Surface => {
                let surface = |class: u32| {
                    let state = small.representatives[class as usize];
                    &small.union.surfaces[state as usize]
                };
                let ((labels, rewards), (others, earned)) = (surface(a), surface(b));
                if let Some(at) = (0..labels.len()).find(|&at| labels[at] != others[at]) {
                    let label = self.push(Observation::Label(self.names[at].clone()));
                    return match labels[at] {
                        true => label,
                        false => self.push(Observation::Not(label)),
                    };
                }
                let structure = (0..rewards.len()).find(|&at| rewards[at] != earned[at]);
                let structure = structure.unwrap_or(0);
                let reward = rewards
                    .get(structure)
                    .map(|&own| small.numbers.exact(own).clone());
                self.push(Observation::Earns {
                    structure,
                    reward: Fractions(reward.into_iter().collect()),
                })
            }
            Plan::Choice {
                negated,
                choice,
                reaches,
            } => {
                let (rate, earned) = &small.union.looks[small.rows.origin[choice] as usize];
                let exact = |number: Num| small.numbers.exact(number).clone();
                let (mut formulas, mut at_least) = (Vec::new(), Vec::new());
                for (class, probability, others) in reaches {
                    let parts: Vec<usize> = (others.iter())
                        .map(|&other| self.of_pairs[&(class, other)])
                        .collect();
                    formulas.push(match parts[..] {
                        [only] => only,
                        _ => self.push(Observation::All(parts)),
                    });
                    at_least.push(probability);
                }
                let rate = (*rate != NONE).then(|| exact(Num(*rate)));
                let choice = self.push(Observation::Choice {
                    rate: Fractions(rate.into_iter().collect()),
                    earned: Fractions(earned.iter().map(|&number| exact(number)).collect()),
                    formulas,
                    at_least: Fractions(at_least),
                });
                match negated {
                    true => self.push(Observation::Not(choice)),
                    false => choice,
                }
            }
        }
    }
}

/// What one can see of a choice: its label, and the probability of each block.
type Look = (u32, Vec<(u32, Rational)>);
