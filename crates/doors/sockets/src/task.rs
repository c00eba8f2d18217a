//! The sockets of one task: a number for each, from 0, the lowest free one first.

use std::sync::Arc;
use std::time::Duration;

use kernel::name::Name8;
use kernel::task::TaskPart;
use smallvec::SmallVec;

use crate::address::Family;
use crate::errno::Errno;
use crate::handover::{Gift, Handover};
use crate::limits::TASK_SOCKETS_MAX;
use crate::resolver::Resolved;
use crate::socket::Socket;
use crate::timer::Timer;

/// A socket as its task sees it.
pub struct TaskSocket {
    /// The socket.
    pub socket: Arc<Socket>,
    /// Its family.
    pub family: Family,
    /// True if it carries a stream, false if datagrams.
    pub stream: bool,
    /// True if its calls fail where they would wait.
    pub nonblocking: bool,
    /// The time that a receive waits: SO-RCVTIMEO.
    pub receive_timeout: Option<Duration>,
    /// The time that a send waits: SO-SNDTIMEO.
    pub send_timeout: Option<Duration>,
    /// SO-LINGER with a time. The system does not know it: it would hold the thread, and with it all tasks there, until the bytes have
    /// gone or the time is over. It sends them all the same behind a close.
    pub linger: Option<Duration>,
    /// The gift that GIVESOCKET has made of it.
    pub gift: Option<Arc<Gift>>,
}

impl TaskSocket {
    /// A socket that waits where it must.
    pub fn new(socket: Arc<Socket>, family: Family, stream: bool) -> Self {
        Self {
            socket,
            family,
            stream,
            nonblocking: false,
            receive_timeout: None,
            send_timeout: None,
            linger: None,
            gift: None,
        }
    }

    /// Returns true if it was given and taken: its task may only close it.
    pub fn is_taken(&self) -> bool {
        self.gift.as_ref().is_some_and(|gift| gift.is_taken())
    }
}

impl TaskPart for TaskSockets {}

/// The sockets of a task; they are closed when it ends.
pub struct TaskSockets {
    /// Most tasks have one.
    entries: SmallVec<[Option<TaskSocket>; 1]>,
    /// Most sockets: MAXSOC.
    pub sockets_max: usize,
    /// The task's identifier in a CLIENTID.
    pub id: Name8,
    /// The resolver's answers.
    pub resolved: Resolved,
    /// The timer of the last call that had to wait.
    pub timer: Option<Timer>,
    handover: Arc<Handover>,
}

impl TaskSockets {
    /// No sockets yet.
    pub fn new(id: Name8, handover: Arc<Handover>) -> Self {
        Self {
            entries: SmallVec::new(),
            sockets_max: TASK_SOCKETS_MAX,
            id,
            resolved: Resolved::default(),
            timer: None,
            handover,
        }
    }

    /// A timer for a call that waits this long.
    pub fn timer(&mut self, time: Duration) -> Timer {
        match self.timer.take() {
            Some(timer) if timer.is_here() => timer.set(time),
            _ => Timer::new(time),
        }
    }

    /// The number that the next socket gets.
    ///
    /// # Errors
    /// EMFILE if the task has as many as it may.
    fn free_place(&self) -> Result<usize, Errno> {
        let place = self.entries.iter().position(Option::is_none).unwrap_or(self.entries.len());
        if place < self.sockets_max { Ok(place) } else { Err(Errno::MFILE) }
    }

    /// Makes sure that there is a number for another socket.
    ///
    /// # Errors
    /// EMFILE if the task has as many as it may.
    pub fn has_room(&self) -> Result<(), Errno> {
        self.free_place().map(drop)
    }

    /// A new number for a socket.
    ///
    /// # Errors
    /// EMFILE if the task has as many as it may.
    pub fn add(&mut self, entry: TaskSocket) -> Result<u16, Errno> {
        let place = self.free_place()?;
        if place == self.entries.len() {
            self.entries.push(None);
        }
        self.entries[place] = Some(entry);
        Ok(place as u16)
    }

    /// The socket of a number.
    ///
    /// # Errors
    /// EBADF if there is no such socket.
    pub fn get(&mut self, number: u16) -> Result<&mut TaskSocket, Errno> {
        self.entries.get_mut(usize::from(number)).and_then(Option::as_mut).ok_or(Errno::BADF)
    }

    /// CLOSE: a gift that is not taken is withdrawn.
    ///
    /// # Errors
    /// EBADF if there is no such socket.
    pub fn close(&mut self, number: u16) -> Result<(), Errno> {
        let place = self.entries.get_mut(usize::from(number)).ok_or(Errno::BADF)?;
        let entry = place.take().ok_or(Errno::BADF)?;
        if let Some(gift) = &entry.gift {
            self.handover.withdraw(self.id, number, gift);
        }
        Ok(())
    }

    /// Closes all.
    pub fn close_all(&mut self) {
        for number in 0..self.entries.len() {
            // Numbers without a socket are not closed twice.
            let _ = self.close(number as u16);
        }
        self.entries.clear();
    }
}

impl Drop for TaskSockets {
    fn drop(&mut self) {
        self.close_all();
    }
}
