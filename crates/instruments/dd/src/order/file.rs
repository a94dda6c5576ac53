//! Order files as NuSMV writes them: one variable a line, from the top of the order.
//!
//! The bits of a variable with a finite domain are lines of their own, `x.0`, `x.1`, …. A line that names the
//! variable itself stands for all its bits. Blank lines and `--` comments are skipped. Next-state variables are
//! never listed: they go with their current ones.

use rustc_hash::FxHashMap;

/// What is wrong with an order file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderFileError {
    /// Something other than one name on a line.
    #[error("line {line}: expected one variable name, found `{text}`")]
    NotAName {
        /// The line, counting from 1.
        line: usize,
        /// What it says.
        text: String,
    },
    /// A variable listed before.
    #[error("line {line}: `{name}` is listed already, on line {first}")]
    Repeated {
        /// The line, counting from 1.
        line: usize,
        /// Where the name was first.
        first: usize,
        /// The name.
        name: String,
    },
}

/// The names in an order file.
pub fn read_order(text: &str) -> Result<Vec<String>, OrderFileError> {
    let mut names = Vec::new();
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    for (number, line) in text.lines().enumerate() {
        let line_number = number + 1;
        let name = line.split("--").next().unwrap_or_default().trim();
        if name.is_empty() {
            continue;
        }
        if name.contains(char::is_whitespace) {
            return Err(OrderFileError::NotAName {
                line: line_number,
                text: name.to_owned(),
            });
        }
        if let Some(&first) = seen.get(name) {
            return Err(OrderFileError::Repeated {
                line: line_number,
                first,
                name: name.to_owned(),
            });
        }
        seen.insert(name.to_owned(), line_number);
        names.push(name.to_owned());
    }
    Ok(names)
}

/// The text of an order file.
pub fn write_order<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    names
        .into_iter()
        .fold(String::new(), |text, name| text + name.as_ref() + "\n")
}

/// An order file held against the variables of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchedOrder {
    /// The variables that the file lists, in its order, as positions in the model's list.
    pub order: Vec<usize>,
    /// The variables of the model that the file does not list, in the model's order.
    pub missing: Vec<usize>,
    /// The names in the file that no variable has.
    pub unknown: Vec<String>,
}

/// Finds the listed names among the `known` ones. A listed `x` that is not known itself stands for all known
/// `x.0`, `x.1`, … that are not listed on their own.
pub fn match_order<S: AsRef<str>, T: AsRef<str>>(listed: &[S], known: &[T]) -> MatchedOrder {
    let position: FxHashMap<&str, usize> = known
        .iter()
        .enumerate()
        .map(|(at, name)| (name.as_ref(), at))
        .collect();
    let mut bits: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, name) in known.iter().enumerate() {
        if let Some((base, bit)) = name.as_ref().rsplit_once('.')
            && !bit.is_empty()
            && bit.bytes().all(|byte| byte.is_ascii_digit())
        {
            bits.entry(base).or_default().push(at);
        }
    }
    let mut placed = vec![false; known.len()];
    for name in listed {
        if let Some(&at) = position.get(name.as_ref()) {
            placed[at] = true;
        }
    }
    let mut matched = MatchedOrder::default();
    for name in listed {
        let name = name.as_ref();
        if let Some(&at) = position.get(name) {
            matched.order.push(at);
        } else if let Some(bits) = bits.get(name) {
            let unlisted = bits
                .iter()
                .copied()
                .filter(|&bit| !std::mem::replace(&mut placed[bit], true));
            matched.order.extend(unlisted);
        } else {
            matched.unknown.push(name.to_owned());
        }
    }
    matched.missing = (0..known.len()).filter(|&at| !placed[at]).collect();
    matched
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let names = [
            "step",
            "flare.pilot_valve",
            "log2.CR0106",
            "counter.0",
            "counter.1",
        ];
        assert_eq!(read_order(&write_order(names)).unwrap(), names);
    }

    #[test]
    fn comments_and_blank_lines_are_skipped_and_mistakes_are_located() {
        assert_eq!(
            read_order("-- best\n\n a \n b -- the second\r\n").unwrap(),
            ["a", "b"]
        );
        assert_eq!(
            read_order("a\nb c\n"),
            Err(OrderFileError::NotAName {
                line: 2,
                text: "b c".into()
            })
        );
        assert_eq!(
            read_order("a\n\nb\na"),
            Err(OrderFileError::Repeated {
                line: 4,
                first: 1,
                name: "a".into()
            })
        );
    }

    #[test]
    fn a_name_stands_for_its_bits_and_differences_are_listed() {
        let known = ["x.0", "x.1", "y", "m.z", "w.0"];
        let matched = match_order(&["m.z", "x", "gone", "w.0"], &known);
        assert_eq!(matched.order, [3, 0, 1, 4]);
        assert_eq!(matched.missing, [2]);
        assert_eq!(matched.unknown, ["gone"]);
        assert_eq!(match_order(&["x.1", "x"], &known).order, [1, 0]);
    }
}
