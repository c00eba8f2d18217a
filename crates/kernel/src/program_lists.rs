//! Program lists (PLT): programs that run when a region starts, before anybody gets in, and when it ends in order.
//!
//! Each runs as a task of its own, transaction CPLT, one after the other. One that abends is reported and does not keep
//! the next from running. What goes on for the life of the region (a listener, a channel) is STARTed by one of them.

use std::sync::Arc;

use crate::children::{Child, Ending};
use crate::dispatcher::Attach;
use crate::name::{Name8, TransactionName};
use crate::region::Region;
use crate::task::StartCode;
use crate::transactions::{CountsAs, Supplied, Transaction};

/// The transaction that they run under.
const TRANSACTION: &str = "CPLT";

/// Installs their transaction. It has no program of its own.
pub(crate) fn install(region: &Region) {
    let transaction = Transaction::new(TransactionName::from(TRANSACTION), Name8::BLANK);
    let (supplied, counts_as) = (Supplied::Internal, CountsAs::Region);
    region.transactions.install(Transaction { supplied, counts_as, ..transaction });
}

/// Runs the programs of a list as the default user, and waits for each.
pub async fn run(region: &Arc<Region>, programs: &[Name8]) {
    for &program in programs {
        let name = TransactionName::from(TRANSACTION);
        let child = Child::of_the_region();
        let mut attach = Attach::new(name, StartCode::Start, Arc::clone(&region.default_user));
        attach.program = Some(program);
        attach.child = Some(Arc::clone(&child));
        if let Err(error) = region.attach(attach) {
            tracing::error!(target: "SI", "program {program} of the program list cannot run: {error:?}");
            continue;
        }
        match child.end().await {
            Ending::Normal => tracing::info!(target: "SI", "program {program} of the program list has run"),
            Ending::Abend(code) => {
                tracing::error!(target: "SI", "program {program} of the program list has ended with abend {code}");
            }
        }
    }
}
