//! Kripke structures as JSON.
//!
//! ```json
//! {"states": 3, "initial": [0], "edges": [[0, 1], [1, 2], [2, 0]],
//!  "propositions": {"p": [0, 1], "q": [2]},
//!  "justice": [[0, 2]],
//!  "compassion": [[[1], [2]]]}
//! ```
//!
//! States are the numbers below `states`. A proposition lists the states where it is true; a justice set likewise; a
//! compassion pair is two such lists. Everything but `states` and `edges` may be left out; unknown keys are refused, so
//! that a misspelt one is not silently ignored.

use crate::kripke::{KripkeBuilder, StateSet};
use crate::{Kripke, KripkeError, StateId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    states: u64,
    #[serde(default)]
    initial: Vec<u32>,
    edges: Vec<(u32, u32)>,
    #[serde(default)]
    propositions: Map<String, Json>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    justice: Vec<Vec<u32>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    compassion: Vec<(Vec<u32>, Vec<u32>)>,
}

/// Why a text is not a Kripke structure.
#[derive(Debug, thiserror::Error)]
pub enum KripkeJsonError {
    /// It is not JSON of the documented form.
    #[error("not a Kripke structure in JSON: {0}")]
    Form(#[from] serde_json::Error),
    /// Its parts do not fit together.
    #[error(transparent)]
    Structure(#[from] KripkeError),
}

impl Kripke {
    /// Reads the documented format.
    pub fn from_json(text: &str) -> Result<Kripke, KripkeJsonError> {
        let document: Document = serde_json::from_str(text)?;
        let states = |list: Vec<u32>| list.into_iter().map(StateId::new);
        let mut builder = KripkeBuilder::new(document.states);
        builder.edges(document.edges);
        for state in states(document.initial) {
            builder.initial(state);
        }
        for (name, list) in document.propositions {
            builder.proposition(name, states(serde_json::from_value(list)?));
        }
        for set in document.justice {
            builder.justice(states(set));
        }
        for (often, then) in document.compassion {
            builder.compassion(states(often), states(then));
        }
        Ok(builder.build()?)
    }

    /// Writes the documented format.
    pub fn to_json(&self) -> String {
        let numbers = |set: &StateSet| set.ones().map(|state| state as u32).collect::<Vec<u32>>();
        let number = |state: StateId| state.index() as u32;
        let document = Document {
            states: self.state_count() as u64,
            initial: self.initial().iter().copied().map(number).collect(),
            edges: self
                .edges()
                .map(|(from, to)| (number(from), number(to)))
                .collect(),
            propositions: self
                .propositions()
                .iter()
                .map(|proposition| {
                    (
                        proposition.name.to_string(),
                        Json::from(numbers(&proposition.states)),
                    )
                })
                .collect(),
            justice: self.justice().iter().map(numbers).collect(),
            compassion: self
                .compassion()
                .iter()
                .map(|(often, then)| (numbers(often), numbers(then)))
                .collect(),
        };
        serde_json::to_string(&document).expect("numbers, lists and names are JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"states":3,"initial":[0],"edges":[[0,1],[1,2],[2,0]],"propositions":{"q":[2],"p":[0,1]},"justice":[[0,2]],"compassion":[[[1],[2]]]}"#;

    #[test]
    fn reading_and_writing_are_inverse() {
        let kripke = Kripke::from_json(TEXT).expect("the documented form");
        assert_eq!(kripke.to_json(), TEXT);
    }

    #[test]
    fn wrong_documents_are_refused_with_the_reason() {
        for (text, reason) in [
            ("", "EOF"),
            (r#"{"states":1,"edges":[],"jutsice":[]}"#, "jutsice"),
            (r#"{"states":1,"edges":[[0,1]]}"#, "mentions state 1"),
            (
                r#"{"states":1,"edges":[],"propositions":{"p":["x"]}}"#,
                "invalid type",
            ),
            (r#"{"states":99999999999999,"edges":[]}"#, "too many"),
            (r#"{"states":-1,"edges":[]}"#, "invalid value"),
        ] {
            let error = Kripke::from_json(text).expect_err(text).to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
