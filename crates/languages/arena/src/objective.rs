//! Objectives as they are written.

use crate::tokens::Tokens;
use entail_game::{Colours, Condition, Objective, Rational};
use entail_source::{Diagnostic, Span};

/// Parentheses may be nested so deep.
const DEEPEST: usize = 200;

const OBJECTIVES: &str = "objectives are reach, stay, conditions of inf, fin, buchi, cobuchi, rabin, streett, parity, min-parity, muller and gr1, or energy, mean-payoff >= q, discounted(l) >= q";

/// The colours of a game by their names, those that are written `!c` among them.
#[derive(Default)]
pub struct Palette {
    pub names: Vec<String>,
    /// The colours that are the absence of another.
    pub absences: Vec<(u32, u32)>,
}

impl Palette {
    /// The number of a colour, which is new if it was not known.
    pub fn colour(&mut self, name: &str, span: Span) -> Result<u32, Diagnostic> {
        if let Some(at) = self.names.iter().position(|known| known == name) {
            return Ok(at as u32);
        }
        if self.names.len() == Colours::MOST {
            let message = format!("a game has at most {} colours", Colours::MOST);
            return Err(Diagnostic::error("game::colours", message, span, "one too many"));
        }
        self.names.push(name.to_owned());
        Ok(self.names.len() as u32 - 1)
    }

    /// The colours that are written on vertices.
    fn plain(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.names.len() as u32).filter(|colour| self.absences.iter().all(|(own, _)| own != colour))
    }
}

/// Reads objectives.
pub struct Reader<'r, 't> {
    pub tokens: &'r mut Tokens<'t>,
    pub palette: &'r mut Palette,
    pub depth: usize,
}

type Read<T> = Result<T, Diagnostic>;

impl Reader<'_, '_> {
    pub fn objective(&mut self) -> Read<Objective> {
        match self.tokens.peek() {
            Some("reach") => Ok(Objective::Reach(self.one_colour()?)),
            Some("stay") => Ok(Objective::Stay(self.one_colour()?)),
            Some("energy") => {
                self.tokens.take("energy");
                Ok(Objective::Energy)
            }
            Some("mean-payoff") => {
                self.tokens.take("mean-payoff");
                self.tokens.expect(">=")?;
                Ok(Objective::MeanPayoff(self.number()?))
            }
            Some("discounted") => {
                self.tokens.take("discounted");
                self.tokens.expect("(")?;
                let span = self.tokens.here();
                let factor = self.number()?;
                if factor <= Rational::from(0u8) || factor >= Rational::from(1u8) {
                    let message = "the factor must be between 0 and 1, both excluded";
                    let problem = Diagnostic::error("game::factor", message, span, "here");
                    return Err(problem.with_help("write for example `discounted(9/10) >= 5`"));
                }
                self.tokens.expect(")")?;
                self.tokens.expect(">=")?;
                let at_least = self.number()?;
                Ok(Objective::Discounted { factor, at_least })
            }
            _ => Ok(Objective::Recurring(self.any()?)),
        }
    }

    fn one_colour(&mut self) -> Read<u32> {
        self.tokens.word("an objective")?;
        self.tokens.expect("(")?;
        let colour = self.colour()?;
        self.tokens.expect(")")?;
        Ok(colour)
    }

    /// A colour, or the absence of one.
    fn colour(&mut self) -> Read<u32> {
        let absent = self.tokens.take("!");
        let (span, name) = self.tokens.word("the name of a colour")?;
        let colour = self.palette.colour(name, span)?;
        if !absent {
            return Ok(colour);
        }
        let own = self.palette.colour(&format!("!{name}"), span)?;
        if !self.palette.absences.contains(&(own, colour)) {
            self.palette.absences.push((own, colour));
        }
        Ok(own)
    }

    /// A number like `-3`, `7/2` or `0.25`.
    fn number(&mut self) -> Read<Rational> {
        let negative = self.tokens.take("-");
        let (span, word) = self.tokens.word("a number")?;
        let no_number = || {
            Diagnostic::error("game::number", format!("`{word}` is no number"), span, "here")
                .with_help("numbers are written 3, -3, 7/2 or 0.25")
        };
        let mut number = decimal(word).ok_or_else(no_number)?;
        if self.tokens.take("/") {
            let (span, word) = self.tokens.word("a denominator")?;
            let below = decimal(word).filter(|below| *below != Rational::from(0u8));
            let wrong = || Diagnostic::error("game::number", "this is no denominator", span, "here");
            number /= below.ok_or_else(wrong)?;
        }
        Ok(if negative { -number } else { number })
    }

    fn any(&mut self) -> Read<Condition> {
        let mut parts = vec![self.all()?];
        while self.tokens.take("|") {
            parts.push(self.all()?);
        }
        Ok(joined(parts, Condition::Any))
    }

    fn all(&mut self) -> Read<Condition> {
        let mut parts = vec![self.single()?];
        while self.tokens.take("&") {
            parts.push(self.single()?);
        }
        Ok(joined(parts, Condition::All))
    }

    fn single(&mut self) -> Read<Condition> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("conditions are nested more than {DEEPEST} deep");
            return Err(Diagnostic::error(
                "game::nesting",
                message,
                self.tokens.here(),
                "here",
            ));
        }
        let condition = self.nested();
        self.depth -= 1;
        condition
    }

    fn nested(&mut self) -> Read<Condition> {
        if self.tokens.take("!") {
            return Ok(self.single()?.negated());
        }
        if self.tokens.take("(") {
            let condition = self.any()?;
            self.tokens.expect(")")?;
            return Ok(condition);
        }
        let (span, word) = self
            .tokens
            .word("an objective")
            .map_err(|problem| problem.with_help(OBJECTIVES))?;
        if let "true" | "false" = word {
            return Ok(Condition::Constant(word == "true"));
        }
        self.tokens
            .expect("(")
            .map_err(|problem| problem.with_help(OBJECTIVES))?;
        let condition = match word {
            "inf" => Condition::Infinitely(self.colour()?),
            "fin" => Condition::Finitely(self.colour()?),
            "buchi" => Condition::All(self.colours()?.into_iter().map(Condition::Infinitely).collect()),
            "cobuchi" => self.cobuchi(span)?,
            "rabin" => {
                let pairs = self.pairs()?;
                let pair = |(e, f)| Condition::All(vec![Condition::Finitely(e), Condition::Infinitely(f)]);
                Condition::Any(pairs.into_iter().map(pair).collect())
            }
            "streett" => {
                let pairs = self.pairs()?;
                let pair = |(e, f)| Condition::Any(vec![Condition::Infinitely(e), Condition::Finitely(f)]);
                Condition::All(pairs.into_iter().map(pair).collect())
            }
            "parity" => parity(self.colours()?.into_iter().enumerate().rev().collect()),
            "min-parity" => parity(self.colours()?.into_iter().enumerate().collect()),
            "muller" => self.muller()?,
            "gr1" => {
                let assumed = self.colours()?;
                self.tokens.expect("->")?;
                let wanted = self.colours()?.into_iter().map(Condition::Infinitely).collect();
                let mut parts: Vec<Condition> = assumed.into_iter().map(Condition::Finitely).collect();
                parts.push(Condition::All(wanted));
                Condition::Any(parts)
            }
            other => {
                let message = format!("there is no objective `{other}` here");
                return Err(Diagnostic::error("game::objective", message, span, "here").with_help(OBJECTIVES));
            }
        };
        self.tokens.expect(")")?;
        Ok(condition)
    }

    /// From some time on only this colour: its absence is seen finitely often.
    fn cobuchi(&mut self, place: Span) -> Read<Condition> {
        let colour = self.colour()?;
        if let Some(&(_, of)) = self.palette.absences.iter().find(|(own, _)| *own == colour) {
            return Ok(Condition::Finitely(of));
        }
        let name = format!("!{}", self.palette.names[colour as usize]);
        let own = self.palette.colour(&name, place)?;
        if !self.palette.absences.contains(&(own, colour)) {
            self.palette.absences.push((own, colour));
        }
        Ok(Condition::Finitely(own))
    }

    fn colours(&mut self) -> Read<Vec<u32>> {
        let mut colours = vec![self.colour()?];
        while self.tokens.take(",") {
            colours.push(self.colour()?);
        }
        Ok(colours)
    }

    fn pairs(&mut self) -> Read<Vec<(u32, u32)>> {
        let mut pairs = Vec::new();
        loop {
            self.tokens.expect("(")?;
            let first = self.colour()?;
            self.tokens.expect(",")?;
            let second = self.colour()?;
            self.tokens.expect(")")?;
            pairs.push((first, second));
            if !self.tokens.take(",") {
                return Ok(pairs);
            }
        }
    }

    /// Sets of colours; the others of the game are seen finitely often, so they must be known, and the objective comes last or its colours are all that matter.
    fn muller(&mut self) -> Read<Condition> {
        let mut sets: Vec<Vec<u32>> = Vec::new();
        loop {
            self.tokens.expect("{")?;
            let set = if self.tokens.peek() == Some("}") {
                Vec::new()
            } else {
                self.colours()?
            };
            self.tokens.expect("}")?;
            sets.push(set);
            if !self.tokens.take(",") {
                break;
            }
        }
        let every: Vec<u32> = self.palette.plain().collect();
        let exactly = |set: &Vec<u32>| {
            let wanted = set.iter().map(|&colour| Condition::Infinitely(colour));
            let others = every.iter().filter(|colour| !set.contains(colour));
            Condition::All(
                wanted
                    .chain(others.map(|&colour| Condition::Finitely(colour)))
                    .collect(),
            )
        };
        Ok(Condition::Any(sets.iter().map(exactly).collect()))
    }
}

fn joined(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}

/// The most important colour seen again and again, the list being in the order of importance, stands at an even place. None of them: as if the least important were an odd one below, so Odd wins.
fn parity(important: Vec<(usize, u32)>) -> Condition {
    important
        .into_iter()
        .rev()
        .fold(Condition::Constant(false), |below, (place, colour)| {
            match place % 2 {
                0 => Condition::Any(vec![Condition::Infinitely(colour), below]),
                _ => Condition::All(vec![Condition::Finitely(colour), below]),
            }
        })
}

/// A number in decimal digits, with a point if you like.
fn decimal(word: &str) -> Option<Rational> {
    let (whole, part) = word.split_once('.').unwrap_or((word, ""));
    let digits = format!("{whole}{part}");
    if digits.is_empty() || digits.len() > 200 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: Rational = digits.parse().ok()?;
    let mut scale = Rational::from(1u8);
    for _ in 0..part.len() {
        scale *= Rational::from(10u8);
    }
    Some(number / scale)
}
