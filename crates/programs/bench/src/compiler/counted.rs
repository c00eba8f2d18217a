//! The process whose instructions are counted.

use std::path::Path;
use std::sync::atomic::AtomicU32;

use cobol_run::{Answer, Call, Host, Machine, ProgramFault, Task};
use domains::statistics::Statistics;
use kernel::meters::Meter;
use kernel::spans::{Choice, Sink, SpanFigures, Spans};
use otlp::Span;

use super::instructions::{KINDS, NULLS, TRANSACTIONS, Work};
use super::{captures, policies, program, toolchain_in};
use crate::log;
use crate::site::Workshop;

/// The COMMAREA of `reads.cbl`: how many READs, of how many records, how far from one to the next.
const READS: &[u8] = b"001000000000000100000000";

/// Bytes of storage of the mix.
const STORAGE: usize = 1 << 20;

/// The part of the process that is counted.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let [kind, folder, times] = arguments else {
        return Err("KIND FOLDER TIMES".to_owned());
    };
    let kind = KINDS.iter().find(|(name, _)| name == kind).ok_or("no such kind of work")?.1;
    let times: usize = times.parse().map_err(|_| "TIMES is a number".to_owned())?;
    let folder = Path::new(folder);
    match kind {
        Work::Mix => mix(folder, times),
        Work::Calls => tasks("CALL", None, times),
        Work::Execs => tasks("ASSI", None, times),
        Work::Asks => tasks("ASKS", None, times),
        Work::Reads => tasks("READ", Some(READS), times),
        Work::Links => tasks("LINK", None, times),
        Work::Nulls => tasks("NULL", None, times * NULLS),
        Work::Untraced => without(times * NULLS, |meter| meter.trace.set_on(false)),
        // An entry of a dispatch has what is summed up: without sums there is none.
        Work::Unsummed => without(times * NULLS, |meter| {
            meter.set_sums(false);
            meter.trace.set_on(false);
        }),
        Work::Spanned => spanned(times * NULLS),
        Work::Transactions => tasks("DSWT", None, times * TRANSACTIONS),
        Work::Ruled => tasks_of("DSWT", None, times * TRANSACTIONS, policies::install),
        Work::Captured => tasks_of("DSWT", None, times * TRANSACTIONS, captures::install),
    }
}

/// A host that no program asks for anything.
pub(super) struct Quiet;

impl Host for Quiet {
    fn display(&mut self, _: &[u8], _: bool) {}

    fn call(&mut self, _: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        Err(ProgramFault::Host)
    }
}

fn mix(folder: &Path, times: usize) -> Result<(), String> {
    let unit = program(&toolchain_in(folder)?, "MIX")?.unit;
    let code = unit.program(0).ok_or("it holds no program")?;
    let mut task = Task::new(STORAGE);
    let activation = task.enter(code.program(), &[]).map_err(|fault| fault.to_string())?;
    let flag = AtomicU32::new(0);
    for _ in 0..times {
        let mut machine = Machine::new(code.program(), &mut task, activation.clone());
        code.run(&mut machine, &mut Quiet, &flag).map_err(|abend| abend.to_string())?;
    }
    Ok(())
}

/// Null tasks of a region whose TCBs get an order first.
fn without(times: usize, tell: impl Fn(&Meter)) -> Result<(), String> {
    log::start();
    let workshop = Workshop::new(1, 1)?;
    let site = workshop.region(1)?;
    Statistics::of(site.region()).meters().iter().for_each(|meter| tell(meter));
    (0..times).for_each(|_| site.run("NULL", None));
    site.end();
    Ok(())
}

/// A collector that forgets spans.
struct Forgets;

impl Sink for Forgets {
    fn take(&self, _: Span) {}

    fn drops(&self) {}

    fn figures(&self, _: bool) -> SpanFigures {
        SpanFigures::default()
    }
}

/// Null tasks that have spans.
fn spanned(times: usize) -> Result<(), String> {
    log::start();
    let workshop = Workshop::new(1, 1)?;
    let site = workshop.region(1)?;
    Spans::begin(site.region(), Choice { ratio: 1.0, users: false }, Box::new(Forgets));
    (0..times).for_each(|_| site.run("NULL", None));
    site.end();
    Ok(())
}

fn tasks(transaction: &str, commarea: Option<&[u8]>, times: usize) -> Result<(), String> {
    tasks_of(transaction, commarea, times, |_| Ok(()))
}

/// The same in a region that is prepared first.
fn tasks_of(
    transaction: &str,
    commarea: Option<&[u8]>,
    times: usize,
    prepare: impl FnOnce(&Workshop) -> Result<(), String>,
) -> Result<(), String> {
    log::start();
    let workshop = Workshop::new(1, 1)?;
    prepare(&workshop)?;
    let site = workshop.region(1)?;
    (0..times).for_each(|_| site.run(transaction, commarea));
    site.end();
    Ok(())
}
