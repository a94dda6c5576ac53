//! Constants of any value as SymbiYosys' users write them: `(* anyconst *) reg [3:0] k;`.
//!
//! The attribute is one of the reader that yosys has itself; the complete reader passes it over, and the signal would have any value at every step. For that one the declaration is followed by an instance of a module whose
//! output is a register without a first value that keeps what it has. `(* anyseq *)` needs nothing: what nothing drives has any value at every step. `(* allconst *)`
//! and `(* allseq *)` (for all values there shall be others) are not decided by any engine here, and `(* gclk *)` (a step of the model) is left to yosys' own reader.

use crate::checkers::ANY_CONSTANT;
use crate::property::not_read;
use crate::scan::Scanner;
use std::fmt::Write as _;

impl Scanner<'_> {
    /// Looks for constants of any value.
    pub(crate) fn any_constants(&mut self) {
        let mut uses = self.text.contains(ANY_CONSTANT);
        for at in 0..self.tokens.len() {
            if !self.is(at, "(*") {
                continue;
            }
            let close = (at..self.tokens.len()).find(|&place| self.is(place, "*") && self.is(place + 1, ")"));
            let Some(close) = close else { continue };
            let words: Vec<String> = self.tokens[at..close]
                .iter()
                .map(|one| one.text.clone())
                .collect();
            let has = |word: &str| words.iter().any(|one| one == word);
            self.is_yosys_only |= has("gclk");
            if has("allconst") || has("allseq") {
                let message = "a signal that stands for all its values is not read";
                self.problems.push(not_read(message, self.tokens[at + 1].span));
            }
            if !has("anyconst") {
                continue;
            }
            let (begin, mut end) = (close + 2, close + 2);
            let mut names = Vec::new();
            while end < self.tokens.len() && !self.is(end, ";") {
                let ends_name = self.is(end + 1, ";") || self.is(end + 1, ",");
                if self.is_name(end) && ends_name {
                    names.push(self.tokens[end].text.clone());
                }
                end += 1;
            }
            if names.is_empty() || begin > end {
                self.is_yosys_only = true;
                continue;
            }
            let mut text = String::new();
            for name in names {
                let plain = name.trim_start_matches('\\');
                let _ = write!(
                    text,
                    " \\{ANY_CONSTANT} #(.W($bits({name} ))) \\entail$k${plain} ({name} );"
                );
            }
            let (first, last) = (self.start_of(at), self.end_of(close + 1));
            let lines = self.text[first..last].matches('\n').count();
            self.constants.push((first, last, "\n".repeat(lines)));
            let behind = self.end_of(end);
            self.constants.push((behind, behind, text));
            uses = true;
        }
        if uses {
            let end = self.tokens.last().map_or(0, |last| last.span.end);
            let module = format!(
                " module \\{ANY_CONSTANT} #(parameter W = 1) (output [W-1:0] value); reg [W-1:0] kept; wire \\entail$k$tick ; always @(posedge \\entail$k$tick ) kept <= kept; assign value = kept; endmodule"
            );
            self.constants.push((end, end, module));
        }
    }

    /// The design with constants of any value and nothing else of ours, if it has any.
    pub(crate) fn with_constants(&self, end: usize) -> Option<String> {
        if self.constants.is_empty() {
            return None;
        }
        let mut text = self.with_edits(self.constants.iter().collect());
        text.truncate(text.len() - (self.text.len() - end));
        Some(text)
    }
}
