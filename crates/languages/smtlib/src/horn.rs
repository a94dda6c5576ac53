//! Linear Horn clauses, in the form of CHC-COMP, as a transition system.
//!
//! A state is a predicate with its arguments; a clause with a predicate in its body is a step, one without is a step from the start, one
//! without a head is a step to the error. The clauses have a model exactly if the error is not reachable. Variables of clauses are
//! inputs.

use crate::{Command, Problem, Script, System};
use entail_first_order::sexpr::Reader;
use entail_first_order::{
    Claim, FirstOrderProperty, FirstOrderSystem, Op, SortId, StateVariable, SymbolId, TermId, Terms,
};
use rustc_hash::FxHashMap;

struct Clause {
    body: Option<TermId>,
    constraint: Vec<TermId>,
    head: Option<TermId>,
    place: (usize, usize),
}

/// Reads Horn clauses.
pub fn read_horn(text: &str) -> Result<System, Problem> {
    let mut script = Script::new();
    let mut asserted = Vec::new();
    for command in Reader::new(text).all()? {
        if let Command::Assert(term, _) = script.command(&command)? {
            asserted.push((term, (command.start, command.end)));
        }
    }
    horn_system(text, script, &asserted)
}

/// The system of asserted clauses.
fn horn_system(
    text: &str,
    mut script: Script,
    asserted: &[(TermId, (usize, usize))],
) -> Result<System, Problem> {
    let predicates: Vec<SymbolId> = (script.scope.declared().iter().copied())
        .filter(|&symbol| script.terms.symbol(symbol).result == SortId::BOOL)
        .collect();
    if let Some(&other) = script
        .scope
        .declared()
        .iter()
        .find(|symbol| !predicates.contains(symbol))
    {
        let name = script.terms.symbol(other).name.clone();
        return Err(Problem {
            message: format!("`{name}` is no predicate; Horn clauses declare predicates only"),
            help: None,
            place: (0, text.len().min(1)),
        });
    }
    let mut inputs = Vec::new();
    let mut clauses = Vec::new();
    for &(term, place) in asserted {
        clauses.push(clause_of(
            &mut script.terms,
            term,
            place,
            &predicates,
            &mut inputs,
        )?);
    }
    let terms = &mut script.terms;
    let location = StateVariable {
        name: "at".into(),
        current: terms.constant("at", SortId::INT),
        next: terms.constant("next.at", SortId::INT),
    };
    let mut variables = vec![location.clone()];
    let mut arguments: FxHashMap<SymbolId, Vec<usize>> = FxHashMap::default();
    for &predicate in &predicates {
        let (name, sorts) = {
            let symbol = terms.symbol(predicate);
            (symbol.name.clone(), symbol.arguments.clone())
        };
        let mut places = Vec::new();
        for (index, sort) in sorts.into_iter().enumerate() {
            let name = format!("{name}.{index}");
            places.push(variables.len());
            variables.push(StateVariable {
                current: terms.constant(&name, sort),
                next: terms.constant(&format!("next.{name}"), sort),
                name,
            });
        }
        arguments.insert(predicate, places);
    }
    let error = predicates.len() as i64 + 1;
    let number = |symbol: SymbolId| 1 + predicates.iter().position(|&one| one == symbol).unwrap_or(0) as i64;
    let mut steps = Vec::new();
    for clause in &clauses {
        let mut parts = clause.constraint.clone();
        for (atom, is_head) in [(clause.body, false), (clause.head, true)] {
            let at = if is_head { location.next } else { location.current };
            let here = match atom.map(|atom| (terms.op(atom).clone(), terms.args(atom).to_vec())) {
                Some((Op::Apply(symbol), args)) => {
                    for (&place, arg) in arguments[&symbol].iter().zip(args) {
                        let variable = if is_head {
                            variables[place].next
                        } else {
                            variables[place].current
                        };
                        parts.push(terms.eq(variable, arg));
                    }
                    number(symbol)
                }
                _ => {
                    if is_head {
                        error
                    } else {
                        0
                    }
                }
            };
            let here = terms.int(here);
            parts.push(terms.eq(at, here));
        }
        steps.push(terms.and(&parts));
    }
    let (start, error) = (terms.int(0), terms.int(error));
    let init = terms.eq(location.current, start);
    let is_error = terms.eq(location.current, error);
    let invariant = terms.not(is_error);
    let transition = terms.or(&steps);
    Ok(System {
        properties: vec![FirstOrderProperty {
            name: Some("satisfiable".into()),
            text: "the clauses are satisfiable".into(),
            place: (0, text.len().min(1)),
            claim: Claim::Invariant(invariant),
        }],
        predicates: Vec::new(),
        warnings: Vec::new(),
        system: FirstOrderSystem {
            terms: std::mem::take(&mut script.terms),
            variables,
            inputs,
            init,
            transition,
            justice: Vec::new(),
            compassion: Vec::new(),
        },
        script,
    })
}

fn clause_of(
    terms: &mut Terms,
    term: TermId,
    place: (usize, usize),
    predicates: &[SymbolId],
    inputs: &mut Vec<TermId>,
) -> Result<Clause, Problem> {
    let mut clause = Clause {
        body: None,
        constraint: Vec::new(),
        head: None,
        place,
    };
    // Formulas whose disjunction is the clause.
    let mut waiting = vec![term];
    while let Some(part) = waiting.pop() {
        match terms.op(part).clone() {
            Op::Forall(bound) => {
                // Each clause has variables of its own: its constants become inputs of their own.
                let mut map: FxHashMap<TermId, TermId> = FxHashMap::default();
                for &symbol in &bound {
                    let old = terms.constant_of(symbol);
                    let (name, sort) = (terms.symbol(symbol).name.clone(), terms.symbol(symbol).result);
                    let fresh = terms.constant(&name, sort);
                    inputs.push(fresh);
                    map.insert(old, fresh);
                }
                let body = terms.args(part)[0];
                waiting.push(terms.substitute(&[body], &mut map)[0]);
            }
            Op::Or => waiting.extend(terms.args(part).iter().copied()),
            Op::False => {}
            Op::Not => {
                let inner = terms.args(part)[0];
                match terms.op(inner).clone() {
                    Op::And => {
                        let parts: Vec<TermId> = terms.args(inner).to_vec();
                        for one in parts {
                            waiting.push(terms.not(one));
                        }
                    }
                    Op::Apply(symbol) if predicates.contains(&symbol) => {
                        if clause.body.replace(inner).is_some() {
                            return Err(Problem {
                                message: "this clause is not linear: its body has two predicates".into(),
                                help: Some("only linear Horn clauses are decided".into()),
                                place: clause.place,
                            });
                        }
                    }
                    _ => clause.constraint.push(inner),
                }
            }
            Op::Apply(symbol) if predicates.contains(&symbol) => {
                if clause.head.replace(part).is_some() {
                    return Err(Problem {
                        message: "this clause has two heads".into(),
                        help: None,
                        place: clause.place,
                    });
                }
            }
            _ => clause.constraint.push(terms.not(part)),
        }
    }
    let hidden = terms
        .cone(&clause.constraint)
        .into_iter()
        .any(|inner| match terms.op(inner) {
            Op::Apply(symbol) => predicates.contains(symbol),
            Op::Forall(_) => true,
            _ => false,
        });
    if hidden {
        return Err(Problem {
            message: "a predicate or a quantifier stands inside this clause where none may be".into(),
            help: None,
            place: clause.place,
        });
    }
    Ok(clause)
}
