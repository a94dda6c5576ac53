//! Names that every model knows, unless it declares them itself: limits of numbers, integer types of usual sizes, mathematical constants.
//!
//! They are read like declarations that stand before those of the model. Only those that the text mentions are: constants take no memory, but time.

use crate::fragment::Fragment;
use crate::parser::Parser;
use entail_uppaal_tree::{Item, Model};
use std::f64::consts;

/// Integer constants.
const INTEGERS: [(&str, i64); 8] = [
    ("INT8_MIN", i8::MIN as i64),
    ("INT8_MAX", i8::MAX as i64),
    ("UINT8_MAX", u8::MAX as i64),
    ("INT16_MIN", i16::MIN as i64),
    ("INT16_MAX", i16::MAX as i64),
    ("UINT16_MAX", u16::MAX as i64),
    ("INT32_MIN", i32::MIN as i64),
    ("INT32_MAX", i32::MAX as i64),
];

/// Integer types, with their least and largest values.
const TYPES: [(&str, i64, i64); 5] = [
    ("int8_t", i8::MIN as i64, i8::MAX as i64),
    ("uint8_t", 0, u8::MAX as i64),
    ("int16_t", i16::MIN as i64, i16::MAX as i64),
    ("uint16_t", 0, u16::MAX as i64),
    ("int32_t", i32::MIN as i64, i32::MAX as i64),
];

/// Floating-point constants.
const NUMBERS: [(&str, f64); 17] = [
    ("FLT_MIN", f32::MIN_POSITIVE as f64),
    ("FLT_MAX", f32::MAX as f64),
    ("DBL_MIN", f64::MIN_POSITIVE),
    ("DBL_MAX", f64::MAX),
    ("M_PI", consts::PI),
    ("M_PI_2", consts::FRAC_PI_2),
    ("M_PI_4", consts::FRAC_PI_4),
    ("M_E", consts::E),
    ("M_LOG2E", consts::LOG2_E),
    ("M_LOG10E", consts::LOG10_E),
    ("M_LN2", consts::LN_2),
    ("M_LN10", consts::LN_10),
    ("M_1_PI", consts::FRAC_1_PI),
    ("M_2_PI", consts::FRAC_2_PI),
    ("M_2_SQRTPI", consts::FRAC_2_SQRT_PI),
    ("M_SQRT2", consts::SQRT_2),
    ("M_SQRT1_2", consts::FRAC_1_SQRT_2),
];

/// The words of a text.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |letter: Option<char>| letter.is_some_and(|one| one.is_alphanumeric() || one == '_');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        !is_word(before.chars().next_back()) && !is_word(after.chars().next())
    })
}

/// Puts the declarations of names that a text mentions before those of its model.
pub(crate) fn declare(text: &str, model: &mut Model) {
    let mut lines = Vec::new();
    for (name, value) in INTEGERS {
        lines.push((name, format!("const int {name} = {value};")));
    }
    for (name, low, high) in TYPES {
        lines.push((name, format!("typedef int[{low}, {high}] {name};")));
    }
    for (name, value) in NUMBERS {
        lines.push((name, format!("const double {name} = {value:e};")));
    }
    let own = declared(model);
    lines.retain(|(name, _)| !own.iter().any(|one| one == name) && mentions(text, name));
    if lines.is_empty() {
        return;
    }
    let prelude: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    let fragment = Fragment::plain(&prelude.join("\n"), 0);
    let read = Parser::new(&fragment, false).and_then(|mut parser| parser.declarations());
    let known = read.unwrap_or_default().into_iter().map(Item::Declaration);
    model.items.splice(0..0, known);
}

/// The names that a model declares for all of its parts.
fn declared(model: &Model) -> Vec<String> {
    use entail_uppaal_tree::Declaration;
    let mut found = Vec::new();
    for item in &model.items {
        match item {
            Item::Declaration(Declaration::Variables(_, all) | Declaration::Types(_, all)) => {
                found.extend(all.iter().map(|one| one.name.clone()));
            }
            Item::Declaration(Declaration::Function(function)) => found.push(function.name.clone()),
            Item::Template(template) => found.push(template.name.clone()),
            Item::Instance(instance) => found.push(instance.name.clone()),
            _ => {}
        }
    }
    found
}
