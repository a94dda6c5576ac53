//! Evidence that saves itself: its JSON with its kind.

use entail_answer::Evidence;
use entail_family::evidence_to_map;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use std::any::Any;

/// The evidence as it is saved, if it is of this type; with its kind either way.
pub(crate) fn saved<E: Evidence + Serialize>(evidence: &dyn Evidence) -> Map<String, Json> {
    let kind = evidence.kind();
    let any: &dyn Any = evidence;
    let mut map = any.downcast_ref::<E>().map_or_else(Map::new, evidence_to_map);
    map.insert("kind".into(), kind.into());
    map
}

/// Numbers as texts.
pub(crate) fn texts(values: &[entail_markov::Rational]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

/// Texts as numbers, if they are.
pub(crate) fn numbers(texts: &[String]) -> Option<Vec<entail_markov::Rational>> {
    texts.iter().map(|text| text.parse().ok()).collect()
}
