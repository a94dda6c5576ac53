//! Games: whether a strategy wins, whether the opponent wins.
//!
//! A strategy is a set of nodes. Let W(r) be the states in nodes of rank at most r, or all of them where nothing has to be reached. For a node of rank r the *ground* is what may be entered by a step: W(r - 1),
//! or all of W. It must be shown that a node that takes a step takes it into the ground, from all of its states; that a node that waits gets, without leaving W(r), to where the game is won, to a smaller rank, to
//! a node of its rank that takes a step, or to the end of time where the opponent has to move or, if nothing has to be reached, the run may end; and that in all states on the way the opponent's steps lead into
//! the ground and nothing is lost. So each step leads to smaller ranks, and as there are finitely many, the controller wins; where nothing has to be reached, no run leaves W.
//!
//! That the opponent wins is shown by a set of states from each of which one move of the controller, a wait and a step, leads into the set again, or lets the opponent lead there, even if the controller wins everywhere outside. Where
//! losing is what ends the game, only smaller ranks count as lost.
//!
//! The opponent may take a step at any moment, also when the controller takes one. Values before a wait are computed by [`Within`].

use crate::deadlock::{able, everything};
use crate::matrix::Matrix;
use crate::within::{Within, both, without};
use crate::{Objection, cover};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{CoverNodes, Strategy};
use entail_clocks::{EdgeId, Meaning, Move, Network, Query};
use std::collections::HashMap;

/// A node of evidence.
pub(crate) struct Node<'e> {
    pub zone: Matrix,
    pub rank: u32,
    pub takes: &'e [EdgeId],
}

/// The nodes of evidence by discrete state, in the order of their ranks.
pub(crate) type Nodes<'e> = HashMap<Discrete, Vec<Node<'e>>>;

/// A discrete state.
struct Position<'g> {
    game: &'g Game<'g>,
    discrete: Discrete,
    whole: Matrix,
    invariant: Vec<ClockConstraint>,
    may_delay: bool,
    moves: Vec<(Move, Matrix)>,
    won: Vec<Matrix>,
    lost: Vec<Matrix>,
}

/// What is played.
struct Game<'g> {
    meaning: &'g dyn Meaning,
    query: &'g Query,
    must_win: bool,
    size: usize,
}

/// Reads the nodes of evidence, with the steps that are taken in them.
pub(crate) fn read<'e>(
    network: &Network,
    nodes: &CoverNodes,
    choices: Option<&'e [Vec<EdgeId>]>,
    budget: &Budget,
) -> Result<Nodes<'e>, Objection> {
    let mut found: Nodes<'e> = HashMap::new();
    for (number, node) in nodes.iter().enumerate() {
        budget.check()?;
        cover::is_of_model(network, &node.locations, &node.integers)?;
        let zone = Matrix::read(network.dimension(), &node.zone).ok_or("a zone is empty or malformed")?;
        let takes = match choices {
            Some(choices) => choices.get(number).ok_or("a node has no choice")?.as_slice(),
            None => &[],
        };
        let discrete = Discrete {
            locations: node.locations,
            integers: node.integers,
        };
        found.entry(discrete).or_default().push(Node {
            zone,
            rank: node.rank,
            takes,
        });
    }
    found
        .values_mut()
        .for_each(|nodes| nodes.sort_by_key(|node| node.rank));
    Ok(found)
}

/// The zones of nodes with ranks below a limit.
pub(crate) fn below<'n>(nodes: Option<&'n Vec<Node<'_>>>, limit: u64) -> Vec<&'n Matrix> {
    let nodes = nodes.into_iter().flatten();
    let small = nodes.take_while(|node| u64::from(node.rank) < limit);
    small.map(|node| &node.zone).collect()
}

/// The values before a step that lead into a matrix; nothing if there are none.
pub(crate) fn earlier(step: &Move, into: &Matrix, invariant: &[ClockConstraint]) -> Option<Matrix> {
    let mut values = into.clone();
    let is_left = values.cut_all(&step.invariant)
        && step.updates.iter().rev().all(|update| values.unset(update))
        && values.cut_all(&step.guard)
        && values.cut_all(invariant);
    is_left.then_some(values)
}

fn is_start_in(nodes: &Nodes<'_>, discrete: &Discrete, zone: &Matrix) -> bool {
    let mut nodes = nodes.get(discrete).into_iter().flatten();
    nodes.any(|node| zone.is_within(&node.zone))
}

impl<'g> Game<'g> {
    fn position(&'g self, discrete: &Discrete) -> Result<Position<'g>, Objection> {
        let meaning = self.meaning;
        let invariant = meaning.invariant(discrete)?;
        let invariant = invariant.ok_or("a node does not meet the invariant")?;
        let mut whole = everything(self.size);
        if !whole.cut_all(&invariant) {
            return Err("a node does not meet the invariant".into());
        }
        let condition = |position: usize| -> Result<Vec<Matrix>, Objection> {
            let mut parts = Vec::new();
            for conjunction in meaning.satisfying(self.query.formulas(), position, discrete)? {
                if conjunction.iter().any(|one| one.about_deadlock().is_some()) {
                    return Err("deadlocks occur in a game".into());
                }
                let mut part = whole.clone();
                if part.cut_all(&conjunction) {
                    parts.push(part);
                }
            }
            Ok(parts)
        };
        let (won, lost) = (condition(0)?, condition(1)?);
        let mut moves = Vec::new();
        for step in meaning.moves(discrete)? {
            if let Some(enabled) = earlier(&step, &everything(self.size), &invariant) {
                step.target.clone()?;
                moves.push((step, enabled));
            }
        }
        Ok(Position {
            game: self,
            discrete: discrete.clone(),
            may_delay: meaning.may_delay(discrete)?,
            whole,
            invariant,
            moves,
            won,
            lost,
        })
    }
}

impl Position<'_> {
    fn within(&self, opposite: Vec<Matrix>) -> Within {
        Within {
            invariant: self.invariant.clone(),
            may_delay: self.may_delay,
            parts: Vec::new(),
            opposite,
        }
    }

    /// From where a step leads into nodes of its target with ranks below a limit.
    fn before_nodes(&self, step: &Move, nodes: &Nodes<'_>, limit: u64) -> Result<Vec<Matrix>, Objection> {
        let target = step.target.clone()?;
        let into = below(nodes.get(&target), limit);
        Ok((into.into_iter())
            .filter_map(|zone| earlier(step, zone, &self.invariant))
            .collect())
    }

    /// From where waiting to the end of time is good as far as steps are concerned: all time that may pass avoids what is bad.
    fn tail(&self, bad: &Within) -> Result<Vec<Matrix>, Objection> {
        let mut found = Vec::new();
        if bad.is_endless() {
            if !self.game.must_win {
                found = bad.lasting(&self.whole)?;
            }
            return Ok(found);
        }
        let opposing = self.moves.iter().filter(|(step, _)| !step.controllable);
        let opposing: Vec<Matrix> = opposing.map(|(_, enabled)| enabled.clone()).collect();
        let elsewhere = self.within(without(vec![self.whole.clone()], &opposing)?);
        for one in &opposing {
            for last in elsewhere.lasting(one)? {
                found.extend(bad.lasting(&last)?);
            }
        }
        if !self.game.must_win {
            let able = able(self.game.meaning, &self.discrete, self.game.size)?;
            for stuck in without(vec![self.whole.clone()], &able)? {
                found.extend(bad.lasting(&stuck)?);
            }
        }
        if self.may_delay {
            return Ok(found);
        }
        without(found, &bad.opposite)
    }

    /// The values from which some wait leads to a target and never to what is bad.
    fn waits(&self, targets: Vec<Matrix>, bad: &Within) -> Result<Vec<Matrix>, Objection> {
        let mut found = Vec::new();
        for target in without(targets, &bad.opposite)? {
            found.extend(bad.earlier(&target)?);
        }
        Ok(found)
    }

    /// What is lost, or where the opponent has a step that may be lost; not where the game is won.
    fn bad(&self, dangers: Vec<Matrix>) -> Result<Vec<Matrix>, Objection> {
        let mut bad = without(dangers, &self.won)?;
        bad.extend(without(self.lost.clone(), &self.won)?);
        Ok(bad)
    }

    /// Checks the nodes of one rank of a strategy; `limit` is above the ranks of the ground.
    fn plays_well(&self, nodes: &Nodes<'_>, rank: u32, limit: u64) -> Result<(), Objection> {
        let own = nodes.get(&self.discrete).map_or(&[][..], Vec::as_slice);
        let mut dangers = Vec::new();
        for (step, enabled) in self.moves.iter().filter(|(step, _)| !step.controllable) {
            let into = self.before_nodes(step, nodes, limit)?;
            dangers.extend(without(vec![enabled.clone()], &into)?);
        }
        let mut bad = self.bad(dangers)?;
        let mut targets = self.won.clone();
        let of_rank = || own.iter().filter(|node| node.rank == rank);
        for node in of_rank().filter(|node| !node.takes.is_empty()) {
            self.takes_well(node, nodes, limit)?;
            if bad.iter().any(|bad| both(bad, &node.zone).is_some()) {
                return Err("a step of the strategy is taken where the opponent may do harm".into());
            }
            targets.push(node.zone.clone());
        }
        if self.game.must_win {
            targets.extend(below(nodes.get(&self.discrete), limit).into_iter().cloned());
        }
        let played: Vec<Matrix> = below(nodes.get(&self.discrete), u64::from(rank) + 1)
            .into_iter()
            .cloned()
            .collect();
        bad.extend(without(vec![self.whole.clone()], &played)?);
        let bad = self.within(bad);
        targets.extend(self.tail(&bad)?);
        let wins = self.waits(targets, &bad)?;
        for node in of_rank().filter(|node| node.takes.is_empty()) {
            let inside = both(&node.zone, &self.whole).into_iter().collect();
            if !without(inside, &wins)?.is_empty() {
                return Err("waiting as the strategy says does not win".into());
            }
        }
        Ok(())
    }

    /// Checks that a step is the controller's, can be taken in all of a node, and leads into the ground.
    fn takes_well(&self, node: &Node<'_>, nodes: &Nodes<'_>, limit: u64) -> Result<(), Objection> {
        let mut left: Vec<Matrix> = both(&node.zone, &self.whole).into_iter().collect();
        for (step, enabled) in self.moves.iter().filter(|(step, _)| step.edges == node.takes) {
            if !step.controllable {
                return Err("the strategy takes a step that is not the controller's".into());
            }
            let into = self.before_nodes(step, nodes, limit)?;
            let taken: Vec<Matrix> = both(&node.zone, enabled).into_iter().collect();
            if !without(taken, &into)?.is_empty() {
                return Err("a step of the strategy does not lead to where it wins".into());
            }
            left = without(left, std::slice::from_ref(enabled))?;
        }
        match left.is_empty() {
            true => Ok(()),
            false => Err("a step of the strategy cannot be taken".into()),
        }
    }

    /// Checks that one move of the controller does not win from the nodes of one rank, even if everything is won but the nodes with ranks below a limit.
    fn is_hopeless(&self, nodes: &Nodes<'_>, rank: u32, limit: u64) -> Result<(), Objection> {
        let (mut dangers, mut targets) = (Vec::new(), self.won.clone());
        for (step, enabled) in &self.moves {
            let into = self.before_nodes(step, nodes, limit)?;
            match step.controllable {
                true => targets.extend(without(vec![enabled.clone()], &into)?),
                false => dangers.extend(into),
            }
        }
        let bad = self.within(self.bad(dangers)?);
        targets.extend(self.tail(&bad)?);
        let wins = self.waits(targets, &bad)?;
        let own = nodes.get(&self.discrete).into_iter().flatten();
        for node in own.filter(|node| node.rank == rank) {
            if wins.iter().any(|wins| both(wins, &node.zone).is_some()) {
                return Err("the controller can win from where it is said to lose".into());
            }
        }
        Ok(())
    }
}

/// The ranks of nodes, each once; only one of them where ranks mean nothing.
fn ranks(nodes: &[Node<'_>]) -> Vec<u32> {
    let mut ranks: Vec<u32> = nodes.iter().map(|node| node.rank).collect();
    ranks.dedup();
    ranks
}

/// Checks that a strategy wins.
pub fn is_won(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    must_win: bool,
    strategy: &Strategy,
    budget: &Budget,
) -> Result<(), Objection> {
    let nodes = read(network, &strategy.winning, Some(&strategy.choices), budget)?;
    let game = Game {
        meaning,
        query,
        must_win,
        size: network.dimension(),
    };
    for (discrete, zone) in cover::starts(meaning, network)? {
        if !is_start_in(&nodes, &discrete, &zone) {
            return Err("the strategy does not begin where the game does".into());
        }
    }
    for (discrete, own) in &nodes {
        let position = game.position(discrete)?;
        for rank in ranks(own) {
            budget.check()?;
            let limit = if must_win { u64::from(rank) } else { u64::MAX };
            position.plays_well(&nodes, rank, limit)?;
        }
    }
    Ok(())
}

/// Checks that the opponent wins.
pub fn is_spoiled(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    must_win: bool,
    losing: &CoverNodes,
    budget: &Budget,
) -> Result<(), Objection> {
    let nodes = read(network, losing, None, budget)?;
    let game = Game {
        meaning,
        query,
        must_win,
        size: network.dimension(),
    };
    let starts = cover::starts(meaning, network)?;
    let is_lost = |(discrete, zone): &(Discrete, Matrix)| is_start_in(&nodes, discrete, zone);
    if !starts.iter().any(is_lost) {
        return Err("the opponent is said to win, but not from the start".into());
    }
    for (discrete, own) in &nodes {
        let position = game.position(discrete)?;
        for rank in ranks(own) {
            budget.check()?;
            let limit = if must_win { u64::MAX } else { u64::from(rank) };
            position.is_hopeless(&nodes, rank, limit)?;
        }
    }
    Ok(())
}
