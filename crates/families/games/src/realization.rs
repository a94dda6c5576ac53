//! Judging machines: closed by free inputs, all their runs satisfy the specification (or, for the environment's machine, violate it).

use crate::accepted::all_runs_accepted;
use crate::closed;
use crate::core::{Core, Section, described, guarantees, only};
use crate::listed::listed;
use crate::machine_formats;
use crate::machine_table::table;
use crate::ranks::Ranks;
use crate::specification::SpecificationModel;
use entail_aiger::{Aiger, SymbolKind, write_ascii};
use entail_answer::{Answer, CheckReport, Evidence, Verdict};
use entail_budget::Budget;
use entail_family::{Checker, Claim, ReadError};
use entail_game::{FirstMover, Player, ReactiveMachine};
use entail_show::{Prominence, Shown, View};
use entail_synthesis::Goal;
use serde_json::{Map, Value as Json, json};

/// A machine that decides a specification, as a circuit.
#[derive(Clone, Debug)]
pub(crate) struct Realization {
    /// Whose machine it is: Even's is the system's.
    pub by: Player,
    /// The circuit: it is what is judged.
    pub circuit: Aiger,
    /// The circuit's states one by one, if they are few: for people.
    machine: Option<ReactiveMachine>,
    /// Of the environment's machine: guarantees that it prevents already, if they were looked for.
    pub core: Option<Core>,
}

impl Realization {
    /// A player's circuit; of the environment's perhaps with the guarantees that it prevents.
    pub fn new(by: Player, circuit: Aiger, core: Option<Core>) -> Realization {
        Realization {
            by,
            machine: listed(&circuit),
            circuit,
            core,
        }
    }
}

impl Evidence for Realization {
    fn kind(&self) -> &'static str {
        "machine"
    }
}

/// Judges machines.
pub(crate) struct RealizationChecker<'m> {
    pub model: &'m SpecificationModel,
}

impl RealizationChecker<'_> {
    /// What a machine of this player reads, and writes.
    fn sides(&self, by: Player) -> (&[String], &[String]) {
        let problem = &self.model.problem;
        match by {
            Player::Even => (&problem.inputs, &problem.outputs),
            Player::Odd => (&problem.outputs, &problem.inputs),
        }
    }

    /// Why a circuit is not even a machine of this player, if so.
    fn fault(&self, realization: &Realization) -> Option<String> {
        let circuit = &realization.circuit;
        let (reads, writes) = self.sides(realization.by);
        let named = |kind: SymbolKind, count: usize| -> Vec<&str> {
            (0..count as u32)
                .map(|at| circuit.symbol(kind, at).unwrap_or(""))
                .collect()
        };
        let same = |names: Vec<&str>, wanted: &[String]| {
            let (mut one, mut other): (Vec<&str>, Vec<&str>) =
                (names, wanted.iter().map(String::as_str).collect());
            one.sort_unstable();
            other.sort_unstable();
            one == other
        };
        if !same(named(SymbolKind::Input, circuit.inputs as usize), reads) {
            return Some("its inputs are not those that the machine reads".into());
        }
        if !same(named(SymbolKind::Output, circuit.outputs.len()), writes) {
            return Some("its outputs are not those that the machine writes".into());
        }
        // Whoever moves first must not look at what comes later in the same step.
        let first = match self.model.problem.first {
            FirstMover::Machine => Player::Even,
            FirstMover::Environment => Player::Odd,
        };
        (first == realization.by && reads_at_once(circuit))
            .then(|| "an output depends on an input of the same step, which is decided later".into())
    }
}

/// Whether some output depends on an input without a latch in between.
fn reads_at_once(circuit: &Aiger) -> bool {
    let first_gate = 1 + circuit.inputs + circuit.latches.len() as u32;
    let mut seen = vec![false; circuit.gates.len()];
    let mut waiting: Vec<u32> = circuit.outputs.iter().map(|output| output.variable()).collect();
    while let Some(variable) = waiting.pop() {
        if (1..=circuit.inputs).contains(&variable) {
            return true;
        }
        if let Some(gate) = variable.checked_sub(first_gate)
            && !std::mem::replace(&mut seen[gate as usize], true)
        {
            waiting.extend(circuit.gates[gate as usize].map(|literal| literal.variable()));
        }
    }
    false
}

impl Checker for RealizationChecker<'_> {
    fn check(&mut self, _property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        if let Some(ranks) = answer.evidence_as::<Ranks>() {
            return ranks.judged(&self.model.problem, answer.verdict, budget);
        }
        let Some(realization) = answer.evidence_as::<Realization>() else {
            return CheckReport::rejected("there is no machine");
        };
        if (realization.by == Player::Even) != (answer.verdict == Verdict::Holds) {
            return CheckReport::rejected("the machine is not that of the player who is said to win");
        }
        if let Some(fault) = self.fault(realization) {
            return CheckReport::rejected(fault);
        }
        match (&self.model.problem.goal, realization.by) {
            (Goal::Formula(formula), Player::Even) => closed::check(&realization.circuit, formula, budget),
            (Goal::Formula(formula), Player::Odd) => {
                let core = match (&realization.core, self.model.tlsf.as_deref()) {
                    (None, _) => None,
                    (Some(core), Some(specification)) => {
                        Some(only(specification, &core.guarantees).formula())
                    }
                    (Some(_), None) => {
                        return CheckReport::rejected("only specifications in TLSF have a core");
                    }
                };
                closed::check(
                    &realization.circuit,
                    &core.as_ref().unwrap_or(formula).not(),
                    budget,
                )
            }
            (Goal::Automaton(automaton), by) => {
                all_runs_accepted(&realization.circuit, automaton, by == Player::Even, budget)
            }
        }
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("kind".into(), evidence.kind().into());
        if let Some(ranks) = evidence.data::<Ranks>() {
            ranks.summary(&mut map);
        }
        if let Some(realization) = evidence.data::<Realization>() {
            let whose = match realization.by {
                Player::Even => "system",
                Player::Odd => "environment",
            };
            map.insert("of".into(), whose.into());
            map.insert("latches".into(), realization.circuit.latches.len().into());
            map.insert("gates".into(), realization.circuit.gates.len().into());
            if let Some(machine) = &realization.machine {
                map.insert("states".into(), machine.states.len().into());
            }
        }
        map
    }

    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        if let Some(ranks) = evidence.data::<Ranks>() {
            ranks.save(&mut map);
        }
        if let Some(realization) = evidence.data::<Realization>() {
            map.insert("circuit".into(), write_ascii(&realization.circuit).into());
            if let Some(core) = &realization.core {
                let rows = (core.guarantees.iter()).map(|(section, at)| json!([section.name(), at]));
                map.insert("core".into(), rows.collect());
                map.insert("minimal".into(), core.is_minimal.into());
            }
        }
        map
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        let evidence = &document["evidence"];
        if evidence.get("ranks").is_some() {
            return Ok(Box::new(Ranks::from_json(evidence)?));
        }
        let by = match evidence["of"].as_str() {
            Some("system") => Player::Even,
            Some("environment") => Player::Odd,
            _ => return Err("`of`: expected `system` or `environment`".into()),
        };
        let text = evidence["circuit"]
            .as_str()
            .ok_or("`circuit`: expected a circuit in AIGER")?;
        let (circuit, core) = (read_circuit(text)?, core_from_json(evidence)?);
        Ok(Box::new(Realization::new(by, circuit, core)))
    }

    fn show(&self, _property: usize, answer: &Answer) -> Shown {
        let mut shown = Shown::default();
        if let Some(ranks) = answer.evidence_as::<Ranks>() {
            shown.push(Prominence::Main, View::Notes(vec![ranks.described()]));
        }
        let Some(realization) = answer.evidence_as::<Realization>() else {
            return shown;
        };
        let circuit = &realization.circuit;
        let (whose, what) = match realization.by {
            Player::Even => ("a machine", "satisfies the specification whatever the inputs are"),
            Player::Odd => (
                "the environment has a machine",
                "violates the specification whatever the outputs are",
            ),
        };
        let states = match &realization.machine {
            Some(machine) => format!(" with {} states", machine.states.len()),
            None => String::new(),
        };
        let line = format!(
            "{whose}{states} ({} latches, {} gates) {what}",
            circuit.latches.len(),
            circuit.gates.len()
        );
        shown.push(Prominence::Main, View::Notes(vec![line]));
        if let (Some(core), Some(specification)) = (&realization.core, self.model.tlsf.as_deref()) {
            let few = match core.is_minimal {
                true => "none of which could be left out",
                false => "perhaps not all of them needed",
            };
            let count = format!(
                "{} of {} guarantees cannot be met together, {few}:",
                core.guarantees.len(),
                guarantees(specification).len()
            );
            let lines = (core.guarantees.iter()).filter_map(|&one| described(specification, one));
            let notes = std::iter::once(count).chain(lines.map(|line| format!("  {line}")));
            shown.push(Prominence::Main, View::Notes(notes.collect()));
        }
        if let Some(table) = realization.machine.as_ref().and_then(table) {
            let prominence = match realization.by {
                Player::Even => Prominence::Detail,
                Player::Odd => Prominence::Main,
            };
            shown.push(prominence, View::Table(table));
        }
        shown
    }

    fn export(&self, _property: usize, answer: &Answer, extension: &str) -> Option<Result<String, String>> {
        let realization = answer.evidence_as::<Realization>()?;
        machine_formats::print(
            &realization.circuit,
            realization.machine.as_ref(),
            self.sides(realization.by).1,
            extension,
        )
    }

    fn import(&self, text: &str) -> Option<Result<Vec<Claim>, ReadError>> {
        if !text.starts_with("aag ") {
            return None;
        }
        Some(read_circuit(text).map(|circuit| {
            // Whose machine it is, its inputs tell.
            let environments = (0..circuit.inputs)
                .filter_map(|at| circuit.symbol(SymbolKind::Input, at))
                .any(|name| self.model.problem.outputs.iter().any(|output| output == name));
            let (by, verdict) = match environments {
                true => (Player::Odd, Verdict::Fails),
                false => (Player::Even, Verdict::Holds),
            };
            let realization = Realization::new(by, circuit, None);
            vec![Claim {
                property: 0,
                answer: Answer::complete(verdict, realization).boxed(),
            }]
        }))
    }
}

/// The guarantees that the evidence says cannot be met together.
fn core_from_json(evidence: &Json) -> Result<Option<Core>, ReadError> {
    let Some(rows) = evidence["core"].as_array() else {
        return Ok(None);
    };
    let row = |row: &Json| {
        let section = row.get(0).and_then(Json::as_str).and_then(Section::named)?;
        Some((section, row.get(1)?.as_u64()? as usize))
    };
    let listed: Option<Vec<_>> = rows.iter().map(row).collect();
    Ok(Some(Core {
        guarantees: listed.ok_or("`core`: expected sections and positions")?,
        is_minimal: evidence["minimal"].as_bool().unwrap_or(false),
    }))
}

fn read_circuit(text: &str) -> Result<Aiger, ReadError> {
    entail_aiger::read("circuit", text.as_bytes())
        .map_err(|wrong| ReadError::NotEvidence(wrong.diagnostics.to_string()))
}
