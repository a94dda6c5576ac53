//! Values as JSON, read back by the sort of their variable.

use entail_model::{Sort, Value, Word};
use num_bigint::BigInt;
use serde_json::Value as Json;

/// A value as JSON: truth values and integers as such, constants and words as strings, arrays as lists.
pub fn value_to_json(value: &Value) -> Json {
    match value {
        Value::Bool(truth) => Json::from(*truth),
        Value::Int(number) => Json::from(*number),
        Value::Symbol(name) => Json::from(&**name),
        Value::Word(word) => Json::from(word.to_string()),
        Value::Array(elements) => elements.iter().map(value_to_json).collect(),
    }
}

/// The value of a sort that a JSON value stands for; otherwise what was expected.
pub fn value_from_json(json: &Json, sort: &Sort) -> Result<Value, String> {
    let found = match (sort, json) {
        (Sort::Bool, Json::Bool(truth)) => Some(Value::Bool(*truth)),
        (Sort::Bool, Json::String(text)) => match text.as_str() {
            "TRUE" | "true" => Some(Value::Bool(true)),
            "FALSE" | "false" => Some(Value::Bool(false)),
            _ => None,
        },
        (Sort::Range { .. }, json) => integer(json).map(Value::Int),
        (Sort::Enum(values), json) => values.iter().find(|value| is_constant(value, json)).cloned(),
        (Sort::Word { width, signed }, json) => word(json, *width, *signed).map(Value::Word),
        (Sort::Array { element, .. }, Json::Array(elements)) => {
            let elements: Result<Vec<Value>, String> = elements
                .iter()
                .map(|json| value_from_json(json, element))
                .collect();
            Some(Value::Array(elements?.into()))
        }
        _ => None,
    };
    found
        .filter(|value| sort.contains(value))
        .ok_or_else(|| format!("{} is not a value of {}", shortened(json), sort_text(sort)))
}

fn integer(json: &Json) -> Option<i64> {
    json.as_i64()
        .or_else(|| json.as_str().and_then(|text| text.parse().ok()))
}

fn is_constant(value: &Value, json: &Json) -> bool {
    match (value, json) {
        (Value::Symbol(name), Json::String(text)) => **name == **text,
        (Value::Int(number), json) => integer(json) == Some(*number),
        (Value::Bool(truth), Json::Bool(other)) => truth == other,
        _ => false,
    }
}

/// A word as SMV prints it (`0ud8_5`, `-0sd4_3`), or the number it stands for.
fn word(json: &Json, width: u32, signed: bool) -> Option<Word> {
    let number: BigInt = match json {
        Json::Number(number) => number.to_string().parse().ok()?,
        Json::String(text) => match text.split_once('_') {
            None => text.parse().ok()?,
            Some((head, digits)) => {
                let sign = if head.starts_with('-') { "-" } else { "" };
                let kind = if signed { 's' } else { 'u' };
                if head != format!("{sign}0{kind}d{width}") {
                    return None;
                }
                format!("{sign}{digits}").parse().ok()?
            }
        },
        _ => return None,
    };
    let word = Word::from_integer(width, signed, &number);
    (word.to_integer() == number).then_some(word)
}

fn shortened(json: &Json) -> String {
    shorten(json.to_string())
}

fn sort_text(sort: &Sort) -> String {
    shorten(sort.to_string())
}

fn shorten(text: String) -> String {
    if text.chars().count() > 80 {
        text.chars().take(79).chain(['…']).collect()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn every_value_of_every_sort_is_read_back() {
        let sorts = [
            Sort::Bool,
            Sort::range(-3, 4),
            Sort::enumeration([Value::symbol("idle"), Value::Int(3), Value::symbol("TRUE")]),
            Sort::word(3),
            Sort::Word {
                width: 3,
                signed: true,
            },
            Sort::Array {
                index: Arc::new(Sort::range(0, 1)),
                element: Arc::new(Sort::range(0, 2)),
            },
        ];
        for sort in sorts {
            for value in sort.values() {
                assert_eq!(value_from_json(&value_to_json(&value), &sort), Ok(value));
            }
        }
    }

    #[test]
    fn foreign_values_are_refused_with_the_sort_that_was_expected() {
        let refused = |json: Json, sort: &Sort| value_from_json(&json, sort).expect_err("foreign");
        assert_eq!(
            refused(Json::from(9), &Sort::range(0, 3)),
            "9 is not a value of 0..3"
        );
        assert!(refused(Json::from("0ud4_3"), &Sort::word(3)).contains("unsigned word[3]"));
        assert!(refused(Json::from("0ud3_9"), &Sort::word(3)).contains("0ud3_9"));
        assert!(refused(Json::Null, &Sort::Bool).contains("null"));
    }
}
