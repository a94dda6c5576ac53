//! Strategies for people: in which states, by locations, integers and clocks, the controller takes which step or waits.

use crate::trace::edge_text;
use entail_clocks::Network;
use entail_clocks::evidence::{CoverNode, NO_BOUND, Proof, Strategy};
use entail_show::{Prominence, Shown, Table, View};
use entail_zones::{Bound, Zone};
use serde_json::{Value as Json, json};

/// Rules that are shown in a terminal.
const FEW: usize = 24;
/// Rules that are shown in a report.
const MANY: usize = 2000;

/// What the controller does in some states.
pub(crate) struct Rule {
    /// Locations and integers.
    pub states: Vec<String>,
    /// Conditions on clocks.
    pub clocks: Vec<String>,
    /// The edges that it takes; none: it waits.
    pub takes: Vec<String>,
    pub rank: u32,
}

impl Rule {
    fn choice(&self) -> String {
        match self.takes.is_empty() {
            true => "wait".to_owned(),
            false => format!("take {}", self.takes.join(", ")),
        }
    }
}

/// The strategy that evidence consists of; nothing if it is about something else.
pub(crate) fn of(proof: &Proof) -> Option<&Strategy> {
    match proof {
        Proof::Strategy { strategy } => Some(strategy),
        Proof::Soonest { soonest } => Some(&soonest.strategy),
        _ => None,
    }
}

/// The rules of a strategy: those of smaller ranks come first, and of these the steps.
pub(crate) fn rules(network: &Network, strategy: &Strategy) -> Vec<Rule> {
    let rule = |(node, edges): (CoverNode, &Vec<usize>)| Rule {
        states: states(network, &node),
        clocks: clocks(network, &node.zone),
        takes: edges.iter().map(|&edge| edge_text(network, edge)).collect(),
        rank: node.rank,
    };
    let mut rules: Vec<Rule> = strategy.winning.iter().zip(&strategy.choices).map(rule).collect();
    rules.sort_by_key(|rule| (rule.rank, rule.takes.is_empty()));
    rules
}

fn states(network: &Network, node: &CoverNode) -> Vec<String> {
    let locations = network.processes.iter().zip(&node.locations);
    let location = locations
        .map(|(process, &location)| format!("{}.{}", process.name, network.locations[location].name));
    let integers = network.integers.iter().zip(&node.integers);
    location
        .chain(integers.map(|(one, value)| format!("{} == {value}", one.name)))
        .collect()
}

/// The bounds of a zone that do not follow from others.
fn clocks(network: &Network, packed: &[i32]) -> Vec<String> {
    let size = network.dimension();
    let mut bounds: Vec<(usize, usize, Bound)> = Vec::new();
    for (at, &number) in packed
        .iter()
        .enumerate()
        .filter(|&(_, &number)| number != NO_BOUND)
    {
        let (left, right) = (at / size, at % size);
        let is_trivial = left == right || (left == 0 && number == Bound::ZERO.packed());
        if let Some(bound) = Bound::from_packed(number).filter(|_| !is_trivial) {
            bounds.push((left, right, bound));
        }
    }
    let whole = Zone::of_constraints(size, &bounds);
    for at in (0..bounds.len()).rev() {
        let mut fewer = bounds.clone();
        fewer.remove(at);
        if Zone::of_constraints(size, &fewer) == whole {
            bounds = fewer;
        }
    }
    let is_other = |&(left, right, bound): &(usize, usize, Bound), one: &(usize, usize, Bound)| {
        (one.0, one.1) == (right, left) && one.2.add(bound) == Bound::ZERO
    };
    let mut texts = Vec::new();
    for (at, one) in bounds.iter().enumerate() {
        // Two bounds that meet are an equality.
        match bounds.iter().position(|other| is_other(one, other)) {
            Some(other) if other < at => {}
            Some(_) => texts.push(comparison(network, one, Some("=="))),
            None => texts.push(comparison(network, one, None)),
        }
    }
    texts
}

fn comparison(
    network: &Network,
    &(left, right, bound): &(usize, usize, Bound),
    equal: Option<&'static str>,
) -> String {
    let name = |clock: usize| network.clock_name(clock);
    let (less, greater) = match (equal, bound.is_strict()) {
        (Some(equal), _) => (equal, equal),
        (None, true) => ("<", ">"),
        (None, false) => ("<=", ">="),
    };
    let number = bound.constant();
    match (left, right) {
        (0, clock) => format!("{} {greater} {}", name(clock), -number),
        (clock, 0) => format!("{} {less} {number}", name(clock)),
        _ => format!("{} - {} {less} {number}", name(left), name(right)),
    }
}

/// The rules as JSON.
pub(crate) fn to_json(rules: &[Rule]) -> Json {
    let rule = |rule: &Rule| {
        json!({
            "states": rule.states, "clocks": rule.clocks, "rank": rule.rank,
            "take": (!rule.takes.is_empty()).then_some(&rule.takes),
        })
    };
    rules.iter().map(rule).collect()
}

/// The rules as a table.
pub(crate) fn shown(rules: &[Rule]) -> Shown {
    let row = |rule: &Rule| {
        let clocks = match rule.clocks.is_empty() {
            true => "any".to_owned(),
            false => rule.clocks.join(" && "),
        };
        vec![rule.states.join(", "), clocks, rule.choice()]
    };
    let table = |count: usize| Table {
        heads: ["in", "when", "the controller"].map(str::to_owned).to_vec(),
        rows: rules.iter().take(count).map(row).collect(),
    };
    let mut shown = Shown::default().main(View::Table(table(FEW)));
    if rules.len() > FEW {
        shown.push(Prominence::Report, View::Table(table(MANY)));
    }
    shown
}
