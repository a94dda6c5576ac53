//! SAT sweeping in one pass: signals are merged as soon as their agreement is proved.
//!
//! The circuit is copied gate by gate, in topological order. Where a gate has an earlier one in its group, the solver is asked whether they can differ, in the copy, in which everything before
//! is merged already: most pairs have become one node there. A counterexample splits the groups at once, and the gate is compared with the first of its new group, so no pair is asked about
//! twice, and what was merged stays merged (Mishchenko, Chatterjee, Brayton, Een, "Improvements to combinational equivalence checking", 2006).
//!
//! A pair that is too hard is merged on trust, so that those above it stay easy, and another pass follows with more patience. If a counterexample shows that a pair was trusted that differs, the pass
//! is repeated with the groups split; the graph, its clauses and the proved pairs are there still.

use super::Patience;
use super::frames::{Frames, Pair, Place, Round, image};
use super::groups::{Groups, Observed};
use crate::Answer;
use crate::aig::{Node, Signal};
use entail_budget::{Budget, Spent};
use rustc_hash::FxHashMap;

impl Frames<'_> {
    /// One pass over all pairs of one copy of the circuit.
    pub(super) fn sweep(
        &mut self,
        groups: &mut Groups,
        patience: Patience,
        budget: &Budget,
    ) -> Result<Round, Spent> {
        let circuit = self.circuit;
        let mut latch_at: FxHashMap<Node, Signal> = FxHashMap::default();
        for latch in &circuit.latches {
            let known = latch.init.as_constant().filter(|_| self.place == Place::Initial);
            let signal = known.map_or_else(|| self.leaf(0, latch.node), Signal::constant);
            latch_at.insert(latch.node, signal);
        }
        let mut of_node: Vec<Option<Signal>> = vec![None; circuit.aig.len()];
        of_node[0] = Some(Signal::FALSE);
        let (mut was_wrong, mut is_open) = (false, false);
        for &node in self.order {
            if node.index() == 0 {
                continue;
            }
            let own = match circuit.aig.fanins(node) {
                Some((a, b)) => {
                    let (a, b) = (image(&of_node, a), image(&of_node, b));
                    self.graph.and(a, b)
                }
                None => match latch_at.get(&node) {
                    Some(&signal) => signal,
                    None => self.leaf(0, node),
                },
            };
            let mut merged = own;
            loop {
                let first = groups.first(node);
                if first == node.signal() {
                    break;
                }
                let expected = image(&of_node, first);
                if own == expected {
                    break;
                }
                let pair = Pair {
                    node,
                    first,
                    own,
                    expected,
                };
                match self.verdict(&pair, patience, budget)? {
                    Answer::Unsatisfiable => {
                        merged = expected;
                        break;
                    }
                    Answer::Satisfiable => {
                        let values = self.circuit_values();
                        groups.split(|node| Observed {
                            value: values[node.index()],
                            counts: u64::MAX,
                        });
                        if groups.first(node) == first {
                            // They differ in the copy alone: somewhere below, a pair was trusted that differs.
                            was_wrong = true;
                            break;
                        }
                    }
                    Answer::Unknown if patience.puts_off => {
                        is_open = true;
                        merged = expected;
                        break;
                    }
                    Answer::Unknown => groups.isolate(node),
                }
            }
            of_node[node.index()] = Some(merged);
        }
        Ok(match (was_wrong, is_open) {
            (true, _) => Round::Split,
            (false, true) => Round::PutOff,
            (false, false) => Round::Settled,
        })
    }

    /// Whether a pair can differ, unless as many conflicts were spent on it already.
    fn verdict(&mut self, pair: &Pair, patience: Patience, budget: &Budget) -> Result<Answer, Spent> {
        let key = (pair.own, pair.expected);
        if self.put_off.get(&key).copied().unwrap_or(0) >= patience.conflicts {
            return Ok(Answer::Unknown);
        }
        let answer = self.can_differ(pair, false, patience.conflicts, budget)?;
        if answer == Answer::Unknown && patience.puts_off {
            self.put_off.insert(key, patience.conflicts);
        }
        Ok(answer)
    }
}
