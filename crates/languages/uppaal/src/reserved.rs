//! Words of the language, which cannot be names of what a model declares.

use crate::parser::{Parser, Read};
use crate::tokens::Token;
use entail_clocks::{DRAWS, FUNCTIONS};
use entail_source::Span;

/// The words of declarations, templates and system lines; functions of numbers are words, too.
const WORDS: &[&str] = &[
    "abs",
    "after_update",
    "and",
    "assert",
    "assign",
    "before_update",
    "bool",
    "branchpoint",
    "broadcast",
    "chan",
    "clock",
    "commit",
    "const",
    "default",
    "do",
    "double",
    "dynamic",
    "else",
    "exists",
    "exit",
    "false",
    "fint",
    "for",
    "forall",
    "gantt",
    "guard",
    "hybrid",
    "if",
    "ilogb",
    "imply",
    "import",
    "init",
    "int",
    "IO",
    "ldexp",
    "location",
    "meta",
    "not",
    "or",
    "priority",
    "probability",
    "process",
    "progress",
    "query",
    "return",
    "scalar",
    "select",
    "signbit",
    "spawn",
    "state",
    "string",
    "struct",
    "sum",
    "sync",
    "system",
    "trans",
    "true",
    "typedef",
    "urgent",
    "void",
    "while",
    "xor",
];

/// Words that older texts may use as names, although they mean a function now.
const LATE: &[&str] = &["normal"];

fn is_word(name: &str) -> bool {
    let is_function =
        FUNCTIONS.iter().any(|one| one.name == name) || DRAWS.iter().any(|(own, _)| *own == name);
    WORDS.contains(&name) || is_function && !LATE.contains(&name)
}

impl Parser<'_> {
    /// The name of something that is declared here.
    pub fn new_name(&mut self, wanted: &str) -> Read<(String, Span)> {
        if let Token::Word(word) = self.peek()
            && !self.old
            && is_word(word)
        {
            let message = format!("`{word}` is a word of the language and cannot be a name");
            return Err(self
                .problem(message)
                .with_help(format!("{wanted} is expected here")));
        }
        self.name(wanted)
    }
}
