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
//! - [`JvmServers`]: the JVM servers of a region; the region opens and closes them.
//! - [`DOMAIN`]: JVMSERVER as a resource, programs with JVM(YES).
//!
//! `java/` has the Java side: `com.ibm.cics.server`, written from the public documentation, and what it stands on. The JDK of a JVM
//! server compiles it once.
//!
//! Out of scope: OSGi and Liberty, JDBC.

mod jdk;
mod life;
mod limits;
mod output;
mod profile;
mod program;
mod resource;
mod server;
mod shapes;
mod sources;
mod talk;
mod wire;

use kernel::catalog::Domain;

pub use server::JvmServers;

/// The domain.
pub static DOMAIN: Domain = Domain {
    commands: &[resource::HANDLERS],
    kinds: &[&resource::KIND],
    java: Some(program::program),
    begin: |parts, _| parts.put(JvmServers::default()),
    ..Domain::named("jvm")
};
