//! From declarations to a network.

use crate::TcheckerModel;
use crate::code::Reader;
use crate::declarations::{Declaration, Word, is_identifier, trimmed};
use crate::types::{Meaning, Names};
use entail_clocks::{Clock, Edge, Integer, Location, Network, Process, Synchronisation, Synchroniser};
use entail_source::{Diagnostic, Diagnostics, Span};
use std::collections::HashMap;

/// Clocks and integers of a model, at most.
const MOST_CLOCKS: usize = 4096;
const MOST_INTEGERS: usize = 1 << 20;

/// Mistakes that are told at once.
const MOST_PROBLEMS: usize = 20;

#[derive(Default)]
struct Lowering<'t> {
    text: &'t str,
    network: Network,
    names: Names,
    processes: HashMap<&'t str, usize>,
    events: HashMap<&'t str, usize>,
    locations: HashMap<(usize, &'t str), usize>,
    labels: HashMap<String, usize>,
    declared: HashMap<(&'static str, String), Span>,
    warnings: Vec<Diagnostic>,
}

type Lowered<T> = Result<T, Diagnostic>;

pub(crate) fn lower<'t>(
    text: &'t str,
    declarations: Vec<Declaration<'t>>,
) -> Result<TcheckerModel, Diagnostics> {
    let mut lowering = Lowering {
        text,
        ..Lowering::default()
    };
    let mut problems = Vec::new();
    match declarations.first() {
        Some(first) if first.keyword.text == "system" => {}
        first => {
            let span = first.map_or(Span::new(0, 0), |first| first.keyword.span);
            let message = "a model begins with `system:NAME`";
            problems.push(Diagnostic::error("tchecker::system", message, span, "here"));
        }
    }
    // Guards and statements may use variables that are declared further down, as the reference tool allows; all other names are declared before.
    let is_variable = |declaration: &Declaration<'_>| matches!(declaration.keyword.text, "clock" | "int");
    for wants_variables in [true, false] {
        for (position, declaration) in declarations.iter().enumerate() {
            if problems.len() < MOST_PROBLEMS
                && is_variable(declaration) == wants_variables
                && let Err(problem) = lowering.declaration(declaration, position == 0)
            {
                problems.push(problem);
            }
        }
    }
    if !problems.is_empty() {
        problems.sort_by_key(|problem| problem.span().start);
        return Err(Diagnostics(problems));
    }
    for process in &lowering.network.processes {
        if process.initial.is_empty() {
            let span = lowering
                .declared
                .get(&("process", process.name.clone()))
                .copied()
                .unwrap_or_default();
            let message = format!(
                "process `{}` has no initial location: the model has no state",
                process.name
            );
            let warning = Diagnostic::warning("tchecker::initial", message, span, "this process");
            lowering
                .warnings
                .push(warning.with_help("mark a location with `initial:`"));
        }
    }
    Ok(TcheckerModel {
        network: lowering.network,
        warnings: lowering.warnings,
    })
}

impl<'t> Lowering<'t> {
    fn declaration(&mut self, declaration: &Declaration<'t>, is_first: bool) -> Lowered<()> {
        let fields = &declaration.fields;
        let expect = |count: usize, shape: &str| match fields.len() == count {
            true => Ok(()),
            false => {
                let message = format!("this declaration has {} fields instead of {count}", fields.len());
                let problem = Diagnostic::error("tchecker::syntax", message, declaration.span, "here");
                Err(problem.with_help(format!("write `{shape}`")))
            }
        };
        let keyword = declaration.keyword;
        match keyword.text {
            "system" => {
                expect(1, "system:NAME")?;
                if !is_first {
                    let message = "there is one system in a model";
                    return Err(Diagnostic::error(
                        "tchecker::system",
                        message,
                        keyword.span,
                        "a second one",
                    ));
                }
                self.network.name = identifier(fields[0])?.to_owned();
            }
            "process" => {
                expect(1, "process:NAME")?;
                let name = self.fresh("process", fields[0])?;
                self.processes.insert(name, self.network.processes.len());
                self.network.processes.push(Process {
                    name: name.to_owned(),
                    locations: Vec::new(),
                    initial: Vec::new(),
                    priority: 0,
                });
            }
            "event" => {
                expect(1, "event:NAME")?;
                let name = self.fresh("event", fields[0])?;
                self.events.insert(name, self.network.events.len());
                self.network.events.push(name.to_owned());
            }
            "clock" => {
                expect(2, "clock:SIZE:NAME")?;
                self.clock(fields[0], fields[1])?;
            }
            "int" => {
                expect(5, "int:SIZE:LEAST:LARGEST:FIRST:NAME")?;
                self.integer(fields, declaration.span)?;
            }
            "location" => {
                expect(2, "location:PROCESS:NAME{ATTRIBUTES}")?;
                self.location(declaration)?;
            }
            "edge" => {
                expect(4, "edge:PROCESS:SOURCE:TARGET:EVENT{ATTRIBUTES}")?;
                self.edge(declaration)?;
            }
            "sync" => self.synchronisation(declaration)?,
            other => {
                let message = format!("`{other}` is no declaration");
                let problem = Diagnostic::error("tchecker::syntax", message, keyword.span, "here");
                return Err(problem.with_help(
                    "declarations begin with system, process, event, clock, int, location, edge or sync",
                ));
            }
        }
        if !matches!(keyword.text, "location" | "edge") {
            for attribute in &declaration.attributes {
                self.wonder(attribute.key);
            }
        }
        Ok(())
    }

    fn wonder(&mut self, key: Word<'_>) {
        let message = format!("the attribute `{}` is not used", key.text);
        let warning = Diagnostic::warning("tchecker::attribute", message, key.span, "here");
        if self.warnings.len() < MOST_PROBLEMS {
            self.warnings.push(warning);
        }
    }

    /// A name that is not declared yet.
    fn fresh(&mut self, kind: &'static str, word: Word<'t>) -> Lowered<&'t str> {
        self.fresh_as(kind, word, word.text.to_owned())
    }

    fn fresh_as(&mut self, kind: &'static str, word: Word<'t>, full: String) -> Lowered<&'t str> {
        let name = identifier(word)?;
        if let Some(before) = self.declared.insert((kind, full), word.span) {
            let message = format!("{kind} `{name}` is declared twice");
            let problem = Diagnostic::error("tchecker::duplicate", message, word.span, "declared again here");
            return Err(problem.with_label(before, "declared here first"));
        }
        Ok(name)
    }

    fn clock(&mut self, size: Word<'t>, name: Word<'t>) -> Lowered<()> {
        let count = usize::try_from(number(size)?).unwrap_or(0);
        if count == 0 || count + self.network.clocks.len() > MOST_CLOCKS {
            let message = format!("there are at least 1 and at most {MOST_CLOCKS} clocks");
            return Err(Diagnostic::error(
                "tchecker::range",
                message,
                size.span,
                "this number",
            ));
        }
        let text = self.fresh("variable", name)?;
        let base = self.network.clocks.len() + 1;
        self.names.insert(text.to_owned(), Meaning::Clock(base, count));
        for element in names(text, count) {
            self.network.clocks.push(Clock { name: element });
        }
        Ok(())
    }

    fn integer(&mut self, fields: &[Word<'t>], span: Span) -> Lowered<()> {
        let numbers: Vec<i64> = fields[..4]
            .iter()
            .map(|field| number(*field))
            .collect::<Lowered<_>>()?;
        let [size, low, high, initial] = numbers[..] else {
            return Ok(());
        };
        let wrong = |message: &str, at: usize| {
            Err(Diagnostic::error(
                "tchecker::range",
                message,
                fields[at].span,
                "this number",
            ))
        };
        let count = usize::try_from(size).unwrap_or(0);
        if count == 0 || count + self.network.integers.len() > MOST_INTEGERS {
            return wrong(
                "the number of integers must be positive, and not exceed 2^20 in all",
                0,
            );
        }
        if low > high {
            return wrong("the least value exceeds the largest", 1);
        }
        if !(low..=high).contains(&initial) {
            return wrong("the first value is out of the range", 3);
        }
        let name = self.fresh("variable", fields[4])?;
        let base = self.network.integers.len();
        self.names.insert(name.to_owned(), Meaning::Integer(base, count));
        for element in names(name, count) {
            self.network.integers.push(Integer {
                name: element,
                low,
                high,
                initial,
            });
        }
        let _ = span;
        Ok(())
    }

    fn process(&self, word: Word<'t>) -> Lowered<usize> {
        known(
            &self.processes,
            word.text,
            || format!("process `{}` is not declared", word.text),
            word.span,
        )
    }

    fn event(&self, word: Word<'t>) -> Lowered<usize> {
        known(
            &self.events,
            word.text,
            || format!("event `{}` is not declared", word.text),
            word.span,
        )
    }

    fn place(&self, process: usize, word: Word<'t>) -> Lowered<usize> {
        let message = || {
            let process = &self.network.processes[process].name;
            format!("location `{}` is not declared in process `{process}`", word.text)
        };
        known(&self.locations, &(process, word.text), message, word.span)
    }

    fn reader<'n>(&'n self, part: Span) -> Lowered<Reader<'t, 'n>> {
        Reader::new(self.text, part, &self.names, self.network.integers.len())
    }

    fn location(&mut self, declaration: &Declaration<'t>) -> Lowered<()> {
        let [process, name] = [declaration.fields[0], declaration.fields[1]];
        let process = self.process(process)?;
        let full = format!("{}.{}", self.network.processes[process].name, name.text);
        let text = self.fresh_as("location", name, full)?;
        let mut location = Location {
            name: text.to_owned(),
            process,
            invariant: Vec::new(),
            rate: None,
            committed: false,
            urgent: false,
            labels: Vec::new(),
            outgoing: Vec::new(),
            span: declaration.span,
        };
        let id = self.network.locations.len();
        for attribute in &declaration.attributes {
            match attribute.key.text {
                "initial" => {
                    let initial = &mut self.network.processes[process].initial;
                    if !initial.contains(&id) {
                        initial.push(id);
                    }
                }
                "committed" => location.committed = true,
                "urgent" => location.urgent = true,
                "labels" => {
                    for label in attribute
                        .value
                        .text
                        .split(',')
                        .map(str::trim)
                        .filter(|label| !label.is_empty())
                    {
                        let next = self.labels.len();
                        let number = *self.labels.entry(label.to_owned()).or_insert(next);
                        if number == next {
                            self.network.labels.push(label.to_owned());
                        }
                        if !location.labels.contains(&number) {
                            location.labels.push(number);
                        }
                    }
                    location.labels.sort_unstable();
                }
                "invariant" => {
                    if !attribute.value.text.is_empty() {
                        let conditions = self.reader(attribute.value.span)?.conditions()?;
                        location.invariant.extend(conditions);
                    }
                }
                _ => self.wonder(attribute.key),
            }
        }
        self.locations.insert((process, text), id);
        self.network.processes[process].locations.push(id);
        self.network.locations.push(location);
        Ok(())
    }

    fn edge(&mut self, declaration: &Declaration<'t>) -> Lowered<()> {
        let [process, source, target, event] = [0, 1, 2, 3].map(|field| declaration.fields[field]);
        let process = self.process(process)?;
        let mut edge = Edge {
            process,
            source: self.place(process, source)?,
            target: self.place(process, target)?,
            event: self.event(event)?,
            signal: None,
            guard: Vec::new(),
            action: Vec::new(),
            controllable: true,
            span: declaration.span,
        };
        for attribute in &declaration.attributes {
            let value = attribute.value;
            match attribute.key.text {
                "provided" if !value.text.is_empty() => {
                    edge.guard.extend(self.reader(value.span)?.conditions()?);
                }
                "do" if !value.text.is_empty() => {
                    let mut reader = self.reader(value.span)?;
                    edge.action.extend(reader.action()?);
                    let most = reader.most_locals;
                    self.network.local_slots = self.network.local_slots.max(most);
                }
                "provided" | "do" => {}
                _ => self.wonder(attribute.key),
            }
        }
        let id = self.network.edges.len();
        self.network.locations[edge.source].outgoing.push(id);
        self.network.edges.push(edge);
        Ok(())
    }

    fn synchronisation(&mut self, declaration: &Declaration<'t>) -> Lowered<()> {
        let mut partners: Vec<Synchroniser> = Vec::new();
        for field in &declaration.fields {
            let Some(at) = field.text.find('@') else {
                let message = "a partner is written `process@event`";
                return Err(Diagnostic::error(
                    "tchecker::syntax",
                    message,
                    field.span,
                    "this partner",
                ));
            };
            let (start, end) = (field.span.start, field.span.end);
            let weak = field.text.ends_with('?');
            let process = trimmed(self.text, Span::new(start, start + at));
            let event = trimmed(self.text, Span::new(start + at + 1, end - usize::from(weak)));
            let (process, event) = (self.process(process)?, self.event(event)?);
            if partners.iter().any(|partner| partner.process == process) {
                let message = "a process is named twice in a synchronisation";
                return Err(Diagnostic::error(
                    "tchecker::duplicate",
                    message,
                    field.span,
                    "named again here",
                ));
            }
            partners.push(Synchroniser { process, event, weak });
        }
        self.network.synchronisations.push(Synchronisation { partners });
        Ok(())
    }
}

fn known<K: std::hash::Hash + Eq + ?Sized, O: std::hash::Hash + Eq + std::borrow::Borrow<K>>(
    table: &HashMap<O, usize>,
    key: &K,
    message: impl FnOnce() -> String,
    span: Span,
) -> Lowered<usize> {
    table.get(key).copied().ok_or_else(|| {
        Diagnostic::error("tchecker::unknown", message(), span, "this name")
            .with_help("everything is declared before it is used")
    })
}

fn identifier<'t>(word: Word<'t>) -> Lowered<&'t str> {
    match is_identifier(word.text) {
        true => Ok(word.text),
        false => {
            let message = format!("`{}` is no name", word.text);
            let problem = Diagnostic::error("tchecker::syntax", message, word.span, "here");
            Err(problem
                .with_help("names consist of letters, digits, `_` and `.`, and begin with a letter or `_`"))
        }
    }
}

fn number(word: Word<'_>) -> Lowered<i64> {
    match word.text.parse::<i32>() {
        Ok(number) => Ok(i64::from(number)),
        Err(_) => {
            let message = format!("`{}` is no number of 32 bits", word.text);
            Err(Diagnostic::error("tchecker::range", message, word.span, "here"))
        }
    }
}

/// The names of the elements of an array, or the name alone.
fn names(name: &str, count: usize) -> Vec<String> {
    match count {
        1 => vec![name.to_owned()],
        count => (0..count).map(|index| format!("{name}[{index}]")).collect(),
    }
}
