//! Standard error of a region whose log is JSON there: each line is JSON, messages of the command and panics among them. What
//! others write to descriptor 2, libraries and programs that the region starts, comes by a pipe and becomes lines of the log.

use std::fs::File;
use std::io::{self, BufRead, BufReader, PipeReader, Read, Write};
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

/// The command is one whose standard error a program reads.
static SERVES: AtomicBool = AtomicBool::new(false);
/// Standard error is a log in JSON.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// The target of lines that the command writes itself.
const OWN: &str = "SI";
/// The target of lines that come of a mistake in the region's own code.
const PANIC: &str = "panic";
/// The target of lines that others have written.
const OTHERS: &str = "stderr";
/// Bytes of such a line at most: a longer one becomes several.
const LINE_MAX: u64 = 64 << 10;
/// Time for the last of them to be written when the command ends.
const END: Duration = Duration::from_millis(500);

/// Standard error as the process got it, once descriptor 2 is a pipe.
static REAL: OnceLock<Real> = OnceLock::new();

struct Real {
    file: Mutex<File>,
    /// Hears that what came by the pipe is written.
    ended: Mutex<Receiver<()>>,
}

/// The command runs a region: its standard error is what [`is_json`] says.
pub fn serves() {
    SERVES.store(true, Ordering::Relaxed);
}

/// Says whether the log is JSON, and goes to standard error. From then on panics are lines of it, too.
pub fn is_json(is_json: bool) {
    let is_json = is_json && SERVES.load(Ordering::Relaxed);
    if is_json && !IS_JSON.swap(true, Ordering::Relaxed) {
        std::panic::set_hook(Box::new(|panic| write("ERROR", PANIC, &panic.to_string())));
        if let Err(error) = capture() {
            write("WARN", OWN, &format!("lines of others on standard error are no JSON: {error}"));
        }
    }
}

/// Puts a pipe in the place of descriptor 2.
fn capture() -> io::Result<()> {
    let file = Mutex::new(File::from(io::stderr().as_fd().try_clone_to_owned()?));
    let (from, to) = io::pipe()?;
    let (done, ended) = sync_channel(1);
    thread::Builder::new().name(String::from("stderr")).spawn(move || {
        pass_on(from);
        let _ = done.send(());
    })?;
    if REAL.set(Real { file, ended: Mutex::new(ended) }).is_ok() {
        rustix::stdio::dup2_stderr(&to)?;
    }
    Ok(())
}

/// Writes what comes by the pipe, line by line, to its end.
fn pass_on(from: PipeReader) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while matches!((&mut from).take(LINE_MAX).read_until(b'\n', &mut line), Ok(1..)) {
        write("WARN", OTHERS, &String::from_utf8_lossy(&line));
        line.clear();
    }
}

/// Waits a moment until all that others have written is in the log. Descriptor 2 is what it was from then on.
pub fn end() {
    let Some(Real { file, ended }) = REAL.get() else { return };
    let is_back = rustix::stdio::dup2_stderr(&*file.lock()).is_ok();
    if is_back {
        // A program that was started may still have the pipe.
        let _ = ended.lock().recv_timeout(END);
    }
}

/// A writer to standard error as the process got it.
pub struct Own;

impl MakeWriter<'_> for Own {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        Self
    }
}

impl Write for Own {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match REAL.get() {
            Some(real) => real.file.lock().write(bytes),
            None => io::stderr().write(bytes),
        }
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match REAL.get() {
            Some(real) => real.file.lock().write_all(bytes),
            None => io::stderr().write_all(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a text of one or more lines as one line of JSON; false where standard error is for people.
pub fn line(level: &str, text: &str) -> bool {
    if !IS_JSON.load(Ordering::Relaxed) {
        return false;
    }
    write(level, OWN, text);
    true
}

fn write(level: &str, target: &str, text: &str) {
    let text = text.trim();
    if text.is_empty() {
        return;
    }
    let now = jiff::Timestamp::now();
    let line = json!({"timestamp": format!("{now:.6}"), "level": level, "fields": {"message": text}, "target": target});
    // A reader that is gone is not an error.
    let _ = Own.write_all(format!("{line}\n").as_bytes());
}
