//! The source of a program with the lines marked that a run passes.

use super::steps::parties;
use entail_program::{Program, Replayed, Run};
use entail_show::{Mark, MarkedSource};
use std::collections::BTreeMap;

/// So many steps are named at a line.
const MOST_NAMED: usize = 8;

/// The files of a program, each with the steps that stand at its lines.
pub fn sources(program: &Program, run: &Run, replayed: &Replayed) -> Vec<MarkedSource> {
    let mut steps_at: BTreeMap<(String, usize), Vec<usize>> = BTreeMap::new();
    for (position, (step, before)) in run.steps.iter().zip(&replayed.situations).enumerate() {
        let (party, partner) = parties(program, &before.state, step);
        for party in std::iter::once(party).chain(partner) {
            let steps = steps_at.entry((party.file, party.line)).or_default();
            if steps.last() != Some(&(position + 1)) {
                steps.push(position + 1);
            }
        }
    }
    let marked = |source: &entail_source::Source| MarkedSource {
        name: source.name().to_owned(),
        text: source.text().to_owned(),
        marks: (steps_at.iter())
            .filter(|((file, _), _)| file == source.name())
            .map(|((_, line), steps)| Mark {
                line: *line,
                text: told(steps),
            })
            .collect(),
    };
    program.sources.iter().map(marked).collect()
}

fn told(steps: &[usize]) -> String {
    let named: Vec<String> = steps.iter().take(MOST_NAMED).map(usize::to_string).collect();
    let word = if steps.len() == 1 { "step" } else { "steps" };
    let rest = match steps.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{word} {}{rest}", named.join(", "))
}
