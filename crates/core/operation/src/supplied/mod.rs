//! Transactions that come with the product: the greeting, signing on and off, the operator's CEMT, definitions, commands by hand, queues,
//! CEOT, programs followed by CEDF, the trace's CETR, processor time by HBZT, messages to others, copies of screens, the loading of data tables.
//!
//! They are supplied programs: async functions of a task, which talk to its terminal through a `Desk` and show `Panel`s.

mod cebr;
mod ceci;
mod ceda;
mod cemt;
mod cetr;
mod command_rows;
pub mod desk;
pub(crate) mod edf;
mod frame;
mod good_morning;
mod hbzt;
mod messages;
mod own_terminal;
mod panel;
mod print_request;
mod sign_on;

use domains::files::LOADERS;
use kernel::catalog::{self, SuppliedTransaction};
use kernel::dispatcher::SuppliedFunction;
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::region::Region;
use kernel::transactions::{CountsAs, Supplied, Transaction, Transactions};

const fn supplied(
    name: &'static str,
    program: &'static str,
    supplied: Supplied,
    run: SuppliedFunction,
) -> SuppliedTransaction {
    SuppliedTransaction { name, program, supplied, run }
}

const TRANSACTIONS: [SuppliedTransaction; 19] = [
    supplied("CEBR", "DFHEDFBR", Supplied::Operate, cebr::program),
    supplied("CECI", "DFHECIP", Supplied::Operate, ceci::execute),
    supplied("CECS", "DFHECSP", Supplied::Open, ceci::check),
    supplied("CEDA", "DFHEDAP", Supplied::Operate, ceda::program),
    supplied("CEDB", "DFHEDBP", Supplied::Operate, ceda::program),
    supplied("CEDC", "DFHEDCP", Supplied::Inquire, ceda::program),
    supplied("CEDF", "DFHEDFX", Supplied::Operate, edf::program),
    supplied("CEMT", "DFHEMTP", Supplied::Inquire, cemt::program),
    supplied("CEOT", "DFHEOTP", Supplied::Open, own_terminal::program),
    supplied("CESF", "DFHSFP", Supplied::Open, sign_on::sign_off),
    supplied("CESL", "DFHSNLE", Supplied::Open, sign_on::sign_on),
    supplied("CESN", "DFHSNP", Supplied::Open, sign_on::sign_on),
    supplied("CETR", "DFHCETRA", Supplied::Operate, cetr::program),
    supplied("CMSG", "DFHMSP", Supplied::Operate, messages::route),
    supplied("CSGM", "DFHGMM", Supplied::Open, good_morning::program),
    supplied("CSPG", "DFHTPR", Supplied::Open, messages::show),
    supplied("CSPP", "DFHP3270", Supplied::Open, print_request::program),
    supplied("CWTO", "DFHCWTO", Supplied::Open, messages::to_operator),
    supplied("HBZT", "DFHHBZT", Supplied::Inquire, hbzt::program),
];

/// All of them, and those that domains bring.
fn all() -> impl Iterator<Item = SuppliedTransaction> {
    let loaders = LOADERS.map(|(name, program, run)| supplied(name, program, Supplied::Open, run));
    let brought = catalog::domains().into_iter().flat_map(|domain| domain.transactions.iter().copied());
    TRANSACTIONS.into_iter().chain(loaders).chain(brought)
}

/// Returns true if a transaction of this name comes with the product.
pub fn is_transaction(name: &str) -> bool {
    all().any(|transaction| transaction.name == name)
}

/// Installs them.
pub(crate) fn install(region: &Region) {
    for SuppliedTransaction { name, program, supplied, run } in all() {
        Programs::of(region).install(Program::supplied(Name8::from(program), run));
        let transaction = Transaction::new(TransactionName::from(name), Name8::from(program));
        let counts_as = match name {
            "CEMT" | "DSNC" => CountsAs::Operator,
            "CEOT" | "CESF" | "CESL" | "CESN" | "CSGM" => CountsAs::SignOn,
            _ => CountsAs::User,
        };
        Transactions::of(region).install(Transaction { supplied, counts_as, dump: false, ..transaction });
    }
}
