//! The collectors of the region's own domains, a function each.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use records::SharedCounts;
use spec::measures::{From, StatisticId, stat, statistics_kinds};

use super::{Collected, Collector, Sheet, Why};
use crate::files::Files;
use crate::statistics::Statistics;
use crate::temporary_storage::TemporaryStorage;
use crate::transient_data::TransientData;
use kernel::diagnostics::Diagnostics;
use kernel::dispatcher::Dispatcher;
use kernel::meters::{Meter, ResourceRequests, Work, WorkSums};
use kernel::monitoring::Monitoring;
use kernel::programs::Programs;
use kernel::region::Region;
use kernel::spans::Spans;
use kernel::task::WaitKind;
use kernel::terminals::Terminals;
use kernel::transactions::Transactions;

/// A domain that tells by a function.
struct Domain(fn(&Region, &mut Collected, bool));

impl Collector for Domain {
    fn collect(&self, region: &Region, into: &mut Collected, reset: bool) {
        (self.0)(region, into, reset);
    }
}

/// Everybody within the kernel.
pub(super) fn all() -> Vec<Arc<dyn Collector>> {
    let domains: [fn(&Region, &mut Collected, bool); 19] = [
        transactions,
        classes,
        dispatcher,
        tcbs,
        programs,
        files,
        enqueues,
        queues,
        recovery,
        record_server,
        storage,
        waits,
        work,
        instruments,
        spans,
        terminals,
        dumps,
        children,
        engine,
    ];
    domains.into_iter().map(|domain| Arc::new(Domain(domain)) as Arc<dyn Collector>).collect()
}

fn transactions(region: &Region, into: &mut Collected, reset: bool) {
    let dispatcher = Dispatcher::of(region);
    let admissions = dispatcher.admissions(reset);
    into.region()
        .number(stat::XMGNUM, dispatcher.attached())
        .number(stat::XMGMXT, dispatcher.tasks_max() as u64)
        .number(stat::XMGCAT, admissions.running as u64)
        .number(stat::XMGCQT, admissions.queued as u64)
        .number(stat::XMGTAMXT, admissions.at_limit)
        .number(stat::XMGPAT, admissions.running_peak as u64)
        .number(stat::XMGPQT, admissions.queued_peak as u64)
        .number(stat::XMGTAT, admissions.admitted)
        .number(stat::XMGTDT, admissions.delayed);
    for transaction in Transactions::of(region).list() {
        into.resource(transaction.name)
            .text(stat::XMRPN, transaction.program)
            .text(stat::XMRTCL, transaction.class)
            .number(stat::XMRPRTY, transaction.priority.into())
            .number(stat::XMRAC, transaction.attaches.load(Ordering::Relaxed))
            .number(stat::XMRAENDC, transaction.abends.load(Ordering::Relaxed));
    }
}

fn classes(region: &Region, into: &mut Collected, reset: bool) {
    for class in Dispatcher::of(region).classes() {
        let counts = class.counts;
        into.resource(class.name)
            .number(stat::XMCMXT, class.tasks_max as u64)
            .number(stat::XMCCAT, class.running as u64)
            .number(stat::XMCCQT, class.queued as u64)
            .number(stat::XMCTAT, counts.offered)
            .number(stat::XMCPI, counts.refused)
            .number(stat::XMCAI, counts.at_once)
            .number(stat::XMCAAQ, counts.after_waiting)
            .number(stat::XMCPAT, counts.running_peak as u64)
            .number(stat::XMCPQT, counts.queued_peak as u64)
            .number(stat::XMCTAMA, counts.at_limit);
    }
    if reset {
        Dispatcher::of(region).reset_class_peaks();
    }
}

/// The modes of TCBs: QR, and open ones as the published system calls those of the application's key.
const MODES: [&str; 2] = ["QR", "L8"];

fn dispatcher(region: &Region, into: &mut Collected, reset: bool) {
    let meters = Statistics::of(region).meters();
    let processor: Vec<u64> = meters.iter().map(|meter| meter.processor_ns()).collect();
    into.region()
        .number(stat::DSGICVRT, region.options.runaway_ms)
        .number(stat::DSGASIZE, MODES.len() as u64)
        .number(stat::DSGCNT, Dispatcher::of(region).running() as u64)
        .number(stat::DSGPNT, Dispatcher::of(region).admissions(reset).running_peak as u64)
        .number(stat::DSGEJST, processor.iter().sum());
    for (place, mode) in MODES.iter().enumerate() {
        let of_mode =
            || meters.iter().zip(&processor).enumerate().filter(|(n, _)| usize::from(*n > 0) == place);
        let sum = |of: fn(&Meter) -> u64| of_mode().map(|(_, (meter, _))| of(meter)).sum();
        into.resource(mode)
            .number(stat::DSGTCBCA, of_mode().count() as u64)
            .number(stat::DSGTCBPA, of_mode().count() as u64)
            .number(stat::DSGSYSW, sum(|meter| meter.idles.get()))
            .number(stat::DSGTWT, sum(|meter| meter.idle_ns.get()))
            .number(stat::DSGACT, of_mode().map(|(_, (_, processor))| processor).sum());
    }
}

/// DSRDS_TCB_TYPE of a TCB that runs tasks.
const TASKS_RUN: &str = "C";

fn tcbs(region: &Region, into: &mut Collected, _: bool) {
    for meter in Statistics::of(region).meters() {
        let processor = meter.processor_ns();
        into.resource(&meter.name)
            .text(stat::DSRDS_TCB_NAME, &meter.name)
            .text(stat::DSRDS_TCB_TYPE, TASKS_RUN)
            .number(stat::DSRDS_TCB_CPUTIME, processor);
        into.resource(&meter.name)
            .number(stat::SPTDISP, meter.dispatches.get())
            .number(stat::SPTSUSP, meter.suspensions.get())
            .number(stat::SPTTASK, meter.tasks.get() + meter.supplied_tasks.get())
            .number(stat::SPTWAITS, meter.idles.get())
            .number(stat::SPTWAITT, meter.idle_ns.get())
            .number(stat::SPTCPU, processor)
            .number(stat::SPTWORK, meter.work_ns.get())
            .number(stat::SPTBESID, meter.beside_ns.get());
    }
}

fn programs(region: &Region, into: &mut Collected, _: bool) {
    let mut uses = 0;
    for program in Programs::of(region).list() {
        let used = program.uses.load(Ordering::Relaxed);
        uses += used;
        into.resource(program.name).number(stat::LDRTU, used);
        let remote = program.remote;
        into.resource(program.name)
            .text(stat::PGE_PROGRAM_NAME, program.name)
            .text(stat::PGE_PROGRAM_REMOTE_NAME, remote.map(|remote| remote.name).unwrap_or_default())
            .text(stat::PGE_PROGRAM_REMOTE_SYSID, remote.map(|remote| remote.system).unwrap_or_default())
            .text(stat::PGE_PROGRAM_TRAN_ID, program.transaction.unwrap_or_default());
    }
    into.region().number(stat::LDGPUSES, uses);
}

fn files(region: &Region, into: &mut Collected, _: bool) {
    for file in Files::of(region).list() {
        let mut sheet = into.resource(file.name);
        sheet.text(stat::A17DSNAM, file.dataset_name()).number(stat::A17DSGU, file.requests.updates());
        of_resource(&mut sheet, stat::A17DSRD.kind, &file.requests);
    }
}

/// All fields of a kind that count requests, of one resource.
fn of_resource(sheet: &mut Sheet<'_>, kind: u16, requests: &ResourceRequests) {
    for (field, place) in statistics_kinds()[usize::from(kind)].fields.iter().zip(0..) {
        if let From::Requests { commands, .. } = field.from {
            sheet.number(StatisticId { kind, field: place }, requests.of(commands));
        }
    }
}

fn enqueues(region: &Region, into: &mut Collected, _: bool) {
    let statistics = Statistics::of(region);
    let place = WaitKind::ENQUEUE.place();
    let waiting =
        Dispatcher::of(region).tasks().iter().filter(|t| t.waits_for() == Some(WaitKind::ENQUEUE)).count();
    into.region().number(stat::NQGNPOOL, 1);
    into.region()
        .requests(stat::NQGTNQSI.kind.into(), |slot| statistics.sum(|meter| &meter.requests[slot]))
        .number(stat::NQGTNQSW, statistics.sum(|meter| &meter.waits[place]))
        .number(stat::NQGTNQWT, statistics.sum(|meter| &meter.wait_ns[place]))
        .number(stat::NQGCNQSW, waiting as u64);
}

fn queues(region: &Region, into: &mut Collected, _: bool) {
    let statistics = Statistics::of(region);
    let queues = TemporaryStorage::of(region).list();
    into.region()
        .requests(stat::TSGNMG.kind.into(), |slot| statistics.sum(|meter| &meter.requests[slot]))
        .number(stat::TSGQNUM, queues.len() as u64)
        .number(stat::TSGTSMLM, region.options.ts_main_bytes_max as u64)
        .number(stat::TSGTSMUS, queues.iter().map(|queue| queue.bytes as u64).sum());
    for name in TransientData::of(region).names() {
        let Some(queue) = TransientData::of(region).definition(name) else { continue };
        let mut sheet = into.resource(name);
        if let Some(requests) = queue.requests() {
            of_resource(&mut sheet, stat::TQRCNITM.kind, requests);
        }
        if let Some(queue) = queue.intrapartition() {
            sheet.number(stat::TQRCNITM, queue.len() as u64);
        }
    }
}

/// The system log's name.
const LOG: &str = "DFHLOG";

fn recovery(region: &Region, into: &mut Collected, _: bool) {
    let statistics = Statistics::of(region);
    into.region()
        .number(stat::RMGSYFWD, statistics.sum(|meter| &meter.committed))
        .number(stat::RMGSYBWD, statistics.sum(|meter| &meter.backed_out));
    let log = region.records.log_counts();
    into.resource(LOG).number(stat::SPLUNITS, log.forced_units);
    into.resource(LOG)
        .number(stat::LGSWRITES, log.groups)
        .number(stat::LGSBYTES, log.bytes)
        .number(stat::LGSTFCWAIT, statistics.sum(|meter| &meter.waits[WaitKind::LOG.place()]));
}

/// The work of the record server for this region, in all and by store.
fn record_server(region: &Region, into: &mut Collected, _: bool) {
    let Some((total, stores)) = region.records.shared_counts() else { return };
    work_of(into.region(), &total);
    stores.iter().for_each(|(store, counts)| work_of(into.resource(store), counts));
}

fn work_of(mut sheet: Sheet<'_>, counts: &SharedCounts) {
    sheet
        .number(stat::SPREXCH, counts.exchanges)
        .number(stat::SPRWAITS, counts.lock_waits)
        .number(stat::SPRDEADS, counts.deadlocks)
        .number(stat::SPRTIMES, counts.timeouts)
        .number(stat::SPRCHNGS, counts.changes)
        .number(stat::SPRUNITS, counts.units)
        .number(stat::SPRFORCE, counts.forced)
        .number(stat::SPRCOPYU, counts.copies_used)
        .number(stat::SPRCOPYR, counts.copies_refused);
}

fn storage(region: &Region, into: &mut Collected, reset: bool) {
    let statistics = Statistics::of(region);
    let kind = stat::SMSGMREQ.kind.into();
    let dsa = region.dsa.figures(reset);
    into.region()
        .requests(kind, |slot| statistics.sum(|meter| &meter.requests[slot]))
        .number(stat::SMSDSASZ, dsa.used as u64)
        .number(stat::SMSHWMDSASZ, dsa.used_peak as u64)
        .number(stat::SMSCSIZE, dsa.cushion as u64)
        .number(stat::SMSCRISS, dsa.refused)
        .number(stat::SMSUCSS, dsa.waited)
        .number(stat::SMSCSS, dsa.waiting as u64)
        .number(stat::SMSHWMSS, dsa.waiting_peak as u64)
        .number(stat::SMSPWWS, dsa.given_up)
        .number(stat::SMSSOS, dsa.times_short)
        .number(stat::SMSTSOS, u64::try_from(dsa.time_short.as_nanos()).unwrap_or(u64::MAX))
        .number(stat::SMSFSTG, dsa.limit.saturating_sub(dsa.used) as u64);
    into.region()
        .number(stat::SMSEDSALIMIT, dsa.limit as u64)
        .number(stat::SMSEDSATOTAL, dsa.used as u64)
        .number(stat::SMSHWMEDSATOTAL, dsa.used_peak as u64);
}

fn waits(region: &Region, into: &mut Collected, _: bool) {
    for kind in WaitKind::all() {
        let place = kind.place();
        into.resource(kind.row().name)
            .number(stat::SPWCOUNT, Statistics::of(region).sum(|meter| &meter.waits[place]))
            .number(stat::SPWTIME, Statistics::of(region).sum(|meter| &meter.wait_ns[place]));
    }
}

/// Sums over tasks: by transaction, by service class, by report class.
fn work(region: &Region, into: &mut Collected, reset: bool) {
    let mut tell = |name: String, sums: &WorkSums| {
        let Work { tasks, response_ns, response_max_ns, processor_ns, requests } = sums.read(reset);
        into.resource(name)
            .number(stat::SPKTASKS, tasks)
            .number(stat::SPKRESP, response_ns)
            .number(stat::SPKRMAX, response_max_ns)
            .number(stat::SPKCPU, processor_ns)
            .number(stat::SPKREQS, requests);
    };
    for transaction in Transactions::of(region).list() {
        if transaction.work.read(false).tasks > 0 {
            tell(format!("TRANSACTION.{}", transaction.name), &transaction.work);
        }
    }
    for (kind, sums) in ["SERVICE", "REPORT"].iter().zip(Monitoring::of(region).class_sums()) {
        sums.iter().for_each(|(name, sums)| tell(format!("{kind}.{name}"), sums));
    }
}

/// Spans of tasks, where a collector gets them.
fn spans(region: &Region, into: &mut Collected, reset: bool) {
    let Some(figures) = Spans::of(region).figures(reset) else { return };
    into.region()
        .number(stat::SPOEXP, figures.exported)
        .number(stat::SPODROP, figures.dropped)
        .number(stat::SPOFAIL, figures.failed)
        .number(stat::SPOWAIT, figures.waiting)
        .number(stat::SPOPEAK, figures.waiting_peak);
}

/// Monitoring and statistics themselves.
fn instruments(region: &Region, into: &mut Collected, _: bool) {
    let statistics = Statistics::of(region);
    let (recorded, ended) = (Monitoring::of(region).recorded(), Monitoring::of(region).tasks_ended());
    let (tasks, response) = (ended.tasks.load(Ordering::Relaxed), ended.response_ns.load(Ordering::Relaxed));
    let [performance, exception, resource, identity] =
        [0, 1, 2, 3].map(|class: usize| ended.records[class].load(Ordering::Relaxed));
    let limits = Monitoring::of(region).limits();
    into.region()
        .number(stat::MNGER, exception)
        .number(stat::MNGRR, resource)
        .number(stat::MNGIR, identity)
        .number(stat::MNGFRL, limits.files.into())
        .number(stat::MNGTRL, limits.queues.into())
        .number(stat::MNGDPLRL, limits.programs.into())
        .number(stat::MNGURIRL, limits.maps.into())
        .number(stat::MNGWEBRL, limits.services.into())
        .number(stat::MNGPR, performance)
        .number(stat::MNGSMFR, recorded.blocks)
        .number(stat::MNGSMFE, recorded.lost)
        .number(stat::MNGUTNUM, statistics.sum(|meter| &meter.tasks))
        .number(stat::MNGSTNUM, statistics.sum(|meter| &meter.supplied_tasks))
        .number(stat::MNGAUTRT, response.checked_div(tasks).unwrap_or_default())
        .number(stat::MNGPUTRT, ended.response_max_ns.load(Ordering::Relaxed))
        .number(stat::MNGCPUT, ended.processor_ns.load(Ordering::Relaxed));
    let (recorded, schedule) = (statistics.recorded(), statistics.schedule());
    let (collections, started, last_reset) = statistics.collections();
    let micros = |at: jiff::Timestamp| u64::try_from(at.as_microsecond()).unwrap_or_default();
    into.region()
        .number(stat::STGNC, collections.of(Why::Interval))
        .number(stat::STGSMFW, recorded.records)
        .number(stat::STGLDW, recorded.bytes)
        .number(stat::STGINTR, collections.of(Why::Interval))
        .number(stat::STGEODR, collections.of(Why::EndOfDay))
        .number(stat::STGREQR, collections.of(Why::Requested))
        .number(stat::STGRRTR, collections.of(Why::RequestedReset))
        .number(stat::STGUSSR, collections.of(Why::Unsolicited))
        .number(stat::STGCSTRT, micros(started))
        .number(stat::STGLRT, micros(last_reset))
        .number(stat::STGINTVL, u64::from(schedule.interval_s) * 1_000_000_000)
        .text(stat::STGEODT, super::schedule::digits(schedule.end_of_day_s))
        .number(stat::STGSTRCD, schedule.recording.into());
}

fn terminals(region: &Region, into: &mut Collected, _: bool) {
    for terminal in Terminals::of(region).list() {
        into.resource(terminal.name)
            .number(stat::A06TENI, terminal.reads())
            .number(stat::A06TENO, terminal.writes())
            .text(stat::A06LUNAM, terminal.netname);
    }
    let counts = Terminals::of(region).autoinstalls();
    into.region()
        .number(stat::A04VADAT, counts.attempts.load(Ordering::Relaxed))
        .number(stat::A04VADRJ, counts.rejected.load(Ordering::Relaxed))
        .number(stat::A04VADLO, counts.gone.load(Ordering::Relaxed))
        .number(stat::A04SKBLT, counts.shipped.load(Ordering::Relaxed));
}

fn dumps(region: &Region, into: &mut Collected, _: bool) {
    let counts = Diagnostics::of(region).dump_counts();
    into.region()
        .number(stat::TRANS_DUMP_TAKEN, counts.iter().map(|(_, counts)| counts.taken).sum())
        .number(stat::TRANS_DUMP_SUPP, counts.iter().map(|(_, counts)| counts.suppressed).sum());
    for (code, counts) in counts {
        into.resource(code).number(stat::TDRTTKN, counts.taken).number(stat::TDRTSUPR, counts.suppressed);
    }
}

fn children(region: &Region, into: &mut Collected, _: bool) {
    let statistics = Statistics::of(region);
    into.region()
        .requests(stat::ASG_RUN_COUNT.kind.into(), |slot| statistics.sum(|meter| &meter.requests[slot]));
}

fn engine(region: &Region, into: &mut Collected, _: bool) {
    let checkpoints = region.records.log_counts().checkpoints;
    into.region().number(stat::LGGAKPSTKN, checkpoints);
    into.region()
        .number(stat::SPECHECK, checkpoints)
        .number(stat::SPESTORE, region.records.stores().len() as u64)
        .number(stat::SPELOCKS, region.records.locks().list().len() as u64);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Kinds that the modules `accounts`, `documents` and `journals` and the crates `bundles`, `capture`, `sockets`, `direct`, `exec-sql`, `intersystem`, `jvm`,
    /// `pipelines` and `webdomain` tell.
    const ELSEWHERE: [&str; 28] = [
        "BUNDLE",
        "Db2 connection global",
        "DB2ENTRY",
        "DOCTEMPLATE",
        "accounts",
        "direct",
        "event EPADAPTER",
        "event binding",
        "event binding global",
        "event capture specification",
        "event processing global",
        "event queue",
        "IPCONN resource",
        "ISC/IRC connection",
        "JVM process",
        "JVMSERVER",
        "journal name",
        "listener",
        "PIPELINE",
        "policy",
        "sockets",
        "TCP/IP global",
        "TCPIPSERVICE",
        "TLS handshakes",
        "URIMAP global",
        "URIMAP resource",
        "web requests",
        "WEBSERVICE",
    ];

    #[test]
    fn every_field_that_is_kept_is_told_here() {
        let text = [include_str!("collectors.rs"), include_str!("processor.rs")].concat();
        let told: BTreeSet<&str> = text
            .split("stat::")
            .skip(1)
            .filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next())
            .collect();
        for kind in statistics_kinds().iter().filter(|kind| !ELSEWHERE.contains(&kind.name)) {
            for field in kind.fields {
                let by_name = matches!(field.from, From::Counter | From::Peak | From::Current);
                assert!(!by_name || told.contains(field.name), "{} of {}", field.name, kind.name);
            }
        }
    }
}
