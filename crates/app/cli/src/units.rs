//! Durations, sizes and choices as people write them: `60s`, `5m`, `500ms`, `8GiB`, `512M`, `bitstate:4GiB`.

use crate::limits::Memory;
use std::time::Duration;

const TIME_UNITS: [(&str, f64); 5] = [
    ("ms", 1e-3),
    ("s", 1.0),
    ("m", 60.0),
    ("min", 60.0),
    ("h", 3600.0),
];

const SIZE_UNITS: [(&str, u64); 13] = [
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

/// Parts between commas; commas inside brackets or quotes do not count.
pub fn parts(texts: &[String]) -> Vec<String> {
    let mut parts = Vec::new();
    for text in texts {
        let (mut depth, mut quoted) = (0u32, false);
        let mut part = String::new();
        for c in text.chars() {
            match c {
                '"' => quoted = !quoted,
                '(' | '[' | '{' if !quoted => depth += 1,
                ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
                _ => {}
            }
            if c == ',' && depth == 0 && !quoted {
                parts.push(std::mem::take(&mut part));
            } else {
                part.push(c);
            }
        }
        parts.push(part);
    }
    (parts.iter().map(|part| part.trim().to_owned()))
        .filter(|part| !part.is_empty())
        .collect()
}

fn split(text: &str) -> Option<(f64, String)> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    Some((number, text[end..].trim().to_ascii_lowercase()))
}

/// A duration; a bare number is seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration: write 60s, 5m, 500ms or 1h");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let unit = if unit.is_empty() { "s" } else { unit.as_str() };
    let (_, seconds) = TIME_UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .ok_or_else(wrong)?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

/// A size in bytes; a bare number is bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size: write 8GiB, 512MiB or 1000000");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let unit = if unit.is_empty() { "b" } else { unit.as_str() };
    let (_, bytes) = SIZE_UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .ok_or_else(wrong)?;
    let total = number * *bytes as f64;
    if total.is_finite() && total < u64::MAX as f64 {
        Ok(total as u64)
    } else {
        Err(wrong())
    }
}

/// A limit of memory, or that there is none.
pub fn memory(text: &str) -> Result<Memory, String> {
    match text {
        "none" => Ok(Memory::Unlimited),
        text => size(text).map(Memory::Bytes),
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
        assert_eq!(memory("none"), Ok(Memory::Unlimited));
        assert_eq!(memory("2k"), Ok(Memory::Bytes(2048)));
    }
}
