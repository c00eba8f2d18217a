//! `syncpoint-cards load` and `syncpoint-cards cards`: simulated terminals against an Authenticator, and their cards.

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ::hsm::Scheme;
use ::load::batch::{self, Header};
use ::load::kind::Mix;
use ::load::ledger::{self, Ledger};
use ::load::plan::{Plan, Rate, Work};
use ::load::report::Report;
use ::load::simulator::Portfolio;
use ::load::tracks::{self, TERMINALS_MAX, Wanted};
use card::digits::Digits;
use card::ftsc::Layout;
use card::track2::expiry;
use clap::Args;
use diagnostics::Diagnostic;

use crate::{codes, keys};
use command_line::ends::Ends;
use command_line::event_loop;
use command_line::messages::Messages;
use command_line::terminal::ProgressLine;

/// The arguments of `syncpoint-cards load`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Address of the Authenticator
    #[arg(value_name = "ADDRESS:PORT")]
    target: SocketAddr,
    /// The folder of track 2 files: each file a terminal, each line a card
    #[arg(long, value_name = "DIR")]
    tracks: PathBuf,
    /// Terminals at most
    #[arg(long, value_name = "N", default_value_t = TERMINALS_MAX)]
    terminals: usize,
    /// Messages in seconds from each terminal, as 2/1; as fast as answers come if it is left out
    #[arg(long, value_name = "M/N")]
    rate: Option<Rate>,
    /// Messages of each terminal
    #[arg(long, value_name = "N", default_value_t = 100)]
    messages: u64,
    /// The card that each terminal begins with, counted from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    first_card: usize,
    /// Let each terminal's first message wait for a random part of its interval
    #[arg(long)]
    back_off: bool,
    /// Keep connections from one message to the next
    #[arg(long)]
    persistent: bool,
    /// Seconds that a terminal waits for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    patience: u64,
    /// Kinds of bad messages in percent, as wrong=1,replayed=1,unknown-bin=1,malformed=1,short=1,oversized=1,silent=1
    #[arg(long, default_value = "")]
    mix: Mix,
    /// Seed of the random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A file that keeps which counters were accepted; cards go on behind those that are in it
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Print a line each second: rate, response, errors
    #[arg(long)]
    each_second: bool,
    /// Send the last accepted code of each card of the ledger again: none may be accepted
    #[arg(long, requires = "ledger")]
    replay_ledger: bool,
    /// A file with the portfolio's master key in clear, 32 hexadecimal digits; the published test key if left out
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Position and length of the code's sub-fields in the discretionary data, as cv=1:6,tcb=7:5,sib=12:1
    #[arg(long)]
    layout: Option<Layout>,
}

/// Runs the load and prints its report; fails if any message came to something else than it should.
pub(crate) fn load(arguments: Arguments) -> Result<(), Messages> {
    let (known, book) = match &arguments.ledger {
        Some(path) => ledger::open(path).map(|(known, book)| (known, Book::File(book)))?,
        None => (Ledger::default(), Book::None(io::sink())),
    };
    let line = ProgressLine::default();
    let mut seconds = arguments.each_second.then(Report::default);
    let plan = plan(arguments, known)?;
    let progress = |report: &Report| match &mut seconds {
        Some(earlier) => tell(report, earlier),
        None => show(&line, report),
    };
    let report = event_loop::run(async {
        let ends = Ends::new()?;
        ::load::run(plan, book, progress, ends.asked()).await
    })?;
    drop(line);
    println!("{report}");
    match report.unexpected() {
        0 => Ok(()),
        count => {
            let message = format!("{count} messages came to something else than they should");
            Err(vec![Diagnostic::error(codes::UNEXPECTED, message).help("they have a ! in the report")])
        }
    }
}

/// The destination of the ledger's lines.
enum Book {
    File(File),
    None(io::Sink),
}

impl io::Write for Book {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::None(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::None(sink) => sink.flush(),
        }
    }
}

fn plan(arguments: Arguments, known: Ledger) -> Result<Plan, Messages> {
    let work = if arguments.replay_ledger {
        Work::ReplayLedger
    } else {
        Work::Messages(arguments.messages, arguments.mix)
    };
    let portfolio = Portfolio {
        master: keys::read_or_test(arguments.key.as_deref())?,
        layout: arguments.layout.unwrap_or(Layout::SAMPLE),
    };
    Ok(Plan {
        target: arguments.target,
        terminals: tracks::read(&arguments.tracks, arguments.terminals)?,
        first_card: arguments.first_card,
        portfolio,
        rate: arguments.rate,
        work,
        back_off: arguments.back_off,
        persistent: arguments.persistent,
        patience: Duration::from_secs(arguments.patience),
        seed: arguments.seed,
        known,
    })
}

/// Prints what came of the time since an earlier state of a run, which becomes that.
fn tell(report: &Report, earlier: &mut Report) {
    let part = report.since(earlier);
    if part.elapsed.is_zero() || part.finished == 0 && earlier.finished == 0 {
        return;
    }
    println!("{:4.0} s {}", report.elapsed.as_secs_f64(), part.line());
    *earlier = report.clone();
}

fn show(line: &ProgressLine, report: &Report) {
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let what = format!(
        "messages, {:.0} a second, p50 {:.3} ms, p99 {:.3} ms, {} not as they should be",
        report.rate(),
        report.response.percentile(50.0) as f64 / 1e3,
        report.response.percentile(99.0) as f64 / 1e3,
        report.unexpected()
    );
    line.show(count(report.finished), count(report.planned), &what);
}

/// The arguments of `syncpoint-cards cards`.
#[derive(Args)]
pub(crate) struct CardsArguments {
    /// The folder to make the files in
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Cards, all terminals together
    #[arg(long, value_name = "N", default_value_t = 1000)]
    cards: usize,
    /// Terminals: files among which the cards are dealt out
    #[arg(long, value_name = "N", default_value_t = 100)]
    terminals: usize,
    /// BIN and sub-BIN of all cards, 8 digits
    #[arg(long, value_name = "DIGITS", value_parser = eight_digits, default_value = "49999901")]
    bin: Digits<8>,
    /// Expiry date of all cards, YYMM
    #[arg(long, value_name = "YYMM", value_parser = expiry_date, default_value = "3012")]
    expiry: Digits<4>,
    /// Also write the cards as an import batch for the Authenticator
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// The portfolio's name in the batch, up to 4 characters
    #[arg(long, value_name = "NAME", value_parser = portfolio_name, default_value = "P001")]
    portfolio: String,
    /// A file with the portfolio's master key in clear; the published test key if left out
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// A file with the key-encrypting key in clear; the published test key if left out
    #[arg(long, value_name = "FILE")]
    kek: Option<PathBuf>,
}

/// A chip card for use everywhere, without restriction.
const SERVICE_CODE: u64 = 201;

/// Makes track 2 files.
pub(crate) fn cards(arguments: CardsArguments) -> Result<(), Messages> {
    let CardsArguments { folder, cards, terminals, bin, expiry, batch, portfolio, key, kek } = arguments;
    let wanted = Wanted { bin, cards, terminals, expiry, service_code: Digits::of(SERVICE_CODE) };
    tracks::make(&folder, &wanted)?;
    println!("{} holds {cards} cards in {terminals} files.", folder.display());
    if let Some(path) = batch {
        let master = keys::read_or_test(key.as_deref())?;
        let kek = keys::read_or_test_kek(kek.as_deref())?;
        let key = ::hsm::wrap(&kek, &master, Scheme::Variant);
        let header = Header { portfolio, key, check_value: master.check_value() };
        batch::write(&path, &wanted, &header)?;
        println!("{} has them as an import batch.", path.display());
    }
    Ok(())
}

fn portfolio_name(text: &str) -> Result<String, String> {
    let fits =
        (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    if fits { Ok(text.to_owned()) } else { Err("up to 4 capital letters and digits are expected".to_owned()) }
}

fn eight_digits(text: &str) -> Result<Digits<8>, String> {
    Digits::parse(text).ok_or_else(|| "8 digits are expected".to_owned())
}

fn expiry_date(text: &str) -> Result<Digits<4>, String> {
    expiry(text).ok_or_else(|| "a year and a month are expected, as 3012".to_owned())
}
