//! Answering the commands of an SMT-LIB script.
//!
//! Every `sat` has a model under which each assertion was evaluated; every `unsat` has a refutation that the checker accepted. What could
//! not be read makes later answers `unknown`: a formula that is missing must not decide anything.

use crate::cores::core;
use crate::interpolants::checked_interpolants;
use crate::judge::{confirm_universals, judge_horn, judge_refutation, proof_of};
use entail_budget::Budget;
use entail_first_order::sexpr::{Reader, Sexpr, quoted};
use entail_first_order::{Evaluator, Interpretation, TermId};
use entail_infinite::{Found, k_induction, predicate_abstraction, property_directed};
use entail_proof::first_order::{AletheProof, LawJudge};
use entail_smt::{Answer, decide};
use entail_smtlib::{Command, Problem, Script, read_horn};
use std::time::Duration;

/// What a script came to.
#[derive(Clone, Debug, Default)]
pub struct ScriptOutcome {
    /// Commands that could not be carried out.
    pub errors: usize,
    /// Answers that an independent check contradicted: bugs.
    pub internal: Vec<String>,
    /// Things to say on standard error: reasons of `unknown`, proofs with claims.
    pub notes: Vec<String>,
    /// The proof of the last `unsat`, where that was asked for.
    pub proof: Option<AletheProof>,
}

/// What the last question was about.
#[derive(Default)]
struct Asked {
    /// The assertions, with their names.
    asserted: Vec<(TermId, Option<String>)>,
    /// The assumptions, with their texts.
    assumed: Vec<(TermId, String)>,
}

#[derive(Default)]
pub(crate) struct State {
    levels: Vec<Vec<(TermId, Option<String>)>>,
    /// Why the assertions are not all there.
    incomplete: Vec<Option<String>>,
    logic: String,
    print_success: bool,
    /// `:minimal-unsat-cores` was set.
    wants_minimal_core: bool,
    /// `:produce-proofs` was set.
    wants_proof: bool,
    /// `:smt.mbqi` was switched off: models of quantified formulas are not looked for.
    is_without_models: bool,
    pub model: Option<Interpretation>,
    last: &'static str,
    asked: Asked,
    reason: String,
}

impl State {
    fn new() -> State {
        State {
            levels: vec![Vec::new()],
            incomplete: vec![None],
            ..State::default()
        }
    }
}

/// What is asked of a script besides its commands.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScriptOptions {
    /// Cores without any member that can be left out.
    pub minimal_core: bool,
    /// The proof of the last `unsat` in Alethe.
    pub proof: bool,
}

/// Runs a script, command by command; answers go to `out` as they come.
pub fn run_script(
    text: &str,
    options: ScriptOptions,
    budget: &Budget,
    out: &mut dyn FnMut(&str),
) -> ScriptOutcome {
    let mut runner = Runner {
        text,
        options,
        budget,
        script: Script::new(),
        state: State::new(),
        outcome: ScriptOutcome::default(),
        out,
        laws: LawJudge::default(),
    };
    let mut reader = Reader::new(text);
    loop {
        match reader.next_expression() {
            Ok(None) => break,
            Ok(Some(expression)) => match runner.script.command(&expression) {
                Ok(Command::Exit) => break,
                Ok(command) => runner.answer(command, expression.start),
                Err(problem) => runner.refuse(&problem, is_question(&expression)),
            },
            Err(error) => {
                runner.refuse(&error.into(), false);
                break;
            }
        }
    }
    runner.outcome
}

/// Whether a command only asks: without it, all assertions are still there.
fn is_question(command: &Sexpr) -> bool {
    let name = (command.list().and_then(<[Sexpr]>::first)).and_then(Sexpr::symbol);
    name.is_some_and(|name| name.starts_with("get-") || name.starts_with("check-sat"))
}

pub(crate) struct Runner<'a> {
    pub text: &'a str,
    options: ScriptOptions,
    budget: &'a Budget,
    pub script: Script,
    pub state: State,
    outcome: ScriptOutcome,
    pub out: &'a mut dyn FnMut(&str),
    laws: LawJudge,
}

impl Runner<'_> {
    fn line(&self, offset: usize) -> usize {
        1 + self.text.as_bytes()[..offset.min(self.text.len())]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
    }

    pub fn error(&mut self, message: &str) {
        self.outcome.errors += 1;
        (self.out)(&format!("(error \"{}\")", message.replace('"', "\"\"")));
    }

    fn refuse(&mut self, problem: &Problem, was_question: bool) {
        let message = format!("line {}: {}", self.line(problem.place.0), problem.message);
        self.error(&message);
        if let Some(last) = self.state.incomplete.last_mut().filter(|_| !was_question) {
            last.get_or_insert(message);
        }
    }

    fn success(&mut self) {
        if self.state.print_success {
            (self.out)("success");
        }
    }

    fn answer(&mut self, command: Command, place: usize) {
        match command {
            Command::SetLogic(logic) => {
                self.state.logic = logic;
                self.success();
            }
            Command::SetOption(key, value) => {
                match key.as_str() {
                    ":print-success" => self.state.print_success = value == "true",
                    ":minimal-unsat-cores" => self.state.wants_minimal_core = value == "true",
                    ":produce-proofs" => self.state.wants_proof = value == "true",
                    ":smt.mbqi" => self.state.is_without_models = value == "false",
                    _ => {}
                }
                self.success();
            }
            Command::Noted => self.success(),
            Command::Ignored(_) => {}
            Command::Assert(term, name) => {
                if let Some(level) = self.state.levels.last_mut() {
                    level.push((term, name));
                }
                self.success();
            }
            Command::Push(count) => {
                for _ in 0..count {
                    self.state.levels.push(Vec::new());
                    let why = self.state.incomplete.last().cloned().flatten();
                    self.state.incomplete.push(why);
                }
                self.success();
            }
            Command::Pop(count) => {
                let keep = self.state.levels.len().saturating_sub(count as usize).max(1);
                self.state.levels.truncate(keep);
                self.state.incomplete.truncate(keep);
                self.success();
            }
            Command::Reset => self.state = State::new(),
            Command::ResetAssertions => {
                let logic = std::mem::take(&mut self.state.logic);
                self.state = State {
                    logic,
                    ..State::new()
                };
            }
            Command::CheckSat(assumptions) => self.check(&assumptions, place),
            Command::Echo(text) => (self.out)(&text),
            Command::GetModel => self.print_model(),
            Command::GetValue(wanted) => self.print_values(&wanted),
            Command::GetUnsatCore => self.print_core(false),
            Command::GetUnsatAssumptions => self.print_core(true),
            Command::GetInterpolants(groups) => self.print_interpolants(&groups),
            Command::GetAssertions => {
                let all: Vec<String> = self
                    .state
                    .levels
                    .iter()
                    .flatten()
                    .map(|(term, _)| self.script.terms.print(*term))
                    .collect();
                (self.out)(&format!("({})", all.join("\n ")));
            }
            Command::GetInfo(key) => {
                let said = match key.as_str() {
                    ":name" => "(:name \"entail\")".to_owned(),
                    ":version" => format!("(:version \"{}\")", env!("CARGO_PKG_VERSION")),
                    ":error-behavior" => "(:error-behavior continued-execution)".to_owned(),
                    ":reason-unknown" => {
                        format!("(:reason-unknown \"{}\")", self.state.reason.replace('"', "\"\""))
                    }
                    _ => "unsupported".to_owned(),
                };
                (self.out)(&said);
            }
            Command::GetProof => self.print_proof(),
            Command::GetOption(_) => (self.out)("unsupported"),
            Command::Exit => {}
        }
    }

    fn say(&mut self, answer: &'static str) {
        self.state.last = answer;
        (self.out)(answer);
    }

    fn unknown(&mut self, reason: String) {
        self.outcome.notes.push(format!("unknown: {reason}"));
        self.state.reason = reason;
        self.say("unknown");
    }

    /// The proof of the last `unsat`.
    fn print_proof(&mut self) {
        match &self.outcome.proof {
            Some(proof) if self.state.last == "unsat" => (self.out)(&format!("({})", proof.steps)),
            _ if self.state.last != "unsat" => {
                self.error("there is no proof: the last answer was not `unsat`");
            }
            _ if !self.state.wants_proof => {
                self.error("there is no proof: `(set-option :produce-proofs true)` must come first");
            }
            _ => self.error("the last answer has no proof of this form"),
        }
    }

    /// The named assertions, or the assumptions, that the last `unsat` needs.
    fn print_core(&mut self, of_assumptions: bool) {
        if self.state.last != "unsat" {
            return self.error("there is no core: the last answer was not `unsat`");
        }
        if self.state.asked.asserted.is_empty() && self.state.asked.assumed.is_empty() {
            return self.error("there is no core of Horn clauses");
        }
        let (mut fixed, mut candidates, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for (term, name) in &self.state.asked.asserted {
            match name {
                Some(name) if !of_assumptions => {
                    candidates.push(*term);
                    texts.push(quoted(name));
                }
                _ => fixed.push(*term),
            }
        }
        for (term, text) in &self.state.asked.assumed {
            match of_assumptions {
                true => {
                    candidates.push(*term);
                    texts.push(text.clone());
                }
                false => fixed.push(*term),
            }
        }
        let is_minimal = self.options.minimal_core || self.state.wants_minimal_core;
        let terms = &mut self.script.terms;
        let kept = core(terms, &fixed, &candidates, is_minimal, self.budget);
        let names: Vec<&str> = kept.iter().map(|&position| texts[position].as_str()).collect();
        (self.out)(&format!("({})", names.join(" ")));
    }

    /// The interpolants between groups of named assertions.
    fn print_interpolants(&mut self, groups: &[Vec<String>]) {
        if self.state.last != "unsat" {
            return self.error("there are no interpolants: the last answer was not `unsat`");
        }
        let mut formulas: Vec<Vec<TermId>> = Vec::new();
        for group in groups {
            let mut members = Vec::new();
            for name in group {
                let found =
                    (self.state.asked.asserted.iter()).find(|(_, known)| known.as_ref() == Some(name));
                match found {
                    Some((term, _)) => members.push(*term),
                    None => return self.error(&format!("no assertion is named `{name}`")),
                }
            }
            formulas.push(members);
        }
        match checked_interpolants(&mut self.script.terms, &formulas, self.budget) {
            Ok(interpolants) => {
                let texts: Vec<String> = (interpolants.iter())
                    .map(|&interpolant| self.script.terms.print(interpolant))
                    .collect();
                (self.out)(&format!("({})", texts.join("\n ")));
            }
            Err(why) => self.error(&format!("no interpolants: {why}")),
        }
    }

    fn check(&mut self, assumptions: &[(TermId, (usize, usize))], place: usize) {
        self.state.model = None;
        self.state.asked = Asked::default();
        if let Some(why) = self.state.incomplete.last().cloned().flatten() {
            return self.unknown(format!("not everything could be read ({why})"));
        }
        // Clauses without predicates are formulas like others.
        if self.state.logic == "HORN" && !self.script.scope.declared().is_empty() {
            return self.horn(place);
        }
        let asserted: Vec<(TermId, Option<String>)> = self.state.levels.iter().flatten().cloned().collect();
        let mut formulas: Vec<TermId> = asserted.iter().map(|(term, _)| *term).collect();
        formulas.extend(assumptions.iter().map(|(term, _)| *term));
        let text_of = |&(term, (start, end)): &(TermId, (usize, usize))| {
            (term, self.text.get(start..end).unwrap_or_default().to_owned())
        };
        self.state.asked = Asked {
            asserted,
            assumed: assumptions.iter().map(text_of).collect(),
        };
        let terms = &mut self.script.terms;
        let read = terms.applied_laws().len();
        let decision = match decide(terms, &formulas, self.budget) {
            Ok(decision) => decision,
            Err(spent) => return self.unknown(spent.to_string()),
        };
        match decision.answer {
            Answer::Unknown(reason) => self.unknown(reason),
            Answer::Satisfiable => {
                let model = decision.model.unwrap_or_default();
                if self.state.is_without_models && !decision.universals.is_empty() {
                    return self
                        .unknown("models of quantified formulas are switched off by `:smt.mbqi`".into());
                }
                if let Err(why) =
                    confirm_universals(terms, &formulas, &model, &decision.universals, self.budget)
                {
                    return self.unknown(format!(
                        "a quantified formula was not confirmed under the model: {why}"
                    ));
                }
                let mut evaluator = Evaluator::new(terms, &model);
                for &(universal, holds, _) in &decision.universals {
                    evaluator.assume(universal, holds);
                }
                let wrong = formulas
                    .iter()
                    .find(|&&formula| evaluator.is_true(formula) != Ok(true))
                    .copied();
                let is_well_sorted = model.is_well_sorted(terms);
                let are_lawful = self.laws.agree_under(terms, &mut evaluator, read);
                match wrong {
                    None if !are_lawful => {
                        let why = "a law of words is wrong under the model found".to_owned();
                        self.outcome.internal.push(why.clone());
                        self.unknown(why)
                    }
                    None if terms.is_inexact(&formulas) => {
                        self.unknown("a function in the formulas has no meaning here".into())
                    }
                    None if !is_well_sorted => {
                        self.unknown("the model found has values of wrong sorts".into())
                    }
                    None => {
                        self.state.model = Some(model);
                        self.say("sat");
                    }
                    Some(formula) => {
                        let text = self.script.terms.print(formula);
                        let shown: String = text.chars().take(200).collect();
                        self.unknown(format!("the model found does not satisfy {shown}"));
                    }
                }
            }
            Answer::Unsatisfiable => {
                let laws = (&mut self.laws, read);
                let judged = judge_refutation(terms, &formulas, &decision, laws, self.budget);
                if judged.is_ok() && (self.options.proof || self.state.wants_proof) {
                    self.outcome.proof = proof_of(terms, &formulas, &decision);
                }
                self.refuted(judged);
            }
        }
    }

    /// Answers that there is no model, if the proof was accepted.
    fn refuted(&mut self, judged: Result<Vec<&'static str>, String>) {
        match judged {
            Ok(claims) => {
                for why in claims {
                    let note = format!("unsat: the proof has steps without a certificate ({why})");
                    self.outcome.notes.push(note);
                }
                self.say("unsat");
            }
            Err(why) if self.budget.check_now().is_err() => {
                self.unknown(format!(
                    "the limit was reached while the proof was checked ({why})"
                ));
            }
            Err(why) => {
                self.outcome.internal.push(format!("a proof was rejected: {why}"));
                self.unknown("the proof was rejected".into());
            }
        }
    }

    /// Horn clauses: satisfiable exactly if the system they describe is safe.
    fn horn(&mut self, place: usize) {
        let system = match read_horn(&self.text[..place]) {
            Ok(system) => system,
            Err(problem) => return self.unknown(problem.message),
        };
        let Some(goal) = (system.properties.first()).and_then(|property| property.claim.invariant()) else {
            return self.unknown("there is no clause".into());
        };
        let share = |of: u32| {
            let left = self.budget.time_left().map(|left| left / of);
            self.budget.part(left.unwrap_or(Duration::from_secs(10)))
        };
        let model = &system.system;
        let is_open = |found: &Found| !matches!(found, Found::Holds { .. } | Found::Fails(_));
        let mut found = k_induction(model, goal, Some(30), &share(4));
        if is_open(&found) {
            found = predicate_abstraction(model, goal, &[], &share(2));
        }
        if is_open(&found) {
            found = property_directed(model, goal, self.budget);
        }
        match found {
            Found::Holds { depth, invariant } => {
                match judge_horn(system.system, goal, depth, &invariant, self.budget) {
                    Ok(note) => {
                        self.outcome.notes.extend(note);
                        self.say("sat");
                    }
                    Err(why) => self.unknown(format!("the invariant was not accepted: {why}")),
                }
            }
            Found::Fails(trace) => match system.system.replay(&trace, goal) {
                Ok(()) => self.say("unsat"),
                Err(why) => self.unknown(format!("the derivation was rejected: {why}")),
            },
            Found::Bounded(steps) => self.unknown(format!("no derivation of at most {steps} steps")),
            Found::Unknown(reason) => self.unknown(reason),
        }
    }
}
