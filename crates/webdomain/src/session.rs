//! Connections of tasks to servers: WEB OPEN makes one, WEB CLOSE or the end of the task ends it.
//!
//! A session is *idle* → a request is *sent* (perhaps in chunks) → its answer is *received*, its body given as the program asks
//! for it → the next request. A server that closes the connection is called again for the next request, which is written
//! anew, as long as nothing of that was sent.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use http::answers::Answer;
use http::url::Scheme;
use http::{Answers, Fields, Limits, Refusal};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Task, TaskPart};
use spec::cond;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::rustls::ClientConfig;

use crate::exchange::Browse;
use crate::line::{self, Line};
use crate::resp2;
use crate::uri::UriMap;

/// What stands for a session in a program.
pub(crate) type Token = [u8; 8];

/// Sessions that a task may have at a time.
const SESSIONS_MAX: usize = 1_000;
/// Bytes of an answer's body.
const ANSWER_MAX: u64 = 64 << 20;
/// Bytes that are read at a time.
const READ_MAX: usize = 16 * 1024;

/// The sessions of a task.
#[derive(Default)]
pub(crate) struct Sessions {
    by_token: BTreeMap<Token, Session>,
    last: u64,
}

impl TaskPart for Sessions {}

/// A connection to a server.
pub(crate) struct Session {
    /// The server.
    pub server: Server,
    /// The URI map that WEB OPEN has named.
    pub map: Option<Arc<UriMap>>,
    /// The connection, as long as the server keeps it.
    pub stream: Option<Line>,
    /// Which servers are trusted, where it speaks TLS.
    pub trust: Option<Arc<ClientConfig>>,
    /// Headers of the next request.
    pub fields: Fields,
    /// The request whose answer is still to be received.
    pub sent: Option<Sent>,
    /// The last answer.
    pub answer: Option<Received>,
    /// Headers that are still to be browsed.
    pub headers: Option<Browse>,
}

/// Where a session leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    pub scheme: Scheme,
    pub host: String,
    pub port: u16,
}

/// A request that was sent, or whose chunks are being sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub method: &'static str,
    pub in_chunks: bool,
    pub closes: bool,
}

/// An answer, and how much of its body the program has.
pub(crate) struct Received {
    pub answer: Answer,
    pub given: usize,
}

impl Sessions {
    /// One more: its token.
    ///
    /// # Errors
    /// INVREQ where the task has too many.
    pub fn add(&mut self, session: Session) -> Outcome<Token> {
        if self.by_token.len() >= SESSIONS_MAX {
            return Err(cond::INVREQ.raise(0));
        }
        self.last += 1;
        let token = self.last.to_be_bytes();
        self.by_token.insert(token, session);
        Ok(token)
    }

    /// The session of a token.
    ///
    /// # Errors
    /// NOTOPEN: there is none.
    pub fn get(&mut self, token: &[u8]) -> Outcome<&mut Session> {
        let token = token.first_chunk::<8>();
        token.and_then(|token| self.by_token.get_mut(token)).ok_or_else(not_open)
    }

    /// Takes a session out.
    ///
    /// # Errors
    /// NOTOPEN: there is none.
    pub fn take(&mut self, token: &[u8]) -> Outcome<Session> {
        token.first_chunk::<8>().and_then(|token| self.by_token.remove(token)).ok_or_else(not_open)
    }

    /// Puts a session back that was taken out.
    pub fn put_back(&mut self, token: Token, session: Session) {
        self.by_token.insert(token, session);
    }

    /// Those of a task.
    pub fn of(task: &mut Task) -> &mut Self {
        task.kept.part()
    }
}

fn not_open() -> kernel::raise::Raise {
    cond::NOTOPEN.raise(resp2::NOT_OPEN)
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// The connection.
    Broken(io::Error),
    /// What comes is no HTTP.
    Refused(Refusal),
}

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Broken(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl Server {
    /// A connection to it.
    pub async fn connect(&self, trust: Option<&Arc<ClientConfig>>) -> io::Result<Line> {
        line::connect(self.host.trim_matches(['[', ']']), self.port, trust.cloned()).await
    }

    /// As the header Host has it.
    pub fn authority(&self) -> String {
        if self.port == self.scheme.port() {
            self.host.clone()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl Session {
    /// Writes bytes of a request. With `first`, a connection that the server has closed is made again.
    pub async fn write(&mut self, bytes: &[u8], first: bool) -> io::Result<()> {
        if first && self.stream.as_mut().is_some_and(line::has_ended) {
            self.stream = None;
        }
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => none.insert(self.server.connect(self.trust.as_ref()).await?),
        };
        stream.write_all(bytes).await?;
        stream.flush().await
    }

    /// Reads the answer to a request.
    pub async fn read(&mut self, sent: &Sent) -> Result<Answer, NoAnswer> {
        let Some(stream) = &mut self.stream else {
            return Err(NoAnswer::Broken(io::ErrorKind::NotConnected.into()));
        };
        let mut answers = Answers::new(Limits::with_body(ANSWER_MAX), sent.method);
        let mut piece = vec![0; READ_MAX];
        let answer = loop {
            let count = stream.read(&mut piece).await.map_err(NoAnswer::Broken)?;
            if count == 0 {
                break answers.ended().map_err(NoAnswer::Refused)?;
            }
            if let Some(answer) = answers.take(&piece[..count]).map_err(NoAnswer::Refused)? {
                break answer;
            }
        };
        if !answer.keeps || sent.closes {
            self.stream = None;
        }
        Ok(answer)
    }
}
