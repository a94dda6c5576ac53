//! MCMT, the input language of Sally: state types, state formulas, transitions, systems, queries.
//!
//! A system's variables are those of its state type; a formula names them `x`, in transitions also `state.x`, `next.x`, `input.x`, and
//! `x'` as the lsal extension has it. `assume` restricts the states of a system: initial states, and both ends of every step.

use crate::{Meaning, Problem, Scope, Script, System, read_sort, read_term};
use entail_first_order::sexpr::{Reader, Sexpr};
use entail_first_order::{Claim, FirstOrderProperty, FirstOrderSystem, SortId, StateVariable, TermId};
use rustc_hash::FxHashMap;

struct StateType {
    variables: Vec<StateVariable>,
    inputs: Vec<(String, TermId)>,
}

struct Reading {
    script: Script,
    types: FxHashMap<String, StateType>,
    /// Named formulas over states and over steps, by name, with their state type.
    states: FxHashMap<String, (String, TermId)>,
    steps: FxHashMap<String, (String, TermId)>,
    systems: FxHashMap<String, (String, TermId, TermId)>,
    queries: Vec<(String, TermId, (usize, usize))>,
}

/// Reads an MCMT file. All queries must be about one system.
pub fn read_mcmt(text: &str) -> Result<System, Problem> {
    let mut reading = Reading {
        script: Script::new(),
        types: FxHashMap::default(),
        states: FxHashMap::default(),
        steps: FxHashMap::default(),
        systems: FxHashMap::default(),
        queries: Vec::new(),
    };
    for command in Reader::new(text).all()? {
        reading.command(&command)?;
    }
    reading.finish(text)
}

fn name_of(text: &Sexpr) -> Result<&str, Problem> {
    text.symbol()
        .ok_or_else(|| Problem::at(text, "a name is needed here"))
}

impl Reading {
    fn command(&mut self, command: &Sexpr) -> Result<(), Problem> {
        let items = command.list().unwrap_or_default();
        let Some(name) = items.first().and_then(Sexpr::symbol) else {
            return Err(Problem::at(
                command,
                "a command is a list that begins with its name",
            ));
        };
        match (name, &items[1..]) {
            ("define-state-type", [name, variables, inputs @ ..]) if inputs.len() <= 1 => {
                self.state_type(name_of(name)?, variables, inputs.first())
            }
            ("define-states", [name, kind, formula]) => {
                let kind = self.known_type(kind)?;
                let term = self.formula(&kind, formula, false)?;
                self.states.insert(name_of(name)?.to_owned(), (kind, term));
                Ok(())
            }
            ("define-transition", [name, kind, formula]) => {
                let kind = self.known_type(kind)?;
                let term = self.formula(&kind, formula, true)?;
                self.steps.insert(name_of(name)?.to_owned(), (kind, term));
                Ok(())
            }
            ("define-transition-system", [name, kind, init, step]) => {
                let kind = self.known_type(kind)?;
                let init = self.formula(&kind, init, false)?;
                let step = self.formula(&kind, step, true)?;
                self.systems.insert(name_of(name)?.to_owned(), (kind, init, step));
                Ok(())
            }
            ("define-constant", [name, value]) => {
                let term = read_term(&mut self.script.terms, &mut self.script.scope, value)?;
                self.script
                    .scope
                    .define(name_of(name)?, Meaning::Macro(Vec::new(), term));
                Ok(())
            }
            ("assume" | "assume-input", [system, formula]) => self.assume(system, formula, name == "assume"),
            ("query", [system, formula]) => {
                let kind = self.system_type(system)?;
                let term = self.formula(&kind, formula, false)?;
                let place = (formula.start, formula.end);
                self.queries.push((name_of(system)?.to_owned(), term, place));
                Ok(())
            }
            ("set-info" | "set-option" | "set-logic", _) => Ok(()),
            _ => Err(Problem::at(
                command,
                format!("there is no command `{name}` with these arguments"),
            )),
        }
    }

    fn known_type(&self, name: &Sexpr) -> Result<String, Problem> {
        let title = name_of(name)?;
        match self.types.contains_key(title) {
            true => Ok(title.to_owned()),
            false => Err(Problem::at(name, format!("there is no state type `{title}`"))),
        }
    }

    fn system_type(&self, name: &Sexpr) -> Result<String, Problem> {
        let title = name_of(name)?;
        match self.systems.get(title) {
            Some((kind, _, _)) => Ok(kind.clone()),
            None => Err(Problem::at(
                name,
                format!("there is no transition system `{title}`"),
            )),
        }
    }

    fn fields(&mut self, list: &Sexpr) -> Result<Vec<(String, SortId)>, Problem> {
        let mut fields = Vec::new();
        for field in list.list().unwrap_or_default() {
            match field.list() {
                Some([name, sort]) => {
                    let sort = read_sort(&mut self.script.terms, &self.script.scope, sort)?;
                    fields.push((name_of(name)?.to_owned(), sort));
                }
                _ => return Err(Problem::at(field, "a variable is a name and a sort")),
            }
        }
        Ok(fields)
    }

    fn state_type(&mut self, name: &str, variables: &Sexpr, inputs: Option<&Sexpr>) -> Result<(), Problem> {
        let fields = self.fields(variables)?;
        let input_fields = inputs.map_or(Ok(Vec::new()), |inputs| self.fields(inputs))?;
        let terms = &mut self.script.terms;
        let variables = fields.into_iter().map(|(name, sort)| StateVariable {
            current: terms.constant(&name, sort),
            next: terms.constant(&format!("next.{name}"), sort),
            name,
        });
        let variables = variables.collect();
        let inputs = input_fields.into_iter().map(|(name, sort)| {
            let constant = terms.constant(&format!("input.{name}"), sort);
            (name, constant)
        });
        let inputs = inputs.collect();
        self.types
            .insert(name.to_owned(), StateType { variables, inputs });
        Ok(())
    }

    fn in_next_state(&mut self, kind: &str, formula: TermId) -> TermId {
        let variables = &self.types[kind].variables;
        let mut map = variables
            .iter()
            .map(|variable| (variable.current, variable.next))
            .collect();
        self.script.terms.substitute(&[formula], &mut map)[0]
    }

    /// A formula over a state type, about steps or about states.
    fn formula(&mut self, kind: &str, text: &Sexpr, is_step: bool) -> Result<TermId, Problem> {
        let named: Vec<(String, TermId)> = (self.states.iter())
            .filter(|(_, (of, _))| of == kind)
            .map(|(name, (_, term))| (name.clone(), *term))
            .collect();
        let mut names: Vec<(String, TermId)> = Vec::new();
        for (name, term) in named {
            if is_step {
                let next = self.in_next_state(kind, term);
                names.push((format!("next.{name}"), next));
                names.push((format!("{name}'"), next));
                names.push((format!("state.{name}"), term));
            }
            names.push((name, term));
        }
        for variable in &self.types[kind].variables {
            names.push((variable.name.clone(), variable.current));
            names.push((format!("state.{}", variable.name), variable.current));
            if is_step {
                names.push((format!("next.{}", variable.name), variable.next));
                names.push((format!("{}'", variable.name), variable.next));
            }
        }
        for (name, constant) in &self.types[kind].inputs {
            names.push((format!("input.{name}"), *constant));
        }
        if is_step {
            let steps = self.steps.iter().filter(|(_, (of, _))| of == kind);
            names.extend(steps.map(|(name, (_, term))| (name.clone(), *term)));
        }
        let scope: &mut Scope = &mut self.script.scope;
        let mark = scope.mark();
        for (name, term) in names {
            scope.define_local(&name, term);
        }
        let read = read_term(&mut self.script.terms, scope, text);
        scope.forget_to(mark);
        let term = read?;
        match self.script.terms.sort_of(term) {
            SortId::BOOL => Ok(term),
            _ => Err(Problem::at(text, "a formula is needed here")),
        }
    }

    fn assume(&mut self, system: &Sexpr, formula: &Sexpr, is_state: bool) -> Result<(), Problem> {
        let kind = self.system_type(system)?;
        let term = self.formula(&kind, formula, false)?;
        let next = self.in_next_state(&kind, term);
        let title = name_of(system)?.to_owned();
        if let Some((_, init, step)) = self.systems.get(&title).cloned() {
            let terms = &mut self.script.terms;
            let init = if is_state { terms.and(&[init, term]) } else { init };
            let step = if is_state {
                terms.and(&[step, term, next])
            } else {
                terms.and(&[step, term])
            };
            self.systems.insert(title, (kind, init, step));
        }
        Ok(())
    }

    fn finish(mut self, text: &str) -> Result<System, Problem> {
        let end = (text.len().saturating_sub(1), text.len());
        let problem = |message: &str| Problem {
            message: message.into(),
            help: None,
            place: end,
        };
        let name = match self.queries.first() {
            Some((system, _, _)) => system.clone(),
            None => match self.systems.keys().next() {
                Some(only) => only.clone(),
                None => return Err(problem("there is no transition system")),
            },
        };
        if let Some((_, _, place)) = self.queries.iter().find(|(system, _, _)| *system != name) {
            return Err(Problem {
                message: "queries about several systems in one file are not supported".into(),
                help: Some("split the file".into()),
                place: *place,
            });
        }
        let (kind, init, transition) = self
            .systems
            .remove(&name)
            .ok_or_else(|| problem("there is no such system"))?;
        let Some(StateType { variables, inputs }) = self.types.remove(&kind) else {
            return Err(problem("there is no such state type"));
        };
        for variable in &variables {
            self.script
                .scope
                .define(&variable.name, Meaning::Macro(Vec::new(), variable.current));
        }
        let properties = self
            .queries
            .iter()
            .enumerate()
            .map(|(index, (_, invariant, place))| FirstOrderProperty {
                name: Some(format!("query_{index}")),
                text: text.get(place.0..place.1).unwrap_or_default().to_owned(),
                place: *place,
                claim: Claim::Invariant(*invariant),
            });
        Ok(System {
            properties: properties.collect(),
            predicates: Vec::new(),
            warnings: Vec::new(),
            system: FirstOrderSystem {
                terms: std::mem::take(&mut self.script.terms),
                variables,
                inputs: inputs.into_iter().map(|(_, constant)| constant).collect(),
                init,
                transition,
                justice: Vec::new(),
                compassion: Vec::new(),
            },
            script: self.script,
        })
    }
}
