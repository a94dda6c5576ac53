//! The page: well-formed, self-contained, and safe whatever the model's names are. Where Chromium is installed it is opened.

use crate::sample;
use entail_report::html::{self, HtmlOptions};
use entail_show::{Shown, View};
use sample::{Sample, program};
use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;

fn page(sample: &Sample) -> String {
    html::report(&sample.report(), &HtmlOptions::default())
}

fn alone() -> String {
    html::shown("a walk", &Shown::from(Sample::new().timeline(1).clone()))
}

/// The data inside the page.
fn data(page: &str) -> Json {
    let open = "<script type=\"application/json\" id=\"data\">";
    let start = page.find(open).expect("the page has data") + open.len();
    let end = start + page[start..].find("</script>").expect("the data ends");
    serde_json::from_str(&page[start..end]).expect("the data is JSON")
}

#[test]
fn the_page_needs_nothing_from_outside() {
    for page in [page(&Sample::new()), page(&program()), alone()] {
        for reference in [
            "http://",
            "https://",
            "src=",
            "@import",
            "url(http",
            "//cdn",
            "fetch(",
            "XMLHttpRequest",
            "innerHTML",
        ] {
            assert!(!page.contains(reference), "{reference}");
        }
        assert!(page.contains("Content-Security-Policy"));
    }
}

#[test]
fn tags_are_balanced() {
    for page in [page(&Sample::new()), page(&program()), alone()] {
        assert!(page.starts_with("<!DOCTYPE html>"));
        for tag in [
            "html", "head", "body", "style", "script", "title", "noscript", "svg", "template", "text",
        ] {
            let opened =
                page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
            let closed = page.matches(&format!("</{tag}>")).count();
            assert_eq!(opened, closed, "{tag}");
        }
    }
}

#[test]
fn hostile_names_stay_names() {
    let hostile = "</script><script>alert(1)</script><!--";
    let mut sample = Sample::with_names([hostile, "<img src=x onerror=alert(1)>"]);
    sample.given[0].heading.text = format!("G {hostile} & \u{2028}");
    sample.given[0].heading.name = Some("<b>bold</b>".into());
    let text = page(&sample);
    assert_eq!(text.matches("<script").count(), 2);
    assert!(!text.contains("<img") && !text.contains("<b>") && !text.contains("<!--"));
    let data = data(&text);
    assert_eq!(data["properties"][0]["text"], sample.given[0].heading.text);
    assert_eq!(data["properties"][1]["paths"][0]["signals"][0]["name"], hostile);
}

#[test]
fn hostile_names_stay_names_in_drawings() {
    let hostile = "</template></svg><script>alert(1)</script>";
    let mut sample = program();
    for exhibit in sample
        .given
        .iter_mut()
        .flat_map(|given| &mut given.shown.exhibits)
    {
        match &mut exhibit.view {
            View::Sequence(chart) => {
                chart.lanes[0].name = hostile.into();
                chart.rows[0].text = hostile.into();
                chart.arrows[0].channel = hostile.into();
            }
            View::Chart(chart) => {
                chart.x.label = hostile.into();
                chart.series[0].name = hostile.into();
            }
            _ => {}
        }
    }
    let text = page(&sample);
    assert_eq!(text.matches("<script").count(), 2);
    assert_eq!(text.matches("</template>").count(), 2);
}

#[test]
fn the_data_has_signals_subformulas_and_the_graph() {
    let data = data(&page(&Sample::new()));
    let lasso = &data["properties"][1]["paths"][0];
    assert_eq!(lasso["loop"], 2);
    let formulas = lasso["formulas"].as_array().expect("a list");
    // The whole formula is false from step 1 on (and so at step 0); `waiting` is true from step 1 on.
    assert_eq!(formulas[0]["at"], "0000");
    let waiting = formulas
        .iter()
        .find(|row| row["text"] == "c1 = waiting")
        .expect("an atom");
    assert_eq!(waiting["at"], "0111");
    assert_eq!(data["graph"]["nodes"].as_array().map(Vec::len), Some(18));
    assert_eq!(lasso["nodes"].as_array().map(Vec::len), Some(4));
    assert_eq!(data["properties"][2]["paths"][0]["violation"], 2);
    // The last state of that path is not one of the graph's.
    assert_eq!(data["properties"][2]["paths"][0]["nodes"][2], Json::Null);
    let tree = &data["properties"][3]["exhibits"][0]["tree"];
    assert_eq!(tree["children"][0]["claim"]["because"], "exhaustion");
    assert_eq!(data["sources"][0]["name"], "arbiter.smv");
}

#[test]
fn the_data_has_moves_drawings_and_places() {
    let data = data(&page(&program()));
    let path = &data["properties"][0]["paths"][0];
    assert_eq!(path["moves"][0]["partner"]["lane"], "receiver(1)");
    assert_eq!(
        path["moves"][0]["place"],
        serde_json::json!({"text": "line 3", "source": 0, "line": 3})
    );
    assert_eq!(path["moves"][0]["changes"], serde_json::json!(["got = 7"]));
    let kinds: Vec<&str> = data["properties"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|property| property["exhibits"].as_array().expect("a list"))
        .filter_map(|exhibit| exhibit["kind"].as_str())
        .collect();
    assert_eq!(
        kinds,
        ["path", "sequence", "source", "path", "table", "chart", "notes"]
    );
    assert_eq!(data["graph"], Json::Null);
}

#[test]
fn a_graph_that_is_too_large_is_explained_instead() {
    let mut sample = Sample::new();
    let options = HtmlOptions {
        graph_states: 5,
        ..HtmlOptions::default()
    };
    let small = data(&html::report(&sample.report(), &options));
    let reason = small["graph"]["reason"].as_str().expect("a reason");
    assert!(reason.contains("18 states"), "{reason}");
    sample.graph = Some(Err("more than 300 states".into()));
    assert_eq!(data(&page(&sample))["graph"]["reason"], "more than 300 states");
}

/// Opens a page with a second script that acts as a user would and leaves what it finds in the title. Nothing where there is no Chromium.
fn found(page: &str, actions: &str) -> Option<String> {
    let browser = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ]
    .into_iter()
    .find(|path| Path::new(path).exists());
    let Some(browser) = browser else {
        eprintln!("skipped: no Chromium is installed");
        return None;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let script = format!(
        "<script>const found = []; const all = (what) => document.querySelectorAll(what); const one = (what) => document.querySelector(what);\
         try {{ {actions} }} catch (error) {{ found.push(error); }} document.title = 'found ' + found.join(' ');</script></body>"
    );
    let file = folder.path().join("report.html");
    std::fs::write(&file, page.replace("</body>", &script)).expect("the page can be written");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=2000",
            "--dump-dom",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.path().join("profile").display()
        ))
        .arg(format!("file://{}", file.display()))
        .output();
    let output = match output {
        Ok(output) if output.status.success() => output,
        other => {
            eprintln!("skipped: Chromium does not run here: {other:?}");
            return None;
        }
    };
    let dom = String::from_utf8_lossy(&output.stdout);
    let start = dom.find("<title>").expect("the page has a title") + "<title>".len();
    let end = dom[start..].find("</title>").expect("the title ends") + start;
    Some(dom[start..end].to_owned())
}

#[test]
fn chromium_renders_the_page_and_filters_it() {
    let actions = "\
        const rows = () => all('tr.row').length; found.push(rows());\
        one('[data-status=fails]').click(); found.push(rows());\
        const box = one('#property-search'); box.value = 'waiting'; box.dispatchEvent(new Event('input')); found.push(rows());\
        box.value = ''; box.dispatchEvent(new Event('input')); found.push(all('[data-signal]').length);\
        one('#changing').click(); found.push(all('[data-signal]').length);\
        const search = one('#signal-search');\
        search.value = 'turn'; search.dispatchEvent(new Event('input')); found.push(all('[data-signal]').length);\
        one('[data-form=values]').click(); found.push(all('td.loop').length > 0);\
        found.push(all('.node').length, all('.edge.on').length);\
        one('.node').dispatchEvent(new Event('click')); found.push(one('aside').textContent.includes('State 0'));\
        one('[data-line=\"0-4\"]').click(); found.push(one('.line.chosen code').textContent.startsWith('LTLSPEC'));\
        all('tr.row')[1].click(); found.push(all('th.violation').length, all('.edge.on').length);";
    if let Some(title) = found(&page(&Sample::new()), actions) {
        assert_eq!(title, "found 6 3 2 4 7 1 true 18 4 true true 1 1");
    }
}

#[test]
fn chromium_renders_runs_with_their_charts_and_sources() {
    let actions = "\
        found.push(all('tr.move').length, all('tr.partner').length, all('tr.violation').length);\
        found.push(all('svg.sequence .message').length, all('svg.sequence circle').length);\
        one('tr.move .link').click(); found.push(one('.line.chosen code').textContent.startsWith('active'));\
        const said = (line) => all('.line .mark')[line - 1].textContent.replaceAll(' ', '_'); found.push(said(4));\
        one('[data-form=waves]').click(); found.push(all('[data-signal]').length);\
        all('tr.row')[1].click(); one('[data-form=moves]').click(); found.push(all('tr.move.loop').length, said(3), said(4));\
        all('tr.row')[2].click(); found.push(all('svg.chart .series').length, all('table.plain td').length, one('pre.notes').textContent.length);";
    if let Some(title) = found(&page(&program()), actions) {
        assert_eq!(
            title,
            "found 3 1 1 1 3 true never_left 2 2 steps_1,_2 steps_1,_3 2 4 25"
        );
    }
}

#[test]
fn chromium_renders_a_timeline_alone() {
    let actions = "found.push(all('[data-signal]').length, all('tr.row').length); one('[data-form=values]').click(); found.push(all('td.changed').length > 0);";
    if let Some(title) = found(&alone(), actions) {
        assert_eq!(title, "found 4 0 true");
    }
}
