//! The texts of the region's definitions, for those who read and change them while it runs.

use std::sync::{Arc, OnceLock};

use csd::{Command, Csd};
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::task::WaitKind;
use repository::{Changed, Refused, Repository};

/// The place of the texts; empty in a region without an application's folder.
#[derive(Default)]
pub struct Shelf(OnceLock<Arc<Repository>>);

impl Shelf {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Tells it where the texts are: once.
    pub fn put(&self, repository: Repository) {
        // A region has one folder.
        let _ = self.0.set(Arc::new(repository));
    }

    fn repository(&self) -> Arc<Repository> {
        self.0.get().cloned().unwrap_or_else(|| Arc::new(Repository::none()))
    }

    /// The content of the texts.
    ///
    /// # Errors
    /// The abend of a task that was purged meanwhile.
    pub async fn read(by: &Manager) -> Outcome<Result<Csd, Refused>> {
        let repository = Self::of(&by.region).repository();
        off_the_thread(by, move || repository.read()).await
    }

    /// Changes the texts for the manager's user.
    ///
    /// # Errors
    /// The abend of a task that was purged meanwhile: the change is made or not.
    pub async fn change(by: &Manager, command: Command) -> Outcome<Result<Changed, Refused>> {
        let repository = Self::of(&by.region).repository();
        let user = by.user().id.to_string().trim().to_owned();
        let (verb, place) = (format!("CSD {command:?}"), command.place().clone());
        let changed = off_the_thread(by, move || repository.change(&command, &user)).await?;
        if let Ok(Changed { text: Some(text), .. }) = &changed {
            let verb = verb.split([' ', '(', '{']).take(2).collect::<Vec<_>>().join(" ").to_ascii_uppercase();
            tracing::info!(target: "RD", "{text} is changed by {}", by.user().id);
            by.has_changed(&verb, text.as_bytes(), place.source.text.clone());
        }
        Ok(changed)
    }
}

async fn off_the_thread<T: Send + 'static>(
    by: &Manager,
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Outcome<Result<T, Refused>> {
    let done = by.wait(WaitKind::TCB, tokio::task::spawn_blocking(work)).await?;
    Ok(done.unwrap_or(Err(Refused::Busy)))
}
