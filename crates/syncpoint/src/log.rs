//! The region's log: lines of text, to standard error or a file.

use std::fs::OpenOptions;
use std::sync::Mutex;

use config::LogLevel;
use diagnostics::Diagnostic;
use tracing::level_filters::LevelFilter;

use crate::application::{Application, Messages, unwritable};
use crate::{codes, terminal};

/// Starts the log as `[log]` says.
pub(crate) fn start(application: &Application) -> Result<(), Messages> {
    let level = match application.config.log.level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let lines = tracing_subscriber::fmt().with_max_level(level);
    let started = match &application.config.log.file {
        None => lines.with_ansi(terminal::coloured()).with_writer(std::io::stderr).try_init(),
        Some(file) => {
            let path = application.root.join(&file.value);
            let file = OpenOptions::new().create(true).append(true).open(&path);
            let file = file.map_err(|error| unwritable(&path, &error))?;
            lines.with_ansi(false).with_writer(Mutex::new(file)).try_init()
        }
    };
    started.map_err(|error| {
        vec![Diagnostic::error(codes::NO_LOG, format!("the log cannot be started: {error}"))]
    })
}
