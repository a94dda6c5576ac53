//! Classes of letters that no label of some automata tells apart: for algorithms that try every letter.

use crate::automaton::Automaton;
use crate::error::Result;
use crate::label::{Label, Labels, Letter};
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// One letter of each class, for automata over the same propositions; none if there are more than `most` classes.
pub(crate) fn letter_classes(
    automata: &[&Automaton],
    most: usize,
    budget: &Budget,
) -> Result<Option<Vec<Letter>>> {
    let Some((labels, classes)) = classes_of_letters(automata, most, budget)? else {
        return Ok(None);
    };
    let letter = |class: &Label| labels.pick(*class).map_or(0, |cube| cube.positive);
    Ok(Some(classes.iter().map(letter).collect()))
}

/// The classes as labels, with the store they live in.
pub(crate) fn classes_of_letters(
    automata: &[&Automaton],
    most: usize,
    budget: &Budget,
) -> Result<Option<(Labels, Vec<Label>)>> {
    let mut labels = Labels::default();
    let mut all: Vec<Label> = Vec::new();
    for automaton in automata {
        let mut imported = FxHashMap::default();
        for edge in automaton.edges.iter().flatten() {
            all.push(labels.import(&automaton.labels, edge.label, &|var| var, &mut imported));
        }
    }
    all.sort_unstable();
    all.dedup();
    let mut classes = vec![Label::TRUE];
    for label in all {
        budget.check()?;
        let mut next = Vec::with_capacity(classes.len());
        for class in classes {
            let inside = labels.and(class, label);
            let outside = labels.minus(class, label);
            next.extend([inside, outside].into_iter().filter(|part| *part != Label::FALSE));
        }
        if next.len() > most {
            return Ok(None);
        }
        classes = next;
    }
    Ok(Some((labels, classes)))
}
