//! Abstraction of circuits: what is kept, how bugs are found through it, and that proofs about too little are rejected.

use entail_budget::{Budget, Silent};
use entail_evidence::{Certificate, CheckOptions, Engine, Evidence, Verdict};
use entail_inductive::{
    End, InductiveEngine, Localization, Localized, Method, SafetyAnswer, WhenLarge, localized,
};
use entail_logic::Question;
use entail_model::Terms;
use entail_proof::{Refusal, check_invariant, check_liveness};
use entail_sat::{Circuit, Init, Signal};
use entail_smv::SmvModel;
use entail_source::Source;
use entail_systems_checker::check_outcome;

/// Two grants, given in turn while a word has a parity; the word is added to an input in every step.
struct Arbiter {
    circuit: Circuit,
    /// Both grants at once.
    both: Signal,
    /// One grant, and the word has its highest bit and its lowest.
    granted: Signal,
}

/// The latches before the word: the grants and whose turn it is.
const CONTROL: usize = 3;

fn arbiter(width: usize) -> Arbiter {
    let mut circuit = Circuit::new();
    let control: [Signal; CONTROL] = std::array::from_fn(|_| circuit.add_latch(Init::Zero));
    let word: Vec<Signal> = (0..width).map(|_| circuit.add_latch(Init::Free)).collect();
    let input: Vec<Signal> = (0..width).map(|_| circuit.add_input()).collect();
    let aig = &mut circuit.aig;
    let mut carry = Signal::FALSE;
    let mut sum = Vec::new();
    for (&a, &b) in word.iter().zip(&input) {
        let half = aig.xor(a, b);
        sum.push(aig.xor(half, carry));
        carry = aig.mux(half, carry, a);
    }
    let mut parity = Signal::FALSE;
    for &bit in &word {
        parity = aig.xor(parity, bit);
    }
    let [first, second, turn] = control;
    let free = aig.and(!first, !second);
    let give = aig.and(free, parity);
    let next = [aig.and(give, turn), aig.and(give, !turn), aig.xor(turn, give)];
    let both = aig.and(first, second);
    let high = aig.and(word[width - 1], word[0]);
    let granted = aig.and(first, high);
    for (latch, next) in circuit.latches.iter_mut().zip(next.into_iter().chain(sum)) {
        latch.next = next;
    }
    Arbiter {
        circuit,
        both,
        granted,
    }
}

const BOTH: [Localization; 2] = [Localization::GateLevel, Localization::ProofBased];

fn decide(circuit: &Circuit, bad: Signal, how: Localization, when_large: WhenLarge) -> Localized {
    let observable = vec![true; circuit.inputs.len()];
    let budget = Budget::unlimited();
    localized(circuit, bad, (how, when_large), &observable, &budget, &Silent)
}

#[test]
fn a_proof_about_the_controller_does_not_mention_the_datapath() {
    for width in [8, 40] {
        let Arbiter { circuit, both, .. } = arbiter(width);
        for how in BOTH {
            let found = decide(&circuit, both, how, WhenLarge::GiveUp);
            let End::Answer(SafetyAnswer::Safe(invariant)) = found.end else {
                panic!("{how:?}, width {width}: {:?}", found.end);
            };
            let latches = invariant.excluded.iter().flatten().map(|(latch, _)| *latch);
            assert!(
                latches.into_iter().all(|latch| latch < CONTROL),
                "{how:?}, width {width}"
            );
            assert!(!found.rounds.is_empty());
            assert!(found.rounds.iter().all(|entry| !entry.round.size.is_empty()));
        }
    }
}

#[test]
fn gates_of_the_datapath_are_left_out_latch_by_latch_and_gate_by_gate() {
    let Arbiter { circuit, both, .. } = arbiter(40);
    let found = decide(&circuit, both, Localization::GateLevel, WhenLarge::GiveUp);
    let size = &found.rounds.last().expect("a last round").round.size;
    let numbers: Vec<usize> = size
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let [latches, all_latches, gates, all_gates] = numbers[..] else {
        panic!("{size}");
    };
    assert!(latches <= CONTROL && all_latches == CONTROL + 40, "{size}");
    assert!(gates <= 10 && all_gates > 80, "{size}");
}

#[test]
fn a_bug_that_needs_data_is_a_run_of_the_whole_circuit() {
    for width in [4, 24] {
        let Arbiter { circuit, granted, .. } = arbiter(width);
        for how in BOTH {
            let found = decide(&circuit, granted, how, WhenLarge::AskTheWhole);
            let End::Answer(SafetyAnswer::Unsafe(run)) = found.end else {
                panic!("{how:?}, width {width}: {:?}", found.end);
            };
            assert!(circuit.is_counterexample(&run, granted), "{how:?}, width {width}");
        }
    }
}

#[test]
fn an_abstraction_that_keeps_everything_is_no_help() {
    // A ring of latches around which a token goes: that there is one only depends on all.
    let mut circuit = Circuit::new();
    let ring: Vec<Signal> = (0..12)
        .map(|place| circuit.add_latch(Init::from(place == 0)))
        .collect();
    for (place, &token) in ring.iter().enumerate() {
        circuit.latches[(place + 1) % 12].next = token;
    }
    let mut two = Vec::new();
    for place in 0..12 {
        let aig = &mut circuit.aig;
        two.push(aig.and(ring[place], ring[(place + 5) % 12]));
    }
    let bad = circuit.aig.or_all(two);
    for how in BOTH {
        let found = decide(&circuit, bad, how, WhenLarge::GiveUp);
        assert!(matches!(found.end, End::NoHelp), "{how:?}: {:?}", found.end);
        let found = decide(&circuit, bad, how, WhenLarge::AskTheWhole);
        assert!(
            matches!(found.end, End::Answer(SafetyAnswer::Safe(_))),
            "{how:?}: {:?}",
            found.end
        );
    }
}

fn read(text: &str) -> SmvModel {
    entail_smv::read(&Source::new("test.smv", text)).expect("a model")
}

/// All engines that abstract say this about the only property, and their evidence is accepted.
fn verdicts(text: &str, expected: Verdict) {
    let model = read(text);
    let options = CheckOptions::default();
    let budget = Budget::unlimited();
    for method in [Method::GateLevel, Method::ProofBased] {
        let property = &model.properties[0];
        let outcome = InductiveEngine::new(method)
            .check(&model.system, property, &options, &budget, &Silent)
            .expect("a model with a meaning");
        assert_eq!(outcome.verdict, expected, "{method:?}: {:?}", outcome.reason);
        let accepted = match (&outcome.evidence, &property.question) {
            (Some(Evidence::Invariant(certificate)), Question::Invariant(safe)) => {
                check_invariant(&model.system, certificate, *safe, &budget).is_ok()
            }
            (Some(Evidence::Liveness(certificate)), Question::Formula(formula)) => {
                let path = formula.operands()[0];
                check_liveness(&model.system, certificate, path, options.dead_ends, &budget).is_ok()
            }
            _ => check_outcome(&model.system, property, &outcome, &options, &budget).is_accepted(),
        };
        assert!(accepted, "{method:?}");
    }
}

#[test]
fn e5_the_traffic_light_becomes_red_again_and_again() {
    let light = "MODULE main
        VAR light : {red, green, yellow};
        ASSIGN init(light) := red;
        next(light) := case light = red : green; light = green : yellow; TRUE : red; esac;
        LTLSPEC G F light = red";
    verdicts(light, Verdict::Holds);
}

/// Chapter 13, figure 7: three states each of a, b, c, d; the abstract path a, b, c, d has no concrete one.
const FIGURE_7: &str = "MODULE main
    VAR s : 1..12;
    INIT s <= 3
    TRANS next(s) = case s = 1 : 4; s = 2 : 5; s = 3 : 6; s = 6 : 9; s = 7 : 10; TRUE : s; esac";

#[test]
fn e6_the_spurious_path_is_refuted_and_its_longest_real_part_is_found() {
    verdicts(&format!("{FIGURE_7}\nINVARSPEC s < 10"), Verdict::Holds);
    verdicts(&format!("{FIGURE_7}\nINVARSPEC s != 7 & s != 8"), Verdict::Holds);
    verdicts(&format!("{FIGURE_7}\nINVARSPEC s != 9"), Verdict::Fails);
}

/// `seen` remembers `now`, which never becomes true; `noise` has nothing to do with it.
const MEMORY: &str = "MODULE main
    VAR now : boolean; seen : boolean; noise : boolean;
    ASSIGN init(now) := FALSE; init(seen) := FALSE;
    next(now) := now & noise; next(seen) := seen | now;
    INVARSPEC !seen";

#[test]
fn an_invariant_of_too_coarse_an_abstraction_is_rejected() {
    let model = read(MEMORY);
    let budget = Budget::unlimited();
    let Question::Invariant(safe) = model.properties[0].question else {
        panic!("an invariant was asked");
    };
    let latch = |name: &str, terms: &mut Terms| {
        let id = model.system.find_variable(name).expect("a variable");
        let now = terms.current(id, model.system.variable(id).sort.clone());
        terms.not(now)
    };
    let claim = |names: &[&str]| {
        let mut terms = Terms::new();
        let parts: Vec<_> = names.iter().map(|name| latch(name, &mut terms)).collect();
        let invariant = terms.and(parts);
        let certificate = Certificate { terms, invariant };
        check_invariant(&model.system, &certificate, safe, &budget)
    };
    // Keeping `seen` alone, what it reads is free: that it stays false is no invariant of the circuit.
    assert_eq!(claim(&["seen"]), Err(Refusal::Consecution));
    assert_eq!(claim(&["now"]), Err(Refusal::Safety));
    assert_eq!(claim(&["seen", "now", "noise"]), Err(Refusal::Initiation));
    assert_eq!(claim(&["seen", "now"]), Ok(()));
    for method in [Method::GateLevel, Method::ProofBased] {
        let engine = InductiveEngine::new(method);
        let options = CheckOptions::default();
        let outcome = engine
            .check(&model.system, &model.properties[0], &options, &budget, &Silent)
            .expect("a model with a meaning");
        let Some(Evidence::Invariant(certificate)) = &outcome.evidence else {
            panic!("{method:?}: no invariant");
        };
        assert_eq!(check_invariant(&model.system, certificate, safe, &budget), Ok(()));
    }
}
