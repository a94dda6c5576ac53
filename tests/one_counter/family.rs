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
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Move, Shown, Timeline, View};
use entail_source::{Diagnostic, Source, Span};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, VecDeque};

/// The row.
pub static FAMILY: Family = Family {
    name: "counters",
    about: "machines with one counter",
    languages: &[Language {
        name: "one-counter",
        title: "one-counter machines",
        extensions: &["oc"],
        recognises: None,
    }],
    options: &[
        OptionSpec::with_value("most", "N", "Give up runs whose counter exceeds this").checked(is_number),
    ],
    engines: &[
        EngineInfo {
            name: "breadth",
            about: "all configurations, the nearest first",
            logics: &[Logic::Safety],
        },
        EngineInfo {
            name: "depth",
            about: "all configurations, one run after the other; no least numbers of steps",
            logics: &[Logic::Safety],
        },
    ],
    load,
};

/// From where, doing what, to where.
type Rule = [String; 3];
type Configuration = (String, u64);

struct Machine {
    source: Source,
    start: String,
    rules: Vec<Rule>,
    headings: Vec<Heading>,
}

fn is_number(text: &str) -> Result<(), String> {
    text.parse::<u64>().map(drop).map_err(|error| error.to_string())
}

fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let mut machine = Machine {
        source: input.text()?,
        start: String::new(),
        rules: Vec::new(),
        headings: Vec::new(),
    };
    let mut at = 0;
    for line in machine.source.clone().text().split_inclusive('\n') {
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["start", place] => machine.start = place.to_string(),
            [from, operation @ ("inc" | "dec" | "zero"), to] => {
                machine
                    .rules
                    .push([from, operation, to].map(|word| word.to_string()));
            }
            _ => drop(machine.ask(
                &machine.source.clone(),
                Span::new(at, at + line.trim_end().len()),
                &words,
            )?),
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
        self.headings.push(Heading {
            name: None,
            text: words.join(" "),
            logic: Logic::Safety,
            place: Some(span),
        });
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
        let [from, operation, to] = self.rules.get(rule)?;
        let counter = match operation.as_str() {
            _ if from != place => None,
            "inc" => counter.checked_add(1),
            "dec" => counter.checked_sub(1),
            _ => (*counter == 0).then_some(0),
        };
        Some((to.clone(), counter?))
    }

    fn run(&self, rules: &[usize]) -> Option<Vec<Configuration>> {
        let mut run = vec![self.initial()];
        for &rule in rules {
            run.push(self.after(run.last()?, rule)?);
        }
        Some(run)
    }

    fn timeline(&self, rules: &[usize]) -> Timeline {
        let run = self.run(rules).unwrap_or_default();
        let mut place = Column::new("place", ColumnRole::State, ColumnKind::Text);
        let mut counter = Column::new("counter", ColumnRole::State, ColumnKind::Integer);
        for (position, (at, count)) in run.iter().enumerate() {
            place.record(position, Some(Cell::text(at)));
            counter.record(position, Some(Cell::text(count.to_string())));
        }
        let text = |&rule: &usize| self.rules[rule].join(" ");
        let moves = rules.iter().map(|rule| Move {
            text: text(rule),
            ..Move::default()
        });
        Timeline {
            columns: vec![place, counter],
            positions: run.len(),
            moves: moves.collect(),
            ..Timeline::default()
        }
    }
}

/// The evidence: a run by its rules, or all configurations there are.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "content")]
enum Proof {
    Run(Vec<usize>),
    ClosedSet(Vec<Configuration>),
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
        let (goal, counts) = self.0.question(property);
        let most = self
            .1
            .value("most")
            .and_then(|text| text.parse().ok())
            .unwrap_or(1000);
        if counts && engine == "depth" {
            return Ok(Answer::unknown("the first run found need not be the shortest"));
        }
        let mut seen = BTreeMap::from([(self.0.initial(), Vec::new())]);
        let mut waiting = VecDeque::from([self.0.initial()]);
        let mut cut = false;
        while let Some(here) = if engine == "depth" {
            waiting.pop_back()
        } else {
            waiting.pop_front()
        } {
            if let Err(spent) = budget.check_now() {
                return Ok(Answer::unknown(spent.to_string()));
            }
            if here.0 == goal {
                let run = seen[&here].clone();
                let verdict = if counts { Verdict::Holds } else { Verdict::Fails };
                let value = counts.then(|| Quantity::whole(run.len() as u64));
                return Ok(Answer {
                    value,
                    ..Answer::complete(verdict, Proof::Run(run)).boxed()
                });
            }
            for rule in 0..self.0.rules.len() {
                let Some(next) = self.0.after(&here, rule) else {
                    continue;
                };
                cut |= next.1 > most;
                if next.1 <= most && !seen.contains_key(&next) {
                    let run = seen[&here].iter().copied().chain([rule]).collect();
                    seen.insert(next.clone(), run);
                    waiting.push_back(next);
                }
            }
        }
        if cut {
            return Ok(Answer::unknown(format!("the counter exceeds {most} (--most)")));
        }
        let value = counts.then_some(Quantity::Infinite);
        Ok(Answer {
            value,
            ..Answer::complete(Verdict::Holds, Proof::ClosedSet(seen.into_keys().collect())).boxed()
        })
    }
}

impl Checker for Work<'_> {
    fn check(&mut self, property: usize, answer: &Answer, _: &Budget) -> CheckReport {
        let (machine, (goal, counts)) = (self.0, self.0.question(property));
        let successors = |one: &Configuration| -> Vec<Configuration> {
            (0..machine.rules.len())
                .filter_map(|rule| machine.after(one, rule))
                .collect()
        };
        match answer.evidence_as::<Proof>() {
            Some(Proof::Run(rules)) => match machine.run(rules).and_then(|run| run.last().cloned()) {
                Some((place, _)) if place != goal => CheckReport::rejected("the run ends elsewhere"),
                Some(_) if !counts => CheckReport::Accepted,
                Some(_) if answer.value == Some(Quantity::whole(rules.len() as u64)) => {
                    CheckReport::unchecked("that there is no shorter run")
                }
                _ => CheckReport::rejected("this is no run, or none of this length"),
            },
            Some(Proof::ClosedSet(all)) if !all.contains(&machine.initial()) => {
                CheckReport::rejected("it lacks the start")
            }
            Some(Proof::ClosedSet(all)) => match all
                .iter()
                .find(|one| one.0 == goal || successors(one).iter().any(|next| !all.contains(next)))
            {
                Some(one) => {
                    CheckReport::rejected(format!("{one:?} is the goal, or a step leads out of the set"))
                }
                None => CheckReport::Accepted,
            },
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
            Some(Proof::Run(rules)) => Shown::default().main(View::Timeline(self.0.timeline(rules))),
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

    fn schedule(&self, _: usize, _: &Options, racing: bool) -> Vec<Turn> {
        let runners = vec![Runner::new("breadth", None), Runner::new("depth", None)];
        match racing {
            true => vec![Turn {
                runners,
                because: "the first to answer",
            }],
            false => vec![Turn::alone("breadth", None, "runs are short")],
        }
    }

    fn open<'m>(&'m self, options: &'m Options, _: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(Work(self, options)))
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(Work(self, options)))
    }

    fn walk<'m>(&'m self, _: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, ModelError>> {
        Some(Ok(Box::new(Stroll {
            machine: self,
            rules: Vec::new(),
            offered: Vec::new(),
        })))
    }

    fn formats(&self) -> &'static [&'static str] {
        &["oc"]
    }

    fn write(&self, extension: &str, _: &Options) -> Option<Result<Converted, String>> {
        let rules = self.rules.iter().map(|rule| rule.join(" "));
        let asked = self.headings.iter().map(|heading| heading.text.clone());
        let lines: Vec<String> = std::iter::once(format!("start {}", self.start))
            .chain(rules)
            .chain(asked)
            .collect();
        let bytes = (lines.join("\n") + "\n").into_bytes();
        (extension == "oc").then(|| {
            Ok(Converted {
                bytes,
                notes: Vec::new(),
            })
        })
    }
}

/// A walk by its rules.
struct Stroll<'m> {
    machine: &'m Machine,
    rules: Vec<usize>,
    offered: Vec<usize>,
}

impl Walk for Stroll<'_> {
    fn choices(&mut self, most: usize, _: &Budget) -> Vec<String> {
        let here = self
            .machine
            .run(&self.rules)
            .and_then(|run| run.last().cloned())
            .unwrap_or_default();
        let possible = |rule: &usize| self.machine.after(&here, *rule).is_some();
        self.offered = (0..self.machine.rules.len())
            .filter(possible)
            .take(most)
            .collect();
        self.offered
            .iter()
            .map(|&rule| self.machine.rules[rule].join(" "))
            .collect()
    }

    fn take(&mut self, choice: usize) {
        self.rules.extend(self.offered.get(choice));
    }

    fn back(&mut self, steps: usize) {
        self.rules.truncate(self.rules.len().saturating_sub(steps));
    }

    fn shown(&self) -> Shown {
        Shown::default().main(View::Timeline(self.machine.timeline(&self.rules)))
    }

    fn to_json(&self) -> Json {
        json!({"rules": self.rules})
    }

    fn resume(&mut self, document: &Json) -> Result<(), String> {
        self.rules = serde_json::from_value(document["rules"].clone()).map_err(|error| error.to_string())?;
        self.machine
            .run(&self.rules)
            .map(drop)
            .ok_or_else(|| "no run of this machine".to_owned())
    }
}
