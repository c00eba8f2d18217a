//! A context switch: handlers, or programs of headers, have named another transaction or another user, and the program of the
//! service runs in a task of its own.
//!
//! ```text
//! pipeline's task ─ begins ─► second task
//!                 ─ errand ─► runs the program
//!                 ◄─ left ──  and waits
//!  writes the answer
//!                 ─ verdict ► commits, or backs out
//! ```
//!
//! The unit of work of the program is that of the second task. Out of scope: who wants a switch.

use std::sync::Arc;

use areas::Area;
use domains::children::{Child, Ending};
use kernel::channels::{Channel, DataType};
use kernel::dispatcher::{self, Attach, AttachError, Context, Dispatcher, SuppliedWaiting};
use kernel::exec::{Flow, Parcel};
use kernel::meters::Figure;
use kernel::name::{Name8, Name16};
use kernel::notices::Notices;
use kernel::programs::{Program, Programs as Installed};
use kernel::raise::{Abend, Raise};
use kernel::region::Region;
use kernel::security::{User, Users};
use kernel::task::{Chain, Facility, Origin, StartCode, TaskPart};
use kernel::transactions::Transactions;
use kernel::waits::{BroughtKind, Row, WaitsFor};
use parking_lot::Mutex;
use soap::SoapFault;
use spec::cmd;
use tokio::sync::oneshot::{self, Receiver, Sender};

use crate::programs::{Answered, Errand, Left, Listening, Programs, Switch};

/// The program that a second task begins with, by the published name of what stands at a pipeline's end. The program of its
/// transaction is not asked for.
const PROGRAM: &str = "DFHPITP";
/// The abend of a task that is purged while it waits for the other.
const PURGED: &str = "AKCS";

/// The other task, while one of the two waits for it.
pub(crate) static OTHER: BroughtKind = BroughtKind::new(Row {
    name: "pipeline",
    resource_type: "PIIS",
    purge_abend: PURGED,
    waits_for: WaitsFor::Others,
});

/// Installs the program of second tasks.
pub(crate) fn install(region: &Region) {
    Installed::of(region).install(Program::supplied(Name8::from(PROGRAM), serves));
}

/// A second task, as its pipeline's task has it.
pub struct Second {
    task: u32,
    child: Arc<Child>,
    errand: Option<Sender<Errand>>,
    left: Receiver<Left>,
    verdict: Sender<bool>,
}

/// A second task's part of its pipeline's state.
struct First(Mutex<Option<Ends>>);

/// Its ends of what the two say to each other.
struct Ends {
    errand: Receiver<Errand>,
    left: Sender<Left>,
    verdict: Receiver<bool>,
}

impl TaskPart for First {}

/// Begins a second task.
///
/// # Errors
/// The reason why there is none, in words for the client.
pub(crate) fn begin(context: &mut Context<'_>, to: &Switch) -> Result<Second, String> {
    let refused = |why: &str| {
        let Switch { transaction, user } = to;
        tracing::warn!(target: "PI", "a service does not run as {user} in {transaction}: {why}");
        format!("the service cannot be run as its pipeline wants: {why}")
    };
    let region = Arc::clone(&context.region);
    let user = user(context, to.user).ok_or_else(|| refused("the user is not known"))?;
    let known = Transactions::of(&region).started_by(to.transaction);
    known.ok_or_else(|| refused("the transaction is not known"))?;
    let child = Child::of_the_region();
    let ((errand, its_errand), (its_left, left), (verdict, its_verdict)) =
        (oneshot::channel(), oneshot::channel(), oneshot::channel());
    let ends = Ends { errand: its_errand, left: its_left, verdict: its_verdict };
    let mut attach = Attach::new(to.transaction, StartCode::System, user);
    attach.program = Some(Name8::from(PROGRAM));
    attach.asks = true;
    attach.origin = Origin::from_task(context);
    attach.kept.put(child.family());
    attach.kept.put(First(Mutex::new(Some(ends))));
    Chain::hand_on(context, &mut attach.kept);
    let task = dispatcher::attach(&region, attach).map_err(|why| refused(unattached(why)))?;
    Ok(Second { task, child, errand: Some(errand), left, verdict })
}

fn user(context: &Context<'_>, id: Name8) -> Option<Arc<User>> {
    if id == context.user.id {
        return Some(Arc::clone(&context.user));
    }
    Users::of(&context.region).file.user(&id.to_string()).map(Arc::new)
}

fn unattached(why: AttachError) -> &'static str {
    match why {
        AttachError::NotAuthorized => "the transaction is not for this user",
        AttachError::Disabled => "the transaction is disabled",
        AttachError::Closing => "the region ends",
        AttachError::QueueFull => "too many tasks of its class wait already",
        AttachError::Unknown | AttachError::Remote | AttachError::TerminalBusy => {
            "it has no transaction here"
        }
    }
}

/// Has the second task run a program, and waits for what that leaves.
///
/// # Errors
/// The program's abend, or that of a task that was purged: then the other is, too.
pub(crate) async fn run(
    context: &mut Context<'_>,
    second: &mut Second,
    errand: Errand,
) -> Result<Left, Abend> {
    if let Some(sender) = second.errand.take() {
        // A task that has ended says why by its end.
        let _ = sender.send(errand);
    }
    let (child, left) = (Arc::clone(&second.child), &mut second.left);
    let left = waits(context, second.task, async { left.await.ok() }).await?;
    match left {
        Some(left) => Ok(left),
        None => Err(ended(&waits(context, second.task, child.end()).await?).unwrap_or_else(lost)),
    }
}

/// Has the second task commit, or back out, and waits for its end.
///
/// # Errors
/// Its abend, or that of a task that was purged.
pub(crate) async fn end(context: &mut Context<'_>, second: Second, is_well: bool) -> Result<(), Abend> {
    let Second { task, child, errand, left, verdict } = second;
    // A second task without an errand waits for one: the dropped ends tell it that none comes, and that no result is heard.
    drop((errand, left));
    let _ = verdict.send(is_well);
    ended(&waits(context, task, child.end()).await?).map_or(Ok(()), Err)
}

fn ended(ending: &Ending) -> Option<Abend> {
    match ending {
        Ending::Normal => None,
        Ending::Abend(code) => Some(Abend::from(*code)),
    }
}

/// The abend of a second task that has ended without a verdict: a program has ended it by RETURN where none may.
fn lost() -> Abend {
    Abend::from(kernel::raise::AbendCode::from(PURGED))
}

/// Waits for the other task, which does not outlive a purge of this one.
async fn waits<F: Future>(context: &mut Context<'_>, other: u32, event: F) -> Result<F::Output, Abend> {
    let waited = context.control.wait(OTHER.kind(), event).await;
    waited.map_err(|raise| {
        if let Some(control) = Dispatcher::of(&context.region).task(other) {
            control.purge();
        }
        Abend::from(raise)
    })
}

/// DFHPITP: runs the program of a service in a task of its own.
fn serves<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let ends = context.task().kept.get::<First>().and_then(|first| first.0.lock().take());
        // A user or a program has started it, without an errand.
        let Some(Ends { errand, left, verdict }) = ends else { return Ok(Flow::Return) };
        let control = Arc::clone(&context.control);
        let Ok(errand) = control.wait(OTHER.kind(), errand).await? else { return Ok(Flow::Return) };
        let done = match work(context, errand).await {
            Ok(done) => done,
            Err(abend) => return Ok(Flow::Abend(abend)),
        };
        let is_heard = left.send(done).is_ok();
        // A pipeline's task that has gone says nothing: its client hears of no change.
        let is_well = is_heard && control.wait(OTHER.kind(), verdict).await?.unwrap_or(false);
        if !is_well {
            let issued = context.issue(&Parcel::new(cmd::SYNCPOINT_ROLLBACK)).await;
            issued.map_err(|abend| Raise::Abend(abend.code))?;
        }
        Ok(Flow::Return)
    })
}

async fn work(context: &mut Context<'_>, errand: Errand) -> Result<Left, Abend> {
    let Errand { program, mut commarea, channel, listening } = errand;
    if let Some(commarea) = &mut commarea {
        context.with_commarea(program, commarea).await?;
    }
    let mut fault = None;
    if let Some(channel) = &channel {
        context.listen_for_faults(listening);
        let outcome = context.with_channel(program, channel).await;
        fault = context.listen_for_faults(None);
        outcome?;
    }
    Ok(Left { commarea, fault })
}

impl Programs for Context<'_> {
    type Second = Second;

    async fn with_commarea(&mut self, program: Name8, commarea: &mut Vec<u8>) -> Result<(), Abend> {
        let area = Area::with(commarea);
        self.link(program, Some(&area), None).await?;
        area.read(0, commarea);
        Ok(())
    }

    async fn with_channel(&mut self, program: Name8, channel: &Arc<Channel>) -> Result<(), Abend> {
        self.link(program, None, Some(Arc::clone(channel))).await
    }

    fn has_operation(&mut self, name: &str) {
        if let Facility::Request(request) = &self.control.facility {
            request.has_operation(name);
        }
    }

    fn has_refused(&mut self, number: u16, text: &str) {
        let id = format!("DFHPI{number:04}");
        Notices::message(&self.region, Some(&self.control), &id, &[&self.transaction.name, &text]);
    }

    fn has_answered(&mut self, is_json: bool, (came, went): (usize, usize)) {
        let figures = match is_json {
            true => [Figure::JsonRequestBytes, Figure::JsonReplyBytes],
            false => [Figure::SoapRequestBytes, Figure::SoapReplyBytes],
        };
        self.adds(figures[0], came);
        self.adds(figures[1], went);
    }

    async fn put(
        &mut self,
        channel: &Channel,
        name: Name16,
        bytes: Vec<u8>,
        data_type: DataType,
    ) -> Result<(), Abend> {
        self.task().put_container(channel, name, bytes, data_type).await.map_err(Abend::from)
    }

    fn listen_for_faults(&mut self, from: Option<Listening>) -> Option<SoapFault> {
        let answered = &mut self.task().kept.part::<Answered>().0;
        std::mem::replace(answered, from).and_then(|before| before.fault)
    }

    fn begin_task(&mut self, to: &Switch) -> Result<Second, String> {
        begin(self, to)
    }

    async fn in_task(&mut self, second: &mut Second, errand: Errand) -> Result<Left, Abend> {
        run(self, second, errand).await
    }

    async fn end_task(&mut self, second: Second, is_well: bool) -> Result<(), Abend> {
        end(self, second, is_well).await
    }
}

/// Place of a service's program: in the pipeline's task, or in a second one.
pub(crate) struct ServingPlace<'a, P: Programs> {
    programs: &'a mut P,
    second: Option<P::Second>,
    listening: Option<Listening>,
}

impl<'a, P: Programs> ServingPlace<'a, P> {
    /// The place that is wanted; none: the pipeline's task.
    ///
    /// # Errors
    /// The reason why there is none, in words for the client.
    pub fn of(programs: &'a mut P, wanted: Option<Switch>) -> Result<Self, String> {
        let second = wanted.map(|to| programs.begin_task(&to)).transpose()?;
        Ok(Self { programs, second, listening: None })
    }

    /// The program has run, and its answer is known: what a second task has changed is committed, or backed out.
    ///
    /// # Errors
    /// The abend of that.
    pub async fn end(self, is_well: bool) -> Result<(), Abend> {
        match self.second {
            Some(second) => self.programs.end_task(second, is_well).await,
            None => Ok(()),
        }
    }
}

impl<P: Programs> Programs for ServingPlace<'_, P> {
    type Second = P::Second;

    async fn with_commarea(&mut self, program: Name8, commarea: &mut Vec<u8>) -> Result<(), Abend> {
        let Some(second) = &mut self.second else {
            return self.programs.with_commarea(program, commarea).await;
        };
        let taken = std::mem::take(commarea);
        let errand = Errand { program, commarea: Some(taken), channel: None, listening: None };
        *commarea = self.programs.in_task(second, errand).await?.commarea.unwrap_or_default();
        Ok(())
    }

    fn has_operation(&mut self, name: &str) {
        self.programs.has_operation(name);
    }

    async fn with_channel(&mut self, program: Name8, channel: &Arc<Channel>) -> Result<(), Abend> {
        let Some(second) = &mut self.second else {
            return self.programs.with_channel(program, channel).await;
        };
        let listening = self.listening.as_ref().map(|it| Listening { level: it.level, fault: None });
        let errand = Errand { program, commarea: None, channel: Some(Arc::clone(channel)), listening };
        let left = self.programs.in_task(second, errand).await?;
        if let Some(listening) = &mut self.listening {
            listening.fault = left.fault;
        }
        Ok(())
    }

    async fn put(
        &mut self,
        channel: &Channel,
        name: Name16,
        bytes: Vec<u8>,
        data_type: DataType,
    ) -> Result<(), Abend> {
        self.programs.put(channel, name, bytes, data_type).await
    }

    fn listen_for_faults(&mut self, from: Option<Listening>) -> Option<SoapFault> {
        if self.second.is_none() {
            return self.programs.listen_for_faults(from);
        }
        std::mem::replace(&mut self.listening, from).and_then(|before| before.fault)
    }

    fn begin_task(&mut self, to: &Switch) -> Result<Self::Second, String> {
        self.programs.begin_task(to)
    }

    async fn in_task(&mut self, second: &mut Self::Second, errand: Errand) -> Result<Left, Abend> {
        self.programs.in_task(second, errand).await
    }

    async fn end_task(&mut self, second: Self::Second, is_well: bool) -> Result<(), Abend> {
        self.programs.end_task(second, is_well).await
    }
}
