//! A program of PostgreSQL that runs to its end: what it says, and its outcome.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::thread;

use super::CannotStart;
use crate::limits;

/// Hears what a program says, so that it never waits for a listener. Only the beginning is kept.
pub(super) fn listen(child: &mut Child) -> Option<thread::JoinHandle<String>> {
    let from = child.stderr.take()?;
    Some(thread::spawn(move || {
        let mut from = from;
        let mut said = String::new();
        let _ = (&mut from).take(limits::PROGRAM_WORDS).read_to_string(&mut said);
        let _ = io::copy(&mut from, &mut io::sink());
        said
    }))
}

pub(super) fn succeeded(
    program: &Path,
    status: io::Result<ExitStatus>,
    said: Option<thread::JoinHandle<String>>,
) -> Result<(), CannotStart> {
    let said = said.and_then(|said| said.join().ok()).unwrap_or_default();
    let failed = |why: String| CannotStart::Program { program: program.to_owned(), why };
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) if said.trim().is_empty() => Err(failed(status.to_string())),
        Ok(_) => Err(failed(said.trim().to_owned())),
        Err(error) => Err(failed(error.to_string())),
    }
}
