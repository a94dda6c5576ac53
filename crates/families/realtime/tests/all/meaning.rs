//! What TChecker models mean where it is easy to go wrong, decided, re-checked, and carried through JSON.

use entail_answer::Verdict;
use entail_budget::Budget;
use entail_clocks::evidence::Proof;
use entail_clocks::{Formula, Network, OutOfRange, Query};
use entail_source::Source;
use entail_timed::{Engine, Settings};
use entail_timed_checker::judge;

fn network(text: &str) -> Network {
    entail_tchecker::read(&Source::new("m.tck", text))
        .expect("a model")
        .network
}

/// Whether a state with this label is reachable; the evidence is judged, also after a journey through JSON.
fn reach(network: &Network, label: &str) -> bool {
    decide(
        network,
        Query::Reach(Formula::Label(network.label(label).expect("a label")), true),
    )
}

fn repeat(network: &Network, label: &str) -> bool {
    decide(
        network,
        Query::Repeat(vec![Formula::Label(network.label(label).expect("a label"))], true),
    )
}

fn decide(network: &Network, query: Query) -> bool {
    let budget = Budget::unlimited();
    let answer = Engine::new(network, Settings::default())
        .check(&query, &budget)
        .expect("no fault");
    let proof = answer.evidence.expect("evidence");
    assert!(judge(network, &query, answer.verdict, &proof, &budget).is_accepted());
    let saved = serde_json::to_string(&proof).expect("plain data");
    let again: Proof = serde_json::from_str(&saved).expect("what was written");
    assert_eq!(again, proof);
    answer.verdict == Verdict::Holds
}

fn model(body: &str) -> Network {
    network(&format!(
        "system:s\nclock:1:x\nclock:1:y\nint:1:0:2:0:i\nevent:a\nevent:b\n{body}"
    ))
}

#[test]
fn time_does_not_pass_in_urgent_and_committed_locations() {
    for (word, expected) in [("urgent:", false), ("committed:", false), ("", true)] {
        let network = model(&format!(
            "process:P\nlocation:P:l{{initial: : {}}}\nlocation:P:m{{labels:g}}\nedge:P:l:m:a{{provided: x>0}}\n",
            if word.is_empty() { "labels: none" } else { word }
        ));
        assert_eq!(reach(&network, "g"), expected, "{word}");
    }
}

#[test]
fn a_committed_process_moves_first() {
    let network = model(
        "process:P\nlocation:P:l{initial: : committed:}\nlocation:P:m\nedge:P:l:m:a{do: i=1}\nprocess:Q\nlocation:Q:l{initial:}\nlocation:Q:m{labels:g}\nedge:Q:l:m:b{provided: i==0}\n",
    );
    assert!(!reach(&network, "g"));
}

#[test]
fn a_weak_partner_takes_part_if_it_has_an_edge_whatever_its_guard_says() {
    let body = |guard: &str, edge: bool| {
        let edge = if edge {
            format!("edge:Q:l:l:b{{provided: {guard}}}\n")
        } else {
            String::new()
        };
        model(&format!(
            "process:P\nlocation:P:l{{initial:}}\nlocation:P:m{{labels:g}}\nedge:P:l:m:a\nprocess:Q\nlocation:Q:l{{initial:}}\n{edge}sync:P@a:Q@b?\n"
        ))
    };
    assert!(reach(&body("1", true), "g"));
    assert!(!reach(&body("0", true), "g"));
    assert!(reach(&body("0", false), "g"));
}

#[test]
fn an_integer_out_of_range_is_a_fault_only_where_time_allows_the_step() {
    let text = "process:P\nlocation:P:l{initial: : invariant: x<=1}\nlocation:P:m{labels:g}\nedge:P:l:m:a{provided: x>GUARD : do: i=3}\n";
    let query = |network: &Network| Query::Reach(Formula::Label(network.label("g").expect("a label")), true);
    let budget = Budget::unlimited();
    let mut early = model(&text.replace("GUARD", "0"));
    for threads in 1..4 {
        let settings = Settings {
            threads,
            ..Settings::default()
        };
        let trouble = Engine::new(&early, settings)
            .check(&query(&early), &budget)
            .expect_err("the integer leaves its range");
        assert!(trouble.run.is_some() && trouble.edges.len() == 1);
    }
    early.out_of_range = OutOfRange::Disabled;
    assert!(!reach(&early, "g"));
    assert!(!reach(&model(&text.replace("GUARD", "1")), "g"));
}

#[test]
fn differences_are_not_forgotten_by_abstraction() {
    // Bouyer's example in small: x − y stays 1 for ever, far beyond all constants.
    let network = model(
        "process:P\nlocation:P:l{initial:}\nlocation:P:m\nlocation:P:g{labels:g}\nlocation:P:h{labels:h}\nedge:P:l:m:a{provided: x==1 : do: y=0}\nedge:P:m:g:a{provided: y>50 && x-y<1}\nedge:P:m:h:a{provided: y>50 && x-y<=1}\n",
    );
    assert!(!reach(&network, "g"));
    assert!(reach(&network, "h"));
}

#[test]
fn a_run_in_which_delays_converge_counts_as_infinite() {
    let network =
        model("process:P\nlocation:P:l{initial: : labels:g}\nedge:P:l:l:a{provided: y<1 && x>0 : do: x=0}\n");
    assert!(repeat(&network, "g"));
    let bounded = model(
        "process:P\nlocation:P:l{initial: : labels:g}\nedge:P:l:l:a{provided: y<5 && x>=1 : do: x=0}\n",
    );
    assert!(!repeat(&bounded, "g"));
}

#[test]
fn a_clock_that_grows_for_ever_does_not_hide_a_cycle() {
    let network = model(
        "process:P\nlocation:P:l{initial:}\nlocation:P:m{labels:g}\nedge:P:l:m:a{provided: x==1 : do: x=0}\nedge:P:m:l:a{provided: y>10 : do: x=0}\n",
    );
    assert!(repeat(&network, "g"));
}

#[test]
fn several_initial_locations_are_all_begun_in() {
    let network = model("process:P\nlocation:P:l{initial:}\nlocation:P:m{initial: : labels:g}\n");
    assert!(reach(&network, "g"));
}

#[test]
fn a_cycle_near_the_start_has_a_short_way_there_however_deep_other_branches_are() {
    let network = network(
        "system:s\nclock:1:x\nint:1:0:60000:0:i\nevent:a\nprocess:P\nlocation:P:l{initial:}\nlocation:P:d\nlocation:P:g{labels: g}\n\
         edge:P:l:d:a{do: i=0}\nedge:P:l:g:a{provided: x>=1}\nedge:P:l:d:a{do: i=1}\n\
         edge:P:d:d:a{provided: x>=1 && i<50000 : do: i=i+2; x=0}\nedge:P:g:g:a{provided: x>=1 : do: x=0}\n",
    );
    let query = Query::Repeat(vec![Formula::Label(network.label("g").expect("a label"))], true);
    let budget = Budget::unlimited();
    let answer = Engine::new(&network, Settings::default())
        .check(&query, &budget)
        .expect("no fault");
    let proof = answer.evidence.expect("a lasso");
    assert!(judge(&network, &query, answer.verdict, &proof, &budget).is_accepted());
    let Proof::Lasso { lasso } = proof else {
        panic!("there is a cycle: {proof:?}");
    };
    assert!(lasso.stem.steps.len() <= 2 && lasso.cycle.len() == 1);
}
