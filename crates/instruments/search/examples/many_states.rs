//! More states than most memories hold: a line of words is shifted and its free end takes any letter, so that all words of a length are reached, or counters are counted up one at a time.
//!
//! ```text
//! cargo run --release -p entail-search --example many_states -- words 30 2 disk:/var/tmp 4GiB 1
//! cargo run --release -p entail-search --example many_states -- counters 8 10 tree 0 2
//! ```
//!
//! The arguments are the kind, how many letters or counters, how many values each has, the storage, the memory limit (0: none) and the number of threads. The number of states is known: values to the power of letters.

use entail_budget::{Budget, Progress, Snapshot, Spent, peak_memory_bytes};
use entail_search::{DiskOptions, Ending, Explorer, SearchOptions, Searchable, Steps, search, units};
use std::sync::Mutex;
use std::time::{Duration, Instant};

enum Kind {
    Words,
    Counters,
}

struct Many {
    kind: Kind,
    length: u32,
    values: u64,
}

impl Searchable for Many {
    type Flaw = ();
    type Explorer<'m> = &'m Many;

    fn explorer<'m>(&'m self, _: &'m Budget) -> &'m Many {
        self
    }
}

impl Explorer for &Many {
    type Flaw = ();
    type Successors = Steps<()>;

    fn initial(&mut self, out: &mut Steps<()>) -> Result<(), Spent> {
        out.clear();
        out.push(0, &self.packed(0));
        Ok(())
    }

    fn expand(&mut self, state: &[u8], out: &mut Steps<()>) -> Result<(), Spent> {
        out.clear();
        let mut bytes = [0; 8];
        bytes[8 - state.len()..].copy_from_slice(state);
        let word = u64::from_be_bytes(bytes);
        match self.kind {
            Kind::Words => {
                let shifted = word * self.values % self.values.pow(self.length);
                for letter in 0..self.values {
                    out.push(0, &self.packed(shifted + letter));
                }
            }
            Kind::Counters => {
                let mut place = 1;
                for _ in 0..self.length {
                    let value = word / place % self.values;
                    let next = match value + 1 == self.values {
                        true => word - value * place,
                        false => word + place,
                    };
                    out.push(0, &self.packed(next));
                    place *= self.values;
                }
            }
        }
        Ok(())
    }
}

impl Many {
    /// A state in the bytes that all states need.
    fn packed(&self, word: u64) -> Vec<u8> {
        let most = self.values.pow(self.length) - 1;
        word.to_be_bytes()[most.leading_zeros() as usize / 8..].to_vec()
    }
}

/// Tells how far it is, now and then.
struct Told {
    begun: Instant,
    last: Mutex<Instant>,
}

impl Progress for Told {
    fn report(&self, snapshot: &Snapshot) {
        if let Ok(mut last) = self.last.lock()
            && last.elapsed() > Duration::from_secs(20)
        {
            *last = Instant::now();
            let (depth, states) = (snapshot.depth.unwrap_or(0), snapshot.states.unwrap_or(0));
            println!(
                "{:>6.0} s  level {depth}, {states} states",
                self.begun.elapsed().as_secs_f64()
            );
        }
    }

    fn warn(&self, text: &str) {
        println!("{text}");
    }
}

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, length, values, storage, memory, threads] = &arguments[..] else {
        return Err("many_states words|counters LENGTH VALUES STORAGE MEMORY THREADS".into());
    };
    let number = |text: &String| text.parse::<u64>().map_err(|error| format!("`{text}`: {error}"));
    let model = Many {
        kind: match kind.as_str() {
            "words" => Kind::Words,
            _ => Kind::Counters,
        },
        length: number(length)? as u32,
        values: number(values)?,
    };
    if model.values < 2
        || model
            .values
            .checked_pow(model.length)
            .is_none_or(|states| states > 1 << 40)
    {
        return Err("from 2 values on, and at most 2^40 states".into());
    }
    let memory = units::size(memory)?;
    let options = SearchOptions {
        storage: units::storage(storage)?,
        disk: DiskOptions {
            folder: units::storage_folder(storage),
            buffer: None,
        },
        threads: number(threads)? as usize,
        ..SearchOptions::default()
    };
    let budget = Budget::unlimited().with_memory(Some(memory).filter(|&memory| memory > 0));
    let begun = Instant::now();
    let told = Told {
        begun,
        last: Mutex::new(begun),
    };
    let searched = search(&model, &options, &budget, &told);
    let seconds = begun.elapsed().as_secs_f64();
    let (states, counts) = (searched.counts.states, searched.counts);
    match searched.ending {
        Ending::Finished => assert_eq!(states, model.values.pow(model.length), "a state is missing"),
        other => println!("not finished: {}", other.reason().unwrap_or_default()),
    }
    println!(
        "{states} states, {} steps, depth {}, storage {}: {seconds:.1} s, {:.0} states/s, {:.1} bytes/state ({:.2} GB), peak memory {:.2} GB",
        counts.transitions,
        counts.depth,
        searched.storage,
        states as f64 / seconds,
        searched.bytes as f64 / states as f64,
        searched.bytes as f64 / 1e9,
        peak_memory_bytes().unwrap_or(0) as f64 / 1e9,
    );
    Ok(())
}
