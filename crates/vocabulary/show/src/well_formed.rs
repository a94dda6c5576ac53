//! Whether what is shown can be drawn: asked of what was read from a file, which anybody may have written.
//!
//! Whoever draws relies on positions, nodes, lanes and cells that are there; data that a family made has them by construction. The size that a
//! drawing would have is limited, too: a document of a few bytes could otherwise claim a trace of 2⁶⁰ steps.

use crate::{Child, Graph, SequenceChart, Shown, Support, Table, Timeline, Tree, View};

/// The most values (positions times rows) that a timeline from a file may have.
const MOST_VALUES: usize = 100_000_000;

/// Claims this deep and deeper are left out of saved trees: readers of JSON limit how deep it may be nested.
const DEEPEST: usize = 30;

impl Shown {
    /// What is wrong with it, if anything.
    pub fn check(&self) -> Result<(), String> {
        for (number, exhibit) in self.exhibits.iter().enumerate() {
            let checked = match &exhibit.view {
                View::Timeline(timeline) => check_timeline(timeline),
                View::Tree(tree) => check_tree(tree),
                View::Table(table) => check_table(table),
                View::Graph(graph) => check_graph(graph),
                View::Sequence(chart) => check_sequence(chart),
                View::Chart(_) | View::Schedule(_) | View::Drawing(_) | View::Source(_) | View::Notes(_) => {
                    Ok(())
                }
            };
            checked.map_err(|what| format!("`exhibits[{number}]`: {what}"))?;
        }
        Ok(())
    }

    /// The same with trees that are not too deep for a file.
    pub fn for_file(&self) -> Shown {
        let mut shown = self.clone();
        for exhibit in &mut shown.exhibits {
            if let View::Tree(tree) = &mut exhibit.view {
                cut(tree, DEEPEST);
            }
        }
        shown
    }

    /// Changes every timeline, those of trees too.
    pub fn each_timeline(&mut self, change: &mut dyn FnMut(&mut Timeline)) {
        for exhibit in &mut self.exhibits {
            match &mut exhibit.view {
                View::Timeline(timeline) => change(timeline),
                View::Tree(tree) => tree.each_timeline(change),
                _ => {}
            }
        }
    }
}

impl Tree {
    fn each_timeline(&mut self, change: &mut dyn FnMut(&mut Timeline)) {
        if let Support::Path(timeline) = &mut self.support {
            change(timeline);
        }
        for child in &mut self.children {
            child.claim.each_timeline(change);
        }
    }
}

fn cut(tree: &mut Tree, deep: usize) {
    match deep {
        0 if !tree.children.is_empty() => {
            tree.children = Vec::new();
            tree.text.push_str(" …");
        }
        0 => {}
        deep => (tree.children.iter_mut()).for_each(|child| cut(&mut child.claim, deep - 1)),
    }
}

fn require(so: bool, otherwise: &str) -> Result<(), String> {
    match so {
        true => Ok(()),
        false => Err(otherwise.to_owned()),
    }
}

fn check_timeline(timeline: &Timeline) -> Result<(), String> {
    let positions = timeline.positions;
    let rows = timeline.columns.len() + timeline.formulas.len();
    let size = positions.checked_mul(rows.max(1));
    require(
        size.is_some_and(|size| size <= MOST_VALUES),
        "the trace is too long to be shown",
    )?;
    for column in &timeline.columns {
        let at = || column.changes().map(|(at, _)| at);
        require(
            at().is_sorted_by(|a, b| a < b),
            "the changes of a column are not in order",
        )?;
        require(
            at().all(|at| at < positions),
            "a column changes where there is no step",
        )?;
    }
    let starts = timeline.loop_start.is_none_or(|start| start <= positions);
    require(starts, "the loop starts outside of the steps")?;
    require(
        timeline.moves.len() <= positions,
        "there are moves where there is no step",
    )?;
    let has_keys = timeline.keys.is_empty() || timeline.keys.len() == positions;
    require(has_keys, "the states that are named are not as many as the steps")?;
    let truths = timeline
        .formulas
        .iter()
        .all(|formula| formula.truth.len() == positions);
    require(
        truths,
        "a formula has not as many truth values as there are steps",
    )?;
    let violated = timeline.violation.is_none_or(|at| at <= positions);
    require(violated, "the violation is outside of the steps")
}

fn check_tree(tree: &Tree) -> Result<(), String> {
    let mut open = vec![tree];
    while let Some(tree) = open.pop() {
        let positions = match &tree.support {
            Support::Path(timeline) => {
                check_timeline(timeline)?;
                timeline.positions
            }
            _ => 0,
        };
        let is_there = |child: &Child| child.position.is_none_or(|at| at < positions);
        require(
            tree.children.iter().all(is_there),
            "a claim is about a step that is not there",
        )?;
        open.extend(tree.children.iter().map(|child| &child.claim));
    }
    Ok(())
}

fn check_table(table: &Table) -> Result<(), String> {
    let whole = table.rows.iter().all(|row| row.len() == table.heads.len());
    require(whole, "a row has not as many cells as there are columns")
}

fn check_graph(graph: &Graph) -> Result<(), String> {
    let nodes = graph.nodes.len();
    let edges = graph
        .edges
        .iter()
        .all(|edge| edge.from < nodes && edge.to < nodes);
    require(edges, "an edge leads to a node that is not there")?;
    let values = graph
        .nodes
        .iter()
        .all(|node| node.values.len() <= graph.names.len());
    require(values, "a node has more values than there are names")
}

fn check_sequence(chart: &SequenceChart) -> Result<(), String> {
    let (lanes, rows) = (chart.lanes.len(), chart.rows.len());
    let is_place = |&(row, lane): &(usize, usize)| row < rows && lane < lanes;
    require(
        chart
            .lanes
            .iter()
            .all(|lane| lane.first <= lane.end && lane.end <= rows),
        "a process is there outside of the steps",
    )?;
    require(
        chart.rows.iter().all(|row| row.lane < lanes),
        "a step is of a process that is not there",
    )?;
    require(
        chart
            .arrows
            .iter()
            .all(|arrow| is_place(&arrow.from) && arrow.to.as_ref().is_none_or(is_place)),
        "a message is sent or received outside of the chart",
    )?;
    require(
        chart.loop_start.is_none_or(|start| start <= rows),
        "the loop starts outside of the chart",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Column, ColumnKind, ColumnRole, Prominence};

    fn trace(positions: usize, changes: &[usize]) -> Timeline {
        let mut column = Column::new("x", ColumnRole::State, ColumnKind::Text);
        for &at in changes {
            column.record(at, Some(Cell::text(at.to_string())));
        }
        Timeline {
            columns: vec![column],
            positions,
            ..Timeline::default()
        }
    }

    fn nested(depth: usize) -> Tree {
        let mut tree = Tree {
            text: "leaf".into(),
            truth: Some(true),
            support: Support::Path(trace(2, &[0])),
            children: Vec::new(),
        };
        for _ in 0..depth {
            let child = Child {
                position: None,
                claim: tree,
            };
            tree = Tree {
                text: "above".into(),
                truth: Some(true),
                support: Support::Operands,
                children: vec![child],
            };
        }
        tree
    }

    #[test]
    fn what_points_outside_is_refused() {
        let refused = |timeline: Timeline| Shown::from(timeline).check().is_err();
        assert!(!refused(trace(3, &[0, 2])));
        assert!(refused(trace(3, &[0, 3])));
        assert!(refused(trace(usize::MAX, &[0])));
        let with = |change: &dyn Fn(&mut Timeline)| {
            let mut timeline = trace(3, &[0]);
            change(&mut timeline);
            refused(timeline)
        };
        assert!(!with(&|timeline| timeline.loop_start = Some(3)));
        assert!(with(&|timeline| timeline.loop_start = Some(4)));
        assert!(with(&|timeline| timeline.violation = Some(4)));
        assert!(with(&|timeline| timeline.moves = vec![Default::default(); 4]));
    }

    #[test]
    fn deep_trees_are_cut_so_that_they_can_be_read_again() {
        let mut shown = Shown::default();
        shown.push(Prominence::Main, View::Tree(nested(200)));
        let text = serde_json::to_string(&shown.for_file()).expect("plain data");
        let read: Shown = serde_json::from_str(&text).expect("not too deep");
        assert!(read.check().is_ok() && text.contains('…'));
        let mut small = Shown::default();
        small.push(Prominence::Main, View::Tree(nested(20)));
        assert_eq!(small.for_file(), small);
        let mut timelines = 0;
        small.each_timeline(&mut |_| timelines += 1);
        assert_eq!(timelines, 1);
    }
}
