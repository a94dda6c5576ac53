//! Properties that are added to a model: formulas in SMV's syntax over the model's names, and formulas of the mu-calculus.

use crate::model::Content;
use entail_family::{LoadError, Usage};
use entail_logic::mu::{Fairness, Mu, parse_mu};
use entail_logic::{Logic, Property, Question};
use entail_model::TermId;
use entail_smv::Scope;
use entail_source::{Diagnostic, Source, Span};

/// Reads a property: in the syntax of a logic, or of whatever logic of branching or linear time its shape tells.
pub(crate) fn read(
    content: &mut Content,
    text: &str,
    logic: Option<Logic>,
) -> Result<Property<TermId>, LoadError> {
    match logic.unwrap_or(Logic::CtlStar) {
        Logic::Mu => mu(content, text),
        logic @ (Logic::Propositional
        | Logic::Invariant
        | Logic::Ctl
        | Logic::Ltl
        | Logic::CtlStar
        | Logic::Compute) => parse(content, text, "--spec", logic),
        other => Err(Usage(format!(
            "transition systems have no properties of the logic `{other}`"
        ))
        .into()),
    }
}

fn parse(content: &mut Content, text: &str, name: &str, logic: Logic) -> Result<Property<TermId>, LoadError> {
    let Content { system, scope, .. } = content;
    let scope = scope.get_or_insert_with(|| Scope::of_system(system));
    scope
        .parse_property(system, text, logic)
        .map_err(|problems| LoadError::invalid(&Source::new(name, text), problems))
}

/// A formula of the mu-calculus ([`parse_mu`]) whose atoms are conditions in SMV's syntax.
fn mu(content: &mut Content, text: &str) -> Result<Property<TermId>, LoadError> {
    let invalid = |text: &str, problem: Diagnostic| LoadError::invalid(&Source::new("--mu", text), problem);
    let formula =
        parse_mu(text).map_err(|problems| LoadError::invalid(&Source::new("--mu", text), problems))?;
    let mut problem = None;
    let formula = formula.expand_atoms(&mut |atom: &String| {
        let read = match parse(content, atom, "--mu", Logic::CtlStar) {
            Ok(property) => match property.question {
                Question::Formula(condition) if condition.is_propositional() => {
                    condition.to_mu(Fairness::Total).ok()
                }
                _ => None,
            },
            Err(error) => {
                problem.get_or_insert(error);
                None
            }
        };
        read.unwrap_or_else(|| {
            problem.get_or_insert_with(|| {
                let whole = Span::new(0, atom.len());
                let message = "an atom of the mu-calculus is a condition without temporal operators";
                invalid(atom, Diagnostic::error("mu::atom", message, whole, "this one"))
            });
            Mu::constant(false)
        })
    });
    match problem {
        Some(problem) => Err(problem),
        None => Ok(Property {
            name: None,
            text: text.to_owned(),
            logic: Logic::Mu,
            question: Question::Mu(formula),
        }),
    }
}
