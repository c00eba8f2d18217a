//! Statistics of links.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domains::statistics::{Collected, Collector, Statistics};
use kernel::region::Region;
use spec::measures::stat;

use crate::partner::{Partner, Sort};
use crate::systems::Systems;

/// Has links told.
pub(crate) fn install(region: &Region) {
    Statistics::of(region).register(Arc::new(Teller));
}

struct Teller;

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, reset: bool) {
        let systems = Systems::of(region);
        for partner in systems.partners(Sort::Connection) {
            of_connection(region, &partner, into, reset);
        }
        for partner in systems.partners(Sort::Ipconn) {
            of_ipconn(&partner, into, reset);
        }
    }
}

/// A14ACCM.
const IRC: u64 = 2;
const XM: u64 = 3;

/// QUEUELIMIT or MAXQTIME; 0: NO.
fn limit(partner: &Partner, attribute: &str) -> u64 {
    partner.definition.number(attribute).unwrap_or(0)
}

fn of_connection(region: &Region, partner: &Partner, into: &mut Collected, reset: bool) {
    let counts = partner.sessions.counts(reset);
    let (sends, takes) = partner.counts(region);
    let state = partner.state.lock();
    let method = if partner.definition.is("ACCESSMETHOD", "XM") { XM } else { IRC };
    into.resource(partner.name)
        .text(stat::A14ESID, partner.applid)
        .number(stat::A14ACCM, method)
        .number(stat::A14ESECN, sends.into())
        .number(stat::A14EPRMN, takes.into())
        .number(stat::A14E2RY, counts.in_use.into())
        .number(stat::A14E2HWM, counts.in_use_peak.into())
        // Requests of partners are answered at once: that they are not supported.
        .number(stat::A14E1RY, 0)
        .number(stat::A14E1HWM, 0)
        .number(stat::A14ESTAM, counts.waiting_peak.into())
        .number(stat::A14ESTAS, counts.asked)
        .number(stat::A14ESTAQ, counts.queued)
        .number(stat::A14ESTAF, counts.without_link)
        .number(stat::A14ESTAO, counts.failed)
        .number(stat::A14EQPCT, counts.purges)
        .number(stat::A14EMQPC, counts.purged)
        .number(stat::A14EALRJ, counts.refused)
        .number(stat::A14EMXQT, limit(partner, "MAXQTIME"))
        .number(stat::A14EALIM, limit(partner, "QUEUELIMIT"))
        .number(stat::A14GACT, state.acquired_at);
}

fn of_ipconn(partner: &Partner, into: &mut Collected, reset: bool) {
    let counts = partner.sessions.counts(reset);
    let state = partner.state.lock();
    let address = state.address.map_or_else(String::new, |address| address.ip().to_string());
    into.resource(partner.name)
        .text(stat::ISR_APPLID, partner.applid)
        .text(stat::ISR_NETWORK_ID, partner.text("NETWORKID"))
        .text(stat::ISR_HOST_NAME, partner.text("HOST"))
        .number(stat::ISR_PORT_NUMBER, limit(partner, "PORT"))
        .text(stat::ISR_TCPIP_SERVICE, partner.text("TCPIPSERVICE"))
        .number(stat::ISR_IPCONN_GMT_CREATE_TIME, state.acquired_at)
        .number(stat::ISR_SEND_SESSIONS, counts.most.into())
        .number(stat::ISR_CURRENT_SEND_SESSIONS, counts.in_use.into())
        .number(stat::ISR_PEAK_SEND_SESSIONS, counts.in_use_peak.into())
        .number(stat::ISR_RECEIVE_SESSIONS, partner.definition.number("RECEIVECOUNT").unwrap_or(1))
        .number(stat::ISR_CURRENT_RECEIVE_SESSIONS, 0)
        .number(stat::ISR_PEAK_RECEIVE_SESSIONS, 0)
        .number(stat::ISR_TOTAL_ALLOCATES, counts.asked)
        .number(stat::ISR_CURRENT_QUEUED_ALLOCATES, counts.waiting.into())
        .number(stat::ISR_PEAK_QUEUED_ALLOCATES, counts.waiting_peak.into())
        .number(stat::ISR_ALLOCATES_FAILED_LINK, counts.without_link)
        .number(stat::ISR_ALLOCATES_FAILED_OTHER, counts.failed)
        .number(stat::ISR_ALLOCATE_QUEUE_LIMIT, limit(partner, "QUEUELIMIT"))
        .number(stat::ISR_QLIMIT_ALLOC_REJECTS, counts.refused)
        .number(stat::ISR_MAX_QUEUE_TIME, limit(partner, "MAXQTIME"))
        .number(stat::ISR_MAXQTIME_ALLOC_QPURGES, counts.purges)
        .number(stat::ISR_MAXQTIME_ALLOCS_PURGED, counts.purged)
        .number(stat::ISR_UNSUPPORTED_REQUESTS, partner.unsupported.load(Ordering::Relaxed))
        .text(stat::ISR_IPCONN_IP_ADDRESS, address);
}
