//! The memory that a waiting task holds.

use std::time::Duration;

use kernel::dispatcher::Dispatcher;
use kernel::task::WaitKind;

use crate::clock::progress;
use crate::processes::resident;
use crate::promise::Measured;
use crate::site::{Site, Workshop};
use crate::{Options, log};

/// Tasks that wait: nearly as many as there are task numbers, which have five digits.
const TASKS: usize = 99_900;
/// Bytes of a waiting task, at most.
const TASK_MAX: usize = 20 << 10;
/// EDSALIM of regions in which so many tasks wait at once.
const ROOM_FOR_TASKS: usize = 4 << 30;
/// The interval between checks if all tasks wait: a check looks at each of them, while others are attached or end.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// The memory of tasks that wait in DELAY; the promise is a number.
pub(crate) fn memory(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region(1)?;
    let tasks = options.size(TASKS, 20);
    Dispatcher::of(site.region()).set_tasks_max(2 * tasks);
    site.region().dsa.set_limit(ROOM_FOR_TASKS);
    // What the first tasks bring with them (the program, the template, the pool) is not theirs.
    wait_in_delay(&site, options.size(10, 1));
    purge(&site);
    let before = resident()?;
    wait_in_delay(&site, tasks);
    let each = resident()?.saturating_sub(before) as f64 / tasks as f64;
    purge(&site);
    site.end();
    Ok(Measured::new(each, TASK_MAX as f64).note(format!("{tasks} tasks")))
}

fn wait_in_delay(site: &Site, tasks: usize) {
    (0..tasks).for_each(|_| site.attach("WAIT", None));
    let waiting = || {
        let all = Dispatcher::of(site.region()).tasks();
        all.iter().filter(|task| task.waits_for() == Some(WaitKind::INTERVAL)).count()
    };
    site.wait(async {
        loop {
            let now = waiting();
            if now >= tasks {
                return;
            }
            progress(&format!("{now} of {tasks} tasks wait"));
            tokio::time::sleep(LOOK_EVERY).await;
        }
    });
    progress("");
}

fn purge(site: &Site) {
    log::quietly(|| {
        Dispatcher::of(site.region()).tasks().iter().for_each(|task| task.purge());
        site.idle();
    });
}
