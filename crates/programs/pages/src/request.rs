//! A `request` block: a client asks a web service of the region.
//!
//! The block names a TCPIPSERVICE. Its lines are the head and, behind an empty line, the body; `\xHH` is a byte. What every request
//! needs is added where it is missing: the version, Host, Content-Length. The connection is closed behind it.

use region::Running;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::client::{bytes, connected};
use crate::house::PATIENCE;

/// Asks as a block says; the bytes of the answer.
///
/// # Errors
/// The reason why there is no answer.
pub async fn ask(running: &Running, words: &[String], lines: &[String]) -> Result<Vec<u8>, String> {
    let service = words.first().ok_or("a request names its TCPIPSERVICE")?;
    let mut stream = connected(running, service).await?;
    let exchange = async {
        stream.write_all(&written(lines)).await.map_err(|error| error.to_string())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.map_err(|error| error.to_string())?;
        Ok(answer)
    };
    let answered = tokio::time::timeout(PATIENCE, exchange).await;
    answered.unwrap_or_else(|_| Err(String::from("no answer comes")))
}

/// The bytes of a request.
fn written(lines: &[String]) -> Vec<u8> {
    let end = lines.iter().position(String::is_empty).unwrap_or(lines.len());
    let (head, body) = (&lines[..end], lines.get(end + 1..).unwrap_or_default());
    let body = bytes(&body.join("\n"));
    let has = |name: &str| head.iter().any(|line| line.to_ascii_lowercase().starts_with(name));
    let mut text = head.first().cloned().unwrap_or_default();
    if !text.contains(" HTTP/") {
        text.push_str(" HTTP/1.1");
    }
    for line in head.iter().skip(1) {
        text.push_str("\r\n");
        text.push_str(line);
    }
    let mut add = |header: &str| text.push_str(&format!("\r\n{header}"));
    if !has("host:") {
        add("Host: localhost");
    }
    if !has("connection:") {
        add("Connection: close");
    }
    if !body.is_empty() && !has("content-length:") && !has("transfer-encoding:") {
        add(&format!("Content-Length: {}", body.len()));
    }
    let mut request = bytes(&(text + "\r\n\r\n"));
    request.extend(body);
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_request_needs_is_added() {
        let lines = ["POST /a", "X: 1", "", "a\\xE9"].map(str::to_owned);
        let expected =
            b"POST /a HTTP/1.1\r\nX: 1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\na\xe9";
        assert_eq!(written(&lines), expected);
    }
}
