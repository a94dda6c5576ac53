//! The sections of a printed model.

use super::PrintError;
use super::name::{Names, constant, identifier};
use super::term::Printer;
use entail_logic::{Formula, Fragment, Logic, Node, Property, Quantifier, Question};
use entail_model::{Op, Sort, TermId, TransitionSystem, Value, VarId, VarKind};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::fmt::Write;

pub(super) fn model(
    system: &TransitionSystem,
    properties: &[Property<TermId>],
) -> Result<String, PrintError> {
    let names = Names::new(system);
    let mut roots = system.roots();
    roots.extend(system.defines.iter().map(|define| define.term));
    for property in properties {
        roots.extend(property.question.atoms());
    }
    let mut printer = Printer::new(system, &names, &roots);
    let mut body = String::new();
    named_defines(system, &names, &mut printer, &mut body)?;
    constraints(system, &names, &mut printer, &mut body)?;
    hazards(system, &mut printer, &mut body)?;
    let mut specifications = String::new();
    for property in properties {
        specification(system, property, &mut printer, &mut specifications)?;
    }
    let mut text = String::from("MODULE main\n");
    declarations(system, &names, &mut text)?;
    if !printer.defines.is_empty() {
        text.push_str("DEFINE\n");
        for (name, body) in &printer.defines {
            line(&mut text, format_args!("  {name} := {body};"));
        }
    }
    text.push_str(&body);
    text.push_str(&specifications);
    Ok(text)
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a string takes all text");
    text.push('\n');
}

fn declarations(system: &TransitionSystem, names: &Names, text: &mut String) -> Result<(), PrintError> {
    // In the system's order, which engines may take as an order of variables: a new section where the kind changes.
    let mut section = None;
    for (variable, name) in system.variables().iter().zip(&names.variables) {
        if section.replace(variable.kind) != Some(variable.kind) {
            text.push_str(match variable.kind {
                VarKind::Input => "IVAR\n",
                VarKind::Frozen => "FROZENVAR\n",
                VarKind::State => "VAR\n",
            });
        }
        line(text, format_args!("  {name} : {};", sort(&variable.sort, name)?));
    }
    Ok(())
}

fn sort(sort: &Sort, name: &str) -> Result<String, PrintError> {
    Ok(match sort {
        Sort::Enum(values) => {
            let values: Vec<String> = values
                .iter()
                .map(|value| match value {
                    Value::Symbol(symbol) => constant(symbol),
                    other => other.to_string(),
                })
                .collect();
            format!("{{{}}}", values.join(", "))
        }
        Sort::Array { .. } => return Err(PrintError::Array(name.to_string())),
        other => other.to_string(),
    })
}

/// Defines that have a name. One that is only another name for a variable or constant is written, but not used.
fn named_defines(
    system: &TransitionSystem,
    names: &Names,
    printer: &mut Printer<'_>,
    text: &mut String,
) -> Result<(), PrintError> {
    let compound = |term: TermId| !system.terms.operands(term).is_empty();
    for (define, name) in system.defines.iter().zip(&names.defines) {
        if compound(define.term) {
            printer.name_term(define.term, name);
        }
    }
    if !system.defines.is_empty() {
        text.push_str("DEFINE\n");
    }
    let mut written: FxHashSet<TermId> = FxHashSet::default();
    for (define, name) in system.defines.iter().zip(&names.defines) {
        let body = match written.insert(define.term) {
            true => printer.body(define.term)?,
            false => printer.text(define.term)?,
        };
        line(text, format_args!("  {name} := {body};"));
    }
    Ok(())
}

fn constraints(
    system: &TransitionSystem,
    names: &Names,
    printer: &mut Printer<'_>,
    text: &mut String,
) -> Result<(), PrintError> {
    let mut assignments = String::new();
    let mut rest = String::new();
    let mut assigned: FxHashSet<(VarId, bool)> = FxHashSet::default();
    let lists = [
        ("INIT", &system.init),
        ("INVAR", &system.invariant),
        ("TRANS", &system.transition),
    ];
    for (header, list) in lists {
        for &conjunct in list {
            match assignment(system, header, conjunct) {
                Some((variable, value)) if assigned.insert((variable, header == "TRANS")) => {
                    let function = if header == "TRANS" { "next" } else { "init" };
                    let name = &names.variables[variable.index()];
                    let value = match value {
                        Assigned::Term(term) => printer.text(term)?,
                        Assigned::Truth(truth) => Value::Bool(truth).to_string(),
                    };
                    line(&mut assignments, format_args!("  {function}({name}) := {value};"));
                }
                _ => line(&mut rest, format_args!("{header} {};", printer.text(conjunct)?)),
            }
        }
    }
    if !assignments.is_empty() {
        text.push_str("ASSIGN\n");
        text.push_str(&assignments);
    }
    text.push_str(&rest);
    for &justice in &system.justice {
        line(text, format_args!("JUSTICE {};", printer.text(justice)?));
    }
    for &(often, then) in &system.compassion {
        let (often, then) = (printer.text(often)?, printer.text(then)?);
        line(text, format_args!("COMPASSION ({often}, {then});"));
    }
    Ok(())
}

enum Assigned {
    Term(TermId),
    Truth(bool),
}

/// `init(x) = constant` or `next(x) = e` with `e` about the current state, where SMV's domain check surely passes.
fn assignment(system: &TransitionSystem, header: &str, conjunct: TermId) -> Option<(VarId, Assigned)> {
    let terms = &system.terms;
    let target = |term: TermId| match (header, terms.op(term)) {
        ("INIT", Op::Current(variable)) if system.variable(*variable).kind != VarKind::Input => {
            Some(*variable)
        }
        ("TRANS", Op::Next(variable)) if system.variable(*variable).kind == VarKind::State => Some(*variable),
        _ => None,
    };
    // On truth values the equation has been simplified away: `next(b)` is `next(b) = TRUE`.
    if let Some(variable) = target(conjunct) {
        return Some((variable, Assigned::Truth(true)));
    }
    let operands = terms.operands(conjunct);
    match (terms.op(conjunct), operands) {
        (Op::Not, &[inner]) => target(inner).map(|variable| (variable, Assigned::Truth(false))),
        (Op::Equal, &[left, right]) => {
            [(left, right), (right, left)]
                .into_iter()
                .find_map(|(variable, value)| {
                    let variable = target(variable)?;
                    let declared = system.variable(variable);
                    let about_now = match header {
                        "INIT" => terms.as_constant(value).is_some(),
                        _ => is_current(system, value),
                    };
                    let fits =
                        declared.sort.size() != Some(1) && stays_inside(terms.sort(value), &declared.sort);
                    (about_now && fits).then_some((variable, Assigned::Term(value)))
                })
        }
        _ => None,
    }
}

fn is_current(system: &TransitionSystem, value: TermId) -> bool {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut stack = vec![value];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        if matches!(system.terms.op(term), Op::Next(_)) {
            return false;
        }
        stack.extend_from_slice(system.terms.operands(term));
    }
    true
}

fn stays_inside(value: &Sort, domain: &Sort) -> bool {
    match (value, domain) {
        (value, domain) if value == domain => true,
        (value, Sort::Range { low, high }) => value
            .integer_bounds()
            .is_some_and(|(least, most)| *low <= least && most <= *high),
        (value, Sort::Enum(allowed)) => {
            value.is_discrete()
                && value.size().is_some_and(|size| size <= allowed.len() as u64)
                && value.values().all(|value| allowed.contains(&value))
        }
        _ => false,
    }
}

/// A hazard as a `case` without a branch for it: reading the model back finds the same failure.
fn hazards(
    system: &TransitionSystem,
    printer: &mut Printer<'_>,
    text: &mut String,
) -> Result<(), PrintError> {
    for hazard in &system.hazards {
        let (current, next) = system.terms.support(&[hazard.condition]);
        let inputs = current
            .iter()
            .any(|&id| system.variable(id).kind == VarKind::Input);
        let header = if next.is_empty() && !inputs {
            "INVAR"
        } else {
            "TRANS"
        };
        let condition = printer.text(hazard.condition)?;
        let message = hazard.message.replace(['\n', '\r'], " ");
        line(text, format_args!("-- {message}"));
        line(text, format_args!("{header} case !{condition} : TRUE; esac;"));
    }
    Ok(())
}

fn specification(
    system: &TransitionSystem,
    property: &Property<TermId>,
    printer: &mut Printer<'_>,
    text: &mut String,
) -> Result<(), PrintError> {
    let name = match &property.name {
        Some(name) => format!("NAME {} := ", identifier(name)),
        None => String::new(),
    };
    let compassion = !system.compassion.is_empty();
    match &property.question {
        Question::Invariant(atom) => {
            line(text, format_args!("INVARSPEC {name}{};", printer.text(*atom)?));
        }
        Question::ShortestPath(from, to) | Question::LongestPath(from, to) => {
            let which = match &property.question {
                Question::ShortestPath(..) => "MIN",
                _ => "MAX",
            };
            let (from, to) = (printer.text(*from)?, printer.text(*to)?);
            line(text, format_args!("COMPUTE {name}{which} [ {from} , {to} ];"));
        }
        Question::Mu(_) => {
            let formula = property.text.replace('\n', " ");
            line(text, format_args!("-- mu-calculus: {formula}"));
        }
        Question::Formula(formula) => match in_smv(formula, property.logic, compassion) {
            Some((header, formula)) => {
                let formula = printed(&formula, printer)?;
                line(text, format_args!("{header} {name}{formula};"));
            }
            None => {
                let formula = printed(formula, printer)?.replace('\n', " ");
                line(text, format_args!("-- neither CTL nor LTL: {formula}"));
            }
        },
    }
    Ok(())
}

fn printed(formula: &Formula<TermId>, printer: &mut Printer<'_>) -> Result<String, PrintError> {
    let failed = RefCell::new(None);
    let shared = RefCell::new(printer);
    let text = formula
        .display_with(|atom, out| match shared.borrow_mut().text(*atom) {
            Ok(text) => out.write_str(&text),
            Err(error) => {
                *failed.borrow_mut() = Some(error);
                Ok(())
            }
        })
        .to_string();
    match failed.into_inner() {
        Some(error) => Err(error),
        None => Ok(text),
    }
}

/// The section a formula belongs in, and the formula as it stands there. What is both CTL and LTL stays what its author
/// called it.
fn in_smv(
    formula: &Formula<TermId>,
    logic: Logic,
    compassion: bool,
) -> Option<(&'static str, Formula<TermId>)> {
    let formula = &without_bounded_historically(formula);
    let as_ctl = || {
        let fits = formula.is_in(Fragment::Ctl) && only_smv_operators(formula, true);
        fits.then(|| ("CTLSPEC", formula.clone()))
    };
    let as_ltl = || match formula.node() {
        Node::Quantified(Quantifier::Forall, path)
            if path.is_in(Fragment::QuantifierFree) && only_smv_operators(path, false) =>
        {
            Some(("LTLSPEC", path.clone()))
        }
        _ => None,
    };
    match logic {
        // CTL ignores compassion: where there is some, one is not the other.
        Logic::Ctl if compassion => as_ctl(),
        _ if compassion => as_ltl(),
        Logic::Ltl => as_ltl().or_else(as_ctl),
        _ => as_ctl().or_else(as_ltl),
    }
}

/// `H[a,b] p` as `!O[a,b] !p`: SMV's own `H [a,b] p` is false in the first `b` states.
fn without_bounded_historically(formula: &Formula<TermId>) -> Formula<TermId> {
    use entail_logic::Unary;
    let operands = formula.operands().into_iter();
    let operands: Vec<Formula<TermId>> = operands.map(without_bounded_historically).collect();
    match formula.node() {
        Node::Unary(Unary::Historically, interval, _) if !interval.is_always() => {
            Formula::unary_within(Unary::Once, *interval, &operands[0].not()).not()
        }
        Node::Atom(_) => formula.clone(),
        _ => formula.over(operands),
    }
}

/// NuSMV has no weak until; its CTL has no release, its LTL no bounded until.
fn only_smv_operators(formula: &Formula<TermId>, ctl: bool) -> bool {
    use entail_logic::Binary;
    let fine = match formula.node() {
        Node::Quantified(_, path) => matches!(path.node(), Node::Unary(..) | Node::Binary(..)),
        Node::Binary(Binary::WeakUntil | Binary::StrongRelease, ..) => false,
        Node::Binary(Binary::Release, ..) => !ctl,
        Node::Binary(_, interval, ..) => ctl || interval.is_always(),
        Node::Unary(_, interval, _) => interval.is_always() || interval.to.is_some(),
        _ => true,
    };
    fine && formula
        .operands()
        .into_iter()
        .all(|operand| only_smv_operators(operand, ctl))
}
