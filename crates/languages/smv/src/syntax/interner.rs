//! Identifiers as small numbers.
//!
//! Models repeat the same few hundred names hundreds of thousands of times; interning them makes the syntax tree
//! small and comparisons free. A [`Symbol`] is only meaningful with the interner that made it.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// An interned identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

/// The table of identifiers.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    by_text: FxHashMap<Arc<str>, Symbol>,
    texts: Vec<Arc<str>>,
}

impl Interner {
    /// The symbol of `text`, made on first use.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.by_text.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = Arc::from(text);
        self.texts.push(text.clone());
        self.by_text.insert(text, symbol);
        symbol
    }

    /// The symbol of `text`, if it was ever interned.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.by_text.get(text).copied()
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }
}
