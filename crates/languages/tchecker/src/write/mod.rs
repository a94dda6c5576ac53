//! Networks as models of this language.
//!
//! Edges over channels become edges with events, and synchronisations say who moves with whom: one for each sender and receiver of a binary channel, one for each sender of a broadcast channel, with all receivers as weak
//! partners. A weak partner takes part exactly if it has such an edge where it is, whatever the guard says, and a receiver of a broadcast takes part if a guard holds: so where no guard of a location's receiving edges
//! holds, an edge that changes nothing takes part in their stead, one for each way not to satisfy them. A channel that an index chooses makes an edge for each channel, with the index in its guard.
//!
//! The written model has the same runs, step by step, as long as the given one makes no mistake; what stops a run of the one stops it in the other, but for values that functions compute and do not use. What the language cannot say is refused:
//! urgent channels, priorities, stopwatches, bounds of clocks under a condition in invariants, operators on bits.

mod functions;
mod memory;
mod silence;
mod text;

use entail_clocks::{Condition, Direction, Edge, Expression, Network, Statement};
use functions::Expander;
use memory::{Fresh, Memory, Reached};
use silence::{MOST_WAYS, silent};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use text::{NOWHERE, Texts};

/// Edges of a written model, at most.
const MOST_EDGES: usize = 1 << 18;

/// A written model.
#[derive(Clone, Debug)]
pub struct Written {
    /// The text.
    pub text: String,
    /// What it does not say.
    pub notes: Vec<String>,
}

/// What an edge does with a channel.
type Heard = Option<(usize, Direction)>;

/// An edge as it is written.
struct Line {
    process: usize,
    source: usize,
    target: usize,
    heard: Heard,
    /// Its event, where it has no channel.
    event: usize,
    guard: Vec<Condition>,
    action: Vec<Statement>,
}

/// Writes a network, or says what of it the language cannot say.
pub fn write(network: &Network) -> Result<Written, String> {
    refuse(network)?;
    let mut expander = Expander::new();
    let mut lines = Vec::new();
    for edge in &network.edges {
        let place = || {
            let name = |location: usize| &network.locations[location].name;
            let process = &network.processes[edge.process].name;
            format!("{process}: {} → {}", name(edge.source), name(edge.target))
        };
        lines_of(edge, &mut expander, &mut lines).map_err(|reason| format!("{}: {reason}", place()))?;
        if lines.len() > MOST_EDGES {
            return Err("the model would have very many edges".to_owned());
        }
    }
    let partners = Partners::of(&lines);
    lines.retain(|line| partners.can_move(network, line));
    for process in 0..network.processes.len() {
        bystanders(network, process, &mut lines)?;
    }
    let mut invariants = Vec::new();
    for location in &network.locations {
        let told = |reason| {
            format!(
                "{}.{}: {reason}",
                network.processes[location.process].name, location.name
            )
        };
        invariants.push(expander.conditions(&location.invariant).map_err(told)?);
    }
    let mut reached = Reached::default();
    for line in &lines {
        reached.conditions(&line.guard);
        reached.statements(&line.action);
    }
    invariants.iter().for_each(|one| reached.conditions(one));
    let mut fresh = Fresh::default();
    let slots = reached.slots.max(network.integers.len());
    let nowhere = (fresh.name(NOWHERE.0), fresh.name(NOWHERE.1));
    let integers = Memory::of_integers(network, reached.integers, slots, &mut fresh);
    let clocks = Memory::of_clocks(network, reached.clocks, &mut fresh);
    let ranges = network.ranges();
    let mut texts = Texts {
        integers: &integers,
        clocks: &clocks,
        nowhere,
        ranges: &ranges,
        stops: false,
    };
    let mut body = String::new();
    let names = Names::new(network, &lines);
    for (number, process) in network.processes.iter().enumerate() {
        let own = &names.processes[number];
        let _ = writeln!(body, "\nprocess:{own}");
        for &id in &process.locations {
            let location = &network.locations[id];
            let mut attributes = Vec::new();
            if process.initial.contains(&id) {
                attributes.push("initial:".to_owned());
            }
            if location.committed {
                attributes.push("committed:".to_owned());
            }
            if location.urgent {
                attributes.push("urgent:".to_owned());
            }
            let told = |reason| format!("the invariant of {}.{}: {reason}", process.name, location.name);
            let invariant = texts.conditions(&invariants[id]).map_err(told)?;
            if !invariant.is_empty() {
                attributes.push(format!("invariant: {invariant}"));
            }
            // Every location can be asked for by its name.
            let mut labels = vec![format!("{own}_{}", names.locations[id])];
            labels.extend(location.labels.iter().map(|&label| network.labels[label].clone()));
            attributes.push(format!("labels: {}", labels.join(", ")));
            let _ = writeln!(
                body,
                "location:{own}:{}{{{}}}",
                names.locations[id],
                attributes.join(" : ")
            );
        }
        for line in lines.iter().filter(|line| line.process == number) {
            let told = |reason| {
                let name = |location: usize| &network.locations[location].name;
                format!(
                    "{}: {} → {}: {reason}",
                    process.name,
                    name(line.source),
                    name(line.target)
                )
            };
            let mut attributes = Vec::new();
            let guard = texts.conditions(&line.guard).map_err(told)?;
            if !guard.is_empty() {
                attributes.push(format!("provided: {guard}"));
            }
            let action = texts.statements(&line.action).map_err(told)?;
            if !action.is_empty() {
                let locals = locals(&line.action, network.integers.len(), &integers);
                attributes.push(format!("do: {locals}{action}"));
            }
            let _ = writeln!(
                body,
                "edge:{own}:{}:{}:{}{{{}}}",
                names.locations[line.source],
                names.locations[line.target],
                names.event(line),
                attributes.join(" : ")
            );
        }
    }
    let head = declarations(
        network,
        &names,
        (&integers, &clocks),
        texts.stops.then_some(&texts.nowhere),
    );
    let text = format!("{head}{body}\n{}", partners.written(network, &names));
    Ok(Written {
        text,
        notes: notes(network),
    })
}

/// The system, its events and its variables; `nowhere` are those that stop a run which makes a mistake.
fn declarations(
    network: &Network,
    names: &Names,
    (integers, clocks): (&Memory, &Memory),
    nowhere: Option<&(String, String)>,
) -> String {
    let mut head = format!("system:{}\n\n", Fresh::default().name(&network.name));
    for event in names.events.values().chain(names.channels.values()) {
        let _ = writeln!(head, "event:{event}");
    }
    head.push('\n');
    for (_, name, count) in clocks.declared(1..network.dimension()) {
        let _ = writeln!(head, "clock:{count}:{name}");
    }
    for (slot, name, count) in integers.declared(0..network.integers.len()) {
        let one = &network.integers[slot];
        let _ = writeln!(
            head,
            "int:{count}:{}:{}:{}:{name}",
            one.low, one.high, one.initial
        );
    }
    if let Some((set, read)) = nowhere {
        head.push_str("# Setting this variable, and reading what the other has not, stops a run that makes a mistake.\n");
        let _ = writeln!(head, "int:1:0:0:0:{set}\nint:2:0:0:0:{read}");
    }
    head
}

/// What cannot be said at all.
fn refuse(network: &Network) -> Result<(), String> {
    let signals = network.edges.iter().filter_map(|edge| edge.signal.as_ref());
    let mut used = signals.flat_map(|signal| &network.channels[signal.base..signal.base + signal.size]);
    if let Some(channel) = used.find(|channel| channel.urgent) {
        return Err(format!(
            "TChecker has no urgent channels, and `{}` is one",
            channel.name
        ));
    }
    if network.has_priorities() {
        return Err("TChecker has no priorities".to_owned());
    }
    if !network.stopwatches.is_empty() {
        return Err("TChecker has no clocks that stand still (`x' == 0`)".to_owned());
    }
    if !network.synchronisations.is_empty() {
        return Err("the model is one of TChecker's".to_owned());
    }
    Ok(())
}

/// What is left out.
fn notes(network: &Network) -> Vec<String> {
    let mut notes = Vec::new();
    if network.has_costs() {
        notes.push("costs are left out".to_owned());
    }
    let chances = &network.chances;
    if chances.rates.iter().any(Option::is_some) || chances.branches.iter().any(Option::is_some) {
        notes.push("rates and weights are left out".to_owned());
    }
    if network.edges.iter().any(|edge| !edge.controllable) {
        notes.push("which edges are the controller's is left out".to_owned());
    }
    notes
}

/// The lines of an edge: one for each channel that an index may choose, and for each way to satisfy bounds under a condition.
fn lines_of(edge: &Edge, expander: &mut Expander, lines: &mut Vec<Line>) -> Result<(), String> {
    let action = expander.action(&edge.action)?;
    let mut guards = vec![Vec::new()];
    for condition in expander.conditions(&edge.guard)? {
        let Condition::When(when, inner) = condition else {
            guards
                .iter_mut()
                .for_each(|guard: &mut Vec<Condition>| guard.push(condition.clone()));
            continue;
        };
        let not = Condition::Integer(Expression::Not(Box::new(when.clone())));
        let with = [vec![Condition::Integer(when)], inner].concat();
        let extend = |guard: &Vec<Condition>| {
            [
                [guard.as_slice(), std::slice::from_ref(&not)].concat(),
                [guard.as_slice(), &with].concat(),
            ]
        };
        guards = guards.iter().flat_map(extend).collect();
        if guards.len() > MOST_WAYS {
            return Err("its guard has very many cases".to_owned());
        }
    }
    let channels: Vec<(Heard, Option<Condition>)> = match &edge.signal {
        None => vec![(None, None)],
        Some(signal) => match signal
            .index
            .as_ref()
            .map(|index| expander.plain(index))
            .transpose()?
        {
            None => vec![(Some((signal.base, signal.direction)), None)],
            Some(Expression::Constant(at)) if (0..signal.size as i64).contains(&at) => {
                vec![(Some((signal.base + at as usize, signal.direction)), None)]
            }
            Some(index) => (0..signal.size)
                .map(|at| {
                    let equal = entail_clocks::Binary::Compare(entail_clocks::Comparison::Equal);
                    let index = Expression::Index(Box::new(index.clone()), signal.size);
                    let is_it = Expression::binary(equal, index, Expression::Constant(at as i64));
                    (
                        Some((signal.base + at, signal.direction)),
                        Some(Condition::Integer(is_it)),
                    )
                })
                .collect(),
        },
    };
    for guard in guards {
        for (heard, chooses) in &channels {
            // The index has a value where the guard holds.
            let guard = guard.iter().chain(chooses).cloned().collect();
            lines.push(Line {
                process: edge.process,
                source: edge.source,
                target: edge.target,
                heard: *heard,
                event: edge.event,
                guard,
                action: action.clone(),
            });
        }
    }
    Ok(())
}

/// Who sends and who receives over each channel.
struct Partners {
    senders: BTreeMap<usize, BTreeSet<usize>>,
    receivers: BTreeMap<usize, BTreeSet<usize>>,
}

impl Partners {
    fn of(lines: &[Line]) -> Partners {
        let mut partners = Partners {
            senders: BTreeMap::new(),
            receivers: BTreeMap::new(),
        };
        for line in lines {
            let (list, channel) = match line.heard {
                Some((channel, Direction::Send)) => (&mut partners.senders, channel),
                Some((channel, Direction::Receive)) => (&mut partners.receivers, channel),
                None => continue,
            };
            list.entry(channel).or_default().insert(line.process);
        }
        partners
    }

    fn others<'p>(
        list: &'p BTreeMap<usize, BTreeSet<usize>>,
        channel: usize,
        process: usize,
    ) -> impl Iterator<Item = usize> + 'p {
        let all = list.get(&channel).into_iter().flatten().copied();
        all.filter(move |other| *other != process)
    }

    /// Whether somebody can move together with an edge.
    fn can_move(&self, network: &Network, line: &Line) -> bool {
        match line.heard {
            None => true,
            Some((channel, Direction::Send)) => {
                network.channels[channel].broadcast
                    || Partners::others(&self.receivers, channel, line.process)
                        .next()
                        .is_some()
            }
            Some((channel, Direction::Receive)) => Partners::others(&self.senders, channel, line.process)
                .next()
                .is_some(),
        }
    }

    /// The synchronisations.
    fn written(&self, network: &Network, names: &Names) -> String {
        let mut text = String::new();
        for (&channel, senders) in &self.senders {
            for &sender in senders {
                let receivers: Vec<usize> = Partners::others(&self.receivers, channel, sender).collect();
                if receivers.is_empty() {
                    continue;
                }
                let of = |process: usize, direction| {
                    let event = &names.channels[&(channel, direction == Direction::Send)];
                    format!("{}@{event}", names.processes[process])
                };
                let first = of(sender, Direction::Send);
                if network.channels[channel].broadcast {
                    let weak = receivers
                        .iter()
                        .map(|&one| format!(":{}?", of(one, Direction::Receive)));
                    let _ = writeln!(text, "sync:{first}{}", weak.collect::<String>());
                    continue;
                }
                for &one in &receivers {
                    let _ = writeln!(text, "sync:{first}:{}", of(one, Direction::Receive));
                }
            }
        }
        text
    }
}

/// Edges that take part in broadcasts where no receiving edge of a location can.
fn bystanders(network: &Network, process: usize, lines: &mut Vec<Line>) -> Result<(), String> {
    let mut more = Vec::new();
    for &location in &network.processes[process].locations {
        let mut heard: BTreeMap<usize, Vec<&[Condition]>> = BTreeMap::new();
        for line in lines
            .iter()
            .filter(|line| line.process == process && line.source == location)
        {
            if let Some((channel, Direction::Receive)) = line.heard
                && network.channels[channel].broadcast
            {
                heard.entry(channel).or_default().push(&line.guard);
            }
        }
        for (channel, guards) in heard {
            let at = &network.locations[location];
            let told = |reason: &str| {
                let (process, channel) = (&network.processes[process].name, &network.channels[channel].name);
                format!("{process}.{}: {reason} (`{channel}`)", at.name)
            };
            let ways = silent(&guards).ok_or_else(|| told("very many ways not to hear a broadcast"))?;
            if !ways.is_empty() && at.committed {
                return Err(told(
                    "whether a broadcast is heard in a committed location depends on guards",
                ));
            }
            let Some(event) = lines
                .iter()
                .find(|line| line.process == process)
                .map(|line| line.event)
            else {
                continue;
            };
            more.extend(ways.into_iter().map(|guard| Line {
                process,
                source: location,
                target: location,
                heard: Some((channel, Direction::Receive)),
                event,
                guard,
                action: Vec::new(),
            }));
        }
    }
    lines.extend(more);
    Ok(())
}

/// The declarations of the local variables of an action.
fn locals(action: &[Statement], first: usize, integers: &Memory) -> String {
    let mut reached = Reached::default();
    reached.statements(action);
    let mut used = BTreeSet::new();
    slots_of(action, &mut used);
    let mut text = String::new();
    for (slot, name, count) in integers.declared(first..reached.slots.max(first)) {
        if used.range(slot..slot + count).next().is_none() {
            continue;
        }
        let _ = match count {
            1 => write!(text, "local {name}; "),
            count => write!(text, "local {name}[{count}]; "),
        };
    }
    text
}

/// The slots that statements read and change.
fn slots_of(statements: &[Statement], found: &mut BTreeSet<usize>) {
    for statement in statements {
        // Each statement alone says which slots it reaches, up to the largest; arrays are reached as a whole.
        match statement {
            Statement::If(condition, then, otherwise) => {
                expression_slots(condition, found);
                slots_of(then, found);
                slots_of(otherwise, found);
            }
            Statement::While(condition, body) => {
                expression_slots(condition, found);
                slots_of(body, found);
            }
            Statement::Assign { target, value, .. } => {
                found.extend(target.base..target.base + target.size);
                if let Some(index) = &target.index {
                    expression_slots(index, found);
                }
                expression_slots(value, found);
            }
            Statement::Clear(from, count) => found.extend(*from..from + count),
            Statement::Clock {
                target,
                source,
                offset,
                ..
            } => {
                let indices = [target.index.as_ref(), source.index.as_ref(), Some(offset)];
                indices
                    .into_iter()
                    .flatten()
                    .for_each(|one| expression_slots(one, found));
            }
            Statement::Assert(condition, _) => expression_slots(condition, found),
            Statement::Return(_) | Statement::Call { .. } | Statement::Cost(..) | Statement::Draw { .. } => {}
        }
    }
}

fn expression_slots(expression: &Expression, found: &mut BTreeSet<usize>) {
    let mut waiting = vec![expression];
    while let Some(one) = waiting.pop() {
        match one {
            Expression::Constant(_) | Expression::Call(..) | Expression::Real(..) => {}
            Expression::Read(place) => {
                found.extend(place.base..place.base + place.size);
                waiting.extend(place.index.as_deref());
            }
            Expression::Negate(inner)
            | Expression::Not(inner)
            | Expression::Index(inner, _)
            | Expression::Ranged(inner, ..)
            | Expression::Table(_, inner) => waiting.push(inner),
            Expression::Binary(_, left, right) => waiting.extend([&**left, &**right]),
            Expression::Choice(parts) => waiting.extend(parts.iter()),
        }
    }
}

/// What processes, locations and events are called.
struct Names {
    processes: Vec<String>,
    locations: Vec<String>,
    /// Events of edges without a channel, and of channels with their direction.
    events: BTreeMap<usize, String>,
    channels: BTreeMap<(usize, bool), String>,
}

impl Names {
    fn new(network: &Network, lines: &[Line]) -> Names {
        let mut fresh = Fresh::default();
        let processes = (network.processes.iter())
            .map(|one| fresh.name(&one.name))
            .collect();
        let mut locations = vec![String::new(); network.locations.len()];
        for process in &network.processes {
            let mut fresh = Fresh::default();
            for &location in &process.locations {
                locations[location] = fresh.name(&network.locations[location].name);
            }
        }
        let mut names = Names {
            processes,
            locations,
            events: BTreeMap::new(),
            channels: BTreeMap::new(),
        };
        let mut fresh = Fresh::default();
        for line in lines {
            match line.heard {
                None => {
                    let wanted = match network.events[line.event].as_str() {
                        "τ" => "tau",
                        other => other,
                    };
                    let name = || fresh.name(&wanted.replace("τ", "tau"));
                    names.events.entry(line.event).or_insert_with(name);
                }
                Some((channel, direction)) => {
                    let sends = direction == Direction::Send;
                    let own = &network.channels[channel].name;
                    let wanted = if sends {
                        own.clone()
                    } else {
                        format!("{own}_heard")
                    };
                    let name = || fresh.name(&wanted);
                    names.channels.entry((channel, sends)).or_insert_with(name);
                }
            }
        }
        names
    }

    fn event(&self, line: &Line) -> &str {
        match line.heard {
            None => &self.events[&line.event],
            Some((channel, direction)) => &self.channels[&(channel, direction == Direction::Send)],
        }
    }
}
