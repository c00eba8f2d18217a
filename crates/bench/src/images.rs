//! Program images: what a swap costs, and what a waiting task holds.

use std::time::Duration;

use cobol::Step;
use kernel::dispatcher::Dispatcher;
use kernel::task::WaitKind;

use crate::clock::{in_turns, progress, spent};
use crate::processes::{PAGE, resident};
use crate::promise::Measured;
use crate::site::{Site, Workshop};
use crate::tasks::start;
use crate::{Options, log};

/// Tasks that wait.
const TASKS: usize = 10_000;
/// Natively compiled ones: nearly as many as there are task numbers, which have five digits.
const OWN_TASKS: usize = 99_900;
/// Bytes of a waiting task whose programs are natively compiled, at most.
const OWN_TASK_MAX: usize = 20 << 10;
/// Rounds of which the median is taken.
const ROUNDS: usize = 9;
/// EDSALIM of regions in which so many tasks wait at once.
const ROOM_FOR_TASKS: usize = 4 << 30;
/// How often is looked whether all tasks wait: at each of them, while others are attached or end.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Two tasks that want one program in turns, beside memcpy of its image.
pub(crate) fn swap(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let host = workshop.host()?;
    let program = workshop.load(&host, "LOOPS")?;
    let swaps = options.size(100_000, 100);
    let mut tasks = [start(&host, &program), start(&host, &program)];
    let turns = || {
        for _ in 0..swaps / tasks.len() {
            for task in &mut tasks {
                assert!(matches!(task.resume(0), Step::Exec(_)));
            }
        }
    };
    let mut turns = turns;
    // The first turn brings the program to its template.
    turns();
    let size = program.image_size();
    let (from, mut to) = (vec![1_u8; size], vec![0_u8; size]);
    let mut copies = || {
        for _ in 0..swaps {
            // Out and in.
            for _ in 0..2 {
                to.copy_from_slice(std::hint::black_box(&from));
                std::hint::black_box(&mut to);
            }
        }
    };
    let per_swap = 1e9 / swaps as f64;
    let (figure, floor) = in_turns(
        "image-swap",
        options.size(ROUNDS, 1),
        || spent(&mut turns) * per_swap,
        || spent(&mut copies) * per_swap,
    );
    Ok(Measured::new(figure, floor).note(format!("an image of {size} bytes")))
}

/// The memory of tasks that wait in DELAY.
pub(crate) fn waiting(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let floor = {
        let host = workshop.host()?;
        2 * PAGE + workshop.load(&host, "WAITS")?.image_size()
    };
    waiting_at(workshop.region(1)?, options, TASKS, floor)
}

/// The same of natively compiled programs; the promise is a number.
pub(crate) fn waiting_natively(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    waiting_at(workshop.native_region(1)?, options, OWN_TASKS, OWN_TASK_MAX)
}

fn waiting_at(site: Site, options: &Options, tasks: usize, floor: usize) -> Result<Measured, String> {
    let tasks = options.size(tasks, 20);
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
    Ok(Measured::new(each, floor as f64).note(format!("{tasks} tasks")))
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
