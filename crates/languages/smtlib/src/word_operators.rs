//! The functions of SMT-LIB on words.

use crate::Problem;
use crate::float_operators::{apply_indexed_float, special};
use crate::further_operators::apply_counting;
use entail_first_order::sexpr::Sexpr;
use entail_first_order::{Op, Rational, SortId, TermId, Terms, mask};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// `#x1f` or `#b101`.
pub(crate) fn word_literal(terms: &mut Terms, text: &Sexpr, literal: &str) -> Result<TermId, Problem> {
    let digits = literal.get(2..).unwrap_or_default();
    let (radix, bits) = match literal.get(..2) {
        Some("#x") => (16, 4),
        Some("#b") => (2, 1),
        _ => return Err(Problem::at(text, "a word is written `#x…` or `#b…`")),
    };
    match BigUint::parse_bytes(digits.as_bytes(), radix) {
        Some(value) if !digits.is_empty() => Ok(terms.word(value, digits.len() as u32 * bits)),
        _ => Err(Problem::at(text, "these are no digits of a word")),
    }
}

/// `(_ bv5 8)`.
pub(crate) fn indexed_constant(terms: &mut Terms, text: &Sexpr, items: &[Sexpr]) -> Result<TermId, Problem> {
    if let [_, name, width] = items
        && let Some(digits) = name.symbol().and_then(|name| name.strip_prefix("bv"))
        && let Some(value) = BigUint::parse_bytes(digits.as_bytes(), 10)
        && let Some(width @ 1..=1_048_576) = width.number()
    {
        return Ok(terms.word(value, width));
    }
    if let Some(special) = special(terms, text, items) {
        return special;
    }
    let name = items.get(1).and_then(Sexpr::symbol).unwrap_or_default();
    Err(Problem::at(
        text,
        format!("there is no indexed constant `{name}`"),
    ))
}

fn words(terms: &Terms, text: &Sexpr, name: &str, args: &[TermId], same: bool) -> Result<u32, Problem> {
    let width = args.first().map_or(0, |&arg| terms.width(arg));
    for &arg in args {
        if terms.width(arg) == 0 || same && terms.width(arg) != width {
            let sorts: Vec<String> = args
                .iter()
                .map(|&arg| terms.print_sort(terms.sort_of(arg)))
                .collect();
            let message = format!("`{name}` does not take {}", sorts.join(" and "));
            return Err(Problem::at(text, message).with_help("operands are words, mostly of one width"));
        }
    }
    Ok(width)
}

/// A function on words without indices.
pub(crate) fn apply_word(
    terms: &mut Terms,
    text: &Sexpr,
    name: &str,
    args: &[TermId],
) -> Result<TermId, Problem> {
    // cvc5's conditional: the condition is a word of one bit.
    if let ("bvite", &[condition, a, b]) = (name, args)
        && terms.width(condition) == 1
        && terms.sort_of(a) == terms.sort_of(b)
    {
        let one = terms.word(BigUint::one(), 1);
        let holds = terms.eq(condition, one);
        return Ok(terms.ite(holds, a, b));
    }
    let width = words(terms, text, name, args, name != "concat")?;
    let folded = |terms: &mut Terms, op: Op| {
        let start = args[0];
        args[1..].iter().fold(start, |so_far, &other| {
            terms.word_binary(op.clone(), so_far, other)
        })
    };
    Ok(match (name, args) {
        ("concat", &[first, ref others @ ..]) if !others.is_empty() => others
            .iter()
            .fold(first, |so_far, &other| terms.concat(so_far, other)),
        ("bvnot", &[a]) => terms.word_unary(Op::WordNot, a),
        ("bvneg", &[a]) => terms.word_unary(Op::WordNeg, a),
        ("bvand", [_, _, ..]) => folded(terms, Op::WordAnd),
        ("bvor", [_, _, ..]) => folded(terms, Op::WordOr),
        ("bvxor", [_, _, ..]) => folded(terms, Op::WordXor),
        ("bvadd", [_, _, ..]) => folded(terms, Op::WordAdd),
        ("bvmul", [_, _, ..]) => folded(terms, Op::WordMul),
        ("bvudiv", &[a, b]) => terms.word_binary(Op::WordDivide, a, b),
        ("bvurem", &[a, b]) => terms.word_binary(Op::WordRemainder, a, b),
        ("bvshl", &[a, b]) => terms.word_binary(Op::ShiftLeft, a, b),
        ("bvlshr", &[a, b]) => terms.word_binary(Op::ShiftRight, a, b),
        ("bvashr", &[a, b]) => terms.word_binary(Op::ShiftRightSigned, a, b),
        ("bvsub", &[a, b]) => {
            let negated = terms.word_unary(Op::WordNeg, b);
            terms.word_binary(Op::WordAdd, a, negated)
        }
        ("bvnand" | "bvnor" | "bvxnor", &[a, b]) => {
            let op = match name {
                "bvnand" => Op::WordAnd,
                "bvnor" => Op::WordOr,
                _ => Op::WordXor,
            };
            let inner = terms.word_binary(op, a, b);
            terms.word_unary(Op::WordNot, inner)
        }
        ("bvsdiv", &[a, b]) => terms.word_signed_divide(a, b),
        ("bvsrem", &[a, b]) => terms.word_signed_remainder(a, b),
        ("bvsmod", &[a, b]) => terms.word_signed_modulo(a, b),
        ("bvcomp", &[a, b]) => {
            let equal = terms.eq(a, b);
            let (one, zero) = (terms.word(BigUint::one(), 1), terms.word(BigUint::zero(), 1));
            terms.ite(equal, one, zero)
        }
        ("bvult", &[a, b]) => terms.word_less(a, b),
        ("bvugt", &[a, b]) => terms.word_less(b, a),
        ("bvslt", &[a, b]) => terms.word_less_signed(a, b),
        ("bvsgt", &[a, b]) => terms.word_less_signed(b, a),
        ("bvule", &[a, b]) => negated(terms, Terms::word_less, b, a),
        ("bvuge", &[a, b]) => negated(terms, Terms::word_less, a, b),
        ("bvsle", &[a, b]) => negated(terms, Terms::word_less_signed, b, a),
        ("bvsge", &[a, b]) => negated(terms, Terms::word_less_signed, a, b),
        ("bvredor" | "bvredand", &[a]) => {
            let all = if name == "bvredor" {
                BigUint::zero()
            } else {
                mask(width)
            };
            let constant = terms.word(all, width);
            let equal = terms.eq(a, constant);
            let (one, zero) = (terms.word(BigUint::one(), 1), terms.word(BigUint::zero(), 1));
            if name == "bvredor" {
                terms.ite(equal, zero, one)
            } else {
                terms.ite(equal, one, zero)
            }
        }
        ("bvnego", &[a]) => {
            let least = terms.word(BigUint::one() << (width - 1), width);
            terms.eq(a, least)
        }
        ("bvuaddo" | "bvsaddo" | "bvusubo" | "bvssubo" | "bvumulo" | "bvsmulo" | "bvsdivo", &[a, b]) => {
            overflow(terms, name, a, b)
        }
        ("bv2nat" | "bv2int" | "ubv_to_int", &[a]) => terms.word_to_int(a),
        ("sbv_to_int", &[a]) => {
            let unsigned = terms.word_to_int(a);
            let sign = terms.extract(a, width - 1, width - 1);
            let one = terms.word(BigUint::one(), 1);
            let is_negative = terms.eq(sign, one);
            let modulus = terms.numeral(Rational::from_big((BigUint::one() << width).into()), SortId::INT);
            let below = terms.sub(unsigned, modulus);
            terms.ite(is_negative, below, unsigned)
        }
        _ => {
            return Err(Problem::at(
                text,
                format!("there is no function `{name}` on these words"),
            ));
        }
    })
}

fn negated(
    terms: &mut Terms,
    less: fn(&mut Terms, TermId, TermId) -> TermId,
    a: TermId,
    b: TermId,
) -> TermId {
    let inner = less(terms, a, b);
    terms.not(inner)
}

/// Whether the exact result does not fit: computed in words that are wide enough.
fn overflow(terms: &mut Terms, name: &str, a: TermId, b: TermId) -> TermId {
    let width = terms.width(a);
    let is_signed = name.starts_with("bvs");
    if name == "bvusubo" {
        return terms.word_less(a, b);
    }
    let by = if name.contains("mul") { width } else { 1 };
    let mut wide = |term| match is_signed {
        true => terms.sign_extend(term, by),
        false => terms.zero_extend(term, by),
    };
    let (wa, wb) = (wide(a), wide(b));
    let exact = match name {
        "bvsdivo" => terms.word_signed_divide(wa, wb),
        _ if name.contains("mul") => terms.word_binary(Op::WordMul, wa, wb),
        "bvssubo" => {
            let negative = terms.word_unary(Op::WordNeg, wb);
            terms.word_binary(Op::WordAdd, wa, negative)
        }
        _ => terms.word_binary(Op::WordAdd, wa, wb),
    };
    let low = terms.extract(exact, width - 1, 0);
    let back = match is_signed {
        true => terms.sign_extend(low, by),
        false => terms.zero_extend(low, by),
    };
    let fits = terms.eq(exact, back);
    if name == "bvsdivo" {
        let zero = terms.word(BigUint::zero(), width);
        let by_zero = terms.eq(b, zero);
        let differs = terms.not(fits);
        let not_zero = terms.not(by_zero);
        return terms.and(&[differs, not_zero]);
    }
    terms.not(fits)
}

/// A function with indices, `((_ name indices) arguments)`.
pub(crate) fn apply_indexed(
    terms: &mut Terms,
    text: &Sexpr,
    name: &Sexpr,
    indices: &[Sexpr],
    args: &[TermId],
) -> Result<TermId, Problem> {
    let title = name.symbol().unwrap_or_default();
    if matches!(title, "to_fp" | "to_fp_unsigned" | "fp.to_ubv" | "fp.to_sbv") {
        return apply_indexed_float(terms, text, title, indices, args);
    }
    if let Some(read) = apply_counting(terms, text, title, indices, args) {
        return read;
    }
    let numbers: Option<Vec<u32>> = indices.iter().map(Sexpr::number).collect();
    let numbers = numbers.ok_or_else(|| Problem::at(text, "indices are numbers"))?;
    let wrong = || {
        Problem::at(
            text,
            format!("there is no function `{title}` with these indices and arguments"),
        )
    };
    let &[a] = args else { return Err(wrong()) };
    match (title, numbers.as_slice()) {
        ("divisible", &[by]) if by > 0 && terms.sort_of(a) == SortId::INT => {
            let divisor = terms.int(i64::from(by));
            let rest = terms.modulo(a, divisor);
            let zero = terms.int(0);
            return Ok(terms.eq(rest, zero));
        }
        ("int2bv" | "int_to_bv", &[width @ 1..=512]) if terms.sort_of(a) == SortId::INT => {
            return Ok(int_to_word(terms, a, width));
        }
        _ => {}
    }
    let width = words(terms, text, title, args, false)?;
    Ok(match (title, numbers.as_slice()) {
        ("extract", &[high, low]) if high < width && low <= high => terms.extract(a, high, low),
        ("zero_extend", &[by]) if by <= 1 << 20 => terms.zero_extend(a, by),
        ("sign_extend", &[by]) if by <= 1 << 20 => terms.sign_extend(a, by),
        ("rotate_left", &[by]) => terms.rotate_left(a, by),
        ("rotate_right", &[by]) => terms.rotate_left(a, width - by % width),
        ("repeat", &[times]) if (1..=1 << 16).contains(&times) => {
            (1..times).fold(a, |so_far, _| terms.concat(so_far, a))
        }
        _ => return Err(wrong()),
    })
}

/// The word of a number modulo a power of two. Of a word's own number that is the word, cut off or with zeros in front; of others the bits are what is left over when
/// they are halved again and again.
fn int_to_word(terms: &mut Terms, a: TermId, width: u32) -> TermId {
    if let Some(word) = terms.word_of_number(a) {
        let own = terms.width(word);
        return match width <= own {
            true => terms.extract(word, width - 1, 0),
            false => terms.zero_extend(word, width - own),
        };
    }
    let (one, zero) = (terms.word(BigUint::one(), 1), terms.word(BigUint::zero(), 1));
    let two = terms.int(2);
    let int_one = terms.int(1);
    let mut word = None;
    let mut halved = a;
    for _ in 0..width {
        let rest = terms.modulo(halved, two);
        halved = terms.int_div(halved, two);
        let is_set = terms.eq(rest, int_one);
        let value = terms.ite(is_set, one, zero);
        word = Some(word.map_or(value, |low| terms.concat(value, low)));
    }
    word.unwrap_or(zero)
}
