//! Reading what stands around templates: instantiations, priorities, the system line.

use crate::parser::{Parser, Read};
use crate::tokens::Token;
use entail_uppaal_tree::{Hook, Instance, Item, PriorityElement, SystemEntry};

impl Parser<'_> {
    /// The parts of a system: declarations, instantiations, priorities and the system line.
    pub fn system(&mut self, items: &mut Vec<Item>, entries: &mut Vec<SystemEntry>) -> Read<()> {
        while !self.is_end() {
            if self.take(";") {
                continue;
            }
            self.refuse_other_declarations()?;
            if self.is("process") {
                items.push(Item::Template(self.process()?));
            } else if self.take("system") {
                self.system_line(entries)?;
            } else if self.is("gantt") {
                items.push(Item::Gantt(self.gantt()?));
            } else if self.is("before_update") || self.is("after_update") {
                items.push(Item::Hook(self.hook()?));
            } else if self.is("progress") {
                self.skip_block()?;
            } else if self.is("query") {
                // Queries of a text are read on their own.
                self.skip_block()?;
            } else if self.is("chan") && *self.ahead(1) == Token::Word("priority".to_owned()) {
                items.push(self.priorities()?);
            } else if self.is_instance() {
                items.push(Item::Instance(self.instance()?));
            } else {
                items.push(Item::Declaration(self.declaration()?));
            }
        }
        Ok(())
    }

    /// `before_update { a = 1, f() }`; a semicolon may end it.
    fn hook(&mut self) -> Read<Hook> {
        let start = self.span();
        let before = self.is("before_update");
        self.next();
        self.expect("{")?;
        let mut update = Vec::new();
        while !self.take("}") {
            update.push(self.expression()?);
            if !self.take(",") && !self.take(";") && !self.is("}") {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
        Ok(Hook {
            before,
            update,
            span: start.to(self.last_span()),
        })
    }

    /// Whether `P = Q(…)` or `P(…) = Q(…)` begins here.
    fn is_instance(&self) -> bool {
        let is_assignment = |token: &Token| matches!(token, Token::Sign("=" | ":="));
        if !matches!(self.peek(), Token::Word(_)) || self.is_declaration() {
            return false;
        }
        if is_assignment(self.ahead(1)) {
            return true;
        }
        if *self.ahead(1) != Token::Sign("(") {
            return false;
        }
        let mut depth = 0;
        for count in 1.. {
            match self.ahead(count) {
                Token::Sign("(") => depth += 1,
                Token::Sign(")") => {
                    depth -= 1;
                    if depth == 0 {
                        return is_assignment(self.ahead(count + 1));
                    }
                }
                Token::End => return false,
                _ => {}
            }
        }
        false
    }

    fn instance(&mut self) -> Read<Instance> {
        let (name, span) = self.new_name("a name")?;
        let parameters = match self.take("(") {
            true => self.parameters(")")?,
            false => Vec::new(),
        };
        if !self.take("=") {
            self.expect(":=")?;
        }
        let (of, of_span) = self.name("the name of a template")?;
        self.expect("(")?;
        let arguments = self.arguments()?;
        self.expect(";")?;
        Ok(Instance {
            name,
            span,
            parameters,
            of,
            of_span,
            arguments,
        })
    }

    fn priorities(&mut self) -> Read<Item> {
        let start = self.span();
        self.next();
        self.next();
        let mut level = 0;
        let mut all = Vec::new();
        self.less_separates = true;
        loop {
            let element = match self.take("default") {
                true => PriorityElement::Default,
                false => PriorityElement::Channel(self.expression()?),
            };
            all.push((element, level));
            if self.take("<") {
                level += 1;
            } else if !self.take(",") {
                break;
            }
        }
        self.less_separates = false;
        self.expect(";")?;
        Ok(Item::Priorities(all, start.to(self.last_span())))
    }

    fn system_line(&mut self, entries: &mut Vec<SystemEntry>) -> Read<()> {
        let mut priority = 0;
        loop {
            let (name, span) = self.name("the name of a process")?;
            entries.push(SystemEntry { name, span, priority });
            if self.take("<") {
                priority += 1;
            } else if !self.take(",") {
                return self.expect(";");
            }
        }
    }

    /// Passes over `word { … }`.
    fn skip_block(&mut self) -> Read<()> {
        while !self.is("{") {
            if self.is_end() {
                return Err(self.unexpected("`{`"));
            }
            self.next();
        }
        let mut depth = 0;
        loop {
            if self.is("{") {
                depth += 1;
            } else if self.is("}") {
                depth -= 1;
            } else if self.is_end() {
                return Err(self.unexpected("`}`"));
            }
            self.next();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
