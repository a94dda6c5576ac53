//! Saved runs of programs that were changed at random: `certify` never accepts one for a requirement that holds, and never crashes. `ENTAIL_EFFORT` times
//! as many as usual.

mod program;

use entail_evidence::json::sealed;
use program::{Program, bytes_file, effort, text_file};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::Value;

const PROGRAMS: [&str; 2] = [
    "byte x; chan c = [1] of { byte };
active proctype p() { do :: x < 5 -> x++; c!x :: x == 5 -> break od }
active proctype q() { byte y; do :: c?y -> if :: y == 3 -> x = 0 :: else fi od }
ltl bounded { [] (x <= 5) }
ltl returns { [] <> (x == 0) }
ltl small { [] (x < 4) }
",
    "mtype = { red, green }; mtype light = red; bool waits;
active proctype lamp() { do :: light == red -> atomic { light = green; waits = false } :: light = red od }
active proctype car() { do :: waits = true; light == green; assert(light == green || waits) od }
ltl goes { [] (waits -> <> !waits) }
ltl colours { [] (light == red || light == green) }
ltl stays { <> [] (light == red) }
",
];

fn change(json: &mut Value, random: &mut StdRng) {
    match json {
        Value::Object(map) if !map.is_empty() => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let key = keys.choose(random).expect("a key");
            match random.random_range(0..12) {
                0 => drop(map.shift_remove(key)),
                _ => change(&mut map[key.as_str()], random),
            }
        }
        Value::Array(list) if !list.is_empty() => {
            let at = random.random_range(0..list.len());
            match random.random_range(0..6) {
                0 => drop(list.remove(at)),
                1 => list.insert(at, list[at].clone()),
                2 => list.truncate(at),
                _ => change(&mut list[at], random),
            }
        }
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or(0);
            *json = [number + 1, number - 1, 0, 255, 1 << 40]
                .choose(random)
                .copied()
                .expect("some")
                .into();
        }
        Value::Bool(truth) => *json = (!*truth).into(),
        Value::String(_) => {
            *json = ["fails", "holds", "run", "weak", "x"]
                .choose(random)
                .copied()
                .expect("some")
                .into()
        }
        other => *other = random.random_range(0..4).into(),
    }
}

#[test]
fn changed_runs_are_never_accepted_for_what_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut random = StdRng::seed_from_u64(14);
    let (mut cases, mut accepted) = (0, 0);
    for (number, text) in PROGRAMS.iter().enumerate() {
        let model = text_file(text, ".pml");
        let evidence = folder.path().join(number.to_string());
        let run = Program::check(&model)
            .args(["--json", "--evidence"])
            .arg(&evidence)
            .run();
        let answer = run.json().expect("a document");
        let answers = answer["properties"].as_array().expect("a list");
        let files: Vec<Value> = std::fs::read_dir(&evidence)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            // (Beside each run there is the same as a trail of SPIN's.)
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .map(|path| std::fs::read_to_string(path).expect("readable"))
            .map(|text| serde_json::from_str(&text).expect("JSON"))
            .collect();
        let broken: Vec<&Value> = files.iter().filter(|file| file["verdict"] == "fails").collect();
        assert!(!broken.is_empty(), "{}", run.stdout);
        for _ in 0..40 * effort() {
            let mut file = (*broken.choose(&mut random).expect("a run")).clone();
            match random.random_range(0..3) {
                0 => file["property"] = files.choose(&mut random).expect("a file")["property"].clone(),
                1 => file["evidence"] = files.choose(&mut random).expect("a file")["evidence"].clone(),
                _ => {
                    for _ in 0..random.random_range(1..4) {
                        change(&mut file["evidence"], &mut random);
                    }
                }
            }
            file.as_object_mut().expect("an object").shift_remove("checksum");
            let claim = (
                file["property"]["name"].clone(),
                file["property"]["formula"].clone(),
                file["verdict"].clone(),
            );
            let path = bytes_file(folder.path(), "changed.json", sealed(file).as_bytes());
            let run = Program::new().arg("certify").arg(&model).arg(&path).run();
            cases += 1;
            assert!(
                [0, 1, 2, 65].contains(&run.status),
                "{} {}",
                run.status,
                run.stderr
            );
            if run.status == 0 {
                accepted += 1;
                let truth = answers
                    .iter()
                    .find(|one| one["name"] == claim.0 && one["formula"] == claim.1);
                assert_eq!(
                    truth.map(|one| &one["verdict"]),
                    Some(&claim.2),
                    "accepted, and false: {claim:?}"
                );
            }
        }
    }
    eprintln!("{cases} changed files, {accepted} of them still true and accepted");
}
