//! Names that SMV accepts.
//!
//! Names that came from SMV are kept. A name with other characters, or with a reserved word in it, is put in quotes,
//! which NuSMV takes as an identifier too; a name that would then occur twice gets a number.

use crate::syntax::lexer::keyword;
use entail_model::{TransitionSystem, Value};
use rustc_hash::FxHashSet;

/// The printed names of a system's variables and defines.
pub(super) struct Names {
    pub variables: Vec<String>,
    pub defines: Vec<String>,
    taken: FxHashSet<String>,
    fresh: String,
}

impl Names {
    pub(super) fn new(system: &TransitionSystem) -> Names {
        let mut names = Names {
            variables: Vec::new(),
            defines: Vec::new(),
            taken: FxHashSet::default(),
            fresh: "__t".to_string(),
        };
        for variable in system.variables() {
            if let entail_model::Sort::Enum(values) = &variable.sort {
                for value in values.iter() {
                    if let Value::Symbol(symbol) = value {
                        names.taken.insert(constant(symbol));
                    }
                }
            }
        }
        for variable in system.variables() {
            let name = names.take(&variable.name);
            names.variables.push(name);
        }
        for define in &system.defines {
            let name = names.take(&define.name);
            names.defines.push(name);
        }
        while names.taken.iter().any(|name| name.starts_with(&names.fresh)) {
            names.fresh.insert(0, '_');
        }
        names
    }

    fn take(&mut self, name: &str) -> String {
        let mut printed = identifier(name);
        let mut number = 2;
        while !self.taken.insert(printed.clone()) {
            printed = identifier(&format!("{name}#{number}"));
            number += 1;
        }
        printed
    }

    /// A name that occurs nowhere in the model.
    pub(super) fn fresh(&self, number: usize) -> String {
        format!("{}{number}", self.fresh)
    }
}

/// A symbolic constant as SMV takes it. A dot is not allowed there: NuSMV has such constants itself (processes inside
/// processes), but does not read them back rightly.
pub(super) fn constant(name: &str) -> String {
    if is_identifier(name) {
        name.to_string()
    } else {
        quoted(name)
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.trim_matches('"').replace('"', "'"))
}

/// The name as an SMV identifier.
pub(super) fn identifier(name: &str) -> String {
    if is_path(name) {
        name.to_string()
    } else {
        quoted(name)
    }
}

/// Whether the name is a path of identifiers and integer indices.
fn is_path(name: &str) -> bool {
    let mut first = true;
    name.split('.').all(|part| {
        let (base, indices) = match part.find('[') {
            Some(at) => part.split_at(at),
            None => (part, ""),
        };
        let number = !first && !base.is_empty() && base.bytes().all(|byte| byte.is_ascii_digit());
        first = false;
        (number || is_identifier(base)) && are_indices(indices)
    })
}

fn is_identifier(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#' | '-');
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(plain)
        && keyword(text).is_none()
}

fn are_indices(text: &str) -> bool {
    text.is_empty()
        || text.strip_suffix(']').is_some_and(|inner| {
            inner[1..].split("][").all(|index| {
                let digits = index.strip_prefix('-').unwrap_or(index);
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_and_everything_else_is_quoted() {
        assert_eq!(identifier("p.q[3][-1].x"), "p.q[3][-1].x");
        assert_eq!(identifier("ack-out"), "ack-out");
        assert_eq!(constant("p.q"), "\"p.q\"");
        assert_eq!(identifier("a b"), "\"a b\"");
        assert_eq!(identifier("next"), "\"next\"");
        assert_eq!(identifier("p.next"), "\"p.next\"");
        assert_eq!(identifier(""), "\"\"");
        assert_eq!(identifier("a["), "\"a[\"");
        assert_eq!(identifier("a]"), "\"a]\"");
    }
}
