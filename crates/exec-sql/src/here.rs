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
    /// What a deadlock takes back.
    pub(crate) scope: Scope,
    /// The unit of work that ends with the task's, if the statement may begin one at the server.
    pub(crate) keep: Option<UnitName>,
}

/// What a statement came to, and whether a unit of work is open at the server.
pub(crate) type Answered = (Result<Done, Failed>, bool);

/// What the TCB of a task's sessions is asked for from elsewhere.
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

/// What one TCB has.
struct Here {
    door: mpsc::UnboundedSender<Errand>,
    /// Sessions with the server of a link.
    tcb: Option<(u64, Rc<Tcb>)>,
    threads: HashMap<u32, Held>,
}

struct Held {
    link: u64,
    thread: Rc<Turns<Thread>>,
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
            Here { door, tcb: None, threads: HashMap::default() }
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
    let thread = HERE.with_borrow(|here| {
        here.as_ref().and_then(|here| here.threads.get(&task)).map(|held| Rc::clone(&held.thread))
    });
    if let Some(thread) = thread {
        link.participant.keep(unit, &thread);
    }
}

/// The task's thread. One with another server is given up, unless it has a unit of work there: that has to be backed out.
fn thread_of(asked: &Asked) -> Rc<Turns<Thread>> {
    let Asked { task, link, scope, .. } = asked;
    HERE.with_borrow_mut(|here| {
        let here = here.as_mut().unwrap_or_else(|| unreachable!("the task's part has made it"));
        if let Some(held) = here.threads.get(task) {
            let stays = held.link == link.number || held.thread.try_lock().is_ok_and(|t| t.is_in_unit());
            if stays {
                return Rc::clone(&held.thread);
            }
        }
        let tcb = match &here.tcb {
            Some((number, tcb)) if *number == link.number => Rc::clone(tcb),
            _ => {
                let tcb = Tcb::new(link.address.clone(), link.sessions.clone());
                here.tcb = Some((link.number, Rc::clone(&tcb)));
                link.doors.lock().push(here.door.clone());
                tcb
            }
        };
        let thread = Rc::new(Turns::new(Thread::new(&tcb, *scope)));
        here.threads.insert(*task, Held { link: link.number, thread: Rc::clone(&thread) });
        thread
    })
}

/// Takes back what a statement has done that nobody else takes back.
pub(crate) async fn back_out(task: u32) {
    let thread = HERE.with_borrow(|here| {
        here.as_ref().and_then(|here| here.threads.get(&task)).map(|held| Rc::clone(&held.thread))
    });
    if let Some(thread) = thread {
        // A lost session is backed out by the server.
        let _ = thread.lock().await.backout().await;
    }
}

/// The task has ended: its session is for others.
fn end(task: u32) {
    let held = HERE.with_borrow_mut(|here| here.as_mut().and_then(|here| here.threads.remove(&task)));
    let Some(Held { thread, .. }) = held else { return };
    if thread.try_lock().is_ok_and(|thread| thread.is_idle()) {
        return;
    }
    // A held cursor, or what a purge has left.
    drop(spawn_local(async move { drop(thread.lock().await.backout().await) }));
}

fn close(link: u64) {
    let tcb = HERE.with_borrow_mut(|here| here.as_mut()?.tcb.take_if(|(number, _)| *number == link));
    drop(tcb);
}

/// The same from the task's own TCB, if there is nothing to wait for.
pub(crate) fn end_idle(task: u32) -> bool {
    let ended = HERE.try_with(|here| {
        let mut here = here.try_borrow_mut().ok()?;
        let threads = &mut here.as_mut()?.threads;
        let is_idle = threads.get(&task)?.thread.try_lock().is_ok_and(|thread| thread.is_idle());
        if is_idle { threads.remove(&task) } else { None }
    });
    ended.is_ok_and(|ended| ended.is_some())
}
