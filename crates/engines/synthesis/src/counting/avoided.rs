//! The runs to be avoided: nondeterministic automata side by side, their transitions as decision diagrams.

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

/// A node of a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// A signal by its place in the order, and the nodes if it is false and true.
    Test(u32, u32, u32),
    /// The edges that can be taken, by their number in [`Avoided::ends`].
    Ends(u32),
}

/// All the automata.
pub(crate) struct Avoided {
    pub nodes: Vec<Node>,
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
    known: FxHashMap<Node, u32>,
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
            nodes: Vec::new(),
            ends: Vec::new(),
            roots: Vec::new(),
            initial: Vec::new(),
            counted: Vec::new(),
            doomed: Vec::new(),
            automata: formulas.len(),
            known: FxHashMap::default(),
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
        let mut places: Vec<(u32, String)> = Vec::new();
        for name in automaton.propositions() {
            let at = order.iter().position(|known| known == name).ok_or_else(|| {
                SynthesisError::Refused(format!("`{name}` is neither an input nor an output"))
            })?;
            places.push((at as u32, name.clone()));
        }
        places.sort_unstable();
        let levels: Vec<u32> = places.iter().map(|(at, _)| *at).collect();
        let names: Vec<String> = places.into_iter().map(|(_, name)| name).collect();
        let automaton = automaton.over(&names)?;
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
        let mut split = FxHashMap::default();
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
            let root = self.choose(&automaton, choices, &levels, &mut split, budget)?;
            self.roots.push(root);
            self.counted.push(has_accepting[component[from] as usize]);
            self.doomed.push(doomed);
        }
        self.initial
            .extend(automaton.initial().iter().map(|state| offset + state.0));
        Ok(())
    }

    fn node(&mut self, node: Node) -> u32 {
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

    /// The diagram that leads to the edges whose labels are satisfied.
    fn choose(
        &mut self,
        automaton: &Automaton,
        choices: Vec<(Label, End)>,
        levels: &[u32],
        split: &mut FxHashMap<Vec<(Label, End)>, u32>,
        budget: &Budget,
    ) -> Result<u32, SynthesisError> {
        budget.check()?;
        let possible: Vec<(Label, End)> = choices
            .into_iter()
            .filter(|(label, _)| *label != Label::FALSE)
            .collect();
        if let Some(&known) = split.get(&possible) {
            return Ok(known);
        }
        let labels = &automaton.labels;
        let top = possible.iter().filter_map(|(label, _)| labels.top(*label)).min();
        let node = match top {
            None => {
                let mut ends: Vec<End> = possible.iter().map(|&(_, end)| end).collect();
                ends.sort_unstable();
                // Of two edges to one state the one that counts more comes last, and decides.
                ends.reverse();
                ends.dedup_by_key(|(to, _)| *to);
                let all = &mut self.ends;
                let number = *self.known_ends.entry(ends).or_insert_with_key(|ends| {
                    all.push(ends.clone());
                    all.len() as u32 - 1
                });
                self.node(Node::Ends(number))
            }
            Some(top) => {
                let side = |high: bool| -> Vec<(Label, End)> {
                    let cofactor = |label: Label| match labels.top(label) == Some(top) {
                        true => {
                            let (low, up) = labels.children(label);
                            if high { up } else { low }
                        }
                        false => label,
                    };
                    (possible.iter())
                        .map(|&(label, end)| (cofactor(label), end))
                        .collect()
                };
                let low = self.choose(automaton, side(false), levels, split, budget)?;
                let high = self.choose(automaton, side(true), levels, split, budget)?;
                self.node(Node::Test(levels[top as usize], low, high))
            }
        };
        split.insert(possible, node);
        Ok(node)
    }
}
