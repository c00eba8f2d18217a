//! The task of a supplied program: commands, and programs that it LINKs to and that come back.

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use areas::Area;
use spec::{cmd, cond, opt};

use super::links::link;
use super::stay::Stay;
use crate::channels::Channel;
use crate::exec::{self, Call, Content, Flow, Link, Parcel};
use crate::name::Name8;
use crate::programs::{LoadError, Programs};
use crate::raise::{Abend, Outcome, Raise, RaiseCondition};
use crate::storage::{self, StorageAddress, Window};
use crate::task::{Commarea, Task};

/// A supplied program's task, on the TCB where the program runs: it is used as the task.
///
/// A LINK takes the task away until the other program has come back, so that its future is to be awaited to its end: a
/// program that drops it ends its task as one of ours that has failed.
pub struct Context<'a> {
    stay: &'a Stay<'a>,
    /// None while a program runs below.
    task: Option<Box<Task>>,
}

/// Message of a program that lets go of a LINK.
const GONE: &str = "a supplied program has let go of its LINK";

impl<'a> Context<'a> {
    pub(super) fn new(stay: &'a Stay<'a>, task: Box<Task>) -> Self {
        Self { stay, task: Some(task) }
    }

    /// The task, which goes on without the program.
    pub(super) fn into_task(self) -> Box<Task> {
        self.task.expect(GONE)
    }

    /// The task.
    pub fn task(&mut self) -> &mut Task {
        self.task.as_mut().expect(GONE)
    }

    /// LINKs to a program and goes on when it has come back: what it leaves in its COMMAREA is in the area then. It belongs
    /// to the task's unit of work.
    ///
    /// # Errors
    /// Its abend, which does not end the task; or that of a program that cannot be used.
    pub async fn link(
        &mut self,
        program: Name8,
        commarea: Option<&Area>,
        channel: Option<Arc<Channel>>,
    ) -> Result<(), Abend> {
        self.try_link(program, commarea, channel).await?.map_err(Abend::from)
    }

    /// The same, with the condition of a LINK to a program that cannot be used apart from the abend of one that has run.
    ///
    /// # Errors
    /// The program's abend; inside, the condition of the LINK.
    pub async fn try_link(
        &mut self,
        program: Name8,
        commarea: Option<&Area>,
        channel: Option<Arc<Channel>>,
    ) -> Result<Outcome, Abend> {
        let found = match Programs::of(&self.region).usable(program) {
            Ok(program) if !program.dynamic => program,
            // Another region may have it: the command finds out.
            Ok(_) | Err(LoadError::Remote | LoadError::NotDefined) => {
                return self.link_by_command(program, commarea, channel).await;
            }
            Err(why) => return Ok(Err(Raise::from(why))),
        };
        let lent = |area: &Area| Commarea::lent(area, area.len());
        self.below(Link { program: found, commarea: commarea.map(lent), channel, input_message: None }).await
    }

    /// LINKs by EXEC CICS LINK, which has a program of another region run there.
    async fn link_by_command(
        &mut self,
        program: Name8,
        commarea: Option<&Area>,
        channel: Option<Arc<Channel>>,
    ) -> Result<Outcome, Abend> {
        let Some(parcel) = link_parcel(program, commarea, channel.as_deref()) else {
            return Ok(Err(Raise::from(LoadError::NotDefined)));
        };
        // The command finds the channel by its name, before any other one of that name.
        let own = std::mem::replace(&mut self.task().level_mut().channel, channel);
        let flow = self.issue(&parcel).await;
        self.task().level_mut().channel = own;
        flow?;
        if let (Some(area), Some(Content::Bytes(bytes))) = (commarea, parcel.content(opt::COMMAREA)) {
            let own = Commarea::lent(area, area.len());
            storage::write(own.address(), &bytes[..bytes.len().min(own.length())])
                .map_err(|fault| Abend::from(Raise::from(fault)))?;
        }
        let (condition, resp2) = parcel.response().unwrap_or((cond::NORMAL, 0));
        Ok(if condition == cond::NORMAL { Ok(()) } else { Err(condition.raise(resp2)) })
    }

    /// Has a command answered: what it gives, RESP and RESP2 are in the parcel then. A LINK goes to the program and back.
    /// With another [`Flow`] than `On` the command has passed control: the program goes on by returning it.
    ///
    /// # Errors
    /// The abend of a command that ends its task, or of a program that it has LINKed to.
    pub async fn issue(&mut self, parcel: &Parcel) -> Result<Flow, Abend> {
        let mut to = match exec::issue(self, parcel).await? {
            Flow::Link(to) => to,
            flow => return Ok(flow),
        };
        // The parcel's bytes belong to no program's storage: the program gets an area of its own for them.
        let area = parcel.content(opt::COMMAREA).zip(to.commarea.as_ref()).and_then(|(content, passed)| {
            let Content::Bytes(bytes) = content else { return None };
            let length = passed.length().min(bytes.len());
            (length > 0).then(|| Area::with(&bytes[..length]))
        });
        if let Some(area) = &area {
            to.commarea = Some(Commarea::lent(area, area.len()));
        }
        let outcome = self.below(to).await?;
        if let Some(area) = area {
            let mut left = vec![0; area.len()];
            area.read(0, &mut left);
            parcel.left_in(opt::COMMAREA, &left);
        }
        if let Some(call) = Call::over(parcel) {
            exec::came_back(self, &call, outcome).await?;
        }
        Ok(Flow::On)
    }

    /// The program's COMMAREA; `None` if it was given none.
    ///
    /// # Errors
    /// ASRA where its caller has given an address that is not the task's.
    pub fn commarea(&self) -> Outcome<Option<Vec<u8>>> {
        let Some(commarea) = &self.level().commarea else { return Ok(None) };
        let mut bytes = vec![0; commarea.length()];
        storage::read(commarea.address(), &mut bytes)?;
        Ok(Some(bytes))
    }

    /// So many bytes of one storage element, from where a program's pointer points.
    ///
    /// # Errors
    /// ASRA where that is no storage, or less of it.
    pub fn bytes_at(&self, address: StorageAddress, length: usize) -> Outcome<Vec<u8>> {
        if let Some(pointer) = address.in_window() {
            return self.bytes_in_window(pointer, length).ok_or_else(|| Raise::abend("ASRA"));
        }
        if !storage::is_whole(address, length) {
            return Err(Raise::abend("ASRA"));
        }
        let mut bytes = vec![0; length];
        storage::read(address, &mut bytes)?;
        Ok(bytes)
    }

    /// Bytes at the pointer of a program; `None` if they are not the task's.
    pub fn bytes_in_window(&self, pointer: u32, length: usize) -> Option<Vec<u8>> {
        let window = self.window.as_ref()?;
        window.read(pointer, length).map(Cow::into_owned)
    }

    /// Returns true if a program is COBOL: it sees its task's window, and pointers have four bytes there.
    pub fn is_cobol(&self, program: Name8) -> bool {
        Programs::of(&self.region).usable(program).is_ok_and(|program| program.is_cobol())
    }

    /// The pointer by which programs find storage of the task: it lies in the task's window from now on.
    ///
    /// # Errors
    /// ASRA if it is no storage of the task, or the window has no room.
    pub fn own_pointer(&mut self, address: StorageAddress) -> Outcome<u32> {
        let task = self.task();
        let mut window = task.window.take().unwrap_or_else(|| Box::new(Window::sharing(&task.region.arena)));
        let found = window.address_of(address, &task.owners());
        task.window = Some(window);
        found.ok().flatten().ok_or_else(|| Raise::abend("ASRA"))
    }

    /// Puts bytes at the start of the program's COMMAREA, as many as it has.
    ///
    /// # Errors
    /// As [`Self::commarea`].
    pub fn set_commarea(&mut self, bytes: &[u8]) -> Outcome {
        let Some(commarea) = &self.level().commarea else { return Ok(()) };
        let bytes = &bytes[..bytes.len().min(commarea.length())];
        Ok(storage::write(commarea.address(), bytes)?)
    }

    /// Runs a program one level down. The outer error is its abend, the inner outcome that of its LINK.
    async fn below(&mut self, to: Link) -> Result<Outcome, Abend> {
        let task = self.task.take().expect(GONE);
        let (task, outcome) = link(self.stay, task, to).await;
        self.task = Some(task);
        outcome
    }
}

/// A LINK as a command; `None`: one of its parts does not fit.
fn link_parcel(program: Name8, commarea: Option<&Area>, channel: Option<&Channel>) -> Option<Parcel> {
    let mut parcel = Parcel::new(cmd::LINK);
    parcel.give(opt::PROGRAM, Content::Bytes(program.trimmed().to_vec())).ok()?;
    if let Some(area) = commarea {
        let mut bytes = vec![0; area.len()];
        area.read(0, &mut bytes);
        parcel.give(opt::LENGTH, Content::Number(i64::try_from(bytes.len()).ok()?)).ok()?;
        parcel.give(opt::COMMAREA, Content::Bytes(bytes)).ok()?;
    }
    if let Some(channel) = channel {
        parcel.give(opt::CHANNEL, Content::Bytes(channel.name.as_bytes().to_vec())).ok()?;
    }
    Some(parcel)
}

impl Deref for Context<'_> {
    type Target = Task;

    fn deref(&self) -> &Task {
        self.task.as_ref().expect(GONE)
    }
}

impl DerefMut for Context<'_> {
    fn deref_mut(&mut self) -> &mut Task {
        self.task()
    }
}
