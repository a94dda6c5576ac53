//! Words of the first network, and the states of the second that they lead to.
//!
//! **A run of the first whose word is none of the second**: all states of the second, with exact clock values, are followed along the word, until there are none.
//!
//! **Every word is one of the second**: for each set of the list, and each step of the first after any wait, the values from which steps of the same name lead some states of the set, together with the first, into a set
//! of the list: all values from which the step can be taken must be among them. What a step does is put into the bounds of the set it leads to: a clock there is a clock before the step plus a number, or a number.

use super::Judge;
use crate::Objection;
use crate::cover::is_of_model;
use crate::matrix::{FREE, Matrix};
use crate::replay::{Exact, beginning, meet};
use crate::within::{both, without};
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete};
use entail_clocks::evidence::Run;
use entail_clocks::pairs::WordZone;
use entail_clocks::{Move, Network, Rational};
use std::collections::HashMap;

/// Steps without a name would belong to no word.
pub(super) fn have_names(networks: [&Network; 2]) -> Result<(), Objection> {
    let has_name =
        |network: &Network| (network.edges.iter()).all(|edge| !network.events[edge.event].starts_with('τ'));
    match networks.into_iter().all(has_name) {
        true => Ok(()),
        false => Err("some steps have no name".into()),
    }
}

/// Whether a run of the first has a word that is none of the second.
pub(super) fn is_no_word(judge: &Judge<'_>, run: &Run) -> Result<(), Objection> {
    have_names(judge.networks)?;
    let mut own = beginning(judge.meanings[0], judge.networks[0], run)?;
    let zeros = vec![Rational::ZERO; judge.networks[1].dimension()];
    let starts = judge.starts(1)?.into_iter();
    let mut others: Vec<(Discrete, Vec<Rational>)> = starts.map(|state| (state, zeros.clone())).collect();
    for step in &run.steps {
        if !own.wait(judge.meanings[0], &step.delay.0)? || !own.step(judge.meanings[0], &step.edges)? {
            return Err("the run of the first network is none".into());
        }
        let name = judge.networks[0].action_name(&step.edges);
        let mut next: Vec<(Discrete, Vec<Rational>)> = Vec::new();
        for (discrete, clocks) in others {
            let mut state = Exact { discrete, clocks };
            if !state.wait(judge.meanings[1], &step.delay.0)? {
                continue;
            }
            for way in judge.meanings[1].moves(&state.discrete)? {
                if judge.networks[1].action_name(&way.edges) != name || !meet(&state.clocks, &way.guard) {
                    continue;
                }
                let mut clocks = state.clocks.clone();
                for update in &way.updates {
                    clocks[update.target] = &clocks[update.source] + Rational::from(update.offset);
                }
                let reached = (way.target?, clocks);
                if meet(&reached.1, &way.invariant) && !next.contains(&reached) {
                    next.push(reached);
                }
            }
        }
        others = next;
    }
    match others.is_empty() {
        true => Ok(()),
        false => Err("the word of the run is one of the second network, too".into()),
    }
}

/// A set of the list.
struct Set<'w> {
    word: &'w WordZone,
    matrix: Matrix,
}

/// A clock after a step: a clock before it (the reference clock for a number), plus a number.
type Value = (usize, i64);

struct Sets<'j, 'm, 'w> {
    judge: &'j Judge<'m>,
    /// By the state of the first.
    all: HashMap<&'w Discrete, Vec<Set<'w>>>,
}

/// A step that some state of the second takes: the state it leads to, the values from which it can be taken, and the clocks after it.
struct Way {
    target: Discrete,
    asks: Vec<ClockConstraint>,
    after: Vec<Value>,
}

/// Whether the sets contain the beginnings and are not left.
pub(super) fn lead_nowhere_else(
    judge: &Judge<'_>,
    words: &[WordZone],
    budget: &Budget,
) -> Result<(), Objection> {
    have_names(judge.networks)?;
    let mut sets = Sets {
        judge,
        all: HashMap::new(),
    };
    for word in words {
        is_of_model(judge.networks[0], &word.first.locations, &word.first.integers)?;
        for state in &word.second {
            is_of_model(judge.networks[1], &state.locations, &state.integers)?;
        }
        if word.second.is_empty() {
            return Err("a word leads the second network nowhere".into());
        }
        let size = sets.behind(word.second.len()) + 1;
        let matrix = Matrix::read(size, &word.zone).ok_or("a zone is empty or malformed")?;
        sets.all
            .entry(&word.first)
            .or_default()
            .push(Set { word, matrix });
    }
    // Sets of few states take away most.
    for sets in sets.all.values_mut() {
        sets.sort_by_key(|set| set.word.second.len());
    }
    sets.begin()?;
    for set in sets.all.values().flatten() {
        sets.is_not_left(set, budget)?;
    }
    Ok(())
}

/// Constraints on clocks after updates, as constraints before them.
fn asked(all: &[ClockConstraint], after: &[Value]) -> Vec<ClockConstraint> {
    let one = |one: &ClockConstraint| {
        let ((left, more), (right, less)) = (after[one.left], after[one.right]);
        ClockConstraint {
            left,
            right,
            bound: one.bound - more + less,
            strict: one.strict,
        }
    };
    all.iter().map(one).collect()
}

impl Sets<'_, '_, '_> {
    /// Behind which clock those of a state of the second begin.
    fn behind(&self, state: usize) -> usize {
        self.judge.networks[0].clocks.len() + state * self.judge.networks[1].clocks.len()
    }

    /// The clocks of a network that begin behind this one, the reference clock first, after updates.
    fn after(&self, side: usize, behind: usize, updates: &[ClockUpdate]) -> Result<Vec<Value>, Objection> {
        let clocks = 1..=self.judge.networks[side].clocks.len();
        let mut values: Vec<Value> = std::iter::once((0, 0))
            .chain(clocks.map(|clock| (clock + behind, 0)))
            .collect();
        for update in updates {
            let (clock, more) = values[update.source];
            values[update.target] = (clock, more + update.offset);
            if more + update.offset < 0 {
                return Err(Objection::Unchecked("clocks that are set back".to_owned()));
            }
        }
        Ok(values)
    }

    /// Whether each beginning of the first has a set whose states are all beginnings of the second.
    fn begin(&self) -> Result<(), Objection> {
        let starts = self.judge.starts(1)?;
        for own in self.judge.starts(0)? {
            let is_it = |set: &Set<'_>| {
                let zeros = vec![Rational::ZERO; set.matrix.size];
                set.word.second.iter().all(|state| starts.contains(state)) && set.matrix.contains(&zeros)
            };
            if !self.all.get(&own).into_iter().flatten().any(is_it) {
                return Err("a beginning is not in the list".into());
            }
        }
        Ok(())
    }

    /// Whether each step of the first leads from a set, after any wait, to sets of the list.
    fn is_not_left(&self, set: &Set<'_>, budget: &Budget) -> Result<(), Objection> {
        let meaning = self.judge.meanings[0];
        let state = &set.word.first;
        let invariant = meaning.invariant(state)?.unwrap_or_default();
        let mut moments = vec![(set.matrix.clone(), false)];
        if meaning.may_delay(state)? {
            // Later, for sure: then states of the second that cannot wait are gone.
            let mut later = set.matrix.clone();
            later.rise();
            let size = later.size;
            let is_left = (1..size).all(|clock| {
                let least = later.at(0, clock);
                later.cut(0, clock, least & !1)
            });
            if is_left && later.cut_all(&invariant) {
                moments.push((later, true));
            }
        }
        for (matrix, waits) in moments {
            for step in meaning.moves(state)? {
                budget.check()?;
                self.is_followed(set, &matrix, waits, &step)?;
            }
        }
        Ok(())
    }

    /// Whether a step of the first leads from some values of a set to sets of the list.
    fn is_followed(&self, set: &Set<'_>, matrix: &Matrix, waits: bool, step: &Move) -> Result<(), Objection> {
        let own = self.after(0, 0, &step.updates)?;
        let mut able = matrix.clone();
        if !able.cut_all(&step.guard) || !able.cut_all(&asked(&step.invariant, &own)) {
            return Ok(());
        }
        let target = step.target.clone()?;
        let name = self.judge.networks[0].action_name(&step.edges);
        let mut ways = Vec::new();
        for (position, other) in set.word.second.iter().enumerate() {
            if waits && !self.judge.meanings[1].may_delay(other)? {
                continue;
            }
            self.ways(position, other, &name, &mut ways)?;
        }
        let mut left = vec![able.clone()];
        for next in self.all.get(&target).into_iter().flatten() {
            self.lead_into(next, &able, (0, &own), &ways, &mut left)?;
        }
        match left.is_empty() {
            true => Ok(()),
            false => Err(format!("a step `{name}` leads to a set that is not in the list").into()),
        }
    }

    /// The steps of this name of a state of the second, whose clocks stand at this position.
    fn ways(
        &self,
        position: usize,
        state: &Discrete,
        name: &str,
        ways: &mut Vec<Way>,
    ) -> Result<(), Objection> {
        let (meaning, behind) = (self.judge.meanings[1], self.behind(position));
        let before = self.after(1, behind, &[])?;
        let Some(invariant) = meaning.invariant(state)? else {
            return Ok(());
        };
        for step in meaning.moves(state)? {
            if self.judge.networks[1].action_name(&step.edges) != name {
                continue;
            }
            let after = self.after(1, behind, &step.updates)?;
            let mut asks = asked(&invariant, &before);
            asks.extend(asked(&step.guard, &before));
            asks.extend(asked(&step.invariant, &after));
            ways.push(Way {
                target: step.target?,
                asks,
                after,
            });
        }
        Ok(())
    }

    /// Takes away the values from which ways lead into a set: one way for each of its states, of which some have one. `clocks` has what the clocks of the first, and of those states, are after the step.
    fn lead_into(
        &self,
        next: &Set<'_>,
        values: &Matrix,
        (done, clocks): (usize, &[Value]),
        ways: &[Way],
        left: &mut Vec<Matrix>,
    ) -> Result<(), Objection> {
        // The bounds of the set on the clocks that are known.
        let mut values = values.clone();
        for (row, &(left, more)) in clocks.iter().enumerate() {
            for (column, &(right, less)) in clocks.iter().enumerate() {
                let bound = next.matrix.at(row, column);
                if row == column || bound >= FREE {
                    continue;
                }
                let before = bound - 2 * (more - less);
                let is_left = match left == right {
                    true => before >= 1,
                    false => values.cut(left, right, before),
                };
                if !is_left {
                    return Ok(());
                }
            }
        }
        if !left.iter().any(|one| both(one, &values).is_some()) {
            return Ok(());
        }
        let Some(state) = next.word.second.get(done) else {
            *left = without(std::mem::take(left), &[values])?;
            return Ok(());
        };
        for way in ways.iter().filter(|way| way.target == *state) {
            let mut rest = values.clone();
            if rest.cut_all(&way.asks) {
                let clocks = [clocks, &way.after[1..]].concat();
                self.lead_into(next, &rest, (done + 1, &clocks), ways, left)?;
            }
        }
        Ok(())
    }
}
