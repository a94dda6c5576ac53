//! Nested questions, judged by local conditions on where their parts hold.
//!
//! The evidence lists all that is reachable; that it is closed under waiting, steps and setting the clocks of intervals is shown first, and everything else is looked at within it. Where conditions, and what joins formulas, hold is computed here. Of the two operators
//! about runs the evidence says where they hold, and ranks show why:
//!
//! - `E[ p U q ]` is the least set closed backwards. It is closed: whatever waits within `p` for `q`, or for a step into the set, is in it. And it is no larger: whatever has rank k waits for `q`, or for a step to a rank below k.
//! - `E[] p` is the largest set closed forwards. What has a rank is not in it: it cannot stay in `p` but by a step to what has a smaller rank, so not for ever. What satisfies `p` and has none stays, waiting for an end of the run or for a step to what
//!   satisfies `p` and has none either.
//!
//! Sets are unions of matrices, which are subtracted bound by bound.

use crate::deadlock;
use crate::matrix::Matrix;
use crate::within::{Within, both, without};
use crate::{Objection, cover};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete};
use entail_clocks::evidence::{BranchingSets, CoverNodes};
use entail_clocks::{Branching, Meaning, Move, Nested, Network};
use std::collections::{BTreeSet, HashMap};

/// For each discrete state: a union of matrices.
type Sets = Vec<Vec<Matrix>>;

/// What steps are to lead into, in a discrete state.
type Into<'i> = dyn Fn(usize) -> Result<Vec<Matrix>, Objection> + 'i;

/// A discrete state, and what the model says of it.
struct State {
    discrete: Discrete,
    invariant: Vec<ClockConstraint>,
    may_delay: bool,
    moves: Vec<Move>,
    /// All that is reachable in it, and perhaps more.
    reached: Vec<Matrix>,
}

struct Judge<'j> {
    meaning: &'j dyn Meaning,
    network: &'j Network,
    asked: &'j Branching,
    states: Vec<State>,
    numbers: HashMap<Discrete, usize>,
    /// The sets of operators about runs that were not looked at yet.
    sets: std::slice::Iter<'j, CoverNodes>,
    budget: &'j Budget,
}

/// Checks whether a nested question is answered by yes or no, as the evidence says.
pub fn is_so(
    meaning: &dyn Meaning,
    network: &Network,
    asked: &Branching,
    evidence: &BranchingSets,
    budget: &Budget,
) -> Result<(), Objection> {
    let mut judge = Judge {
        meaning,
        network,
        asked,
        states: Vec::new(),
        numbers: HashMap::new(),
        sets: evidence.sets.iter(),
        budget,
    };
    judge.read(&evidence.reached)?;
    judge.is_closed()?;
    let holds = judge.holds(&asked.formula)?;
    if judge.sets.next().is_some() {
        return Err("there are more sets than operators".into());
    }
    let mut everywhere = true;
    for (discrete, zone) in cover::starts(meaning, network)? {
        let state = judge.number(&discrete)?;
        everywhere &= without(vec![zone], &holds[state])?.is_empty();
    }
    match everywhere == evidence.holds {
        true => Ok(()),
        false => Err("the sets say the opposite about the initial states".into()),
    }
}

/// The parts of some matrices that lie in others.
fn meet(left: &[Matrix], right: &[Matrix]) -> Vec<Matrix> {
    let with = |one: &Matrix| {
        right
            .iter()
            .filter_map(|other| both(one, other))
            .collect::<Vec<_>>()
    };
    left.iter().flat_map(with).collect()
}

impl Judge<'_> {
    fn number(&self, discrete: &Discrete) -> Result<usize, Objection> {
        let number = self.numbers.get(discrete).copied();
        number.ok_or_else(|| "a reachable discrete state is missing".into())
    }

    fn matrix(&self, nodes: &CoverNodes, number: usize) -> Result<Matrix, Objection> {
        let node = nodes.get(number);
        let matrix = Matrix::read(self.network.dimension(), &node.zone);
        matrix.ok_or_else(|| "a zone is empty or malformed".into())
    }

    /// Reads what is reachable.
    fn read(&mut self, reached: &CoverNodes) -> Result<(), Objection> {
        for number in 0..reached.len() {
            let discrete = reached.discrete(number);
            let matrix = self.matrix(reached, number)?;
            let state = match self.numbers.get(&discrete) {
                Some(&state) => state,
                None => {
                    cover::is_of_model(self.network, &discrete.locations, &discrete.integers)?;
                    let invariant = self.meaning.invariant(&discrete)?;
                    let state = State {
                        invariant: invariant.ok_or("an invariant is false")?,
                        may_delay: self.meaning.may_delay(&discrete)?,
                        moves: self.meaning.moves(&discrete)?,
                        reached: Vec::new(),
                        discrete: discrete.clone(),
                    };
                    self.states.push(state);
                    self.numbers.insert(discrete, self.states.len() - 1);
                    self.states.len() - 1
                }
            };
            self.states[state].reached.push(matrix);
        }
        Ok(())
    }

    fn contains(&self, discrete: &Discrete, zone: Matrix) -> Result<(), Objection> {
        let state = &self.states[self.number(discrete)?];
        match state.reached.iter().any(|one| zone.is_within(one))
            || without(vec![zone], &state.reached)?.is_empty()
        {
            true => Ok(()),
            false => Err("something reachable is missing".into()),
        }
    }

    /// Checks that what is said to be reachable contains the initial states and all that they lead to.
    fn is_closed(&self) -> Result<(), Objection> {
        for (discrete, zone) in cover::starts(self.meaning, self.network)? {
            self.contains(&discrete, zone)?;
        }
        for state in &self.states {
            for zone in &state.reached {
                self.budget.check()?;
                let mut waited = zone.clone();
                if !waited.cut_all(&state.invariant) {
                    return Err("an invariant does not hold in what is reachable".into());
                }
                if state.may_delay {
                    waited.rise();
                    let _ = waited.cut_all(&state.invariant);
                }
                for &clock in &self.asked.clocks {
                    let mut set = waited.clone();
                    set.set(&to_zero(clock));
                    self.contains(&state.discrete, set)?;
                }
                for step in &state.moves {
                    if let Some((next, after)) = cover::taken(step, &waited)? {
                        self.contains(&next, after)?;
                    }
                }
                self.contains(&state.discrete, waited)?;
            }
        }
        Ok(())
    }

    fn each(
        &self,
        mut of: impl FnMut(usize, &State) -> Result<Vec<Matrix>, Objection>,
    ) -> Result<Sets, Objection> {
        let states = self.states.iter().enumerate();
        states
            .map(|(number, state)| {
                self.budget.check()?;
                of(number, state)
            })
            .collect()
    }

    /// Where a formula holds.
    fn holds(&mut self, formula: &Nested) -> Result<Sets, Objection> {
        match formula {
            Nested::Condition(number) => self.each(|_, state| {
                let cases = self
                    .meaning
                    .satisfying(&self.asked.conditions, *number, &state.discrete)?;
                let case = |case: &Vec<ClockConstraint>| {
                    let mut whole = deadlock::everything(self.network.dimension());
                    whole.cut_all(case).then_some(whole)
                };
                let cases: Vec<Matrix> = cases.iter().filter_map(case).collect();
                Ok(meet(&state.reached, &cases))
            }),
            Nested::Not(inner) => {
                let holds = self.holds(inner)?;
                self.each(|number, state| without(state.reached.clone(), &holds[number]))
            }
            Nested::And(parts) => {
                let mut all = self.each(|_, state| Ok(state.reached.clone()))?;
                for part in parts {
                    let holds = self.holds(part)?;
                    all = self.each(|number, _| Ok(distinct(meet(&all[number], &holds[number]))))?;
                }
                Ok(all)
            }
            Nested::Or(parts) => {
                let mut all = vec![Vec::new(); self.states.len()];
                for part in parts {
                    for (all, one) in all.iter_mut().zip(self.holds(part)?) {
                        all.extend(one);
                    }
                }
                Ok(all)
            }
            Nested::Fresh(clock, inner) => {
                let holds = self.holds(inner)?;
                self.each(|number, _| {
                    let before = |one: &Matrix| {
                        let mut one = one.clone();
                        one.unset(&to_zero(*clock)).then_some(one)
                    };
                    Ok(holds[number].iter().filter_map(before).collect())
                })
            }
            Nested::SomeUntil(from, to) => {
                let (from, to) = (self.holds(from)?, self.holds(to)?);
                let ranked = self.ranked()?;
                self.is_until(&from, &to, &ranked)?;
                self.each(|number, _| Ok(ranked[number].iter().map(|(_, one)| one.clone()).collect()))
            }
            Nested::SomeAlways(inner) => {
                let inside = self.holds(inner)?;
                let ranked = self.ranked()?;
                self.is_always(&inside, &ranked)
            }
        }
    }

    /// The next set of the evidence, with ranks.
    fn ranked(&mut self) -> Result<Vec<Vec<(u32, Matrix)>>, Objection> {
        let nodes = self.sets.next().ok_or("a set is missing")?;
        let mut found = vec![Vec::new(); self.states.len()];
        for number in 0..nodes.len() {
            let state = self.number(&nodes.discrete(number))?;
            found[state].push((nodes.rank(number), self.matrix(nodes, number)?));
        }
        Ok(found)
    }

    /// From where a step of a state leads into sets.
    fn before_step(&self, state: &State, into: &Into<'_>) -> Result<Vec<Matrix>, Objection> {
        let mut found = Vec::new();
        for step in &state.moves {
            // A step that nothing reachable can take may go wrong, or lead anywhere.
            let Ok(target) = &step.target else { continue };
            let Some(&target) = self.numbers.get(target) else {
                continue;
            };
            for mut one in into(target)? {
                let mut is_left = one.cut_all(&step.invariant);
                for update in step.updates.iter().rev() {
                    is_left = is_left && one.unset(update);
                }
                if is_left && one.cut_all(&step.guard) && one.cut_all(&state.invariant) {
                    found.push(one);
                }
            }
        }
        Ok(found)
    }

    /// From where waiting leads to targets, without what is bad before.
    fn before_wait(
        &self,
        state: &State,
        targets: &[Matrix],
        bad: &[Matrix],
    ) -> Result<Vec<Matrix>, Objection> {
        let within = waiting(state, bad);
        let mut found = Vec::new();
        for target in targets {
            found.extend(within.earlier(target)?);
        }
        Ok(found)
    }

    fn is_until(&self, from: &Sets, to: &Sets, ranked: &[Vec<(u32, Matrix)>]) -> Result<(), Objection> {
        for (number, state) in self.states.iter().enumerate() {
            let bad = without(without(state.reached.clone(), &from[number])?, &to[number])?;
            let before = |below: Option<u32>| -> Result<Vec<Matrix>, Objection> {
                self.budget.check()?;
                let into = |target: usize| Ok(below_rank(&ranked[target], below));
                let mut targets = to[number].clone();
                targets.extend(meet(&from[number], &self.before_step(state, &into)?));
                self.before_wait(state, &distinct(targets), &bad)
            };
            let own = below_rank(&ranked[number], None);
            if !without(meet(&before(None)?, &state.reached), &own)?.is_empty() {
                return Err("an until holds where the evidence denies it".into());
            }
            for rank in ranks(&ranked[number]) {
                let before = before(Some(rank))?;
                let claimed = of_rank(&ranked[number], rank);
                if !without(meet(&claimed, &state.reached), &before)?.is_empty() {
                    return Err("an until does not hold where the evidence claims it".into());
                }
            }
        }
        Ok(())
    }

    fn is_always(&self, inside: &Sets, ranked: &[Vec<(u32, Matrix)>]) -> Result<Sets, Objection> {
        let stays =
            self.each(|number, _| without(inside[number].clone(), &below_rank(&ranked[number], None)))?;
        for (number, state) in self.states.iter().enumerate() {
            let bad = without(state.reached.clone(), &inside[number])?;
            let ends = self.ends(state, &inside[number], &bad)?;
            let able = |into: &Into<'_>| -> Result<Vec<Matrix>, Objection> {
                self.budget.check()?;
                let mut targets = meet(&inside[number], &self.before_step(state, into)?);
                targets.extend(ends.clone());
                self.before_wait(state, &distinct(targets), &bad)
            };
            let staying = able(&|target| Ok(stays[target].clone()))?;
            if !without(meet(&stays[number], &state.reached), &staying)?.is_empty() {
                return Err("no run stays where the evidence claims it".into());
            }
            for rank in ranks(&ranked[number]) {
                let left =
                    |target: usize| without(inside[target].clone(), &below_rank(&ranked[target], Some(rank)));
                let can = able(&left)?;
                let denied = meet(&of_rank(&ranked[number], rank), &inside[number]);
                if !meet(&denied, &can).is_empty() {
                    return Err("a run stays where the evidence denies it".into());
                }
            }
        }
        Ok(stays)
    }

    /// Where a run may end within a set: no step is possible any more, or time passes for ever, and the time that is left passes within it.
    fn ends(&self, state: &State, inside: &[Matrix], bad: &[Matrix]) -> Result<Vec<Matrix>, Objection> {
        let within = waiting(state, bad);
        let mut lasting = Vec::new();
        for one in inside {
            lasting.extend(within.lasting(one)?);
        }
        if within.is_endless() {
            return Ok(lasting);
        }
        let able = deadlock::able(self.meaning, &state.discrete, self.network.dimension())?;
        without(lasting, &able)
    }
}

/// Waiting in a state, without what is bad.
fn waiting(state: &State, bad: &[Matrix]) -> Within {
    Within {
        invariant: state.invariant.clone(),
        may_delay: state.may_delay,
        parts: Vec::new(),
        opposite: bad.to_vec(),
    }
}

fn to_zero(clock: usize) -> ClockUpdate {
    ClockUpdate {
        target: clock,
        source: 0,
        offset: 0,
    }
}

/// Without those that lie within others.
fn distinct(all: Vec<Matrix>) -> Vec<Matrix> {
    let mut found: Vec<Matrix> = Vec::new();
    for one in all {
        if found.iter().any(|other| one.is_within(other)) {
            continue;
        }
        found.retain(|other| !other.is_within(&one));
        found.push(one);
    }
    found
}

fn ranks(all: &[(u32, Matrix)]) -> BTreeSet<u32> {
    all.iter().map(|one| one.0).collect()
}

fn of_rank(all: &[(u32, Matrix)], rank: u32) -> Vec<Matrix> {
    let own = all.iter().filter(|one| one.0 == rank);
    own.map(|one| one.1.clone()).collect()
}

/// What has a smaller rank, or any.
fn below_rank(all: &[(u32, Matrix)], rank: Option<u32>) -> Vec<Matrix> {
    let own = all.iter().filter(|one| rank.is_none_or(|rank| one.0 < rank));
    own.map(|one| one.1.clone()).collect()
}
