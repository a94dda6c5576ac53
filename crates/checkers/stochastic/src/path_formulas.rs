//! Path formulas: the automaton of the certificate is compared with the formula, the product is built again, its accepting end components are
//! found again, and the certificate's bracket must prove the probability of reaching them. CTL operators are computed from their definitions; of other
//! formulas behind `A` and `E` the automaton is compared, too, and the product searched for cycles that it accepts.

use crate::branching;
use crate::check::{Evaluation, NotConfirmed};
use crate::components::{end_components, strongly_connected};
use crate::formula::{self, Comparison, Linear};
use crate::numbers::complement;
use crate::operators;
use crate::product::{self, Reading, Unfolded};
use entail_budget::{Budget, Spent};
use entail_markov::{Bracket, Observer, Optimum, Path};
use std::collections::{HashMap, HashSet};

/// The values of a model's states, read off those of the product states in which they begin.
pub(crate) fn pulled_back(bracket: &Bracket, start: &[u32]) -> Bracket {
    let at = |&state: &u32| state as usize;
    match bracket {
        Bracket::Exact(values) => {
            Bracket::Exact(start.iter().map(|state| values[at(state)].clone()).collect())
        }
        Bracket::Between { lower, upper } => Bracket::Between {
            lower: start.iter().map(|state| lower[at(state)]).collect(),
            upper: start.iter().map(|state| upper[at(state)]).collect(),
        },
    }
}

impl Evaluation<'_> {
    /// A path formula over numbered sets, in the order in which it mentions them, equal ones once.
    fn numbered(&mut self, path: &Path, sets: &mut Vec<Vec<bool>>) -> Result<Linear, NotConfirmed> {
        let bounded = |bounds: &Option<entail_markov::Bounds>| match bounds {
            None => Ok(()),
            Some(_) => Err(NotConfirmed::Unchecked(
                "bounds inside of a path formula".to_owned(),
            )),
        };
        let two = |a: Linear, b: Linear| (Box::new(a), Box::new(b));
        Ok(match path {
            Path::State(states) => {
                let set = self.set(states)?;
                let at = sets.iter().position(|known| *known == set).unwrap_or_else(|| {
                    sets.push(set);
                    sets.len() - 1
                });
                Linear::Set(at)
            }
            Path::Not(inner) => Linear::Not(Box::new(self.numbered(inner, sets)?)),
            Path::Next(inner) => Linear::Next(Box::new(self.numbered(inner, sets)?)),
            Path::And(a, b) => {
                let (a, b) = two(self.numbered(a, sets)?, self.numbered(b, sets)?);
                Linear::And(a, b)
            }
            Path::Or(a, b) => {
                let (a, b) = two(self.numbered(a, sets)?, self.numbered(b, sets)?);
                Linear::Or(a, b)
            }
            Path::Implies(a, b) => {
                let (a, b) = two(self.numbered(a, sets)?, self.numbered(b, sets)?);
                Linear::Or(Box::new(Linear::Not(a)), b)
            }
            Path::Iff(a, b) => {
                let (a, b) = two(self.numbered(a, sets)?, self.numbered(b, sets)?);
                Linear::Iff(a, b)
            }
            Path::Finally(inner, bounds) => {
                let (always, inner) = two(Linear::True, self.numbered(inner, sets)?);
                bounded(bounds)?;
                Linear::Until(always, inner)
            }
            Path::Globally(inner, bounds) => {
                let (never, inner) = two(Linear::Not(Box::new(Linear::True)), self.numbered(inner, sets)?);
                bounded(bounds)?;
                Linear::Release(never, inner)
            }
            Path::Until(a, b, bounds) => {
                let (a, b) = two(self.numbered(a, sets)?, self.numbered(b, sets)?);
                bounded(bounds)?;
                Linear::Until(a, b)
            }
            Path::WeakUntil(a, b, bounds) => {
                let (a, b) = (self.numbered(a, sets)?, self.numbered(b, sets)?);
                bounded(bounds)?;
                let (b, either) = two(b.clone(), Linear::Or(Box::new(a), Box::new(b)));
                Linear::Release(b, either)
            }
            Path::Release(a, b, bounds) => {
                let (a, b) = two(self.numbered(a, sets)?, self.numbered(b, sets)?);
                bounded(bounds)?;
                Linear::Release(a, b)
            }
        })
    }

    /// The certificate's automaton for a formula, once it is known to be right.
    pub(crate) fn observer(&mut self, path: &Path) -> Result<(Observer, Vec<usize>), NotConfirmed> {
        let mut sets = Vec::new();
        let formula = self.numbered(path, &mut sets)?;
        let observer = self.next_observer()?.clone();
        if observer.steps.is_empty() {
            return Err(NotConfirmed::Unchecked(
                "the automaton of a path formula over many sets".to_owned(),
            ));
        }
        if observer.sets as usize != sets.len() {
            return Err(NotConfirmed::Wrong(
                "the automaton reads other sets than the formula".to_owned(),
            ));
        }
        match formula::compare(&observer, &formula, self.budget)? {
            Comparison::Same => {}
            Comparison::Different(why) => return Err(NotConfirmed::Wrong(why.to_owned())),
            Comparison::TooLarge => {
                return Err(NotConfirmed::Unchecked(
                    "a large automaton of a path formula".to_owned(),
                ));
            }
        }
        let letter = |state: usize| {
            (sets.iter().enumerate()).fold(0, |letter, (bit, set)| letter | usize::from(set[state]) << bit)
        };
        let letters = (0..self.size()).map(letter).collect();
        Ok((observer, letters))
    }

    /// The probability of a path formula.
    pub(crate) fn linear(&mut self, optimum: Optimum, path: &Path) -> Result<Bracket, NotConfirmed> {
        self.built_whole("a path formula with several operators")?;
        if optimum == Optimum::Min && self.checker.model.kind.has_choices() {
            let negated = Path::Not(Box::new(path.clone()));
            return Ok(complement(self.linear(Optimum::Max, &negated)?));
        }
        let (observer, letters) = self.observer(path)?;
        let budget = self.budget;
        let mut product = product::observed(&self.checker.model, &observer, &letters, budget)?;
        self.follow_reading(&letters, &mut product.model.rows)?;
        let size = product.keys.len();
        let mut winning = vec![false; size];
        for &(never, again) in &observer.acceptance {
            let allowed: Vec<bool> = (product.keys.iter())
                .map(|(_, (state, marks))| state.is_some() && marks & never == 0)
                .collect();
            let components = match self.fair {
                true => fair_components(&product, allowed, budget)?,
                false => end_components(&product.model.rows, &allowed, &|_, _| true, budget)?,
            };
            for component in components {
                let seen = component
                    .iter()
                    .fold(0, |seen, &state| seen | product.keys[state].1.1);
                if seen & again == again {
                    for state in component {
                        winning[state] = true;
                    }
                }
            }
        }
        let bracket = self.next_bracket()?.clone();
        let everywhere = vec![true; size];
        // Where there are no choices, the optimum is one over the probabilities of intervals.
        let asked = match self.checker.model.kind.has_choices() {
            true => Optimum::Max,
            false => optimum,
        };
        let asked = (asked, self.nature);
        let wrong = operators::until(&product.model, &everywhere, &winning, asked, &bracket, budget)?;
        let bracket = self.judged(&bracket, wrong)?;
        Ok(pulled_back(&bracket, &product.start))
    }

    /// The expected reward until a co-safe path formula is fulfilled: until the automaton accepts whatever comes.
    pub(crate) fn reward_until_path(
        &mut self,
        optimum: Optimum,
        structure: usize,
        path: &Path,
    ) -> Result<Bracket, NotConfirmed> {
        let (observer, letters) = self.observer(path)?;
        let budget = self.budget;
        let Some(universal) = formula::universal(&observer, budget)? else {
            return Err(NotConfirmed::Unchecked(
                "a large automaton of a path formula".to_owned(),
            ));
        };
        let mut product = product::observed(&self.checker.model, &observer, &letters, budget)?;
        self.follow_reading(&letters, &mut product.model.rows)?;
        let goal: Vec<bool> = (product.keys.iter())
            .map(|(_, (state, _))| state.is_some_and(|state| universal[state as usize]))
            .collect();
        let bracket = self.next_bracket()?.clone();
        let wrong = operators::reward(
            &product.model,
            structure,
            &goal,
            (optimum, self.nature),
            &bracket,
            budget,
        )?;
        let bracket = self.judged(&bracket, wrong)?;
        Ok(pulled_back(&bracket, &product.start))
    }

    /// The states from which some path satisfies a formula that is not CTL.
    fn some_path(&mut self, path: &Path) -> Result<Vec<bool>, NotConfirmed> {
        self.built_whole("a path formula with several operators")?;
        let (observer, letters) = self.observer(path)?;
        let budget = self.budget;
        let product = product::observed(&self.checker.model, &observer, &letters, budget)?;
        let size = product.keys.len();
        let mut accepting = vec![false; size];
        for &(never, again) in &observer.acceptance {
            let allowed: Vec<bool> = (product.keys.iter())
                .map(|(_, (state, marks))| state.is_some() && marks & never == 0)
                .collect();
            let next = |state: usize| {
                let rows = product.model.rows[state].iter();
                rows.flat_map(|row| row.targets.iter().map(|(target, _)| *target))
            };
            let inside = |state: usize| match allowed[state] {
                true => next(state).filter(|&target| allowed[target as usize]).collect(),
                false => Vec::new(),
            };
            let graph: Vec<Vec<u32>> = (0..size).map(inside).collect();
            let component = strongly_connected(&graph, budget)?;
            // A component has a cycle if one of its edges stays inside; it accepts if its states have all wanted marks.
            let mut seen: HashMap<u32, u64> = HashMap::new();
            let mut cyclic: HashSet<u32> = HashSet::new();
            for (state, targets) in graph.iter().enumerate() {
                *seen.entry(component[state]).or_insert(0) |= product.keys[state].1.1;
                if (targets.iter()).any(|&target| component[target as usize] == component[state]) {
                    cyclic.insert(component[state]);
                }
            }
            for state in 0..size {
                let own = &component[state];
                accepting[state] |= allowed[state] && cyclic.contains(own) && seen[own] & again == again;
            }
        }
        let leading = branching::exists_until(&product.model, &vec![true; size], &accepting, budget)?;
        Ok((product.start.iter())
            .map(|&state| leading[state as usize])
            .collect())
    }

    /// The states from which some path, or every path, satisfies a formula.
    pub(crate) fn branching(&mut self, path: &Path, some: bool) -> Result<Vec<bool>, NotConfirmed> {
        let refuse = |bounds: &Option<entail_markov::Bounds>| match bounds {
            None => Ok(()),
            Some(_) => Err(NotConfirmed::Unchecked("bounded CTL operators".to_owned())),
        };
        if !path.is_ctl() {
            if some {
                return self.some_path(path);
            }
            let wrong = self.some_path(&Path::Not(Box::new(path.clone())))?;
            return Ok(wrong.into_iter().map(|inside| !inside).collect());
        }
        let budget = self.budget;
        let mut states = |path: &Path| match path.as_state() {
            Some(states) => self.set(states),
            None => Err(NotConfirmed::Unchecked("formulas that are not CTL".to_owned())),
        };
        let (first, second) = match path {
            Path::State(inner) => return self.set(inner),
            Path::Not(inner) => {
                let set = self.branching(inner, !some)?;
                return Ok(set.into_iter().map(|inside| !inside).collect());
            }
            Path::Next(inner) => (states(inner)?, Vec::new()),
            Path::Finally(inner, bounds) | Path::Globally(inner, bounds) => {
                refuse(bounds)?;
                (states(inner)?, Vec::new())
            }
            Path::Until(a, b, bounds) | Path::WeakUntil(a, b, bounds) | Path::Release(a, b, bounds) => {
                refuse(bounds)?;
                (states(a)?, states(b)?)
            }
            _ => return Err(NotConfirmed::Unchecked("formulas that are not CTL".to_owned())),
        };
        let model = &self.checker.model;
        let (always, never) = (vec![true; first.len()], vec![false; first.len()]);
        Ok(match (path, some) {
            (Path::Next(_), true) => branching::exists_next(model, &first),
            (Path::Next(_), false) => branching::always_next(model, &first),
            (Path::Finally(..), true) => branching::exists_until(model, &always, &first, budget)?,
            (Path::Finally(..), false) => branching::always_until(model, &always, &first, budget)?,
            (Path::Globally(..), true) => branching::exists_weak(model, &first, &never, budget)?,
            (Path::Globally(..), false) => branching::always_weak(model, &first, &never, budget)?,
            (Path::Until(..), true) => branching::exists_until(model, &first, &second, budget)?,
            (Path::Until(..), false) => branching::always_until(model, &first, &second, budget)?,
            (Path::WeakUntil(..), true) => branching::exists_weak(model, &first, &second, budget)?,
            (Path::WeakUntil(..), false) => branching::always_weak(model, &first, &second, budget)?,
            (_, true) => branching::exists_release(model, &first, &second, budget)?,
            (_, false) => branching::always_release(model, &first, &second, budget)?,
        })
    }
}

/// The largest end components among some states of a product in which a fair scheduler can stay. It takes every choice of a state of the model that it sees again and again, though not
/// in every state of the automaton: in the component each choice of the model's state stays inside from some state of the product over it.
fn fair_components(
    product: &Unfolded<Reading>,
    mut allowed: Vec<bool>,
    budget: &Budget,
) -> Result<Vec<Vec<usize>>, Spent> {
    let rows = &product.model.rows;
    loop {
        let components = end_components(rows, &allowed, &|_, _| true, budget)?;
        let mut unfair = Vec::new();
        for component in &components {
            budget.check()?;
            let inside: HashSet<usize> = component.iter().copied().collect();
            let mut over: HashMap<u32, Vec<usize>> = HashMap::new();
            for &state in component {
                over.entry(product.keys[state].0).or_default().push(state);
            }
            for states in over.values() {
                let taken = |choice: usize| {
                    states.iter().any(|&state| {
                        let targets = &rows[state][choice].targets;
                        targets
                            .iter()
                            .all(|(target, _)| inside.contains(&(*target as usize)))
                    })
                };
                if !(0..rows[states[0]].len()).all(taken) {
                    unfair.extend_from_slice(states);
                }
            }
        }
        if unfair.is_empty() {
            return Ok(components);
        }
        for state in unfair {
            allowed[state] = false;
        }
    }
}
