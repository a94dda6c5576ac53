//! Games and synthesis through the program: the examples of the handbook's chapters 26 and 27, solutions of others, circuits, errors at their place.

mod program;

use program::{Program, example, text_file};
use serde_json::json;
use std::path::Path;

fn certified(model: &Path, evidence: &Path) -> (i32, String) {
    let run = Program::new().args(["certify"]).arg(model).arg(evidence).run();
    (run.status, run.stdout + &run.stderr)
}

#[test]
fn chapter_27_example_1_the_buchi_game_has_the_known_regions() {
    let game = example("games/buchi.pg");
    for solver in [
        "auto",
        "zielonka",
        "fixpoint-iteration",
        "priority-promotion",
        "tangle-learning",
        "recursive-tangle-learning",
        "progress-measures",
        "strategy-improvement",
    ] {
        let run = Program::new()
            .args(["solve", "--json", "--solver", solver])
            .arg(&game)
            .run();
        let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
        assert_eq!(json["evidence"]["even"], serde_json::json!([5, 6, 7]), "{solver}");
        assert_eq!(
            json["evidence"]["odd"],
            serde_json::json!([0, 1, 2, 3, 4]),
            "{solver}"
        );
        assert_eq!(json["checked"], true, "{solver}");
    }
    assert_eq!(Program::check(&game).arg("--json").run().verdicts(), ["holds"]);
}

#[test]
fn a_solution_is_accepted_and_the_trap_that_pgsolver_once_accepted_is_not() {
    let game = text_file("0 2 0 0;\n1 3 1 1;\n2 4 1 0,1;\n", ".pg");
    let folder = tempfile::tempdir().expect("a folder");
    let solution = folder.path().join("game.sol");
    let run = Program::new()
        .args(["solve"])
        .arg(&*game)
        .arg("-o")
        .arg(&solution)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let text = std::fs::read_to_string(&solution).expect("written");
    assert_eq!(text, "paritysol 2;\n0 0 0;\n1 1 1;\n2 1 1;\n");
    assert_eq!(certified(&game, &solution).0, 0);
    let trap = text_file("paritysol 2;\n0 0 0;\n1 1 1;\n2 0;\n", ".sol");
    let (status, said) = certified(&game, &trap);
    assert_eq!(status, 1);
    assert!(said.contains("odd escapes from vertex 2"), "{said}");
    let foreign = text_file("paritysol 2;\n0 0 7;\n", ".sol");
    let (status, said) = certified(&game, &foreign);
    assert_eq!(status, 65);
    assert!(
        said.contains("line 2, column 5: the game has no vertex 7"),
        "{said}"
    );
}

#[test]
fn games_are_known_by_their_beginning_and_read_from_compressed_files() {
    let bare = text_file("parity 1;\n0 1 0 1;\n1 0 1 0;\n", "");
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("game");
    std::fs::copy(&bare, &plain).expect("writable");
    assert_eq!(Program::check(&plain).arg("--json").run().verdicts(), ["fails"]);
    let wrong = text_file("parity 1;\n0 1 0 1;\n1 0 1 5;\n", ".gm");
    let run = Program::check(&wrong).run();
    assert_eq!(run.status, 65);
    assert!(run.stderr.contains("there is no vertex 5"), "{}", run.stderr);
}

#[test]
fn whoever_plays_against_the_winner_is_told_that_it_loses() {
    let run = Program::new()
        .args(["play"])
        .arg(example("games/buchi.pg"))
        .input("1\n1\nq\n")
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("You are odd"), "{}", run.stdout);
    assert!(run.stdout.contains("here again"), "{}", run.stdout);
    assert!(
        run.stdout
            .ends_with("even wins from vertex 5 \"s5\", whatever odd does\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn saved_evidence_of_a_game_is_accepted_and_damaged_evidence_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = example("games/three_vertices.pg");
    Program::check(&game).arg("--evidence").arg(folder.path()).run();
    let file = std::fs::read_dir(folder.path())
        .expect("a folder")
        .flatten()
        .find(|entry| {
            entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "json")
        });
    let file = file.expect("saved").path();
    assert_eq!(certified(&game, &file).0, 0);
    let text = std::fs::read_to_string(&file).expect("readable");
    std::fs::write(&file, text.replace("2 1 1;", "2 1 0;")).expect("writable");
    assert_ne!(certified(&game, &file).0, 0);
}

fn synthesized(arguments: &[&str]) -> program::Run {
    Program::new().args(["synth"]).args(arguments).run()
}

#[test]
fn chapter_27_the_arbiter_and_the_safety_example_are_realizable() {
    let formula = "G(!g1 | !g2) & G(r1 -> F g1) & G(r2 -> F g2)";
    for semantics in ["mealy", "moore"] {
        let run = synthesized(&[
            "--formula",
            formula,
            "--inputs",
            "r1,r2",
            "--semantics",
            semantics,
        ]);
        assert_eq!(
            (run.status, run.stdout.lines().next()),
            (0, Some("realizable")),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("checked"), "{}", run.stderr);
        assert!(
            run.stdout.contains("\naag ") && run.stdout.contains("o1 g2"),
            "{}",
            run.stdout
        );
    }
    let safety = synthesized(&[
        "--formula",
        "G(r -> g | X g)",
        "--outputs",
        "g",
        "--semantics",
        "moore",
        "-q",
    ]);
    assert_eq!((safety.status, safety.stdout.as_str()), (0, "realizable\n"));
}

#[test]
fn a_specification_and_its_circuit_belong_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let circuit = folder.path().join("out.aag");
    let arbiter = example("synthesis/arbiter.tlsf");
    let run = Program::new()
        .args(["synth", "--parameter", "n=3", "-o"])
        .arg(&circuit)
        .arg(&arbiter)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let certify = |parameter: &str| {
        let run = Program::new()
            .args(["certify", "--parameter", parameter])
            .arg(&arbiter)
            .arg(&circuit)
            .run();
        (run.status, run.stdout)
    };
    assert_eq!(certify("n=3"), (0, "accepted: holds  realizable\n".to_owned()));
    // A circuit for three clients is none for two, and one that grants at random is none at all.
    assert_eq!(certify("n=2").0, 1);
    std::fs::write(
        &circuit,
        "aag 2 2 0 2 0\n2\n4\n2\n4\ni0 r_0\ni1 r_1\no0 g_0\no1 g_1\n",
    )
    .expect("writable");
    let (status, said) = certify("n=2");
    assert_eq!(status, 1);
    assert!(
        said.contains("a run of the circuit violates the specification"),
        "{said}"
    );
}

#[test]
fn a_circuit_in_binary_is_the_one_in_ascii() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |extension: &str| {
        let file = folder.path().join("machine").with_extension(extension);
        let run = Program::new()
            .args(["synth", "-o"])
            .arg(&file)
            .arg(example("synthesis/arbiter.tlsf"))
            .run();
        assert_eq!(run.status, 0, "{}", run.stderr);
        let bytes = std::fs::read(&file).expect("written");
        let circuit = entail_aiger::read(extension, &bytes).expect("a circuit");
        (bytes, entail_aiger::write_ascii(&circuit))
    };
    let (binary, circuit) = written("aig");
    assert!(binary.starts_with(b"aig "));
    assert_eq!(circuit, written("aag").1);
}

#[test]
fn a_game_with_more_than_64_priorities_is_decided_and_its_machine_is_checked() {
    // Priorities go up as long as the machine likes; it must stop at an even one. Every edge has a priority of its own.
    let condition = (0..100).fold(String::new(), |inner, set| match (set % 2, inner.is_empty()) {
        (0, true) => format!("Inf({set})"),
        (0, false) => format!("Inf({set}) | ({inner})"),
        _ => format!("Fin({set}) & ({inner})"),
    });
    let states: String = (0..100)
        .map(|state| {
            format!(
                "State: {state} {{{state}}}\n[0] {}\n[!0] {state}\n",
                (state + 1) % 100
            )
        })
        .collect();
    let text = |start: usize| {
        format!(
            "HOA: v1\nStates: 100\nStart: {start}\nAP: 1 \"up\"\ncontrollable-AP: 0\nAcceptance: 100 {condition}\n--BODY--\n{states}--END--\n"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ladder.ehoa");
    std::fs::write(&file, text(71)).expect("writable");
    let run = Program::check(&file).run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(!run.stdout.contains("not rechecked"), "{}", run.stdout);
    // Uncontrollable, the same is lost.
    std::fs::write(&file, text(71).replace("controllable-AP: 0", "controllable-AP:")).expect("writable");
    assert_eq!(Program::check(&file).run().status, 1);
}

#[test]
fn machines_are_written_in_every_format_and_the_module_satisfies_the_formula() {
    let folder = tempfile::tempdir().expect("a folder");
    let written = |specification: &str, extension: &str| {
        let file = folder.path().join("machine").with_extension(extension);
        let run = Program::new()
            .args(["synth"])
            .arg(example(specification))
            .arg("-o")
            .arg(&file)
            .run();
        assert!([0, 1].contains(&run.status), "{extension}: {}", run.stderr);
        std::fs::read_to_string(&file).expect("written")
    };
    for (extension, begins) in [
        ("aag", "aag "),
        ("v", "module machine(clock, reset, r_0, r_1, g_0, g_1);"),
        ("dot", "digraph machine {"),
        ("hoa", "HOA: v1\n"),
        ("kiss", ".i 2\n.o 2\n"),
    ] {
        let text = written("synthesis/arbiter.tlsf", extension);
        assert!(text.starts_with(begins), "{text}");
    }
    // The environment's machine is a module, too: whatever the umbrella does, the weather contradicts it.
    for (specification, formula) in [
        (
            "synthesis/arbiter.tlsf",
            "G !(g_0 & g_1) & G (r_0 -> F g_0) & G (r_1 -> F g_1)",
        ),
        ("synthesis/prophet.tlsf", "! G (umbrella <-> X rain)"),
    ] {
        let module = written(specification, "smv") + "LTLSPEC " + formula + "\n";
        let file = text_file(&module, ".smv");
        let run = Program::check(&file).arg("--json").run();
        assert_eq!(run.verdicts(), ["holds"], "{module}");
    }
}

#[test]
fn the_environment_has_a_machine_where_nobody_can_win() {
    let prophet = example("synthesis/prophet.tlsf");
    assert_eq!(Program::check(&prophet).arg("--json").run().verdicts(), ["fails"]);
    let folder = tempfile::tempdir().expect("a folder");
    let circuit = folder.path().join("env.aag");
    let run = Program::new()
        .args(["synth"])
        .arg(&prophet)
        .arg("-o")
        .arg(&circuit)
        .run();
    assert_eq!((run.status, run.stdout.as_str()), (1, "unrealizable\n"));
    assert_eq!(certified(&prophet, &circuit).0, 0);
    // The environment must not look at the output of the same step.
    std::fs::write(&circuit, "aag 1 1 0 1 0\n2\n3\ni0 umbrella\no0 rain\n").expect("writable");
    let (status, said) = certified(&prophet, &circuit);
    assert_eq!(status, 1);
    assert!(said.contains("decided later"), "{said}");
}

#[test]
fn automata_with_controllable_propositions_are_games() {
    let elevator = example("synthesis/elevator.ehoa");
    let run = Program::check(&elevator).arg("--json").run();
    assert_eq!(run.verdicts(), ["holds"], "{}", run.stderr);
    let text = std::fs::read_to_string(&elevator).expect("an example");
    let cases = [
        (
            text.replace("controllable-AP: 1\n", ""),
            "does not say which propositions are controllable",
        ),
        (
            text.replace("controllable-AP: 1", "controllable-AP: 4"),
            "there is no proposition 4",
        ),
        (text.replace("[0 & !1] 1", "[0] 1"), "not deterministic"),
        (text.replace("[0 & !1] 1\n", ""), "not complete"),
    ];
    for (text, expected) in cases {
        let run = Program::check(&text_file(&text, ".ehoa")).run();
        assert_eq!(run.status, 65, "{expected}: {}", run.stdout);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}

#[test]
fn chapter_27_example_3_a_nondeterministic_automaton_is_never_split() {
    // It accepts every word, but guesses the next input: as a game it would be lost.
    let text = "HOA: v1\nStates: 4\nStart: 0\nAP: 1 \"r\"\ncontrollable-AP:\nacc-name: parity max even 1\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[t] 1\n[t] 2\nState: 1 {0}\n[0] 0\n[!0] 3\nState: 2 {0}\n[!0] 0\n[0] 3\nState: 3\n[t] 3\n--END--\n";
    let run = Program::check(&text_file(text, ".ehoa")).run();
    assert_eq!(run.status, 65);
    assert!(run.stderr.contains("not deterministic"), "{}", run.stderr);
}

#[test]
fn wrong_specifications_are_explained() {
    let cases = [
        (vec!["--formula", "G(a -> F b)"], "--inputs and --outputs"),
        (
            vec!["--formula", "G(a -> F b)", "--inputs", "a", "--outputs", "c"],
            "`b` is neither an input nor an output",
        ),
        (
            vec!["--formula", "G(a -> F b)", "--inputs", "a", "--outputs", "a,b"],
            "both an input and an output",
        ),
        (vec!["--formula", "G(a -> ", "--inputs", "a"], "expected"),
        (vec![], "give a specification"),
    ];
    for (arguments, expected) in cases {
        let run = synthesized(&arguments);
        assert!([64, 65].contains(&run.status), "{arguments:?}: {}", run.stdout);
        assert!(run.stderr.contains(expected), "{arguments:?}: {}", run.stderr);
    }
    let arbiter = example("synthesis/arbiter.tlsf");
    let run = Program::check(&arbiter).args(["--parameter", "m=3"]).run();
    assert!(
        run.stderr.contains("no parameter `m`; it has n"),
        "{}",
        run.stderr
    );
    let run = Program::check(&arbiter).args(["--parameter", "n"]).run();
    assert_eq!(run.status, 64, "{}", run.stderr);
}

#[test]
fn games_with_other_objectives_are_solved_and_their_evidence_is_certified() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["requests.game", "battery.game"] {
        let game = example(&format!("games/{name}"));
        let saved = folder.path().join(name);
        let run = Program::check(&game)
            .arg("--json")
            .arg("--evidence")
            .arg(&saved)
            .run();
        assert_eq!(run.verdicts(), ["holds"], "{name}");
        let json = run.json().expect("a report");
        assert_eq!(json["properties"][0]["evidence"]["checked"], true, "{name}");
        let file = std::fs::read_dir(&saved).expect("a folder").flatten().next();
        let file = file.expect("saved").path();
        assert_eq!(certified(&game, &file).0, 0, "{name}");
        let text = std::fs::read_to_string(&file).expect("readable");
        let mut document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let winner = &mut document["evidence"]["positions"][0][2];
        assert!(winner.is_number(), "{name}");
        *winner = serde_json::json!(1 - winner.as_u64().expect("0 or 1"));
        std::fs::write(&file, document.to_string()).expect("writable");
        assert_ne!(certified(&game, &file).0, 0, "{name}");
    }
    // The Büchi game of chapter 27, written with a set.
    let text = "objective buchi(b); start s5;
        even s0: s1; even s1: s0; odd s2 [b]: s1, s3; even s3: s2, s4; even s4: s3; even s5: s4, s6; even s6 [b]: s5, s7; odd s7: s6;";
    let game = text_file(text, ".game");
    let run = Program::check(&game).arg("--json").run();
    let json = run.json().expect("a report");
    let evidence = &json["properties"][0]["evidence"];
    assert_eq!(evidence["even"], serde_json::json!(["s5", "s6", "s7"]));
    let missing = text_file("objective buchi(c); even v: v;", ".game");
    let run = Program::check(&missing).run();
    assert_eq!(run.status, 65);
    assert!(
        run.stderr.contains("no vertex has the colour `c`"),
        "{}",
        run.stderr
    );
}

/// Evidence of several kinds, saved and read again; then one place of it is changed.
#[test]
fn evidence_of_concurrent_games_and_of_equation_systems_is_certified_or_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let sure = text_file(
        "objective buchi(b) & fin(c); both v: a/* -> w, b/x -> u, b/y -> v; even w [b]: v; even u [c]: u;",
        ".game",
    );
    for (at, file, list, damaged) in [
        (
            0,
            example("games/snowballs.game"),
            "chances",
            json!({"stage": 1, "answers": [0]}),
        ),
        (
            1,
            example("games/pennies.game"),
            "chances",
            json!({"rank": 0, "levels": []}),
        ),
        (2, sure.to_path_buf(), "positions", json!([0, 0, 0, [1], 0])),
        (
            3,
            example("games/mutual_exclusion.bes"),
            "positions",
            json!([1, null]),
        ),
    ] {
        let saved = folder.path().join(at.to_string());
        let run = Program::check(&file)
            .arg("--json")
            .arg("--evidence")
            .arg(&saved)
            .run();
        assert_eq!(run.verdicts(), ["holds"], "{}", run.stderr);
        let evidence = saved.join("property-1.json");
        assert_eq!(certified(&file, &evidence).0, 0, "{list}");
        let text = std::fs::read_to_string(&evidence).expect("readable");
        let mut document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        document["evidence"][list][0] = damaged;
        std::fs::write(&evidence, document.to_string()).expect("writable");
        assert_ne!(certified(&file, &evidence).0, 0, "{list} {at}");
    }
}

/// Where only realizability is asked the evidence of GR(1) is ranks; a machine is made on demand.
#[test]
fn ranks_of_recurring_goals_are_certified_or_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let lost = text_file(
        "[INPUT]\nr\n[OUTPUT]\ng\n[SYS_TRANS]\n! ^ r' g'\n[ENV_LIVENESS]\nr\n[SYS_LIVENESS]\n! g\n",
        ".slugsin",
    );
    let forgiving = text_file(
        "INFO { TITLE: \"\" DESCRIPTION: \"\" SEMANTICS: Mealy TARGET: Mealy }\nMAIN { INPUTS { r; } OUTPUTS { g; } ASSUMPTIONS { G F r; } GUARANTEES { G (r -> X g); G F g; } }",
        ".tlsf",
    );
    for (at, file, verdict) in [
        (0, example("synthesis/patrol.slugsin"), "holds"),
        (1, lost.to_path_buf(), "fails"),
        (2, forgiving.to_path_buf(), "holds"),
    ] {
        let saved = folder.path().join(at.to_string());
        let run = Program::check(&file)
            .arg("--json")
            .arg("--evidence")
            .arg(&saved)
            .run();
        assert_eq!(run.verdicts(), [verdict], "{}", run.stderr);
        let document = run.json().expect("JSON");
        assert_eq!(
            document["properties"][0]["evidence"]["kind"], "ranks",
            "{document}"
        );
        let evidence = saved.join("property-1.json");
        assert_eq!(certified(&file, &evidence).0, 0);
        let text = std::fs::read_to_string(&evidence).expect("readable");
        let mut document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let ranks = &mut document["evidence"]["ranks"];
        match verdict {
            "holds" => ranks["goals"][0] = json!([]),
            _ => ranks["layers"] = json!([]),
        }
        std::fs::write(&evidence, document.to_string()).expect("writable");
        assert_ne!(certified(&file, &evidence).0, 0);
        let machine = Program::check(&file).args(["--machine", "--json"]).run();
        let document = machine.json().expect("JSON");
        assert_eq!(document["properties"][0]["verdict"], verdict);
        assert_eq!(
            document["properties"][0]["evidence"]["kind"], "machine",
            "{document}"
        );
    }
}

#[test]
fn games_with_simultaneous_moves_are_played() {
    let pennies = example("games/pennies.game");
    let played = Program::new()
        .arg("play")
        .arg(&pennies)
        .input("1\n2\n1\nq\n")
        .run();
    assert!(
        played.stdout.contains("You are odd"),
        "{}{}",
        played.stdout,
        played.stderr
    );
    assert!(played.stdout.contains("you heads, Entail "), "{}", played.stdout);
    assert!(
        played.stdout.contains("with probability one"),
        "{}",
        played.stdout
    );
    // Without dice each action of even has an answer.
    let sure = text_file(
        "objective reach(match); start again; both again: heads/heads -> done, tails/tails -> done, */* -> again; even done [match]: done;",
        ".game",
    );
    let played = Program::new().arg("play").arg(&*sure).input("1\n2\nq\n").run();
    assert!(
        played.stdout.contains("You are even"),
        "{}{}",
        played.stdout,
        played.stderr
    );
    assert!(
        played.stdout.contains("you heads, Entail tails: to again"),
        "{}",
        played.stdout
    );
    assert!(
        played.stdout.contains("you tails, Entail heads: to again"),
        "{}",
        played.stdout
    );
}

/// Equation 1 of chapter 26 and hierarchical systems: a game becomes a graph with a formula, a system of equations, and a game again, and all agree.
#[test]
fn a_game_is_a_formula_and_a_system_of_equations() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let convert = |from: &Path, to: &Path| {
        let run = Program::new().arg("convert").arg(from).arg(to).run();
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stderr
    };
    for (game, verdict) in [("games/buchi.pg", "holds"), ("games/three_vertices.pg", "fails")] {
        let game = example(game);
        convert(&game, &file("g.bes"));
        convert(&file("g.bes"), &file("g.pg"));
        for form in ["g.bes", "g.pg"] {
            assert_eq!(
                Program::check(&file(form)).arg("--json").run().verdicts(),
                [verdict],
                "{form}"
            );
        }
        let note = convert(&game, &file("g.json"));
        let formula = note
            .split("satisfy ")
            .nth(1)
            .expect("a formula")
            .lines()
            .next()
            .unwrap_or_default();
        let run = Program::check(&file("g.json"))
            .args(["--mu", formula, "--json"])
            .run();
        assert_eq!(run.verdicts(), [verdict], "{formula}: {}", run.stderr);
    }
}

#[test]
fn games_with_other_objectives_are_written_drawn_and_played() {
    let game = example("games/requests.game");
    let folder = tempfile::tempdir().expect("a folder");
    let solution = folder.path().join("game.sol");
    let run = Program::new()
        .args(["solve"])
        .arg(&game)
        .arg("-o")
        .arg(&solution)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let text = std::fs::read_to_string(&solution).expect("written");
    assert!(text.lines().any(|line| line.contains("even goes to")), "{text}");
    let drawn = Program::new().args(["solve", "--dot"]).arg(&game).run();
    assert!(drawn.stdout.starts_with("digraph game {"), "{}", drawn.stdout);
    assert!(drawn.stdout.contains("penwidth=3"), "{}", drawn.stdout);
    let played = Program::new()
        .args(["play"])
        .arg(&game)
        .input("0\n1\n0\nq\n")
        .run();
    assert!(
        played.stdout.contains("You are odd"),
        "{}{}",
        played.stdout,
        played.stderr
    );
    assert!(
        played.stdout.contains("even wins from vertex"),
        "{}",
        played.stdout
    );
}

#[test]
fn chapter_26_formulas_have_models_or_refutations() {
    let asked = |arguments: &[&str]| {
        let run = Program::new().arg("mu").args(arguments).arg("--json").run();
        let json = run.json().unwrap_or_else(|| panic!("{}", run.stderr));
        assert_eq!(json["checked"], true, "{arguments:?}: {json}");
        (run.status, json["answer"].as_str().unwrap_or("").to_owned())
    };
    for (arguments, status, answer) in [
        (
            ["sat", "nu Y. mu X. (p & <a>Y) | <a>X"].as_slice(),
            0,
            "satisfiable",
        ),
        (&["sat", "(mu X. [a]X) & (nu Y. <a>Y)"], 1, "unsatisfiable"),
        (&["valid", "<a*>p | [a*]!p"], 0, "valid"),
        (&["valid", "<!b>p | [!b]!p"], 0, "valid"),
        (&["equivalent", "A (F G p)", "AF AG p"], 1, "different"),
        (
            &[
                "equivalent",
                "mu X. nu Y. (p & <a>Y) | <a>X",
                "mu X. (nu Y. p & <a>Y) | <a>X",
            ],
            0,
            "equivalent",
        ),
    ] {
        assert_eq!(asked(arguments), (status, answer.to_owned()), "{arguments:?}");
    }
    let info = Program::new()
        .args(["mu", "info", "nu Y. mu X. <a>((p & Y) | X)"])
        .run();
    assert!(
        info.stdout.contains("alternation depth: 2 (Sigma 3, Pi 2)"),
        "{}",
        info.stdout
    );
    let wrong = Program::new().args(["mu", "sat", "mu X. !X"]).run();
    assert_eq!(wrong.status, 65, "{}", wrong.stderr);
}

#[test]
fn a_partner_is_found_by_division() {
    // The system offers a and b; the whole must do nothing but a for ever.
    let system = text_file(
        "des (0, 3, 2)\n(0, \"a\", 1)\n(1, \"a\", 0)\n(1, \"b\", 0)\n",
        ".aut",
    );
    let run = Program::new()
        .args(["mu", "quotient", "nu X. <a>X & [b]false"])
        .arg(&*system)
        .run();
    assert_eq!(run.status, 0, "{}", run.stderr);
    let divided = run.stdout.trim().to_owned();
    let partner = Program::new().args(["mu", "sat", &divided]).run();
    assert_eq!(partner.status, 0, "{divided}: {}", partner.stderr);
    assert!(partner.stdout.contains("a ->"), "{}", partner.stdout);
}

#[test]
fn a_smaller_machine_is_searched_for_and_checked() {
    let arbiter = example("synthesis/arbiter.tlsf");
    let arbiter = arbiter.to_string_lossy();
    let run = synthesized(&[&arbiter, "--minimize", "--timeout", "20s"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("realizable\naag "), "{}", run.stdout);
}
