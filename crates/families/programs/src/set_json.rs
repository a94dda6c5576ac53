//! The bytes of a set of states as text in base 16.

/// The text.
pub(crate) fn written(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    (bytes.iter())
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// The bytes of a text; nothing if it is no such text.
pub(crate) fn read(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if digits.len() % 2 == 1 {
        return None;
    }
    let value = |digit: u8| char::from(digit).to_digit(16);
    (digits.chunks(2))
        .map(|pair| Some((value(pair[0])? << 4 | value(pair[1])?) as u8))
        .collect()
}
