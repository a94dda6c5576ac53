//! `--dump-queries DIR`: every question an engine asks the solver as a file of SMT-LIB, for reports of bugs and for benchmarks.
//!
//! Engines that race are processes of their own and write into one folder, so a file's name has the process, the engine and a number.

use entail_family::{OptionSpec, Usage};
use entail_smt::QuerySink;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `--dump-queries DIR`
pub(crate) const DUMP_QUERIES: OptionSpec = OptionSpec::with_value(
    "dump-queries",
    "DIR",
    "Write every question to the SMT solver into this folder, as SMT-LIB",
);

/// A folder for questions.
pub(crate) struct QueryFolder {
    path: PathBuf,
    count: Arc<AtomicUsize>,
}

impl QueryFolder {
    /// Makes the folder if it is not there.
    pub fn open(path: &str) -> Result<QueryFolder, Usage> {
        fs::create_dir_all(path).map_err(|error| Usage(format!("--dump-queries {path}: {error}")))?;
        Ok(QueryFolder {
            path: path.into(),
            count: Arc::default(),
        })
    }

    /// Where the questions of an engine go. What cannot be written is left out: the verdict does not depend on it.
    pub fn sink(&self, engine: &str) -> QuerySink {
        let (path, count) = (self.path.clone(), self.count.clone());
        let prefix = format!("{}-{engine}", std::process::id());
        Arc::new(move |script| {
            let number = count.fetch_add(1, Ordering::Relaxed);
            let _ = fs::write(path.join(format!("{prefix}-{number:06}.smt2")), script);
        })
    }
}
