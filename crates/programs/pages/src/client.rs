//! A `client` block: a client connects to the region and talks to it.
//!
//! The block names a listener by its transaction, a TCPIPSERVICE, DIRECT or a scenario by its program, or the ports of a conversation by their places among all those of the
//! configuration, from 1. `> text` is sent, `< text` must come next, `closed` says that the region closes the connection;
//! with a 2 or 3 before them they are about the second or third port. A connection is made when its first line comes. `\n`
//! in a text is a line feed, `\xHH` a byte.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use region::Running;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::house::PATIENCE;

/// Talks as a block says.
///
/// # Errors
/// The step that does not go as it says.
pub async fn talk(running: &Running, words: &[String], lines: &[String]) -> Result<(), String> {
    let mut streams: Vec<Option<TcpStream>> = words.iter().map(|_| None).collect();
    for line in lines {
        let (place, what) = match (line.strip_prefix('2'), line.strip_prefix('3')) {
            (Some(what), _) => (1, what),
            (_, Some(what)) => (2, what),
            (None, None) => (0, line.as_str()),
        };
        let (Some(word), Some(slot)) = (words.get(place), streams.get_mut(place)) else {
            return Err(format!("{line}: there is no such connection"));
        };
        let stream = match slot {
            Some(stream) => stream,
            none => none.insert(connected(running, word).await?),
        };
        let done = async {
            match what.split_at_checked(2) {
                Some(("> ", text)) => stream.write_all(&bytes(text)).await.map_err(|error| error.to_string()),
                Some(("< ", text)) => expect(stream, &bytes(text)).await,
                _ if what == "closed" => ends(stream).await,
                _ => Err(String::from(WRONG_LINE)),
            }
        };
        let done = tokio::time::timeout(PATIENCE, done).await;
        done.unwrap_or_else(|_| Err(String::from("nothing comes")))
            .map_err(|why| format!("{line}: {why}"))?;
    }
    Ok(())
}

/// Returns the fault of a line of a block.
pub fn fault(line: &str) -> Option<String> {
    let what = line.strip_prefix(['2', '3']).unwrap_or(line);
    let is_known = what.starts_with("> ") || what.starts_with("< ") || what == "closed";
    (!is_known).then(|| format!("{line}: {WRONG_LINE}"))
}

const WRONG_LINE: &str = "a line begins with > or <, or says closed";

/// A connection to where a word of the block listens.
pub(crate) async fn connected(running: &Running, word: &str) -> Result<TcpStream, String> {
    let address = address(running, word).ok_or_else(|| format!("{word} listens nowhere"))?;
    let local = match address {
        SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
    };
    let address = SocketAddr::new(local, address.port());
    TcpStream::connect(address).await.map_err(|error| format!("no connection: {error}"))
}

/// Returns the address of the listener that a word of the block names.
fn address(running: &Running, word: &str) -> Option<SocketAddr> {
    match word.parse::<usize>() {
        Ok(place) => running.addresses("conversation").get(place.checked_sub(1)?).copied(),
        Err(_) => {
            let is_one = |door: &str| ["listener", "web", "direct"].contains(&door);
            let mut listeners = running.listening().into_iter().filter(|at| is_one(at.door));
            listeners.find(|at| at.name.trim_end() == word).map(|at| at.address)
        }
    }
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
pub(crate) fn bytes(text: &str) -> Vec<u8> {
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
