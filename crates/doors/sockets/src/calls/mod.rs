//! The functions of EZASOKET: one table, one function each, in files by subject.

mod connection;
mod control;
mod give;
mod names;
mod options;
mod select;
mod session;
mod transfer;
mod vector;

use std::os::fd::BorrowedFd;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use kernel::raise::Raise;
use kernel::services::Answered;
use kernel::task::{Task, WaitKind};
use kernel::words::escaped;
use rustix::io::Errno as System;

use crate::arguments::{Arguments, Done};
use crate::errno::Errno;
use crate::shared::Shared;
use crate::socket::{Direction, Drained, Socket, has_had_its_turn};
use crate::task::{TaskSocket, TaskSockets};

/// One call of a task.
pub(crate) struct SocketCall<'a> {
    pub task: &'a mut Task,
    pub arguments: Arguments<'a>,
    pub shared: &'a Arc<Shared>,
    /// True on the first try, made without leaving the program: a call that would have to wait is [`Reply::Left`], and
    /// made again.
    pub tried: bool,
}

/// The result of a function.
pub(crate) enum Reply<'a> {
    /// RETCODE.
    Done(i64),
    /// It was tried, and has to wait, or must not be tried.
    Left,
    /// It has to wait.
    Waits(Pin<Box<dyn Future<Output = Done<i64>> + 'a>>),
}

/// A function of the interface.
type Function = for<'a> fn(SocketCall<'a>) -> Done<Reply<'a>>;

/// Bytes of a function's name.
const NAME_LENGTH: usize = 16;

/// The values with which a function ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// With ERRNO and RETCODE.
    Errno,
    /// With RETCODE alone.
    Retcode,
    /// With nothing.
    Nothing,
}

/// The functions by their names, with the number of arguments between the name and ERRNO: the most used come first.
const FUNCTIONS: &[(&str, Function, usize, Ends)] = &[
    ("READ", transfer::read, 3, Ends::Errno),
    ("WRITE", transfer::write, 3, Ends::Errno),
    ("RECV", transfer::recv, 4, Ends::Errno),
    ("SEND", transfer::send, 4, Ends::Errno),
    ("TAKESOCKET", give::take_socket, 2, Ends::Errno),
    ("CLOSE", connection::close, 1, Ends::Errno),
    ("SELECT", select::select, 8, Ends::Errno),
    ("SELECTEX", select::select_ex, 9, Ends::Errno),
    ("ACCEPT", connection::accept, 2, Ends::Errno),
    ("CONNECT", connection::connect, 2, Ends::Errno),
    ("SOCKET", connection::socket, 3, Ends::Errno),
    ("BIND", connection::bind, 2, Ends::Errno),
    ("BIND2ADDRSEL", connection::bind_to_selected, 2, Ends::Errno),
    ("LISTEN", connection::listen, 2, Ends::Errno),
    ("SHUTDOWN", connection::shutdown, 2, Ends::Errno),
    ("GETPEERNAME", connection::get_peer_name, 2, Ends::Errno),
    ("GETSOCKNAME", connection::get_sock_name, 2, Ends::Errno),
    ("RECVFROM", transfer::recv_from, 5, Ends::Errno),
    ("SENDTO", transfer::send_to, 5, Ends::Errno),
    ("READV", vector::readv, 3, Ends::Errno),
    ("WRITEV", vector::writev, 3, Ends::Errno),
    ("RECVMSG", vector::recv_msg, 3, Ends::Errno),
    ("SENDMSG", vector::send_msg, 3, Ends::Errno),
    ("GIVESOCKET", give::give_socket, 2, Ends::Errno),
    ("GETCLIENTID", give::get_client_id, 1, Ends::Errno),
    ("FCNTL", control::fcntl, 3, Ends::Errno),
    ("IOCTL", control::ioctl, 4, Ends::Errno),
    ("GETSOCKOPT", options::get_sock_opt, 4, Ends::Errno),
    ("SETSOCKOPT", options::set_sock_opt, 4, Ends::Errno),
    ("GETHOSTNAME", session::get_host_name, 2, Ends::Errno),
    ("GETHOSTID", session::get_host_id, 0, Ends::Retcode),
    ("GETIBMOPT", session::get_ibm_opt, 2, Ends::Errno),
    ("INITAPI", session::init_api, 4, Ends::Errno),
    ("INITAPIX", session::init_api, 4, Ends::Errno),
    ("TERMAPI", session::term_api, 0, Ends::Nothing),
    ("CANCEL", session::cancel, 1, Ends::Errno),
    ("GETHOSTBYNAME", names::get_host_by_name, 3, Ends::Retcode),
    ("GETHOSTBYADDR", names::get_host_by_addr, 2, Ends::Retcode),
    ("GETADDRINFO", names::get_addr_info, 7, Ends::Errno),
    ("FREEADDRINFO", names::free_addr_info, 1, Ends::Errno),
    ("GETNAMEINFO", names::get_name_info, 7, Ends::Errno),
    ("INET6_IS_SRCADDR", names::inet6_is_src_addr, 1, Ends::Errno),
    ("NTOP", names::ntop, 4, Ends::Errno),
    ("PTON", names::pton, 4, Ends::Errno),
];

/// Their names as programs have them: filled up with blanks.
static NAMES: [[u8; NAME_LENGTH]; FUNCTIONS.len()] = {
    let mut names = [[b' '; NAME_LENGTH]; FUNCTIONS.len()];
    let mut place = 0;
    while place < names.len() {
        let name = FUNCTIONS[place].0.as_bytes();
        names[place].split_at_mut(name.len()).0.copy_from_slice(name);
        place += 1;
    }
    names
};

/// The function of a name; blanks before it do not matter.
fn function(name: &[u8; NAME_LENGTH]) -> Option<&'static (&'static str, Function, usize, Ends)> {
    match NAMES.iter().position(|known| known == name) {
        Some(place) => FUNCTIONS.get(place),
        None => FUNCTIONS.iter().find(|function| function.0.as_bytes() == name.trim_ascii()),
    }
}

/// Answers `CALL 'EZASOKET'`.
///
/// # Errors
/// The abend of the task: a bad address, too few parameters.
pub(crate) fn ezasoket<'a>(call: SocketCall<'a>) -> Result<Answered<'a>, Raise> {
    let arguments = call.arguments;
    // A literal may be shorter than the field that the interface asks for.
    let mut name = [b' '; NAME_LENGTH];
    arguments.first(0, &mut name).map_err(Raise::from)?;
    let Some((name, function, between, ends)) = function(&name) else {
        if call.task.may_write_line() {
            let name = String::from_utf8_lossy(name.trim_ascii());
            tracing::warn!(target: "SO", "task {}: EZASOKET has no function {}", call.task.number, escaped(&name));
        }
        arguments.finish(Err(Errno::BAD_CALL.into()))?;
        return Ok(Answered::Now(0));
    };
    let fewest = between
        + 1
        + match ends {
            Ends::Errno => 2,
            Ends::Retcode => 1,
            Ends::Nothing => 0,
        };
    if arguments.count() < fewest {
        if call.task.may_write_line() {
            tracing::error!(
                target: "SO",
                "task {}: EZASOKET {name} takes {fewest} parameters, and {} are there", call.task.number, arguments.count()
            );
        }
        return Err(Raise::abend("ASRA"));
    }
    let (tried, counts) = (call.tried, &call.shared.counts);
    let reply = match has_had_its_turn() {
        false => function(call),
        true if tried => Ok(Reply::Left),
        true => Ok(Reply::waits(after_others(call, *function))),
    };
    let done = |result| {
        counts.called();
        finish(arguments, *ends, result).map(|()| Answered::Now(0))
    };
    match reply {
        Ok(Reply::Done(retcode)) => done(Ok(retcode)),
        Ok(Reply::Left) => Ok(Answered::Left),
        Ok(Reply::Waits(_)) if tried => Ok(Answered::Left),
        Ok(Reply::Waits(answer)) => Ok(Answered::Waits(Box::pin(async move {
            counts.called();
            finish(arguments, *ends, answer.await)?;
            Ok(0)
        }))),
        Err(failure) => done(Err(failure)),
    }
}

/// A call of a task that has had the thread long enough: others that are ready go first.
async fn after_others<'a>(call: SocketCall<'a>, function: Function) -> Done<i64> {
    wait(call.task, WaitKind::SOCKET, tokio::task::yield_now()).await?;
    match function(call)? {
        Reply::Done(retcode) => Ok(retcode),
        Reply::Waits(answer) => answer.await,
        Reply::Left => Err(Raise::abend("ASRA").into()),
    }
}

fn finish(arguments: Arguments<'_>, ends: Ends, result: Done<i64>) -> Result<(), Raise> {
    match ends {
        Ends::Errno => arguments.finish(result),
        Ends::Retcode => arguments.finish_without_errno(result),
        Ends::Nothing => result.map(drop).map_err(Raise::from),
    }
}

impl<'a> Reply<'a> {
    fn waits(answer: impl Future<Output = Done<i64>> + 'a) -> Self {
        Self::Waits(Box::pin(answer))
    }
}

impl<'a> SocketCall<'a> {
    /// The task's sockets.
    pub fn sockets(&mut self) -> &mut TaskSockets {
        self.shared.sockets_of(self.task)
    }

    /// The socket that the first parameter names.
    fn entry(&mut self) -> Done<&mut TaskSocket> {
        let number = self.arguments.halfword(1)?;
        let entry = self.sockets().get(number)?;
        if entry.is_taken() { Err(Errno::BADF.into()) } else { Ok(entry) }
    }

    /// The socket that the first parameter names, for an operation of a direction.
    fn on(&mut self, direction: Direction) -> Done<On> {
        let entry = self.entry()?;
        let timeout = match direction {
            Direction::Read => entry.receive_timeout,
            Direction::Write => entry.send_timeout,
        };
        let (socket, stream) = (Arc::clone(&entry.socket), entry.stream);
        Ok(On { socket, direction, stream, nonblocking: entry.nonblocking, timeout })
    }

    /// Performs an operation on a socket, at once if it can be done, and ends the call with its result.
    fn perform<T: Drained + 'a>(
        mut self,
        on: On,
        kind: WaitKind,
        mut operation: impl FnMut(BorrowedFd<'_>) -> Result<T, System> + 'a,
        end: impl FnOnce(&mut Self, T) -> Done<i64> + 'a,
    ) -> Done<Reply<'a>> {
        match on.socket.attempt(on.direction, &mut operation) {
            Some(result) => Ok(Reply::Done(end(&mut self, result?)?)),
            None if on.nonblocking => Err(Errno::WOULDBLOCK.into()),
            None if self.tried => Ok(Reply::Left),
            None => Ok(Reply::waits(async move {
                let mut timer = on.timeout.map(|time| self.sockets().timer(time));
                let result = {
                    let performed = pin!(perform(self.task, &on.socket, on.direction, kind, operation));
                    match &mut timer {
                        None => Some(performed.await),
                        Some(timer) => timer.limit(performed).await,
                    }
                };
                if timer.is_some() {
                    self.sockets().timer = timer;
                }
                let value = result.ok_or(Errno::WOULDBLOCK)??;
                end(&mut self, value)
            })),
        }
    }
}

/// A socket, and the operation that is about to be done with it.
pub(crate) struct On {
    socket: Arc<Socket>,
    direction: Direction,
    /// True if it carries a stream, false if datagrams.
    stream: bool,
    /// True if the call fails where it would wait.
    nonblocking: bool,
    /// The longest time that it waits; `None`: no limit.
    timeout: Option<Duration>,
}

/// Waits until something can be done with a socket, and does it.
pub(crate) async fn perform<T: Drained>(
    task: &Task,
    socket: &Socket,
    direction: Direction,
    kind: WaitKind,
    mut operation: impl FnMut(BorrowedFd<'_>) -> Result<T, System>,
) -> Done<T> {
    loop {
        let registration = socket.registered(direction)?;
        wait(task, kind, registration.news(direction)).await??;
        if let Some(result) = socket.attempt(direction, &mut operation) {
            return Ok(result?);
        }
    }
}

/// Waits for an event; a purge, or the transaction's DTIMOUT, ends the task.
pub(crate) async fn wait<F: Future>(task: &Task, kind: WaitKind, event: F) -> Done<F::Output> {
    match task.transaction.deadlock_timeout_s {
        0 => Ok(task.wait(kind, event).await?),
        seconds => {
            // Few transactions have it: a wait without a limit keeps nothing of it.
            let limited = Box::pin(tokio::time::timeout(Duration::from_secs(seconds.into()), event));
            Ok(task.wait(kind, limited).await?.map_err(|_| Raise::abend(TIMED_OUT))?)
        }
    }
}

/// The abend of a task that DTIMOUT ends.
const TIMED_OUT: &str = "AKCS";
