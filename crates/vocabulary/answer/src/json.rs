//! Answers as JSON: the keys that reports, saved evidence and races have in common.
//!
//! A value is an object, `{"exact": "1/6"}` or `{"lower": x, "upper": y}` with bounds rounded outwards and the rationals themselves
//! beside them, the points of a Pareto front, `{"points": [["1/2", "0"], ["0", "3"]]}`, or the text `"infinity"` or `"undefined"`.

use crate::{Answer, Figure, Guarantee, Quantity, Rational, Statistics, Verdict, Warning, WarningKind};
use serde_json::{Map, Value as Json, json};
use std::str::FromStr;

impl<E> Answer<E> {
    /// Everything but the evidence.
    pub fn to_json(&self) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("verdict".into(), self.verdict.name().into());
        map.insert("guarantee".into(), self.guarantee.name().into());
        for (name, figure) in self.guarantee.figures() {
            map.insert(name.into(), json!(figure));
        }
        if let Some(value) = &self.value {
            map.insert("value".into(), value.to_json());
        }
        map.insert("reason".into(), self.reason.clone().into());
        let texts: Vec<&str> = self
            .warnings
            .iter()
            .map(|warning| warning.text.as_str())
            .collect();
        map.insert("warnings".into(), texts.into());
        let kinds: Vec<WarningKind> = self.warnings.iter().map(|warning| warning.kind).collect();
        if !kinds.is_empty() {
            map.insert("warning_kinds".into(), json!(kinds));
        }
        map.insert("statistics".into(), self.statistics.to_json());
        if !self.rounds.is_empty() {
            map.insert("rounds".into(), json!(self.rounds));
        }
        map
    }

    /// Reads what [`Answer::to_json`] wrote; the evidence is given.
    pub fn from_json(json: &Json, evidence: Option<E>) -> Result<Answer<E>, String> {
        let text = |key: &str| json[key].as_str();
        let verdict = text("verdict").and_then(Verdict::named);
        let guarantee = text("guarantee").and_then(|name| Guarantee::named(name, |key| json[key].as_f64()));
        let texts = json["warnings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_str);
        let kind = |position: usize| {
            let kind = json["warning_kinds"].get(position).cloned();
            kind.and_then(|kind| serde_json::from_value(kind).ok())
                .unwrap_or(WarningKind::Other)
        };
        Ok(Answer {
            verdict: verdict.ok_or("`verdict`: expected holds, fails or unknown")?,
            guarantee: guarantee.ok_or("`guarantee`: expected complete, bounded, partial, statistical or approximate, with its figures")?,
            value: match &json["value"] {
                Json::Null => None,
                value => Some(Quantity::from_json(value).ok_or("`value`: expected a quantity")?),
            },
            reason: text("reason").map(String::from),
            warnings: texts.enumerate().map(|(at, text)| Warning::new(kind(at), text)).collect(),
            statistics: Statistics::from_json(&json["statistics"]),
            rounds: serde_json::from_value(json["rounds"].clone()).unwrap_or_default(),
            evidence,
        })
    }
}

impl Quantity {
    /// The value as reports and saved evidence have it.
    pub fn to_json(&self) -> Json {
        match self {
            Quantity::Exact(number) => json!({"exact": number.to_string()}),
            Quantity::Between(lower, upper) => {
                let (low, high) = (lower.to_f64().value(), upper.to_f64().value());
                let low = if Rational::try_from(low).is_ok_and(|near| near > *lower) {
                    low.next_down()
                } else {
                    low
                };
                let high = if Rational::try_from(high).is_ok_and(|near| near < *upper) {
                    high.next_up()
                } else {
                    high
                };
                json!({"lower": low, "upper": high, "exact_lower": lower.to_string(), "exact_upper": upper.to_string()})
            }
            Quantity::Points(points) => {
                let written = |point: &Vec<Rational>| point.iter().map(ToString::to_string).collect::<Json>();
                json!({"points": points.iter().map(written).collect::<Vec<Json>>()})
            }
            Quantity::Infinite | Quantity::Undefined => self.to_string().into(),
        }
    }

    /// Reads what [`Quantity::to_json`] wrote.
    pub fn from_json(json: &Json) -> Option<Quantity> {
        let number = |key: &str| Rational::from_str(json[key].as_str()?).ok();
        match json {
            Json::String(text) => text.parse().ok(),
            Json::Object(map) if map.contains_key("points") => {
                let number = |json: &Json| Rational::from_str(json.as_str()?).ok();
                let point = |json: &Json| json.as_array()?.iter().map(number).collect();
                Some(Quantity::Points(
                    json["points"]
                        .as_array()?
                        .iter()
                        .map(point)
                        .collect::<Option<_>>()?,
                ))
            }
            Json::Object(_) => match number("exact") {
                Some(number) => Some(Quantity::Exact(number)),
                None => Some(Quantity::Between(number("exact_lower")?, number("exact_upper")?)),
            },
            _ => None,
        }
    }
}

impl Statistics {
    /// The counters by name.
    pub fn to_json(&self) -> Json {
        let counters = self.iter().map(|(name, figure)| (name.to_owned(), json!(figure)));
        Json::Object(counters.collect())
    }

    /// Reads what [`Statistics::to_json`] wrote; what is no counter is left out.
    pub fn from_json(json: &Json) -> Statistics {
        let mut statistics = Statistics::default();
        for (name, value) in json.as_object().into_iter().flatten() {
            if let Ok(figure) = serde_json::from_value::<Figure>(value.clone()) {
                statistics.set(name.clone(), figure);
            }
        }
        statistics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn third() -> Rational {
        Rational::from_str("1/3").expect("a fraction")
    }

    #[test]
    fn an_answer_comes_back_as_it_was_written() {
        let mut answer: Answer<()> = Answer::complete(Verdict::Holds, ());
        answer.guarantee = Guarantee::Statistical {
            confidence: 0.99,
            error: Some(0.01),
        };
        answer.value = Some(Quantity::Between(third(), Rational::ONE));
        answer
            .warnings
            .push(Warning::new(WarningKind::Vacuous, "never asked"));
        answer.statistics.set("states", Figure::Count(7));
        answer.statistics.set("storage", Figure::Text("tree".into()));
        let json = Json::Object(answer.to_json());
        let read = Answer::from_json(&json, Some(())).expect("it was written so");
        assert_eq!(Json::Object(read.to_json()), json);
        assert_eq!(read.value, answer.value);
        assert_eq!(read.warnings, answer.warnings);
    }

    #[test]
    fn points_of_a_front_come_back_as_they_were_written() {
        let front = Quantity::Points(vec![vec![third(), Rational::ZERO], vec![Rational::ZERO, third()]]);
        assert_eq!(front.to_string(), "(1/3, 0), (0, 1/3)");
        assert_eq!(Quantity::from_json(&front.to_json()), Some(front));
        assert_eq!(Quantity::from_json(&json!({"points": [["1/3", 0]]})), None);
    }

    #[test]
    fn bounds_are_rounded_outwards() {
        let json = Quantity::Between(third(), third()).to_json();
        let exactly = |key: &str| Rational::try_from(json[key].as_f64().expect("a number")).expect("finite");
        assert!(exactly("lower") <= third() && third() <= exactly("upper"));
    }
}
