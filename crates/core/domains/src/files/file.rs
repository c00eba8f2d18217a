//! A file and its states.
//!
//! ```text
//!                 enable                      open, first use
//!   DISABLED ◄──────────────► ENABLED   CLOSED ──────────────► OPEN
//!      ▲        disable          │         ▲                     │ close
//!      └────── UNENABLED ◄───────┘         └── CLOSING ◄─────────┘
//!                        close                 while tasks use it
//! ```
//!
//! A task *uses* a file while it browses it, holds a record of it for update, or has changed a recoverable record of it
//! in its unit of work. Closing and disabling keep new users away at once, and are complete when the last user has gone.

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use spec::{CommandId, cmd, cond};
use tokio::sync::Notify;
use vsam::{Dataset, Integrity};

use super::attributes::{Access, Attributes, EnableStatus, FileDefinition, Mode, RemoteFile};
use super::edition::Edition;
use super::resp2;
use super::tables::Opened;
use kernel::meters::ResourceRequests;
use kernel::name::Name8;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::TaskControl;

/// The open status of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenStatus {
    /// It is.
    Open,
    /// It is not.
    Closed,
    /// It will not be when its users have gone.
    Closing,
}

/// The reason why an attribute cannot be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotChanged {
    /// The file is not closed.
    Open,
    /// It is neither disabled nor unenabled.
    Enabled,
}

/// The commands that statistics count by file.
const COUNTED: [CommandId; 10] = [
    cmd::READ,
    cmd::WRITE,
    cmd::REWRITE,
    cmd::DELETE,
    cmd::UNLOCK,
    cmd::STARTBR,
    cmd::READNEXT,
    cmd::READPREV,
    cmd::RESETBR,
    cmd::ENDBR,
];

/// A file.
pub struct File {
    /// Its name.
    pub name: Name8,
    /// The requests of programs so far.
    pub requests: ResourceRequests,
    /// OPENTIME(STARTUP).
    pub open_at_startup: bool,
    /// Its place in another system, if it is remote: no task can use it from here.
    pub remote: Option<RemoteFile>,
    state: Mutex<State>,
    /// The last user has gone.
    unused: Notify,
}

struct State {
    /// The edition of the region's files: another one after every change of this one.
    edition: Arc<Edition>,
    attributes: Attributes,
    enable: EnableStatus,
    open: Option<Arc<Opened>>,
    closing: bool,
    /// The tasks that use it, by their numbers.
    users: Vec<(u32, Arc<TaskControl>)>,
}

impl State {
    fn close(&mut self) {
        self.closing = self.open.is_some();
        self.settle();
    }

    /// Completes a close that was waiting for users.
    fn settle(&mut self) {
        if self.closing && self.users.is_empty() {
            self.closing = false;
            // Threads may know it from their last command; they look again when they see that something has changed.
            if let Some(opened) = self.open.take() {
                opened.dataset.close();
            }
            self.say();
        }
    }

    /// Says that a command finds the file otherwise from now on.
    fn say(&self) {
        self.edition.ends();
    }

    fn view(&self, opened: &Arc<Opened>) -> View {
        let Attributes { access, mode, .. } = self.attributes;
        View { opened: Arc::clone(opened), access, mode }
    }
}

/// A file as a command finds it.
#[derive(Clone)]
pub(super) struct View {
    /// Its data set, or table.
    pub opened: Arc<Opened>,
    /// The requests that programs may make.
    pub access: Access,
    /// The mode of requests.
    pub mode: Mode,
}

impl File {
    pub(super) fn new(definition: FileDefinition, edition: &Arc<Edition>) -> Self {
        let state = State {
            edition: Arc::clone(edition),
            attributes: definition.attributes,
            enable: definition.status,
            open: None,
            closing: false,
            users: Vec::new(),
        };
        let FileDefinition { name, open_at_startup, remote, .. } = definition;
        Self {
            name,
            requests: ResourceRequests::new(&COUNTED),
            open_at_startup,
            remote,
            state: Mutex::new(state),
            unused: Notify::new(),
        }
    }

    /// The state, to be changed.
    fn changing(&self) -> MutexGuard<'_, State> {
        let state = self.state.lock();
        state.say();
        state
    }

    /// Something of its attributes.
    pub fn attribute<T>(&self, pick: impl FnOnce(&Attributes) -> T) -> T {
        pick(&self.state.lock().attributes)
    }

    /// SET FILE: changes attributes, which takes a file that is closed and not enabled.
    ///
    /// # Errors
    /// The reason why it cannot be done now.
    pub fn change(&self, change: impl FnOnce(&mut Attributes)) -> Result<(), NotChanged> {
        let mut state = self.changing();
        if state.open.is_some() {
            return Err(NotChanged::Open);
        }
        if state.enable == EnableStatus::Enabled {
            return Err(NotChanged::Enabled);
        }
        change(&mut state.attributes);
        Ok(())
    }

    /// Returns true if reads that say nothing of integrity take no lock and wait for none. Of a file of another system it is not known.
    pub fn is_read_freely(&self) -> bool {
        let is_free = |mode: &Mode| !mode.rls || mode.integrity == Integrity::Uncommitted;
        self.remote.is_none() && self.attribute(|attributes| is_free(&attributes.mode))
    }

    /// The data set's name.
    pub fn dataset_name(&self) -> String {
        self.attribute(|attributes| attributes.dataset.clone())
    }

    /// Returns its enable status; and true if tasks still use it that began before it was disabled.
    pub fn enable_status(&self) -> (EnableStatus, bool) {
        let state = self.state.lock();
        (state.enable, state.enable != EnableStatus::Enabled && !state.users.is_empty())
    }

    /// Returns its open status.
    pub fn open_status(&self) -> OpenStatus {
        let state = self.state.lock();
        match &state.open {
            None => OpenStatus::Closed,
            Some(_) if state.closing => OpenStatus::Closing,
            Some(_) => OpenStatus::Open,
        }
    }

    /// The open data set.
    pub fn opened(&self) -> Option<Arc<Dataset>> {
        self.state.lock().open.as_ref().map(|opened| Arc::clone(&opened.dataset))
    }

    /// SET FILE ENABLED.
    pub fn enable(&self) {
        let mut state = self.changing();
        state.enable = EnableStatus::Enabled;
        state.closing = false;
    }

    /// A warm restart sets again what was set before it. No task uses the file yet.
    pub(crate) fn restore(&self, enable: EnableStatus, change: impl FnOnce(&mut Attributes)) {
        let mut state = self.changing();
        state.enable = enable;
        change(&mut state.attributes);
    }

    /// SET FILE DISABLED: no task begins to use it any more.
    pub fn disable(&self) {
        self.changing().enable = EnableStatus::Disabled;
    }

    /// SET FILE CLOSED: no task begins to use it any more, and it is closed when no task uses it.
    pub fn close(&self) {
        let mut state = self.changing();
        if state.enable == EnableStatus::Enabled {
            state.enable = EnableStatus::Unenabled;
        }
        state.close();
    }

    /// SET DSNAME QUIESCED: the same, but its next use may open it again.
    pub fn close_for_now(&self) {
        self.changing().close();
    }

    /// Returns its data set or table if it is open, and stops a pending close.
    pub(super) fn reopened(&self) -> Option<Arc<Opened>> {
        let opened = self.state.lock().open.clone();
        opened.map(|opened| self.set_open(opened))
    }

    /// It is open from now on.
    pub(super) fn set_open(&self, opened: Arc<Opened>) -> Arc<Opened> {
        let mut state = self.changing();
        state.closing = false;
        if state.enable == EnableStatus::Unenabled {
            state.enable = EnableStatus::Enabled;
        }
        Arc::clone(state.open.get_or_insert(opened))
    }

    /// EMPTYREQ has been done.
    pub(super) fn set_emptied(&self) {
        self.state.lock().attributes.empty_required = false;
    }

    /// The file for a command, if that needs no waiting: `None` where it must be opened first.
    ///
    /// # Errors
    /// DISABLED, NOTOPEN.
    pub(super) fn view(&self) -> Outcome<Option<View>> {
        let state = self.state.lock();
        match (state.enable, &state.open) {
            (EnableStatus::Disabled, _) => Err(cond::DISABLED.raise(resp2::DISABLED)),
            (EnableStatus::Unenabled, _) => Err(cond::NOTOPEN.raise(resp2::NOT_OPEN)),
            (EnableStatus::Enabled, _) if state.closing => Err(cond::NOTOPEN.raise(resp2::NOT_OPEN)),
            (EnableStatus::Enabled, None) => Ok(None),
            (EnableStatus::Enabled, Some(opened)) => Ok(Some(state.view(opened))),
        }
    }

    /// The same for a task that uses the file already: it goes on whatever the file's state.
    pub(super) fn view_in_use(&self, opened: &Arc<Opened>) -> View {
        self.state.lock().view(opened)
    }

    /// A task begins to use it.
    pub(super) fn begin_use(self: &Arc<Self>, opened: &Arc<Opened>, task: &Arc<TaskControl>) -> FileUse {
        self.state.lock().users.push((task.number, Arc::clone(task)));
        let (file, opened) = (Arc::clone(self), Arc::clone(opened));
        FileUse { file, opened, task: task.number, changed: false }
    }

    /// Returns true if a task uses it.
    pub fn is_used_by(&self, task: u32) -> bool {
        self.state.lock().users.iter().any(|(user, _)| *user == task)
    }

    /// Ends the tasks that use it.
    pub fn purge_users(&self) {
        let users = self.state.lock().users.clone();
        users.iter().for_each(|(_, user)| user.purge());
    }

    /// Waits until no task uses it.
    pub async fn until_unused(&self) {
        loop {
            let unused = self.unused.notified();
            tokio::pin!(unused);
            // From here on the last user's going is not missed.
            unused.as_mut().enable();
            if self.state.lock().users.is_empty() {
                return;
            }
            unused.await;
        }
    }
}

/// That a task uses a file; over when dropped.
pub(super) struct FileUse {
    pub file: Arc<File>,
    pub opened: Arc<Opened>,
    task: u32,
    /// The unit of work has changed recoverable records of it.
    pub changed: bool,
}

impl Drop for FileUse {
    fn drop(&mut self) {
        let mut state = self.file.state.lock();
        if let Some(at) = state.users.iter().position(|(user, _)| *user == self.task) {
            state.users.swap_remove(at);
        }
        state.settle();
        let unused = state.users.is_empty();
        drop(state);
        if unused {
            self.file.unused.notify_waiters();
        }
    }
}
