//! Relations between values: `signal NAME = NODES at TIME;` and `relation NAME: P |= A => e;`.

use super::{Parsed, Parser};
use crate::syntax::{Item, RelationText};

impl Parser<'_> {
    /// What follows `signal`.
    pub(super) fn signal(&mut self) -> Parsed<Item> {
        let (name, span) = self.name("a name for the value of nodes")?;
        self.mark("=")?;
        let nodes = self.nodes()?;
        self.word("at")?;
        Ok(Item::Signal(name, span, nodes, self.expression()?))
    }

    /// What follows `relation`.
    pub(super) fn relation(&mut self) -> Parsed<Item> {
        let (name, span) = self.name("the name of a relation")?;
        self.mark(":")?;
        let begin = self.span();
        let assumption = self.assumption()?;
        let antecedent = self.formula()?;
        self.mark("=>")?;
        let demanded = self.expression()?;
        let text = begin.to(demanded.span);
        Ok(Item::Relation(RelationText {
            name,
            span,
            assumption,
            antecedent,
            demanded,
            text,
        }))
    }
}
