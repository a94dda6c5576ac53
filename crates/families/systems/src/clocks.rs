//! The clocks of a design, from the netlist that yosys writes before it puts all registers on one clock.
//!
//! On one global clock a step of the model is a tick of *the* clock. That is right if there is one: an input of the design, one edge of it, for every register,
//! memory and assertion. Where it is not, each clock has to be a signal of its own whose edges are looked for.

use entail_systemverilog::is_tick;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// What drives the registers of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clocks {
    /// One edge of one input, or nothing.
    One,
    /// Several signals, or both edges of one.
    Several,
    /// Something that the design itself computes.
    Derived,
    /// A clock is, as a signal, what a check of this number takes the steps for in which it is true.
    Held(usize),
}

impl Clocks {
    /// The clocks in a netlist in yosys' JSON. `edge` tells of a net whether it is the clock of an assertion, and that its edge rises; `level` of which check it is the
    /// clock while it is true.
    pub(crate) fn of(
        netlist: &str,
        edge: &dyn Fn(&str) -> Option<bool>,
        level: &dyn Fn(&str) -> Option<usize>,
    ) -> Result<Clocks, String> {
        let netlist: Json =
            serde_json::from_str(netlist).map_err(|error| format!("the netlist of yosys: {error}"))?;
        let mut found = Clocks::One;
        for module in netlist["modules"]
            .as_object()
            .into_iter()
            .flat_map(|modules| modules.values())
        {
            let cells = || {
                module["cells"]
                    .as_object()
                    .into_iter()
                    .flat_map(|all| all.values())
            };
            let mut edges = BTreeSet::new();
            for cell in cells() {
                edges_of(cell, &mut edges);
            }
            let nets = || module["netnames"].as_object().into_iter().flatten();
            // Checks without a clock have events of their own: these are no clocks.
            for (_, net) in nets().filter(|(name, _)| is_tick(name)) {
                let tick = net["bits"][0].to_string();
                edges.retain(|(bit, _)| *bit != tick);
            }
            for (name, net) in nets() {
                if let Some(rises) = edge(name) {
                    let bit = net["bits"][0].to_string();
                    edges.insert((bit, rises));
                }
            }
            for (name, net) in nets() {
                let bit = net["bits"][0].to_string();
                if let Some(check) = level(name).filter(|_| edges.iter().any(|(clock, _)| *clock == bit)) {
                    return Ok(Clocks::Held(check));
                }
            }
            let driven: BTreeSet<String> = cells().flat_map(outputs).collect();
            // (A constant is a text, a bit of a signal a number.)
            let is_derived = |bit: &String| bit.starts_with('"') || driven.contains(bit);
            if edges.iter().any(|(bit, _)| is_derived(bit)) {
                return Ok(Clocks::Derived);
            }
            if edges.len() > 1 {
                found = Clocks::Several;
            }
        }
        Ok(found)
    }
}

/// The bits that a cell drives.
fn outputs(cell: &Json) -> Vec<String> {
    let directions = cell["port_directions"].as_object().into_iter().flatten();
    directions
        .filter(|(_, direction)| *direction == "output")
        .flat_map(|(port, _)| bits(cell, port))
        .collect()
}

fn bits(cell: &Json, port: &str) -> Vec<String> {
    let bits = cell["connections"][port].as_array();
    bits.into_iter().flatten().map(Json::to_string).collect()
}

/// Whether a bit of a parameter is set; the lowest comes last.
fn is_set(cell: &Json, parameter: &str, place: usize) -> Option<bool> {
    let written = cell["parameters"][parameter].as_str()?;
    written.chars().rev().nth(place).map(|digit| digit == '1')
}

/// Adds the edges that a cell waits for: the bit, and whether it rises.
fn edges_of(cell: &Json, edges: &mut BTreeSet<(String, bool)>) {
    // The port of the clock, and what says whether it is used, and which edge counts.
    let ports = [
        ("CLK", "CLK_ENABLE", "CLK_POLARITY"),
        ("RD_CLK", "RD_CLK_ENABLE", "RD_CLK_POLARITY"),
        ("WR_CLK", "WR_CLK_ENABLE", "WR_CLK_POLARITY"),
        ("TRG", "TRG_ENABLE", "TRG_POLARITY"),
    ];
    if cell["type"] == "$print" {
        return;
    }
    if let Some(rises) = fine_grained(cell) {
        edges.extend(bits(cell, "C").into_iter().map(|bit| (bit, rises)));
    }
    for (port, enable, polarity) in ports {
        for (place, bit) in bits(cell, port).into_iter().enumerate() {
            let enabled = match port {
                "TRG" => is_set(cell, enable, 0),
                _ => is_set(cell, enable, place),
            };
            if enabled.unwrap_or(true) {
                edges.insert((bit, is_set(cell, polarity, place).unwrap_or(true)));
            }
        }
    }
}

/// For a flip-flop of one bit (`$_DFF_P_`, `$_SDFFE_PP0N_`, `$_ALDFF_NP_`, …), whether its clock rises: the first letter of those that say what counts.
fn fine_grained(cell: &Json) -> Option<bool> {
    let (kind, letters) = cell["type"].as_str()?.strip_prefix("$_")?.split_once('_')?;
    kind.contains("DFF").then(|| letters.starts_with('P'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn netlist(cells: &str) -> String {
        format!(
            r#"{{"modules": {{"top": {{"cells": {{{cells}}}, "netnames": {{"u.entail$p0$clock": {{"bits": [9]}}}}}}}}}}"#
        )
    }

    fn register(name: &str, clock: &str, polarity: &str, out: &str) -> String {
        format!(
            r#""{name}": {{"type": "$dff", "parameters": {{"CLK_POLARITY": "{polarity}"}}, "port_directions": {{"CLK": "input", "Q": "output"}}, "connections": {{"CLK": [{clock}], "Q": [{out}]}}}}"#
        )
    }

    #[test]
    fn flip_flops_of_one_bit_have_their_edge_in_their_name() {
        let edge = |kind: &str| {
            let text = format!(r#"{{"type": "{kind}", "connections": {{"C": [7]}}}}"#);
            let mut edges = BTreeSet::new();
            edges_of(&serde_json::from_str(&text).expect("a cell"), &mut edges);
            edges.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(edge("$_DFF_P_"), [("7".to_owned(), true)]);
        assert_eq!(edge("$_SDFFE_NP0P_"), [("7".to_owned(), false)]);
        assert!(edge("$_FF_").is_empty() && edge("$_AND_").is_empty());
    }

    #[test]
    fn one_edge_of_one_input_is_one_clock() {
        let none = |_: &str| None;
        let of =
            |cells: &[String]| Clocks::of(&netlist(&cells.join(",")), &|_| None, &none).expect("a netlist");
        let first = || register("a", "2", "1", "5");
        assert_eq!(of(&[]), Clocks::One);
        assert_eq!(of(&[first(), register("b", "2", "1", "6")]), Clocks::One);
        assert_eq!(of(&[first(), register("b", "3", "1", "6")]), Clocks::Several);
        assert_eq!(of(&[first(), register("b", "2", "0", "6")]), Clocks::Several);
        assert_eq!(of(&[first(), register("b", "5", "1", "6")]), Clocks::Derived);
        assert_eq!(of(&[register("b", "\"0\"", "1", "6")]), Clocks::Derived);
        let marked = |name: &str| name.ends_with("$clock").then_some(true);
        let with_assertion = Clocks::of(&netlist(&first()), &marked, &none).expect("a netlist");
        assert_eq!(with_assertion, Clocks::Several);
        let held = |name: &str| name.ends_with("$clock").then_some(7);
        let on_clock = [register("a", "9", "1", "5")];
        let found = Clocks::of(&netlist(&on_clock.join(",")), &|_| None, &held);
        assert_eq!(found, Ok(Clocks::Held(7)));
        assert!(Clocks::of("{", &|_| None, &none).is_err());
    }
}
