//! The region's log: lines of text or JSON, to standard error or a file.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use command_line::{stderr, terminal};
use config::{LogFormat, LogLevel};
use console::recent::{self, LogLines};
use diagnostics::Diagnostic;
use parking_lot::Mutex;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::writer::MakeWriterExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::application::{Application, Messages, unwritable};
use crate::codes;

/// Read and write for the file's owner, nothing for others: users and keys of records stand in it.
const OWNER_ONLY: u32 = 0o600;

/// The log as `[log]` has it.
#[derive(Clone)]
pub(crate) struct Log(Option<LogFile>);

/// A log's file, which can be opened again: a rotation of logs has moved it away.
#[derive(Clone)]
struct LogFile {
    path: Arc<PathBuf>,
    file: Arc<Mutex<File>>,
}

impl Log {
    /// Writes to the file of its name again, made if it is not there. The log goes on where it was if that fails.
    pub fn reopen(&self) {
        let Some(LogFile { path, file }) = &self.0 else { return };
        match open(path) {
            Ok(opened) => {
                *file.lock() = opened;
                tracing::info!(target: "SI", "the log goes on in {}", path.display());
            }
            Err(error) => tracing::error!(target: "SI", "{} cannot be written: {error}", path.display()),
        }
    }
}

impl MakeWriter<'_> for LogFile {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.lock().flush()
    }
}

/// Starts the log as `[log]` says.
pub(crate) fn start(application: &Application) -> Result<Log, Messages> {
    let config = &application.config.log;
    let log = match &config.file {
        None => None,
        Some(file) => {
            let path = application.root.join(&file.value);
            let file = open(&path).map_err(|error| unwritable(&path, &error))?;
            Some(LogFile { path: Arc::new(path), file: Arc::new(Mutex::new(file)) })
        }
    };
    // A log that cannot be written must not be what ends the region.
    let lines = tracing_subscriber::fmt().with_max_level(level(config.level)).log_internal_errors(false);
    if application.config.console.listen.is_some() {
        recent::keep();
    }
    let seen = LogLines::default;
    let started = match (&log, config.format) {
        (None, LogFormat::Text) => {
            lines.with_ansi(terminal::coloured()).with_writer(io::stderr.and(seen)).finish().try_init()
        }
        (None, LogFormat::Json) => lines.json().with_writer(stderr::Own.and(seen)).finish().try_init(),
        (Some(file), LogFormat::Text) => {
            lines.with_ansi(false).with_writer(file.clone().and(seen)).finish().try_init()
        }
        (Some(file), LogFormat::Json) => lines.json().with_writer(file.clone().and(seen)).finish().try_init(),
    };
    started.map_err(|error| {
        vec![Diagnostic::error(codes::NO_LOG, format!("the log cannot be started: {error}"))]
    })?;
    Ok(Log(log))
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(OWNER_ONLY).open(path)
}

fn level(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}
