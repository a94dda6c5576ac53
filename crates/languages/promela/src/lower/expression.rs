//! Expressions of the syntax tree as expressions over cells.

use super::Lowering;
use super::symbols::{ScopeId, Symbol, SymbolId, stored};
use crate::syntax::ast::*;
use crate::syntax::parser::{Fail, wrong};
use entail_program::{Expression, Index, Origin, Pattern, Place, ProcessTypeId, Scope};
use rustc_hash::FxHashSet;

/// Where an expression stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Where {
    /// What is known there besides globals.
    pub scope: Option<ScopeId>,
}

/// Fields of records that are sent, received and passed, in the whole text, with the sizes of their indices.
const MOST_PLACES: usize = 1 << 22;

impl Lowering {
    /// An expression without temporal operators.
    pub fn expression(&self, expr: &Expr, place: Where) -> Result<Expression, Fail> {
        let inner = |expr: &Expr| self.expression(expr, place);
        let boxed = |expr: &Expr| inner(expr).map(Box::new);
        Ok(match &expr.kind {
            ExprKind::Number(number) => Expression::Constant(*number),
            ExprKind::Variable(variable) => self.value(variable, place)?,
            ExprKind::Unary(operator, operand) => Expression::Unary(*operator, boxed(operand)?),
            ExprKind::Binary(operator, left, right) => {
                Expression::Binary(*operator, boxed(left)?, boxed(right)?)
            }
            ExprKind::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                Expression::Conditional(Box::new([inner(condition)?, inner(then)?, inner(otherwise)?]))
            }
            ExprKind::Probe(probe, channel) => {
                Expression::Probe(*probe, Box::new(self.value(channel, place)?))
            }
            ExprKind::Poll(channel, arguments, anywhere) => Expression::Poll {
                channel: Box::new(self.value(channel, place)?),
                patterns: self
                    .patterns(arguments, place)?
                    .into_iter()
                    .map(without_binding)
                    .collect(),
                anywhere: *anywhere,
            },
            ExprKind::Enabled(number) => Expression::Enabled(boxed(number)?),
            ExprKind::Priority(number) => Expression::Priority(boxed(number)?),
            ExprKind::LocationOf(number) => Expression::LocationOf(boxed(number)?),
            ExprKind::Timeout => Expression::Timeout,
            ExprKind::NonProgress => Expression::NonProgress,
            ExprKind::RemoteLabel(process, number, label) => {
                let kind = self.process_type(process, expr.at)?;
                let number = number.as_deref().map(boxed).transpose()?;
                let location = self.flows[kind.0 as usize].find_label(label).ok_or_else(|| {
                    let message = format!("proctype `{process}` has no label `{label}`");
                    wrong(
                        expr.at,
                        "promela::label",
                        message,
                        "referred to here",
                        "use a label of that proctype",
                    )
                })?;
                Expression::At(kind, number, location)
            }
            ExprKind::RemoteVariable(process, number, variable) => {
                let kind = self.process_type(process, expr.at)?;
                let number = number.as_deref().map(boxed).transpose()?;
                let symbol = self.flows[kind.0 as usize]
                    .locals
                    .get(&variable.parts[0].0)
                    .copied()
                    .ok_or_else(|| {
                        let message =
                            format!("proctype `{process}` has no variable `{}`", variable.parts[0].0);
                        wrong(
                            expr.at,
                            "promela::unknown-variable",
                            message,
                            "referred to here",
                            "use a variable of that proctype",
                        )
                    })?;
                let mut found = self.select(symbol, variable, place)?;
                found.scope = Scope::Remote(kind, number);
                Expression::Load(Box::new(found))
            }
            ExprKind::Run(..) => {
                return Err(wrong(
                    expr.at,
                    "promela::run",
                    "a condition or a message cannot start a process",
                    "inside an expression",
                    "write `x = run p()` and use `x`",
                ));
            }
            ExprKind::Temporal(..) | ExprKind::TemporalPair(..) => {
                return Err(wrong(
                    expr.at,
                    "promela::temporal",
                    "a temporal operator inside an arithmetic expression",
                    "here",
                    "temporal operators take formulas, not numbers",
                ));
            }
        })
    }

    pub fn process_type(&self, name: &str, at: Origin) -> Result<ProcessTypeId, Fail> {
        self.process_types.get(name).copied().ok_or_else(|| {
            wrong(
                at,
                "promela::unknown-proctype",
                format!("there is no proctype `{name}`"),
                "referred to here",
                "declare it, or correct the name",
            )
        })
    }

    /// The value of a variable or of a name with a meaning of its own.
    pub fn value(&self, variable: &Variable, place: Where) -> Result<Expression, Fail> {
        let (name, index) = &variable.parts[0];
        if variable.parts.len() == 1 && index.is_none() && self.symbols.find(name, place.scope).is_none() {
            match &**name {
                "_pid" => return Ok(Expression::ProcessNumber),
                "_nr_pr" => return Ok(Expression::ProcessCount),
                "_last" => return Ok(Expression::LastProcess),
                "_priority" => return Ok(Expression::Priority(Box::new(Expression::ProcessNumber))),
                _ => {}
            }
            if let Some(number) = self.symbols.messages.get(name) {
                return Ok(Expression::Constant(*number));
            }
        }
        Ok(Expression::Load(Box::new(self.place(variable, place)?)))
    }

    /// The cell a variable stands for.
    pub fn place(&self, variable: &Variable, place: Where) -> Result<Place, Fail> {
        let symbol = self.resolve(variable, place)?;
        self.select(symbol, variable, place)
    }

    /// The declaration a variable refers to.
    pub fn resolve(&self, variable: &Variable, place: Where) -> Result<SymbolId, Fail> {
        let name = &variable.parts[0].0;
        self.symbols.find(name, place.scope).ok_or_else(|| {
            let names = self.symbols.globals.keys().chain(self.symbols.messages.keys());
            let help = match entail_source::nearest(name, names.map(|known| &**known)) {
                Some(known) => format!("did you mean `{known}`?"),
                None => "declare it before it is used, or correct the name".to_owned(),
            };
            wrong(
                variable.at,
                "promela::unknown-variable",
                format!("`{name}` is not declared"),
                "used here",
                &help,
            )
        })
    }

    /// Indices and fields, one after the other.
    fn select(&self, id: SymbolId, variable: &Variable, place: Where) -> Result<Place, Fail> {
        let symbol = self.symbols.symbol(id);
        let mut base = symbol.base;
        let mut indices = Vec::new();
        let (mut kind, mut length) = (symbol.kind.clone(), symbol.length);
        let mut parts = variable.parts.iter().peekable();
        while let Some((name, index)) = parts.next() {
            let stride = self.symbols.cells_of(&kind);
            // An array without an index is its first element to SPIN, and a variable that is no array has one element.
            if let Some(index) = index {
                let length = length.unwrap_or(1);
                match self.expression(index, place)? {
                    Expression::Constant(value) if (0..i64::from(length)).contains(&i64::from(value)) => {
                        base += value as u32 * stride;
                    }
                    value => indices.push(Index {
                        value,
                        length,
                        stride,
                    }),
                }
            }
            match (&kind, parts.peek()) {
                (TypeName::Basic(kind), None) => {
                    return Ok(Place {
                        scope: match symbol.is_global {
                            true if self.written_only.contains(&symbol.base) => Scope::Unseen,
                            true => Scope::Global,
                            false => Scope::Local,
                        },
                        base,
                        indices,
                        kind: stored(*kind, length),
                    });
                }
                (TypeName::Basic(_), Some((field, _))) => {
                    let message = format!("`{name}` is no record: it has no field `{field}`");
                    return Err(wrong(
                        variable.at,
                        "promela::field",
                        message,
                        "here",
                        "fields belong to variables of a `typedef`",
                    ));
                }
                (TypeName::Record(_), None) => {
                    let message = format!("`{name}` is a record, not a number");
                    return Err(wrong(
                        variable.at,
                        "promela::record",
                        message,
                        "used as a number here",
                        "name one of its fields",
                    ));
                }
                (TypeName::Record(record), Some((wanted, _))) => {
                    let field = self
                        .symbols
                        .records
                        .get(record)
                        .and_then(|record| record.fields.iter().find(|field| field.name == *wanted));
                    let Some(field) = field else {
                        let message = format!("the type `{record}` has no field `{wanted}`");
                        return Err(wrong(
                            variable.at,
                            "promela::field",
                            message,
                            "here",
                            "use a field of that `typedef`",
                        ));
                    };
                    base += field.offset;
                    (kind, length) = (field.kind.clone(), field.length);
                }
            }
        }
        Err(wrong(
            variable.at,
            "promela::syntax",
            "a variable without a name",
            "here",
            "name a variable",
        ))
    }

    /// The places of a variable: of a record all of its cells, in order.
    fn places(&self, variable: &Variable, place: Where) -> Result<Vec<Place>, Fail> {
        let symbol: &Symbol = self.symbols.symbol(self.resolve(variable, place)?);
        let mut kind = symbol.kind.clone();
        for (name, _) in &variable.parts[1..] {
            if let TypeName::Record(record) = &kind
                && let Some(field) = self
                    .symbols
                    .records
                    .get(record)
                    .and_then(|record| record.fields.iter().find(|field| field.name == *name))
            {
                kind = field.kind.clone();
            }
        }
        let TypeName::Record(record) = &kind else {
            let mut size = variable.parts.len();
            variable.used(&mut |_| size += 1);
            self.places_made.set(self.places_made.get() + size);
            if self.places_made.get() > MOST_PLACES {
                return Err(wrong(
                    variable.at,
                    "promela::too-large",
                    "records are sent, received or passed too often",
                    "here",
                    "use smaller ones",
                ));
            }
            return Ok(vec![self.place(variable, place)?]);
        };
        let fields = self
            .symbols
            .records
            .get(record)
            .map(|record| record.fields.clone())
            .unwrap_or_default();
        let mut found = Vec::new();
        for field in fields {
            for position in 0..field.length.unwrap_or(1) {
                let index = field.length.map(|_| Expr {
                    kind: ExprKind::Number(position as i32),
                    at: variable.at,
                });
                let mut inner = variable.clone();
                inner.parts.push((field.name.clone(), index));
                found.extend(self.places(&inner, place)?);
            }
        }
        Ok(found)
    }

    /// The values of a list of arguments, records taken apart.
    pub fn values(&self, arguments: &[Expr], place: Where) -> Result<Vec<Expression>, Fail> {
        let mut values = Vec::new();
        for argument in arguments {
            match &argument.kind {
                ExprKind::Variable(variable)
                    if self.symbols.find(&variable.parts[0].0, place.scope).is_some() =>
                {
                    let places = self.places(variable, place)?;
                    values.extend(places.into_iter().map(|place| Expression::Load(Box::new(place))));
                }
                _ => values.push(self.expression(argument, place)?),
            }
        }
        Ok(values)
    }

    /// A plain variable cannot receive two fields of a message: SPIN could not undo it. Elements of arrays and fields of records can.
    pub fn refuse_two_fields(&self, arguments: &[Argument], place: Where) -> Result<(), Fail> {
        let mut known: FxHashSet<SymbolId> = FxHashSet::default();
        for argument in arguments {
            let Argument::Store(variable) = argument else {
                continue;
            };
            let Some(id) = self.symbols.find(&variable.parts[0].0, place.scope) else {
                continue;
            };
            let symbol = self.symbols.symbol(id);
            let is_plain = matches!(symbol.kind, TypeName::Basic(_)) && symbol.length.is_none();
            if is_plain && !known.insert(id) {
                return Err(wrong(
                    variable.at,
                    "promela::receive",
                    format!("`{}` receives two fields of the message", symbol.name),
                    "the second time",
                    "use another variable, or `_` for a field that is not needed",
                ));
            }
        }
        Ok(())
    }

    /// What a receive expects.
    pub fn patterns(&self, arguments: &[Argument], place: Where) -> Result<Vec<Pattern>, Fail> {
        let mut patterns = Vec::new();
        for argument in arguments {
            match argument {
                Argument::Value(value) | Argument::Eval(value) => {
                    patterns.push(Pattern::Match(self.expression(value, place)?))
                }
                Argument::Store(variable) => {
                    let name = &variable.parts[0].0;
                    if &**name == "_" {
                        patterns.push(Pattern::Ignore);
                    } else if self.symbols.find(name, place.scope).is_none() {
                        // A message's name, or an error.
                        patterns.push(Pattern::Match(self.value(variable, place)?));
                    } else {
                        patterns.extend(self.places(variable, place)?.into_iter().map(Pattern::Bind));
                    }
                }
            }
        }
        Ok(patterns)
    }
}

/// In a poll a variable is a value to compare with, as if in `eval`: SPIN polls do not assign. It compares constants and `eval` only, and
/// lets variables match anything.
fn without_binding(pattern: Pattern) -> Pattern {
    match pattern {
        Pattern::Bind(_) => Pattern::Ignore,
        other => other,
    }
}
