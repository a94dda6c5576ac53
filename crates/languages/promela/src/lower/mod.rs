//! From the syntax tree to a program.

mod atomicity;
mod build;
mod dead_variables;
mod expression;
mod flow;
mod formula;
mod globals;
mod loops;
mod machine;
mod nested_run;
mod references;
mod shared;
mod statement;
mod symbols;
mod trace;

use crate::PromelaModel;
use crate::syntax::ast::*;
use crate::syntax::parser::{Fail, MOST_ERRORS, wrong};
use crate::trail::Trails;
use build::Builder;
use entail_program::{
    Action, Cell, CellType, Expression, Initial, LocationId, Origin, Place, ProcessType, ProcessTypeId,
    Program, Requirement, RequirementKind,
};
use entail_source::{Source, Span};
use expression::Where;
use flow::Flow;
use globals::initial;
use machine::{Machine, Reductions};
use references::references;
use rustc_hash::{FxHashMap, FxHashSet};
use symbols::{ScopeId, Symbols};
use trace::Trace;

/// The initial state has no more cells, fields of messages that its channels can hold counted.
const MOST_INITIAL: u64 = 1 << 23;

/// What is known about a program while it is lowered.
#[derive(Default)]
pub struct Lowering {
    pub program: Program,
    pub symbols: Symbols,
    pub process_types: FxHashMap<Name, ProcessTypeId>,
    /// Positions of the kinds of channels: by capacity and fields.
    pub channel_types: FxHashMap<(u32, Vec<CellType>), usize>,
    /// One for each process type.
    pub flows: Vec<Flow>,
    requirements: Vec<Requirement>,
    /// Where those with names stand in the main text.
    requirement_places: FxHashMap<String, Span>,
    /// The conditions of formulas as they are written.
    condition_texts: Vec<String>,
    /// SPIN makes other statements than we do, so that it numbers them otherwise.
    pub numbers_differ: bool,
    /// First cells of globals that are assigned and never read, other than for printing.
    pub written_only: FxHashSet<u32>,
    /// Where global variables are changed, if there is a trace: a channel variable may then hold any channel.
    pub reassigned: FxHashMap<u32, Origin>,
    pub trace: Option<Trace>,
    /// Fields of records that have been written out so far.
    pub places_made: std::cell::Cell<usize>,
    /// The text of `ltl` formulas is shown from here.
    sources: Vec<Source>,
    /// What was found to be wrong so far.
    pub errors: std::cell::RefCell<Vec<Fail>>,
}

/// Lowers a program; the last `added` formulas are asked last. If it is `reduced`, statements are joined and variables forgotten.
pub fn lower(
    units: &[Unit],
    sources: Vec<Source>,
    added: usize,
    reduced: bool,
) -> Result<PromelaModel, Vec<Fail>> {
    let mut lowering = Lowering {
        sources: sources.clone(),
        ..Lowering::default()
    };
    lowering.program.sources = sources;
    lowering.program.message_names.push(String::new());
    match lowering.lowered(units, added, reduced) {
        Ok(model) => Ok(model),
        Err(last) => {
            let mut errors = lowering.errors.take();
            errors.push(last);
            Err(errors)
        }
    }
}

impl Lowering {
    /// Keeps an error, so that others are found, too.
    pub fn keep<T>(&self, result: Result<T, Fail>) -> Option<T> {
        let keep = |error| {
            let mut errors = self.errors.borrow_mut();
            if errors.len() < MOST_ERRORS {
                errors.push(error);
            }
        };
        result.map_err(keep).ok()
    }

    /// Goes on if no error was kept.
    pub fn unless_failed(&self) -> Result<(), Fail> {
        let last = self.errors.borrow_mut().pop();
        last.map_or(Ok(()), Err)
    }

    fn lowered(&mut self, units: &[Unit], added: usize, reduced: bool) -> Result<PromelaModel, Fail> {
        let lowering = self;
        lowering.declarations(units)?;
        let trace = event_trace(units)?;
        let proctypes = proctypes(units, trace.as_ref())?;
        lowering.number_process_types(&proctypes)?;
        let references = references(units);
        lowering.hide_written_only(&references.read);
        for (proctype, _) in &proctypes {
            let observed = references.labels.get(&proctype.name).cloned().unwrap_or_default();
            let flow = Builder::build(lowering, proctype, &observed);
            if let Some(flow) = lowering.keep(flow) {
                lowering.flows.push(flow);
            }
        }
        lowering.unless_failed()?;
        let traced = proctypes
            .iter()
            .position(|(proctype, _)| trace.as_ref().is_some_and(|trace| std::ptr::eq(*proctype, trace)));
        if let (Some(position), Some(trace)) = (traced, &trace) {
            let trace = Trace::new(lowering, ProcessTypeId(position as u8), trace, units)?;
            lowering.trace = Some(trace);
        }
        let mut trails = Trails::Merged;
        let has_provided = proctypes.iter().any(|(proctype, _)| proctype.provided.is_some());
        for (position, (proctype, is_claim)) in proctypes.iter().enumerate() {
            let reductions = Reductions {
                merging: reduced && !has_provided && !references.variables && !is_claim,
                dead_variables: reduced && !references.variables && !is_claim,
            };
            if !reductions.merging && !is_claim {
                trails = Trails::Unmerged;
            }
            let made = lowering.process(ProcessTypeId(position as u8), proctype, reductions);
            lowering.keep(made);
        }
        let formulas = lowering.requirements(units, &proctypes);
        lowering.keep(formulas);
        lowering.unless_failed()?;
        if let Some(position) = traced {
            trace::without_edges(&mut lowering.program.processes[position].locations);
        }
        lowering.refuse_enabled(&proctypes)?;
        lowering.initial_processes(&proctypes)?;
        if lowering.program.initial.is_empty() {
            let at = proctypes
                .first()
                .map_or_else(Origin::default, |(proctype, _)| proctype.at);
            return Err(wrong(
                at,
                "promela::no-process",
                "the model has no process",
                "nothing is started when it begins",
                "write `init { … }`, or `active` before a `proctype`",
            ));
        }
        let mut program = std::mem::take(&mut lowering.program);
        let mut requirements = std::mem::take(&mut lowering.requirements);
        let numbers_differ = lowering.numbers_differ;
        ask_added_last(&mut requirements, added);
        note_features(&mut program);
        program.has_priorities |=
            references.priorities || proctypes.iter().any(|(proctype, _)| proctype.priority.is_some());
        if numbers_differ {
            trails = Trails::OtherNumbers;
        }
        Ok(PromelaModel {
            program,
            requirements,
            places: std::mem::take(&mut lowering.requirement_places),
            condition_texts: std::mem::take(&mut lowering.condition_texts),
            trails,
        })
    }
}

/// The event trace, if there is one.
fn event_trace(units: &[Unit]) -> Result<Option<Proctype>, Fail> {
    let mut traces: Vec<Proctype> = units
        .iter()
        .filter_map(|unit| match unit {
            Unit::Trace(proctype) => Some(trace::prepared(proctype)),
            _ => None,
        })
        .collect::<Result<_, Fail>>()?;
    if let Some(second) = traces.get(1) {
        return Err(wrong(
            second.at,
            "promela::trace",
            "there are two traces",
            "the second",
            "a model has one `trace` or `notrace`",
        ));
    }
    Ok(traces.pop())
}

/// The process types, each with whether it is a claim or a trace, which are no processes.
fn proctypes<'u>(units: &'u [Unit], trace: Option<&'u Proctype>) -> Result<Vec<(&'u Proctype, bool)>, Fail> {
    let proctypes: Vec<(&Proctype, bool)> = units
        .iter()
        .filter_map(|unit| match unit {
            Unit::Proctype(proctype) => Some((proctype, false)),
            Unit::Never(proctype) => Some((proctype, true)),
            Unit::Trace(_) => trace.map(|trace| (trace, true)),
            _ => None,
        })
        .collect();
    if proctypes.len() > 255 {
        return Err(wrong(
            proctypes[255].0.at,
            "promela::too-large",
            "there are more than 255 process types",
            "here",
            "",
        ));
    }
    Ok(proctypes)
}

/// Puts the last `added` formulas behind everything else that is asked: claims and cycles of the text stand between.
fn ask_added_last(requirements: &mut [Requirement], added: usize) {
    let formulas: Vec<usize> = (0..requirements.len())
        .filter(|&position| matches!(requirements[position].question, RequirementKind::Always(_)))
        .collect();
    let first = formulas.len().checked_sub(added);
    if let Some(&first) = first.and_then(|first| formulas.get(first)) {
        requirements[first..].rotate_left(added);
        let last = requirements.len() - added;
        requirements[last..]
            .iter_mut()
            .for_each(|requirement| requirement.name = None);
    }
}

/// Notes whether a program looks at who moved last, and whether it uses priorities.
fn note_features(program: &mut Program) {
    let (mut has_last, mut has_priorities) = (false, false);
    program.visit_expressions(&mut |expression| {
        has_last |= matches!(expression, Expression::LastProcess);
        has_priorities |= matches!(expression, Expression::Priority(_));
    });
    let edges = program
        .processes
        .iter()
        .flat_map(|process| &process.locations)
        .flat_map(|location| &location.edges);
    has_priorities |= edges
        .flat_map(|edge| &edge.actions)
        .any(|action| matches!(action, Action::SetPriority(..)));
    program.has_last = has_last;
    program.has_priorities = has_priorities;
}

impl Lowering {
    fn number_process_types(&mut self, proctypes: &[(&Proctype, bool)]) -> Result<(), Fail> {
        for (position, (proctype, _)) in proctypes.iter().enumerate() {
            let id = ProcessTypeId(position as u8);
            if self.process_types.insert(proctype.name.clone(), id).is_some() {
                let message = format!("there are two process types `{}`", proctype.name);
                return Err(wrong(
                    proctype.at,
                    "promela::declared-twice",
                    message,
                    "the second",
                    "give one of them another name",
                ));
            }
        }
        Ok(())
    }

    /// Where an expression stands that belongs to no process type yet.
    pub fn place_of(&self, scope: Option<ScopeId>) -> Where {
        Where { scope }
    }

    fn process(
        &mut self,
        id: ProcessTypeId,
        proctype: &Proctype,
        reductions: Reductions,
    ) -> Result<(), Fail> {
        let flow = &self.flows[id.0 as usize];
        let mut cells = flow.cells.clone();
        for (base, count, value, scope) in &flow.computed {
            let place = Where { scope: Some(*scope) };
            let value = self.expression(value, place)?;
            for cell in &mut cells[*base as usize..(*base + *count) as usize] {
                cell.initial = initial(value.clone());
            }
        }
        let outer = Where { scope: flow.scope };
        let provided = proctype
            .provided
            .as_ref()
            .map(|condition| self.expression(condition, outer))
            .transpose()?;
        let earlier = &self.flows[..id.0 as usize];
        let first_number = earlier.iter().map(|flow| flow.elements.len()).sum::<usize>() as u32;
        let start = flow
            .body
            .map(|run| flow.hunt(run.first, false, &self.symbols.blocks));
        let locations = Machine::locations(self, flow, reductions, first_number, Vec::from_iter(start))?;
        let parameters: u32 = proctype
            .parameters
            .iter()
            .map(|parameter| self.symbols.cells_of(&parameter.kind))
            .sum();
        let start = start.map(|start| LocationId(start as u16));
        self.program.processes.push(ProcessType {
            name: proctype.name.to_string(),
            parameters: parameters as usize,
            cells,
            locations,
            start,
            provided,
            priority: u8::try_from(proctype.priority.unwrap_or(1)).unwrap_or(1),
            origin: proctype.at,
        });
        Ok(())
    }

    /// Processes that ask whether others can move could ask each other in a circle.
    fn refuse_enabled(&self, proctypes: &[(&Proctype, bool)]) -> Result<(), Fail> {
        for (process, (proctype, is_claim)) in self.program.processes.iter().zip(proctypes) {
            if *is_claim {
                continue;
            }
            let mut found = None;
            let note = |expression: &Expression, at: Origin, found: &mut Option<Origin>| {
                expression.visit(&mut |inner| {
                    if matches!(inner, Expression::Enabled(_)) {
                        *found = Some(at);
                    }
                })
            };
            if let Some(provided) = &process.provided {
                note(provided, proctype.at, &mut found);
            }
            for edge in process.locations.iter().flat_map(|location| &location.edges) {
                edge.actions.iter().for_each(|action| {
                    action.visit(&mut |expression| note(expression, edge.origin, &mut found))
                });
            }
            if let Some(at) = found {
                return Err(wrong(
                    at,
                    "promela::enabled",
                    "`enabled()` stands in formulas and never claims only",
                    "here",
                    "ask for what the other process waits for",
                ));
            }
        }
        Ok(())
    }

    /// Cells of variables and of the channels that begin in them.
    fn size_of(&self, cells: &[Cell]) -> u64 {
        let channel = |cell: &Cell| match cell.initial {
            Initial::Channel(kind) => {
                let channel = &self.program.channels[kind];
                u64::from(channel.capacity.max(1)) * channel.fields.len() as u64
            }
            _ => 0,
        };
        cells.len() as u64 + cells.iter().map(channel).sum::<u64>()
    }

    fn initial_processes(&mut self, proctypes: &[(&Proctype, bool)]) -> Result<(), Fail> {
        let mut size = self.size_of(&self.program.globals);
        for (proctype, _) in proctypes {
            let count = match &proctype.active {
                None => 0,
                Some(Active::Count(count)) => *count,
                Some(Active::Named(name, at)) => {
                    let cell = self
                        .symbols
                        .globals
                        .get(name)
                        .map(|&id| self.symbols.symbol(id).base as usize);
                    match cell.map(|cell| &self.program.globals[cell].initial) {
                        Some(Initial::Value(value)) => *value,
                        _ => {
                            return Err(wrong(
                                *at,
                                "promela::active",
                                "the number of processes is no constant",
                                "here",
                                "use a number",
                            ));
                        }
                    }
                }
            };
            if !(0..=255).contains(&count) || self.program.initial.len() + count as usize > 255 {
                return Err(wrong(
                    proctype.at,
                    "promela::active",
                    "there are more than 255 processes",
                    "here",
                    "start fewer",
                ));
            }
            let id = self.process_types[&proctype.name];
            size += count as u64 * self.size_of(&self.program.processes[id.0 as usize].cells);
            if size > MOST_INITIAL {
                return Err(wrong(
                    proctype.at,
                    "promela::too-large",
                    "the initial state is too large",
                    "with the processes that are started here",
                    "use smaller arrays and channels, or start fewer processes",
                ));
            }
            self.program
                .initial
                .extend(std::iter::repeat_n(id, count as usize));
        }
        Ok(())
    }

    /// Starting a process.
    pub fn start(
        &self,
        number: Option<Place>,
        (name, arguments, priority): (&Name, &[Expr], Option<i32>),
        at: Origin,
        place: Where,
    ) -> Result<Action, Fail> {
        let process = self.process_type(name, at)?;
        let flow = &self.flows[process.0 as usize];
        let values = self.values(arguments, place)?;
        let expected = flow.parameters(self);
        if values.len() != expected {
            let message = format!(
                "`{name}` has {expected} parameters, {} arguments are given",
                values.len()
            );
            return Err(wrong(
                at,
                "promela::arguments",
                message,
                "started here",
                "give one argument for each parameter",
            ));
        }
        Ok(Action::Start {
            number,
            process,
            arguments: values,
            priority: priority.map_or(1, |priority| priority.clamp(1, 255) as u8),
        })
    }

    /// A variable used as a channel.
    pub fn channel_value(&self, variable: &Variable, place: Where) -> Result<Expression, Fail> {
        let found = self.place(variable, place)?;
        // SPIN lets any variable hold a channel's number.
        Ok(Expression::Load(Box::new(found)))
    }

    /// Remembers where a requirement stands, if that is in the main text.
    fn note_place(&mut self, name: &str, at: Origin) {
        if at.file == 0 {
            self.requirement_places.insert(name.to_owned(), at.span);
        }
    }

    fn requirements(&mut self, units: &[Unit], proctypes: &[(&Proctype, bool)]) -> Result<(), Fail> {
        self.requirements.push(Requirement {
            name: None,
            text: "safety (assert + invalid end)".into(),
            question: RequirementKind::Safety,
        });
        let mut unnamed = 0;
        for unit in units {
            match unit {
                Unit::Formula(name, formula) => {
                    let name = name.as_ref().map(ToString::to_string).unwrap_or_else(|| {
                        // SPIN's name of a formula that has none.
                        unnamed += 1;
                        format!("ltl_{}", unnamed - 1)
                    });
                    let formula_made = self.formula(formula);
                    let Some(question) = self.keep(formula_made) else {
                        continue;
                    };
                    let question = RequirementKind::Always(question);
                    let text = self.sources[formula.at.file as usize]
                        .slice(formula.at.span)
                        .to_owned();
                    self.note_place(&name, formula.at);
                    self.requirements.push(Requirement {
                        name: Some(name),
                        text,
                        question,
                    });
                }
                Unit::Never(claim) => {
                    self.note_place(&claim.name, claim.at);
                    self.requirements.push(Requirement {
                        name: Some(claim.name.to_string()),
                        text: format!("never claim {}", claim.name),
                        question: RequirementKind::NeverClaim(self.process_types[&claim.name]),
                    });
                }
                _ => {}
            }
        }
        let has = |prefix: &str| {
            let mut flows = self
                .flows
                .iter()
                .zip(proctypes)
                .filter(|(_, (_, is_claim))| !is_claim);
            flows.any(|(flow, _)| {
                flow.elements
                    .iter()
                    .flat_map(|element| &element.labels)
                    .any(|label| label.starts_with(prefix))
            })
        };
        let (accepts, progresses) = (has("accept"), has("progress"));
        if accepts {
            self.requirements.push(Requirement {
                name: None,
                text: "no acceptance cycles".into(),
                question: RequirementKind::NoAcceptanceCycle,
            });
        }
        if progresses {
            self.requirements.push(Requirement {
                name: None,
                text: "no non-progress cycles".into(),
                question: RequirementKind::Progress,
            });
        }
        Ok(())
    }
}

impl Flow {
    /// How many values a process of this kind is started with.
    fn parameters(&self, lowering: &Lowering) -> usize {
        self.parameter_types
            .iter()
            .map(|kind| lowering.symbols.cells_of(kind) as usize)
            .sum()
    }
}
