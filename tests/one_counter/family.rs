//! A kind of system as an exercise: machines with one counter. `CONTRIBUTING.md` walks through this file.
//!
//! ```text
//! start a              # the machine begins at `a` with counter 0
//! a inc b              # from `a` to `b`, counting up; `dec` needs a positive counter, `zero` counter 0
//! never c              # a property: no run reaches `c`
//! steps b              # another: the least number of steps to `b`
//! ```

use entail_answer::{Answer, CheckReport, Evidence, Quantity, Verdict};
use entail_budget::{Budget, Progress};
use entail_family::*;
use entail_logic::Logic;
use entail_show::Shown;
use entail_source::{Diagnostic, Source, Span};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::{HashMap, VecDeque};

/// The row: what the app knows before a file is read.
pub static FAMILY: Family = Family {
    name: "counters",
    about: "machines with one counter",
    languages: &[Language::new("one-counter", "one-counter machines", &["oc"])],
    options: &[OptionSpec::number("most", "Largest counter looked at")],
    engines: &[
        EngineInfo::new("breadth", "nearest configurations first", &[Logic::Safety]),
        EngineInfo::new("depth", "one run after another", &[Logic::Safety]),
    ],
    load,
};

/// A rule `from operation to`.
type Rule = [String; 3];

struct Machine {
    source: Source,
    start: String,
    rules: Vec<Rule>,
    headings: Vec<Heading>,
}

/// The language: from text to a model, with mistakes shown at their place.
fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.text()?;
    let mut machine = Machine {
        source: source.clone(),
        start: String::new(),
        rules: Vec::new(),
        headings: Vec::new(),
    };
    for (span, line) in source.lines() {
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["start", place] => machine.start = place.to_string(),
            [from, operation @ ("inc" | "dec" | "zero"), to] => {
                let rule = [from, operation, to].map(|word| word.to_string());
                machine.rules.push(rule);
            }
            _ => drop(machine.ask(&source, span, &words)?),
        }
    }
    if machine.start.is_empty() {
        let problem = Diagnostic::error("oc::start", "there is no `start PLACE`", Span::default(), "");
        return Err(LoadError::invalid(&source, problem));
    }
    Ok(Box::new(machine))
}

impl Machine {
    fn ask(&mut self, source: &Source, span: Span, words: &[&str]) -> Result<usize, LoadError> {
        if !matches!(words, ["never" | "steps", _]) {
            let problem = Diagnostic::error("oc::line", "neither a rule nor a property", span, "here");
            let help = "rules are `FROM inc|dec|zero TO`, properties `never PLACE` or `steps PLACE`";
            return Err(LoadError::invalid(source, problem.with_help(help)));
        }
        self.headings
            .push(Heading::new(words.join(" "), Logic::Safety, Some(span)));
        Ok(self.headings.len() - 1)
    }

    /// The place a property is about, and whether it asks for a number of steps.
    fn question(&self, property: usize) -> (&str, bool) {
        let (word, goal) = self.headings[property].text.split_once(' ').unwrap_or_default();
        (goal, word == "steps")
    }

    /// What a property says about a machine whose place is reached in so many steps, or never.
    fn verdict(&self, property: usize, steps: Option<usize>) -> (Verdict, Option<Quantity>) {
        match (self.question(property).1, steps) {
            (true, Some(steps)) => (Verdict::Holds, Some(Quantity::whole(steps as u64))),
            (true, None) => (Verdict::Holds, Some(Quantity::Infinite)),
            (false, Some(_)) => (Verdict::Fails, None),
            (false, None) => (Verdict::Holds, None),
        }
    }
}

/// A state of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Configuration {
    place: String,
    counter: u64,
}

/// What a machine means. Engines and the checker both use this, and have nothing else in common.
impl Stepwise for Machine {
    type State = Configuration;

    fn initial(&self) -> Vec<Configuration> {
        let place = self.start.clone();
        vec![Configuration { place, counter: 0 }]
    }

    fn steps(&self, here: &Configuration) -> Vec<(String, Configuration)> {
        let step = |rule: &Rule| {
            let [from, operation, to] = rule;
            let counter = match operation.as_str() {
                _ if *from != here.place => None,
                "inc" => here.counter.checked_add(1),
                "dec" => here.counter.checked_sub(1),
                _ => (here.counter == 0).then_some(0),
            };
            let place = to.clone();
            counter.map(|counter| (rule.join(" "), Configuration { place, counter }))
        };
        self.rules.iter().filter_map(step).collect()
    }
}

/// Evidence: plain data that the checker can judge.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
enum Proof {
    /// A run to the goal.
    Run { trace: StateTrace<Configuration> },
    /// Configurations that no step leaves: the initial one is among them, the goal is not.
    ClosedSet { configurations: Vec<Configuration> },
}

impl Evidence for Proof {
    fn kind(&self) -> &'static str {
        match self {
            Proof::Run { .. } => "run",
            Proof::ClosedSet { .. } => "closed-set",
        }
    }
}

/// The engines: one search, in two orders, up to a largest counter.
struct Search<'m>(&'m Machine, u64);

impl Session for Search<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let Search(machine, most) = *self;
        let (goal, counts) = machine.question(property);
        if counts && engine == "depth" {
            return Ok(Answer::unknown("the first run found need not be the shortest"));
        }
        // Every configuration met so far, with the one before it.
        let mut met: HashMap<_, _> = machine.initial().into_iter().map(|first| (first, None)).collect();
        let mut waiting: VecDeque<Configuration> = met.keys().cloned().collect();
        let mut is_cut = false;
        while let Some(here) = match engine {
            "depth" => waiting.pop_back(),
            _ => waiting.pop_front(),
        } {
            if let Err(spent) = budget.check_now() {
                return Ok(Answer::unknown(spent.to_string()));
            }
            if here.place == goal {
                let mut run = Vec::from_iter(std::iter::successors(Some(here), |last| met[last].clone()));
                run.reverse();
                let (verdict, value) = machine.verdict(property, Some(run.len() - 1));
                let trace = StateTrace::finite(run);
                let answer = Answer::complete(verdict, Proof::Run { trace });
                return Ok(answer.with_value(value).boxed());
            }
            for (_, next) in machine.steps(&here) {
                is_cut |= next.counter > most;
                if next.counter <= most && !met.contains_key(&next) {
                    met.insert(next.clone(), Some(here.clone()));
                    waiting.push_back(next);
                }
            }
        }
        if is_cut {
            return Ok(Answer::unknown(format!("a counter exceeds {most} (--most)")));
        }
        let configurations = met.into_keys().collect();
        let (verdict, value) = machine.verdict(property, None);
        let answer = Answer::complete(verdict, Proof::ClosedSet { configurations });
        Ok(answer.with_value(value).boxed())
    }
}

/// The checker: it believes no engine.
struct Judge<'m>(&'m Machine);

impl Checker for Judge<'_> {
    fn check(&mut self, property: usize, answer: &Answer, _: &Budget) -> CheckReport {
        let (goal, counts) = self.0.question(property);
        let is_goal = |one: &Configuration| one.place == goal;
        // Whether the evidence is what it says it is, whether it fits the goal, and in how many steps that is reached.
        let (is_sound, fits, steps) = match answer.evidence_as::<Proof>() {
            Some(Proof::Run { trace }) => {
                let (run, last) = (&trace.steps, trace.steps.last());
                let steps = run.len().checked_sub(1);
                (self.0.replay(run), last.is_some_and(is_goal), steps)
            }
            Some(Proof::ClosedSet { configurations: all }) => {
                (self.0.contains_all_runs(all), !all.iter().any(is_goal), None)
            }
            None => return CheckReport::rejected("there is no evidence"),
        };
        let is_said = (answer.verdict, answer.value.clone()) == self.0.verdict(property, steps);
        match is_sound {
            Err(why) => CheckReport::rejected(why),
            Ok(()) if !fits || !is_said => CheckReport::rejected("the evidence shows something else"),
            Ok(()) if counts && steps.is_some() => CheckReport::unchecked("that there is no shorter run"),
            Ok(()) => CheckReport::Accepted,
        }
    }

    fn to_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        evidence.data::<Proof>().map(evidence_to_map).unwrap_or_default()
    }

    fn evidence_from_json(&self, _: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<Proof>(document)?))
    }

    fn show(&self, _: usize, answer: &Answer) -> Shown {
        match answer.evidence_as::<Proof>() {
            Some(Proof::Run { trace }) => self.0.timeline(&trace.steps).into(),
            _ => Shown::default(),
        }
    }
}

/// The model: all of it put together, as the app asks for it.
impl Model for Machine {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        "one-counter"
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn add_property(&mut self, text: &str, _: Option<Logic>) -> Result<usize, LoadError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        self.ask(&Source::new("formula", text), Span::new(0, text.len()), &words)
    }

    fn schedule(&self, _: usize, _: &Options, racing: bool) -> Vec<Turn> {
        vec![match racing {
            true => Turn::race(&["breadth", "depth"], "the first to answer"),
            false => Turn::alone("breadth", None, "runs are short"),
        }]
    }

    fn open<'m>(&'m self, options: &'m Options, _: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(Search(self, options.number("most").unwrap_or(1000))))
    }

    fn checker<'m>(&'m self, _: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(Judge(self)))
    }

    fn walk<'m>(&'m self, _: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        Some(Ok(Box::new(StepWalk::new(self))))
    }

    fn structure(&self, _: &Options, budget: &Budget) -> Option<Result<Structure, StructureError>> {
        Some(self.reachable(10_000, budget))
    }

    fn formats(&self) -> &'static [&'static str] {
        &["oc"]
    }

    fn write(&self, extension: &str, _: &Options) -> Option<Result<Converted, String>> {
        let rules = self.rules.iter().map(|rule| rule.join(" ") + "\n");
        let asked = self.headings.iter().map(|heading| heading.text.clone() + "\n");
        let text = format!("start {}\n", self.start) + &rules.chain(asked).collect::<String>();
        (extension == "oc").then(|| Ok(Converted::whole(text)))
    }
}
