//! Racing engines: each in a child process of the same program, two at a time (and guests who join later); the first answer wins and the
//! rest are stopped.
//!
//! Children are asked and answer as `worker.rs` says; what crosses the border is plain data. A child lives across properties, so that what
//! its engine learned about the model is not learned twice. One that does not stop when told to is killed and started again when it
//! is next needed; one that crashes has lost the race, and the others go on.

use super::worker::{Assignment, error_from_json, progress_from_line};
use crate::saved;
use entail_answer::{Answer, Verdict};
use entail_budget::{Cancellation, Progress, Snapshot};
use entail_family::{Checker, ModelError, Runner};
use serde_json::Value as Json;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How a child is started, and what it is told first.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The model it works on; the engine is filled in.
    pub assignment: Assignment,
}

/// Engines that race at once, where there are so many cores.
const MOST_AT_ONCE: usize = 2;

/// How often a race looks at the switch and the clock.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// How much less of a busy machine a guest gets: about a third of what each of the others does.
const POLITENESS: &str = "5";

/// How long a child may take to notice that its time is up.
const GRACE: Duration = Duration::from_millis(400);

/// What a race ends with.
pub(super) enum Finish {
    /// Some engine decided, or none did: the engine, and what is known.
    Answer(&'static str, Box<Answer>),
    /// The model has no meaning.
    Error(Box<ModelError>),
    /// Nobody decided, and this engine panicked with this message.
    Panicked(&'static str, String),
}

/// A line from a child (none: it has ended), with the child's number.
type Event = (u64, Option<String>);

struct Worker {
    engine: &'static str,
    number: u64,
    child: Child,
    stdin: ChildStdin,
    /// It was asked something and has not answered.
    busy: bool,
    /// How far it has come, in its own words.
    come: Arc<Mutex<String>>,
}

impl Worker {
    /// The engine, and how far it has come with what it was asked.
    fn standing(&self) -> String {
        match self.come.lock() {
            Ok(come) if !come.is_empty() => format!("{} ({come})", self.engine),
            _ => self.engine.to_owned(),
        }
    }

    fn tell(&mut self, line: &str) -> bool {
        writeln!(self.stdin, "{line}")
            .and_then(|()| self.stdin.flush())
            .is_ok()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The children of one run.
pub(super) struct Portfolio {
    launcher: Launcher,
    workers: Vec<Worker>,
    started: u64,
    send: Sender<Event>,
    receive: Receiver<Event>,
    /// What other children said while one was waited for.
    put_aside: VecDeque<Event>,
}

/// An engine in the race.
struct Entry {
    runner: Runner,
    number: u64,
    deadline: Option<Instant>,
}

impl Portfolio {
    pub(super) fn new(launcher: Launcher) -> Portfolio {
        let (send, receive) = channel();
        Portfolio {
            launcher,
            workers: Vec::new(),
            started: 0,
            send,
            receive,
            put_aside: VecDeque::new(),
        }
    }

    /// Lets the runners decide a property, some at a time, in their order.
    pub(super) fn race(
        &mut self,
        (checker, position): (&dyn Checker, usize),
        runners: &[Runner],
        limit: Option<Duration>,
        cancellation: &Cancellation,
        progress: &dyn Progress,
    ) -> Finish {
        let begun = Instant::now();
        let end = limit.and_then(|limit| begun.checked_add(limit));
        let slots = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(MOST_AT_ONCE);
        let (guests, contestants): (Vec<Runner>, Vec<Runner>) = runners
            .iter()
            .copied()
            .partition(|runner| runner.joins_after.is_some());
        let mut waiting = contestants.into_iter().peekable();
        let mut guests = guests.into_iter().peekable();
        let mut running: Vec<Entry> = Vec::new();
        let mut lost: Vec<(&'static str, Answer)> = Vec::new();
        let mut panicked: Option<(&'static str, String)> = None;
        let finish = loop {
            let is_open = || end.is_none_or(|end| Instant::now() < end);
            while is_open() {
                let contestants = running.iter().filter(|entry| entry.runner.joins_after.is_none());
                let has_slot = contestants.count() < slots.max(1);
                let may_join = |guest: &Runner| {
                    let nobody_else = running.is_empty() && waiting.peek().is_none();
                    nobody_else || guest.joins_after.is_none_or(|after| begun.elapsed() >= after)
                };
                let joining = guests.next_if(may_join);
                let Some(runner) = joining.or_else(|| waiting.next_if(|_| has_slot)) else {
                    break;
                };
                let now = Instant::now();
                let own_end = runner.at_most.and_then(|most| now.checked_add(most));
                let deadline = [end, own_end].into_iter().flatten().min();
                match self.start(runner, position, deadline) {
                    Ok(number) => running.push(Entry {
                        runner,
                        number,
                        deadline,
                    }),
                    Err(problem) => lost.push((runner.engine, Answer::unknown(problem))),
                }
            }
            if running.is_empty() {
                break None;
            }
            progress.begin(position, &self.standings(&running));
            progress.report(&Snapshot {
                phase: "racing",
                ..Snapshot::default()
            });
            let event = match self.put_aside.pop_front() {
                Some(event) => Ok(event),
                None => self.receive.recv_timeout(LOOK_EVERY),
            };
            let line = match event {
                Ok((number, line)) => {
                    let Some(at) = running.iter().position(|entry| entry.number == number) else {
                        self.settle(number, line.is_some());
                        continue;
                    };
                    self.settle(number, line.is_some());
                    Some((running.remove(at).runner, line))
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
            };
            if let Some((runner, line)) = line {
                match understood(checker, position, line) {
                    Ok(Finish::Answer(_, answer)) if answer.verdict == Verdict::Unknown => {
                        lost.push((runner.engine, *answer));
                    }
                    Ok(Finish::Answer(_, mut answer)) => {
                        if let Some((engine, message)) = &panicked {
                            let warning =
                                format!("the engine `{engine}` panicked, a mistake in Entail: {message}");
                            answer.warnings.push(warning.into());
                        }
                        break Some(Finish::Answer(runner.engine, answer));
                    }
                    Ok(Finish::Panicked(_, message)) => {
                        lost.push((runner.engine, Answer::unknown(format!("it panicked: {message}"))));
                        panicked = Some((runner.engine, message));
                    }
                    Ok(error) => break Some(error),
                    Err(problem) => lost.push((runner.engine, Answer::unknown(problem))),
                }
            }
            if cancellation.is_cancelled() {
                let open = running.first().map(|entry| entry.runner.engine);
                lost.extend(open.map(|engine| (engine, Answer::unknown("interrupted"))));
                break None;
            }
            self.give_up_late(&mut running, &mut lost);
        };
        self.cancel(&running);
        finish.unwrap_or_else(|| match panicked {
            Some((engine, message)) => Finish::Panicked(engine, message),
            None => undecided(lost),
        })
    }

    /// Who runs, and how far each has come.
    fn standings(&self, running: &[Entry]) -> String {
        let standings = running.iter().map(|entry| {
            let worker = self.workers.iter().find(|worker| worker.number == entry.number);
            worker.map_or_else(|| entry.runner.engine.to_owned(), Worker::standing)
        });
        standings.collect::<Vec<_>>().join(", ")
    }

    /// A child stops by itself at its deadline; one that does not is given up.
    fn give_up_late(&mut self, running: &mut Vec<Entry>, lost: &mut Vec<(&'static str, Answer)>) {
        let late = |entry: &mut Entry| {
            let deadline = entry.deadline;
            deadline.is_some_and(|deadline| Instant::now() > deadline + GRACE)
        };
        for entry in running.extract_if(.., late) {
            self.workers.retain(|worker| worker.number != entry.number);
            lost.push((entry.runner.engine, Answer::unknown("it did not stop in time")));
        }
    }

    /// Tells the children that the race is over.
    fn cancel(&mut self, running: &[Entry]) {
        for entry in running {
            let mut workers = self.workers.iter_mut();
            if let Some(worker) = workers.find(|worker| worker.number == entry.number) {
                worker.tell("cancel");
            }
        }
    }

    /// Asks a child of the engine, starting one where there is none that listens.
    fn start(&mut self, runner: Runner, position: usize, deadline: Option<Instant>) -> Result<u64, String> {
        let engine = runner.engine;
        self.wait_for_idle(engine);
        let at = match self.workers.iter().position(|worker| worker.engine == engine) {
            Some(at) => at,
            None => self.spawn(runner)?,
        };
        let worker = &mut self.workers[at];
        let question = match deadline {
            None => format!("check {position}"),
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                format!("check {position} {}", left.as_millis())
            }
        };
        if !worker.tell(&question) {
            self.workers.remove(at);
            return Err("its process has ended".into());
        }
        worker.busy = true;
        if let Ok(mut come) = worker.come.lock() {
            come.clear();
        }
        Ok(worker.number)
    }

    /// A child that is still busy with a lost race gets a moment; then it is killed. What others say in the meantime is kept: it may be the
    /// answer to this race.
    fn wait_for_idle(&mut self, engine: &'static str) {
        let patience = Instant::now() + GRACE;
        let busy = |workers: &[Worker]| {
            let found = workers
                .iter()
                .find(|worker| worker.engine == engine && worker.busy);
            found.map(|worker| worker.number)
        };
        while let Some(awaited) = busy(&self.workers) {
            let said = self.put_aside.iter().position(|(number, _)| *number == awaited);
            let event = match said.and_then(|at| self.put_aside.remove(at)) {
                Some(event) => Ok(event),
                None => self.receive.recv_timeout(LOOK_EVERY),
            };
            match event {
                Ok((number, line)) if number == awaited => self.settle(number, line.is_some()),
                Ok(event) => self.put_aside.push_back(event),
                Err(_) if Instant::now() > patience => {
                    self.workers.retain(|worker| worker.engine != engine);
                }
                Err(_) => {}
            }
        }
    }

    /// A child has answered, or ended.
    fn settle(&mut self, number: u64, lives: bool) {
        if !lives {
            self.workers.retain(|worker| worker.number != number);
        } else if let Some(worker) = self.workers.iter_mut().find(|worker| worker.number == number) {
            worker.busy = false;
        }
    }

    fn spawn(&mut self, runner: Runner) -> Result<usize, String> {
        let engine = runner.engine;
        let start = |mut command: Command| {
            command
                .args(&self.launcher.arguments)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
        };
        let program = &self.launcher.program;
        let politely = || {
            let mut command = Command::new("nice");
            command.args(["-n", POLITENESS]).arg(program);
            start(command)
        };
        // A guest takes what the others leave, where the operating system knows how to say that.
        let child = match runner.joins_after {
            Some(_) => politely().or_else(|_| start(Command::new(program))),
            None => start(Command::new(program)),
        };
        let mut child = child.map_err(|error| format!("its process could not be started: {error}"))?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("its process has no pipes".into());
        };
        let assignment = self.launcher.assignment.for_engine(engine);
        writeln!(stdin, "{assignment}").map_err(|error| format!("its process does not listen: {error}"))?;
        self.started += 1;
        let number = self.started;
        let send = self.send.clone();
        let come = Arc::new(Mutex::new(String::new()));
        let told = come.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if let Some(counters) = progress_from_line(&line) {
                    if let Ok(mut told) = told.lock() {
                        *told = counters;
                    }
                    continue;
                }
                if send.send((number, Some(line))).is_err() {
                    return;
                }
            }
            let _ = send.send((number, None));
        });
        self.workers.push(Worker {
            engine,
            number,
            child,
            stdin,
            busy: false,
            come,
        });
        Ok(self.workers.len() - 1)
    }
}

/// What a child said, in terms of the model.
fn understood(checker: &dyn Checker, position: usize, line: Option<String>) -> Result<Finish, String> {
    let line = line.ok_or("its process ended without an answer")?;
    let document: Json = serde_json::from_str(&line).map_err(|error| error.to_string())?;
    if let Some(message) = document.get("internal").and_then(Json::as_str) {
        return Ok(Finish::Panicked("", message.to_owned()));
    }
    if let Some(error) = error_from_json(&document) {
        return Ok(Finish::Error(Box::new(error)));
    }
    let answer = saved::answer(&document, position, checker).map_err(|error| error.to_string())?;
    Ok(Finish::Answer("", Box::new(answer)))
}

/// Nobody knows: the farthest got, and what each said.
fn undecided(lost: Vec<(&'static str, Answer)>) -> Finish {
    let reasons: Vec<String> = lost
        .iter()
        .map(|(engine, answer)| format!("{engine}: {}", answer.reason.as_deref().unwrap_or("no answer")))
        .collect();
    let farthest = lost
        .into_iter()
        .max_by_key(|(_, answer)| answer.statistics.depth());
    match farthest {
        Some((engine, mut answer)) => {
            answer.reason = Some(reasons.join("; "));
            Finish::Answer(engine, Box::new(answer))
        }
        None => Finish::Answer("none", Box::new(Answer::unknown("time limit reached"))),
    }
}
