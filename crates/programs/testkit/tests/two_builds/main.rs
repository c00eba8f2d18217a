//! Two regions of different builds on one link: what both know works, what the other one does not know is refused by its name before
//! anything is done, and one of the two is replaced while the other goes on.

#[path = "../common/mod.rs"]
mod common;
mod hello;
mod renamed;
mod rolling;
mod wire;

use std::path::Path;
use std::time::Duration;

use testkit::application::Application;
use testkit::document::Document;
use testkit::house::House;
use testkit::timeline::{Happening, Timeline};

/// The longest wait.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs what needs an event loop of one thread.
fn on_loop(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a loop");
    tokio::task::LocalSet::new().block_on(&runtime, work);
}

/// Waits until something is so.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    if tokio::time::timeout(PATIENCE, waiting).await.is_err() {
        let told = Timeline::of_process().since(0);
        let last: Vec<_> = told.iter().rev().take(30).map(ToString::to_string).collect();
        panic!("in vain: {what}; the last that happened, backwards:\n{}", last.join("\n"));
    }
}

/// Returns true if a program has displayed a line, or a message of the log has a text, from a place of the timeline on.
fn said(from: usize, line: &str) -> bool {
    Timeline::of_process().since(from).iter().any(|happening| match happening {
        Happening::Display(text) => text.trim_end() == line,
        Happening::Message(text) => text.contains(line),
        _ => false,
    })
}

/// Two regions that are to be linked by a wire, and the folders of their data.
struct Pair {
    own: Application,
    partner: Application,
    states: [tempfile::TempDir; 2],
    wire: wire::Wire,
    /// The folders of their sockets.
    _links: tempfile::TempDir,
}

impl Pair {
    /// The regions of an application and its partner.
    fn new(name: &str, text: &str) -> Self {
        Timeline::of_process().clear();
        let document = Document::parse(name, text).expect("blocks");
        let partner = testkit::terms::partner(&document).expect("a partner");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let links = tempfile::tempdir().expect("a folder");
        let sides = ["asks", "real"].map(|side| links.path().join(side));
        for folder in &sides {
            std::fs::create_dir_all(folder).expect("a folder");
            std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))
                .expect("a mode");
        }
        let written =
            |links| Application::write_two((&document, &partner), &folder, links).expect("applications");
        let ([own, _], [_, partner]) = (written(&sides[0]), written(&sides[1]));
        let states = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let [asks, real] = sides;
        Self { own, partner, states, wire: wire::Wire::new(asks, real), _links: links }
    }

    async fn start_partner(&self) -> House {
        self.partner.start(self.states[1].path()).await.expect("a partner")
    }

    /// Starts both, with the wire between them, and waits for their links.
    async fn start(&self) -> (House, House) {
        let partner = self.start_partner().await;
        self.wire.begins();
        let asker = self.own.start(self.states[0].path()).await.expect("an asker");
        until("both are linked", || {
            said(0, "PART to PARTNER is acquired") && said(0, "TEST to TESTKIT is acquired")
        })
        .await;
        (asker, partner)
    }
}
