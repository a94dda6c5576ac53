//! Terminal colours, where they are wanted.

use entail_evidence::Verdict;

/// The codes of the colours that reports use, and the one that ends them.
pub(crate) const COLOURS: [&str; 9] = [HOLDS, FAILS, UNKNOWN, FAINT, STRONG, WARNING, ERROR, INPUT, END];

const HOLDS: &str = "1;32";
const FAILS: &str = "1;31";
const UNKNOWN: &str = "1;33";
const FAINT: &str = "2";
const STRONG: &str = "1";
const WARNING: &str = "33";
const ERROR: &str = "31";
const INPUT: &str = "36";
const END: &str = "0";

/// Whether to use colours.
#[derive(Clone, Copy)]
pub(crate) struct Paint(pub bool);

impl Paint {
    fn with(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\x1b[{code}m{text}\x1b[{END}m")
        } else {
            text.to_string()
        }
    }

    /// The verdict, padded so that formulas line up.
    pub fn verdict(self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Holds => self.with(HOLDS, "holds  "),
            Verdict::Fails => self.with(FAILS, "fails  "),
            Verdict::Unknown => self.with(UNKNOWN, "unknown"),
        }
    }

    pub fn faint(self, text: &str) -> String {
        self.with(FAINT, text)
    }

    pub fn strong(self, text: &str) -> String {
        self.with(STRONG, text)
    }

    pub fn warning(self, text: &str) -> String {
        self.with(WARNING, text)
    }

    pub fn error(self, text: &str) -> String {
        self.with(ERROR, text)
    }

    pub fn input(self, text: &str) -> String {
        self.with(INPUT, text)
    }
}
