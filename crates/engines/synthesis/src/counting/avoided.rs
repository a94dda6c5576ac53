//! The runs to be avoided: nondeterministic automata side by side, their transitions as decision diagrams.

use crate::branching::{self, Branching, Split, in_order};
use crate::part::components;
use crate::problem::SynthesisError;
use entail_automata::{Automaton, Kind, Label, Target, Translation, translate};
use entail_budget::Budget;
use entail_logic::Formula;
use rustc_hash::FxHashMap;

/// More states are too many vectors' entries.
const MOST_STATES: usize = 4_000;

/// What an edge does with the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Count {
    /// It leads to another component, where counting begins anew.
    Fresh,
    Keep,
    /// It is accepting.
    Add,
}

/// Where an edge leads.
pub(crate) type End = (u32, Count);

/// A node of a diagram; an end is the edges that can be taken, by their number in [`Avoided::ends`].
pub(crate) type Node = branching::Node<u32>;

/// All the automata.
pub(crate) struct Avoided {
    /// The diagrams.
    diagrams: Branching<u32>,
    /// Sets of edges, each sorted.
    pub ends: Vec<Vec<End>>,
    /// The node of each state.
    pub roots: Vec<u32>,
    pub initial: Vec<u32>,
    /// States whose component has accepting edges: only there is anything counted.
    pub counted: Vec<bool>,
    /// States from which every run is accepting: no run may get there.
    pub doomed: Vec<bool>,
    pub automata: usize,
    known_ends: FxHashMap<Vec<End>, u32>,
}

impl Avoided {
    /// The automata of the negations of formulas. `order` is the order of the signals.
    pub fn new(
        formulas: &[Formula<String>],
        order: &[String],
        budget: &Budget,
    ) -> Result<Avoided, SynthesisError> {
        let mut avoided = Avoided {
            diagrams: Branching::new(),
            ends: Vec::new(),
            roots: Vec::new(),
            initial: Vec::new(),
            counted: Vec::new(),
            doomed: Vec::new(),
            automata: formulas.len(),
            known_ends: FxHashMap::default(),
        };
        let how = Translation {
            target: Target::Buchi,
            ..Translation::default()
        };
        for formula in formulas {
            let automaton = translate(&formula.negated_normal_form(), how, budget)?;
            avoided.add(&automaton, order, budget)?;
        }
        Ok(avoided)
    }

    pub fn states(&self) -> usize {
        self.roots.len()
    }

    /// Whether anything is counted at all.
    pub fn counts(&self) -> bool {
        self.counted.contains(&true)
    }

    fn add(
        &mut self,
        automaton: &Automaton,
        order: &[String],
        budget: &Budget,
    ) -> Result<(), SynthesisError> {
        let accepting = |marks: entail_automata::Marks| match automaton.kind() {
            Kind::All => Ok(true),
            Kind::None => Ok(false),
            Kind::Buchi => Ok(marks.has(0)),
            _ => Err(SynthesisError::Refused(
                "an automaton is not one with Büchi's condition".into(),
            )),
        };
        let place = |name: &str| (order.iter().position(|known| known == name)).map(|at| at as u32);
        let (automaton, levels) = in_order(automaton, &place, budget)?;
        let offset = self.roots.len() as u32;
        if self.roots.len() + automaton.state_count() > MOST_STATES {
            return Err(SynthesisError::TooLarge("the automata have too many states"));
        }
        let mut steps: Vec<Vec<(u32, u32)>> = Vec::new();
        for state in automaton.states() {
            let mut list = Vec::new();
            for edge in automaton.edges(state) {
                list.push((edge.target.0, u32::from(accepting(edge.marks)?)));
            }
            steps.push(list);
        }
        let component = components(&steps);
        let inside = |from: usize, to: u32| component[from] == component[to as usize];
        let mut has_accepting = vec![false; automaton.state_count() + 1];
        for (from, list) in steps.iter().enumerate() {
            for &(to, accepting) in list {
                has_accepting[component[from] as usize] |= inside(from, to) && accepting == 1;
            }
        }
        let mut split = Split::default();
        for state in automaton.states() {
            let from = state.index();
            let mut choices: Vec<(Label, End)> = Vec::new();
            let mut doomed = false;
            for (edge, &(to, accepting)) in automaton.edges(state).iter().zip(&steps[from]) {
                let count = match (inside(from, to), accepting) {
                    (false, _) => Count::Fresh,
                    (true, 0) => Count::Keep,
                    (true, _) => Count::Add,
                };
                doomed |= edge.label == Label::TRUE && edge.target == state && count == Count::Add;
                choices.push((edge.label, (offset + to, count)));
            }
            choices.sort_unstable();
            let (all, known) = (&mut self.ends, &mut self.known_ends);
            let mut end = |ends: Vec<End>| Ok(numbered(ends, all, known));
            let labels = &automaton.labels;
            let root = (self.diagrams).choose(labels, choices, &levels, &mut split, &mut end, budget)?;
            self.roots.push(root);
            self.counted.push(has_accepting[component[from] as usize]);
            self.doomed.push(doomed);
        }
        self.initial
            .extend(automaton.initial().iter().map(|state| offset + state.0));
        Ok(())
    }

    /// The nodes of the diagrams.
    pub fn nodes(&self) -> &[Node] {
        &self.diagrams.nodes
    }
}

/// The number of a set of edges.
fn numbered(mut ends: Vec<End>, all: &mut Vec<Vec<End>>, known: &mut FxHashMap<Vec<End>, u32>) -> u32 {
    ends.sort_unstable();
    // Of two edges to one state the one that counts more comes last, and decides.
    ends.reverse();
    ends.dedup_by_key(|(to, _)| *to);
    *known.entry(ends).or_insert_with_key(|ends| {
        all.push(ends.clone());
        all.len() as u32 - 1
    })
}
