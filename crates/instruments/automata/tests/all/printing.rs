//! What is printed in a syntax is read back in it as the same formula: random formulas, with names that look like operators, like numbers, or
//! like nothing a formula has.

use entail_automata::ltl::print::print;
use entail_automata::ltl::random::{Random, RandomFormula};
use entail_automata::ltl::syntax::{Syntax, parse, parse_any};
use entail_logic::{Binary, Formula, Interval, Node, Unary};

const NAMES: [&str; 20] = [
    "a",
    "p0",
    "Ga",
    "G",
    "X",
    "U",
    "Fp",
    "t",
    "f",
    "i",
    "e",
    "AG",
    "true",
    "FALSE",
    "xor",
    "a b",
    "x=1",
    "1x",
    "back\\slash",
    "ü.ä",
];

/// The formula with other names, and bounds at some operators.
fn disguised(formula: &Formula<String>, bounded: bool, random: &mut Random) -> Formula<String> {
    if let Node::Atom(_) = formula.node() {
        return Formula::atom(NAMES[random.below(NAMES.len())].to_owned());
    }
    let operands: Vec<Formula<String>> = (formula.operands().into_iter())
        .map(|operand| disguised(operand, bounded, random))
        .collect();
    match formula.node() {
        Node::Unary(op @ (Unary::Finally | Unary::Globally), ..) if bounded && random.below(3) == 0 => {
            let from = random.below(3) as u32;
            let to = (random.below(4) > 0).then(|| from + random.below(3) as u32);
            Formula::unary_within(*op, Interval { from, to }, &operands[0])
        }
        _ => formula.over(operands),
    }
}

/// SPIN has neither `M` nor `xor`: they are written with `U` and `<->`.
fn in_spins_words(formula: &Formula<String>) -> Formula<String> {
    if let Node::Atom(_) = formula.node() {
        return formula.clone();
    }
    let operands: Vec<Formula<String>> = formula.operands().into_iter().map(in_spins_words).collect();
    match (formula.node(), operands.as_slice()) {
        (Node::Xor(..), [a, b]) => a.iff(b).not(),
        (Node::Binary(Binary::StrongRelease, ..), [a, b]) => b.until(&Formula::and([a.clone(), b.clone()])),
        _ => formula.over(operands),
    }
}

fn reads_back(syntax: Syntax, past: bool, bounded: bool, seed: u64) {
    let mut random = Random::new(seed);
    for size in (1..12).cycle().take(1_500) {
        let shape = RandomFormula {
            propositions: 3,
            size,
            past,
        };
        let formula = disguised(&shape.draw(&mut random), bounded, &mut random);
        let text = print(&formula, syntax).expect("the syntax has all of it");
        let read = parse(&text, syntax).unwrap_or_else(|errors| panic!("{text}: {errors}"));
        let expected = match syntax {
            Syntax::Spin => in_spins_words(&formula),
            _ => formula,
        };
        assert_eq!(read, expected, "{text}");
    }
}

#[test]
fn spots_syntax_reads_back() {
    reads_back(Syntax::Spot, false, true, 1);
}

#[test]
fn spins_syntax_reads_back() {
    reads_back(Syntax::Spin, false, false, 2);
}

#[test]
fn nusmvs_syntax_reads_back() {
    reads_back(Syntax::Smv, true, true, 3);
}

#[test]
fn lbts_syntax_reads_back() {
    reads_back(Syntax::Lbt, false, false, 4);
}

#[test]
fn plain_formulas_read_alike_in_all_infix_syntaxes() {
    let formula = parse("G a & F (b U !X c)", Syntax::Smv).expect("a formula");
    let text = print(&formula, Syntax::Spot).expect("no past");
    assert_eq!(text, "G a & F(b U !X c)");
    assert_eq!(parse(&text, Syntax::Smv), Ok(formula.clone()));
    assert_eq!(parse_any(&text), Ok(formula));
}

#[test]
fn a_name_that_cannot_be_written_is_an_error() {
    let formula = Formula::atom("say \"no\"".to_owned());
    assert!(print(&formula, Syntax::Smv).is_err());
    let text = print(&formula, Syntax::Spot).expect("quotes are escaped");
    assert_eq!(parse(&text, Syntax::Spot), Ok(formula));
}
