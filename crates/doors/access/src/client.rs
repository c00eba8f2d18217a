//! The other side: asks the region that has the data open, or opens them itself.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use datasets::DataSets;
use diagnostics::Diagnostic;
use tokio::runtime::Runtime;

use crate::protocol::{Failure, Reply, Request, VERSION};
use crate::server::socket_path;
use crate::session::Session;
use crate::tables::OpenTables;
use crate::temporary::TemporaryFolder;
use crate::wire;

/// The reason why there is no access to the data.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The data cannot be opened.
    #[error("the data sets cannot be opened")]
    Closed(Vec<Diagnostic>),
    /// The machine refuses something.
    #[error("the data sets cannot be opened: {0}")]
    System(io::Error),
    /// The region has ended, or its socket fails.
    #[error("the region does not answer: {0}")]
    Gone(io::Error),
    /// The request was not carried out.
    #[error(transparent)]
    Failed(#[from] Failure),
}

/// The reason why a request that may be given up has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Unanswered {
    /// The region has not taken it: nothing of it was done.
    #[error("the region is not there any more")]
    NotSent,
    /// The region has taken it, and has ended, or its socket fails: it is not known what was done.
    #[error("the region does not answer: {0}")]
    Lost(io::Error),
    /// The caller no longer wants the answer.
    #[error("the wait for the region was given up")]
    GivenUp,
    /// The region has refused it.
    #[error(transparent)]
    Failed(#[from] Failure),
}

/// The time after which a wait that may be given up looks at whether it is.
const LOOK: Duration = Duration::from_millis(20);

/// Reads as long as a caller waits for the bytes.
struct Patient<'s> {
    stream: &'s mut UnixStream,
    waits: &'s dyn Fn() -> bool,
}

impl Read for Patient<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(into) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if !(self.waits)() {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                }
                other => return other,
            }
        }
    }
}

/// Access to the data sets of a state folder.
pub struct Client {
    way: Way,
}

enum Way {
    /// Through the region that runs on it.
    Region(UnixStream),
    /// The data opened here: no other process can have them meanwhile. In the order in which they are dropped.
    Own { session: Box<Session>, site: Arc<DataSets>, runtime: Runtime },
}

impl Client {
    /// Asks the region that runs on a state folder, or opens the data in it by `open`, as the region would. `name`: who
    /// asks.
    ///
    /// # Errors
    /// If neither is possible.
    pub fn new(
        state: &Path,
        name: &str,
        open: impl Future<Output = Result<DataSets, Vec<Diagnostic>>>,
    ) -> Result<Self, AccessError> {
        let mut client = match connect(state) {
            Some(stream) => Self { way: Way::Region(stream) },
            None => Self::open(open)?,
        };
        client.done(Request::Hello { version: VERSION, name: name.to_owned() })?;
        Ok(client)
    }

    /// Connects to the region that runs on a state folder, for requests that only a region can carry out; `None` if no
    /// region runs there. `patience`: how long an answer may take.
    ///
    /// # Errors
    /// If the region does not answer.
    pub fn of_region(
        state: &Path,
        name: &str,
        patience: Option<Duration>,
    ) -> Result<Option<Self>, AccessError> {
        let Some(stream) = connect(state) else { return Ok(None) };
        stream.set_read_timeout(patience).map_err(AccessError::System)?;
        let mut client = Self { way: Way::Region(stream) };
        client.done(Request::Hello { version: VERSION, name: name.to_owned() })?;
        Ok(Some(client))
    }

    fn open(open: impl Future<Output = Result<DataSets, Vec<Diagnostic>>>) -> Result<Self, AccessError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(AccessError::System)?;
        let site = Arc::new(runtime.block_on(open).map_err(AccessError::Closed)?);
        let session = Box::new(Session::new(Arc::clone(&site), None));
        Ok(Self { way: Way::Own { session, site, runtime } })
    }

    /// The same, with the way to open the region's own tables where no region runs.
    #[must_use]
    pub fn with_tables(mut self, opens: OpenTables) -> Self {
        if let Way::Own { session, .. } = &mut self.way {
            session.opens_tables(opens);
        }
        self
    }

    /// Returns true if a region answers.
    pub fn asks_region(&self) -> bool {
        matches!(self.way, Way::Region(_))
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// If there is none, or it is a failure.
    pub fn ask(&mut self, request: Request) -> Result<Reply, AccessError> {
        self.ask_telling(request, &mut |_, _| {})
    }

    /// The same for a long command, with a listener for its progress.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn ask_telling(
        &mut self,
        request: Request,
        progress: &mut dyn FnMut(&str, u64),
    ) -> Result<Reply, AccessError> {
        let reply = match &mut self.way {
            Way::Own { session, runtime, .. } => runtime.block_on(session.answer(request, progress)),
            Way::Region(stream) => {
                // A busy region says so and closes before it has read: then its reply counts, not what sending gave.
                let sent = wire::send(stream, &request);
                loop {
                    match wire::receive(stream) {
                        Ok(Reply::Progress { what, count }) => progress(&what, count),
                        Ok(reply) => break reply,
                        Err(received) => return Err(AccessError::Gone(sent.err().unwrap_or(received))),
                    }
                }
            }
        };
        match reply {
            Reply::Failed(failure) => Err(failure.into()),
            reply => Ok(reply),
        }
    }

    /// Asks a region, and waits for the answer as long as `waits` says so. After an error other than [`Unanswered::Failed`] nothing
    /// more can be asked.
    ///
    /// # Errors
    /// If there is no answer, or it is a failure.
    pub fn ask_while(&mut self, request: Request, waits: &dyn Fn() -> bool) -> Result<Reply, Unanswered> {
        let Way::Region(stream) = &mut self.way else { return Err(Unanswered::NotSent) };
        stream.set_read_timeout(Some(LOOK)).map_err(Unanswered::Lost)?;
        let sent = wire::send(stream, &request);
        let mut from = Patient { stream, waits };
        loop {
            match wire::receive(&mut from) {
                Ok(Reply::Progress { .. }) => {}
                Ok(Reply::Failed(failure)) => return Err(failure.into()),
                Ok(reply) => return Ok(reply),
                Err(_) if sent.is_err() => return Err(Unanswered::NotSent),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(Unanswered::GivenUp),
                Err(error) => return Err(Unanswered::Lost(error)),
            }
        }
    }

    /// Makes a folder for files that both sides use; the one before is gone then.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn temporary(&mut self) -> Result<TemporaryFolder, AccessError> {
        match self.ask(Request::Temporary)? {
            Reply::Temporary { folder, key } => {
                TemporaryFolder::new(folder, key, self.asks_region()).map_err(AccessError::System)
            }
            _ => Err(AccessError::System(io::ErrorKind::InvalidData.into())),
        }
    }

    /// Asks for something that has no other answer than that it is done.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn done(&mut self, request: Request) -> Result<(), AccessError> {
        self.ask(request).map(drop)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Way::Own { site, .. } = &self.way {
            // The next start finds everything in the base; if this fails, in the log.
            let _ = site.vsam.engine().checkpoint();
        }
    }
}

/// The socket of a region, if one runs on this state.
fn connect(state: &Path) -> Option<UnixStream> {
    let short = socket_path(state).ok()?;
    UnixStream::connect(short).ok()
}
