//! The one log of a topology: each line with the name of the process that has said it.

use std::io::{BufRead, BufReader, Read, Write};

use tokio::sync::mpsc::UnboundedSender;

/// Bytes of a line that are kept together.
const LINE_MAX: u64 = 64 * 1024;

/// Writes a line of the topology itself.
pub(crate) fn say(text: &str) {
    write("up", text);
}

/// Writes a line of a process. One that is a JSON object has the name in it.
fn write(name: &str, line: &str) {
    let mut out = std::io::stderr().lock();
    // A log that cannot be written must not be what ends the topology.
    let _ = match line.strip_prefix('{') {
        Some(rest) if line.ends_with('}') => writeln!(out, "{{\"region\":\"{name}\",{rest}"),
        _ => writeln!(out, "{name:<8} | {line}"),
    };
}

/// Passes on what a process says, on a thread of its own, to its end. A line that has `ready` in it is announced.
pub(crate) fn pass_on(
    name: &str,
    stream: impl Read + Send + 'static,
    ready: Option<(&'static str, UnboundedSender<()>)>,
) -> std::io::Result<()> {
    let name = name.to_owned();
    let passes = move || {
        let mut reader = BufReader::new(stream);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match reader.by_ref().take(LINE_MAX).read_until(b'\n', &mut bytes) {
                Ok(count) if count > 0 => {}
                _ => return,
            }
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim_end();
            match &ready {
                Some((words, sender)) if line.contains(words) => {
                    // Its receiver may be gone.
                    let _ = sender.send(());
                }
                // The greeting is for people at a terminal.
                Some(_) if line.is_empty() || line.contains(['│', '┌', '└']) => {}
                _ if line.is_empty() => {}
                _ => write(&name, line),
            }
        }
    };
    std::thread::Builder::new().name(String::from("lines")).spawn(passes).map(drop)
}
