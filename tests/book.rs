//! What the documentation says about the tree is true: links lead somewhere, paths exist, every crate has a README and is on the map.

mod program;

use program::root;
use std::path::{Path, PathBuf};

/// The pages: the book, the README files, what contributors read.
fn pages() -> Vec<PathBuf> {
    let root = root();
    let mut pages = vec![
        root.join("README.md"),
        root.join("CONTRIBUTING.md"),
        root.join("CHANGELOG.md"),
    ];
    let mut folders = vec![
        root.join("docs"),
        root.join("examples"),
        root.join("bench"),
        root.join("fuzz"),
    ];
    folders.extend(crates());
    for folder in folders {
        let files =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let files = files.map(|file| file.expect("a readable folder").path());
        pages.extend(files.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    pages
}

/// The folders of all crates.
fn crates() -> Vec<PathBuf> {
    let inside = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a readable folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let floors = inside(&root().join("crates"));
    let rooms = floors.iter().flat_map(|floor| inside(floor));
    rooms.filter(|room| room.join("Cargo.toml").exists()).collect()
}

/// What stands in the parentheses of links.
fn links(text: &str) -> Vec<String> {
    let prose = outside_of_code(text, 0).join(" ");
    let pieces = prose.split("](").skip(1);
    pieces
        .filter_map(|piece| piece.split_once(')'))
        .map(|(link, _)| link.to_owned())
        .collect()
}

/// What stands between backquotes on a line, outside of blocks of code.
fn quoted(text: &str) -> Vec<&str> {
    outside_of_code(text, 1)
}

/// Of the lines outside of blocks of code, divided at backquotes, every second piece.
fn outside_of_code(text: &str, first: usize) -> Vec<&str> {
    let mut is_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        match line.trim_start().starts_with("```") {
            true => is_code = !is_code,
            false if !is_code => found.extend(line.split('`').skip(first).step_by(2)),
            false => {}
        }
    }
    found
}

#[test]
fn links_lead_to_files() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        for link in links(&text) {
            let file = link.split('#').next().unwrap_or("");
            let is_here = !file.is_empty() && !file.contains("://");
            if is_here && !page.parent().expect("a folder").join(file).exists() {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Folders whose paths are written from the root on.
const TOP: [&str; 6] = ["crates/", "docs/", "examples/", "tests/", "bench/", "fuzz/"];

/// Names in the walks of `CONTRIBUTING.md` that only whoever follows them makes.
const INVENTED: [&str; 2] = ["crates/languages/fsm", "crates/engines/NAME"];

#[test]
fn paths_exist() {
    let mut missing = Vec::new();
    for page in pages() {
        let folder = page.parent().expect("a folder").to_owned();
        let text = std::fs::read_to_string(&page).expect("a page");
        for path in quoted(&text) {
            let is_path = TOP.iter().any(|top| path.starts_with(top))
                && !path.contains([' ', '*', '{', '<', ':', '$'])
                && !INVENTED.iter().any(|name| path.starts_with(name));
            // (In a crate's own README, `tests/` is the crate's.)
            if is_path && !root().join(path).exists() && !folder.join(path).exists() {
                missing.push(format!("{}: {path}", page.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_crate_has_a_readme_and_is_on_the_map() {
    let map = std::fs::read_to_string(root().join("docs/architecture.md")).expect("the map");
    let rooms = crates();
    assert!(rooms.len() > 20, "the crates are missing");
    for room in rooms {
        assert!(
            room.join("README.md").exists(),
            "{} has no README",
            room.display()
        );
        let (_, name) = room
            .to_str()
            .and_then(|path| path.split_once("crates/"))
            .expect("a crate");
        let name = name.rsplit("crates/").next().unwrap_or(name);
        assert!(
            map.contains(&format!("`crates/{name}`")),
            "{name} is not in docs/architecture.md"
        );
    }
}
