//! The counts of event processing, as statistics collect them.

use std::sync::atomic::Ordering;

use domains::statistics::{Collected, Collector};
use kernel::region::Region;
use spec::measures::stat;

use super::adapter::Adapter;
use super::{Events, points};

/// Tells them.
pub(crate) struct Teller;

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, reset: bool) {
        whole(Events::of(region), into, reset);
        for binding in Events::of(region).bindings() {
            let (adapter, set) = binding.adapter();
            let adapter = if adapter.is_empty() { set } else { adapter };
            into.resource(&binding.name).text(stat::ECR_EPADAPTER_NAME, adapter);
            for capturing in &binding.captures {
                let specification = &capturing.specification;
                into.resource(format!("{}.{}", binding.name, specification.name))
                    .text(stat::ECC_CAPTURESPEC_NAME, &specification.name)
                    .number(stat::ECC_CAPTURE_POINT_TYPE, points::kind(&specification.point).1)
                    .text(stat::ECC_CAPTURE_POINT, points::name(&specification.point))
                    .text(stat::ECC_EVENT_NAME, &specification.event)
                    .number(stat::ECC_EVENTS_CAPTURED, capturing.captured.load(Ordering::Relaxed))
                    .number(stat::ECC_CAPTURE_FAILURES, capturing.failed.load(Ordering::Relaxed));
            }
        }
        for adapter in Events::of(region).adapters() {
            into.resource(&adapter.name)
                .number(stat::EPR_EMISSION_MODE, 1 + u64::from(adapter.adapter.synchronous))
                .number(stat::EPR_PUT_EVENTS, adapter.counts.put.get());
            queue(&adapter, into, reset);
        }
    }
}

/// Tells of the events that wait for an adapter, and of those that were passed to it.
fn queue(adapter: &Adapter, into: &mut Collected, reset: bool) {
    let (counts, (bytes, peak)) = (&adapter.counts, adapter.queue.bytes_and_peak(reset));
    into.resource(&adapter.name)
        .number(stat::SPEQNOW, adapter.queue.length() as u64)
        .number(stat::SPEQPEAK, peak as u64)
        .number(stat::SPEQBYTE, bytes as u64)
        .number(stat::SPEQEMIT, counts.emitted.get())
        .number(stat::SPEQFULL, counts.no_room.get())
        .number(stat::SPEQFAIL, counts.failed.get())
        .number(stat::SPEQOFF, counts.disabled.get())
        .number(stat::SPEQDEL, counts.deleted.get());
}

fn whole(events: &Events, into: &mut Collected, reset: bool) {
    let counts = &events.counts;
    let disabled = events.bindings().iter().filter(|binding| !binding.is_enabled()).count();
    into.region()
        .number(stat::ECG_EB_EVENT_FILTER_OPS, counts.filtered.get())
        .number(stat::ECG_EB_EVENTS_CAPTURED, counts.captured.get())
        .number(stat::ECG_EB_EVENTS_DISABLED, disabled as u64)
        .number(stat::ECG_SYS_EVENTS_CAPTURED, counts.of_system.get())
        .number(stat::ECG_FILTER_OPS_FAILED, counts.filters_failed.get())
        .number(stat::ECG_CAPTURE_OPS_FAILED, counts.captures_failed.get())
        .number(stat::EPG_PUT_EVENTS, counts.put.get())
        .number(stat::EPG_COMMIT_FORWARD_EVENTS, counts.commits.get())
        .number(stat::EPG_COMMIT_BACKWARD_EVENTS, counts.backouts.get())
        .number(stat::EPG_CURRENT_EVC_QUEUE, counts.waiting.now())
        .number(stat::EPG_PEAK_EVC_QUEUE, counts.waiting.peak(reset))
        .number(stat::EPG_CURRENT_TRANS_QUEUE, counts.transactional_waiting.now())
        .number(stat::EPG_PEAK_TRANS_QUEUE, counts.transactional_waiting.peak(reset))
        .number(stat::EPG_ASYNC_NORMAL_EVENTS, counts.normal.get())
        .number(stat::EPG_ASYNC_PRIORITY_EVENTS, counts.urgent.get())
        .number(stat::EPG_TRANS_EVENTS, counts.transactional.get())
        .number(stat::EPG_TRANS_EVENTS_DISCARDED, counts.discarded.get())
        .number(stat::EPG_SYNC_EVENTS, counts.synchronous.get())
        .number(stat::EPG_SYNC_EVENTS_FAILED, counts.synchronous_failed.get())
        .number(stat::EPG_DISPATCHERS_ATTACHED, counts.dispatchers.get())
        .number(stat::EPG_CURRENT_DISPATCHERS, counts.dispatchers_now.now())
        .number(stat::EPG_PEAK_DISPATCHERS, counts.dispatchers_now.peak(reset))
        .number(stat::EPG_CUSTOM_ADAPTER_EVENTS, counts.custom.get())
        .number(stat::EPG_TRANS_ADAPTER_EVENTS, counts.transaction.get())
        .number(stat::EPG_TSQUEUE_ADAPTER_EVENTS, counts.ts_queue.get())
        .number(stat::EPG_TDQUEUE_ADAPTER_EVENTS, counts.td_queue.get())
        .number(stat::EPG_HTTP_ADAPTER_EVENTS, counts.http.get())
        .number(stat::EPG_DISPATCH_FAILURE_CONFIG, counts.dispatch_config.get())
        .number(stat::EPG_DISPATCH_FAILURE_OTHER, counts.dispatch_other.get())
        .number(stat::EPG_ADAPTER_FAILURE_CONFIG, counts.adapter_config.get())
        .number(stat::EPG_ADAPTER_FAILURE_OTHER, counts.adapter_other.get())
        .number(stat::EPG_EVENTS_ADAPTER_UNAVAIL, counts.unavailable.get());
}
