//! A session at terminals becomes a page.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Component, Path};
use std::process::ExitCode;
use std::rc::Rc;

use command_line::{ends::Ends, event_loop};
use diagnostics::Diagnostic;
use jiff::{Unit, Zoned};
use pages::{Inputs, Recorder};

use super::{Arguments, build};
use crate::application::{Messages, unwritable};
use crate::codes;

/// Runs a region whose terminals are recorded, and writes the page when a user ends it.
pub(super) fn record(arguments: &Arguments, name: &str) -> Result<ExitCode, Messages> {
    let application = arguments.application.load()?;
    let name = name.trim_end_matches(".md");
    if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(refused(format!("{name} is no name of a page below {}", arguments.tests.display())));
    }
    let path = application.root.join(&arguments.tests).join(format!("{name}.md"));
    if path.exists() {
        return Err(refused(format!("{} is there already", path.display())));
    }
    let (users, toolchain) = (application.users()?, build(application.toolchain()?));
    let state = tempfile::tempdir().map_err(|error| unwritable(&std::env::temp_dir(), &error))?;
    // The page shows the time of its recording for ever.
    let now = Zoned::now().round(Unit::Second).unwrap_or_else(|_| Zoned::now()).datetime();
    let recorder = Rc::new(Recorder::default());
    let ran = event_loop::run(async {
        let inputs = Inputs {
            root: &application.root,
            config: application.config,
            users,
            toolchain,
            state: state.path(),
            clock: Some(now),
        };
        let ends = Ends::new()?;
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
        let begun = |address| {
            println!(
                "What happens at {address} is recorded: c3270 {address}. Ctrl-C ends it and writes {}.",
                path.display()
            );
        };
        pages::record(inputs, listen, Rc::clone(&recorder), begun, ends.asked()).await.map_err(refused)
    });
    ran?;
    let settings = [format!("clock: {}", now.strftime("%Y-%m-%d %H:%M:%S"))];
    let title = name.rsplit('/').next().unwrap_or(name).replace('-', " ");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    let written = fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let written = written.and_then(|mut file| {
        std::io::Write::write_all(&mut file, recorder.page(&title, &settings).as_bytes())
    });
    written.map_err(|error| unwritable(&path, &error))?;
    println!(
        "{} is written: syncpoint test {} {name}",
        path.display(),
        arguments.application.folder.display()
    );
    Ok(ExitCode::SUCCESS)
}

fn refused(why: String) -> Messages {
    vec![Diagnostic::error(codes::NO_PAGE, why)]
}
