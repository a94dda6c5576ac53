//! Is there a state of some system that satisfies a formula? (Chapter 26, section 3.3; Niwiński and Walukiewicz 1996; Friedmann and Lange 2011.)
//!
//! A game between one who builds a model and one who doubts it. Its position is a set of nodes of the formula that a state must satisfy. The builder chooses a way to do so ([`ways`]);
//! the doubter picks one of its `<A> f`; the builder chooses an action of `A`; and the successor must satisfy `f` and what stands below the boxes of that action. The doubter wins
//! if a trace of nodes passes a least fixpoint again and again and no fixpoint around it. Traces are guessed by a Büchi automaton, with states (node, priority that is claimed to be
//! the highest) and made deterministic by nested braces on the fly: what the players see are its states. The result is a parity game.
//!
//! A strategy of the builder is a finite model, at most exponentially large in the formula; a strategy of the doubter is a [`FormulaRefutation`].

use crate::MuError;
use crate::nodes::Nodes;
use crate::ways::{Way, ways};
use entail_automata::State;
use entail_automata::algebra::determinize::Nesting;
use entail_budget::Budget;
use entail_game::{
    ArenaBuilder, FormulaRefutation, ParityGame, Player, Priority, RefutedSet, Reply, Solution, Vertex,
};
use entail_logic::mu::{Action, Modality, Mu, MuNode};
use entail_model::{Lts, LtsBuilder, StateId};
use entail_parity::{Solver, solve};
use std::collections::{BTreeSet, HashMap};

/// The answer.
#[derive(Clone, Debug)]
pub enum Satisfiability {
    /// A model: the formula is true in its initial state.
    Model(Lts),
    /// There is no model.
    Refuted(FormulaRefutation),
}

/// The answer, and what it took.
#[derive(Clone, Debug)]
pub struct Search {
    /// The answer.
    pub answer: Satisfiability,
    /// Vertices of the game.
    pub positions: usize,
}

/// Decides whether a formula without free variables has a model.
pub fn satisfiable(formula: &Mu<String>, budget: &Budget) -> Result<Search, MuError> {
    let nodes = Nodes::new(formula)?;
    let mut search = Builder::new(&nodes);
    let game = search.explore(budget)?;
    let (solution, _) = solve(&game, Solver::Auto, budget)?;
    let answer = match solution.winner(FIRST) {
        Some(Player::Even) => Satisfiability::Model(search.model(&solution)?),
        _ => Satisfiability::Refuted(search.refutation(&solution)),
    };
    Ok(Search {
        answer,
        positions: game.arena().vertex_count(),
    })
}

const WON: u32 = 0;
const LOST: u32 = 1;
/// The position of the whole formula.
const FIRST: Vertex = Vertex(2);
/// More vertices are not built.
const MOST_VERTICES: usize = 20_000_000;

/// What a vertex of the game is.
#[derive(Clone, Debug)]
enum Place {
    /// The play is over.
    End,
    /// The builder chooses a way to satisfy the nodes of a nesting.
    Duties(u32),
    /// The doubter picks a modality of this way.
    Pick { duties: u32, way: u32 },
    /// The builder chooses an action for the modality.
    Step { picked: u32, actions: Vec<u32> },
}

struct Builder<'f> {
    nodes: &'f Nodes<'f>,
    /// The actions that the formula names; the next number stands for all others.
    names: Vec<Action>,
    /// The odd priorities.
    odd: Vec<u32>,
    nestings: Vec<Nesting>,
    numbers: HashMap<Nesting, u32>,
    /// The ways to satisfy the nodes of each nesting.
    ways: Vec<Vec<Way>>,
    places: Vec<Place>,
    rows: Vec<Vec<u32>>,
    /// The priority of the step into each vertex, the smallest counts and odd ones are the doubter's; none does not matter.
    events: Vec<Option<u32>>,
    /// Vertices of duties by nesting and event.
    vertices: HashMap<(u32, Option<u32>), u32>,
}

impl<'f> Builder<'f> {
    fn new(nodes: &'f Nodes<'f>) -> Builder<'f> {
        let mut names = BTreeSet::new();
        let mut odd = BTreeSet::new();
        for node in &nodes.0 {
            match node.formula {
                MuNode::Modal(_, actions, _) => names.extend(actions.names().iter().cloned()),
                MuNode::Fixpoint(..) if !node.priority.is_multiple_of(2) => {
                    odd.insert(node.priority);
                }
                _ => {}
            }
        }
        Builder {
            nodes,
            names: names.into_iter().collect(),
            odd: odd.into_iter().collect(),
            nestings: Vec::new(),
            numbers: HashMap::new(),
            ways: Vec::new(),
            places: vec![Place::End, Place::End],
            rows: vec![vec![WON], vec![LOST]],
            events: vec![None, None],
            vertices: HashMap::new(),
        }
    }

    /// States of the trace automaton: a node, and the priority that is claimed to be the highest from now on (0: nothing is claimed yet).
    fn trace_state(&self, node: u32, claim: usize) -> State {
        State(node * (self.odd.len() as u32 + 1) + claim as u32)
    }

    fn node_and_claim(&self, state: State) -> (u32, usize) {
        let claims = self.odd.len() as u32 + 1;
        (state.0 / claims, (state.0 % claims) as usize)
    }

    /// The nodes that a state must satisfy.
    fn duties(&self, nesting: u32) -> Vec<u32> {
        let all = self.nestings[nesting as usize].states();
        all.filter_map(|state| match self.node_and_claim(state) {
            (node, 0) => Some(node),
            _ => None,
        })
        .collect()
    }

    fn has_action(&self, modality: u32, action: u32) -> bool {
        let MuNode::Modal(_, actions, _) = self.nodes.0[modality as usize].formula else {
            return false;
        };
        match self.names.get(action as usize) {
            Some(name) => actions.contains(name),
            None => actions.is_complement(),
        }
    }

    fn is_some(&self, modality: u32) -> bool {
        matches!(
            self.nodes.0[modality as usize].formula,
            MuNode::Modal(Modality::Some, ..)
        )
    }

    fn vertex_of(&mut self, nesting: Nesting, event: Option<u32>) -> u32 {
        let fresh = self.nestings.len() as u32;
        let number = *self.numbers.entry(nesting.clone()).or_insert(fresh);
        if number == fresh {
            self.nestings.push(nesting);
        }
        if let Some(&known) = self.vertices.get(&(number, event)) {
            return known;
        }
        let vertex = self.add(Place::Duties(number), event);
        self.vertices.insert((number, event), vertex);
        vertex
    }

    fn add(&mut self, place: Place, event: Option<u32>) -> u32 {
        self.places.push(place);
        self.rows.push(Vec::new());
        self.events.push(event);
        self.places.len() as u32 - 1
    }

    /// The game.
    fn explore(&mut self, budget: &Budget) -> Result<ParityGame, MuError> {
        let start = Nesting::around(vec![self.trace_state(0, 0)]);
        self.vertex_of(start, None);
        let mut at = FIRST.index();
        while at < self.places.len() {
            budget.check()?;
            if self.places.len() > MOST_VERTICES {
                return Err(MuError::TooLarge);
            }
            if let Place::Duties(nesting) = self.places[at] {
                self.rows[at] = self.after_duties(nesting, budget)?;
            }
            at += 1;
        }
        let highest = self.events.iter().flatten().max().map_or(0, |&event| event + 1);
        let top = highest + highest % 2;
        let mut arena = ArenaBuilder::default();
        let mut priorities = Vec::with_capacity(self.places.len());
        for (at, place) in self.places.iter().enumerate() {
            let owner = match place {
                Place::Pick { .. } => Player::Odd,
                _ => Player::Even,
            };
            arena.vertex(owner, self.rows[at].iter().copied());
            priorities.push(Priority(match (at as u32, self.events[at]) {
                (LOST, _) => 1,
                (_, Some(event)) => top - event,
                (_, None) => 0,
            }));
        }
        let arena = arena.finish().map_err(|_| MuError::TooLarge)?;
        ParityGame::new(arena, priorities).ok_or(MuError::TooLarge)
    }

    /// The vertices that follow when a state must satisfy the nodes of a nesting: one for each way.
    fn after_duties(&mut self, nesting: u32, budget: &Budget) -> Result<Vec<u32>, MuError> {
        while self.ways.len() <= nesting as usize {
            let next = self.ways.len() as u32;
            let found = ways(self.nodes, &self.duties(next), budget)?;
            self.ways.push(found);
        }
        let mut row = Vec::new();
        for way in 0..self.ways[nesting as usize].len() as u32 {
            let pick = self.add(Place::Pick { duties: nesting, way }, None);
            row.push(pick);
            self.rows[pick as usize] = self.after_pick(nesting, way);
        }
        if row.is_empty() {
            row.push(LOST);
        }
        Ok(row)
    }

    fn after_pick(&mut self, nesting: u32, way: u32) -> Vec<u32> {
        let way = self.ways[nesting as usize][way as usize].clone();
        let mut row = Vec::new();
        for &picked in &way.modalities {
            if !self.is_some(picked) {
                continue;
            }
            let mut actions: Vec<u32> = Vec::new();
            let mut successors: Vec<u32> = Vec::new();
            // Actions that the same boxes are about need not be told apart.
            let mut known: Vec<(Vec<u32>, u32)> = Vec::new();
            for action in 0..=self.names.len() as u32 {
                if !self.has_action(picked, action) {
                    continue;
                }
                let followed: Vec<u32> = (way.modalities.iter().copied())
                    .filter(|&one| one == picked || (!self.is_some(one) && self.has_action(one, action)))
                    .collect();
                let to = match known.iter().find(|(boxes, _)| *boxes == followed) {
                    Some(&(_, to)) => to,
                    None => {
                        let to = self.follow(nesting, &way, &followed);
                        known.push((followed, to));
                        to
                    }
                };
                actions.push(action);
                successors.push(to);
            }
            let step = self.add(Place::Step { picked, actions }, None);
            if successors.is_empty() {
                successors.push(LOST);
            }
            self.rows[step as usize] = successors;
            row.push(step);
        }
        if row.is_empty() {
            row.push(WON);
        }
        row
    }

    /// The vertex of the successor whose duties come from these modalities of a way.
    fn follow(&mut self, nesting: u32, way: &Way, followed: &[u32]) -> u32 {
        let before = &self.nestings[nesting as usize];
        let mut edges = Vec::new();
        for (position, state) in before.states().enumerate() {
            let (node, claim) = self.node_and_claim(state);
            for &(from, modality, outermost) in &way.traces {
                if from != node || !followed.contains(&modality) {
                    continue;
                }
                let operand = self.nodes.0[modality as usize].operands[0];
                let priority = outermost.map_or(0, |fixpoint| self.nodes.0[fixpoint as usize].priority);
                match claim {
                    0 => {
                        edges.push((position, self.trace_state(operand, 0), false));
                        if let Ok(now) = self.odd.binary_search(&priority) {
                            edges.push((position, self.trace_state(operand, now + 1), true));
                        }
                    }
                    claim if priority <= self.odd[claim - 1] => {
                        let again = priority == self.odd[claim - 1];
                        edges.push((position, self.trace_state(operand, claim), again));
                    }
                    _ => {}
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let (next, event) = before.along(&edges);
        self.vertex_of(next, event)
    }

    /// The number of the edge that a strategy takes at a vertex.
    fn chosen(&self, solution: &Solution, vertex: u32) -> usize {
        let to = solution.choice(Vertex(vertex)).map(|to| to.0);
        (self.rows[vertex as usize].iter().position(|&one| Some(one) == to)).unwrap_or(0)
    }

    /// The model that the builder's strategy builds: a state for each position in which duties are met.
    fn model(&self, solution: &Solution) -> Result<Lts, MuError> {
        let mut builder = LtsBuilder::new(0);
        let mut states: HashMap<u32, StateId> = HashMap::new();
        let first = builder.add_state();
        builder.initial(first);
        states.insert(FIRST.0, first);
        let mut waiting = vec![FIRST.0];
        while let Some(vertex) = waiting.pop() {
            let here = states[&vertex];
            let pick = self.rows[vertex as usize][self.chosen(solution, vertex)];
            let Place::Pick { duties, way } = self.places[pick as usize] else {
                continue;
            };
            let literals = &self.ways[duties as usize][way as usize].literals;
            let names = literals
                .iter()
                .filter_map(|&node| match self.nodes.0[node as usize].formula {
                    MuNode::Literal(name, true) => Some(std::sync::Arc::from(name.as_str())),
                    _ => None,
                });
            let colour = builder.colour(names);
            builder.paint(here, colour);
            for &step in &self.rows[pick as usize] {
                let Place::Step { actions, .. } = &self.places[step as usize] else {
                    continue;
                };
                let taken = self.chosen(solution, step);
                let to = self.rows[step as usize][taken];
                let target = *states.entry(to).or_insert_with(|| {
                    waiting.push(to);
                    builder.add_state()
                });
                let action = builder.action(&self.action_name(actions[taken]));
                builder.transition(here, action, target);
            }
        }
        builder.build().map_err(|_| MuError::TooLarge)
    }

    /// The name of an action; for the one that the formula does not name, one that it does not.
    fn action_name(&self, action: u32) -> String {
        match self.names.get(action as usize) {
            Some(name) => name.to_string(),
            None => {
                let mut name = "other".to_owned();
                while self.names.iter().any(|known| **known == *name) {
                    name.push('_');
                }
                name
            }
        }
    }

    /// What the doubter's strategy picks.
    fn refutation(&self, solution: &Solution) -> FormulaRefutation {
        let mut numbers: HashMap<u32, u32> = HashMap::from([(FIRST.0, 0)]);
        let mut order = vec![FIRST.0];
        let mut sets = Vec::new();
        while let Some(&vertex) = order.get(sets.len()) {
            let mut set = RefutedSet {
                duties: Vec::new(),
                replies: Vec::new(),
            };
            if let Place::Duties(nesting) = self.places[vertex as usize] {
                set.duties = self.duties(nesting);
            }
            for &pick in &self.rows[vertex as usize] {
                let Place::Pick { duties, way } = self.places[pick as usize] else {
                    continue;
                };
                let step = self.rows[pick as usize][self.chosen(solution, pick)];
                let Place::Step { picked, actions } = &self.places[step as usize] else {
                    continue;
                };
                let mut next = Vec::new();
                for (&action, &to) in actions.iter().zip(&self.rows[step as usize]) {
                    let fresh = numbers.len() as u32;
                    let number = *numbers.entry(to).or_insert(fresh);
                    if number == fresh {
                        order.push(to);
                    }
                    next.push((action, number));
                }
                set.replies.push(Reply {
                    traces: self.ways[duties as usize][way as usize].traces.clone(),
                    picked: *picked,
                    next,
                });
            }
            sets.push(set);
        }
        FormulaRefutation { sets }
    }
}
