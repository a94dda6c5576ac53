//! Comparing two networks: timed and time-abstract (bi)simulation, and inclusion of timed words in a deterministic network.
//!
//! The classes of pairs of states are regions: for timed relations of the clocks of both networks together (Čerāns 1992), so that one delay lets time pass for both; for time-abstract ones of each by itself.
//! A game is played on them: one side moves, the other answers with a move of the same name. All pairs that plays reach are listed, and those from which somebody wins by moves that have no answer outside
//! of them are found backwards from where there is none, in time linear in the number of moves and answers. That number is exponential in the number of clocks.
//!
//! Inclusion of finite timed words (all states accept) is a game, too, if at most one step of a name can be taken at a time: then the answer leaves nothing open. A second network that can no longer wait is
//! replaced by nothing, which answers no step.
//!
//! A region is stored as the whole part of each clock and the rank of its fraction, 0 for none; a clock beyond the largest constant is one more than it, without a fraction.

use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete, Trouble};
use entail_clocks::evidence::Time;
use entail_clocks::pairs::{Challenge, Correspondence, Pair, TimedRelation};
use entail_clocks::{EdgeId, Network, Rational, Statement};
use hashbrown::HashMap;
use std::ops::Range;

/// Pairs, at most.
const MOST_PAIRS: usize = 3_000_000;

/// A clock: its whole part, and the rank of its fraction.
type Part = (i64, u32);

/// A class of pairs of states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Position {
    states: [Option<Discrete>; 2],
    clocks: Vec<Part>,
}

/// A move and its answers, by position.
struct Turn {
    challenge: Challenge,
    answers: Vec<usize>,
}

/// The choice of a beginning, by position, of the second side if so, and the positions with which it is answered.
type Opening = (usize, bool, Vec<usize>);

/// The move that wins at a position, and after how many rounds.
type Winning = Option<(usize, u32)>;

/// Two networks side by side.
struct Board<'n> {
    networks: [&'n Network; 2],
    relation: TimedRelation,
    /// The largest constant.
    most: i64,
    numbers: HashMap<Position, usize>,
    positions: Vec<Position>,
    turns: Vec<Vec<Turn>>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// Networks of this kind are not compared so.
    Unsupported(String),
    /// Code of one of the models goes wrong: of the second, if so.
    Model(bool, Trouble),
    /// The budget is spent, or there are too many pairs.
    Spent(String),
}

impl From<entail_budget::Spent> for Refusal {
    fn from(spent: entail_budget::Spent) -> Refusal {
        Refusal::Spent(spent.to_string())
    }
}

/// How two networks are related.
#[derive(Clone, Debug)]
pub struct Related {
    /// Why.
    pub correspondence: Correspondence,
    /// Number of classes of pairs.
    pub pairs: usize,
    /// Where the two are not related, a play in which the answers hold out as long as they can.
    pub play: Vec<(Pair, Challenge)>,
}

/// Compares two networks.
pub fn compare(
    first: &Network,
    second: &Network,
    relation: TimedRelation,
    budget: &Budget,
) -> Result<Related, Refusal> {
    let networks = [first, second];
    let mut most = 0;
    for network in networks {
        most = most.max(largest_constant(network)?);
    }
    if relation == TimedRelation::Inclusion && networks.into_iter().any(uses_silent) {
        return Err(Refusal::Unsupported(
            "inclusion is decided for networks whose steps all have names, and edges without a channel have none"
                .to_owned(),
        ));
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
    board.explore(budget)?;
    let ranks = board.lost(budget)?;
    Ok(Related {
        correspondence: board.correspondence(&openings, &ranks),
        play: board.play(&openings, &ranks),
        pairs: board.positions.len(),
    })
}

/// Whether an edge has no name.
fn uses_silent(network: &Network) -> bool {
    network
        .edges
        .iter()
        .any(|edge| network.events[edge.event].starts_with('τ'))
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
            let is_none = |name: &entail_clocks::ClockName| *name == entail_clocks::ClockName::one(0);
            compares_two |= !is_none(left) && !is_none(right);
        });
    }
    if !network.stopwatches.is_empty() {
        let message = "networks with stopwatches are not compared with others";
        return Err(Refusal::Unsupported(message.to_owned()));
    }
    if compares_two {
        let message = "networks that compare differences of clocks are not compared with others";
        return Err(Refusal::Unsupported(message.to_owned()));
    }
    fn updates(list: &[Statement], note: &mut dyn FnMut(&Statement)) {
        for statement in list {
            note(statement);
            match statement {
                Statement::If(_, then, otherwise) => {
                    updates(then, note);
                    updates(otherwise, note);
                }
                Statement::While(_, body) => updates(body, note),
                Statement::Call { function, .. } => updates(&function.body, note),
                _ => {}
            }
        }
    }
    let mut copies = false;
    for edge in &network.edges {
        updates(&edge.action, &mut |statement| {
            if let Statement::Clock { source, offset, .. } = statement {
                copies |= *source != entail_clocks::ClockName::one(0);
                let (low, high) = offset.range(&ranges);
                most = most.max(low.abs()).max(high.abs());
            }
        });
    }
    match copies {
        true => Err(Refusal::Unsupported(
            "networks that copy clocks are not compared with others".to_owned(),
        )),
        false if most > 10_000 => Err(Refusal::Unsupported(format!(
            "clocks are compared with {most}: there are too many regions"
        ))),
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

    fn trouble(second: bool) -> impl Fn(Trouble) -> Refusal {
        move |trouble| Refusal::Model(second, trouble)
    }

    /// The beginnings of both sides, and for each move that chooses one the answers.
    fn openings(&mut self) -> Result<Vec<Opening>, Refusal> {
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
            for (number, own) in starts[side].iter().enumerate() {
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
                    return Err(Refusal::Unsupported(
                        "inclusion is decided where the second network is deterministic, and it has several beginnings"
                            .to_owned(),
                    ));
                }
                openings.push((number, second, answers));
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
        let mut found = Vec::new();
        let holds = network
            .invariant(state, &mut found)
            .map_err(Self::trouble(second))?;
        Ok(holds && found.iter().all(|one| self.holds(second, one, clocks)))
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

    /// The steps of a side: names, edges, and where they lead.
    fn steps(
        &self,
        position: &Position,
        second: bool,
    ) -> Result<Vec<(String, Vec<EdgeId>, Position)>, Refusal> {
        let side = usize::from(second);
        let network = self.networks[side];
        let Some(state) = &position.states[side] else {
            return Ok(Vec::new());
        };
        let trouble = Self::trouble(second);
        let mut found = Vec::new();
        for joint in network.joints(state).map_err(&trouble)? {
            let (mut guard, edges) = (joint.side, joint.edges);
            if !network
                .guard(&edges, &state.integers, &mut guard)
                .map_err(&trouble)?
                || !guard.iter().all(|one| self.holds(second, one, &position.clocks))
            {
                continue;
            }
            let mut updates = Vec::new();
            let Some(next) = network.act(&edges, state, &mut updates).map_err(&trouble)? else {
                continue;
            };
            let mut clocks = position.clocks.clone();
            let own = self.own(second).start;
            for update in &updates {
                clocks[own + update.target - 1] = (update.offset, 0);
            }
            if !self.meets(second, &next, &clocks)? {
                continue;
            }
            self.normal(&mut clocks);
            let mut states = position.states.clone();
            states[side] = Some(next);
            found.push((network.action_name(&edges), edges, Position { states, clocks }));
        }
        Ok(found)
    }

    /// Whether a side can wait until its clocks have these values.
    fn can_wait(&self, position: &Position, second: bool, later: &[Part]) -> Result<bool, Refusal> {
        let side = usize::from(second);
        let Some(state) = &position.states[side] else {
            return Ok(false);
        };
        let may = self.networks[side]
            .may_delay(state)
            .map_err(Self::trouble(second))?;
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

    /// Lists all positions with their moves and answers.
    fn explore(&mut self, budget: &Budget) -> Result<(), Refusal> {
        let sides: &[bool] = if self.relation.is_symmetric() {
            &[false, true]
        } else {
            &[false]
        };
        let mut at = 0;
        while at < self.positions.len() {
            let is_large = self.positions.len() > MOST_PAIRS;
            if let Some(reason) = match budget.check() {
                Err(spent) => Some(spent.to_string()),
                Ok(()) => is_large.then(|| "there are too many".to_owned()),
            } {
                return Err(Refusal::Spent(format!(
                    "{reason}: {} pairs of regions were found, {} of them looked at; regions grow exponentially with the clocks ({} and {} here) and with the constants (up to {} here)",
                    self.positions.len(),
                    at,
                    self.networks[0].clocks.len(),
                    self.networks[1].clocks.len(),
                    self.most,
                )));
            }
            let position = self.positions[at].clone();
            let mut turns = Vec::new();
            for &second in sides {
                for (name, edges, next) in self.steps(&position, second)? {
                    let mut answers: Vec<Position> = Vec::new();
                    for (other, _, answer) in self.steps(&next, !second)? {
                        if other == name && !answers.contains(&answer) {
                            answers.push(answer);
                        }
                    }
                    if self.relation == TimedRelation::Inclusion && answers.len() > 1 {
                        return Err(Refusal::Unsupported(format!(
                            "inclusion is decided where the second network is deterministic, and several of its steps are named `{name}` at the same moment"
                        )));
                    }
                    turns.push((edges, second, answers));
                }
                if let Some(answers) = self.waits(&position, second)? {
                    turns.push((Vec::new(), second, answers));
                }
            }
            let mut numbered = Vec::new();
            for (edges, by_second, answers) in turns {
                numbered.push(Turn {
                    challenge: Challenge { by_second, edges },
                    answers: answers
                        .into_iter()
                        .map(|position| self.number(position))
                        .collect(),
                });
            }
            self.turns.push(numbered);
            at += 1;
        }
        Ok(())
    }

    /// For each position the move that wins there, and after how many rounds; nothing where every move has an answer.
    fn lost(&self, budget: &Budget) -> Result<Vec<Winning>, Refusal> {
        let mut lost: Vec<Winning> = vec![None; self.positions.len()];
        // For each position the moves to which it is an answer, and for each move how many answers are left.
        let mut answered: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.positions.len()];
        let mut open: Vec<Vec<usize>> = Vec::new();
        let mut queue = std::collections::VecDeque::new();
        for (position, turns) in self.turns.iter().enumerate() {
            open.push(turns.iter().map(|turn| turn.answers.len()).collect());
            for (number, turn) in turns.iter().enumerate() {
                for &answer in &turn.answers {
                    answered[answer].push((position, number));
                }
                if turn.answers.is_empty() && lost[position].is_none() {
                    lost[position] = Some((number, 1));
                    queue.push_back(position);
                }
            }
        }
        while let Some(position) = queue.pop_front() {
            budget.check()?;
            let rank = lost[position].map_or(0, |(_, rank)| rank);
            for &(before, number) in &answered[position] {
                open[before][number] -= 1;
                if open[before][number] == 0 && lost[before].is_none() {
                    lost[before] = Some((number, rank + 1));
                    queue.push_back(before);
                }
            }
        }
        Ok(lost)
    }

    /// A point of a class.
    fn pair(&self, number: usize) -> Pair {
        let position = &self.positions[number];
        let highest = position.clocks.iter().map(|clock| clock.1).max().unwrap_or(0);
        let value = |&(whole, rank): &Part| {
            Time(Rational::from(whole) + Rational::from(rank) / Rational::from(highest + 1))
        };
        Pair {
            states: (
                position.states[0].clone().unwrap_or_else(|| Discrete {
                    locations: Vec::new(),
                    integers: Vec::new(),
                }),
                position.states[1].clone(),
            ),
            clocks: position.clocks.iter().map(value).collect(),
        }
    }

    /// A play that is lost as late as possible.
    fn play(&self, openings: &[Opening], lost: &[Winning]) -> Vec<(Pair, Challenge)> {
        let latest = |answers: &[usize]| {
            let ranked = answers.iter().map(|&answer| Some((lost[answer]?.1, answer)));
            ranked
                .collect::<Option<Vec<_>>>()
                .map(|all| all.into_iter().max())
        };
        let mut play = Vec::new();
        let opening = openings
            .iter()
            .find_map(|(.., answers)| latest(answers))
            .flatten();
        let mut at = opening.map(|(_, position)| position);
        while let Some(position) = at
            && let Some((turn, _)) = lost[position]
        {
            let turn = &self.turns[position][turn];
            play.push((self.pair(position), turn.challenge.clone()));
            at = latest(&turn.answers).flatten().map(|(_, position)| position);
        }
        play
    }

    fn correspondence(&self, openings: &[Opening], lost: &[Winning]) -> Correspondence {
        let is_lost = |answers: &[usize]| answers.iter().all(|&answer| lost[answer].is_some());
        let mut kept = vec![false; self.positions.len()];
        let mut list: Vec<usize> = Vec::new();
        let mut keep = |number: usize, list: &mut Vec<usize>| {
            if !std::mem::replace(&mut kept[number], true) {
                list.push(number);
            }
        };
        let lost_opening = openings.iter().find(|(.., answers)| is_lost(answers));
        if let Some((number, second, answers)) = lost_opening {
            answers.iter().for_each(|&answer| keep(answer, &mut list));
            let mut at = 0;
            while at < list.len() {
                if let Some((turn, _)) = lost[list[at]] {
                    for &answer in &self.turns[list[at]][turn].answers {
                        keep(answer, &mut list);
                    }
                }
                at += 1;
            }
            list.sort_by_key(|&position| std::cmp::Reverse(lost[position].map_or(0, |(_, rank)| rank)));
            let entry = |&position: &usize| {
                let turn = lost[position].map_or(0, |(turn, _)| turn);
                (self.pair(position), self.turns[position][turn].challenge.clone())
            };
            return Correspondence::Unrelated {
                most: self.most,
                start: (*number, *second),
                pairs: list.iter().map(entry).collect(),
            };
        }
        let good = |answers: &[usize]| answers.iter().copied().find(|&answer| lost[answer].is_none());
        for (.., answers) in openings {
            if let Some(answer) = good(answers) {
                keep(answer, &mut list);
            }
        }
        let mut at = 0;
        while at < list.len() {
            for turn in &self.turns[list[at]] {
                if let Some(answer) = good(&turn.answers) {
                    keep(answer, &mut list);
                }
            }
            at += 1;
        }
        Correspondence::Related {
            most: self.most,
            pairs: list.iter().map(|&position| self.pair(position)).collect(),
        }
    }
}
