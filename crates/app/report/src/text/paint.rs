//! Terminal colours, where they are wanted.

use entail_evidence::Verdict;

/// Whether to use colours.
#[derive(Clone, Copy)]
pub(crate) struct Paint(pub bool);

impl Paint {
    fn with(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }

    /// The verdict, padded so that formulas line up.
    pub fn verdict(self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Holds => self.with("1;32", "holds  "),
            Verdict::Fails => self.with("1;31", "fails  "),
            Verdict::Unknown => self.with("1;33", "unknown"),
        }
    }

    pub fn faint(self, text: &str) -> String {
        self.with("2", text)
    }

    pub fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    pub fn warning(self, text: &str) -> String {
        self.with("33", text)
    }

    pub fn error(self, text: &str) -> String {
        self.with("31", text)
    }

    pub fn input(self, text: &str) -> String {
        self.with("36", text)
    }
}
