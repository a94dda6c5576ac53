//! The modelling layer: declarations and statements of Verilog inside a unit (IEEE 1850-2010, 8).
//!
//! They become part of the module that the unit is bound to, in front of its `endmodule`; the elaborator reads them. Only where each ends has to be known: a declaration or an instance at its semicolon, a procedure
//! where its statement ends, a function at `endfunction`.

use crate::expression::{after_group, depth_change};
use crate::token::{Kind, Token};

/// Words that declarations begin with which end at a semicolon.
const DECLARE: [&str; 22] = [
    "wire",
    "reg",
    "logic",
    "bit",
    "integer",
    "int",
    "byte",
    "shortint",
    "longint",
    "genvar",
    "assign",
    "parameter",
    "localparam",
    "typedef",
    "tri",
    "wand",
    "wor",
    "supply0",
    "supply1",
    "enum",
    "struct",
    "let",
];

/// Words that procedures begin with.
const PROCEDURES: [&str; 5] = ["initial", "always", "always_ff", "always_comb", "always_latch"];

/// The position behind the item at a position, if it is one of the modelling layer.
pub(super) fn modelling_end(tokens: &[Token], at: usize) -> Option<usize> {
    let is = |place: usize, text: &str| tokens.get(place).is_some_and(|token| token.is(text));
    let is_name = |place: usize| tokens.get(place).is_some_and(|token| token.kind == Kind::Name);
    let first = tokens.get(at)?;
    if first.kind != Kind::Name {
        return first.is("(*").then(|| {
            let close = (at..tokens.len()).find(|&place| is(place, "*") && is(place + 1, ")"));
            close.map_or(tokens.len(), |close| close + 2)
        });
    }
    if PROCEDURES.iter().any(|word| first.is(word)) {
        return Some(statement_end(tokens, at + 1, 0));
    }
    for (begin, end) in [
        ("function", "endfunction"),
        ("task", "endtask"),
        ("generate", "endgenerate"),
    ] {
        if first.is(begin) {
            let close = (at..tokens.len()).find(|&place| is(place, end));
            let behind = close.map_or(tokens.len(), |close| close + 1);
            return Some(behind + 2 * usize::from(is(behind, ":") && is_name(behind + 1)));
        }
    }
    // (`name name (`, or `name #(…) name (`: an instance.)
    let is_word_of_psl = ["property", "sequence", "endpoint", "default", "inherit"];
    let said = [
        "assert",
        "assume",
        "assume_guarantee",
        "cover",
        "restrict",
        "restrict_guarantee",
        "fairness",
        "strong",
    ];
    let is_ours = is_word_of_psl.iter().chain(&said).any(|word| first.is(word));
    let named = match is(at + 1, "#") {
        true => after_group(tokens, at + 2),
        false => at + 1,
    };
    let is_instance = !is_ours && is_name(named) && is(named + 1, "(");
    let declares = DECLARE.iter().any(|word| first.is(word));
    (declares || is_instance).then(|| semicolon(tokens, at))
}

/// The position behind the next semicolon outside brackets.
fn semicolon(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        depth += depth_change(token);
        if depth <= 0 && token.is(";") {
            return place + 1;
        }
    }
    tokens.len()
}

/// Statements may be nested so deep.
const DEEPEST: u32 = 200;

/// The position behind a statement.
fn statement_end(tokens: &[Token], at: usize, depth: u32) -> usize {
    let is = |place: usize, text: &str| tokens.get(place).is_some_and(|token| token.is(text));
    let Some(first) = tokens.get(at).filter(|_| depth < DEEPEST) else {
        return tokens.len();
    };
    let closed = |begins: &[&str], ends: &[&str]| {
        let mut open = 0;
        for (place, token) in tokens.iter().enumerate().skip(at) {
            open += i32::from(begins.iter().any(|word| token.is(word)));
            open -= i32::from(ends.iter().any(|word| token.is(word)));
            if open == 0 {
                let labelled = is(place + 1, ":");
                return place + 1 + 2 * usize::from(labelled);
            }
        }
        tokens.len()
    };
    match first.text.as_str() {
        "@" => {
            let after = match is(at + 1, "(") {
                true => after_group(tokens, at + 1),
                false => at + 2,
            };
            statement_end(tokens, after, depth + 1)
        }
        "#" => statement_end(tokens, at + 2, depth + 1),
        "unique" | "unique0" | "priority" | "forever" => statement_end(tokens, at + 1, depth + 1),
        "begin" => closed(&["begin"], &["end"]),
        "fork" => closed(&["fork"], &["join", "join_any", "join_none"]),
        "case" | "casex" | "casez" => closed(&["case", "casex", "casez"], &["endcase"]),
        "for" | "while" | "repeat" | "foreach" => {
            statement_end(tokens, after_group(tokens, at + 1), depth + 1)
        }
        "if" => {
            let mut next = at;
            loop {
                next = statement_end(tokens, after_group(tokens, next + 1), depth + 1);
                match is(next, "else") {
                    true if is(next + 1, "if") => next += 1,
                    true => return statement_end(tokens, next + 1, depth + 1),
                    false => return next,
                }
            }
        }
        _ => semicolon(tokens, at),
    }
}
