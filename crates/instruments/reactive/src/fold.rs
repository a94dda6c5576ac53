//! Merging states of a table as long as something is allowed in each cell.
//!
//! States are taken up from the first on, as they are met. Each is *folded* onto one that was kept before, if that can be: the two become one, their cells allow what both allow, and where
//! both lead on, the states they lead to are folded in turn; an empty cell undoes it all. Of several that can be, the one that swallows most states is taken. This is how
//! automata are learnt from samples (Lang, Pearlmutter, Price, *Abbadingo*, 1998), here with sets of outputs (Renkin, Schlehuber-Caissier, Duret-Lutz, Pommellet, *Effective reductions of Mealy machines*,
//! FORTE 2022, merge by inclusion of sets). The result allows nothing that the table does not; it need not be smallest.
//! Costs states kept times states times classes, and no more than a given number of cells is looked at.

use crate::loose::{OutputSet, OutputSets};
use crate::table::{Cell, Table};
use entail_budget::{Budget, Spent};
use rustc_hash::FxHashSet;

/// Which state is tried first as a fold's target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preference {
    /// The one that swallows most.
    Most,
    /// The first that can be.
    First,
    /// The last that can be.
    Last,
}

/// A table with fewer states, or as many. After so many cells have been looked at, what is left is kept.
pub fn fold(table: &Table, most_cells: u64, budget: &Budget) -> Result<Table, Spent> {
    let mut best: Option<Table> = None;
    for preference in [Preference::First, Preference::Most, Preference::Last] {
        let folded = fold_by(table, preference, most_cells, budget)?;
        if best
            .as_ref()
            .is_none_or(|best| folded.rows.len() < best.rows.len())
        {
            best = Some(folded);
        }
    }
    Ok(best.unwrap_or_else(|| table.clone()))
}

pub(crate) fn fold_by(
    table: &Table,
    preference: Preference,
    most_cells: u64,
    budget: &Budget,
) -> Result<Table, Spent> {
    let mut folding = Folding {
        parent: (0..table.rows.len() as u32).collect(),
        rows: table.rows.clone(),
        sets: table.sets.clone(),
        undo: Vec::new(),
        looked_at: 0,
    };
    let mut kept: Vec<u32> = vec![0];
    let mut is_kept = FxHashSet::from_iter([0]);
    let mut at = 0;
    // Cells of kept states are gone through again if a fold has changed them: their order is that of the search.
    while at < kept.len() {
        budget.check()?;
        let state = folding.find(kept[at]);
        let fresh = (folding.rows[state as usize].clone().into_iter())
            .filter_map(|cell| cell.next)
            .map(|next| folding.find(next))
            .find(|next| !is_kept.contains(next));
        let Some(fresh) = fresh else {
            at += 1;
            continue;
        };
        let target = match folding.looked_at < most_cells {
            true => folding.target(&kept, fresh, preference, budget)?,
            false => None,
        };
        match target {
            Some(target) => {
                folding.merge(target, fresh);
                let changed: FxHashSet<u32> = folding.undo.drain(..).map(|(_, state, _)| state).collect();
                at = rejoined(&mut kept, &changed, at, &folding);
                is_kept = kept.iter().copied().collect();
            }
            None => {
                kept.push(fresh);
                is_kept.insert(fresh);
            }
        }
    }
    let first = folding.find(0);
    let mut rows = std::mem::take(&mut folding.rows);
    for row in &mut rows {
        for cell in row.iter_mut() {
            cell.next = cell.next.map(|next| folding.find(next));
        }
    }
    Ok(table.with_rows(&rows, first, folding.sets))
}

/// Puts the states that stand for kept ones in their places, once each; where to go on: at the first that has changed, or where the search was.
fn rejoined(kept: &mut Vec<u32>, changed: &FxHashSet<u32>, at: usize, folding: &Folding) -> usize {
    let mut seen = FxHashSet::default();
    let mut joined = Vec::with_capacity(kept.len());
    let mut resume = None;
    for (position, &state) in kept.iter().enumerate() {
        let state = folding.find(state);
        if position == at {
            resume.get_or_insert(joined.len());
        }
        if seen.insert(state) {
            if changed.contains(&state) {
                resume.get_or_insert(joined.len());
            }
            joined.push(state);
        }
    }
    *kept = joined;
    resume.unwrap_or(0)
}

/// What a merge changed: a state that got a parent, and the row that the other had before.
type Undo = (u32, u32, Vec<Cell>);

struct Folding {
    parent: Vec<u32>,
    rows: Vec<Vec<Cell>>,
    sets: OutputSets,
    undo: Vec<Undo>,
    looked_at: u64,
}

impl Folding {
    /// The state that stands for another. Paths are not shortened: merges are undone.
    fn find(&self, mut state: u32) -> u32 {
        while self.parent[state as usize] != state {
            state = self.parent[state as usize];
        }
        state
    }

    /// The kept state onto which another is folded.
    fn target(
        &mut self,
        kept: &[u32],
        state: u32,
        preference: Preference,
        budget: &Budget,
    ) -> Result<Option<u32>, Spent> {
        let mut best: Option<(usize, u32)> = None;
        let candidates: Vec<u32> = match preference {
            Preference::Last => kept.iter().rev().copied().collect(),
            _ => kept.to_vec(),
        };
        for candidate in candidates {
            budget.check()?;
            let merged = self.merge(candidate, state);
            let swallowed = self.undo.len();
            self.take_back();
            if merged && best.is_none_or(|(most, _)| swallowed > most) {
                best = Some((swallowed, candidate));
                if preference != Preference::Most {
                    break;
                }
            }
        }
        Ok(best.map(|(_, candidate)| candidate))
    }

    /// Makes two states one, and what follows from it; whether that can be.
    fn merge(&mut self, one: u32, other: u32) -> bool {
        let mut waiting = vec![(one, other)];
        while let Some((one, other)) = waiting.pop() {
            let (one, other) = (self.find(one), self.find(other));
            if one == other {
                continue;
            }
            // The smaller number stays, so that state 0 is always found.
            let (one, other) = (one.min(other), one.max(other));
            let before = self.rows[one as usize].clone();
            let mut row = Vec::with_capacity(before.len());
            for (cell, &theirs) in before.iter().zip(&self.rows[other as usize]) {
                self.looked_at += 1;
                let allowed = self.sets.and(cell.allowed, theirs.allowed);
                if allowed == OutputSet::NONE {
                    return false;
                }
                let next = match (cell.next, theirs.next) {
                    (Some(one), Some(other)) => {
                        waiting.push((one, other));
                        Some(one)
                    }
                    (one, other) => one.or(other),
                };
                row.push(Cell { allowed, next });
            }
            self.rows[one as usize] = row;
            self.parent[other as usize] = one;
            self.undo.push((other, one, before));
        }
        true
    }

    fn take_back(&mut self) {
        while let Some((child, parent, row)) = self.undo.pop() {
            self.parent[child as usize] = child;
            self.rows[parent as usize] = row;
        }
    }
}
