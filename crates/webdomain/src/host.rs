//! What becomes of a request: the region in the words of the door.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::percent::decode_path;
use http::{Fields, RequestHead};
use kernel::dispatcher::{self, Attach, AttachError, Dispatcher};
use kernel::name::{Name8, TransactionName};
use kernel::region::Region;
use kernel::security::{User, Users, check_at_door};
use kernel::task::{Facility, StartCode};
use urimap::{Usage, Verdict};
use web::{Answer, Found, Host, Peer, Reply, Request};

use crate::alias::CWBA;
use crate::basic::Basic;
use crate::exchange::{Arrived, DoorSide, Ended, Ending, Exchange, Piece, count};
use crate::page::Page;
use crate::region::Web;
use crate::service::Service;
use crate::uri::UriMap;

/// Requests at work, for each task that may run, above which further ones are turned away.
const WAITING_PER_TASK_MAX: u64 = 3;

/// A region, as a door of one of its services sees it.
pub(crate) struct RegionHost {
    region: Arc<Region>,
    service: Arc<Service>,
}

/// What a request leads to.
pub(crate) enum Target {
    /// A task.
    Task(Arc<UriMap>),
    /// A template or a file.
    Page(Page),
}

impl RegionHost {
    pub fn new(region: Arc<Region>, service: Arc<Service>) -> Self {
        Self { region, service }
    }

    /// What a request leads to, or the answer that it leads nowhere.
    fn lead(&self, head: &RequestHead, peer: &Peer) -> Result<Target, Answer> {
        let path = decode_path(head.path()).map_err(|why| Answer::text(why.status(), why.to_string()))?;
        let uris = Web::of(&self.region).uris();
        let service = self.service.name.to_string();
        let tls = head.scheme().map_or(peer.is_secure(), |scheme| scheme == http::url::Scheme::Https);
        let request =
            urimap::Request { service: &service, tls, host: head.host(), path: &path, query: head.query() };
        let mut whole = Vec::new();
        match uris.table.find(&request, &mut whole) {
            Verdict::Unmatched => Err(Answer::text(404, "nothing answers at this address")),
            Verdict::Disabled(_) => Err(Answer::text(503, "this service is disabled")),
            Verdict::NeedsTls(_) => Err(Answer::text(403, "this service is reached over TLS only")),
            Verdict::Redirected(_, redirect) => Err(redirected(redirect)),
            Verdict::Matched { definition, rest } => {
                self.identified(head)?;
                let map = uris.maps.get(&Name8::from(definition.name.as_str())).cloned();
                let map = map.ok_or_else(|| Answer::text(404, "nothing answers at this address"))?;
                self.matched(map, rest, head)
            }
        }
    }

    /// Whether a client has said who it is, where that is asked.
    fn identified(&self, head: &RequestHead) -> Result<(), Answer> {
        if !self.service.said.basic || Basic::of(head).is_some() { Ok(()) } else { Err(self.who_is_it()) }
    }

    /// That a client is to say who it is.
    fn who_is_it(&self) -> Answer {
        let applid = self.region.options.applid;
        let realm = self.service.said.realm.clone().unwrap_or_else(|| format!("CICS application {applid}"));
        let mut answer = Answer::text(401, "who is it?");
        answer.fields = with(answer.fields, "WWW-Authenticate", &format!("Basic realm=\"{realm}\""));
        answer
    }

    /// The user that a client has proved to be; `None` where that is not asked.
    async fn authenticated(&self, head: &RequestHead, peer: &Peer) -> Result<Option<Arc<User>>, Answer> {
        if !self.service.said.basic {
            return Ok(None);
        }
        let Some(Basic { user, password }) = Basic::of(head) else { return Err(self.who_is_it()) };
        let checked = check_at_door(&self.region, user, password, peer.client.ip()).await;
        checked.map(|user| Some(Arc::new(user))).ok_or_else(|| self.who_is_it())
    }

    fn matched(&self, map: Arc<UriMap>, rest: &[u8], head: &RequestHead) -> Result<Target, Answer> {
        if map.matches.usage == Usage::Pipeline {
            tracing::warn!(target: "PI", "URIMAP {} names a pipeline: there are none yet", map.name);
            return Err(Answer::text(501, "web services are not there yet"));
        }
        match Page::of(&map, rest, head) {
            None => self.has_room().map(|()| Target::Task(map)),
            Some(page) if matches!(head.method(), "GET" | "HEAD") => {
                count(&map.matched);
                Ok(Target::Page(page))
            }
            Some(_) => Err(only_read()),
        }
    }

    /// Whether a request may wait for a task.
    fn has_room(&self) -> Result<(), Answer> {
        let most = WAITING_PER_TASK_MAX * Dispatcher::of(&self.region).tasks_max() as u64;
        if self.service.at_work() < most { Ok(()) } else { Err(busy()) }
    }

    /// Attaches the task of a request.
    fn attach_task(
        &self,
        map: &Arc<UriMap>,
        exchange: &Arc<Exchange>,
        user: Option<Arc<User>>,
    ) -> Result<u32, Answer> {
        let transaction = map.transaction.unwrap_or(TransactionName::from(CWBA));
        let user = user.map_or_else(|| self.user(map), Ok)?;
        let mut attach = Attach::new(transaction, StartCode::System, user);
        attach.facility = Facility::Request(Arc::<Exchange>::clone(exchange));
        attach.kept.get_or_insert_with(|| Ending::of(exchange));
        attach.here = true;
        dispatcher::attach(&self.region, attach).map_err(|why| {
            tracing::warn!(target: "WB", "a request of URIMAP {} has no task of {transaction}: {why:?}", map.name);
            refused(why)
        })
    }

    fn user(&self, map: &UriMap) -> Result<Arc<User>, Answer> {
        let users = Users::of(&self.region);
        let Some(id) = map.user else { return Ok(Arc::clone(&users.default)) };
        let user = users.file.user(&id.to_string()).map(Arc::new);
        user.ok_or_else(|| {
            tracing::warn!(target: "WB", "URIMAP {} has USERID({id}), which is not known", map.name);
            Answer::text(403, "not for this user")
        })
    }

    /// Has a task work for a request, and passes on what it answers.
    async fn work(&self, map: Arc<UriMap>, request: Request, mut reply: Reply) {
        let user = match self.authenticated(&request.head, &request.peer).await {
            Ok(user) => user,
            Err(answer) => {
                // Nothing was sent before.
                let _ = reply.keep(answer);
                return;
            }
        };
        let Request { head, body, peer, gone, .. } = request;
        let (service, peer) = (Arc::clone(&self.service), Peer::clone(&peer));
        let (exchange, side) =
            Exchange::new(Arrived { head, body, peer, service, map: Some(Arc::clone(&map)) });
        let task = match self.attach_task(&map, &exchange, user) {
            Ok(task) => task,
            Err(answer) => {
                // Nothing was sent before.
                let _ = reply.keep(answer);
                return;
            }
        };
        drop(exchange);
        let purged = async {
            gone.gone().await;
            if let Some(control) = Dispatcher::of(&self.region).task(task) {
                tracing::info!(target: "WB", "task {task} is purged: its client has gone");
                control.purge();
            }
            std::future::pending().await
        };
        tokio::select! {
            () = pass_on(side, &mut reply) => {}
            () = purged => {}
        }
    }
}

impl Host for RegionHost {
    type Target = Target;

    fn find(&self, head: &RequestHead, peer: &Peer) -> Found<Target> {
        self.service.counts.requests.fetch_add(1, Ordering::Relaxed);
        match self.lead(head, peer) {
            Ok(target) => Found::Attach(target),
            Err(answer) => Found::Answer(answer),
        }
    }

    async fn attach(&self, target: Target, request: Request, mut reply: Reply) {
        match target {
            Target::Task(map) => self.work(map, request, reply).await,
            Target::Page(page) => {
                let user = self.authenticated(&request.head, &request.peer).await;
                let answer = match user.and_then(|user| user.map_or_else(|| self.user(page.map()), Ok)) {
                    Ok(user) if page.is_for(&self.region, &user) => page.answer(&self.region).await,
                    Ok(_) => Answer::text(403, "not for this user"),
                    Err(answer) => answer,
                };
                // Nothing was sent before.
                let _ = reply.keep(answer);
            }
        }
    }
}

/// Passes on what a task answers, until it has ended.
async fn pass_on(mut side: DoorSide, reply: &mut Reply) {
    let ended = loop {
        tokio::select! {
            biased;
            Some(piece) = side.pieces.recv() => {
                let passed = match piece {
                    Piece::Whole(answer) => reply.send(answer).await,
                    Piece::Begin(answer) => reply.begin(answer).await,
                    Piece::Chunk(data) => reply.chunk(data).await,
                    Piece::End(trailer) => reply.end(trailer).await,
                };
                if passed.is_err() {
                    // The task hears of it when it sends the next piece.
                    side.pieces.close();
                }
            }
            ended = &mut side.ended => break ended,
        }
    };
    let answer = match ended {
        Ok(Ended { answer: Some(answer), .. }) => answer,
        Ok(Ended { abend: Some(code), .. }) => Answer::text(500, format!("abend {code}")),
        Ok(_) | Err(_) => Answer::text(500, "the program has sent no answer"),
    };
    // What was sent already counts.
    let _ = reply.keep(answer);
}

fn redirected(redirect: &urimap::Redirect) -> Answer {
    let mut answer = Answer { status: redirect.status(), ..Answer::default() };
    // A location that is no header's value leads nowhere.
    let _ = answer.fields.push("Location", &redirect.location);
    answer
}

fn only_read() -> Answer {
    let mut answer = Answer::text(405, "this can only be read");
    answer.fields = with(answer.fields, "Allow", "GET, HEAD");
    answer
}

fn busy() -> Answer {
    let mut answer = Answer::text(503, "too many requests wait already");
    answer.fields = with(answer.fields, "Retry-After", "1");
    answer
}

fn with(mut fields: Fields, name: &str, value: &str) -> Fields {
    // Both are fixed texts.
    let _ = fields.push(name, value);
    fields
}

fn refused(why: AttachError) -> Answer {
    match why {
        AttachError::NotAuthorized => Answer::text(403, "not for this user"),
        AttachError::Disabled | AttachError::Closing => Answer::text(503, "not now"),
        AttachError::QueueFull => busy(),
        AttachError::Unknown | AttachError::Remote | AttachError::TerminalBusy => {
            Answer::text(500, "the service is not complete")
        }
    }
}
