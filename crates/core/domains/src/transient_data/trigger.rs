//! Tasks that queues start when they have reached their trigger level.

use std::sync::{Arc, Weak};

use super::{QueueName, TransientData, Trigger};
use kernel::dispatcher;
use kernel::dispatcher::Attach;
use kernel::lines::often;
use kernel::region::Region;
use kernel::security::{User, Users};
use kernel::task::{Origin, StartCode, TaskControl, TaskPart};
use kernel::terminal_control::start_at;
use kernel::terminals::Terminals;

/// The writer of the record with which a queue has reached its trigger level.
#[derive(Clone, Copy)]
pub(super) enum Writer<'a> {
    /// It was there when the region started, or its terminal came.
    Nobody,
    /// A client of a front door.
    User(&'a Arc<User>),
    /// A task.
    Task(&'a TaskControl),
}

impl Writer<'_> {
    fn user(self, region: &Region) -> Arc<User> {
        Arc::clone(match self {
            Self::Nobody => &Users::of(region).default,
            Self::User(user) => user,
            Self::Task(task) => &task.user,
        })
    }

    /// The origin of a task without a terminal that its record starts.
    fn origin(self) -> Origin {
        match self {
            Self::Nobody | Self::User(_) => Origin::default(),
            Self::Task(task) => Origin::from_task(task),
        }
    }
}

/// The hold that the reading task has on a queue. When the task is gone, or has not begun, the next record starts
/// another; so does the terminal when it comes.
struct Reader {
    region: Weak<Region>,
    queue: QueueName,
}

impl TaskPart for Reader {}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(region) = self.region.upgrade() {
            TransientData::of(&region).trigger_ended(self.queue);
        }
    }
}

/// Starts the task that should read the queue.
pub(super) fn fire(region: &Arc<Region>, trigger: Trigger, writer: Writer<'_>) {
    let named = trigger.user.and_then(|user| Users::of(region).file.user(&user.to_string())).map(Arc::new);
    let user = named.unwrap_or_else(|| writer.user(region));
    let mut attach = Attach::new(trigger.transaction, StartCode::Trigger(trigger.queue), user);
    attach.kept.put(Reader { region: Arc::downgrade(region), queue: trigger.queue });
    let refused = match trigger.terminal.map(|name| (name, Terminals::of(region).get(name))) {
        Some((_, Some(terminal))) => {
            // A task at a terminal runs for the user who is signed on there.
            attach.user = terminal.user();
            start_at(region, &terminal, attach);
            return;
        }
        Some((name, None)) => Err(format!("terminal {name} is not there")),
        None => {
            attach.origin = writer.origin();
            dispatcher::attach(region, attach).map_err(|error| format!("{error:?}"))
        }
    };
    if let Err(why) = refused {
        often!(warn, target: "TD", "queue {}: transaction {} is not started: {why}", trigger.queue, trigger.transaction);
    }
}
