//! Statistics of DB2CONN and DB2ENTRY.

use std::sync::atomic::{AtomicU64, Ordering};

use domains::statistics::{Collected, Collector};
use kernel::region::Region;
use spec::measures::stat;

use crate::resources::{Attributes, Pool, Resources};

/// Tells them.
pub(crate) struct Teller;

/// Lines for STATSQUEUE at the end of a connection: one for the pool, one for each entry.
pub(crate) fn lines(resources: &Resources) -> Vec<String> {
    let line = |name: &str, calls: &AtomicU64, pool: &Pool, attributes: &Attributes| {
        let (calls, figures) = (calls.load(Ordering::Relaxed), pool.figures(false));
        let (most, limit) = (figures.used_most, attributes.number("THREADLIMIT"));
        format!(
            "{name:<8} CALLS {calls:>10} MOST THREADS {most:>5} OF {limit:>5} THREAD WAITS {:>8}",
            figures.missed
        )
    };
    let pool = resources.conn().map(|conn| line("*POOL", &conn.calls, &conn.pool, &conn.attributes));
    let entries = resources
        .entries()
        .into_iter()
        .map(|(name, entry)| line(&name.to_string(), &entry.calls, &entry.pool, &entry.attributes));
    pool.into_iter().chain(entries).collect()
}

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, reset: bool) {
        let resources = Resources::of(region);
        if let Some(conn) = resources.conn() {
            let (tcbs, pool) = (conn.tcbs.figures(reset), conn.pool.figures(reset));
            into.region()
                .text(stat::D2G_DB2CONN_NAME, &conn.name)
                .text(stat::D2G_DB2_ID, conn.attributes.get("DB2ID"))
                .number(stat::D2G_TCB_LIMIT, conn.attributes.number("TCBLIMIT") as u64)
                .number(stat::D2G_TCB_CURRENT, tcbs.used as u64)
                .number(stat::D2G_TCB_HWM, tcbs.used_most as u64)
                .number(stat::D2G_TCB_READYQ_CURRENT, tcbs.waiting as u64)
                .number(stat::D2G_TCB_READYQ_HWM, tcbs.waiting_most as u64)
                .number(stat::D2G_POOL_CALLS, conn.calls.load(Ordering::Relaxed))
                .number(stat::D2G_POOL_THREAD_WAITS, pool.missed)
                .number(stat::D2G_POOL_THREAD_LIMIT, conn.attributes.number("THREADLIMIT") as u64)
                .number(stat::D2G_POOL_THREAD_CURRENT, pool.used as u64)
                .number(stat::D2G_POOL_THREAD_HWM, pool.used_most as u64)
                .number(stat::D2G_POOL_READYQ_CURRENT, pool.waiting as u64)
                .number(stat::D2G_POOL_READYQ_HWM, pool.waiting_most as u64);
        }
        for (name, entry) in resources.entries() {
            let pool = entry.pool.figures(reset);
            into.resource(name)
                .number(stat::D2R_CALLS, entry.calls.load(Ordering::Relaxed))
                .number(stat::D2R_THREAD_WAIT_OR_OVERFL, pool.missed)
                .number(stat::D2R_THREAD_LIMIT, entry.attributes.number("THREADLIMIT") as u64)
                .number(stat::D2R_THREAD_CURRENT, pool.used as u64)
                .number(stat::D2R_THREAD_HWM, pool.used_most as u64)
                .number(stat::D2R_READYQ_CURRENT, pool.waiting as u64)
                .number(stat::D2R_READYQ_HWM, pool.waiting_most as u64);
        }
    }
}
