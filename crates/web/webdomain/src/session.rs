//! Connections of tasks to servers: WEB OPEN makes one, WEB CLOSE or the end of the task ends it.
//!
//! A session is *idle* → a request is *sent* (perhaps in chunks) → its answer is *received*, its body given as the program asks
//! for it → the next request. A server that closes the connection is called again for the next request, as long as nothing of
//! that was sent. A connection on which nothing is under way goes to the pool in the end, where the URI map says so.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::answers::Answer;
use http::url::Scheme;
use http::{Answers, Fields, Limits, Refusal};
use kernel::channels::Encoding;
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::spans::ClientSpan;
use kernel::task::{Task, TaskPart};
use spec::cond;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::browse::Browse;
use crate::ciphers::Ciphers;
use crate::line::{self, Line};
use crate::region::Web;
use crate::resp2;
use crate::server::Server;
use crate::uri_map::UriMap;

/// Name of a session in a program.
pub(crate) type Token = [u8; 8];

/// Text of the header User-Agent.
pub(crate) const AGENT: &str = "Syncpoint";
/// Methods of requests that may arrive twice: RFC 9110, 9.2.2.
const IDEMPOTENT: [&str; 6] = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"];
/// For a server to say that it wants the body of a request, with EXPECT.
const EXPECTED_MAX: Duration = Duration::from_secs(3);
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
    /// The certificate that the program itself shows; none: that of the URI map.
    pub certificate: Option<String>,
    /// The cipher suites that the program itself allows; none: those of the URI map.
    pub ciphers: Option<Ciphers>,
    /// CODEPAGE: that of what the program sends and receives.
    pub code_page: Encoding,
    /// The connection, as long as the server keeps it.
    pub stream: Option<Line>,
    /// The cipher suite of the first connection, in four hexadecimal digits; blank: without TLS.
    pub cipher: String,
    /// Headers of the next request.
    pub fields: Fields,
    /// The request whose answer is still to be received.
    pub sent: Option<Sent>,
    /// The last answer.
    pub answer: Option<Received>,
    /// Headers that are still to be browsed.
    pub headers: Option<Browse>,
    /// The span of the request whose answer is still to come.
    pub span: Option<Box<ClientSpan>>,
    /// An answer of which something has come already: that the body is wanted.
    begun: Option<Answers>,
    region: Arc<Region>,
    /// Something of a request was sent whose answer is not there.
    is_busy: bool,
    /// The connection is one that was kept, and nothing has come over it since.
    is_untried: bool,
}

/// A request that was sent, or whose chunks are being sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub method: Cow<'static, str>,
    pub in_chunks: bool,
    pub closes: bool,
    /// Its headers where it goes in chunks: they announce those behind the last one.
    pub announced: Fields,
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

    /// The number of sessions.
    pub fn count(&self) -> usize {
        self.by_token.len()
    }

    /// Those of a task.
    pub fn of(task: &mut Task) -> &mut Self {
        task.kept.part()
    }
}

fn not_open() -> kernel::raise::Raise {
    cond::NOTOPEN.raise(resp2::NOT_OPEN)
}

/// Reasons why there is no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// The connection.
    Broken(io::Error),
    /// The bytes are no HTTP.
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

impl Session {
    /// A session with a server that is not connected yet.
    pub fn new(region: &Arc<Region>, server: Server, map: Option<Arc<UriMap>>) -> Self {
        Self {
            server,
            map,
            certificate: None,
            ciphers: None,
            code_page: Encoding::Program,
            stream: None,
            cipher: String::new(),
            fields: Fields::default(),
            sent: None,
            answer: None,
            headers: None,
            span: None,
            begun: None,
            region: Arc::clone(region),
            is_busy: false,
            is_untried: false,
        }
    }

    /// Takes its first connection.
    pub fn has_connected(&mut self, line: Line) {
        self.cipher = line.cipher();
        self.stream = Some(line);
    }

    /// A connection to the server: one that was kept, or a new one.
    pub async fn connect(&mut self) -> io::Result<Line> {
        let web = Web::of(&self.region);
        if let Some((map, _)) = self.pooled()
            && let Some(kept) = web.pool().take(map, &self.server)
        {
            self.is_untried = true;
            return Ok(kept);
        }
        self.connect_new().await
    }

    /// A new connection to the server.
    async fn connect_new(&mut self) -> io::Result<Line> {
        self.is_untried = false;
        let web = Web::of(&self.region);
        let of_map = || self.map.as_ref().and_then(|map| map.certificate.as_deref());
        let label = self.certificate.as_deref().or_else(of_map);
        let of_map = || self.map.as_ref().and_then(|map| map.ciphers.as_ref());
        let ciphers = self.ciphers.as_ref().or_else(of_map);
        let trust = (self.server.scheme == Scheme::Https).then(|| web.trust(label, ciphers)).transpose()?;
        if web.places().is_full() {
            web.pool().make_room();
        }
        let place = web.places().place().await;
        line::connect(place, self.server.host.trim_matches(['[', ']']), self.server.port, trust).await
    }

    /// The URI map whose connections are kept, and for how long. The server knows them by the map's own certificate.
    fn pooled(&self) -> Option<(Name8, Duration)> {
        let is_of_map = self.certificate.is_none() && self.ciphers.is_none();
        let map = self.map.as_ref().filter(|_| is_of_map)?;
        Some((map.name, map.keeps?))
    }

    /// Writes bytes of a request. With `first`, a connection that the server has closed is made again.
    pub async fn write(&mut self, bytes: &[u8], first: bool) -> io::Result<()> {
        if first && self.stream.as_mut().is_some_and(line::has_ended) {
            self.stream = None;
        }
        if self.stream.is_none() {
            self.stream = Some(self.connect().await?);
        }
        self.is_busy = true;
        let Some(stream) = &mut self.stream else { return Err(io::ErrorKind::NotConnected.into()) };
        stream.write_all(bytes).await?;
        stream.flush().await
    }

    /// A whole request and its answer. A server may close a connection that was kept at the moment at which the request is
    /// sent: then it is sent once more over a new one, where it had not arrived, or may arrive twice.
    pub async fn ask(&mut self, bytes: &[u8], sent: &Sent) -> Result<Answer, NoAnswer> {
        let may_come_twice = IDEMPOTENT.contains(&&*sent.method);
        let first = match self.write(bytes, true).await {
            Ok(()) => self.read(sent).await,
            Err(_) if self.is_untried => return self.ask_again(bytes, sent).await,
            Err(error) => Err(NoAnswer::Broken(error)),
        };
        match first {
            Err(_) if self.is_untried && may_come_twice => self.ask_again(bytes, sent).await,
            first => first,
        }
    }

    async fn ask_again(&mut self, bytes: &[u8], sent: &Sent) -> Result<Answer, NoAnswer> {
        self.stream = None;
        self.stream = Some(self.connect_new().await.map_err(NoAnswer::Broken)?);
        self.write(bytes, false).await.map_err(NoAnswer::Broken)?;
        self.read(sent).await
    }

    /// Writes the head of a request, and its body once the server says that it wants it, or has said nothing for
    /// [`EXPECTED_MAX`]: one that does not know the question never answers it. A server that says something else has answered.
    pub async fn write_expecting(
        &mut self,
        head: &[u8],
        body: &[u8],
        sent: &Sent,
    ) -> Result<Option<Answer>, NoAnswer> {
        self.write(head, true).await.map_err(NoAnswer::Broken)?;
        let mut answers = Answers::new(Limits::with_body(ANSWER_MAX), &sent.method);
        let reading = self.read_into(&mut answers, sent, |answers| answers.interim() > 0);
        match timeout(EXPECTED_MAX, reading).await {
            Ok(Ok(Some(answer))) => {
                // Whether the server still expects the body is not known.
                self.stream = None;
                return Ok(Some(answer));
            }
            Ok(Ok(None)) | Err(_) => {}
            Ok(Err(why)) => return Err(why),
        }
        self.begun = Some(answers);
        self.write(body, false).await.map_err(NoAnswer::Broken)?;
        Ok(None)
    }

    /// Reads the answer to a request.
    pub async fn read(&mut self, sent: &Sent) -> Result<Answer, NoAnswer> {
        let begun = self.begun.take();
        let mut answers = begun.unwrap_or_else(|| Answers::new(Limits::with_body(ANSWER_MAX), &sent.method));
        let answer = self.read_into(&mut answers, sent, |_| false).await?;
        // It goes on until there is one.
        answer.ok_or_else(|| NoAnswer::Broken(io::ErrorKind::UnexpectedEof.into()))
    }

    /// Reads on until the answer is whole; none: `enough` has come before.
    async fn read_into(
        &mut self,
        answers: &mut Answers,
        sent: &Sent,
        enough: impl Fn(&Answers) -> bool,
    ) -> Result<Option<Answer>, NoAnswer> {
        let Some(stream) = &mut self.stream else {
            return Err(NoAnswer::Broken(io::ErrorKind::NotConnected.into()));
        };
        let mut piece = vec![0; READ_MAX];
        let answer = loop {
            let count = stream.read(&mut piece).await.map_err(NoAnswer::Broken)?;
            self.is_untried &= count == 0;
            if count == 0 {
                let whole = std::mem::replace(answers, Answers::new(Limits::default(), ""));
                break whole.ended().map_err(NoAnswer::Refused)?;
            }
            if let Some(answer) = answers.take(&piece[..count]).map_err(NoAnswer::Refused)? {
                break answer;
            }
            if enough(answers) {
                return Ok(None);
            }
        };
        self.is_busy = false;
        if !answer.keeps || sent.closes {
            self.stream = None;
        }
        Ok(Some(answer))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some((map, keep)) = self.pooled() else { return };
        if let (Some(line), false) = (self.stream.take(), self.is_busy) {
            Web::of(&self.region).pool().put(map, self.server.clone(), line, keep);
        }
    }
}
