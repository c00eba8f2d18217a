//! Messages of the protocol: JSON with its length in front.

use std::io;

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The longest message of an editor. A list of breakpoints has a line or two for each.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// The longest header line.
const HEADER_BYTES_MAX: u64 = 256;

const LENGTH: &str = "content-length";

/// The next message; none when the editor has gone between two of them.
///
/// # Errors
/// It is none, or the connection has failed.
pub(crate) async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        (&mut *from).take(HEADER_BYTES_MAX).read_line(&mut line).await?;
        match line.strip_suffix('\n').map(str::trim_end) {
            None if line.is_empty() && length.is_none() => return Ok(None),
            None => return Err(invalid("a header line does not end")),
            Some("") => break,
            Some(header) => {
                if let Some((name, value)) = header.split_once(':')
                    && name.trim().eq_ignore_ascii_case(LENGTH)
                {
                    length = value.trim().parse::<usize>().ok();
                }
            }
        }
    }
    let length = length.filter(|length| *length <= MESSAGE_BYTES_MAX);
    let length = length.ok_or_else(|| invalid("a message has no length, or is too long"))?;
    let mut text = vec![0; length];
    from.read_exact(&mut text).await?;
    serde_json::from_slice(&text).map(Some).map_err(|error| invalid(&error.to_string()))
}

/// Sends a message.
///
/// # Errors
/// The editor has gone.
pub(crate) async fn write(to: &mut (impl AsyncWrite + Unpin), message: &Value) -> io::Result<()> {
    let text = message.to_string();
    let head = format!("Content-Length: {}\r\n\r\n", text.len());
    to.write_all(head.as_bytes()).await?;
    to.write_all(text.as_bytes()).await?;
    to.flush().await
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all messages of these bytes.
    async fn all(bytes: &[u8]) -> Vec<String> {
        let mut from = bytes;
        let mut found = Vec::new();
        loop {
            match read(&mut from).await {
                Ok(Some(message)) => found.push(message.to_string()),
                Ok(None) => return found,
                Err(error) => {
                    found.push(format!("! {error}"));
                    return found;
                }
            }
        }
    }

    #[tokio::test]
    async fn messages_come_one_behind_the_other_and_bad_ones_are_refused() {
        assert_eq!(
            all(b"Content-Length: 2\r\n\r\n{}content-length:7\r\nX: y\r\n\r\n{\"a\":1}").await,
            ["{}", "{\"a\":1}"]
        );
        for bad in [
            &b"Content-Length: 2\r\n\r\n{"[..],
            b"\r\n{}",
            b"Content-Length: 99999999\r\n\r\n",
            b"Content-Length: 2\r\n\r\nno",
            b"Content-Length: 2",
        ] {
            let found = all(bad).await;
            assert!(found.len() == 1 && found[0].starts_with('!'), "{}: {found:?}", bad.escape_ascii());
        }
    }

    #[tokio::test]
    async fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, &serde_json::json!({"text": "Ä"})).await.expect("it is written");
        assert_eq!(all(&bytes).await, ["{\"text\":\"Ä\"}"]);
    }
}
