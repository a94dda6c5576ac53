//! VMT-LIB: a transition system as definitions with attributes.
//!
//! `:next` names the constant that stands for a variable after the step, `:init` and `:trans` mark the formulas of the system (several of
//! one kind are conjoined), `:invar-property` marks an invariant, `:live-property` a formula that is true from some point on (`F G`), `:ltl-property`
//! a formula with temporal operators, `:predicate` a formula that may help an engine with predicates. Constants without `:next` that are no next state are inputs.

use crate::script::read_definition;
use crate::temporal::{declare_temporal_operators, is_temporal_name, path_formula};
use crate::{Annotation, Command, Meaning, Problem, Script};
use entail_first_order::sexpr::{Reader, Sexpr};
use entail_first_order::{
    Claim, FirstOrderProperty, FirstOrderSystem, Op, SortId, StateVariable, SymbolId, TermId,
};
use entail_logic::Node;
use entail_source::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// A system with its properties.
pub struct System {
    /// The system.
    pub system: FirstOrderSystem,
    /// Invariants and path formulas.
    pub properties: Vec<FirstOrderProperty>,
    /// Formulas over the state that may help to prove them.
    pub predicates: Vec<TermId>,
    /// What is read, though it may not be meant.
    pub warnings: Vec<Diagnostic>,
    /// The names, for formulas that are read later.
    pub script: Script,
}

/// Reads a VMT file.
pub fn read_vmt(text: &str) -> Result<System, Problem> {
    let mut script = Script::new();
    declare_temporal_operators(&mut script.terms, &mut script.scope);
    let mut annotations: Vec<Annotation> = Vec::new();
    for command in Reader::new(text).all()? {
        let items = command.list().unwrap_or_default();
        match (items.first().and_then(Sexpr::symbol), items) {
            (Some("define-fun"), [_, name, parameters, result, body]) => {
                let parameters = parameters.list().unwrap_or_default();
                let (title, meaning) = read_definition(
                    &mut script.terms,
                    &mut script.scope,
                    name,
                    parameters,
                    result,
                    body,
                    &mut annotations,
                )?;
                script.scope.define(&title, meaning);
            }
            // Some writers declare the operators.
            (Some("declare-fun"), [_, name, ..]) if name.symbol().is_some_and(is_temporal_name) => {}
            (
                Some(
                    "declare-fun" | "declare-const" | "declare-sort" | "define-sort" | "set-info"
                    | "set-logic" | "set-option",
                ),
                _,
            ) => {
                script.command(&command)?;
            }
            (Some("assert"), [_, formula]) => match script.command(&command)? {
                Command::Assert(term, _) if term == script.terms.truth() => {}
                _ => return Err(Problem::at(formula, "a VMT file asserts nothing but `true`")),
            },
            (Some("exit" | "check-sat"), _) => {}
            _ => return Err(Problem::at(&command, "this command does not belong to VMT")),
        }
    }
    assemble(text, script, annotations)
}

fn constant_symbol(script: &Script, term: TermId) -> Option<SymbolId> {
    match script.terms.op(term) {
        Op::Apply(symbol) if script.terms.args(term).is_empty() => Some(*symbol),
        _ => None,
    }
}

fn problem(place: (usize, usize), message: impl Into<String>) -> Problem {
    Problem {
        message: message.into(),
        help: None,
        place,
    }
}

fn assemble(text: &str, mut script: Script, annotations: Vec<Annotation>) -> Result<System, Problem> {
    let mut variables: Vec<StateVariable> = Vec::new();
    let mut next_of: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut taken: FxHashSet<TermId> = FxHashSet::default();
    let (mut init, mut trans) = (Vec::new(), Vec::new());
    let (mut properties, mut predicates) = (Vec::new(), Vec::new());
    let mut warnings = Vec::new();
    let mut found_trans = false;
    for annotation in &annotations {
        let formula = |script: &Script| match script.terms.sort_of(annotation.term) {
            SortId::BOOL => Ok(annotation.term),
            _ => Err(problem(annotation.place, "the attribute belongs to formulas")),
        };
        match annotation.keyword.as_str() {
            ":next" => {
                let next = next_constant(&mut script, annotation, &mut warnings)?;
                let current = annotation.term;
                match next_of.insert(current, next) {
                    Some(other) if other == next => continue,
                    Some(_) => return Err(problem(annotation.place, "this variable has two `:next`")),
                    None => {}
                }
                if !taken.insert(next) {
                    return Err(problem(
                        annotation.place,
                        "this `:next` belongs to another variable already",
                    ));
                }
                let Some(symbol) = constant_symbol(&script, current) else {
                    return Err(problem(
                        annotation.place,
                        "`:next` belongs to a declared constant",
                    ));
                };
                if script.terms.sort_of(current) != script.terms.sort_of(next) {
                    return Err(problem(
                        annotation.place,
                        "a variable and its `:next` have one sort",
                    ));
                }
                let name = script.terms.symbol(symbol).name.clone();
                variables.push(StateVariable { name, current, next });
            }
            mark @ (":init" | ":trans") => {
                let formula = formula(&script)?;
                let path = path_formula(&script.terms, formula);
                if !path.is_some_and(|path| matches!(path.node(), Node::Atom(_))) {
                    let message = format!("`{mark}` has temporal operators, which only properties can have");
                    return Err(problem(annotation.place, message)
                        .with_help("say what must come in the end by `:ltl-property`"));
                }
                found_trans |= mark == ":trans";
                match mark {
                    ":init" => init.push(formula),
                    _ => trans.push(formula),
                }
            }
            ":predicate" => predicates.push(formula(&script)?),
            keyword @ (":invar-property" | ":live-property" | ":ltl-property") => {
                let term = formula(&script)?;
                let path = path_formula(&script.terms, term).ok_or_else(|| {
                    problem(annotation.place, "a temporal operator stands inside a term").with_help(
                        "only `not`, `and`, `or`, `=>`, `=` and `ite` join formulas with temporal operators",
                    )
                })?;
                let is_plain = matches!(path.node(), Node::Atom(_));
                let (claim, kind) = match keyword {
                    ":invar-property" if is_plain => (Claim::Invariant(term), "invariant"),
                    ":invar-property" => (Claim::Path(path.globally()), "invariant"),
                    ":live-property" => (Claim::Path(path.globally().finally()), "live"),
                    _ => (Claim::Path(path), "ltl"),
                };
                properties.push(FirstOrderProperty {
                    name: Some(format!("{kind}_{}", properties.len())),
                    text: text
                        .get(annotation.place.0..annotation.place.1)
                        .unwrap_or_default()
                        .to_owned(),
                    place: annotation.place,
                    claim,
                });
            }
            _ => {}
        }
    }
    if !found_trans {
        let whole = (text.len().saturating_sub(1), text.len());
        return Err(problem(whole, "there is no formula with `:trans true`")
            .with_help("mark the transition relation: (define-fun step () Bool (! … :trans true))"));
    }
    let (init, transition) = (script.terms.and(&init), script.terms.and(&trans));
    let inputs = inputs(&mut script, &next_of, &taken)?;
    let current_only: Vec<TermId> = std::iter::once(init)
        .chain(
            properties
                .iter()
                .flat_map(|one: &FirstOrderProperty| one.claim.formulas()),
        )
        .collect();
    let cone = script.terms.cone(&current_only);
    if cone.iter().any(|term| taken.contains(term)) {
        return Err(problem(
            (0, 0),
            "`:init` and properties are about the current state, not the next",
        ));
    }
    Ok(System {
        system: FirstOrderSystem {
            terms: std::mem::take(&mut script.terms),
            variables,
            inputs,
            init,
            transition,
            justice: Vec::new(),
            compassion: Vec::new(),
        },
        properties,
        predicates,
        warnings,
        script,
    })
}

/// The constant after the step. Writers leave out declarations of constants that no formula mentions: such a variable takes any value.
fn next_constant(
    script: &mut Script,
    annotation: &Annotation,
    warnings: &mut Vec<Diagnostic>,
) -> Result<TermId, Problem> {
    let Some(name) = annotation.value.as_ref().and_then(Sexpr::symbol) else {
        return Err(problem(annotation.place, "`:next` is followed by a name"));
    };
    match script.scope.meaning(name) {
        Some(Meaning::Function(symbol)) if script.terms.symbol(*symbol).arguments.is_empty() => {
            let symbol = *symbol;
            Ok(script.terms.constant_of(symbol))
        }
        Some(_) => Err(problem(
            annotation.place,
            format!("`:next {name}` is no declared constant"),
        )),
        None => {
            let sort = script.terms.sort_of(annotation.term);
            let next = script.terms.constant(name, sort);
            script.scope.define(name, Meaning::Macro(Vec::new(), next));
            let span = Span::new(annotation.place.0, annotation.place.1);
            let message =
                format!("`:next {name}` is not declared: the variable takes any value after a step");
            warnings.push(Diagnostic::warning(
                "infinite::next",
                message,
                span,
                "this variable",
            ));
            Ok(next)
        }
    }
}

fn inputs(
    script: &mut Script,
    next_of: &FxHashMap<TermId, TermId>,
    taken: &FxHashSet<TermId>,
) -> Result<Vec<TermId>, Problem> {
    let mut inputs = Vec::new();
    for symbol in script.scope.declared().to_vec() {
        if !script.terms.symbol(symbol).arguments.is_empty() {
            let name = &script.terms.symbol(symbol).name;
            if is_temporal_name(name) {
                continue;
            }
            return Err(problem(
                (0, 0),
                format!("`{name}` is a function; systems with functions are not supported"),
            ));
        }
        let constant = script.terms.constant_of(symbol);
        if !next_of.contains_key(&constant) && !taken.contains(&constant) {
            inputs.push(constant);
        }
    }
    Ok(inputs)
}
