//! Commands of SMT-LIB scripts, read one at a time against the names in force.

use crate::scope::SortMeaning;
use crate::{Annotation, Meaning, Problem, Scope, read_sort, read_term, read_term_with};
use entail_first_order::sexpr::{AtomKind, Node, Sexpr};
use entail_first_order::{Op, Sort, SortId, TermId, Terms};

/// A command that has been read.
#[derive(Clone, Debug)]
pub enum Command {
    /// `set-logic`.
    SetLogic(String),
    /// `set-option`: keyword and value.
    SetOption(String, String),
    /// Declarations, definitions, information: nothing to be done.
    Noted,
    /// A command that has no influence on satisfiability, such as an objective.
    Ignored(String),
    /// `assert`, with the name of `:named`.
    Assert(TermId, Option<String>),
    /// `check-sat`, `check-sat-assuming`, `check-sat-using`: assumptions and their places.
    CheckSat(Vec<(TermId, (usize, usize))>),
    /// `push`.
    Push(u32),
    /// `pop`.
    Pop(u32),
    /// `get-model`.
    GetModel,
    /// `get-value`: terms and their texts.
    GetValue(Vec<(TermId, (usize, usize))>),
    /// `get-unsat-core`.
    GetUnsatCore,
    /// `get-unsat-assumptions`.
    GetUnsatAssumptions,
    /// `get-interpolants`: for each group, the names of its assertions.
    GetInterpolants(Vec<Vec<String>>),
    /// `get-assertions`.
    GetAssertions,
    /// `get-proof`.
    GetProof,
    /// `get-info` of a keyword.
    GetInfo(String),
    /// `get-option` of a keyword.
    GetOption(String),
    /// `echo`.
    Echo(String),
    /// `reset`.
    Reset,
    /// `reset-assertions`.
    ResetAssertions,
    /// `exit`.
    Exit,
}

/// Terms and names of a script.
pub struct Script {
    /// The terms.
    pub terms: Terms,
    /// The names.
    pub scope: Scope,
    /// Whether declarations outlive the level they are made in.
    pub global_declarations: bool,
}

impl Default for Script {
    fn default() -> Script {
        Script::new()
    }
}

impl Script {
    /// A script at its beginning.
    pub fn new() -> Script {
        Script {
            terms: Terms::new(),
            scope: Scope::default(),
            global_declarations: false,
        }
    }

    fn formula(&mut self, text: &Sexpr, annotations: &mut Vec<Annotation>) -> Result<TermId, Problem> {
        let term = read_term_with(&mut self.terms, &mut self.scope, text, annotations)?;
        match self.terms.sort_of(term) {
            SortId::BOOL => Ok(term),
            sort => {
                let sort = self.terms.print_sort(sort);
                Err(Problem::at(
                    text,
                    format!("a formula is needed here, not a {sort}"),
                ))
            }
        }
    }

    fn assumption(&mut self, text: &Sexpr) -> Result<(TermId, (usize, usize)), Problem> {
        Ok((self.formula(text, &mut Vec::new())?, (text.start, text.end)))
    }

    /// The assumption that a constant has a value.
    fn valuation(&mut self, constant: &Sexpr, value: &Sexpr) -> Result<(TermId, (usize, usize)), Problem> {
        let left = read_term(&mut self.terms, &mut self.scope, constant)?;
        let mut right = read_term(&mut self.terms, &mut self.scope, value)?;
        if self.terms.sort_of(left) == SortId::REAL && self.terms.sort_of(right) == SortId::INT {
            right = self.terms.to_real(right);
        }
        match self.terms.sort_of(left) == self.terms.sort_of(right) {
            true => Ok((self.terms.eq(left, right), (constant.start, constant.end))),
            false => Err(Problem::at(value, "the value is not of the constant's sort")),
        }
    }

    /// Reads a command.
    pub fn command(&mut self, text: &Sexpr) -> Result<Command, Problem> {
        let items = text.list().unwrap_or_default();
        let Some(name) = items.first().and_then(Sexpr::symbol) else {
            return Err(Problem::at(text, "a command is a list that begins with its name"));
        };
        let rest = &items[1..];
        match (name, rest) {
            ("set-logic", [logic]) if logic.symbol().is_some() => {
                Ok(Command::SetLogic(logic.symbol().unwrap_or_default().to_owned()))
            }
            ("set-option", [keyword, value]) => {
                let key = keyword.keyword().unwrap_or_default().to_owned();
                let value = atom_text(value);
                if key == ":global-declarations" {
                    self.global_declarations = value == "true";
                }
                Ok(Command::SetOption(key, value))
            }
            ("set-info" | "set-option", _) => Ok(Command::Noted),
            ("declare-fun", [name, arguments, result]) => {
                self.declare(name, arguments.list().unwrap_or_default(), result)
            }
            ("declare-const", [name, result]) => self.declare(name, &[], result),
            ("declare-sort", [name]) => self.declare_sort(name, 0),
            ("declare-sort", [name, arity]) => {
                let arity = arity
                    .number()
                    .ok_or_else(|| Problem::at(arity, "an arity is a number"))?;
                self.declare_sort(name, arity)
            }
            ("define-sort", [name, parameters, body]) => self.define_sort(name, parameters, body),
            ("define-fun", [name, parameters, result, body]) => {
                self.define(name, parameters.list().unwrap_or_default(), result, body)
            }
            ("define-const", [name, result, body]) => self.define(name, &[], result, body),
            ("assert", [formula]) => self.assertion(formula),
            ("check-sat", _) | ("check-sat-using", _) => {
                let mut assumptions = Vec::new();
                for item in rest.iter().filter(|_| name == "check-sat") {
                    assumptions.push(self.assumption(item)?);
                }
                Ok(Command::CheckSat(assumptions))
            }
            ("check-sat-assuming", [assumptions]) => {
                let literals = assumptions.list().unwrap_or_default().iter();
                let literals: Result<_, Problem> = literals.map(|literal| self.assumption(literal)).collect();
                Ok(Command::CheckSat(literals?))
            }
            // Yices' question: with these constants having these values.
            ("check-sat-assuming-model", [constants, values]) => {
                let (constants, values) = (
                    constants.list().unwrap_or_default(),
                    values.list().unwrap_or_default(),
                );
                if constants.len() != values.len() {
                    return Err(Problem::at(text, "as many values as constants are needed"));
                }
                let pairs = constants.iter().zip(values);
                let equations: Result<_, Problem> = pairs.map(|(a, b)| self.valuation(a, b)).collect();
                Ok(Command::CheckSat(equations?))
            }
            ("push" | "pop", levels) if levels.len() <= 1 => {
                let count = match levels {
                    [count] => count
                        .number()
                        .ok_or_else(|| Problem::at(count, "a number of levels is needed"))?,
                    _ => 1,
                };
                self.levels(text, name == "push", count)
            }
            ("get-model", []) => Ok(Command::GetModel),
            ("get-value" | "eval", [one]) => {
                let items = match one.list() {
                    Some(items) if name == "get-value" => items,
                    _ => std::slice::from_ref(one),
                };
                let mut wanted = Vec::new();
                for item in items {
                    wanted.push((
                        read_term(&mut self.terms, &mut self.scope, item)?,
                        (item.start, item.end),
                    ));
                }
                Ok(Command::GetValue(wanted))
            }
            ("get-unsat-core", []) => Ok(Command::GetUnsatCore),
            ("get-unsat-assumptions", []) => Ok(Command::GetUnsatAssumptions),
            ("get-interpolants", groups) if groups.len() >= 2 => {
                let groups: Result<_, Problem> = groups.iter().map(interpolation_group).collect();
                Ok(Command::GetInterpolants(groups?))
            }
            ("get-assertions", []) => Ok(Command::GetAssertions),
            ("get-proof", []) => Ok(Command::GetProof),
            ("get-info", [key]) => Ok(Command::GetInfo(key.keyword().unwrap_or_default().to_owned())),
            ("get-option", [key]) => Ok(Command::GetOption(key.keyword().unwrap_or_default().to_owned())),
            ("echo", [what]) => Ok(Command::Echo(atom_text(what))),
            ("reset", _) => {
                *self = Script::new();
                Ok(Command::Reset)
            }
            ("reset-assertions", []) => {
                if !self.global_declarations {
                    self.scope = Scope::default();
                }
                Ok(Command::ResetAssertions)
            }
            ("exit", _) => Ok(Command::Exit),
            (
                "minimize" | "maximize" | "assert-soft" | "get-objectives" | "get-assignment" | "simplify"
                | "display" | "help" | "apply" | "labels" | "dbg",
                _,
            ) => Ok(Command::Ignored(name.to_owned())),
            ("declare-datatypes" | "declare-datatype" | "declare-codatatypes", _) => {
                Err(Problem::at(text, "algebraic datatypes are not supported"))
            }
            ("define-fun-rec", [name, parameters, result, body]) => {
                self.define_recursive(name, parameters.list().unwrap_or_default(), result, body)
            }
            ("define-fun-rec" | "define-funs-rec", _) => Err(Problem::at(
                text,
                "functions that are defined by each other are not supported",
            )),
            _ => Err(Problem::at(
                text,
                format!("there is no command `{name}` with these arguments"),
            )),
        }
    }

    fn assertion(&mut self, formula: &Sexpr) -> Result<Command, Problem> {
        let mut annotations = Vec::new();
        let term = self.formula(formula, &mut annotations)?;
        let is_whole = |place: (usize, usize)| {
            formula
                .list()
                .and_then(|items| items.get(1))
                .is_some_and(|inner| place.0 == inner.start)
        };
        let whole = annotations.iter().rev().filter(|one| is_whole(one.place));
        let label = whole.filter_map(Annotation::name).next().map(str::to_owned);
        self.define_names(&annotations);
        Ok(Command::Assert(term, label))
    }

    /// Names that `:named` gives to terms mean these from now on.
    fn define_names(&mut self, annotations: &[Annotation]) {
        for annotation in annotations {
            if let Some(name) = annotation.name() {
                self.scope
                    .define(name, Meaning::Macro(Vec::new(), annotation.term));
            }
        }
    }

    fn levels(&mut self, text: &Sexpr, is_push: bool, count: u32) -> Result<Command, Problem> {
        if is_push {
            if count > 100_000 || self.scope.depth() > 1_000_000 {
                return Err(Problem::at(text, "so many levels are not supported"));
            }
            (0..count).for_each(|_| self.scope.push());
            return Ok(Command::Push(count));
        }
        if count as usize > self.scope.depth() {
            let depth = self.scope.depth();
            return Err(Problem::at(
                text,
                format!("`pop` goes back {count} levels, and {depth} are open"),
            ));
        }
        for _ in 0..count {
            self.scope.pop();
        }
        Ok(Command::Pop(count))
    }

    fn new_name<'t>(&self, name: &'t Sexpr) -> Result<&'t str, Problem> {
        name.symbol()
            .ok_or_else(|| Problem::at(name, "a name is needed here"))
    }

    fn declare(&mut self, name: &Sexpr, arguments: &[Sexpr], result: &Sexpr) -> Result<Command, Problem> {
        let title = self.new_name(name)?;
        let arguments: Result<Vec<SortId>, Problem> = arguments
            .iter()
            .map(|sort| read_sort(&mut self.terms, &self.scope, sort))
            .collect();
        let result = read_sort(&mut self.terms, &self.scope, result)?;
        let symbol = self.terms.declare(title, &arguments?, result);
        self.scope.define(title, Meaning::Function(symbol));
        Ok(Command::Noted)
    }

    fn declare_sort(&mut self, name: &Sexpr, arity: u32) -> Result<Command, Problem> {
        let title = self.new_name(name)?;
        let meaning = match arity {
            0 => SortMeaning::Sort(self.terms.sort_id(Sort::Uninterpreted(title.to_owned()))),
            _ => SortMeaning::Constructor(arity),
        };
        self.scope.define_sort(title, meaning);
        Ok(Command::Noted)
    }

    fn define_sort(&mut self, name: &Sexpr, parameters: &Sexpr, body: &Sexpr) -> Result<Command, Problem> {
        let title = self.new_name(name)?;
        let parameters: Vec<String> = (parameters.list().unwrap_or_default().iter())
            .filter_map(|parameter| parameter.symbol().map(str::to_owned))
            .collect();
        let meaning = match parameters.is_empty() {
            true => SortMeaning::Sort(read_sort(&mut self.terms, &self.scope, body)?),
            false => SortMeaning::Abbreviation(parameters, body.clone()),
        };
        self.scope.define_sort(title, meaning);
        Ok(Command::Noted)
    }

    /// A recursive function is a declared one that its equation is asserted of.
    fn define_recursive(
        &mut self,
        name: &Sexpr,
        parameters: &[Sexpr],
        result: &Sexpr,
        body: &Sexpr,
    ) -> Result<Command, Problem> {
        let title = self.new_name(name)?.to_owned();
        let sorts = (read_parameters(&mut self.terms, &self.scope, parameters)?.into_iter())
            .map(|(_, sort)| sort)
            .collect::<Vec<SortId>>();
        let wanted = read_sort(&mut self.terms, &self.scope, result)?;
        let symbol = self.terms.declare(&title, &sorts, wanted);
        self.scope.define(&title, Meaning::Function(symbol));
        let (_, definition) = read_definition(
            &mut self.terms,
            &mut self.scope,
            name,
            parameters,
            result,
            body,
            &mut Vec::new(),
        )?;
        let Meaning::Macro(variables, value) = definition else {
            return Err(Problem::at(body, "this is no definition"));
        };
        let applied = self.terms.make(Op::Apply(symbol), &variables, wanted);
        let equation = self.terms.eq(applied, value);
        let bound: Vec<_> = (variables.iter())
            .filter_map(|&variable| match self.terms.op(variable) {
                Op::Apply(symbol) => Some(*symbol),
                _ => None,
            })
            .collect();
        let axiom = match bound.is_empty() || equation == self.terms.truth() {
            true => equation,
            false => self
                .terms
                .make(Op::Forall(bound.into()), &[equation], SortId::BOOL),
        };
        Ok(Command::Assert(axiom, None))
    }

    fn define(
        &mut self,
        name: &Sexpr,
        parameters: &[Sexpr],
        result: &Sexpr,
        body: &Sexpr,
    ) -> Result<Command, Problem> {
        let mut annotations = Vec::new();
        let (title, macro_) = read_definition(
            &mut self.terms,
            &mut self.scope,
            name,
            parameters,
            result,
            body,
            &mut annotations,
        )?;
        self.scope.define(&title, macro_);
        if parameters.is_empty() {
            self.define_names(&annotations);
        }
        Ok(Command::Noted)
    }
}

/// The names of a group of `get-interpolants`: one name, or `and` of several.
fn interpolation_group(text: &Sexpr) -> Result<Vec<String>, Problem> {
    if let Some(name) = text.symbol() {
        return Ok(vec![name.to_owned()]);
    }
    let problem = || {
        Problem::at(
            text,
            "a group is the name of an assertion, or `and` of several; trees of groups are not supported",
        )
    };
    match text.list() {
        Some([and, names @ ..]) if and.symbol() == Some("and") && !names.is_empty() => {
            let names = names.iter().map(|name| name.symbol().map(str::to_owned));
            names.collect::<Option<Vec<String>>>().ok_or_else(problem)
        }
        _ => Err(problem()),
    }
}

/// The names and sorts of parameters.
fn read_parameters<'t>(
    terms: &mut Terms,
    scope: &Scope,
    parameters: &'t [Sexpr],
) -> Result<Vec<(&'t str, SortId)>, Problem> {
    let mut read = Vec::with_capacity(parameters.len());
    for parameter in parameters {
        match parameter.list() {
            Some([name, sort]) => {
                let title = name
                    .symbol()
                    .ok_or_else(|| Problem::at(parameter, "a parameter is a name and a sort"))?;
                read.push((title, read_sort(terms, scope, sort)?));
            }
            _ => return Err(Problem::at(parameter, "a parameter is a name and a sort")),
        }
    }
    Ok(read)
}

/// Reads a definition: its name and what it means.
pub(crate) fn read_definition(
    terms: &mut Terms,
    scope: &mut Scope,
    name: &Sexpr,
    parameters: &[Sexpr],
    result: &Sexpr,
    body: &Sexpr,
    annotations: &mut Vec<Annotation>,
) -> Result<(String, Meaning), Problem> {
    let title = name
        .symbol()
        .ok_or_else(|| Problem::at(name, "a name is needed here"))?;
    let wanted = read_sort(terms, scope, result)?;
    let mark = scope.mark();
    let mut constants = Vec::new();
    for (name, sort) in read_parameters(terms, scope, parameters)? {
        let constant = terms.constant(name, sort);
        scope.define_local(name, constant);
        constants.push(constant);
    }
    let read = read_term_with(terms, scope, body, annotations);
    scope.forget_to(mark);
    let mut term = read?;
    if wanted == SortId::REAL && terms.sort_of(term) == SortId::INT {
        term = terms.to_real(term);
    }
    if terms.sort_of(term) != wanted {
        let (wanted, given) = (terms.print_sort(wanted), terms.print_sort(terms.sort_of(term)));
        return Err(Problem::at(
            body,
            format!("the body of `{title}` is a {given}, not a {wanted}"),
        ));
    }
    Ok((title.to_owned(), Meaning::Macro(constants, term)))
}

fn atom_text(text: &Sexpr) -> String {
    match &text.node {
        Node::Atom(AtomKind::Text, inner) => inner.clone(),
        Node::Atom(_, inner) => inner.clone(),
        Node::List(_) => String::new(),
    }
}
