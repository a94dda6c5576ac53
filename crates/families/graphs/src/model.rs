//! A graph with the formulas that are asked about it.

use crate::checker::{GraphChecker, Strategy};
use crate::contest::FormulaContest;
use crate::engine::{FIXPOINT, FixpointSession, GAME};
use crate::formulas::{NoFormula, read_formula};
use crate::walk::GraphWalk;
use entail_answer::{Answer, Statistics};
use entail_budget::Budget;
use entail_family::{
    Checker, Contest, Coverage, Heading, Input, LoadError, Model, Options, Part, PartKind, Session,
    Structure, StructureError, Turn, Usage, Walk,
};
use entail_graph::{Hidden, ReadError, Unreadable, read_aut, read_dot, read_json};
use entail_logic::Logic;
use entail_logic::mu::{Mu, parse_mu};
use entail_model::{Lts, StateId};
use entail_show::{Graph, GraphEdge, GraphNode, StateKey};
use entail_source::{Diagnostic, Source, Span};
use fixedbitset::FixedBitSet;
use std::collections::BTreeSet;
use std::time::Duration;

/// A graph that has been read.
pub struct GraphModel {
    source: Source,
    language: &'static str,
    pub(crate) lts: Lts,
    headings: Vec<Heading>,
    pub(crate) formulas: Vec<Mu<String>>,
}

/// Games of formulas with more positions are not listed position by position.
const MOST_POSITIONS: usize = 20_000_000;

/// How long a formula of another logic may take to be translated.
const TRANSLATION_TIME: Duration = Duration::from_secs(20);

/// How many names are listed in a message.
const LISTED: usize = 20;

/// Reads a graph.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let hidden = match input.options.value("tau") {
        Some("i") => Hidden::I,
        Some("tau") => Hidden::Tau,
        _ => Hidden::Either,
    };
    let invalid = |wrong: Unreadable| LoadError::invalid(&wrong.source, wrong.diagnostics);
    let (source, lts) = match input.language.name {
        "aut" => {
            let lts = read_aut(input.name, input.bytes, hidden).map_err(|error| match error {
                ReadError::Invalid(wrong) => invalid(*wrong),
                ReadError::Io(error) => LoadError::Unreadable {
                    path: input.path.to_owned(),
                    reason: error.to_string(),
                },
            })?;
            // The text is not kept: it may be very large, and nothing is said about it any more.
            (Source::new(input.name, ""), lts)
        }
        "graph-dot" => {
            let source = input.lossy_text();
            let lts = read_dot(&source, hidden).map_err(invalid)?;
            (source, lts)
        }
        _ => {
            let source = input.text()?;
            let lts = read_json(&source).map_err(invalid)?;
            (source, lts)
        }
    };
    Ok(Box::new(GraphModel {
        source,
        language: input.language.name,
        lts,
        headings: Vec::new(),
        formulas: Vec::new(),
    }))
}

impl GraphModel {
    fn propositions(&self) -> BTreeSet<&str> {
        self.lts.colours().iter().flatten().map(|name| &**name).collect()
    }

    /// The first atom of a formula that no state has, or action that no step has.
    fn unknown_name(&self, formula: &Mu<String>) -> Option<String> {
        let known = self.propositions();
        let list = |names: Vec<&str>| match names.is_empty() {
            true => "there is none".to_owned(),
            false => format!("there are: {}", names.join(", ")),
        };
        let mut unknown = None;
        formula.for_each_atom(&mut |atom: &String| {
            if unknown.is_none() && !known.contains(atom.as_str()) {
                let names = list(known.iter().take(LISTED).copied().collect());
                unknown = Some(format!("no state has the proposition `{atom}`; {names}"));
            }
        });
        unknown
    }
}

impl Model for GraphModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        self.language
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    /// Formulas about graphs are written in the mu-calculus; those of LTL, CTL and CTL* are translated.
    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        let source = Source::new("formula", text);
        let whole = Span::new(0, text.len());
        let read = match logic {
            Some(Logic::Mu) => parse_mu(text).map_err(NoFormula::Unreadable),
            None => {
                let budget = Budget::unlimited().with_timeout(Some(TRANSLATION_TIME));
                read_formula(text, &budget)
            }
            Some(other) => {
                let message = format!("properties of graphs are written in the mu-calculus, not in {other}");
                return Err(Usage(message).into());
            }
        };
        let formula = read.map_err(|error| match error {
            NoFormula::Unreadable(diagnostics) => LoadError::invalid(&source, diagnostics),
            NoFormula::Untranslated(error) => {
                let problem = Diagnostic::error("mu::translation", error.to_string(), whole, "this formula");
                LoadError::invalid(&source, problem)
            }
        })?;
        if let Some(message) = self.unknown_name(&formula) {
            let problem = Diagnostic::error("graph::unknown-proposition", message, whole, "in this formula");
            return Err(LoadError::invalid(&source, problem));
        }
        // What was translated is known by its translation, which saved evidence is about.
        let text = match parse_mu(text) {
            Ok(_) => text.to_owned(),
            Err(_) => formula.to_string(),
        };
        self.formulas.push(formula);
        self.headings.push(Heading {
            name: None,
            text,
            logic: Logic::Mu,
            place: None,
        });
        Ok(self.headings.len() - 1)
    }

    fn figures(&self) -> Statistics {
        Statistics::default()
            .with("states", self.lts.state_count() as u64)
            .with("transitions", self.lts.transition_count() as u64)
    }

    fn schedule(&self, property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        let positions = self
            .lts
            .state_count()
            .saturating_mul(self.formulas[property].size());
        match positions <= MOST_POSITIONS {
            true => vec![Turn::alone(
                GAME,
                None,
                "the game of the formula gives a strategy",
            )],
            false => vec![Turn::alone(
                FIXPOINT,
                None,
                "the game of the formula would be large; sets of states are smaller",
            )],
        }
    }

    fn open<'m>(&'m self, _options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(FixpointSession::new(self)))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(GraphChecker { model: self }))
    }

    fn walk<'m>(&'m self, _options: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        Some(Ok(Box::new(GraphWalk::new(&self.lts))))
    }

    fn contest<'m>(
        &'m self,
        property: usize,
        answer: &Answer,
        _options: &'m Options,
    ) -> Option<Result<Box<dyn Contest + 'm>, String>> {
        let Strategy(strategy) = answer.evidence_as::<Strategy>()?;
        let contest = FormulaContest::new(&self.lts, &self.formulas[property], strategy);
        Some(contest.map(|contest| Box::new(contest) as Box<dyn Contest>))
    }

    fn structure(&self, options: &Options, _budget: &Budget) -> Option<Result<Structure, StructureError>> {
        let observe: Vec<&str> = (options.values("observe").iter())
            .flat_map(|list| list.split(','))
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect();
        let known = self.propositions();
        let lts = match observe.iter().find(|name| !known.contains(**name)) {
            Some(unknown) => {
                let listed: Vec<&str> = known.into_iter().take(LISTED).collect();
                return Some(Err(StructureError::Usage(Usage(match listed.is_empty() {
                    true => {
                        "--observe is for models with variables; this graph has no propositions".to_owned()
                    }
                    false => format!(
                        "there is no proposition `{unknown}` in this graph; there are: {}",
                        listed.join(", ")
                    ),
                }))));
            }
            None if observe.is_empty() => self.lts.clone(),
            None => self.lts.observing(&|name| observe.contains(&name)),
        };
        Some(Ok(Structure {
            lts,
            notes: Vec::new(),
        }))
    }

    fn coverage(&self, _: &[(usize, &Answer)], most_states: usize, _: &Budget) -> Option<Coverage> {
        let states = self.lts.state_count();
        if states > most_states {
            return Some(Coverage::unknown(format!("the graph has {states} states")));
        }
        let mut reached = FixedBitSet::with_capacity(states);
        let mut open: Vec<StateId> = self.lts.initial().to_vec();
        while let Some(state) = open.pop() {
            if !reached.put(state.index()) {
                open.extend(self.lts.steps(state).map(|(_, to)| to));
            }
        }
        let part = |kind: PartKind, text: String| Part {
            kind,
            of: String::new(),
            place: None,
            text,
        };
        let lost = |state: &StateId| !reached.contains(state.index());
        let lost_states = self.lts.states().filter(lost);
        let lost_steps = self.lts.transitions().filter(|step| lost(&step.from));
        let unreached = lost_states.map(|state| part(PartKind::State, state.to_string()));
        let untaken = lost_steps.map(|step| {
            let action = self.lts.action_name(step.action);
            part(PartKind::Edge, format!("{} {action} {}", step.from, step.to))
        });
        Some(Coverage {
            states: Ok(reached.count_ones(..) as u64),
            parts: states + self.lts.transition_count(),
            unreached: unreached.chain(untaken).collect(),
            proofs: None,
        })
    }

    fn graph(&self, most_states: usize, _budget: &Budget) -> Option<Result<Graph, String>> {
        let states = self.lts.state_count();
        if states > most_states {
            return Some(Err(format!(
                "the graph has {states} states, too many to be drawn"
            )));
        }
        let names: Vec<String> = self.propositions().into_iter().map(String::from).collect();
        let nodes = self.lts.states().map(|state| GraphNode {
            label: vec![state.to_string()],
            values: (names.iter())
                .map(|name| holds(&self.lts, state, name).to_string())
                .collect(),
            is_initial: self.lts.initial().contains(&state),
            is_marked: false,
            key: Some(key(state)),
        });
        let edges = self.lts.transitions().map(|step| GraphEdge {
            from: step.from.index(),
            to: step.to.index(),
            label: self.lts.action_name(step.action).to_string(),
            is_dashed: false,
        });
        Some(Ok(Graph {
            nodes: nodes.collect(),
            edges: edges.collect(),
            names,
        }))
    }
}

/// Whether a proposition holds in a state.
pub(crate) fn holds(lts: &Lts, state: StateId, name: &str) -> bool {
    lts.propositions(state).iter().any(|one| &**one == name)
}

/// What identifies a state in drawings.
pub(crate) fn key(state: StateId) -> StateKey {
    StateKey(state.index() as u64)
}
