//! The branches of cases, with the conditions under which they are taken.

use entail_model::{Valuation, Value, evaluate_bool};
use entail_smv::read;
use entail_source::Source;

#[test]
fn a_branch_is_taken_where_its_condition_is_true_and_none_before_it() {
    let text = "MODULE main\nVAR x : 0..3; b : boolean;\nASSIGN\n  init(x) := case b : 1; TRUE : 0; esac;\n  next(x) := case\n    b : 0;\n    x < 2 : x + 1;\n    TRUE : x;\n  esac;\nLTLSPEC G case b : x < 3; TRUE : TRUE; esac\n";
    let source = Source::new("m.smv", text);
    let model = read(&source).expect("a model");
    let lines: Vec<(usize, bool)> = (model.branches.iter())
        .map(|branch| (source.place(branch.place.start).line, branch.is_initial))
        .collect();
    // Those of the specification are not listed.
    assert_eq!(lines, [(4, true), (4, true), (6, false), (7, false), (8, false)]);
    let taken = |x: i64, b: bool| {
        let state = [Some(Value::Int(x)), Some(Value::Bool(b))];
        let of_next = &model.branches[2..];
        let is_taken = |condition| {
            evaluate_bool(&model.system.terms, condition, Valuation::state(&state)).expect("a truth value")
        };
        (of_next.iter())
            .map(|branch| is_taken(branch.condition))
            .collect::<Vec<_>>()
    };
    assert_eq!(taken(1, true), [true, false, false]);
    assert_eq!(taken(1, false), [false, true, false]);
    assert_eq!(taken(3, false), [false, false, true]);
    assert_eq!(source.slice(model.branches[3].place), "x < 2 : x + 1");
}

#[test]
fn cases_of_defines_are_not_of_initial_values_alone() {
    let text = "MODULE main\nVAR x : 0..3; y : 0..3;\nDEFINE d := case y = 0 : 1; TRUE : 2; esac;\nASSIGN init(x) := d;\n";
    let model = read(&Source::new("m.smv", text)).expect("a model");
    assert_eq!(model.branches.len(), 2);
    assert!(model.branches.iter().all(|branch| !branch.is_initial));
}
