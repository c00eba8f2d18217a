//! Statistics of services and URI maps.

use std::sync::atomic::{AtomicU64, Ordering};

use domains::statistics::{Collected, Collector};
use kernel::region::Region;
use ports::{Handshakes, Suite, Taken, Way};
use spec::measures::stat;

use crate::counts::UriCounts;
use crate::region::Web;
use crate::service::{Counts, Service};
use crate::uri_map::{Source, UriMap};

fn got(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// Tells them.
pub(crate) struct Teller;

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, reset: bool) {
        let web = Web::of(region);
        web.services().iter().for_each(|service| of_service(service, into, reset));
        of_requests(&web.counts, into);
        web.maps().iter().for_each(|map| of_map(map, into));
        of_handshakes(&ports::handshakes(), into);
        of_places(&web.places().taken(reset), web.services().iter().map(|service| &*service.counts), into);
    }
}

fn of_service(service: &Service, into: &mut Collected, reset: bool) {
    let (counts, said) = (&service.counts, &service.said);
    let present = service.connections();
    let most = got(&counts.connections_most).max(present);
    if reset {
        counts.connections_most.store(present, Ordering::Relaxed);
    }
    let address = service.listens();
    into.resource(service.name)
        .number(stat::SOR_TRANS_ATTACHED, got(&counts.attached))
        .number(stat::SOR_CURRENT_CONNS, present)
        .number(stat::SOR_PEAK_CONNS, most)
        .number(stat::SOR_TOTAL_CONNS, got(&counts.connections))
        .number(stat::SOR_REQUESTS, got(&counts.requests))
        .number(stat::SOR_RECEIVES, counts.traffic.receives.get())
        .number(stat::SOR_BYTES_RECEIVED, counts.traffic.bytes_received.get())
        .number(stat::SOR_SENDS, counts.traffic.sends.get())
        .number(stat::SOR_BYTES_SENT, counts.traffic.bytes_sent.get())
        .number(stat::SOR_NONP_AT_MAXPERSIST, counts.traffic.not_kept.get())
        .number(stat::SOR_TCPIPS_NON_PERSIST, counts.traffic.not_kept.get())
        .number(stat::SOR_OPEN_GMT, got(&counts.opened))
        .number(stat::SOR_CLOSE_GMT, got(&counts.closed))
        .number(stat::SOR_PORT_NUMBER, address.map_or(said.port, |at| at.port()).into())
        .number(stat::SOR_BACKLOG, said.backlog.into())
        .text(stat::SOR_PROTOCOL, said.protocol.name())
        .number(stat::SOR_MAXDATA_LENGTH, said.body_max_kb())
        .text(stat::SOR_TCPIPS_TRANID, said.transaction)
        .text(stat::SOR_TCPIPS_URM, service.analyzer())
        .number(stat::SOR_TCPIPS_MAX_PERSIST, said.kept_max.map_or(0, |most| most as u64))
        .text(stat::SOR_IP_ADDRESS, address.map_or_else(String::new, |at| at.ip().to_string()))
        .text(stat::SOR_HOSTNAME, &said.host);
}

/// MAXSOCKETS, and what the published statistics have no place for.
fn of_places<'s>(taken: &Taken, services: impl Iterator<Item = &'s Counts> + Clone, into: &mut Collected) {
    let sum = |of: fn(&Counts) -> u64| services.clone().map(of).sum();
    into.region()
        .number(stat::SOG_MAXSOCKETS_LIMIT, taken.most as u64)
        .number(stat::SOG_TIMES_AT_MAX_SOCKETS, taken.full)
        .number(stat::SOG_DELAYED_AT_MAX_SOCKETS, taken.waited)
        .number(stat::SOG_CURR_DELAYED_AT_MAX, taken.waiting as u64)
        .number(stat::SOG_PEAK_DELAYED_AT_MAX, taken.waiting_most as u64)
        .number(stat::SOG_TIMES_AT_ACCEPT_LIMIT, taken.paused)
        .number(stat::SOG_TIME_LAST_PAUSED_HTTP_LISTENING, taken.paused_last)
        .number(stat::SOG_TIMES_CONN_DISCONNECTED_AT_MAX, taken.left);
    into.region()
        .number(stat::SPWSOCKS, taken.present as u64)
        .number(stat::SPWSOCKP, taken.present_most as u64)
        .number(stat::SPWNOBOD, sum(|counts| got(&counts.for_nobody)))
        .number(stat::SPWLOST, sum(|counts| counts.traffic.undelivered.get()))
        .number(stat::SPWBROKE, sum(|counts| counts.traffic.broken_off.get()))
        .number(stat::SPWREFUS, sum(|counts| counts.traffic.refused.get()))
        .number(stat::SPWBUSY, sum(|counts| got(&counts.turned_away)));
}

/// Handshakes of TLS, by version and cipher suite.
fn of_handshakes(all: &[(Suite, Handshakes)], into: &mut Collected) {
    let sum = |is: &dyn Fn(&Suite) -> bool, of: fn(&Handshakes) -> u64| {
        all.iter().filter(|(suite, _)| is(suite)).map(|(_, counts)| of(counts)).sum::<u64>()
    };
    let made = |way: Way, version: &'static str| {
        let is = move |suite: &Suite| suite.0 == way && (version.is_empty() || suite.1 == version);
        sum(&is, |counts| counts.full + counts.resumed)
    };
    let by = |way: Way, of: fn(&Handshakes) -> u64| sum(&move |suite: &Suite| suite.0 == way, of);
    into.region()
        .number(stat::SOG_TIMES_CICSTLS12_INB_USED, made(Way::Inbound, "TLSv1_2"))
        .number(stat::SOG_TIMES_CICSTLS13_INB_USED, made(Way::Inbound, "TLSv1_3"))
        .number(stat::SOG_TIMES_CICSTLSALL_INB_USED, made(Way::Inbound, ""))
        .number(stat::SOG_TIMES_CICSTLS12_OUTB_USED, made(Way::Outbound, "TLSv1_2"))
        .number(stat::SOG_TIMES_CICSTLS13_OUTB_USED, made(Way::Outbound, "TLSv1_3"))
        .number(stat::SOG_TIMES_CICSTLSALL_OUTB_USED, made(Way::Outbound, ""))
        .number(stat::SOG_TIMES_ATSSL3_INB_USED, made(Way::Proxied, "SSLv3"))
        .number(stat::SOG_TIMES_ATTLS10_INB_USED, made(Way::Proxied, "TLSv1"))
        .number(stat::SOG_TIMES_ATTLS11_INB_USED, made(Way::Proxied, "TLSv1_1"))
        .number(stat::SOG_TIMES_ATTLS12_INB_USED, made(Way::Proxied, "TLSv1_2"))
        .number(stat::SOG_TIMES_ATTLS13_INB_USED, made(Way::Proxied, "TLSv1_3"))
        .number(stat::SOG_HANDSHAKES_FULL_INB, by(Way::Inbound, |counts| counts.full))
        .number(stat::SOG_HANDSHAKES_ABBREV_INB, by(Way::Inbound, |counts| counts.resumed))
        .number(stat::SOG_HANDSHAKES_FULL_OUTB, by(Way::Outbound, |counts| counts.full))
        .number(stat::SOG_HANDSHAKES_ABBREV_OUTB, by(Way::Outbound, |counts| counts.resumed));
    for ((way, version, cipher), counts) in all {
        let way = match way {
            Way::Inbound => "IN",
            Way::Outbound => "OUT",
            Way::Proxied => "PROXY",
        };
        let parts = [way, version, cipher];
        let name: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        into.resource(name.join("."))
            .number(stat::SPHFULL, counts.full)
            .number(stat::SPHRESUM, counts.resumed)
            .number(stat::SPHFAIL, counts.failed)
            .number(stat::SPHTIME, counts.handshake_ns)
            .number(stat::SPHENC, counts.encrypted)
            .number(stat::SPHDEC, counts.decrypted)
            .number(stat::SPHCPU, counts.transfer_ns);
    }
}

fn of_requests(counts: &UriCounts, into: &mut Collected) {
    into.region()
        .number(stat::WBG_URIMAP_REFERENCE_COUNT, got(&counts.looked_up))
        .number(stat::WBG_URIMAP_NO_MATCH_COUNT, got(&counts.unmatched))
        .number(stat::WBG_URIMAP_MATCH_COUNT, got(&counts.matched))
        .number(stat::WBG_URIMAP_MATCH_DISABLED, got(&counts.disabled))
        .number(stat::WBG_HOST_DISABLED_COUNT, got(&counts.off))
        .number(stat::WBG_URIMAP_MATCH_REDIRECT, got(&counts.redirected))
        .number(stat::WBG_URIMAP_MATCH_ANALYZER, got(&counts.analyzed))
        .number(stat::WBG_URIMAP_STATIC_CONTENT, got(&counts.pages))
        .number(stat::WBG_URIMAP_DYNAMIC_CONTENT, got(&counts.programs))
        .number(stat::WBG_URIMAP_PIPELINE_REQS, got(&counts.messages))
        .number(stat::WBG_URIMAP_SCHEME_HTTP, got(&counts.plain))
        .number(stat::WBG_URIMAP_SCHEME_HTTPS, got(&counts.tls))
        .number(stat::WBG_URIMAP_DIRECT_ATTACH, got(&counts.direct));
}

fn of_map(map: &UriMap, into: &mut Collected) {
    let (template, file) = match &map.page {
        Some(Source::Template(name)) => (name.as_str(), ""),
        Some(Source::File(file)) => ("", file.as_str()),
        None => ("", ""),
    };
    into.resource(map.name)
        .text(stat::WBR_URIMAP_HOSTNAME, &map.matches.host)
        .number(stat::WBR_URIMAP_PORT, map.port.unwrap_or(0).into())
        .text(stat::WBR_URIMAP_PATH, &map.matches.path)
        .text(stat::WBR_URIMAP_TEMPLATENAME, template)
        .text(stat::WBR_URIMAP_HFSFILE, file)
        .text(stat::WBR_URIMAP_LOCATION, &map.location)
        .text(stat::WBR_URIMAP_TRANS_ID, map.transaction.unwrap_or_default())
        .text(stat::WBR_URIMAP_TCPIPSERVICE, map.matches.service.as_deref().unwrap_or_default())
        .text(stat::WBR_URIMAP_CONVERTER, map.converter.unwrap_or_default())
        .text(stat::WBR_URIMAP_PROGRAM_NAME, map.program.unwrap_or_default())
        .text(stat::WBR_URIMAP_WEBSERVICE, map.webservice.unwrap_or_default())
        .text(stat::WBR_URIMAP_PIPELINE, map.pipeline.unwrap_or_default())
        .number(stat::WBR_URIMAP_REFERENCE_COUNT, got(&map.counts.matched))
        .number(stat::WBR_URIMAP_MATCH_DISABLED, got(&map.counts.disabled))
        .number(stat::WBR_URIMAP_MATCH_REDIRECT, got(&map.counts.redirected));
}
