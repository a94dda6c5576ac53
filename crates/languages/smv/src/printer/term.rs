//! Terms in SMV syntax.
//!
//! Terms are graphs: a subterm that is used more than once, or that lies deep, becomes a define of its own, so the text is
//! as large as the graph and never deeply nested. The term language's operations are total and SMV's are not, so a
//! division whose divisor can be zero, or a shift whose amount can exceed the width, is written with the default that the
//! term language gives it.

use super::PrintError;
use super::name::{self, Names};
use entail_model::{Op, Sort, TermId, TransitionSystem, Value, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Nesting after which a subterm gets a define.
const DEEP: u32 = 40;

/// The text of every term that was asked for, and the defines that it needs.
pub(super) struct Printer<'s> {
    system: &'s TransitionSystem,
    names: &'s Names,
    uses: FxHashMap<TermId, u32>,
    texts: FxHashMap<TermId, (String, u32)>,
    /// Defines that already have a name in the system.
    named: FxHashMap<TermId, String>,
    /// Fresh defines in order: name and body.
    pub defines: Vec<(String, String)>,
}

impl<'s> Printer<'s> {
    /// A printer for terms below `roots`.
    pub(super) fn new(system: &'s TransitionSystem, names: &'s Names, roots: &[TermId]) -> Printer<'s> {
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut stack: Vec<TermId> = roots.to_vec();
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                for &operand in system.terms.operands(term) {
                    *uses.entry(operand).or_default() += 1;
                    stack.push(operand);
                }
            }
        }
        Printer {
            system,
            names,
            uses,
            texts: FxHashMap::default(),
            named: FxHashMap::default(),
            defines: Vec::new(),
        }
    }

    /// The text of a term, parenthesised where it is not a name or a constant.
    pub(super) fn text(&mut self, root: TermId) -> Result<String, PrintError> {
        let mut stack = vec![root];
        while let Some(&term) = stack.last() {
            if self.texts.contains_key(&term) {
                stack.pop();
                continue;
            }
            let missing: Vec<TermId> = self
                .system
                .terms
                .operands(term)
                .iter()
                .copied()
                .filter(|operand| !self.texts.contains_key(operand))
                .collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            stack.pop();
            self.make(term)?;
        }
        Ok(self.texts[&root].0.clone())
    }

    fn make(&mut self, term: TermId) -> Result<(), PrintError> {
        let operands = self.system.terms.operands(term);
        let depth = 1 + operands
            .iter()
            .map(|operand| self.texts[operand].1)
            .max()
            .unwrap_or(0);
        let text = self.operation(term)?;
        let leaf = operands.is_empty();
        let shared = self.uses.get(&term).copied().unwrap_or(0) > 1 && text.len() > 12;
        let entry = if !leaf && (shared || depth > DEEP) {
            let name = match self.named.get(&term) {
                Some(name) => name.clone(),
                None => {
                    let name = self.names.fresh(self.defines.len());
                    self.defines.push((name.clone(), text));
                    name
                }
            };
            (name, 1)
        } else {
            (text, depth)
        };
        self.texts.insert(term, entry);
        Ok(())
    }

    fn operation(&self, term: TermId) -> Result<String, PrintError> {
        let terms = &self.system.terms;
        let operands = terms.operands(term);
        let text = |at: usize| self.texts[&operands[at]].0.as_str();
        let joined = |symbol: &str| {
            let parts: Vec<&str> = (0..operands.len()).map(text).collect();
            format!("({})", parts.join(symbol))
        };
        Ok(match terms.op(term) {
            Op::Constant(value) => constant(value)?,
            Op::Current(variable) => self.names.variables[variable.index()].clone(),
            Op::Next(variable) if self.system.variable(*variable).kind == VarKind::Frozen => {
                self.names.variables[variable.index()].clone()
            }
            Op::Next(variable) => format!("next({})", self.names.variables[variable.index()]),
            Op::Not => format!("!{}", text(0)),
            Op::And => joined(" & "),
            Op::Or => joined(" | "),
            Op::Ite => format!("({} ? {} : {})", text(0), text(1), text(2)),
            Op::Equal if *terms.sort(operands[0]) == Sort::Bool => joined(" <-> "),
            Op::Equal => joined(" = "),
            Op::Less => joined(" < "),
            Op::Add => joined(" + "),
            Op::Subtract => joined(" - "),
            Op::Negate => format!("(-{})", text(0)),
            Op::Multiply => joined(" * "),
            Op::Divide | Op::Remainder => self.division(term),
            Op::BitNot => format!("(!{})", text(0)),
            Op::BitAnd => joined(" & "),
            Op::BitOr => joined(" | "),
            Op::BitXor => joined(" xor "),
            Op::ShiftLeft | Op::ShiftRight => self.shift(term),
            Op::Concat => joined(" :: "),
            Op::Extract { high, low } => format!("{}[{high}:{low}]", text(0)),
            Op::Extend { by } => format!("extend({}, {by})", text(0)),
            Op::Reinterpret { signed: true } => format!("signed({})", text(0)),
            Op::Reinterpret { signed: false } => format!("unsigned({})", text(0)),
            Op::BoolToWord => format!("word1({})", text(0)),
            Op::WordToInt => format!("toint({})", text(0)),
            Op::IntToWord { width, signed } => {
                let bounds = terms.sort(operands[0]).integer_bounds().unwrap_or((0, 0));
                integer_to_word(text(0), bounds, *width, *signed)
            }
            Op::AsInteger => text(0).to_string(),
            Op::Read | Op::Write | Op::ConstantArray => return Err(PrintError::Array("a term".to_string())),
        })
    }

    fn division(&self, term: TermId) -> String {
        let terms = &self.system.terms;
        let operands = terms.operands(term);
        let (a, b) = (&self.texts[&operands[0]].0, &self.texts[&operands[1]].0);
        let remainder = *terms.op(term) == Op::Remainder;
        let plain = format!("({a} {} {b})", if remainder { "mod" } else { "/" });
        let zero = match terms.sort(operands[1]).word_shape() {
            Some((width, signed)) => format!("0{}d{width}_0", if signed { 's' } else { 'u' }),
            None => "0".to_string(),
        };
        let never_zero = match terms.as_constant(operands[1]) {
            Some(Value::Int(number)) => *number != 0,
            Some(Value::Word(word)) => word.to_u64() != Some(0),
            _ => terms
                .sort(operands[1])
                .integer_bounds()
                .is_some_and(|(low, high)| low > 0 || high < 0),
        };
        if never_zero {
            return plain;
        }
        let default = match (remainder, terms.sort(operands[0]).word_shape()) {
            (true, _) => a.clone(),
            (false, None) => "0".to_string(),
            (false, Some((_, false))) => format!("(!{zero})"),
            (false, Some((width, true))) => {
                // -1 for a dividend that is not negative, 1 otherwise; in one bit the two are the same.
                let one = if width == 1 {
                    format!("(!{zero})")
                } else {
                    format!("0sd{width}_1")
                };
                format!("({a} < {zero} ? {one} : (!{zero}))")
            }
        };
        format!("({b} = {zero} ? {default} : {plain})")
    }

    fn shift(&self, term: TermId) -> String {
        let terms = &self.system.terms;
        let operands = terms.operands(term);
        let (a, by) = (&self.texts[&operands[0]].0, &self.texts[&operands[1]].0);
        let symbol = if *terms.op(term) == Op::ShiftLeft {
            "<<"
        } else {
            ">>"
        };
        let width = terms.sort(operands[0]).word_shape().map_or(1, |(width, _)| width);
        let (fits, limit) = match terms.sort(operands[1]) {
            Sort::Word { width: by_width, .. } => (
                *by_width < 32 && (1u64 << by_width) - 1 <= u64::from(width),
                format!("0ud{by_width}_{width}"),
            ),
            sort => (
                sort.integer_bounds()
                    .is_some_and(|(_, most)| most <= i64::from(width)),
                width.to_string(),
            ),
        };
        if fits {
            return format!("({a} {symbol} {by})");
        }
        format!("({by} > {limit} ? {a} {symbol} {width} : {a} {symbol} {by})")
    }
}

fn constant(value: &Value) -> Result<String, PrintError> {
    Ok(match value {
        Value::Int(number) if *number < 0 => format!("({number})"),
        Value::Symbol(name) => name::constant(name),
        Value::Word(word) => {
            let sign = if word.is_signed() { "s" } else { "u" };
            // Binary digits have no sign to get wrong.
            format!("0{sign}b{}_{}", word.width(), word.bits().to_str_radix(2))
        }
        Value::Array(_) => return Err(PrintError::Array(value.to_string())),
        other => other.to_string(),
    })
}

/// SMV has no conversion of a variable integer to a word: the bits are computed one by one.
fn integer_to_word(text: &str, (low, _): (i64, i64), width: u32, signed: bool) -> String {
    // A multiple of 2^width makes the number natural and changes no bit that counts.
    let shift = match (low < 0, 1i64.checked_shl(width)) {
        (true, Some(modulus)) if width < 62 => low.unsigned_abs().div_ceil(modulus as u64) as i64 * modulus,
        _ => 0,
    };
    let number = if shift == 0 {
        text.to_string()
    } else {
        format!("({text} + {shift})")
    };
    let bits: Vec<String> = (0..width)
        .rev()
        .map(|bit| match 1i64.checked_shl(bit) {
            Some(power) if bit < 62 => format!("word1(({number} / {power}) mod 2 = 1)"),
            _ => format!("word1({text} < 0)"),
        })
        .collect();
    let word = format!("({})", bits.join(" :: "));
    if signed { format!("signed({word})") } else { word }
}

/// How long a term may be in a message.
const LONGEST: usize = 400;

/// A term for a message: no defines, cut when long.
pub(super) fn short(system: &TransitionSystem, term: TermId) -> String {
    let names = Names::new(system);
    let mut printer = Printer::new(system, &names, &[]);
    // Without uses nothing is shared; depth still makes defines, which a message cannot show.
    match printer.text(term) {
        Ok(text) if printer.defines.is_empty() && text.len() <= LONGEST => text,
        Ok(text) => {
            let cut: String = text.chars().take(LONGEST).collect();
            format!("{cut}…")
        }
        Err(error) => error.to_string(),
    }
}

impl Printer<'_> {
    /// Says that a term may be written as a define that the caller prints itself.
    pub(super) fn name_term(&mut self, term: TermId, name: &str) {
        self.named.entry(term).or_insert_with(|| name.to_string());
    }

    /// The text of a term's own operation, for the body of its define.
    pub(super) fn body(&mut self, term: TermId) -> Result<String, PrintError> {
        self.text(term)?;
        self.operation(term)
    }
}
