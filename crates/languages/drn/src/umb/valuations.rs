//! Values of variables by state, packed bit by bit: the first variable in the lowest bits, the lowest byte first.

use super::index::{Class, Field, Type, Valuation};
use super::numbers::chunks;
use entail_markov::{Domain, Variable};

/// Variables with their values by state.
pub(super) type Variables = Vec<(Variable, Vec<i64>)>;

/// How a variable is packed.
struct Packed<'i> {
    name: &'i str,
    /// The first bit.
    from: usize,
    bits: usize,
    boolean: bool,
    signed: bool,
    offset: i64,
    bounds: Option<(i64, i64)>,
}

/// Reads the variables of so many states.
pub(super) fn read(valuation: &Valuation, content: &[u8], states: usize) -> Result<Variables, String> {
    let [class] = &valuation.classes[..] else {
        return Err("valuations of several classes are not supported".to_owned());
    };
    let (packed, bits) = layout(class)?;
    if bits == 0 || !bits.is_multiple_of(8) {
        return Err(format!("a valuation has {bits} bits, which are no bytes"));
    }
    let name = "valuations/states/valuations.bin";
    let rows = chunks(name, content, bits / 8, states)?;
    let mut variables = Vec::with_capacity(packed.len());
    for variable in &packed {
        let values: Vec<i64> = (rows.clone())
            .map(|row| variable.value(row))
            .collect::<Option<_>>()
            .ok_or_else(|| format!("a value of `{}` has more than 64 bits", variable.name))?;
        let (least, greatest) = (values.iter().min(), values.iter().max());
        let (least, greatest) = (least.copied().unwrap_or(0), greatest.copied().unwrap_or(0));
        let domain = match variable.bounds {
            _ if variable.boolean => Domain::Bool,
            Some((low, high)) if low <= least && greatest <= high => Domain::Range(low, high),
            Some((low, high)) => {
                let name = variable.name;
                return Err(format!(
                    "`{name}` has values outside of its range {low} to {high}"
                ));
            }
            None => Domain::Range(least, greatest),
        };
        let variable = Variable {
            name: variable.name.to_owned(),
            domain,
            hidden: false,
        };
        variables.push((variable, values));
    }
    Ok(variables)
}

/// The variables of a class that are truth values or whole numbers, and how many bits a valuation has.
fn layout(class: &Class) -> Result<(Vec<Packed<'_>>, usize), String> {
    let (mut packed, mut at) = (Vec::new(), 0usize);
    for field in &class.variables {
        let (name, of, optional, lower, upper, offset) = match field {
            Field::Padding { padding } => {
                at += *padding as usize;
                continue;
            }
            Field::Variable {
                name,
                of,
                optional,
                lower,
                upper,
                offset,
            } => (name, of, *optional, *lower, *upper, *offset),
        };
        let default = if of.name == "bool" { 1 } else { 64 };
        let bits = of.size.unwrap_or(default) as usize;
        if optional {
            return Err(format!(
                "`{name}` has no value in some states, which is not supported"
            ));
        }
        let (boolean, signed) = (of.name == "bool", of.name == "int");
        if boolean || signed || of.name == "uint" {
            if bits == 0 || bits > 64 {
                return Err(format!("`{name}` has {bits} bits: 1 to 64 are supported"));
            }
            packed.push(Packed {
                name,
                from: at,
                bits,
                boolean,
                signed,
                offset: offset.unwrap_or(0),
                bounds: lower.zip(upper),
            });
        }
        at = at.saturating_add(bits);
    }
    Ok((packed, at))
}

impl Packed<'_> {
    /// The value in a row; nothing if it does not fit.
    fn value(&self, row: &[u8]) -> Option<i64> {
        let bit = |at: usize| u64::from(row[at / 8] >> (at % 8) & 1);
        let raw = (0..self.bits).fold(0u64, |sum, at| sum | bit(self.from + at) << at);
        if self.boolean {
            return Some(i64::from(raw != 0));
        }
        let value = match self.signed {
            true => {
                let unused = 64 - self.bits as u32;
                (raw << unused) as i64 >> unused
            }
            false => i64::try_from(raw).ok()?,
        };
        value.checked_add(self.offset)
    }
}

/// Packs the variables of so many states; the description for the index, and the bytes.
pub(super) fn write(variables: &[(Variable, Vec<i64>)], states: usize) -> (Valuation, Vec<u8>) {
    let mut fields = Vec::new();
    let mut widths = Vec::new();
    for (variable, values) in variables {
        let least = values.iter().copied().min().unwrap_or(0);
        let greatest = values.iter().copied().max().unwrap_or(0);
        let width = |value: i64| 64 - value.unsigned_abs().leading_zeros();
        let (name, bits) = match variable.domain {
            Domain::Bool => ("bool", 1),
            // A bit for the sign; two's complement reaches one further below.
            _ if least < 0 => ("int", (width(least).max(width(greatest)) + 1).min(64)),
            _ => ("uint", width(greatest).max(1)),
        };
        widths.push(bits as usize);
        fields.push(Field::Variable {
            name: variable.name.clone(),
            of: Type {
                name: name.to_owned(),
                size: Some(bits),
            },
            optional: false,
            lower: None,
            upper: None,
            offset: None,
        });
    }
    let used: usize = widths.iter().sum();
    let bytes = used.div_ceil(8);
    if !used.is_multiple_of(8) {
        fields.push(Field::Padding {
            padding: (8 - used % 8) as u32,
        });
    }
    let mut content = vec![0u8; bytes * states];
    for state in 0..states {
        let row = &mut content[state * bytes..(state + 1) * bytes];
        let mut at = 0;
        for ((_, values), &width) in variables.iter().zip(&widths) {
            for bit in 0..width {
                row[(at + bit) / 8] |= ((values[state] >> bit & 1) as u8) << ((at + bit) % 8);
            }
            at += width;
        }
    }
    let valuation = Valuation {
        unique: false,
        classes: vec![Class { variables: fields }],
    };
    (valuation, content)
}
