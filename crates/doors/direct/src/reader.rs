//! Messages of a client: HTTP requests, or messages with their length before them.

use http::{Event, Incoming, Limits, Refusal, RequestHead, Version};

use crate::settings::Framing;

/// Protocols of a connection.
pub(crate) enum Reader {
    /// HTTP/1.1.
    Http {
        /// Its bytes.
        incoming: Box<Incoming>,
        /// The request whose body is still coming.
        head: Option<Request>,
    },
    /// Framed messages, all of one scenario.
    Framed {
        /// Framing of the messages.
        framing: Framing,
        /// Whose they are.
        lane: usize,
        /// The longest.
        most: usize,
        /// Bytes that have come.
        bytes: Vec<u8>,
        /// Number of bytes that were used.
        used: usize,
    },
}

/// The part of a request that its answer needs.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// The scenario.
    pub lane: usize,
    /// True if the connection goes on behind the answer.
    pub keeps: bool,
    /// True if the answer has no body: HEAD.
    pub is_head: bool,
    /// The client speaks HTTP/1.0.
    pub is_old: bool,
    /// Its head, for a scenario that asks.
    pub asked: Option<Box<Asked>>,
    /// Text in place of a body that is not there.
    query: Vec<u8>,
}

/// The head of a request, as far as the scenario asks for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Its method.
    pub method: String,
    /// The text behind the question mark.
    pub query: Option<String>,
    /// Its Content-Type.
    pub media: Option<String>,
    /// Its SOAPAction.
    pub action: Option<String>,
    /// Its Authorization.
    pub authorization: Option<Vec<u8>>,
}

impl Asked {
    fn of(head: &RequestHead) -> Self {
        let text = |name| head.fields().get(name).map(|value| String::from_utf8_lossy(value).into_owned());
        Self {
            method: head.method().to_owned(),
            query: head.query().map(str::to_owned),
            media: text("Content-Type"),
            action: text("SOAPAction"),
            authorization: head.fields().get("Authorization").map(<[u8]>::to_vec),
        }
    }
}

/// Results of reading.
#[derive(Debug)]
pub(crate) enum Came {
    /// A whole message.
    Message(Request, Vec<u8>),
    /// The head of a request whose sender waits for leave to send the body.
    Asks,
    /// Nothing whole.
    Nothing,
    /// Bytes that are no message, or one that has no receiver: the status for it. Nothing behind it is read.
    Refused(u16),
}

/// The target of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// The scenario.
    pub lane: usize,
    /// Bytes of its longest message.
    pub most: usize,
    /// It asks what the head of a request says.
    pub asks: bool,
    /// A request without a body has its query as its message.
    pub takes_query: bool,
}

/// Whose a path is, and how long a message may be there.
pub(crate) trait Routes {
    /// The target of a path.
    fn find(&self, path: &str) -> Option<Route>;
}

impl Reader {
    /// For HTTP, with bodies of at most so many bytes.
    pub fn http(most: usize) -> Self {
        Self::Http { incoming: Box::new(Incoming::new(Limits::with_body(most as u64))), head: None }
    }

    /// For framed messages.
    pub fn framed(framing: Framing, lane: usize, most: usize) -> Self {
        Self::Framed { framing, lane, most, bytes: Vec::new(), used: 0 }
    }

    /// Returns true if refusals are answered, and not only shown by hanging up.
    pub fn is_http(&self) -> bool {
        matches!(self, Self::Http { .. })
    }

    /// Takes what has come.
    pub fn take(&mut self, came: &[u8]) {
        match self {
            Self::Http { incoming, .. } => incoming.take(came),
            Self::Framed { bytes, used, .. } => {
                bytes.drain(..*used);
                *used = 0;
                bytes.extend_from_slice(came);
            }
        }
    }

    /// Returns true if nothing of a message has come.
    pub fn is_between(&self) -> bool {
        match self {
            Self::Http { incoming, head } => head.is_none() && incoming.is_between(),
            Self::Framed { bytes, used, .. } => bytes.len() == *used,
        }
    }

    /// The next whole message.
    pub fn next(&mut self, routes: &impl Routes) -> Came {
        match self {
            Self::Http { incoming, head } => request(incoming, head, routes).unwrap_or_else(Came::Refused),
            Self::Framed { framing, lane, most, bytes, used } => {
                let (prefix, length) = match *framing {
                    Framing::Fixed(length) => (0, length),
                    Framing::Length(digits) => match length(&bytes[*used..], digits) {
                        Some(length) => (digits, length),
                        None => return Came::Nothing,
                    },
                };
                if length > *most || length == 0 {
                    return Came::Refused(Refusal::BodyTooLong.status());
                }
                let begin = *used + prefix;
                let Some(message) = bytes.get(begin..begin + length) else { return Came::Nothing };
                let message = message.to_vec();
                *used = begin + length;
                let request = Request {
                    lane: *lane,
                    keeps: true,
                    is_head: false,
                    is_old: false,
                    asked: None,
                    query: Vec::new(),
                };
                Came::Message(request, message)
            }
        }
    }
}

fn request(incoming: &mut Incoming, head: &mut Option<Request>, routes: &impl Routes) -> Result<Came, u16> {
    loop {
        match incoming.next_event().map_err(Refusal::status)? {
            None => return Ok(Came::Nothing),
            Some(Event::Head(read)) => {
                *head = Some(wanted(&read, routes)?);
                if read.expects_continue() {
                    return Ok(Came::Asks);
                }
            }
            Some(Event::Body(body, _)) => {
                // A body comes behind its head.
                let Some(mut request) = head.take() else { return Err(400) };
                let query = std::mem::take(&mut request.query);
                return Ok(Came::Message(request, if body.is_empty() { query } else { body }));
            }
        }
    }
}

const NOT_FOUND: u16 = 404;

/// Whom a request is for.
///
/// # Errors
/// The status that refuses it.
fn wanted(head: &RequestHead, routes: &impl Routes) -> Result<Request, u16> {
    let Route { lane, most, asks, takes_query } = routes.find(head.path()).ok_or(NOT_FOUND)?;
    let query = head.query().filter(|_| takes_query).unwrap_or_default().as_bytes().to_vec();
    let too_long = matches!(head.length(), http::body::Length::Known(length) if length > most as u64);
    if too_long || query.len() > most {
        return Err(Refusal::BodyTooLong.status());
    }
    Ok(Request {
        lane,
        keeps: head.keeps(),
        is_head: head.method() == "HEAD",
        is_old: head.version() == Version::Http10,
        asked: asks.then(|| Box::new(Asked::of(head))),
        query,
    })
}

/// The number in the first bytes.
fn length(bytes: &[u8], digits: usize) -> Option<usize> {
    Some(bytes.get(..digits)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One;

    impl Routes for One {
        fn find(&self, path: &str) -> Option<Route> {
            (path == "/one").then_some(Route { lane: 7, most: 10, asks: false, takes_query: true })
        }
    }

    fn texts(reader: &mut Reader, came: &[&[u8]]) -> Vec<String> {
        let mut texts = Vec::new();
        for bytes in came {
            reader.take(bytes);
            loop {
                texts.push(match reader.next(&One) {
                    Came::Nothing => break,
                    Came::Message(request, body) => {
                        format!("{} {}", request.lane, String::from_utf8_lossy(&body))
                    }
                    Came::Asks => String::from("asks"),
                    Came::Refused(status) => {
                        texts.push(status.to_string());
                        return texts;
                    }
                });
            }
        }
        texts
    }

    #[test]
    fn requests_are_told_from_each_other() {
        let post = b"POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
        let get = b"GET /one?k=1 HTTP/1.1\r\nHost: a\r\n\r\n";
        let both = [post.as_slice(), get].concat();
        let mut reader = Reader::http(10);
        assert_eq!(texts(&mut reader, &[&both[..20], &both[20..53], &both[53..]]), ["7 hi", "7 k=1"]);
        assert!(reader.is_between());
        let refused = |text: &str| texts(&mut Reader::http(10), &[text.as_bytes()]);
        assert_eq!(refused("GET /two HTTP/1.1\r\nHost: a\r\n\r\n"), ["404"]);
        assert_eq!(refused("POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n"), ["413"]);
        assert_eq!(refused("\x01\x02\x03\x04\r\n\r\n"), ["400"]);
        let asks = "POST /one HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
        assert_eq!(refused(asks), ["asks"]);
    }

    #[test]
    fn framed_messages_are_told_from_each_other() {
        let mut two = Reader::framed(Framing::Length(2), 3, 4);
        assert_eq!(texts(&mut two, &[b"\0", b"\x02hi\0\x01", b"x"]), ["3 hi", "3 x"]);
        assert_eq!(texts(&mut Reader::framed(Framing::Length(2), 3, 4), &[b"\0\x05"]), ["413"]);
        assert_eq!(texts(&mut Reader::framed(Framing::Length(4), 3, 4), &[b"\0\0\0\0"]), ["413"]);
        assert_eq!(texts(&mut Reader::framed(Framing::Fixed(2), 1, 4), &[b"abcd", b"e"]), ["1 ab", "1 cd"]);
    }
}
