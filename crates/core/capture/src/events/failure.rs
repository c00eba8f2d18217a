//! Reasons why events are not emitted.

use kernel::lines::often;
use kernel::raise::Raise;
use kernel::region::Region;

use super::Events;
use super::adapter::Adapter;
use super::event::Event;

/// A reason why an event was not emitted.
#[derive(Debug)]
pub(super) enum Failure {
    /// A wrong name in the adapter: a queue, a transaction, a URIMAP.
    Config(String),
    /// Something else.
    Other(String),
    /// The task that emits it has to end.
    Ended(Raise),
}

/// Says once in a while why events are not emitted, and counts them.
pub(super) fn tell(region: &Region, adapter: &Adapter, event: &Event, failure: &Failure) {
    let counts = &Events::of(region).counts;
    adapter.counts.failed.more();
    let why = match failure {
        Failure::Config(why) => {
            counts.adapter_config.more();
            why.clone()
        }
        Failure::Other(why) => {
            counts.adapter_other.more();
            why.clone()
        }
        Failure::Ended(raise) => {
            counts.adapter_other.more();
            raise.to_string()
        }
    };
    often!(
        error, target: "EP",
        "an event {} of EVENTBINDING {} is not emitted by EPADAPTER {}: {why}", event.name, event.binding.name, adapter.name
    );
}
