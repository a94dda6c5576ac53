//! The texts of a page, so that steps and marks can be linked to lines.

use super::HtmlOptions;
use entail_show::{MarkedSource, Shown, SourcePlace, Support, Timeline, Tree, View};
use entail_source::Source;
use serde_json::{Value as Json, json};

/// Texts by their names; the first is the model's, if it is there.
#[derive(Default)]
pub(super) struct Sources {
    main: Option<String>,
    list: Vec<(String, String)>,
}

impl Sources {
    /// The texts that some answers refer to. The model's own is left out where nothing refers to it.
    pub fn new<'a>(
        source: &Source,
        is_needed: bool,
        shown: impl Iterator<Item = &'a Shown>,
        options: &HtmlOptions,
    ) -> Sources {
        let shown: Vec<&Shown> = shown.collect();
        let views = || (shown.iter()).flat_map(|shown| shown.exhibits.iter().map(|exhibit| &exhibit.view));
        let main = source.name().to_owned();
        let mut sources = Sources {
            main: Some(main),
            list: Vec::new(),
        };
        let fits = |text: &str| !text.is_empty() && text.len() <= options.source_bytes;
        if fits(source.text()) && (is_needed || views().any(refers_to_main)) {
            sources.add(source.name(), source.text());
            for (file, _) in source.parts().iter().filter(|(file, _)| fits(file.text())) {
                sources.add(file.name(), file.text());
            }
        }
        for view in views() {
            if let View::Source(marked) = view
                && fits(&marked.text)
            {
                sources.add(&marked.name, &marked.text);
            }
        }
        sources
    }

    fn add(&mut self, name: &str, text: &str) {
        if !self.list.iter().any(|(known, _)| known == name) {
            self.list.push((name.to_owned(), text.to_owned()));
        }
    }

    /// The number of a text.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|(known, _)| known == name)
    }

    /// A place: what people read, the number of the text if it is here, the line.
    pub fn place(&self, place: Option<&SourcePlace>) -> Json {
        let Some(place) = place else {
            return Json::Null;
        };
        let name = place.file.as_ref().or(self.main.as_ref());
        json!({"text": place.to_string(), "source": name.and_then(|name| self.number(name)), "line": place.line})
    }

    /// The marks of a text.
    pub fn marks(&self, marked: &MarkedSource) -> Json {
        let marks: Vec<Json> = marked
            .marks
            .iter()
            .map(|mark| json!([mark.line, mark.text]))
            .collect();
        json!({"source": self.number(&marked.name), "name": marked.name, "marks": marks})
    }

    /// What the page gets.
    pub fn json(&self) -> Json {
        self.list
            .iter()
            .map(|(name, text)| json!({"name": name, "text": text}))
            .collect()
    }
}

fn refers_to_main(view: &View) -> bool {
    match view {
        View::Timeline(timeline) => has_places(timeline),
        View::Tree(tree) => tree_has_places(tree),
        _ => false,
    }
}

fn tree_has_places(tree: &Tree) -> bool {
    let own = matches!(&tree.support, Support::Path(timeline) if has_places(timeline));
    own || tree.children.iter().any(|child| tree_has_places(&child.claim))
}

fn has_places(timeline: &Timeline) -> bool {
    let in_main = |place: &SourcePlace| place.file.is_none();
    let of_moves = timeline.moves.iter().map(|step| &step.place);
    let of_columns = timeline.columns.iter().map(|column| &column.place);
    of_moves
        .chain(of_columns)
        .any(|place| place.as_ref().is_some_and(in_main))
}
