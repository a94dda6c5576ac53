//! Every reader of files and formulas as a function of bytes that must not panic: it reads, or it says what is wrong at a place of the text.
//!
//! The fuzz targets and `tests/damaged_files.rs` share this table. A new reader is one entry here, and one file in `fuzz_targets`.

use entail_automata::LassoWord;
use entail_automata::formats::hoa_reader::HoaReader;
use entail_automata::formats::never_claim::read_never_claim;
use entail_automata::ltl::syntax::{Syntax, parse, parse_any};
use entail_budget::Budget;
use entail_graph::{Hidden, ReadError, read_aut, read_dot, read_json};
use entail_source::{Diagnostics, Source, Span, decode_in_place, decode_lossy};
use std::time::Duration;

/// A reader.
pub struct Reader {
    /// Its name, that of its fuzz target.
    pub name: &'static str,
    /// The extensions of files that are damaged for it.
    pub seeds: &'static [&'static str],
    /// Texts that are damaged, where there are no files.
    pub texts: &'static [&'static str],
    /// Reads the bytes; says whether they made sense.
    pub read: fn(&[u8]) -> bool,
}

/// All readers.
pub const READERS: &[Reader] = &[
    files("smv", &["smv"], smv),
    files("aiger", &["aag"], aiger),
    files("vcd", &["vcd"], |bytes| {
        let text = source(bytes);
        let read = entail_waves::read(&text);
        refused_or(read.map_err(|wrong| (text, wrong)))
    }),
    files("blif", &["blif"], |bytes| {
        let text = source(bytes);
        let read = entail_blif::read(&text);
        refused_or(read.map_err(|wrong| (text, wrong)))
    }),
    files("btor2", &["btor2"], btor2),
    files("ste", &["ste"], |bytes| {
        let text = source(bytes);
        let read = entail_ste::parse(&text);
        let read = read.and_then(|parsed| entail_ste::resolve(&parsed, &memory(), &text));
        refused_or(read.map_err(|wrong| (text, wrong)))
    }),
    files("promela", &["pml"], promela),
    files("slugs", &["slugsin"], |bytes| {
        let text = source(bytes);
        let read = entail_slugs::read(&text);
        refused_or(read.map_err(|wrong| (text, wrong)))
    }),
    files("structured-slugs", &["structuredslugs"], |bytes| {
        let text = source(bytes);
        let read = entail_slugs::read_structured(&text);
        refused_or(read.map_err(|wrong| (text, wrong)))
    }),
    files("bes", &["bes"], |bytes| {
        let text = source(bytes);
        let read = entail_equations::read(text.text());
        refused_or(read.map_err(|wrong| (text, wrong)))
    }),
    files("game", &["game"], |bytes| {
        let text = source(bytes);
        let read = entail_arena::read(text.text());
        refused_or(read.map_err(|wrong| (text, wrong)))
    }),
    files("aut", &["aut"], |bytes| {
        match read_aut("damaged.aut", bytes, Hidden::Either) {
            Ok(_) => true,
            Err(ReadError::Io(_)) => false,
            Err(ReadError::Invalid(wrong)) => refused_or::<()>(Err((wrong.source, wrong.diagnostics))),
        }
    }),
    files("json", &["json"], |bytes| {
        let read = read_json(&source(bytes));
        refused_or(read.map_err(|wrong| (wrong.source, wrong.diagnostics)))
    }),
    files("dot", &["dot"], |bytes| {
        let read = read_dot(&source(bytes), Hidden::Either);
        refused_or(read.map_err(|wrong| (wrong.source, wrong.diagnostics)))
    }),
    files("hoa", &["hoa"], |bytes| {
        let source = source(bytes);
        let mut automata = HoaReader::new(source.text());
        automata.all(|one| refused_or(one.map_err(|wrong| (source.clone(), wrong))))
    }),
    files("never", &["never"], |bytes| {
        let source = source(bytes);
        refused_or(read_never_claim(source.text()).map_err(|wrong| (source, wrong)))
    }),
    files("vmt", &["vmt"], |bytes| {
        entail_smtlib::read_vmt(&decode_lossy(bytes.to_vec())).is_ok()
    }),
    files("mcmt", &["mcmt"], |bytes| {
        entail_smtlib::read_mcmt(&decode_lossy(bytes.to_vec())).is_ok()
    }),
    files("horn", &["smt2"], |bytes| {
        entail_smtlib::read_horn(&decode_lossy(bytes.to_vec())).is_ok()
    }),
    files("dimacs", &["cnf"], |bytes| {
        let source = source(bytes);
        refused_or(entail_dimacs::read(&source).map_err(|wrong| (source, wrong)))
    }),
    files("pgsolver", &["pg"], |bytes| {
        let source = Source::new("damaged", decode_in_place(bytes));
        refused_or(entail_pgsolver::read(bytes).map_err(|wrong| (source, wrong)))
    }),
    texts(
        "pgsolver_solution",
        &[
            "paritysol 2;\n0 0 1;\n1 1;\n2 0;\n",
            "paritysol 1;\n2 1 0;\n1 0 2;",
        ],
        game_solution,
    ),
    files("tlsf", &["tlsf"], |bytes| {
        let source = source(bytes);
        let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(1)));
        refused_or(entail_tlsf::read(&source, &[], &budget).map_err(|wrong| (source, wrong)))
    }),
    files("prism", &["nm", "pm", "sm"], |bytes| {
        let source = source(bytes);
        let model = match entail_prism::read_model(source.text()) {
            Ok(model) => model,
            Err(wrong) => return refused_or::<()>(Err((source, wrong.into()))),
        };
        refused_or(entail_prism::build(&model, &[].into()).map_err(|wrong| (source, wrong.into())))
    }),
    texts(
        "prism_properties",
        &[
            "const int k;\nP=? [ F<=k s=7 & d=1 ]\n",
            "\"bound\": Pmax>=0.99 [ !(x>2) U<=3.5 \"done\" ]; label \"l\" = y<3; R{\"cost\"}min=? [ C<=10 ]",
            "filter(max, S=? [ a>0 ], \"init\") // so\nmulti(P>0.1 [ F b ], R<=2 [ C ])",
        ],
        |bytes| {
            let source = source(bytes);
            refused_or(entail_prism::read_properties(source.text()).map_err(|wrong| (source, wrong.into())))
        },
    ),
    texts("jani", &[JANI], |bytes| {
        let source = source(bytes);
        refused_or(entail_jani::read(source.text(), &[].into()).map_err(|wrong| (source, wrong.into())))
    }),
    files("drn", &["drn"], |bytes| {
        let source = source(bytes);
        let read = entail_drn::read_drn(source.text()).map(|table| table.network());
        refused_or(read.map_err(|wrong| (source, wrong.into())))
    }),
    texts("umb", &[UMB_INDEX], |bytes| {
        // As an archive, and as the index of one.
        entail_drn::read_umb(bytes).is_ok() || umb_with(bytes)
    }),
    texts(
        "prism_files",
        &[
            "2 2 3\n0 0 0 0.5 go\n0 0 1 0.5 go\n1 0 1 1\n",
            "0=\"init\" 1=\"deadlock\" 2=\"there\"\n0: 0\n1: 2\n",
            "(x,b)\n0:(3,true)\n1:(-4,false)\n",
        ],
        prism_files,
    ),
    files("systemverilog", &["sv", "psl", "sby", "eqy", "f"], |bytes| {
        let source = source(bytes);
        // (Projects name designs; whatever they are refused for has a place.)
        let _ = entail_systemverilog::project::read_sby(&source, None);
        let _ = entail_systemverilog::project::read_eqy(&source);
        let _ = entail_systemverilog::project::read_file_list(&source);
        // (A PSL file with a design that has its signals and nothing else.)
        if let Ok(design) = entail_systemverilog::signals(&source) {
            let end = design.len();
            let whole = Source::joined("all", [Source::new("signals", design), source.clone()]);
            let properties = Span::new(end, whole.text().len());
            let around = entail_systemverilog::Surroundings {
                defines: Vec::new(),
                include: &|_, _| None,
            };
            let _ = entail_systemverilog::read_with(&whole, end, &[properties], None, &around);
        }
        refused_or(entail_systemverilog::read(&source).map_err(|wrong| (source, wrong)))
    }),
    files("tchecker", &["tck"], |bytes| {
        let source = source(bytes);
        refused_or(entail_tchecker::read(&source).map_err(|wrong| (source, wrong)))
    }),
    files("uppaal", &["xml"], |bytes| {
        let source = source(bytes);
        let read = entail_uppaal::parse(&source)
            .and_then(|parsed| entail_uppaal::Translation::new(&parsed.model, "model").map(|_| ()));
        refused_or(read.map_err(|wrong| (source, wrong)))
    }),
    files("abstraction_map", &["abs"], abstraction_map),
    texts(
        "order",
        &["x\ny.z\n\na[3]\n-- no more\n", "state.0\nstate.1\n"],
        |bytes| entail_dd::order::read_order(&decode_lossy(bytes.to_vec())).is_ok(),
    ),
    texts(
        "ltl",
        &[
            "G(p -> X[2] F[1:3] (q U !r)) <-> \"a b\" R 1",
            "& | p0 p1 ! U F p2 \"x\"",
            "[] (p -> <> q) && (a V b)",
            "G (x = 1 -> O [0,3] y S z)",
        ],
        ltl,
    ),
    texts(
        "ctl",
        &[
            "AG (request -> AF grant)",
            "E [ !a U ( b & EX AF c ) ]",
            "A (G F p) & ABF 0..3 q",
        ],
        |bytes| {
            let source = source(bytes);
            refused_or(entail_logic::parse(source.text()).map_err(|wrong| (source, wrong)))
        },
    ),
    texts(
        "psl",
        &[
            "always ({a; b[*2..3]; c} |-> {d[+]; e}!)",
            "never {{a; b[=2]} && {c[->]; [*]}} | next_event!(p)[2](q) before r",
            "{a : b} |=> (c until!_ d) abort e",
        ],
        |bytes| {
            let source = source(bytes);
            let mut atom = |text: &str, _| Ok(entail_logic::Guard::Atom(text.to_owned()));
            let read = entail_logic::psl::read(source.text(), &mut atom);
            let read = read.map_err(|wrong| wrong.within(source.text()));
            refused_or(read.map_err(|wrong| (source, wrong.into())))
        },
    ),
    texts(
        "mu",
        &[
            "nu X. \"x > 0\" & <> X",
            "mu X. goal | [a] X & <b> (nu Y. !p & [] Y)",
        ],
        |bytes| {
            let source = source(bytes);
            refused_or(entail_logic::mu::parse_mu(source.text()).map_err(|wrong| (source, wrong)))
        },
    ),
    texts("word", &["p & !q; cycle{q | r; 1}", "cycle{a}"], |bytes| {
        let source = source(bytes);
        refused_or(LassoWord::parse(source.text()).map_err(|wrong| (source, wrong)))
    }),
    texts(
        "aiger_witness",
        &["1\nb0\n01\n1\n0\n1\n.\n", "c hello\n0\nj1\n0x\n1\n.\n"],
        |bytes| entail_aiger::read_witnesses(&decode_lossy(bytes.to_vec()), 2, 1).is_ok(),
    ),
    texts(
        "btor2_witness",
        &["sat\nb0\n#0\n0 1010 n#0\n@0\n0 1 go@0\n@1\n0 0 go@1\n.\n"],
        btor2_witness,
    ),
    texts(
        "trail",
        &[
            "-4:-4:-4\n1:0:0\n2:0:1\n3:1:0\n4:1:1\n",
            "-2:2:-2\n-4:-4:-4\n1:1:1\n",
        ],
        trail,
    ),
    texts(
        "evidence",
        &[
            "{\"entail\": \"0.1.0\", \"format\": \"entail-evidence\", \"model\": \"m\", \"language\": \"smv\", \"property\": {\"name\": \"p\", \"formula\": \"x\", \"logic\": \"invariant\"}, \"engine\": \"explicit\", \"verdict\": \"fails\", \"guarantee\": \"complete\", \"reason\": null, \"warnings\": [], \"evidence\": {\"kind\": \"trace\", \"trace\": {\"loop_start\": null, \"inputs\": [], \"steps\": [{\"x\": false}]}}, \"view\": {\"shown\": {\"violated\": [], \"exhibits\": [{\"title\": null, \"prominence\": \"main\", \"view\": {\"kind\": \"timeline\", \"content\": {\"columns\": [{\"name\": \"x\", \"role\": \"state\", \"kind\": \"boolean\", \"type_text\": \"boolean\", \"quiet\": null, \"place\": {\"file\": null, \"line\": 2}, \"changes\": [[0, {\"text\": \"FALSE\", \"bits\": null}]]}], \"positions\": 1, \"loop_start\": null, \"moves\": [], \"keys\": [7], \"formulas\": [], \"violation\": 0, \"ending\": []}}}, {\"title\": null, \"prominence\": \"report\", \"view\": {\"kind\": \"notes\", \"content\": [\"a trace\"]}}]}, \"check\": {\"status\": \"accepted\"}, \"seconds\": 0.5, \"because\": \"a small model\", \"source\": {\"text\": \"MODULE main\\nVAR x : boolean;\\nINVARSPEC NAME p := x;\\n\", \"place\": [49, 50]}}}",
        ],
        |bytes| entail_report::saved::read(&decode_lossy(bytes.to_vec())).is_ok(),
    ),
];

const fn files(name: &'static str, seeds: &'static [&'static str], read: fn(&[u8]) -> bool) -> Reader {
    Reader {
        name,
        seeds,
        texts: &[],
        read,
    }
}

const fn texts(name: &'static str, texts: &'static [&'static str], read: fn(&[u8]) -> bool) -> Reader {
    Reader {
        name,
        seeds: &[],
        texts,
        read,
    }
}

fn source(bytes: &[u8]) -> Source {
    Source::new("damaged", decode_lossy(bytes.to_vec()))
}

/// Whether something was read. What was not is said to be wrong, at places of the text.
fn refused_or<T>(read: Result<T, (Source, Diagnostics)>) -> bool {
    match read {
        Ok(_) => true,
        Err((source, diagnostics)) => {
            assert!(diagnostics.has_errors(), "refused without an error");
            for diagnostic in &diagnostics.0 {
                assert!(!diagnostic.message.is_empty(), "an error without a message");
                assert!(
                    !diagnostic.labels.is_empty(),
                    "{diagnostic}: an error without a place"
                );
                for label in &diagnostic.labels {
                    let span = label.span;
                    // What is missing at the end is just behind the text. No letter is cut.
                    let is_place =
                        span.start <= span.end && source.text().get(span.start..span.end).is_some();
                    assert!(is_place, "{diagnostic}: {span:?} is no place in the text");
                }
            }
            false
        }
    }
}

/// What is read is written and read again.
fn smv(bytes: &[u8]) -> bool {
    let source = source(bytes);
    if entail_smv::looks_unbounded(bytes) {
        let read = entail_smv::read_unbounded(&source);
        return refused_or(read.map_err(|wrong| (source, wrong)));
    }
    let read = entail_smv::read(&source);
    if let Ok(model) = &read
        && let Ok(text) = entail_smv::print(&model.system, &model.properties)
    {
        let again = entail_smv::read(&Source::new("printed", &text));
        assert!(again.is_ok(), "what was printed is not read:\n{text}");
    }
    refused_or(read.map_err(|wrong| (source, wrong)))
}

fn aiger(bytes: &[u8]) -> bool {
    match entail_aiger::read("damaged.aig", bytes) {
        Ok(circuit) => {
            let again = entail_aiger::read("again.aag", entail_aiger::write_ascii(&circuit).as_bytes());
            assert!(again.is_ok(), "what was written is not read");
            entail_aiger::lower(&circuit).is_ok()
        }
        Err(wrong) => refused_or::<()>(Err((wrong.source, wrong.diagnostics))),
    }
}

fn btor2(bytes: &[u8]) -> bool {
    let source = source(bytes);
    match entail_btor2::read(&source) {
        Ok(circuit) => entail_btor2::lower(&circuit).is_ok(),
        Err(wrong) => refused_or::<()>(Err((source, wrong))),
    }
}

fn promela(bytes: &[u8]) -> bool {
    let read = entail_promela::read(&source(bytes), &|_, _| None);
    refused_or(read.map_err(|wrong| (wrong.source, wrong.diagnostics)))
}

fn ltl(bytes: &[u8]) -> bool {
    let source = source(bytes);
    for syntax in [Syntax::Spot, Syntax::Spin, Syntax::Smv, Syntax::Lbt] {
        refused_or(parse(source.text(), syntax).map_err(|wrong| (source.clone(), wrong)));
    }
    refused_or(parse_any(source.text()).map_err(|wrong| (source, wrong)))
}

/// A map is read against a model.
fn abstraction_map(bytes: &[u8]) -> bool {
    const MODEL: &str = "MODULE main VAR p1 : {neutral, trying, critical}; x : 0..9; flag : boolean;";
    let mut model = entail_smv::read(&Source::new("model.smv", MODEL)).expect("it is a model");
    let source = source(bytes);
    let read = entail_smv::read_abstraction_map(&source, &mut model.scope, &mut model.system);
    refused_or(read.map_err(|wrong| (source, wrong)))
}

fn btor2_witness(bytes: &[u8]) -> bool {
    const MODEL: &str = "1 sort bitvec 4\n2 sort bitvec 1\n3 state 1 n\n4 input 2 go\n5 uext 1 4 3\n6 add 1 3 5\n7 next 1 3 6\n8 redor 2 3\n9 bad 8\n";
    let circuit = entail_btor2::read(&Source::new("model.btor2", MODEL)).expect("it is a circuit");
    let model = entail_btor2::lower(&circuit).expect("it has sorts");
    entail_btor2::read_witnesses(&decode_lossy(bytes.to_vec()), &model.system, &model.registers).is_ok()
}

/// A file of transitions, and each of the files beside one.
fn prism_files(bytes: &[u8]) -> bool {
    use entail_drn::Beside;
    let source = source(bytes);
    let model = entail_drn::read_transitions("2 3\n0 0 0.5\n0 1 0.5\n1 1 1\n").expect("it is a model");
    for what in [
        Beside::Labels,
        Beside::States,
        Beside::StateRewards(0),
        Beside::TransitionRewards(1),
    ] {
        let mut table = model.clone();
        if entail_drn::read_beside(&mut table, what, source.text()).is_ok() {
            table.network();
        }
    }
    let read = entail_drn::read_transitions(source.text()).map(|table| table.network());
    refused_or(read.map_err(|wrong| (source, wrong.into())))
}

/// The index of a chain with two states.
const UMB_INDEX: &str = r##"{"format-version": 1, "format-revision": 0, "transition-system": {"time": "discrete", "#players": 0, "#states": 2,
 "#initial-states": 1, "#choices": 2, "#choice-actions": 0, "#branches": 2, "#branch-actions": 0, "#observations": 0,
 "branch-probability-type": {"type": "double", "size": 64}},
 "annotations": {"aps": {"there": {"applies-to": ["states"], "type": {"type": "bool", "size": 1}}}}}"##;

/// An archive with this index.
fn umb_with(index: &[u8]) -> bool {
    let mut tar = tar::Builder::new(Vec::new());
    let ones = [1.0f64.to_le_bytes(), 1.0f64.to_le_bytes()].concat();
    let targets = [1u64.to_le_bytes(), 1u64.to_le_bytes()].concat();
    for (name, content) in [
        ("index.json", index),
        ("state-is-initial.bin", &[1][..]),
        ("branch-to-target.bin", &targets),
        ("branch-to-probability.bin", &ones),
        ("annotations/aps/there/states/values.bin", &[2]),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        tar.append_data(&mut header, name, content).expect("memory");
    }
    let archive = tar.into_inner().expect("memory");
    entail_drn::read_umb(&archive)
        .map(|umb| umb.table.network())
        .is_ok()
}

/// A model in JANI with most of what it may contain.
const JANI: &str = r#"{"jani-version": 1, "name": "toss", "type": "mdp", "features": ["derived-operators"],
 "actions": [{"name": "toss"}],
 "constants": [{"name": "p", "type": "real", "value": {"op": "/", "left": 1, "right": 3}}],
 "variables": [{"name": "cost", "type": "real", "transient": true, "initial-value": 0},
  {"name": "n", "type": {"kind": "bounded", "base": "int", "lower-bound": 0, "upper-bound": 3}, "initial-value": 0}],
 "automata": [{"name": "coin", "locations": [{"name": "here"}, {"name": "there"}], "initial-locations": ["here"], "edges": [
  {"location": "here", "action": "toss", "destinations": [
   {"location": "here", "probability": {"exp": "p"}, "assignments": [{"ref": "cost", "value": 2}]},
   {"location": "there", "probability": {"exp": {"op": "-", "left": 1, "right": "p"}}}]},
  {"location": "there", "guard": {"exp": {"op": "<", "left": "n", "right": 3}}, "destinations": [{"location": "here"}]}]}],
 "system": {"elements": [{"automaton": "coin"}], "syncs": [{"synchronise": ["toss"], "result": "toss"}]},
 "properties": [{"name": "all", "expression": {"op": "filter", "fun": "max", "states": {"op": "initial"},
  "values": {"op": "Pmax", "exp": {"op": "F", "exp": {"op": "=", "left": "n", "right": 3}}}}}]}"#;

/// A solution is read against a game.
fn game_solution(bytes: &[u8]) -> bool {
    let game = entail_pgsolver::read(b"parity 2; 0 1 0 1; 1 2 1 0,2; 2 0 0 2;").expect("it is a game");
    let source = Source::new("damaged", decode_in_place(bytes));
    refused_or(entail_pgsolver::read_solution(bytes, &game).map_err(|wrong| (source, wrong)))
}

fn trail(bytes: &[u8]) -> bool {
    const MODEL: &str = "byte x; active [2] proctype p() { x++; x-- }";
    let model = entail_promela::read(&Source::new("model.pml", MODEL), &|_, _| None);
    let model = model.unwrap_or_else(|wrong| panic!("{}", wrong.diagnostics));
    let followed = entail_promela::follow_trail(&model, &source(bytes));
    refused_or(followed.map_err(|wrong| (wrong.source, wrong.diagnostics)))
}

/// What trajectory assertions are about: the signals of `examples/hardware/indexed_memory.btor2`.
fn memory() -> entail_trajectories::Netlist {
    use entail_trajectories::{Gate, Netlist, Role, Wire};
    let mut netlist = Netlist::default();
    for (name, words, width) in [
        ("we", 1, 1),
        ("addr", 1, 4),
        ("data", 1, 8),
        ("out", 1, 8),
        ("mem", 16, 8),
    ] {
        let mut word = || -> Vec<Wire> { (0..width).map(|_| Wire::of(netlist.add(Gate::Input))).collect() };
        let elements: Vec<Vec<Wire>> = (0..words).map(|_| word()).collect();
        netlist.name(name, Role::Input, words > 1, &elements);
    }
    netlist
}
