//! What the reader of PRISM's language accepts, what it refuses and where, and that no text makes it panic.

use entail_budget::Budget;
use entail_markov::{Property, Value, explore};
use entail_prism::{Constants, build, lower_property, read_model, read_properties};
use entail_source::Source;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const DIE: &str = include_str!("../../../../examples/probabilistic/die.pm");
const QUEUE: &str = include_str!("../../../../examples/probabilistic/queue.sm");

/// A model with renaming, formulas, synchronisation, hiding and most functions.
const MANY: &str = r#"
    nondeterministic
    const int N = 3; const double p = 1/4; const bool flag = true;
    formula full = x=N;
    global g : bool init false;
    module one
      x : [0..N] init 0;
      [step] !full & flag -> p : (x'=x+1) + 1-p : (x'=max(x-1,0));
      [] full & x>=pow(2,1) -> (g'=true);
    endmodule
    module two = one [x=y] endmodule
    module three
      z : int init floor(2.7);
      [step] true -> (z'=mod(z+1,5));
      [other] z>=0 => z<=ceil(4.2) -> true;
    endmodule
    rewards "r" x>0 : x*0.5; [step] true : 1; [] true : 2; endrewards
    label "done" = full & y=N;
    system (one || two) |[step]| (three / {other}) endsystem
"#;

fn states(text: &str, constants: &[(&str, Value)]) -> usize {
    let given: Constants = constants
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let model = read_model(text).unwrap_or_else(|problem| panic!("{problem}"));
    let built = build(&model, &given).unwrap_or_else(|problem| panic!("{problem}"));
    explore(&built.network, 100_000, &Budget::unlimited())
        .unwrap_or_else(|error| panic!("{error}"))
        .states
        .len()
}

#[test]
fn powers_are_written_with_a_hat() {
    let states = |low: &str| states(&format!("mdp module m x:[{low}..9] init 9; endmodule"), &[]);
    for (written, value) in [
        ("2^3", 8),
        ("-2^2", 4),
        ("2*3^2-10", 8),
        ("2^2^0", 2),
        ("floor(2^-1.0)", 0),
        ("floor((1/4)^(1/2)*10)", 5),
    ] {
        let bound = format!("({written})={value} ? 9 : 10");
        assert_eq!(states(&bound), 1, "{written}");
    }
}

#[test]
fn a_reward_in_a_list_without_semicolons_is_no_release() {
    let list = "P>0.5 [ F s=7 ]\nR{\"flips\"}=? [ I=1 ]\nR{\"flips\"}<=5 [ F s=7 ]\nR=? [ C ]\nRmax=? [ F s=7 ]\nP=? [ s<7 R s=0 ]\nP=? [ s<7 R<=5 s=0 ]\nP=? [ s<7 R[0,5] s=0 ]\nP=? [ F<=2+3 s=7 ]\nP=? [ F<=-1+(2) (s=7) ]";
    let file = read_properties(list).unwrap_or_else(|problem| panic!("{problem}"));
    let starts: Vec<usize> = list.match_indices('\n').map(|(at, _)| at + 1).collect();
    let places = file.places();
    let found: Vec<usize> = places.iter().map(|place| place.span.start).collect();
    assert_eq!(found, [vec![0], starts].concat());
}

/// The line, column and text of the first error.
fn error(text: &str) -> (usize, usize, String) {
    let problem = match read_model(text) {
        Err(problem) => problem,
        Ok(model) => match build(&model, &Constants::new()) {
            Err(problem) => problem,
            Ok(_) => panic!("this is fine: {text}"),
        },
    };
    let place = Source::new("m", text).place(problem.span().start);
    (place.line, place.column, problem.message)
}

#[test]
fn models_have_as_many_states_as_they_should() {
    assert_eq!(states(DIE, &[]), 13);
    assert_eq!(states(QUEUE, &[("N", Value::Int(5))]), 6);
    assert!(states(MANY, &[]) > 10);
}

#[test]
fn formulas_inside_renamed_modules_are_renamed() {
    let model = read_model(MANY).expect("fine");
    let network = build(&model, &Constants::new()).expect("fine").network;
    // The copy's guard is about y: in the state x=3, y=0 it is enabled.
    let guard = &network.components[1].commands[0].guard;
    let y = network
        .variables
        .iter()
        .position(|variable| variable.name == "y")
        .expect("y");
    let mut state = vec![0; network.variables.len()];
    state[1] = 3;
    assert_eq!(network.holds(guard, &state), Ok(true));
    state[y] = 3;
    assert_eq!(network.holds(guard, &state), Ok(false));
}

#[test]
fn errors_have_places_and_say_what_is_wrong() {
    let cases: &[(&str, (usize, usize), &str)] = &[
        (
            "dtmc\nmodule m\n x : [0..3];\n [] y=0 -> true;\nendmodule",
            (4, 5),
            "`y` is not declared",
        ),
        (
            "dtmc\nmodule m\n x : [0..3];\n [] x -> true;\nendmodule",
            (4, 5),
            "a Boolean is needed",
        ),
        (
            "dtmc\nmodule m\n x : [3..0];\nendmodule",
            (3, 7),
            "the range 3..0 of x is empty",
        ),
        (
            "dtmc\nconst int N;\nmodule m\n x : [0..N];\nendmodule",
            (4, 10),
            "the constant N has no value",
        ),
        (
            "dtmc\nformula a = b;\nformula b = a;\nmodule m x : bool; [] a -> true; endmodule",
            (3, 13),
            "in a circle",
        ),
        (
            "dtmc\nmodule m x : [0..1]; [] true -> (y'=1); endmodule",
            (2, 34),
            "`y` is not a variable",
        ),
        (
            "dtmc\nmodule m x : [0..1]; [] true -> (x'=1) endmodule",
            (2, 40),
            "`;` or `+`",
        ),
        (
            "dtmc\nmodule F x : [0..1]; endmodule",
            (2, 8),
            "`F` is a word of the language",
        ),
        ("pomdp\nmodule m x : bool; endmodule", (1, 1), "are not supported"),
        (
            "mdp\nglobal g : bool;\nmodule m x : bool; [a] true -> (g'=true); endmodule",
            (3, 33),
            "global variable g",
        ),
        (
            "dtmc\nmodule m x : bool; x : bool; endmodule",
            (2, 20),
            "declared twice",
        ),
        (
            "dtmc\nmodule m x : bool; endmodule\nrewards [b] true : 1; endrewards",
            (3, 9),
            "there is no action `b`",
        ),
        ("dtmc $", (1, 6), "no part of the language"),
    ];
    for (text, place, message) in cases {
        let (line, column, found) = error(text);
        assert!(found.contains(message), "{text}: {found}");
        assert_eq!((line, column), *place, "{text}: {found}");
    }
}

#[test]
fn properties_bind_as_in_prism() {
    let model = read_model(DIE).expect("fine");
    let network = build(&model, &Constants::new()).expect("fine").network;
    let lower = |text: &str| -> Property {
        let file = read_properties(text).unwrap_or_else(|problem| panic!("{text}: {problem}"));
        lower_property(&model, &network, &Constants::new(), &[], &file, 0)
            .unwrap_or_else(|problem| panic!("{text}: {problem}"))
            .0
    };
    assert_eq!(lower("P=? [ F s=7 & d=1 ]"), lower("P=? [ F ((s=7) & (d=1)) ]"));
    assert_eq!(lower("P=? [ true U s=7 ]"), lower("P=? [ (true) U (s=7) ]"));
    assert_eq!(lower("1-P=? [ F s=7 ]"), lower("1 - (P=? [ F s=7 ])"));
    for fine in [
        "\"named\": P>=1 [ F \"done\" ];",
        "R{\"flips\"}=? [ C<=10 ]",
        "R=? [ F s=7 ] + 1 > 2",
        "filter(max, P=? [ F s=7 ], s<3)",
        "P=? [ F<=5 s=7 {s=1}{max} ]",
        "S=? [ s=7 ]",
        "A [ G s<=7 ] & E [ F d=6 ]",
        "P=? [ (G F s=7) & !(F G s=0) ]",
        "const int k = 2; P=? [ F[1,k] s=3 ]",
        "label \"three\" = d=3; P=? [ F \"three\" ]",
        "P=? [ F{\"flips\"}<=5 s=7 ]",
        "P=? [ F{\"flips\"}<=5,{\"flips\"}>2 s=7 ]",
        "P=? [ s<8 U^{rew{\"flips\"}[1,3],steps<=4} s=7 ]",
        "P=? [ F rew{\"flips\"}<5 s=7 ]",
        "quantile(min B, P>=0.5 [ F{\"flips\"}<=B s=7 ])",
        "quantile(B, P<0.5 [ F{\"flips\"}>=B,<=9 s=7 ])",
        "multilex(Pmax=? [ F s=7 ], R{\"flips\"}min=? [ C ])",
        "P=? [ F \"unexplored\" ]",
    ] {
        lower(fine);
    }
    for (wrong, message) in [
        ("P=? [ F \"nowhere\" ]", "there is no label"),
        ("P=? [ s ]", "a Boolean is needed"),
        ("P=0.5 [ F s=7 ]", "`?`"),
        ("P>=2 [ F s=7 ]", "no probability"),
        ("R{\"x\"}=? [ F s=7 ]", "there are no rewards"),
        ("F s=7", "a path formula"),
        ("P=? [ F<=0.5 s=7 ]", "whole numbers"),
        ("P=? [ F s=7", "`]`"),
        ("P=? [ F{\"x\"}<=5 s=7 ]", "there are no rewards"),
        ("P=? [ F{\"flips\"}<=B s=7 ]", "B"),
        ("quantile(min B, P=? [ F{\"flips\"}<=B s=7 ])", "with a threshold"),
        ("quantile(min B, P>=0.5 [ F{\"flips\"}<=3 s=7 ])", "not a bound"),
        (
            "quantile(min B, P>=0.5 [ F{\"flips\"}<=B,{\"flips\"}>B s=7 ])",
            "once",
        ),
        ("quantile(P>=0.5 [ F s=7 ])", "a bound that is asked for"),
    ] {
        let found = match read_properties(wrong) {
            Err(problem) => problem,
            Ok(file) => lower_property(&model, &network, &Constants::new(), &[], &file, 0).expect_err(wrong),
        };
        assert!(found.message.contains(message), "{wrong}: {found}");
    }
}

#[test]
fn no_damage_makes_the_reader_panic() {
    let mut random = StdRng::seed_from_u64(7);
    let properties =
        "P=? [ F<=3 s=7 & d=1 ]; \"a\": R{\"flips\"}max>=1 [ C ]; filter(state, S<0.5 [ s=1 ], s=2)";
    for round in 0..6000 {
        let base = [DIE, QUEUE, MANY, properties][round % 4];
        let mut bytes = base.as_bytes().to_vec();
        for _ in 0..random.random_range(1..6) {
            let at = random.random_range(0..bytes.len());
            match random.random_range(0..4) {
                0 if bytes.len() > 1 => drop(bytes.remove(at)),
                1 => bytes.insert(at, random.random_range(32..127)),
                2 => bytes.truncate(at.max(1)),
                _ => {
                    let other = random.random_range(0..bytes.len());
                    bytes.swap(at, other);
                }
            }
        }
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        let constants: Constants = [("N".to_owned(), Value::Int(2))].into();
        if let Ok(model) = read_model(&text)
            && let Ok(built) = build(&model, &constants)
        {
            let _ = explore(&built.network, 200, &Budget::unlimited());
        }
        if let (Ok(model), Ok(file)) = (read_model(DIE), read_properties(&text)) {
            let network = build(&model, &Constants::new()).expect("fine").network;
            for position in 0..file.places().len() {
                let _ = lower_property(&model, &network, &Constants::new(), &[], &file, position);
            }
        }
    }
}

#[test]
fn coalitions_of_the_only_player_say_which_schedulers_count() {
    let model = read_model("mdp module m x:[0..1] init 0; [] true -> (x'=1); [] true -> true; endmodule")
        .expect("a model");
    let built = build(&model, &Constants::new()).expect("a network");
    let read = |text: &str| -> Result<Vec<Property>, entail_source::Diagnostic> {
        let file = read_properties(text)?;
        let read = |at| lower_property(&model, &built.network, &Constants::new(), &[], &file, at);
        (0..file.places().len()).map(|at| Ok(read(at)?.0)).collect()
    };
    let same = |text: &str, other: &str| {
        let (one, other) = (read(text).expect(text), read(other).expect(other));
        assert_eq!(one, other, "{text}");
    };
    same("<<*>> P>0.5 [ F x=1 ]", "Pmax>0.5 [ F x=1 ]");
    same("<<1>> P<=0.5 [ F x=1 ]", "Pmin<=0.5 [ F x=1 ]");
    same("[[]] P>=0.5 [ F x=1 ]", "Pmax>=0.5 [ F x=1 ]");
    same("[[*]] P<0.5 [ F x=1 ]", "P<0.5 [ F x=1 ]");
    same("<<>> P<0.5 [ F x=1 ]", "P<0.5 [ F x=1 ]");
    same("<<*>> Pmin=? [ F x=1 ]", "Pmin=? [ F x=1 ]");
    // Questions without semicolons between them.
    same(
        "P>0.5 [ F x=1 ]\n<<*>> P>0.5 [ F x=1 ]\n[[*]] P>0.5 [ F x=1 ]",
        "P>0.5 [ F x=1 ]; Pmax>0.5 [ F x=1 ]; P>0.5 [ F x=1 ]",
    );
    assert!(read("<<2>> P>0.5 [ F x=1 ]").is_err());
    assert!(read("<<*>> x=1").is_err());
    assert!(read("<<*> P>0.5 [ F x=1 ]").is_err());
}
