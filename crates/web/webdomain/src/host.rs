//! Fate of a request: the region in the words of the door.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::percent::decode_path;
use http::{Fields, RequestHead};
use kernel::dispatcher::{AttachError, Dispatcher};
use kernel::health::Health;
use kernel::monitoring::{Monitoring, Switch};
use kernel::name::{Name8, TransactionName};
use kernel::region::Region;
use kernel::security::{User, Users};
use urimap::{Usage, Verdict};
use web::{Answer, Found, Gone, Host, Next, Peer, Reply, Request};

use crate::alias::CWBA;
use crate::chain::ChainPlace;
use crate::counts::count;
use crate::exchange::{Arrived, AtWork, DoorSide, Ended, Exchange, Piece, Worker};
use crate::identity::{Seen, authenticated, identified};
use crate::page::Page;
use crate::region::{Uris, Web};
use crate::service::Service;
use crate::trouble::{Trouble, What};
use crate::uri_map::UriMap;
use crate::way::{Asks, Way};
use crate::{alias, analyzer, chain, origins, report};

/// Requests at work, for each task that may run, above which further ones are turned away.
const WAITING_PER_TASK_MAX: u64 = 3;

/// A region, as a door of one of its services sees it.
pub(crate) struct RegionHost {
    region: Arc<Region>,
    service: Arc<Service>,
    seen: Seen,
}

/// Targets of a request.
pub(crate) enum RequestTarget {
    /// A task.
    Task(Lead),
    /// A template or a file.
    Page(Page),
    /// Description of a web service, if the client may know it.
    Description(Answer),
}

/// Task that a request leads to.
#[derive(Default)]
pub(crate) struct Lead {
    /// The URI map that it matches.
    pub map: Option<Arc<UriMap>>,
    /// The web service that it is a message for; none: the program of the URI map answers.
    pub way: Option<Way>,
    /// Its first task.
    pub first: First,
}

/// Work of a request's first task.
#[derive(Default)]
pub(crate) enum First {
    /// Serves the request.
    #[default]
    Serves,
    /// It has the service's analyzer look at it.
    Analyzes,
    /// It says what has gone wrong in the door.
    Says(Trouble),
}

impl Lead {
    /// That of a URI map.
    fn of(map: Arc<UriMap>) -> Self {
        Self { map: Some(map), ..Self::default() }
    }

    /// The transaction of its first task.
    fn transaction(&self, service: &Service) -> TransactionName {
        if !matches!(self.first, First::Serves) {
            return service.said.transaction;
        }
        let own = self.map.as_ref().and_then(|map| map.transaction);
        own.unwrap_or_else(|| self.way.as_ref().map_or(TransactionName::from(CWBA), Way::transaction))
    }

    /// The user of its first task, where the client has not said who it is.
    fn user(&self) -> Option<Name8> {
        if !matches!(self.first, First::Serves) {
            return None;
        }
        let own = self.map.as_ref().and_then(|map| map.user);
        own.or_else(|| self.way.as_ref().and_then(Way::user))
    }
}

impl std::fmt::Display for Lead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.map {
            Some(map) => write!(f, "URIMAP {}", map.name),
            None => f.write_str("a web service"),
        }
    }
}

impl RegionHost {
    pub fn new(region: Arc<Region>, service: Arc<Service>) -> Self {
        Self { region, service, seen: Seen::default() }
    }

    /// Target of a request, or the answer if it has none.
    fn lead(&self, head: &RequestHead, peer: &Peer) -> Result<RequestTarget, Answer> {
        let path = decode_path(head.path()).map_err(|why| Answer::text(why.status(), why.to_string()))?;
        let uris = Web::of(&self.region).uris();
        let service = self.service.name.to_string();
        let tls = head.scheme().map_or(peer.is_secure(), |scheme| scheme == http::url::Scheme::Https);
        let request =
            urimap::Request { service: &service, tls, host: head.host(), path: &path, query: head.query() };
        let mut whole = Vec::new();
        let counts = &Web::of(&self.region).counts;
        count(&counts.looked_up);
        count(if tls { &counts.tls } else { &counts.plain });
        match uris.table.find(&request, &mut whole) {
            Verdict::Unmatched => {
                count(&counts.unmatched);
                let way = Way::without_map(&self.region, &String::from_utf8_lossy(&path));
                let is_analyzed = analyzer::of_service(&self.region, &self.service).is_some();
                if way.is_none() && !is_analyzed {
                    return self.trouble(nothing_here(), head);
                }
                self.identified(head, peer)?;
                match way {
                    Some(way) => self.message(None, way?, head, tls),
                    None => self.task(Lead { first: First::Analyzes, ..Lead::default() }, head),
                }
            }
            Verdict::Disabled(definition) => {
                self.is_disabled(&uris, definition);
                self.trouble(Trouble::new(What::Disabled, 503, "this service is disabled"), head)
            }
            Verdict::NeedsTls(_) => {
                self.trouble(Trouble::new(What::NeedsTls, 403, "this service is reached over TLS only"), head)
            }
            Verdict::Redirected(definition, redirect) => {
                count(&counts.redirected);
                if let Some(map) = map_of(&uris, definition) {
                    count(&map.counts.redirected);
                }
                Err(redirected(redirect))
            }
            Verdict::Matched { definition, rest } => {
                self.identified(head, peer)?;
                let map = map_of(&uris, definition).ok_or_else(|| nothing_here().answer())?;
                count(&counts.matched);
                count(&map.counts.matched);
                if map.matches.usage == Usage::Pipeline {
                    let way = Way::of_map(&self.region, &map, &String::from_utf8_lossy(&path))?;
                    return self.message(Some(map), way, head, tls);
                }
                self.matched(map, rest, head)
            }
        }
    }

    /// Fields of answers to the page of another origin that has made a request; `None` if no such page has, or may.
    fn allowed(&self, head: &RequestHead, peer: &Peer) -> Option<Fields> {
        let web = Web::of(&self.region);
        if web.options().origins.is_empty() || !head.fields().has("Origin") {
            return None;
        }
        let path = decode_path(head.path()).ok()?;
        let (uris, service) = (web.uris(), self.service.name.to_string());
        let tls = head.scheme().map_or(peer.is_secure(), |scheme| scheme == http::url::Scheme::Https);
        let request =
            urimap::Request { service: &service, tls, host: head.host(), path: &path, query: head.query() };
        let mut whole = Vec::new();
        let map = match uris.table.find(&request, &mut whole) {
            Verdict::Matched { definition, .. } => map_of(&uris, definition),
            _ => None,
        };
        let path = String::from_utf8_lossy(&path);
        let way = match &map {
            Some(map) if map.matches.usage == Usage::Pipeline => Way::of_map(&self.region, map, &path).ok(),
            Some(_) => None,
            None => Way::without_map(&self.region, &path).and_then(Result::ok),
        };
        let names = [map.map(|map| map.name.to_string()), way.and_then(|way| way.name()), Some(service)];
        let known = |name: &String| {
            let found = web.options().origins.iter().find(|(of, _)| of.eq_ignore_ascii_case(name.trim()));
            found.map(|(_, origins)| origins)
        };
        // The most particular one counts.
        names.iter().flatten().find_map(known)?.of(head)
    }

    /// Counts a request that matches what is disabled.
    fn is_disabled(&self, uris: &Uris, definition: &urimap::Definition) {
        let counts = &Web::of(&self.region).counts;
        count(if uris.is_off(&definition.host) { &counts.off } else { &counts.disabled });
        if let Some(map) = map_of(uris, definition) {
            count(&map.counts.disabled);
        }
    }

    /// A request that leads to a task.
    fn task(&self, lead: Lead, head: &RequestHead) -> Result<RequestTarget, Answer> {
        self.has_room()?;
        self.may_wait(head)?;
        let counts = &Web::of(&self.region).counts;
        match &lead.first {
            First::Says(_) => {}
            First::Analyzes => count(&counts.analyzed),
            First::Serves => {
                count(&counts.direct);
                count(if lead.way.is_some() { &counts.messages } else { &counts.programs });
            }
        }
        Ok(RequestTarget::Task(lead))
    }

    /// Something has gone wrong: the application says it, if it wants to.
    fn trouble(&self, trouble: Trouble, head: &RequestHead) -> Result<RequestTarget, Answer> {
        if report::is_looked_at(&self.region) {
            self.task(Lead { first: First::Says(trouble), ..Lead::default() }, head)
        } else {
            Err(trouble.answer())
        }
    }

    fn identified(&self, head: &RequestHead, peer: &Peer) -> Result<(), Answer> {
        identified(&self.region, &self.service, &self.seen, head, peer)
    }

    async fn authenticated(&self, head: &RequestHead, peer: &Peer) -> Result<Option<Arc<User>>, Answer> {
        authenticated(&self.region, &self.service, &self.seen, head, peer).await
    }

    fn matched(&self, map: Arc<UriMap>, rest: &[u8], head: &RequestHead) -> Result<RequestTarget, Answer> {
        match Page::of(&map, rest, head) {
            None if map.is_analyzed => self.task(Lead { first: First::Analyzes, ..Lead::of(map) }, head),
            None => self.task(Lead::of(map), head),
            Some(page) if matches!(head.method(), "GET" | "HEAD") => {
                count(&Web::of(&self.region).counts.pages);
                Ok(RequestTarget::Page(page))
            }
            Some(_) => Err(only_read()),
        }
    }

    /// A request for a web service.
    fn message(
        &self,
        map: Option<Arc<UriMap>>,
        way: Way,
        head: &RequestHead,
        tls: bool,
    ) -> Result<RequestTarget, Answer> {
        match way.asks(head, tls)? {
            Asks::Message(way) => self.task(Lead { map, way: Some(way), first: First::Serves }, head),
            Asks::Description(answer) => Ok(RequestTarget::Description(answer)),
        }
    }

    /// Refuses a request that finds no room to wait for a task, before its body is read. Others may take the room meanwhile.
    fn has_room(&self) -> Result<(), Answer> {
        if self.service.at_work() < self.at_work_max() { Ok(()) } else { Err(self.turned_away()) }
    }

    /// The number of requests that may wait for tasks or be at work.
    fn at_work_max(&self) -> u64 {
        WAITING_PER_TASK_MAX * Dispatcher::of(&self.region).tasks_max() as u64
    }

    fn turned_away(&self) -> Answer {
        count(&self.service.counts.turned_away);
        busy()
    }

    /// Lets a request through that a task waits for which works for a request itself: not at the end of a chain that is too
    /// long, and not where it would wait for the task that waits for it.
    fn may_wait(&self, head: &RequestHead) -> Result<(), Answer> {
        let refused = match chain::place(&self.region, head.fields()) {
            ChainPlace::Ours if Dispatcher::of(&self.region).is_full() => busy(),
            ChainPlace::TooFar => Answer::text(508, "too many requests wait for each other"),
            _ => return Ok(()),
        };
        tracing::warn!(
            target: "WB",
            "{} {}: refused with status {}, for tasks of this region wait for its answer",
            head.method(),
            head.path(),
            refused.status
        );
        count(&self.service.counts.turned_away);
        Err(refused)
    }

    /// Attaches the first task of a request.
    fn attach_task(&self, lead: &Lead, exchange: &Arc<Exchange>) -> Result<(), Answer> {
        let transaction = lead.transaction(&self.service);
        // The analyzer does not run for the client, but for the service.
        let client = exchange.user.clone().filter(|_| matches!(lead.first, First::Serves));
        let user = client.map_or_else(|| self.user(lead), Ok)?;
        alias::attach(&self.region, exchange, transaction, user).map_err(|why| {
            tracing::warn!(target: "WB", "a request of {lead} has no task of {transaction}: {why:?}");
            refused(why)
        })
    }

    fn user(&self, lead: &Lead) -> Result<Arc<User>, Answer> {
        let users = Users::of(&self.region);
        let Some(id) = lead.user() else { return Ok(Arc::clone(&users.default)) };
        let user = users.file.user(&id.to_string()).map(Arc::new);
        user.ok_or_else(|| {
            tracing::warn!(target: "WB", "{lead} has USERID({id}), which is not known");
            Answer::text(403, "not for this user")
        })
    }

    /// Has tasks work for a request, and passes on what they answer.
    async fn work(&self, lead: Lead, request: Request, mut reply: Reply) {
        let user = match &lead.first {
            First::Says(_) => Ok(None),
            First::Serves | First::Analyzes => self.authenticated(&request.head, &request.peer).await,
        };
        let gone = request.gone.clone();
        let attached = user.and_then(|user| self.begin(lead, request, user));
        let (mut side, worker) = match attached {
            Ok(attached) => attached,
            Err(answer) => {
                // Nothing was sent before.
                let _ = reply.keep(answer);
                return;
            }
        };
        let mut watch = Watch { host: self, worker: &worker, is_over: false };
        tokio::select! {
            () = pass_on(&mut side, &mut reply) => watch.is_over = true,
            () = self.purged(&gone, &worker) => {}
        }
    }

    /// Has the analyzer, and what it chooses, work for bytes that are no HTTP.
    async fn talk(&self, body: Vec<u8>, peer: Rc<Peer>, gone: Gone, mut reply: Reply) -> Next {
        if self.has_room().is_err() {
            return Next::Ends;
        }
        count(&self.service.counts.requests);
        let lead = Lead { first: First::Analyzes, ..Lead::default() };
        let head = Box::new(RequestHead::none());
        let request = Request { head, body, trailer: Fields::default(), peer, gone: gone.clone() };
        let Ok((mut side, worker)) = self.begin(lead, request, None) else { return Next::Ends };
        let mut watch = Watch { host: self, worker: &worker, is_over: false };
        let ended = tokio::select! {
            ended = pieces(&mut side, &mut reply) => ended,
            () = self.purged(&gone, &worker) => None,
        };
        watch.is_over = true;
        match ended {
            Some(Ended { needs_more: true, .. }) => Next::More,
            Some(Ended { answer: Some(answer), .. }) => {
                let closes = answer.closes;
                // Nothing was sent before.
                let _ = reply.keep(answer);
                if closes { Next::Ends } else { Next::Answered }
            }
            Some(Ended { abend: None, .. }) if reply.has_ended() => Next::Answered,
            _ => Next::Ends,
        }
    }

    /// Purges the task that works for a client which leaves; it never ends by itself.
    async fn purged(&self, gone: &Gone, worker: &Worker) {
        gone.gone().await;
        self.purge(worker);
        std::future::pending().await
    }

    fn purge(&self, worker: &Worker) {
        worker.client_goes();
        let task = worker.task.load(Ordering::Relaxed);
        match Dispatcher::of(&self.region).task(task) {
            Some(control) if control.transaction.purgeable => {
                tracing::info!(target: "WB", "task {task} is purged: its client has gone");
                control.purge();
            }
            Some(_) => tracing::info!(target: "WB", "task {task} goes on (SPURGE(NO)): its client has gone"),
            None => {}
        }
    }

    /// Begins the work for a request: where its answer comes from, and which task works for it.
    fn begin(
        &self,
        mut lead: Lead,
        request: Request,
        user: Option<Arc<User>>,
    ) -> Result<(DoorSide, Arc<Worker>), Answer> {
        let Request { head, body, peer, .. } = request;
        let monitoring = Monitoring::of(&self.region);
        ports::measure_transfers(monitoring.is(Switch::On) && monitoring.is(Switch::Performance));
        let at_work = AtWork::of(&self.service, self.at_work_max()).ok_or_else(|| self.turned_away())?;
        let trouble = match &mut lead.first {
            First::Says(trouble) => Some(trouble.clone()),
            First::Serves | First::Analyzes => None,
        };
        let (exchange, side) = Exchange::new(Arrived {
            head,
            body,
            peer: Peer::clone(&peer),
            service: Arc::clone(&self.service),
            map: lead.map.clone(),
            way: lead.way.clone(),
            user,
            trouble,
            at_work,
        });
        self.attach_task(&lead, &exchange)?;
        Ok((side, Arc::clone(&exchange.worker)))
    }
}

impl Host for RegionHost {
    type Target = RequestTarget;

    fn find(&self, head: &RequestHead, peer: &Peer) -> Found<RequestTarget> {
        self.service.counts.requests.fetch_add(1, Ordering::Relaxed);
        let allowed = self.allowed(head, peer);
        if let Some(allowed) = allowed.as_ref().filter(|_| origins::is_question(head)) {
            return Found::Answer(origins::answer(head, allowed.clone()));
        }
        match self.lead(head, peer) {
            Ok(target) => Found::Attach(target),
            Err(mut answer) => {
                if let Some(allowed) = &allowed {
                    origins::add(&mut answer.fields, allowed);
                }
                Found::Answer(answer)
            }
        }
    }

    fn sends_away(&self) -> bool {
        Health::of(&self.region).leaves()
    }

    async fn attach(&self, target: RequestTarget, request: Request, mut reply: Reply) {
        if let Some(allowed) = self.allowed(&request.head, &request.peer) {
            reply.completed(allowed, origins::add);
        }
        let answer = match target {
            RequestTarget::Task(lead) => return self.work(lead, request, reply).await,
            RequestTarget::Page(page) => {
                let user = self.authenticated(&request.head, &request.peer).await;
                let lead = Lead::of(Arc::clone(page.map()));
                match user.and_then(|user| user.map_or_else(|| self.user(&lead), Ok)) {
                    Ok(user) if page.is_for(&self.region, &user) => page.answer(&self.region).await,
                    Ok(_) => Answer::text(403, "not for this user"),
                    Err(answer) => answer,
                }
            }
            RequestTarget::Description(text) => {
                self.authenticated(&request.head, &request.peer).await.map_or_else(|answer| answer, |_| text)
            }
        };
        // Nothing was sent before.
        let _ = reply.keep(answer);
    }

    async fn converse(&self, bytes: Vec<u8>, peer: Rc<Peer>, gone: Gone, reply: Reply) -> Next {
        self.talk(bytes, peer, gone, reply).await
    }
}

/// A connection that is dropped while a task works for it (IMMCLOSE, the region's end): its client has gone, too.
struct Watch<'h> {
    host: &'h RegionHost,
    worker: &'h Worker,
    is_over: bool,
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.host.purge(self.worker);
        }
    }
}

/// Passes on what a task answers, until it has ended.
async fn pass_on(side: &mut DoorSide, reply: &mut Reply) {
    let answer = match pieces(side, reply).await {
        Some(Ended { answer: Some(answer), .. }) => answer,
        Some(Ended { abend: Some(code), .. }) => Answer::text(500, format!("abend {code}")),
        Some(_) | None => Answer::text(500, "the program has sent no answer"),
    };
    // What was sent already counts.
    let _ = reply.keep(answer);
}

/// Passes on what goes out while tasks run: how the last of them has ended.
async fn pieces(side: &mut DoorSide, reply: &mut Reply) -> Option<Ended> {
    loop {
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
            ended = &mut side.ended => return ended.ok(),
        }
    }
}

/// The URI map of a definition that matches.
fn map_of(uris: &Uris, definition: &urimap::Definition) -> Option<Arc<UriMap>> {
    uris.maps.get(&Name8::from(definition.name.as_str())).cloned()
}

fn redirected(redirect: &urimap::Redirect) -> Answer {
    let mut answer = Answer { status: redirect.status(), ..Answer::default() };
    // A location that is no header's value leads nowhere.
    let _ = answer.fields.push("Location", &redirect.location);
    answer
}

fn nothing_here() -> Trouble {
    Trouble::new(What::Nowhere, 404, "nothing answers at this address")
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
    match alias::refused(why) {
        (503, _) if why == AttachError::QueueFull => busy(),
        (status, text) => Answer::text(status, text),
    }
}
