//! `entail dd`: the decision diagram of a Boolean formula.

use crate::arguments::Dd;
use crate::failure::{CommandError, HOLDS};
use crate::terminal::{print, print_file};
use entail_budget::Budget;
use entail_dd::export::{Drawing, to_dot, to_svg};
use entail_dd::{Bdd, EXACT_LIMIT, Manager, Method, ReorderLimits, Var};
use entail_logic::{Formula, Node};
use entail_source::Source;

pub fn run(options: &Dd) -> Result<u8, CommandError> {
    let text = &options.formula;
    let formula = entail_logic::parse(text)
        .map_err(|found| CommandError::Invalid(Source::new("formula", text), found))?;
    if !formula.is_propositional() {
        return Err(CommandError::input(
            "a decision diagram shows a Boolean formula, without temporal operators",
        ));
    }
    let mut names: Vec<String> = options.order.clone();
    formula.for_each_atom(&mut |atom: &String| {
        if !names.contains(atom) {
            names.push(atom.clone());
        }
    });
    let drawing = |found: entail_dd::Error| CommandError::input(found.to_string());
    let manager = Manager::for_budget(&Budget::unlimited(), 1).map_err(drawing)?;
    let vars = manager.new_vars(names.len()).map_err(drawing)?;
    let diagram = build(&formula, &manager, &|name| {
        let at = names.iter().position(|other| other == name).unwrap_or(0);
        manager.var(vars[at])
    })
    .map_err(drawing)?;
    if options.best_order {
        let method = if names.len() <= EXACT_LIMIT {
            Method::Exact
        } else {
            Method::Sift
        };
        manager
            .reorder(method, &ReorderLimits::default())
            .map_err(drawing)?;
    }
    let name_of = |var: Var| {
        let at = vars.iter().position(|other| *other == var);
        at.map_or_else(String::new, |at| names[at].clone())
    };
    let functions = [(text.clone(), diagram.clone())];
    if options.dot {
        print_file(&to_dot(&functions, &name_of, Drawing::default()));
    } else if options.svg {
        print_file(&to_svg(&functions, &name_of, Drawing::default()));
    } else {
        let order: Vec<String> = manager.order().into_iter().map(name_of).collect();
        print(&format!(
            "variables        {} ({})\nnodes            {} (with complement edges, without the leaf)\nsatisfying       {} of 2^{}\n",
            names.len(),
            order.join(" < "),
            diagram.node_count(),
            diagram.count(&vars),
            names.len()
        ));
        if let Some(model) = diagram.pick_model(&vars) {
            let literals: Vec<String> = model
                .iter()
                .zip(&names)
                .map(|(truth, name)| format!("{}{name}", if *truth { "" } else { "!" }))
                .collect();
            print(&format!("one of them      {}\n", literals.join(" & ")));
        }
    }
    Ok(HOLDS)
}

/// The diagram of a propositional formula.
fn build(
    formula: &Formula<String>,
    manager: &Manager,
    variable: &dyn Fn(&str) -> entail_dd::Result<Bdd>,
) -> entail_dd::Result<Bdd> {
    let of = |part: &Formula<String>| build(part, manager, variable);
    match formula.node() {
        Node::Constant(truth) => Ok(manager.constant(*truth)),
        Node::Atom(name) => variable(name),
        Node::Not(a) => Ok(of(a)?.not()),
        Node::And(list) => list
            .iter()
            .try_fold(manager.one(), |all, part| all.and(&of(part)?)),
        Node::Or(list) => list
            .iter()
            .try_fold(manager.zero(), |any, part| any.or(&of(part)?)),
        Node::Implies(a, b) => of(a)?.implies(&of(b)?),
        Node::Iff(a, b) => of(a)?.iff(&of(b)?),
        Node::Xor(a, b) => of(a)?.xor(&of(b)?),
        Node::Quantified(_, a) | Node::Unary(_, _, a) | Node::Binary(_, _, a, _) => of(a),
    }
}
