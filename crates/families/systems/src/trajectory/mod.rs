//! Trajectory assertions about circuits: `entail ste CIRCUIT SPEC.ste`, or `entail check SPEC.ste --circuit CIRCUIT`.
//!
//! The specification is the model's text: its assertions are the properties, with their places. The circuit is read as for `entail equiv`, from any language of circuits, and becomes a netlist of gates
//! (`blast.rs`), whose three-valued meaning is that of these gates. Engines and checker start from the netlist; what is not on this path (transition systems, cones, abstractions) takes no part.

mod blast;
#[cfg(test)]
mod blast_tests;
mod checker;
mod session;

use crate::equivalence::circuit_at;
use crate::netlist::Covers;
use crate::options::{PARAMETER, TOP};
use checker::TrajectoryChecker;
use entail_answer::Statistics;
use entail_family::{
    Checker, Command, EngineInfo, Heading, Input, Language, LoadError, Model, OptionSpec, Options, Session,
    Turn, Usage, standard,
};
use entail_logic::Logic;
use entail_source::{Diagnostic, Source, Span};
use entail_trajectories::{AssertionGraph, Method, Netlist, Role, Specification};
use session::TrajectorySession;
use std::path::Path;
use std::time::Duration;

/// The language of specifications.
const LANGUAGE: &str = "ste";

/// The languages, as they are listed.
pub(crate) const LANGUAGES: &[Language] =
    &[Language::new(LANGUAGE, "trajectory assertions", &["ste", "gste"])];

/// The option that names the circuit.
const CIRCUIT: &str = "circuit";

/// The option that limits diagrams.
const WEAKEN_ABOVE: &str = "weaken-above";

/// The options, in the order in which help lists them.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::with_value(
        CIRCUIT,
        "CIRCUIT",
        "The circuit that the assertions are about (`entail ste CIRCUIT SPEC` asks the same)",
    )
    .of(&[Command::Check, Command::Certify]),
    OptionSpec::number(
        WEAKEN_ABOVE,
        "A node whose decision diagram has more nodes than this becomes X (dynamic weakening); sound for proofs",
    )
    .for_engines(&["bdd"]),
    TOP,
    standard::DEFINE,
    standard::INCLUDE,
    PARAMETER,
];

/// The engines, as they are listed.
pub(crate) const ENGINES: &[EngineInfo] = &[
    EngineInfo::new(
        "bdd",
        "trajectory assertions and assertion graphs: dual-rail simulation and fixpoints on decision diagrams, with the condition under which an assertion holds",
        &[Logic::Safety],
    ),
    EngineInfo::new(
        "sat",
        "trajectory assertions: dual-rail simulation in a circuit, and a question to a SAT solver",
        &[Logic::Safety],
    ),
];

/// How long diagrams may try before SAT does.
const FIRST_TRY: Duration = Duration::from_secs(30);

/// A circuit with trajectory assertions.
pub(crate) struct TrajectoryModel {
    pub(crate) source: Source,
    pub(crate) netlist: Netlist,
    pub(crate) specification: Specification,
    headings: Vec<Heading>,
    warnings: Vec<Diagnostic>,
}

/// Reads a specification and its circuit.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let source = input.text()?;
    let invalid = |problems| LoadError::invalid(&source, problems);
    let text = entail_ste::parse(&source).map_err(invalid)?;
    let mut warnings = Vec::new();
    let path = match (input.options.value(CIRCUIT), &text.circuit) {
        (Some(named), _) => named.to_owned(),
        // What the text names lies beside it.
        (None, Some((named, _))) => {
            let folder = input.path.parent().unwrap_or(Path::new(""));
            folder.join(named).to_string_lossy().into_owned()
        }
        (None, None) => {
            let problem = Diagnostic::error(
                "ste::circuit",
                "the specification names no circuit",
                Span::new(0, 0),
                "in this file",
            );
            let help = "write `circuit \"file.v\";` into it, or ask `entail ste CIRCUIT SPEC`";
            return Err(LoadError::invalid(&source, problem.with_help(help)));
        }
    };
    let circuit = circuit_at(input, &path, Covers::AsWritten, &mut warnings)?;
    let is_aiger = circuit.is_aiger;
    let unnamed = |role: Role, position: usize, id: u64| match (role, is_aiger) {
        (Role::Input, true) => format!("i{position}"),
        (_, true) => format!("l{position}"),
        (Role::Input, false) => format!("input{id}"),
        (_, false) => format!("state{id}"),
    };
    let netlist =
        blast::netlist(&circuit.circuit, unnamed).map_err(|reason| Usage(format!("{path}: {reason}")))?;
    let constraints = circuit.circuit.nodes.iter();
    if constraints
        .filter(|node| matches!(node, entail_btor2::Node::Constraint(_)))
        .count()
        > 0
    {
        let message = format!("{path} has constraints: trajectory evaluation does not assume them");
        warnings.push(Diagnostic::warning(
            "ste::constraints",
            message,
            Span::new(0, 0),
            "",
        ));
    }
    let specification = entail_ste::resolve(&text, &netlist, &source).map_err(invalid)?;
    let heading = |name: &String, text: &String, place: Span| Heading {
        name: Some(name.clone()),
        ..Heading::new(text.clone(), Logic::Safety, Some(place))
    };
    let assertions = specification.assertions.iter();
    let assertions = assertions.map(|one| heading(&one.name, &one.text, one.place));
    let graphs = specification.graphs.iter();
    let headings = assertions.chain(graphs.map(|one| heading(&one.name, &one.text, one.place)));
    Ok(Box::new(TrajectoryModel {
        headings: headings.collect(),
        source,
        netlist,
        specification,
        warnings,
    }))
}

impl TrajectoryModel {
    /// The assertion graph that a property is: graphs come behind assertions.
    fn graph(&self, property: usize) -> Option<&AssertionGraph> {
        let number = property.checked_sub(self.specification.assertions.len())?;
        self.specification.graphs.get(number)
    }
}

impl Model for TrajectoryModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        LANGUAGE
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn add_property(&mut self, _text: &str, _logic: Option<Logic>) -> Result<usize, LoadError> {
        let message =
            "trajectory assertions are written in the specification: NAME: A => C; or graph NAME { … }";
        Err(Usage(message.to_owned()).into())
    }

    fn figures(&self) -> Statistics {
        Statistics::default()
            .with("gates", self.netlist.len() as u64)
            .with("signals", self.netlist.signals().len() as u64)
            .with("variables", self.specification.variables() as u64)
    }

    fn schedule(&self, property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        if self.graph(property).is_some() {
            return vec![Turn::alone("bdd", None, "fixpoints are on diagrams")];
        }
        let method = self.specification.assertions.get(property).map(|one| &one.method);
        if let Some(Method::Index(_)) = method {
            return vec![Turn::alone("bdd", None, "indices are found on diagrams")];
        }
        vec![
            Turn::alone("bdd", Some(FIRST_TRY), "diagrams give the residual"),
            Turn::alone("sat", None, "one question to a solver"),
        ]
    }

    fn open<'m>(&'m self, options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(TrajectorySession::new(self, options)))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(TrajectoryChecker::new(self)))
    }
}
