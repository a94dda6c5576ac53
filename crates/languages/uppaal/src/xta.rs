//! Templates in the text format: `process P(…) { … }`.

use crate::branch_points::{self, Drawn};
use crate::parser::{Parser, Read};
use entail_source::{Diagnostic, Span};
use entail_uppaal_tree::{Edge, Expr, ExprKind, Location, Operator, Sync, Template};
use std::collections::HashMap;

/// A location without a name.
fn nowhere(span: Span) -> Location {
    Location {
        name: "_".to_owned(),
        is_named: false,
        span,
        invariant: None,
        urgent: false,
        committed: false,
        exponential: None,
        at: None,
    }
}

impl Parser<'_> {
    /// A template.
    pub fn process(&mut self) -> Read<Template> {
        self.expect("process")?;
        let (name, span) = self.new_name("the name of a template")?;
        let parameters = match self.take("(") {
            true => self.parameters(")")?,
            false => Vec::new(),
        };
        self.expect("{")?;
        let mut declarations = Vec::new();
        while !self.is("state") {
            // A process that does nothing need not say where it does that.
            if self.take("}") {
                return Ok(Template {
                    name,
                    span,
                    parameters,
                    declarations,
                    locations: vec![nowhere(span)],
                    initial: 0,
                    edges: Vec::new(),
                });
            }
            if self.is_end() {
                return Err(self.unexpected("`state`"));
            }
            if !self.take(";") {
                declarations.push(self.declaration()?);
            }
        }
        let mut template = Template {
            name,
            span,
            parameters,
            declarations,
            locations: Vec::new(),
            initial: 0,
            edges: Vec::new(),
        };
        let mut numbers = HashMap::new();
        self.expect("state")?;
        self.states(&mut template, &mut numbers)?;
        // Branch points are numbered behind the locations.
        let mut points = numbers.clone();
        if self.take("branchpoint") {
            loop {
                let (name, span) = self.new_name("the name of a branch point")?;
                if points.insert(name.clone(), points.len()).is_some() {
                    let message = format!("the branch point `{name}` is declared twice");
                    return Err(Diagnostic::error("uppaal::duplicate", message, span, "here"));
                }
                if !self.take(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        loop {
            let is_committed = self.is("commit");
            if !is_committed && !self.is("urgent") {
                break;
            }
            self.next();
            loop {
                let at = self.location_name(&numbers)?;
                match is_committed {
                    true => template.locations[at].committed = true,
                    false => template.locations[at].urgent = true,
                }
                if !self.take(",") {
                    self.expect(";")?;
                    break;
                }
            }
        }
        self.expect("init")?;
        template.initial = self.location_name(&numbers)?;
        self.expect(";")?;
        if self.take("trans") {
            self.transitions(&mut template, &points)?;
        }
        self.expect("}")?;
        Ok(template)
    }

    fn states(&mut self, template: &mut Template, numbers: &mut HashMap<String, usize>) -> Read<()> {
        loop {
            let (name, span) = self.new_name("the name of a location")?;
            if numbers.insert(name.clone(), template.locations.len()).is_some() {
                let message = format!("the location `{name}` is declared twice");
                return Err(Diagnostic::error("uppaal::duplicate", message, span, "here"));
            }
            let (mut invariant, mut exponential) = (None, None);
            if self.take("{") {
                if !self.is(";") {
                    invariant = Some(self.conjunction()?);
                }
                if self.take(";") {
                    exponential = Some(self.ratio()?);
                }
                self.expect("}")?;
            }
            template.locations.push(Location {
                name,
                is_named: true,
                span,
                invariant,
                urgent: false,
                committed: false,
                exponential,
                at: None,
            });
            if !self.take(",") {
                return self.expect(";");
            }
        }
    }

    /// The rate at which a location is left: `r`, or `r : q` for a quotient.
    pub fn ratio(&mut self) -> Read<(Expr, Option<Expr>)> {
        let number = self.expression()?;
        let divisor = match self.take(":") {
            true => Some(self.expression()?),
            false => None,
        };
        Ok((number, divisor))
    }

    /// An expression; in the old format a list means all of them.
    pub fn conjunction(&mut self) -> Read<Expr> {
        let mut all = self.expression()?;
        while self.old && self.take(",") {
            let right = self.expression()?;
            all = Expr {
                span: all.span.to(right.span),
                kind: ExprKind::Binary(Operator::And, Box::new(all), Box::new(right)),
            };
        }
        Ok(all)
    }

    fn location_name(&mut self, numbers: &HashMap<String, usize>) -> Read<usize> {
        let (name, span) = self.name("the name of a location")?;
        numbers.get(&name).copied().ok_or_else(|| {
            let message = format!("there is no location `{name}`");
            Diagnostic::error("uppaal::unknown", message, span, "here")
        })
    }

    fn transitions(&mut self, template: &mut Template, numbers: &HashMap<String, usize>) -> Read<()> {
        let (mut source, mut drawn) = (None, Vec::new());
        loop {
            let start = self.span();
            if !self.is("->") {
                source = Some(self.location_name(numbers)?);
            }
            // `-u->` arrives as several signs.
            let mut controllable = true;
            if self.take("-") {
                self.expect("u")?;
                controllable = false;
            }
            self.expect("->")?;
            let target = self.location_name(numbers)?;
            let Some(source) = source else {
                return Err(self.problem("this transition has no source"));
            };
            self.expect("{")?;
            drawn.push(self.edge_body(source, target, start, controllable)?);
            if !self.take(",") {
                template.edges = branch_points::joined(&drawn, template.locations.len())?;
                return self.expect(";");
            }
        }
    }

    fn edge_body(&mut self, source: usize, target: usize, start: Span, controllable: bool) -> Read<Drawn> {
        let mut weight = None;
        let mut edge = Edge {
            source,
            target,
            span: start,
            selects: Vec::new(),
            guard: None,
            sync: None,
            update: Vec::new(),
            controllable,
            branch: None,
            nails: Vec::new(),
        };
        while !self.take("}") {
            if self.take("select") {
                edge.selects = self.selects()?;
            } else if self.take("guard") {
                edge.guard = Some(self.conjunction()?);
            } else if self.take("sync") {
                edge.sync = Some(self.sync()?);
            } else if self.take("assign") {
                edge.update = self.updates()?;
            } else if self.take("probability") {
                weight = Some(self.expression()?);
            } else {
                return Err(self.unexpected("`select`, `guard`, `sync`, `assign`, `probability` or `}`"));
            }
            self.expect(";")?;
        }
        edge.span = start.to(self.last_span());
        Ok((edge, weight))
    }

    /// `c!` or `c?`.
    pub fn sync(&mut self) -> Read<Sync> {
        let channel = self.channel()?;
        let sends = self.take("!");
        if !sends && !self.is("?") && (self.is(";") || self.is_end()) {
            let message = "synchronisation without direction (CSP) is not supported";
            return Err(Diagnostic::error(
                "uppaal::unsupported",
                message,
                channel.span,
                "this channel",
            ));
        }
        if !sends {
            self.expect("?")?;
        }
        Ok(Sync { channel, sends })
    }

    /// A channel: a name with indices.
    fn channel(&mut self) -> Read<Expr> {
        let (name, span) = self.name("a channel")?;
        let mut channel = Expr {
            span,
            kind: ExprKind::Name(name),
        };
        loop {
            let kind = if self.take("[") {
                let index = self.expression()?;
                self.expect("]")?;
                ExprKind::Index(Box::new(channel.clone()), Box::new(index))
            } else if self.take(".") {
                let (name, _) = self.name("the name of a field")?;
                ExprKind::Field(Box::new(channel.clone()), name)
            } else {
                return Ok(channel);
            };
            channel = Expr {
                span: span.to(self.last_span()),
                kind,
            };
        }
    }

    /// Expressions between commas.
    pub fn updates(&mut self) -> Read<Vec<Expr>> {
        let mut all = vec![self.expression()?];
        while self.take(",") {
            all.push(self.expression()?);
        }
        Ok(all)
    }
}
