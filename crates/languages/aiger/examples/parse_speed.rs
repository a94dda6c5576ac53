//! How fast large AIGER files are read, and how much memory that takes.
//!
//! ```text
//! cargo run --release -p entail-aiger --example parse_speed -- [megabytes]
//! ```
//!
//! A circuit is made up so that its file has about the given size (100 MB), with operands that are mostly near and sometimes far, as in
//! real ones; it is written to a temporary file in each format and read back by a fresh process, so that the peak is the reader's own.

use entail_aiger::{Aiger, Latch, Literal, Reset, read, write_ascii, write_binary};
use entail_budget::peak_memory_bytes;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::process::Command;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, path] = arguments.as_slice()
        && mode == "read"
    {
        measure(path);
        return;
    }
    let megabytes: usize = arguments
        .first()
        .and_then(|text| text.parse().ok())
        .unwrap_or(100);
    let folder = std::env::temp_dir();
    for (extension, bytes_a_gate) in [("aig", 4.6), ("aag", 26.0)] {
        let gates = (megabytes as f64 * 1e6 / bytes_a_gate) as u32;
        let circuit = made_up(gates);
        let bytes = if extension == "aig" {
            write_binary(&circuit)
        } else {
            write_ascii(&circuit).into_bytes()
        };
        drop(circuit);
        let path = folder.join(format!("entail-parse-speed.{extension}"));
        std::fs::write(&path, bytes).expect("there is room for the file");
        let own = std::env::current_exe().expect("this program");
        let child = Command::new(own).arg("read").arg(&path).status();
        let _ = std::fs::remove_file(&path);
        assert!(child.is_ok_and(|status| status.success()));
    }
}

fn measure(path: &str) {
    let begun = Instant::now();
    let bytes = std::fs::read(path).expect("it was just written");
    let (length, loaded) = (bytes.len() as f64, begun.elapsed());
    let circuit = read(path, &bytes).expect("it is right");
    drop(bytes);
    let peak = peak_memory_bytes().unwrap_or(0) as f64;
    println!(
        "{path}: {:.0} MB, {} gates, {:.2} s (of it {:.2} s loading the bytes), peak {:.0} MB = {:.2} times the file",
        length / 1e6,
        circuit.gates.len(),
        begun.elapsed().as_secs_f64(),
        loaded.as_secs_f64(),
        peak / 1e6,
        peak / length
    );
}

fn made_up(gates: u32) -> Aiger {
    let mut random = StdRng::seed_from_u64(1);
    let (inputs, latches) = (gates / 200 + 1, gates / 20 + 1);
    let mut circuit = Aiger {
        inputs,
        gates: Vec::with_capacity(gates as usize),
        ..Aiger::default()
    };
    let (next, reset) = (Literal::FALSE, Reset::Zero);
    circuit.latches = vec![Latch { next, reset }; latches as usize];
    for position in 0..gates {
        let gate = circuit.gate(position).0;
        let mut operand = || {
            let reach = if random.random_range(0..3) == 0 {
                gate - 2
            } else {
                400
            };
            gate - random.random_range(1..=reach.min(gate - 2))
        };
        let (a, b) = (operand(), operand());
        circuit.gates.push([Literal(a.max(b)), Literal(a.min(b))]);
    }
    let most = circuit.last_variable() * 2;
    for latch in &mut circuit.latches {
        latch.next = Literal(random.random_range(2..most));
    }
    circuit.bad = vec![circuit.gate(gates - 1)];
    circuit
}
