//! One connection of HTTP/1.1: requests in their order, each answered before the next is looked at.

use std::pin::pin;
use std::rc::Rc;

use http::body::may_have_body;
use http::{Event, Fields, Incoming, RequestHead, Version, chunk, write};
use ports::Seated;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::{Duration, Instant};

use crate::answer::Answer;
use crate::clock;
use crate::coding::{self, Coding};
use crate::door::{Door, KeptOne};
use crate::host::{Found, Gone, Host, Peer, Request};
use crate::limits::{AHEAD_MAX, PIPELINED_MAX, RATE_MIN, UNSENT_MAX};
use crate::link::{Link, Nothing};
use crate::reply::{Piece, Reply};

/// Headers that say how long a message is or what becomes of the connection: the door's own.
const OWN: [&str; 5] = ["Connection", "Content-Length", "Transfer-Encoding", "Keep-Alive", "Upgrade"];

/// That the connection has ended, or must.
#[derive(Debug)]
struct End;

pub(crate) struct Connection<'d, H: Host, S> {
    door: &'d Door<H>,
    link: Link<S>,
    peer: Rc<Peer>,
    /// The place that it leaves when it is asked to.
    seat: Option<Seated>,
    incoming: Incoming,
    /// Answers that are written together.
    out: Vec<u8>,
    /// The place of a connection that is kept behind its first answer.
    kept: Option<KeptOne>,
    /// A request whose body is still coming.
    waiting: Option<(Box<RequestHead>, H::Target)>,
    /// When the head or the body began that is being read.
    since: Instant,
    /// Bytes of it.
    received: u64,
    has_answered: bool,
    /// A whole answer is among what is not written yet.
    owes: bool,
}

/// State of the request that is being answered.
struct Answering {
    keeps: bool,
    is_head: bool,
    version: Version,
    state: State,
    /// The coding that the client takes the body in.
    coding: Option<Coding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unanswered,
    InChunks,
    Whole,
    Broken,
}

impl<'d, H: Host, S: AsyncRead + AsyncWrite + Unpin> Connection<'d, H, S> {
    /// A connection of which some bytes were read already.
    pub fn new(door: &'d Door<H>, link: Link<S>, peer: Rc<Peer>, seat: Option<Seated>, read: &[u8]) -> Self {
        let mut incoming = Incoming::new(door.limits().sizes);
        incoming.take(read);
        Self {
            door,
            link,
            peer,
            seat,
            incoming,
            out: Vec::new(),
            kept: None,
            waiting: None,
            since: Instant::now(),
            received: 0,
            has_answered: false,
            owes: false,
        }
    }

    /// Serves it to its end.
    pub async fn run(&mut self) {
        let mut in_turn = 0;
        while let Ok(has_moved) = self.step().await {
            in_turn = if has_moved { in_turn + 1 } else { 0 };
            if in_turn > 2 * PIPELINED_MAX {
                in_turn = 0;
                if self.flush().await.is_err() {
                    return;
                }
                tokio::task::yield_now().await;
            }
        }
    }

    /// One head or body, or more bytes (false).
    async fn step(&mut self) -> Result<bool, End> {
        match self.incoming.next_event() {
            Ok(Some(Event::Head(head))) => self.begin(head).await?,
            Ok(Some(Event::Body(body, trailer))) => {
                if let Some((head, target)) = self.waiting.take() {
                    // What a region does with a request has no room in a connection that waits for one.
                    Box::pin(self.attach(target, head, body, trailer)).await?;
                }
                self.since = Instant::now();
            }
            Ok(None) => {
                self.more().await?;
                return Ok(false);
            }
            Err(refusal) => {
                tracing::info!(target: "WB", client = %self.peer.client, "a request is refused: {refusal}");
                self.door.traffic().refused.one();
                return Err(Box::pin(self.refuse(refusal.status(), &refusal.to_string())).await);
            }
        }
        Ok(true)
    }

    /// Reads on, having written what waits to be written.
    async fn more(&mut self) -> Result<(), End> {
        self.flush().await?;
        let between = self.incoming.is_between();
        let limits = self.door.limits();
        let until = match between {
            true if self.has_answered => limits.idle_max.map(|idle| self.since + idle),
            true => Some(self.since + limits.head_max),
            false if self.incoming.is_in_body() => {
                Some(self.since + limits.grace + Duration::from_secs(self.received / RATE_MIN))
            }
            false => Some(self.since + limits.head_max),
        };
        if between {
            self.incoming.rest();
            if let Some(seat) = &self.seat {
                seat.idles();
            }
        }
        let read = tokio::select! {
            biased;
            () = self.door.closed(), if between => return Err(End),
            () = asked_to_leave(self.seat.as_ref()), if between => return Err(End),
            read = self.link.read(until, |bytes| self.incoming.take(bytes)) => read,
        };
        match read {
            Ok(length) => {
                if between {
                    if let Some(seat) = &self.seat {
                        seat.works();
                    }
                    (self.since, self.received) = (Instant::now(), 0);
                }
                self.received += length as u64;
                Ok(())
            }
            Err(Nothing::TooSlow) if !between => {
                Err(Box::pin(self.refuse(408, "the request did not come in time")).await)
            }
            Err(_) if !between => {
                self.door.broke_off(&self.peer);
                Err(End)
            }
            Err(_) => Err(End),
        }
    }

    /// A head is there: what becomes of the request, its body perhaps not being there yet.
    async fn begin(&mut self, head: Box<RequestHead>) -> Result<(), End> {
        (self.since, self.received) = (Instant::now(), 0);
        match self.door.host().find(&head, &self.peer) {
            Found::Attach(target) => {
                if let Err(answer) = Coding::of_body(head.fields()) {
                    return Box::pin(self.answer_at_once(&head, *answer)).await;
                }
                // What has come of the body is not looked at: a client that sends it unasked reads this, too.
                if head.expects_continue() && self.incoming.unread() == 0 {
                    self.out.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
                    self.flush().await?;
                }
                self.waiting = Some((head, target));
                Ok(())
            }
            // An answer has no room in a connection that waits for a request, either.
            Found::Answer(answer) => Box::pin(self.answer_at_once(&head, answer)).await,
        }
    }

    /// Answers before the body has come: one that is not there yet is not waited for.
    async fn answer_at_once(&mut self, head: &RequestHead, answer: Answer) -> Result<(), End> {
        let mut answering = self.answering(head);
        let is_whole = matches!(self.incoming.next_event(), Ok(Some(Event::Body(..))));
        answering.keeps &= is_whole;
        self.whole(&mut answering, answer);
        self.finish(&answering, !is_whole).await
    }

    fn answering(&self, head: &RequestHead) -> Answering {
        Answering {
            keeps: head.keeps(),
            is_head: head.method() == "HEAD",
            version: head.version(),
            state: State::Unanswered,
            coding: self.door.limits().deflates.then(|| Coding::accepted(head)).flatten(),
        }
    }

    /// A whole request is there.
    async fn attach(
        &mut self,
        target: H::Target,
        mut head: Box<RequestHead>,
        body: Vec<u8>,
        trailer: Fields,
    ) -> Result<(), End> {
        let mut answering = self.answering(&head);
        let body = match coding::plain(&mut head, body, self.door.limits().sizes.body) {
            Ok(body) => body,
            Err(refused) => {
                self.whole(&mut answering, *refused);
                return self.finish(&answering, false).await;
            }
        };
        let (reply, pieces) = Reply::new();
        let gone = Gone::default();
        let request = Request { head, body, trailer, peer: Rc::clone(&self.peer), gone: gone.clone() };
        let door = self.door;
        self.await_reply(&mut answering, door.host().attach(target, request, reply), pieces, &gone).await;
        if answering.state == State::Unanswered {
            self.whole(&mut answering, Answer::text(500, "the request was not answered"));
        }
        if gone.is_gone() {
            self.door.undelivered(&self.peer);
            // One that has closed its side only reads it after all.
            let out = std::mem::take(&mut self.out);
            let _ = self.link.write(&out, self.door.limits()).await;
            self.link.farewell(self.door.limits()).await;
            return Err(End);
        }
        self.finish(&answering, false).await
    }

    /// Lets the request be worked on, writes what comes of it, and watches the client.
    async fn await_reply(
        &mut self,
        answering: &mut Answering,
        work: impl Future<Output = ()>,
        mut pieces: mpsc::Receiver<Piece>,
        gone: &Gone,
    ) {
        let mut work = pin!(work);
        let (mut is_done, mut is_over, mut watches) = (false, false, true);
        while !(is_done && is_over) {
            tokio::select! {
                biased;
                piece = pieces.recv(), if !is_over => match piece {
                    Some(piece) => {
                        if self.piece(answering, piece, !is_done).await.is_err() {
                            // The writer hears it with the next piece.
                            answering.state = State::Broken;
                            gone.tell();
                            pieces.close();
                            is_over = true;
                        }
                    }
                    None => is_over = true,
                },
                () = &mut work, if !is_done => is_done = true,
                read = self.link.read(None, |bytes| self.incoming.take(bytes)), if watches => match read {
                    Ok(_) => watches = self.incoming.unread() < AHEAD_MAX,
                    // A client that keeps its connection has no reason to end it on its side alone.
                    Err(Nothing::Ended) if !answering.keeps => watches = false,
                    // One that has its answer may go: what the task still does is not for it.
                    Err(_) if answering.state == State::Whole => watches = false,
                    Err(_) => {
                        watches = false;
                        gone.tell();
                    }
                },
            }
        }
    }

    async fn piece(&mut self, answering: &mut Answering, piece: Piece, now: bool) -> Result<(), End> {
        let has_body = !answering.is_head;
        match piece {
            Piece::Whole(answer) => self.whole(answering, answer),
            Piece::Begin(head) => self.begin_chunks(answering, &head),
            Piece::Chunk(data) if has_body && answering.version == Version::Http10 => {
                self.out.extend_from_slice(&data);
            }
            Piece::Chunk(data) if has_body => chunk::write_chunk(&data, &mut self.out),
            Piece::Chunk(_) => {}
            Piece::End(trailer) => {
                if has_body && answering.version != Version::Http10 {
                    chunk::write_last(&trailer, &mut self.out);
                }
                answering.state = State::Whole;
            }
        }
        if now || self.out.len() > UNSENT_MAX { self.flush().await } else { Ok(()) }
    }

    /// Writes a whole answer.
    fn whole(&mut self, answering: &mut Answering, mut answer: Answer) {
        if self.door.limits().deflates && may_have_body(answer.status) && !answering.is_head {
            Coding::encode(answering.coding, &mut answer);
        }
        self.decide(answering, &answer);
        self.head(answering, &answer);
        if may_have_body(answer.status) {
            write::field(b"Content-Length", answer.body.len().to_string().as_bytes(), &mut self.out);
        }
        self.out.extend_from_slice(b"\r\n");
        if may_have_body(answer.status) && !answering.is_head {
            self.out.extend_from_slice(&answer.body);
        }
        answering.state = State::Whole;
    }

    /// Writes the head of an answer in chunks; in HTTP/1.0 it ends with the connection.
    fn begin_chunks(&mut self, answering: &mut Answering, head: &Answer) {
        answering.keeps &= answering.version != Version::Http10;
        self.decide(answering, head);
        self.head(answering, head);
        if answering.version != Version::Http10 {
            self.out.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
        }
        self.out.extend_from_slice(b"\r\n");
        answering.state = State::InChunks;
    }

    /// Decides if the connection is kept behind this answer.
    fn decide(&mut self, answering: &mut Answering, answer: &Answer) {
        let is_kept = answering.keeps && !answer.closes && self.door.keeps();
        if is_kept && self.kept.is_none() {
            self.kept = self.door.keep();
        }
        answering.keeps = is_kept && self.kept.is_some();
    }

    fn head(&mut self, answering: &Answering, answer: &Answer) {
        let into = &mut self.out;
        write::status_line(Version::Http11, answer.status, answer.phrase.as_deref(), into);
        let is_own = |name: &[u8]| OWN.iter().any(|own| name.eq_ignore_ascii_case(own.as_bytes()));
        for (name, value) in answer.fields.iter().filter(|(name, _)| !is_own(name)) {
            write::field(name, value, into);
        }
        if !answer.fields.has("Date") {
            into.extend_from_slice(b"Date: ");
            clock::write_date(into);
            into.extend_from_slice(b"\r\n");
        }
        if let Some(server) = self.door.host().server().filter(|_| !answer.fields.has("Server")) {
            write::field(b"Server", server.as_bytes(), into);
        }
        match (answering.keeps, answering.version) {
            (false, _) => into.extend_from_slice(b"Connection: close\r\n"),
            (true, Version::Http10) => into.extend_from_slice(b"Connection: keep-alive\r\n"),
            (true, _) => {}
        }
    }

    /// The answer is written: the next request, or the end.
    async fn finish(&mut self, answering: &Answering, is_unread: bool) -> Result<(), End> {
        (self.since, self.has_answered) = (Instant::now(), true);
        let is_whole = answering.state == State::Whole;
        self.owes = !self.out.is_empty();
        if is_whole && answering.keeps {
            return if self.out.len() > UNSENT_MAX { self.flush().await } else { Ok(()) };
        }
        // An answer that broke off must be seen to: nothing makes it look whole.
        if self.flush().await.is_ok() && is_whole {
            if is_unread {
                self.link.linger(self.door.limits()).await;
            } else {
                self.link.farewell(self.door.limits()).await;
            }
        }
        Err(End)
    }

    /// Answers what is no request, and ends the connection so that the answer can be read.
    async fn refuse(&mut self, status: u16, why: &str) -> End {
        let mut answering = Answering {
            keeps: false,
            is_head: false,
            version: Version::Http11,
            state: State::Unanswered,
            coding: None,
        };
        self.whole(&mut answering, Answer::text(status, why));
        if self.flush().await.is_ok() {
            self.link.linger(self.door.limits()).await;
        }
        End
    }

    async fn flush(&mut self) -> Result<(), End> {
        if self.out.is_empty() {
            return Ok(());
        }
        let out = std::mem::take(&mut self.out);
        let owed = std::mem::take(&mut self.owes);
        let written = self.link.write(&out, self.door.limits()).await;
        if written.is_err() && owed {
            self.door.undelivered(&self.peer);
        }
        written.map_err(|_| End)
    }
}

/// Its place is wanted by others.
async fn asked_to_leave(seat: Option<&Seated>) {
    match seat {
        Some(seat) => seat.is_asked_to_leave().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;
    use crate::limits::IDLE_BYTES_MAX;
    use crate::{Limits, Welcome};

    /// A region that answers all alike.
    struct Same;

    impl Host for Same {
        type Target = ();

        fn find(&self, _: &RequestHead, _: &Peer) -> Found<()> {
            Found::Attach(())
        }

        async fn attach(&self, (): (), _: Request, mut reply: Reply) {
            let _ = reply.keep(Answer::text(200, "x".repeat(3000)));
        }

        fn server(&self) -> Option<&str> {
            None
        }
    }

    async fn pair() -> (TcpStream, TcpStream, SocketAddr) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("bound")).await.expect("a connection");
        let (server, address) = listener.accept().await.expect("a client");
        (client, server, address)
    }

    #[tokio::test]
    async fn an_idle_connection_takes_little_memory() {
        let door = Door::new(Rc::new(Same), Limits::default());
        let (_client, stream, address) = pair().await;
        let future = size_of_val(&Rc::clone(&door).seat(Welcome::default(), stream, address, None));

        let (mut client, stream, client_at) = pair().await;
        let peer = Rc::new(Peer {
            client: client_at,
            server: None,
            tls: None,
            tally: None,
            proxied: None,
            asked: crate::host::Asked::default(),
        });
        let link = Link::new(stream, std::sync::Arc::default());
        let mut connection = Connection::new(&door, link, peer, None, b"");
        let body = "y".repeat(2000);
        let request = format!("POST /s HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        client.write_all(request.as_bytes()).await.expect("sent");
        let is_answered = async {
            let mut answer = Vec::new();
            while !answer.ends_with(b"xxx") {
                client.read_buf(&mut answer).await.expect("more of the answer");
            }
        };
        tokio::select! {
            () = connection.run() => panic!("it is kept"),
            () = is_answered => {}
        }
        assert!(connection.has_answered && connection.waiting.is_none(), "it idles");
        let buffers = connection.incoming.memory() + connection.out.capacity();
        let counted = size_of::<Peer>() + 2 * size_of::<usize>();
        eprintln!(
            "an idle connection: {future} bytes of future, {buffers} of buffers, {counted} of its client"
        );
        assert!(future + buffers + counted <= IDLE_BYTES_MAX);
    }
}
