//! Judging words.

use crate::model::WordModel;
use entail_answer::{Answer, CheckReport, Evidence};
use entail_automata::LassoWord;
use entail_automata::ltl::evaluate::holds;
use entail_budget::Budget;
use entail_family::{Checker, ReadError, evidence_from_document, evidence_to_map};
use entail_show::{Cell, Column, ColumnKind, ColumnRole, Shown, Timeline, View};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::any::Any;

/// Why an answer about words should be believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum WordEvidence {
    /// A word of the system that violates the property.
    Lasso {
        /// The propositions; others are false throughout.
        propositions: Vec<String>,
        /// For each position, which propositions are true there.
        steps: Vec<Vec<bool>>,
        /// The word goes on here after its last position.
        loop_start: usize,
    },
    /// No word was found in the product with the negated property.
    Exhaustive {
        /// States of the product.
        states: u64,
    },
}

impl WordEvidence {
    pub(crate) fn word(word: &LassoWord) -> WordEvidence {
        let step = |position: usize| {
            let letter = word.letter(position);
            (0..word.propositions.len())
                .map(|bit| letter >> bit & 1 == 1)
                .collect()
        };
        WordEvidence::Lasso {
            propositions: word.propositions.clone(),
            steps: (0..word.len()).map(step).collect(),
            loop_start: word.prefix.len(),
        }
    }

    /// The word, if it is one.
    fn as_word(&self) -> Option<LassoWord> {
        let WordEvidence::Lasso {
            propositions,
            steps,
            loop_start,
        } = self
        else {
            return None;
        };
        if *loop_start >= steps.len() || steps.iter().any(|step| step.len() != propositions.len()) {
            return None;
        }
        let letter = |step: &Vec<bool>| {
            step.iter()
                .rev()
                .fold(0, |letter, &bit| letter << 1 | u64::from(bit))
        };
        let mut prefix: Vec<_> = steps.iter().map(letter).collect();
        let cycle = prefix.split_off(*loop_start);
        Some(LassoWord::new(propositions.clone(), prefix, cycle))
    }
}

impl Evidence for WordEvidence {
    fn kind(&self) -> &'static str {
        match self {
            WordEvidence::Lasso { .. } => "lasso",
            WordEvidence::Exhaustive { .. } => "exhaustive",
        }
    }

    fn is_search_claim(&self) -> bool {
        matches!(self, WordEvidence::Exhaustive { .. })
    }
}

pub(crate) struct WordChecker<'m> {
    pub model: &'m WordModel,
}

impl Checker for WordChecker<'_> {
    fn check(&mut self, property: usize, answer: &Answer, _budget: &Budget) -> CheckReport {
        match answer.evidence_as::<WordEvidence>() {
            Some(WordEvidence::Exhaustive { .. }) => {
                CheckReport::unchecked("that no word of the system violates the property")
            }
            Some(lasso) => match lasso.as_word() {
                None => CheckReport::rejected("this is no word"),
                Some(word) if !self.model.automaton.accepts(&word) => {
                    CheckReport::rejected("the system does not have this word")
                }
                Some(word) if holds(&self.model.formulas[property], &word) => {
                    CheckReport::rejected("the word satisfies the property")
                }
                Some(_) => CheckReport::Accepted,
            },
            None => CheckReport::rejected("there is no evidence"),
        }
    }

    fn to_json(&self, _property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        let evidence: &dyn Any = evidence;
        (evidence.downcast_ref::<WordEvidence>()).map_or_else(Map::new, evidence_to_map)
    }

    fn evidence_from_json(&self, _property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError> {
        Ok(Box::new(evidence_from_document::<WordEvidence>(document)?))
    }

    fn show(&self, _property: usize, answer: &Answer) -> Shown {
        let Some(WordEvidence::Lasso {
            propositions,
            steps,
            loop_start,
        }) = answer.evidence_as()
        else {
            return Shown::default();
        };
        let columns = propositions.iter().enumerate().map(|(bit, name)| {
            let mut column = Column::new(name, ColumnRole::State, ColumnKind::Boolean);
            for (position, step) in steps.iter().enumerate() {
                let truth = if step[bit] { "TRUE" } else { "FALSE" };
                column.record(position, Some(Cell::text(truth)));
            }
            column
        });
        Shown::default().main(View::Timeline(Timeline {
            columns: columns.collect(),
            positions: steps.len(),
            loop_start: Some(*loop_start),
            ..Timeline::default()
        }))
    }
}
