//! The request that becomes a WebSocket, and its answer.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::request::Version;
use http::{RequestHead, write};

/// The fixed text that proves that a server has understood: RFC 6455, 1.3.
const PROOF: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Bytes of a client's key.
const KEY_LEN: usize = 16;

/// Returns true if a request wants to become a WebSocket.
pub(crate) fn is_asked_for(head: &RequestHead) -> bool {
    head.fields().lists("Upgrade", "websocket")
}

/// The answer by which a request becomes a WebSocket; `None`: it is not one as it must be.
pub(crate) fn accepted(head: &RequestHead) -> Option<Vec<u8>> {
    let fields = head.fields();
    let is_one = head.method() == "GET"
        && head.version() == Version::Http11
        && fields.lists("Connection", "Upgrade")
        && fields.get("Sec-WebSocket-Version") == Some(b"13");
    let key = fields.get("Sec-WebSocket-Key").filter(|_| is_one)?;
    STANDARD.decode(key).ok().filter(|bytes| bytes.len() == KEY_LEN)?;
    let proof = digest(&SHA1_FOR_LEGACY_USE_ONLY, &[key, PROOF.as_bytes()].concat());
    let mut bytes = Vec::new();
    write::status_line(Version::Http11, 101, None, &mut bytes);
    write::field(b"Upgrade", b"websocket", &mut bytes);
    write::field(b"Connection", b"Upgrade", &mut bytes);
    write::field(b"Sec-WebSocket-Accept", STANDARD.encode(proof).as_bytes(), &mut bytes);
    bytes.extend_from_slice(b"\r\n");
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use http::url::Scheme;
    use http::{Event, Incoming, Limits};

    use super::*;

    fn head(key: &str) -> Box<RequestHead> {
        let mut incoming = Incoming::new(Limits::default());
        let text = format!(
            "GET /terminal HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
        );
        incoming.take(text.as_bytes());
        match incoming.next_event() {
            Ok(Some(Event::Head(head))) => head,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_published_example_is_accepted() {
        let head = head("dGhlIHNhbXBsZSBub25jZQ==");
        assert!(is_asked_for(&head));
        let answer = String::from_utf8(accepted(&head).expect("it is one")).expect("text");
        assert!(answer.starts_with("HTTP/1.1 101 "), "{answer}");
        assert!(
            answer.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"),
            "{answer}"
        );
    }

    #[test]
    fn others_are_not() {
        assert!(accepted(&head("dG9vIHNob3J0")).is_none());
        assert!(accepted(&head("no key at all")).is_none());
        let plain = RequestHead::make("GET", Scheme::Http, "a", "/terminal", [("Upgrade", "websocket")]);
        assert!(accepted(&plain.expect("a request")).is_none());
    }
}
