//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// Partners of a region, CONNECTION and IPCONN together.
pub const PARTNERS_MAX: usize = 1_000;

/// Links that partners have made, at a time: several threads of each.
pub const INBOUND_MAX: usize = 4_096;
/// Of them, from one address.
pub const INBOUND_PER_ADDRESS_MAX: usize = 1_024;

/// Of them, of one partner: its life, and a connection for each of its threads.
pub const INBOUND_PER_PARTNER_MAX: usize = 256;

/// Mirror tasks of one link that a partner has made.
pub const MIRRORS_MAX: usize = link::limits::IN_FLIGHT_MAX as usize;

/// Data streams of a routed task that its relay has not fetched yet.
pub const OUTPUT_MAX: usize = 64;

/// Calls of a routing program about one task.
pub const ROUTE_TRIES_MAX: usize = 100;

/// Groups of tasks with an affinity.
pub const AFFINITIES_MAX: usize = 100_000;

/// A task of this region that runs at a partner counts as so many percent of load there.
pub const SCORE_PER_TASK: u32 = 1;

/// The most units of work in doubt in one answer.
pub const UNITS_MAX: usize = 10_000;

/// Bytes of the origin in front of a request: names and addresses, which are shorter.
pub const ORIGIN_MAX: usize = 1_024;

/// For a partner to answer at the end of a unit of work, if the configuration says nothing.
pub const ANSWER_TIME: Duration = Duration::from_secs(30);

/// Between two looks at units of work in doubt that wait for no longer than a time.
pub const OVERDUE_EVERY: Duration = Duration::from_secs(1);

/// After so long a unit of work in doubt asks how it ends, though its mirror task and the link are there.
pub const DOUBT_AGE: Duration = Duration::from_secs(5);

/// Between two questions to a partner that has no link to this region, and cannot ask: if something is in doubt there.
pub const ASKED_EVERY: Duration = Duration::from_secs(5);

/// The rest after a link could not be made: it grows from the first to the last.
pub const REST_FIRST: Duration = Duration::from_millis(250);
/// See [`REST_FIRST`].
pub const REST_LAST: Duration = Duration::from_secs(30);

/// For a connection to be made, TLS included.
pub const DIAL_TIME: Duration = Duration::from_secs(10);

/// For what is open to be answered when a link is released.
pub const RELEASE_TIME: Duration = Duration::from_secs(10);

/// For links to end in order when the region ends.
pub const FAREWELL: Duration = Duration::from_secs(3);

/// Between two looks if links are gone that were broken off.
pub const SEVER_LOOK: Duration = Duration::from_millis(2);
