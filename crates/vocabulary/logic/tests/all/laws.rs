//! Laws of the passes over formulas, on random formulas and all short words.

use crate::lasso;
use entail_logic::{Binary, Formula, Interval, Paths, Quantifier, Unary, parse, quoted};
use lasso::{Lasso, holds, short_lassos};
use proptest::prelude::*;
use std::sync::LazyLock;

type F = Formula<String>;

static WORDS: LazyLock<Vec<Lasso>> = LazyLock::new(|| short_lassos(&["p", "q"], 3));

const UNARY: [Unary; 7] = [
    Unary::Next,
    Unary::Finally,
    Unary::Globally,
    Unary::Yesterday,
    Unary::WeakYesterday,
    Unary::Once,
    Unary::Historically,
];

const BINARY: [Binary; 6] = [
    Binary::Until,
    Binary::Release,
    Binary::WeakUntil,
    Binary::StrongRelease,
    Binary::Since,
    Binary::Triggered,
];

fn interval() -> impl Strategy<Value = Interval> {
    prop_oneof![
        3 => Just(Interval::ALWAYS),
        1 => (0u32..3, 0u32..3).prop_map(|(from, to)| Interval::bounded(from, to)),
        1 => (0u32..3).prop_map(|from| Interval { from, to: None }),
    ]
}

/// Random formulas; with path quantifiers or without.
fn formulas(quantifiers: bool) -> impl Strategy<Value = F> {
    let leaf = prop_oneof![
        4 => prop_oneof![Just("p"), Just("q")].prop_map(|name| F::atom(name.to_string())),
        1 => any::<bool>().prop_map(F::constant),
    ];
    leaf.prop_recursive(4, 12, 3, move |inner| {
        let unary = (0..UNARY.len(), interval(), inner.clone()).prop_map(|(op, interval, a)| {
            let op = UNARY[op];
            match op {
                Unary::Next | Unary::Yesterday | Unary::WeakYesterday => F::unary(op, &a),
                _ => F::unary_within(op, interval, &a),
            }
        });
        let binary = (0..BINARY.len(), interval(), inner.clone(), inner.clone())
            .prop_map(|(op, interval, a, b)| F::binary_within(BINARY[op], interval, &a, &b));
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            1 => inner.clone().prop_map(|a| a.not()),
            1 => prop::collection::vec(inner.clone(), 2..4).prop_map(F::and),
            1 => prop::collection::vec(inner.clone(), 2..4).prop_map(F::or),
            1 => pair.prop_map(|(a, b)| a.implies(&b)),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| a.iff(&b)),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| a.xor(&b)),
            3 => unary,
            3 => binary,
            if quantifiers { 3 } else { 0 } => (any::<bool>(), inner).prop_map(|(all, a)| {
                a.quantified(if all { Quantifier::Forall } else { Quantifier::Exists })
            }),
        ]
    })
}

fn agree(a: &F, b: &F) -> Result<(), TestCaseError> {
    for word in WORDS.iter() {
        prop_assert_eq!(holds(a, word), holds(b, word), "{} and {} on {:?}", a, b, word);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn positive_normal_form_keeps_the_meaning(formula in formulas(false)) {
        let normal = formula.positive_normal_form();
        prop_assert!(normal.is_positive_normal_form());
        agree(&formula, &normal)?;
        agree(&formula.not(), &formula.negated_normal_form())?;
    }

    #[test]
    fn simplification_keeps_the_meaning_and_does_not_grow(formula in formulas(false)) {
        let simple = formula.simplify(Paths::Infinite);
        prop_assert!(simple.size() <= formula.size());
        agree(&formula, &simple)?;
        agree(&formula, &formula.simplify(Paths::Maximal))?;
    }

    #[test]
    fn expanding_bounds_keeps_the_meaning(formula in formulas(false)) {
        let expanded = formula.expand_bounds(5).expect("small bounds");
        prop_assert!(expanded.is_in(entail_logic::Fragment::Unbounded));
        agree(&formula, &expanded)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn printing_and_parsing_are_inverse(formula in formulas(true)) {
        let text = formula.to_string();
        match parse(&text) {
            Ok(read) => prop_assert_eq!(read, formula, "{}", text),
            Err(error) => prop_assert!(false, "{}: {}", text, error),
        }
    }

    #[test]
    fn classifying_a_negation_swaps_the_dual_fragments(formula in formulas(true)) {
        use entail_logic::Fragment::*;
        let (class, negated) = (formula.classify(), formula.not().classify());
        if formula.is_state_formula() {
            prop_assert_eq!(class.contains(ActlStar), negated.contains(EctlStar));
            let normal = formula.positive_normal_form();
            prop_assert_eq!(class.contains(ActlStar), normal.is_in(ActlStar), "{}", formula);
        }
        prop_assert_eq!(class.contains(StateFormula), formula.is_state_formula());
        prop_assert_eq!(class.contains(Propositional), formula.is_propositional());
        if class.contains(Actl) {
            prop_assert!(class.contains(Ctl) && class.contains(ActlStar));
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in ".{0,60}") {
        let _ = parse(&text);
    }

    #[test]
    fn no_sequence_of_words_makes_the_parser_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "p", "A", "E", "AG", "EBF", "U", "V", "X", "F", "G", "S", "BU", "(", ")", "[", "]", "1", "2", "..", ",",
                "+oo", "!", "&", "|", "->", "<->", "xor", "TRUE", "\"", "é",
            ]),
            0..20,
        )
    ) {
        if let Ok(formula) = parse(&words.join(" ")) {
            let text = formula.display_with(|name, f| f.write_str(&quoted(name))).to_string();
            prop_assert_eq!(parse(&text), Ok(formula), "{}", text);
        }
    }

    #[test]
    fn no_text_makes_the_mu_calculus_parser_panic(
        text in ".{0,40}",
        words in prop::collection::vec(
            prop::sample::select(vec![
                "p", "X", "mu", "nu", ".", "<", ">", "<>", "[]", "[", "]", "a", "(", ")", "!", "&", "|", "tt", "\"",
            ]),
            0..16,
        )
    ) {
        for text in [text, words.join(" ")] {
            if let Ok(formula) = entail_logic::mu::parse_mu(&text) {
                prop_assert_eq!(entail_logic::mu::parse_mu(&formula.to_string()), Ok(formula), "{}", text);
            }
        }
    }

    #[test]
    fn formulas_of_the_mu_calculus_read_back(
        words in prop::collection::vec(0usize..8, 1..14),
        names in prop::collection::vec(
            prop::sample::select(vec!["p", "X", "Y", "mu", "tt", "a.b", "x = 1", "1", "TRUE", "ü"]),
            14,
        )
    ) {
        // A formula from its last word to its first; odd names stand for atoms, actions and under binders of the same name.
        use entail_logic::mu::{Actions, Fixpoint, Modality, Mu, MuNode, MuVar};
        let mut formula: Mu<String> = MuNode::Literal(names[0].to_owned(), true).into();
        for (at, word) in words.into_iter().enumerate() {
            let name = names[at];
            let other: Mu<String> = MuNode::Literal(name.to_owned(), at % 2 == 0).into();
            formula = match word {
                0 => Mu::and([formula, other]),
                1 => Mu::or([other, formula]),
                2 => MuNode::Modal(Modality::Some, Actions::of([name.into(), "b".into()]), formula).into(),
                3 => MuNode::Modal(Modality::Every, Actions::all_but([name.into()]), formula).into(),
                4 => Mu::or([formula, Mu::variable(&MuVar::new("Y"))]).fixpoint(Fixpoint::Least, &MuVar::new("Y")),
                5 => Mu::and([formula, Mu::variable(&MuVar::new("X"))]).fixpoint(Fixpoint::Greatest, &MuVar::new("X")),
                6 => formula.fixpoint(Fixpoint::Least, &MuVar::new("X")),
                _ => Mu::or([formula, Mu::constant(true)]),
            };
        }
        let text = formula.to_string();
        prop_assert_eq!(entail_logic::mu::parse_mu(&text), Ok(formula), "{}", text);
    }
}
