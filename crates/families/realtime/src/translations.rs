//! The translations of a UPPAAL model, and which of them a query is about.
//!
//! Questions that are decided are about the exact translation. Random runs are made of the exact one, too, where it says everything; otherwise of the one with floating-point numbers. A model that depends on what only
//! random runs know has no exact translation: other questions about it are refused, with the reason.

use entail_clocks::{Network, Query};
use entail_source::{Diagnostic, Diagnostics};
use entail_uppaal::{RANDOM_ONLY, Translation};
use entail_uppaal_tree::{Model, Property, PropertyKind};

/// The translations of a model.
pub(crate) struct Translations<'m> {
    tree: &'m Model,
    name: &'m str,
    exact: Result<Translation<'m>, Diagnostic>,
    random: Option<Translation<'m>>,
}

impl<'m> Translations<'m> {
    /// Translates a model exactly, or, where that cannot be, for random runs.
    pub fn new(tree: &'m Model, name: &'m str) -> Result<Translations<'m>, Diagnostics> {
        let mut all = match Translation::new(tree, name) {
            Ok(exact) => {
                return Ok(Translations {
                    tree,
                    name,
                    exact: Ok(exact),
                    random: None,
                });
            }
            Err(problems) if problems.0.iter().any(|problem| problem.code != RANDOM_ONLY) => {
                return Err(problems);
            }
            Err(mut problems) => Translations {
                tree,
                name,
                exact: Err(problems.0.remove(0)),
                random: None,
            },
        };
        all.for_random_runs()?;
        Ok(all)
    }

    fn for_random_runs(&mut self) -> Result<&mut Translation<'m>, Diagnostics> {
        let made = match self.random.take() {
            Some(made) => made,
            None => Translation::for_random_runs(self.tree, self.name)?,
        };
        Ok(self.random.insert(made))
    }

    /// What a query asks, and whether it asks it about the translation for random runs.
    pub fn query(&mut self, property: &Property, earlier: &[Property]) -> Result<(Query, bool), Diagnostic> {
        let is_chance = matches!(property.kind, PropertyKind::Chance(_));
        let falls_short = match &mut self.exact {
            Ok(exact) if !is_chance || !exact.falls_short() => match exact.query_after(property, earlier) {
                Ok(query) => return Ok((query, false)),
                Err(problem) if !is_chance || problem.code != RANDOM_ONLY => return Err(problem),
                Err(problem) => problem,
            },
            Ok(_) => Diagnostic::error(RANDOM_ONLY, "", property.span, ""),
            Err(reason) if !is_chance => {
                let message = format!(
                    "random runs (`Pr`, `E`, `simulate`) can be asked only: {}",
                    reason.message
                );
                return Err(Diagnostic::error(
                    RANDOM_ONLY,
                    message,
                    property.span,
                    "this query",
                ));
            }
            Err(reason) => reason.clone(),
        };
        let translation = match self.for_random_runs() {
            Ok(translation) => translation,
            // What is wrong stands in the model, not in the query.
            Err(mut problems) => {
                let problem = problems.0.pop().unwrap_or(falls_short);
                return Err(Diagnostic::error(
                    problem.code,
                    problem.message,
                    property.span,
                    "this query",
                ));
            }
        };
        translation.query(property).map(|query| (query, true))
    }

    /// The network that everything but random runs is about, and why there is none.
    pub fn network(&self) -> (Network, Option<Diagnostic>) {
        match (&self.exact, &self.random) {
            (Ok(exact), _) => (exact.network().clone(), None),
            (Err(reason), Some(random)) => (random.network().clone(), Some(reason.clone())),
            (Err(reason), None) => (Network::default(), Some(reason.clone())),
        }
    }

    /// The network of random runs, where it is another one.
    pub fn random_network(&self) -> Option<Network> {
        self.random.as_ref().map(|random| random.network().clone())
    }
}
