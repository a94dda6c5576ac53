//! `entail sat`: verdicts against truth tables, models evaluated, cores solved again, errors at their place.

mod program;

use program::Program;
use std::path::Path;

struct Formula {
    variables: u32,
    clauses: Vec<Vec<i32>>,
}

impl Formula {
    /// Pseudo-random clauses over a few variables.
    fn random(seed: u64) -> Formula {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % bound
        };
        let variables = 3 + below(6) as u32;
        let clauses = (0..u64::from(variables) * (2 + below(4)))
            .map(|_| {
                let length = 1 + below(3) + u64::from(below(4) > 0);
                let literal = |_| {
                    let variable = 1 + below(u64::from(variables)) as i32;
                    if below(2) == 0 { variable } else { -variable }
                };
                (0..length).map(literal).collect()
            })
            .collect();
        Formula { variables, clauses }
    }

    fn write(&self, path: &Path) {
        let mut text = format!("p cnf {} {}\n", self.variables, self.clauses.len());
        for clause in &self.clauses {
            let literals: Vec<String> = clause.iter().map(i32::to_string).collect();
            text += &format!("{} 0\n", literals.join(" "));
        }
        std::fs::write(path, text).expect("written");
    }

    fn models(&self) -> usize {
        let holds =
            |bits: u32, literal: &i32| (bits >> (literal.unsigned_abs() - 1) & 1 == 1) == (*literal > 0);
        (0..1u32 << self.variables)
            .filter(|&bits| {
                let true_in = |clause: &Vec<i32>| clause.iter().any(|literal| holds(bits, literal));
                self.clauses.iter().all(true_in)
            })
            .count()
    }
}

#[test]
fn every_model_is_found_and_every_core_is_contradictory() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, core) = (folder.path().join("f.cnf"), folder.path().join("core.cnf"));
    let mut contradictory = 0;
    for seed in 1..60 {
        let formula = Formula::random(seed);
        formula.write(&path);
        let models = formula.models();
        let run = Program::new()
            .args(["sat", "--models", "1000", "--core"])
            .arg(&core)
            .arg(&path)
            .run();
        if models == 0 {
            contradictory += 1;
            assert_eq!(run.status, 20, "seed {seed}: {}{}", run.stdout, run.stderr);
            let again = Program::new().args(["sat"]).arg(&core).run();
            assert_eq!(again.status, 20, "seed {seed}: {}", again.stdout);
        } else {
            assert_eq!(run.status, 10, "seed {seed}: {}{}", run.stdout, run.stderr);
            let said = run.stdout.lines().filter(|line| line.starts_with('v')).count();
            assert_eq!(said, models, "seed {seed}");
            assert!(run.stdout.contains("no others"), "seed {seed}");
        }
    }
    assert!(contradictory > 5, "{contradictory}");
}

#[test]
fn wrong_files_are_65_and_name_the_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong.cnf");
    std::fs::write(&path, "p cnf 3 1\n1 5 0\n").expect("written");
    let run = Program::new().args(["sat"]).arg(&path).run();
    assert_eq!(run.status, 65);
    assert!(
        run.stderr.contains("variable 5 is not declared"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("wrong.cnf:2:3"), "{}", run.stderr);
    let run = Program::new().args(["sat", "no-such-file.cnf"]).run();
    assert_eq!(run.status, 65);
}
