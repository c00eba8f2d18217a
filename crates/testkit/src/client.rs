//! A `client` block: somebody connects to a listener of the region and talks to it.
//!
//! `> text` is sent, `< text` must come next, `closed` says that the region closes the connection. `\n` in a text is a line
//! feed, `\xHH` a byte.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::house::PATIENCE;

/// Talks as a block says.
///
/// # Errors
/// What does not go as it says.
pub async fn talk(port: u16, lines: &[String]) -> Result<(), String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect(address).await.map_err(|error| format!("no connection: {error}"))?;
    for line in lines {
        let done = async {
            match line.split_at_checked(2) {
                Some(("> ", text)) => stream.write_all(&bytes(text)).await.map_err(|error| error.to_string()),
                Some(("< ", text)) => expect(&mut stream, &bytes(text)).await,
                _ if line == "closed" => ends(&mut stream).await,
                _ => Err(String::from("a line begins with > or <, or says closed")),
            }
        };
        let done = tokio::time::timeout(PATIENCE, done).await;
        done.unwrap_or_else(|_| Err(String::from("nothing comes")))
            .map_err(|why| format!("{line}: {why}"))?;
    }
    Ok(())
}

async fn expect(stream: &mut TcpStream, expected: &[u8]) -> Result<(), String> {
    let mut came = vec![0; expected.len()];
    let mut filled = 0;
    while filled < came.len() && came[..filled] == expected[..filled] {
        match stream.read(&mut came[filled..]).await {
            Ok(0) | Err(_) => break,
            Ok(count) => filled += count,
        }
    }
    if came[..filled] == *expected {
        return Ok(());
    }
    Err(format!("{:?} comes", String::from_utf8_lossy(&came[..filled])))
}

async fn ends(stream: &mut TcpStream) -> Result<(), String> {
    let mut byte = [0];
    match stream.read(&mut byte).await {
        Ok(0) | Err(_) => Ok(()),
        Ok(_) => Err(format!("{:?} comes", char::from(byte[0]))),
    }
}

/// A text's bytes, with its escapes.
fn bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let hexadecimal = behind.strip_prefix('x').and_then(|behind| behind.split_at_checked(2));
        rest = match hexadecimal.and_then(|(digits, rest)| Some((u8::from_str_radix(digits, 16).ok()?, rest)))
        {
            Some((byte, rest)) => {
                bytes.push(byte);
                rest
            }
            None => {
                bytes.push(b'\n');
                behind.get(1..).unwrap_or_default()
            }
        };
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_bytes() {
        assert_eq!(bytes("A\\x00B\\nC"), b"A\0B\nC");
    }
}
