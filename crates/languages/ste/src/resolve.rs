//! What a specification says about a netlist: names become nodes, words become bits, formulas become lists of what is driven and demanded.
//!
//! A formula is walked once with the guard and the time at which it stands; `all`, `for` and `from … to` repeat the walk. How much a text may expand to is limited, and so is
//! how far ahead it may look.

mod graph;
mod proof;
mod relation;

use crate::expression::{Scope, Value};
use crate::syntax::{Expression, Formula, Item, Nodes, RelationText, SpecificationText};
use entail_source::{Diagnostic, Diagnostics, Source, Span, nearest};
use entail_trajectories::{Assertion, ConditionId, Drive, Netlist, NodeId, Specification, Weakening, Word};
use rustc_hash::FxHashMap;

/// Most entries of an antecedent or a consequent, and most steps of walking formulas.
const MOST_DRIVES: usize = 1 << 22;

/// The last time that a specification may speak of.
const LAST_TIME: u64 = 100_000;

/// How deep named formulas may stand in each other.
const DEEPEST: u32 = 1_000;

/// Most variables of one bit.
const MOST_VARIABLES: u32 = 1 << 20;

type Resolved<T> = Result<T, Diagnostic>;

/// What a parsed specification says about a netlist.
pub fn resolve(
    text: &SpecificationText,
    netlist: &Netlist,
    source: &Source,
) -> Result<Specification, Diagnostics> {
    let mut resolver = Resolver {
        netlist,
        scope: Scope::default(),
        formulas: FxHashMap::default(),
        found: Specification::default(),
        assumed: ConditionId::TRUE,
        variables: 0,
        steps: 0,
        signals: Vec::new(),
        relations: Vec::new(),
    };
    let told = |problem: Diagnostic| Diagnostics(vec![problem.within(source.text())]);
    for item in &text.items {
        resolver.item(item, source).map_err(told)?;
    }
    for (relation, assumed) in std::mem::take(&mut resolver.relations) {
        resolver.relation(relation, assumed, source).map_err(told)?;
    }
    let Resolver { scope, mut found, .. } = resolver;
    found.conditions = scope.conditions;
    Ok(found)
}

struct Resolver<'n, 't> {
    netlist: &'n Netlist,
    scope: Scope,
    formulas: FxHashMap<&'t str, &'t Formula>,
    found: Specification,
    assumed: ConditionId,
    variables: u32,
    steps: usize,
    /// Names for values of nodes, with the nodes from the lowest bit on and the time.
    signals: Vec<(String, Vec<NodeId>, u32)>,
    /// Relations, with what was assumed before them.
    relations: Vec<(&'t RelationText, ConditionId)>,
}

/// Where a formula stands.
#[derive(Clone, Copy)]
struct Standing {
    time: u64,
    guard: ConditionId,
    /// How many formulas it stands in.
    depth: u32,
}

impl<'t> Resolver<'_, 't> {
    fn item(&mut self, item: &'t Item, source: &Source) -> Resolved<()> {
        match item {
            Item::Variable { name, span, width } => self.variable(name, *span, *width),
            Item::Let(name, span, expression) => {
                self.unused(name, *span)?;
                let value = self.scope.value(expression)?;
                self.scope.values.insert(name.clone(), value);
                Ok(())
            }
            Item::Trajectory(name, span, formula) => {
                self.unused(name, *span)?;
                // (What is wrong with it is told here, even if nobody uses it.)
                let mut ignored = Vec::new();
                self.formula(formula, Standing::START, &mut ignored)?;
                self.formulas.insert(name, formula);
                Ok(())
            }
            Item::Assume(expression) => {
                let condition = self.scope.condition(expression)?;
                self.assumed = self.scope.conditions.and(self.assumed, condition);
                Ok(())
            }
            Item::Weaken { nodes, during, when } => {
                let guard = match when {
                    Some(when) => self.scope.condition(when)?,
                    None => ConditionId::TRUE,
                };
                let (from, to) = match during {
                    None => (0, None),
                    Some((from, to)) => (self.time(from)?, Some(self.time(to)? as u32)),
                };
                let weakening = Weakening {
                    nodes: self.nodes(nodes)?,
                    from: from as u32,
                    to,
                    guard,
                };
                self.found.weakenings.push(weakening);
                Ok(())
            }
            Item::Graph(graph) => self.graph(graph, source),
            Item::Signal(name, span, nodes, time) => {
                self.unused(name, *span)?;
                let time = self.time(time)? as u32;
                let nodes = self.nodes(nodes)?;
                self.spend(nodes.len(), *span)?;
                self.signals.push((name.clone(), nodes, time));
                Ok(())
            }
            Item::Relation(relation) => {
                self.relations.push((relation, self.assumed));
                Ok(())
            }
            Item::Assert {
                name,
                span,
                is_indexed,
                assumption,
                antecedent,
                consequent,
                text,
                method,
            } => {
                self.fresh_name(name, *span)?;
                let own = match assumption {
                    Some(assumption) => self.scope.condition(assumption)?,
                    None => ConditionId::TRUE,
                };
                let assumption = self.scope.conditions.and(self.assumed, own);
                let (mut driven, mut demanded) = (Vec::new(), Vec::new());
                self.formula(antecedent, Standing::START, &mut driven)?;
                self.formula(consequent, Standing::START, &mut demanded)?;
                let method = self.method(method)?;
                let words: Vec<&str> = source.slice(*text).split_whitespace().collect();
                self.found.assertions.push(Assertion {
                    name: name.clone(),
                    text: words.join(" "),
                    place: span.to(*text),
                    assumption,
                    antecedent: driven,
                    consequent: demanded,
                    is_indexed: *is_indexed,
                    relation: None,
                    method,
                });
                Ok(())
            }
        }
    }

    /// Nothing else that is asked has this name.
    fn fresh_name(&self, name: &str, span: Span) -> Resolved<()> {
        let assertions = self.found.assertions.iter().map(|known| &known.name);
        let graphs = self.found.graphs.iter().map(|known| &known.name);
        match assertions.chain(graphs).any(|known| known == name) {
            false => Ok(()),
            true => {
                let message = format!("there is an assertion `{name}` already");
                let problem = Diagnostic::error("ste::twice", message, span, "here");
                Err(problem.with_help("answers are told under these names: each is given once"))
            }
        }
    }

    fn variable(&mut self, name: &str, span: Span, width: u32) -> Resolved<()> {
        self.unused(name, span)?;
        if self.variables + width > MOST_VARIABLES {
            let message = format!("there are more than {MOST_VARIABLES} variables");
            return Err(Diagnostic::error("ste::too-large", message, span, "here"));
        }
        let first = self.variables;
        self.variables += width;
        let bits = (first..self.variables).map(|number| Some(self.scope.conditions.variable(number)));
        self.scope
            .values
            .insert(name.to_owned(), Value::Word(bits.collect()));
        self.found.words.push(Word {
            name: name.to_owned(),
            first,
            width,
        });
        Ok(())
    }

    fn unused(&self, name: &str, span: Span) -> Resolved<()> {
        let is_signal = self.signals.iter().any(|(known, ..)| known == name);
        match is_signal || self.scope.values.contains_key(name) || self.formulas.contains_key(name) {
            true => {
                let message = format!("`{name}` has a meaning already");
                Err(Diagnostic::error("ste::twice", message, span, "here"))
            }
            false => Ok(()),
        }
    }

    fn time(&mut self, expression: &Expression) -> Resolved<u64> {
        let time = self.scope.number(expression)?;
        self.early(time, expression.span)?;
        Ok(time)
    }

    fn early(&self, time: u64, span: Span) -> Resolved<()> {
        match time <= LAST_TIME {
            true => Ok(()),
            false => {
                let message = format!("this is later than {LAST_TIME} steps from the beginning");
                Err(Diagnostic::error("ste::time", message, span, "here"))
            }
        }
    }

    fn spend(&mut self, steps: usize, span: Span) -> Resolved<()> {
        self.steps += steps;
        match self.steps <= MOST_DRIVES {
            true => Ok(()),
            false => {
                let message =
                    format!("the specification says more than {MOST_DRIVES} things about single nodes");
                Err(Diagnostic::error("ste::too-large", message, span, "here"))
            }
        }
    }

    /// Adds what a formula says, and gives the number of steps that it spans.
    fn formula(&mut self, formula: &'t Formula, mut at: Standing, into: &mut Vec<Drive>) -> Resolved<u64> {
        at.depth += 1;
        match formula {
            Formula::True => Ok(1),
            Formula::Is(nodes, value) => {
                let span = value.span;
                let nodes = self.nodes(nodes)?;
                self.spend(nodes.len(), span)?;
                self.early(at.time, span)?;
                let bits = self.scope.word_of(value, nodes.len())?;
                for (node, value) in nodes.into_iter().zip(bits) {
                    if let (Some(value), true) = (value, at.guard != ConditionId::FALSE) {
                        into.push(Drive {
                            node,
                            time: at.time as u32,
                            guard: at.guard,
                            value,
                        });
                    }
                }
                Ok(1)
            }
            Formula::Named(name, span) => {
                self.spend(1, *span)?;
                if at.depth > DEEPEST {
                    let message = format!("formulas stand in each other more than {DEEPEST} levels deep");
                    return Err(Diagnostic::error("ste::nesting", message, *span, "here"));
                }
                match self.formulas.get(name.as_str()).copied() {
                    Some(formula) => self.formula(formula, at, into),
                    None => Err(self.unnamed(name, *span)),
                }
            }
            Formula::And(parts) => {
                let mut longest = 1;
                for part in parts {
                    longest = longest.max(self.formula(part, at, into)?);
                }
                Ok(longest)
            }
            Formula::When(guard, inner) => {
                let guard = self.scope.condition(guard)?;
                let guard = self.scope.conditions.and(at.guard, guard);
                self.formula(inner, Standing { guard, ..at }, into)
            }
            Formula::Next(steps, inner) => {
                let later = self.time(steps)?;
                let time = at.time + later;
                self.early(time, steps.span)?;
                Ok(later + self.formula(inner, Standing { time, ..at }, into)?)
            }
            Formula::During(inner, from, to) => {
                let (first, end) = (self.time(from)?, self.time(to)?);
                if first >= end {
                    let message = format!("no time is from {first} on and before {end}");
                    return Err(Diagnostic::error("ste::time", message, to.span, "here"));
                }
                let mut span = 0;
                for later in first..end {
                    self.spend(1, to.span)?;
                    let time = at.time + later;
                    self.early(time, to.span)?;
                    span = later + self.formula(inner, Standing { time, ..at }, into)?;
                }
                Ok(span)
            }
            Formula::Then(first, then) => {
                let span = self.formula(first, at, into)?;
                let time = at.time + span;
                Ok(span + self.formula(then, Standing { time, ..at }, into)?)
            }
            Formula::All {
                variable,
                range,
                body,
            } => self.all(variable, range, body, at, into),
        }
    }

    fn all(
        &mut self,
        variable: &str,
        [first, last]: &'t [Expression; 2],
        body: &'t Formula,
        at: Standing,
        into: &mut Vec<Drive>,
    ) -> Resolved<u64> {
        let (low, high) = (self.scope.number(first)?, self.scope.number(last)?);
        let span = first.span.to(last.span);
        if low > high {
            let message = format!("there is no number from {low} to {high}");
            return Err(Diagnostic::error("ste::range", message, span, "here"));
        }
        let hidden = self.scope.values.remove(variable);
        let mut longest = Ok(1);
        for number in low..=high {
            self.scope
                .values
                .insert(variable.to_owned(), Value::Number(number));
            let walked = self.spend(1, span).and_then(|()| self.formula(body, at, into));
            longest = longest.and_then(|longest: u64| walked.map(|span| longest.max(span)));
            if longest.is_err() {
                break;
            }
        }
        self.scope.values.remove(variable);
        if let Some(hidden) = hidden {
            self.scope.values.insert(variable.to_owned(), hidden);
        }
        longest
    }

    fn unnamed(&self, name: &str, span: Span) -> Diagnostic {
        match self.netlist.signal(name) {
            Some(_) => Diagnostic::error(
                "ste::syntax",
                format!("`{name}` is a node: `{name} is …` says what it is"),
                span,
                "here",
            ),
            None => {
                let message = format!("no trajectory formula is called `{name}`");
                Diagnostic::error("ste::name", message, span, "here")
            }
        }
    }

    /// The nodes, from the lowest bit on.
    fn nodes(&mut self, nodes: &Nodes) -> Resolved<Vec<NodeId>> {
        match nodes {
            Nodes::Concatenation(parts) => {
                let mut all = Vec::new();
                for part in parts.iter().rev() {
                    all.extend(self.nodes(part)?);
                }
                Ok(all)
            }
            Nodes::Signal {
                name,
                span,
                positions,
            } => self.signal(name, *span, positions),
        }
    }

    fn signal(
        &mut self,
        name: &str,
        span: Span,
        positions: &[(Expression, Expression)],
    ) -> Resolved<Vec<NodeId>> {
        let mut ranges = Vec::with_capacity(positions.len());
        for (upper, lower) in positions {
            let place = upper.span.to(lower.span);
            ranges.push((self.scope.number(upper)?, self.scope.number(lower)?, place));
        }
        let mut ranges = ranges.as_slice();
        let netlist = self.netlist;
        let signal = match netlist.signal(name) {
            Some(signal) => signal,
            None => {
                // The bits of a word may be signals of their own: `d[3]`.
                if let [(upper, lower, _)] = ranges
                    && let Some(bits) = single_bits(netlist, name, *upper, *lower)
                {
                    return Ok(bits);
                }
                return Err(self.no_signal(name, span));
            }
        };
        let mut bits = &signal.elements[0];
        if signal.is_memory {
            let [(index, other, place), rest @ ..] = ranges else {
                let message = format!(
                    "`{name}` is a memory of {} words: `{name}[0]` is the first",
                    signal.elements.len()
                );
                return Err(Diagnostic::error("ste::memory", message, span, "here"));
            };
            bits = usize::try_from(*index)
                .ok()
                .filter(|_| index == other)
                .and_then(|index| signal.elements.get(index))
                .ok_or_else(|| outside(name, signal.elements.len(), "words", *place))?;
            ranges = rest;
        }
        match ranges {
            [] => Ok(bits.clone()),
            [(upper, lower, place)] => {
                if lower > upper || *upper >= bits.len() as u64 {
                    return Err(outside(name, bits.len(), "bits", *place));
                }
                Ok(bits[*lower as usize..=*upper as usize].to_vec())
            }
            [_, (_, _, place), ..] => Err(Diagnostic::error(
                "ste::node",
                "these are too many positions",
                *place,
                "here",
            )),
        }
    }

    fn no_signal(&self, name: &str, span: Span) -> Diagnostic {
        let found = Diagnostic::error(
            "ste::node",
            format!("the circuit has no node `{name}`"),
            span,
            "here",
        );
        let names = || self.netlist.signals().iter().map(|signal| signal.name.as_str());
        match nearest(name, names()) {
            Some(known) => found.with_help(format!("did you mean `{known}`?")),
            None => {
                let some: Vec<&str> = names().take(8).collect();
                found.with_help(format!("there are {}", some.join(", ")))
            }
        }
    }
}

impl Standing {
    const START: Standing = Standing {
        time: 0,
        guard: ConditionId::TRUE,
        depth: 0,
    };
}

/// Bits that are signals called `name[i]`.
fn single_bits(netlist: &Netlist, name: &str, upper: u64, lower: u64) -> Option<Vec<NodeId>> {
    if lower > upper || upper - lower >= netlist.len() as u64 {
        return None;
    }
    let bit = |at: u64| {
        let signal = netlist.signal(&format!("{name}[{at}]"))?;
        match signal.elements.as_slice() {
            [bits] if bits.len() == 1 => Some(bits[0]),
            _ => None,
        }
    };
    (lower..=upper).map(bit).collect()
}

fn outside(name: &str, count: usize, what: &str, span: Span) -> Diagnostic {
    let message = format!("`{name}` has {count} {what}, counted from 0");
    Diagnostic::error("ste::node", message, span, "this is not one of them")
}
