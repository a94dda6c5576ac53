//! Systems as VMT-LIB, MCMT and Horn clauses.
//!
//! All three are made of the same printed formulas: the system's constants are replaced by fresh ones whose names the format wants. A name
//! that is taken gets a number. Formulas keep their sharing as `let`s.

use entail_family::Converted;
use entail_first_order::sexpr::quoted;
use entail_first_order::{Claim, FirstOrderProperty, FirstOrderSystem, Op, TermId};
use entail_logic::{Binary, Formula, Node, Unary};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Extensions of the formats that can be written.
pub(crate) const FORMATS: &[&str] = &["vmt", "mcmt", "smt2"];

/// A constant in the text.
struct Named {
    name: String,
    sort: String,
}

/// A system with names that a format can have.
struct Renamed {
    system: FirstOrderSystem,
    now: Vec<Named>,
    next: Vec<Named>,
    inputs: Vec<Named>,
    map: FxHashMap<TermId, TermId>,
}

impl Renamed {
    /// `next` and `input` give the name of a variable's next value and of an input.
    fn new(
        system: &FirstOrderSystem,
        next: impl Fn(&str) -> String,
        input: impl Fn(&str) -> String,
    ) -> Renamed {
        let mut renamed = Renamed {
            system: system.clone(),
            now: Vec::new(),
            next: Vec::new(),
            inputs: Vec::new(),
            map: FxHashMap::default(),
        };
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut free = |wanted: &str| {
            let mut name = wanted.to_owned();
            let mut number = 0;
            while taken.contains(&name) || taken.contains(&next(&name)) {
                number += 1;
                name = format!("{wanted}_{number}");
            }
            taken.extend([name.clone(), next(&name)]);
            name
        };
        for variable in &system.variables {
            let name = free(&plain(&variable.name));
            let after = renamed.named(&next(&name), variable.next);
            renamed.next.push(after);
            let now = renamed.named(&name, variable.current);
            renamed.now.push(now);
        }
        for &constant in &system.inputs {
            let own = match system.terms.op(constant) {
                Op::Apply(symbol) => system.terms.symbol(*symbol).name.as_str(),
                _ => "input",
            };
            let name = free(&plain(own.strip_prefix("input.").unwrap_or(own)));
            let named = renamed.named(&input(&name), constant);
            renamed.inputs.push(named);
        }
        renamed
    }

    fn named(&mut self, name: &str, constant: TermId) -> Named {
        let terms = &mut self.system.terms;
        let sort = terms.sort_of(constant);
        let fresh = terms.constant(name, sort);
        self.map.insert(constant, fresh);
        Named {
            name: quoted(name),
            sort: terms.print_sort(sort),
        }
    }

    fn text(&mut self, formula: TermId) -> String {
        let image = self.system.terms.substitute(&[formula], &mut self.map)[0];
        self.system.terms.print(image)
    }
}

/// A name without what a quoted symbol cannot have.
fn plain(name: &str) -> String {
    let clean: String = (name.chars())
        .map(|letter| if matches!(letter, '|' | '\\') { '_' } else { letter })
        .collect();
    if clean.is_empty() { "x".into() } else { clean }
}

fn list(named: &[&Named]) -> String {
    let parts: Vec<String> = (named.iter())
        .map(|one| format!("({} {})", one.name, one.sort))
        .collect();
    parts.join(" ")
}

/// The system in the format of an extension; nothing if it is none of [`FORMATS`].
pub(crate) fn write(
    extension: &str,
    system: &FirstOrderSystem,
    properties: &[FirstOrderProperty],
) -> Option<Result<Converted, String>> {
    if !FORMATS.contains(&extension) {
        return None;
    }
    let mut roots = vec![system.init, system.transition];
    roots.extend(properties.iter().flat_map(|property| property.claim.formulas()));
    roots.extend(&system.justice);
    roots.extend(system.compassion.iter().flat_map(|&(often, then)| [often, then]));
    let terms = &system.terms;
    let foreign = |term: &TermId| matches!(terms.op(*term), Op::Apply(_)) && !terms.args(*term).is_empty();
    if let Some(term) = terms.cone(&roots).into_iter().find(foreign) {
        return Some(Err(format!(
            "it has a function, which the format cannot say: {}",
            terms.print(term)
        )));
    }
    Some(Ok(match extension {
        "vmt" => match vmt(system, properties) {
            Ok(text) => Converted::whole(text),
            Err(why) => return Some(Err(why)),
        },
        "mcmt" => mcmt(system, properties),
        _ => horn(system, properties),
    }))
}

fn vmt(system: &FirstOrderSystem, properties: &[FirstOrderProperty]) -> Result<String, String> {
    let mut renamed = Renamed::new(system, |name| format!("{name}.next"), str::to_owned);
    let mut text = String::new();
    for named in renamed.now.iter().chain(&renamed.next).chain(&renamed.inputs) {
        let _ = writeln!(text, "(declare-fun {} () {})", named.name, named.sort);
    }
    for (index, (now, next)) in renamed.now.iter().zip(&renamed.next).enumerate() {
        let _ = writeln!(
            text,
            "(define-fun |variable {index}| () {} (! {} :next {}))",
            now.sort, now.name, next.name
        );
    }
    let (init, transition) = (renamed.text(system.init), renamed.text(system.transition));
    let _ = writeln!(
        text,
        "(define-fun |initial states| () Bool (! {init} :init true))"
    );
    let _ = writeln!(text, "(define-fun |steps| () Bool (! {transition} :trans true))");
    for (index, property) in properties.iter().enumerate() {
        let (formula, kind) = match &property.claim {
            Claim::Invariant(invariant) => (renamed.text(*invariant), "invar"),
            Claim::Path(path) => (path_text(&mut renamed, system, path)?, "ltl"),
        };
        let _ = writeln!(
            text,
            "(define-fun |property {index}| () Bool (! {formula} :{kind}-property {index}))"
        );
    }
    Ok(text)
}

/// A path formula with the operators of VMT-LIB, which has no fairness: what is fair is a premise.
fn path_text(
    renamed: &mut Renamed,
    system: &FirstOrderSystem,
    path: &Formula<TermId>,
) -> Result<String, String> {
    let often = |formula: &TermId| Formula::atom(*formula).finally().globally();
    let mut fair: Vec<Formula<TermId>> = system.justice.iter().map(often).collect();
    let compassion = system.compassion.iter();
    fair.extend(compassion.map(|(first, second)| often(first).implies(&often(second))));
    let whole = match fair.is_empty() {
        true => path.clone(),
        false => Formula::and(fair).implies(path),
    };
    let plain = whole.expand_bounds(256).map_err(|reason| reason.to_string())?;
    Ok(temporal(renamed, &plain.positive_normal_form()))
}

fn temporal(renamed: &mut Renamed, formula: &Formula<TermId>) -> String {
    let operands: Vec<String> = stacker::maybe_grow(64 << 10, 1 << 20, || {
        (formula.operands().into_iter())
            .map(|operand| temporal(renamed, operand))
            .collect()
    });
    let all = operands.join(" ");
    match formula.node() {
        Node::Constant(truth) => truth.to_string(),
        Node::Atom(atom) => renamed.text(*atom),
        Node::Not(_) => format!("(not {all})"),
        Node::And(_) => format!("(and {all})"),
        Node::Or(_) => format!("(or {all})"),
        Node::Implies(..) => format!("(=> {all})"),
        Node::Iff(..) => format!("(= {all})"),
        Node::Xor(..) => format!("(xor {all})"),
        Node::Quantified(..) => all,
        Node::Unary(unary, ..) => {
            let name = match unary {
                Unary::Next => "X",
                Unary::Finally => "F",
                Unary::Globally => "G",
                Unary::Yesterday => "Y",
                Unary::WeakYesterday => "Z",
                Unary::Once => "O",
                Unary::Historically => "H",
            };
            format!("(ltl.{name} {all})")
        }
        Node::Binary(binary, ..) => {
            let (p, q) = (&operands[0], &operands[1]);
            match binary {
                Binary::Until => format!("(ltl.U {all})"),
                Binary::Release => format!("(ltl.R {all})"),
                Binary::Since => format!("(ltl.S {all})"),
                Binary::Triggered => format!("(ltl.T {all})"),
                Binary::WeakUntil => format!("(ltl.R {q} (or {p} {q}))"),
                Binary::StrongRelease => format!("(ltl.U {q} (and {p} {q}))"),
            }
        }
    }
}

/// The invariants among the properties.
fn invariants(properties: &[FirstOrderProperty]) -> Vec<TermId> {
    properties
        .iter()
        .filter_map(|property| property.claim.invariant())
        .collect()
}

/// Says that a format has no path formulas, if there are some.
fn without_paths(mut converted: Converted, properties: &[FirstOrderProperty]) -> Converted {
    let left_out = properties.len() - invariants(properties).len();
    if left_out > 0 {
        converted.notes.push(format!(
            "the format has no temporal operators: {left_out} properties are left out"
        ));
    }
    converted
}

fn mcmt(system: &FirstOrderSystem, properties: &[FirstOrderProperty]) -> Converted {
    let mut renamed = Renamed::new(
        system,
        |name| format!("next.{name}"),
        |name| format!("input.{name}"),
    );
    let variables = list(&renamed.now.iter().collect::<Vec<_>>());
    let mut text = format!("(define-state-type states ({variables})");
    if !renamed.inputs.is_empty() {
        // Where they are declared, inputs are named without their prefix.
        let fields: Vec<String> = (renamed.inputs.iter())
            .map(|named| format!("({} {})", named.name.replacen("input.", "", 1), named.sort))
            .collect();
        let _ = write!(text, "\n  ({})", fields.join(" "));
    }
    let (init, transition) = (renamed.text(system.init), renamed.text(system.transition));
    let _ = writeln!(
        text,
        ")\n(define-transition-system system states\n  {init}\n  {transition})"
    );
    for invariant in invariants(properties) {
        let invariant = renamed.text(invariant);
        let _ = writeln!(text, "(query system {invariant})");
    }
    without_paths(Converted::whole(text), properties)
}

fn horn(system: &FirstOrderSystem, properties: &[FirstOrderProperty]) -> Converted {
    let mut renamed = Renamed::new(system, |name| format!("{name}.next"), str::to_owned);
    let sorts: Vec<&str> = renamed.now.iter().map(|named| named.sort.as_str()).collect();
    let mut text = format!(
        "(set-logic HORN)\n(declare-fun |reachable| ({}) Bool)\n",
        sorts.join(" ")
    );
    let all = invariants(properties);
    let goal = renamed.system.terms.and(&all);
    let violation = renamed.system.terms.not(goal);
    let (init, transition) = (renamed.text(system.init), renamed.text(system.transition));
    let violation = renamed.text(violation);
    let atom = |named: &[Named]| match named.is_empty() {
        true => "|reachable|".to_owned(),
        false => {
            let names: Vec<&str> = named.iter().map(|one| one.name.as_str()).collect();
            format!("(|reachable| {})", names.join(" "))
        }
    };
    let (now, next) = (atom(&renamed.now), atom(&renamed.next));
    let clause = |bound: String, body: String, head: &str| match bound.is_empty() {
        true => format!("(assert (=> {body} {head}))\n"),
        false => format!("(assert (forall ({bound})\n  (=> {body} {head})))\n"),
    };
    let with_inputs = |sides: &[&[Named]]| {
        let all: Vec<&Named> = sides.iter().flat_map(|side| side.iter()).collect();
        list(&all)
    };
    text += &clause(with_inputs(&[&renamed.now, &renamed.inputs]), init, &now);
    text += &clause(
        with_inputs(&[&renamed.now, &renamed.inputs, &renamed.next]),
        format!("(and {now} {transition})"),
        &next,
    );
    text += &clause(
        with_inputs(&[&renamed.now, &renamed.inputs]),
        format!("(and {now} {violation})"),
        "false",
    );
    text += "(check-sat)\n";
    let mut converted = Converted::whole(text);
    if all.len() != 1 {
        converted.notes.push(format!(
            "the clauses are satisfiable if all {} invariants hold",
            all.len()
        ));
    }
    without_paths(converted, properties)
}
