//! Names of files about properties.
//!
//! A property's name may be anything, and a file's name may not. Letters that are not allowed everywhere become `_`; what is long is cut; and
//! a name that is not the property's own, or that another one has too (also where case does not count), gets the property's number.

use std::collections::HashSet;

/// Most bytes of a name, so that extensions have room in the 255 that file systems allow.
const LONGEST: usize = 120;

/// The names of files about properties with these names, without extensions; all different.
pub fn file_names<'a>(names: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    let names: Vec<Option<&str>> = names.collect();
    let mut taken: HashSet<String> = HashSet::new();
    // Names that can be had as they are come first.
    let plain: Vec<Option<String>> = names
        .iter()
        .map(|name| name.filter(|name| is_plain(name)))
        .map(|name| {
            name.filter(|name| taken.insert(name.to_lowercase()))
                .map(str::to_owned)
        })
        .collect();
    let mut given = Vec::with_capacity(names.len());
    for (position, (name, plain)) in names.iter().zip(plain).enumerate() {
        given.push(plain.unwrap_or_else(|| {
            let number = position + 1;
            let mut chosen = match name {
                Some(name) => format!("{}-{number}", safe(name)),
                None => format!("property-{number}"),
            };
            while !taken.insert(chosen.to_lowercase()) {
                chosen.push('_');
            }
            chosen
        }));
    }
    given
}

fn is_plain(name: &str) -> bool {
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_safe) && !is_reserved(name)
}

/// Names of devices on some systems.
fn is_reserved(name: &str) -> bool {
    ["con", "prn", "aux", "nul"].contains(&name.to_lowercase().as_str())
}

fn safe(name: &str) -> String {
    let letters = name.chars().map(|letter| match letter {
        '-' | '_' => letter,
        letter if letter.is_alphanumeric() => letter,
        _ => '_',
    });
    let mut safe = String::new();
    for letter in letters {
        if safe.len() + letter.len_utf8() > LONGEST {
            break;
        }
        safe.push(letter);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_different_and_short_and_kept_where_they_can_be() {
        let long = "x".repeat(5_000);
        let names = [
            Some("a_b"),
            Some("a/b"),
            None,
            Some("A_B"),
            Some(&long),
            Some(""),
            Some("property-3"),
            Some("é"),
        ];
        let given = file_names(names.into_iter());
        assert_eq!(given[..3], ["a_b", "a_b-2", "property-3_"]);
        assert_eq!(given[6], "property-3");
        let different: HashSet<String> = given.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(different.len(), names.len());
        assert!(given.iter().all(|name| name.len() < 200 && !name.is_empty()));
    }
}
