//! One page in this process: it leaves a report for the process that has started it.

use std::fs;
use std::path::Path;
use std::process::{self, ExitCode};
use std::thread;
use std::time::Duration;

use command_line::event_loop;
use pages::coverage::Hit;
use pages::{Inputs, Report};
use serde::{Deserialize, Serialize};

use super::Arguments;
use super::found::Found;
use crate::application::{ApplicationFolder, Messages, unwritable};
use crate::parent;

/// The file of the report, and the folder of the region's state, within the page's folder.
pub(super) const REPORT: &str = "report.json";
const STATE: &str = "state";

/// A page runs for so long at most.
const PAGE_TIME_MAX: Duration = Duration::from_secs(600);
/// The exit status of a page that has run for too long.
const TOO_LONG: i32 = 3;

/// The report of a page, and the statements that it has reached.
#[derive(Serialize, Deserialize)]
pub(super) struct Played {
    pub report: Report,
    pub hits: Vec<Hit>,
}

/// Plays the page that is named.
pub(super) fn run(arguments: &Arguments, folder: &Path) -> Result<ExitCode, Messages> {
    parent::ends_with(arguments.child_of);
    watch();
    let name = arguments.pages.first().cloned().unwrap_or_default();
    let given = &arguments.application;
    let found = Found::read(&given.folder.join(&arguments.tests), name)?;
    let settings = given.settings.iter().chain(&found.page.settings.keys).cloned().collect();
    let of_page = ApplicationFolder { folder: given.folder.clone(), data: given.data.clone(), settings };
    let (application, _) = of_page.read(None)?;
    let (users, toolchain) = (application.users()?, arguments.toolchain(&application)?);
    let state = folder.join(STATE);
    fs::create_dir_all(&state).map_err(|error| unwritable(&state, &error))?;
    let (report, hits) = event_loop::run(async {
        let inputs = Inputs {
            root: &application.root,
            config: application.config,
            users,
            toolchain,
            state: &state,
            clock: found.page.settings.clock,
        };
        Ok(pages::run(&found.page, inputs, arguments.update).await)
    })?;
    let played = Played { report, hits };
    let path = folder.join(REPORT);
    let text = serde_json::to_vec(&played).map_err(|error| unwritable(&path, &error.into()))?;
    fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
    Ok(ExitCode::SUCCESS)
}

/// Ends this process, whatever it waits for, when a page has had its time.
fn watch() {
    thread::spawn(|| {
        thread::sleep(PAGE_TIME_MAX);
        eprintln!("the page has not come to its end within {} s", PAGE_TIME_MAX.as_secs());
        process::exit(TOO_LONG);
    });
}
