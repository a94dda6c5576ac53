//! Whether a document is as `docs/report.schema.json` says. Of JSON Schema, what that file uses is understood; any other keyword is an error.

use serde_json::Value as Json;

const SCHEMA: &str = include_str!("../../../../../../docs/report.schema.json");

/// Keywords that say something to readers only.
const WORDS: [&str; 6] = ["$schema", "$id", "$defs", "$comment", "title", "description"];

/// What is wrong with a report.
pub fn problems(document: &Json) -> Vec<String> {
    problems_of("", document)
}

/// What is wrong with a document that should be as one of the schema's definitions says.
pub fn problems_of(definition: &str, document: &Json) -> Vec<String> {
    let root: Json = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let schema = match definition.is_empty() {
        true => &root,
        false => &root["$defs"][definition],
    };
    let mut problems = Vec::new();
    validate(&root, schema, document, "", &mut problems);
    problems
}

fn validate(root: &Json, schema: &Json, json: &Json, place: &str, problems: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else {
        problems.push(format!("{place}: there is no schema for it"));
        return;
    };
    for (keyword, expected) in schema {
        let mut wrong = |what: String| problems.push(format!("{place}: {what}, found {json}"));
        match keyword.as_str() {
            word if WORDS.contains(&word) => {}
            "$ref" => {
                let name = expected.as_str().and_then(|path| path.strip_prefix("#/$defs/"));
                let target = &root["$defs"][name.expect("a reference to a definition")];
                validate(root, target, json, place, problems);
            }
            "type" => {
                let types: Vec<&str> = match expected {
                    Json::Array(types) => types.iter().filter_map(Json::as_str).collect(),
                    one => one.as_str().into_iter().collect(),
                };
                if !types.iter().any(|name| is_of_type(json, name)) {
                    wrong(format!("expected {}", types.join(" or ")));
                }
            }
            "const" => {
                if json != expected {
                    wrong(format!("expected {expected}"));
                }
            }
            "enum" => {
                if !expected.as_array().expect("a list").contains(json) {
                    wrong(format!("expected one of {expected}"));
                }
            }
            "minimum" => {
                if json.as_f64() < expected.as_f64() && json.is_number() {
                    wrong(format!("expected at least {expected}"));
                }
            }
            "required" => {
                for key in expected
                    .as_array()
                    .expect("a list")
                    .iter()
                    .filter_map(Json::as_str)
                {
                    if json.is_object() && json.get(key).is_none() {
                        wrong(format!("`{key}` is missing"));
                    }
                }
            }
            "properties" => {
                for (key, inner) in expected.as_object().expect("an object") {
                    if let Some(value) = json.get(key) {
                        validate(root, inner, value, &format!("{place}.{key}"), problems);
                    }
                }
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Json::as_object);
                for (key, value) in json.as_object().into_iter().flatten() {
                    if known.is_none_or(|known| !known.contains_key(key)) && expected != &Json::Bool(true) {
                        validate(root, expected, value, &format!("{place}.{key}"), problems);
                    }
                }
            }
            "items" => {
                for (at, item) in json.as_array().into_iter().flatten().enumerate() {
                    validate(root, expected, item, &format!("{place}[{at}]"), problems);
                }
            }
            "anyOf" => {
                let fits = |choice: &Json| {
                    let mut inner = Vec::new();
                    validate(root, choice, json, place, &mut inner);
                    inner.is_empty()
                };
                if !expected.as_array().expect("a list").iter().any(fits) {
                    wrong("fits none of the choices".into());
                }
            }
            other => wrong(format!("the schema says `{other}`, which is not understood")),
        }
    }
}

fn is_of_type(json: &Json, name: &str) -> bool {
    match name {
        "null" => json.is_null(),
        "boolean" => json.is_boolean(),
        "integer" => json.is_i64() || json.is_u64(),
        "number" => json.is_number(),
        "string" => json.is_string(),
        "array" => json.is_array(),
        "object" => json.is_object(),
        _ => false,
    }
}
