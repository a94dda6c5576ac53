//! Durations, sizes and storages as people write them: `60s`, `5m`, `8GiB`, `bitstate:4GiB`.

use crate::options::{Storage, WalkOptions};
use std::path::PathBuf;
use std::time::Duration;

const TIME_UNITS: [(&str, f64); 6] = [
    ("", 1.0),
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
    ("min", 60.0),
    ("h", 3600.0),
];

const SIZE_UNITS: [(&str, u64); 14] = [
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kb", 1_000),
    ("kib", 1 << 10),
    ("m", 1 << 20),
    ("mb", 1_000_000),
    ("mib", 1 << 20),
    ("g", 1 << 30),
    ("gb", 1_000_000_000),
    ("gib", 1 << 30),
    ("t", 1 << 40),
    ("tb", 1_000_000_000_000),
    ("tib", 1 << 40),
];

/// A number and what follows it, in small letters.
fn split(text: &str) -> Option<(f64, String)> {
    let text = text.trim();
    let end = text
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim().to_ascii_lowercase()))
}

/// A duration; a bare number is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let read = || {
        let (number, unit) = split(text)?;
        let (_, seconds) = TIME_UNITS.iter().find(|(name, _)| *name == unit)?;
        Duration::try_from_secs_f64(number * seconds).ok()
    };
    read().ok_or_else(|| format!("`{text}` is not a duration: write 60s, 5m, 500ms or 1h"))
}

/// A size in bytes; a bare number is bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let read = || {
        let (number, unit) = split(text)?;
        let (_, bytes) = SIZE_UNITS.iter().find(|(name, _)| *name == unit)?;
        let total = number * *bytes as f64;
        (total.is_finite() && total < u64::MAX as f64).then_some(total as u64)
    };
    read().ok_or_else(|| format!("`{text}` is not a size: write 8GiB, 512MiB or 1000000"))
}

/// Random paths: how many, and behind an `x` of how many steps at most (`10000x500`).
pub fn walks(text: &str) -> Result<WalkOptions, String> {
    let (count, length) = text
        .split_once('x')
        .map_or((text, None), |(count, length)| (count, Some(length)));
    let number = |text: &str| text.trim().parse::<u64>().ok().filter(|&number| number > 0);
    let read = || {
        let standard = WalkOptions::default();
        Some(WalkOptions {
            count: number(count)?,
            length: length.map_or(Some(standard.length), number)?,
            ..standard
        })
    };
    read().ok_or_else(|| {
        format!("`{text}` is no number of paths: write 10000, or 10000x500 for paths of at most 500 steps")
    })
}

/// The folder of `disk:FOLDER`.
pub fn storage_folder(text: &str) -> Option<PathBuf> {
    text.strip_prefix("disk:").map(PathBuf::from)
}

/// How states are stored: `exact`, `tree`, `disk[:FOLDER]`, `hash-compact[:BITS]`, `bitstate[:SIZE]`.
pub fn storage(text: &str) -> Result<Storage, String> {
    let (name, parameter) = match text.split_once(':') {
        Some((name, parameter)) => (name, Some(parameter)),
        None => (text, None),
    };
    match (name, parameter) {
        ("exact", None) => Ok(Storage::Exact),
        ("tree", None) => Ok(Storage::Tree),
        ("disk", None) => Ok(Storage::Disk),
        ("disk", Some(folder)) => match std::fs::metadata(folder) {
            Ok(found) if found.is_dir() => Ok(Storage::Disk),
            Ok(_) => Err(format!(
                "`{folder}` is not a folder, so no states can be kept in it"
            )),
            Err(error) => Err(format!("states cannot be kept in `{folder}`: {error}")),
        },
        ("hash-compact", None) => Ok(Storage::HashCompact(64)),
        ("hash-compact", Some(bits)) => match bits.parse() {
            Ok(bits @ 8..=64) => Ok(Storage::HashCompact(bits)),
            _ => Err(format!("hashes have from 8 to 64 bits, not `{bits}`")),
        },
        ("bitstate", None) => Ok(Storage::Bitstate(1 << 30)),
        ("bitstate", Some(bytes)) => match size(bytes)? {
            0..8 => Err("bits need at least 8 bytes".into()),
            bytes => Ok(Storage::Bitstate(bytes)),
        },
        _ => Err(format!(
            "`{text}` is no storage: write exact, tree, disk, disk:FOLDER, hash-compact, hash-compact:BITS, bitstate or bitstate:SIZE"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_their_units() {
        assert_eq!(duration("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        for wrong in ["", "s", "5 parsecs", "-1s", "1e999h", "..s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        assert_eq!(size("8GiB"), Ok(8 << 30));
        assert_eq!(size("1kb"), Ok(1000));
        assert_eq!(size("0.5M"), Ok(1 << 19));
        assert!(size("8 elephants").is_err());
    }

    #[test]
    fn random_paths_are_read_with_their_length() {
        let read = |text| walks(text).map(|walks| (walks.count, walks.length));
        assert_eq!(read("12x7"), Ok((12, 7)));
        assert_eq!(read("500"), Ok((500, WalkOptions::default().length)));
        for wrong in ["", "0", "x", "5x", "5x0", "5x6x7", "-1"] {
            assert!(walks(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn storages_are_read_with_their_parameters() {
        assert_eq!(storage("bitstate:4KiB"), Ok(Storage::Bitstate(4096)));
        assert_eq!(storage("hash-compact"), Ok(Storage::HashCompact(64)));
        assert_eq!(storage("disk"), Ok(Storage::Disk));
        assert_eq!(storage("disk:."), Ok(Storage::Disk));
        assert_eq!(storage_folder("disk:."), Some(PathBuf::from(".")));
        for wrong in [
            "",
            "lossy",
            "disk:/no/such/folder",
            "disk:",
            "hash-compact:7",
            "bitstate:1",
            "tree:3",
        ] {
            assert!(storage(wrong).is_err(), "{wrong}");
        }
    }
}
