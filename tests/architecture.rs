//! The rules of the house, read off `cargo metadata`: dependencies go down, and the checkers know no engine.

use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::BTreeMap;

/// The floors from the cellar up. A crate may use crates of lower floors, and of its own floor where `SIDEWAYS` says so.
const FLOORS: [&str; 7] = [
    "vocabulary",
    "checkers",
    "instruments",
    "languages",
    "engines",
    "families",
    "app",
];

/// Floors whose crates may use each other (cargo itself forbids cycles). Families do not know each other.
const SIDEWAYS: [&str; 5] = ["vocabulary", "checkers", "instruments", "engines", "app"];

/// Pairs of floors that must not meet although one is above the other.
///
/// What finds evidence and what judges it share nothing but the vocabulary.
const STRANGERS: [(&str, &str); 5] = [
    ("engines", "languages"),
    ("engines", "checkers"),
    ("languages", "instruments"),
    ("languages", "checkers"),
    ("instruments", "checkers"),
];

/// Our crates with their floor, and the crates of ours that each uses (tests' own dependencies left out).
fn house() -> BTreeMap<String, (String, Vec<String>)> {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata runs in the workspace");
    let floor_of = |manifest: &str| {
        let (_, below_crates) = manifest.split_once("/crates/")?;
        Some(below_crates.split('/').next()?.to_owned())
    };
    let mut house = BTreeMap::new();
    for package in &metadata.packages {
        if let Some(floor) = floor_of(package.manifest_path.as_str()) {
            let uses = package
                .dependencies
                .iter()
                .filter(|dependency| dependency.kind == DependencyKind::Normal && dependency.path.is_some())
                .map(|dependency| dependency.name.clone())
                .collect();
            house.insert(package.name.to_string(), (floor, uses));
        }
    }
    house
}

fn level(floor: &str) -> usize {
    FLOORS
        .iter()
        .position(|name| *name == floor)
        .unwrap_or_else(|| panic!("unknown floor {floor}"))
}

#[test]
fn dependencies_go_down() {
    let house = house();
    assert!(house.len() >= 10, "the workspace was not found: {house:?}");
    for (name, (floor, uses)) in &house {
        for used in uses {
            let (below, _) = &house[used];
            let allowed = match level(below).cmp(&level(floor)) {
                std::cmp::Ordering::Less => !STRANGERS.contains(&(floor.as_str(), below.as_str())),
                std::cmp::Ordering::Equal => SIDEWAYS.contains(&floor.as_str()),
                std::cmp::Ordering::Greater => false,
            };
            assert!(allowed, "{name} ({floor}) must not depend on {used} ({below})");
        }
    }
}

#[test]
fn the_checkers_know_no_engine_and_no_instrument() {
    let house = house();
    let checkers = house.iter().filter(|(_, (floor, _))| floor == "checkers");
    let mut found = 0;
    for (checker, (_, uses)) in checkers {
        found += 1;
        for used in uses {
            let below = house[used].0.as_str();
            assert!(
                below == "vocabulary" || below == "checkers",
                "{checker} must not depend on {used} ({below})"
            );
        }
    }
    assert!(found >= 3, "the floor of the checkers was not found");
}

/// The workspace denies `unsafe`; a crate that does not take over its lints could use it.
#[test]
fn only_the_machine_room_is_free_to_be_unsafe() {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata runs");
    for package in &metadata.packages {
        let manifest = std::fs::read_to_string(&package.manifest_path).expect("a manifest");
        let follows = manifest.contains("[lints]\nworkspace = true");
        assert_eq!(
            follows,
            package.name.as_str() != "entail-machine",
            "{}",
            package.name
        );
    }
}

#[test]
fn packages_are_named_after_their_rooms() {
    for name in house().keys() {
        assert!(name == "entail" || name.starts_with("entail-"), "{name}");
    }
}

/// The text of all Rust files below a folder.
fn sources(folder: &std::path::Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            text += &sources(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text += &std::fs::read_to_string(&path).expect("a source file");
        }
    }
    text
}

/// Crates without tests among their sources say `test = false`, those without code in their documentation `doctest = false`: each would be built once more for
/// nothing. Nobody may write a test where that is said, for it would never run.
#[test]
fn every_test_in_the_sources_is_built() {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .expect("cargo metadata runs");
    for package in &metadata.packages {
        let Some(library) = package.targets.iter().find(|target| target.is_lib()) else {
            continue;
        };
        let folder = library.src_path.parent().expect("a file in a folder");
        let text = sources(folder.as_std_path());
        let has_tests = text.lines().any(|line| line.trim() == "#[test]");
        let has_code = text.lines().any(|line| {
            let line = line.trim();
            let comment = line.strip_prefix("//!").or_else(|| line.strip_prefix("///"));
            comment.is_some_and(|comment| {
                let comment = comment.trim();
                comment.starts_with("```") && !comment.starts_with("```text")
            })
        });
        let name = &package.name;
        assert!(library.test || !has_tests, "{name}: remove `test = false`");
        assert!(library.doctest || !has_code, "{name}: remove `doctest = false`");
    }
}
