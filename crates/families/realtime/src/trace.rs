//! Runs for people: states with clock values, what happens between them, clocks over time.

use crate::sequence;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{Proof, Run, Sustained};
use entail_clocks::interpreter::{self, State};
use entail_clocks::{EdgeId, Fault, Formula, GanttRow, Network, Process, Rational};
use entail_show::{
    Axis, Bar, Cell, Chart, Column, ColumnKind, ColumnRole, Move, Prominence, Schedule, ScheduleRow, Series,
    Shown, SourcePlace, Timeline, View,
};
use entail_source::Source;
use serde_json::{Map, Value as Json, json};

/// A state on the way: when it is entered, and by what.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    pub discrete: Discrete,
    /// The clocks; nothing where they have no fixed values.
    pub clocks: Option<Vec<Rational>>,
    pub time: Option<Rational>,
    /// How long the network waited before the step that led here.
    pub delay: Option<Rational>,
    /// The edges that led here.
    pub edges: Vec<usize>,
    /// What the run has accumulated, where that is asked about.
    pub level: Option<Rational>,
}

/// An edge as `process: source → target (event)`.
pub(crate) fn edge_text(network: &Network, edge: usize) -> String {
    let edge = &network.edges[edge];
    let name = |location: usize| &network.locations[location].name;
    format!(
        "{}: {} → {} ({})",
        network.processes[edge.process].name,
        name(edge.source),
        name(edge.target),
        network.events[edge.event]
    )
}

/// What went wrong, with the names of the model.
pub(crate) fn fault_text(network: &Network, fault: Fault) -> String {
    match fault {
        Fault::Range { slot, value } if slot < network.integers.len() => {
            let one = &network.integers[slot];
            format!(
                "`{}` would become {value}, out of [{}, {}]",
                one.name, one.low, one.high
            )
        }
        other => other.to_string(),
    }
}

/// The edges of a step that are the network's own: those of an automaton that reads the run stand behind them.
fn own(network: &Network, edges: &[EdgeId]) -> Vec<EdgeId> {
    let is_own = |edge: &&EdgeId| **edge < network.edges.len();
    edges.iter().filter(is_own).copied().collect()
}

/// The states of a run; nothing if it is none. An automaton that reads it stands behind the processes, and is not shown.
pub(crate) fn of_run(network: &Network, run: &Run) -> Option<Vec<Stop>> {
    let initial = interpreter::initial(network).ok()?;
    let first = run.first.get(..network.processes.len())?;
    let mut state = initial
        .into_iter()
        .find(|state| state.discrete.locations == first)?;
    let mut time = Rational::ZERO;
    let stop = |state: &State, time: &Rational, delay: Option<Rational>, edges: Vec<usize>| Stop {
        discrete: state.discrete.clone(),
        clocks: Some(state.clocks.clone()),
        time: Some(time.clone()),
        delay,
        edges,
        level: None,
    };
    let mut stops = vec![stop(&state, &time, None, Vec::new())];
    for step in &run.steps {
        state = interpreter::delay(network, &state, &step.delay.0).ok()??;
        let edges = own(network, &step.edges);
        if !edges.is_empty() {
            state = interpreter::step(network, &state, &edges).ok()??;
        }
        time += &step.delay.0;
        stops.push(stop(&state, &time, Some(step.delay.0.clone()), edges));
    }
    if run.rest.0 > Rational::ZERO {
        state = interpreter::delay(network, &state, &run.rest.0).ok()??;
        time += &run.rest.0;
        stops.push(stop(&state, &time, Some(run.rest.0.clone()), Vec::new()));
    }
    Some(stops)
}

/// The states of a lasso, with the position where its cycle begins; in the cycle clocks have no fixed values.
pub(crate) fn of_lasso(network: &Network, stem: &Run, cycle: &[Vec<EdgeId>]) -> Option<(Vec<Stop>, usize)> {
    let mut stops = of_run(network, stem)?;
    let head = stops.len() - 1;
    let mut here = stops[head].discrete.clone();
    for joint in cycle.iter().filter(|joint| !joint.is_empty()) {
        let joint = own(network, joint);
        here = network.act(&joint, &here, &mut Vec::new()).ok()??;
        stops.push(Stop {
            discrete: here.clone(),
            clocks: None,
            time: None,
            delay: None,
            edges: joint,
            level: None,
        });
    }
    // The last state is the head again.
    Some((stops, head))
}

/// The states of a run with what it has accumulated.
fn levelled(network: &Network, mut stops: Vec<Stop>, sustained: &Sustained) -> Vec<Stop> {
    let Some(credit) = &sustained.credit else {
        return stops;
    };
    let cut = |level: Rational| match sustained.cap {
        Some(cap) => level.min(Rational::from(cap)),
        None => level,
    };
    let mut level = cut(credit.0.clone());
    for position in 0..stops.len() {
        if let Some(before) = position.checked_sub(1) {
            let from = stops[before].discrete.clone();
            if let (Some(delay), Ok(rate)) = (&stops[position].delay, network.rate(&from)) {
                level = cut(level + Rational::from(rate) * delay);
            }
            let mut cost = 0;
            let edges = &stops[position].edges;
            if !edges.is_empty()
                && network
                    .act_at_cost(edges, &from, &mut Vec::new(), &mut cost)
                    .is_ok()
            {
                level = cut(level + Rational::from(cost));
            }
        }
        stops[position].level = Some(level.clone());
    }
    stops
}

/// What evidence shows of a run: its states, and where its cycle begins. The last state of a lasso is the one where its cycle begins.
pub(crate) fn of_proof(network: &Network, proof: &Proof) -> Option<(Vec<Stop>, Option<usize>)> {
    let to_the_end = |run: &Run| of_run(network, run).map(|stops| (stops, None));
    let closed = |(stops, head): (Vec<Stop>, usize)| Some((stops, Some(head)));
    match proof {
        Proof::Run { run } => to_the_end(run),
        Proof::Lasso { lasso } => closed(of_lasso(network, &lasso.stem, &lasso.cycle)?),
        Proof::Stay { stay } if stay.cycle.is_empty() => to_the_end(&stay.stem),
        Proof::Stay { stay } => closed(of_lasso(network, &stay.stem, &stay.cycle)?),
        Proof::Extreme { extreme } => to_the_end(extreme.run.as_ref()?),
        Proof::Cheapest { cheapest } => to_the_end(&cheapest.run),
        Proof::LongRun { long_run } => to_the_end(long_run.run.as_ref()?),
        Proof::Energy { sustained } => {
            let stops = levelled(network, of_run(network, sustained.run.as_ref()?)?, sustained);
            Some((stops, sustained.holds.then_some(sustained.since)))
        }
        Proof::Under { proof, .. } => of_proof(network, proof),
        Proof::Samples { samples } => to_the_end(samples.witness.as_ref()?),
        Proof::Cover { .. }
        | Proof::Representatives { .. }
        | Proof::Strategy { .. }
        | Proof::Spoiled { .. }
        | Proof::Soonest { .. }
        | Proof::Branching { .. } => None,
    }
}

/// How many of the states are shown as states: where a lasso comes back to its head, the last one is that head again, and only the step that leads there is shown.
fn places(stops: &[Stop], loop_start: Option<usize>) -> usize {
    let is_closed = loop_start.is_some_and(|head| stops.len() > head + 1);
    stops.len() - usize::from(is_closed)
}

/// A state as an object: processes, integers, clocks, time.
pub(crate) fn state_json(network: &Network, stop: &Stop) -> Map<String, Json> {
    let mut map = Map::new();
    for (name, value) in values(network, stop) {
        map.insert(name, value.into());
    }
    map
}

fn values(network: &Network, stop: &Stop) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (process, &location) in network.processes.iter().zip(&stop.discrete.locations) {
        all.push((process.name.clone(), network.locations[location].name.clone()));
    }
    for (one, value) in network.integers.iter().zip(&stop.discrete.integers) {
        all.push((one.name.clone(), value.to_string()));
    }
    if let Some(clocks) = &stop.clocks {
        for (clock, value) in network.clocks.iter().zip(&clocks[1..]) {
            all.push((clock.name.clone(), value.to_string()));
        }
    }
    if let Some(time) = &stop.time {
        all.push(("time".to_owned(), time.to_string()));
    }
    if let Some(level) = &stop.level {
        all.push(("energy".to_owned(), level.to_string()));
    }
    all
}

/// What happens on the way to a state.
fn move_of(network: &Network, source: &Source, stop: &Stop) -> Move {
    let mut texts: Vec<String> = stop.edges.iter().map(|&edge| edge_text(network, edge)).collect();
    if texts.is_empty() {
        texts.push("no step".to_owned());
    }
    let remarks = match &stop.delay {
        Some(delay) if *delay > Rational::ZERO => vec![format!("after {delay}")],
        _ => Vec::new(),
    };
    let text = match remarks.first() {
        Some(wait) => format!("{wait}: {}", texts.join(", ")),
        None => texts.join(", "),
    };
    let place = stop.edges.first().map(|&edge| SourcePlace {
        file: None,
        line: source.place(network.edges[edge].span.start).line,
    });
    Move {
        lane: match stop.edges.first() {
            Some(&edge) => network.processes[network.edges[edge].process].name.clone(),
            None => String::new(),
        },
        place,
        text,
        ..Move::default()
    }
}

/// A run as a timeline.
pub(crate) fn timeline(network: &Network, source: &Source, stops: &[Stop]) -> Timeline {
    let mut columns: Vec<Column> = Vec::new();
    for (position, stop) in stops.iter().enumerate() {
        for (name, value) in values(network, stop) {
            let known = columns.iter().position(|column| column.name == name);
            let column = known.unwrap_or_else(|| {
                let role = if name == "time" {
                    ColumnRole::Define
                } else {
                    ColumnRole::State
                };
                columns.push(Column::new(name, role, ColumnKind::Text));
                columns.len() - 1
            });
            columns[column].record(position, Some(Cell::text(value)));
        }
        if stop.clocks.is_none() {
            let clocks = network
                .clocks
                .iter()
                .map(|clock| clock.name.as_str())
                .chain(["time"]);
            for name in clocks {
                if let Some(column) = columns.iter_mut().find(|column| column.name == name) {
                    column.record(position, None);
                }
            }
        }
    }
    Timeline {
        columns,
        positions: stops.len(),
        moves: stops
            .iter()
            .skip(1)
            .map(|stop| move_of(network, source, stop))
            .collect(),
        ..Timeline::default()
    }
}

fn number(value: &Rational) -> f64 {
    value.to_f64().value()
}

/// Where each process is over time, as far as times are fixed. Stretches that take no time are left out.
pub(crate) fn schedule(network: &Network, stops: &[Stop]) -> Option<Schedule> {
    let times: Vec<f64> = stops
        .iter()
        .map_while(|stop| stop.time.as_ref())
        .map(number)
        .collect();
    let end = *times.last().filter(|&&end| end > 0.0)?;
    let row = |name: &str, shown: &dyn Fn(&Stop) -> Option<String>| {
        let mut bars: Vec<Bar> = Vec::new();
        for (position, &from) in times.iter().enumerate() {
            let Some(what) = shown(&stops[position]) else {
                continue;
            };
            let to = times.get(position + 1).copied().unwrap_or(end);
            match bars
                .last_mut()
                .filter(|last| last.what == what && last.to == from)
            {
                Some(last) => last.to = to,
                None => bars.push(Bar { from, to, what }),
            }
        }
        bars.retain(|bar| bar.to > bar.from);
        ScheduleRow {
            name: name.to_owned(),
            bars,
        }
    };
    let of_process = |(process, one): (usize, &Process)| {
        row(&one.name, &|stop| {
            let location = stop.discrete.locations[process];
            Some(network.locations[location].name.clone())
        })
    };
    let of_author = |one: &GanttRow| row(&one.name, &|stop| colour(network, one, stop));
    let rows = match network.gantt.is_empty() {
        true => network.processes.iter().enumerate().map(of_process).collect(),
        false => network.gantt.iter().map(of_author).collect(),
    };
    Some(Schedule {
        time: "time".to_owned(),
        rows,
    })
}

/// What the author's row of a Gantt chart shows where a state is entered.
fn colour(network: &Network, row: &GanttRow, stop: &Stop) -> Option<String> {
    let holds = |formula: &Formula| {
        let cases = formula.satisfying(network, &stop.discrete).unwrap_or_default();
        let met = |one: &ClockConstraint| {
            (stop.clocks.as_ref()).is_some_and(|clocks| interpreter::satisfies(clocks, one))
        };
        cases.iter().any(|case| case.iter().all(met))
    };
    let (_, colour) = row.bars.iter().find(|(condition, _)| holds(condition))?;
    let colour = colour.value(&stop.discrete.integers).ok()?;
    Some(format!("colour {colour}"))
}

/// Clock values over time.
pub(crate) fn chart(network: &Network, stops: &[Stop]) -> Option<Chart> {
    let axis = |label: &str| Axis {
        label: label.to_owned(),
        is_logarithmic: false,
    };
    let mut series: Vec<Series> = Vec::new();
    for (position, clock) in network.clocks.iter().enumerate() {
        let mut points = Vec::new();
        let mut last: Option<f64> = None;
        // Whether the clock stands still in the state before.
        let mut stands = false;
        for stop in stops {
            let (Some(clocks), Some(time)) = (&stop.clocks, &stop.time) else {
                break;
            };
            let (time, value) = (number(time), number(&clocks[position + 1]));
            if let (Some(before), Some(delay)) = (last, &stop.delay) {
                points.push((time, if stands { before } else { before + number(delay) }));
            }
            points.push((time, value));
            last = Some(value);
            let stopped = network.stopped(&stop.discrete).unwrap_or_default();
            stands = stopped.contains(&(position + 1));
        }
        series.push(Series {
            name: clock.name.clone(),
            points,
            ..Series::default()
        });
    }
    (stops.len() > 1 && !series.is_empty()).then(|| Chart {
        x: axis("time"),
        y: axis("clock"),
        series,
    })
}

/// Everything that is shown of a run.
pub(crate) fn shown(network: &Network, source: &Source, stops: &[Stop], loop_start: Option<usize>) -> Shown {
    let (states, closing) = stops.split_at(places(stops, loop_start));
    let mut timeline = timeline(network, source, states);
    let back = closing.iter().map(|stop| move_of(network, source, stop));
    timeline.moves.extend(back);
    timeline.loop_start = loop_start;
    let mut shown = Shown::default().main(View::Timeline(timeline));
    if let Some(chart) = chart(network, stops) {
        shown.push(Prominence::Report, View::Chart(chart));
    }
    if let Some(schedule) = schedule(network, stops) {
        shown.push(Prominence::Report, View::Schedule(schedule));
    }
    if let Some(chart) = sequence::chart(network, stops, loop_start) {
        shown.push(Prominence::Report, View::Sequence(chart));
    }
    shown
}

/// A run as reports have it.
pub(crate) fn json_of(network: &Network, stops: &[Stop], loop_start: Option<usize>) -> Json {
    let steps: Vec<Json> = stops[..places(stops, loop_start)]
        .iter()
        .map(|stop| Json::Object(state_json(network, stop)))
        .collect();
    let moves: Vec<Json> = (stops.iter().skip(1))
        .map(|stop| {
            let edges: Vec<String> = stop.edges.iter().map(|&edge| edge_text(network, edge)).collect();
            json!({"delay": stop.delay.as_ref().map(ToString::to_string), "edges": edges})
        })
        .collect();
    json!({"loop_start": loop_start, "steps": steps, "moves": moves})
}
