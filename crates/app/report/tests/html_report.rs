//! The page: well-formed, self-contained, and safe whatever the model's names are. Where Chromium is installed it is opened.

mod sample;

use entail_report::html::{self, HtmlOptions};
use sample::Sample;
use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;

fn page(sample: &Sample) -> String {
    html::report(&sample.report(), &HtmlOptions::default())
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
    let page = page(&Sample::new());
    for reference in [
        "http://",
        "https://",
        "src=",
        "@import",
        "url(http",
        "//cdn",
        "fetch(",
        "XMLHttpRequest",
    ] {
        assert!(!page.contains(reference), "{reference}");
    }
    assert!(page.contains("Content-Security-Policy"));
}

#[test]
fn tags_are_balanced() {
    let page = page(&Sample::new());
    assert!(page.starts_with("<!DOCTYPE html>"));
    for tag in [
        "html", "head", "body", "style", "script", "title", "noscript", "svg",
    ] {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        let closed = page.matches(&format!("</{tag}>")).count();
        assert_eq!(opened, closed, "{tag}");
        assert!(opened > 0, "{tag}");
    }
}

#[test]
fn hostile_names_stay_names() {
    let hostile = "</script><script>alert(1)</script><!--";
    let mut sample = Sample::with_names([hostile, "<img src=x onerror=alert(1)>"]);
    sample.properties[0].text = format!("G {hostile} & \u{2028}");
    sample.properties[0].name = Some("<b>bold</b>".into());
    let text = page(&sample);
    assert_eq!(text.matches("<script").count(), 2);
    assert!(!text.contains("<img") && !text.contains("<b>") && !text.contains("<!--"));
    let data = data(&text);
    assert_eq!(data["properties"][0]["text"], sample.properties[0].text);
    assert_eq!(data["properties"][1]["paths"][0]["signals"][0]["name"], hostile);
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
    let tree = &data["properties"][3]["tree"];
    assert_eq!(tree["notes"][0]["claim"]["because"], "exhaustion");
}

#[test]
fn a_graph_that_is_too_large_is_explained_instead() {
    let sample = Sample::new();
    let options = HtmlOptions {
        graph_states: 5,
        ..HtmlOptions::default()
    };
    let data = data(&html::report(&sample.report(), &options));
    let reason = data["graph"]["reason"].as_str().expect("a reason");
    assert!(reason.contains("more than 5 reachable states"), "{reason}");
}

#[test]
fn chromium_renders_the_page_and_filters_it() {
    let browser = [
        "/usr/bin/chromium",
        "/usr/bin/chromium-browser",
        "/usr/bin/google-chrome",
    ]
    .into_iter()
    .find(|path| Path::new(path).exists());
    let Some(browser) = browser else {
        eprintln!("skipped: no Chromium is installed");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    // A second script acts as a user would; what it finds is left in the title.
    let actions = "<script>\
        const rows = () => document.querySelectorAll('tr.row').length;\
        const found = [rows()];\
        document.querySelector('[data-status=fails]').click(); found.push(rows());\
        document.querySelector('#property-search'); const box = document.querySelector('#property-search');\
        box.value = 'waiting'; box.dispatchEvent(new Event('input')); found.push(rows());\
        box.value = ''; box.dispatchEvent(new Event('input'));\
        found.push(document.querySelectorAll('[data-signal]').length);\
        document.querySelector('#changing').click(); found.push(document.querySelectorAll('[data-signal]').length);\
        const search = document.querySelector('#signal-search');\
        search.value = 'turn'; search.dispatchEvent(new Event('input')); found.push(document.querySelectorAll('[data-signal]').length);\
        document.querySelector('[data-form=values]').click(); found.push(document.querySelectorAll('td.loop').length > 0);\
        found.push(document.querySelectorAll('.node').length, document.querySelectorAll('.edge.on').length);\
        document.querySelector('.node').dispatchEvent(new Event('click')); found.push(document.querySelector('aside').textContent.includes('State 0'));\
        document.title = 'found ' + found.join(' ');\
        </script></body>";
    let page = page(&Sample::new()).replace("</body>", actions);
    let file = folder.path().join("report.html");
    std::fs::write(&file, page).expect("the page can be written");
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
            return;
        }
    };
    let dom = String::from_utf8_lossy(&output.stdout);
    let start = dom.find("<title>").expect("the page has a title");
    let title = &dom[start..start + dom[start..].find("</title>").expect("the title ends")];
    assert_eq!(title, "<title>found 6 3 2 4 7 1 true 18 4 true");
}
