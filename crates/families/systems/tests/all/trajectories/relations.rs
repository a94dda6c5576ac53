//! Relations between values of nodes at several times: chapter 25's example, and random ones beside exhaustive simulation.

use super::chapter_25::Bench;
use super::{
    VARIABLES, accept, defined, effort, random_netlist, random_specification, read, resolved, said,
    valuations,
};
use entail_answer::Verdict;
use entail_budget::Budget;
use entail_proof::Refusal;
use entail_proof::trajectory::check_assertion;
use entail_trajectories::{
    ConditionId, Conditions, Drive, Gate, Netlist, NodeId, Relation, Sample, Specification,
};
use entail_trajectory::{Settings, by_diagrams, by_sat};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn decided(netlist: &Netlist, specification: &Specification) -> Verdict {
    let assertion = &specification.assertions[0];
    let budget = Budget::unlimited();
    let answer = by_diagrams(netlist, specification, assertion, Settings::default(), &budget);
    accept(netlist, specification, &answer);
    let other = by_sat(netlist, specification, assertion, Settings::default(), &budget);
    assert_eq!(other.verdict, Verdict::Unknown);
    answer.verdict
}

fn ask(netlist: &Netlist, text: &str) -> Verdict {
    decided(netlist, &read(netlist, text))
}

#[test]
fn l_two_grants_exclude_each_other_two_steps_later() {
    let mut bench = Bench::default();
    let (first, second) = (bench.node("r", Gate::Input), bench.node("s", Gate::Input));
    let later = bench.node("later", Gate::And(second, !first));
    let (one, other) = (
        bench.node("a1", Gate::Register(Some(first))),
        bench.node("b1", Gate::Register(Some(later))),
    );
    bench.node("a", Gate::Register(Some(one)));
    bench.node("b", Gate::Register(Some(other)));
    let text = |driven: &str, demanded: &str| {
        format!("var x, y; signal a2 = a at 2; signal b2 = b at 2; relation mutex: {driven} => {demanded};")
    };
    let netlist = &bench.netlist;
    assert_eq!(
        ask(netlist, &text("r is x and s is y", "!(a2 & b2)")),
        Verdict::Holds
    );
    assert_eq!(
        ask(netlist, &text("r is x and s is y", "a2 | b2")),
        Verdict::Fails
    );
    assert_eq!(
        ask(netlist, &text("r is x and s is y", "a2 == x & b2 == (y & !x)")),
        Verdict::Holds
    );
    // Without `s`, `b` is X unless `r` is 1, and the relation holds whatever it is.
    assert_eq!(ask(netlist, &text("r is x", "!(a2 & b2)")), Verdict::Holds);
    assert_eq!(ask(netlist, &text("r is x", "a2 | b2")), Verdict::Unknown);
    assert_eq!(ask(netlist, &text("x |= r is x", "a2 & !b2")), Verdict::Holds);
    for wrong in [
        "relation p: a is 1 => a;",
        "signal a = nobody at 1; relation p: a is 1 => a;",
        "signal q = a at 1; signal q = b at 1; relation p: a is 1 => q;",
        "signal q = a at 1; p: a is q => a is 1;",
        "signal q = a at 1; relation p: a is 1 => q and a is 1;",
    ] {
        assert!(resolved(netlist, wrong).is_err(), "{wrong}");
    }
}

fn random_relation(random: &mut StdRng, netlist: &Netlist, specification: &mut Specification) {
    let samples: Vec<Sample> = (0..random.random_range(1..4))
        .map(|number| Sample {
            node: NodeId(random.random_range(1..netlist.len() as u32)),
            time: random.random_range(0..super::DEPTH),
            variable: VARIABLES + number,
        })
        .collect();
    let conditions: &mut Conditions = &mut specification.conditions;
    let mut formula = ConditionId::constant(random.random_bool(0.5));
    for _ in 0..random.random_range(1..5) {
        let number = random.random_range(0..VARIABLES + samples.len() as u32);
        let variable = conditions.variable(number);
        formula = match random.random_range(0..3) {
            0 => conditions.or(formula, variable),
            1 => conditions.xor(formula, variable),
            _ => {
                let other = conditions.not(variable);
                conditions.or(formula, other)
            }
        };
    }
    let assertion = &mut specification.assertions[0];
    assertion.consequent = samples
        .iter()
        .map(|sample| Drive {
            node: sample.node,
            time: sample.time,
            guard: ConditionId::FALSE,
            value: ConditionId::FALSE,
        })
        .collect();
    assertion.relation = Some(Relation { formula, samples });
}

/// The verdict by trying all valuations, and all values of an X.
fn reference(netlist: &Netlist, specification: &Specification) -> Verdict {
    let assertion = &specification.assertions[0];
    let relation = assertion.relation.as_ref().expect("a relation");
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
        let found: Vec<Option<bool>> = (relation.samples.iter())
            .map(|sample| defined(netlist, &driven, sample.node, sample.time).unwrap_or(None))
            .collect();
        for choice in 0..1_u32 << found.len() {
            let mut all = values.clone();
            all.extend((found.iter().enumerate()).map(|(at, value)| value.unwrap_or(choice >> at & 1 == 1)));
            let is_true = specification.conditions.evaluate(&all)[relation.formula.index()];
            match (is_true, found.iter().all(Option::is_some)) {
                (true, _) => {}
                (false, true) => return Verdict::Fails,
                (false, false) => weak = true,
            }
        }
    }
    if weak { Verdict::Unknown } else { Verdict::Holds }
}

#[test]
fn verdicts_about_relations_are_those_of_exhaustive_simulation() {
    let mut seen = [0usize; 3];
    for seed in 0..400 * effort() {
        let mut random = StdRng::seed_from_u64(seed);
        let netlist = random_netlist(&mut random);
        let mut specification = random_specification(&mut random, &netlist);
        random_relation(&mut random, &netlist, &mut specification);
        let expected = reference(&netlist, &specification);
        assert_eq!(decided(&netlist, &specification), expected, "seed {seed}");
        seen[expected as usize] += 1;
        if expected != Verdict::Holds {
            let assertion = &specification.assertions[0];
            let told = check_assertion(&netlist, &specification, assertion, &Budget::unlimited());
            assert_eq!(told, Err(Refusal::Comparison), "seed {seed}");
        }
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
}
