//! Random circuits.

use entail_aiger::{Aiger, Latch, Literal, Reset, SymbolKind};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

pub fn random(seed: u64) -> Aiger {
    let mut random = StdRng::seed_from_u64(seed);
    let mut circuit = Aiger {
        inputs: random.random_range(0..4),
        ..Aiger::default()
    };
    let latches: u32 = random.random_range(0..5);
    circuit.latches = vec![
        Latch {
            next: Literal::FALSE,
            reset: Reset::Zero
        };
        latches as usize
    ];
    let gates = random.random_range(0..12);
    for position in 0..gates {
        let gate = circuit.gate(position).0;
        let (a, b) = (random.random_range(0..gate), random.random_range(0..gate));
        circuit.gates.push([Literal(a.max(b)), Literal(a.min(b))]);
    }
    let most = circuit.last_variable() * 2 + 2;
    for latch in &mut circuit.latches {
        latch.next = Literal(random.random_range(0..most));
        latch.reset = [Reset::Zero, Reset::One, Reset::Free][random.random_range(0..3)];
    }
    let mut some = |up_to: usize| -> Vec<Literal> {
        let count = random.random_range(0..=up_to);
        (0..count)
            .map(|_| Literal(random.random_range(0..most)))
            .collect()
    };
    circuit.outputs = some(2);
    circuit.bad = some(2);
    circuit.constraints = some(2);
    circuit.justice = (0..some(2).len()).map(|_| some(3)).collect();
    circuit.fairness = some(1);
    if circuit.inputs > 0 {
        circuit.symbols.insert((SymbolKind::Input, 0), "reset n".into());
    }
    if seed.is_multiple_of(3) {
        circuit.comment = "made at random\n".into();
    }
    circuit
}
