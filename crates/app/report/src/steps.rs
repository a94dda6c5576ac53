//! What every format asks of a timeline.

use entail_show::{Column, Timeline};

/// The position after a position: the next one, after the last one where the loop goes on.
pub(crate) fn next(timeline: &Timeline, position: usize) -> Option<usize> {
    let after = position + 1;
    match timeline.loop_start {
        _ if after < timeline.positions => Some(after),
        Some(start) if start < timeline.positions => Some(start),
        Some(_) => Some(position),
        None => None,
    }
}

/// Where the sequence goes back to after the last position, if it does not just stay there.
pub(crate) fn loop_start(timeline: &Timeline) -> Option<usize> {
    timeline.loop_start.filter(|&start| start < timeline.positions)
}

/// Whether the last state is repeated for ever.
pub(crate) fn stays(timeline: &Timeline) -> bool {
    timeline
        .loop_start
        .is_some_and(|start| start >= timeline.positions)
}

/// Whether a position is in the loop.
pub(crate) fn in_loop(timeline: &Timeline, position: usize) -> bool {
    loop_start(timeline).is_some_and(|start| position >= start)
}

/// Where the property is violated. A last move that went wrong has no position after it; the violation is behind it.
pub(crate) fn violation(timeline: &Timeline) -> Option<usize> {
    let went_wrong = timeline.moves.len() == timeline.positions && timeline.loop_start.is_none();
    let behind = (went_wrong && !timeline.moves.is_empty()).then_some(timeline.positions);
    timeline.violation.or(behind)
}

/// `name = value`, where there is a value.
pub(crate) fn assignment(column: &Column, position: usize) -> Option<String> {
    Some(format!("{} = {}", column.name, column.value(position)?))
}

/// What the move at a position changes among some columns, as `name = value`. A move that went wrong changes nothing.
pub(crate) fn changes<'a>(
    timeline: &Timeline,
    columns: impl Iterator<Item = &'a Column>,
    position: usize,
) -> Vec<String> {
    let after = position + 1;
    if after < timeline.positions {
        let news = columns.filter(|column| column.is_news_at(after));
        return news.filter_map(|column| assignment(column, after)).collect();
    }
    // The move that closes the loop.
    let Some(start) = loop_start(timeline) else {
        return Vec::new();
    };
    let differs = |column: &&Column| column.cell(position) != column.cell(start);
    let changed = columns.filter(differs);
    changed.filter_map(|column| assignment(column, start)).collect()
}
