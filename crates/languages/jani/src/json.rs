//! JSON with places: every value knows where it stands, so that errors can show it. Numbers keep their digits.

use entail_source::{Diagnostic, Span};

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Json {
    pub node: Node,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

pub(crate) type Read<T> = Result<T, Diagnostic>;

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

/// Reads a document.
pub(crate) fn parse(text: &str) -> Read<Json> {
    let start = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: start,
    };
    let value = reader.value()?;
    reader.space();
    if reader.at < reader.bytes.len() {
        return Err(reader.problem("there is more after the end of the document"));
    }
    Ok(value)
}

impl Reader<'_> {
    fn problem(&self, message: &str) -> Diagnostic {
        let end = self.text[self.at.min(self.text.len())..]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
        Diagnostic::error("jani::json", message, Span::new(self.at, self.at + end), "here")
    }

    fn space(&mut self) {
        while self
            .bytes
            .get(self.at)
            .is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Read<Json> {
        stacker::maybe_grow(64 << 10, 4 << 20, || self.any())
    }

    fn any(&mut self) -> Read<Json> {
        self.space();
        let start = self.at;
        let node = match self.bytes.get(self.at) {
            None => return Err(self.problem("the document ends too early")),
            Some(b'{') => self.object()?,
            Some(b'[') => self.list()?,
            Some(b'"') => Node::Text(self.text()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
        };
        Ok(Json {
            node,
            span: Span::new(start, self.at),
        })
    }

    fn word(&mut self) -> Read<Node> {
        for (word, node) in [
            ("true", Node::Bool(true)),
            ("false", Node::Bool(false)),
            ("null", Node::Null),
        ] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(node);
            }
        }
        Err(self.problem("a JSON value is expected"))
    }

    fn number(&mut self) -> Read<Node> {
        let start = self.at;
        let part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        while self.bytes.get(self.at).is_some_and(part) {
            self.at += 1;
        }
        Ok(Node::Number(self.text[start..self.at].to_owned()))
    }

    fn text(&mut self) -> Read<String> {
        let start = self.at;
        self.at += 1;
        let mut found = String::new();
        loop {
            let Some(letter) = self.text[self.at..].chars().next() else {
                self.at = start;
                return Err(self.problem("a text does not end"));
            };
            self.at += letter.len_utf8();
            match letter {
                '"' => return Ok(found),
                '\\' => {
                    let Some(escaped) = self.text[self.at..].chars().next() else {
                        return Err(self.problem("a text does not end"));
                    };
                    self.at += escaped.len_utf8();
                    found.push(match escaped {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'b' => '\u{8}',
                        'f' => '\u{c}',
                        'u' => {
                            let digits = self.text.get(self.at..self.at + 4);
                            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                            let Some(code) = code else {
                                return Err(self.problem("`\\u` needs four hexadecimal digits"));
                            };
                            self.at += 4;
                            char::from_u32(code).unwrap_or('\u{fffd}')
                        }
                        other => other,
                    });
                }
                other => found.push(other),
            }
        }
    }

    fn list(&mut self) -> Read<Node> {
        self.at += 1;
        let mut found = Vec::new();
        loop {
            self.space();
            if self.bytes.get(self.at) == Some(&b']') {
                self.at += 1;
                return Ok(Node::List(found));
            }
            if !found.is_empty() {
                self.comma()?;
            }
            found.push(self.value()?);
        }
    }

    fn comma(&mut self) -> Read<()> {
        if self.bytes.get(self.at) != Some(&b',') {
            return Err(self.problem("`,` or the end of the list is expected"));
        }
        self.at += 1;
        Ok(())
    }

    fn object(&mut self) -> Read<Node> {
        self.at += 1;
        let mut found: Vec<(String, Json)> = Vec::new();
        loop {
            self.space();
            if self.bytes.get(self.at) == Some(&b'}') {
                self.at += 1;
                return Ok(Node::Object(found));
            }
            if !found.is_empty() {
                self.comma()?;
                self.space();
            }
            if self.bytes.get(self.at) != Some(&b'"') {
                return Err(self.problem("the name of a member, in quotes, is expected"));
            }
            let name = self.text()?;
            self.space();
            if self.bytes.get(self.at) != Some(&b':') {
                return Err(self.problem("`:` is expected"));
            }
            self.at += 1;
            let value = self.value()?;
            found.push((name, value));
        }
    }
}

impl Json {
    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match &self.node {
            Node::Object(members) => members
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// A member that must be there.
    pub fn need(&self, name: &str) -> Read<&Json> {
        self.get(name).ok_or_else(|| {
            Diagnostic::error(
                "jani::missing",
                format!("the member \"{name}\" is missing"),
                self.head(),
                "in this object",
            )
        })
    }

    /// The first line of a value, for showing.
    pub fn head(&self) -> Span {
        Span::new(self.span.start, self.span.end.min(self.span.start + 60))
    }

    pub fn wrong(&self, what: &str) -> Diagnostic {
        Diagnostic::error(
            "jani::value",
            format!("{what} is expected"),
            self.head(),
            "this is something else",
        )
    }

    pub fn refused(&self, what: &str) -> Diagnostic {
        Diagnostic::error(
            "jani::refused",
            format!("{what} not supported"),
            self.head(),
            "here",
        )
    }

    pub fn text(&self) -> Read<&str> {
        match &self.node {
            Node::Text(text) => Ok(text),
            _ => Err(self.wrong("a text")),
        }
    }

    pub fn list(&self) -> Read<&[Json]> {
        match &self.node {
            Node::List(list) => Ok(list),
            _ => Err(self.wrong("a list")),
        }
    }

    /// The elements of a member that may be missing.
    pub fn elements(&self, name: &str) -> Read<&[Json]> {
        match self.get(name) {
            Some(member) => member.list(),
            None => Ok(&[]),
        }
    }

    pub fn name(&self) -> Read<&str> {
        self.need("name")?.text()
    }
}
