//! The kernels of chapter 7, timed: n-queens, multiplier, adder and comparator orders, parity tree against chain,
//! and sifting. One line a kernel, tab separated: name, parameter, seconds, processor seconds of the
//! main thread, nodes. The same kernels on CUDD are in
//! `bench/dd/cudd_kernels.py`.
//!
//! `cargo run --release --example kernels -p entail-dd [threads] [kernel…]`

use entail_dd::{
    AutoReorder, Bdd, Config, Manager, Method, ReorderLimits, Result, Substitution, Var, shared_node_count,
};
use std::time::Instant;

struct Run {
    threads: usize,
    wanted: Vec<String>,
}

impl Run {
    fn kernel(&self, name: &str, parameter: usize, body: impl FnOnce(&Manager) -> Result<usize>) {
        if !self.wanted.is_empty() && !self.wanted.iter().any(|wanted| name.starts_with(wanted.as_str())) {
            return;
        }
        let manager = Manager::new(&Config {
            threads: self.threads,
            ..Config::default()
        })
        .expect("the default memory can be reserved");
        let started = Instant::now();
        let cpu = processor_seconds();
        match body(&manager) {
            Ok(nodes) => println!(
                "{name}\t{parameter}\t{:.3}\t{:.3}\t{nodes}\tpeak {}",
                started.elapsed().as_secs_f64(),
                processor_seconds() - cpu,
                manager.statistics().peak_nodes
            ),
            Err(error) => println!("{name}\t{parameter}\t{error}"),
        }
    }
}

/// Processor time of this thread on Linux, which other work on the machine disturbs less; elsewhere 0.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ')
        .next()
        .and_then(|nanoseconds| nanoseconds.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 1e9
}

fn queens(manager: &Manager, n: usize) -> Result<usize> {
    let square: Vec<Vec<Bdd>> = (0..n)
        .map(|_| {
            manager
                .new_vars(n)?
                .into_iter()
                .map(|var| manager.var(var))
                .collect()
        })
        .collect::<Result<_>>()?;
    let mut all = manager.one();
    for row in &square {
        let mut some = manager.zero();
        for cell in row {
            some = some.or(cell)?;
        }
        all = all.and(&some)?;
    }
    let places: Vec<(usize, usize)> = (0..n * n).map(|place| (place / n, place % n)).collect();
    for &(i, j) in &places {
        let mut free = manager.one();
        for &(k, l) in &places {
            let attacked = i == k || j == l || i + j == k + l || i + l == k + j;
            if attacked && (i, j) != (k, l) {
                free = free.and(&square[k][l].not())?;
            }
        }
        all = all.and(&square[i][j].implies(&free)?)?;
    }
    let vars: Vec<Var> = (0..n * n).map(Var::new).collect();
    eprintln!("  {n} queens: {} solutions", all.count(&vars));
    Ok(all.node_count())
}

fn full_adder(a: &Bdd, b: &Bdd, c: &Bdd) -> Result<(Bdd, Bdd)> {
    let half = a.xor(b)?;
    Ok((half.xor(c)?, a.and(b)?.or(&half.and(c)?)?))
}

fn product(manager: &Manager, a: &[Bdd], b: &[Bdd]) -> Result<Vec<Bdd>> {
    let mut sum = vec![manager.zero(); a.len() + b.len()];
    for (i, x) in a.iter().enumerate() {
        let mut carry = manager.zero();
        for (j, y) in b.iter().enumerate() {
            let (bit, next) = full_adder(&sum[i + j], &x.and(y)?, &carry)?;
            sum[i + j] = bit;
            carry = next;
        }
        sum[i + b.len()] = carry;
    }
    Ok(sum)
}

/// Two words of n bits, interleaved or one after the other.
fn words(manager: &Manager, n: usize, interleaved: bool) -> Result<(Vec<Bdd>, Vec<Bdd>)> {
    let vars: Vec<Bdd> = manager
        .new_vars(2 * n)?
        .into_iter()
        .map(|var| manager.var(var))
        .collect::<Result<_>>()?;
    Ok(if interleaved {
        (
            vars.iter().step_by(2).cloned().collect(),
            vars.iter().skip(1).step_by(2).cloned().collect(),
        )
    } else {
        (vars[..n].to_vec(), vars[n..].to_vec())
    })
}

fn multiplier(manager: &Manager, n: usize) -> Result<Vec<Bdd>> {
    let (a, b) = words(manager, n, false)?;
    product(manager, &a, &b)
}

fn adder(manager: &Manager, n: usize, interleaved: bool) -> Result<usize> {
    let (a, b) = words(manager, n, interleaved)?;
    let mut carry = manager.zero();
    let mut sum = Vec::new();
    for (x, y) in a.iter().zip(&b) {
        let (bit, next) = full_adder(x, y, &carry)?;
        sum.push(bit);
        carry = next;
    }
    sum.push(carry);
    Ok(shared_node_count(&sum))
}

fn comparator(manager: &Manager, n: usize, interleaved: bool) -> Result<Bdd> {
    let (a, b) = words(manager, n, interleaved)?;
    let mut equal = manager.one();
    for (x, y) in a.iter().zip(&b).rev() {
        equal = x.iff(y)?.and(&equal)?;
    }
    Ok(equal)
}

/// A random parity tree equals the parity chain.
fn parity(manager: &Manager, n: usize) -> Result<usize> {
    let vars: Vec<Bdd> = manager
        .new_vars(n)?
        .into_iter()
        .map(|var| manager.var(var))
        .collect::<Result<_>>()?;
    let mut chain = manager.zero();
    for var in &vars {
        chain = chain.xor(var)?;
    }
    let mut forest = vars.clone();
    let mut seed = 42usize;
    while forest.len() > 1 {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let one = forest.swap_remove((seed >> 33) % forest.len());
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let at = (seed >> 33) % forest.len();
        forest[at] = forest[at].xor(&one)?;
    }
    assert!(forest[0] == chain, "parity does not depend on association");
    Ok(chain.node_count())
}

/// Forward reachability, a few steps, of a line of cells declared in a shuffled order, with reordering by growth:
/// cell i becomes a function of its neighbours and of an input.
fn circuit(manager: &Manager, n: usize) -> Result<usize> {
    let mut seed = 2026u64;
    let mut draw = |below: usize| {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    let mut place: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        place.swap(i, draw(i + 1));
    }
    let vars = manager.new_vars(3 * n)?;
    let at = |i: usize, kind: usize| vars[3 * place[i] + kind];
    let pairs: Vec<Vec<Var>> = (0..n).map(|i| vec![at(i, 0), at(i, 1)]).collect();
    manager.set_groups(&pairs)?;
    manager.set_auto_reorder(Some(AutoReorder::default()));
    let mut relation = Vec::new();
    let mut cluster = manager.one();
    for i in 0..n {
        let left = manager.var(at((i + n - 1) % n, 0))?;
        let own = manager.var(at(i, 0))?;
        let right = manager.var(at((i + 1) % n, 0))?;
        let input = manager.var(at(i, 2))?;
        let function = match draw(4) {
            0 => left.and(&right)?.or(&own.and(&input)?)?,
            1 => left.xor(&own)?.and(&right.or(&input)?)?,
            2 => input.ite(&left, &own)?,
            _ => own.iff(&left.and(&input)?)?.or(&right.not())?,
        };
        cluster = cluster.and(&manager.var(at(i, 1))?.iff(&function)?)?;
        if cluster.node_count() > 500 {
            relation.push(std::mem::replace(&mut cluster, manager.one()));
        }
    }
    relation.push(cluster);
    let gone = manager.var_set((0..n).flat_map(|i| [at(i, 0), at(i, 2)]))?;
    let back = Substitution::renaming(manager, (0..n).map(|i| (at(i, 1), at(i, 0))))?;
    // What is quantified with which cluster: the variables that occur in no later one.
    let mut later = manager.one();
    let mut schedule = Vec::new();
    for part in relation.iter().rev() {
        let support = part.support_cube()?;
        schedule.push((
            part.clone(),
            support.exists(&later)?.exists(&support.exists(&gone)?)?,
        ));
        later = later.and(&support)?;
    }
    schedule.reverse();
    let mut reached = manager.cube((0..n).filter(|i| i % 3 > 0).map(|i| (at(i, 0), false)))?;
    let never = gone.exists(&later)?;
    for _ in 0..12 {
        let mut image = reached.exists(&never)?;
        for (part, quantified) in &schedule {
            image = image.and_exists(part, quantified)?;
        }
        reached = reached.or(&image.substitute(&back)?)?;
    }
    let current: Vec<Var> = (0..n).map(|i| at(i, 0)).collect();
    let statistics = manager.statistics();
    eprintln!(
        "  circuit: 2^{:.3} states, {} reorderings, {} swaps, {:.3} s",
        reached.count_log2(&current),
        statistics.reorderings,
        statistics.swaps,
        statistics.reordering_seconds
    );
    Ok(reached.node_count())
}

fn sifted(manager: &Manager, functions: &[Bdd]) -> Result<usize> {
    let started = Instant::now();
    let report = manager.reorder(Method::Sift, &ReorderLimits::default())?;
    let seconds = started.elapsed().as_secs_f64();
    eprintln!(
        "  sifting: {} -> {} nodes, {} swaps ({} free), {:.3} s, {:.1} us a swap",
        report.nodes_before,
        report.nodes_after,
        report.swaps,
        report.free_swaps,
        seconds,
        1e6 * seconds / report.swaps.max(1) as f64
    );
    Ok(shared_node_count(functions))
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let threads = arguments
        .next()
        .and_then(|number| number.parse().ok())
        .unwrap_or(1);
    let run = Run {
        threads,
        wanted: arguments.collect(),
    };
    for n in [8, 9, 10] {
        run.kernel("queens", n, |manager| queens(manager, n));
    }
    for n in [9, 10, 11, 12] {
        run.kernel("multiplier", n, |manager| {
            Ok(shared_node_count(&multiplier(manager, n)?))
        });
    }
    for n in [8, 9, 10, 11] {
        run.kernel("sift-multiplier", n, |manager| {
            let bits = multiplier(manager, n)?;
            sifted(manager, &bits)
        });
    }
    run.kernel("adder-interleaved", 256, |manager| adder(manager, 256, true));
    run.kernel("adder-blocked", 14, |manager| adder(manager, 14, false));
    run.kernel("comparator-interleaved", 16, |manager| {
        Ok(comparator(manager, 16, true)?.node_count())
    });
    run.kernel("comparator-blocked", 16, |manager| {
        Ok(comparator(manager, 16, false)?.node_count())
    });
    for n in [14, 16, 18] {
        run.kernel("sift-comparator", n, |manager| {
            let equal = comparator(manager, n, false)?;
            sifted(manager, &[equal])
        });
    }
    for n in [60, 90, 120] {
        run.kernel("circuit", n, |manager| circuit(manager, n));
    }
    run.kernel("parity", 48, |manager| parity(manager, 48));
    run.kernel("parity", 1000, |manager| parity(manager, 1000));
}
