//! Codes by affinity: states that go to the same states, write the same, or follow the same state get codes that differ in few bits, so that the functions of the code depend on few of its bits
//! (Devadas, Ma, Newton, Sangiovanni-Vincentelli, *MUSTANG*, 1988). A placement that minimises the sum of affinity times distance is searched by exchanging codes, some losses allowed at first.
//! Cost: states squared times classes for the affinities, states for each exchange.

use crate::table::Table;

/// Tables with more cells in all pairs of rows are not looked at.
const MOST_PAIRS: usize = 40_000_000;
/// Exchanges that are tried for each state; fewer if together they look at more pairs than this.
const EXCHANGES: usize = 400;
const MOST_LOOKS: usize = 20_000_000;

/// For each pair of states how much it pays to have codes close together; nothing if there are too many.
pub(crate) fn affinities(table: &Table, bits: usize) -> Option<Vec<Vec<u32>>> {
    let (states, classes) = (table.rows.len(), table.classes());
    if states.checked_mul(states)?.checked_mul(classes)? > MOST_PAIRS {
        return None;
    }
    let mut weights = vec![vec![0u32; states]; states];
    for (one, row) in table.rows.iter().enumerate() {
        for (two, other) in table.rows[..one].iter().enumerate() {
            let mut weight = 0;
            for (a, b) in row.iter().zip(other) {
                weight += u32::from(a.allowed == b.allowed);
                weight += match a.next == b.next && a.next.is_some() {
                    true => bits as u32,
                    false => 0,
                };
            }
            weights[one][two] += weight;
            weights[two][one] += weight;
        }
    }
    // Successors of the same state.
    for row in &table.rows {
        let mut next: Vec<usize> = row.iter().filter_map(|cell| Some(cell.next? as usize)).collect();
        next.sort_unstable();
        next.dedup();
        for (at, &one) in next.iter().enumerate() {
            for &two in &next[..at] {
                weights[one][two] += 1;
                weights[two][one] += 1;
            }
        }
    }
    Some(weights)
}

/// Codes with so many bits, by state; `random` gives a number below another.
pub(crate) fn placed(weights: &[Vec<u32>], bits: usize, random: &mut dyn FnMut(usize) -> usize) -> Vec<u64> {
    let (states, codes) = (weights.len(), 1usize << bits);
    let mut code_of: Vec<u64> = (0..states as u64).collect();
    let mut state_of: Vec<Option<usize>> = (0..codes).map(|code| (code < states).then_some(code)).collect();
    let distance = |one: u64, two: u64| i64::from((one ^ two).count_ones());
    let rounds = (EXCHANGES * states).min(MOST_LOOKS / states.max(1));
    let total: u64 = weights.iter().flatten().map(|&weight| u64::from(weight)).sum();
    // What one exchange changes on average; the temperature falls from it to nothing.
    let typical = (total / states.max(1) as u64) as f64;
    for round in 0..rounds {
        let one = random(states);
        let (from, to) = (code_of[one], random(codes) as u64);
        if from == to {
            continue;
        }
        let two = state_of[to as usize];
        let mut change = 0i64;
        for other in (0..states).filter(|&other| other != one && Some(other) != two) {
            let gain = distance(to, code_of[other]) - distance(from, code_of[other]);
            change += i64::from(weights[one][other]) * gain;
            change -= two.map_or(0, |two| i64::from(weights[two][other]) * gain);
        }
        let heat = typical * (1.0 - round as f64 / rounds as f64).powi(3);
        let allowed = heat * random(1_000) as f64 / 4_000.0;
        if (change as f64) <= allowed {
            code_of[one] = to;
            state_of[to as usize] = Some(one);
            state_of[from as usize] = two;
            if let Some(two) = two {
                code_of[two] = from;
            }
        }
    }
    code_of
}
