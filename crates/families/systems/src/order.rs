//! Variable orders of decision diagrams, from files.

use crate::load::read_named;
use crate::model::SystemModel;
use entail_dd::order::read_order;
use entail_family::LoadError;
use entail_source::{Diagnostic, Severity};
use std::path::Path;

/// Reads an order file for a model. It may leave variables out (they follow); names that are none of the model's are ignored with a warning,
/// unless there are no others.
pub(crate) fn load(model: &mut SystemModel, path: &Path) -> Result<Vec<String>, LoadError> {
    let source = read_named(path)?;
    let wrong = |reason: String| LoadError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    let listed = read_order(source.text()).map_err(|error| wrong(error.to_string()))?;
    let known = |name: &str| model.system().find_variable(name).is_some();
    let bit_of = |name: &str| {
        name.rsplit_once('.')
            .is_some_and(|(variable, bit)| known(variable) && bit.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let foreign: Vec<&str> = listed
        .iter()
        .map(String::as_str)
        .filter(|name| !known(name) && !bit_of(name))
        .collect();
    let named = foreign.iter().take(5).copied().collect::<Vec<_>>().join(", ");
    if foreign.len() == listed.len() && !listed.is_empty() {
        return Err(wrong(format!(
            "none of its variables is one of the model ({named})"
        )));
    }
    if !foreign.is_empty() {
        let message = format!(
            "{}: {} names are not variables of the model ({named})",
            path.display(),
            foreign.len()
        );
        model.content.warnings.push(Diagnostic {
            severity: Severity::Warning,
            code: "order::unknown-name",
            message,
            labels: Vec::new(),
            help: None,
        });
    }
    Ok(listed)
}
