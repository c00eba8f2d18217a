//! `syncpoint report`: what monitoring and statistics have recorded, as tables and as a plot.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use diagnostics::Diagnostic;
use instruments::format::Broken;
use instruments::{
    Collections, Commands, Interval, Page, Performance, Rates, Selection, Shape, Sheets, Slowest, Table,
    Tasks, TraceFilter, Workload, Written, collections,
};

use crate::application::{ApplicationFolder, Messages, write};
use crate::codes;
use crate::unsealed;

/// The arguments of `syncpoint report`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    report: Option<Report>,
    /// Write all reports as one page of HTML with tables and plots into this file
    #[arg(long, value_name = "FILE", required = true)]
    html: Option<PathBuf>,
    #[command(flatten)]
    from: Records,
    /// Seconds of an interval of the page
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    every: u64,
}

#[derive(Subcommand)]
enum Report {
    /// Rate, response time and processor time by transaction
    Summary {
        #[command(flatten)]
        from: From,
    },
    /// The same interval by interval, and processor time against rate as a plot
    Rates {
        #[command(flatten)]
        from: From,
        /// Seconds of an interval
        #[arg(long, value_name = "SECONDS", default_value_t = 60)]
        every: u64,
        /// Draw processor time against rate into this file, as SVG
        #[arg(long, value_name = "FILE")]
        plot: Option<PathBuf>,
    },
    /// Parts of the response time, the largest wait first
    Waits {
        #[command(flatten)]
        from: From,
    },
    /// Records one by one
    Tasks {
        #[command(flatten)]
        from: From,
        /// The fields to show, by their published names; clocks are in microseconds
        #[arg(long, value_delimiter = ',', default_value = DEFAULT_FIELDS)]
        fields: Vec<String>,
        /// Tasks at most
        #[arg(long, value_name = "N", default_value_t = 100)]
        most: usize,
    },
    /// Commands of traced tasks and their times, from the auxiliary trace
    Commands {
        #[command(flatten)]
        from: From,
    },
    /// Service classes, report classes and processes by the intervals of statistics, region by region
    Workload {
        #[command(flatten)]
        place: ReportPlace,
        /// A further region's application folder; may be given several times
        #[arg(long = "and", value_name = "DIR")]
        and: Vec<PathBuf>,
    },
    /// Bytes that monitoring has written, by class and for each task
    Bytes {
        #[command(flatten)]
        place: ReportPlace,
    },
    /// Counts of the region and its resources
    Statistics {
        #[command(flatten)]
        place: ReportPlace,
        /// Every collection, not only the last
        #[arg(long)]
        all: bool,
        /// Only kinds whose name has this in it, as file
        #[arg(long, value_name = "KIND", default_value = "")]
        kind: String,
        /// A part for each kind, as a report to read, or as nested objects with --format json; else a line for each figure
        #[arg(long)]
        report: bool,
    },
}

/// The fields of `tasks` where none are named.
const DEFAULT_FIELDS: &str =
    "TRAN,TRANNUM,START,TERM,PGMNAME,USRDISPT,USRCPUT,SUSPTIME,FCTOTCT,EICTOTCT,SPSYNCCT,ABCODEC";

/// The place of the records.
#[derive(Args)]
struct Records {
    #[command(flatten)]
    application: ApplicationFolder,
    /// A file of records, instead of those of the application; may be given several times
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// The place of the records, and the form of the table.
#[derive(Args)]
pub(crate) struct ReportPlace {
    #[command(flatten)]
    records: Records,
    /// Format of the table
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The same with the records that count.
#[derive(Args)]
struct From {
    #[command(flatten)]
    place: ReportPlace,
    /// Only tasks of this transaction; may be given several times
    #[arg(long = "transaction", value_name = "NAME")]
    transactions: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Aligned
    Text,
    /// Comma-separated values
    Csv,
    /// A list of objects
    Json,
}

/// Prints a report.
pub(crate) fn report(arguments: Arguments) -> Result<(), Messages> {
    let Some(report) = arguments.report else {
        return arguments.html.map_or(Ok(()), |file| page(&arguments.from, arguments.every, &file));
    };
    match report {
        Report::Summary { from } => {
            let sums = from.performance()?;
            from.place.show(&sums.summary());
        }
        Report::Waits { from } => {
            let sums = from.performance()?;
            from.place.show(&sums.waits());
        }
        Report::Rates { from, every, plot } => {
            let mut rates = Rates::new(Interval::seconds(every), from.selection());
            from.place.each(PERFORMANCE, |bytes| rates.add(bytes))?;
            from.place.show(&rates.table());
            if let Some(path) = plot {
                write(&path, &rates.plot().svg())?;
            }
        }
        Report::Tasks { from, fields, most } => {
            known(&fields)?;
            let mut tasks = Tasks::new(fields, most, from.selection());
            from.place.each(PERFORMANCE, |bytes| tasks.add(bytes))?;
            from.place.show(&tasks.table());
        }
        Report::Commands { from } => {
            let filter = TraceFilter { transactions: from.transactions.clone(), ..TraceFilter::default() };
            let mut commands = Commands::new(filter);
            from.place.each(TRACE, |bytes| commands.add(bytes))?;
            from.place.show(&commands.table());
        }
        Report::Workload { mut place, and } => {
            let mut workload = Workload::default();
            for folder in std::iter::once(place.records.application.folder.clone()).chain(and) {
                place.records.application.folder = folder;
                let region = place.records.region()?;
                place.each(STATISTICS, |bytes| workload.add(&region, bytes))?;
            }
            place.show(&workload.table());
        }
        Report::Bytes { place } => {
            let mut written = Written::default();
            place.each(PERFORMANCE, |bytes| written.add(bytes))?;
            place.show(&written.table());
        }
        Report::Statistics { place, all, kind, report } => {
            let which = if all { Collections::All } else { Collections::Last };
            if report {
                let mut sheets = Sheets::new(which, &kind);
                place.each(STATISTICS, |bytes| sheets.add(bytes))?;
                let json = matches!(place.format, Format::Json);
                print!("{}", if json { sheets.json() } else { sheets.text() });
                return Ok(());
            }
            let mut last: Option<Table> = None;
            place.each(STATISTICS, |bytes| {
                let table = collections(bytes, which, &kind)?;
                match &mut last {
                    Some(known) if all => known.rows.extend(table.rows),
                    _ => last = Some(table),
                }
                Ok(())
            })?;
            place.show(&last.unwrap_or_default());
        }
    }
    Ok(())
}

/// Tasks in the list of the slowest.
const SLOWEST: usize = 30;

/// Writes all reports as one page.
fn page(from: &Records, every: u64, file: &Path) -> Result<(), Messages> {
    let mut sums = Performance::new(Selection::default());
    let mut rates = Rates::new(Interval::seconds(every), Selection::default());
    let mut slowest = Slowest::new(SLOWEST, Selection::default());
    let mut statistics = Table::default();
    let monitored = from.paths(PERFORMANCE);
    for path in monitored.iter().flatten() {
        read(path, |bytes| {
            sums.add(bytes)?;
            rates.add(bytes)?;
            slowest.add(bytes)
        })?;
    }
    let counted = from.paths(STATISTICS);
    for path in counted.iter().flatten() {
        read(path, |bytes| {
            let last = collections(bytes, Collections::Last, "")?;
            if !last.rows.is_empty() {
                statistics = last;
            }
            Ok(())
        })?;
    }
    if let (Err(messages), Err(_)) = (monitored, counted) {
        return Err(messages);
    }
    let folder = from.application.folder.canonicalize().unwrap_or_default();
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let made = jiff::Timestamp::now();
    let mut page =
        Page::new(&format!("Report of {name}"), &format!("Made {made:.0} by syncpoint report --html."));
    page.table(&sums.summary());
    page.rates(&rates);
    page.table(&sums.waits());
    page.table(&slowest.table());
    page.folded(&rates.table());
    page.folded(&statistics);
    write(file, &page.html())
}

/// Refuses fields that there are not.
fn known(fields: &[String]) -> Result<(), Messages> {
    let names = || spec::measures::monitoring_fields().iter().map(|field| field.name);
    let unknown = fields.iter().filter(|field| !names().any(|name| name == field.as_str()));
    let messages: Vec<_> = unknown
        .map(|field| {
            let message = Diagnostic::error(codes::NO_FIELD, format!("monitoring has no field {field}"));
            match diagnostics::nearest(field, names()) {
                Some(meant) => message.help(format!("did you mean {meant}?")),
                None => message.help("names are written as published, in upper case"),
            }
        })
        .collect();
    if messages.is_empty() { Ok(()) } else { Err(messages) }
}

/// The names of files of performance records, and of statistics, begin with this.
const PERFORMANCE: &str = "performance-";
const STATISTICS: &str = "statistics-";
/// Those of the auxiliary trace begin with this.
pub(crate) const TRACE: &str = "trace-";

impl From {
    fn selection(&self) -> Selection {
        Selection { transactions: self.transactions.clone(), between: None }
    }

    fn performance(&self) -> Result<Performance, Messages> {
        let mut sums = Performance::new(self.selection());
        self.place.each(PERFORMANCE, |bytes| sums.add(bytes))?;
        Ok(sums)
    }
}

impl ReportPlace {
    /// Reads every file; there must be one.
    pub(crate) fn each(
        &self,
        begin: &str,
        mut add: impl FnMut(&[u8]) -> Result<(), Broken>,
    ) -> Result<(), Messages> {
        self.records.paths(begin)?.iter().try_for_each(|path| read(path, &mut add))
    }

    fn show(&self, table: &Table) {
        let shape = match self.format {
            Format::Text => Shape::Text,
            Format::Csv => Shape::Csv,
            Format::Json => Shape::Json,
        };
        print!("{}", table.show(shape));
    }
}

/// Reads a file of records.
fn read(path: &Path, add: impl FnOnce(&[u8]) -> Result<(), Broken>) -> Result<(), Messages> {
    let fail = |why: String| {
        let message = format!("{} cannot be read: {why}", path.display());
        vec![Diagnostic::error(codes::UNREADABLE, message)]
    };
    let bytes = unsealed::read(path).map_err(|error| fail(error.to_string()))?;
    add(&bytes).map_err(|error| fail(error.to_string()))
}

impl Records {
    /// The name of the region; of files that were named, none.
    fn region(&self) -> Result<String, Messages> {
        if self.files.is_empty() {
            Ok(self.application.load()?.config.applid.clone())
        } else {
            Ok(String::new())
        }
    }

    fn paths(&self, begin: &str) -> Result<Vec<PathBuf>, Messages> {
        if !self.files.is_empty() {
            return Ok(self.files.clone());
        }
        let folder = self.application.load()?.state.join(region::RECORD_FOLDER);
        let mut paths = files(&folder, begin);
        paths.sort();
        if paths.is_empty() {
            let message =
                Diagnostic::error(codes::NO_RECORDS, format!("{} has no records", folder.display()));
            return Err(vec![message.help(
                "MN = \"ON\" and MNPER = \"ON\" under [sit], or CEMT SET MONITOR ON PERF, record tasks; statistics are \
                 recorded at the end of the region, at intervals with STATRCD = \"ON\", and when asked; AUXTR = \"ON\" or SET \
                 TRACEDEST AUXSTART write the trace",
            )]);
        }
        Ok(paths)
    }
}

fn files(folder: &Path, begin: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(begin))
    };
    entries.map(|entry| entry.path()).filter(named).collect()
}
