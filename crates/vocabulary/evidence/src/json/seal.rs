//! The seal of a saved document: the version of its format, and a checksum.
//!
//! The checksum is about what the document says, not about how it is laid out: it is taken from the document on one line, without the
//! checksum. It finds damage, not malice (whoever changes a file on purpose can seal it again): what is claimed is checked in any case.
//! Documents of earlier versions have no seal.

use super::document::ReadError;
use entail_source::Digest;
use serde_json::Value as Json;

/// The version of the format that is written. It is raised when an older reader would misunderstand what is written.
pub const VERSION: u64 = 1;

const VERSION_KEY: &str = "version";
const CHECKSUM_KEY: &str = "checksum";

/// The document with its seal, pretty-printed, with a newline at its end.
pub fn sealed(mut document: Json) -> String {
    document[VERSION_KEY] = VERSION.into();
    // Numbers are what a reader makes of them.
    if let Ok(read) = serde_json::from_str(&document.to_string()) {
        document = read;
    }
    document[CHECKSUM_KEY] = checksum(&document).into();
    format!("{document:#}\n")
}

/// Whether the document has a seal; an error if it is broken, or of a later version.
pub fn check_seal(document: &Json) -> Result<bool, ReadError> {
    if let Some(version) = document.get(VERSION_KEY)
        && version.as_u64().is_none_or(|version| version > VERSION)
    {
        return Err(ReadError::Version {
            version: version.to_string(),
        });
    }
    match document.get(CHECKSUM_KEY) {
        None => Ok(false),
        Some(said) if said.as_str() == Some(&checksum(document)) => Ok(true),
        Some(_) => Err(ReadError::Damaged),
    }
}

fn checksum(document: &Json) -> String {
    let mut document = document.clone();
    if let Some(map) = document.as_object_mut() {
        map.shift_remove(CHECKSUM_KEY);
    }
    Digest::of(document.to_string().as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_sealed_is_whole_however_it_is_laid_out() {
        let text = sealed(json!({"a": [1, 0.1, 1e300], "b": {"c": "é"}}));
        let document: Json = serde_json::from_str(&text).expect("JSON");
        assert_eq!(check_seal(&document), Ok(true));
        let again: Json = serde_json::from_str(&document.to_string()).expect("JSON");
        assert_eq!(check_seal(&again), Ok(true));
    }

    #[test]
    fn a_change_breaks_the_seal_and_no_seal_is_none() {
        let mut document: Json = serde_json::from_str(&sealed(json!({"a": 1}))).expect("JSON");
        document["a"] = 2.into();
        assert_eq!(check_seal(&document), Err(ReadError::Damaged));
        assert_eq!(check_seal(&json!({"a": 1})), Ok(false));
        let later = json!({"version": VERSION + 1});
        assert!(matches!(check_seal(&later), Err(ReadError::Version { .. })));
    }
}
