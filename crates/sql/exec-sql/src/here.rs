//! Threads of tasks on one TCB.
//!
//! Sessions belong to the TCB on which a task has begun with SQL. A task that visits another TCB (a program that is not
//! threadsafe) sends its statements home: parameters are copied there and back.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::{self, ThreadId};

use attachment::{Arguments, Done, Failed, Tcb, Thread};
use coordinator::UnitName;
use db2::package::Package;
use foldhash::HashMap;
use sql::codes::Scope;
use tokio::sync::{Mutex as Turns, mpsc, oneshot};
use tokio::task::spawn_local;

use crate::arguments::Copied;
use crate::connection::Link;

/// A statement that a program asks for.
#[derive(Clone)]
pub(crate) struct Asked {
    /// The task.
    pub(crate) task: u32,
    /// The program's link level.
    pub(crate) level: u16,
    /// Its package's token.
    pub(crate) token: u64,
    /// Its package.
    pub(crate) package: Arc<Package>,
    /// The statement's number there.
    pub(crate) number: u16,
    /// The server.
    pub(crate) link: Arc<Link>,
    /// Extent of the work that a deadlock takes back.
    pub(crate) scope: Scope,
    /// The unit of work that ends with the task's, if the statement may begin one at the server.
    pub(crate) keep: Option<UnitName>,
}

/// Result of a statement, and true if a unit of work is open at the server.
pub(crate) type Answered = (Result<Done, Failed>, bool);

/// Requests from elsewhere to the TCB of a task's sessions.
pub(crate) enum Errand {
    /// Runs a statement.
    Run(Box<Visit>),
    /// The task has ended.
    End(u32),
    /// Sessions of a link that no task has are closed.
    Close(u64),
}

/// A statement from another TCB.
pub(crate) struct Visit {
    pub(crate) asked: Asked,
    pub(crate) arguments: Copied,
    pub(crate) back: oneshot::Sender<(Answered, Copied)>,
}

/// State of one TCB.
struct Here {
    door: mpsc::UnboundedSender<Errand>,
    /// Sessions with each server to which tasks have come.
    tcbs: Vec<Shared>,
    threads: HashMap<u32, Own>,
}

/// Parts of a server's connection that tasks share.
struct Shared {
    line: u16,
    link: u64,
    tcb: Rc<Tcb>,
}

/// State of a task: mostly one server's.
struct Own {
    first: Held,
    more: Vec<Held>,
}

struct Held {
    line: u16,
    link: u64,
    thread: Rc<Turns<Thread>>,
}

impl Own {
    fn all(&self) -> impl Iterator<Item = &Held> {
        std::iter::once(&self.first).chain(&self.more)
    }

    fn of(&mut self, line: u16) -> Option<&mut Held> {
        std::iter::once(&mut self.first).chain(&mut self.more).find(|held| held.line == line)
    }

    /// Returns true if it has no session anywhere.
    fn is_idle(&self) -> bool {
        self.all().all(|held| held.thread.try_lock().is_ok_and(|thread| thread.is_idle()))
    }
}

thread_local! {
    static HERE: RefCell<Option<Here>> = const { RefCell::new(None) };
}

/// The way to this TCB, for tasks whose sessions are here.
pub(crate) fn door() -> (mpsc::UnboundedSender<Errand>, ThreadId) {
    let door = HERE.with_borrow_mut(|here| {
        let here = here.get_or_insert_with(|| {
            let (door, errands) = mpsc::unbounded_channel();
            drop(spawn_local(serve(errands)));
            Here { door, tcbs: Vec::new(), threads: HashMap::default() }
        });
        here.door.clone()
    });
    (door, thread::current().id())
}

async fn serve(mut errands: mpsc::UnboundedReceiver<Errand>) {
    while let Some(errand) = errands.recv().await {
        match errand {
            Errand::Run(visit) => drop(spawn_local(visit.run())),
            Errand::End(task) => end(task),
            Errand::Close(link) => close(link),
        }
    }
}

impl Visit {
    async fn run(self: Box<Self>) {
        let Self { asked, mut arguments, mut back } = *self;
        // A task that is purged waits no longer: its statement is dropped.
        let done = tokio::select! {
            done = execute(&asked, &mut arguments) => done,
            () = back.closed() => return,
        };
        let _ = back.send((done, arguments));
    }
}

/// Runs a statement of a task whose sessions are here.
pub(crate) async fn execute(asked: &Asked, arguments: &mut dyn Arguments) -> Answered {
    let thread = thread_of(asked);
    if let Some(unit) = &asked.keep {
        asked.link.participant.keep(unit, &thread);
    }
    let mut thread = thread.lock().await;
    let done = thread.execute(asked.level, asked.token, &asked.package, asked.number, arguments).await;
    (done, thread.is_in_unit())
}

/// The unit of work that a statement has begun unforeseen ends with the task's.
pub(crate) fn keep(task: u32, link: &Link, unit: &UnitName) {
    for thread in threads_of(task, Some(link.line)) {
        link.participant.keep(unit, &thread);
    }
}

/// The task's threads: with one server, or with all.
fn threads_of(task: u32, line: Option<u16>) -> Vec<Rc<Turns<Thread>>> {
    HERE.with_borrow(|here| {
        let own = here.as_ref().and_then(|here| here.threads.get(&task));
        let held = own.into_iter().flat_map(Own::all);
        let meant = held.filter(|held| line.is_none_or(|line| held.line == line));
        meant.map(|held| Rc::clone(&held.thread)).collect()
    })
}

/// The task's thread with a server. One of a link that is over is given up, unless it has a unit of work there: that has to be
/// backed out.
fn thread_of(asked: &Asked) -> Rc<Turns<Thread>> {
    let Asked { task, link, scope, .. } = asked;
    HERE.with_borrow_mut(|here| {
        let here = here.as_mut().unwrap_or_else(|| unreachable!("the task's part has made it"));
        let found = here.threads.get_mut(task).and_then(|own| own.of(link.line));
        if let Some(held) = found {
            let has_work = |thread: &Thread| thread.is_in_unit() || thread.has_rows();
            let stays = held.link == link.number || held.thread.try_lock().is_ok_and(|t| has_work(&t));
            if stays {
                return Rc::clone(&held.thread);
            }
        }
        let thread = Rc::new(Turns::new(Thread::new(&tcb_of(here, link), *scope)));
        let held = Held { line: link.line, link: link.number, thread: Rc::clone(&thread) };
        match here.threads.get_mut(task) {
            None => drop(here.threads.insert(*task, Own { first: held, more: Vec::new() })),
            Some(own) => match own.of(link.line) {
                Some(former) => *former = held,
                None => own.more.push(held),
            },
        }
        thread
    })
}

/// Parts of a server's connection that tasks share.
fn tcb_of(here: &mut Here, link: &Link) -> Rc<Tcb> {
    if let Some(shared) = here.tcbs.iter().find(|shared| shared.link == link.number) {
        return Rc::clone(&shared.tcb);
    }
    let tcb = Tcb::new(link.address.clone(), link.sessions.clone());
    here.tcbs.retain(|shared| shared.line != link.line);
    here.tcbs.push(Shared { line: link.line, link: link.number, tcb: Rc::clone(&tcb) });
    let door = here.door.clone();
    // A TCB that has ended has no sessions.
    link.doors.lock().push(Box::new(move |link| drop(door.send(Errand::Close(link)))));
    tcb
}

/// Backs out the changes of a statement that no unit of work would back out.
pub(crate) async fn back_out(task: u32) {
    for thread in threads_of(task, None) {
        // A lost session is backed out by the server.
        let _ = thread.lock().await.backout().await;
    }
}

/// The task has ended: its sessions are for others.
fn end(task: u32) {
    let own = HERE.with_borrow_mut(|here| here.as_mut().and_then(|here| here.threads.remove(&task)));
    let Some(Own { first, more }) = own else { return };
    for Held { thread, .. } in std::iter::once(first).chain(more) {
        if thread.try_lock().is_ok_and(|thread| thread.is_idle()) {
            continue;
        }
        // A held cursor, or what a purge has left.
        drop(spawn_local(async move { drop(thread.lock().await.backout().await) }));
    }
}

fn close(link: u64) {
    HERE.with_borrow_mut(|here| {
        if let Some(here) = here {
            here.tcbs.retain(|shared| shared.link != link);
        }
    });
}

/// The same from the task's own TCB, if there is nothing to wait for.
pub(crate) fn end_idle(task: u32) -> bool {
    let ended = HERE.try_with(|here| {
        let mut here = here.try_borrow_mut().ok()?;
        let threads = &mut here.as_mut()?.threads;
        let is_idle = threads.get(&task)?.is_idle();
        if is_idle { threads.remove(&task) } else { None }
    });
    ended.is_ok_and(|ended| ended.is_some())
}
