//! JVM servers: Java programs of a region's tasks.
//!
//! ```text
//! LINK, first program ─► program ─► thread of the JVM server ═ socket ═► Java: main(…)
//!                        issue   ◄─ commands by numbered shapes ◄══════ Task, Program, TSQ, Channel …
//!                        the same handlers as those of any program
//! ```
//!
//! A JVM server is a process beside the region. A task that runs a Java program has one of its threads, with a connection of its own;
//! what comes over it is checked like the words of a stranger. The region owns the task: its unit of work, its locks, its purge.
//!
//! - [`open`], [`JvmServers`]: the JVM servers of a region; the region opens and closes them.
//! - [`DOMAIN`]: JVMSERVER, OSGIBUNDLE and OSGISERVICE as resources, OSGIBUNDLE parts of bundles, programs with JVM(YES).
//!
//! `java/` has the Java side: `com.ibm.cics.server`, written from the public documentation, and what it stands on. The JDK of a JVM
//! server compiles it once; `osgi/` has what
//! an OSGi JVM server needs besides, which is compiled against the framework that its profile names; `liberty/` the extension of an
//! Open Liberty that the profile names, whose requests have tasks.
//!
//! Out of scope: JDBC.

mod counts;
mod dumps;
mod executor;
mod jdk;
mod liberty;
mod life;
mod limits;
mod osgi;
mod output;
mod perform;
mod profile;
mod program;
mod refusals;
mod resource;
mod server;
mod shapes;
mod sources;
mod statistics;
mod talk;
mod vitals;
mod waits;
mod watch;
mod wire;
mod wlp;
mod work;

use kernel::catalog::Domain;

pub use life::open;
pub use server::JvmServers;

/// The domain.
pub static DOMAIN: Domain = Domain {
    commands: &[resource::HANDLERS, osgi::HANDLERS, perform::HANDLERS],
    kinds: &[&resource::KIND, &osgi::BUNDLE_KIND, &osgi::SERVICE_KIND],
    parts: &[&osgi::PART, &osgi::WAR, &osgi::EAR],
    waits: &[&waits::JAVA, &waits::THREAD],
    transactions: executor::TRANSACTIONS,
    java: Some(program::program),
    begin: |parts, _| {
        parts.put(JvmServers::default());
        parts.put(osgi::OsgiBundles::default());
    },
    ..Domain::named("jvm")
};
