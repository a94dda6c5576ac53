//! Searches over several processes: this one is one of them, and starts the others that are on this machine.
//!
//! The search runs in a thread of its own. The main thread watches over it: the answers, the limits, Ctrl-C, the processes that were started, and news that another process is lost. So whatever the search or
//! another process does, this process ends: with the answers; with `unknown` when time is up or it is told to stop; or with no answer when a process is lost.
//!
//! A process that was started has a pipe as its standard input: the secret comes through it, and when it is closed, however its other end has ended, the process ends.

use crate::Context;
use crate::arguments::Check;
use crate::check::Ended;
use crate::failure::{CommandError, LOST};
use crate::found::{Found, NO_ENGINE};
use crate::progress_line::ProgressLine;
use entail::Loaded;
use entail::run::{Judge, Request};
use entail_answer::Answer;
use entail_budget::Budget;
use entail_family::Member;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

mod hosts;
mod secret;
mod started;

use started::Started;

/// Between looks at everything but messages.
const TICK: Duration = Duration::from_millis(20);
/// Beyond a limit, workers have so long to agree that it was reached.
const GRACE: Duration = Duration::from_secs(3);
/// After a connection has broken, processes have so long to say why.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What the main thread is told.
enum News {
    Answer(usize, Box<Answer>),
    Done(Result<(), String>),
    /// A thread has panicked, as timely's do when another process is lost.
    Panic(String),
}

/// Why a search ends.
enum End {
    Done,
    /// A limit was reached.
    Limit(String),
    Failed(CommandError),
}

/// The processes of a search, as far as this one knows them.
pub struct Party {
    member: Member,
    started: Vec<Started>,
}

/// Who takes part in a search, if it is a distributed one. Processes of this machine are started, unless this process is one that was.
pub fn party(options: &Check, context: &Context) -> Result<Option<Party>, CommandError> {
    let Some(hosts) = &options.distributed else {
        return Ok(None);
    };
    let addresses = hosts::addresses(hosts)?;
    let is_local = addresses.iter().all(|address| hosts::is_here(address));
    let secret = secret::secret(options.secret.as_deref(), is_local && options.index.is_none())?;
    let threads = context
        .options
        .value("threads")
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    let mut started = Vec::new();
    let index = match options.index {
        Some(index) if index < addresses.len() => index,
        Some(index) => {
            return Err(CommandError::usage(format!(
                "--index {index}: {} has {} addresses, counted from 0",
                hosts.display(),
                addresses.len()
            )));
        }
        None => {
            let own = addresses.iter().position(|address| hosts::is_here(address));
            let own = own.ok_or_else(|| {
                CommandError::usage("none of the addresses is on this machine (localhost); say --index")
            })?;
            for (index, address) in addresses.iter().enumerate().filter(|(index, _)| *index != own) {
                match hosts::is_here(address) {
                    true => started.push(Started::new(index, address, &secret)?),
                    false => eprintln!(
                        "entail: waiting for {address}: run the same command there with --index {index} and the same secret"
                    ),
                }
            }
            own
        }
    };
    Ok(Some(Party {
        member: Member {
            addresses,
            index,
            threads,
            secret: secret.line().to_owned(),
        },
        started,
    }))
}

impl Party {
    /// Checks what is asked together with the others. The first process has the answers, which are checked and shown as they come.
    pub fn check(
        mut self,
        check: &Arc<Check>,
        context: &Context,
        loaded: &Arc<Loaded>,
        request: &Arc<Request>,
        found: &Arc<Mutex<Found>>,
    ) -> Result<Ended, CommandError> {
        let begun = Instant::now();
        let (news, told) = channel();
        let main = std::thread::current().id();
        let (usual, panics) = (std::panic::take_hook(), news.clone());
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().id() == main {
                usual(panic);
            } else {
                let reason = panic.payload_as_str().unwrap_or("an error").to_owned();
                let _ = panics.send(News::Panic(reason));
            }
        }));
        let (member, asked, request_here) = (self.member.clone(), loaded.clone(), request.clone());
        let search = std::thread::Builder::new().name("search".into()).spawn(move || {
            let budget = Budget::unlimited()
                .with_timeout(request_here.timeout)
                .with_memory(request_here.memory)
                .with_default_memory(request_here.default_memory)
                .with_cancellation(request_here.cancellation.clone());
            let done = asked.model.check_together(
                &request_here.properties,
                &request_here.options,
                &member,
                (&budget, request_here.property_timeout),
                &mut |property, answer| {
                    let _ = news.send(News::Answer(property, Box::new(answer)));
                },
            );
            let kind = asked.family.name;
            let refused = || Err(format!("{kind} cannot be searched by several processes"));
            let _ = news.send(News::Done(done.unwrap_or_else(refused)));
        });
        if let Err(error) = search {
            return Err(CommandError::Message(
                format!("cannot start a thread: {error}"),
                LOST,
            ));
        }
        let mut answers = 0;
        let engine = loaded
            .family
            .engines
            .first()
            .map_or(NO_ENGINE, |engine| engine.name);
        let mut judge = Judge::new(&*loaded.model, request)
            .map_err(|failure| CommandError::usage(failure.to_string()))?;
        let mut last = begun;
        let mut show = |property: usize, answer: Answer| {
            let decided = judge.of_engine(property, engine, answer, last.elapsed());
            last = Instant::now();
            if let Ok(mut found) = found.lock() {
                let line = ProgressLine::new(false, std::iter::empty());
                found.add(decided, judge.checker(), &*loaded.model, check, context, &line);
            }
        };
        match self.wait(&told, request, begun, &mut answers, &mut show) {
            End::Done => started::end(&mut self.started, GRACE),
            End::Failed(stop) => return Err(stop),
            // It is the first process that says so.
            End::Limit(reason) if self.member.index != 0 => return Err(CommandError::Message(reason, LOST)),
            // What was decided before is as good as ever.
            End::Limit(reason) => return Ok(Ended::Limit(reason)),
        }
        Ok(match self.member.index {
            0 => Ended::ByItself,
            _ => Ended::Elsewhere,
        })
    }

    /// Waits for the end.
    fn wait(
        &mut self,
        told: &Receiver<News>,
        request: &Request,
        begun: Instant,
        answers: &mut usize,
        show: &mut dyn FnMut(usize, Answer),
    ) -> End {
        // The first process gives the answer, so the others wait longer.
        let grace = if self.member.index == 0 { GRACE } else { 2 * GRACE };
        let mut interrupted: Option<Instant> = None;
        let mut answered = begun;
        loop {
            let news = told.recv_timeout(TICK);
            if request.cancellation.is_cancelled() {
                interrupted.get_or_insert_with(Instant::now);
            }
            let reached = limit(request, begun, interrupted.is_some());
            // Whatever happens then, the answers are right.
            let has_all = self.member.index == 0 && *answers == request.properties.len();
            match news {
                Ok(News::Answer(property, answer)) => {
                    *answers += 1;
                    show(property, *answer);
                    answered = Instant::now();
                }
                Ok(News::Done(Ok(()))) => return End::Done,
                Ok(News::Done(Err(_)) | News::Panic(_)) if has_all => return End::Done,
                Ok(News::Done(Err(failure))) => {
                    return self.without(reached, || failure.clone());
                }
                Ok(News::Panic(reason)) => {
                    // What timely was doing does not matter.
                    let error = reason.strip_prefix("timely communication error: ");
                    let error = error.and_then(|error| error.split_once(": "));
                    let reason = error.map_or(&*reason, |(_, error)| error);
                    return self.without(reached, || format!("there is no answer: {reason}"));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(TICK),
            }
            if has_all && answered.elapsed() > grace {
                return End::Done;
            }
            if let Some(stop) = started::lost(&mut self.started) {
                return match reached {
                    _ if has_all => End::Done,
                    Some(reason) => End::Limit(reason),
                    None => End::Failed(stop),
                };
            }
            let is_over = interrupted.is_some_and(|when| when.elapsed() > grace)
                || request
                    .timeout
                    .is_some_and(|limit| begun.elapsed() > limit + grace);
            if let (true, Some(reason)) = (is_over, reached) {
                return End::Limit(reason);
            }
        }
    }

    /// The end when the search cannot go on: beyond a limit it is that; otherwise a process was lost. One that was started may say why.
    fn without(&mut self, reached: Option<String>, reason: impl Fn() -> String) -> End {
        if let Some(reason) = reached {
            return End::Limit(reason);
        }
        let begun = Instant::now();
        while begun.elapsed() < LAST_WORDS && !self.started.is_empty() {
            if let Some(stop) = started::lost(&mut self.started) {
                return End::Failed(stop);
            }
            std::thread::sleep(TICK);
        }
        End::Failed(CommandError::Message(reason(), LOST))
    }
}

/// The limit that has been reached, if any.
fn limit(request: &Request, begun: Instant, is_interrupted: bool) -> Option<String> {
    use entail_budget::Spent;
    let time = request.timeout.filter(|limit| begun.elapsed() >= *limit);
    match is_interrupted {
        true => Some(Spent::Cancelled.to_string()),
        false => time.map(|limit| Spent::Time(limit).to_string()),
    }
}
