//! Plain value iteration: a number with a warning, never a verdict, only by name.

use crate::beside_answers::{ask, options};
use entail_answer::{CheckReport, Guarantee, Quantity, Verdict};

/// A walk that hardly ever ends: changes are small long before the end.
const WALK: &str = "mdp module m s:[0..3]; [a] s=0 -> 1e-5:(s'=1)+1e-5:(s'=2)+0.99998:(s'=3); [a] s=3 -> 1:(s'=0); [] s=1|s=2 -> true; endmodule";

#[test]
fn plain_value_iteration_is_approximate_and_proves_nothing() {
    let plain = options(&[("method", "vi")]);
    let (answer, report, _) = ask(WALK, "Pmax=? [ F s=1 ]", "adaptive", &plain);
    assert_eq!(answer.verdict, Verdict::Holds);
    assert!(matches!(answer.guarantee, Guarantee::Approximate { .. }));
    assert!(matches!(report, CheckReport::Partly { .. }), "{report}");
    let Some(Quantity::Between(low, _)) = &answer.value else {
        panic!("{:?}", answer.value)
    };
    assert!(entail_markov::to_float(low) <= 0.5);
    assert!(answer.reason.is_some_and(|reason| reason.contains("nothing is proved")));
    let (answer, ..) = ask(WALK, "P>=0.5 [ F s=1 ]", "adaptive", &plain);
    assert_eq!(answer.verdict, Verdict::Unknown);
    let (answer, ..) = ask(WALK, "Pmax=? [ F s=1 ]", "exact", &plain);
    assert_eq!(answer.verdict, Verdict::Unknown);
    // Without the name it is not used.
    let (answer, report, _) = ask(WALK, "Pmax=? [ F s=1 ]", "adaptive", &options(&[]));
    assert_eq!((answer.guarantee, report), (Guarantee::Complete, CheckReport::Accepted));
}
