//! The bytes of a server on one connection, as answers to requests.

use crate::body::BodyReader;
use crate::fields::Fields;
use crate::head::Scan;
use crate::limits::{INTERIM_MAX, Limits};
use crate::refusal::Refusal;
use crate::response::{ResponseHead, StatusLine};

/// The answer to one request. Bytes go in as they come.
#[derive(Debug)]
pub struct Answers {
    limits: Limits,
    method: String,
    buffer: Vec<u8>,
    interim: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    Head(Scan),
    Body(Box<ResponseHead>, BodyReader),
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    /// Its head.
    pub head: ResponseHead,
    /// Its body without chunks.
    pub body: Vec<u8>,
    /// Headers after the body.
    pub trailer: Fields,
    /// True if the connection may be used once more.
    pub keeps: bool,
}

impl Answers {
    /// Waits for the answer to a request of such a method.
    pub fn new(limits: Limits, method: &str) -> Self {
        let state = State::Head(Scan::default());
        Self { limits, method: method.to_owned(), buffer: Vec::new(), interim: 0, state }
    }

    /// Takes bytes, and gives the answer once it is whole. Interim answers are passed over.
    ///
    /// # Errors
    /// See [`Refusal`]: the connection is of no use any more.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Option<Answer>, Refusal> {
        self.buffer.extend_from_slice(bytes);
        loop {
            match &mut self.state {
                State::Head(scan) => {
                    let found = scan.look::<StatusLine>(&self.buffer, &self.limits)?;
                    let Some(found) = found else { return Ok(None) };
                    let head = ResponseHead::read(&self.buffer, found)?;
                    self.buffer.drain(..found.end);
                    self.state = self.after(head)?;
                }
                State::Body(_, body) => {
                    let taken = body.take(&self.buffer)?;
                    self.buffer.drain(..taken);
                    return if body.is_whole() { Ok(self.finish(true)) } else { Ok(None) };
                }
            }
        }
    }

    /// The connection has ended: the answer, if that was its end.
    ///
    /// # Errors
    /// The answer is not whole.
    pub fn ended(mut self) -> Result<Answer, Refusal> {
        match &self.state {
            State::Body(_, body) if body.may_end() => self.finish(false).ok_or(Refusal::FirstLine),
            State::Body(..) => Err(Refusal::Length),
            State::Head(_) => Err(Refusal::FirstLine),
        }
    }

    /// Returns true if no byte of an answer has come: then the request may be sent once more on another connection.
    pub fn is_untouched(&self) -> bool {
        matches!(self.state, State::Head(_)) && self.interim == 0 && self.buffer.is_empty()
    }

    /// The number of interim answers that have come.
    pub fn interim(&self) -> usize {
        self.interim
    }

    fn after(&mut self, head: ResponseHead) -> Result<State, Refusal> {
        if (100..200).contains(&head.status) && head.status != 101 {
            self.interim += 1;
            let more = self.interim <= INTERIM_MAX;
            return if more { Ok(State::Head(Scan::default())) } else { Err(Refusal::TooManyHeaders) };
        }
        let length = head.length(&self.method)?;
        if matches!(length, crate::body::Length::Known(length) if length > self.limits.body) {
            return Err(Refusal::BodyTooLong);
        }
        Ok(State::Body(Box::new(head), BodyReader::new(length, &self.limits)))
    }

    fn finish(&mut self, whole: bool) -> Option<Answer> {
        let state = std::mem::replace(&mut self.state, State::Head(Scan::default()));
        let State::Body(head, body) = state else { return None };
        // A server's unasked bytes belong to no answer: such a connection is not used again.
        let keeps = whole && head.keeps() && self.buffer.is_empty();
        let (body, trailer) = body.into_parts();
        Some(Answer { head: *head, body, trailer, keeps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(method: &str, bytes: &[u8]) -> Result<Option<Answer>, Refusal> {
        let whole = Answers::new(Limits::default(), method).take(bytes);
        let mut torn = Answers::new(Limits::default(), method);
        let mut answer = Ok(None);
        for byte in bytes {
            answer = torn.take(&[*byte]);
            if !matches!(answer, Ok(None)) {
                break;
            }
        }
        assert_eq!(
            answer.as_ref().map(|answer| answer.as_ref().map(|answer| &answer.body)),
            whole.as_ref().map(|answer| answer.as_ref().map(|answer| &answer.body))
        );
        whole
    }

    #[test]
    fn an_answer_is_read_behind_interim_ones() {
        let bytes = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 key 17\r\nContent-Length: 2\r\n\r\nok";
        let answer = read("GET", bytes).expect("an answer").expect("it is whole");
        assert_eq!((answer.head.status, answer.head.reason()), (200, b"key 17".as_slice()));
        assert_eq!((answer.body.as_slice(), answer.keeps), (b"ok".as_slice(), true));
    }

    #[test]
    fn bodies_end_as_their_head_says() {
        let cases: [(&str, &[u8], &[u8]); 4] = [
            ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", b""),
            ("GET", b"HTTP/1.1 204 None\r\n\r\n", b""),
            ("GET", b"HTTP/1.1 304 Same\r\nContent-Length: 5\r\n\r\n", b""),
            ("GET", b"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", b"abc"),
        ];
        for (method, bytes, body) in cases {
            assert_eq!(read(method, bytes).expect("an answer").expect("it is whole").body, body);
        }
    }

    #[test]
    fn an_answer_without_a_length_ends_with_its_connection() {
        let mut answers = Answers::new(Limits::default(), "GET");
        assert!(matches!(answers.take(b"HTTP/1.0 200 OK\r\n\r\nabc"), Ok(None)));
        let answer = answers.ended().expect("an answer");
        assert_eq!((answer.body.as_slice(), answer.keeps), (b"abc".as_slice(), false));
        let mut short = Answers::new(Limits::default(), "GET");
        assert!(matches!(short.take(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"), Ok(None)));
        assert!(short.ended().is_err());
    }

    #[test]
    fn a_server_smuggles_nothing() {
        for bytes in [
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n".as_slice(),
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
            b"HTTP/1.1 99 OK\r\n\r\n",
            b"HTTP/2.0 200 OK\r\n\r\n",
            b"SSH-2.0-x\r\n",
        ] {
            assert!(read("GET", bytes).is_err(), "{}", String::from_utf8_lossy(bytes));
        }
    }
}
