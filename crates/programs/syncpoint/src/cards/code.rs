//! `syncpoint-cards code`: what a simulated card shows, or writes into its track, for one transaction.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use ::load::simulator::Portfolio;
use ::load::tracks;
use card::ftsc::Layout;
use card::track2::Track2;
use clap::Args;
use diagnostics::Diagnostic;

use crate::{codes, keys};
use command_line::messages::Messages;

/// Seconds of a time block.
const TIME_UNIT: u64 = 60;

/// The arguments of `syncpoint-cards code`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The track 2 file that has the card
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The card: which of the file's cards
    #[arg(long, value_name = "N", default_value_t = 1)]
    card: usize,
    /// The transaction counter: 1 for the card's first transaction
    #[arg(long, value_name = "N")]
    counter: u32,
    /// Show the security code on the card's display, of so many digits, and not the whole track
    #[arg(long, value_name = "3|4", value_parser = clap::value_parser!(u8).range(3..=4))]
    display: Option<u8>,
    /// Position and length of the code's sub-fields, as cv=1:6,tcb=7:5,sib=12:1; those of the samples if left out
    #[arg(long)]
    layout: Option<Layout>,
    /// A code with a wrong digit
    #[arg(long)]
    wrong: bool,
    /// A file with the portfolio's master key in clear; the published test key if left out
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

/// Prints the code.
pub(crate) fn code(arguments: &Arguments) -> Result<(), Messages> {
    let file = tracks::read_file(&arguments.file)?;
    let track = arguments.card.checked_sub(1).and_then(|place| file.tracks.get(place));
    let track = track.ok_or_else(|| {
        let message = format!("{} has no card {}", arguments.file.display(), arguments.card);
        vec![Diagnostic::error(codes::NO_CARD, message).help("its first card is card 1")]
    })?;
    let sample = match arguments.display {
        None => Layout::SAMPLE,
        Some(3) => Layout::DISPLAY_3,
        Some(_) => Layout::DISPLAY_4,
    };
    let layout = arguments.layout.unwrap_or(sample);
    let width = arguments.display.map_or_else(|| Track2::room_behind(&track.pan), usize::from);
    let unfit = |help: String| {
        let message = format!("card {:?} cannot make a code", track.pan);
        vec![Diagnostic::error(codes::NO_CARD, message).help(help)]
    };
    layout.check(width).map_err(|error| unfit(error.to_string()))?;
    let portfolio = Portfolio { master: keys::read_or_test(arguments.key.as_deref())?, layout };
    let digits = portfolio.code(track, arguments.counter, time_block(), arguments.wrong, &"0".repeat(width));
    let digits = digits.map_err(|error| unfit(format!("{error:?}")))?;
    if arguments.display.is_some() {
        println!("{digits}");
        return Ok(());
    }
    let Track2 { pan, expiry, service_code, .. } = track.clone();
    let written =
        Track2::new(pan, expiry, service_code, &digits).map_err(|error| unfit(error.to_string()))?;
    println!("{}", written.with_sentinels());
    Ok(())
}

/// The time block of a card's clock.
fn time_block() -> u32 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    u32::try_from(now / TIME_UNIT).unwrap_or(u32::MAX)
}
