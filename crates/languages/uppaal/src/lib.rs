//! UPPAAL's language of timed automata.
//!
//! **Here:** [`parse`], from an XML or XTA file to a syntax tree with its queries; [`queries`], the same for a file of queries; [`Translation`], from a syntax tree to a network of
//! timed automata, and from a query to what is asked about the network; [`write()`], from a network of TChecker's kind to XML.
//!
//! **Not here:** deciding anything.
//!
//! **Invariants:** a text is read or refused, never a panic; every error has its place in the file; the network passes [`Network::check`]. Numbers of processes, locations, edges and
//! variables follow the conventions of `entail-uppaal-tree`.

mod assignment;
mod branch_points;
mod builtins;
mod compiler;
mod conditional;
mod edges;
mod evaluation;
mod expressions;
mod fragment;
mod functions;
mod gantt;
mod instances;
mod names;
mod operators;
mod parser;
mod query;
mod rates;
mod reals;
mod reserved;
mod scalars;
mod statistical;
mod system;
mod system_text;
mod terms;
mod tokens;
mod types;
mod write;
mod xml;
mod xta;

pub use reals::RANDOM_ONLY;
pub use write::{Written, write};

use compiler::{Compiler, Typed};
use entail_clocks::discrete::MOST_CONSTANT;
use entail_clocks::{ClockName, Expression, Formula, Measure, Network, Query, TimedGame};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use entail_uppaal_tree::{Expr, Model, Property, PropertyKind, TimeLimit};
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
        let mut read = xml::read(text)?;
        builtins::declare(text, &mut read.model);
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
    if !source.name().ends_with(".ta") {
        builtins::declare(text, &mut model);
    }
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
    /// Translates a model, or says what is wrong with it. Floating-point variables and hybrid clocks are left out; where something depends on them, the model is refused ([`RANDOM_ONLY`]).
    pub fn new(model: &'m Model, name: &str) -> Result<Translation<'m>, Diagnostics> {
        Translation::of(model, name, false)
    }

    /// Translates a model for random runs, which know floating-point numbers, hybrid clocks, and clocks that run at any rate.
    pub fn for_random_runs(model: &'m Model, name: &str) -> Result<Translation<'m>, Diagnostics> {
        Translation::of(model, name, true)
    }

    fn of(model: &'m Model, name: &str, for_random_runs: bool) -> Result<Translation<'m>, Diagnostics> {
        let compiler = system::translate(model, name, for_random_runs).map_err(Diagnostics)?;
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

    /// Whether random runs should be made of the other translation: something is left out here, or clocks may run at other rates than 0 and 1.
    pub fn falls_short(&self) -> bool {
        let network = self.network();
        let ranges = network.ranges();
        let runs_fast = |one: &entail_clocks::Stopwatch| {
            let (low, high) = one.rate.range(&ranges);
            low < 0 || high > 1
        };
        network.reals.is_none() && (self.compiler.left_out || network.stopwatches.iter().any(runs_fast))
    }

    /// What a query asks about the network.
    pub fn query(&mut self, property: &Property) -> Result<Query, Diagnostic> {
        self.query_after(property, &[])
    }

    /// The same for a query that may name strategies, which earlier ones define.
    pub fn query_after(&mut self, property: &Property, earlier: &[Property]) -> Result<Query, Diagnostic> {
        let PropertyKind::Under(question, name) = &property.kind else {
            return self.plain_query(&property.kind, property);
        };
        let Some(Property {
            kind: PropertyKind::Control(control),
            ..
        }) = entail_uppaal_tree::strategy(name, earlier)
        else {
            let message = format!("there is no strategy `{name}`");
            let problem = Diagnostic::error("uppaal::unknown-name", message, property.span, "this query");
            let help = format!("define it in an earlier query: `strategy {name} = control: …`");
            return Err(problem.with_help(help));
        };
        let question = self.plain_query(question, property)?;
        if control.soonest.is_some() {
            return Err(unready("what is left under a time-optimal strategy", property));
        }
        if question.mentions_deadlock() {
            return Err(unready("`deadlock` under a strategy", property));
        }
        let game = self.plain_query(&PropertyKind::Control(control.clone()), property)?;
        Ok(Query::Under {
            game: Box::new(game),
            question: Box::new(question),
        })
    }

    /// What a query asks, if it names no strategy.
    fn plain_query(&mut self, kind: &PropertyKind, property: &Property) -> Result<Query, Diagnostic> {
        self.compiler.name_processes();
        if self.compiler.is_random() && !matches!(kind, PropertyKind::Chance(_) | PropertyKind::Other(_)) {
            let message = "the model depends on floating-point numbers, rates of clocks, or other things that only random runs know: `Pr`, `E` and `simulate` can be asked";
            return Err(reals::random_only(message, property.span));
        }
        let not = |formula: Formula| Formula::Not(Box::new(formula));
        let compiler = &mut self.compiler;
        compiler.effects = None;
        let query = match kind {
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
                    up: matches!(kind, PropertyKind::Supremum(..)),
                }
            }
            // From a state at the goal the controller wins, and it wins from no state from which both together do not get there.
            PropertyKind::Control(control) if control.cooperative => match &control.goal {
                Some(goal) if control.must_reach => Query::Reach(compiler.formula(goal, 0)?, true),
                _ => {
                    return Err(unready("`E<> control:` where nothing must be reached", property));
                }
            },
            PropertyKind::Control(control) => {
                let mut part = |part: &Option<Expr>, missing: bool| match part {
                    Some(part) => compiler.formula(part, 0),
                    None => Ok(Formula::Constant(missing)),
                };
                let (goal, until) = (part(&control.goal, false)?, part(&control.until, true)?);
                let lost = Formula::And(vec![not(until), not(goal.clone())]);
                let formulas = vec![goal, lost];
                match &control.soonest {
                    Some(limit) => Query::Soonest(timed_game(compiler, formulas, limit)?),
                    None => {
                        let must_win = control.must_reach;
                        Query::Control { formulas, must_win }
                    }
                }
            }
            PropertyKind::Under(..) => return Err(unready("one strategy under another", property)),
            PropertyKind::Chance(chance) => Query::Chance(Box::new(compiler.chance(chance)?)),
            PropertyKind::Other(what) => return Err(unready(what, property)),
        };
        if matches!(query, Query::Stay(..)) && query.mentions_deadlock() {
            return Err(unready("runs that meet or avoid `deadlock`", property));
        }
        let is_game = matches!(query, Query::Control { .. } | Query::Soonest(_));
        if is_game && query.mentions_deadlock() {
            return Err(unready("games with `deadlock` in their objective", property));
        }
        let slots = compiler.next_slot[0] - compiler.network.integers.len();
        compiler.network.local_slots = slots;
        Ok(query)
    }
}

/// A game against time. Its clock stands behind all those of the text; the time that there is at most is that of the initial state.
fn timed_game(
    compiler: &mut Compiler<'_>,
    formulas: Vec<Formula>,
    limit: &TimeLimit,
) -> Result<TimedGame, Diagnostic> {
    let mut integer = |expr: &Expr| match compiler.value(expr, 0)? {
        Typed::Integer(expression, _) => Ok(expression),
        other => {
            let message = format!("this is {}, and an integer is expected", other.name());
            Err(compiler::wrong("uppaal::type", message, expr.span))
        }
    };
    let most = limit.most.as_ref().map(&mut integer).transpose()?;
    let reserve = limit.reserve.as_ref().map(&mut integer).transpose()?;
    let integers: Vec<i64> = (compiler.network.integers.iter())
        .map(|one| one.initial)
        .collect();
    let most = match (most, &limit.most) {
        (Some(most), Some(expr)) => match most.value(&integers) {
            Ok(time) if (0..MOST_CONSTANT).contains(&time) => Some(time),
            _ => {
                let message = "the time limit is no number of time units that clocks can be compared with";
                return Err(compiler::wrong("uppaal::range", message.to_owned(), expr.span));
            }
        },
        _ => None,
    };
    Ok(TimedGame {
        formulas,
        clock: compiler.network.dimension(),
        most,
        reserve,
    })
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
