//! `syncpoint-cards size`: how much machine a rate of authentications needs.

use std::path::PathBuf;

use clap::Args;
use diagnostics::Diagnostic;
use sizing::{Assumptions, Costs, Measured, Wanted};

use crate::codes;
use command_line::messages::{Messages, read};

const MICRO: f64 = 1e-6;
const MILLI: f64 = 1e-3;
/// Microseconds of an exchange with the HSM, and of a force of the log, if the options do not give them.
const HSM_US: f64 = 1_000.0;
const FORCE_US: f64 = 200.0;

/// The arguments of `syncpoint-cards size`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Measured: microseconds of a region's processor time for a transaction without the Validation Log
    #[arg(long, value_name = "US", required_unless_present = "measured")]
    cpu_us: Option<f64>,
    /// Measured: the same with the Validation Log; needed for --log
    #[arg(long, value_name = "US")]
    cpu_logged_us: Option<f64>,
    /// Measured: microseconds of an exchange with the HSM [default: 1000]
    #[arg(long, value_name = "US")]
    hsm_us: Option<f64>,
    /// Measured: microseconds of a force of the system log [default: 200]
    #[arg(long, value_name = "US")]
    force_us: Option<f64>,
    /// A file with measured costs, those of regions that share records among them, as `bench clones` writes it; options count before it
    #[arg(long, value_name = "FILE")]
    measured: Option<PathBuf>,
    /// Transactions a second
    #[arg(long, value_name = "N")]
    rate: f64,
    /// Milliseconds of response time on average, at most
    #[arg(long, value_name = "MS", default_value_t = 20.0)]
    response_ms: f64,
    /// With the Validation Log
    #[arg(long)]
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
    let measured = measured(arguments)?;
    let cpu = arguments.cpu_us.or(measured.cpu_us);
    let cpu_logged = arguments.cpu_logged_us.or(measured.cpu_logged_us);
    if arguments.log && cpu_logged.is_none() {
        return Err(no_size("--log needs --cpu-logged-us, or a file that has it"));
    }
    let Some(either) = cpu.or(cpu_logged) else {
        return Err(no_size("neither --cpu-us nor the file says what a transaction costs"));
    };
    let costs = Costs {
        processor: cpu.unwrap_or(either) * MICRO,
        processor_logged: cpu_logged.unwrap_or(either) * MICRO,
        hsm: arguments.hsm_us.or(measured.hsm_us).unwrap_or(HSM_US) * MICRO,
        force: arguments.force_us.or(measured.force_us).unwrap_or(FORCE_US) * MICRO,
        sharing: measured.sharing,
        sharing_logged: measured.sharing_logged,
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
    let size = sizing::size(&costs, &wanted, &assumed).map_err(|error| no_size(&error.to_string()))?;
    print!("{}", size.report(&costs, &wanted, &assumed));
    Ok(())
}

/// The costs of the file, if there is one.
fn measured(arguments: &Arguments) -> Result<Measured, Messages> {
    let Some(path) = &arguments.measured else { return Ok(Measured::default()) };
    Measured::read(&read(path)?).map_err(|error| no_size(&format!("{}: {error}", path.display())))
}

fn no_size(why: &str) -> Messages {
    vec![Diagnostic::error(codes::NO_SIZE, why)]
}
