//! Whole-program tests of searches over several processes.

mod cluster;
mod program;

use cluster::{MODEL, hosts};
use program::{Program, text_file};

#[test]
fn processes_together_answer_as_one_does() {
    let model = text_file(MODEL, ".pml");
    let hosts = hosts(3);
    let alone = Program::check(&model).args(["--no-reduction", "--json"]).run();
    let together = Program::check(&model)
        .args(["--distributed", &hosts.to_string_lossy(), "--json"])
        .run();
    assert_eq!((alone.status, together.status), (1, 1), "{}", together.stderr);
    let verdicts = |run: &program::Run| -> Vec<String> {
        let json = run
            .json()
            .unwrap_or_else(|| panic!("{}{}", run.stdout, run.stderr));
        let properties = json["properties"].as_array().expect("a list").clone();
        properties
            .iter()
            .map(|property| property["verdict"].to_string())
            .collect()
    };
    assert_eq!(verdicts(&alone), verdicts(&together));
    let states = |run: &program::Run| {
        run.json()
            .map(|json| json["properties"][0]["statistics"]["states"].clone())
    };
    assert_eq!(states(&alone), states(&together));
}

#[test]
fn a_process_has_as_many_threads_as_it_is_told() {
    let model = text_file(MODEL, ".pml");
    let hosts = hosts(2);
    let run = Program::check(&model)
        .args([
            "--distributed",
            &hosts.to_string_lossy(),
            "--threads",
            "2",
            "--json",
        ])
        .run();
    assert_eq!(run.status, 1, "{}", run.stderr);
    assert_eq!(run.verdicts(), ["holds", "fails", "holds"]);
}

#[test]
fn a_limit_of_time_is_one_for_each_property() {
    let (model, hosts) = (cluster::large_model(), hosts(2));
    let run = Program::check(&model)
        .args([
            "--distributed",
            &hosts.to_string_lossy(),
            "--property-timeout",
            "1500ms",
            "--json",
        ])
        .run();
    assert_eq!(run.status, 2, "{}", run.stderr);
    assert_eq!(run.verdicts(), ["unknown"; 3]);
    let json = run.json().expect("it is JSON");
    for property in json["properties"].as_array().expect("a list") {
        // What all could spend together would have been spent on the first.
        assert!(
            property["statistics"]["states"]
                .as_u64()
                .is_some_and(|states| states > 1),
            "{property}"
        );
        assert!(
            property["reason"]
                .as_str()
                .is_some_and(|reason| reason.contains("1.500 s")),
            "{property}"
        );
    }
}

#[test]
fn wrong_addresses_are_refused() {
    let model = text_file(MODEL, ".pml");
    for (text, message) in [
        ("", "has no addresses"),
        ("localhost\n", "line 1: `localhost` is no address"),
        (
            "# two\nlocalhost:4000\nlocalhost:4000\n",
            "line 3: localhost:4000 is there twice",
        ),
    ] {
        let hosts = text_file(text, ".txt");
        let run = Program::check(&model)
            .args(["--distributed", &hosts.to_string_lossy()])
            .run();
        assert_eq!(run.status, 65, "{}", run.stderr);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}
