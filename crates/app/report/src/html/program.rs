//! The report about a program as one HTML page: verdicts, and of every run its message sequence chart, its steps and where they stand in
//! the text. Nothing in it is run, and nothing is loaded.

use super::escaped;
use crate::chart::{Chart, svg};
use crate::program::{ProgramReport, RequirementReport, shown_steps};
use crate::text::seconds;
use entail_program::{Event, Program};
use std::collections::BTreeSet;
use std::fmt::Write;

const STYLE: &str = include_str!("program.css");

/// Longer runs are shown without a chart.
const MOST_ROWS: usize = 2_000;

/// The page.
pub fn report(report: &ProgramReport<'_>) -> String {
    let title = escaped(report.name);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>{title} · Entail</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<table>\n"
    );
    for (number, answer) in report.requirements.iter().enumerate() {
        let verdict = answer.verdict().name();
        let text = escaped(&answer.requirement.text);
        let _ = writeln!(
            out,
            "<tr><td class=\"{verdict}\">{verdict}</td><td>{}</td><td>{}</td><td class=\"soft\">{} states, {}</td></tr>",
            match answer.replayed {
                Some(_) => format!("<a href=\"#p{number}\"><code>{text}</code></a>"),
                None => format!("<code>{text}</code>"),
            },
            escaped(answer.outcome.reason.as_deref().unwrap_or("")),
            answer.outcome.states,
            escaped(&seconds(answer.seconds))
        );
    }
    out.push_str("</table>\n");
    let mut used = BTreeSet::new();
    for (number, answer) in report.requirements.iter().enumerate() {
        run(report.program, number, answer, &mut used, &mut out);
    }
    for (file, source) in report.program.sources.iter().enumerate() {
        let _ = writeln!(out, "<h2>{}</h2>\n<pre>", escaped(source.name()));
        for (line, text) in source.text().lines().enumerate() {
            let class = match used.contains(&(source.name().to_owned(), line + 1)) {
                true => " class=\"used\"",
                false => "",
            };
            let _ = writeln!(
                out,
                "<span id=\"f{file}-{0}\"{class}><span class=\"soft\">{0:>4}</span>  {1}</span>",
                line + 1,
                escaped(text)
            );
        }
        out.push_str("</pre>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn run(
    program: &Program,
    number: usize,
    answer: &RequirementReport<'_>,
    used: &mut BTreeSet<(String, usize)>,
    out: &mut String,
) {
    let (Some(run), Some(replayed)) = (&answer.outcome.run, answer.replayed) else {
        return;
    };
    let _ = writeln!(
        out,
        "<h2 id=\"p{number}\"><code>{}</code></h2>",
        escaped(&answer.requirement.text)
    );
    if run.steps.len() <= MOST_ROWS {
        let chart = svg(&Chart::new(program, run, replayed));
        let _ = writeln!(out, "<div class=\"scroll\">\n{chart}</div>");
    }
    let steps = shown_steps(program, run, replayed);
    out.push_str("<details open><summary>steps</summary>\n<table class=\"mono\">\n");
    for (position, step) in steps.iter().enumerate() {
        let parties = [Some((&step.process, &step.place, &step.statement))]
            .into_iter()
            .chain([step
                .receiver
                .as_ref()
                .map(|(who, place, text)| (who, place, text))])
            .flatten();
        let changes: Vec<String> = step
            .changes
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let printed: String = replayed
            .events
            .get(position)
            .into_iter()
            .flatten()
            .filter_map(|event| match event {
                Event::Printed { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        for (party, (who, (file, line), statement)) in parties.enumerate() {
            used.insert((file.clone(), *line));
            let source = program.sources.iter().position(|source| source.name() == file);
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td><a href=\"#f{}-{line}\">line {line}</a></td><td>{}</td><td>{}</td><td class=\"soft\">{}</td></tr>",
                if party == 0 {
                    (position + 1).to_string()
                } else {
                    String::new()
                },
                escaped(who),
                source.unwrap_or(0),
                escaped(statement),
                if party == 0 {
                    escaped(&changes.join(", "))
                } else {
                    String::new()
                },
                if party == 0 {
                    escaped(printed.trim_end())
                } else {
                    String::new()
                },
            );
        }
    }
    out.push_str("</table>\n</details>\n");
    let ending = match run.loop_start {
        Some(start) if start == run.steps.len() => "The last state is repeated for ever.".to_owned(),
        Some(start) => format!("The run goes back to before step {}, for ever.", start + 1),
        None => match (&replayed.fault, replayed.situations.last()) {
            (Some(fault), _) => fault.to_string(),
            (None, Some(last)) => crate::program::stuck(program, &last.state),
            (None, None) => String::new(),
        },
    };
    let _ = writeln!(out, "<pre>{}</pre>", escaped(&ending));
}
