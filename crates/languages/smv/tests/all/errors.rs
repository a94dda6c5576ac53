//! What wrong models are told: place, code and words.

use crate::support;
use support::errors;

fn check(text: &str, expected: &str) {
    let found = errors(text);
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(found, expected.join("\n"), "for\n{text}");
}

#[test]
fn unknown_names_come_with_a_suggestion() {
    check(
        "MODULE main\nVAR state : {idle, busy};\nSPEC AG stat = idle",
        "3:9 smv::undefined `stat` is not declared",
    );
    let source = entail_source::Source::new(
        "m",
        "MODULE main\nVAR state : {idle, busy};\nSPEC AG state = idel",
    );
    let diagnostics = entail_smv::read(&source).expect_err("a typo");
    assert_eq!(diagnostics.0[0].help.as_deref(), Some("did you mean `idle`?"));
}

#[test]
fn several_mistakes_are_reported_at_once() {
    check(
        "MODULE main\nVAR x : 0..3; y : boolean;\nINVAR x & y;\nINVAR z = 1;\nASSIGN next(y) := 1;\nINVARSPEC x",
        "3:7 smv::type `&` cannot be applied to integer and boolean
         4:7 smv::undefined `z` is not declared
         5:19 smv::type `y` is boolean and cannot be assigned integer
         6:11 smv::type INVARSPEC must be boolean, not integer",
    );
    check(
        "MODULE main\nVAR next : boolean;\n  x : ;\n  y : boolean;\nASSIGN\n  init(y) := case y : TRUE FALSE; esac;\n  next(y) = 1;\nSPEC AG",
        "2:5 smv::reserved-word `next` is a reserved word and cannot be used as a name
         3:7 smv::syntax expected an expression, found `;`
         6:28 smv::syntax expected `;`, found `FALSE`
         7:11 smv::syntax expected `:=`, found `=`
         8:8 smv::syntax expected an expression, found the end of the text",
    );
}

#[test]
fn declarations_that_clash_or_lack_something() {
    check(
        "MODULE foo VAR x : boolean;",
        "1:8 smv::no-main there is no module `main`",
    );
    check("", "1:1 smv::no-main there is no module `main`");
    check(
        "MODULE main\nVAR x : boolean; x : 0..1;",
        "2:18 smv::duplicate `x` is declared twice",
    );
    check(
        "MODULE main\nVAR x : {a, b}; a : boolean;",
        "2:17 smv::duplicate `a` is both declared here and a symbolic constant",
    );
    check(
        "MODULE main\nVAR x : {a, b, a};",
        "2:16 smv::duplicate `a` occurs twice in this enumeration",
    );
    check(
        "MODULE main\nVAR x : 3..1;",
        "2:9 smv::empty-range the range 3..1 is empty",
    );
    check(
        "MODULE main\nVAR p : M(1, 2);\nMODULE M(a) VAR x : boolean;",
        "2:9 smv::arity module `M` takes 1 parameter, not 2",
    );
    check(
        "MODULE main\nVAR p : M;\nMODULE M VAR q : M;",
        "3:18 smv::recursive-module module `M` contains itself",
    );
    check(
        "MODULE main\nVAR p : Foo;",
        "2:9 smv::unknown-module there is no module `Foo`",
    );
    check(
        "MODULE main(x)\nVAR p : boolean;",
        "1:13 smv::main-parameters the module `main` cannot have parameters",
    );
    check(
        "MODULE main\nVAR n : 0..3; x : 0..n;",
        "2:22 smv::not-constant a bound of a range must be a constant integer",
    );
}

#[test]
fn circular_and_double_assignments() {
    check(
        "MODULE main\nVAR x : 0..3; y : 0..3;\nASSIGN x := y; y := x;",
        "3:8 smv::circular circular assignment: `x` depends on `y` depends on `x`",
    );
    check(
        "MODULE main\nVAR x : 0..3; y : 0..3;\nASSIGN next(x) := next(y); next(y) := next(x);",
        "3:8 smv::circular circular assignment: `x` depends on `y` depends on `x`",
    );
    check(
        "MODULE main\nDEFINE a := b; b := a;",
        "2:8 smv::circular `a` is defined in terms of itself",
    );
    check(
        "MODULE main\nVAR x : 0..3;\nASSIGN next(x) := 1; next(x) := 2;",
        "3:22 smv::assigned-twice `x` is assigned twice",
    );
    check(
        "MODULE main\nVAR x : 0..3;\nASSIGN x := 1; init(x) := 2;",
        "3:16 smv::assigned-twice `x` is assigned at every step, so it cannot also have an initial or next value",
    );
}

#[test]
fn inputs_and_frozen_variables_out_of_place() {
    check(
        "MODULE main\nIVAR i : 0..3; FROZENVAR f : 0..3; VAR x : 0..3;\nINIT i = 1\nINVAR i = 1\nTRANS next(i) = 1\nASSIGN next(f) := 1; i := 1; init(x) := i;\nSPEC AG i = 1",
        "3:6 smv::input INIT cannot use the input `i`
         4:7 smv::input INVAR cannot use the input `i`
         5:12 smv::input the input `i` has no next value
         6:8 smv::frozen the frozen variable `f` can only be given an initial value
         6:22 smv::input the input `i` cannot be assigned
         6:41 smv::input an initial value cannot use the input `i`
         7:9 smv::input a formula cannot use the input `i`",
    );
}

#[test]
fn operations_that_can_fail() {
    check(
        "MODULE main\nVAR x : 0..7;\nASSIGN next(x) := x + 1;",
        "3:8 smv::domain the assigned value can be outside the domain of `x` (0..7)",
    );
    check(
        "MODULE main\nVAR x : 0..7;\nASSIGN next(x) := {x, 9};",
        "3:8 smv::domain the value 9 is not in the domain of `x` (0..7)",
    );
    check(
        "MODULE main\nVAR x : 0..7;\nASSIGN next(x) := case x < 5 : 1; esac;",
        "3:19 smv::case the conditions of this case are not exhaustive",
    );
    check(
        "MODULE main\nVAR x : 0..7; y : 0..3;\nINVAR x / y = 1;",
        "3:11 smv::division division by zero",
    );
    check(
        "MODULE main\nVAR x : 0..7; a : array 0..3 of boolean;\nSPEC AG a[x]",
        "3:11 smv::index the index can be outside 0..3",
    );
    check(
        "MODULE main\nVAR a : array 0..3 of boolean;\nSPEC AG a[4]",
        "3:11 smv::index the index 4 is outside 0..3",
    );
    check(
        "MODULE main\nVAR w : word[4]; n : 0..7;\nSPEC AG (w << n) = w",
        "3:15 smv::shift a shift of a word[4] must be by 0 to 4 bits",
    );
    check(
        "MODULE main\nVAR w : word[4];\nSPEC AG w[4:0] = w",
        "3:9 smv::bits bits 4 to 0 do not exist in a word[4]",
    );
}

#[test]
fn types_that_do_not_go_together() {
    check(
        "MODULE main\nVAR w : word[4]; v : signed word[4]; x : 0..3; e : {a, b};\nINVARSPEC w = v\nINVARSPEC x = e\nINVARSPEC w + 1 = w\nINVARSPEC bool(w)\nINVARSPEC x = {1, 2}\nINVARSPEC w in {w}\nINVARSPEC case e : TRUE; esac",
        "3:11 smv::type `=` cannot be applied to unsigned word[4] and signed word[4]
         4:11 smv::type `=` cannot be applied to integer and symbolic
         5:11 smv::type `+` cannot be applied to unsigned word[4] and integer
         6:16 smv::type `bool` cannot be applied to unsigned word[4]
         7:15 smv::type expected a single value, found integer-set
         8:11 smv::type there are no sets of unsigned word[4]
         8:16 smv::type there are no sets of unsigned word[4]
         9:16 smv::type the condition of a case must be boolean, not symbolic",
    );
}

#[test]
fn temporal_operators_and_next_out_of_place() {
    check(
        "MODULE main\nVAR x : boolean;\nDEFINE d := AG x; n := next(x);\nINIT next(x)\nTRANS next(next(x))\nLTLSPEC AG x\nSPEC G x",
        "3:13 smv::misplaced-operator a CTL operator cannot stand here
         4:6 smv::misplaced-operator `next` cannot stand here
         5:12 smv::misplaced-operator `next` inside `next`
         6:9 smv::misplaced-operator a CTL operator cannot stand here
         7:6 smv::misplaced-operator an LTL operator cannot stand here",
    );
    check(
        "MODULE main\nVAR x : boolean;\nDEFINE n := next(x);\nINIT n\nTRANS next(n)\nSPEC AG n",
        "3:13 smv::misplaced-operator `next` inside `next`
         4:6 smv::misplaced-operator INIT cannot speak about the next state
         6:9 smv::misplaced-operator a formula cannot speak about the next state",
    );
}

#[test]
fn infinite_types_belong_to_another_reader() {
    check(
        "MODULE main\nVAR x : integer; y : real; z : array word[2] of boolean;",
        "2:9 smv::infinite the type `integer` has no place in a finite-state model
         2:22 smv::infinite the type `real` has no place in a finite-state model
         2:32 smv::infinite the type `array over all indices` has no place in a finite-state model",
    );
}

#[test]
fn a_module_instantiated_often_reports_its_mistake_once() {
    check(
        "MODULE main\nVAR p : M; q : M; r : M;\nMODULE M\nVAR x : 0..1;\nINVAR x;",
        "5:7 smv::type INVAR must be boolean, not integer",
    );
}

#[test]
fn an_arrow_glued_to_a_name_is_explained() {
    let source = entail_source::Source::new("m", "MODULE main\nVAR a : boolean; b : boolean;\nINVAR a->b");
    let diagnostics = entail_smv::read(&source).expect_err("`a-` is a name");
    assert_eq!(diagnostics.0[0].message, "`a-` is not declared");
    assert!(diagnostics.0[0].help.is_some());
}
