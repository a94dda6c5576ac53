//! UMB archives: random tables written and read again, damaged archives refused.

use entail_drn::{Choice, Outcome, State, Table, read_umb, write_umb};
use entail_markov::{Domain, Kind, Rational, Variable};
use entail_source::Span;
use flate2::read::GzDecoder;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::io::Read;

fn effort() -> usize {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

/// A number of shares that sum to 1; tenths, thirds, or very fine ones.
fn shares(random: &mut StdRng, count: usize) -> Vec<Rational> {
    let unit: u64 = [10, 3 * count as u64, 1 << 61][random.random_range(0..3)].max(count as u64);
    let mut left = unit;
    let mut parts = Vec::new();
    for at in 0..count {
        let others = (count - at - 1) as u64;
        let part = if others == 0 {
            left
        } else {
            random.random_range(1..=left - others)
        };
        left -= part;
        parts.push(Rational::from(part) / Rational::from(unit));
    }
    parts
}

fn random_table(random: &mut StdRng) -> Table {
    let kind = [Kind::Dtmc, Kind::Mdp, Kind::Ctmc, Kind::Ma][random.random_range(0..4)];
    let count = random.random_range(1..20u32);
    let actions = vec!["go".to_owned(), "wait a bit".to_owned()];
    let structures = random.random_range(0..3usize);
    let mut states = Vec::new();
    for _ in 0..count {
        let timed = kind == Kind::Ctmc || kind == Kind::Ma && random.random_bool(0.5);
        let most = if kind.has_choices() && !timed { 3 } else { 1 };
        let choices = (0..random.random_range(1..=most)).map(|_| {
            let outcomes = random.random_range(1..=4usize);
            let earned = (0..structures).flat_map(|structure| {
                let reward = Rational::from(structure as u64 + 1) / Rational::from(3u8);
                (0..outcomes).map(move |outcome| (structure, outcome, reward.clone()))
            });
            Choice {
                action: (kind.has_choices() && !timed && random.random_bool(0.7))
                    .then(|| random.random_range(0..2)),
                rate: timed.then(|| Rational::from(random.random_range(1..9u8)) / Rational::from(4u8)),
                earned: earned.collect(),
                outcomes: (shares(random, outcomes).into_iter())
                    .map(|weight| Outcome {
                        target: random.random_range(0..count),
                        weight,
                    })
                    .collect(),
            }
        });
        states.push(State {
            choices: choices.collect(),
            place: Span::new(0, 0),
        });
    }
    let some = |random: &mut StdRng| {
        (0..count)
            .filter(|_| random.random_bool(0.4))
            .collect::<Vec<u32>>()
    };
    let mut initial = some(random);
    if initial.is_empty() {
        initial.push(0);
    }
    let mut variables = Vec::new();
    for (name, low, high) in [("x", 0, 5), ("depth", -3, 9), ("far", i64::MIN, i64::MAX)] {
        let values: Vec<i64> = (0..count).map(|_| random.random_range(low..=high)).collect();
        let (least, greatest) = (values.iter().min().copied(), values.iter().max().copied());
        let domain = Domain::Range(least.unwrap_or(0), greatest.unwrap_or(0));
        variables.push((
            Variable {
                name: name.to_owned(),
                domain,
                hidden: false,
            },
            values,
        ));
    }
    let truths = (0..count).map(|_| i64::from(random.random_bool(0.5))).collect();
    let truth = Variable {
        name: "b".to_owned(),
        domain: Domain::Bool,
        hidden: false,
    };
    variables.insert(1, (truth, truths));
    Table {
        kind,
        states,
        actions,
        initial,
        labels: vec![
            ("a".to_owned(), some(random)),
            ("two words".to_owned(), some(random)),
        ],
        rewards: (0..structures)
            .map(|structure| {
                let earned = some(random).into_iter();
                let earned = earned.map(|state| (state, Rational::from(7u8) / Rational::from(5u8)));
                (Some(format!("r{structure}")), earned.collect())
            })
            .collect(),
        variables,
    }
}

/// What a table means, whatever its actions are numbered: names instead of positions, numbers of chains as rates.
fn meaning(mut table: Table) -> Table {
    let used: Vec<String> = (table.states.iter().flat_map(|state| &state.choices))
        .filter_map(|choice| Some(table.actions[choice.action? as usize].clone()))
        .collect();
    let mut names: Vec<String> = used;
    names.sort();
    names.dedup();
    for choice in table.states.iter_mut().flat_map(|state| &mut state.choices) {
        if let Some(action) = &mut choice.action {
            let name = &table.actions[*action as usize];
            *action = names.iter().position(|known| known == name).expect("known") as u32;
        }
    }
    table.actions = names;
    table
}

#[test]
fn tables_are_read_again_as_they_were_written() {
    let mut random = StdRng::seed_from_u64(19);
    for round in 0..300 * effort() {
        let table = random_table(&mut random);
        let bytes = write_umb(&table).expect("it can be written");
        let again = read_umb(&bytes).unwrap_or_else(|problem| panic!("{round}: {problem:?}\n{table:#?}"));
        assert_eq!(meaning(again.table), meaning(table), "{round}");
    }
}

#[test]
fn damaged_archives_are_refused_or_read_and_nothing_panics() {
    let mut random = StdRng::seed_from_u64(20);
    let (mut refused, mut read) = (0, 0);
    for _ in 0..40 * effort() {
        let bytes = write_umb(&random_table(&mut random)).expect("it can be written");
        let mut tar = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut tar).expect("a tar");
        for _ in 0..40 {
            // Inside, so that checksums of the compression do not catch everything.
            let mut damaged = tar.clone();
            for _ in 0..random.random_range(1..4) {
                let at = random.random_range(0..damaged.len());
                damaged[at] = random.random();
            }
            if random.random_bool(0.2) {
                damaged.truncate(random.random_range(0..damaged.len()));
            }
            match read_umb(&damaged) {
                Ok(umb) => {
                    read += 1;
                    umb.table.network();
                }
                Err(_) => refused += 1,
            }
        }
        let at = random.random_range(0..bytes.len());
        assert!(read_umb(&bytes[..at]).is_err());
    }
    assert!(refused > 0 && read > 0, "{refused} {read}");
}

/// The archive with another index.
fn with_index(bytes: &[u8], change: impl Fn(String) -> String) -> Vec<u8> {
    let mut before = tar::Archive::new(GzDecoder::new(bytes));
    let mut after = tar::Builder::new(Vec::new());
    for entry in before.entries().expect("a tar") {
        let mut entry = entry.expect("an entry");
        let name = entry.path().expect("a name").into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("content");
        if name.to_str() == Some("index.json") {
            content = change(String::from_utf8(content).expect("a text")).into_bytes();
        }
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        after
            .append_data(&mut header, name, &content[..])
            .expect("memory");
    }
    after.into_inner().expect("memory")
}

#[test]
fn counts_and_types_that_lie_are_refused() {
    let mut random = StdRng::seed_from_u64(21);
    for _ in 0..20 * effort() {
        let table = random_table(&mut random);
        let bytes = write_umb(&table).expect("it can be written");
        for count in ["#states", "#choices", "#branches", "#initial-states"] {
            for lie in ["0", "7000", "4000000000", "18446744073709551615"] {
                let lying = with_index(&bytes, |index| {
                    let from = index.find(&format!("\"{count}\": ")).expect("in the index") + count.len() + 4;
                    let to = from + index[from..].find([',', '\n']).expect("an end");
                    format!("{}{lie}{}", &index[..from], &index[to..])
                });
                let refused = read_umb(&lying);
                assert!(refused.is_err(), "{count} = {lie}");
            }
        }
        for (from, to) in [
            ("\"format-version\": 1", "\"format-version\": 2"),
            ("\"#players\": ", "\"#players\": 9"),
            ("\"#observations\": 0", "\"#observations\": 3"),
            ("\"time\": \"", "\"time\": \"un"),
        ] {
            let other = with_index(&bytes, |index| index.replace(from, to));
            assert!(read_umb(&other).is_err(), "{to}");
        }
    }
}
