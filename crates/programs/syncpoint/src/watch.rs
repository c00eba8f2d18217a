//! `--watch`: what is saved while a region runs is taken into use, or the log says that it waits for the next start.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use config::REGION_FILE;
use domains::maps::Mapsets;
use kernel::name::Name8;
use kernel::programs::Programs;
use kernel::region::Region;
use region::{Running, Saved};
use repository::Repository;
use tokio::task::JoinHandle;
use toolchain::{Member, Toolchain};

use crate::application::Application;
use crate::prepare::rebuild;

/// The interval between searches for saved files: well below the time that a person needs to reach for ENTER.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The texts as they were before the region has read them: what is saved while it starts is not missed.
pub(crate) struct Before {
    definitions: Definitions,
    saved: Saved,
}

impl Before {
    /// Those of now.
    pub(crate) fn of(application: &Application) -> Self {
        region::bring_domains();
        let saved = Saved::now(&application.root, &application.config);
        Self { definitions: Definitions::of(application), saved }
    }
}

/// Looks for saved files until it is aborted. It must be called on an event loop of one thread, as `event_loop` is.
pub(crate) fn watch(application: &Application, running: &Running, before: Before) -> JoinHandle<()> {
    let (toolchain, region) = (Arc::clone(&running.toolchain), Arc::clone(&running.region));
    let (root, config) = (application.root.clone(), application.config.clone());
    let Before { mut definitions, mut saved } = before;
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
            let (csd, others): (Vec<Changed>, Vec<Changed>) =
                names.into_iter().partition(|text| text.defines);
            for Changed { name, .. } in others {
                tracing::info!(target: "SI", "{name} has changed: it is read when a region starts; end this one and start it again");
            }
            if !csd.is_empty() {
                let names: Vec<String> = csd.into_iter().map(|text| text.name).collect();
                tracing::info!(target: "RD", "{} has changed: what is new in it is installed", names.join(", "));
                let refused = saved.take(&region, &root, &config).await;
                refused.iter().for_each(|message| tracing::warn!(target: "RD", "{message}"));
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

/// Texts that are no programs: region.toml and IDCAMS inputs, which only a start reads, and definitions.
struct Definitions {
    texts: Vec<Text>,
    repository: Repository,
    root: PathBuf,
}

struct Text {
    path: PathBuf,
    saved: Option<SystemTime>,
    defines: bool,
}

/// A text that was saved.
struct Changed {
    /// As messages show it.
    name: String,
    /// True if it holds definitions.
    defines: bool,
}

impl Definitions {
    fn of(application: &Application) -> Self {
        let (root, config) = (application.root.clone(), &application.config);
        let patterns = config.definitions.idcams.iter();
        let files = patterns.flat_map(|pattern| toolchain::files(&root, pattern).unwrap_or_default());
        let files = [root.join(REGION_FILE)].into_iter().chain(files);
        let repository = region::repository(&root, config);
        let mut texts: Vec<Text> = files.map(|path| Text::new(path, false)).collect();
        texts.extend(repository.paths().into_iter().map(|path| Text::new(path, true)));
        Self { texts, repository, root }
    }

    /// Those that were saved since the last look, new ones among the definitions included.
    fn changed(&mut self) -> Vec<Changed> {
        let mut changed = Vec::new();
        for path in self.repository.paths() {
            if !self.texts.iter().any(|text| text.path == path) {
                self.texts.push(Text { path, saved: None, defines: true });
            }
        }
        for text in &mut self.texts {
            let now = saved(&text.path);
            // An editor may take the file away for a moment.
            if now.is_some() && now != text.saved {
                text.saved = now;
                let name = text.path.strip_prefix(&self.root).unwrap_or(&text.path).display().to_string();
                changed.push(Changed { name, defines: text.defines });
            }
        }
        changed
    }
}

impl Text {
    fn new(path: PathBuf, defines: bool) -> Self {
        Self { saved: saved(&path), path, defines }
    }
}

fn saved(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}
