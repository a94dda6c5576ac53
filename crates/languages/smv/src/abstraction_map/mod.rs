//! Abstraction maps: what a user wants to see of a model's states.
//!
//! ```text
//! -- comments are SMV's
//! visible flag, p.turn;              -- variables (or defines, or arrays) as they are
//! hidden scratch;                    -- all other variables are visible
//! predicate x < y;                   -- a condition on states
//! predicate small := x < 4;          -- under a name
//! map x { negative: x < 0; zero: x = 0; positive: x > 0; }
//! map x by sign;                     -- negative, zero, positive
//! map x by parity;                   -- even, odd
//! map x by modulo 4;                 -- the remainder, from 0
//! map x by ranges 0..3, 4..9;
//! map level := x by sign;            -- under a name
//! mode may;                          -- or must, or three-valued (the default)
//! relation approximated;             -- or exact (the default)
//! states reachable;                  -- or all (the default)
//! split one;                         -- or all (the default): how far refinement splits
//! ```
//!
//! Conditions are SMV expressions over the model's names, without inputs and next values. Whether the classes of a map cover all values
//! and do not overlap is for a decision procedure to say; [`DataMap`] has what it needs.

mod data_map;
mod statement;

use crate::scope::Scope;
use entail_logic::Logic;
use entail_logic::Question;
use entail_model::{Abstraction, Observation, TermId, TransitionSystem, VarKind};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use statement::{Statement, statements};
use std::sync::Arc;

/// An abstraction that a user has written.
#[derive(Clone, Debug, Default)]
pub struct AbstractionMap {
    /// What is observed.
    pub abstraction: Abstraction,
    /// The maps among it whose classes were written out.
    pub data_maps: Vec<DataMap>,
    /// `mode`: `may`, `must` or `three-valued`.
    pub mode: Option<MapMode>,
    /// `relation approximated`.
    pub approximated: bool,
    /// `states reachable`.
    pub reachable: bool,
    /// `split one`.
    pub split_one: bool,
}

/// Which verdicts are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapMode {
    /// Only steps that may be there.
    May,
    /// Only steps that must be there.
    Must,
    /// Both, with three truth values.
    ThreeValued,
}

/// A map from values to classes. Every state must be in just one class.
#[derive(Clone, Debug)]
pub struct DataMap {
    /// What is mapped, as written.
    pub name: String,
    /// Where it is written.
    pub span: Span,
    /// The classes in order.
    pub classes: Vec<MapClass>,
}

/// A class of a map.
#[derive(Clone, Debug)]
pub struct MapClass {
    /// Its name.
    pub name: String,
    /// The states in it.
    pub condition: TermId,
    /// Where it is written.
    pub span: Span,
}

/// Reads an abstraction map for a system whose names are those of the scope.
pub fn read_abstraction_map(
    source: &Source,
    scope: &mut Scope,
    system: &mut TransitionSystem,
) -> Result<AbstractionMap, Diagnostics> {
    let mut reader = Reader {
        scope,
        system,
        map: AbstractionMap::default(),
        diagnostics: Vec::new(),
        hidden: None,
    };
    let text = statement::without_comments(source.text());
    for statement in statements(&text, &mut reader.diagnostics) {
        reader.statement(&statement);
    }
    reader.show_all_but_hidden();
    match reader.diagnostics.is_empty() {
        true => Ok(reader.map),
        false => Err(Diagnostics(reader.diagnostics).within(source.text())),
    }
}

struct Reader<'r> {
    scope: &'r mut Scope,
    system: &'r mut TransitionSystem,
    map: AbstractionMap,
    diagnostics: Vec<Diagnostic>,
    /// The variables of `hidden`, once there is such a line.
    hidden: Option<Vec<Arc<str>>>,
}

impl Reader<'_> {
    fn error(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: &str,
    ) -> &mut Diagnostic {
        self.diagnostics
            .push(Diagnostic::error(code, message, span, label));
        let last = self.diagnostics.len() - 1;
        &mut self.diagnostics[last]
    }

    fn statement(&mut self, statement: &Statement<'_>) {
        match statement.keyword {
            "visible" => {
                for (name, span) in statement.list(',') {
                    for (name, term) in self.named(name, span) {
                        self.observe(name, term);
                    }
                }
            }
            "hidden" => {
                for (name, span) in statement.list(',') {
                    let found: Vec<Arc<str>> =
                        self.named(name, span).into_iter().map(|(name, _)| name).collect();
                    self.hidden.get_or_insert_default().extend(found);
                }
            }
            "predicate" => {
                let (name, condition, span) = statement.definition();
                if let Some(term) = self.condition(condition, span) {
                    self.observe(Arc::from(name.unwrap_or(condition)), term);
                }
            }
            "map" => self.data_map(statement),
            "mode" => {
                let modes = [
                    ("may", MapMode::May),
                    ("must", MapMode::Must),
                    ("three-valued", MapMode::ThreeValued),
                ];
                self.map.mode = self.choice(statement, &modes).or(self.map.mode);
            }
            "relation" => {
                let relations = [("exact", false), ("approximated", true)];
                self.map.approximated = self.choice(statement, &relations).unwrap_or_default();
            }
            "states" => {
                let states = [("all", false), ("reachable", true)];
                self.map.reachable = self.choice(statement, &states).unwrap_or_default();
            }
            "split" => {
                let splits = [("all", false), ("one", true)];
                self.map.split_one = self.choice(statement, &splits).unwrap_or_default();
            }
            other => {
                let message = format!("`{other}` begins no declaration of an abstraction map");
                let help = "there are: visible, hidden, predicate, map, mode, relation, states, split";
                self.error("abs::keyword", message, statement.keyword_span, "not known")
                    .help = Some(help.into());
            }
        }
    }

    fn observe(&mut self, name: Arc<str>, term: TermId) {
        self.map.abstraction.add(Observation { name, term });
    }

    /// One of a few words.
    fn choice<T: Copy>(&mut self, statement: &Statement<'_>, choices: &[(&str, T)]) -> Option<T> {
        let (word, span) = statement.body();
        if let Some((_, chosen)) = choices.iter().find(|(name, _)| *name == word) {
            return Some(*chosen);
        }
        let known: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let message = format!("`{word}` is no {} of an abstraction map", statement.keyword);
        self.error("abs::choice", message, span, "not known").help =
            Some(format!("there are: {}", known.join(", ")));
        None
    }

    /// A variable or define of this name, or all elements of an array.
    fn named(&mut self, name: &str, span: Span) -> Vec<(Arc<str>, TermId)> {
        let elements = |owner: &str| {
            owner == name
                || owner
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('[') && !name.is_empty())
        };
        let variables: Vec<_> = (self.system.variable_ids())
            .filter(|&id| elements(&self.system.variable(id).name))
            .collect();
        let mut found: Vec<(Arc<str>, TermId)> = Vec::new();
        for id in variables {
            let variable = self.system.variable(id).clone();
            if variable.kind == VarKind::Input {
                let message = format!("`{}` is an input, which has no value in a state", variable.name);
                self.error("abs::input", message, span, "an input").help =
                    Some("what is observed of a state are its state variables and conditions on them".into());
                return Vec::new();
            }
            found.push((variable.name, self.system.current(id)));
        }
        if found.is_empty() {
            let define = self.system.defines.iter().find(|define| *define.name == *name);
            if let Some(define) = define.cloned() {
                if self.is_about_states(define.term, span) {
                    found.push((define.name, define.term));
                }
                return found;
            }
            let known: Vec<&str> = (self.system.variables().iter())
                .filter(|variable| variable.kind != VarKind::Input)
                .map(|variable| &*variable.name)
                .take(12)
                .collect();
            let help = match known.len() {
                12 => format!("some of its variables: {}", known.join(", ")),
                _ => format!("its variables: {}", known.join(", ")),
            };
            let message = match name {
                "" => "a name is expected here".to_owned(),
                _ => format!("the model has no variable or define `{name}`"),
            };
            self.error("abs::undefined", message, span, "not known").help = Some(help);
        }
        found
    }

    /// A condition on states.
    fn condition(&mut self, text: &str, span: Span) -> Option<TermId> {
        if text.is_empty() {
            self.error("abs::condition", "a condition is expected here", span, "nothing");
            return None;
        }
        match self.scope.parse_property(self.system, text, Logic::Invariant) {
            Ok(property) => {
                let Question::Invariant(term) = property.question else {
                    return None;
                };
                self.is_about_states(term, span).then_some(term)
            }
            Err(diagnostics) => {
                for mut diagnostic in diagnostics.0 {
                    for label in &mut diagnostic.labels {
                        label.span = Span::new(label.span.start + span.start, label.span.end + span.start);
                    }
                    self.diagnostics.push(diagnostic);
                }
                None
            }
        }
    }

    fn is_about_states(&mut self, term: TermId, span: Span) -> bool {
        let alone = Abstraction::new([Observation {
            name: "this".into(),
            term,
        }]);
        match alone.check(self.system) {
            Ok(()) => true,
            Err(problem) => {
                let help =
                    "an abstract state stands for states: use state variables and their current values only";
                self.error("abs::not-a-state", problem.to_string(), span, "not about a state")
                    .help = Some(help.into());
                false
            }
        }
    }

    /// What `hidden` leaves.
    fn show_all_but_hidden(&mut self) {
        let Some(hidden) = self.hidden.take() else {
            return;
        };
        let visible: Vec<_> = (self.system.state_variables())
            .filter(|&id| !hidden.contains(&self.system.variable(id).name))
            .collect();
        for id in visible {
            let name = self.system.variable(id).name.clone();
            let term = self.system.current(id);
            self.observe(name, term);
        }
    }
}
