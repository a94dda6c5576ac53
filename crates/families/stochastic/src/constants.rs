//! Values for constants, as users give them: `--const N=3,p=0.5`, and ranges for experiments: `--const N=1:5,T=0:10:100`.

use entail_family::{Options, Usage};
use entail_markov::{Rational, Value};
use entail_prism::{Constants, constant_value};

/// More combinations of values than this are a slip of the pen.
const MOST: usize = 10_000;

/// The values that one constant takes.
pub(crate) struct Given {
    pub name: String,
    pub values: Vec<Value>,
}

/// The constants that the options give, each with its values in the order in which they are tried.
pub(crate) fn given(options: &Options) -> Result<Vec<Given>, Usage> {
    let mut constants: Vec<Given> = Vec::new();
    for part in options.parts("const") {
        let Some((name, text)) = part.split_once('=') else {
            return Err(Usage(format!(
                "--const {part}: NAME=VALUE is needed, such as N=3"
            )));
        };
        let name = name.trim().to_owned();
        let values = values(text).map_err(|problem| Usage(format!("--const {part}: {problem}")))?;
        if constants.iter().any(|known| known.name == name) {
            return Err(Usage(format!("--const gives {name} twice")));
        }
        constants.push(Given { name, values });
    }
    Ok(constants)
}

fn values(text: &str) -> Result<Vec<Value>, String> {
    let one = |text: &str| {
        constant_value(text).ok_or_else(|| {
            format!("`{text}` is no value; give true, false, 3, 0.5, 1/3 or a range such as 1:5")
        })
    };
    let parts: Vec<&str> = text.split(':').collect();
    let (low, step, high) = match parts[..] {
        [value] => return Ok(vec![one(value)?]),
        [low, high] => (one(low)?, Value::Int(1), one(high)?),
        [low, step, high] => (one(low)?, one(step)?, one(high)?),
        _ => return Err("a range is LOW:HIGH or LOW:STEP:HIGH".to_owned()),
    };
    let whole = [&low, &step, &high]
        .iter()
        .all(|value| matches!(value, Value::Int(_)));
    let (Some(mut at), Some(step), Some(high)) = (low.number(), step.number(), high.number()) else {
        return Err("a range is of numbers".to_owned());
    };
    if step <= Rational::ZERO || at > high {
        return Err("a range goes upwards, in positive steps".to_owned());
    }
    let mut found = Vec::new();
    while at <= high {
        if found.len() >= MOST {
            return Err(format!("a range of more than {MOST} values"));
        }
        found.push(match i64::try_from(at.clone()) {
            Ok(number) if whole => Value::Int(number),
            _ => Value::Real(at.clone()),
        });
        at += &step;
    }
    Ok(found)
}

/// All combinations of values; constants with one value are part of each.
pub(crate) fn combinations(given: &[Given]) -> Result<Vec<Constants>, Usage> {
    let mut found = vec![Constants::new()];
    for constant in given {
        if found.len().saturating_mul(constant.values.len()) > MOST {
            return Err(Usage(format!("--const: more than {MOST} combinations of values")));
        }
        let with = |known: &Constants| {
            let known = known.clone();
            constant.values.iter().map(move |value| {
                let mut constants = known.clone();
                constants.insert(constant.name.clone(), value.clone());
                constants
            })
        };
        found = found.iter().flat_map(with).collect();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_listed_with_both_ends_and_never_with_rounding() {
        let shown = |text: &str| -> Vec<String> {
            let values = values(text).expect("a range");
            values.iter().map(ToString::to_string).collect()
        };
        assert_eq!(shown("1:3"), ["1", "2", "3"]);
        assert_eq!(shown("0:10:30"), ["0", "10", "20", "30"]);
        assert_eq!(shown("0.1:0.1:0.3"), ["1/10", "1/5", "3/10"]);
        assert_eq!(shown("0:2:5"), ["0", "2", "4"]);
        for wrong in [
            "3:1",
            "1:0:3",
            "1:-1:3",
            "a:b",
            "1:2:3:4",
            "true:false",
            "",
            "1:",
            "0:1:99999999",
        ] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_value_meets_every_other() {
        let given = [
            Given {
                name: "N".into(),
                values: values("1:2").expect("a range"),
            },
            Given {
                name: "T".into(),
                values: values("0:5:10").expect("a range"),
            },
        ];
        assert_eq!(combinations(&given).expect("few").len(), 6);
    }
}
