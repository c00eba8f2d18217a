//! Tasks, LINKs and EXEC CICS calls.

use domains::statistics::Statistics;
use kernel::monitoring::{Monitoring, Switch};

use crate::Options;
use crate::clock::{in_turns, spent};
use crate::promise::Measured;
use crate::site::{Site, Workshop};

/// Rounds of which the median is taken.
const ROUNDS: usize = 9;
/// Tasks that are attached in one go: a front door that is busy, a region that keeps up.
const BURST: usize = 100;
/// EXEC CICS calls in one task of `assigns.cbl`.
const CALLS: f64 = 100_000.0;
/// LINKs in one task of `links.cbl`.
const LINKS: f64 = 10_000.0;
/// Microseconds of a program of 21 calls and some arithmetic in a coroutine, and nanoseconds of its CALL of an empty C function: what
/// GnuCOBOL's code took on a machine with two processors, while it compiled programs here.
const COROUTINE: f64 = 2.1;
const EMPTY_CALL: f64 = 5.3;
/// The cost of an XATMI call in Enduro/X, in microseconds: measured elsewhere, on a machine like this.
const XATMI_CALL: f64 = 17.0;

/// The null task, and a transaction of the kind that DSW has.
pub(crate) const NULL: &str = "NULL";
pub(crate) const DSW: &str = "DSWT";

/// Runs null tasks, a burst after the other.
fn null_tasks_run(site: &Site, bursts: usize) {
    tasks_run(site, NULL, bursts);
}

fn tasks_run(site: &Site, transaction: &str, bursts: usize) {
    (0..bursts).for_each(|_| {
        (0..BURST).for_each(|_| site.attach(transaction, None));
        site.idle();
    });
}

/// Microseconds of processor time of a null task.
fn null_task_us(site: &Site, bursts: usize) -> f64 {
    spent(|| null_tasks_run(site, bursts)) * 1e6 / (bursts * BURST) as f64
}

/// A null task beside a bare coroutine.
pub(crate) fn null_task(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region(1)?;
    let bursts = options.size(200, 1);
    let (figure, floor) =
        in_turns("null-task", options.size(ROUNDS, 1), || null_task_us(&site, bursts), || COROUTINE);
    site.end();
    Ok(Measured::new(figure, floor))
}

/// A task with a performance record beside one without.
pub(crate) fn monitoring(
    options: &Options,
    workshop: &Workshop,
    id: &str,
    transaction: &str,
) -> Result<Measured, String> {
    let site = workshop.region(1)?;
    let bursts = options.size(if transaction == NULL { 200 } else { 20 }, 1);
    let tasks = (bursts * BURST) as f64;
    let monitoring = Monitoring::of(site.region());
    monitoring.set(Switch::Performance, true);
    let all_tasks = |monitored| {
        monitoring.set(Switch::On, monitored);
        let spent = spent(|| {
            tasks_run(&site, transaction, bursts);
            monitoring.flush();
        });
        spent * 1e6 / tasks
    };
    let (figure, floor) = in_turns(id, options.size(ROUNDS, 1), || all_tasks(true), || all_tasks(false));
    let recorded = monitoring.recorded();
    let bytes = recorded.bytes as f64 / recorded.records.max(1) as f64;
    let note = format!("{:.3} us for a record of {bytes:.0} bytes; {} lost", figure - floor, recorded.lost);
    site.end();
    Ok(Measured::new(figure, floor).note(note))
}

/// A null task whose processor time, response and requests are summed up beside one without.
pub(crate) fn sums(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region(1)?;
    let bursts = options.size(200, 1);
    let null_tasks = |summed| {
        Statistics::of(site.region()).meters().iter().for_each(|meter| meter.set_sums(summed));
        null_task_us(&site, bursts)
    };
    let (figure, floor) =
        in_turns("sums", options.size(ROUNDS, 1), || null_tasks(true), || null_tasks(false));
    site.end();
    Ok(Measured::new(figure, floor))
}

/// A null task of a region that checks everything beside one of a region that checks nothing.
pub(crate) fn security(options: &Options) -> Result<Measured, String> {
    let workshop = Workshop::new(1, 1)?;
    let (secured, open) = (workshop.secured_region(1)?, workshop.region(1)?);
    let (secured, open) = (secured.of_default_user(), open.of_default_user());
    let bursts = options.size(200, 1);
    let null_tasks = |site: &Site| null_task_us(site, bursts);
    let (figure, floor) =
        in_turns("security-on", options.size(ROUNDS, 1), || null_tasks(&secured), || null_tasks(&open));
    secured.end();
    open.end();
    Ok(Measured::new(figure, floor).note(format!("{:.3} us for what is asked", figure - floor)))
}

/// LINK and back.
pub(crate) fn link(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region(1)?;
    let tasks = options.size(5, 1);
    let links = || (0..tasks).for_each(|_| site.run("LINK", None));
    let per_link = 1e6 / (tasks as f64 * LINKS);
    let (figure, floor) =
        in_turns("link", options.size(ROUNDS, 1), || spent(links) * per_link, || XATMI_CALL);
    site.end();
    Ok(Measured::new(figure, floor))
}

/// An EXEC CICS call that does next to nothing, beside a CALL of nothing.
pub(crate) fn exec_call(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let site = workshop.region(1)?;
    let tasks = options.size(10, 1);
    let per_call = 1e9 / (tasks as f64 * CALLS);
    let (figure, floor) = in_turns(
        "exec-call",
        options.size(ROUNDS, 1),
        || spent(|| assigns(&site, tasks)) * per_call,
        || EMPTY_CALL,
    );
    site.end();
    Ok(Measured::new(figure, floor))
}

fn assigns(site: &Site, tasks: usize) {
    (0..tasks).for_each(|_| site.run("ASSI", None));
}
