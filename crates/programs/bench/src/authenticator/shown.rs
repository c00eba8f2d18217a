//! The loads of `bench authenticator`, as its arguments say them.

use std::path::PathBuf;
use std::str::FromStr;

use super::{ACCOUNTS, TERMINALS};

/// The loads to be shown.
pub(crate) struct Shown {
    /// Messages a second, one load after the other.
    pub rates: Vec<f64>,
    /// Seconds of each load.
    pub seconds: f64,
    /// Without the Validation Log, with it, or both.
    pub logs: Vec<bool>,
    /// The same loads on the bare server.
    pub floor: bool,
    /// Customer accounts.
    pub accounts: usize,
    /// The folder of the plot.
    pub out: PathBuf,
}

impl Shown {
    pub fn read(arguments: &[String]) -> Result<Self, String> {
        let mut shown = Self {
            rates: vec![500.0, 1_000.0, 1_500.0, 2_000.0],
            seconds: 12.0,
            logs: vec![false],
            floor: false,
            accounts: ACCOUNTS,
            out: PathBuf::from("target/bench"),
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument} wants something behind it"));
            match argument.as_str() {
                "--rates" => shown.rates = value()?.split(',').map(positive).collect::<Result<_, _>>()?,
                "--seconds" => shown.seconds = positive(value()?)?,
                "--accounts" => shown.accounts = positive(value()?)?,
                "--out" => shown.out = value()?.into(),
                "--floor" => shown.floor = true,
                "--log" => {
                    shown.logs = match value()?.as_str() {
                        "off" => vec![false],
                        "on" => vec![true],
                        "both" => vec![false, true],
                        other => return Err(format!("--log is off, on or both, not {other}")),
                    }
                }
                other => return Err(format!("{other} is no option")),
            }
        }
        if shown.accounts < TERMINALS {
            return Err(format!("{TERMINALS} terminals want an account each at least"));
        }
        Ok(shown)
    }
}

fn positive<T: FromStr + PartialOrd + Default>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number > T::default());
    number.ok_or_else(|| format!("{text} is no number above zero"))
}
