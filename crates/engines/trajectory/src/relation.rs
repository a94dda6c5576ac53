//! Relational trajectory evaluation (section 25.8.2): what values at several nodes and times are together.
//!
//! The simulation says for each sampled value where it may be 1 and where it may be 0. A relation holds if it is true for all symbolic variables and all samples that are possible so: an X may be either. It fails where all
//! samples are known and it is false; where it is false for some values of an X only, nothing is known.

use crate::Settings;
use crate::diagrams::{FAILS_FOR_ALL, NOTHING_ASSUMED, WEAK, Workspace, holds};
use crate::functions::{Stop, Translated};
use crate::rails::{Rails, Watch, compare};
use entail_answer::{Answer, Verdict, Warning, WarningKind};
use entail_budget::Budget;
use entail_dd::Bdd;
use entail_trajectories::{Assertion, Netlist, NodeId, Relation, Sample, Specification, TrajectoryEvidence};

/// The values of samples, as they are computed.
struct Samples<'s> {
    asked: &'s [Sample],
    found: Vec<Option<Rails<Bdd>>>,
}

impl Watch<Bdd> for Samples<'_> {
    fn value(&mut self, time: u32, node: NodeId, value: &Rails<Bdd>) {
        for (sample, found) in self.asked.iter().zip(&mut self.found) {
            if (sample.time, sample.node) == (time, node) {
                *found = Some(value.clone());
            }
        }
    }
}

/// Decides an assertion that demands a relation.
pub(crate) fn related(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    relation: &Relation,
    settings: Settings,
    budget: &Budget,
) -> Result<Answer<TrajectoryEvidence>, Stop> {
    let mut workspace = Workspace::new(specification, settings, budget)?;
    let mut samples = Samples {
        asked: &relation.samples,
        found: vec![None; relation.samples.len()],
    };
    let compared = compare(
        netlist,
        specification,
        assertion,
        &mut workspace.diagrams,
        true,
        &mut samples,
        budget,
    )?;
    let vacuous = |text: &str| vec![Warning::new(WarningKind::Vacuous, text)];
    if compared.assumption.is_false() {
        return Ok(holds(compared.gates, vacuous(NOTHING_ASSUMED)));
    }
    let live = compared.assumption.minus(&compared.failure)?;
    if live.is_false() {
        return Ok(holds(compared.gates, vacuous(FAILS_FOR_ALL)));
    }
    // Samples are variables behind the others.
    let variables = workspace.manager.new_vars(relation.samples.len())?;
    for &variable in &variables {
        workspace.diagrams.values.push(workspace.manager.var(variable)?);
    }
    let formula =
        Translated::new(&specification.conditions).get(&mut workspace.diagrams, relation.formula)?;
    let mut wrong = live.minus(&formula)?;
    let mut known = live;
    for (&variable, found) in variables.iter().zip(&samples.found) {
        let Some(value) = found else {
            continue;
        };
        let sample = workspace.manager.var(variable)?;
        wrong = wrong.and(&sample.ite(&value.high, &value.low)?)?;
        known = known.minus(&value.high.and(&value.low)?)?;
    }
    let wrong = wrong.exists(&workspace.manager.var_set(variables)?)?;
    if wrong.is_false() {
        return Ok(holds(compared.gates, Vec::new()));
    }
    let names = workspace.names(specification);
    let first = relation
        .samples
        .first()
        .map_or((0, 0), |sample| (sample.node.0, sample.time));
    if let Some(values) = names.model(&wrong.and(&known)?) {
        let (node, time) = first;
        let evidence = TrajectoryEvidence::Valuation { values, node, time };
        return Ok(Answer::complete(Verdict::Fails, evidence));
    }
    let values = names.model(&wrong).unwrap_or_default();
    let unknown = relation.samples.iter().zip(&samples.found).filter(|(_, found)| {
        found.as_ref().is_none_or(|value| {
            let both = value.high.and(&value.low);
            both.and_then(|both| both.is_disjoint_from(&wrong))
                .is_ok_and(|apart| !apart)
        })
    });
    let unknown: Vec<String> = unknown
        .map(|(sample, _)| format!("`{}` at time {}", netlist.name_of(sample.node), sample.time))
        .collect();
    Ok(Answer::unknown(format!(
        "{WEAK}: the relation depends on {}, of which some is X with {}",
        unknown.join(", "),
        specification.valuation_text(&values)
    )))
}
