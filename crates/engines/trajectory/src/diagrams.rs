//! Trajectory evaluation on decision diagrams: with all counterexamples, the residual, as one function.
//!
//! **Parametric assumptions** (section 25.6.3). Where something is assumed of the variables, each is replaced by its generalized cofactor with respect to the assumption. These functions run through exactly the
//! assignments that satisfy it, and are the identity on them (Coudert and Madre), so the simulation meets allowed cases only, and what it gives is, on those, right in the user's variables.
//!
//! Words of the same width that are declared next to each other are interleaved in the first variable order; reordering does the rest.

use crate::Settings;
use crate::boolean::has_run;
use crate::functions::{Functions, Stop, Translated};
use crate::rails::{Nobody, compare};
use crate::relation::related;
use crate::scalar::{Ternary, Valued};
use entail_answer::{Answer, Verdict, Warning, WarningKind};
use entail_budget::Budget;
use entail_dd::{AutoReorder, Bdd, Manager, Var};
use entail_trajectories::{Assertion, ConditionId, Netlist, NodeId, Specification, TrajectoryEvidence};
use rustc_hash::FxHashMap;

/// Most cubes of a condition that are written out.
const MOST_CUBES: usize = 6;

/// Most sources of an X that are named.
const MOST_SOURCES: usize = 6;

/// How the reason of an answer begins where an X stands and a value is demanded.
pub const WEAK: &str = "weak disagreement";

pub(crate) const NOTHING_ASSUMED: &str =
    "no values of the variables satisfy what is assumed: nothing is said";
pub(crate) const FAILS_FOR_ALL: &str = "antecedent failure for all values of the variables: the antecedent contradicts itself or the circuit, and nothing is said";
pub(crate) const NO_BOOLEAN_RUN: &str = "hidden vacuity: no run of the circuit with values 0 and 1 does what the antecedent says, although three-valued simulation does not see that";

/// Functions as decision diagrams.
pub(crate) struct Diagrams {
    manager: Manager,
    /// Each variable as a function: itself, or what an assumption leaves of it.
    pub(crate) values: Vec<Bdd>,
    weaken_above: Option<usize>,
}

impl Functions for Diagrams {
    type Function = Bdd;

    fn constant(&self, truth: bool) -> Bdd {
        self.manager.constant(truth)
    }

    fn variable(&mut self, number: u32) -> Result<Bdd, Stop> {
        Ok(self.values[number as usize].clone())
    }

    fn and(&mut self, a: &Bdd, b: &Bdd) -> Result<Bdd, Stop> {
        Ok(a.and(b)?)
    }

    fn not(&self, a: &Bdd) -> Bdd {
        a.not()
    }

    fn is_too_large(&self, function: &Bdd) -> bool {
        self.weaken_above.is_some_and(|most| function.node_count() > most)
    }
}

/// Decides an assertion with decision diagrams.
pub fn by_diagrams(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    settings: Settings,
    budget: &Budget,
) -> Answer<TrajectoryEvidence> {
    let decided = match &assertion.relation {
        None => decide(netlist, specification, assertion, settings, budget),
        Some(relation) => related(netlist, specification, assertion, relation, settings, budget),
    };
    decided.unwrap_or_else(|stop| stopped(&stop))
}

/// The variables of a specification in the order in which diagrams begin with them.
fn first_order(specification: &Specification) -> Vec<u32> {
    let mut order = Vec::with_capacity(specification.variables());
    let mut words = specification.words.as_slice();
    while let Some(first) = words.first() {
        let alike = words.iter().take_while(|word| word.width == first.width).count();
        let (group, rest) = words.split_at(alike);
        for bit in 0..first.width {
            order.extend(group.iter().map(|word| word.first + bit));
        }
        words = rest;
    }
    order
}

/// A manager with the variables of a specification.
pub(crate) struct Workspace {
    pub(crate) manager: Manager,
    pub(crate) diagrams: Diagrams,
    /// The number of each variable, and the variable at the same position.
    order: Vec<u32>,
    variables: Vec<Var>,
}

impl Workspace {
    pub(crate) fn new(
        specification: &Specification,
        settings: Settings,
        budget: &Budget,
    ) -> Result<Workspace, Stop> {
        let manager = Manager::for_budget(budget, 1)?;
        let variables = manager.new_vars(specification.variables())?;
        manager.set_auto_reorder(Some(AutoReorder::default()));
        let mut values = vec![manager.zero(); variables.len()];
        let order = first_order(specification);
        for (&variable, &number) in variables.iter().zip(&order) {
            values[number as usize] = manager.var(variable)?;
        }
        Ok(Workspace {
            diagrams: Diagrams {
                manager: manager.clone(),
                values,
                weaken_above: settings.weaken_above,
            },
            manager,
            order,
            variables,
        })
    }

    pub(crate) fn names<'n>(&'n self, specification: &'n Specification) -> Names<'n> {
        Names {
            specification,
            order: &self.order,
            variables: &self.variables,
        }
    }

    /// The number of each variable of the manager.
    pub(crate) fn numbers(&self) -> FxHashMap<Var, u32> {
        let pairs = self.variables.iter().zip(&self.order);
        pairs.map(|(&variable, &number)| (variable, number)).collect()
    }
}

fn decide(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    settings: Settings,
    budget: &Budget,
) -> Result<Answer<TrajectoryEvidence>, Stop> {
    let Workspace {
        manager,
        mut diagrams,
        order,
        variables,
    } = Workspace::new(specification, settings, budget)?;
    let names = Names {
        specification,
        order: &order,
        variables: &variables,
    };
    let assumed = Translated::new(&specification.conditions).get(&mut diagrams, assertion.assumption)?;
    if assumed.is_false() {
        let warning = Warning::new(WarningKind::Vacuous, NOTHING_ASSUMED);
        return Ok(holds(0, vec![warning]));
    }
    if assertion.assumption != ConditionId::TRUE {
        for value in &mut diagrams.values {
            *value = value.constrain(&assumed)?;
        }
    }
    let compared = compare(
        netlist,
        specification,
        assertion,
        &mut diagrams,
        true,
        &mut Nobody,
        budget,
    )?;
    // Outside of what is assumed, the functions repeat values from inside.
    let failure = assumed.and(&compared.failure)?;
    let live = assumed.minus(&failure)?;
    let conflict = live.and(&compared.conflict)?;
    let weak = live.and(&compared.weak)?.minus(&conflict)?;
    let peak = manager.statistics().peak_nodes as u64;
    let with_figures = |answer: Answer<TrajectoryEvidence>| Answer {
        statistics: answer.statistics.with("peak_nodes", peak),
        ..answer
    };
    for disagreement in [&conflict, &weak] {
        if let Some(valuation) = names.model(disagreement) {
            let mut answer = answer_of_case(netlist, specification, assertion, &valuation);
            let residual = live.minus(&conflict)?.minus(&weak)?;
            let told = names.residual(&residual, &live, &conflict, &weak)?;
            let reason = answer
                .reason
                .take()
                .map_or(told.clone(), |reason| format!("{reason}; {told}"));
            answer.reason = Some(reason);
            return Ok(with_figures(answer));
        }
    }
    let mut warnings = Vec::new();
    if live.is_false() {
        warnings.push(Warning::new(WarningKind::Vacuous, FAILS_FOR_ALL));
    } else {
        if !failure.is_false() {
            let alone = assumed.and(&compared.contradiction)?;
            let whom = match alone == failure {
                true => "itself",
                false => "itself or the circuit",
            };
            let text = format!(
                "antecedent failure: where {}, the antecedent contradicts {whom}; these cases count as satisfied",
                names.condition(&failure, &assumed)?
            );
            warnings.push(Warning::new(WarningKind::Vacuous, text));
        }
        if !has_run(netlist, specification, assertion, budget)? {
            warnings.push(Warning::new(WarningKind::Vacuous, NO_BOOLEAN_RUN));
        }
    }
    Ok(with_figures(holds(compared.gates, warnings)))
}

/// Variables of diagrams in the user's terms.
pub(crate) struct Names<'n> {
    specification: &'n Specification,
    /// The number of each variable, and the variable at the same position.
    order: &'n [u32],
    variables: &'n [Var],
}

impl Names<'_> {
    /// Values of the variables that satisfy a function.
    pub(crate) fn model(&self, function: &Bdd) -> Option<Vec<bool>> {
        let model = function.pick_model(self.variables)?;
        let mut values = vec![false; self.order.len()];
        for (&number, value) in self.order.iter().zip(model) {
            values[number as usize] = value;
        }
        Some(values)
    }

    /// Where an assertion holds, and where it does for lack of a value only.
    pub(crate) fn residual(
        &self,
        residual: &Bdd,
        live: &Bdd,
        conflict: &Bdd,
        weak: &Bdd,
    ) -> Result<String, Stop> {
        let mut told = match residual.is_false() {
            true => vec!["it holds for no values of the variables".to_owned()],
            false => vec![format!(
                "residual: it holds where {}",
                self.condition(residual, live)?
            )],
        };
        if !conflict.is_false() && !weak.is_false() {
            told.push(format!(
                "X stands where a value is demanded where {}",
                self.condition(weak, live)?
            ));
        }
        Ok(told.join("; "))
    }

    /// A function as people write it, as far as it can be told from what is possible: a sum of few products, or the complement of one, or its size.
    fn condition(&self, function: &Bdd, possible: &Bdd) -> Result<String, Stop> {
        let simple = function.simplify(possible)?;
        for (function, complemented) in [(simple.clone(), false), (simple.not(), true)] {
            if let Some(text) = self.sum(&function) {
                return Ok(match complemented {
                    true => format!("!({text})"),
                    false => text,
                });
            }
        }
        let free: Vec<Var> = function.support();
        Ok(format!(
            "a condition on {} variables is true, with {} nodes as a decision diagram",
            free.len(),
            simple.node_count()
        ))
    }

    fn sum(&self, function: &Bdd) -> Option<String> {
        if function.is_constant() {
            return Some(if function.is_true() { "true" } else { "false" }.to_owned());
        }
        let mut products = Vec::new();
        for cube in function.cubes() {
            if products.len() == MOST_CUBES {
                return None;
            }
            let literal = |&(variable, value): &(Var, bool)| {
                let position = self.variables.iter().position(|known| *known == variable);
                let number = position.map_or(u32::MAX, |position| self.order[position]);
                let name = self.specification.variable_name(number);
                if value { name } else { format!("!{name}") }
            };
            let literals: Vec<String> = cube.iter().map(literal).collect();
            products.push(literals.join(" & "));
        }
        Some(products.join(" | "))
    }
}

/// The answer that a limit was reached.
pub(crate) fn stopped(stop: &Stop) -> Answer<TrajectoryEvidence> {
    Answer::unknown(stop.to_string())
}

/// The answer that an assertion holds.
pub(crate) fn holds(gates: u64, warnings: Vec<Warning>) -> Answer<TrajectoryEvidence> {
    let mut answer = Answer::complete(Verdict::Holds, TrajectoryEvidence::Comparison { gates });
    answer.statistics.set_count("gates", gates);
    answer.warnings = warnings;
    answer
}

/// The answer that a valuation for which values disagree gives: simulated by itself and without weakening, it is a counterexample or not.
pub(crate) fn answer_of_case(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    valuation: &[bool],
) -> Answer<TrajectoryEvidence> {
    let exact = Valued::new(netlist, specification, assertion, valuation, false);
    let wrong = exact
        .as_ref()
        .filter(|case| case.counts())
        .and_then(Valued::disagreement);
    if let Some(wrong) = wrong.filter(|wrong| wrong.found != Ternary::X) {
        return Answer::complete(
            Verdict::Fails,
            TrajectoryEvidence::Valuation {
                values: valuation.to_vec(),
                node: wrong.node.0,
                time: wrong.time,
            },
        );
    }
    let weakened = Valued::new(netlist, specification, assertion, valuation, true);
    let Some((case, wrong)) = weakened
        .as_ref()
        .and_then(|case| Some((case, case.disagreement()?)))
    else {
        return Answer::unknown(
            "a case that disagrees does not when it is simulated by itself: diagrams that were too large are X there",
        );
    };
    let named = |(time, node): (u32, NodeId)| format!("`{}` at time {time}", netlist.name_of(node));
    let sources = case.sources(wrong.time, wrong.node, MOST_SOURCES);
    let sources: Vec<String> = sources.into_iter().map(named).collect();
    Answer::unknown(format!(
        "{WEAK}: {} is X where {} is demanded, with {}; the X comes from {}, which nothing drives",
        named((wrong.time, wrong.node)),
        u8::from(wrong.demanded),
        specification.valuation_text(valuation),
        sources.join(", ")
    ))
}
