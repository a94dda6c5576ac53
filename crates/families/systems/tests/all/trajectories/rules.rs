//! Rules and indices: chapter 25's example K, mistakes, and random derivations and relations beside exhaustive simulation.

use super::chapter_25::{delayed_and, memory, two_stages};
use super::{
    DEPTH, VARIABLES, effort, random_condition, random_drives, random_netlist, random_specification, read,
    reference_about, resolved,
};
use entail_answer::Verdict;
use entail_budget::Budget;
use entail_proof::trajectory::{check_assertion, check_derivation, check_indexed};
use entail_trajectories::{
    Assertion, ConditionId, Derivation, Drive, IndexedForm, Method, Netlist, Specification, Statement,
    TrajectoryEvidence,
};
use entail_trajectory::{Settings, Underived, by_diagrams, by_index, derives};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Whether the engine and whether the checker accept the derivation of the last assertion. The checker reads a rule below a substitution in the variables of the end, so it accepts what the engine does, and may accept more.
fn both_accept(specification: &Specification) -> [bool; 2] {
    let position = specification.assertions.len() - 1;
    let assertion = &specification.assertions[position];
    let Method::Rules(derivation) = &assertion.method else {
        panic!("it is not proved by rules");
    };
    let budget = Budget::unlimited();
    let found = derives(specification, assertion, derivation, &budget);
    let judged = check_derivation(specification, position, derivation, &budget);
    assert!(judged.is_ok() || found.is_err(), "{found:?} {judged:?}");
    [found.is_ok(), judged.is_ok()]
}

const PREMISES: &str = "var x, y, z;
    first: a is x => N (b is !x);
    second: b is y and d is z => N (c is !y & z);";

#[test]
fn k_time_shift_substitution_and_transitivity_derive_what_simulation_finds() {
    let netlist = two_stages();
    for (derived, expected) in [
        // The second needs `d`, which stands in no antecedent before.
        ("a is x => N[2] (c is x & z) by transitivity (first, substitution y = !x in (shift 1 (second)))", false),
        (
            "a is x and N (d is z) => N[2] (c is x & z)
             by transitivity (conjunction (first, shift 1 (reflexivity (d is z))), shift 1 (substitution y = !x in (second)))",
            true,
        ),
        (
            "a is x and N (d is z) => N[2] (c is x & z) and N (b is !x)
             by transitivity ((a is x and N (d is z) => N (b is !x) by first), substitution y = !x in (shift 1 (second)))",
            true,
        ),
        // One step too early, another value, a variable that was not replaced.
        ("a is x and d is z => N (c is x & z) by transitivity (first, second)", false),
        ("b is y and d is z => N (c is y & z) by second", false),
        ("b is !x and d is z => N (c is x & z) by second", false),
        ("b is !x and d is z => N (c is x & z) by substitution y = !x in (second)", true),
        ("b is y and d is 0 => N (c is 0) by substitution z = 0 in (second)", true),
        // Both at once: y becomes z and z becomes y.
        ("b is z and d is y => N (c is !z & y) by substitution y = z, z = y in (second)", true),
        ("x |= b is y and d is x => N (c is !y) by substitution z = 1 in (second)", true),
        ("b is y and d is x => N (c is !y) by substitution z = 1 in (second)", false),
        (
            "b is y and d is z => z & y -> N (c is 0) and !z -> N (c is 0)
             by cases ((z |= b is y and d is z => y -> N (c is 0) by second), (!z |= b is y and d is z => N (c is 0) by second))",
            true,
        ),
        ("a is x and b is y => N (b is !x) and b is y and a is x by first", true),
    ] {
        let specification = read(&netlist, &format!("{PREMISES} p: {derived};"));
        assert_eq!(both_accept(&specification), [expected; 2], "{derived}");
        if expected {
            let assertion = &specification.assertions[2];
            let direct = by_diagrams(
                &netlist,
                &specification,
                assertion,
                Settings::default(),
                &Budget::unlimited(),
            );
            assert_eq!(direct.verdict, Verdict::Holds, "{derived}");
        }
    }
    let gap = read(
        &netlist,
        &format!("{PREMISES} p: b is y => N (c is !y & z) by second;"),
    );
    let Method::Rules(derivation) = &gap.assertions[2].method else {
        panic!("it is proved by rules");
    };
    let told = derives(&gap, &gap.assertions[2], derivation, &Budget::unlimited());
    let Err(Underived::Gap(gap)) = told else {
        panic!("{told:?}");
    };
    let node = netlist.signal("d").expect("d").elements[0][0];
    assert!(
        gap.place == Some((node, 0)) && gap.rule.starts_with("consequence"),
        "{gap:?}"
    );
}

#[test]
fn mistakes_in_proofs_are_told_at_their_places() {
    let netlist = two_stages();
    for (proof, place, message) in [
        ("third", "third", "no assertion before this one is called `third`"),
        ("p", "p;", "no assertion before this one is called `p`"),
        ("substitution w = 1 in (first)", "w =", "`w` is no variable"),
        ("substitution x = 2'd3 in (first)", "2'd3", "2 bits"),
        ("substitution x = 1, x = 0 in (first)", "x = 0", "replaced twice"),
        ("substitution x = 1'bx in (first)", "1'bx", "x has no value"),
        (
            "conjunction ()",
            ")",
            "a rule, or the name of an assertion is expected",
        ),
        ("shift x (first)", "x (", "a plain number is needed"),
        ("(a is x => b is x)", ")", "`by` is expected"),
        ("index", ";", "a value is expected"),
    ] {
        let text = format!("{PREMISES} p: a is x => N (b is !x) by {proof};");
        let problem = resolved(&netlist, &text).expect_err(proof).0.remove(0);
        assert!(problem.message.contains(message), "{proof}: {}", problem.message);
        assert!(
            text[problem.span().start..].starts_with(place),
            "{proof}: {problem:?}"
        );
    }
}

/// An assertion of the test.
fn assertion(name: &str, statement: Statement, method: Method, like: &Assertion) -> Assertion {
    Assertion {
        name: name.to_owned(),
        assumption: statement.assumption,
        antecedent: statement.antecedent,
        consequent: statement.consequent,
        method,
        ..like.clone()
    }
}

/// Rules over some premises, at random.
fn random_derivation(
    random: &mut StdRng,
    netlist: &Netlist,
    specification: &mut Specification,
    depth: u32,
) -> Derivation {
    let premises = specification.assertions.len();
    let inner = |random: &mut StdRng, specification: &mut Specification| {
        Box::new(random_derivation(
            random,
            netlist,
            specification,
            depth.saturating_sub(1),
        ))
    };
    match random.random_range(0..if depth == 0 { 3 } else { 8 }) {
        0 => {
            let conditions = &mut specification.conditions;
            Derivation::Reflexivity(random_drives(random, netlist, conditions, 2))
        }
        1 | 2 => Derivation::Premise(random.random_range(0..premises)),
        3 => Derivation::Shift(random.random_range(0..2), inner(random, specification)),
        4 => {
            let variable = random.random_range(0..VARIABLES);
            let condition = random_condition(random, &mut specification.conditions);
            Derivation::Substitution(vec![(variable, condition)], inner(random, specification))
        }
        kind => {
            let parts = vec![*inner(random, specification), *inner(random, specification)];
            match kind {
                5 => Derivation::Conjunction(parts),
                6 => Derivation::Cases(parts),
                _ => Derivation::Transitivity(parts),
            }
        }
    }
}

/// What the rules should make of premises, by their definition; conditions of rules are not looked at.
fn concluded(derivation: &Derivation, specification: &mut Specification) -> Statement {
    let joined = |parts: Vec<Statement>, specification: &mut Specification| {
        let mut parts = parts.into_iter();
        let mut whole = parts.next().expect("a part");
        for part in parts {
            whole.assumption = specification.conditions.and(whole.assumption, part.assumption);
            whole.antecedent.extend(part.antecedent);
            whole.consequent.extend(part.consequent);
        }
        whole
    };
    match derivation {
        Derivation::Premise(position) => {
            let premise = &specification.assertions[*position];
            Statement {
                assumption: premise.assumption,
                antecedent: premise.antecedent.clone(),
                consequent: premise.consequent.clone(),
            }
        }
        Derivation::Reflexivity(drives) => Statement {
            assumption: ConditionId::TRUE,
            antecedent: drives.clone(),
            consequent: drives.clone(),
        },
        Derivation::Conjunction(parts) | Derivation::Cases(parts) | Derivation::Transitivity(parts) => {
            let parts: Vec<Statement> = parts.iter().map(|part| concluded(part, specification)).collect();
            let first = parts[0].antecedent.clone();
            let mut whole = joined(parts, specification);
            if matches!(derivation, Derivation::Transitivity(_)) {
                whole.antecedent = first;
            }
            whole
        }
        Derivation::Shift(steps, inner) => {
            let mut inside = concluded(inner, specification);
            let sides = inside.antecedent.iter_mut().chain(&mut inside.consequent);
            sides.for_each(|drive| drive.time += steps);
            inside
        }
        Derivation::Substitution(_, inner) | Derivation::Consequence(_, inner) => {
            concluded(inner, specification)
        }
    }
}

/// What the rules accept is true by exhaustive simulation.
#[test]
fn what_random_derivations_derive_holds_by_exhaustive_simulation() {
    let mut seen = [0usize; 2];
    for seed in 0..1_500 * effort() {
        let mut random = StdRng::seed_from_u64(seed);
        let netlist = random_netlist(&mut random);
        let mut specification = random_specification(&mut random, &netlist);
        // Premises that hold: what does not is made to by leaving out what is demanded.
        let first = specification.assertions[0].clone();
        let second = Statement {
            assumption: random_condition(&mut random, &mut specification.conditions),
            antecedent: random_drives(&mut random, &netlist, &mut specification.conditions, 3),
            consequent: random_drives(&mut random, &netlist, &mut specification.conditions, 3),
        };
        specification
            .assertions
            .push(assertion("q", second, Method::Simulation, &first));
        for position in 0..2 {
            while reference_about(&netlist, &specification, &specification.assertions[position])
                != Verdict::Holds
            {
                specification.assertions[position].consequent.pop();
            }
        }
        let derivation = random_derivation(&mut random, &netlist, &mut specification, 3);
        let mut stated = concluded(&derivation, &mut specification);
        // (The assumption of what is concluded may be weaker than what rules need, and substitution is left out: not all are derived.)
        for _ in 0..random.random_range(0..3) {
            let conditions = &mut specification.conditions;
            match random.random_range(0..4) {
                0 => stated
                    .antecedent
                    .extend(random_drives(&mut random, &netlist, conditions, 1)),
                1 => drop(stated.consequent.pop()),
                2 => stated
                    .consequent
                    .extend(random_drives(&mut random, &netlist, conditions, 1)),
                _ => {
                    let condition = random_condition(&mut random, conditions);
                    stated.assumption = conditions.and(stated.assumption, condition);
                }
            }
        }
        if stated
            .antecedent
            .iter()
            .chain(&stated.consequent)
            .any(|drive: &Drive| drive.time > DEPTH + 1)
        {
            continue;
        }
        let derived = assertion("r", stated, Method::Rules(derivation), &first);
        specification.assertions.push(derived);
        let [accepted, judged] = both_accept(&specification);
        let truth = reference_about(&netlist, &specification, &specification.assertions[2]);
        assert!(!judged || truth == Verdict::Holds, "seed {seed}");
        seen[usize::from(accepted)] += usize::from(!specification.assertions[2].consequent.is_empty());
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

fn indexed(netlist: &Netlist, specification: &Specification) -> (Verdict, Option<IndexedForm>, Vec<String>) {
    let assertion = &specification.assertions[0];
    let Method::Index(relation) = assertion.method else {
        panic!("there is no index");
    };
    let budget = Budget::unlimited();
    let answer = by_index(
        netlist,
        specification,
        assertion,
        relation,
        Settings::default(),
        &budget,
    );
    let warnings = answer
        .warnings
        .iter()
        .map(|warning| warning.text.clone())
        .collect();
    let form = match answer.evidence {
        Some(TrajectoryEvidence::Indexed(form)) => {
            let judged = check_indexed(netlist, specification, assertion, &form, &budget);
            assert_eq!(judged, Ok(()), "{form:?}");
            Some(form)
        }
        Some(TrajectoryEvidence::Comparison { .. }) => {
            assert_eq!(
                check_assertion(netlist, specification, assertion, &budget),
                Ok(())
            );
            None
        }
        _ => None,
    };
    (answer.verdict, form, warnings)
}

/// The three-input AND of example H: the direct assertion by the index of the chapter.
#[test]
fn h_a_direct_assertion_is_proved_by_an_index() {
    let netlist = delayed_and("a b c", "o");
    let text = |cases: &str| {
        format!(
            "var v1, v2, v3, x1, x2; p: a is v1 and b is v2 and c is v3 => N (o is v1 & v2 & v3) by index {cases};"
        )
    };
    let all = "(!x1 & !x2 & !v1) | (x1 & !x2 & !v2) | (!x1 & x2 & !v3) | (x1 & x2 & v1 & v2 & v3)";
    let (verdict, form, warnings) = indexed(&netlist, &read(&netlist, &text(all)));
    assert_eq!((verdict, warnings), (Verdict::Holds, Vec::new()));
    let form = form.expect("the indexed form");
    // Only indices are spoken of, and each node is driven.
    assert_eq!(
        (form.antecedent.len(), form.consequent.len(), form.choice.len()),
        (3, 1, 2)
    );
    // Without its third case, one in which only c is 0 has no index; the assertion is decided all the same.
    let (verdict, form, warnings) = indexed(&netlist, &read(&netlist, &text(&all.replace("!v3", "!v2"))));
    assert!(verdict == Verdict::Holds && form.is_none());
    assert!(
        warnings
            .iter()
            .any(|text| text.contains("no index for v1 = 1, v2 = 1, v3 = 0")),
        "{warnings:?}"
    );
}

/// A memory read with a variable for each bit of it, proved by an address and a word.
#[test]
fn i_a_direct_memory_read_is_proved_by_an_index() {
    let netlist = memory(8, 2);
    let text = "var a[3], m[16], i[3], d[2];
        p: addr is a and all k in 0..7: mem[k] is m[2 * k + 1:2 * k]
        => out is {(a == 0 & m[1]) | (a == 1 & m[3]) | (a == 2 & m[5]) | (a == 3 & m[7]) | (a == 4 & m[9]) | (a == 5 & m[11]) | (a == 6 & m[13]) | (a == 7 & m[15]),
                   (a == 0 & m[0]) | (a == 1 & m[2]) | (a == 2 & m[4]) | (a == 3 & m[6]) | (a == 4 & m[8]) | (a == 5 & m[10]) | (a == 6 & m[12]) | (a == 7 & m[14])}
        by index a == i & (i == 0 ? m[1:0] == d : i == 1 ? m[3:2] == d : i == 2 ? m[5:4] == d : i == 3 ? m[7:6] == d
            : i == 4 ? m[9:8] == d : i == 5 ? m[11:10] == d : i == 6 ? m[13:12] == d : m[15:14] == d);";
    let (verdict, form, warnings) = indexed(&netlist, &read(&netlist, text));
    assert_eq!(
        (verdict, form.is_some(), warnings),
        (Verdict::Holds, true, Vec::new())
    );
}

#[test]
fn random_indices_prove_only_what_is_true_and_damaged_forms_are_rejected() {
    let mut seen = [0usize; 3];
    for seed in 0..800 * effort() {
        let mut random = StdRng::seed_from_u64(seed);
        let netlist = random_netlist(&mut random);
        let mut specification = random_specification(&mut random, &netlist);
        // Two more variables are the indices.
        specification.words[0].width += 2;
        let conditions = &mut specification.conditions;
        let mut relation = ConditionId::TRUE;
        for index in VARIABLES..VARIABLES + 2 {
            let index = conditions.variable(index);
            let condition = random_condition(&mut random, conditions);
            let differ = conditions.xor(index, condition);
            let related = conditions.not(differ);
            relation = match random.random_range(0..4) {
                0 => conditions.or(relation, related),
                _ => conditions.and(relation, related),
            };
        }
        specification.assertions[0].method = Method::Index(relation);
        let truth = reference_about(&netlist, &specification, &specification.assertions[0]);
        let (verdict, form, _) = indexed(&netlist, &specification);
        assert_eq!(verdict, truth, "seed {seed}");
        seen[0] += usize::from(form.is_some());
        let Some(mut form) = form else {
            continue;
        };
        let budget = Budget::unlimited();
        let assertion = &specification.assertions[0];
        // Driven where nothing is, demanded less, chosen otherwise.
        match random.random_range(0..3) {
            0 => form
                .antecedent
                .push((random.random_range(1..netlist.len() as u32), 0, 1, 0)),
            1 => drop(form.consequent.pop()),
            _ => {
                let last = form.functions.len() as u32 + 1;
                for (_, choice) in &mut form.choice {
                    *choice = last.saturating_sub(*choice);
                }
            }
        }
        match check_indexed(&netlist, &specification, assertion, &form, &budget) {
            Ok(()) => assert_eq!(truth, Verdict::Holds, "seed {seed}"),
            Err(_) => seen[1] += 1,
        }
        // A form that proves this proves nothing that is not so.
        let mut wrong = specification.clone();
        let drives = random_drives(&mut random, &netlist, &mut wrong.conditions, 2);
        wrong.assertions[0].consequent.extend(drives);
        let other = &wrong.assertions[0];
        if reference_about(&netlist, &wrong, other) != Verdict::Holds {
            assert!(
                check_indexed(&netlist, &wrong, other, &form, &budget).is_err(),
                "seed {seed}"
            );
            seen[2] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}
