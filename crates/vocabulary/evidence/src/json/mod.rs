//! Saved evidence.
//!
//! One JSON document holds the answer to one property with its evidence, and enough about model and property that it can be
//! shown without the model:
//!
//! ```json
//! {"entail": "0.1.0", "format": "entail-evidence", "model": "mutex.smv", "language": "smv",
//!  "property": {"name": "live", "formula": "G (p1 = trying -> F p1 = critical)", "logic": "ltl"},
//!  "verdict": "fails", "guarantee": "complete", "engine": "explicit", "dead_ends": "infinite", "value": null,
//!  "evidence": {"kind": "lasso",
//!               "trace": {"loop_start": 2, "inputs": ["go"], "steps": [{"p1": "idle", "go": true}, …]}}}
//! ```
//!
//! Kinds: `trace`, `lasso` (a path that refutes the formula), `tree` (`"tree"`: an explanation), `exhaustive` (`"states"`,
//! `"satisfying"`), `invariant` (`"formula"`, for people, and `"nodes"`, the formula as a list of lines: see `term_list`), `k-liveness`
//! (`"bound"`, `"nodes"`, and `"hazards"`: the nodes of an invariant that excludes the model's hazards, if it has any), `closed-set` (`"states"`, `"set"`), `ranked-set` (the same, `"pairs"`, `"ranks"`). In a tree each claim names its formula by text and by `"operand"`,
//! the way to it from the formula of the claim above: a list of operand numbers, from 0. Values are Booleans, numbers, strings
//! (constants and words), lists (arrays); the sort of the variable says how they are read back. A variable without a value
//! (an input nobody chose) is left out. Files have a `"version"` and a `"checksum"` (see `seal`) and the model file's `"digest"`. Keys are only ever added; readers ignore keys they do not know.
//!
//! - `document`: the document and its reading without a model;
//! - `seal`: whether it is as it was written;
//! - `value`: values by their sorts;
//! - `term_list`: invariants as lists of nodes;
//! - `write`, `resolve`: evidence to and from the document, given the model and the property.

mod document;
mod fixpoints;
mod modal;
mod resolve;
mod seal;
mod term_list;
mod value;
mod write;

pub use document::{ReadError, SavedEvidence, SavedTrace};
pub use resolve::{evidence_from_json, resolve, resolve_trace, trace_from_json};
pub use seal::{VERSION, check_seal, sealed};
pub use value::{value_from_json, value_to_json};
pub use write::{dead_ends_name, document, evidence_to_json, save, saved_evidence, trace_to_json};
