//! Comparing two networks on regions, for small networks and tests: timed and time-abstract (bi)simulation, and inclusion of timed words in a deterministic network.
//!
//! The classes of pairs of states are regions: for timed relations of the clocks of both networks together (Čerāns 1992), so that one delay lets time pass for both; for time-abstract ones of each by itself.
//! A game is played on them: one side moves, the other answers with a move of the same name. All pairs that plays reach are listed, and those from which somebody wins are found backwards from where there is no answer.
//!
//! Inclusion of finite timed words (all states accept) is a game, too, if at most one step of a name can be taken at a time: then the answer leaves nothing open. A second network that can no longer wait is
//! replaced by nothing, which answers no step.
//!
//! A region is stored as the whole part of each clock and the rank of its fraction, 0 for none; a clock beyond the largest constant is one more than it, without a fraction.

use crate::discrete::{ClockConstraint, Discrete, Trouble};
use crate::pairs::TimedRelation;
use crate::{ClockName, Meaning, Network, Statement};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// Pairs, at most.
const MOST_PAIRS: usize = 300_000;

/// A clock: its whole part, and the rank of its fraction.
type Part = (i64, u32);

/// A class of pairs of states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Position {
    states: [Option<Discrete>; 2],
    clocks: Vec<Part>,
}

/// The positions that answer a move.
type Answers = Vec<usize>;

/// Two networks side by side.
struct Board<'n> {
    networks: [&'n Network; 2],
    relation: TimedRelation,
    /// The largest constant.
    most: i64,
    numbers: HashMap<Position, usize>,
    positions: Vec<Position>,
    turns: Vec<Vec<Answers>>,
}

/// Why there is no answer.
type Refusal = String;

fn wrong(trouble: Trouble) -> Refusal {
    trouble.fault.to_string()
}

/// Whether two networks are related, or why that is not told.
pub fn are_related(first: &Network, second: &Network, relation: TimedRelation) -> Result<bool, String> {
    let networks = [first, second];
    let mut most = 0;
    for network in networks {
        most = most.max(largest_constant(network)?);
    }
    let is_silent =
        |network: &Network| (network.edges.iter()).any(|edge| network.events[edge.event].starts_with('τ'));
    if relation == TimedRelation::Inclusion && networks.into_iter().any(is_silent) {
        return Err("steps have no names".to_owned());
    }
    let mut board = Board {
        networks,
        relation,
        most,
        numbers: HashMap::new(),
        positions: Vec::new(),
        turns: Vec::new(),
    };
    let openings = board.openings()?;
    board.explore()?;
    let lost = board.lost();
    Ok(!(openings.iter()).any(|answers| answers.iter().all(|&answer| lost[answer])))
}

/// The largest constant that clocks are compared with or set to; refuses what regions do not tell apart.
fn largest_constant(network: &Network) -> Result<i64, Refusal> {
    let ranges = network.ranges();
    let (mut most, mut compares_two) = (0, false);
    let conditions = (network.locations.iter().map(|one| &one.invariant))
        .chain(network.edges.iter().map(|one| &one.guard));
    for condition in conditions.flatten() {
        condition.visit_clocks(&mut |left, right, _, bound| {
            let (low, high) = bound.range(&ranges);
            most = most.max(low.abs()).max(high.abs());
            let is_none = |name: &ClockName| *name == ClockName::one(0);
            compares_two |= !is_none(left) && !is_none(right);
        });
    }
    let mut copies = false;
    for edge in &network.edges {
        for statement in &edge.action {
            if let Statement::Clock { source, offset, .. } = statement {
                copies |= *source != ClockName::one(0);
                let (low, high) = offset.range(&ranges);
                most = most.max(low.abs()).max(high.abs());
            }
        }
    }
    match copies || compares_two || !network.stopwatches.is_empty() {
        true => Err("regions do not tell this apart".to_owned()),
        false => Ok(most),
    }
}

impl<'n> Board<'n> {
    /// The clocks of a side.
    fn own(&self, second: bool) -> Range<usize> {
        let first = self.networks[0].clocks.len();
        match second {
            false => 0..first,
            true => first..first + self.networks[1].clocks.len(),
        }
    }

    fn number(&mut self, position: Position) -> usize {
        let next = self.positions.len();
        let entry = self.numbers.entry(position);
        *entry.or_insert_with_key(|position| {
            self.positions.push(position.clone());
            next
        })
    }

    /// The answers to each choice of a beginning.
    fn openings(&mut self) -> Result<Vec<Answers>, Refusal> {
        let mut starts = [Vec::new(), Vec::new()];
        let clocks = vec![(0, 0); self.own(true).end];
        for second in [false, true] {
            let side = usize::from(second);
            for state in self.networks[side].initial() {
                if self.meets(second, &state, &clocks)? {
                    starts[side].push(state);
                }
            }
        }
        let pair = |first: &Discrete, second: &Discrete| Position {
            states: [Some(first.clone()), Some(second.clone())],
            clocks: clocks.clone(),
        };
        let mut openings = Vec::new();
        for second in [false, true] {
            if second && !self.relation.is_symmetric() {
                break;
            }
            let side = usize::from(second);
            for own in &starts[side] {
                let mut answers = Vec::new();
                for other in &starts[1 - side] {
                    let position = if second {
                        pair(other, own)
                    } else {
                        pair(own, other)
                    };
                    answers.push(self.number(position));
                }
                if self.relation == TimedRelation::Inclusion && answers.len() > 1 {
                    return Err("the second network has several beginnings".to_owned());
                }
                openings.push(answers);
            }
        }
        Ok(openings)
    }

    /// Whether a constraint holds of the clocks of a side.
    fn holds(&self, second: bool, constraint: &ClockConstraint, clocks: &[Part]) -> bool {
        let own = &clocks[self.own(second)];
        match (constraint.left, constraint.right) {
            (0, 0) => constraint.bound > 0 || constraint.bound == 0 && !constraint.strict,
            (0, right) => {
                let ((whole, rank), least) = (own[right - 1], -constraint.bound);
                whole > least || whole == least && (!constraint.strict || rank > 0)
            }
            (left, _) => {
                let (whole, rank) = own[left - 1];
                whole < constraint.bound || whole == constraint.bound && !constraint.strict && rank == 0
            }
        }
    }

    fn meets(&self, second: bool, state: &Discrete, clocks: &[Part]) -> Result<bool, Refusal> {
        let network = self.networks[usize::from(second)];
        let found = Meaning::invariant(network, state).map_err(wrong)?;
        Ok(found.is_some_and(|all| all.iter().all(|one| self.holds(second, one, clocks))))
    }

    /// Ranks without gaps, together or of each side by itself; clocks beyond the largest constant in their one form.
    fn normal(&self, clocks: &mut [Part]) {
        let (first, second) = (self.own(false), self.own(true));
        let groups = match self.relation.is_abstract() {
            false => [0..clocks.len(), 0..0],
            true => [first, second],
        };
        for group in groups {
            for clock in &mut clocks[group.clone()] {
                if clock.0 > self.most || clock.0 == self.most && clock.1 > 0 {
                    *clock = (self.most + 1, 0);
                }
            }
            let mut ranks: Vec<u32> = clocks[group.clone()].iter().map(|clock| clock.1).collect();
            ranks.push(0);
            ranks.sort_unstable();
            ranks.dedup();
            for clock in &mut clocks[group] {
                clock.1 = ranks.partition_point(|&rank| rank < clock.1) as u32;
            }
        }
    }

    /// The clocks of a range a little later, in the next region; the same if all are beyond the largest constant.
    fn later(&self, clocks: &[Part], range: Range<usize>) -> Vec<Part> {
        let mut later = clocks.to_vec();
        let counts = |clock: &Part| clock.0 <= self.most;
        let own = &mut later[range];
        if own.iter().any(|clock| counts(clock) && clock.1 == 0) {
            own.iter_mut()
                .filter(|clock| counts(clock))
                .for_each(|clock| clock.1 += 1);
        } else if let Some(last) = own
            .iter()
            .filter(|clock| counts(clock))
            .map(|clock| clock.1)
            .max()
        {
            let at_the_end = own
                .iter_mut()
                .filter(|clock| clock.0 <= self.most && clock.1 == last);
            at_the_end.for_each(|clock| *clock = (clock.0 + 1, 0));
        }
        self.normal(&mut later);
        later
    }

    /// The steps of a side: names, and where they lead.
    fn steps(&self, position: &Position, second: bool) -> Result<Vec<(String, Position)>, Refusal> {
        let side = usize::from(second);
        let network = self.networks[side];
        let Some(state) = &position.states[side] else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for step in network.moves(state).map_err(wrong)? {
            let hold = |all: &[ClockConstraint], clocks: &[Part]| {
                all.iter().all(|one| self.holds(second, one, clocks))
            };
            if !hold(&step.guard, &position.clocks) {
                continue;
            }
            let next = step.target.map_err(wrong)?;
            let mut clocks = position.clocks.clone();
            let own = self.own(second).start;
            for update in &step.updates {
                clocks[own + update.target - 1] = (update.offset, 0);
            }
            if !hold(&step.invariant, &clocks) {
                continue;
            }
            self.normal(&mut clocks);
            let mut states = position.states.clone();
            states[side] = Some(next);
            found.push((network.action_name(&step.edges), Position { states, clocks }));
        }
        Ok(found)
    }

    /// Whether a side can wait until its clocks have these values.
    fn can_wait(&self, position: &Position, second: bool, later: &[Part]) -> Result<bool, Refusal> {
        let side = usize::from(second);
        let Some(state) = &position.states[side] else {
            return Ok(false);
        };
        let may = self.networks[side].may_delay(state).map_err(wrong)?;
        Ok(may && self.meets(second, state, later)?)
    }

    /// Where the other side may be after a delay of one.
    fn waits(&self, position: &Position, second: bool) -> Result<Option<Vec<Position>>, Refusal> {
        let with = |clocks: Vec<Part>| Position {
            states: position.states.clone(),
            clocks,
        };
        if !self.relation.is_abstract() {
            let later = self.later(&position.clocks, 0..position.clocks.len());
            if !self.can_wait(position, second, &later)? {
                return Ok(None);
            }
            if self.can_wait(position, !second, &later)? {
                return Ok(Some(vec![with(later)]));
            }
            // The word may go on, but not with the second network.
            return Ok(Some(match self.relation {
                TimedRelation::Inclusion => {
                    let mut clocks = later;
                    let own = self.own(true);
                    clocks[own].fill((self.most + 1, 0));
                    self.normal(&mut clocks);
                    vec![Position {
                        states: [position.states[0].clone(), None],
                        clocks,
                    }]
                }
                _ => Vec::new(),
            }));
        }
        let later = self.later(&position.clocks, self.own(second));
        if later == position.clocks || !self.can_wait(position, second, &later)? {
            return Ok(None);
        }
        let mut answers = vec![with(later.clone())];
        let mut clocks = later;
        loop {
            let next = self.later(&clocks, self.own(!second));
            if next == clocks || !self.can_wait(position, !second, &next)? {
                return Ok(Some(answers));
            }
            answers.push(with(next.clone()));
            clocks = next;
        }
    }

    /// Lists all positions with the answers to each move.
    fn explore(&mut self) -> Result<(), Refusal> {
        let sides: &[bool] = if self.relation.is_symmetric() {
            &[false, true]
        } else {
            &[false]
        };
        let mut at = 0;
        while at < self.positions.len() {
            if self.positions.len() > MOST_PAIRS {
                return Err("there are too many pairs of regions".to_owned());
            }
            let position = self.positions[at].clone();
            let mut turns = Vec::new();
            for &second in sides {
                for (name, next) in self.steps(&position, second)? {
                    let mut answers: Vec<Position> = Vec::new();
                    for (other, answer) in self.steps(&next, !second)? {
                        if other == name && !answers.contains(&answer) {
                            answers.push(answer);
                        }
                    }
                    if self.relation == TimedRelation::Inclusion && answers.len() > 1 {
                        return Err("the second network is not deterministic".to_owned());
                    }
                    turns.push(answers);
                }
                turns.extend(self.waits(&position, second)?);
            }
            let mut numbered = Vec::new();
            for answers in turns {
                let answers = answers.into_iter().map(|position| self.number(position));
                numbered.push(answers.collect());
            }
            self.turns.push(numbered);
            at += 1;
        }
        Ok(())
    }

    /// The positions from which somebody wins.
    fn lost(&self) -> Vec<bool> {
        let mut lost = vec![false; self.positions.len()];
        // For each position the moves to which it is an answer, and for each move how many answers are left.
        let mut answered: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.positions.len()];
        let mut open: Vec<Vec<usize>> = Vec::new();
        let mut queue = VecDeque::new();
        for (position, turns) in self.turns.iter().enumerate() {
            open.push(turns.iter().map(Vec::len).collect());
            for (number, answers) in turns.iter().enumerate() {
                for &answer in answers {
                    answered[answer].push((position, number));
                }
                if answers.is_empty() && !lost[position] {
                    lost[position] = true;
                    queue.push_back(position);
                }
            }
        }
        while let Some(position) = queue.pop_front() {
            for &(before, number) in &answered[position] {
                open[before][number] -= 1;
                if open[before][number] == 0 && !lost[before] {
                    lost[before] = true;
                    queue.push_back(before);
                }
            }
        }
        lost
    }
}
