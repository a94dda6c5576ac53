use entail_budget::{Budget, Cancellation};
use std::time::Duration;
fn main() {
    std::thread::Builder::new().stack_size(512 << 20).spawn(real).unwrap().join().unwrap();
}
fn real() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let timeout = args.iter().position(|a| a == "--timeout").and_then(|p| args.get(p + 1)).and_then(|t| t.trim_end_matches('s').parse::<u64>().ok()).unwrap_or(20);
    let engine = args.iter().position(|a| a == "--engine").and_then(|p| args.get(p + 1)).cloned();
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_secs(timeout)));
    let text = std::fs::read_to_string(&args[1]).unwrap();
    if args[0] == "smt" {
        let o = entail_unbounded::run_script(&text, &budget, &mut |l| println!("{l}"));
        for n in o.notes { eprintln!("{n}"); }
        for n in o.internal { eprintln!("INTERNAL {n}"); }
        return;
    }
    let read = if args[1].ends_with("vmt") { entail_smtlib::read_vmt(&text) } else if args[1].ends_with("mcmt") { entail_smtlib::read_mcmt(&text) } else { entail_smtlib::read_horn(&text) };
    let read = match read { Ok(r) => r, Err(p) => { eprintln!("{}", p.message); return } };
    let mut parts = Vec::new();
    for p in &read.properties {
        let cancel = Cancellation::default();
        let (tx, rx) = std::sync::mpsc::channel();
        let engines: Vec<&str> = match &engine { Some(e) => vec![e.as_str()], None => vec!["kind", "ic3mbp"] };
        let mut handles = vec![];
        for e in engines.iter() {
            let e = e.to_string(); let tx = tx.clone(); let sys = read.system.clone(); let inv = p.invariant;
            let b = Budget::unlimited().with_timeout(Some(Duration::from_secs(timeout))).with_cancellation(cancel.clone());
            handles.push(std::thread::Builder::new().stack_size(64 << 20).spawn(move || {
                let f = match e.as_str() { "kind" => entail_infinite::k_induction(&sys, inv, None, &b), "bmc" => entail_infinite::bounded(&sys, inv, 1000, &b), _ => entail_infinite::property_directed(&sys, inv, &b) };
                let _ = tx.send((e, f));
            }).unwrap());
        }
        let mut verdict = "unknown".to_string();
        for _ in 0..engines.len() {
            let Ok((e, f)) = rx.recv() else { break };
            match f {
                entail_infinite::Found::Holds { depth, invariant } => {
                    let mut s = read.system.clone();
                    let mut scope = entail_smtlib::Scope::default();
                    for v in &s.variables { scope.define(&v.name, entail_smtlib::Meaning::Macro(vec![], v.current)); }
                    let ex = entail_first_order::sexpr::Reader::new(&invariant).all().unwrap();
                    let t = entail_smtlib::read_term(&mut s.terms, &mut scope, &ex[0]).unwrap();
                    cancel.cancel();
                    let j = entail_proof::first_order::check_k_induction(&s, p.invariant, t, depth, &mut entail_smt::ProvingRefuter, &budget);
                    eprintln!("{e}: holds depth {depth} inv {} chars: {j:?}", invariant.len());
                    verdict = "holds".into();
                }
                entail_infinite::Found::Fails(t) => {
                    let r = read.system.replay(&t, p.invariant);
                    eprintln!("{e}: fails length {} replay {r:?}", t.states.len());
                    if r.is_ok() { verdict = "fails".into(); }
                }
                other => { eprintln!("{e}: {other:?}"); continue }
            }
            break;
        }
        cancel.cancel();
        for h in handles { let _ = h.join(); }
        parts.push(format!("{{\"verdict\": \"{verdict}\"}}"));
    }
    println!("{{\"properties\": [{}]}}", parts.join(", "));
}
