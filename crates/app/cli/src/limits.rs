//! The limits of a run, kept whatever happens.
//!
//! Engines watch their budgets and stop by themselves. What does not (reading a very large model, taking it apart, a library that asks nobody)
//! is done in a thread that is left behind when its time is up: the limit holds, and what is known is still said. The thread ends with the process.

use entail_budget::{Budget, Cancellation, Spent, default_memory_limit};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Formulas and syntax trees are walked recursively in places; readers limit their depth so that this is plenty.
const STACK_BYTES: usize = 256 << 20;

/// How often the limits are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// How long something that watches its budget may take to stop by itself.
pub const PATIENCE: Duration = Duration::from_millis(500);

/// The same where what was searched is saved on the way out.
pub const TIME_TO_SAVE: Duration = Duration::from_secs(300);

/// The same for what watches nothing.
pub const NO_PATIENCE: Duration = Duration::from_millis(300);

/// The limit of memory that a user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// So many bytes.
    Bytes(u64),
    /// None.
    Unlimited,
}

/// What a command may spend.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    begun: Option<Instant>,
    timeout: Option<Duration>,
    /// Bytes that the user asked for.
    pub memory: Option<u64>,
    /// Bytes where nobody asked for anything.
    pub default_memory: Option<u64>,
    /// The switch that stops everything.
    pub cancellation: Cancellation,
}

impl Limits {
    /// The limits of a command that begins now.
    pub fn new(timeout: Option<Duration>, memory: Option<Memory>) -> Limits {
        Limits {
            begun: Some(Instant::now()),
            timeout,
            memory: match memory {
                Some(Memory::Bytes(bytes)) => Some(bytes),
                Some(Memory::Unlimited) | None => None,
            },
            default_memory: match memory {
                None => default_memory_limit(),
                Some(_) => None,
            },
            cancellation: Cancellation::default(),
        }
    }

    /// Ctrl-C and SIGTERM turn the switch from now on. Without a handler they still end the program, only less politely.
    pub fn heed_signals(&self) {
        let switch = self.cancellation.clone();
        let _ = ctrlc::set_handler(move || switch.cancel());
    }

    /// What is left of the time.
    pub fn time_left(&self) -> Option<Duration> {
        let spent = self.begun.map(|begun| begun.elapsed()).unwrap_or_default();
        self.timeout.map(|whole| whole.saturating_sub(spent))
    }

    /// The same switch and memory, but at most so much time from now on.
    pub fn within(&self, time: Duration) -> Limits {
        Limits {
            begun: Some(Instant::now()),
            timeout: Some(self.time_left().map_or(time, |left| left.min(time))),
            ..self.clone()
        }
    }

    /// What is left, for those who watch it.
    pub fn budget(&self) -> Budget {
        Budget::unlimited()
            .with_timeout(self.time_left())
            .with_memory(self.memory)
            .with_default_memory(self.default_memory)
            .with_cancellation(self.cancellation.clone())
    }

    /// What is spent, if something is. The time is said as the user set it.
    fn spent(&self, budget: &Budget) -> Option<Spent> {
        match (budget.check_now().err()?, self.timeout) {
            (Spent::Time(_), Some(whole)) => Some(Spent::Time(whole)),
            (spent, _) => Some(spent),
        }
    }

    /// Does something in a thread with a large stack; gives up when a limit has been passed for as long as patience lasts. A panic goes on here.
    pub fn keep<T: Send + 'static>(
        &self,
        patience: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Spent> {
        let (send, receive) = channel();
        let worker = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(move || {
                // Nobody listens any more if the limits were passed.
                let _ = send.send(work());
            })
            .unwrap_or_else(|error| panic!("no thread can be started: {error}"));
        let budget = self.budget();
        let mut passed: Option<Instant> = None;
        loop {
            match receive.recv_timeout(LOOK_EVERY) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => match worker.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => unreachable!("a thread that ends has sent its result"),
                },
            }
            match self.spent(&budget) {
                None => passed = None,
                Some(spent) => {
                    if passed.get_or_insert_with(Instant::now).elapsed() >= patience {
                        return Err(spent);
                    }
                }
            }
        }
    }
}
