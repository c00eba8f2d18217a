//! `syncpoint size`: how much machine a rate of authentications needs.

use clap::Args;
use diagnostics::Diagnostic;
use sizing::{Assumptions, Costs, Wanted};

use crate::application::Messages;
use crate::codes;

const MICRO: f64 = 1e-6;
const MILLI: f64 = 1e-3;

/// The arguments of `syncpoint size`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Measured: microseconds of a region's processor time for a transaction without the Validation Log
    #[arg(long, value_name = "US")]
    cpu_us: f64,
    /// Measured: the same with the Validation Log; needed for --log
    #[arg(long, value_name = "US")]
    cpu_logged_us: Option<f64>,
    /// Measured: microseconds of an exchange with the HSM
    #[arg(long, value_name = "US", default_value_t = 1000.0)]
    hsm_us: f64,
    /// Measured: microseconds of a force of the system log
    #[arg(long, value_name = "US", default_value_t = 200.0)]
    force_us: f64,
    /// Transactions a second
    #[arg(long, value_name = "N")]
    rate: f64,
    /// Milliseconds of response time on average, at most
    #[arg(long, value_name = "MS", default_value_t = 20.0)]
    response_ms: f64,
    /// With the Validation Log
    #[arg(long, requires = "cpu_logged_us")]
    log: bool,
    /// Days for which the Validation Log is kept
    #[arg(long, value_name = "N", default_value_t = 90.0)]
    log_days: f64,
    /// Regions
    #[arg(long, value_name = "N", default_value_t = 1)]
    regions: u32,
    /// Accounts
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    accounts: u64,
}

/// Prints what is needed, and what the answer rests on.
pub(crate) fn size(arguments: &Arguments) -> Result<(), Messages> {
    let costs = Costs {
        processor: arguments.cpu_us * MICRO,
        processor_logged: arguments.cpu_logged_us.unwrap_or(arguments.cpu_us) * MICRO,
        hsm: arguments.hsm_us * MICRO,
        force: arguments.force_us * MICRO,
    };
    let wanted = Wanted {
        rate: arguments.rate,
        response: arguments.response_ms * MILLI,
        logged: arguments.log,
        regions: arguments.regions,
        accounts: arguments.accounts,
        log_days: arguments.log_days,
    };
    let assumed = Assumptions::default();
    let size = sizing::size(&costs, &wanted, &assumed)
        .map_err(|error| vec![Diagnostic::error(codes::NO_SIZE, error.to_string())])?;
    print!("{}", size.report(&costs, &wanted, &assumed));
    Ok(())
}
