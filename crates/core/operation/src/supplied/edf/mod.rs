//! CEDF: a user follows the programs of a terminal, command by command.
//!
//! A task that is followed stops when a program is entered, before and after each EXEC CICS command, and at its end.
//! Its screen is put aside meanwhile and drawn again after the stop. While no task is followed, commands cost what they
//! cost without CEDF.
//!
//! Out of scope: statements that are no commands (crate `debugger`).

mod display;
mod screen;
mod session;

use std::collections::HashMap;
use std::sync::Arc;

use kernel::catalog::Domain;
use kernel::dispatcher::{Context, Follower, SuppliedWaiting};
use kernel::exec::{Call, Flow, Waiting, Watcher, Watchers};
use kernel::limits::EDF_SESSIONS_MAX;
use kernel::name::TerminalName;
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::task::Task;
use kernel::terminals::Terminal;
use kernel::transactions::Supplied;
use parking_lot::Mutex;

use super::desk::Desk;
use session::Session;

/// This domain, for [`kernel::catalog::add`].
pub(crate) static DOMAIN: Domain = Domain {
    follower: Some(&FOLLOWER),
    begin: |kept, _| kept.put(Sessions::default()),
    ..Domain::named("edf")
};

/// An abend is shown where it has come.
static FOLLOWER: Follower = Follower {
    failed: |task, failure| {
        let session = Sessions::of_task(task)?;
        Some(Box::pin(async move { session.failed(task, failure).await }))
    },
    ended: |_, _, _| None,
    refused: |_, refused| Some(refused),
};

/// CEDF: switches the following of this terminal's tasks on or off.
pub(super) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        let mut desk = Desk::of(task)?;
        let text = desk.opening();
        let said = obey(&desk, &text);
        desk.say(&said).await?;
        Ok(Flow::Return)
    })
}

/// Obeys the words after CEDF, and returns the message for its user.
fn obey(desk: &Desk<'_>, text: &str) -> String {
    let (region, terminal) = (&desk.task.region, &desk.terminal);
    let words = text.split([' ', ',']).skip(1).filter(|word| !word.is_empty());
    let mut on = true;
    for word in words.map(str::to_ascii_uppercase) {
        match word.as_str() {
            "ON" => on = true,
            "OFF" => on = false,
            name if name == terminal.name.to_string().trim_end() => {}
            other => {
                return format!(
                    "CEDF does not follow {other}: it follows the tasks of the terminal at which it is entered (CEDF, CEDF ,OFF). `syncpoint debug` follows any task."
                );
            }
        }
    }
    if !on {
        Sessions::end(region, terminal);
        return String::from("THIS TERMINAL: EDF MODE OFF");
    }
    if Sessions::begin(region, terminal) {
        String::from("THIS TERMINAL: EDF MODE ON")
    } else {
        format!("{EDF_SESSIONS_MAX} terminals are followed already: end one of these sessions first.")
    }
}

/// The sessions of a region, by their terminals.
#[derive(Default)]
struct Sessions {
    list: Mutex<HashMap<TerminalName, Arc<Session>>>,
    /// It looks at commands as long as there is a session.
    watcher: Mutex<Option<Arc<dyn Watcher>>>,
}

impl Sessions {
    /// Follows a terminal's tasks from now on. False if there are too many sessions.
    fn begin(region: &Region, terminal: &Arc<Terminal>) -> bool {
        let sessions = region.part::<Self>();
        let mut list = sessions.list.lock();
        list.retain(|_, session| !session.is_over());
        if list.len() >= EDF_SESSIONS_MAX {
            return false;
        }
        list.insert(terminal.name, Arc::new(Session::of(terminal)));
        let mut watcher = sessions.watcher.lock();
        if watcher.is_none() {
            let follows: Arc<dyn Watcher> = Arc::new(Follows);
            Watchers::add(region, Arc::clone(&follows));
            *watcher = Some(follows);
        }
        true
    }

    /// Does not follow them any more.
    fn end(region: &Region, terminal: &Terminal) {
        let sessions = region.part::<Self>();
        let mut list = sessions.list.lock();
        list.remove(&terminal.name);
        list.retain(|_, session| !session.is_over());
        if list.is_empty()
            && let Some(watcher) = sessions.watcher.lock().take()
        {
            Watchers::remove(region, &watcher);
        }
    }

    /// The session that follows a task. Transactions that come with the product are not followed.
    fn of_task(task: &Task) -> Option<Arc<Session>> {
        let terminal = task.terminal()?;
        let sessions = task.region.part::<Self>();
        let session = sessions.list.lock().get(&terminal.name).cloned();
        session.filter(|session| task.transaction.supplied == Supplied::No && !session.is_over())
    }
}

/// Looks at the commands of tasks that are followed.
struct Follows;

impl Watcher for Follows {
    fn before<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
        match Sessions::of_task(task) {
            Some(session) => Box::pin(async move { session.before(task, call).await }),
            None => Box::pin(async { Ok(()) }),
        }
    }

    fn after<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        match Sessions::of_task(task) {
            Some(session) => Box::pin(async move {
                session.after(task, call, &outcome).await?;
                outcome
            }),
            None => Box::pin(async move { outcome }),
        }
    }
}
