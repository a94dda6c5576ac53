//! Values that are chosen (`nondet-selection`): `trc(any i with l ≤ i ≤ u)` is a choice among whole numbers, and an edge that has it is one command for each of them.
//!
//! What is chosen is a real number, of which only the whole part is seen; with constant bounds that are not negative these are finitely many. Other selections are refused. A
//! choice that is made after random outcomes may differ from outcome to outcome, so that there is a command for each way to choose everywhere.

use crate::edges::{Assigned, Part};
use crate::json::{Json, Node, Read};
use crate::scope::Local;
use crate::variables::Lowering;
use entail_markov::{Command, Network, Rational};
use std::collections::HashMap;

/// Commands that one edge may become.
const MOST: usize = 10_000;

/// What is chosen, by the place of the selection in the text.
pub(crate) type Chosen = HashMap<usize, i64>;

/// An end of what may be chosen.
struct End {
    value: Rational,
    strict: bool,
}

impl Lowering<'_> {
    /// Appends the commands of edges that are taken together: one, or one for each way to choose values.
    pub fn commands(
        &self,
        parts: &[Part<'_>],
        network: &mut Network,
        component: usize,
        commands: &mut Vec<Command>,
        assigned: &mut Vec<Assigned>,
    ) -> Read<()> {
        let mut ways = vec![Chosen::new()];
        for part in parts {
            for (selection, values) in self.selections(part)? {
                if !self.kind.has_choices() || parts.iter().any(|part| part.edge.get("rate").is_some()) {
                    return Err(selection.refused("values that are chosen where there are no choices are"));
                }
                ways = (ways.iter())
                    .flat_map(|way| {
                        values.clone().map(|value| {
                            let mut way = way.clone();
                            way.insert(selection.span.start, value);
                            way
                        })
                    })
                    .take(MOST + 1)
                    .collect();
                if ways.len() > MOST {
                    return Err(selection.refused("choices among so many values are"));
                }
            }
        }
        for way in ways {
            self.scope.chosen.replace(way);
            let command = self.edge(parts, network, (component, commands.len()), assigned);
            self.scope.chosen.take();
            commands.push(command?);
        }
        Ok(())
    }

    /// The selections in an edge's assignments, with the whole numbers that each may give.
    fn selections<'e>(&self, part: &Part<'e>) -> Read<Vec<(&'e Json, std::ops::RangeInclusive<i64>)>> {
        let mut found = Vec::new();
        for destination in part.edge.need("destinations")?.list()? {
            let mut waiting: Vec<&Json> = destination.elements("assignments")?.iter().collect();
            while let Some(json) = waiting.pop() {
                let is = |json: &Json, op: &str| {
                    json.get("op")
                        .is_some_and(|own| own.text().is_ok_and(|own| own == op))
                };
                if is(json, "trc")
                    && let Some(selection) = json.get("exp").filter(|inner| is(inner, "nondet"))
                {
                    found.push((selection, self.whole_numbers(selection, part.local)?));
                    continue;
                }
                match &json.node {
                    Node::Object(members) => waiting.extend(members.iter().map(|(_, value)| value)),
                    Node::List(elements) => waiting.extend(elements),
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// The whole parts of the numbers that fulfil a selection's condition.
    fn whole_numbers(&self, selection: &Json, local: &Local) -> Read<std::ops::RangeInclusive<i64>> {
        let unknown = || selection.refused("choices but among numbers between two constants from 0 on are");
        let name = selection.need("var")?.text()?;
        let (mut low, mut high): (Option<End>, Option<End>) = (None, None);
        let mut waiting = vec![selection.need("exp")?];
        while let Some(condition) = waiting.pop() {
            let (op, left, right) = (
                condition.need("op")?.text()?,
                condition.need("left")?,
                condition.need("right")?,
            );
            let is_variable = |json: &Json| json.text().is_ok_and(|text| text == name);
            let (bound, from_below) = match op {
                "∧" => {
                    waiting.extend([left, right]);
                    continue;
                }
                "≤" | "<" if is_variable(right) => (left, true),
                "≤" | "<" if is_variable(left) => (right, false),
                "≥" | ">" if is_variable(left) => (right, true),
                "≥" | ">" if is_variable(right) => (left, false),
                _ => return Err(unknown()),
            };
            let end = if from_below { &mut low } else { &mut high };
            let value = self.scope.constant(bound, local)?.number().ok_or_else(unknown)?;
            let strict = matches!(op, "<" | ">");
            // One bound for each side is enough for everybody.
            if end.replace(End { value, strict }).is_some() {
                return Err(unknown());
            }
        }
        let (Some(low), Some(high)) = (low, high) else {
            return Err(unknown());
        };
        if low.value < Rational::ZERO {
            return Err(unknown());
        }
        if low.value > high.value || (low.value == high.value && (low.strict || high.strict)) {
            return Err(selection.wrong("a condition that some number fulfils"));
        }
        // Just below a whole number the whole part is one less.
        let last = match high.strict && high.value.is_int() {
            true => high.value.floor() - 1,
            false => high.value.floor(),
        };
        let whole = |number| i64::try_from(number).map_err(|_| unknown());
        Ok(whole(low.value.floor())?..=whole(last)?)
    }
}
