//! The functions of SMT-LIB's core, numbers and arrays.

use crate::Problem;
use crate::float_operators::{apply_float, is_float_function, rounding_constant, rounding_mode};
use crate::further_operators::apply_further;
use crate::word_operators::apply_word;
use entail_first_order::sexpr::Sexpr;
use entail_first_order::{Sort, SortId, TermId, Terms};

/// A predefined function applied to arguments.
pub(crate) fn apply(terms: &mut Terms, text: &Sexpr, name: &str, args: &[TermId]) -> Result<TermId, Problem> {
    match (name, args) {
        ("true", []) => Ok(terms.truth()),
        ("false", []) => Ok(terms.falsehood()),
        ("not", &[a]) => {
            booleans(terms, text, name, args)?;
            Ok(terms.not(a))
        }
        ("and", _) => booleans(terms, text, name, args).map(|()| terms.and(args)),
        ("or", _) => booleans(terms, text, name, args).map(|()| terms.or(args)),
        ("=>", &[ref premises @ .., last]) if !premises.is_empty() => {
            booleans(terms, text, name, args)?;
            Ok((premises.iter().rev()).fold(last, |so_far, &premise| terms.implies(premise, so_far)))
        }
        ("xor", &[first, ref others @ ..]) => {
            booleans(terms, text, name, args)?;
            Ok(others
                .iter()
                .fold(first, |so_far, &other| terms.xor(so_far, other)))
        }
        ("=", &[_, _, ..]) | ("distinct", &[_, ..]) => equality(terms, text, name, args),
        ("ite" | "if" | "if_then_else", &[condition, a, b]) => {
            booleans(terms, text, name, &[condition])?;
            let both = alike(terms, text, name, &[a, b])?;
            Ok(terms.ite(condition, both[0], both[1]))
        }
        ("select", &[array, index]) => {
            let Sort::Array(wanted, _) = *terms.sort(terms.sort_of(array)) else {
                return Err(Problem::at(text, "`select` takes an array"));
            };
            let index = coerced(terms, text, name, index, wanted)?;
            Ok(terms.select(array, index))
        }
        ("store", &[array, index, element]) => {
            let Sort::Array(wanted, inside) = *terms.sort(terms.sort_of(array)) else {
                return Err(Problem::at(text, "`store` takes an array"));
            };
            let index = coerced(terms, text, name, index, wanted)?;
            let element = coerced(terms, text, name, element, inside)?;
            Ok(terms.store(array, index, element))
        }
        (
            "+" | "-" | "*" | "/" | "div" | "mod" | "abs" | "<=" | "<" | ">=" | ">" | "to_real" | "to_int"
            | "is_int",
            &[_, ..],
        ) => arithmetic(terms, text, name, args),
        _ if is_float_function(name) => apply_float(terms, text, name, args),
        _ if name.starts_with("bv")
            || name == "concat"
            || name.ends_with("bv")
            || name.ends_with("2int")
            || name == "ubv_to_int"
            || name == "sbv_to_int" =>
        {
            apply_word(terms, text, name, args)
        }
        (_, []) if rounding_mode(name).is_some() => {
            Ok(rounding_constant(terms, name).unwrap_or(terms.falsehood()))
        }
        _ if name.starts_with("str.") || name.starts_with("seq.") || name.starts_with("re.") => Err(
            Problem::at(text, format!("`{name}`: the theory of strings is not supported")),
        ),
        _ => match apply_further(terms, text, name, args) {
            Some(read) => read,
            None => Err(unknown_function(text, name, args.len())),
        },
    }
}

fn unknown_function(text: &Sexpr, name: &str, count: usize) -> Problem {
    Problem::at(
        text,
        format!("there is no function `{name}` that takes {count} arguments"),
    )
    .with_help("declare it with `declare-fun`, or check its name and arguments")
}

fn booleans(terms: &Terms, text: &Sexpr, name: &str, args: &[TermId]) -> Result<(), Problem> {
    match args.iter().find(|&&arg| terms.sort_of(arg) != SortId::BOOL) {
        None => Ok(()),
        Some(&other) => {
            let sort = terms.print_sort(terms.sort_of(other));
            Err(Problem::at(
                text,
                format!("`{name}` takes formulas, not a {sort}"),
            ))
        }
    }
}

fn coerced(
    terms: &mut Terms,
    text: &Sexpr,
    name: &str,
    arg: TermId,
    wanted: SortId,
) -> Result<TermId, Problem> {
    let given = terms.sort_of(arg);
    if given == wanted {
        return Ok(arg);
    }
    if wanted == SortId::REAL && given == SortId::INT {
        return Ok(terms.to_real(arg));
    }
    let (wanted, given) = (terms.print_sort(wanted), terms.print_sort(given));
    Err(Problem::at(
        text,
        format!("`{name}` takes a {wanted} here, not a {given}"),
    ))
}

/// Arguments of one sort; integers become reals where both occur.
fn alike(terms: &mut Terms, text: &Sexpr, name: &str, args: &[TermId]) -> Result<Vec<TermId>, Problem> {
    let is_mixed = args.iter().any(|&arg| terms.sort_of(arg) == SortId::REAL);
    let wanted = if is_mixed {
        SortId::REAL
    } else {
        terms.sort_of(args[0])
    };
    args.iter()
        .map(|&arg| coerced(terms, text, name, arg, wanted))
        .collect()
}

fn equality(terms: &mut Terms, text: &Sexpr, name: &str, args: &[TermId]) -> Result<TermId, Problem> {
    let args = alike(terms, text, name, args)?;
    let mut parts = Vec::new();
    if name == "=" {
        for pair in args.windows(2) {
            parts.push(terms.eq(pair[0], pair[1]));
        }
    } else {
        if args.len() > 3000 {
            return Err(Problem::at(
                text,
                "`distinct` with more than 3000 arguments is not supported",
            ));
        }
        for (position, &a) in args.iter().enumerate() {
            for &b in &args[position + 1..] {
                let equal = terms.eq(a, b);
                parts.push(terms.not(equal));
            }
        }
    }
    Ok(terms.and(&parts))
}

fn arithmetic(terms: &mut Terms, text: &Sexpr, name: &str, args: &[TermId]) -> Result<TermId, Problem> {
    if let Some(&other) = args.iter().find(|&&arg| !terms.sort_of(arg).is_arithmetic()) {
        let sort = terms.print_sort(terms.sort_of(other));
        return Err(Problem::at(text, format!("`{name}` takes numbers, not a {sort}")));
    }
    let mut args = alike(terms, text, name, args)?;
    if matches!(name, "/") {
        args = args.iter().map(|&arg| terms.to_real(arg)).collect();
    }
    let sort = terms.sort_of(args[0]);
    let chain = |terms: &mut Terms, compare: fn(&mut Terms, TermId, TermId) -> TermId| {
        let parts: Vec<TermId> = args
            .windows(2)
            .map(|pair| compare(terms, pair[0], pair[1]))
            .collect();
        terms.and(&parts)
    };
    Ok(match (name, args.as_slice()) {
        ("+", _) => terms.add(&args, sort),
        ("-", &[a]) => terms.neg(a),
        ("-", &[first, ref others @ ..]) => others
            .iter()
            .fold(first, |so_far, &other| terms.sub(so_far, other)),
        ("*", _) => terms.mul(&args, sort),
        ("/", &[first, ref others @ ..]) if !others.is_empty() => others
            .iter()
            .fold(first, |so_far, &other| terms.divide(so_far, other)),
        // Z3 takes the floors of reals.
        ("div" | "mod", _) if sort == SortId::REAL => {
            let whole: Vec<TermId> = args.iter().map(|&arg| terms.to_int(arg)).collect();
            return arithmetic(terms, text, name, &whole);
        }
        ("div", &[first, ref others @ ..]) if sort == SortId::INT && !others.is_empty() => others
            .iter()
            .fold(first, |so_far, &other| terms.int_div(so_far, other)),
        ("mod", &[a, b]) if sort == SortId::INT => terms.modulo(a, b),
        ("abs", &[a]) => terms.abs(a),
        ("<=", [_, _, ..]) => chain(terms, Terms::le),
        ("<", [_, _, ..]) => chain(terms, Terms::lt),
        (">=", [_, _, ..]) => chain(terms, |terms, a, b| terms.le(b, a)),
        (">", [_, _, ..]) => chain(terms, |terms, a, b| terms.lt(b, a)),
        ("to_real", &[a]) => terms.to_real(a),
        ("to_int", &[a]) => terms.to_int(a),
        ("is_int", &[a]) => {
            let whole = terms.to_int(a);
            let back = if sort == SortId::INT {
                whole
            } else {
                terms.to_real(whole)
            };
            terms.eq(a, back)
        }
        _ => {
            return Err(Problem::at(
                text,
                format!("`{name}` does not take these arguments"),
            ));
        }
    })
}
