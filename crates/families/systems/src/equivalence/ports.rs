//! Which inputs, registers and outputs of two circuits belong together.
//!
//! A netlist of gates has a signal for each bit (`a[0]`, `a[1]`, …) where a design has a word `a`. So names are taken apart: signals of one bit whose names differ in
//! the number at their end are a *bus*, as a word is, and buses of one name and as many bits belong together, bit by bit from the lowest on. Where no name is
//! known to both circuits and they have as many bits, what comes first belongs to what comes first. So it is where names only count (`pi0000`, `pi0001`, … in one circuit,
//! `pi1`, `pi2`, … in the other): that both know a `pi1000` is an accident.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A signal: its name and its bits; a memory has no width, and counts as one bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) width: u32,
}

/// Bits under one name, from the lowest on: positions of ports, and bits of these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bus {
    pub(crate) name: String,
    pub(crate) bits: Vec<(usize, u32)>,
}

/// What belongs together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matching {
    /// The buses of gold and gate, under gold's names.
    pub(crate) pairs: Vec<(Bus, Bus)>,
    pub(crate) only_gold: Vec<Bus>,
    pub(crate) only_gate: Vec<Bus>,
    /// Buses of one name that have different numbers of bits.
    pub(crate) mismatched: Vec<(Bus, Bus)>,
    /// Names did not tell, and they were matched in their order.
    pub(crate) by_order: bool,
}

/// `a[3]` as `a` and 3.
pub(crate) fn indexed(name: &str) -> Option<(&str, u64)> {
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let digits = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    Some((base, index.parse().ok()?)).filter(|(base, _)| digits && !base.is_empty())
}

/// Bits of a bus by the numbers that they have in names.
type Numbered = BTreeMap<u64, (usize, u32)>;

/// The buses of some ports, in the order in which they begin. What has no name belongs to nothing.
pub(crate) fn buses(ports: &[Port]) -> Vec<Bus> {
    let words: FxHashMap<&str, usize> = (ports.iter().enumerate())
        .map(|(position, port)| (port.name.as_str(), position))
        .collect();
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut found: Vec<(String, Numbered)> = Vec::new();
    for (position, port) in ports.iter().enumerate() {
        if port.name.is_empty() {
            continue;
        }
        match indexed(&port.name).filter(|(base, _)| port.width == 1 && !words.contains_key(base)) {
            Some((base, index)) => {
                let at = *numbers.entry(base).or_insert(found.len());
                if at == found.len() {
                    found.push((base.to_owned(), BTreeMap::new()));
                }
                found[at].1.insert(index, (position, 0));
            }
            None => {
                let bits = (0..port.width.max(1)).map(|bit| (u64::from(bit), (position, bit)));
                found.push((port.name.clone(), bits.collect()));
            }
        }
    }
    let bus = |(name, bits): (String, Numbered)| Bus {
        name,
        bits: bits.into_values().collect(),
    };
    found.into_iter().map(bus).collect()
}

/// What of two circuits belongs together; `in_order` says that order may tell where names do not.
pub(crate) fn matched(gold: &[Port], gate: &[Port], in_order: bool) -> Matching {
    let (gold_buses, gate_buses) = (buses(gold), buses(gate));
    let mut theirs: FxHashMap<String, Bus> = FxHashMap::default();
    for bus in &gate_buses {
        theirs.entry(bus.name.clone()).or_insert_with(|| bus.clone());
    }
    let is_memory = |ports: &[Port], bus: &Bus| bus.bits.iter().any(|&(port, _)| ports[port].width == 0);
    let fits = |ours: &Bus, theirs: &Bus| {
        ours.bits.len() == theirs.bits.len() && is_memory(gold, ours) == is_memory(gate, theirs)
    };
    let mut matching = Matching::default();
    for bus in gold_buses {
        match theirs.remove(&bus.name) {
            Some(other) if fits(&bus, &other) => matching.pairs.push((bus, other)),
            Some(other) => matching.mismatched.push((bus, other)),
            None => matching.only_gold.push(bus),
        }
    }
    let left = |bus: &&Bus| theirs.get(&bus.name) == Some(*bus);
    matching.only_gate = gate_buses.iter().filter(left).cloned().collect();
    let bits = |ports: &[Port]| ports.iter().map(|port| u64::from(port.width.max(1))).sum::<u64>();
    let strangers = matching.pairs.is_empty() && matching.mismatched.is_empty();
    let leaves_some = !matching.only_gold.is_empty() && !matching.only_gate.is_empty();
    let only_count = || leaves_some && counts(gold) && counts(gate);
    if in_order && (strangers || only_count()) && !gold.is_empty() && bits(gold) == bits(gate) {
        return Matching {
            pairs: bit_by_bit(gold).into_iter().zip(bit_by_bit(gate)).collect(),
            by_order: true,
            ..Matching::default()
        };
    }
    matching
}

/// Whether names are one word with numbers that go up by one, and say no more than the order does.
fn counts(ports: &[Port]) -> bool {
    let numbered = |port: &Port| {
        let base = port
            .name
            .trim_end_matches(|digit: char| digit.is_ascii_digit())
            .len();
        let (base, number) = port.name.split_at(base);
        Some((base.to_owned(), number.parse::<u64>().ok()?)).filter(|_| port.width == 1)
    };
    let names: Option<Vec<(String, u64)>> = ports.iter().map(numbered).collect();
    names.is_some_and(|names| {
        let follows = |pair: &[(String, u64)]| pair[0].0 == pair[1].0 && pair[0].1 + 1 == pair[1].1;
        names.windows(2).all(follows)
    })
}

/// Every bit a bus of its own.
fn bit_by_bit(ports: &[Port]) -> Vec<Bus> {
    let bits = ports.iter().enumerate().flat_map(|(position, port)| {
        (0..port.width.max(1)).map(move |bit| Bus {
            name: match port.width {
                0 | 1 => port.name.clone(),
                _ => format!("{}[{bit}]", port.name),
            },
            bits: vec![(position, bit)],
        })
    });
    bits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ports(list: &[(&str, u32)]) -> Vec<Port> {
        let port = |&(name, width): &(&str, u32)| Port {
            name: name.into(),
            width,
        };
        list.iter().map(port).collect()
    }

    #[test]
    fn a_word_belongs_to_its_bits_whatever_their_order_and_first_number() {
        let gold = ports(&[("a", 3), ("b", 1)]);
        let gate = ports(&[("a[6]", 1), ("b", 1), ("a[4]", 1), ("a[5]", 1)]);
        let found = matched(&gold, &gate, true);
        assert!(found.only_gold.is_empty() && found.only_gate.is_empty() && !found.by_order);
        assert_eq!(found.pairs[0].0.bits, [(0, 0), (0, 1), (0, 2)]);
        assert_eq!(found.pairs[0].1.bits, [(2, 0), (3, 0), (0, 0)]);
    }

    #[test]
    fn order_tells_only_where_no_name_is_known_to_both() {
        let gold = ports(&[("a", 2), ("b", 1)]);
        let strangers = ports(&[("pi0", 1), ("pi1", 1), ("pi2", 1)]);
        let found = matched(&gold, &strangers, true);
        assert!(found.by_order && found.pairs.len() == 3);
        assert!(matched(&gold, &strangers, false).pairs.is_empty());
        let partly = ports(&[("a[0]", 1), ("a[1]", 1), ("c", 1)]);
        let found = matched(&gold, &partly, true);
        assert_eq!(
            (found.pairs.len(), found.only_gold.len(), found.only_gate.len()),
            (1, 1, 1)
        );
    }

    #[test]
    fn names_that_only_count_are_places_in_an_order() {
        let gold = ports(&[("pi00", 1), ("pi01", 1), ("pi02", 1), ("pi03", 1)]);
        let shifted = ports(&[("pi1", 1), ("pi2", 1), ("pi3", 1), ("pi4", 1)]);
        let padded = ports(&[("pi02", 1), ("pi03", 1), ("pi04", 1), ("pi05", 1)]);
        for gate in [&shifted, &padded] {
            let found = matched(&gold, gate, true);
            assert!(found.by_order && found.pairs.len() == 4);
            assert_eq!(
                (&found.pairs[1].0.bits, &found.pairs[1].1.bits),
                (&vec![(1, 0)], &vec![(1, 0)])
            );
        }
        // The same names are no accident, and gaps say something.
        let turned = ports(&[("pi03", 1), ("pi02", 1), ("pi01", 1), ("pi00", 1)]);
        assert_eq!(matched(&gold, &turned, true).pairs[0].1.bits, [(3, 0)]);
        let gaps = ports(&[("pi02", 1), ("pi03", 1), ("pi05", 1), ("pi07", 1)]);
        assert!(!matched(&gold, &gaps, true).by_order);
    }

    #[test]
    fn different_widths_are_no_match() {
        let found = matched(&ports(&[("a", 2)]), &ports(&[("a", 3)]), true);
        assert_eq!((found.pairs.len(), found.mismatched.len()), (0, 1));
    }
}
