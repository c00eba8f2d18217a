//! Programs and maps are built in the background while a region already serves: the first person at a screen then
//! finds its program there.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use command_line::terminal::counted;
use kernel::programs::Programs;
use region::Running;
use toolchain::{Member, Summary, Toolchain};

/// Builds what the region's definitions name. Nothing waits for it: a task that needs a program before it is there builds
/// it, or waits for its build.
pub(crate) fn prepare(running: &Running) {
    let members = defined(running);
    let toolchain = Arc::clone(&running.toolchain);
    thread::spawn(move || build(&toolchain, &members));
}

/// Builds a source that was saved, before a user at a screen asks for it, and says what is wrong with it.
pub(crate) fn rebuild(toolchain: &Arc<Toolchain>, member: Member) {
    let toolchain = Arc::clone(toolchain);
    thread::spawn(move || {
        let name = member.name().to_owned();
        let summary = toolchain.build(&[member], |_| {});
        if !summary.failed.is_empty() {
            // The log shows escape codes as text: colours are for what is printed past it.
            let messages: Vec<String> =
                summary.messages.iter().map(|message| message.render(false)).collect();
            tracing::error!(target: "PG", "{name} does not build\n{}", messages.join("\n\n"));
        }
    });
}

/// The application's members, less programs that no definition names: batch programs stand in the same folders.
fn defined(running: &Running) -> Vec<Member> {
    let programs: Vec<String> =
        Programs::of(&running.region).list().iter().map(|program| program.name.to_string()).collect();
    let mut members = running.toolchain.members();
    members.retain(|member| match member {
        Member::Program(name) => programs.iter().any(|program| program.trim_end() == name),
        Member::Mapset(_) => true,
    });
    members
}

fn build(toolchain: &Toolchain, members: &[Member]) {
    let begun = Instant::now();
    let Summary { programs, mapsets, built, failed, .. } = toolchain.build(members, |step| {
        let state = if step.failed { "does not build" } else { "in place" };
        tracing::debug!(target: "PG", "{}/{}: {} {state}", step.done, step.total, step.member.name());
    });
    if toolchain.is_resting() {
        // The region ends: the next start builds the others.
        return;
    }
    let seconds = begun.elapsed().as_secs_f64();
    tracing::info!(
        target: "PG",
        "{} and {} in place; {built} compiled now, in {seconds:.1} s",
        counted(programs, "program"),
        counted(mapsets, "mapset")
    );
    if !failed.is_empty() {
        let names: Vec<&str> = failed.iter().map(Member::name).collect();
        tracing::warn!(target: "PG", "these do not build: {}; syncpoint check says why", names.join(", "));
    }
}
