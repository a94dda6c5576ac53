//! Answers of every kind about two small models, as families would show them.

mod program;
pub mod saved;

pub use program::program;

use entail_answer::{Answer, CheckReport, Evidence, Figure, Quantity, Statistics, Verdict};
use entail_family::Heading;
use entail_logic::Logic;
use entail_report::{AnswerReport, Report};
use entail_show::{
    Cell, Child, Column, ColumnKind, ColumnRole, FormulaRow, Graph, GraphEdge, GraphNode, Shown, StateKey,
    Support, Timeline, Tree, View,
};
use entail_source::{Source, Span};
use serde_json::{Map, Value as Json, json};

/// Evidence that is nothing but its kind: reports do not look into it.
#[derive(Debug)]
pub struct Kind(pub &'static str);

impl Evidence for Kind {
    fn kind(&self) -> &'static str {
        self.0
    }
}

/// One answer with all that is said about it.
pub struct Given {
    pub heading: Heading,
    pub answer: Answer,
    pub check: Option<CheckReport>,
    pub shown: Shown,
    pub evidence: Option<Map<String, Json>>,
    pub details: Map<String, Json>,
    pub seconds: f64,
}

pub struct Sample {
    pub name: &'static str,
    pub language: &'static str,
    pub engine: &'static str,
    pub settings: Map<String, Json>,
    pub figures: Statistics,
    pub source: Source,
    pub given: Vec<Given>,
    pub graph: Option<Result<Graph, String>>,
}

pub fn object(json: Json) -> Map<String, Json> {
    match json {
        Json::Object(map) => map,
        other => panic!("no object: {other}"),
    }
}

/// A heading that stands where its text stands in the source.
pub fn heading(source: &Source, name: Option<&str>, text: &str, logic: Logic) -> Heading {
    let place = source.text().find(text);
    Heading {
        name: name.map(String::from),
        text: text.into(),
        logic,
        place: place.map(|start| Span::new(start, start + text.len())),
    }
}

const PHASES: [&str; 3] = ["idle", "waiting", "busy"];

/// A state of the arbiter: phases, whose turn, the count of grants as a word of 2 bits, the input.
#[derive(Clone, Copy)]
struct Step([&'static str; 2], bool, u8, Option<bool>);

impl Step {
    fn key(self) -> StateKey {
        let phase = |at: usize| {
            PHASES
                .iter()
                .position(|phase| *phase == self.0[at])
                .expect("a phase")
        };
        let number = (phase(0) * 3 + phase(1)) * 2 + usize::from(self.1);
        StateKey((usize::from(self.2) * 18 + number) as u64)
    }

    fn json(self, names: [&str; 2]) -> Json {
        let mut map = Map::new();
        map.insert(names[0].into(), self.0[0].into());
        map.insert(names[1].into(), self.0[1].into());
        map.insert("turn".into(), self.1.into());
        map.insert("count".into(), format!("0ud2_{}", self.2).into());
        if let Some(kick) = self.3 {
            map.insert("kick".into(), kick.into());
        }
        map.insert("polite".into(), 3.into());
        Json::Object(map)
    }

    fn state(self) -> Step {
        Step(self.0, self.1, self.2, None)
    }
}

fn truth(value: bool) -> Cell {
    Cell::text(if value { "TRUE" } else { "FALSE" })
}

fn timeline(names: [&str; 2], steps: &[Step], loop_start: Option<usize>) -> Timeline {
    let new = |name: &str, role, kind| Column::new(name, role, kind);
    let mut columns = vec![
        new(names[0], ColumnRole::State, ColumnKind::Text),
        new(names[1], ColumnRole::State, ColumnKind::Text),
        new("turn", ColumnRole::State, ColumnKind::Boolean),
        new("count", ColumnRole::State, ColumnKind::Word(2)),
        new("kick", ColumnRole::Input, ColumnKind::Boolean),
        new("polite", ColumnRole::Frozen, ColumnKind::Integer),
        new("both", ColumnRole::Define, ColumnKind::Boolean),
    ];
    columns[0].type_text = Some("{idle, waiting, busy}".into());
    for (position, step) in steps.iter().enumerate() {
        let word = Cell {
            text: format!("0ud2_{}", step.2).into(),
            bits: Some(format!("{:02b}", step.2).into()),
        };
        let cells = [
            Some(Cell::text(step.0[0])),
            Some(Cell::text(step.0[1])),
            Some(truth(step.1)),
            Some(word),
            step.3.map(truth),
            Some(Cell::text("3")),
            Some(truth(step.0 == ["busy", "busy"])),
        ];
        for (column, cell) in columns.iter_mut().zip(cells) {
            column.record(position, cell);
        }
    }
    Timeline {
        columns,
        positions: steps.len(),
        loop_start,
        keys: steps.iter().map(|step| step.key()).collect(),
        ..Timeline::default()
    }
}

fn trace_json(names: [&str; 2], steps: &[Step], loop_start: Option<usize>) -> Json {
    let steps: Vec<Json> = steps.iter().map(|step| step.json(names)).collect();
    json!({"loop_start": loop_start, "inputs": ["kick"], "steps": steps})
}

fn row(text: &str, depth: usize, truth: &str) -> FormulaRow {
    FormulaRow {
        text: text.into(),
        depth,
        truth: truth.chars().map(|letter| Some(letter == '1')).collect(),
    }
}

/// The 18 states without a grant, each with a step to every state in which the turn is the other's.
fn state_graph() -> Graph {
    let mut steps = Vec::new();
    for first in PHASES {
        for second in PHASES {
            for turn in [false, true] {
                steps.push(Step([first, second], turn, 0, None));
            }
        }
    }
    let nodes = steps.iter().enumerate().map(|(number, step)| GraphNode {
        label: vec![format!("c0={}", step.0[0]), format!("c1={}", step.0[1])],
        values: vec![
            step.0[0].into(),
            step.0[1].into(),
            step.1.to_string().to_uppercase(),
        ],
        is_initial: number == 0,
        is_marked: false,
        key: Some(step.key()),
    });
    let mut graph = Graph {
        names: ["c0", "c1", "turn"].map(String::from).into(),
        nodes: nodes.collect(),
        edges: Vec::new(),
    };
    for (from, before) in steps.iter().enumerate() {
        for (to, after) in steps.iter().enumerate() {
            if before.1 != after.1 {
                graph.edges.push(GraphEdge {
                    from,
                    to,
                    ..GraphEdge::default()
                });
            }
        }
    }
    graph
}

const TEXT: &str = "MODULE main
VAR c0 : {idle, waiting, busy};
CTLSPEC NAME safe := AG !both
LTLSPEC NAME served := G (c1 = waiting -> F c1 = busy)
INVARSPEC c0 != busy & (c1 != busy | c0 = waiting)
CTLSPEC NAME reset := AG EF c0 = idle
COMPUTE MIN [c0 = idle, c0 = busy]
";

impl Sample {
    /// Two clients and an arbiter: `c0`, `c1` in {idle, waiting, busy}; `turn`; a `count` of grants as a word of 2 bits; an input `kick`;
    /// a frozen `polite`; a define `both`. The names of the clients can be chosen, to see what hostile ones do.
    pub fn with_names(names: [&str; 2]) -> Sample {
        let source = Source::new("arbiter.smv", TEXT);
        let given = |name: Option<&str>, text: &str, logic, answer, seconds| Given {
            heading: heading(&source, name, text, logic),
            answer,
            check: Some(CheckReport::Accepted),
            shown: Shown::default(),
            evidence: None,
            details: Map::new(),
            seconds,
        };
        let exhaustive = |satisfying: Option<u64>| {
            Some(object(
                json!({"kind": "exhaustive", "states": 18, "satisfying": satisfying, "searched": "model"}),
            ))
        };
        let fails = |kind| Answer::complete(Verdict::Fails, Kind(kind)).boxed();
        let holds = || Answer::complete(Verdict::Holds, Kind("exhaustive")).boxed();

        let mut safe = given(Some("safe"), "AG !both", Logic::Ctl, holds(), 0.012);
        safe.answer.statistics = Statistics::default()
            .with("states", 18)
            .with("transitions", 162)
            .with("depth", 2);
        safe.answer.warnings = vec!["the antecedent is never true".into()];
        safe.evidence = exhaustive(Some(18));

        let steps = [
            Step(["idle", "idle"], false, 0, Some(false)),
            Step(["idle", "waiting"], true, 0, Some(true)),
            Step(["waiting", "waiting"], false, 0, Some(true)),
            Step(["busy", "waiting"], true, 0, Some(false)),
        ];
        let asked = "G (c1 = waiting -> F c1 = busy)";
        let mut served = given(Some("served"), asked, Logic::Ltl, fails("lasso"), 0.020);
        let mut starving = timeline(names, &steps, Some(2));
        starving.formulas = vec![
            row(asked, 0, "0000"),
            row("c1 = waiting -> F c1 = busy", 1, "1000"),
            row("c1 = waiting", 2, "0111"),
            row("F c1 = busy", 2, "0000"),
            row("c1 = busy", 3, "0000"),
        ];
        served.shown = Shown::default().main(View::Timeline(starving));
        served.evidence = Some(object(
            json!({"kind": "lasso", "trace": trace_json(names, &steps, Some(2))}),
        ));

        let steps = [
            Step(["idle", "idle"], false, 0, Some(true)),
            Step(["waiting", "idle"], true, 0, Some(false)),
            Step(["busy", "idle"], false, 1, None),
        ];
        let asked = "c0 != busy & (c1 != busy | c0 = waiting)";
        let mut entered = given(None, asked, Logic::Invariant, fails("trace"), 0.000_4);
        let mut path = timeline(names, &steps, None);
        path.violation = Some(2);
        entered.shown = Shown::default().main(View::Timeline(path));
        entered.shown.violated = vec!["c0 != busy".into()];
        entered.evidence = Some(object(
            json!({"kind": "trace", "trace": trace_json(names, &steps, None)}),
        ));

        let stuck = Step(["waiting", "busy"], true, 1, None);
        let steps = [Step(["idle", "idle"], false, 0, Some(true)), stuck];
        let mut reset = given(Some("reset"), "AG EF c0 = idle", Logic::Ctl, fails("tree"), 0.5);
        reset.check = Some(CheckReport::unchecked(
            "the search of all paths (too many states)",
        ));
        reset.shown = Shown::default().main(View::Tree(Tree {
            text: "AG EF c0 = idle".into(),
            truth: Some(false),
            support: Support::Path(timeline(names, &steps, None)),
            children: vec![Child {
                position: Some(1),
                claim: Tree {
                    text: "EF c0 = idle".into(),
                    truth: Some(false),
                    support: Support::Exhaustion,
                    children: Vec::new(),
                },
            }],
        }));
        let note = json!({
            "formula": "EF c0 = idle", "truth": false, "operand": [0, 0], "state": stuck.json(names), "because": "exhaustion",
        });
        reset.evidence = Some(object(json!({"kind": "tree", "tree": {
            "formula": "AG EF c0 = idle", "truth": false, "operand": [], "state": steps[0].state().json(names),
            "because": "path", "trace": trace_json(names, &steps, None), "notes": [{"position": 1, "explanation": note}],
        }})));

        let mut shortest = given(None, "MIN [c0 = idle, c0 = busy]", Logic::Compute, holds(), 0.001);
        shortest.answer.value = Some(Quantity::whole(1));
        shortest.evidence = exhaustive(None);
        let late = "time limit of 2.000 s reached at depth 12 with 4711 states";
        let mut undecided = given(None, "G F turn", Logic::Ltl, Answer::unknown(late), 2.0);
        undecided.check = None;
        Sample {
            name: "arbiter.smv",
            language: "smv",
            engine: "explicit",
            settings: object(json!({"dead_ends": "infinite"})),
            figures: Statistics::default().with("variables", 6),
            given: vec![safe, served, entered, reset, shortest, undecided],
            source,
            graph: Some(Ok(state_graph())),
        }
    }

    pub fn new() -> Sample {
        Sample::with_names(["c0", "c1"])
    }

    pub fn timeline(&self, answer: usize) -> &Timeline {
        self.given[answer].shown.timeline().expect("it has one")
    }

    pub fn answer(&self, position: usize) -> AnswerReport<'_> {
        let given = &self.given[position];
        AnswerReport {
            heading: &given.heading,
            position,
            engine: self.engine,
            because: "the model is small",
            answer: &given.answer,
            checked: given.check.as_ref(),
            seconds: given.seconds,
            shown: &given.shown,
            evidence: given.evidence.as_ref(),
            details: &given.details,
            failure: None,
        }
    }

    pub fn report(&self) -> Report<'_> {
        Report {
            name: self.name,
            language: self.language,
            settings: &self.settings,
            figures: &self.figures,
            source: &self.source,
            answers: (0..self.given.len()).map(|at| self.answer(at)).collect(),
            graph: self.graph.clone(),
            coverage: None,
            seconds: 2.6,
            peak_memory_bytes: Some(31_457_280),
        }
    }
}

/// A counter from 0 on, with a flag that the property names and that changes at one step.
pub fn long(steps: usize, flag_at: usize) -> Timeline {
    let mut count = Column::new("count", ColumnRole::State, ColumnKind::Integer);
    let mut flag = Column::new("flag", ColumnRole::State, ColumnKind::Boolean);
    for position in 0..steps {
        count.record(position, Some(Cell::text(position.to_string())));
        flag.record(position, Some(truth(position >= flag_at)));
    }
    Timeline {
        columns: vec![count, flag],
        positions: steps,
        ..Timeline::default()
    }
}

pub fn text_figure(text: &str) -> Figure {
    Figure::Text(text.into())
}

/// Compares with a file of `tests/golden`; with `UPDATE_GOLDEN` in the environment, writes it instead.
pub fn golden(name: &str, actual: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, actual).expect("the golden file can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == actual,
        "{name} differs; set UPDATE_GOLDEN to accept it.\nexpected:\n{expected}\nfound:\n{actual}"
    );
}
