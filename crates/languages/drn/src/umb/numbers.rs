//! Vectors of numbers and of bits as bytes.

use super::index::Type;
use entail_markov::{Rational, decimal, to_float};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Double,
    /// Numerator and denominator, each of half so many bytes.
    Fraction(usize),
    /// Whole numbers of so many bytes; whether they have a sign.
    Whole(usize, bool),
}

impl Form {
    /// The form of a type that the index names.
    pub fn of(of: &Type) -> Result<Form, String> {
        let bits = of.size.unwrap_or(match of.name.as_str() {
            "rational" => 128,
            _ => 64,
        });
        let whole = |unit: u32| (bits > 0 && bits.is_multiple_of(unit)).then_some(bits as usize / 8);
        let form = match of.name.as_str() {
            "double" if bits == 64 => Some(Form::Double),
            "rational" => whole(16).map(Form::Fraction),
            "int" => whole(8).map(|bytes| Form::Whole(bytes, true)),
            "uint" => whole(8).map(|bytes| Form::Whole(bytes, false)),
            name if name.ends_with("-interval") => {
                return Err("probabilities in intervals are not supported in UMB files".to_owned());
            }
            _ => None,
        };
        form.ok_or_else(|| format!("numbers of type `{}` with {bits} bits are not supported", of.name))
    }

    /// The form in which all of some numbers can be read again as they are: doubles if that is enough, otherwise the smallest fractions.
    pub fn fitting<'n>(numbers: impl Iterator<Item = &'n Rational> + Clone) -> Result<Form, String> {
        let is_double = |number: &Rational| shortest(to_float(number)).as_ref() == Some(number);
        if numbers.clone().all(is_double) {
            return Ok(Form::Double);
        }
        for bytes in [8, 16] {
            if numbers.clone().all(|number| halves(number, bytes).is_some()) {
                return Ok(Form::Fraction(2 * bytes));
            }
        }
        Err("a fraction has more than 128 bits, which is not written".to_owned())
    }

    /// The type for the index.
    pub fn to_type(self) -> Type {
        let (name, bytes) = match self {
            Form::Double => ("double", 8),
            Form::Fraction(bytes) => ("rational", bytes),
            Form::Whole(bytes, true) => ("int", bytes),
            Form::Whole(bytes, false) => ("uint", bytes),
        };
        Type {
            name: name.to_owned(),
            size: Some(8 * bytes as u32),
        }
    }

    fn bytes(self) -> usize {
        match self {
            Form::Double => 8,
            Form::Fraction(bytes) | Form::Whole(bytes, _) => bytes,
        }
    }

    /// Exactly so many numbers.
    pub fn read(self, name: &str, content: &[u8], count: usize) -> Result<Vec<Rational>, String> {
        let each = chunks(name, content, self.bytes(), count)?;
        let number = |bytes: &[u8]| match self {
            Form::Double => shortest(f64::from_le_bytes(bytes.try_into().ok()?)),
            Form::Whole(_, signed) => Some(whole(bytes, signed)),
            Form::Fraction(size) => {
                let (above, below) = bytes.split_at(size / 2);
                let below = whole(below, false);
                (!below.is_zero()).then(|| whole(above, true) / below)
            }
        };
        each.map(|bytes| number(bytes).ok_or_else(|| format!("`{name}` holds something that is no number")))
            .collect()
    }

    /// The bytes of a number, which fits.
    pub fn write(self, number: &Rational, to: &mut Vec<u8>) {
        match self {
            Form::Double => to.extend(to_float(number).to_le_bytes()),
            Form::Fraction(size) => to.extend(halves(number, size / 2).unwrap_or_default()),
            Form::Whole(..) => {}
        }
    }
}

/// The shortest decimal of which a double is the nearest; nothing if it is no finite number.
fn shortest(number: f64) -> Option<Rational> {
    number
        .is_finite()
        .then(|| decimal(&format!("{number:e}")))
        .flatten()
}

/// A whole number from its bytes, the lowest first.
fn whole(bytes: &[u8], signed: bool) -> Rational {
    let negative = signed && bytes.last().is_some_and(|top| top & 0x80 != 0);
    // Four bytes at a time, the highest first.
    let unit = Rational::from(1u64 << 32);
    let mut number = Rational::ZERO;
    for part in bytes.chunks(4).rev() {
        let digit = part
            .iter()
            .rev()
            .fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
        number = number * &unit + Rational::from(digit);
    }
    if negative {
        let top = (0..bytes.len()).fold(Rational::ONE, |power, _| power * Rational::from(256u32));
        number -= top;
    }
    number
}

/// Numerator and denominator in so many bytes each (8 or 16), if they fit.
fn halves(number: &Rational, bytes: usize) -> Option<Vec<u8>> {
    let above = i128::try_from(number.numerator().clone()).ok()?;
    let below = u128::try_from(number.denominator().clone()).ok()?;
    match bytes {
        8 => {
            let (above, below) = (i64::try_from(above).ok()?, u64::try_from(below).ok()?);
            Some([above.to_le_bytes(), below.to_le_bytes()].concat())
        }
        _ => Some([above.to_le_bytes(), below.to_le_bytes()].concat()),
    }
}

/// A file cut into so many pieces; an error where it is longer or shorter.
pub(super) fn chunks<'b>(
    name: &str,
    content: &'b [u8],
    bytes: usize,
    count: usize,
) -> Result<std::slice::ChunksExact<'b, u8>, String> {
    if count.checked_mul(bytes) != Some(content.len()) {
        return Err(format!(
            "`{name}` has {} bytes, and {count} values of {bytes} bytes are expected",
            content.len()
        ));
    }
    Ok(content.chunks_exact(bytes))
}

/// So many unsigned numbers of eight bytes.
pub(super) fn long_words(name: &str, content: &[u8], count: usize) -> Result<Vec<u64>, String> {
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0u64, |sum, &byte| sum << 8 | u64::from(byte))
    };
    Ok(chunks(name, content, 8, count)?.map(word).collect())
}

/// So many unsigned numbers of four bytes.
pub(super) fn words(name: &str, content: &[u8], count: usize) -> Result<Vec<u32>, String> {
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0u32, |sum, &byte| sum << 8 | u32::from(byte))
    };
    Ok(chunks(name, content, 4, count)?.map(word).collect())
}

/// The positions of the bits that are set among the first; a file may be filled up with zeros to eight bytes.
pub(super) fn bits(name: &str, content: &[u8], count: usize) -> Result<Vec<u32>, String> {
    let needed = count.div_ceil(8);
    if content.len() < needed || content.len() > needed.next_multiple_of(8) {
        return Err(format!(
            "`{name}` has {} bytes, and {count} bits are expected",
            content.len()
        ));
    }
    let set = |at: usize| content[at / 8] >> (at % 8) & 1 == 1;
    if (count..8 * content.len()).any(set) {
        return Err(format!("`{name}` has bits set beyond the last of {count}"));
    }
    Ok((0..count).filter(|&at| set(at)).map(|at| at as u32).collect())
}

/// Bits as bytes, filled up to eight of them.
pub(super) fn packed_bits(count: usize, set: &[u32]) -> Vec<u8> {
    let mut bytes = vec![0u8; count.div_ceil(8).next_multiple_of(8)];
    for &at in set {
        bytes[at as usize / 8] |= 1 << (at % 8);
    }
    bytes
}

/// Unsigned numbers as bytes.
pub(super) fn packed_words(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    numbers.into_iter().flat_map(u64::to_le_bytes).collect()
}
