//! `--watch`: what is saved while a region runs is taken into use, or the log says that it waits for the next start.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use config::REGION_FILE;
use domains::maps::Mapsets;
use kernel::name::Name8;
use kernel::programs::Programs;
use kernel::region::Region;
use region::Running;
use tokio::task::JoinHandle;
use toolchain::{Member, Toolchain};

use crate::application::Application;
use crate::prepare::rebuild;

/// The interval between searches for saved files: well below the time that a person needs to reach for ENTER.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Looks for saved files until it is aborted. It must be called on an event loop of one thread, as `event_loop` is.
pub(crate) fn watch(application: &Application, running: &Running) -> JoinHandle<()> {
    let (toolchain, region) = (Arc::clone(&running.toolchain), Arc::clone(&running.region));
    let mut definitions = Definitions::of(application);
    tokio::task::spawn_local(async move {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let looking = Arc::clone(&toolchain);
            let look = move || (looking.changed(), definitions.changed(), definitions);
            let Ok((members, names, back)) = tokio::task::spawn_blocking(look).await else { return };
            definitions = back;
            for member in members {
                take(&toolchain, &region, member);
            }
            for name in names {
                tracing::info!(target: "SI", "{name} has changed: it is read when a region starts; end this one and start it again");
            }
        }
    })
}

/// Takes a saved source into use: its next task starts with the new program.
fn take(toolchain: &Arc<Toolchain>, region: &Region, member: Member) {
    let name = Name8::from(member.name());
    match &member {
        Member::Program(_) => Programs::of(region).changed(name),
        Member::Mapset(_) => Mapsets::of(region).new_copy(name),
    }
    tracing::info!(target: "PG", "{name} has changed: its next use takes the new version");
    rebuild(toolchain, member);
}

/// The texts that only a start reads: region.toml, definitions and IDCAMS inputs.
struct Definitions(Vec<Text>);

struct Text {
    /// As messages show it.
    name: String,
    path: PathBuf,
    saved: Option<SystemTime>,
}

impl Definitions {
    fn of(application: &Application) -> Self {
        let (root, config) = (&application.root, &application.config);
        let patterns = config.definitions.csd.iter().chain(&config.definitions.idcams);
        let files = patterns.flat_map(|pattern| toolchain::files(root, pattern).unwrap_or_default());
        let texts = [root.join(REGION_FILE)].into_iter().chain(files).map(|path| Text {
            name: path.strip_prefix(root).unwrap_or(&path).display().to_string(),
            saved: saved(&path),
            path,
        });
        Self(texts.collect())
    }

    /// The names of those that were saved since the last look.
    fn changed(&mut self) -> Vec<String> {
        let mut changed = Vec::new();
        for text in &mut self.0 {
            let now = saved(&text.path);
            // An editor may take the file away for a moment.
            if now.is_some() && now != text.saved {
                text.saved = now;
                changed.push(text.name.clone());
            }
        }
        changed
    }
}

fn saved(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}
