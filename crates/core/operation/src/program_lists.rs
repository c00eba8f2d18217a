//! Program lists (PLT): programs that run when a region starts, before it lets clients in, and when it ends in order.
//!
//! Each runs as a task of its own, transaction CPLT, one after the other. One that abends is reported and does not keep
//! the next from running. One of them STARTs the work that goes on for the life of the region (a listener, a channel).

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use domains::children::{Child, Ending};
use kernel::dispatcher;
use kernel::dispatcher::{Attach, AttachError, Dispatcher};
use kernel::limits::PURGED_PROGRAM_MAX;
use kernel::name::{Name8, TransactionName};
use kernel::region::Region;
use kernel::security::{User, Users};
use kernel::task::StartCode;
use kernel::transactions::{CountsAs, Supplied, Transaction, Transactions};
use kernel::words::counted;
use keys::ProgramLists;

/// The transaction that they run under.
const TRANSACTION: &str = "CPLT";

/// The user in whose name a list runs, and the checks made with SEC=YES: PLTPIUSR and PLTPISEC.
#[derive(Clone, Debug, Default)]
pub struct Authority {
    /// The user; `None`: the default user.
    pub user: Option<Arc<User>>,
    /// Its commands of the system.
    pub commands: bool,
    /// Its resources.
    pub resources: bool,
}

/// Installs their transaction. It has no program of its own.
pub(crate) fn install(region: &Region) {
    install_by(region, &Authority::default());
}

fn install_by(region: &Region, authority: &Authority) {
    let transaction = Transaction::new(TransactionName::from(TRANSACTION), Name8::BLANK);
    Transactions::of(region).install(Transaction {
        supplied: Supplied::Internal,
        counts_as: CountsAs::Region,
        command_security: authority.commands,
        resource_security: authority.resources,
        ..transaction
    });
}

/// Runs the programs of the list for a region's start, by PLTPIUSR and PLTPISEC.
pub async fn run_at_startup(region: &Arc<Region>, authority: &Authority) {
    install_by(region, authority);
    let user = authority.user.as_ref().unwrap_or(&Users::of(region).default);
    let lists: &ProgramLists = region.options.sections.get();
    run_as(region, &names(&lists.startup), None, user).await;
    install(region);
}

/// Runs the programs of the list for a region's orderly end, as [`run`] does.
pub async fn run_at_end(region: &Arc<Region>, limit: Duration) {
    let lists: &ProgramLists = region.options.sections.get();
    run(region, &names(&lists.shutdown), Some(limit)).await;
}

fn names(programs: &[String]) -> Vec<Name8> {
    programs.iter().map(|program| Name8::from(program.as_str())).collect()
}

/// Runs the programs of a list as the default user, and waits for each; all together no longer than `limit`, if there
/// is one. At the limit the running program is purged, and those after it do not begin: nothing keeps a region from
/// ending.
pub async fn run(region: &Arc<Region>, programs: &[Name8], limit: Option<Duration>) {
    run_as(region, programs, limit, &Users::of(region).default).await;
}

async fn run_as(region: &Arc<Region>, programs: &[Name8], limit: Option<Duration>, user: &Arc<User>) {
    let end = limit.map(|limit| Instant::now() + limit);
    for (place, &program) in programs.iter().enumerate() {
        let child = Child::of_the_region();
        let task = match attach(region, program, user, &child) {
            Ok(task) => task,
            Err(error) => {
                tracing::error!(target: "SI", "program {program} of the program list cannot run: {error:?}");
                continue;
            }
        };
        match ended_by(&child, end).await {
            Some(Ending::Normal) => {
                tracing::info!(target: "SI", "program {program} of the program list has run");
            }
            Some(Ending::Abend(code)) => {
                tracing::error!(target: "SI", "program {program} of the program list has ended with abend {code}");
            }
            None => {
                let others = counted(programs.len() - place - 1, "program");
                tracing::error!(
                    target: "SI",
                    "program {program} of the program list does not end: it is purged; {others} behind it not run"
                );
                return purge(region, task, &child).await;
            }
        }
    }
}

fn attach(
    region: &Arc<Region>,
    program: Name8,
    user: &Arc<User>,
    child: &Arc<Child>,
) -> Result<u32, AttachError> {
    let name = TransactionName::from(TRANSACTION);
    let mut attach = Attach::new(name, StartCode::Start, Arc::clone(user));
    attach.program = Some(program);
    attach.kept.put(child.family());
    dispatcher::attach(region, attach)
}

/// A task's end, if it comes in time.
async fn ended_by(child: &Child, end: Option<Instant>) -> Option<Ending> {
    match end {
        None => Some(child.end().await),
        Some(end) => tokio::time::timeout_at(end, child.end()).await.ok(),
    }
}

/// Purges a task by force. One that does not give way is left to the region's own end.
async fn purge(region: &Region, task: u32, child: &Child) {
    if let Some(task) = Dispatcher::of(region).task(task) {
        task.force_purge();
    }
    let _ = ended_by(child, Some(Instant::now() + PURGED_PROGRAM_MAX)).await;
}
