//! The texts of the region's definitions, for those who read and change them while it runs.

use std::sync::{Arc, OnceLock};

use csd::{Command, Csd, Request, Verb};
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::task::WaitKind;
use repository::{Changed, Refused, Repository};
use spec::{CommandId, cmd};

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

    /// Changes the texts for the manager's user, as a request asks: `command` is its. Where the user has seen the version of
    /// what it names, another one is refused.
    ///
    /// # Errors
    /// The abend of a task that was purged meanwhile: the change is made or not.
    pub async fn change(
        by: &Manager,
        asked: &Request,
        command: Command,
        seen: Option<String>,
    ) -> Outcome<Result<Changed, Refused>> {
        let repository = Self::of(&by.region).repository();
        let user = by.user().id.to_string().trim().to_owned();
        let named = asked.clone();
        let change = move || match seen {
            Some(seen) => repository.change_seen(&command, &user, (&named, &seen)),
            None => repository.change(&command, &user),
        };
        let changed = off_the_thread(by, change).await?;
        if let Ok(Changed { text: Some(text), .. }) = &changed {
            tracing::info!(target: "RD", "{text} is changed by {}: {}", by.user().id, given(asked));
            by.has_changed(&format!("CSD {}", asked.verb.name()), text.as_bytes(), given(asked));
        }
        Ok(changed)
    }
}

/// The EXEC CICS command that does the same, by whose right a verb counts.
pub fn command_of(verb: Verb) -> CommandId {
    match verb {
        Verb::Add => cmd::CSD_ADD,
        Verb::Alter => cmd::CSD_ALTER,
        Verb::Append => cmd::CSD_APPEND,
        Verb::Copy => cmd::CSD_COPY,
        Verb::Define | Verb::Userdefine => cmd::CSD_DEFINE,
        Verb::Delete | Verb::Move => cmd::CSD_DELETE,
        Verb::Install => cmd::CSD_INSTALL,
        Verb::Lock => cmd::CSD_LOCK,
        Verb::Remove => cmd::CSD_REMOVE,
        Verb::Rename => cmd::CSD_RENAME,
        Verb::Unlock => cmd::CSD_UNLOCK,
        _ => cmd::CSD_INQUIRERSRCE,
    }
}

/// The names in a request.
fn given(asked: &Request) -> String {
    let resource = asked.resource.map(|resource| format!("{resource}({})", asked.name));
    let named = [("GROUP", &asked.group), ("LIST", &asked.list), ("TO", &asked.to), ("AS", &asked.named)];
    let named = named.into_iter().filter_map(|(word, name)| Some(format!("{word}({})", name.as_deref()?)));
    [asked.verb.name().to_owned()].into_iter().chain(resource).chain(named).collect::<Vec<_>>().join(" ")
}

async fn off_the_thread<T: Send + 'static>(
    by: &Manager,
    work: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Outcome<Result<T, Refused>> {
    let done = by.wait(WaitKind::TCB, tokio::task::spawn_blocking(work)).await?;
    Ok(done.unwrap_or(Err(Refused::Busy)))
}
