//! Judging answers about trajectory assertions, and showing counterexamples.

use super::TrajectoryModel;
use crate::judge::reported;
use entail_answer::{Answer, CheckReport, Evidence, Verdict};
use entail_budget::Budget;
use entail_family::{Checker, ReadError, evidence_from_document, evidence_to_map};
use entail_proof::trajectory::{
    Replayed, check_assertion, check_derivation, check_fixpoint, check_indexed, check_walk, replay,
};
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Shown, Timeline, View};
use entail_trajectories::{
    Assertion, AssertionGraph, Drive, Method, NodeId, Role, Signal, TrajectoryEvidence,
};
use rustc_hash::FxHashSet;
use serde_json::{Map, Value as Json, json};

pub(crate) struct TrajectoryChecker<'m> {
    model: &'m TrajectoryModel,
    /// Assertions that have been accepted to hold: others may be derived from them.
    accepted: FxHashSet<usize>,
}

impl<'m> TrajectoryChecker<'m> {
    pub(crate) fn new(model: &'m TrajectoryModel) -> TrajectoryChecker<'m> {
        TrajectoryChecker {
            model,
            accepted: FxHashSet::default(),
        }
    }

    fn assertion(&self, property: usize) -> Option<&'m Assertion> {
        self.model.specification.assertions.get(property)
    }

    fn demands_relation(&self, property: usize) -> bool {
        self.assertion(property).is_some_and(|one| one.relation.is_some())
    }

    fn replayed(&self, property: usize, values: &[bool]) -> Option<Replayed> {
        let assertion = self.assertion(property)?;
        Some(replay(
            &self.model.netlist,
            &self.model.specification,
            assertion,
            values,
        ))
    }

    fn check_valuation(&self, property: usize, values: &[bool], place: (NodeId, u32)) -> CheckReport {
        if values.len() != self.model.specification.variables() {
            return CheckReport::rejected("the valuation is of other variables");
        }
        let Some(replayed) = self.replayed(property, values) else {
            return CheckReport::rejected("there is no such assertion");
        };
        if !replayed.allowed {
            return CheckReport::rejected("the assumption excludes the valuation");
        }
        if replayed.contradiction.is_some() {
            return CheckReport::rejected("the antecedent contradicts itself or the circuit there");
        }
        match replayed.conflicts.contains(&place) {
            true => CheckReport::Accepted,
            false => CheckReport::rejected("the circuit does not have the other value there"),
        }
    }

    /// Judges that an assertion holds: its premises first, then itself.
    fn check_holds(
        &mut self,
        property: usize,
        evidence: &TrajectoryEvidence,
        budget: &Budget,
    ) -> CheckReport {
        let specification = &self.model.specification;
        let given: &[(u32, TrajectoryEvidence)] = match evidence {
            TrajectoryEvidence::Derived { premises } => premises,
            _ => &[],
        };
        for premise in specification.premises(property) {
            if self.accepted.contains(&premise) {
                continue;
            }
            let found = given.iter().find(|(position, _)| *position as usize == premise);
            let Some((_, evidence)) = found else {
                return CheckReport::rejected("there is no evidence for a premise");
            };
            match self.check_step(premise, evidence, budget) {
                CheckReport::Accepted => self.accepted.insert(premise),
                other => return other,
            };
        }
        let report = self.check_step(property, evidence, budget);
        if report == CheckReport::Accepted {
            self.accepted.insert(property);
        }
        report
    }

    /// Judges that an assertion holds if its premises do.
    fn check_step(&self, property: usize, evidence: &TrajectoryEvidence, budget: &Budget) -> CheckReport {
        let (netlist, specification) = (&self.model.netlist, &self.model.specification);
        let Some(assertion) = specification.assertions.get(property) else {
            return CheckReport::rejected("there is no such assertion");
        };
        match (evidence, &assertion.method) {
            (TrajectoryEvidence::Comparison { .. }, _) => {
                reported(check_assertion(netlist, specification, assertion, budget))
            }
            (TrajectoryEvidence::Indexed(form), _) => {
                reported(check_indexed(netlist, specification, assertion, form, budget))
            }
            (TrajectoryEvidence::Derived { .. }, Method::Rules(derivation)) => {
                reported(check_derivation(specification, property, derivation, budget))
            }
            _ => CheckReport::rejected("the evidence is not about such an assertion"),
        }
    }

    fn check_graph(&self, graph: &AssertionGraph, answer: &Answer, budget: &Budget) -> CheckReport {
        let (netlist, specification) = (&self.model.netlist, &self.model.specification);
        match (answer.verdict, answer.evidence_as::<TrajectoryEvidence>()) {
            (Verdict::Holds, Some(TrajectoryEvidence::Fixpoint(fixpoint))) => {
                reported(check_fixpoint(netlist, specification, graph, fixpoint, budget))
            }
            (Verdict::Fails, Some(TrajectoryEvidence::Walk(walk))) => {
                match check_walk(netlist, specification, graph, walk) {
                    Ok(_) => CheckReport::Accepted,
                    Err(problem) => CheckReport::rejected(problem),
                }
            }
            _ => CheckReport::rejected("the evidence is not about such a verdict"),
        }
    }

    /// What a property drives and demands.
    fn drives(&self, property: usize) -> Vec<Drive> {
        let edges = self
            .model
            .graph(property)
            .into_iter()
            .flat_map(|graph| &graph.edges);
        let on_edges = edges.flat_map(|edge| edge.antecedent.iter().chain(&edge.consequent));
        let assertion = self.assertion(property).into_iter();
        let plain = assertion.flat_map(|one| one.antecedent.iter().chain(&one.consequent));
        plain.chain(on_edges).copied().collect()
    }

    /// The simulation that evidence is of, where it is wrong, and where it comes back to.
    fn shown_run(
        &self,
        property: usize,
        evidence: &TrajectoryEvidence,
    ) -> Option<(Replayed, (NodeId, u32), Option<u32>)> {
        match evidence {
            TrajectoryEvidence::Valuation { values, node, time } => {
                Some((self.replayed(property, values)?, (NodeId(*node), *time), None))
            }
            TrajectoryEvidence::Walk(walk) => {
                let TrajectoryModel {
                    netlist,
                    specification,
                    ..
                } = self.model;
                let graph = self.model.graph(property)?;
                let replayed = check_walk(netlist, specification, graph, walk).ok()?;
                let place = (NodeId(walk.node), walk.at);
                Some((replayed, place, walk.back_to))
            }
            TrajectoryEvidence::Comparison { .. }
            | TrajectoryEvidence::Fixpoint(_)
            | TrajectoryEvidence::Derived { .. }
            | TrajectoryEvidence::Indexed(_) => None,
        }
    }

    /// The signals that a property speaks of, in the order of the circuit.
    fn signals(&self, property: usize) -> Vec<&'m Signal> {
        let spoken: FxHashSet<NodeId> = self.drives(property).iter().map(|drive| drive.node).collect();
        let is_spoken = |signal: &&Signal| signal.elements.iter().flatten().any(|node| spoken.contains(node));
        self.model.netlist.signals().iter().filter(is_spoken).collect()
    }

    fn timeline(&self, property: usize, evidence: &TrajectoryEvidence) -> Option<Timeline> {
        let (replayed, place, back_to) = self.shown_run(property, evidence)?;
        let mut timeline = Timeline {
            positions: replayed.times(),
            violation: Some(place.1 as usize),
            loop_start: back_to.map(|to| to as usize),
            ..Timeline::default()
        };
        for signal in self.signals(property) {
            for (number, bits) in signal.elements.iter().enumerate() {
                let text = |time: usize| -> String {
                    let letter = |node: &NodeId| replayed.letter(time as u32, *node);
                    bits.iter().rev().map(letter).collect()
                };
                // Of a memory, only words that have a value somewhere are shown.
                let is_known = (0..replayed.times()).any(|time| text(time).contains(['0', '1']));
                if signal.is_memory && !is_known {
                    continue;
                }
                let role = match signal.role {
                    Role::Input => ColumnRole::Input,
                    Role::Register => ColumnRole::State,
                    Role::Internal => ColumnRole::Define,
                };
                let name = match signal.is_memory {
                    true => format!("{}[{number}]", signal.name),
                    false => signal.name.clone(),
                };
                let mut column = Column::new(name, role, ColumnKind::Word(bits.len() as u32));
                for time in 0..replayed.times() {
                    let text = text(time);
                    let cell = Cell {
                        bits: Some(text.to_lowercase().into()),
                        text: text.into(),
                    };
                    column.record(time, Some(cell));
                }
                timeline.columns.push(column);
            }
        }
        Some(timeline)
    }
}

impl Checker for TrajectoryChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        if let Some(graph) = self.model.graph(property) {
            return self.check_graph(graph, answer, budget);
        }
        match (answer.verdict, answer.evidence_as::<TrajectoryEvidence>()) {
            (Verdict::Holds, Some(evidence)) => self.check_holds(property, evidence, budget),
            (Verdict::Fails, Some(TrajectoryEvidence::Valuation { values, node, time })) => {
                self.check_valuation(property, values, (NodeId(*node), *time))
            }
            _ => CheckReport::rejected("the evidence is not about such a verdict"),
        }
    }

    fn to_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("kind".into(), evidence.kind().into());
        let Some(data) = evidence.data::<TrajectoryEvidence>() else {
            return map;
        };
        let specification = &self.model.specification;
        if let TrajectoryEvidence::Valuation { values, node, time } = data {
            map.insert("valuation".into(), specification.valuation_text(values).into());
            map.insert("signal".into(), self.model.netlist.name_of(NodeId(*node)).into());
            map.insert("time".into(), json!(time));
        }
        if let (TrajectoryEvidence::Walk(walk), Some(graph)) = (data, self.model.graph(property)) {
            let path = walk.edges.iter().map(|&edge| graph.edge_name(edge as usize));
            map.insert(
                "valuation".into(),
                specification.valuation_text(&walk.values).into(),
            );
            map.insert(
                "signal".into(),
                self.model.netlist.name_of(NodeId(walk.node)).into(),
            );
            map.insert("path".into(), path.collect::<Vec<String>>().into());
        }
        if let Some(timeline) = self.timeline(property, data) {
            let step = |time: usize| {
                let columns = timeline.columns.iter();
                let cell = |column: &Column| column.value(time).map_or(Json::Null, |text| json!(text));
                let cells: Map<String, Json> = columns
                    .map(|column| (column.name.clone(), cell(column)))
                    .collect();
                cells
            };
            let steps: Vec<Map<String, Json>> = (0..timeline.positions).map(step).collect();
            map.insert("trace".into(), json!({ "steps": steps }));
        }
        map
    }

    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        if let Some(data) = evidence.data::<TrajectoryEvidence>() {
            map.extend(evidence_to_map(data));
        }
        map
    }

    fn evidence_from_json(&self, _: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<TrajectoryEvidence>(document)?))
    }

    fn show(&self, property: usize, answer: &Answer) -> Shown {
        let Some(evidence) = answer.evidence_as::<TrajectoryEvidence>() else {
            return Shown::default();
        };
        let name = |node: u32| self.model.netlist.name_of(NodeId(node));
        let mut shown = Shown::default();
        let (mut notes, values) = match (evidence, self.model.graph(property)) {
            (TrajectoryEvidence::Valuation { values, .. }, _) if self.demands_relation(property) => {
                (vec!["the relation is false of these values".to_owned()], values)
            }
            (TrajectoryEvidence::Valuation { values, node, time }, _) => {
                shown.violated.push(format!("{} at time {time}", name(*node)));
                let note = format!(
                    "{} has the other value than is demanded at time {time}",
                    name(*node)
                );
                (vec![note], values)
            }
            (TrajectoryEvidence::Walk(walk), Some(graph)) => {
                let wrong = walk
                    .edges
                    .get(walk.at as usize)
                    .map_or(usize::MAX, |&edge| edge as usize);
                let edge = graph.edge_name(wrong);
                shown
                    .violated
                    .push(format!("{} on the edge {edge}", name(walk.node)));
                let path: Vec<String> = walk
                    .edges
                    .iter()
                    .map(|&edge| graph.edge_name(edge as usize))
                    .collect();
                let mut notes = vec![
                    format!(
                        "{} has the other value than is demanded on the edge {edge}, at time {}",
                        name(walk.node),
                        walk.at
                    ),
                    format!("the path takes {}", path.join(", ")),
                ];
                if walk.run.is_some() {
                    notes.push("the values are those of a run of the circuit with 0 and 1 only".to_owned());
                }
                (notes, &walk.values)
            }
            _ => return shown,
        };
        let valuation = self.model.specification.valuation_text(values);
        if !valuation.is_empty() {
            notes.push(format!("with {valuation}"));
        }
        let shown = shown.main(View::Notes(notes));
        match self.timeline(property, evidence) {
            Some(timeline) => shown.main(View::Timeline(timeline)),
            None => shown,
        }
    }
}
