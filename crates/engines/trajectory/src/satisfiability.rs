//! Trajectory evaluation by SAT: the rails are signals of an and-inverter graph, and the comparison is a question to a solver.
//!
//! The solver sees functions of the symbolic variables only, so sharing and rewriting the graph changes nothing about the three-valued meaning of the netlist. There is no residual: one
//! valuation is given, not all of them.

use crate::Settings;
use crate::boolean::has_run;
use crate::diagrams::{FAILS_FOR_ALL, NO_BOOLEAN_RUN, NOTHING_ASSUMED, answer_of_case, holds, stopped};
use crate::functions::{Functions, Stop};
use crate::rails::{Nobody, compare};
use entail_answer::{Answer, Warning, WarningKind};
use entail_budget::Budget;
use entail_sat::{Aig, Cadical, ConeEncoder, SatSolver, Signal};
use entail_trajectories::{Assertion, Netlist, Specification, TrajectoryEvidence};

/// Functions as signals of a graph.
pub(crate) struct Graph {
    pub(crate) aig: Aig,
    variables: Vec<Signal>,
}

impl Graph {
    /// A graph with so many variables.
    pub(crate) fn new(variables: usize) -> Graph {
        let mut aig = Aig::new();
        let variables = (0..variables).map(|_| aig.leaf()).collect();
        Graph { aig, variables }
    }

    /// Values of the variables for which a signal is true, if there are any.
    pub(crate) fn model(&self, signal: Signal, budget: &Budget) -> Result<Option<Vec<bool>>, Stop> {
        self.values(signal, &self.variables, budget)
    }

    /// Values of constants and leaves for which a signal is true, if there are any.
    pub(crate) fn values(
        &self,
        signal: Signal,
        leaves: &[Signal],
        budget: &Budget,
    ) -> Result<Option<Vec<bool>>, Stop> {
        let constant = |leaf: &Signal| leaf.as_constant().unwrap_or(false);
        if let Some(truth) = signal.as_constant() {
            return Ok(truth.then(|| leaves.iter().map(constant).collect()));
        }
        let mut solver = Cadical::new();
        let mut encoder = ConeEncoder::new();
        let literal = encoder.encode(&self.aig, signal, &mut solver);
        if !solver.satisfiable(&[literal], budget)? {
            return Ok(None);
        }
        let value = |leaf: &Signal| {
            let literal = encoder.literal(*leaf);
            let value = literal.and_then(|literal| solver.value(literal));
            value.unwrap_or_else(|| constant(leaf))
        };
        Ok(Some(leaves.iter().map(value).collect()))
    }
}

impl Functions for Graph {
    type Function = Signal;

    fn constant(&self, truth: bool) -> Signal {
        Signal::constant(truth)
    }

    fn variable(&mut self, number: u32) -> Result<Signal, Stop> {
        Ok(self.variables[number as usize])
    }

    fn and(&mut self, a: &Signal, b: &Signal) -> Result<Signal, Stop> {
        Ok(self.aig.and(*a, *b))
    }

    fn not(&self, a: &Signal) -> Signal {
        !*a
    }
}

/// Decides an assertion by SAT.
pub fn by_sat(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    _settings: Settings,
    budget: &Budget,
) -> Answer<TrajectoryEvidence> {
    if assertion.relation.is_some() {
        return Answer::unknown("the engine `sat` does not decide relations: bdd does");
    }
    decide(netlist, specification, assertion, budget).unwrap_or_else(|stop| stopped(&stop))
}

fn decide(
    netlist: &Netlist,
    specification: &Specification,
    assertion: &Assertion,
    budget: &Budget,
) -> Result<Answer<TrajectoryEvidence>, Stop> {
    let mut graph = Graph::new(specification.variables());
    let compared = compare(
        netlist,
        specification,
        assertion,
        &mut graph,
        true,
        &mut Nobody,
        budget,
    )?;
    let live = graph.and(&compared.assumption, &!compared.failure)?;
    for disagreement in [compared.conflict, compared.weak] {
        let found = graph.and(&live, &disagreement)?;
        if let Some(valuation) = graph.model(found, budget)? {
            return Ok(answer_of_case(netlist, specification, assertion, &valuation));
        }
    }
    let mut warnings = Vec::new();
    let vacuous = |text: String| Warning::new(WarningKind::Vacuous, text);
    if graph.model(compared.assumption, budget)?.is_none() {
        warnings.push(vacuous(NOTHING_ASSUMED.to_owned()));
    } else if graph.model(live, budget)?.is_none() {
        warnings.push(vacuous(FAILS_FOR_ALL.to_owned()));
    } else {
        let failing = graph.and(&compared.assumption, &compared.failure)?;
        if let Some(valuation) = graph.model(failing, budget)? {
            let text = specification.valuation_text(&valuation);
            warnings.push(vacuous(format!(
                "antecedent failure: where {text}, for example, the antecedent contradicts itself or the circuit; such cases count as satisfied"
            )));
        }
        if !has_run(netlist, specification, assertion, budget)? {
            warnings.push(vacuous(NO_BOOLEAN_RUN.to_owned()));
        }
    }
    Ok(holds(compared.gates, warnings))
}
