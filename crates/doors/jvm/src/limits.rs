//! Everything that grows has a limit, and every limit has a name.

use std::time::Duration;

/// Threads of a JVM server (THREADLIMIT).
pub(crate) const THREADS_MAX: usize = 256;
/// Threads of a JVM server whose definition does not say it.
pub(crate) const THREADS: usize = 15;
/// Works of a JVM server's Java threads that wait for a task of their own and have no thread yet: as many as a JVM has.
pub(crate) const WORKS_MAX: usize = 10_000;
/// Attaches of a transaction that a user is refused for want of a right within a second; others are, then, without a look.
pub(crate) const REFUSALS_PER_SECOND: u32 = 100;
/// Users with transactions of which a JVM server counts refusals.
pub(crate) const REFUSED_MAX: usize = 256;
/// Shapes of commands on one connection.
pub(crate) const SHAPES_MAX: usize = 512;
/// Options of a shape.
pub(crate) const OPTIONS_MAX: usize = 32;
/// Times that a command may be answered for one message, and bytes of its answers beyond which it is answered no more.
pub(crate) const AHEAD_MAX: usize = 20;
pub(crate) const AHEAD_BYTES: usize = 64 << 10;
/// Bytes of a message, in all its frames; of an area that a command may fill.
pub(crate) const MESSAGE_MAX: usize = link::limits::MESSAGE_MAX;
/// Bytes of a Hello.
pub(crate) const HELLO_MAX: usize = 1 << 10;
/// Connections that have said nothing yet.
pub(crate) const STRANGERS_MAX: usize = 32;
/// The time for a connection's Hello.
pub(crate) const HELLO_TIME: Duration = Duration::from_secs(5);
/// The time that a JVM may take from its start to its first connection.
pub(crate) const START_TIME: Duration = Duration::from_secs(60);
/// The time that a JVM may take to end in order.
pub(crate) const STOP_TIME: Duration = Duration::from_secs(5);
/// The same for Liberty, which gives requests 30 seconds of it.
pub(crate) const LIBERTY_STOP_TIME: Duration = Duration::from_secs(40);
/// Bytes of a `server.xml` of Liberty.
pub(crate) const SERVER_XML_MAX: u64 = 1 << 20;
/// The time between two looks at a JVM.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The time after which a JVM that says nothing of itself stands still.
pub(crate) const SILENCE: Duration = Duration::from_secs(5);
/// The longest PURGE_ESCALATION_TIMEOUT.
pub(crate) const ESCALATION_MAX: Duration = Duration::from_secs(86_400);
/// Dumps that a JVM was asked for and has not made yet.
pub(crate) const DUMPS_MAX: usize = 16;
/// Heap dumps of a JVM server that are kept.
pub(crate) const HEAP_DUMPS_MAX: usize = 4;
/// Bytes of a file of output, before it becomes the old one and another begins.
pub(crate) const OUTPUT_MAX: u64 = 16 << 20;
/// Messages of a control connection that wait to be heard; a JVM that says more waits.
pub(crate) const SAID_MAX: usize = 64;
/// Bytes of a message of a control connection.
pub(crate) const REPORT_MAX: usize = 128 << 10;
/// Programs of an OSGi bundle; files that are looked at for one of its jars.
pub(crate) const SERVICES_MAX: usize = 256;
pub(crate) const JARS_MAX: usize = 10_000;
/// Bytes of a profile.
pub(crate) const PROFILE_MAX: u64 = 64 << 10;
/// Characters of a text of Java in the region's log.
pub(crate) const TEXT_MAX: usize = 500;
