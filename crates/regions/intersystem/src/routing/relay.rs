//! DFHAPRT: the program of a task that passes on what its terminal and a task in another region say to each other.

use std::sync::Arc;

use domains::commands::copies::{not_printed, print_screen};
use domains::interval::StartData;
use kernel::channels::Channel;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Flow, Link};
use kernel::name::{Name, Name8, TransactionName};
use kernel::notices::Notices;
use kernel::programs::Programs;
use kernel::raise::{Outcome, Raise};
use kernel::task::{NextTask, StartCode, WaitKind};
use kernel::terminal_control::prints_screen;
use kernel::terminals::{Message, Page, Printed, Terminal, keyboard_restore, tell};
use kernel::transactions::RELAY;
use serde_bytes::ByteBuf;
use tn3270::datastream::{Aid, Inbound};

use super::dynamic::{Chosen, is_undefined, select, tell_end, typed};
use super::message::{Answer, Ask, Attach, Begins, Ended, Shown, Then};
use super::route::{Lost, NoRoute, Route, RoutePlace, Routing};
use crate::affinity::Belongs;
use crate::systems::Systems;

/// The abend of a relay that has nothing to pass on.
const NOTHING: &str = "AZTA";
/// The abend of a task whose terminal is gone.
const GONE: &str = "ATNI";

/// Everything that goes along with a task.
pub(super) struct Going {
    pub begins: Begins,
    pub input: Option<Inbound>,
    pub commarea: Option<Vec<u8>>,
    pub channel: Option<Vec<u8>>,
    pub input_message: Option<Vec<u8>>,
}

impl Going {
    /// Everything that the relay's own task has begun with.
    fn of(context: &mut Context<'_>, terminal: &Terminal) -> Outcome<Self> {
        let commarea = context.commarea()?;
        let task = context.task();
        let data = task.kept.take::<StartData>();
        let begins = Begins::of(task.start_code, data.as_ref());
        let input = match begins {
            Begins::Terminal => terminal.take_input(),
            Begins::Start(_) | Begins::Trigger(_) => None,
        };
        let channel = task.level().channel.as_ref().map(|channel| channel.to_bytes());
        Ok(Self { begins, input, commarea, channel, input_message: task.take_input_message() })
    }

    /// State that stays with the terminal of a task that could not be routed. CLEAR gives the pseudo-conversation up.
    fn left(self, again: Option<TransactionName>) -> NextTask {
        let is_given_up = self.input.as_ref().is_some_and(|input| input.aid == Aid::Clear);
        if is_given_up || again.is_none() {
            return NextTask::default();
        }
        let channel = self.channel.as_deref().and_then(Channel::from_bytes);
        NextTask { transaction: again, commarea: self.commarea, channel, ..NextTask::default() }
    }
}

/// The program.
/// The program of the relay.
pub(super) fn relay<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let terminal = context.terminal().cloned().ok_or_else(|| Raise::abend(NOTHING))?;
        if (context.transaction.dynamic || is_undefined(context)) && terminal.owner().is_none() {
            return dynamic(context, &terminal).await;
        }
        let remote = context.transaction.remote.ok_or_else(|| Raise::abend(NOTHING))?;
        let again = again(context, &terminal);
        let going = Going::of(context, &terminal)?;
        let place =
            RoutePlace { system: remote.system, transaction: TransactionName::new(remote.name.trimmed()) };
        context.next = pass_to(context, &terminal, place, going, again).await?;
        Ok(Flow::Return)
    })
}

/// A task of a dynamic transaction: it runs here, or is routed.
async fn dynamic(context: &mut Context<'_>, terminal: &Arc<Terminal>) -> Outcome<Flow> {
    let (route, transaction, hears) = match select(context, terminal).await? {
        Chosen::Here(program) if !is_undefined(context) => return here(context, program),
        // A program that DYRLPROG names may do its work.
        Chosen::Here(program) if program != Name8::from(RELAY) && !program.is_blank() => {
            return here(context, program);
        }
        Chosen::Here(_) | Chosen::Unknown => {
            let message = Message::UnknownTransaction(typed(context, terminal));
            Notices::message_to_user(&context.region, Some(&context.control), &message);
            tell(&context.region, terminal, &message.text(context.region.options.applid)).await;
            return Ok(Flow::Return);
        }
        Chosen::There(route, transaction, hears) => (route, transaction, hears),
        Chosen::NotNow(why) => {
            let (applid, name) = (context.region.options.applid, context.transaction.name);
            let text = format!("DFHAC2014 {applid} Transaction {name} cannot run: {why}.");
            tell(&context.region, terminal, &text).await;
            let again = again(context, terminal);
            context.next = Going::of(context, terminal)?.left(again);
            return Ok(Flow::Return);
        }
        Chosen::Nowhere(why) => {
            if let Some(why) = why {
                let (applid, name) = (context.region.options.applid, context.transaction.name);
                let text = format!("DFHAC2014 {applid} Transaction {name} cannot run: {why}.");
                tell(&context.region, terminal, &text).await;
            }
            return Ok(Flow::Return);
        }
    };
    let going = Going::of(context, terminal)?;
    let passed = pass(context, terminal, *route, transaction, going).await;
    let region = Arc::clone(&context.region);
    let belongs = Belongs::of(
        &Systems::of(&region).setup().affinities,
        context.transaction.name,
        terminal.user().id,
        Some(terminal),
    );
    if let Some(task) = belongs {
        let goes_on = passed.as_ref().is_ok_and(|(next, _)| next.transaction.is_some());
        Routing::of(&region).affinities.ended(&task, goes_on);
    }
    let abend = match &passed {
        Ok((_, abend)) => *abend,
        Err(Raise::Abend(code)) => Some(*code.as_bytes()),
        Err(Raise::Condition(..)) => None,
    };
    // A task that is purged calls nothing any more.
    if let Some(area) = hears.filter(|_| !context.is_purged()) {
        tell_end(context, area, abend).await?;
    }
    context.next = passed?.0;
    Ok(Flow::Return)
}

/// Gives a program of this region control, with all that the relay has got.
fn here(context: &mut Context<'_>, program: Name8) -> Outcome<Flow> {
    let program = Programs::of(&context.region).usable(program).map_err(|_| Raise::abend("APCT"))?;
    let level = context.level_mut();
    let (commarea, channel) = (level.commarea.take(), level.channel.take());
    let input_message = level.input_message.take();
    Ok(Flow::Xctl(Link { program, commarea, channel, input_message }))
}

/// Returns the transaction whose turn it is again if it cannot run now: the one that the last RETURN has named.
fn again(context: &Context<'_>, terminal: &Terminal) -> Option<TransactionName> {
    if context.start_code != StartCode::Terminal {
        return terminal.next_transaction();
    }
    (terminal.continues() && !is_undefined(context)).then_some(context.transaction.name)
}

/// Has a task run at a system: what its RETURN asks for. If it cannot run there, as the user has been told, the pseudo-conversation
/// stays as it was, and `again` is its next transaction.
///
/// # Errors
/// As [`pass`].
pub(super) async fn pass_to(
    context: &mut Context<'_>,
    terminal: &Arc<Terminal>,
    place: RoutePlace,
    going: Going,
    again: Option<TransactionName>,
) -> Outcome<NextTask> {
    match Route::begin(context.task(), place.system).await? {
        Ok(route) => Ok(pass(context, terminal, route, place.transaction, going).await?.0),
        Err(why) => {
            tell(&context.region, terminal, &not_there(context, place, why)).await;
            // The link may be there when the user tries again; a system that is not defined will not.
            Ok(if why == NoRoute::Unknown { NextTask::default() } else { going.left(again) })
        }
    }
}

/// Has a task run elsewhere, and passes on what it and the terminal say to each other until it is over: what its RETURN asks for,
/// and its abend.
///
/// # Errors
/// The abend of a task whose terminal or partner is gone, or that was purged.
async fn pass(
    context: &mut Context<'_>,
    terminal: &Arc<Terminal>,
    mut route: Route,
    transaction: TransactionName,
    going: Going,
) -> Outcome<(NextTask, Option<[u8; 4]>)> {
    context.transaction.routed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    if let Some(performance) = context.performance() {
        performance.is_routed_to(Name::new(route.partner.name.trimmed()));
    }
    let mut ask = Ask::Attach(Box::new(Attach {
        conversation: route.number,
        user: *context.user.id.as_bytes(),
        transaction: *transaction.as_bytes(),
        begins: going.begins,
        terminal: Shown::of(terminal),
        now: terminal.at_owner().into(),
        input: going.input.map(Into::into),
        commarea: going.commarea,
        channel: going.channel,
        input_message: going.input_message,
    }));
    loop {
        let asked = route.ask(context.task(), &ask).await;
        let answer = match asked
            .map_err(|purged| if terminal.is_gone() { Raise::abend(GONE) } else { purged })?
        {
            Ok(answer) => answer,
            Err(Lost::Link | Lost::Answer) => return Err(route.lost()),
            Err(Lost::TooLong) => {
                let text = format!(
                    "SPAC004 {} Transaction {} was not started: what goes along with it is too long for the link.",
                    context.region.options.applid, transaction
                );
                tell(&context.region, terminal, &text).await;
                return Ok((NextTask::default(), None));
            }
        };
        let (output, then) = match answer {
            Answer::Told(output, then) => (output, then),
            Answer::Refused(why) => {
                tell(&context.region, terminal, &why).await;
                return Ok((NextTask::default(), None));
            }
            Answer::Heard | Answer::Nobody => return Err(route.lost()),
        };
        show(context, terminal, output, !matches!(then, Then::Ended(_))).await?;
        let (input, printed) = match then {
            Then::Ended(ended) => return Ok(over(terminal, *ended)),
            Then::Goes => (None, None),
            Then::Waits => (next_input(context, terminal, &route).await?, None),
            Then::Prints(page, is_scs) => (None, Some(print(context, terminal, page, is_scs).await?)),
        };
        ask = Ask::Next { conversation: route.number, input: input.map(Into::into), printed };
    }
}

/// The task is over: what comes next at its terminal, and its abend.
fn over(terminal: &Terminal, mut ended: Ended) -> (NextTask, Option<[u8; 4]>) {
    if ended.logs_off {
        terminal.log_off();
    }
    (ended.next(), ended.abend)
}

/// Writes what a task has sent. `now`: the terminal gets it before the relay goes on.
async fn show(context: &mut Context<'_>, terminal: &Terminal, output: Vec<ByteBuf>, now: bool) -> Outcome {
    let control = Arc::clone(&context.control);
    for stream in output {
        terminal.forget_first_input();
        if !control.wait(WaitKind::TERMINAL, terminal.send(stream.into_vec())).await? {
            return Err(Raise::abend(GONE));
        }
    }
    if now && !control.wait(WaitKind::TERMINAL, terminal.flush()).await? {
        return Err(Raise::abend(GONE));
    }
    Ok(())
}

/// The next input; `None`: the task goes on without it. The key that prints a copy of the screen is this region's own.
async fn next_input(
    context: &mut Context<'_>,
    terminal: &Terminal,
    route: &Route,
) -> Outcome<Option<Inbound>> {
    let control = Arc::clone(&context.control);
    loop {
        let either = async {
            tokio::select! {
                biased;
                input = terminal.wait_input() => Some(input),
                () = route.woken() => None,
            }
        };
        match control.wait(WaitKind::TERMINAL, either).await? {
            Some(None) => return Err(Raise::abend(GONE)),
            Some(Some(input)) if prints_screen(&context.region, terminal, &input) => {
                let printed = print_screen(context.task(), terminal).await?;
                let answer = if printed { keyboard_restore() } else { not_printed() };
                control.wait(WaitKind::TERMINAL, terminal.send(answer)).await?;
            }
            Some(input) => return Ok(input),
            None => return Ok(None),
        }
    }
}

/// Prints a page: its fate as a number.
async fn print(context: &mut Context<'_>, terminal: &Terminal, page: Vec<u8>, is_scs: bool) -> Outcome<u8> {
    let page = if is_scs { Page::Scs(page) } else { Page::Stream(page) };
    let control = Arc::clone(&context.control);
    match control.wait(WaitKind::TERMINAL, terminal.print(page)).await? {
        Printed::Gone => Err(Raise::abend(GONE)),
        printed => Ok(u8::from(printed != Printed::Done)),
    }
}

/// The message for the user whose transaction cannot be routed.
fn not_there(context: &Context<'_>, place: RoutePlace, why: NoRoute) -> String {
    let applid: Name8 = context.region.options.applid;
    let RoutePlace { system, transaction } = place;
    match why {
        NoRoute::Unknown => format!(
            "DFHAC2014 {applid} Transaction {transaction} cannot run: system {system} is not defined. CONNECTION or IPCONN defines it."
        ),
        NoRoute::NoLink => format!(
            "DFHAC2029 {applid} Transaction {transaction} cannot run: the link to system {system} is not there. Try again later."
        ),
        NoRoute::NoSession | NoRoute::Purged => format!(
            "DFHAC2030 {applid} Transaction {transaction} cannot run: all sessions to system {system} are in use. Try again later."
        ),
    }
}
