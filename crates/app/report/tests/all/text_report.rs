//! What people see at a terminal.

use crate::sample;
use entail_report::{html, saved, text, text::TextOptions};
use entail_show::{Move, Prominence, Shown, View};
use sample::{Sample, golden, long, program};

fn with(change: impl FnOnce(&mut TextOptions)) -> TextOptions {
    let mut options = TextOptions::default();
    change(&mut options);
    options
}

#[test]
fn a_report_has_a_line_a_property_and_shows_only_what_changes() {
    let sample = Sample::new();
    golden(
        "report.txt",
        &text::report(&sample.report(), &TextOptions::default()),
    );
}

#[test]
fn runs_show_who_moved_where_and_what_changed() {
    let sample = program();
    golden(
        "program.txt",
        &text::report(&sample.report(), &TextOptions::default()),
    );
    let everything = with(|options| {
        options.detail = true;
        options.sequence = true;
    });
    golden("program_detail.txt", &text::report(&sample.report(), &everything));
}

#[test]
fn every_verdict_comes_first_on_its_line() {
    for sample in [Sample::new(), program()] {
        for answer in &sample.report().answers {
            let text = text::answer(answer, &TextOptions::default());
            let word = text.split_whitespace().next();
            assert!(matches!(word, Some("holds" | "fails" | "unknown")), "{text}");
        }
    }
}

#[test]
fn colours_change_nothing_but_colours() {
    for sample in [Sample::new(), program()] {
        let report = sample.report();
        let plain = text::report(&report, &TextOptions::default());
        let coloured = text::report(&report, &with(|options| options.colour = true));
        let mut stripped = String::new();
        let mut rest = coloured.as_str();
        while let Some(start) = rest.find('\x1b') {
            stripped.push_str(&rest[..start]);
            let end = rest[start..].find('m').expect("a colour code ends") + start + 1;
            rest = &rest[end..];
        }
        stripped.push_str(rest);
        assert_eq!(stripped, plain);
        assert_ne!(plain, coloured);
    }
}

#[test]
fn long_timelines_are_folded_around_what_matters() {
    let mut sample = Sample::new();
    let mut timeline = long(200, 70);
    timeline.violation = Some(120);
    timeline.loop_start = Some(150);
    sample.given[1].heading.text = "G !flag".into();
    sample.given[1].shown = Shown::default().main(View::Timeline(timeline));
    let answer = sample.answer(1);
    let folded = text::answer(&answer, &TextOptions::default());
    golden("folded.txt", &folded);
    for step in ["step 0 ", "step 70 ", "step 120 ", "step 150 ", "step 199 "] {
        assert!(folded.contains(step), "{step}\n{folded}");
    }
    assert!(!folded.contains("step 100 "));
    assert_eq!(folded.matches("--full").count(), 1);
    let full = text::answer(&answer, &with(|options| options.full = true));
    assert!((0..200).all(|step| full.contains(&format!("step {step} "))) && !full.contains('…'));
}

#[test]
fn a_property_about_something_that_always_changes_is_folded_all_the_same() {
    let mut sample = Sample::new();
    sample.given[1].heading.text = "G count < 100000".into();
    sample.given[1].shown = Shown::default().main(View::Timeline(long(10_000, 70)));
    let folded = text::answer(&sample.answer(1), &TextOptions::default());
    assert!(folded.lines().count() < 40, "{folded}");
}

#[test]
fn a_long_run_is_folded_and_says_what_the_missing_steps_changed() {
    let mut run = long(101, 40);
    let step = Move {
        lane: "p(0)".into(),
        place: None,
        text: "count++".into(),
        ..Move::default()
    };
    run.moves = vec![step; 100];
    let text = text::timeline(&run, &TextOptions::default());
    let gap = text.lines().nth(3).expect("a gap");
    assert!(
        gap.contains("… 94 steps (--full shows them) …") && gap.ends_with("count = 97, flag = TRUE"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 7);
}

#[test]
fn columns_are_chosen_by_name() {
    let sample = Sample::new();
    let timeline = sample.timeline(1);
    let text = text::timeline(
        timeline,
        &with(|options| options.show = vec!["c1".into(), "both".into()]),
    );
    assert!(
        text.contains("c1 = waiting") && text.contains("both = FALSE") && !text.contains("c0"),
        "{text}"
    );
    let text = text::timeline(
        timeline,
        &with(|options| options.hide = vec!["c*".into(), "kick".into()]),
    );
    assert!(
        text.contains("turn") && !text.contains("c1") && !text.contains("kick"),
        "{text}"
    );
    let text = text::timeline(timeline, &with(|options| options.show = vec!["nobody".into()]));
    assert!(text.contains("nothing is called `nobody`"), "{text}");
}

#[test]
fn what_was_shown_already_is_not_shown_again() {
    let sample = program();
    let run = sample.timeline(1);
    let all = text::timeline(run, &TextOptions::default());
    let rest = text::timeline_from(run, 2, &TextOptions::default());
    assert!(all.ends_with(&rest) && rest.lines().count() == 2, "{rest}");
    let lasso = Sample::new();
    let rest = text::timeline_from(lasso.timeline(1), 3, &TextOptions::default());
    assert!(rest.starts_with("│ step 3   c0 = busy, turn = TRUE\n"), "{rest}");
}

#[test]
fn no_control_character_of_a_model_reaches_the_terminal() {
    let hostile = "a\x1b[2Jb\u{9b}31m\rc";
    let mut sample = Sample::with_names([hostile, "c1"]);
    sample.name = "m\x1b]0;title\x07.smv";
    for given in &mut sample.given {
        given.heading.text = format!("G {hostile}");
        given.heading.name = Some(hostile.into());
        given.answer.reason = Some(hostile.into());
        given.answer.warnings = vec![hostile.into()];
        given.shown.violated = vec![hostile.into()];
        given
            .shown
            .push(Prominence::Main, View::Notes(vec![hostile.into()]));
    }
    let report = sample.report();
    let text = text::report(&report, &with(|options| options.all_values = true));
    assert!(
        text.chars().all(|letter| letter == '\n' || !letter.is_control()),
        "{text:?}"
    );
    let coloured = text::report(&report, &with(|options| options.colour = true));
    assert!(!coloured.contains("\x1b[2J") && !coloured.contains(['\r', '\u{9b}', '\x07']));
}

/// The document of an answer, as it is saved.
fn document(sample: &Sample, answer: usize) -> serde_json::Value {
    let report = sample.report();
    let one = &report.answers[answer];
    let mut document = sample::saved::document(report.name, report.language, report.settings, one);
    saved::add_answer(&mut document, report.source, one);
    document
}

#[test]
fn saved_answers_are_shown_without_their_model_as_they_were_shown_with_it() {
    for sample in [Sample::new(), program()] {
        let report = sample.report();
        for (number, answer) in report.answers.iter().enumerate() {
            let text = sample::saved::text(&document(&sample, number));
            let read = saved::read(&text).expect("what was written");
            let options = with(|options| options.detail = true);
            let again = text::saved(&read, &options);
            // Further keys of the JSON report, which a line of the text may have, are not saved.
            let shown = text::answer(answer, &options);
            let without_head = |text: &str| text.lines().skip(1).collect::<Vec<_>>().join("\n");
            assert_eq!(without_head(&without_head(&again)), without_head(&shown));
            let page =
                |report: &entail_report::Report<'_>| html::report(report, &html::HtmlOptions::default());
            let page = page(&read.report().expect("an answer"));
            assert!(page.contains(&answer.heading.name.clone().unwrap_or_default()));
        }
    }
}

#[test]
fn a_walk_has_no_property() {
    let mut walk = serde_json::json!({"entail": "0", "model": "m.pml"});
    saved::add_walk(&mut walk, &program().given[0].shown);
    let walk = saved::read(&walk.to_string()).expect("a walk");
    assert!(walk.report().is_none());
    let moves = walk.shown.timeline().map(|timeline| timeline.moves.len());
    assert_eq!(moves, Some(3));
    assert!(text::saved(&walk, &TextOptions::default()).starts_with("a walk through m.pml\n"));
}

#[test]
fn what_is_no_saved_evidence_is_refused_with_the_place() {
    let refused = |text: &str| saved::read(text).expect_err("it is wrong");
    assert!(refused("{\"a\": ").contains("line 1"));
    assert!(refused("[]").contains("expected an object"));
    assert!(refused("{\"format\": \"other\"}").contains("`format`"));
    let good = document(&Sample::new(), 1);
    let changed = |pointer: &str, value: serde_json::Value| {
        let mut document = good.clone();
        *document.pointer_mut(pointer).expect("a place of the document") = value;
        refused(&document.to_string())
    };
    let timeline = "/view/shown/exhibits/0/view/content";
    assert!(changed(&format!("{timeline}/loop_start"), 9.into()).contains("`view.shown`"));
    assert!(changed(&format!("{timeline}/positions"), u64::MAX.into()).contains("too long"));
    assert!(changed("/view/shown/exhibits", 3.into()).contains("`view`"));
    assert!(changed("/view", serde_json::Value::Null).contains("entail certify"));
    assert!(changed("/verdict", "maybe".into()).contains("`verdict`"));
    assert!(changed("/property/logic", "maybe".into()).contains("`property.logic`"));
}
