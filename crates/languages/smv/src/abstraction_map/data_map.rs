//! Data maps: the values of a variable in classes.

use super::statement::{Statement, is_name};
use super::{DataMap, MapClass, Reader};
use entail_model::{Sort, SortError, TermId, Value};
use entail_source::Span;
use std::sync::Arc;

/// A remainder by more than this is no abstraction.
const LARGEST_MODULUS: i64 = 1 << 20;

impl Reader<'_> {
    pub(super) fn data_map(&mut self, statement: &Statement<'_>) {
        let (given, text, span) = statement.definition();
        let name_end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (name, name_span) = (&text[..name_end], Span::new(span.start, span.start + name_end));
        let found = self.named(name, name_span);
        let [(_, term)] = found.as_slice() else {
            if found.len() > 1 {
                self.error(
                    "abs::map",
                    format!("`{name}` is an array; map its elements"),
                    name_span,
                    "an array",
                );
            }
            return;
        };
        let (term, observed) = (*term, Arc::<str>::from(given.unwrap_or(name)));
        if statement.block.is_some() {
            self.written_out(statement, name, observed, name_span);
            return;
        }
        let after = text[name_end..].trim_start();
        let kind_start = span.start + (text.len() - after.len());
        let kind_span = Span::new(kind_start, span.end);
        let Some(kind) = after.strip_prefix("by").map(str::trim) else {
            let help = "write `map x by sign;` (or parity, modulo N, ranges A..B, C..D), or `map x { class: condition; … }`";
            self.error(
                "abs::map",
                "`by` or a block of classes is expected after the name",
                span,
                "here",
            )
            .help = Some(help.into());
            return;
        };
        let number = match self.as_integer(term) {
            Ok(number) => number,
            Err(_) => {
                let sort = self.system.terms.sort(term).to_string();
                let message = format!("`{name}` is no number, but of type {sort}");
                self.error("abs::map", message, name_span, "this is mapped").help =
                    Some("write its classes out: `map x { class: condition; … }`".into());
                return;
            }
        };
        let result = match kind.split_whitespace().next() {
            Some("sign") if kind == "sign" => self.sign(number),
            Some("parity") if kind == "parity" => self.parity(number),
            Some("modulo") => self.modulo(number, &kind["modulo".len()..], kind_span),
            Some("ranges") => self.ranges(number, &kind["ranges".len()..], kind_span, name),
            _ => {
                let message = format!("there is no map by `{kind}`");
                self.error("abs::map", message, kind_span, "not known").help =
                    Some("there are: sign, parity, modulo N, ranges A..B, C..D".into());
                return;
            }
        };
        match result {
            Ok(Some(term)) => {
                let observed = match kind.split_whitespace().next() {
                    Some("modulo") if given.is_none() => {
                        Arc::from(format!("{name} mod {}", kind["modulo".len()..].trim()))
                    }
                    _ => observed,
                };
                self.observe(observed, term);
            }
            Ok(None) => {}
            Err(error) => {
                self.error("abs::map", error.to_string(), span, "in this map");
            }
        }
    }

    /// The number that a term stands for.
    fn as_integer(&mut self, term: TermId) -> Result<TermId, SortError> {
        match self.system.terms.sort(term) {
            Sort::Word { .. } => self.system.terms.word_to_int(term),
            _ => {
                let zero = self.system.terms.integer(0);
                self.system.terms.add(term, zero)?;
                Ok(term)
            }
        }
    }

    fn sign(&mut self, number: TermId) -> Result<Option<TermId>, SortError> {
        let terms = &mut self.system.terms;
        let zero = terms.integer(0);
        let (below, at) = (terms.less(number, zero)?, terms.equal(number, zero)?);
        self.classes(&[("negative", below), ("zero", at)], "positive")
            .map(Some)
    }

    fn parity(&mut self, number: TermId) -> Result<Option<TermId>, SortError> {
        let terms = &mut self.system.terms;
        let (two, zero) = (terms.integer(2), terms.integer(0));
        let rest = terms.remainder(number, two)?;
        let even = terms.equal(rest, zero)?;
        self.classes(&[("even", even)], "odd").map(Some)
    }

    /// The remainder from 0, of negative numbers, too.
    fn modulo(&mut self, number: TermId, by: &str, span: Span) -> Result<Option<TermId>, SortError> {
        let modulus = by.trim().parse::<i64>().ok();
        let Some(modulus) = modulus.filter(|number| (1..=LARGEST_MODULUS).contains(number)) else {
            let message = format!("`{}` is no modulus", by.trim());
            self.error(
                "abs::map",
                message,
                span,
                "a positive number is expected after `modulo`",
            );
            return Ok(None);
        };
        let terms = &mut self.system.terms;
        let modulus = terms.integer(modulus);
        let rest = terms.remainder(number, modulus)?;
        let positive = terms.add(rest, modulus)?;
        terms.remainder(positive, modulus).map(Some)
    }

    fn ranges(
        &mut self,
        number: TermId,
        list: &str,
        span: Span,
        name: &str,
    ) -> Result<Option<TermId>, SortError> {
        let mut classes = Vec::new();
        for piece in list.split(',') {
            let bounds = piece.trim().split_once("..");
            let bounds = bounds.and_then(|(low, high)| {
                Some((low.trim().parse::<i64>().ok()?, high.trim().parse::<i64>().ok()?))
            });
            let Some((low, high)) = bounds.filter(|(low, high)| low <= high) else {
                let message = format!("`{}` is no range", piece.trim());
                self.error("abs::map", message, span, "ranges are written 0..3, 4..9");
                return Ok(None);
            };
            let terms = &mut self.system.terms;
            let (low_term, high_term) = (terms.integer(low), terms.integer(high));
            let (from, to) = (
                terms.less_equal(low_term, number)?,
                terms.less_equal(number, high_term)?,
            );
            classes.push((format!("{low}..{high}"), terms.and([from, to])));
        }
        self.map.data_maps.push(DataMap {
            name: name.to_owned(),
            span,
            classes: classes
                .iter()
                .map(|(name, condition)| MapClass {
                    name: name.clone(),
                    condition: *condition,
                    span,
                })
                .collect(),
        });
        let Some((last, rest)) = classes.split_last() else {
            return Ok(None);
        };
        let rest: Vec<(&str, TermId)> = rest.iter().map(|(name, term)| (name.as_str(), *term)).collect();
        self.classes(&rest, &last.0).map(Some)
    }

    /// `case c1: a; c2: b; TRUE: last; esac` with symbols.
    fn classes(&mut self, cases: &[(&str, TermId)], last: &str) -> Result<TermId, SortError> {
        let terms = &mut self.system.terms;
        let mut value = terms.constant(Value::symbol(last));
        for (name, condition) in cases.iter().rev() {
            let symbol = terms.constant(Value::symbol(name));
            value = terms.ite(*condition, symbol, value)?;
        }
        Ok(value)
    }

    fn written_out(&mut self, statement: &Statement<'_>, name: &str, observed: Arc<str>, span: Span) {
        let mut classes: Vec<MapClass> = Vec::new();
        let mut complete = true;
        for entry in statement.entries() {
            let class = entry
                .name
                .filter(|name| !name.is_empty() && name.chars().all(is_name));
            let Some(class) = class else {
                let help = "each class is written `name: condition;`";
                self.error(
                    "abs::class",
                    "the name of a class is expected before `:`",
                    entry.place,
                    "here",
                )
                .help = Some(help.into());
                complete = false;
                continue;
            };
            if let Some(first) = classes
                .iter()
                .find(|known| known.name == class)
                .map(|known| known.span)
            {
                self.diagnostics.push(
                    entail_source::Diagnostic::error(
                        "abs::class",
                        format!("there are two classes `{class}`"),
                        entry.place,
                        "again here",
                    )
                    .with_label(first, "first here"),
                );
                complete = false;
                continue;
            }
            match self.condition(entry.condition, entry.span) {
                Some(condition) => classes.push(MapClass {
                    name: class.to_owned(),
                    condition,
                    span: entry.place,
                }),
                None => complete = false,
            }
        }
        let Some((last, rest)) = classes.split_last() else {
            if complete {
                self.error(
                    "abs::class",
                    format!("the map of `{name}` has no classes"),
                    span,
                    "this map",
                );
            }
            return;
        };
        if !complete {
            return;
        }
        let rest: Vec<(&str, TermId)> = rest
            .iter()
            .map(|class| (class.name.as_str(), class.condition))
            .collect();
        if let Ok(term) = self.classes(&rest, &last.name) {
            self.observe(observed, term);
        }
        self.map.data_maps.push(DataMap {
            name: name.to_owned(),
            span,
            classes,
        });
    }
}
