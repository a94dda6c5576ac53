//! UPPAAL's language of timed automata.
//!
//! **Here:** [`parse`], from an XML or XTA file to a syntax tree with its queries; [`queries`], the same for a file of queries; [`Translation`], from a syntax tree to a network of
//! timed automata, and from a query to what is asked about the network.
//!
//! **Not here:** deciding anything.
//!
//! **Invariants:** a text is read or refused, never a panic; every error has its place in the file; the network passes [`Network::check`]. Numbers of processes, locations, edges and
//! variables follow the conventions of `entail-uppaal-tree`.

mod assignment;
mod branch_points;
mod compiler;
mod edges;
mod evaluation;
mod expressions;
mod fragment;
mod functions;
mod names;
mod operators;
mod parser;
mod query;
mod rates;
mod statistical;
mod system;
mod system_text;
mod terms;
mod tokens;
mod types;
mod xml;
mod xta;

use compiler::{Compiler, Typed};
use entail_clocks::{ClockName, Expression, Formula, Measure, Network, Query};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use entail_uppaal_tree::{Expr, Model, Property, PropertyKind};
use fragment::Fragment;

/// A file that has been read.
#[derive(Debug)]
pub struct Parsed {
    /// The model.
    pub model: Model,
    /// Its queries.
    pub properties: Vec<Property>,
    /// What the reader wondered about.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a file: XML if it begins like it, otherwise XTA, in the old form if the name ends in `.ta`.
pub fn parse(source: &Source) -> Result<Parsed, Diagnostics> {
    let text = source.text();
    if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        let read = xml::read(text)?;
        return Ok(Parsed {
            model: read.model,
            properties: read.properties,
            warnings: read.warnings,
        });
    }
    let fragment = Fragment::plain(text, 0);
    let mut model = Model::default();
    let read = parser::Parser::new(&fragment, false).and_then(|mut parser| {
        parser.old = source.name().ends_with(".ta");
        parser.system(&mut model.items, &mut model.system)?;
        match model.system.is_empty() {
            true => Err(parser.unexpected("a `system` line")),
            false => Ok(()),
        }
    });
    match read {
        Ok(()) => Ok(Parsed {
            model,
            properties: Vec::new(),
            warnings: Vec::new(),
        }),
        Err(problem) => Err(Diagnostics(vec![problem])),
    }
}

/// Reads queries, one a line.
pub fn queries(source: &Source) -> Result<Vec<Property>, Diagnostics> {
    query::list(&Fragment::plain(source.text(), 0)).map_err(|problem| Diagnostics(vec![problem]))
}

/// A model as a network.
pub struct Translation<'m> {
    compiler: Compiler<'m>,
}

impl<'m> Translation<'m> {
    /// Translates a model, or says what is wrong with it.
    pub fn new(model: &'m Model, name: &str) -> Result<Translation<'m>, Diagnostics> {
        let compiler = system::translate(model, name).map_err(Diagnostics)?;
        let network = &compiler.network;
        if let Err(reason) = network.check() {
            let problem = Diagnostic::error("uppaal::system", reason, Default::default(), "in this file");
            return Err(Diagnostics(vec![problem]));
        }
        Ok(Translation { compiler })
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.compiler.network
    }

    /// What a query asks about the network.
    pub fn query(&mut self, property: &Property) -> Result<Query, Diagnostic> {
        for process in 0..self.compiler.processes.len() {
            let info = &self.compiler.processes[process];
            if info.values.is_empty() {
                let family = info.family.clone();
                let entity = names::Entity::Process(process);
                self.compiler.scopes.enter(0, &family, entity);
            }
        }
        let not = |formula: Formula| Formula::Not(Box::new(formula));
        let compiler = &mut self.compiler;
        compiler.effects = None;
        let query = match &property.kind {
            PropertyKind::Possibly(inner) => Query::Reach(compiler.formula(inner, 0)?, true),
            PropertyKind::Invariantly(inner) => Query::Reach(not(compiler.formula(inner, 0)?), false),
            PropertyKind::PotentiallyAlways(inner) => Query::Stay(vec![compiler.formula(inner, 0)?], true),
            PropertyKind::Eventually(inner) => Query::Stay(vec![not(compiler.formula(inner, 0)?)], false),
            PropertyKind::LeadsTo(condition, goal) => {
                let goal = not(compiler.formula(goal, 0)?);
                Query::Stay(vec![goal, compiler.formula(condition, 0)?], false)
            }
            PropertyKind::Supremum(condition, all) | PropertyKind::Infimum(condition, all) => {
                let condition = match condition {
                    Some(condition) => compiler.formula(condition, 0)?,
                    None => Formula::Constant(true),
                };
                let [one] = all.as_slice() else {
                    return Err(unready("several values at once", property));
                };
                let read = compiler.value(one, 0)?;
                Query::Extreme {
                    measure: measure(read, one.span)?,
                    condition,
                    up: matches!(property.kind, PropertyKind::Supremum(..)),
                }
            }
            PropertyKind::Control(control) => {
                let mut part = |part: &Option<Expr>, missing: bool| match part {
                    Some(part) => compiler.formula(part, 0),
                    None => Ok(Formula::Constant(missing)),
                };
                let (goal, until) = (part(&control.goal, false)?, part(&control.until, true)?);
                let lost = Formula::And(vec![not(until), not(goal.clone())]);
                Query::Control {
                    formulas: vec![goal, lost],
                    must_win: control.must_reach,
                }
            }
            PropertyKind::Chance(chance) => Query::Chance(Box::new(compiler.chance(chance)?)),
            PropertyKind::Other(what) => return Err(unready(what, property)),
        };
        if matches!(query, Query::Stay(..)) && query.mentions_deadlock() {
            return Err(unready("runs that meet or avoid `deadlock`", property));
        }
        if matches!(query, Query::Control { .. }) && query.mentions_deadlock() {
            return Err(unready("games with `deadlock` in their objective", property));
        }
        let slots = compiler.next_slot[0] - compiler.network.integers.len();
        compiler.network.local_slots = slots;
        Ok(query)
    }
}

/// An integer or a clock, whose extreme values are asked for.
fn measure(read: Typed, span: Span) -> Result<Measure, Diagnostic> {
    let is_zero = |offset: &Expression| *offset == Expression::Constant(0);
    match read {
        Typed::Integer(expression, _) => Ok(Measure::Integer(expression)),
        Typed::Clock(linear) if linear.minus == ClockName::one(0) && is_zero(&linear.offset) => {
            Ok(Measure::Clock(linear.plus))
        }
        other => {
            let message = format!("this is {}, and an integer or a clock is expected", other.name());
            Err(compiler::wrong("uppaal::type", message, span))
        }
    }
}

fn unready(what: &str, property: &Property) -> Diagnostic {
    let message = format!("queries about {what} are not supported");
    Diagnostic::error("uppaal::unsupported", message, property.span, "this query")
}
