//! Assertion graphs: `graph NAME [strong | normal | terminal | fair] [when P] { [fair] a -> b: A => C; … }`.

use super::{Parsed, Parser};
use crate::syntax::{EdgeText, Formula, GraphText, Item};
use entail_trajectories::Satisfaction;

impl Parser<'_> {
    /// An assertion graph, up to its closing bracket.
    pub(super) fn graph(&mut self) -> Parsed<Item> {
        let begin = self.span();
        self.word("graph")?;
        let (name, span) = self.name("the name of an assertion graph")?;
        let told = Satisfaction::ALL.iter().find(|(word, _)| self.is_word(word));
        self.at += usize::from(told.is_some());
        let assumption = match self.take_word("when") {
            true => Some(self.expression()?),
            false => None,
        };
        self.mark("{")?;
        let mut edges = Vec::new();
        while !self.is_mark("}") {
            self.operators = 0;
            edges.push(self.edge()?);
        }
        let end = self.span();
        self.mark("}")?;
        Ok(Item::Graph(GraphText {
            name,
            span,
            satisfaction: told.map_or(Satisfaction::Strong, |(_, satisfaction)| *satisfaction),
            assumption,
            edges,
            text: begin.to(end),
        }))
    }

    fn edge(&mut self) -> Parsed<EdgeText> {
        let is_fair = self.take_word("fair");
        let (from, begin) = self.name("the vertex that an edge begins in")?;
        self.mark("->")?;
        let (to, end) = self.name("the vertex that an edge ends in")?;
        self.mark(":")?;
        let antecedent = self.formula()?;
        let consequent = match self.take_mark("=>") {
            true => self.formula()?,
            false => Formula::True,
        };
        self.mark(";")?;
        Ok(EdgeText {
            from,
            to,
            span: begin.to(end),
            is_fair,
            antecedent,
            consequent,
        })
    }
}
