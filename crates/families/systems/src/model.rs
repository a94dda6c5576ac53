//! A transition system with its properties, as the app sees it.

use crate::asked::AskedAssertion;
use crate::checker::SystemChecker;
use crate::doubt::{DOUBTS, Doubt, Totality, Written, doubts, impossible, never_checked, never_matches};
use crate::equivalence::Compared;
use crate::languages::Syntax;
use crate::options::{check_options, dead_ends_named};
use crate::schedule::{Shape, asked_for, of_circuits, schedule, state_bits};
use crate::sessions::Sessions;
use crate::show::dress::Dress;
use crate::show::graph::state_graph;
use crate::show::timeline::timeline;
use crate::walk::SystemWalk;
use crate::workshop::Workshops;
use crate::{coverage, needed, properties, structure, survey, write};
use entail_abstraction::AbstractOptions;
use entail_answer::{Answer, Statistics, Verdict};
use entail_budget::{Budget, Progress};
use entail_evidence::json::dead_ends_name;
use entail_explicit::Observed;
use entail_family::{
    Checker, Converted, Coverage, Handover, Heading, LoadError, Model, ModelError, Options, ReadError,
    Session, Structure, StructureError, Survey, SurveyWish, Turn, Usage, Walk,
};
use entail_logic::{Logic, Property};
use entail_model::{Registers, Sort, TermId, TransitionSystem};
use entail_proof::pair::Pair;
use entail_show::Graph;
use entail_smv::{Branch, Scope};
use entail_source::{Diagnostic, Source, Span};
use entail_systemverilog::Design;
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// What a language's reader makes of a text.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub(crate) system: TransitionSystem,
    pub(crate) properties: Vec<Property<TermId>>,
    /// Where the first of them stand in the text.
    pub(crate) places: Vec<Span>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// Specifications that were recognised but cannot be decided yet.
    pub(crate) unsupported: Vec<Undecided>,
    /// What names mean in formulas; made when the first formula comes, if the language has no scope of its own.
    pub(crate) scope: Option<Scope>,
    /// What a circuit has beyond a system.
    pub(crate) circuit: Option<Circuit>,
    /// SystemVerilog's assertions, assumptions and covers; properties have their names.
    pub(crate) asked: Vec<AskedAssertion>,
    /// Where properties have no names of their own: the assertions that they are, by position.
    pub(crate) asked_at: BTreeMap<usize, usize>,
    /// How its variables and values look to its author.
    pub(crate) dress: Dress,
    /// The branches of case distinctions.
    pub(crate) branches: Vec<Branch>,
    /// Of assertions, by their positions: the conditions under which they are checked.
    pub(crate) enabled: Vec<(usize, TermId)>,
    /// Of assertions, by their positions: where their antecedents have matched, and the assertion that says that they never do.
    pub(crate) premises: Vec<(usize, TermId, Option<AskedAssertion>)>,
    /// Antecedents that no values of the variables make true, by the positions of their properties.
    pub(crate) impossible: Vec<(usize, String)>,
    /// The positions of covers: the question is whether the state in which the invariant is violated can be reached.
    pub(crate) covers: BTreeSet<usize>,
    /// The design, if it is made up from the signals of a PSL file.
    pub(crate) made_up: Option<Design>,
    /// Two circuits whose outputs are compared: the system is both of them side by side.
    pub(crate) compared: Option<Compared>,
}

/// A specification that was recognised but cannot be decided yet.
#[derive(Clone, Debug)]
pub(crate) struct Undecided {
    pub(crate) name: Option<String>,
    pub(crate) text: String,
    pub(crate) place: Option<Span>,
    /// Why it is not decided.
    pub(crate) reason: String,
}

/// What the witness formats of circuits count by.
#[derive(Clone, Debug)]
pub(crate) struct Circuit {
    /// Registers and inputs, in the order of the text.
    pub(crate) registers: Registers,
    /// Number of properties about bad states; they come first.
    pub(crate) bad: usize,
    /// Number of properties about just loops; they follow.
    pub(crate) justice: usize,
}

/// What the model was read from, where that is more than its system says.
#[derive(Debug)]
pub(crate) enum Origin {
    /// The text of [`SystemModel::source`].
    Source,
    /// An AIGER file.
    Aiger(Box<[u8]>),
    /// A BTOR2 text, made from the source by another program.
    Translated(String),
}

/// What the options said while the model was read.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// `--abstract`: the abstraction map.
    pub(crate) abstraction: Option<AbstractOptions>,
    /// `--order`: the variables of the order file.
    pub(crate) order: Option<Vec<String>>,
    /// `--observe`
    pub(crate) observed: Vec<Observed>,
}

/// A transition system with its properties.
#[derive(Debug)]
pub(crate) struct SystemModel {
    source: Source,
    pub(crate) syntax: Syntax,
    pub(crate) content: Content,
    pub(crate) origin: Origin,
    pub(crate) asked: Asked,
    headings: Vec<Heading>,
    /// What would take the meaning from answers, each with the property it is about, whose doubts follow each other.
    doubts: Vec<(usize, Doubt)>,
    /// What schedules need to know.
    shape: Shape,
    /// The system without compassion, made when it is first needed.
    just: OnceLock<TransitionSystem>,
    workshops: Workshops,
}

/// Files may have thousands of properties: so many of them are doubted.
const MOST_DOUBTED: usize = 1_000;

/// Properties of larger circuits are not doubted.
const MOST_GATES: usize = 20_000;
const MOST_STATE_BITS: u64 = 10_000;

impl SystemModel {
    pub(crate) fn new(source: Source, syntax: Syntax, mut content: Content, origin: Origin) -> SystemModel {
        let asked = content.properties.iter().enumerate().take(MOST_DOUBTED);
        let mut doubted = Vec::new();
        let mut totality = Totality::default();
        let written = match content.compared {
            None => written(syntax, &content.system),
            // (That outputs are the same is not written as a condition that could be vacuous.)
            Some(_) => None,
        };
        let mut watched: BTreeSet<usize> = content.asked_at.keys().copied().collect();
        let monitored: BTreeSet<&str> = content.asked.iter().map(|asked| asked.name.as_str()).collect();
        let properties = content.properties.iter().enumerate();
        let of_monitors = properties.filter(|(_, property)| {
            let name = property.name.as_deref();
            name.is_some_and(|name| monitored.contains(name))
        });
        watched.extend(of_monitors.map(|(position, _)| position));
        // (What a monitor is made of, nobody has written.)
        for (position, property) in asked.filter(|(position, _)| !watched.contains(position)) {
            if let Some(written) = written {
                let found = doubts(&mut content.system, property, written, &mut totality).into_iter();
                doubted.extend(found.map(|doubt| (position, doubt)));
            }
        }
        for (position, antecedent) in std::mem::take(&mut content.impossible) {
            doubted.push((position, impossible(&mut content.system, &antecedent)));
        }
        for (position, enabled) in std::mem::take(&mut content.enabled) {
            let doubt = never_checked(&mut content.system, enabled);
            doubted.extend(doubt.map(|doubt| (position, doubt)));
        }
        for (position, matched, asked) in std::mem::take(&mut content.premises) {
            let doubt = never_matches(&mut content.system, matched, asked);
            doubted.push((position, doubt));
        }
        let places = content
            .places
            .iter()
            .copied()
            .map(Some)
            .chain(std::iter::repeat(None));
        let headings = content.properties.iter().zip(places);
        let headings = headings
            .map(|(property, place)| Heading {
                place,
                ..heading(property)
            })
            .collect();
        let shape = Shape::of(&content.system, syntax.is_circuit());
        SystemModel {
            source,
            syntax,
            content,
            origin,
            shape,
            asked: Asked::default(),
            headings,
            doubts: doubted,
            just: OnceLock::new(),
            workshops: Workshops::default(),
        }
    }

    /// The assertion that a property is, if it is one.
    pub(crate) fn asked(&self, position: usize) -> Option<&AskedAssertion> {
        if let Some(number) = position.checked_sub(DOUBTS) {
            return self.doubts.get(number)?.1.asked.as_ref();
        }
        if let Some(&number) = self.content.asked_at.get(&position) {
            return self.content.asked.get(number);
        }
        let name = self.content.properties.get(position)?.name.as_deref()?;
        self.content.asked.iter().find(|asked| asked.name == name)
    }

    /// What the text denotes.
    pub(crate) fn system(&self) -> &TransitionSystem {
        &self.content.system
    }

    /// A property by its position.
    pub(crate) fn property(&self, position: usize) -> Option<&Property<TermId>> {
        match position.checked_sub(DOUBTS) {
            None => self.content.properties.get(position),
            Some(number) => self.doubts.get(number).map(|(_, doubt)| &doubt.property),
        }
    }

    /// An answer about a cover is one about the bad state that its behaviour ends in, with the opposite verdict; this is its own inverse.
    pub(crate) fn turned(&self, position: usize, mut answer: Answer) -> Answer {
        answer.verdict = self.turned_verdict(position, answer.verdict);
        answer
    }

    /// The same of the verdict alone.
    pub(crate) fn turned_verdict(&self, position: usize, verdict: Verdict) -> Verdict {
        match (self.content.covers.contains(&position), verdict) {
            (true, Verdict::Holds) => Verdict::Fails,
            (true, Verdict::Fails) => Verdict::Holds,
            (_, verdict) => verdict,
        }
    }

    /// The line on which a property stands.
    pub(crate) fn line(&self, position: usize) -> Option<usize> {
        let place = self.headings.get(position)?.place?;
        // (Lines of designs of several files are told with their files, where properties are listed.)
        let is_one = self.source.parts().is_empty();
        is_one.then(|| self.source.place(place.start).line)
    }

    /// The doubts about a property, in order, each with the position at which it is asked.
    pub(crate) fn doubts(&self, property: usize) -> impl Iterator<Item = (usize, &Doubt)> {
        let all = self.doubts.iter().enumerate();
        all.filter(move |(_, (about, _))| *about == property)
            .map(|(number, (_, doubt))| (DOUBTS + number, doubt))
    }

    /// Whether a property is about the model without compassion. CTL's path quantifiers range over just paths, as in NuSMV; compassion is for
    /// linear time. This is the one place that decides it, for engines and for the checker.
    pub(crate) fn drops_compassion(&self, property: &Property<TermId>) -> bool {
        property.logic.ignores_compassion() && !self.system().compassion.is_empty()
    }

    /// The system that a property is about.
    pub(crate) fn subject(&self, property: &Property<TermId>) -> &TransitionSystem {
        self.part(self.drops_compassion(property))
    }

    /// The system, or the system without compassion.
    pub(crate) fn part(&self, without_compassion: bool) -> &TransitionSystem {
        match without_compassion {
            false => self.system(),
            true => self.just.get_or_init(|| {
                let mut just = self.system().clone();
                just.compassion.clear();
                just
            }),
        }
    }

    /// Two circuits that are compared, and the outputs that a property is about.
    pub(crate) fn compared(&self, position: usize) -> Option<(&Pair, &[usize])> {
        let compared = self.content.compared.as_ref()?;
        Some((&compared.pair, compared.questions.get(position)?))
    }

    /// An error of the model as the app sees it.
    pub(crate) fn error(&self, error: entail_evidence::ModelError) -> ModelError {
        ModelError {
            message: error.message,
            place: error.place.map(|(start, end)| Span::new(start, end)),
            timeline: error
                .trace
                .map(|trace| Box::new(timeline(self.system(), &trace, false, &self.content.dress))),
            help: error.help,
        }
    }
}

/// How the conditions of a text are written; nothing if they are not doubted: bad states of Verilog come from assertions, about which other questions are
/// asked, and very large circuits cost too much.
fn written(syntax: Syntax, system: &TransitionSystem) -> Option<Written> {
    match syntax {
        Syntax::Smv => Some(Written::ByPeople),
        Syntax::Aiger | Syntax::Btor2 | Syntax::Blif => {
            let is_small = system.terms.len() <= MOST_GATES && state_bits(system) <= MOST_STATE_BITS;
            is_small.then_some(Written::AsGates)
        }
        Syntax::Verilog | Syntax::Psl | Syntax::FileList | Syntax::Sby | Syntax::Eqy => None,
    }
}

fn heading(property: &Property<TermId>) -> Heading {
    Heading {
        name: property.name.clone(),
        text: property.text.clone(),
        logic: property.logic,
        place: None,
    }
}

impl Model for SystemModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        self.syntax.name()
    }

    fn warnings(&self) -> &[Diagnostic] {
        &self.content.warnings
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn unsupported(&self) -> Vec<(Heading, String)> {
        let heading = |one: &Undecided| Heading {
            name: one.name.clone(),
            ..Heading::new(&one.text, Logic::Unsupported, one.place)
        };
        (self.content.unsupported.iter())
            .map(|one| (heading(one), one.reason.clone()))
            .collect()
    }

    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        let property = properties::read(&mut self.content, text, logic)?;
        self.headings.push(heading(&property));
        // Formulas that are added are written by people, whatever they are about.
        let position = self.content.properties.len();
        let (system, mut totality) = (&mut self.content.system, Totality::default());
        let found = doubts(system, &property, Written::ByPeople, &mut totality).into_iter();
        self.doubts.extend(found.map(|doubt| (position, doubt)));
        let noted = self.content.scope.as_mut().map(Scope::take_impossible);
        for antecedent in noted.unwrap_or_default() {
            let doubt = impossible(&mut self.content.system, &antecedent);
            self.doubts.push((position, doubt));
        }
        self.content.properties.push(property);
        // The store of terms has grown: what was made from it is made anew.
        self.just = OnceLock::new();
        self.workshops = Workshops::default();
        Ok(self.content.properties.len() - 1)
    }

    fn figures(&self) -> Statistics {
        let system = self.system();
        let inputs = system.input_variables().count() as u64;
        // The fewest bits that tell the values of a sort apart.
        let bits = |sort: &Sort| match sort.size() {
            Some(size) => u64::from(64 - size.saturating_sub(1).leading_zeros()),
            None => sort.bits(),
        };
        let states = system.state_variables();
        let state_bits = states
            .map(|id| bits(&system.variable(id).sort))
            .fold(0, u64::saturating_add);
        Statistics::default()
            .with("variables", system.variables().len() as u64)
            .with("inputs", inputs)
            .with("state_bits", state_bits)
    }

    fn settings(&self, options: &Options) -> Map<String, Json> {
        let dead_ends = check_options(options).map_or_else(|_| Default::default(), |known| known.dead_ends);
        Map::from_iter([("dead_ends".to_owned(), dead_ends_name(dead_ends).into())])
    }

    fn options_of(&self, document: &Json) -> Result<Options, ReadError> {
        let mut options = Options::default();
        let written = match document.get("dead_ends") {
            None | Some(Json::Null) => return Ok(options),
            Some(written) => written.as_str().and_then(dead_ends_named),
        };
        let known = written
            .ok_or("not saved evidence: at `dead_ends`: expected infinite, maximal, stutter or error")?;
        options.give("dead-ends", dead_ends_name(known));
        Ok(options)
    }

    fn schedule(&self, property: usize, options: &Options, racing: bool) -> Vec<Turn> {
        // A bound means something else to every engine: no race then.
        let racing = racing && !options.has("bound");
        asked_for(options)
            .or_else(|| Some(of_circuits(self.shape, racing)).filter(|_| self.content.compared.is_some()))
            .or_else(|| Some(schedule(self.property(property)?, self.shape, racing)))
            .unwrap_or_else(|| vec![Turn::alone("explicit", None, "there is no such property")])
    }

    fn open<'m>(&'m self, options: &'m Options, racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        let workshop = self.workshops.of(self, options, racing)?;
        Ok(Box::new(Sessions::new(self, workshop, options)))
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(SystemChecker::new(self, check_options(options)?)))
    }

    fn handover(&self) -> Handover {
        match &self.origin {
            Origin::Translated(text) => Handover::Text {
                language: Syntax::Verilog.name(),
                text: text.clone(),
            },
            Origin::Source | Origin::Aiger(_) => Handover::File,
        }
    }

    fn survey_wish(&self, options: &Options) -> SurveyWish {
        survey::wish(options)
    }

    fn survey(
        &self,
        options: &Options,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Option<Result<Survey, ModelError>> {
        survey::survey(self, options, budget, progress)
    }

    fn walk<'m>(&'m self, _: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        let walk = SystemWalk::new(self);
        Some(walk.map(|walk| Box::new(walk) as Box<dyn Walk>))
    }

    fn structure(&self, options: &Options, budget: &Budget) -> Option<Result<Structure, StructureError>> {
        Some(structure::of_model(self, options, budget))
    }

    fn formats(&self) -> &'static [&'static str] {
        write::EXTENSIONS
    }

    fn write(&self, extension: &str, _: &Options) -> Option<Result<Converted, String>> {
        write::write(self, extension)
    }

    fn coverage(
        &self,
        answers: &[(usize, &Answer)],
        most_states: usize,
        budget: &Budget,
    ) -> Option<Coverage> {
        let proofs = needed::proofs(self, answers);
        Some(Coverage {
            proofs,
            ..coverage::coverage(self, most_states, budget)
        })
    }

    fn graph(&self, most_states: usize, budget: &Budget) -> Option<Result<Graph, String>> {
        Some(state_graph(self.system(), most_states, budget))
    }
}
