//! A client: its requests one after the other, of which one may become a terminal.

use std::io;

use http::{Event, Incoming, Limits, RequestHead};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout, timeout_at};

use crate::answer::Answer;
use crate::desk::{Client, Desk};
use crate::guard::is_own;
use crate::host::Host;
use crate::limits::{ANSWER_TIME, BODY_MAX, FAREWELL, HEAD_MAX, KEPT_TIME, REQUEST_TIME, TARGET_MAX};
use crate::terminal::Asked;
use crate::{api, files, terminal, websocket};

/// A request.
struct Request {
    head: Box<RequestHead>,
    body: Vec<u8>,
}

/// The reason why there is no request.
enum Nothing {
    /// The client has gone, or was silent.
    Gone,
    /// It is refused.
    Refused(u16),
}

/// A client's connection.
pub(crate) struct Connection<'d, H: Host, S> {
    desk: &'d Desk<H>,
    stream: S,
    client: Client,
    incoming: Incoming,
}

impl<'d, H: Host, S: AsyncRead + AsyncWrite + Unpin> Connection<'d, H, S> {
    pub fn new(desk: &'d Desk<H>, stream: S, client: Client) -> Self {
        let incoming = Incoming::new(Limits { head: HEAD_MAX, target: TARGET_MAX, body: BODY_MAX });
        Self { desk, stream, client, incoming }
    }

    /// Serves it to its end. The client's mistakes are its own affair.
    pub async fn run(mut self) {
        loop {
            let Request { head, body } = match self.request().await {
                Ok(request) => request,
                Err(Nothing::Gone) => return,
                Err(Nothing::Refused(status)) => {
                    let answer = Answer::error(status, "This is no request that is answered here.");
                    let _ = self.send(&answer.bytes(false, true)).await;
                    return self.farewell().await;
                }
            };
            if websocket::is_asked_for(&head) {
                return self.become_terminal(&head).await;
            }
            let answer = self.answer(&head, &body).await;
            let keeps = head.keeps();
            if self.send(&answer.bytes(keeps, head.method() != "HEAD")).await.is_err() {
                return;
            }
            if !keeps {
                return self.farewell().await;
            }
        }
    }

    /// Reads a request, head and body.
    async fn request(&mut self) -> Result<Request, Nothing> {
        let mut until = Instant::now() + KEPT_TIME;
        let mut bytes = [0; 4096];
        let (mut found, mut begun) = (None, false);
        loop {
            match self.incoming.next_event() {
                Err(refusal) => return Err(Nothing::Refused(refusal.status())),
                Ok(Some(Event::Head(head))) => found = Some(head),
                Ok(Some(Event::Body(body, _))) => match found.take() {
                    Some(head) => return Ok(Request { head, body }),
                    None => return Err(Nothing::Refused(400)),
                },
                Ok(None) => {
                    if !begun && !self.incoming.is_between() {
                        (begun, until) = (true, Instant::now() + REQUEST_TIME);
                    }
                    match timeout_at(until, self.stream.read(&mut bytes)).await {
                        Err(_) if begun => return Err(Nothing::Refused(408)),
                        Ok(Ok(read @ 1..)) => self.incoming.take(&bytes[..read]),
                        _ => return Err(Nothing::Gone),
                    }
                }
            }
        }
    }

    async fn answer(&self, head: &RequestHead, body: &[u8]) -> Answer {
        if !self.desk.names.has(head) {
            return Answer::error(421, "Name the console by its address, or by one of `names` in [console].");
        }
        let changes = !["GET", "HEAD"].contains(&head.method());
        if changes && (!is_own(head, self.desk.secure) || !api::is_json(head)) {
            self.refuse(head);
            return Answer::error(403, "Only a page of this console may ask for this.");
        }
        if let Some(answer) = files::answer(head).filter(|_| !changes) {
            return answer;
        }
        if !head.path().starts_with("/api/") {
            return Answer::error(404, "There is no such page.");
        }
        if head.is_of_another_page() {
            self.refuse(head);
            return Answer::error(403, "A page of another origin may not ask.");
        }
        api::answer(self.desk, head, body, &self.client).await
    }

    /// Notes for the audit that a page of another origin has tried something.
    fn refuse(&self, head: &RequestHead) {
        let session = self.desk.sessions.of(head);
        let user = session.as_ref().map(|session| &session.user);
        self.desk.host.refused(user, self.client.peer, head.path());
    }

    /// A request that becomes a terminal, to its end.
    async fn become_terminal(&mut self, head: &RequestHead) {
        let desk = self.desk;
        let refused = |status, why: &str| Err(Answer::error(status, why));
        let session = api::signed_on(desk, head, &self.client);
        let asked = Asked::read(head.query());
        // A browser sends nothing before it hears that it may.
        let accepted = websocket::accepted(head).filter(|_| self.incoming.unread() == 0);
        let begun = match (asked, accepted, session) {
            _ if !desk.names.has(head) => refused(421, "Name the console by its address."),
            _ if !is_own(head, desk.secure) => {
                self.refuse(head);
                refused(403, "Only a page of this console may ask for this.")
            }
            _ if head.path() != "/terminal" => refused(404, "There is no such page."),
            (_, _, None) => refused(401, "Sign on first."),
            (Some(asked), Some(accepted), Some(session)) => match session.sit() {
                Some(sitting) => Ok((asked, accepted, sitting)),
                None => refused(503, "There are enough terminals (TERMINALS_PER_SESSION_MAX)."),
            },
            _ => refused(400, "This is no request for a terminal."),
        };
        let (asked, accepted, sitting) = match begun {
            Ok(begun) => begun,
            Err(answer) => {
                let _ = self.send(&answer.bytes(false, true)).await;
                return self.farewell().await;
            }
        };
        if self.send(&accepted).await.is_err() {
            return;
        }
        let session = sitting.session();
        let goes_on = || desk.sessions.goes_on(&session) && desk.may_have(&session);
        let terminals = &*desk.terminals;
        terminal::serve(&mut self.stream, (sitting, self.client.peer), terminals, (asked, &goes_on)).await;
        self.farewell().await;
    }

    async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let sent = async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        };
        // A client that takes its time is let go.
        timeout(ANSWER_TIME, sent).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Closes this end. Bytes that a client has sent and the door has not read would make the system take the answer back.
    async fn farewell(&mut self) {
        let rest = async {
            let _ = self.stream.shutdown().await;
            let mut bytes = [0; 2048];
            while !matches!(self.stream.read(&mut bytes).await, Ok(0) | Err(_)) {}
        };
        let _ = timeout(FAREWELL, rest).await;
    }
}
