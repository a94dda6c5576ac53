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
use entail_show::{Column, ColumnKind, ColumnRole, Move, Shown, Timeline, View};
use entail_source::{Diagnostic, Source, Span};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The row.
pub static FAMILY: Family = Family {
    name: "counters",
    about: "machines with one counter",
    languages: &[Language::new("one-counter", "one-counter machines", &["oc"])],
    options: &[
        OptionSpec::with_value("most", "N", "Follow no run whose counter is larger").checked(is_number),
    ],
    engines: &[
        EngineInfo::new("breadth", "the nearest configurations first", &[Logic::Safety]),
        EngineInfo::new(
            "depth",
            "one run after the other; no numbers of steps",
            &[Logic::Safety],
        ),
    ],
    load,
};

fn is_number(text: &str) -> Result<(), String> {
    text.parse::<u64>().map(drop).map_err(|error| error.to_string())
}

/// A place, and the counter.
type Configuration = (String, u64);

struct Machine {
    source: Source,
    start: String,
    /// From where, doing what, to where.
    rules: Vec<Vec<String>>,
    headings: Vec<Heading>,
}

fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let mut machine = Machine {
        source: input.text()?,
        start: String::new(),
        rules: Vec::new(),
        headings: Vec::new(),
    };
    let (source, mut at) = (machine.source.clone(), 0);
    for line in source.text().split_inclusive('\n') {
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["start", place] => machine.start = place.to_string(),
            [_, "inc" | "dec" | "zero", _] => machine
                .rules
                .push(words.iter().map(|&word| word.into()).collect()),
            _ => drop(machine.ask(&source, Span::new(at, at + line.trim_end().len()), &words)?),
        }
        at += line.len();
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
        let heading = Heading::new(words.join(" "), Logic::Safety, Some(span));
        self.headings.push(heading);
        Ok(self.headings.len() - 1)
    }

    /// The place a property is about, and whether it asks for a number of steps.
    fn question(&self, property: usize) -> (&str, bool) {
        let (word, goal) = self.headings[property].text.split_once(' ').unwrap_or_default();
        (goal, word == "steps")
    }

    fn initial(&self) -> Configuration {
        (self.start.clone(), 0)
    }

    /// What a rule makes of a configuration, if it can be used.
    fn after(&self, (place, counter): &Configuration, rule: usize) -> Option<Configuration> {
        let [from, operation, to] = self.rules.get(rule)?.as_slice() else {
            return None;
        };
        let counter = match operation.as_str() {
            _ if from != place => None,
            "inc" => counter.checked_add(1),
            "dec" => counter.checked_sub(1),
            _ => (*counter == 0).then_some(0),
        };
        Some((to.clone(), counter?))
    }

    /// The rules that can be used, each with what it leads to.
    fn steps(&self, from: &Configuration) -> Vec<(usize, Configuration)> {
        let step = |rule| Some((rule, self.after(from, rule)?));
        (0..self.rules.len()).filter_map(step).collect()
    }

    fn run(&self, rules: &[usize]) -> Option<Vec<Configuration>> {
        let mut run = vec![self.initial()];
        for &rule in rules {
            run.push(self.after(run.last()?, rule)?);
        }
        Some(run)
    }

    fn shown(&self, rules: &[usize]) -> Shown {
        let run = self.run(rules).unwrap_or_default();
        let places = run.iter().map(|(place, _)| place);
        let counters = run.iter().map(|(_, counter)| counter.to_string());
        let moves = rules
            .iter()
            .map(|&rule| Move::of_text(self.rules[rule].join(" ")));
        Shown::default().main(View::Timeline(Timeline {
            columns: vec![
                Column::of_texts("place", ColumnRole::State, ColumnKind::Text, places),
                Column::of_texts("counter", ColumnRole::State, ColumnKind::Integer, counters),
            ],
            positions: run.len(),
            moves: moves.collect(),
            ..Timeline::default()
        }))
    }
}

/// The evidence: a run by its rules, or all configurations there are.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "content")]
enum Proof {
    Run(Vec<usize>),
    ClosedSet(BTreeSet<Configuration>),
}

impl Evidence for Proof {
    fn kind(&self) -> &'static str {
        match self {
            Proof::Run(_) => "run",
            Proof::ClosedSet(_) => "closed-set",
        }
    }
}

/// Engines and checker: both need no more than the machine and the options.
struct Work<'m>(&'m Machine, &'m Options);

impl Session for Work<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        _: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let Work(machine, options) = self;
        let ((goal, counts), is_depth) = (machine.question(property), engine == "depth");
        let most = options
            .value("most")
            .map_or(Ok(1000), str::parse)
            .unwrap_or(u64::MAX);
        if counts && is_depth {
            return Ok(Answer::unknown("the first run found need not be the shortest"));
        }
        let mut seen = BTreeMap::from([(machine.initial(), None)]);
        let mut waiting = VecDeque::from([machine.initial()]);
        let mut cut = false;
        let next = |waiting: &mut VecDeque<_>| match is_depth {
            true => waiting.pop_back(),
            false => waiting.pop_front(),
        };
        while let Some(here) = next(&mut waiting) {
            if let Err(spent) = budget.check_now() {
                return Ok(Answer::unknown(spent.to_string()));
            }
            if here.0 == goal {
                let (mut run, mut at) = (Vec::new(), &here);
                while let Some((rule, before)) = &seen[at] {
                    run.push(*rule);
                    at = before;
                }
                run.reverse();
                let verdict = if counts { Verdict::Holds } else { Verdict::Fails };
                let value = counts.then(|| Quantity::whole(run.len() as u64));
                return Ok(Answer::complete(verdict, Proof::Run(run))
                    .with_value(value)
                    .boxed());
            }
            for (rule, next) in machine.steps(&here) {
                cut |= next.1 > most;
                if next.1 <= most && !seen.contains_key(&next) {
                    seen.insert(next.clone(), Some((rule, here.clone())));
                    waiting.push_back(next);
                }
            }
        }
        if cut {
            return Ok(Answer::unknown(format!("the counter exceeds {most} (--most)")));
        }
        let value = counts.then_some(Quantity::Infinite);
        let all = Proof::ClosedSet(seen.into_keys().collect());
        Ok(Answer::complete(Verdict::Holds, all).with_value(value).boxed())
    }
}

impl Checker for Work<'_> {
    fn check(&mut self, property: usize, answer: &Answer, _: &Budget) -> CheckReport {
        let (machine, (goal, counts)) = (self.0, self.0.question(property));
        match answer.evidence_as::<Proof>() {
            Some(Proof::Run(rules)) => match machine.run(rules).and_then(|run| run.last().cloned()) {
                Some((place, _)) if place != goal => CheckReport::rejected("the run ends elsewhere"),
                Some(_) if !counts && answer.verdict == Verdict::Fails => CheckReport::Accepted,
                Some(_) if counts && answer.value == Some(Quantity::whole(rules.len() as u64)) => {
                    CheckReport::unchecked("that there is no shorter run")
                }
                _ => CheckReport::rejected("this is no run, or it shows something else"),
            },
            Some(Proof::ClosedSet(all)) => {
                let leaves = |one| machine.steps(one).iter().any(|(_, next)| !all.contains(next));
                let holds =
                    answer.verdict == Verdict::Holds && answer.value == counts.then_some(Quantity::Infinite);
                let has_start = holds && all.contains(&machine.initial());
                match has_start && !all.iter().any(|one| one.0 == goal || leaves(one)) {
                    true => CheckReport::Accepted,
                    false => CheckReport::rejected("these are not all configurations, or one is the goal"),
                }
            }
            None => CheckReport::rejected("there is no evidence"),
        }
    }

    fn to_json(&self, _: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let proof = (evidence as &dyn std::any::Any).downcast_ref::<Proof>();
        proof.map(evidence_to_map).unwrap_or_default()
    }

    fn evidence_from_json(&self, _: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<Proof>(document)?))
    }

    fn show(&self, _: usize, answer: &Answer) -> Shown {
        match answer.evidence_as::<Proof>() {
            Some(Proof::Run(rules)) => self.0.shown(rules),
            _ => Shown::default(),
        }
    }
}

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

    fn schedule(&self, _: usize, _: &Options, _: bool) -> Vec<Turn> {
        vec![Turn::race(&["breadth", "depth"], "the first to answer")]
    }

    fn open<'m>(&'m self, options: &'m Options, _: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(Work(self, options)))
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(Work(self, options)))
    }

    fn walk<'m>(&'m self, _: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        Some(Ok(Box::new(Stroll(self, Vec::new(), Vec::new()))))
    }

    fn formats(&self) -> &'static [&'static str] {
        &["oc"]
    }

    fn write(&self, extension: &str, _: &Options) -> Option<Result<Converted, String>> {
        let rules = self.rules.iter().map(|rule| rule.join(" "));
        let asked = self.headings.iter().map(|heading| heading.text.clone());
        let lines: Vec<String> = rules.chain(asked).collect();
        let text = format!("start {}\n{}\n", self.start, lines.join("\n"));
        (extension == "oc").then_some(Ok(Converted::whole(text)))
    }
}

/// A walk: the machine, the rules used so far, and those offered last.
struct Stroll<'m>(&'m Machine, Vec<usize>, Vec<usize>);

impl Walk for Stroll<'_> {
    fn choices(&mut self, most: usize, _: &Budget) -> Vec<String> {
        let Stroll(machine, rules, offered) = self;
        let run = machine.run(rules).unwrap_or_default();
        let steps = run.last().map(|here| machine.steps(here)).unwrap_or_default();
        *offered = steps.into_iter().map(|(rule, _)| rule).take(most).collect();
        let text = |&rule: &usize| machine.rules[rule].join(" ");
        offered.iter().map(text).collect()
    }

    fn take(&mut self, choice: usize) {
        self.1.extend(self.2.get(choice));
    }

    fn back(&mut self, steps: usize) {
        self.1.truncate(self.1.len().saturating_sub(steps));
    }

    fn shown(&self) -> Shown {
        self.0.shown(&self.1)
    }

    fn to_json(&self) -> Json {
        json!({"rules": self.1})
    }

    fn resume(&mut self, document: &Json) -> Result<(), String> {
        self.1 = serde_json::from_value(document["rules"].clone()).map_err(|error| error.to_string())?;
        let run = self.0.run(&self.1);
        run.map(drop).ok_or_else(|| "no run of this machine".to_owned())
    }
}
