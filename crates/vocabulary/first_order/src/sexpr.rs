//! S-expressions: what SMT-LIB, VMT, MCMT and Horn files are made of.
//!
//! One pass over the bytes, iterative, so nesting costs memory and no stack. Atoms keep their text without quotes; the kind says what
//! was quoted. Every expression knows its place.

use std::fmt;

/// What an atom was written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomKind {
    /// A symbol, possibly between bars.
    Symbol,
    /// `:keyword`.
    Keyword,
    /// A numeral or decimal.
    Number,
    /// `#x…` or `#b…`.
    Word,
    /// A string between quotation marks.
    Text,
}

/// An expression with the offsets of its first byte and past its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sexpr {
    /// What it is.
    pub node: Node,
    /// Offset of the first byte.
    pub start: usize,
    /// Offset past the last byte.
    pub end: usize,
}

/// An atom or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// An atom and its text.
    Atom(AtomKind, String),
    /// A list of expressions.
    List(Vec<Sexpr>),
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// Offset of the first byte of the place.
    pub start: usize,
    /// Offset past the place.
    pub end: usize,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SyntaxError {}

impl Drop for Sexpr {
    /// Takes deep nests apart without recursion.
    fn drop(&mut self) {
        let Node::List(items) = &mut self.node else { return };
        let mut waiting = std::mem::take(items);
        while let Some(mut one) = waiting.pop() {
            if let Node::List(inner) = &mut one.node {
                waiting.append(inner);
            }
        }
    }
}

impl Sexpr {
    /// The text of a symbol.
    pub fn symbol(&self) -> Option<&str> {
        match &self.node {
            Node::Atom(AtomKind::Symbol, text) => Some(text),
            _ => None,
        }
    }

    /// The text of a keyword, colon included.
    pub fn keyword(&self) -> Option<&str> {
        match &self.node {
            Node::Atom(AtomKind::Keyword, text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn list(&self) -> Option<&[Sexpr]> {
        match &self.node {
            Node::List(items) => Some(items),
            Node::Atom(..) => None,
        }
    }

    /// A small whole number.
    pub fn number(&self) -> Option<u32> {
        match &self.node {
            Node::Atom(AtomKind::Number, text) => text.parse().ok(),
            _ => None,
        }
    }
}

/// Reads expressions one after another.
pub struct Reader<'a> {
    text: &'a [u8],
    source: &'a str,
    offset: usize,
}

fn is_symbol_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/'".contains(&byte) || byte >= 0x80
}

impl<'a> Reader<'a> {
    /// A reader at the beginning of a text.
    pub fn new(source: &'a str) -> Reader<'a> {
        Reader {
            text: source.as_bytes(),
            source,
            offset: 0,
        }
    }

    fn skip_space(&mut self) {
        while let Some(&byte) = self.text.get(self.offset) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.offset += 1,
                b';' => {
                    while self.text.get(self.offset).is_some_and(|&byte| byte != b'\n') {
                        self.offset += 1;
                    }
                }
                _ => break,
            }
        }
    }

    fn error(&self, message: impl Into<String>, start: usize) -> SyntaxError {
        SyntaxError {
            message: message.into(),
            start,
            end: self.offset.max(start + 1).min(self.source.len()).max(start),
        }
    }

    fn atom(&mut self) -> Result<Sexpr, SyntaxError> {
        let start = self.offset;
        let (kind, text) = match self.text[start] {
            b'|' => {
                self.offset += 1;
                let inner = self.offset;
                while self.text.get(self.offset).is_some_and(|&byte| byte != b'|') {
                    self.offset += 1;
                }
                if self.offset >= self.text.len() {
                    return Err(self.error("this quoted symbol does not end", start));
                }
                self.offset += 1;
                (AtomKind::Symbol, self.source[inner..self.offset - 1].to_owned())
            }
            b'"' => (AtomKind::Text, self.string()?),
            first => {
                self.offset += 1;
                while self
                    .text
                    .get(self.offset)
                    .is_some_and(|&byte| is_symbol_byte(byte))
                {
                    self.offset += 1;
                }
                let text = &self.source[start..self.offset];
                let kind = match first {
                    b':' => AtomKind::Keyword,
                    b'#' => AtomKind::Word,
                    b'0'..=b'9' => AtomKind::Number,
                    _ if is_symbol_byte(first) => AtomKind::Symbol,
                    _ => return Err(self.error(format!("`{text}` is no expression"), start)),
                };
                (kind, text.to_owned())
            }
        };
        Ok(Sexpr {
            node: Node::Atom(kind, text),
            start,
            end: self.offset,
        })
    }

    fn string(&mut self) -> Result<String, SyntaxError> {
        let start = self.offset;
        self.offset += 1;
        let mut bytes = Vec::new();
        loop {
            match self.text.get(self.offset) {
                None => return Err(self.error("this string does not end", start)),
                Some(b'"') if self.text.get(self.offset + 1) == Some(&b'"') => {
                    bytes.push(b'"');
                    self.offset += 2;
                }
                Some(b'"') => {
                    self.offset += 1;
                    return Ok(String::from_utf8_lossy(&bytes).into_owned());
                }
                Some(&byte) => {
                    bytes.push(byte);
                    self.offset += 1;
                }
            }
        }
    }

    /// Where the reader is.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The next expression; none at the end.
    pub fn next_expression(&mut self) -> Result<Option<Sexpr>, SyntaxError> {
        let mut open: Vec<(usize, Vec<Sexpr>)> = Vec::new();
        loop {
            self.skip_space();
            let Some(&byte) = self.text.get(self.offset) else {
                return match open.last() {
                    None => Ok(None),
                    Some((start, _)) => Err(self.error("this parenthesis is not closed", *start)),
                };
            };
            let complete = match byte {
                b'(' => {
                    open.push((self.offset, Vec::new()));
                    self.offset += 1;
                    continue;
                }
                b')' => {
                    let start = self.offset;
                    self.offset += 1;
                    match open.pop() {
                        Some((start, items)) => Sexpr {
                            node: Node::List(items),
                            start,
                            end: self.offset,
                        },
                        None => return Err(self.error("there is no parenthesis to close", start)),
                    }
                }
                _ => self.atom()?,
            };
            match open.last_mut() {
                Some((_, items)) => items.push(complete),
                None => return Ok(Some(complete)),
            }
        }
    }

    /// All expressions up to the end.
    pub fn all(mut self) -> Result<Vec<Sexpr>, SyntaxError> {
        let mut found = Vec::new();
        while let Some(one) = self.next_expression()? {
            found.push(one);
        }
        Ok(found)
    }
}

/// A symbol as SMT-LIB writes it, between bars where it must be.
pub fn quoted(name: &str) -> String {
    const RESERVED: &[&str] = &["!", "_", "as", "let", "forall", "exists", "match", "par"];
    let is_simple = !name.is_empty()
        && name.bytes().all(|byte| is_symbol_byte(byte) && byte < 0x80)
        && !name.as_bytes()[0].is_ascii_digit()
        && !name.contains('\'')
        && !RESERVED.contains(&name);
    if is_simple {
        name.to_owned()
    } else {
        format!("|{name}|")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_lists_comments_and_quotes_are_read_with_their_places() {
        let all = Reader::new("; hi\n(assert |a b|) \"x\"\"y\" #x1F :key 12")
            .all()
            .unwrap();
        assert_eq!(all.len(), 5);
        assert_eq!(all[0].list().unwrap()[1].symbol(), Some("a b"));
        assert_eq!(all[0].start, 5);
        assert!(matches!(&all[1].node, Node::Atom(AtomKind::Text, text) if text == "x\"y"));
        assert_eq!(all[3].keyword(), Some(":key"));
        assert_eq!(all[4].number(), Some(12));
    }

    #[test]
    fn nests_of_a_hundred_thousand_cost_no_stack() {
        let text = "(".repeat(100_000) + &")".repeat(100_000);
        assert_eq!(Reader::new(&text).all().unwrap().len(), 1);
        assert!(Reader::new(&"(".repeat(100_000)).all().is_err());
    }

    #[test]
    fn what_is_not_balanced_is_refused_at_its_place() {
        assert_eq!(Reader::new("(a").all().unwrap_err().start, 0);
        assert_eq!(Reader::new("a )").all().unwrap_err().start, 2);
        assert!(Reader::new("|a").all().is_err());
        assert!(Reader::new("\"a").all().is_err());
    }
}
