//! Operators of properties: `P`, `R`, `S`, `T`, `A`, `E` with what stands behind the letter, in the brackets and after them; filters.

use crate::ast::*;
use crate::expression::{Parsed, Parser};
use crate::token::Token;
use entail_markov::{BinaryOp, Optimum};
use entail_source::{Diagnostic, Span};

impl Parser<'_> {
    /// `P…`, `R…`, `S…`, `T…`, `A […]`, `E […]`, `filter(…)`; nothing if the word is none of them.
    pub fn operator(&mut self, start: Span, text: &str) -> Parsed<Option<Ast>> {
        let (letter, rest) = text.split_at(1);
        let extremum = match rest {
            "" => Extremum::None,
            "min" => Extremum::Min,
            "max" => Extremum::Max,
            _ if text == "filter" => return self.filter(start).map(Some),
            _ if text == "LRA" || text == "LRAmin" || text == "LRAmax" => {
                let extremum = match &text[3..] {
                    "min" => Extremum::Min,
                    "max" => Extremum::Max,
                    _ => Extremum::None,
                };
                self.advance();
                return self.steady(start, extremum).map(Some);
            }
            _ => match two_optima(rest) {
                Some(two) => two,
                None => return Ok(None),
            },
        };
        match letter {
            "P" => {
                self.advance();
                self.probability(start, extremum).map(Some)
            }
            "S" => {
                self.advance();
                self.steady(start, extremum).map(Some)
            }
            "R" => {
                self.advance();
                let (name, extremum) = self.reward_name(extremum)?;
                self.reward(start, name, extremum).map(Some)
            }
            // A constant may be called T: the operator is followed by `=?` and a bracket.
            "T" if self.token_after(1) == Token::Eq && self.token_after(2) == Token::Question => {
                self.advance();
                self.reward(start, RewardName::Time, extremum).map(Some)
            }
            "A" | "E" if rest.is_empty() && self.token_after(1) == Token::OpenBracket => {
                self.advance();
                self.advance();
                let path = Box::new(self.expression()?);
                self.expect(Token::CloseBracket, "`]`")?;
                let node = if letter == "A" {
                    Node::ForAll(path)
                } else {
                    Node::Exists(path)
                };
                Ok(Some(self.make(start, node)))
            }
            _ => Ok(None),
        }
    }

    /// Whether a coalition begins here: `<<…>>` or `[[…]]`.
    pub fn is_coalition(&self) -> bool {
        self.properties
            && match self.token() {
                Token::Lt => matches!(self.token_after(1), Token::Lt | Token::Diamond),
                Token::OpenBracket => self.token_after(1) == Token::OpenBracket,
                _ => false,
            }
    }

    /// `<<*>> P>0.5 [ … ]`: some scheduler, `[[*]] P>0.5 [ … ]`: all schedulers; the empty coalition is the other way round. Where a number is asked for, it is
    /// the operator that says which.
    pub fn coalition(&mut self, start: Span) -> Parsed<Ast> {
        let some = self.token() == Token::Lt;
        let empty = match some {
            true => self.token_after(1) == Token::Diamond,
            false => self.token_after(2) == Token::CloseBracket,
        };
        self.advance();
        self.advance();
        if !empty {
            if !matches!(self.text(), "*" | "1") {
                let problem = self.expected("`*` or `1`: there is one player");
                return Err(problem);
            }
            self.advance();
            if some {
                self.expect(Token::Gt, "`>>`")?;
            } else {
                self.expect(Token::CloseBracket, "`]]`")?;
            }
        } else if !some {
            self.expect(Token::CloseBracket, "`]]`")?;
        }
        match some {
            true => self.expect(Token::Gt, "`>>`")?,
            false => self.expect(Token::CloseBracket, "`]]`")?,
        };
        let at = self.span();
        let mut operator = self.basic()?;
        let (Node::Probability(extremum, relation, ..) | Node::Reward(_, extremum, relation, ..)) =
            &mut operator.node
        else {
            let message = "a coalition stands before an operator `P` or `R`";
            return Err(Diagnostic::error("prism::coalition", message, at, "here"));
        };
        let bound = match relation {
            RelationalOperator::Compare(op, _) => Some(*op),
            RelationalOperator::Query => None,
        };
        if let (Some(op), true, Extremum::None) = (bound, some != empty, &extremum) {
            // Some scheduler stays below a bound if the least value does.
            *extremum = match op {
                BinaryOp::Lt | BinaryOp::Le => Extremum::Min,
                _ => Extremum::Max,
            };
        }
        operator.span = start.to(operator.span);
        Ok(operator)
    }

    /// What stands after `R`: `[exp]`, `{"name"}`, `{2}`, and `min` or `max`, which stick to the letter or follow.
    fn reward_name(&mut self, mut extremum: Extremum) -> Parsed<(RewardName, Extremum)> {
        if self.token() == Token::OpenBracket && self.text_after(1) == "exp" {
            self.advance();
            self.advance();
            self.expect(Token::CloseBracket, "`]`")?;
        }
        let mut name = RewardName::Default;
        if self.eat(Token::OpenBrace) {
            name = match self.token() {
                Token::Text => RewardName::Named(self.quoted()?),
                _ => RewardName::Index(Box::new(self.expression()?)),
            };
            self.expect(Token::CloseBrace, "`}`")?;
        }
        if self.token() == Token::OpenBrace {
            let problem = Diagnostic::error(
                "prism::ratio",
                "ratios of rewards are not supported",
                self.span(),
                "here",
            );
            return Err(problem);
        }
        if self.eat_word("min") {
            extremum = Extremum::Min;
        } else if self.eat_word("max") {
            extremum = Extremum::Max;
        } else if let Some(two) = two_optima(self.text()) {
            self.advance();
            extremum = two;
        }
        Ok((name, extremum))
    }

    /// What stands between `R` and its bracket.
    pub fn reward_head(&mut self) -> Parsed<(RewardName, Extremum, RelationalOperator)> {
        let (name, extremum) = self.reward_name(Extremum::None)?;
        Ok((name, extremum, self.relation_of_operator()?))
    }

    fn relation_of_operator(&mut self) -> Parsed<RelationalOperator> {
        let op = match self.token() {
            Token::Eq => {
                self.advance();
                if self.eat(Token::Question) {
                    return Ok(RelationalOperator::Query);
                }
                let problem = self.expected("`?`");
                return Err(problem.with_help("use `=?`, or a comparison `>=`, `>`, `<=`, `<`"));
            }
            Token::Lt => BinaryOp::Lt,
            Token::Le => BinaryOp::Le,
            Token::Gt => BinaryOp::Gt,
            Token::Ge => BinaryOp::Ge,
            _ => return Err(self.expected("`=?` or a bound such as `>=0.5`")),
        };
        self.advance();
        let bound = self.sum()?;
        Ok(RelationalOperator::Compare(op, Box::new(bound)))
    }

    fn old_filters(&mut self) -> Parsed<Vec<OldFilter>> {
        let mut found = Vec::new();
        while self.eat(Token::OpenBrace) {
            let alone = self.token_after(1) == Token::CloseBrace;
            if alone && self.eat_word("min") {
                found.push(OldFilter::Min);
            } else if alone && self.eat_word("max") {
                found.push(OldFilter::Max);
            } else {
                found.push(OldFilter::States(self.expression()?));
            }
            self.expect(Token::CloseBrace, "`}`")?;
        }
        Ok(found)
    }

    fn probability(&mut self, start: Span, extremum: Extremum) -> Parsed<Ast> {
        let relation = self.relation_of_operator()?;
        self.expect(Token::OpenBracket, "`[`")?;
        let mut path = self.expression()?;
        if self.eat(Token::DoubleBar) {
            let condition = self.expression()?;
            let from = path.span;
            path = self.make(from, Node::Given(Box::new(path), Box::new(condition)));
        }
        let filters = self.old_filters()?;
        self.expect(Token::CloseBracket, "`]`")?;
        Ok(self.make(
            start,
            Node::Probability(extremum, relation, Box::new(path), filters),
        ))
    }

    fn steady(&mut self, start: Span, extremum: Extremum) -> Parsed<Ast> {
        let relation = self.relation_of_operator()?;
        self.expect(Token::OpenBracket, "`[`")?;
        let states = self.expression()?;
        let filters = self.old_filters()?;
        self.expect(Token::CloseBracket, "`]`")?;
        Ok(self.make(start, Node::Steady(extremum, relation, Box::new(states), filters)))
    }

    fn reward(&mut self, start: Span, name: RewardName, extremum: Extremum) -> Parsed<Ast> {
        let relation = self.relation_of_operator()?;
        self.expect(Token::OpenBracket, "`[`")?;
        let query = match (self.text(), self.token_after(1)) {
            ("C", Token::Le) => {
                self.advance();
                self.advance();
                RewardQuery::Cumulative(Box::new(self.sum()?))
            }
            ("C", Token::CloseBracket | Token::OpenBrace) => {
                self.advance();
                RewardQuery::Total
            }
            ("I", Token::Eq) => {
                self.advance();
                self.advance();
                RewardQuery::Instant(Box::new(self.sum()?))
            }
            ("S" | "LRA", Token::CloseBracket | Token::OpenBrace) => {
                self.advance();
                RewardQuery::LongRun
            }
            _ => RewardQuery::Path(Box::new(self.expression()?)),
        };
        let filters = self.old_filters()?;
        self.expect(Token::CloseBracket, "`]`")?;
        Ok(self.make(start, Node::Reward(name, extremum, relation, query, filters)))
    }

    /// `quantile(min B, P>=0.5 [ F{"cost"}<=B a ])`. As in Storm the formula says whether the least or the greatest bound is meant.
    pub fn quantile(&mut self, start: Span) -> Parsed<Ast> {
        self.advance();
        self.expect(Token::Open, "`(`")?;
        let mut names = Vec::new();
        loop {
            let directed = matches!(self.text(), "min" | "max") && self.token_after(1) == Token::Name;
            if directed {
                self.advance();
            }
            if self.token() != Token::Name || self.token_after(1) != Token::Comma {
                break;
            }
            names.push((self.text().to_owned(), self.span()));
            self.advance();
            self.advance();
        }
        if names.is_empty() {
            return Err(self.expected("a bound that is asked for, such as `min B`"));
        }
        let property = self.expression()?;
        self.expect(Token::Close, "`)`")?;
        Ok(self.make(start, Node::Quantile(names, Box::new(property))))
    }

    fn filter(&mut self, start: Span) -> Parsed<Ast> {
        self.advance();
        self.expect(Token::Open, "`(`")?;
        let at = self.span();
        let operator = match self.token() {
            Token::Name => self.text().to_owned(),
            Token::And => "forall".to_owned(),
            Token::Or => "exists".to_owned(),
            Token::Plus => "sum".to_owned(),
            _ => return Err(self.expected("a filter operator such as `max`")),
        };
        self.advance();
        self.expect(Token::Comma, "`,`")?;
        let property = self.expression()?;
        let states = match self.eat(Token::Comma) {
            true => Some(Box::new(self.expression()?)),
            false => None,
        };
        self.expect(Token::Close, "`)`")?;
        Ok(self.make(start, Node::Filter(operator, at, Box::new(property), states)))
    }
}

/// `minmin`, `minmax`, `maxmin`, `maxmax`.
fn two_optima(word: &str) -> Option<Extremum> {
    let optimum = |word: &str| match word {
        "min" => Some(Optimum::Min),
        "max" => Some(Optimum::Max),
        _ => None,
    };
    let (first, second) = word.split_at_checked(3)?;
    Some(Extremum::Two(optimum(first)?, optimum(second)?))
}
