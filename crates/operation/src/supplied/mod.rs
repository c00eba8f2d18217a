//! Transactions that come with the product: the greeting, signing on and off, the operator's CEMT, commands by hand,
//! CEOT, the loading of data tables.
//!
//! They are native programs: async functions of a task, which talk to its terminal through a `Desk` and show `Panel`s.

mod ceci;
mod cemt;
pub mod desk;
mod good_morning;
mod own_terminal;
mod panel;
mod sign_on;

use domains::files::LOADERS;
use kernel::dispatcher::NativeFunction;
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::region::Region;
use kernel::transactions::{CountsAs, Supplied, Transaction, Transactions};

/// A transaction, its program, and who may run it.
type Entry = (&'static str, &'static str, Supplied, NativeFunction);

const TRANSACTIONS: [Entry; 8] = [
    ("CECI", "DFHECIP", Supplied::Operate, ceci::execute),
    ("CECS", "DFHECSP", Supplied::Open, ceci::check),
    ("CEMT", "DFHEMTP", Supplied::Inquire, cemt::program),
    ("CEOT", "DFHEOTP", Supplied::Open, own_terminal::program),
    ("CESF", "DFHSFP", Supplied::Open, sign_on::sign_off),
    ("CESL", "DFHSNLE", Supplied::Open, sign_on::sign_on),
    ("CESN", "DFHSNP", Supplied::Open, sign_on::sign_on),
    ("CSGM", "DFHGMM", Supplied::Open, good_morning::program),
];

/// Installs them.
pub(crate) fn install(region: &Region) {
    let loaders = LOADERS.map(|(name, program, native)| (name, program, Supplied::Open, native));
    for (name, program, supplied, native) in TRANSACTIONS.into_iter().chain(loaders) {
        Programs::of(region).install(Program::native(Name8::from(program), native));
        let transaction = Transaction::new(TransactionName::from(name), Name8::from(program));
        let counts_as = match name {
            "CEMT" => CountsAs::Operator,
            "CEOT" | "CESF" | "CESL" | "CESN" | "CSGM" => CountsAs::SignOn,
            _ => CountsAs::User,
        };
        Transactions::of(region).install(Transaction { supplied, counts_as, dump: false, ..transaction });
    }
}
