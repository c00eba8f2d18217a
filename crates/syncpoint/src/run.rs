//! `syncpoint run`: a region from an application's folder.

use std::process;
use std::time::Duration;

use diagnostics::{Diagnostic, Source, any_error};
use kernel::name::Name8;
use region::{Running, Startup};
use tokio::task::LocalSet;
use toolchain::Member;

use crate::application::{Application, Messages, read};
use crate::prepare::prepare;
use crate::{codes, log, terminal};

/// How often `--watch` looks for changed sources: well below what a person needs to reach for ENTER.
const WATCH_EVERY: Duration = Duration::from_millis(200);

/// The exit status after a second Ctrl-C: ended by SIGINT.
const INTERRUPTED: i32 = 130;

/// Runs a region until it is told to stop.
pub(crate) fn run(application: Application, watch: bool) -> Result<(), Messages> {
    log::start(&application)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        vec![Diagnostic::error(codes::NO_RUNTIME, format!("the event loop cannot be started: {error}"))]
    })?;
    LocalSet::new().block_on(&runtime, serve(application, watch))
}

async fn serve(application: Application, watch: bool) -> Result<(), Messages> {
    let startup = Startup {
        root: &application.root,
        state: &application.state,
        config: &application.config,
        users: users(&application)?,
        toolchain: application.toolchain()?,
    };
    let (running, messages) = startup.start().await?;
    terminal::tell(&messages);
    greet(&application, &running);
    prepare(&running);
    let watching = watch
        .then(|| tokio::task::spawn_local(watch_sources(running.toolchain.clone(), running.region.clone())));
    let stopped = tokio::select! {
        stopped = tokio::signal::ctrl_c() => stopped,
        () = running.region.shutdown.notified() => Ok(()),
    };
    if let Some(watching) = watching {
        watching.abort();
    }
    if let Err(error) = stopped {
        tracing::error!(target: "DM", "Ctrl-C cannot be waited for: {error}");
    }
    eprintln!("the region shuts down: no new tasks, those that run may end (Ctrl-C again ends them at once)");
    tokio::task::spawn_local(async {
        if tokio::signal::ctrl_c().await.is_ok() {
            process::exit(INTERRUPTED);
        }
    });
    running.shut_down().await;
    eprintln!("the region has ended");
    Ok(())
}

/// The users file; there may be none.
fn users(application: &Application) -> Result<config::Users, Messages> {
    let file = &application.config.security.users;
    let path = application.root.join(&file.value);
    if !path.exists() && !file.is_written() {
        return Ok(config::Users::default());
    }
    let (users, messages) = config::users(&Source::new(file.value.clone(), read(&path)?));
    if any_error(&messages) { Err(messages) } else { Ok(users) }
}

fn greet(application: &Application, running: &Running) {
    println!("Region {} ({}) runs.", application.config.applid, application.config.sysid);
    for address in &running.tn3270 {
        println!("  Terminals: tn3270 {address}        for example  c3270 {address}");
    }
    println!("  State:     {}", application.state.display());
    println!("Press Ctrl-C to shut it down.");
}

/// Takes saved sources into use: their next task starts with the new program.
async fn watch_sources(
    toolchain: std::sync::Arc<toolchain::Toolchain>,
    region: std::sync::Arc<kernel::region::Region>,
) {
    loop {
        tokio::time::sleep(WATCH_EVERY).await;
        let looking = toolchain.clone();
        let changed = tokio::task::spawn_blocking(move || looking.changed()).await.unwrap_or_default();
        for member in changed {
            let name = Name8::from(member.name());
            match member {
                Member::Program(_) => drop(region.programs.new_copy(name)),
                Member::Mapset(_) => region.mapsets.new_copy(name),
            }
            tracing::info!(target: "PG", "{name} has changed: its next use takes the new version");
        }
    }
}
