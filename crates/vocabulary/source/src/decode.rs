//! From the bytes of a file to its text.
//!
//! Every text is UTF-8; a byte-order mark at its beginning, which editors on some systems write, is no part of it.

/// The mark with which some editors begin UTF-8 files.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A file that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not a text file (byte {at} is not valid UTF-8)")]
pub struct NotText {
    /// Position of the first byte that is wrong.
    pub at: usize,
}

/// The text of a file whose every byte must be UTF-8.
pub fn decode(bytes: Vec<u8>) -> Result<String, NotText> {
    let text = String::from_utf8(bytes).map_err(|error| NotText {
        at: error.utf8_error().valid_up_to(),
    })?;
    Ok(without_mark(text))
}

/// The text of a file in a language whose comments may contain any bytes. A byte that is not UTF-8 becomes U+FFFD, which no language has
/// outside of comments, so that its reader shows the place.
pub fn decode_lossy(bytes: Vec<u8>) -> String {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    without_mark(text)
}

/// The text of bytes that were read as bytes, to point at: each byte that is not UTF-8 becomes `?`, so that places stay where they are.
pub fn decode_in_place(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    text
}

/// The bytes of a file in a format that is not all text, without the mark.
pub fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(bytes)
}

fn without_mark(mut text: String) -> String {
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        assert_eq!(decode("\u{feff}a".into()), Ok("a".to_owned()));
        assert_eq!(decode("a\u{feff}".into()), Ok("a\u{feff}".to_owned()));
        assert_eq!(decode_lossy("\u{feff}\u{feff}".into()), "\u{feff}");
    }

    #[test]
    fn places_stay_where_they_are_when_bytes_are_shown_as_text() {
        let bytes = b"a\xe9\xff\xc3\xa9b\xe2\x82";
        let text = decode_in_place(bytes);
        assert_eq!(text, "a??\u{e9}b??");
        assert_eq!(text.len(), bytes.len());
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error_or_a_mark() {
        assert_eq!(decode(b"ab\xe9".to_vec()), Err(NotText { at: 2 }));
        assert_eq!(decode_lossy(b"ab\xe9c".to_vec()), "ab\u{fffd}c");
    }
}
