//! The size of the machine that a rate of transactions needs.
//!
//! Out of scope: measuring. Costs come from a run of the load client against a region; all else is an
//! assumption with a name, printed beside the answer.

mod measured;
mod queue;
mod report;

pub use measured::{Measured, NoCost};
use queue::Queue;

/// The measured costs of one transaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Seconds of a region's processor time without the Validation Log.
    pub processor: f64,
    /// The same with the Validation Log.
    pub processor_logged: f64,
    /// Seconds from a command to the HSM to its answer, without waiting for a channel.
    pub hsm: f64,
    /// Seconds from the commit to its answer: the force of the system log.
    pub force: f64,
    /// Processor time of regions that share records, beside that of one region alone, without the Validation Log; `None`: not measured.
    pub sharing: Option<f64>,
    /// The same with the Validation Log.
    pub sharing_logged: Option<f64>,
}

/// The rate and response time that are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Transactions a second, all regions together.
    pub rate: f64,
    /// Seconds of response time on average, at most.
    pub response: f64,
    /// With the Validation Log.
    pub logged: bool,
    /// Regions.
    pub regions: u32,
    /// Accounts.
    pub accounts: u64,
    /// Days for which the Validation Log is kept.
    pub log_days: f64,
}

/// The assumptions in place of measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumptions {
    /// The part of the time that processors and channels may be busy.
    pub busy_max: f64,
    /// Processor time of regions that share records, beside that of one region alone, if it was not measured.
    pub sharing: f64,
    /// Connections that an HSM takes.
    pub hsm_connections: u32,
    /// Bytes of a region without accounts, committed changes that wait for a checkpoint included.
    pub region_bytes: f64,
    /// Bytes of a task.
    pub task_bytes: f64,
    /// Bytes of an account in memory.
    pub account_memory_bytes: f64,
    /// Bytes of an account on disk.
    pub account_disk_bytes: f64,
    /// Bytes that a transaction writes to the system log, without the Validation Log's record.
    pub system_log_bytes: f64,
    /// Bytes of a record of the Validation Log on disk; as many again go through the system log.
    pub validation_log_bytes: f64,
    /// Bytes that the system log may take before a checkpoint trims it.
    pub log_limit_bytes: f64,
}

impl Default for Assumptions {
    /// Sharing is the published system's figure for four regions beside one (703 to 498 µs). Sizes are those that were
    /// seen, rounded up: a region with 500,000 accounts, and one after 400,000 records of the Validation Log. The log's
    /// limit is the one that a region has where its configuration says nothing.
    fn default() -> Self {
        Self {
            busy_max: 0.7,
            sharing: 703.0 / 498.0,
            hsm_connections: 64,
            region_bytes: 250e6,
            task_bytes: 64e3,
            account_memory_bytes: 250.0,
            account_disk_bytes: 250.0,
            system_log_bytes: 400.0,
            validation_log_bytes: 600.0,
            log_limit_bytes: 512e6,
        }
    }
}

/// The size that is needed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Cores for all regions together; clients, HSMs and the operating system's own work come on top.
    pub cores: u32,
    /// The part of the time that they are busy.
    pub cores_busy: f64,
    /// HSM channels of all regions together.
    pub channels: u32,
    /// HSMs, with one to spare.
    pub hsms: u32,
    /// Seconds of response time to be expected on average.
    pub response: f64,
    /// Transactions in flight on average.
    pub in_flight: f64,
    /// Bytes of memory.
    pub memory: f64,
    /// Bytes of disk.
    pub disk: f64,
    /// Bytes written to disk a second.
    pub disk_rate: f64,
}

/// The reason why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Impossible {
    /// A number that must be above zero is not.
    #[error("{0} must be a number above zero")]
    NotPositive(&'static str),
    /// Even a machine without queues is too slow.
    #[error("a response takes {:.3} ms even without queues: {:.3} ms cannot be had", .least * 1e3, .wanted * 1e3)]
    TooSlow {
        /// Seconds at least.
        least: f64,
        /// Seconds wanted.
        wanted: f64,
    },
}

/// The part of the HSM's own time that a transaction may wait for a channel.
const CHANNEL_WAIT_MAX: f64 = 0.1;
const SECONDS_A_DAY: f64 = 86_400.0;

/// Returns the size that the wanted rate needs.
pub fn size(costs: &Costs, wanted: &Wanted, assumed: &Assumptions) -> Result<Size, Impossible> {
    check(costs, wanted, assumed)?;
    let processor = processor_time(costs, wanted, assumed);
    let regions = f64::from(wanted.regions);
    let channel_wait = costs.hsm * CHANNEL_WAIT_MAX;
    let one_regions = Queue { rate: wanted.rate / regions, service: costs.hsm };
    let channels = one_regions.servers(assumed.busy_max, channel_wait);
    let elsewhere = costs.hsm + one_regions.wait(channels) + costs.force;
    let least = processor + elsewhere;
    if least >= wanted.response {
        return Err(Impossible::TooSlow { least, wanted: wanted.response });
    }
    let processors = Queue { rate: wanted.rate, service: processor };
    let cores = processors.servers(assumed.busy_max, wanted.response - least);
    let response = least + processors.wait(cores);
    let in_flight = wanted.rate * response;
    let channels = channels * wanted.regions;
    let log_bytes = if wanted.logged { assumed.validation_log_bytes } else { 0.0 };
    let system_log_rate = wanted.rate * (assumed.system_log_bytes + log_bytes);
    let accounts = wanted.accounts as f64;
    Ok(Size {
        cores,
        cores_busy: wanted.rate * processor / f64::from(cores),
        channels,
        hsms: channels.div_ceil(assumed.hsm_connections) + 1,
        response,
        in_flight,
        memory: regions * assumed.region_bytes
            + in_flight * assumed.task_bytes
            + accounts * assumed.account_memory_bytes,
        disk: accounts * assumed.account_disk_bytes
            + regions * assumed.log_limit_bytes
            + wanted.rate * log_bytes * wanted.log_days * SECONDS_A_DAY,
        // Once to the log, once more to the base.
        disk_rate: 2.0 * system_log_rate,
    })
}

/// Seconds of processor time of a transaction as it is wanted.
fn processor_time(costs: &Costs, wanted: &Wanted, assumed: &Assumptions) -> f64 {
    let alone = if wanted.logged { costs.processor_logged } else { costs.processor };
    if wanted.regions > 1 { alone * costs.sharing(wanted.logged).unwrap_or(assumed.sharing) } else { alone }
}

impl Costs {
    /// The measured factor for regions that share records.
    pub fn sharing(&self, logged: bool) -> Option<f64> {
        if logged { self.sharing_logged } else { self.sharing }
    }
}

fn check(costs: &Costs, wanted: &Wanted, assumed: &Assumptions) -> Result<(), Impossible> {
    let numbers = [
        ("the processor time of a transaction", processor_time(costs, wanted, assumed)),
        ("the time of the HSM", costs.hsm),
        ("the factor of regions that share records", costs.sharing(wanted.logged).unwrap_or(assumed.sharing)),
        ("the rate", wanted.rate),
        ("the response time", wanted.response),
        ("the number of regions", wanted.regions.into()),
        ("the part of the time that may be busy", assumed.busy_max),
        ("the number of an HSM's connections", assumed.hsm_connections.into()),
    ];
    match numbers.into_iter().find(|(_, number)| !(number.is_finite() && *number > 0.0)) {
        Some((name, _)) => Err(Impossible::NotPositive(name)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs {
        processor: 50e-6,
        processor_logged: 60e-6,
        hsm: 1e-3,
        force: 0.2e-3,
        sharing: None,
        sharing_logged: None,
    };
    const WANTED: Wanted = Wanted {
        rate: 1000.0,
        response: 20e-3,
        logged: false,
        regions: 1,
        accounts: 500_000,
        log_days: 90.0,
    };

    fn of(wanted: Wanted) -> Size {
        size(&COSTS, &wanted, &Assumptions::default()).expect("possible")
    }

    #[test]
    fn what_is_needed_at_rising_rates() {
        // Computed elsewhere, with Erlang's formula as a plain sum.
        for (rate, logged, regions, cores, channels, hsms) in [
            (500.0, false, 1, 1, 2, 2),
            (1_000.0, false, 1, 1, 3, 2),
            (4_000.0, false, 1, 1, 7, 2),
            (8_000.0, false, 1, 1, 12, 2),
            (20_000.0, false, 1, 2, 29, 2),
            (20_000.0, true, 1, 2, 29, 2),
            (50_000.0, true, 1, 5, 72, 3),
            (50_000.0, true, 4, 7, 72, 3),
        ] {
            let size = of(Wanted { rate, logged, regions, ..WANTED });
            assert_eq!(
                (size.cores, size.channels, size.hsms),
                (cores, channels, hsms),
                "{rate}/s, logged {logged}, {regions} regions"
            );
            assert!(size.response < WANTED.response && size.cores_busy <= 0.7);
        }
    }

    #[test]
    fn regions_that_share_cost_what_was_measured() {
        let wanted = Wanted { rate: 50_000.0, logged: true, regions: 4, ..WANTED };
        let costs = Costs { sharing: Some(3.0), sharing_logged: Some(1.1), ..COSTS };
        let busy = |costs: &Costs| {
            let size = size(costs, &wanted, &Assumptions::default()).expect("possible");
            f64::from(size.cores) * size.cores_busy
        };
        assert!((busy(&costs) - 50_000.0 * 60e-6 * 1.1).abs() < 1e-9, "{}", busy(&costs));
        let published = 50_000.0 * 60e-6 * 703.0 / 498.0;
        assert!((busy(&COSTS) - published).abs() < 1e-9, "as published where nothing was measured");
    }

    #[test]
    fn the_log_costs_disk() {
        let (without, with) = (of(WANTED), of(Wanted { logged: true, ..WANTED }));
        assert!(with.disk - without.disk >= WANTED.rate * 600.0 * 90.0 * 86_400.0);
        assert!(with.disk_rate > without.disk_rate);
    }

    #[test]
    fn what_cannot_be_had() {
        let ask = |wanted| size(&COSTS, &wanted, &Assumptions::default());
        assert!(matches!(ask(Wanted { response: 1e-3, ..WANTED }), Err(Impossible::TooSlow { .. })));
        assert_eq!(ask(Wanted { rate: 0.0, ..WANTED }), Err(Impossible::NotPositive("the rate")));
        assert_eq!(ask(Wanted { rate: f64::NAN, ..WANTED }), Err(Impossible::NotPositive("the rate")));
        assert_eq!(
            ask(Wanted { regions: 0, ..WANTED }),
            Err(Impossible::NotPositive("the number of regions"))
        );
    }
}
