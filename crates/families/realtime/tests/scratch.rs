use entail_budget::Budget;
use entail_source::Source;
use entail_timed::{Engine, Settings};
use entail_timed_checker::judge;
use std::time::Duration;

#[test]
fn scratch() {
    let Ok(list) = std::env::var("UPP_FILES") else {
        return;
    };
    let seconds: u64 = std::env::var("UPP_SECONDS")
        .ok()
        .and_then(|t| t.parse().ok())
        .unwrap_or(2);
    for file in std::fs::read_to_string(list).expect("list").lines() {
        let Ok(bytes) = std::fs::read(file) else { continue };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let source = Source::new(file, text);
        let tell = |stage: &str, problems: &entail_source::Diagnostics| {
            let first = &problems.0[0];
            let place = source.place(first.span().start);
            println!(
                "{file}\t{stage}\t{}\t{}:{}\t{}",
                first.code, place.line, place.column, first.message
            );
        };
        let parsed = match entail_uppaal::parse(&source) {
            Ok(parsed) => parsed,
            Err(problems) => {
                tell("PARSE", &problems);
                continue;
            }
        };
        let mut translation = match entail_uppaal::Translation::new(&parsed.model, file) {
            Ok(translation) => translation,
            Err(problems) => {
                tell("TYPE", &problems);
                continue;
            }
        };
        println!(
            "{file}\tREAD\t{} processes {} edges {} clocks {} ints {} queries",
            translation.network().processes.len(),
            translation.network().edges.len(),
            translation.network().clocks.len(),
            translation.network().integers.len(),
            parsed.properties.len()
        );
        if seconds == 0 {
            continue;
        }
        let mut properties = parsed.properties.clone();
        let beside = std::path::Path::new(file).with_extension("q");
        if let Ok(text) = std::fs::read_to_string(&beside) {
            let list = Source::new("q", text);
            match entail_uppaal::queries(&list) {
                Ok(more) => properties.extend(more),
                Err(problems) => println!("{file}\tQFILE\t{}", problems.0[0].message),
            }
        }
        for property in &properties {
            let query = match translation.query(property) {
                Ok(query) => query,
                Err(problem) => {
                    println!(
                        "{file}\tQUERY\t{}\t{}\t{}",
                        problem.code, problem.message, property.text
                    );
                    continue;
                }
            };
            let network = translation.network();
            let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(seconds)));
            let start = std::time::Instant::now();
            match Engine::new(network, Settings::default()).check(&query, &budget) {
                Err(trouble) => println!("{file}\tFAULT\t{}\t{}", trouble.trouble.fault, property.text),
                Ok(answer) => {
                    let time = start.elapsed().as_millis();
                    let report = answer
                        .evidence
                        .as_ref()
                        .map(|proof| judge(network, &query, answer.verdict, proof, &budget));
                    println!(
                        "{file}\t{:?}\t{time} ms\t{report:?}\t{}\t{}",
                        answer.verdict,
                        property.text,
                        property.comment.clone().unwrap_or_default().replace('\n', " ")
                    );
                }
            }
        }
    }
}
