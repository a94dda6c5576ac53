//! What other tools accept and IEEE 1800 does not have, and what one elaborator reads wrongly.
//!
//! Empty elements among named port connections (`.a(x), , .b(y)`) and an event behind `always_comb` say nothing: they are left out, with a warning. Arguments of tasks that are handed in and out (`inout`) lose
//! their values in yosys' own reader: only a complete elaborator is asked about a text that has them.

use crate::expression::{after_group, depth_change};
use crate::property::unsupported;
use crate::scan::Scanner;
use entail_source::{Diagnostic, Span};

impl Scanner<'_> {
    /// Leaves out what says nothing, and notes what is read wrongly.
    pub(crate) fn tolerate(&mut self) {
        for at in 0..self.tokens.len() {
            match self.tokens[at].text.as_str() {
                "always_comb" if self.is(at + 1, "@") => self.event_of_always_comb(at + 1),
                "(" if self.is(at + 1, ".") => self.empty_connections(at),
                "task" | "function" => self.inout_arguments(at),
                _ => {}
            }
        }
        self.tokens.retain(|token| !token.text.is_empty());
    }

    fn left_out(&mut self, span: Span, message: &str) {
        self.replace(span.start, span.end, "");
        self.warnings
            .push(Diagnostic::warning("sva::tolerated", message, span, "left out"));
    }

    fn event_of_always_comb(&mut self, at: usize) {
        let end = match self.is(at + 1, "(") {
            true => after_group(&self.tokens, at + 1),
            false => at + 2,
        };
        let span = Span::new(self.start_of(at), self.end_of(end - 1));
        self.left_out(
            span,
            "`always_comb` has no event: it is run whenever what it reads changes",
        );
        for token in &mut self.tokens[at..end] {
            token.text = String::new();
        }
    }

    fn empty_connections(&mut self, open: usize) {
        let close = after_group(&self.tokens, open) - 1;
        let is_instance = open > 0 && (self.is_name(open - 1) || self.is(open - 1, "]"));
        if !is_instance || !self.is(close, ")") {
            return;
        }
        let mut depth = 0;
        for at in open + 1..close {
            depth += depth_change(&self.tokens[at]);
            let ends_empty = self.is(at + 1, ",") || at + 1 == close;
            if depth == 0 && self.is(at, ",") && ends_empty {
                let message = "named port connections have no empty elements";
                self.left_out(self.tokens[at].span, message);
            }
        }
    }

    fn inout_arguments(&mut self, at: usize) {
        let closing = if self.is(at, "task") {
            "endtask"
        } else {
            "endfunction"
        };
        let is_elsewhere = |word: &&str| at > 0 && self.is(at - 1, word);
        if ["import", "export", "extern", "pure"].iter().any(is_elsewhere) || self.demanding.is_some() {
            return;
        }
        let Some(end) = self.find(at, closing) else {
            return;
        };
        if let Some(inout) = (at..end).find(|&place| self.is(place, "inout")) {
            let message =
                "an argument that is handed in and out (`inout`) is read by complete elaborators only";
            self.demanding = Some(unsupported(message, self.tokens[inout].span));
        }
    }
}
