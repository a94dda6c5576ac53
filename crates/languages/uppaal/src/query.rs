//! Queries, one a line.

use crate::fragment::Fragment;
use crate::parser::{Parser, Read};
use crate::statistical;
use crate::tokens::Token;
use entail_source::{Diagnostic, Span};
use entail_uppaal_tree::{Chance, Control, Expr, Property, PropertyKind, TimeLimit};

/// Queries that are known by their first word, and are not decided here.
const OTHERS: [(&str, &str); 10] = [
    ("simulation", "simulations"),
    ("saveStrategy", "strategies (`saveStrategy`)"),
    ("loadStrategy", "strategies (`loadStrategy`)"),
    ("minE", "learning (`minE`)"),
    ("maxE", "learning (`maxE`)"),
    ("minPr", "learning (`minPr`)"),
    ("maxPr", "learning (`maxPr`)"),
    ("scenario", "scenarios"),
    ("Pmax", "probabilities (`Pmax`)"),
    ("refinement", "refinement"),
];

/// The query of an element, on as many lines as it likes: nothing if the element is empty, several if it asks for several values.
pub(crate) fn one(fragment: &Fragment) -> Read<Vec<Property>> {
    // Line ends mean nothing here, and they are one byte each, so places stay.
    let mut parser = Parser::new(fragment, true)?;
    parser.forget_lines();
    if parser.is_end() {
        return Ok(Vec::new());
    }
    let start = parser.span();
    let kinds = property(&mut parser)?;
    let mut end = parser.last_span();
    if let [PropertyKind::Other(_)] = kinds.as_slice() {
        while !parser.is_end() {
            end = parser.span();
            parser.next();
        }
    }
    parser.end()?;
    Ok(apart(fragment, kinds, start.to(end)))
}

/// The queries that a text stands for. Values are asked for one by one.
fn apart(fragment: &Fragment, kinds: Vec<PropertyKind>, span: Span) -> Vec<Property> {
    let is_one = kinds.len() == 1;
    let property = |mut kind: PropertyKind| {
        let text_of = |one: &Expr| words(fragment, one.span.start, one.span.end);
        if let PropertyKind::Chance(chance) = &mut kind
            && let Chance::Simulate { of, .. } = &mut **chance
        {
            of.iter_mut().for_each(|(text, one)| *text = text_of(one));
        }
        let text = match &kind {
            PropertyKind::Supremum(condition, all) | PropertyKind::Infimum(condition, all) if !is_one => {
                let name = match kind {
                    PropertyKind::Supremum(..) => "sup",
                    _ => "inf",
                };
                let condition = condition.as_ref().map(|one| format!("{{{}}}", text_of(one)));
                let all: Vec<String> = all.iter().map(text_of).collect();
                format!("{name}{}: {}", condition.unwrap_or_default(), all.join(", "))
            }
            _ => words(fragment, span.start, span.end),
        };
        Property {
            text,
            span,
            kind,
            comment: None,
        }
    };
    kinds.into_iter().map(property).collect()
}

/// The queries of a text.
pub(crate) fn list(fragment: &Fragment) -> Read<Vec<Property>> {
    let mut parser = Parser::new(fragment, true)?;
    let mut all = Vec::new();
    loop {
        while *parser.peek() == Token::Line {
            parser.next();
        }
        if parser.is_end() {
            return Ok(all);
        }
        let start = parser.span();
        let kinds = property(&mut parser)?;
        let mut end = parser.last_span();
        if let [PropertyKind::Other(_)] = kinds.as_slice() {
            while !matches!(parser.peek(), Token::Line | Token::End) {
                end = parser.span();
                parser.next();
            }
        }
        if !matches!(parser.peek(), Token::Line | Token::End) {
            return Err(parser.unexpected("the end of the query"));
        }
        all.extend(apart(fragment, kinds, start.to(end)));
    }
}

/// The decoded text between two places of the file, on one line.
fn words(fragment: &Fragment, start: usize, end: usize) -> String {
    let inside = |(at, _): &(usize, char)| (start..end).contains(&fragment.span(*at, *at + 1).start);
    let text: String = fragment
        .text
        .char_indices()
        .filter(inside)
        .map(|(_, letter)| letter)
        .collect();
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

fn property(parser: &mut Parser<'_>) -> Read<Vec<PropertyKind>> {
    if ["sup", "inf", "bounds"].iter().any(|word| parser.is(word)) {
        return bound(parser);
    }
    about_runs(parser).map(|kind| vec![kind])
}

/// `control: A<> q`, `A[] p`, `A[p U q]` or `A[p W q]`, after its first word; with a time limit, after that.
fn control(
    parser: &mut Parser<'_>,
    name: Option<String>,
    soonest: Option<TimeLimit>,
    cooperative: bool,
) -> Read<PropertyKind> {
    parser.expect(":")?;
    let mut control = Control {
        name,
        until: None,
        goal: None,
        must_reach: true,
        soonest,
        cooperative,
    };
    if parser.take("A<>") {
        control.goal = Some(parser.expression()?);
    } else if parser.take("A[]") {
        control.until = match parser.expression() {
            // `A[] (p && A<> q)`
            Err(_) if parser.is("A<>") => {
                return Ok(PropertyKind::Other(
                    "games to be won again and again (Büchi objectives)",
                ));
            }
            read => Some(read?),
        };
        control.must_reach = false;
    } else if parser.take("A") {
        parser.expect("[")?;
        control.until = Some(parser.expression()?);
        control.must_reach = parser.take("U");
        if !control.must_reach && !parser.take("W") {
            return Err(parser.unexpected("`U` or `W`"));
        }
        control.goal = Some(parser.expression()?);
        parser.expect("]")?;
    } else {
        let problem = parser.unexpected("an objective");
        return Err(
            problem.with_help("write `A<> q`, `A[] p`, `A[ p U q ]` or `A[ p W q ]` behind `control:`")
        );
    }
    if parser.is("under") {
        return Ok(PropertyKind::Other(
            "games under a strategy (`control: … under S`)",
        ));
    }
    if control.soonest.is_some() && !control.must_reach {
        return Ok(PropertyKind::Other(
            "time-optimal games without a goal that must be reached",
        ));
    }
    Ok(PropertyKind::Control(control))
}

/// `*(u, g)`, `*(u)` or `*` behind `control_t`.
fn time_limit(parser: &mut Parser<'_>) -> Read<TimeLimit> {
    parser.expect("*")?;
    let mut limit = TimeLimit::default();
    if parser.take("(") {
        limit.most = Some(parser.expression()?);
        if parser.take(",") {
            limit.reserve = Some(parser.expression()?);
        }
        parser.expect(")")?;
    }
    Ok(limit)
}

/// A game, if one begins here.
fn game(parser: &mut Parser<'_>, name: Option<String>) -> Read<Option<PropertyKind>> {
    if parser.take("control") {
        return control(parser, name, None, false).map(Some);
    }
    if parser.take("control_t") {
        let limit = time_limit(parser)?;
        return control(parser, name, Some(limit), false).map(Some);
    }
    Ok(None)
}

/// The question under a strategy, if one is named behind it.
fn under(parser: &mut Parser<'_>, question: PropertyKind) -> Read<PropertyKind> {
    if !parser.take("under") {
        return Ok(question);
    }
    let (name, _) = parser.name("the name of the strategy")?;
    Ok(PropertyKind::Under(Box::new(question), name))
}

/// `strategy S = control: …`, after its first word.
fn strategy(parser: &mut Parser<'_>) -> Read<PropertyKind> {
    let (name, _) = parser.name("the name of the strategy")?;
    parser.expect("=")?;
    let found = game(parser, Some(name))?;
    Ok(found.unwrap_or(PropertyKind::Other("strategies that are learned or loaded")))
}

fn about_runs(parser: &mut Parser<'_>) -> Read<PropertyKind> {
    if let Some(game) = game(parser, None)? {
        return Ok(game);
    }
    if parser.take("strategy") {
        return strategy(parser);
    }
    if let Token::Word(word) = parser.peek()
        && let Some((_, name)) = OTHERS.iter().find(|(first, _)| first == word)
    {
        return Ok(PropertyKind::Other(name));
    }
    if parser.is("sat") && *parser.ahead(1) == Token::Sign(":") {
        return Ok(PropertyKind::Other("scenarios (`sat:`)"));
    }
    if parser.take("Pr") {
        return statistical::probability(parser);
    }
    if parser.take("simulate") {
        return statistical::simulate(parser);
    }
    if parser.is("{") {
        return Ok(PropertyKind::Other("games with partial observation"));
    }
    for sign in ["E<>", "A[]", "E[]", "A<>"] {
        if !parser.take(sign) {
            continue;
        }
        if sign == "E<>" && parser.take("control") {
            return control(parser, None, None, true);
        }
        let inner = parser.expression()?;
        let question = match sign {
            "E<>" => PropertyKind::Possibly(inner),
            "A[]" => PropertyKind::Invariantly(inner),
            "E[]" => PropertyKind::PotentiallyAlways(inner),
            _ => PropertyKind::Eventually(inner),
        };
        return under(parser, question);
    }
    let first_word = match parser.peek() {
        Token::Word(word) => Some(word.clone()),
        _ => None,
    };
    if matches!(first_word.as_deref(), Some("A" | "E")) {
        let start = parser.span();
        let name = first_word.unwrap_or_default();
        parser.next();
        if parser.is("[") {
            return match name.as_str() {
                "E" => statistical::mean(parser),
                _ => Ok(PropertyKind::Other("until (`A[p U q]`)")),
            };
        }
        let message = format!("`{name}` is followed by `<>` or `[]` without a blank");
        return Err(Diagnostic::error("uppaal::syntax", message, start, "here"));
    }
    let condition = parser.expression()?;
    if !parser.take("-->") {
        let problem = parser.unexpected("`-->`");
        return Err(problem.with_help(
            "a query begins with `E<>`, `A[]`, `E[]`, `A<>`, `sup:`, `inf:` or `bounds:`, or is `p --> q`",
        ));
    }
    let goal = parser.expression()?;
    under(parser, PropertyKind::LeadsTo(condition, goal))
}

/// `sup`, `inf` or `bounds`, of one value after the other.
fn bound(parser: &mut Parser<'_>) -> Read<Vec<PropertyKind>> {
    let (is_sup, is_inf) = (parser.is("sup"), parser.is("inf"));
    parser.next();
    let mut condition = None;
    if parser.take("{") {
        condition = Some(parser.expression()?);
        parser.expect("}")?;
    }
    parser.expect(":")?;
    let mut found = Vec::new();
    loop {
        let one = parser.expression()?;
        if parser.is("under") {
            return Ok(vec![PropertyKind::Other(
                "extreme values under a strategy (`under`)",
            )]);
        }
        if !is_sup {
            found.push(PropertyKind::Infimum(condition.clone(), vec![one.clone()]));
        }
        if !is_inf {
            found.push(PropertyKind::Supremum(condition.clone(), vec![one]));
        }
        if !parser.take(",") {
            return Ok(found);
        }
    }
}
