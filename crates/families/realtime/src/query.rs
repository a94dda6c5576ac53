//! Reading queries: formulas about single runs, nested questions, `E<> φ`, `A[] φ`, `E[] φ`, `A<> φ`, `φ --> ψ`, `E[]<> φ` (some run meets φ again and again), `A<>[] φ` (every run stays in φ in the end).

use crate::{linear, nested};
use entail_clocks::{Formula, Network, Query};
use entail_source::{Diagnostic, Span};
use entail_tchecker::state_formula;

/// A query in a part of a text.
pub(crate) fn read(text: &str, part: Span, network: &Network) -> Result<Query, Diagnostic> {
    let (begun, end) = (part.start, part.end);
    let rest = text.get(begun..end).unwrap_or_default();
    if nested::is_nested(rest) {
        let mut condition = |part: Span| state_formula(text, part, network);
        let (asked, _) = nested::read(text, part, network.clocks.len(), &mut condition)?;
        return Ok(Query::Branching(asked));
    }
    if linear::is_linear(rest) {
        let mut condition = |part: Span| state_formula(text, part, network);
        return linear::read(text, part, &mut condition);
    }
    let not = |formula: Formula| Formula::Not(Box::new(formula));
    let is_operator = |prefix: &&str| rest.starts_with(*prefix);
    let Some(prefix) = ["E[]<>", "A<>[]", "E<>", "A[]", "E[]", "A<>"]
        .into_iter()
        .find(|prefix| is_operator(prefix))
    else {
        if let Some(at) = rest.find("-->").map(|at| begun + at) {
            let begins = state_formula(text, Span::new(begun, at), network)?;
            let goal_part = Span::new(at + "-->".len(), end);
            let goal = state_formula(text, goal_part, network)?;
            let whole = Span::new(begun, end);
            return about_runs(Query::Stay(vec![not(goal), begins], false), whole);
        }
        let problem = Diagnostic::error(
            "tchecker::query",
            "this is no query",
            Span::new(begun, end),
            "here",
        );
        return Err(problem.with_help(
            "write `E<> φ` (reachable), `A[] φ` (always), `E[] φ` (some run stays in it), `A<> φ` (every run meets it), `φ --> ψ`, `E[]<> φ` (some run meets it again and again), `A<>[] φ` (every run stays in it in the end), or a formula that every run is to satisfy, such as `G (p -> F[0,5] q)`",
        ));
    };
    let part = Span::new(begun + prefix.len(), end);
    let formula = state_formula(text, part, network)?;
    match prefix {
        "E<>" => Ok(Query::Reach(formula, true)),
        "A[]" => Ok(Query::Reach(not(formula), false)),
        "E[]" => about_runs(Query::Stay(vec![formula], true), part),
        "A<>" => about_runs(Query::Stay(vec![not(formula)], false), part),
        "E[]<>" => about_runs(Query::Repeat(vec![formula], true), part),
        _ => about_runs(Query::Repeat(vec![not(formula)], false), part),
    }
}

/// A query about runs, unless something occurs in it that is asked about states only.
fn about_runs(query: Query, part: Span) -> Result<Query, Diagnostic> {
    let refused = |message: &str| {
        Err(Diagnostic::error(
            "tchecker::query",
            message,
            part,
            "this condition",
        ))
    };
    if matches!(query, Query::Repeat(..)) && query.formulas().iter().any(Formula::mentions_clocks) {
        return refused("clocks cannot be compared in what is to be met again and again");
    }
    match query.mentions_deadlock() {
        true => refused("`deadlock` can be asked for in `E<>` and `A[]` only"),
        false => Ok(query),
    }
}

/// The formulas of labels between commas, or the name of one that does not exist.
pub(crate) fn labels(text: &str, network: &Network) -> Result<Vec<Formula>, String> {
    let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let formula = |name: &str| {
        network
            .label(name)
            .map(Formula::Label)
            .ok_or_else(|| name.to_owned())
    };
    names.map(formula).collect()
}
