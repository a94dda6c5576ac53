//! `forall` in PSL: a property with a replicated name says what its copies for all values say together.

use crate::asking::{all_answers, load};
use entail_answer::Verdict;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Verdicts of an SMV model's specifications; their evidence has been accepted.
fn verdicts(text: &str) -> Vec<Verdict> {
    let model = load(text.as_bytes(), "smv");
    let judged = all_answers(&*model, "bdd").into_iter();
    judged.map(|judged| judged.answer.verdict).collect()
}

fn random_model(random: &mut StdRng) -> String {
    let mut term = || {
        let choices = [
            "n",
            "m",
            "0",
            "1",
            "(n + 1) mod 4",
            "(m + n) mod 4",
            "{0, 3}",
            "{1, 2}",
        ];
        choices[random.random_range(0..choices.len())].to_owned()
    };
    let (next_n, other_n, next_m) = (term(), term(), term());
    format!(
        "MODULE main\nVAR n : 0..3; m : 0..3; b : boolean;\nASSIGN init(n) := 0; init(m) := {{0, 1}};\n  next(n) := case b : {next_n}; TRUE : {other_n}; esac;\n  next(m) := {next_m};\n"
    )
}

/// A property of a value `i`.
fn random_property(random: &mut StdRng) -> String {
    let mut atom = || {
        let choices = ["n = i", "m = i", "n != i", "m != i", "b", "n = m"];
        choices[random.random_range(0..choices.len())].to_owned()
    };
    let (a, b, c) = (atom(), atom(), atom());
    let shapes = [
        format!("always {{{a}; {b}}} |-> {c}"),
        format!("always {{{a}; {b}[*1:2]}} |=> {{{c}}}"),
        format!("{{[*]; {a}}} |-> eventually! {b}"),
        format!("never {{{a}; {b}; {c}}}"),
        format!("always ({a} -> next_e[1:3] ({b}))"),
        format!("always {{{a}}} |=> (({b}) until ({c}))"),
    ];
    shapes[random.random_range(0..shapes.len())].clone()
}

/// The property with a number in the place of `i`.
fn copy(property: &str, value: i64) -> String {
    let words = property.split(' ');
    let replaced = words.map(|word| {
        let tail = word.trim_start_matches('i');
        let is_name = word.len() == tail.len() + 1 && !tail.starts_with(char::is_alphanumeric);
        if is_name {
            format!("{value}{tail}")
        } else {
            word.to_owned()
        }
    });
    replaced.collect::<Vec<String>>().join(" ")
}

#[test]
fn a_replicated_property_is_all_of_its_copies() {
    let effort: u64 = std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let mut seen = [0usize; 2];
    for seed in 0..40 * effort {
        let mut random = StdRng::seed_from_u64(seed);
        let model = random_model(&mut random);
        let property = random_property(&mut random);
        let (set, values): (&str, &[i64]) = match random.random_range(0..3) {
            0 => ("{0:3}", &[0, 1, 2, 3]),
            1 => ("{1}", &[1]),
            _ => ("{0, 2:3}", &[0, 2, 3]),
        };
        let mut text = format!("{model}PSLSPEC forall i in {set}: {property};\n");
        for &value in values {
            text += &format!("PSLSPEC {};\n", copy(&property, value));
        }
        let verdicts = verdicts(&text);
        assert_eq!(verdicts.len(), values.len() + 1, "{text}");
        assert!(!verdicts.contains(&Verdict::Unknown), "{text}");
        let all_hold = verdicts[1..].iter().all(|verdict| *verdict == Verdict::Holds);
        assert_eq!(verdicts[0] == Verdict::Holds, all_hold, "{text}");
        seen[usize::from(all_hold)] += 1;
    }
    assert!(seen.iter().all(|&count| count > 3), "{seen:?}");
}

/// Sixty-four bits: a copy for each value could never be written out.
#[test]
fn all_values_of_a_word_of_sixty_four_bits_cost_a_variable() {
    let text = "MODULE main\nVAR first : unsigned word[64]; second : unsigned word[64]; go : boolean;\nASSIGN next(second) := go ? first : second;\n
PSLSPEC forall w[63:0] in boolean: always {first = w & go; !go} |-> second = w;\n
PSLSPEC forall w[63:0] in boolean: always {first = w; !go} |-> second = w;\n";
    let model = load(text.as_bytes(), "smv");
    let judged = all_answers(&*model, "ic3");
    let verdicts: Vec<Verdict> = judged.iter().map(|judged| judged.answer.verdict).collect();
    assert_eq!(verdicts, [Verdict::Holds, Verdict::Fails]);
}
