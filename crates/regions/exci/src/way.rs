//! The way to a region: its private socket, which is in its state folder.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use access::{
    AccessError, Client, External, ExternalAnswer, ExternalLink, Failure, Operation, Reply, Request,
    Unanswered,
};

/// The time within which a region answers that a pipe is open.
const OPENS_WITHIN: Duration = Duration::from_secs(30);

/// The reason why there is no way to a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoWay {
    /// It does not run.
    NotThere,
    /// It has no place for one more.
    Full,
    /// Its socket fails, or it is another build.
    Failed(String),
}

/// The reason why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unheard {
    /// The region has gone before it took the request.
    NotSent,
    /// The region has taken it, and has gone: what was done is not known.
    Lost(String),
    /// The run is to stop.
    Stopped,
}

/// The regions that a run can reach.
pub trait Regions {
    /// Opens a way to the region of an APPLID; blank: the run's own.
    ///
    /// # Errors
    /// The reason why there is none.
    fn open(&mut self, applid: [u8; 8]) -> Result<Box<dyn Way>, NoWay>;
}

/// A way to a region, for one request after the other. After an error it leads nowhere.
pub trait Way {
    /// Has a program run, and waits for the answer as long as `waits` says so.
    ///
    /// # Errors
    /// The reason why there is no answer.
    fn link(&mut self, link: ExternalLink, waits: &dyn Fn() -> bool) -> Result<ExternalAnswer, Unheard>;
}

/// The region whose data sets the run has, and those beside it.
#[derive(Clone, Debug)]
pub struct Home {
    /// The state folder of the run's own region.
    pub state: PathBuf,
    /// The folder of links, in which other regions of the machine are found by their APPLIDs.
    pub links: Option<PathBuf>,
    /// The job's name, for the region's log.
    pub name: String,
}

impl Regions for Home {
    fn open(&mut self, applid: [u8; 8]) -> Result<Box<dyn Way>, NoWay> {
        match self.open_at(&self.state, applid) {
            Err(NoWay::NotThere) => {}
            other => return other,
        }
        let name = String::from_utf8_lossy(&applid).trim_end().to_owned();
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"$@#".contains(&byte));
        match &self.links {
            Some(links) if is_name => {
                let folder = access::neighbour(links, &name);
                if is_own(&folder) { self.open_at(&folder, applid) } else { Err(NoWay::NotThere) }
            }
            _ => Err(NoWay::NotThere),
        }
    }
}

/// Returns true if a link is one that this process's own user has made: no other user's region gets a job's data.
fn is_own(link: &Path) -> bool {
    let user = |found: io::Result<fs::Metadata>| found.map(|found| found.uid()).ok();
    let maker = user(fs::symlink_metadata(link));
    maker.is_some() && maker == user(fs::metadata("/proc/self"))
}

impl Home {
    fn open_at(&self, folder: &Path, applid: [u8; 8]) -> Result<Box<dyn Way>, NoWay> {
        let client = Client::of_region(folder, &self.name, Some(OPENS_WITHIN));
        let mut client = client.map_err(|error| no_way(&error))?.ok_or(NoWay::NotThere)?;
        match client.ask(Request::Region(Operation::External(External::Open { applid }))) {
            Ok(Reply::External(ExternalAnswer::Opened)) => Ok(Box::new(Socket(client))),
            Ok(Reply::External(ExternalAnswer::Elsewhere(_))) => Err(NoWay::NotThere),
            Ok(_) => Err(NoWay::Failed(String::from("an answer to another question"))),
            Err(error) => Err(no_way(&error)),
        }
    }
}

fn no_way(error: &AccessError) -> NoWay {
    match error {
        AccessError::Failed(Failure::Full(_)) => NoWay::Full,
        AccessError::Gone(_) => NoWay::NotThere,
        other => NoWay::Failed(other.to_string()),
    }
}

/// A session on the region's socket.
struct Socket(Client);

impl Way for Socket {
    fn link(&mut self, link: ExternalLink, waits: &dyn Fn() -> bool) -> Result<ExternalAnswer, Unheard> {
        match self.0.ask_while(Request::Region(Operation::External(External::Link(link))), waits) {
            Ok(Reply::External(answer)) => Ok(answer),
            Ok(_) => Err(Unheard::Lost(String::from("an answer to another question"))),
            Err(Unanswered::NotSent) => Err(Unheard::NotSent),
            Err(Unanswered::GivenUp) => Err(Unheard::Stopped),
            Err(Unanswered::Lost(error)) => Err(Unheard::Lost(error.to_string())),
            Err(Unanswered::Failed(failure)) => Err(Unheard::Lost(failure.to_string())),
        }
    }
}
