//! Instructions of an authentication: the region runs under Cachegrind, once for a short
//! load and once for a longer one, and what both took is subtracted.
//!
//! A quick run starts the region as ever and has Cachegrind count a program that does nothing: a build with checks takes minutes to
//! start under it.

use super::stage::{Setting, Stage, Whom};
use super::{Kind, run};
use crate::Options;
use crate::clock::progress;
use crate::promise::Measured;
use crate::valgrind;

/// The promise: 10,000 fewer than programs by GnuCOBOL took, while that compiled programs here.
const MOST: f64 = 117_158.0;
/// Messages a second: a region that is counted is some fifty times as slow.
const RATE: f64 = 120.0;
/// Seconds of both loads.
const SECONDS: [f64; 2] = [4.0, 16.0];
/// Customer accounts and terminals.
const ACCOUNTS: usize = 200;

/// Instructions of each authentication.
pub(crate) fn instructions(options: &Options) -> Result<Measured, String> {
    let [few, many] = SECONDS.map(|seconds| if options.quick { seconds / 8.0 } else { seconds });
    let [few, many] = [counted(options, few)?, counted(options, many)?];
    Ok(Measured::new((many.0 - few.0) / (many.1 - few.1), MOST))
}

/// Instructions of a region from its start to its end, and how many cards it has authenticated.
fn counted(options: &Options, seconds: f64) -> Result<(f64, f64), String> {
    let of_kind = Kind::PLAIN.setting(options);
    let accounts = options.size(ACCOUNTS, 20);
    let setting = Setting { accounts, terminals: accounts, counted: !options.quick, ..of_kind };
    run(async {
        let tell = |what: &str| progress(&format!("instructions are counted: {what}"));
        let mut stage = Stage::start(&setting, tell).await?;
        let outcome = stage.load(Whom::Region, RATE, seconds, |_| ()).await?;
        let ended = stage.end().await?;
        let said = if options.quick { valgrind::said_of_nothing()? } else { ended.said.join("\n") };
        Ok((valgrind::instructions(&said)?, outcome.report.finished as f64))
    })
}
