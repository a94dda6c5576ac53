//! The steps of an automaton's states as decision diagrams over the signals, whatever stands at their ends.
//!
//! A state's edges have labels; following the signals in one order, the labels are split until each is true or false, and an end is made of the edges that are left. Equal nodes are one node,
//! and nodes come after those they lead to.

use crate::problem::SynthesisError;
use entail_automata::{Automaton, Label, Labels};
use entail_budget::Budget;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A node of a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node<E> {
    /// A signal by its place in the order, and the nodes if it is false and true.
    Test(u32, u32, u32),
    /// Where edges lead.
    End(E),
}

/// Diagrams that share their nodes.
#[derive(Debug)]
pub(crate) struct Branching<E> {
    pub nodes: Vec<Node<E>>,
    known: FxHashMap<Node<E>, u32>,
}

/// What was made of labels and what they stand at.
pub(crate) type Split<T> = FxHashMap<Vec<(Label, T)>, u32>;

impl<E: Copy + Eq + Hash> Branching<E> {
    /// No diagram yet.
    pub fn new() -> Branching<E> {
        Branching {
            nodes: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    fn node(&mut self, node: Node<E>) -> u32 {
        if let Node::Test(_, low, high) = node
            && low == high
        {
            return low;
        }
        let nodes = &mut self.nodes;
        *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() as u32 - 1
        })
    }

    /// The diagram that leads to the end of the edges whose labels are satisfied. `levels` are the places of the labels' propositions in the order of signals.
    pub fn choose<T: Copy + Eq + Hash>(
        &mut self,
        labels: &Labels,
        choices: Vec<(Label, T)>,
        levels: &[u32],
        split: &mut Split<T>,
        end: &mut dyn FnMut(Vec<T>) -> Result<E, SynthesisError>,
        budget: &Budget,
    ) -> Result<u32, SynthesisError> {
        budget.check()?;
        let possible: Vec<(Label, T)> = choices
            .into_iter()
            .filter(|(label, _)| *label != Label::FALSE)
            .collect();
        if let Some(&known) = split.get(&possible) {
            return Ok(known);
        }
        let top = possible.iter().filter_map(|(label, _)| labels.top(*label)).min();
        let node = match top {
            None => {
                let ends = possible.iter().map(|&(_, one)| one).collect();
                self.node(Node::End(end(ends)?))
            }
            Some(top) => {
                let side = |high: bool| -> Vec<(Label, T)> {
                    let cofactor = |label: Label| match labels.top(label) == Some(top) {
                        true => {
                            let (low, up) = labels.children(label);
                            if high { up } else { low }
                        }
                        false => label,
                    };
                    (possible.iter())
                        .map(|&(label, one)| (cofactor(label), one))
                        .collect()
                };
                let low = self.choose(labels, side(false), levels, split, end, budget)?;
                let high = self.choose(labels, side(true), levels, split, end, budget)?;
                self.node(Node::Test(levels[top as usize], low, high))
            }
        };
        split.insert(possible, node);
        Ok(node)
    }
}

/// The automaton with its propositions in the order of the signals, and the place of each in that order.
pub(crate) fn in_order(
    automaton: &Automaton,
    place: &dyn Fn(&str) -> Option<u32>,
    budget: &Budget,
) -> Result<(Automaton, Vec<u32>), SynthesisError> {
    let mut order: Vec<(u32, String)> = Vec::new();
    for name in automaton.propositions() {
        let at = place(name)
            .ok_or_else(|| SynthesisError::Refused(format!("`{name}` is neither an input nor an output")))?;
        order.push((at, name.clone()));
    }
    order.sort_unstable();
    let levels = order.iter().map(|(at, _)| *at).collect();
    let names: Vec<String> = order.into_iter().map(|(_, name)| name).collect();
    Ok((automaton.over_within(&names, budget)?, levels))
}
