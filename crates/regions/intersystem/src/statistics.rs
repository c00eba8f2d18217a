//! Statistics of links.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use domains::statistics::{Collected, Collector, Statistics};
use kernel::region::Region;
use spec::measures::{StatisticId, stat};

use crate::partner::{Partner, Sort};
use crate::shipped::Asks;
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
    let (received, received_peak) = partner.received.counts(reset);
    let requests = |asks| partner.shipped.sum(asks).requests;
    let [programs, tasks, intervals] =
        [Asks::Programs, Asks::Tasks, Asks::Intervals].map(|asks| partner.shipped.channels(asks));
    let state = partner.state.lock();
    let method = if partner.definition.is("ACCESSMETHOD", "XM") { XM } else { IRC };
    into.resource(partner.name)
        .text(stat::A14ESID, partner.applid)
        .number(stat::A14ACCM, method)
        .number(stat::A14ESECN, sends.into())
        .number(stat::A14EPRMN, takes.into())
        .number(stat::A14E2RY, counts.in_use.into())
        .number(stat::A14E2HWM, counts.in_use_peak.into())
        .number(stat::A14E1RY, received.into())
        .number(stat::A14E1HWM, received_peak.into())
        .number(stat::A14ESTAM, counts.waiting_peak.into())
        // A session that is asked for and not there is all that an automatic initiate descriptor of a connection stands for.
        .number(stat::A14ESALL, counts.waiting.into())
        .number(stat::A14EALL, counts.waiting.into())
        .number(stat::A14EAHWM, counts.waiting_peak.into())
        .number(stat::A14ESTAS, counts.asked)
        .number(stat::A14ESTAQ, counts.queued)
        .number(stat::A14ESTAF, counts.without_link)
        .number(stat::A14ESTAO, counts.failed)
        .number(stat::A14EQPCT, counts.purges)
        .number(stat::A14EMQPC, counts.purged)
        .number(stat::A14EALRJ, counts.refused)
        .number(stat::A14EMXQT, limit(partner, "MAXQTIME"))
        .number(stat::A14EALIM, limit(partner, "QUEUELIMIT"))
        .number(stat::A14GACT, state.acquired_at)
        .number(stat::A14ESTFC, requests(Asks::Files))
        .number(stat::A14ESTIC, requests(Asks::Intervals))
        .number(stat::A14ESTTD, requests(Asks::TransientData))
        .number(stat::A14ESTTS, requests(Asks::TemporaryStorage))
        .number(stat::A14ESTPC, requests(Asks::Programs))
        .number(stat::A14ESTTC, requests(Asks::Tasks))
        .number(stat::A14ESTPC_CHANNEL, programs.requests)
        .number(stat::A14ESTPC_CHANNEL_SENT, programs.sent)
        .number(stat::A14ESTPC_CHANNEL_RCVD, programs.received)
        .number(stat::A14ESTTC_CHANNEL, tasks.requests)
        .number(stat::A14ESTTC_CHANNEL_SENT, tasks.sent)
        .number(stat::A14ESTTC_CHANNEL_RCVD, tasks.received)
        .number(stat::A14ESTIC_CHANNEL, intervals.requests)
        .number(stat::A14ESTIC_CHANNEL_SENT, intervals.sent)
        .number(stat::A14ESTIC_CHANNEL_RCVD, intervals.received);
}

fn of_ipconn(partner: &Partner, into: &mut Collected, reset: bool) {
    let counts = partner.sessions.counts(reset);
    let (received, received_peak) = partner.received.counts(reset);
    let state = partner.state.lock();
    let address = state.address.map_or_else(String::new, |address| address.ip().to_string());
    let mut sheet = into.resource(partner.name);
    sheet
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
        .number(stat::ISR_CURRENT_RECEIVE_SESSIONS, received.into())
        .number(stat::ISR_PEAK_RECEIVE_SESSIONS, received_peak.into())
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
        .number(stat::ISR_TRANS_ATTACHED, partner.attached.load(Ordering::Relaxed))
        .text(stat::ISR_IPCONN_IP_ADDRESS, address);
    for (asks, [requests, sent, received]) in SHIPPED {
        let sum = partner.shipped.sum(asks);
        sheet.number(requests, sum.requests).number(sent, sum.sent).number(received, sum.received);
    }
}

/// The fields of requests to the partner of an IPCONN, and of their bytes.
const SHIPPED: [(Asks, [StatisticId; 3]); 6] = [
    (Asks::Files, [stat::ISR_FS_FC_REQUESTS, stat::ISR_FS_FC_BYTES_SENT, stat::ISR_FS_FC_BYTES_RECEIVED]),
    (Asks::Intervals, [stat::ISR_FS_IC_REQUESTS, stat::ISR_FS_IC_BYTES_SENT, stat::ISR_FS_IC_BYTES_RECEIVED]),
    (
        Asks::TransientData,
        [stat::ISR_FS_TD_REQUESTS, stat::ISR_FS_TD_BYTES_SENT, stat::ISR_FS_TD_BYTES_RECEIVED],
    ),
    (
        Asks::TemporaryStorage,
        [stat::ISR_FS_TS_REQUESTS, stat::ISR_FS_TS_BYTES_SENT, stat::ISR_FS_TS_BYTES_RECEIVED],
    ),
    (Asks::Programs, [stat::ISR_FS_PG_REQUESTS, stat::ISR_FS_PG_BYTES_SENT, stat::ISR_FS_PG_BYTES_RECEIVED]),
    (Asks::Tasks, [stat::ISR_TR_REQUESTS, stat::ISR_TR_BYTES_SENT, stat::ISR_TR_BYTES_RECEIVED]),
];
