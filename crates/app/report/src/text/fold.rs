//! Long timelines are folded: what is not needed to understand the answer is left out, and said to be.
//!
//! Always shown are the first and the last steps, the beginning of the loop, the violation and its neighbours, and steps that something
//! is said about. Steps at which the truth of a subformula changes, and steps at which a column changes that the property names, are
//! shown too, as long as that does not make the text long again.

use super::{Context, TextOptions};
use crate::names::mentions;
use crate::steps::{loop_start, violation};
use entail_show::Timeline;
use std::collections::BTreeSet;
use std::ops::Range;

/// Timelines of at most so many rows are shown as a whole.
const SHORT: usize = 30;
/// At the beginning and at the end so many rows are shown.
const ENDS: usize = 3;
/// Rows of lesser interest are left out when they would be more than this.
const MOST: usize = 60;
/// Fewer rows than this are not worth leaving out.
const GAP: usize = 4;

/// A row, or rows that are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Shown(usize),
    Folded(Range<usize>),
}

/// The rows of a timeline: its moves where it has some, otherwise its positions.
pub(super) fn rows(timeline: &Timeline, context: &Context<'_>, options: &TextOptions) -> Vec<Row> {
    let moves = timeline.moves.len();
    let count = if moves > 0 { moves } else { timeline.positions };
    // Who asks for the rows from somewhere on wants to see them.
    if options.full || context.from > 0 || count <= SHORT {
        return (0..count).map(Row::Shown).collect();
    }
    // The row that leads to a position.
    let row = |position: usize| position.saturating_sub(usize::from(moves > 0));
    let mut kept: BTreeSet<usize> = (0..ENDS).chain(count - ENDS..count).collect();
    let mut around = |middle: usize| kept.extend(middle.saturating_sub(1)..=middle + 1);
    loop_start(timeline).into_iter().for_each(&mut around);
    violation(timeline).map(row).into_iter().for_each(&mut around);
    kept.extend(context.remarked.iter().map(|&position| row(position)));
    for more in [truth_changes(timeline), named_changes(timeline, context)] {
        let more: BTreeSet<usize> = more.into_iter().map(row).collect();
        if kept.union(&more).count() <= MOST {
            kept.extend(more);
        }
    }
    folded(count, &kept)
}

/// The positions at which the truth of a subformula differs from the one before.
fn truth_changes(timeline: &Timeline) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for formula in &timeline.formulas {
        let changes = formula.truth.windows(2).enumerate();
        found.extend(
            changes
                .filter(|(_, pair)| pair[0] != pair[1])
                .map(|(at, _)| at + 1),
        );
    }
    found
}

/// The positions at which a column changes that the property names.
fn named_changes(timeline: &Timeline, context: &Context<'_>) -> BTreeSet<usize> {
    let whole = timeline.formulas.iter().filter(|formula| formula.depth == 0);
    let whole = whole.map(|formula| formula.text.as_str());
    let formulas: Vec<&str> = context.formula.into_iter().chain(whole).collect();
    let named = timeline
        .columns
        .iter()
        .filter(|column| formulas.iter().any(|formula| mentions(formula, &column.name)));
    named
        .flat_map(|column| column.changes().map(|(at, _)| at))
        .collect()
}

fn folded(count: usize, kept: &BTreeSet<usize>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut from = 0;
    for stop in kept.iter().copied().filter(|&row| row < count).chain([count]) {
        match stop.saturating_sub(from) >= GAP {
            true => rows.push(Row::Folded(from..stop)),
            false => rows.extend((from..stop).map(Row::Shown)),
        }
        if stop < count {
            rows.push(Row::Shown(stop));
        }
        from = stop + 1;
    }
    rows
}

/// What stands for rows that are left out; the first time it says how to see them.
pub(super) fn gap(rows: &Range<usize>, is_first: bool) -> String {
    let hint = if is_first { " (--full shows them)" } else { "" };
    format!("… {} steps{hint} …", rows.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_left_out_and_small_ones_are_not() {
        let kept: BTreeSet<usize> = [0, 1, 5, 12].into_iter().collect();
        let rows = folded(15, &kept);
        let expected: Vec<Row> = (0..=5)
            .map(Row::Shown)
            .chain([Row::Folded(6..12)])
            .chain((12..15).map(Row::Shown))
            .collect();
        assert_eq!(rows, expected);
    }
}
