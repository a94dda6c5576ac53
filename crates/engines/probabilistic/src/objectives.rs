//! Several objectives at once: which combinations of probabilities and total rewards one scheduler can reach.
//!
//! Every objective is turned into one that is maximised. Path formulas become deterministic automata, all read along with the model; where the
//! product can stay for ever without earning anything, it may *stop* and win the formulas that an end component there fulfils together.
//! End components without rewards are then collapsed, and what is left is a process in which only schedulers that stop count
//! (Forejt, Kwiatkowska and Parker 2012). [`crate::weighted_sums`] searches it.

use crate::check::{Trouble, Values, Workshop};
use crate::components::end_components;
use crate::linear::{deterministic, observer};
use crate::numbers::{Num, Numbers};
use crate::sparse::Sparse;
use crate::weighted_sums::{Achieved, Search};
use entail_automata::{Automaton, Marks, State};
use entail_budget::Budget;
use entail_markov::{Bracket, Optimum, Path, Property, Query, Rational, RewardKind};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// More path formulas than this are not combined.
const MOST_FORMULAS: usize = 6;

/// Fronts are found for at most so many objectives.
const MOST_IN_FRONTS: usize = 4;

/// Products up to this number of states are searched.
const MOST_STATES: usize = 2_000_000;

/// What is maximised.
enum Goal {
    /// The probability that the automaton of this position accepts.
    Accept(usize),
    /// A reward, or its negation; within so many steps.
    Earn {
        rewards: Vec<Num>,
        negated: bool,
        steps: Option<u32>,
    },
}

/// An objective in the form in which it is maximised.
struct Objective {
    goal: Goal,
    /// What is asked is one minus the value (the probability of the negation is maximised), or minus it (the reward is minimised).
    turned: bool,
    probability: bool,
    /// The bound to be met, and whether it must be exceeded; nothing if the value is asked for.
    bound: Option<(Rational, bool)>,
}

impl Objective {
    /// The value as it was asked for.
    fn as_asked(&self, value: &Rational) -> Rational {
        match (self.turned, self.probability) {
            (false, _) => value.clone(),
            (true, true) => Rational::ONE - value,
            (true, false) => -value.clone(),
        }
    }
}

/// What a choice of the process in which schedulers stop is in the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A choice of the product.
    Choice(u32),
    /// Staying for ever, so that these automata accept.
    Stay(u32),
    /// The end's own loop.
    End,
}

/// The process in which schedulers stop, with what choices earn for each objective. The last state is the end.
pub(crate) struct Stopping {
    pub model: Sparse,
    pub earned: Vec<Vec<Rational>>,
    pub initial: usize,
    /// What each choice is in the product.
    pub origin: Vec<Origin>,
    /// The product, the choices in it that earn nothing, and which state of the process each of its states is part of.
    pub product: Sparse,
    pub free: Vec<bool>,
    pub block: Vec<u32>,
}

/// The product of the model with all automata, from the initial state.
struct Joint {
    model: Sparse,
    /// Marks on the way to a product state, by automaton; nothing where the automaton has stopped.
    marks: Vec<Vec<Option<Marks>>>,
    /// The model's choice of each of the product's.
    origin: Vec<u32>,
    /// Steps so far, up to the largest bound.
    steps: Vec<u32>,
}

/// What the choices of the product earn.
struct Earnings<'a> {
    joint: &'a Joint,
    objectives: &'a [Objective],
    /// The state that each choice belongs to.
    owner: Vec<u32>,
}

impl<'a> Earnings<'a> {
    fn new(joint: &'a Joint, objectives: &'a [Objective]) -> Earnings<'a> {
        let mut owner = vec![0u32; joint.model.rows.len() - 1];
        for state in 0..joint.model.states() {
            owner[joint.model.choices_of(state)].fill(state as u32);
        }
        Earnings {
            joint,
            objectives,
            owner,
        }
    }

    /// What a choice earns for an objective.
    fn of(&self, choice: usize, objective: &Objective) -> Rational {
        let Goal::Earn {
            rewards,
            negated,
            steps,
        } = &objective.goal
        else {
            return Rational::ZERO;
        };
        if steps.is_some_and(|steps| self.joint.steps[self.owner[choice] as usize] >= steps) {
            return Rational::ZERO;
        }
        let number = (self.joint.model.numbers).exact(rewards[self.joint.origin[choice] as usize]);
        if *negated { -number.clone() } else { number.clone() }
    }

    /// Whether a choice earns or costs anything for some objective.
    fn any(&self, choice: usize) -> bool {
        (self.objectives.iter()).any(|objective| !self.of(choice, objective).is_zero())
    }

    /// Whether a choice earns something positive for some objective.
    fn some_gain(&self, choice: usize) -> bool {
        (self.objectives.iter()).any(|objective| self.of(choice, objective) > Rational::ZERO)
    }
}

/// The values of a point as they were asked for.
fn as_asked(objectives: &[Objective], point: &[Rational]) -> Vec<Rational> {
    let values = point.iter().zip(objectives);
    values
        .map(|(value, objective)| objective.as_asked(value))
        .collect()
}

/// The parts of a partition of the states: the given sets, then every other state by itself; and the part of each state.
fn blocks<'s>(sets: impl Iterator<Item = &'s [u32]>, size: usize) -> (Vec<u32>, Vec<Vec<u32>>) {
    let mut block = vec![u32::MAX; size];
    let mut members: Vec<Vec<u32>> = Vec::new();
    for states in sets {
        for &state in states {
            block[state as usize] = members.len() as u32;
        }
        members.push(states.to_vec());
    }
    for (state, block) in block.iter_mut().enumerate() {
        if *block == u32::MAX {
            *block = members.len() as u32;
            members.push(vec![state as u32]);
        }
    }
    (block, members)
}

impl Workshop<'_> {
    /// The search for what schedulers can do for several objectives.
    fn search(&mut self, parts: &[Property], budget: &Budget) -> Result<(Search, Vec<Objective>), Trouble> {
        let [initial] = self.model.initial[..] else {
            return Err(Trouble::Unsupported(
                "several objectives need one initial state".to_owned(),
            ));
        };
        let mut automata: Vec<(Automaton, Vec<FixedBitSet>)> = Vec::new();
        let mut objectives = Vec::new();
        for part in parts {
            objectives.push(self.objective(part, &mut automata, budget)?);
        }
        if automata.len() > MOST_FORMULAS {
            return Err(Trouble::Unsupported(format!(
                "more than {MOST_FORMULAS} path formulas in one multi(…)"
            )));
        }
        for (automaton, sets) in &automata {
            self.observers.push(observer(automaton, sets.len()));
        }
        let bounds = objectives.iter().filter_map(|objective| match objective.goal {
            Goal::Earn { steps, .. } => steps,
            Goal::Accept(_) => None,
        });
        let joint = self.joint(initial, &automata, bounds.max(), budget)?;
        let stopping = self.stopping(joint, &automata, &objectives, budget)?;
        Ok((Search::new(stopping, budget)?, objectives))
    }

    /// Several objectives: whether they can be met together, how good one can be while the others are met, or the Pareto points.
    pub(crate) fn objectives(&mut self, parts: &[Property], budget: &Budget) -> Result<Values, Trouble> {
        let (mut search, objectives) = self.search(parts, budget)?;
        let asked: Vec<usize> = (0..objectives.len())
            .filter(|&at| objectives[at].bound.is_none())
            .collect();
        let limits: Vec<Option<(Rational, bool)>> = objectives
            .iter()
            .map(|objective| objective.bound.clone())
            .collect();
        let values = match asked[..] {
            [] => {
                let mut set = FixedBitSet::with_capacity(self.size());
                set.set_range(.., search.achievable(&limits, budget)?);
                Values::Truth(set.into())
            }
            [one] => match search.best(one, &limits, budget)? {
                Achieved::Best(value) => {
                    let value = objectives[one].as_asked(&value);
                    Values::Numbers(Bracket::Exact(vec![Some(value); self.size()]))
                }
                Achieved::Nothing => {
                    Values::Nothing("no scheduler meets the bounds of the other objectives".to_owned())
                }
            },
            [first, second] if objectives.len() == 2 => {
                let points = search.pareto(first, second, budget)?;
                let shown = |point: &Vec<Rational>| as_asked(&objectives, point);
                Values::Pareto(points.iter().map(shown).collect())
            }
            _ if asked.len() == objectives.len() && asked.len() <= MOST_IN_FRONTS => {
                let points = search.front(budget)?;
                let shown = |point: &Vec<Rational>| as_asked(&objectives, point);
                Values::Pareto(points.iter().map(shown).collect())
            }
            _ => {
                return Err(Trouble::Unsupported(format!(
                    "Pareto points of more than {MOST_IN_FRONTS} objectives, or with further bounds, are not supported"
                )));
            }
        };
        self.achievements.push(search.achievements(budget)?);
        Ok(values)
    }

    /// Objectives in order of importance: each is made as good as it can be while those before it stay as good as they are.
    pub(crate) fn in_order(&mut self, parts: &[Property], budget: &Budget) -> Result<Values, Trouble> {
        let (mut search, objectives) = self.search(parts, budget)?;
        if objectives.iter().any(|objective| objective.bound.is_some()) {
            return Err(Trouble::Unsupported(
                "the objectives of multilex(…) ask for values (`=?`), not for bounds".to_owned(),
            ));
        }
        let mut limits: Vec<Option<(Rational, bool)>> = vec![None; objectives.len()];
        for at in 0..objectives.len() {
            let Achieved::Best(value) = search.best(at, &limits, budget)? else {
                return Err(Trouble::Undecided("an objective has no best value".to_owned()));
            };
            limits[at] = Some((value, false));
        }
        let values: Vec<Rational> = limits.into_iter().flatten().map(|(value, _)| value).collect();
        let values = Values::Pareto(vec![as_asked(&objectives, &values)]);
        self.achievements.push(search.achievements(budget)?);
        Ok(values)
    }

    fn objective(
        &mut self,
        part: &Property,
        automata: &mut Vec<(Automaton, Vec<FixedBitSet>)>,
        budget: &Budget,
    ) -> Result<Objective, Trouble> {
        let (optimum, query) = match part {
            Property::Probability { optimum, query, .. } | Property::Reward { optimum, query, .. } => {
                (*optimum, query)
            }
            _ => {
                let message = "the objectives of multi(…) are probabilities and rewards".to_owned();
                return Err(Trouble::Unsupported(message));
            }
        };
        // A bound is to be met by one scheduler for all objectives: P>=p asks for a large probability.
        let turned = match query {
            Query::Value => optimum == Some(Optimum::Min),
            Query::Compare(threshold) => threshold.comparison.is_upper(),
        };
        let limit = match query {
            Query::Value => None,
            Query::Compare(threshold) => {
                use entail_markov::Comparison::{Gt, Lt};
                let strict = matches!(threshold.comparison, Gt | Lt);
                Some((threshold.bound.clone(), strict))
            }
        };
        let probability = matches!(part, Property::Probability { .. });
        let goal = match part {
            Property::Probability { path, .. } => {
                let negated = Path::Not(Box::new(path.clone()));
                let path = if turned { &negated } else { path };
                let (formula, sets) = self.formula(path, budget)?;
                automata.push((deterministic(&formula, budget)?, sets));
                Goal::Accept(automata.len() - 1)
            }
            Property::Reward { structure, kind, .. } => {
                let steps = match kind {
                    RewardKind::Total => None,
                    RewardKind::Cumulative(steps) if !self.network.kind.is_timed() => Some(
                        u32::try_from(steps.clone())
                            .map_err(|_| Trouble::Unsupported("too many steps".to_owned()))?,
                    ),
                    _ => {
                        let message =
                            "rewards in multi(…) are total ones, or over a number of steps (C, C<=k)";
                        return Err(Trouble::Unsupported(message.to_owned()));
                    }
                };
                Goal::Earn {
                    rewards: self.choice_rewards(*structure, budget)?,
                    negated: turned,
                    steps,
                }
            }
            _ => return Err(Trouble::Unsupported("an objective of another kind".to_owned())),
        };
        let bound = limit.map(|(bound, strict)| match (turned, probability) {
            (false, _) => (bound, strict),
            (true, true) => (Rational::ONE - bound, strict),
            (true, false) => (-bound, strict),
        });
        Ok(Objective {
            goal,
            turned,
            probability,
            bound,
        })
    }

    /// The product from a state, breadth first.
    fn joint(
        &mut self,
        initial: u32,
        automata: &[(Automaton, Vec<FixedBitSet>)],
        bound: Option<u32>,
        budget: &Budget,
    ) -> Result<Joint, Trouble> {
        const LOST: u32 = u32::MAX;
        let letters: Vec<Vec<u64>> = (automata.iter())
            .map(|(automaton, sets)| crate::linear::letters(automaton, sets, self.size()))
            .collect();
        // An automaton's move: from a state with a letter, to a state with the marks on the way.
        type Moves = FxHashMap<(u32, u64), (u32, Option<Marks>)>;
        let mut moves: Vec<Moves> = vec![Moves::default(); automata.len()];
        let mut follow = |at: usize, state: u32, letter: u64| {
            *moves[at].entry((state, letter)).or_insert_with(|| {
                let step = match state {
                    LOST => None,
                    state => automata[at].0.successors(State(state), letter).next(),
                };
                step.map_or((LOST, None), |(next, marks)| (next.0, Some(marks)))
            })
        };
        // A product state: the model's state, the steps so far, and for each automaton its state and the marks on the way.
        type Key = (u32, u32, Vec<(u32, Option<Marks>)>);
        let mut numbers: FxHashMap<Key, u32> = FxHashMap::default();
        let mut found: Vec<Key> = Vec::new();
        let mut number = |found: &mut Vec<Key>, key: Key| {
            *numbers.entry(key).or_insert_with_key(|key| {
                found.push(key.clone());
                (found.len() - 1) as u32
            })
        };
        let begin = (0..automata.len())
            .map(|at| {
                let state = automata[at].0.initial().first().map_or(LOST, |state| state.0);
                follow(at, state, letters[at][initial as usize])
            })
            .collect();
        number(&mut found, (initial, 0, begin));
        let mut model = Sparse::empty(self.model.kind, &self.network);
        let mut origin = Vec::new();
        let mut at = 0;
        while at < found.len() {
            budget.check()?;
            if found.len() > MOST_STATES {
                return Err(Trouble::TooMany(MOST_STATES));
            }
            let (state, steps, of_automata) = found[at].clone();
            let later = bound.map_or(0, |bound| (steps + 1).min(bound));
            for choice in self.model.choices_of(state as usize) {
                for transition in self.model.row(choice) {
                    let target = self.model.targets[transition];
                    let next = (of_automata.iter().enumerate())
                        .map(|(at, &(state, _))| follow(at, state, letters[at][target as usize]))
                        .collect();
                    model.targets.push(number(&mut found, (target, later, next)));
                    model.values.push(self.model.values[transition]);
                }
                model.rows.push(model.targets.len() as u32);
                origin.push(choice as u32);
            }
            model.choices.push(origin.len() as u32);
            at += 1;
        }
        model.initial = vec![0];
        model.numbers = self.model.numbers.clone();
        let steps = found.iter().map(|key| key.1).collect();
        let marks = found
            .into_iter()
            .map(|(_, _, of_automata)| of_automata.into_iter().map(|(_, marks)| marks).collect())
            .collect();
        Ok(Joint {
            model,
            marks,
            origin,
            steps,
        })
    }

    /// The process in which schedulers stop.
    fn stopping(
        &self,
        joint: Joint,
        automata: &[(Automaton, Vec<FixedBitSet>)],
        objectives: &[Objective],
        budget: &Budget,
    ) -> Result<Stopping, Trouble> {
        let product = &joint.model;
        let size = product.states();
        let earnings = Earnings::new(&joint, objectives);
        let mut everywhere = FixedBitSet::with_capacity(size);
        everywhere.insert_range(..);
        for component in end_components(product, &everywhere, &|_| true, budget)? {
            if (component.choices.iter()).any(|&choice| earnings.some_gain(choice as usize)) {
                return Err(Trouble::Unsupported(
                    "a reward that is to be large can become infinite".to_owned(),
                ));
            }
        }
        let free = end_components(product, &everywhere, &|choice| !earnings.any(choice), budget)?;
        let (block, members) = blocks(free.iter().map(|component| &component.states[..]), size);
        let won = won_together(
            &joint,
            automata,
            &block[..],
            free.len(),
            &|choice| !earnings.any(choice),
            budget,
        )?;
        let end = members.len() as u32;
        let mut model = Sparse::empty(self.model.kind, &self.network);
        let mut numbers = product.numbers.clone();
        let (mut gains, mut origin) = (Vec::new(), Vec::new());
        for (at, states) in members.iter().enumerate() {
            for &state in states {
                for choice in product.choices_of(state as usize) {
                    budget.check()?;
                    let inside = |&target: &u32| block[target as usize] == at as u32;
                    if at < free.len()
                        && !earnings.any(choice)
                        && product.targets_of(choice).iter().all(inside)
                    {
                        continue;
                    }
                    let mut targets: Vec<(u32, Num)> = Vec::new();
                    for transition in product.row(choice) {
                        let target = block[product.targets[transition] as usize];
                        let value = product.values[transition];
                        match targets.iter_mut().find(|(known, _)| *known == target) {
                            Some((_, sum)) => *sum = numbers.add(*sum, value),
                            None => targets.push((target, value)),
                        }
                    }
                    for (target, value) in targets {
                        model.targets.push(target);
                        model.values.push(value);
                    }
                    model.rows.push(model.targets.len() as u32);
                    origin.push(Origin::Choice(choice as u32));
                    gains.push(
                        objectives
                            .iter()
                            .map(|objective| earnings.of(choice, objective))
                            .collect(),
                    );
                }
            }
            for &set in won.get(at).into_iter().flatten() {
                model.targets.push(end);
                model.values.push(Numbers::ONE);
                model.rows.push(model.targets.len() as u32);
                origin.push(Origin::Stay(set));
                let gain = |objective: &Objective| match objective.goal {
                    Goal::Accept(automaton) if set >> automaton & 1 == 1 => Rational::ONE,
                    _ => Rational::ZERO,
                };
                gains.push(objectives.iter().map(gain).collect());
            }
            model.choices.push((model.rows.len() - 1) as u32);
        }
        // The end stays where it is.
        model.targets.push(end);
        model.values.push(Numbers::ONE);
        model.rows.push(model.targets.len() as u32);
        gains.push(vec![Rational::ZERO; objectives.len()]);
        model.choices.push((model.rows.len() - 1) as u32);
        model.numbers = numbers;
        origin.push(Origin::End);
        let free = (0..product.rows.len() - 1).map(|choice| !earnings.any(choice));
        let free = free.collect();
        Ok(Stopping {
            model,
            earned: gains,
            initial: block[0] as usize,
            origin,
            free,
            block,
            product: joint.model,
        })
    }
}

/// For each free component (by block): the largest sets of automata that some end component in it satisfies together, as bits. The empty set
/// stands alone where nothing is won.
fn won_together(
    joint: &Joint,
    automata: &[(Automaton, Vec<FixedBitSet>)],
    block: &[u32],
    blocks: usize,
    allowed: &dyn Fn(usize) -> bool,
    budget: &Budget,
) -> Result<Vec<Vec<u32>>, Trouble> {
    let mut won: Vec<Vec<u32>> = vec![Vec::new(); blocks];
    let disjuncts: Vec<Vec<(Marks, Marks)>> = automata
        .iter()
        .map(|(automaton, _)| automaton.acceptance().disjuncts())
        .collect();
    let mut sets: Vec<u32> = (1..1u32 << automata.len()).collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.count_ones()));
    for set in sets {
        let inside: Vec<usize> = (0..automata.len()).filter(|at| set >> at & 1 == 1).collect();
        let mut at = vec![0usize; inside.len()];
        'combinations: loop {
            budget.check_now()?;
            if inside.iter().any(|&automaton| disjuncts[automaton].is_empty()) {
                break;
            }
            let wanted: Vec<(usize, Marks, Marks)> = (inside.iter().zip(&at))
                .map(|(&automaton, &at)| (automaton, disjuncts[automaton][at].0, disjuncts[automaton][at].1))
                .collect();
            let mut states = FixedBitSet::with_capacity(block.len());
            for (state, marks) in joint.marks.iter().enumerate() {
                let fine = |&(automaton, never, _): &(usize, Marks, Marks)| {
                    marks[automaton].is_some_and(|marks| marks.common(never).is_empty())
                };
                states.set(state, (block[state] as usize) < blocks && wanted.iter().all(fine));
            }
            for component in end_components(&joint.model, &states, allowed, budget)? {
                let all = wanted.iter().all(|&(automaton, _, again)| {
                    let seen = component.states.iter().fold(Marks::NONE, |seen, &state| {
                        seen.with(joint.marks[state as usize][automaton].unwrap_or(Marks::NONE))
                    });
                    again.subset(seen)
                });
                let own = &mut won[block[component.states[0] as usize] as usize];
                if all && !own.iter().any(|&known| known & set == set) {
                    own.push(set);
                }
            }
            for (position, &automaton) in at.iter_mut().zip(&inside).rev() {
                *position += 1;
                if *position < disjuncts[automaton].len() {
                    continue 'combinations;
                }
                *position = 0;
            }
            break;
        }
    }
    for own in &mut won {
        if own.is_empty() {
            own.push(0);
        }
    }
    Ok(won)
}
