//! Where the parts of a preprocessed text come from.

use entail_source::{Diagnostic, Span};

/// A part of the preprocessed text.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Where it begins.
    at: usize,
    /// Its place in the user's text: of itself, or of the use of the macro it comes from.
    origin: Span,
    /// It stands there letter by letter.
    is_itself: bool,
    /// It stands in a file that is included there.
    is_included: bool,
}

/// Where the parts of a preprocessed text come from; nothing is noted where it is the text itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins(Vec<Piece>);

impl Origins {
    /// Notes the next part of the text.
    pub(super) fn push(&mut self, at: usize, origin: Span, is_itself: bool, is_included: bool) {
        if let Some(last) = self.0.last() {
            let follows = is_itself && last.is_itself && last.origin.start + (at - last.at) == origin.start;
            let same = !is_itself && !last.is_itself && last.origin == origin;
            if (follows || same) && last.is_included == is_included {
                return;
            }
        }
        self.0.push(Piece {
            at,
            origin,
            is_itself,
            is_included,
        });
    }

    fn piece(&self, at: usize) -> Option<&Piece> {
        let after = self.0.partition_point(|piece| piece.at <= at);
        self.0.get(after.checked_sub(1)?)
    }

    /// The place in the user's text of a part of the preprocessed one. What comes from a macro, but for an argument, is where that is used as a whole.
    pub(crate) fn of(&self, span: Span) -> Span {
        let last = span.end.max(span.start + 1) - 1;
        let begin = self.0.partition_point(|piece| piece.at <= span.start);
        let end = self.0.partition_point(|piece| piece.at <= last);
        let pieces = self.0.get(begin.saturating_sub(1)..end).unwrap_or_default();
        let (Some(first), Some(closing)) = (pieces.first(), pieces.last()) else {
            return span;
        };
        let mut start = match first.is_itself {
            true => first.origin.start + (span.start - first.at),
            false => first.origin.start,
        };
        if span.is_empty() {
            return Span::new(start, start);
        }
        let mut finish = match closing.is_itself {
            true => closing.origin.start + (last - closing.at) + 1,
            false => closing.origin.end,
        };
        for piece in pieces.iter().filter(|piece| !piece.is_itself) {
            start = start.min(piece.origin.start);
            finish = finish.max(piece.origin.end);
        }
        match start < finish {
            true => Span::new(start, finish),
            false => first.origin,
        }
    }

    /// Whether a part of the preprocessed text is not what stands at its place in the user's, and is shown as it stands there.
    pub(crate) fn is_written_otherwise(&self, span: Span) -> bool {
        let (Some(first), Some(last)) = (self.piece(span.start), self.piece(span.end.max(1) - 1)) else {
            return false;
        };
        let is_changed = first.at != last.at || !first.is_itself;
        is_changed && !first.is_included && !last.is_included
    }

    /// The places of a text that was made from the preprocessed one: where its parts begin, their places there, and whether they stand there letter by letter.
    pub(crate) fn before(&self, parts: &[(usize, Span, bool)]) -> Origins {
        let mut found = Origins::default();
        for &(at, span, is_itself) in parts {
            if !is_itself || self.0.is_empty() {
                found.push(at, self.of(span), is_itself && self.0.is_empty(), false);
                continue;
            }
            // It may come from several parts.
            let mut from = span.start;
            while from < span.end {
                let next = self.0.partition_point(|piece| piece.at <= from);
                let end = self.0.get(next).map_or(span.end, |piece| piece.at.min(span.end));
                let (is_itself, is_included) = self
                    .piece(from)
                    .map_or((true, false), |piece| (piece.is_itself, piece.is_included));
                let part = Span::new(from, end);
                found.push(at + (from - span.start), self.of(part), is_itself, is_included);
                from = end;
            }
        }
        found
    }

    /// A message about the preprocessed text, about the user's.
    pub(crate) fn told(&self, mut problem: Diagnostic) -> Diagnostic {
        if !self.0.is_empty() {
            for label in &mut problem.labels {
                label.span = self.of(label.span);
            }
        }
        problem
    }
}
