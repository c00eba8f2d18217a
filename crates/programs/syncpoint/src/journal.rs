//! `syncpoint journal`: what a journal's file holds, a line for each record.

use std::io::{self, Write};
use std::path::Path;

use diagnostics::Diagnostic;
use domains::journals::format::{self, Found, Record};

use crate::application::Messages;
use crate::{codes, unsealed};

/// Prints a journal.
pub(crate) fn journal(file: &Path) -> Result<(), Messages> {
    let bytes = unsealed::read(file).map_err(|error| {
        vec![Diagnostic::error(codes::UNREADABLE, format!("{} cannot be read: {error}", file.display()))]
    })?;
    // A reader that has seen enough closes the pipe.
    match print(&bytes, &mut io::stdout().lock()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(vec![Diagnostic::error(codes::UNWRITABLE, format!("the journal cannot be printed: {error}"))])
        }
        _ => Ok(()),
    }
}

fn print(bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
    for (place, found) in format::read(bytes) {
        match found {
            Found::Record(record) => writeln!(out, "{}", line(&record))?,
            Found::Damaged(length) => writeln!(out, "({length} bytes from {place} on are no record)")?,
        }
    }
    out.flush()
}

/// Time, task, transaction, terminal, user, type, and behind them prefix and data.
fn line(record: &Record) -> String {
    let Record { time, task, transaction, terminal, user, kind, prefix, data } = record;
    let prefix = if prefix.is_empty() { String::new() } else { format!("[{}] ", shown(prefix)) };
    format!("{time:.6} {task:05} {transaction:<4} {terminal:<4} {user:<8} {kind:<2} {prefix}{}", shown(data))
}

/// Bytes as characters; those that cannot be shown, in hexadecimal.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'\\' => text.push_str("\\\\"),
            0x20..=0x7e => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_a_line_and_damage_is_told() {
        let record = Record {
            time: "2026-11-21T23:00:00.5Z".parse().expect("a time"),
            task: 42,
            transaction: "PAY1".into(),
            terminal: "T001".into(),
            user: "ANN".into(),
            kind: "A1".into(),
            prefix: b"P".to_vec(),
            data: b"X\0".to_vec(),
        };
        let mut out = Vec::new();
        print(&[b"half".as_slice(), &record.to_bytes()].concat(), &mut out).expect("memory");
        let expected = "(4 bytes from 0 on are no record)\n\
                        2026-11-21T23:00:00.500000Z 00042 PAY1 T001 ANN      A1 [P] X\\x00\n";
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
