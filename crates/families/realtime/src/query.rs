//! Reading queries: `E<> φ`, `A[] φ`, `E[]<> φ` (some run meets φ again and again), `A<>[] φ` (every run stays in φ in the end).

use entail_clocks::{Formula, Network, Query};
use entail_source::{Diagnostic, Span};
use entail_tchecker::state_formula;

/// A query in its text.
pub(crate) fn read(text: &str, network: &Network) -> Result<Query, Diagnostic> {
    let begun = text.len() - text.trim_start().len();
    let rest = &text[begun..];
    let is_operator = |prefix: &&str| rest.starts_with(*prefix);
    let Some(prefix) = ["E[]<>", "A<>[]", "E<>", "A[]"]
        .into_iter()
        .find(|prefix| is_operator(prefix))
    else {
        let problem = Diagnostic::error(
            "tchecker::query",
            "this is no query",
            Span::new(begun, text.len()),
            "here",
        );
        return Err(problem.with_help(
            "write `E<> φ` (reachable), `A[] φ` (always), `E[]<> φ` (some run meets it again and again) or `A<>[] φ` (every run stays in it)",
        ));
    };
    let part = Span::new(begun + prefix.len(), text.len());
    let formula = state_formula(text, part, network)?;
    if prefix.len() > 3 && formula.mentions_clocks() {
        let message = "clocks cannot be compared in what is to be met again and again";
        return Err(Diagnostic::error(
            "tchecker::query",
            message,
            part,
            "this condition",
        ));
    }
    let not = |formula: Formula| Formula::Not(Box::new(formula));
    Ok(match prefix {
        "E<>" => Query::Reach(formula, true),
        "A[]" => Query::Reach(not(formula), false),
        "E[]<>" => Query::Repeat(vec![formula], true),
        _ => Query::Repeat(vec![not(formula)], false),
    })
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
