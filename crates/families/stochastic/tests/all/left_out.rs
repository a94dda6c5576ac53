//! Variables that make no difference are left out, and the answers stay what they are.

use entail_budget::{Budget, Silent};
use entail_markov::{Bracket, Network, Property};
use entail_probabilistic::{Exactness, Settings, Values, Workshop, without_irrelevant};

const SENDER: &str = r#"
mdp
const int deadline = 20;
module sender
  s : [0..2];
  tries : [0..3];
  [time] s=0 -> 0.5:(s'=1)&(tries'=min(tries+1,3)) + 0.5:(s'=0)&(tries'=min(tries+1,3));
  [] s=0 -> 0.9:(s'=0) + 0.1:(s'=2);
  [time] s=1 -> true;
endmodule
module timer
  t : [0..deadline+1];
  [time] t<=deadline -> (t'=min(t+1,deadline+1));
  [time] t>deadline -> (t'=t);
endmodule
module blocker
  b : [0..3];
  [time] b<3 -> (b'=b+1);
  [] b=3 -> (b'=0);
endmodule
rewards "time"
  [time] true : 1;
endrewards
rewards "late"
  t>deadline : 1;
endrewards
"#;

fn read(property: &str) -> (Network, Property) {
    let file = entail_prism::read_model(SENDER).expect("a model");
    let constants = entail_prism::Constants::new();
    let network = entail_prism::build(&file, &constants).expect("a network").network;
    let properties = entail_prism::read_properties(property).expect("a property");
    let (property, _) =
        entail_prism::lower_property(&file, &network, &constants, &[], &properties, 0).expect("a meaning");
    (network, property)
}

fn value(network: &Network, property: &Property) -> (Bracket, usize) {
    let budget = Budget::unlimited();
    let settings = Settings {
        exactness: Exactness::Always,
        ..Settings::default()
    };
    let mut workshop = Workshop::new(network, settings, 100_000, &budget, &Silent).expect("small");
    let (values, _) = workshop.check(property, &budget).expect("decided");
    let Values::Numbers(bracket) = values else {
        panic!("a number was asked for")
    };
    (bracket, workshop.model.states())
}

#[test]
fn a_timer_that_never_blocks_is_left_out_where_nobody_asks_for_it() {
    for property in [
        "Pmax=? [ F s=1 ]",
        "Pmin=? [ F s=1 ]",
        "R{\"time\"}min=? [ F s>0 ]",
    ] {
        let (network, asked) = read(property);
        let smaller = without_irrelevant(&network, &asked).expect("the timer makes no difference");
        let (whole, states) = value(&network, &asked);
        let (reduced, fewer) = value(&smaller, &asked);
        assert_eq!(whole.lower(0), reduced.lower(0), "{property}");
        assert_eq!(whole.upper(0), reduced.upper(0), "{property}");
        assert!(fewer * 4 < states, "{property}: {fewer} of {states} states");
    }
}

#[test]
fn what_blocks_or_is_asked_for_stays() {
    // The blocker decides when time can pass; what the property or its rewards mention matters.
    let (network, asked) = read("Pmax=? [ F s=1 ]");
    let smaller = without_irrelevant(&network, &asked).expect("smaller");
    let named = |name: &str| {
        let at = network
            .variables
            .iter()
            .position(|variable| variable.name == name)
            .expect("a variable");
        smaller.variables[at].domain == network.variables[at].domain
    };
    assert!(named("s") && named("b"));
    assert!(!named("t") && !named("tries"));
    for property in ["Pmax=? [ F t=5 ]", "R{\"late\"}max=? [ F s=1 ]"] {
        let (network, asked) = read(property);
        let smaller = without_irrelevant(&network, &asked).expect("tries makes no difference");
        let at = network
            .variables
            .iter()
            .position(|variable| variable.name == "t")
            .expect("a variable");
        assert_eq!(
            smaller.variables[at].domain, network.variables[at].domain,
            "{property}"
        );
    }
}

#[test]
fn a_variable_that_could_leave_its_range_is_kept_so_that_the_mistake_is_found() {
    let text = "dtmc module m s:[0..1]; x:[0..2]; [] s=0 -> 0.5:(s'=1)&(x'=x+1) + 0.5:(x'=x+1); [] s=1 -> true; endmodule";
    let file = entail_prism::read_model(text).expect("a model");
    let constants = entail_prism::Constants::new();
    let network = entail_prism::build(&file, &constants).expect("a network").network;
    let properties = entail_prism::read_properties("P=? [ F s=1 ]").expect("a property");
    let (asked, _) =
        entail_prism::lower_property(&file, &network, &constants, &[], &properties, 0).expect("a meaning");
    assert!(without_irrelevant(&network, &asked).is_none());
}
