//! Assertion graphs by fixpoints on decision diagrams (Yang and Seger 2003; section 25.9.1).
//!
//! **Forward.** Each vertex has a set of states, for each valuation of the variables what each register may be; the first has all states. A step along an edge takes what the set allows, joined with the antecedent, to the
//! vertex at its end; sets grow until nothing changes. A graph holds if in every step what is demanded is known.
//!
//! **Backward.** Unless the graph is strong, what is driven later counts, too. Before that, each vertex gets the states from which paths can go on: all states at first; then, round after round, what lies before
//! the sets of the last round. For paths that must come to an end, or to a fair edge, a round is a fixpoint of its own, from nothing upward, since the end is finitely many steps away. Every round is sound, so rounds may
//! be stopped at any time.
//!
//! **Invariant:** sets contain all states that they are about; what is lost is the correlation of registers with one another.

mod record;
mod step;
mod walks;

use crate::boolean::{MOST_ROUNDS as MOST_LOOPS, run_along};
use crate::diagrams::{FAILS_FOR_ALL, NOTHING_ASSUMED, WEAK, Workspace, stopped};
use crate::functions::{Functions, Stop};
use crate::{Settings, diagrams::Diagrams};
use entail_answer::{Answer, Verdict, Warning, WarningKind};
use entail_budget::Budget;
use entail_dd::Bdd;
use entail_trajectories::{
    AssertionGraph, ConditionId, Fixpoint, GraphEdge, Netlist, NodeId, Satisfaction, Specification,
    TrajectoryEvidence,
};
pub(crate) use record::Record;
use step::{Cone, State, Stepper};
use walks::{Searched, search};

/// Most rounds of looking ahead.
const MOST_ROUNDS: usize = 64;

/// Decides an assertion graph.
pub fn by_fixpoint(
    netlist: &Netlist,
    specification: &Specification,
    graph: &AssertionGraph,
    settings: Settings,
    budget: &Budget,
) -> Answer<TrajectoryEvidence> {
    decide(netlist, specification, graph, settings, budget).unwrap_or_else(|stop| stopped(&stop))
}

/// Sets of states, one for each vertex.
type Sets = Vec<State<Bdd>>;

struct Fixpoints<'f> {
    stepper: Stepper<'f, Diagrams>,
    graph: &'f AssertionGraph,
    budget: &'f Budget,
    steps: u64,
}

impl Fixpoints<'_> {
    fn edges(&self, which: impl Fn(&GraphEdge) -> bool) -> Vec<GraphEdge> {
        let edges = self.graph.edges.iter().filter(|edge| which(edge));
        edges.cloned().collect()
    }

    /// The states of each vertex from which paths go on, round after round.
    fn futures(&mut self, truth: &Bdd) -> Result<Vec<Sets>, Stop> {
        let count = self.graph.vertices.len();
        let mut rounds: Vec<Sets> = Vec::new();
        if self.graph.satisfaction == Satisfaction::Strong {
            return Ok(rounds);
        }
        let mut last: Sets = vec![self.stepper.all(truth); count];
        for _ in 0..MOST_ROUNDS {
            let next = self.round(&last)?;
            let is_done = next == last;
            if is_done {
                break;
            }
            rounds.push(next.clone());
            last = next;
            // What is finitely many steps away is found in one round.
            if self.graph.satisfaction == Satisfaction::Terminal {
                break;
            }
        }
        Ok(rounds)
    }

    /// One round: the states from which some edge leads to the sets of the last round or, where a path must come to an end, to those of this round.
    fn round(&mut self, last: &Sets) -> Result<Sets, Stop> {
        let nothing = self.stepper.functions.constant(false);
        let everything = self.stepper.functions.constant(true);
        let satisfaction = self.graph.satisfaction;
        let mut sets: Sets = vec![self.stepper.all(&nothing); last.len()];
        for (vertex, set) in sets.iter_mut().enumerate() {
            if satisfaction != Satisfaction::Fair && self.graph.is_terminal(vertex as u32) {
                *set = self.stepper.all(&everything);
            }
        }
        let from_last = |edge: &GraphEdge| match satisfaction {
            Satisfaction::Strong | Satisfaction::Normal => true,
            Satisfaction::Terminal => false,
            Satisfaction::Fair => edge.is_fair,
        };
        for edge in self.edges(from_last) {
            self.add_before(&edge, &last[edge.to as usize], &mut sets)?;
        }
        let own = self.edges(|edge| !from_last(edge));
        loop {
            let mut changed = false;
            for edge in &own {
                let exit = sets[edge.to as usize].clone();
                changed |= self.add_before(edge, &exit, &mut sets)?;
            }
            if !changed {
                return Ok(sets);
            }
        }
    }

    /// Adds the states from which an edge leads to some states; says whether there are new ones.
    fn add_before(&mut self, edge: &GraphEdge, exit: &State<Bdd>, sets: &mut Sets) -> Result<bool, Stop> {
        self.budget.check()?;
        if exit.alive.is_false() {
            return Ok(false);
        }
        let everything = self.stepper.functions.constant(true);
        let entry = self.stepper.all(&everything);
        let nodes = &self.stepper.cone.nodes;
        let stepped = self.stepper.step(&entry, edge, Some(exit), nodes)?;
        let before = self.stepper.before(&stepped)?;
        self.steps += 1;
        self.add(&before, edge.from, sets)
    }

    fn add(&mut self, states: &State<Bdd>, vertex: u32, sets: &mut Sets) -> Result<bool, Stop> {
        let known = &mut sets[vertex as usize];
        let whole = self.stepper.union(known, states)?;
        let is_new = whole != *known;
        *known = whole;
        Ok(is_new)
    }

    /// The states in which paths may be at each vertex.
    fn reached(&mut self, assumed: &Bdd, future: Option<&Sets>) -> Result<Sets, Stop> {
        let nothing = self.stepper.functions.constant(false);
        let mut sets: Sets = vec![self.stepper.all(&nothing); self.graph.vertices.len()];
        sets[0] = self.stepper.all(assumed);
        // Nothing is asked where a path is over, so all states do.
        for (vertex, set) in sets.iter_mut().enumerate() {
            if self.graph.is_terminal(vertex as u32) {
                *set = self.stepper.all(assumed);
            }
        }
        let graph = self.graph;
        let mut waiting = vec![0];
        while let Some(vertex) = waiting.pop() {
            let leaving = (graph.edges.iter().enumerate()).filter(|(_, edge)| edge.from == vertex);
            for (number, edge) in leaving.filter(|(_, edge)| !graph.is_terminal(edge.to)) {
                let nodes = &self.stepper.cone.leading[number];
                let stepped = self.along(edge, &sets, future, nodes)?;
                let after = self.stepper.after(&stepped)?;
                if self.add(&after, edge.to, &mut sets)? && !waiting.contains(&edge.to) {
                    waiting.push(edge.to);
                }
            }
        }
        Ok(sets)
    }

    /// A step from what is reached to what goes on, and the values of some nodes in it; of all, where what comes later counts.
    fn along(
        &mut self,
        edge: &GraphEdge,
        sets: &Sets,
        future: Option<&Sets>,
        nodes: &[NodeId],
    ) -> Result<step::Stepped<Bdd>, Stop> {
        self.budget.check()?;
        self.steps += 1;
        let exit = future.map(|future| &future[edge.to as usize]);
        let nodes = if exit.is_some() {
            &self.stepper.cone.nodes
        } else {
            nodes
        };
        self.stepper.step(&sets[edge.from as usize], edge, exit, nodes)
    }
}

fn decide(
    netlist: &Netlist,
    specification: &Specification,
    graph: &AssertionGraph,
    settings: Settings,
    budget: &Budget,
) -> Result<Answer<TrajectoryEvidence>, Stop> {
    let mut workspace = Workspace::new(specification, settings, budget)?;
    let cone = Cone::new(netlist, graph);
    let truth = workspace.diagrams.constant(true);
    let stepper = Stepper::new(netlist, specification, &cone, &mut workspace.diagrams, budget);
    let mut fixpoints = Fixpoints {
        stepper,
        graph,
        budget,
        steps: 0,
    };
    let assumed = fixpoints.stepper.condition(graph.assumption)?;
    let futures = fixpoints.futures(&truth)?;
    let reached = fixpoints.reached(&assumed, futures.last())?;
    let (mut conflict, mut weak) = (!&truth, !&truth);
    let mut idle = Vec::new();
    for (number, edge) in graph.edges.iter().enumerate() {
        let stepped = fixpoints.along(edge, &reached, futures.last(), &cone.demanding[number])?;
        if stepped.alive.is_false() {
            idle.push(number);
        }
        for drive in &edge.consequent {
            let [other, unknown] = fixpoints.stepper.disagreement(drive, &stepped)?;
            conflict = conflict.or(&other)?;
            weak = weak.or(&unknown)?;
        }
    }
    let steps = fixpoints.steps;
    let weak = weak.minus(&conflict)?;
    let names = workspace.names(specification);
    let with_figures = |mut answer: Answer<TrajectoryEvidence>| {
        answer.statistics.set_count("steps", steps);
        let peak = workspace.manager.statistics().peak_nodes as u64;
        answer.statistics.set_count("peak_nodes", peak);
        answer
    };
    let mut told = None;
    for disagreement in [&conflict, &weak] {
        let Some(values) = names.model(disagreement) else {
            continue;
        };
        let residual = assumed.minus(&conflict)?.minus(&weak)?;
        let rest = names.residual(&residual, &assumed, &conflict, &weak)?;
        let found = search(netlist, specification, graph, &cone, &values, budget)?;
        match answer_of(netlist, specification, graph, &values, found) {
            Ok(mut walk) => {
                let registers = &cone.registers;
                walk.run = run_along(netlist, specification, graph, registers, &walk, budget)?;
                let warning = (walk.run.is_none()).then(|| Warning::from(no_run(walk.back_to.is_some())));
                let mut answer = Answer::complete(Verdict::Fails, TrajectoryEvidence::Walk(walk));
                answer.warnings.extend(warning);
                answer.reason = Some(rest);
                return Ok(with_figures(answer));
            }
            Err(reason) => told = Some(format!("{reason}; {rest}")),
        }
    }
    if let Some(reason) = told {
        return Ok(with_figures(Answer::unknown(reason)));
    }
    let numbers = workspace.numbers();
    let mut record = Record::new(&numbers);
    let mut sets = |sets: &Sets| {
        sets.iter()
            .map(|set| record.states(&cone, set))
            .collect::<Vec<_>>()
    };
    let reached = sets(&reached);
    let futures: Vec<_> = futures.iter().map(sets).collect();
    let fixpoint = Fixpoint {
        functions: record.functions,
        reached,
        futures,
    };
    let mut answer = Answer::complete(Verdict::Holds, TrajectoryEvidence::Fixpoint(fixpoint));
    answer.warnings = warnings(graph, &assumed, &idle);
    Ok(with_figures(answer))
}

/// What is to be said about a path that fails where no Boolean run does was found.
fn no_run(has_loop: bool) -> String {
    match has_loop {
        false => "no run of the circuit with values 0 and 1 takes this path: it fails with three values only"
            .to_owned(),
        true => format!(
            "no run of the circuit with values 0 and 1 takes this path with its loop repeated up to {MOST_LOOPS} times"
        ),
    }
}

/// What is to be said about edges that no path takes.
fn warnings(graph: &AssertionGraph, assumed: &Bdd, idle: &[usize]) -> Vec<Warning> {
    let vacuous = |text: String| Warning::new(WarningKind::Vacuous, text);
    if assumed.is_false() && graph.assumption != ConditionId::TRUE {
        return vec![vacuous(NOTHING_ASSUMED.to_owned())];
    }
    if idle.len() == graph.edges.len() {
        return vec![vacuous(FAILS_FOR_ALL.to_owned())];
    }
    let asked = idle
        .iter()
        .filter(|&&edge| !graph.edges[edge].consequent.is_empty());
    let asked = asked.map(|&edge| {
        vacuous(format!(
            "no path takes the edge `{}`: what it demands is asked of nothing",
            graph.edge_name(edge)
        ))
    });
    asked.collect()
}

/// What a case that disagrees shows: a path, or why there is none.
fn answer_of(
    netlist: &Netlist,
    specification: &Specification,
    graph: &AssertionGraph,
    values: &[bool],
    found: Searched,
) -> Result<entail_trajectories::Walk, String> {
    let text = specification.valuation_text(values);
    let with = match text.is_empty() {
        true => String::new(),
        false => format!(", with {text}"),
    };
    Err(match found {
        Searched::Wrong(walk) => return Ok(walk),
        Searched::Unknown { edge, drive, sources } => {
            let sources: Vec<String> = sources
                .iter()
                .map(|&node| format!("`{}`", netlist.name_of(node)))
                .collect();
            format!(
                "{WEAK}: `{}` is X on the edge `{}`, where a value is demanded{with}; the X comes from {}",
                netlist.name_of(drive.node),
                graph.edge_name(edge),
                sources.join(", ")
            )
        }
        Searched::Nothing => format!(
            "{WEAK}: where paths meet, too little is known of what registers are together{with}; no path by itself disagrees"
        ),
        Searched::TooMany => {
            format!("a value that is demanded is not known{with}, and there are too many paths to tell more")
        }
    })
}
