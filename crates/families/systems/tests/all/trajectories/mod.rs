//! Trajectory evaluation: the examples of chapter 25, and random netlists beside exhaustive simulation.

mod chapter_25;
mod graphs;
mod relations;
mod rules;

use entail_answer::{Answer, Verdict};
use entail_budget::Budget;
use entail_proof::Refusal;
use entail_proof::trajectory::{check_assertion, replay};
use entail_source::{Diagnostics, Source};
use entail_trajectories::{
    Assertion, ConditionId, Conditions, Drive, Gate, Method, Netlist, NodeId, Role, Specification,
    TrajectoryEvidence, Weakening, Wire, Word,
};
use entail_trajectory::{Coverage, Settings, by_diagrams, by_sat, coverage};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// What both engines say about the first assertion of a text; their evidence has been accepted.
pub struct Asked {
    pub specification: Specification,
    pub bdd: Answer<TrajectoryEvidence>,
    pub sat: Answer<TrajectoryEvidence>,
}

impl Asked {
    pub fn coverage(&self) -> Coverage {
        coverage(
            &self.specification,
            &self.specification.assertions[0],
            &Budget::unlimited(),
        )
    }
}

/// What a text says about a netlist, or what is wrong with it.
fn resolved(netlist: &Netlist, text: &str) -> Result<Specification, Diagnostics> {
    let source = Source::new("text.ste", text);
    entail_ste::parse(&source).and_then(|parsed| entail_ste::resolve(&parsed, netlist, &source))
}

/// What a text without mistakes says about a netlist.
fn read(netlist: &Netlist, text: &str) -> Specification {
    resolved(netlist, text).unwrap_or_else(|problems| panic!("{text}: {problems}"))
}

pub fn ask(netlist: &Netlist, text: &str) -> Asked {
    ask_about(netlist, read(netlist, text))
}

fn ask_about(netlist: &Netlist, specification: Specification) -> Asked {
    let assertion = &specification.assertions[0];
    let budget = Budget::unlimited();
    let settings = Settings::default();
    let bdd = by_diagrams(netlist, &specification, assertion, settings, &budget);
    let sat = by_sat(netlist, &specification, assertion, settings, &budget);
    assert_eq!(bdd.verdict, sat.verdict, "{}", assertion.text);
    for answer in [&bdd, &sat] {
        accept(netlist, &specification, answer);
    }
    Asked {
        bdd,
        sat,
        specification,
    }
}

/// The checker accepts the evidence of an answer.
fn accept(netlist: &Netlist, specification: &Specification, answer: &Answer<TrajectoryEvidence>) {
    let assertion = &specification.assertions[0];
    match (answer.verdict, &answer.evidence) {
        (Verdict::Unknown, None) => {}
        (Verdict::Holds, Some(TrajectoryEvidence::Comparison { .. })) => {
            let checked = check_assertion(netlist, specification, assertion, &Budget::unlimited());
            assert_eq!(checked, Ok(()), "{}", assertion.text);
        }
        (Verdict::Fails, Some(TrajectoryEvidence::Valuation { values, node, time })) => {
            let run = replay(netlist, specification, assertion, values);
            assert!(run.allowed && run.contradiction.is_none());
            assert!(run.conflicts.contains(&(NodeId(*node), *time)));
        }
        other => panic!("{other:?}"),
    }
}

fn effort() -> u64 {
    let effort = std::env::var("ENTAIL_EFFORT").ok();
    effort.and_then(|text| text.parse().ok()).unwrap_or(1)
}

const VARIABLES: u32 = 3;
const DEPTH: u32 = 3;

fn random_netlist(random: &mut StdRng) -> Netlist {
    let mut netlist = Netlist::default();
    netlist.add(Gate::Zero);
    let (inputs, registers) = (random.random_range(1..4), random.random_range(1..4));
    for _ in 0..inputs {
        netlist.add(Gate::Input);
    }
    let first = netlist.len();
    for _ in 0..registers {
        netlist.add(Gate::Register(None));
    }
    for _ in 0..random.random_range(1..9) {
        let wire = |random: &mut StdRng| Wire {
            node: NodeId(random.random_range(0..netlist.len() as u32)),
            negated: random.random_bool(0.5),
        };
        let (a, b) = (wire(random), wire(random));
        netlist.add(match random.random_range(0..8) {
            0 => Gate::Copy(a),
            _ => Gate::And(a, b),
        });
    }
    for register in first..first + registers {
        if random.random_bool(0.9) {
            let next = Wire {
                node: NodeId(random.random_range(0..netlist.len() as u32)),
                negated: random.random_bool(0.5),
            };
            netlist.set_next(NodeId(register as u32), next);
        }
    }
    for node in 1..netlist.len() {
        let wire = Wire::of(NodeId(node as u32));
        netlist.name(&format!("n{node}"), Role::Internal, false, &[vec![wire]]);
    }
    netlist
}

fn random_condition(random: &mut StdRng, conditions: &mut Conditions) -> ConditionId {
    let mut condition = ConditionId::constant(random.random_bool(0.7));
    for _ in 0..random.random_range(0..3) {
        let variable = conditions.variable(random.random_range(0..VARIABLES));
        let literal = match random.random_bool(0.5) {
            true => conditions.not(variable),
            false => variable,
        };
        condition = match random.random_range(0..3) {
            0 => conditions.and(condition, literal),
            1 => conditions.or(condition, literal),
            _ => conditions.xor(condition, literal),
        };
    }
    condition
}

fn random_drives(
    random: &mut StdRng,
    netlist: &Netlist,
    conditions: &mut Conditions,
    most: usize,
) -> Vec<Drive> {
    let count = random.random_range(0..=most);
    (0..count)
        .map(|_| Drive {
            node: NodeId(random.random_range(1..netlist.len() as u32)),
            time: random.random_range(0..DEPTH),
            guard: random_condition(random, conditions),
            value: random_condition(random, conditions),
        })
        .collect()
}

/// The conditions that are the variables.
fn variables() -> Conditions {
    let mut conditions = Conditions::default();
    for number in 0..VARIABLES {
        conditions.variable(number);
    }
    conditions
}

/// One word of all variables, and nothing asked.
fn nothing_asked(conditions: Conditions) -> Specification {
    Specification {
        words: vec![Word {
            name: "v".to_owned(),
            first: 0,
            width: VARIABLES,
        }],
        conditions,
        ..Specification::default()
    }
}

fn random_assumption(random: &mut StdRng, conditions: &mut Conditions) -> ConditionId {
    match random.random_bool(0.5) {
        true => ConditionId::TRUE,
        false => random_condition(random, conditions),
    }
}

fn random_specification(random: &mut StdRng, netlist: &Netlist) -> Specification {
    let mut conditions = variables();
    let antecedent = random_drives(random, netlist, &mut conditions, 7);
    let consequent = random_drives(random, netlist, &mut conditions, 2);
    let assumption = random_assumption(random, &mut conditions);
    Specification {
        assertions: vec![Assertion {
            name: "p".to_owned(),
            text: "p".to_owned(),
            place: entail_source::Span::new(0, 0),
            assumption,
            antecedent,
            consequent,
            is_indexed: false,
            relation: None,
            method: Method::Simulation,
        }],
        ..nothing_asked(conditions)
    }
}

/// The value of a node at a time by its definition; nothing for X. `Err` is a contradiction at this node.
fn defined(
    netlist: &Netlist,
    drives: &[(NodeId, u32, bool)],
    node: NodeId,
    time: u32,
) -> Result<Option<bool>, ()> {
    let of = |wire: Wire, time: u32| {
        let value = defined(netlist, drives, wire.node, time)?;
        Ok::<_, ()>(value.map(|value| value != wire.negated))
    };
    let mut value = match netlist.gate(node) {
        Gate::Zero => Some(false),
        Gate::Input | Gate::Register(None) => None,
        Gate::Register(Some(_)) if time == 0 => None,
        Gate::Register(Some(next)) => of(next, time - 1)?,
        Gate::Copy(a) => of(a, time)?,
        Gate::And(a, b) => match (of(a, time)?, of(b, time)?) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
    };
    for &(_, _, driven) in drives
        .iter()
        .filter(|(known, at, _)| (*known, *at) == (node, time))
    {
        if value == Some(!driven) {
            return Err(());
        }
        value = Some(driven);
    }
    Ok(value)
}

/// What a drive list says under a valuation.
fn said(drives: &[Drive], truths: &[bool]) -> Vec<(NodeId, u32, bool)> {
    let active = drives.iter().filter(|drive| truths[drive.guard.index()]);
    active
        .map(|drive| (drive.node, drive.time, truths[drive.value.index()]))
        .collect()
}

fn valuations() -> impl Iterator<Item = Vec<bool>> {
    (0..1u32 << VARIABLES).map(|bits| (0..VARIABLES).map(|at| bits >> at & 1 == 1).collect())
}

/// The verdict by trying all valuations.
fn reference(netlist: &Netlist, specification: &Specification) -> Verdict {
    reference_about(netlist, specification, &specification.assertions[0])
}

fn reference_about(netlist: &Netlist, specification: &Specification, assertion: &Assertion) -> Verdict {
    let mut weak = false;
    for values in valuations() {
        let truths = specification.conditions.evaluate(&values);
        let driven = said(&assertion.antecedent, &truths);
        let fails = driven
            .iter()
            .any(|&(node, time, _)| defined(netlist, &driven, node, time).is_err());
        if !truths[assertion.assumption.index()] || fails {
            continue;
        }
        for (node, time, demanded) in said(&assertion.consequent, &truths) {
            match defined(netlist, &driven, node, time) {
                Ok(Some(value)) if value == demanded => {}
                Ok(None) => weak = true,
                _ => return Verdict::Fails,
            }
        }
    }
    if weak { Verdict::Unknown } else { Verdict::Holds }
}

#[test]
fn both_engines_give_the_verdict_of_exhaustive_simulation() {
    let mut seen = [0usize; 3];
    for seed in 0..400 * effort() {
        let mut random = StdRng::seed_from_u64(seed);
        let netlist = random_netlist(&mut random);
        let specification = random_specification(&mut random, &netlist);
        let expected = reference(&netlist, &specification);
        let asked = ask_about(&netlist, specification);
        assert_eq!(asked.bdd.verdict, expected, "seed {seed}");
        seen[expected as usize] += 1;
    }
    assert!(seen.iter().all(|&count| count > 30), "{seen:?}");
}

/// Example N: the more is said of a state, the more is said of the next one, and nothing else.
#[test]
fn n_next_states_grow_with_states() {
    let mut random = StdRng::seed_from_u64(2_525);
    for _ in 0..300 * effort() {
        let netlist = random_netlist(&mut random);
        let (mut less, mut more) = (String::from("true"), String::from("true"));
        for node in 1..netlist.len() {
            let is_leaf = matches!(netlist.gate(NodeId(node as u32)), Gate::Input | Gate::Register(_));
            if !is_leaf || random.random_bool(0.3) {
                continue;
            }
            let said = format!(" and n{node} is {}", u8::from(random.random_bool(0.5)));
            if random.random_bool(0.5) {
                less.push_str(&said);
            }
            more.push_str(&said);
        }
        let [below, above] = [less, more].map(|antecedent| {
            let specification = read(&netlist, &format!("p: {antecedent} => N[2] (n1 is 1);"));
            replay(&netlist, &specification, &specification.assertions[0], &[])
        });
        for time in 0..3 {
            for node in 1..netlist.len() {
                let letters = [&below, &above].map(|run| run.letter(time, NodeId(node as u32)));
                assert!(
                    letters[0] == 'X' || letters[0] == letters[1],
                    "n{node} at {time}: {letters:?}"
                );
            }
        }
    }
}

#[test]
fn weakening_never_proves_more() {
    let mut lost = 0;
    for seed in 0..200 * effort() {
        let mut random = StdRng::seed_from_u64(seed);
        let netlist = random_netlist(&mut random);
        let mut specification = random_specification(&mut random, &netlist);
        let plain = reference(&netlist, &specification);
        let from = random.random_range(0..DEPTH);
        let weakening = Weakening {
            nodes: vec![NodeId(random.random_range(1..netlist.len() as u32))],
            from,
            to: random.random_bool(0.5).then_some(from + 1),
            guard: random_condition(&mut random, &mut specification.conditions),
        };
        specification.weakenings.push(weakening);
        let assertion = &specification.assertions[0];
        // (Of several cases that disagree an engine looks at one, which may be a counterexample or not.)
        for engine in [by_diagrams, by_sat] {
            let answer = engine(
                &netlist,
                &specification,
                assertion,
                Settings::default(),
                &Budget::unlimited(),
            );
            let verdict = answer.verdict;
            assert!(
                verdict == plain || verdict == Verdict::Unknown,
                "seed {seed}: {plain:?}, {verdict:?}"
            );
            accept(&netlist, &specification, &answer);
            lost += usize::from(verdict != plain);
        }
    }
    assert!(lost > 0, "no weakening mattered");
}

/// All Boolean runs of a netlist: values of all nodes at all times.
fn boolean_runs(netlist: &Netlist) -> Vec<Vec<Vec<bool>>> {
    let free: Vec<NodeId> = (netlist.gates())
        .filter(|(_, gate)| matches!(gate, Gate::Input | Gate::Register(None)))
        .map(|(node, _)| node)
        .collect();
    let registers: Vec<NodeId> = (netlist.gates())
        .filter(|(_, gate)| matches!(gate, Gate::Register(Some(_))))
        .map(|(node, _)| node)
        .collect();
    let bits = free.len() * DEPTH as usize + registers.len();
    let mut runs = Vec::new();
    for choice in 0..1u64 << bits {
        let mut frames: Vec<Vec<bool>> = Vec::new();
        for time in 0..DEPTH as usize {
            let mut frame: Vec<bool> = Vec::new();
            for (node, gate) in netlist.gates() {
                let read = |wire: Wire, frame: &[bool]| frame[wire.node.index()] != wire.negated;
                let position = |list: &[NodeId]| list.iter().position(|known| *known == node).unwrap_or(0);
                let value = match gate {
                    Gate::Zero => false,
                    Gate::Input | Gate::Register(None) => {
                        choice >> (time * free.len() + position(&free)) & 1 == 1
                    }
                    Gate::Register(Some(next)) if time > 0 => read(next, &frames[time - 1]),
                    Gate::Register(Some(_)) => {
                        choice >> (DEPTH as usize * free.len() + position(&registers)) & 1 == 1
                    }
                    Gate::Copy(a) => read(a, &frame),
                    Gate::And(a, b) => read(a, &frame) && read(b, &frame),
                };
                frame.push(value);
            }
            frames.push(frame);
        }
        runs.push(frames);
    }
    runs
}

/// What holds for trajectories holds for runs with Boolean values, and what fails fails for all that do what the antecedent says.
#[test]
fn verdicts_are_true_of_boolean_runs() {
    let mut met = [0usize; 2];
    for seed in 0..60 * effort() {
        let mut random = StdRng::seed_from_u64(1_000_000 + seed);
        let netlist = random_netlist(&mut random);
        let free = netlist
            .gates()
            .filter(|(_, gate)| matches!(gate, Gate::Input | Gate::Register(None)));
        if free.count() > 3 {
            continue;
        }
        let specification = random_specification(&mut random, &netlist);
        let asked = ask_about(&netlist, specification);
        let assertion = &asked.specification.assertions[0];
        let runs = boolean_runs(&netlist);
        let does = |run: &[Vec<bool>], said: &[(NodeId, u32, bool)]| {
            said.iter()
                .all(|&(node, time, value)| run[time as usize][node.index()] == value)
        };
        for values in valuations() {
            let truths = asked.specification.conditions.evaluate(&values);
            let driven = said(&assertion.antecedent, &truths);
            let demanded = said(&assertion.consequent, &truths);
            let is_case = match &asked.bdd.evidence {
                Some(TrajectoryEvidence::Valuation { values: case, .. }) => *case == values,
                _ => truths[assertion.assumption.index()],
            };
            for run in runs.iter().filter(|run| is_case && does(run, &driven)) {
                match asked.bdd.verdict {
                    Verdict::Holds => assert!(does(run, &demanded), "seed {seed}"),
                    Verdict::Fails => assert!(!does(run, &demanded), "seed {seed}"),
                    Verdict::Unknown => continue,
                }
                met[usize::from(asked.bdd.verdict == Verdict::Fails)] += 1;
            }
        }
    }
    assert!(met.iter().all(|&count| count > 100), "{met:?}");
}

#[test]
fn wrong_claims_and_damaged_valuations_are_rejected() {
    let mut rejected = [0usize; 2];
    for seed in 0..150 * effort() {
        let mut random = StdRng::seed_from_u64(2_000_000 + seed);
        let netlist = random_netlist(&mut random);
        let specification = random_specification(&mut random, &netlist);
        let assertion = &specification.assertions[0];
        let expected = reference(&netlist, &specification);
        // Whoever claims that it holds where it does not is told so.
        let claim = check_assertion(&netlist, &specification, assertion, &Budget::unlimited());
        match expected {
            Verdict::Holds => assert_eq!(claim, Ok(()), "seed {seed}"),
            _ => {
                assert_eq!(claim, Err(Refusal::Comparison), "seed {seed}");
                rejected[0] += 1;
            }
        }
        // A valuation is a counterexample only where the definition says so.
        for values in valuations() {
            let truths = specification.conditions.evaluate(&values);
            let driven = said(&assertion.antecedent, &truths);
            let fails = driven
                .iter()
                .any(|&(node, time, _)| defined(&netlist, &driven, node, time).is_err());
            let run = replay(&netlist, &specification, assertion, &values);
            assert_eq!(run.contradiction.is_some(), fails, "seed {seed}");
            let all_demanded = said(&assertion.consequent, &truths);
            for &(node, time, _) in all_demanded.iter().filter(|_| !fails) {
                let value = defined(&netlist, &driven, node, time);
                let is_wrong = (all_demanded.iter()).any(|&(other, at, demanded)| {
                    (other, at) == (node, time) && value == Ok(Some(!demanded))
                });
                assert_eq!(run.conflicts.contains(&(node, time)), is_wrong, "seed {seed}");
                rejected[1] += usize::from(!is_wrong);
            }
        }
    }
    assert!(rejected.iter().all(|&count| count > 30), "{rejected:?}");
}

#[test]
fn missing_cases_of_an_index_are_those_that_no_valuation_fits() {
    let mut seen = [0usize; 2];
    for seed in 0..200 * effort() {
        let mut random = StdRng::seed_from_u64(3_000_000 + seed);
        let netlist = random_netlist(&mut random);
        let specification = random_specification(&mut random, &netlist);
        let assertion = &specification.assertions[0];
        let mut places: Vec<(NodeId, u32)> = assertion
            .antecedent
            .iter()
            .map(|drive| (drive.node, drive.time))
            .collect();
        places.sort_unstable();
        places.dedup();
        let fits = |case: &[((NodeId, u32), bool)]| {
            valuations().any(|values| {
                let truths = specification.conditions.evaluate(&values);
                let agrees = |&(node, time, value): &(NodeId, u32, bool)| {
                    case.iter()
                        .all(|&(place, known)| place != (node, time) || known == value)
                };
                truths[assertion.assumption.index()]
                    && said(&assertion.antecedent, &truths).iter().all(agrees)
            })
        };
        let cases: Vec<Vec<((NodeId, u32), bool)>> = (0..1u32 << places.len())
            .map(|bits| {
                let values = (0..places.len()).map(|at| bits >> at & 1 == 1);
                places.iter().copied().zip(values).collect()
            })
            .collect();
        let all_fit = cases.iter().all(|case| fits(case));
        match coverage(&specification, assertion, &Budget::unlimited()) {
            Coverage::Complete => assert!(all_fit, "seed {seed}"),
            Coverage::Missing(case) => {
                let case: Vec<_> = case
                    .into_iter()
                    .map(|(node, time, value)| ((node, time), value))
                    .collect();
                let mut meant = cases
                    .iter()
                    .filter(|whole| case.iter().all(|part| whole.contains(part)));
                assert!(!all_fit && meant.all(|whole| !fits(whole)), "seed {seed}");
            }
            Coverage::Unknown(reason) => panic!("{reason}"),
        }
        seen[usize::from(all_fit)] += 1;
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
}

#[test]
fn mistakes_are_told_at_their_places() {
    let netlist = chapter_25::memory(4, 2);
    for (text, place, message) in [
        ("p: adr is 1 => out is 0;", "adr", "no node `adr`"),
        ("p: addr is 5 => out is 0;", "5", "does not fit into 2 bits"),
        ("var a[3]; p: addr is a => out is 0;", "a =>", "this has 3 bits"),
        ("p: addr is a => out is 0;", "a =>", "is no variable"),
        ("p: mem is 1 => out is 0;", "mem", "is a memory of 4 words"),
        ("p: mem[4] is 1 => out is 0;", "4", "4 words"),
        ("p: out[2] is 1 => out is 0;", "2]", "2 bits"),
        ("var a; var a;", "a;", ""),
        ("p: addr is 1 = out is 0;", "= out", "`=>` is expected"),
        ("p: addr is 1 from 3 to 3 => true;", "3 =>", "no time is from 3"),
        (
            "p: all i in 3..2: mem[i] is 0 => true;",
            "3..2",
            "no number from 3 to 2",
        ),
        ("p: addr is 1 => q;", "q", "no trajectory formula is called"),
        (
            "var x[2]; p: x -> addr is 1 => true;",
            "x ->",
            "a condition has one bit",
        ),
        (
            "p: addr is 2'b1x & 2'b11 => true;",
            "2'b1x",
            "x stands only after `is`",
        ),
        ("p: (addr is 1 => true;", "=>", "`)` is expected"),
        ("p: N[100001] (addr is 1) => true;", "100001", "later than"),
    ] {
        let problem = resolved(&netlist, text).expect_err(text).0.remove(0);
        assert!(problem.message.contains(message), "{text}: {}", problem.message);
        assert!(
            text[problem.span().start..].starts_with(place) || place == "a;",
            "{text}: {problem:?}"
        );
    }
}
