//! Reading terms and sorts, with sorts checked.

use crate::float_operators::{format, named_format};
use crate::operators::apply;
use crate::scope::SortMeaning;
use crate::word_operators::{apply_indexed, indexed_constant, word_literal};
use crate::{Meaning, Problem, Scope};
use entail_first_order::sexpr::{AtomKind, Node, Sexpr};
use entail_first_order::{Op, Rational, Sort, SortId, TermId, Terms};
use rustc_hash::FxHashMap;

/// An attribute of a term: `(! term :keyword value)`.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// The term.
    pub term: TermId,
    /// The keyword, colon included.
    pub keyword: String,
    /// The value, if there is one.
    pub value: Option<Sexpr>,
    /// Offsets of the annotated term.
    pub place: (usize, usize),
}

impl Annotation {
    /// The name that `:named` gives.
    pub(crate) fn name(&self) -> Option<&str> {
        let value = self.value.as_ref().filter(|_| self.keyword == ":named");
        value.and_then(Sexpr::symbol)
    }
}

/// Reads a sort.
pub fn read_sort(terms: &mut Terms, scope: &Scope, text: &Sexpr) -> Result<SortId, Problem> {
    read_sort_with(terms, scope, text, &FxHashMap::default())
}

fn read_sort_with(
    terms: &mut Terms,
    scope: &Scope,
    text: &Sexpr,
    parameters: &FxHashMap<String, SortId>,
) -> Result<SortId, Problem> {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
        sort_inside(terms, scope, text, parameters)
    })
}

fn sort_inside(
    terms: &mut Terms,
    scope: &Scope,
    text: &Sexpr,
    parameters: &FxHashMap<String, SortId>,
) -> Result<SortId, Problem> {
    if let Some(name) = text.symbol() {
        if let Some(&sort) = parameters.get(name) {
            return Ok(sort);
        }
        return match (name, scope.sort_meaning(name)) {
            (_, Some(SortMeaning::Sort(sort))) => Ok(*sort),
            (_, Some(SortMeaning::Abbreviation(names, body))) if names.is_empty() => {
                read_sort_with(terms, scope, &body.clone(), &FxHashMap::default())
            }
            ("Bool", _) => Ok(SortId::BOOL),
            ("Int", _) => Ok(SortId::INT),
            ("Real", _) => Ok(SortId::REAL),
            ("String" | "RegLan" | "RegEx" | "Seq", _) => {
                Err(Problem::at(text, "the theory of strings is not supported"))
            }
            ("RoundingMode", _) => Ok(terms.sort_id(Sort::Rounding)),
            ("Float16" | "Float32" | "Float64" | "Float128", _) => {
                let format = named_format(name);
                format
                    .map(|format| terms.float_sort(format))
                    .ok_or_else(|| Problem::at(text, "there is no such format"))
            }
            _ => Err(Problem::at(text, format!("there is no sort `{name}`"))
                .with_help("declare it with `declare-sort`")),
        };
    }
    let items = text.list().unwrap_or_default();
    let head = items.first().and_then(Sexpr::symbol);
    match (head, items) {
        (Some("_"), [_, name, width]) if name.symbol() == Some("BitVec") => match width.number() {
            Some(width) if (1..=1 << 20).contains(&width) => Ok(terms.word_sort(width)),
            _ => Err(Problem::at(width, "a width is a number from 1 to 1048576")),
        },
        (Some("_"), [_, name, exponent, significand]) if name.symbol() == Some("FloatingPoint") => {
            let format = format(text, exponent, significand)?;
            Ok(terms.float_sort(format))
        }
        (Some("_"), [_, name, _]) if name.symbol() == Some("FiniteField") => {
            Err(Problem::at(text, "the theory of finite fields is not supported"))
        }
        (Some("->"), _) => Err(Problem::at(text, "functions as values are not supported")),
        (Some("Set" | "Bag" | "Tuple" | "Relation"), _)
            if scope.sort_meaning(head.unwrap_or_default()).is_none() =>
        {
            Err(Problem::at(
                text,
                "theories of sets, bags and tuples are not supported",
            ))
        }
        (Some("Seq"), _) if scope.sort_meaning("Seq").is_none() => {
            Err(Problem::at(text, "the theory of sequences is not supported"))
        }
        // Z3 takes a sort in parentheses of its own.
        (Some(_), [alone]) => read_sort_with(terms, scope, alone, parameters),
        (Some("Array"), [_, index, element]) => {
            let index = read_sort_with(terms, scope, index, parameters)?;
            let element = read_sort_with(terms, scope, element, parameters)?;
            Ok(terms.sort_id(Sort::Array(index, element)))
        }
        (Some(name), [_, arguments @ ..]) => {
            let mut sorts = Vec::new();
            for argument in arguments {
                sorts.push(read_sort_with(terms, scope, argument, parameters)?);
            }
            match scope.sort_meaning(name) {
                Some(SortMeaning::Constructor(count)) if *count as usize == sorts.len() => {
                    let parts: Vec<String> = sorts.iter().map(|&sort| terms.print_sort(sort)).collect();
                    Ok(terms.sort_id(Sort::Uninterpreted(format!("({name} {})", parts.join(" ")))))
                }
                Some(SortMeaning::Abbreviation(names, body)) if names.len() == sorts.len() => {
                    let bound = names.iter().cloned().zip(sorts).collect();
                    read_sort_with(terms, scope, &body.clone(), &bound)
                }
                _ => Err(Problem::at(
                    text,
                    format!("there is no sort `{name}` with these parameters"),
                )),
            }
        }
        _ => Err(Problem::at(text, "this is no sort")),
    }
}

/// Reads a term.
pub fn read_term(terms: &mut Terms, scope: &mut Scope, text: &Sexpr) -> Result<TermId, Problem> {
    read_term_with(terms, scope, text, &mut Vec::new())
}

/// Reads a term and collects its attributes.
pub fn read_term_with(
    terms: &mut Terms,
    scope: &mut Scope,
    text: &Sexpr,
    annotations: &mut Vec<Annotation>,
) -> Result<TermId, Problem> {
    let mark = scope.mark();
    let mut reader = TermReader {
        terms,
        scope,
        annotations,
    };
    let read = reader.term(text);
    scope.forget_to(mark);
    read
}

struct TermReader<'a> {
    terms: &'a mut Terms,
    scope: &'a mut Scope,
    annotations: &'a mut Vec<Annotation>,
}

impl TermReader<'_> {
    fn term(&mut self, text: &Sexpr) -> Result<TermId, Problem> {
        stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || match &text.node {
            Node::Atom(kind, name) => self.atom(text, *kind, name),
            Node::List(items) => self.compound(text, items),
        })
    }

    fn atom(&mut self, text: &Sexpr, kind: AtomKind, name: &str) -> Result<TermId, Problem> {
        match kind {
            AtomKind::Number => {
                let value = Rational::parse(name).ok_or_else(|| Problem::at(text, "this is no number"))?;
                let sort = if name.contains('.') {
                    SortId::REAL
                } else {
                    SortId::INT
                };
                Ok(self.terms.numeral(value, sort))
            }
            AtomKind::Word => word_literal(self.terms, text, name),
            AtomKind::Symbol => {
                // Z3 reads `-1.5` as a number.
                let negative = name.strip_prefix('-').and_then(Rational::parse);
                match negative.filter(|_| self.scope.meaning(name).is_none()) {
                    Some(value) => {
                        let sort = if name.contains('.') {
                            SortId::REAL
                        } else {
                            SortId::INT
                        };
                        Ok(self.terms.numeral(-value, sort))
                    }
                    None => self.name(text, name, &[]),
                }
            }
            AtomKind::Text => Err(Problem::at(text, "the theory of strings is not supported")),
            AtomKind::Keyword => Err(Problem::at(text, "a keyword is no term")),
        }
    }

    /// A name applied to arguments.
    fn name(&mut self, text: &Sexpr, name: &str, arguments: &[TermId]) -> Result<TermId, Problem> {
        match self.scope.meaning(name).cloned() {
            Some(Meaning::Local(term)) if arguments.is_empty() => Ok(term),
            Some(Meaning::Local(_)) => Err(Problem::at(text, format!("`{name}` is no function"))),
            Some(Meaning::Function(symbol)) => {
                let (sorts, result) = {
                    let symbol = self.terms.symbol(symbol);
                    (symbol.arguments.clone(), symbol.result)
                };
                if arguments.is_empty() && !sorts.is_empty() {
                    let message = format!("`{name}` is a function: functions as values are not supported");
                    return Err(Problem::at(text, message));
                }
                let arguments = self.fit(text, name, &sorts, arguments)?;
                Ok(self.terms.make(Op::Apply(symbol), &arguments, result))
            }
            Some(Meaning::Macro(parameters, body)) => {
                if parameters.is_empty() && arguments.is_empty() {
                    return Ok(body);
                }
                let sorts: Vec<SortId> = parameters.iter().map(|&one| self.terms.sort_of(one)).collect();
                let arguments = self.fit(text, name, &sorts, arguments)?;
                let mut map: FxHashMap<TermId, TermId> = parameters.into_iter().zip(arguments).collect();
                Ok(self.terms.substitute(&[body], &mut map)[0])
            }
            None => match self.named(name) {
                Some(term) if arguments.is_empty() => Ok(term),
                _ => apply(self.terms, text, name, arguments),
            },
        }
    }

    /// The term that `:named` gave a name to, further to the left in the same command.
    fn named(&self, name: &str) -> Option<TermId> {
        let found = self.annotations.iter().find(|one| one.name() == Some(name));
        found.map(|one| one.term)
    }

    /// Arguments of the sorts a function wants; integers stand for reals.
    fn fit(
        &mut self,
        text: &Sexpr,
        name: &str,
        sorts: &[SortId],
        arguments: &[TermId],
    ) -> Result<Vec<TermId>, Problem> {
        if sorts.len() != arguments.len() {
            let message = format!(
                "`{name}` takes {} arguments, not {}",
                sorts.len(),
                arguments.len()
            );
            return Err(Problem::at(text, message));
        }
        let mut fitting = Vec::with_capacity(arguments.len());
        for (&sort, &argument) in sorts.iter().zip(arguments) {
            let given = self.terms.sort_of(argument);
            if given == sort {
                fitting.push(argument);
            } else if sort == SortId::REAL && given == SortId::INT {
                fitting.push(self.terms.to_real(argument));
            } else {
                let (wanted, given) = (self.terms.print_sort(sort), self.terms.print_sort(given));
                let message = format!("`{name}` takes a {wanted} here, not a {given}");
                return Err(Problem::at(text, message));
            }
        }
        Ok(fitting)
    }

    fn all(&mut self, items: &[Sexpr]) -> Result<Vec<TermId>, Problem> {
        items.iter().map(|item| self.term(item)).collect()
    }

    fn compound(&mut self, text: &Sexpr, items: &[Sexpr]) -> Result<TermId, Problem> {
        let Some(head) = items.first() else {
            return Err(Problem::at(text, "an empty list is no term"));
        };
        if let Some(name) = head.symbol() {
            return match name {
                "let" => self.let_term(text, items),
                "!" => self.annotated(text, items),
                "forall" | "exists" => self.quantified(text, items, name == "forall"),
                "_" => indexed_constant(self.terms, text, items),
                "as" if items.len() == 3 => self.term(&items[1]),
                "match" => Err(Problem::at(text, "algebraic datatypes are not supported")),
                "lambda" => Err(Problem::at(text, "higher-order terms are not supported")),
                _ => {
                    let arguments = self.all(&items[1..])?;
                    self.name(text, name, &arguments)
                }
            };
        }
        let inner = head.list().unwrap_or_default();
        match (inner.first().and_then(Sexpr::symbol), inner) {
            (Some("_"), [_, name, indices @ ..]) => {
                let arguments = self.all(&items[1..])?;
                apply_indexed(self.terms, text, name, indices, &arguments)
            }
            (Some("as"), [_, name, sort]) if name.symbol() == Some("const") => {
                let sort = read_sort(self.terms, self.scope, sort)?;
                let arguments = self.all(&items[1..])?;
                let Sort::Array(_, element) = *self.terms.sort(sort) else {
                    return Err(Problem::at(text, "`const` makes arrays"));
                };
                let arguments = self.fit(text, "const", &[element], &arguments)?;
                Ok(self.terms.make(Op::ConstantArray, &arguments, sort))
            }
            (Some("as"), [_, name, _]) if name.symbol().is_some() => {
                let arguments = self.all(&items[1..])?;
                self.name(text, name.symbol().unwrap_or_default(), &arguments)
            }
            _ => Err(Problem::at(head, "this is no function")),
        }
    }

    fn let_term(&mut self, text: &Sexpr, items: &[Sexpr]) -> Result<TermId, Problem> {
        let [_, bindings, body] = items else {
            return Err(Problem::at(text, "`let` has bindings and a body"));
        };
        let mut bound = Vec::new();
        for binding in bindings.list().unwrap_or_default() {
            match binding.list() {
                Some([name, value]) if name.symbol().is_some() => {
                    bound.push((name.symbol().unwrap_or_default(), self.term(value)?));
                }
                _ => return Err(Problem::at(binding, "a binding is a name and a term")),
            }
        }
        let mark = self.scope.mark();
        for (name, value) in bound {
            self.scope.define_local(name, value);
        }
        let read = self.term(body);
        self.scope.forget_to(mark);
        read
    }

    fn annotated(&mut self, text: &Sexpr, items: &[Sexpr]) -> Result<TermId, Problem> {
        let [_, inner, attributes @ ..] = items else {
            return Err(Problem::at(text, "`!` has a term and attributes"));
        };
        let term = self.term(inner)?;
        let mut position = 0;
        while let Some(keyword) = attributes.get(position) {
            let Some(name) = keyword.keyword() else {
                return Err(Problem::at(keyword, "an attribute begins with a keyword"));
            };
            let value = attributes
                .get(position + 1)
                .filter(|value| value.keyword().is_none());
            position += 1 + usize::from(value.is_some());
            self.annotations.push(Annotation {
                term,
                keyword: name.to_owned(),
                value: value.cloned(),
                place: (inner.start, inner.end),
            });
        }
        Ok(term)
    }

    fn quantified(&mut self, text: &Sexpr, items: &[Sexpr], is_universal: bool) -> Result<TermId, Problem> {
        let [_, variables, body] = items else {
            return Err(Problem::at(text, "a quantifier has variables and a body"));
        };
        let mark = self.scope.mark();
        let mut bound = Vec::new();
        for variable in variables.list().unwrap_or_default() {
            match variable.list() {
                Some([name, sort]) if name.symbol().is_some() => {
                    let sort = read_sort(self.terms, self.scope, sort)?;
                    let name = name.symbol().unwrap_or_default();
                    let symbol = self.terms.declare(name, &[], sort);
                    let constant = self.terms.make(Op::Apply(symbol), &[], sort);
                    self.scope.define_local(name, constant);
                    bound.push(symbol);
                }
                _ => return Err(Problem::at(variable, "a bound variable is a name and a sort")),
            }
        }
        let read = self.term(body);
        let triggers = match read {
            Ok(_) => self.triggers(body),
            Err(_) => Ok(Vec::new()),
        };
        self.scope.forget_to(mark);
        let (mut inner, triggers) = (read?, triggers?);
        if self.terms.sort_of(inner) != SortId::BOOL {
            return Err(Problem::at(body, "the body of a quantifier is a formula"));
        }
        if matches!(self.terms.op(inner), Op::True | Op::False) || bound.is_empty() {
            return Ok(inner);
        }
        if !is_universal {
            inner = self.terms.not(inner);
        }
        let all = self.terms.make(Op::Forall(bound.into()), &[inner], SortId::BOOL);
        self.terms.note_triggers(all, triggers);
        Ok(if is_universal { all } else { self.terms.not(all) })
    }
    /// The triggers of a quantifier's body: the values of its attributes `:pattern`.
    fn triggers(&mut self, body: &Sexpr) -> Result<Vec<Vec<TermId>>, Problem> {
        let items = body.list().unwrap_or_default();
        if items.first().and_then(Sexpr::symbol) != Some("!") {
            return Ok(Vec::new());
        }
        let mut read = Vec::new();
        for pair in items
            .windows(2)
            .filter(|pair| pair[0].keyword() == Some(":pattern"))
        {
            let Some(parts) = pair[1].list() else {
                return Err(Problem::at(&pair[1], "a pattern is a list of terms"));
            };
            // `:pattern (f x)` is taken for `:pattern ((f x))`, as Z3 does.
            let terms = self.all(parts);
            read.push(match (terms, self.term(&pair[1])) {
                (Err(_), Ok(whole)) => vec![whole],
                (terms, _) => terms?,
            });
        }
        Ok(read)
    }
}
