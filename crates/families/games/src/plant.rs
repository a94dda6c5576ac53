//! Safety games on AIGER circuits: inputs whose names begin with `controllable_` are the system's, and the first output (or bad-state property) must never be true
//! (arXiv 1405.5793). The evidence is a combinational circuit that defines the winner's inputs; joined to the plant, which the judge reads itself, it is closed
//! and given to a model checker.

use crate::closed;
use entail_aiger::{Aiger, Latch, Literal, Reset, SymbolKind, write_ascii};
use entail_answer::{Answer, CheckReport, Evidence, Statistics, Verdict};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, Heading, Input, LoadError, Model, ModelError, Options, ReadError, Session, Turn, Usage,
};
use entail_game::Player;
use entail_logic::{Formula, Logic};
use entail_show::{Prominence, Shown, View};
use entail_source::{Diagnostic, Source, Span};
use entail_synthesis::{Choice, Plant, SafetyOutcome, solve_safety};
use serde_json::{Map, Value as Json};

/// The engine's name.
pub(crate) const ENGINE: &str = "safety";
/// How names of the system's inputs begin.
const CONTROLLABLE: &str = "controllable_";
/// The name of the output that must never be true, in the closed circuit.
const BAD: &str = "bad!";

/// A plant that has been read.
pub(crate) struct PlantModel {
    source: Source,
    headings: Vec<Heading>,
    circuit: Aiger,
    bad: Literal,
}

/// Reads a plant.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let circuit = entail_aiger::read(input.name, input.bytes)
        .map_err(|wrong| LoadError::invalid(&wrong.source, wrong.diagnostics))?;
    let source = Source::new(input.name, "");
    let wrong = |message: &str, help: &str| {
        let problem = Diagnostic::error("plant::circuit", message, Span::new(0, 0), "in this file");
        LoadError::invalid(&source, problem.with_help(help))
    };
    let (_, bad) = circuit.bad_states();
    let &[bad] = bad else {
        let help = "a safety game has one output, or one bad-state property, that must never be true";
        return Err(wrong(&format!("the circuit has {} of them", bad.len()), help));
    };
    if !circuit.constraints.is_empty() || !circuit.justice.is_empty() || !circuit.fairness.is_empty() {
        let help = "write assumptions into the output that must never be true";
        return Err(wrong(
            "invariant constraints, justice and fairness have no meaning in a safety game",
            help,
        ));
    }
    if circuit.latches.iter().any(|latch| latch.reset == Reset::Free) {
        return Err(wrong(
            "a latch has no first value",
            "give every latch a reset value",
        ));
    }
    Ok(Box::new(PlantModel {
        source,
        headings: vec![Heading {
            name: None,
            text: "realizable".to_owned(),
            logic: Logic::Safety,
            place: None,
        }],
        circuit,
        bad,
    }))
}

impl PlantModel {
    fn input_name(&self, input: u32) -> String {
        match self.circuit.symbol(SymbolKind::Input, input) {
            Some(name) => name.to_owned(),
            None => format!("i{input}"),
        }
    }

    fn is_controllable(&self, input: u32) -> bool {
        self.input_name(input).starts_with(CONTROLLABLE)
    }

    fn plant(&self) -> Plant {
        Plant {
            controllable: (0..self.circuit.inputs)
                .map(|input| self.is_controllable(input))
                .collect(),
            latches: (self.circuit.latches.iter())
                .map(|latch| (latch.next.0, latch.reset == Reset::One))
                .collect(),
            gates: self
                .circuit
                .gates
                .iter()
                .map(|gate| gate.map(|literal| literal.0))
                .collect(),
            bad: self.bad.0,
        }
    }

    /// The inputs that a player sets.
    fn own(&self, player: Player) -> Vec<u32> {
        let system = player == Player::Even;
        (0..self.circuit.inputs)
            .filter(|&input| self.is_controllable(input) == system)
            .collect()
    }

    /// The plant with a player's inputs defined by a strategy; its outputs are those inputs and what must never be true.
    fn joined(&self, strategy: &Strategy) -> Result<Aiger, String> {
        let (own, functions) = (self.own(strategy.by), &strategy.circuit);
        let free: Vec<u32> = (0..self.circuit.inputs)
            .filter(|input| !own.contains(input))
            .collect();
        if !functions.latches.is_empty() {
            return Err("the strategy has latches of its own".into());
        }
        if functions.outputs.len() != own.len() {
            return Err(format!(
                "the strategy defines {} inputs of {}",
                functions.outputs.len(),
                own.len()
            ));
        }
        // The strategy reads latches; the system's also reads the inputs of the environment, which come first in a step.
        let reads = match strategy.by {
            Player::Even => free.len(),
            Player::Odd => 0,
        };
        if functions.inputs as usize != reads + self.circuit.latches.len() {
            return Err("the strategy reads something else than it can see".into());
        }
        let mut joined = Aiger {
            inputs: free.len() as u32,
            latches: self.circuit.latches.clone(),
            ..Aiger::default()
        };
        for (at, &input) in free.iter().enumerate() {
            joined
                .symbols
                .insert((SymbolKind::Input, at as u32), self.input_name(input));
        }
        let renamed = |names: &[Literal], literal: Literal| {
            names[literal.variable() as usize].flipped_if(literal.is_negated())
        };
        // First the strategy's gates, then the plant's.
        let mut names = vec![Literal(0)];
        names.extend((0..reads as u32).map(|at| joined.input(at)));
        names.extend((0..joined.latches.len() as u32).map(|at| joined.latch(at)));
        for gate in &functions.gates {
            let operands = gate.map(|literal| renamed(&names, literal));
            joined.gates.push(operands);
            names.push(joined.gate(joined.gates.len() as u32 - 1));
        }
        let defined: Vec<Literal> = functions
            .outputs
            .iter()
            .map(|&output| renamed(&names, output))
            .collect();
        let mut names = vec![Literal(0)];
        for input in 0..self.circuit.inputs {
            let place = |list: &[u32]| list.iter().position(|&known| known == input);
            names.push(match (place(&own), place(&free)) {
                (Some(at), _) => defined[at],
                (None, Some(at)) => joined.input(at as u32),
                (None, None) => Literal(0),
            });
        }
        names.extend((0..joined.latches.len() as u32).map(|at| joined.latch(at)));
        for gate in &self.circuit.gates {
            let operands = gate.map(|literal| renamed(&names, literal));
            joined.gates.push(operands);
            names.push(joined.gate(joined.gates.len() as u32 - 1));
        }
        joined.latches = (self.circuit.latches.iter())
            .map(|latch| Latch {
                next: renamed(&names, latch.next),
                ..*latch
            })
            .collect();
        joined.outputs.push(renamed(&names, self.bad));
        joined.symbols.insert((SymbolKind::Output, 0), BAD.to_owned());
        for (at, (&input, &literal)) in own.iter().zip(&defined).enumerate() {
            joined.outputs.push(literal);
            joined
                .symbols
                .insert((SymbolKind::Output, at as u32 + 1), self.input_name(input));
        }
        Ok(joined)
    }

    /// The functions of a strategy as a circuit.
    fn strategy(&self, outcome: &SafetyOutcome) -> Strategy {
        let own = self.own(outcome.winner);
        let free: Vec<u32> = (0..self.circuit.inputs)
            .filter(|input| !own.contains(input))
            .collect();
        let reads = match outcome.winner {
            Player::Even => free.len() as u32,
            Player::Odd => 0,
        };
        let mut circuit = Aiger {
            inputs: reads + self.circuit.latches.len() as u32,
            ..Aiger::default()
        };
        // Where a variable of the plant stands among what the strategy reads.
        let read = |variable: u32| -> u32 {
            let input = variable - 1;
            match free.iter().position(|&known| known == input) {
                Some(at) if input < self.circuit.inputs => at as u32,
                _ => (reads + input).saturating_sub(self.circuit.inputs),
            }
        };
        let gate = |circuit: &mut Aiger, a: Literal, b: Literal| {
            circuit.gates.push([a, b]);
            circuit.gate(circuit.gates.len() as u32 - 1)
        };
        let mut literals: Vec<Literal> = Vec::with_capacity(outcome.nodes.len());
        for node in &outcome.nodes {
            let literal = match *node {
                Choice::Constant(truth) => Literal(u32::from(truth)),
                Choice::Test(variable, low, high) => {
                    let test = circuit.input(read(variable));
                    let (low, high) = (literals[low as usize], literals[high as usize]);
                    let with = gate(&mut circuit, test, high);
                    let without = gate(&mut circuit, !test, low);
                    !gate(&mut circuit, !with, !without)
                }
            };
            literals.push(literal);
        }
        for input in &own {
            let function = outcome.functions.iter().find(|(known, _)| known == input);
            circuit
                .outputs
                .push(function.map_or(Literal(0), |&(_, node)| literals[node as usize]));
        }
        Strategy {
            by: outcome.winner,
            circuit,
        }
    }
}

/// The winner's inputs, as functions of what it sees.
#[derive(Clone, Debug)]
struct Strategy {
    by: Player,
    circuit: Aiger,
}

impl Evidence for Strategy {
    fn kind(&self) -> &'static str {
        "strategy"
    }
}

impl Model for PlantModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        "aiger-game"
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn add_property(&mut self, text: &str, _logic: Option<Logic>) -> Result<usize, LoadError> {
        match text == self.headings[0].text {
            true => Ok(0),
            false => Err(Usage(
                "a plant can be controlled or not; there is no other question about it".into(),
            )
            .into()),
        }
    }

    fn figures(&self) -> Statistics {
        Statistics::default()
            .with("inputs", self.own(Player::Odd).len() as u64)
            .with("controllable", self.own(Player::Even).len() as u64)
            .with("latches", self.circuit.latches.len() as u64)
            .with("gates", self.circuit.gates.len() as u64)
    }

    fn schedule(&self, _property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        vec![Turn::alone(ENGINE, None, "a safety game on a circuit")]
    }

    fn open<'m>(&'m self, _options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(PlantSession { model: self }))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(PlantChecker { model: self }))
    }
}

struct PlantSession<'m> {
    model: &'m PlantModel,
}

impl Session for PlantSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        _property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        if engine != ENGINE {
            return Ok(Answer::unknown(format!("plants are for the engine `{ENGINE}`")));
        }
        let outcome = match solve_safety(&self.model.plant(), budget) {
            Ok(outcome) => outcome,
            Err(error) => return Ok(Answer::unknown(error.to_string())),
        };
        let verdict = match outcome.winner {
            Player::Even => Verdict::Holds,
            Player::Odd => Verdict::Fails,
        };
        let statistics = Statistics::default().with("depth", outcome.rounds);
        Ok(Answer {
            statistics,
            ..Answer::complete(verdict, self.model.strategy(&outcome)).boxed()
        })
    }
}

struct PlantChecker<'m> {
    model: &'m PlantModel,
}

impl Checker for PlantChecker<'_> {
    fn check(&mut self, _property: usize, answer: &Answer, budget: &Budget) -> CheckReport {
        let Some(strategy) = answer.evidence_as::<Strategy>() else {
            return CheckReport::rejected("there is no strategy");
        };
        if (strategy.by == Player::Even) != (answer.verdict == Verdict::Holds) {
            return CheckReport::rejected("the strategy is not that of the player who is said to win");
        }
        let joined = match self.model.joined(strategy) {
            Ok(joined) => joined,
            Err(fault) => return CheckReport::rejected(fault),
        };
        let bad = Formula::atom(BAD.to_owned());
        let goal = match strategy.by {
            Player::Even => bad.not().globally(),
            Player::Odd => bad.finally(),
        };
        closed::check(&joined, &goal, budget)
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("kind".into(), evidence.kind().into());
        if let Some(strategy) = evidence.data::<Strategy>() {
            let whose = match strategy.by {
                Player::Even => "system",
                Player::Odd => "environment",
            };
            map.insert("of".into(), whose.into());
            map.insert("gates".into(), strategy.circuit.gates.len().into());
        }
        map
    }

    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let mut map = self.to_json(property, evidence);
        if let Some(strategy) = evidence.data::<Strategy>() {
            map.insert("circuit".into(), write_ascii(&strategy.circuit).into());
        }
        map
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        let evidence = &document["evidence"];
        let by = match evidence["of"].as_str() {
            Some("system") => Player::Even,
            Some("environment") => Player::Odd,
            _ => return Err("`of`: expected `system` or `environment`".into()),
        };
        let text = evidence["circuit"]
            .as_str()
            .ok_or("`circuit`: expected a circuit in AIGER")?;
        let circuit = entail_aiger::read("circuit", text.as_bytes())
            .map_err(|wrong| ReadError::NotEvidence(wrong.diagnostics.to_string()))?;
        Ok(Box::new(Strategy { by, circuit }))
    }

    fn show(&self, _property: usize, answer: &Answer) -> Shown {
        let mut shown = Shown::default();
        if let Some(strategy) = answer.evidence_as::<Strategy>() {
            let gates = strategy.circuit.gates.len();
            let line = match strategy.by {
                Player::Even => {
                    format!("{gates} gates define the controllable inputs so that the output is never true")
                }
                Player::Odd => {
                    format!("{gates} gates define the other inputs so that the output becomes true")
                }
            };
            shown.push(Prominence::Main, View::Notes(vec![line]));
        }
        shown
    }

    /// The plant with the winner's inputs defined.
    fn export(&self, _property: usize, answer: &Answer, extension: &str) -> Option<Result<String, String>> {
        let strategy = answer.evidence_as::<Strategy>()?;
        (extension == "aag").then(|| self.model.joined(strategy).map(|joined| write_ascii(&joined)))
    }
}
