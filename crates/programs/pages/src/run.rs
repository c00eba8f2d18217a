//! One page, played on a region of its own in this process.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use config::{Located, RegionConfig, Users};
use jiff::civil::DateTime;
use kernel::clock;
use region::{Startup, run_apart};
use terminal::Tap;
use toolchain::Toolchain;

use crate::coverage::{self, Hit};
use crate::given;
use crate::house::House;
use crate::limits::FAILURES_MAX;
use crate::page::Page;
use crate::player::{Failure, Player, Report};
use crate::recorder::Recorder;
use crate::text::told;
use crate::timeline::Timeline;

/// An application, for one page.
pub struct Inputs<'a> {
    /// Its folder.
    pub root: &'a Path,
    /// Its configuration, with the settings of the page.
    pub config: RegionConfig,
    /// Its users.
    pub users: Users,
    /// Its programs and maps. Those that count their statements tell which of them the page has reached.
    pub toolchain: Toolchain,
    /// An empty folder for the state of the region.
    pub state: &'a Path,
    /// Calendar and clock stand still there.
    pub clock: Option<DateTime>,
}

/// The folder of a page's records within the state, and the copy of the users file.
const GIVEN: &str = "given";
const USERS: &str = "users.toml";

/// Plays a page; and the statements that it has reached, of programs that count them. With `update`, expectations are taken from what happens. Call it within a `LocalSet`, once in a process: the
/// clock stays where a page has stopped it.
pub async fn run(page: &Page, inputs: Inputs<'_>, update: bool) -> (Report, Vec<Hit>) {
    let house = match start(inputs, Some(page), None).await {
        Ok(house) => house,
        Err(failure) => return (Report { failures: vec![failure], ..Report::default() }, Vec::new()),
    };
    let toolchain = Arc::clone(&house.running.toolchain);
    let mut player = Player::new(&page.document, house, update, &statement);
    for (at, block) in page.document.blocks.iter().enumerate() {
        if player.report.failures.len() >= FAILURES_MAX {
            // What comes behind follows from it, mostly.
            player.fail(block.line, String::from("not played any more"));
            break;
        }
        // What is given was loaded, and what is a text is nothing.
        player.play(at).await;
    }
    let report = player.report;
    player.house.end().await;
    (report, coverage::hits(&toolchain))
}

/// Runs a region whose terminals come to an address and are recorded, until something ends it. Call it as [`run`].
///
/// # Errors
/// The reason that it does not start.
pub async fn record(
    inputs: Inputs<'_>,
    listen: SocketAddr,
    recorder: Rc<Recorder>,
    begun: impl FnOnce(SocketAddr),
    ended: impl Future<Output = ()>,
) -> Result<(), String> {
    let house = start(inputs, None, Some((listen, recorder))).await.map_err(|failure| failure.what)?;
    if let Some(address) = house.running.addresses("tn3270").first() {
        begun(*address);
    }
    ended.await;
    house.end().await;
    Ok(())
}

/// Starts the region of a page, or one that is recorded.
async fn start(
    inputs: Inputs<'_>,
    page: Option<&Page>,
    recorded: Option<(SocketAddr, Rc<Recorder>)>,
) -> Result<House, Failure> {
    let whole = |what: String| Failure { line: 0, what };
    let Inputs { root, mut config, users, toolchain, state, clock } = inputs;
    Timeline::of_process().clear();
    run_apart(root, state, &mut config).map_err(|messages| whole(told(&messages)))?;
    if let Some(page) = page {
        given::put(root, &mut config, &state.join(GIVEN), &page.document)?;
    }
    // Passwords are changed in a copy.
    let users_file = state.join(USERS);
    let own = root.join(&config.security.users.value);
    if own.is_file() {
        let copied = fs::copy(&own, &users_file);
        copied.map_err(|error| whole(format!("{} cannot be copied: {error}", own.display())))?;
    }
    if let Some(clock) = clock {
        clock::stop_at(clock);
    }
    let tap = recorded.map(|(listen, recorder)| {
        config.listen.tn3270 = vec![Located::default_value(listen)];
        recorder as Rc<dyn Tap>
    });
    let startup = Startup {
        root,
        state,
        config: &config,
        users,
        users_file,
        toolchain,
        trust: records::Trust::Checked,
        watchers: Vec::new(),
        tap,
        build: None,
    };
    let house = House::start(startup).await;
    house.map_err(|what| whole(format!("the region does not start\n{what}")))
}

/// Shows where a command of a program stands.
fn statement(house: &House, program: &str, number: u16) -> Option<String> {
    let built = house.running.toolchain.program(program).ok()?;
    let entry = built.listing.entry()?;
    let statement = built.listing.statement(entry, number)?;
    Some(format!("in {program}, line {}: EXEC CICS {}", statement.line, statement.text))
}
