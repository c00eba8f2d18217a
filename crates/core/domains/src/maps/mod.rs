//! Basic mapping support: mapsets, and the commands that send and receive maps and text.
//!
//! Out of scope: how a map becomes a data stream. That is the `bms` crate's, without I/O.

mod receive;
mod send;

use std::sync::Arc;

use bms::{Display, Mapset, Screen};
use foldhash::HashMap;
use parking_lot::RwLock;
use spec::{cond, opt};

use kernel::exec::{Answers, Call, NOT_IN_SUBSET};
use kernel::lines::often;
use kernel::name::Name8;
use kernel::programs::{Library, Programs};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::region::Region;
use kernel::task::{Task, WaitKind};
use kernel::terminals::{Terminal, TerminalParts};

/// This domain's commands.
pub(crate) const HANDLERS: &[Answers] = &[send::HANDLERS, receive::HANDLERS];

/// The mapsets that have been loaded.
#[derive(Default)]
pub struct Mapsets {
    loaded: RwLock<HashMap<Name8, Arc<Mapset>>>,
}

impl Mapsets {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Forgets a mapset: the next use loads the present one.
    pub fn new_copy(&self, name: Name8) {
        self.loaded.write().remove(&name);
    }

    fn get(&self, name: Name8) -> Option<Arc<Mapset>> {
        self.loaded.read().get(&name).cloned()
    }

    /// Loads a mapset, off the TCB. `None`: there is none, or its text has errors, and the log says so.
    async fn load(&self, library: &Arc<dyn Library>, name: Name8) -> Option<Arc<Mapset>> {
        let (library, text) = (Arc::clone(library), name.to_string());
        let found = tokio::task::spawn_blocking(move || library.mapset(&text)).await;
        let mapset = match found {
            Ok(Ok(Some(mapset))) => Some(Arc::new(mapset)),
            Ok(Ok(None)) => {
                often!(error, target: "BM", "mapset {name}: no source in the map folders");
                None
            }
            Ok(Err(messages)) => {
                often!(error, target: "BM", "mapset {name} cannot be loaded\n{messages}");
                None
            }
            Err(panic) => {
                tracing::error!(target: "BM", "mapset {name}: the library failed: {panic}");
                None
            }
        }?;
        self.loaded.write().insert(name, Arc::clone(&mapset));
        Some(mapset)
    }
}

/// The mapset of a command.
///
/// # Errors
/// The abend that programs know for a mapset that is not there.
async fn mapset(task: &Task, name: Name8) -> Outcome<Arc<Mapset>> {
    if let Some(mapset) = Mapsets::of(&task.region).get(name) {
        return Ok(mapset);
    }
    let region = Arc::clone(&task.region);
    let loaded = Mapsets::of(&region).load(Programs::of(&region).library(), name);
    task.wait(WaitKind::PROGRAM, loaded).await?.ok_or_else(|| Raise::abend("ABM0"))
}

/// A map of a mapset.
///
/// # Errors
/// The abend that programs know for a map that is not there.
fn map_of(set: &Mapset, (set_name, name): (Name8, Name8)) -> Outcome<&bms::Map> {
    set.map(&name.to_string()).ok_or_else(|| {
        often!(error, target: "BM", "mapset {set_name} has no map {name}");
        Raise::abend("ABM0")
    })
}

/// The names of mapset and map; a mapset that is not named has the map's name.
fn names(call: &Call<'_>) -> Outcome<(Name8, Name8)> {
    let map: Name8 = call.need_name(opt::MAP)?;
    let mapset: Option<Name8> = call.name(opt::MAPSET)?;
    Ok((mapset.unwrap_or(map), map))
}

/// The terminal of a task.
fn terminal(task: &Task) -> Outcome<Arc<Terminal>> {
    let without = || cond::INVREQ.raise(if task.start_code.is_link() { NOT_IN_SUBSET } else { 0 });
    task.terminal().cloned().ok_or_else(without)
}

/// Returns the display of a task's terminal, as BMS needs it.
fn display(task: &Task, terminal: &Terminal) -> Display {
    let TerminalParts { default_size, alternate_size, features, .. } = terminal.parts;
    Display {
        screen: Screen {
            default: default_size,
            alternate: alternate_size,
            alternate_in_use: terminal.is_alternate(),
        },
        features,
        code_page: task.region.options.terminal_code_page,
    }
}
