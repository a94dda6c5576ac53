//! Specifications of reactive systems: TLSF, formulas with inputs and outputs, and automata with controllable propositions (extended HOA). The question is
//! whether a machine realizes them; the evidence is that machine, or the environment's, as a circuit.

use crate::circuit::side_by_side;
use crate::core::shrink;
use crate::ranks::{self, Ranks};
use crate::realization::{Realization, RealizationChecker};
use crate::route::{Decided, LEAST_SHARE, Route, circuits};
use crate::small::small_circuit;
use crate::{CORE, MACHINE};
use entail_answer::{Answer, Statistics, Verdict};
use entail_automata::formats::hoa_reader;
use entail_automata::ltl::syntax::parse_any;
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, Converted, Heading, Input, LoadError, Model, ModelError, Options, Session, Turn, Usage,
};
use entail_game::{FirstMover, Player};
use entail_logic::{Formula, Logic};
use entail_source::{Diagnostic, Source, Span};
use entail_synthesis::{Effort, Goal, Gr1, ParityAutomaton, Problem, decompose, simplify, solve_gr1};
use entail_tlsf::{Machine, Specification, print_basic, print_ltl};
use std::time::{Duration, Instant};

/// How long the first is tried before both race: its machines are smaller.
const FIRST_TRY: Duration = Duration::from_millis(1500);
/// The same where there are more signals than [`MANY_SIGNALS`]: there it is decision diagrams that succeed.
const SHORT_TRY: Duration = Duration::from_millis(400);
const MANY_SIGNALS: usize = 14;
/// How long decision diagrams are tried alone for a machine of a GR(1) specification with many signals.
const FIXPOINT_TRY: Duration = Duration::from_secs(8);
/// The routes that race.
const RACE: [&str; 3] = [
    Route::Symbolic.name(),
    Route::Explicit.name(),
    Route::Counting.name(),
];

/// The same where ranks would do.
const RACE_WITH_RANKS: [&str; 4] = [ranks::ENGINE, RACE[1], RACE[0], RACE[2]];

/// A specification that has been read.
pub(crate) struct SpecificationModel {
    source: Source,
    language: &'static str,
    headings: Vec<Heading>,
    pub problem: Problem,
    /// The problem in GR(1) form, if it has one.
    gr1: Option<Gr1>,
    /// The specification, if it is one in TLSF.
    pub tlsf: Option<Box<Specification>>,
}

/// Reads a specification.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.text()?;
    let semantics = match input.options.value("semantics") {
        Some("mealy") => Some(FirstMover::Environment),
        Some("moore") => Some(FirstMover::Machine),
        _ => None,
    };
    let invalid = |diagnostics| LoadError::invalid(&source, diagnostics);
    let (problem, tlsf) = match input.language.name {
        "tlsf" => {
            let parameters = parameters(input.options)?;
            let read = entail_tlsf::read(&source, &parameters, input.budget).map_err(invalid)?;
            let target = match read.target {
                Machine::Mealy => FirstMover::Environment,
                Machine::Moore => FirstMover::Machine,
            };
            let problem = Problem {
                goal: Goal::Formula(read.formula()),
                inputs: read.inputs.clone(),
                outputs: read.all_outputs(),
                first: semantics.unwrap_or(target),
            };
            (problem, Some(Box::new(read)))
        }
        "slugs" | "structured-slugs" => {
            let read = match input.language.name {
                "slugs" => entail_slugs::read(&source),
                _ => entail_slugs::read_structured(&source),
            };
            let read = read.map_err(invalid)?;
            let problem = Problem {
                goal: Goal::Formula(read.formula()),
                inputs: read.inputs,
                outputs: read.outputs,
                first: semantics.unwrap_or(FirstMover::Environment),
            };
            (problem, None)
        }
        "ehoa" => (automaton_problem(&source, semantics)?, None),
        _ => {
            let formula = parse_any(source.text().trim()).map_err(invalid)?;
            (formula_problem(&source, formula, input.options, semantics)?, None)
        }
    };
    Ok(Box::new(SpecificationModel {
        source,
        language: input.language.name,
        headings: vec![Heading {
            name: None,
            text: "realizable".to_owned(),
            logic: Logic::Ltl,
            place: None,
        }],
        gr1: problem.gr1(),
        problem,
        tlsf,
    }))
}

/// The parameters that were given values.
fn parameters(options: &Options) -> Result<Vec<(String, i64)>, Usage> {
    let read = |text: &String| {
        let wrong = || Usage(format!("--parameter {text}: write NAME=NUMBER"));
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        let value = value.trim().parse().map_err(|_| wrong())?;
        Ok((name.trim().to_owned(), value))
    };
    options.parts("parameter").iter().map(read).collect()
}

/// A formula whose propositions are shared out by options.
fn formula_problem(
    source: &Source,
    formula: Formula<String>,
    options: &Options,
    semantics: Option<FirstMover>,
) -> Result<Problem, LoadError> {
    let (mut inputs, mut outputs) = (options.parts("inputs"), options.parts("outputs"));
    let given = (options.has("inputs"), options.has("outputs"));
    if given == (false, false) {
        let message = "which propositions are inputs, and which outputs? use --inputs and --outputs; if one is given, the others are the rest";
        return Err(Usage(message.to_owned()).into());
    }
    let mut names: Vec<String> = Vec::new();
    formula.for_each_atom(&mut |name: &String| {
        if !names.contains(name) {
            names.push(name.clone());
        }
    });
    let rest = names
        .iter()
        .filter(|name| !inputs.contains(name) && !outputs.contains(name));
    let rest: Vec<String> = rest.cloned().collect();
    match given {
        (true, true) => {
            if let Some(name) = rest.first() {
                let whole = Span::new(0, source.text().len());
                let message = format!("`{name}` is neither an input nor an output");
                let problem = Diagnostic::error("synthesis::signal", message, whole, "in this formula")
                    .with_help("name it in --inputs or --outputs");
                return Err(LoadError::invalid(source, problem));
            }
        }
        (true, false) => outputs = rest,
        _ => inputs = rest,
    }
    if let Some(name) = inputs.iter().find(|name| outputs.contains(name)) {
        return Err(Usage(format!("`{name}` cannot be both an input and an output")).into());
    }
    Ok(Problem {
        goal: Goal::Formula(formula),
        inputs,
        outputs,
        first: semantics.unwrap_or(FirstMover::Environment),
    })
}

/// An automaton that says which of its propositions are controllable.
fn automaton_problem(source: &Source, semantics: Option<FirstMover>) -> Result<Problem, LoadError> {
    let text = source.text();
    let (automaton, priorities) = hoa_reader::read_hoa_or_parity(text)
        .map_err(|diagnostics| LoadError::invalid(source, diagnostics))?;
    let wrong = |code: &'static str, message: String, span: Span, help: &str| {
        let problem = Diagnostic::error(code, message, span, "in this file").with_help(help);
        LoadError::invalid(source, problem)
    };
    let header_end = text.find("--BODY--").unwrap_or(text.len());
    let header = &text[..header_end];
    let Some(place) = header.find("controllable-AP:") else {
        let help = "extended HOA has a line such as `controllable-AP: 0 2` in its header (arXiv 1912.05793)";
        let start = Span::new(0, text.len().min(6));
        return Err(wrong(
            "ehoa::controllable",
            "the header does not say which propositions are controllable".into(),
            start,
            help,
        ));
    };
    let begin = place + "controllable-AP:".len();
    let mut controllable = Vec::new();
    for word in header[begin..].split_whitespace() {
        match word.parse::<usize>() {
            Ok(number) if number < automaton.propositions().len() => controllable.push(number),
            Ok(number) => {
                let message = format!("there is no proposition {number}");
                let help = "propositions are numbered from 0 in the order of `AP:`";
                return Err(wrong(
                    "ehoa::controllable",
                    message,
                    Span::new(place, begin),
                    help,
                ));
            }
            Err(_) => break,
        }
    }
    let whole = Span::new(0, text.len().min(6));
    if !automaton.is_deterministic() {
        let help = "a nondeterministic automaton is no game: make it deterministic first, for example with `entail automaton`";
        return Err(wrong(
            "ehoa::deterministic",
            "the automaton is not deterministic".into(),
            whole,
            help,
        ));
    }
    if !automaton.is_complete() {
        let help = "add a sink that rejects, or accepts, for the letters that have no edge: what is meant cannot be guessed";
        return Err(wrong(
            "ehoa::complete",
            "the automaton is not complete".into(),
            whole,
            help,
        ));
    }
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for (at, name) in automaton.propositions().iter().enumerate() {
        match controllable.contains(&at) {
            true => outputs.push(name.clone()),
            false => inputs.push(name.clone()),
        }
    }
    Ok(Problem {
        goal: Goal::Automaton(Box::new(ParityAutomaton {
            automaton,
            priorities,
        })),
        inputs,
        outputs,
        first: semantics.unwrap_or(FirstMover::Environment),
    })
}

impl Model for SpecificationModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        self.language
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn add_property(&mut self, text: &str, _logic: Option<Logic>) -> Result<usize, LoadError> {
        match text == self.headings[0].text {
            true => Ok(0),
            false => Err(Usage(
                "a specification is realizable or not; there is no other question about it".into(),
            )
            .into()),
        }
    }

    fn figures(&self) -> Statistics {
        Statistics::default()
            .with("inputs", self.problem.inputs.len() as u64)
            .with("outputs", self.problem.outputs.len() as u64)
    }

    fn schedule(&self, _property: usize, options: &Options, _racing: bool) -> Vec<Turn> {
        let because = "a game of the system against its environment";
        let recurring =
            "assumptions and guarantees of a step and of what recurs: fixpoints of decision diagrams";
        let many = self.problem.inputs.len() + self.problem.outputs.len() > MANY_SIGNALS;
        let wants_machine = options.has(MACHINE.name) || options.has(CORE.name);
        if self.gr1.is_some() && !wants_machine {
            return vec![
                Turn::alone(ranks::ENGINE, Some(FIRST_TRY), recurring),
                Turn::race(&RACE_WITH_RANKS, because),
            ];
        }
        let first = match (&self.gr1, many) {
            (Some(_), true) => Turn::alone(Route::Symbolic.name(), Some(FIXPOINT_TRY), recurring),
            (None, true) => Turn::alone(Route::Explicit.name(), Some(SHORT_TRY), because),
            (_, false) => Turn::alone(Route::Explicit.name(), Some(FIRST_TRY), because),
        };
        vec![first, Turn::race(&RACE, because)]
    }

    fn open<'m>(&'m self, options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(SpecificationSession {
            model: self,
            wants_core: options.has(CORE.name),
            wants_machine: options.has(MACHINE.name),
        }))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(RealizationChecker { model: self }))
    }

    fn formats(&self) -> &'static [&'static str] {
        match self.problem.goal {
            Goal::Formula(_) => &["tlsf", "ltl"],
            Goal::Automaton(_) => &[],
        }
    }

    fn write(&self, extension: &str, _options: &Options) -> Option<Result<Converted, String>> {
        let Goal::Formula(formula) = &self.problem.goal else {
            return None;
        };
        let text = match (extension, &self.tlsf) {
            ("ltl", _) => print_ltl(formula) + "\n",
            ("tlsf", Some(specification)) if specification.semantics.is_finite => {
                return Some(Err(
                    "finite words cannot be said in basic TLSF once they are expanded".into(),
                ));
            }
            ("tlsf", Some(specification)) => print_basic(specification),
            _ => return None,
        };
        Some(Ok(Converted {
            bytes: text.into_bytes(),
            notes: Vec::new(),
        }))
    }
}

struct SpecificationSession<'m> {
    model: &'m SpecificationModel,
    wants_core: bool,
    /// Whether a machine is what is asked for, not only an answer.
    wants_machine: bool,
}

impl SpecificationSession<'_> {
    /// The answer to a specification in GR(1) form.
    fn by_ranks(&self, budget: &Budget) -> Answer {
        let Some(form) = &self.model.gr1 else {
            return Answer::unknown("the specification is not in GR(1) form");
        };
        match solve_gr1(form, budget) {
            Ok(outcome) => {
                let verdict = match outcome.winner {
                    Player::Even => Verdict::Holds,
                    Player::Odd => Verdict::Fails,
                };
                Answer {
                    statistics: Statistics::default().with("rounds", outcome.effort.vertices as u64),
                    ..Answer::complete(verdict, Ranks(outcome.proof)).boxed()
                }
            }
            Err(error) => Answer::unknown(error.to_string()),
        }
    }

    /// The environment's machine against a core of the guarantees, if one is asked for and found.
    fn against_core(&self, budget: &Budget) -> Option<Realization> {
        let specification = self.model.tlsf.as_deref().filter(|_| self.wants_core)?;
        let (core, outcome) = shrink(specification, &self.model.problem, budget).ok()?;
        let outcome = outcome?;
        let made = small_circuit(&outcome.loose, &outcome.machine, LEAST_SHARE, budget);
        Some(Realization::new(Player::Odd, made, Some(core)))
    }
}

impl Session for SpecificationSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        _property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let problem = &self.model.problem;
        if engine == ranks::ENGINE {
            return Ok(self.by_ranks(budget));
        }
        let Some(engine) = Route::named(engine) else {
            let names: Vec<String> = Route::ALL
                .iter()
                .map(|route| format!("`{}`", route.name()))
                .collect();
            return Ok(Answer::unknown(format!(
                "`{engine}` solves games; specifications are for {}",
                names.join(", ")
            )));
        };
        let mut statistics = Effort::default();
        let mut found: Vec<Decided> = Vec::new();
        let mut winner = Player::Even;
        let whole = simplify(problem);
        let mut fixed = whole.fixed;
        let of_whole = fixed.len();
        let parts = decompose(&whole.problem);
        let begun = Instant::now();
        for part in &parts {
            let part = simplify(part);
            let decided = engine.decide(part.problem, budget);
            let decided = match decided {
                Ok(decided) => decided,
                Err(error) => return Ok(Answer::unknown(error.to_string())),
            };
            statistics.parts += decided.effort.parts;
            statistics.part_states += decided.effort.part_states;
            statistics.states += decided.effort.states;
            statistics.vertices += decided.effort.vertices;
            let is_lost = decided.winner == Player::Odd;
            if is_lost {
                // The environment needs to win one of them only.
                winner = Player::Odd;
                found.clear();
                fixed.truncate(of_whole);
            }
            fixed.extend(part.fixed);
            found.push(decided);
            if is_lost {
                break;
            }
        }
        let (reads, writes, verdict) = match winner {
            Player::Even => (&problem.inputs, &problem.outputs, Verdict::Holds),
            Player::Odd => (&problem.outputs, &problem.inputs, Verdict::Fails),
        };
        let smaller = match winner {
            Player::Even => None,
            Player::Odd => self.against_core(budget),
        };
        let evidence = smaller.unwrap_or_else(|| {
            let circuits = circuits(&found, engine, begun.elapsed(), self.wants_machine, budget);
            Realization::new(winner, side_by_side(&circuits, reads, writes, &fixed), None)
        });
        let statistics = Statistics::default()
            .with("problems", parts.len() as u64)
            .with("parts", statistics.parts as u64)
            .with("part_states", statistics.part_states as u64)
            .with("states", statistics.states as u64)
            .with("vertices", statistics.vertices as u64);
        Ok(Answer {
            statistics,
            ..Answer::complete(verdict, evidence).boxed()
        })
    }
}
