//! Models of scripts as text: definitions of symbols, values of terms.

use crate::script::Runner;
use entail_first_order::sexpr::quoted;
use entail_first_order::{Evaluator, Interpretation, SymbolId, TermId, Terms};

impl Runner<'_> {
    pub(crate) fn print_model(&mut self) {
        let Some(model) = &self.state.model else {
            return self.error("there is no model: the last answer was not `sat`");
        };
        let terms = &self.script.terms;
        let mut text = String::from("(\n");
        for &symbol in self.script.scope.declared() {
            text += &definition(terms, model, symbol);
        }
        text.push(')');
        (self.out)(&text);
    }

    pub(crate) fn print_values(&mut self, wanted: &[(TermId, (usize, usize))]) {
        let Some(model) = &self.state.model else {
            return self.error("there is no model: the last answer was not `sat`");
        };
        let terms = &self.script.terms;
        let mut evaluator = Evaluator::new(terms, model);
        let mut parts = Vec::new();
        for &(term, (start, end)) in wanted {
            let source = self.text.get(start..end).unwrap_or_default();
            match evaluator.value(term) {
                Ok(value) => parts.push(format!(
                    "({source} {})",
                    terms.print_value(&value, terms.sort_of(term))
                )),
                Err(_) => return self.error("a term has no value in the model"),
            }
        }
        (self.out)(&format!("({})", parts.join("\n ")));
    }
}

/// A symbol's meaning as a definition.
fn definition(terms: &Terms, model: &Interpretation, symbol: SymbolId) -> String {
    let data = terms.symbol(symbol);
    let parameters: Vec<String> = (data.arguments.iter().enumerate())
        .map(|(index, &sort)| format!("(x!{index} {})", terms.print_sort(sort)))
        .collect();
    let otherwise = match model.functions.get(&symbol) {
        Some(function) => function.otherwise.clone(),
        None => model.value(terms, symbol, &[]),
    };
    let mut body = terms.print_value(&otherwise, data.result);
    for (arguments, value) in model
        .functions
        .get(&symbol)
        .into_iter()
        .flat_map(|function| &function.table)
    {
        let tests: Vec<String> = (arguments.iter().zip(&data.arguments).enumerate())
            .map(|(index, (value, &sort))| format!("(= x!{index} {})", terms.print_value(value, sort)))
            .collect();
        let test = if tests.len() == 1 {
            tests[0].clone()
        } else {
            format!("(and {})", tests.join(" "))
        };
        body = format!("(ite {test} {} {body})", terms.print_value(value, data.result));
    }
    format!(
        "  (define-fun {} ({}) {} {body})\n",
        quoted(&data.name),
        parameters.join(" "),
        terms.print_sort(data.result)
    )
}
