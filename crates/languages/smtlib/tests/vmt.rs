//! What VMT files mean, and what is said of those that are wrong.

use entail_smtlib::read_vmt;

const COUNTER: &str = "(declare-fun x () Int) (declare-fun x.next () Int) (declare-fun i () Int)
(define-fun sv0 () Int (! x :next x.next))
(define-fun start () Bool (! (= x 0) :init true))
(define-fun step () Bool (! (= x.next (+ x i)) :trans true))
(define-fun safe () Bool (! (<= 0 x) :invar-property 0))";

fn refused(text: &str) -> String {
    read_vmt(text).err().expect("it is wrong").message
}

#[test]
fn constants_without_a_next_state_are_inputs() {
    let read = read_vmt(COUNTER).unwrap_or_else(|problem| panic!("{}", problem.message));
    assert_eq!(read.system.variables.len(), 1);
    assert_eq!(read.system.variables[0].name, "x");
    assert_eq!(read.system.inputs.len(), 1);
    assert_eq!(read.properties.len(), 1);
    assert_eq!(read.properties[0].name.as_deref(), Some("invariant_0"));
    assert!(read.warnings.is_empty());
}

#[test]
fn a_next_constant_that_no_formula_mentions_need_not_be_declared() {
    let text = COUNTER
        .replace("(declare-fun x.next () Int)", "")
        .replace("(= x.next (+ x i))", "(= i 1)");
    let read = read_vmt(&text).unwrap_or_else(|problem| panic!("{}", problem.message));
    assert_eq!(read.system.variables.len(), 1);
    assert_eq!(
        read.warnings.len(),
        1,
        "it is said that the variable takes any value"
    );
    // A constant that formulas mention is declared, or the file is refused.
    assert!(refused(&COUNTER.replace("(declare-fun x.next () Int)", "")).contains("x.next"));
}

#[test]
fn wrong_files_are_refused_with_what_is_wrong() {
    let twice = COUNTER.replace(
        "(define-fun start",
        "(define-fun sv1 () Int (! i :next x.next)) (define-fun start",
    );
    assert!(refused(&twice).contains("belongs to another variable"));
    let two = COUNTER.replace(
        "(define-fun start",
        "(define-fun sv1 () Int (! x :next i)) (define-fun start",
    );
    assert!(refused(&two).contains("two `:next`"));
    assert!(refused(&COUNTER.replace(":trans true", ":init true")).contains("`:trans true`"));
    assert!(refused(&COUNTER.replace(":next x.next", ":next (f x)")).contains("followed by a name"));
    assert!(refused(&COUNTER.replace("(<= 0 x) :inv", "(<= 0 x.next) :inv")).contains("current state"));
    let said = refused(&COUNTER.replace("(+ x i)", "(+ x true)"));
    assert!(said.contains("number"), "{said}");
    assert!(refused("(push 1)").contains("does not belong to VMT"));
}
