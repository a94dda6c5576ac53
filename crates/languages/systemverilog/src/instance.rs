//! Named sequences and properties with their arguments put in.

use crate::expression::{span_of, split};
use crate::property::{Result, not_read};
use crate::scan::Declaration;
use crate::token::{Kind, Token};
use entail_source::Span;

/// Tokens of a named sequence or property with its arguments put in, and its local variables under other names.
pub(crate) fn expanded(
    declaration: &Declaration,
    tokens: &[Token],
    aliases: &[(String, String)],
    arguments: Option<&[Token]>,
    span: Span,
) -> Result<Vec<Token>> {
    let mut given: Vec<Option<Vec<Token>>> = vec![None; declaration.formals.len()];
    let parts = arguments
        .filter(|tokens| !tokens.is_empty())
        .map(|tokens| split(tokens, ","));
    for (place, part) in parts.unwrap_or_default().into_iter().enumerate() {
        let named = part.len() >= 4 && part[0].is(".") && part[2].is("(");
        let (place, value) = match named {
            true => {
                let wanted = &part[1].text;
                let place = declaration
                    .formals
                    .iter()
                    .position(|(name, _)| name.strip_prefix("local ").unwrap_or(name) == wanted);
                let Some(place) = place else {
                    return Err(not_read(
                        &format!("there is no argument `{wanted}`"),
                        part[1].span,
                    ));
                };
                (place, &part[3..part.len() - 1])
            }
            false => (place, part),
        };
        match given.get_mut(place) {
            Some(slot) => *slot = Some(value.to_vec()),
            None => return Err(not_read("there are more arguments than declared", span_of(part))),
        }
    }
    let mut values = Vec::new();
    for (slot, (name, default)) in given.into_iter().zip(&declaration.formals) {
        match slot
            .filter(|tokens| !tokens.is_empty())
            .or_else(|| default.clone())
        {
            Some(value) => values.push((name, value)),
            None => return Err(not_read(&format!("the argument `{name}` is missing"), span)),
        }
    }
    let sign = |text: &str, span: Span| Token {
        kind: Kind::Sign,
        text: text.to_owned(),
        span,
    };
    let mut body = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let after_dot = place > 0 && tokens[place - 1].is(".");
        let alias = aliases.iter().find(|(name, _)| *name == token.text);
        if let Some((_, alias)) = alias.filter(|_| token.kind == Kind::Name && !after_dot) {
            body.push(Token {
                text: alias.clone(),
                ..token.clone()
            });
            continue;
        }
        let found = values
            .iter()
            .find(|(name, _)| **name == token.text && token.kind == Kind::Name && !after_dot);
        match found {
            None => body.push(token.clone()),
            Some((_, value)) => {
                let bare = value.len() == 1;
                if !bare {
                    body.push(sign("(", token.span));
                }
                body.extend(value.iter().cloned());
                if !bare {
                    body.push(sign(")", token.span));
                }
            }
        }
    }
    Ok(body)
}
