//! Formulas as a whole script of SMT-LIB that any solver reads: sorts and symbols declared, each under a name of its own.
//!
//! In a [`Terms`] two symbols may have one name; here the later one gets a number. Symbols that a quantifier binds are not declared.

use crate::sexpr::quoted;
use crate::{Op, Sort, SortId, SymbolId, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Names of symbols in a text, where they are not the symbols' own.
#[derive(Clone, Debug, Default)]
pub struct SymbolNames(FxHashMap<SymbolId, String>);

impl SymbolNames {
    /// Different names for all symbols of formulas.
    pub fn unique(terms: &Terms, formulas: &[TermId]) -> SymbolNames {
        let mut names = SymbolNames::default();
        let mut taken: FxHashSet<String> = FxHashSet::default();
        for symbol in symbols_of(terms, formulas) {
            // A bar or backslash cannot stand in a quoted symbol.
            let own = terms.symbol(symbol).name.replace(['|', '\\'], "_");
            let mut name = own.clone();
            let mut number = 1;
            while !taken.insert(name.clone()) {
                number += 1;
                name = format!("{own}.{number}");
            }
            if name != terms.symbol(symbol).name {
                names.0.insert(symbol, name);
            }
        }
        names
    }

    /// The name of a symbol, quoted where it must be.
    pub fn of(&self, terms: &Terms, symbol: SymbolId) -> String {
        quoted(self.0.get(&symbol).unwrap_or(&terms.symbol(symbol).name))
    }
}

/// The symbols in formulas, in the order they were declared.
fn symbols_of(terms: &Terms, formulas: &[TermId]) -> Vec<SymbolId> {
    let mut found: Vec<SymbolId> = Vec::new();
    for term in terms.cone(formulas) {
        match terms.op(term) {
            Op::Apply(symbol) => found.push(*symbol),
            Op::Forall(bound) => found.extend(bound.iter()),
            _ => {}
        }
    }
    found.sort_unstable_by_key(|symbol| symbol.index());
    found.dedup();
    found
}

impl Terms {
    /// Declarations of the sorts and symbols in formulas.
    pub fn print_declarations(&self, formulas: &[TermId], names: &SymbolNames) -> String {
        let mut text = String::new();
        let mut sorts: Vec<SortId> = Vec::new();
        let mut bound: FxHashSet<SymbolId> = FxHashSet::default();
        for term in self.cone(formulas) {
            sorts.push(self.sort_of(term));
            if let Op::Forall(symbols) = self.op(term) {
                bound.extend(symbols.iter().copied());
            }
        }
        for symbol in symbols_of(self, formulas) {
            sorts.extend(&self.symbol(symbol).arguments);
        }
        let mut declared: FxHashSet<SortId> = FxHashSet::default();
        while let Some(sort) = sorts.pop() {
            match (declared.insert(sort), self.sort(sort)) {
                (true, Sort::Array(index, element)) => sorts.extend([*index, *element]),
                (true, Sort::Uninterpreted(name)) => {
                    let _ = writeln!(text, "(declare-sort {} 0)", quoted(name));
                }
                _ => {}
            }
        }
        for symbol in symbols_of(self, formulas) {
            if bound.contains(&symbol) {
                continue;
            }
            let data = self.symbol(symbol);
            let arguments: Vec<String> = data.arguments.iter().map(|&sort| self.print_sort(sort)).collect();
            let _ = writeln!(
                text,
                "(declare-fun {} ({}) {})",
                names.of(self, symbol),
                arguments.join(" "),
                self.print_sort(data.result)
            );
        }
        text
    }

    /// A script that asks whether the formulas have a model together; the answer, where it is known, stands in its head.
    pub fn print_script(&self, formulas: &[TermId], status: Option<&str>) -> String {
        let names = SymbolNames::unique(self, formulas);
        let mut text = String::from("(set-logic ALL)\n");
        if let Some(status) = status {
            let _ = writeln!(text, "(set-info :status {status})");
        }
        text += &self.print_declarations(formulas, &names);
        for &formula in formulas {
            let _ = writeln!(text, "(assert {})", self.print_named(formula, &names));
        }
        text + "(check-sat)\n"
    }
}
