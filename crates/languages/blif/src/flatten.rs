//! One netlist of all models: instances are put in, signals numbered, gates sorted.
//!
//! Instances are expanded from a list of what is still to do, never by recursion; that no model contains itself is seen first, so the list ends.
//! The size of the result is bounded: a few models that contain each other twice would be exponentially large.

use crate::cells::{Cell, cell};
use crate::lines::Word;
use crate::netlist::{Blif, Gate, Initially, Latch, Signal};
use crate::parse::{Clock, Item, Model};
use entail_source::{Diagnostic, Span, nearest};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Most signals of a netlist, and most bytes of their names.
const MOST_SIGNALS: usize = 1 << 24;
const MOST_NAME_BYTES: usize = 1 << 27;

type Problems = Vec<Diagnostic>;

fn wrong(message: impl Into<String>, place: Span, label: &str) -> Problems {
    vec![Diagnostic::error("blif::netlist", message, place, label)]
}

/// The first model with all instances in it.
pub(crate) fn flatten(models: &[Model<'_>]) -> Result<Blif, Problems> {
    let numbers: FxHashMap<&str, usize> = (models.iter().enumerate())
        .map(|(number, model)| (model.name.text, number))
        .collect();
    refuse_recursion(models, &numbers)?;
    let mut flattening = Flattening {
        models,
        numbers,
        netlist: Blif {
            name: models[0].name.text.to_owned(),
            ..Blif::default()
        },
        drivers: Vec::new(),
        uses: Vec::new(),
        name_bytes: 0,
        clock: None,
    };
    flattening.expand_all()?;
    flattening.finish()
}

/// No model contains itself: a search of the graph of models, with an explicit stack.
fn refuse_recursion(models: &[Model<'_>], numbers: &FxHashMap<&str, usize>) -> Result<(), Problems> {
    let children = |model: usize| {
        let items = models[model].items.iter();
        items.filter_map(|item| match item {
            Item::Instance { model, .. } => Some((*numbers.get(model.text)?, model.place)),
            _ => None,
        })
    };
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; models.len()];
    let mut stack = vec![(0, children(0).collect::<Vec<_>>())];
    marks[0] = Mark::Open;
    while let Some((model, pending)) = stack.last_mut() {
        let Some((child, place)) = pending.pop() else {
            marks[*model] = Mark::Done;
            stack.pop();
            continue;
        };
        match marks[child] {
            Mark::Done => {}
            Mark::Open => {
                let message = format!("the model `{}` contains itself", models[child].name.text);
                return Err(wrong(message, place, "by this instance"));
            }
            Mark::New => {
                marks[child] = Mark::Open;
                stack.push((child, children(child).collect()));
            }
        }
    }
    Ok(())
}

/// A model that is to be put in.
struct Pending<'a> {
    model: usize,
    /// What stands before the names of its signals.
    path: String,
    /// The signals that its ports are.
    ports: FxHashMap<&'a str, Signal>,
}

/// What drives a signal, and where that is said.
#[derive(Clone, Copy)]
struct Driven {
    place: Span,
    /// The gate that drives it; an input or a latch otherwise.
    gate: Option<usize>,
}

struct Flattening<'m, 'a> {
    models: &'m [Model<'a>],
    numbers: FxHashMap<&'a str, usize>,
    netlist: Blif,
    drivers: Vec<Option<Driven>>,
    /// Where each signal was first used.
    uses: Vec<Span>,
    name_bytes: usize,
    /// The signal and edge that latches wait for, and where that was said.
    clock: Option<(Option<Signal>, bool, Span)>,
}

/// The signals of one model by their names.
struct Names<'a> {
    path: Rc<str>,
    known: FxHashMap<&'a str, Signal>,
}

impl<'a> Flattening<'_, 'a> {
    fn expand_all(&mut self) -> Result<(), Problems> {
        let mut pending = vec![Pending {
            model: 0,
            path: String::new(),
            ports: FxHashMap::default(),
        }];
        while let Some(next) = pending.pop() {
            self.expand(next, &mut pending)?;
        }
        Ok(())
    }

    fn signal(&mut self, names: &mut Names<'a>, word: Word<'a>) -> Result<Signal, Problems> {
        if let Some(&known) = names.known.get(word.text) {
            return Ok(known);
        }
        let signal = self.new_signal(&format!("{}{}", names.path, word.text), word.place)?;
        names.known.insert(word.text, signal);
        Ok(signal)
    }

    /// A new signal.
    fn new_signal(&mut self, name: &str, place: Span) -> Result<Signal, Problems> {
        self.name_bytes += name.len();
        if self.netlist.names.len() >= MOST_SIGNALS || self.name_bytes > MOST_NAME_BYTES {
            let message = "with all instances put in, the netlist is too large";
            return Err(wrong(message, place, "here"));
        }
        let signal = Signal(self.netlist.names.len() as u32);
        self.netlist.names.push(name.to_owned());
        self.drivers.push(None);
        self.uses.push(place);
        Ok(signal)
    }

    fn drive(&mut self, signal: Signal, place: Span, gate: Option<usize>) -> Result<(), Problems> {
        if let Some(before) = self.drivers[signal.index()] {
            let message = format!("`{}` is driven twice", self.netlist.name_of(signal));
            let problem = Diagnostic::error("blif::netlist", message, place, "here");
            return Err(vec![problem.with_label(before.place, "and here")]);
        }
        self.drivers[signal.index()] = Some(Driven { place, gate });
        Ok(())
    }

    fn expand(&mut self, next: Pending<'a>, pending: &mut Vec<Pending<'a>>) -> Result<(), Problems> {
        let models = self.models;
        let model = &models[next.model];
        let is_top = next.path.is_empty();
        let mut names = Names {
            path: next.path.as_str().into(),
            known: next.ports,
        };
        if is_top {
            for &input in &model.inputs {
                let signal = self.signal(&mut names, input)?;
                self.drive(signal, input.place, None)?;
                self.netlist.inputs.push(signal);
            }
        }
        let mut instances = 0;
        for item in &model.items {
            match item {
                Item::Cover {
                    inputs,
                    output,
                    rows,
                    value,
                } => self.gate(&mut names, (inputs, *output), rows.clone(), *value)?,
                Item::Latch {
                    input,
                    output,
                    clock,
                    initially,
                } => self.latch(&mut names, *input, *output, *clock, *initially)?,
                Item::Instance {
                    model,
                    ports,
                    is_cell,
                } => {
                    let path = format!("{}{}_{instances}.", names.path, model.text);
                    instances += 1;
                    match self.numbers.get(model.text).copied() {
                        Some(number) if !models[number].is_black_box => {
                            let ports = self.connected(&mut names, number, *model, ports)?;
                            pending.push(Pending {
                                model: number,
                                path,
                                ports,
                            });
                        }
                        _ => self.cell(&mut names, *model, ports, *is_cell)?,
                    }
                }
            }
        }
        if is_top {
            for &output in &model.outputs {
                let signal = self.signal(&mut names, output)?;
                self.netlist.outputs.push(signal);
            }
        }
        Ok(())
    }

    /// The signals that the ports of an instance are.
    fn connected(
        &mut self,
        names: &mut Names<'a>,
        number: usize,
        instance: Word<'a>,
        ports: &[(&'a str, Word<'a>)],
    ) -> Result<FxHashMap<&'a str, Signal>, Problems> {
        let model = &self.models[number];
        let formals: FxHashSet<&str> = model
            .inputs
            .iter()
            .chain(&model.outputs)
            .map(|word| word.text)
            .collect();
        let mut bound = FxHashMap::default();
        for &(formal, actual) in ports {
            let Some(&known) = formals.get(formal) else {
                let message = format!("the model `{}` has no port `{formal}`", model.name.text);
                let mut problem = Diagnostic::error("blif::netlist", message, actual.place, "here");
                if let Some(meant) = nearest(formal, formals.iter().copied()) {
                    problem = problem.with_help(format!("did you mean `{meant}`?"));
                }
                return Err(vec![problem.with_label(instance.place, "in this instance")]);
            };
            let signal = self.signal(names, actual)?;
            if bound.insert(known, signal).is_some() {
                return Err(wrong(
                    format!("the port `{formal}` is connected twice"),
                    actual.place,
                    "here",
                ));
            }
        }
        Ok(bound)
    }

    fn gate(
        &mut self,
        names: &mut Names<'a>,
        (inputs, output): (&[Word<'a>], Word<'a>),
        rows: Vec<Vec<Option<bool>>>,
        value: bool,
    ) -> Result<(), Problems> {
        let driven = self.signal(names, output)?;
        self.gate_of(names, inputs, driven, output.place, rows, value)
    }

    /// A gate that drives a signal.
    fn gate_of(
        &mut self,
        names: &mut Names<'a>,
        inputs: &[Word<'a>],
        driven: Signal,
        place: Span,
        rows: Vec<Vec<Option<bool>>>,
        value: bool,
    ) -> Result<(), Problems> {
        let mut read = Vec::with_capacity(inputs.len());
        for &input in inputs {
            read.push(self.signal(names, input)?);
        }
        self.drive(driven, place, Some(self.netlist.gates.len()))?;
        self.netlist.gates.push(Gate {
            output: driven,
            inputs: read,
            rows,
            value,
        });
        Ok(())
    }

    fn latch(
        &mut self,
        names: &mut Names<'a>,
        input: Word<'a>,
        output: Word<'a>,
        clock: Option<Clock<'a>>,
        initially: Initially,
    ) -> Result<(), Problems> {
        let input = self.signal(names, input)?;
        self.latch_of(names, input, output, clock, initially)
    }

    /// A latch that takes a signal.
    fn latch_of(
        &mut self,
        names: &mut Names<'a>,
        input: Signal,
        output: Word<'a>,
        clock: Option<Clock<'a>>,
        initially: Initially,
    ) -> Result<(), Problems> {
        if let Some(Clock {
            rises,
            signal: control,
        }) = clock
        {
            let place = control.map_or(output.place, |control| control.place);
            let control = control.map(|control| self.signal(names, control)).transpose()?;
            match self.clock {
                Some((known, edge, before))
                    if edge != rises || known.zip(control).is_some_and(|(a, b)| a != b) =>
                {
                    let message = "latches wait for different clocks, or for different edges of one";
                    let problem = Diagnostic::error("blif::clocks", message, place, "this latch");
                    let help = "a step is one edge of one clock: make the design synchronous to one (yosys: `clk2fflogic`)";
                    return Err(vec![problem.with_label(before, "and that one").with_help(help)]);
                }
                Some((Some(_), ..)) => {}
                _ => self.clock = Some((control, rises, place)),
            }
        }
        let place = output.place;
        let output = self.signal(names, output)?;
        self.drive(output, place, None)?;
        self.netlist.latches.push(Latch {
            input,
            output,
            initially,
        });
        Ok(())
    }

    /// An instance of something that is no model of the text: a cell that yosys has, or an error.
    fn cell(
        &mut self,
        names: &mut Names<'a>,
        name: Word<'a>,
        ports: &[(&'a str, Word<'a>)],
        is_cell: bool,
    ) -> Result<(), Problems> {
        let port = |wanted: &str| {
            let found = ports.iter().find(|(formal, _)| *formal == wanted);
            found.map(|(_, actual)| *actual).ok_or_else(|| {
                let message = format!("nothing is connected to the port `{wanted}` of `{}`", name.text);
                wrong(message, name.place, "here")
            })
        };
        match cell(name.text) {
            Some(Cell::Gate(inputs, rows)) => {
                let inputs = inputs
                    .iter()
                    .map(|input| port(input))
                    .collect::<Result<Vec<_>, _>>()?;
                let entry = |byte: u8| match byte {
                    b'0' => Some(false),
                    b'1' => Some(true),
                    _ => None,
                };
                let rows = rows.iter().map(|row| row.bytes().map(entry).collect()).collect();
                self.gate(names, (&inputs, port("Y")?), rows, true)
            }
            Some(Cell::FlipFlop(kind)) => {
                let (data, output) = (port("D")?, port("Q")?);
                let clock = Clock {
                    rises: kind.rises,
                    signal: Some(port("C")?),
                };
                if kind.enable.is_none() && kind.reset.is_none() {
                    return self.latch(names, data, output, Some(clock), Initially::Unknown);
                }
                // What it takes next is a gate of its own, under a name that no text can have.
                let inputs = kind.inputs();
                let inputs = inputs
                    .iter()
                    .map(|input| port(input))
                    .collect::<Result<Vec<_>, _>>()?;
                let next = self.new_signal(&format!("{} next", output.text), output.place)?;
                self.gate_of(names, &inputs, next, output.place, kind.rows(), true)?;
                self.latch_of(names, next, output, Some(clock), Initially::Unknown)
            }
            None => {
                let message = match is_cell {
                    true => format!("what the cell `{}` does is not in the file", name.text),
                    false => format!(
                        "there is no model `{}` in the file, or it is a black box",
                        name.text
                    ),
                };
                let mut problem = Diagnostic::error("blif::cell", message, name.place, "here");
                let known = self.numbers.keys().copied();
                problem = problem.with_help(match nearest(name.text, known) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "write the netlist with `.names` and `.latch` (yosys: `techmap; simplemap; dfflegalize -cell $_DFF_P_ 01`; ABC: `unmap`)".to_owned(),
                });
                Err(vec![problem])
            }
        }
    }

    /// Everything is driven, and nothing drives itself but through a latch; gates in an order in which operands come first.
    fn finish(mut self) -> Result<Blif, Problems> {
        let netlist = &self.netlist;
        let latches = netlist.latches.iter().map(|latch| latch.input);
        let read = netlist.gates.iter().flat_map(|gate| gate.inputs.iter().copied());
        for signal in latches.chain(read).chain(netlist.outputs.iter().copied()) {
            if self.drivers[signal.index()].is_none() {
                let message = format!("nothing drives `{}`", netlist.name_of(signal));
                let problem = Diagnostic::error(
                    "blif::netlist",
                    message,
                    self.uses[signal.index()],
                    "it is used here",
                );
                let help = "an input, an output of `.names`, `.latch` or an instance drives a signal";
                return Err(vec![problem.with_help(help)]);
            }
        }
        let order = self.order()?;
        let mut gates: Vec<Option<Gate>> = std::mem::take(&mut self.netlist.gates)
            .into_iter()
            .map(Some)
            .collect();
        self.netlist.gates = order.into_iter().filter_map(|gate| gates[gate].take()).collect();
        Ok(self.netlist)
    }

    fn order(&self) -> Result<Vec<usize>, Problems> {
        let gates = &self.netlist.gates;
        let driver = |signal: Signal| self.drivers[signal.index()].and_then(|driven| driven.gate);
        let mut order = Vec::with_capacity(gates.len());
        // For each gate: not looked at, open, or ordered.
        let mut is_open = vec![false; gates.len()];
        let mut is_ordered = vec![false; gates.len()];
        let mut stack: Vec<(usize, usize)> = Vec::new();
        for root in 0..gates.len() {
            if is_ordered[root] {
                continue;
            }
            stack.push((root, 0));
            is_open[root] = true;
            while let Some((gate, at)) = stack.last_mut() {
                let (current, position) = (*gate, *at);
                *at += 1;
                let Some(&input) = gates[current].inputs.get(position) else {
                    is_ordered[current] = true;
                    is_open[current] = false;
                    order.push(current);
                    stack.pop();
                    continue;
                };
                let Some(next) = driver(input).filter(|&next| !is_ordered[next]) else {
                    continue;
                };
                if is_open[next] {
                    let name = self.netlist.name_of(input);
                    let message = format!("`{name}` depends on itself without a latch between");
                    let place =
                        self.drivers[input.index()].map_or(self.uses[input.index()], |driven| driven.place);
                    return Err(wrong(message, place, "it is driven here"));
                }
                is_open[next] = true;
                stack.push((next, 0));
            }
        }
        Ok(order)
    }
}
