//! Symbolic indexing by transformation (Melham and Jones, FMCAD 2002; section 25.7.1): an assertion about many variables from one about few indices.
//!
//! Given is a relation R between indices i and the variables x of an assertion `P |= A => C`; with P, it is R'(i, x) = R & P. A condition q on x has two images among conditions on i:
//!
//! - the *preimage* ∃x. R' & q, true where some x of the index satisfies q,
//! - the *strong preimage*, true where moreover no x of the index violates q.
//!
//! The indexed assertion drives only what is driven for all x of an index (strong preimages of the antecedent's conditions) and demands whatever is demanded for some (preimages of the consequent's). If it holds, and every x
//! that P allows has an index, the assertion itself holds: for x take its index i; what the indexed antecedent drives at i, A drives at x, and what C demands at x, the indexed consequent demands at i.
//!
//! The evidence is the indexed assertion, and for each index a function of x that chooses it: with these in its place, the indexed assertion says no less than the one asked about, which is the
//! rules of substitution and consequence, and is judged as such. Variables of x without an index are named.
//!
//! Cost: two quantifications for each thing driven, on diagrams of R.

use crate::Settings;
use crate::diagrams::{Workspace, by_diagrams};
use crate::functions::{Stop, Translated};
use crate::graph::Record;
use entail_answer::{Answer, Verdict, Warning};
use entail_budget::Budget;
use entail_dd::{Bdd, Var};
use entail_trajectories::{
    Assertion, Condition, ConditionId, Conditions, Drive, IndexedForm, Method, Netlist, NodeId,
    Specification, TrajectoryEvidence,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Decides an assertion by a relation between indices and its variables.
pub fn by_index(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    relation: ConditionId,
    settings: Settings,
    budget: &Budget,
) -> Answer<TrajectoryEvidence> {
    let plain = Assertion {
        method: Method::Simulation,
        ..assertion.clone()
    };
    let reason = match transform(specification, &plain, relation, settings, budget) {
        Ok(Transformed::Uncovered(values)) => format!(
            "the relation has no index for {}",
            specification.valuation_text(&values)
        ),
        Ok(Transformed::Indexed(form)) => {
            let (about_indices, indexed) = form_as_assertion(specification, &plain, &form);
            let answer = by_diagrams(netlist, &about_indices, &indexed, settings, budget);
            if answer.verdict == Verdict::Holds {
                let mut found = Answer::complete(Verdict::Holds, TrajectoryEvidence::Indexed(form));
                found.statistics = answer.statistics;
                found.warnings = answer.warnings;
                return found;
            }
            format!(
                "the indexed assertion is not proved ({})",
                answer
                    .reason
                    .unwrap_or_else(|| "it fails for an index".to_owned())
            )
        }
        Err(stop) => format!("the indexed assertion was not found: {stop}"),
    };
    // What is not proved by an index may be so or not: it is asked directly.
    let mut direct = by_diagrams(netlist, specification, &plain, settings, budget);
    direct.warnings.push(Warning::from(format!(
        "{reason}; the assertion was decided without indices"
    )));
    direct
}

enum Transformed {
    Indexed(IndexedForm),
    /// Values that are allowed and have no index.
    Uncovered(Vec<bool>),
}

/// The variables that conditions speak of.
fn support(conditions: &Conditions, of: impl IntoIterator<Item = ConditionId>) -> FxHashSet<u32> {
    let mut seen = FxHashSet::default();
    let mut found = FxHashSet::default();
    let mut open: Vec<ConditionId> = of.into_iter().collect();
    while let Some(next) = open.pop() {
        if !seen.insert(next) {
            continue;
        }
        match conditions.get(next) {
            Condition::Constant(_) => {}
            Condition::Variable(number) => {
                found.insert(number);
            }
            Condition::Not(a) => open.push(a),
            Condition::And(a, b) | Condition::Xor(a, b) => open.extend([a, b]),
        }
    }
    found
}

fn transform(
    specification: &Specification,
    assertion: &Assertion,
    relation: ConditionId,
    settings: Settings,
    budget: &Budget,
) -> Result<Transformed, Stop> {
    let conditions = &specification.conditions;
    let drives = || assertion.antecedent.iter().chain(&assertion.consequent);
    let spoken = drives().flat_map(|drive| [drive.guard, drive.value]);
    let own = support(conditions, spoken.chain([assertion.assumption]));
    let mut indices: Vec<u32> = support(conditions, [relation])
        .difference(&own)
        .copied()
        .collect();
    indices.sort_unstable();
    let mut workspace = Workspace::new(specification, settings, budget)?;
    let numbers = workspace.numbers();
    let diagram_of: BTreeMap<u32, Var> = numbers.iter().map(|(var, number)| (*number, *var)).collect();
    let index_vars: Vec<Var> = indices.iter().map(|number| diagram_of[number]).collect();
    let own_vars: Vec<Var> = own.iter().map(|number| diagram_of[number]).collect();
    let mut known = Translated::new(conditions);
    let assumed = known.get(&mut workspace.diagrams, assertion.assumption)?;
    let related = known.get(&mut workspace.diagrams, relation)?.and(&assumed)?;
    let covered = related.exists(&workspace.manager.var_set(index_vars.iter().copied())?)?;
    if let Some(values) = workspace.names(specification).model(&assumed.minus(&covered)?) {
        return Ok(Transformed::Uncovered(values));
    }
    let images = Images {
        hidden: workspace.manager.var_set(own_vars)?,
        related: &related,
    };
    let mut sides: [Vec<(NodeId, u32, Bdd, Bdd)>; 2] = Default::default();
    for (side, (drives, strong)) in [(&assertion.antecedent, true), (&assertion.consequent, false)]
        .into_iter()
        .enumerate()
    {
        for (place, [one, zero]) in said(drives, &mut known, &mut workspace)? {
            budget.check()?;
            let (one, zero) = (images.image(&one, strong)?, images.image(&zero, strong)?);
            if !one.is_false() || !zero.is_false() {
                sides[side].push((place.0, place.1, one, zero));
            }
        }
    }
    let mut choice = Vec::with_capacity(indices.len());
    let mut rest = related.clone();
    for (position, (&number, &var)) in indices.iter().zip(&index_vars).enumerate() {
        let later = workspace
            .manager
            .var_set(index_vars[position + 1..].iter().copied())?;
        // 1 where that can be gone on with.
        let chosen = rest.cofactor(var, true)?.exists(&later)?;
        rest = rest.compose(var, &chosen)?;
        choice.push((number, chosen));
    }
    // All functions are alive while they are numbered, so no number means two of them.
    let mut record = Record::new(&numbers);
    let [antecedent, consequent] = sides.each_ref().map(|side| {
        let numbered = side.iter().map(|(node, time, one, zero)| {
            let (one, zero) = (record.number(one), record.number(zero));
            (node.0, *time, one, zero)
        });
        numbered.collect()
    });
    let choice = choice
        .iter()
        .map(|(number, chosen)| (*number, record.number(chosen)))
        .collect();
    Ok(Transformed::Indexed(IndexedForm {
        functions: record.functions,
        antecedent,
        consequent,
        choice,
    }))
}

/// Where each node is said to be 1, and where it is said to be 0, at each time.
fn said(
    drives: &[Drive],
    known: &mut Translated<'_, crate::diagrams::Diagrams>,
    workspace: &mut Workspace,
) -> Result<BTreeMap<(NodeId, u32), [Bdd; 2]>, Stop> {
    let nothing = workspace.manager.zero();
    let mut places: BTreeMap<(NodeId, u32), [Bdd; 2]> = BTreeMap::new();
    for drive in drives {
        let guard = known.get(&mut workspace.diagrams, drive.guard)?;
        let value = known.get(&mut workspace.diagrams, drive.value)?;
        let [one, zero] = places
            .entry((drive.node, drive.time))
            .or_insert_with(|| [nothing.clone(), nothing.clone()]);
        *one = one.or(&guard.and(&value)?)?;
        *zero = zero.or(&guard.minus(&value)?)?;
    }
    Ok(places)
}

/// Conditions on indices from conditions on variables.
struct Images<'i> {
    /// The variables.
    hidden: Bdd,
    related: &'i Bdd,
}

impl Images<'_> {
    fn image(&self, condition: &Bdd, strong: bool) -> Result<Bdd, Stop> {
        let some = self.related.and_exists(condition, &self.hidden)?;
        Ok(match strong {
            false => some,
            true => some.minus(&self.related.and_exists(&condition.not(), &self.hidden)?)?,
        })
    }
}

/// The indexed assertion over the variables of the specification.
fn form_as_assertion(
    specification: &Specification,
    assertion: &Assertion,
    form: &IndexedForm,
) -> (Specification, Assertion) {
    let mut whole = specification.clone();
    let mut ids = vec![ConditionId::FALSE, ConditionId::TRUE];
    for &(variable, high, low) in &form.functions {
        let variable = whole.conditions.variable(variable);
        let (high, low) = (ids[high as usize], ids[low as usize]);
        ids.push(whole.conditions.choose(variable, high, low));
    }
    let drives = |list: &[(u32, u32, u32, u32)]| -> Vec<Drive> {
        let drives = list.iter().flat_map(|&(node, time, one, zero)| {
            let drive = |guard: u32, value: bool| Drive {
                node: NodeId(node),
                time,
                guard: ids[guard as usize],
                value: ConditionId::constant(value),
            };
            [drive(one, true), drive(zero, false)]
        });
        drives.filter(|drive| drive.guard != ConditionId::FALSE).collect()
    };
    let indexed = Assertion {
        assumption: ConditionId::TRUE,
        antecedent: drives(&form.antecedent),
        consequent: drives(&form.consequent),
        ..assertion.clone()
    };
    (whole, indexed)
}
