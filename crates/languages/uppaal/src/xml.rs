//! UPPAAL's XML files: elements to templates, labels to expressions.

use crate::branch_points::{self, Drawn};
use crate::edges::{edge_place, placed};
use crate::fragment::Fragment;
use crate::parser::{Parser, Read};
use crate::query;
use entail_source::{Diagnostic, Diagnostics, Span};
use entail_uppaal_tree::{Edge, Item, Location, Model, Property, Template};
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::HashMap;

/// A model with its queries, and what is wrong with them.
#[derive(Default)]
pub(crate) struct ReadXml {
    pub model: Model,
    pub properties: Vec<Property>,
    pub problems: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    old: bool,
}

fn span_of(node: Node<'_, '_>) -> Span {
    let range = node.range();
    Span::new(range.start, range.end)
}

/// The place of an element's opening tag.
fn tag_of(file: &str, node: Node<'_, '_>) -> Span {
    let range = node.range();
    let length = file[range.clone()]
        .find('>')
        .map_or(range.len(), |length| length + 1);
    Span::new(range.start, range.start + length)
}

/// The text of an element: everything between its tags.
fn text_of(file: &str, node: Node<'_, '_>) -> Read<Fragment> {
    let range = node.range();
    let whole = &file[range.clone()];
    if let Some(inner) = node.children().find(|child| child.is_element()) {
        let message = format!("`{}` holds text only", node.tag_name().name());
        return Err(Diagnostic::error(
            "uppaal::xml",
            message,
            tag_of(file, inner),
            "this element",
        ));
    }
    let (Some(start), Some(end)) = (whole.find('>'), whole.rfind("</")) else {
        return Ok(Fragment::plain("", range.start));
    };
    Fragment::xml(
        file,
        Span::new(
            range.start + start + 1,
            (range.start + end).max(range.start + start + 1),
        ),
    )
}

/// Reads a file.
pub(crate) fn read(file: &str) -> Result<ReadXml, Diagnostics> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(file, options).map_err(|error| {
        let position = error.pos();
        let line_start = file
            .split_inclusive('\n')
            .take(position.row.saturating_sub(1) as usize)
            .map(str::len)
            .sum::<usize>();
        let column: usize = (file[line_start..].chars())
            .take(position.col.saturating_sub(1) as usize)
            .map(char::len_utf8)
            .sum();
        let at = (line_start + column).min(file.len());
        let message = format!("this is not well-formed XML: {error}");
        Diagnostics(vec![
            Diagnostic::error("uppaal::xml", message, Span::new(at, at), "here").within(file),
        ])
    })?;
    let root = document.root_element();
    let mut reader = ReadXml {
        old: file
            .get(..400.min(file.len()))
            .is_some_and(|head| head.contains("flat-1_0")),
        ..ReadXml::default()
    };
    if root.tag_name().name() != "nta" {
        let message = format!("the file holds `{}`, not a model (`nta`)", root.tag_name().name());
        let problem = Diagnostic::error("uppaal::xml", message, tag_of(file, root), "this element");
        return Err(Diagnostics(vec![problem]));
    }
    let mut has_system = false;
    for node in root.children().filter(Node::is_element) {
        let result = match node.tag_name().name() {
            "declaration" => reader.declarations(file, node),
            "template" => reader.template(file, node),
            "instantiation" => reader.system(file, node),
            "system" => {
                has_system = true;
                reader.system(file, node)
            }
            "queries" => reader.queries(file, node),
            "imports" | "lsc" => Ok(()),
            other => {
                let message = format!("the element `{other}` is not known");
                let problem = Diagnostic::warning("uppaal::xml", message, tag_of(file, node), "passed over");
                reader.warnings.push(problem);
                Ok(())
            }
        };
        if let Err(problem) = result {
            reader.problems.push(problem.within(file));
        }
    }
    if !has_system {
        let message = "there is no `system` element";
        let problem = Diagnostic::error("uppaal::xml", message, tag_of(file, root), "in this file");
        reader.problems.push(problem);
    }
    match reader.problems.is_empty() {
        true => Ok(reader),
        false => Err(Diagnostics(reader.problems)),
    }
}

impl ReadXml {
    fn declarations(&mut self, file: &str, node: Node<'_, '_>) -> Read<()> {
        let fragment = text_of(file, node)?;
        let mut parser = Parser::new(&fragment, false)?;
        parser.old = self.old;
        // Global declarations may hold priorities, which the system reader knows.
        parser.system(&mut self.model.items, &mut self.model.system)
    }

    fn system(&mut self, file: &str, node: Node<'_, '_>) -> Read<()> {
        let fragment = text_of(file, node)?;
        let mut parser = Parser::new(&fragment, false)?;
        parser.old = self.old;
        parser.system(&mut self.model.items, &mut self.model.system)?;
        match node.tag_name().name() == "system" && self.model.system.is_empty() {
            true => Err(Diagnostic::error(
                "uppaal::system",
                "there is no `system` line",
                tag_of(file, node),
                "in this element",
            )),
            false => Ok(()),
        }
    }

    fn queries(&mut self, file: &str, node: Node<'_, '_>) -> Read<()> {
        for query in node.children().filter(|child| child.has_tag_name("query")) {
            let part = |name: &str| query.children().find(|child| child.has_tag_name(name));
            let Some(formula) = part("formula") else { continue };
            let fragment = text_of(file, formula)?;
            let comment = part("comment").and_then(|node| node.text()).map(str::trim);
            let comment = comment.filter(|text| !text.is_empty()).map(str::to_owned);
            let read = match query::one(&fragment) {
                Ok(read) => read,
                // One that cannot be read does not keep the others from being asked.
                Err(problem) => {
                    let message = format!("a query is passed over: {}", problem.message);
                    self.warnings
                        .push(Diagnostic::warning(problem.code, message, problem.span(), "here"));
                    continue;
                }
            };
            for mut property in read {
                property.comment.clone_from(&comment);
                self.properties.push(property);
            }
        }
        Ok(())
    }

    fn template(&mut self, file: &str, node: Node<'_, '_>) -> Read<()> {
        let part = |name: &str| node.children().find(|child| child.has_tag_name(name));
        let missing = |what: &str| {
            let message = format!("the template has no {what}");
            Diagnostic::error("uppaal::xml", message, tag_of(file, node), "this template")
        };
        let name_node = part("name").ok_or_else(|| missing("`name`"))?;
        let fragment = text_of(file, name_node)?;
        let (name, span) = Parser::new(&fragment, false)?.new_name("the name of a template")?;
        let mut template = Template {
            name,
            span,
            parameters: Vec::new(),
            declarations: Vec::new(),
            locations: Vec::new(),
            initial: 0,
            edges: Vec::new(),
        };
        if let Some(parameter) = part("parameter") {
            let fragment = text_of(file, parameter)?;
            template.parameters = Parser::new(&fragment, false)?.parameters("")?;
        }
        if let Some(declaration) = part("declaration") {
            let fragment = text_of(file, declaration)?;
            let mut parser = Parser::new(&fragment, false)?;
            parser.old = self.old;
            template.declarations = parser.declarations()?;
        }
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut names: HashMap<String, Span> = HashMap::new();
        for child in node.children().filter(|child| child.has_tag_name("location")) {
            let id = child.attribute("id").ok_or_else(|| {
                Diagnostic::error(
                    "uppaal::xml",
                    "this location has no `id`",
                    tag_of(file, child),
                    "here",
                )
            })?;
            if numbers.insert(id, template.locations.len()).is_some() {
                let message = format!("the id `{id}` is given twice");
                return Err(Diagnostic::error(
                    "uppaal::duplicate",
                    message,
                    tag_of(file, child),
                    "here",
                ));
            }
            match self.location(file, child, id) {
                Ok(location) => {
                    if location.is_named && names.insert(location.name.clone(), location.span).is_some() {
                        let message = format!("the location `{}` is declared twice", location.name);
                        return Err(Diagnostic::error(
                            "uppaal::duplicate",
                            message,
                            location.span,
                            "here",
                        ));
                    }
                    template.locations.push(location);
                }
                Err(problem) => {
                    let place = format!("at a location of `{}`", template.name);
                    return Err(placed(problem, span_of(child), place));
                }
            }
        }
        let initial = part("init").ok_or_else(|| missing("initial location (`init`)"))?;
        let reference = initial.attribute("ref").unwrap_or("");
        template.initial = *numbers.get(reference).ok_or_else(|| {
            let message = format!("there is no location with the id `{reference}`");
            Diagnostic::error("uppaal::unknown", message, tag_of(file, initial), "here")
        })?;
        self.edges(file, node, &numbers, &mut template)?;
        self.model.items.push(Item::Template(template));
        Ok(())
    }

    fn location(&mut self, file: &str, node: Node<'_, '_>, id: &str) -> Read<Location> {
        let part = |name: &str| node.children().find(|child| child.has_tag_name(name));
        let mut location = Location {
            name: format!("_{id}"),
            is_named: false,
            span: tag_of(file, node),
            invariant: None,
            urgent: part("urgent").is_some(),
            committed: part("committed").is_some(),
            exponential: None,
            at: None,
        };
        location.at = place_of(node);
        if let Some(name) = part("name") {
            let fragment = text_of(file, name)?;
            if !fragment.text.trim().is_empty() {
                (location.name, location.span) =
                    Parser::new(&fragment, false)?.new_name("the name of a location")?;
                location.is_named = true;
            }
        }
        for label in node.children().filter(|child| child.has_tag_name("label")) {
            let fragment = text_of(file, label)?;
            let kind = label.attribute("kind").unwrap_or("");
            if !matches!(kind, "invariant" | "exponentialrate") || is_blank(&fragment)? {
                continue;
            }
            let mut parser = Parser::new(&fragment, false)?;
            parser.old = self.old;
            match kind {
                "invariant" => location.invariant = Some(parser.conjunction()?),
                _ => location.exponential = Some(parser.ratio()?),
            }
            parser.end()?;
        }
        Ok(location)
    }

    /// Edges, those through branch points joined: probabilities are choices here.
    fn edges(
        &mut self,
        file: &str,
        node: Node<'_, '_>,
        numbers: &HashMap<&str, usize>,
        template: &mut Template,
    ) -> Read<()> {
        let points = node.children().filter(|child| child.has_tag_name("branchpoint"));
        let branches: Vec<&str> = points.clone().filter_map(|child| child.attribute("id")).collect();
        let drawn: Vec<Option<(i32, i32)>> = (points.filter(|child| child.attribute("id").is_some()))
            .map(place_of)
            .collect();
        // Locations first, branch points behind them.
        let count = template.locations.len();
        let mut edges: Vec<Drawn> = Vec::new();
        for child in node.children().filter(|child| child.has_tag_name("transition")) {
            let end = |name: &str| {
                let end = child.children().find(|inner| inner.has_tag_name(name));
                let reference = end.and_then(|end| end.attribute("ref")).unwrap_or("");
                let branch = branches.iter().position(|id| *id == reference);
                let number = numbers
                    .get(reference)
                    .copied()
                    .or(branch.map(|branch| count + branch));
                number.ok_or_else(|| {
                    let message = format!("the {name} of this edge, `{reference}`, is not a location");
                    Diagnostic::error("uppaal::unknown", message, tag_of(file, child), "this edge")
                })
            };
            let (source, target) = (end("source")?, end("target")?);
            let place = || edge_place(template, source, target);
            let (mut edge, weight) = self
                .edge(file, child, source, target)
                .map_err(|problem| placed(problem, span_of(child), place()))?;
            // The way to a branch point goes through it.
            edge.nails
                .extend(target.checked_sub(count).and_then(|point| drawn[point]));
            edges.push((edge, weight));
        }
        if edges.iter().any(|(edge, _)| edge.source >= count) {
            let message = "probabilities of branch points are choices for queries that are not statistical";
            let problem = Diagnostic::warning(
                "uppaal::probability",
                message,
                tag_of(file, node),
                "this template",
            );
            self.warnings.push(problem);
        }
        template.edges = branch_points::joined(&edges, count)?;
        Ok(())
    }

    /// An edge, with its weight where it leaves a branch point.
    fn edge(&mut self, file: &str, node: Node<'_, '_>, source: usize, target: usize) -> Read<Drawn> {
        let mut weight = None;
        let mut edge = Edge {
            source,
            target,
            span: span_of(node),
            selects: Vec::new(),
            guard: None,
            sync: None,
            update: Vec::new(),
            controllable: node.attribute("controllable") != Some("false"),
            branch: None,
            nails: (node.children().filter(|child| child.has_tag_name("nail")))
                .filter_map(place_of)
                .collect(),
        };
        for label in node.children().filter(|child| child.has_tag_name("label")) {
            let fragment = text_of(file, label)?;
            let kind = label.attribute("kind").unwrap_or("");
            if is_blank(&fragment)? && kind != "comments" {
                continue;
            }
            let parser = || {
                let mut parser = Parser::new(&fragment, false)?;
                parser.old = self.old;
                Ok(parser)
            };
            let mut parser = match kind {
                "comments" | "testcodeEnter" | "testcodeExit" | "testcode" => continue,
                "select" | "guard" | "synchronisation" | "assignment" | "probability" => parser()?,
                other => {
                    let message = format!("labels of kind `{other}` are not known");
                    let problem =
                        Diagnostic::warning("uppaal::xml", message, tag_of(file, label), "passed over");
                    self.warnings.push(problem);
                    continue;
                }
            };
            match kind {
                "select" => edge.selects = parser.selects()?,
                "guard" => edge.guard = Some(parser.conjunction()?),
                "synchronisation" => edge.sync = Some(parser.sync()?),
                "assignment" => edge.update = parser.updates()?,
                _ => weight = Some(parser.expression()?),
            }
            // A trailing comma or semicolon of hand-written labels is passed over.
            parser.take(";");
            parser.end()?;
        }
        Ok((edge, weight))
    }
}

/// Where an element is drawn.
fn place_of(node: Node<'_, '_>) -> Option<(i32, i32)> {
    let coordinate = |name: &str| node.attribute(name).and_then(|text| text.parse::<i32>().ok());
    coordinate("x").zip(coordinate("y"))
}

/// Whether a label holds nothing but comments.
fn is_blank(fragment: &Fragment) -> Read<bool> {
    Ok(Parser::new(fragment, false)?.is_end())
}
