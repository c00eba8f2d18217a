//! Statistics of JVM servers, and of their processes.

use domains::statistics::{Collected, Collector, Sheet};
use kernel::region::Region;
use spec::measures::stat;

use crate::server::{JvmServer, JvmServers};
use crate::vitals::{Process, Vitals};

/// Tells them.
pub(crate) struct Teller;

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, reset: bool) {
        for server in JvmServers::of(region).all() {
            let mut sheet = into.resource(server.name);
            threads(&mut sheet, &server, reset);
            if let Some((created, vitals)) = server.vitals() {
                sheet.number(stat::SJS_JVMSERVER_JVM_CREATION_GMT, created);
                heap(&mut sheet, &vitals);
            }
            if let Some(process) = Process::of(server.pid()) {
                into.resource(server.name)
                    .number(stat::SPJRSS, process.resident)
                    .number(stat::SPJPSS, process.share)
                    .number(stat::SPJPRIV, process.private)
                    .number(stat::SPJTHRDS, process.threads)
                    .number(stat::SPJCPU, process.processor);
            }
        }
    }
}

fn threads(sheet: &mut Sheet<'_>, server: &JvmServer, reset: bool) {
    let figures = server.figures(reset);
    sheet
        .text(stat::SJS_JVMSERVER_JVMPROFILE, server.definition.get("JVMPROFILE").unwrap_or_default())
        .number(stat::SJS_JVMSERVER_USE_COUNT, figures.counts.uses)
        .number(stat::SJS_JVMSERVER_THREAD_LIMIT, figures.limit as u64)
        .number(stat::SJS_JVMSERVER_THREAD_CURRENT, figures.working as u64)
        .number(stat::SJS_JVMSERVER_THREAD_HWM, figures.counts.working_most as u64)
        .number(stat::SJS_JVMSERVER_THREAD_WAITS, figures.counts.waits)
        .number(stat::SJS_JVMSERVER_THREAD_WAIT_TIME, figures.counts.wait_ns)
        .number(stat::SJS_JVMSERVER_THREAD_WAIT_CUR, figures.waiting as u64)
        .number(stat::SJS_JVMSERVER_THREAD_WAIT_HWM, figures.counts.waiting_most as u64);
}

fn heap(sheet: &mut Sheet<'_>, vitals: &Vitals) {
    sheet
        .number(stat::SJS_JVMSERVER_CURRENT_HEAP, vitals.heap)
        .number(stat::SJS_JVMSERVER_INITIAL_HEAP, vitals.heap_initial)
        .number(stat::SJS_JVMSERVER_MAX_HEAP, vitals.heap_max)
        .number(stat::SJS_JVMSERVER_PEAK_HEAP, vitals.heap_peak)
        .number(stat::SJS_JVMSERVER_OCCUPANCY, vitals.occupancy)
        .text(stat::SJS_JVMSERVER_GC_POLICY, &vitals.policy)
        .number(stat::SJS_JVMSERVER_MJR_GC_EVENTS, vitals.major.count)
        .number(stat::SJS_JVMSERVER_MJR_GC_CPU, vitals.major.time)
        .number(stat::SJS_JVMSERVER_MJR_HEAP_FREED, vitals.major.freed)
        .number(stat::SJS_JVMSERVER_MNR_GC_EVENTS, vitals.minor.count)
        .number(stat::SJS_JVMSERVER_MNR_GC_CPU, vitals.minor.time)
        .number(stat::SJS_JVMSERVER_MNR_HEAP_FREED, vitals.minor.freed)
        .number(stat::SJS_JVMSERVER_CODE_CACHE_USED, vitals.code_used)
        .number(stat::SJS_JVMSERVER_CODE_CACHE_ALLOC, vitals.code)
        .number(stat::SJS_JVMSERVER_CLASS_STRG_USED, vitals.classes_used)
        .number(stat::SJS_JVMSERVER_CLASS_STRG_ALLOC, vitals.classes);
}
