//! The sizes of a model's zone graphs, to be compared with other programs' (`bench/timed/records.py`).
//!
//! A node is a discrete state with a zone, extrapolated; nodes are the same only if both are. Two semantics: a zone is kept after waiting (`elapsed`), or as it arrives, and waits before the next step
//! (`non-elapsed`). A line for each semantics, extrapolation, and choice of bounds, with tabulators between.
//!
//! usage: zone_graph MODEL.tck

use entail_clocks::{Formula, Network, Query};
use entail_source::Source;
use entail_timed::Bounds;
use entail_timed::constants::Constants;
use entail_timed::space::{Space, StateId, Stepped, Target};
use entail_zones::{Bound, Extrapolation, Zone};
use std::collections::HashSet;
use std::process::ExitCode;

/// More nodes are not counted.
const MOST: usize = 2_000_000;

fn waits(space: &Space<'_>, state: StateId, zone: &mut Zone) -> bool {
    let info = space.info(state);
    if info.may_delay {
        zone.delay();
    }
    (info.invariant.iter()).all(|&(left, right, bound)| zone.constrain(left, right, bound))
}

/// Takes a step that is followed by no wait; false if nothing is left.
fn steps_at_once(space: &Space<'_>, zone: &mut Zone, effect: u32, target: StateId) -> bool {
    let effect = space.effect(effect);
    if !(effect.guard.iter()).all(|&(left, right, bound)| zone.constrain(left, right, bound)) {
        return false;
    }
    for update in &*effect.updates {
        zone.assign(update.target, update.source, update.offset as i32);
    }
    let info = space.info(target);
    (info.invariant.iter()).all(|&(left, right, bound)| zone.constrain(left, right, bound))
}

fn size(
    network: &Network,
    bounds: Bounds,
    extrapolation: Option<Extrapolation>,
    elapsed: bool,
) -> Result<Option<usize>, String> {
    let query = Query::Reach(Formula::Constant(false), true);
    let constants = Constants::of(network, &query, bounds)?;
    let mut space = Space::new(network, &query, constants);
    let mut seen: HashSet<(StateId, Vec<Bound>)> = HashSet::new();
    let mut open = Vec::new();
    let add =
        |space: &Space<'_>, state: StateId, mut zone: Zone, seen: &mut HashSet<_>, open: &mut Vec<_>| {
            if let Some(extrapolation) = extrapolation {
                extrapolation.apply(&mut zone, space.info(state).constants);
            }
            if seen.insert((state, zone.cells().to_vec())) {
                open.push((state, zone));
            }
        };
    let initial = space
        .initial()
        .map_err(|trouble| format!("{:?}", trouble.fault))?;
    for state in initial {
        let zone = match elapsed {
            true => space.begin(state),
            false => Some(Zone::zero(network.dimension())),
        };
        if let Some(zone) = zone {
            add(&space, state, zone, &mut seen, &mut open);
        }
    }
    while let Some((state, source)) = open.pop() {
        if seen.len() > MOST {
            return Ok(None);
        }
        for &step in space.transitions(state).iter() {
            let mut zone = source.clone();
            if elapsed {
                if let Stepped::To(target) = space.step(&mut zone, step) {
                    add(&space, target, zone, &mut seen, &mut open);
                }
            } else if let Target::State(target) = step.target
                && waits(&space, state, &mut zone)
                && steps_at_once(&space, &mut zone, step.effect, target)
            {
                add(&space, target, zone, &mut seen, &mut open);
            }
        }
    }
    Ok(Some(seen.len()))
}

fn run(path: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let read = entail_tchecker::read(&Source::new(path, text)).map_err(|problems| format!("{problems:?}"))?;
    let extrapolations = [
        ("none", None),
        ("m", Some(Extrapolation::M)),
        ("m+", Some(Extrapolation::MPlus)),
        ("lu", Some(Extrapolation::Lu)),
        ("lu+", Some(Extrapolation::LuPlus)),
    ];
    for (semantics, elapsed) in [("elapsed", true), ("non-elapsed", false)] {
        for (name, extrapolation) in extrapolations.into_iter().skip(1) {
            for (of, bounds) in [("local", Bounds::Local), ("global", Bounds::Global)] {
                let size = size(&read.network, bounds, extrapolation, elapsed)?;
                let size = size.map_or("more".to_owned(), |size| size.to_string());
                println!("{semantics}\t{name}\t{of}\t{size}");
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: zone_graph MODEL.tck");
        return ExitCode::from(64);
    };
    match run(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{path}: {reason}");
            ExitCode::FAILURE
        }
    }
}
