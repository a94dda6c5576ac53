//! Reachability in a dozen lines: a counter of n bits that may pause, from 0, by breadth-first images.
//!
//! `cargo run --example counter -p entail-dd [n]`

use entail_budget::Budget;
use entail_dd::{AutoReorder, Manager, Result, Substitution, Var};

fn main() -> Result<()> {
    let n: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10);
    let manager = Manager::for_budget(&Budget::unlimited(), 1)?;

    // Current and next side by side, moving together when the order is improved.
    let pairs: Vec<Vec<Var>> = (0..n).map(|_| manager.new_vars(2)).collect::<Result<_>>()?;
    manager.set_groups(&pairs)?;
    manager.set_auto_reorder(Some(AutoReorder::default()));
    let current: Vec<Var> = pairs.iter().map(|pair| pair[0]).collect();

    // next = current + tick, one conjunct a bit.
    let mut step = manager.one();
    let mut carry = manager.var(manager.new_var()?)?;
    let tick = carry.support();
    for pair in &pairs {
        let (now, next) = (manager.var(pair[0])?, manager.var(pair[1])?);
        step = step.and(&next.iff(&now.xor(&carry)?)?)?;
        carry = carry.and(&now)?;
    }

    let forget = manager.var_set(current.iter().chain(&tick).copied())?;
    let to_current = Substitution::renaming(&manager, pairs.iter().map(|pair| (pair[1], pair[0])))?;
    let mut reached = manager.cube(current.iter().map(|&bit| (bit, false)))?;
    let mut frontier = reached.clone();
    let mut depth = 0;
    loop {
        let image = frontier.and_exists(&step, &forget)?.substitute(&to_current)?;
        frontier = image.minus(&reached)?;
        if frontier.is_false() {
            break;
        }
        reached = reached.or(&frontier)?;
        depth += 1;
    }
    println!(
        "{} states, {depth} steps deep, {} nodes",
        reached.count(&current),
        reached.node_count()
    );
    Ok(())
}
