//! Services on formulas of the mu-calculus alone: satisfiability with its evidence checked, division, and formulas of other logics.
//!
//! A model is checked as the model of any file is: the game of the formula on it is solved, and the strategy judged. A refutation is judged from the formula alone.

use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::Player;
use entail_games_checker::{formula as on_graphs, refutation};
use entail_logic::mu::{Mu, parse_mu};
use entail_model::Lts;
use entail_mu::{MuError, Satisfiability, decide, embed, satisfiable};
use entail_source::Diagnostics;

pub use entail_mu::quotient;

/// Whether a formula has a model.
#[derive(Clone, Debug)]
pub struct Satisfied {
    /// A model, in whose initial state the formula is true; nothing if there is none.
    pub model: Option<Lts>,
    /// Positions of the game that was solved.
    pub positions: usize,
    /// How many sets of duties the refutation has.
    pub refuted: usize,
    /// What the checker says of the model or the refutation.
    pub checked: CheckReport,
}

/// Looks for a model of a formula; the evidence is checked within the second budget.
pub fn satisfy(formula: &Mu<String>, budget: &Budget, checking: &Budget) -> Result<Satisfied, MuError> {
    let search = satisfiable(formula, budget)?;
    let (model, refuted, checked) = match search.answer {
        Satisfiability::Model(lts) => {
            let checked = check_model(&lts, formula, budget, checking);
            (Some(lts), 0, checked)
        }
        Satisfiability::Refuted(found) => {
            let checked = refutation::check(formula, &found, checking);
            (None, found.sets.len(), checked)
        }
    };
    Ok(Satisfied {
        model,
        positions: search.positions,
        refuted,
        checked,
    })
}

/// Whether a formula is true in the initial states of a system, by a strategy that is judged.
pub fn check_model(lts: &Lts, formula: &Mu<String>, budget: &Budget, checking: &Budget) -> CheckReport {
    match decide(lts, formula, budget) {
        Ok(decision) if decision.strategy.winner == Player::Even => {
            on_graphs::check(lts, formula, &decision.strategy, checking)
        }
        Ok(_) => CheckReport::rejected("the formula is false in the model"),
        Err(error) => CheckReport::unchecked(format!("that the formula is true in the model ({error})")),
    }
}

/// Why a text is no formula.
#[derive(Debug, thiserror::Error)]
pub enum NoFormula {
    /// It cannot be read.
    #[error("the formula cannot be read")]
    Unreadable(Diagnostics),
    /// It was not translated.
    #[error(transparent)]
    Untranslated(#[from] MuError),
}

/// Reads a formula of the mu-calculus; a text that is none may be one of LTL, CTL or CTL*, which is translated.
pub fn read_formula(text: &str, budget: &Budget) -> Result<Mu<String>, NoFormula> {
    let problems = match parse_mu(text) {
        Ok(formula) => return Ok(formula),
        Err(problems) => problems,
    };
    match entail_logic::parse(text) {
        Ok(other) => Ok(embed(&other, budget)?),
        // What is wrong with it as a formula of the mu-calculus is what is told.
        Err(_) => Err(NoFormula::Unreadable(problems)),
    }
}
