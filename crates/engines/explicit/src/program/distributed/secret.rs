//! The secret that the processes of a cluster share.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;

/// Bytes of a tag: a number that only who knows the key can compute.
pub const TAG: usize = 32;

/// A line of text that every process of a cluster knows and nobody else.
#[derive(Clone)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secret {
    /// Characters that a secret has at least.
    pub const LEAST: usize = 16;
    /// Characters that a secret has at most.
    pub const MOST: usize = 1024;

    /// A secret from outside; white space around it does not belong to it.
    pub fn new(text: &str) -> Result<Secret, String> {
        let text = text.trim();
        if text.contains(char::is_control) {
            return Err("a secret is one line of text".into());
        }
        if !(Secret::LEAST..=Secret::MOST).contains(&text.len()) {
            return Err(format!(
                "a secret has from {} to {} characters",
                Secret::LEAST,
                Secret::MOST
            ));
        }
        Ok(Secret(text.to_owned()))
    }

    /// A secret that nobody knows yet.
    pub fn fresh() -> Result<Secret, String> {
        let digits = nonce()?;
        Ok(Secret(digits.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// The line of text, to be handed to another process.
    pub fn line(&self) -> &str {
        &self.0
    }

    pub(super) fn key(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// A number that has never been used and cannot be foreseen.
pub fn nonce() -> Result<[u8; 32], String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("there are no random numbers: {error}"))?;
    Ok(bytes)
}

/// HMAC-SHA256 of parts, whose lengths must be fixed by what stands before them.
pub fn tagger(key: &[u8], parts: &[&[u8]]) -> Hmac<Sha256> {
    let mut tagger = Hmac::<Sha256>::new_from_slice(key).expect("a key may have any length");
    for part in parts {
        tagger.update(part);
    }
    tagger
}

/// The tag of parts.
pub fn tag(key: &[u8], parts: &[&[u8]]) -> [u8; TAG] {
    tagger(key, parts).finalize().into_bytes().into()
}

/// Whether a tag, or its beginning, is that of parts. It takes the same time wherever it differs.
pub fn is_tag(key: &[u8], parts: &[&[u8]], said: &[u8]) -> bool {
    tagger(key, parts).verify_truncated_left(said).is_ok()
}
