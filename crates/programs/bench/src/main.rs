//! `make bench`: every promise of SPECIFICATION.md beside its floor, both measured in this run on this machine.
//!
//! In scope: the command line, the table that is printed and `promises.tsv`. What is measured and how stands in
//! a module for each subject; the programs are COBOL, built by the real tool chain and run by a real region.
//!
//! `bench [--quick] [--out FOLDER] [--records N] [ID …]`: quick runs everything once and small, to see that it runs;
//! with `--records` the record engine's own rows show how they grow with the data set.

mod authenticator;
mod client;
mod clock;
mod compiler;
mod contacts;
mod containers;
mod direct;
mod engine;
mod inputs;
mod java;
mod links;
mod log;
mod pages;
mod processes;
mod promise;
mod records;
mod regions;
mod saving;
mod scaling;
mod site;
mod sockets;
mod sql;
mod startup;
mod tables;
mod tasks;
mod traced;
mod tree;
mod valgrind;
mod waiting;
mod web;
mod workload;

use std::path::PathBuf;
use std::process::ExitCode;

use authenticator::{bare, console, counted, show};
use client::Message;
use engine::database::{self, Form};
use promise::{Measured, PROMISES, Promise};
use site::Workshop;
use sql::units::{self, Side};
use sql::{own, rtw};
use web::rates;
use web::tls::{self, Tls};

/// The allocator of this process: the same as the region's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The options of the command line.
pub(crate) struct Options {
    /// Everything once and small.
    pub quick: bool,
    /// The folder of `promises.tsv`.
    pub out: PathBuf,
    /// The number of records of the record engine's data sets; `None` means the promised number.
    pub records: Option<usize>,
    /// The promises to measure; none means all.
    pub only: Vec<String>,
}

/// Fewer records than a few browses long are no data set to measure.
const RECORDS_MIN: usize = 100;

impl Options {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let out = PathBuf::from("target/bench");
        let mut options = Self { quick: false, out, records: None, only: Vec::new() };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--out" => options.out = arguments.next().ok_or("--out wants a folder")?.into(),
                "--records" => {
                    let records = arguments.next().and_then(|text| text.parse().ok());
                    let enough = records.filter(|records| *records >= RECORDS_MIN);
                    options.records = Some(enough.ok_or(format!("--records wants {RECORDS_MIN} or more"))?);
                }
                id if PROMISES.iter().any(|promise| promise.id == id) => options.only.push(argument),
                other => return Err(format!("{other} is neither an option nor a promise")),
            }
        }
        Ok(options)
    }

    /// A number of rounds, tasks or records: as measured, or as few as show that it runs.
    pub fn size(&self, whole: usize, quick: usize) -> usize {
        if self.quick { quick } else { whole }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let part = match arguments.first().map(String::as_str) {
        Some(client::WORD) => Some(client::run(&arguments[1..]).map_err(|error| error.to_string())),
        Some(web::client::WORD) => Some(web::client::run(&arguments[1..]).map_err(|error| error.to_string())),
        Some(compiler::WORD) => Some(compiler::counted::run(&arguments[1..])),
        Some(bare::WORD) => Some(bare::run(&arguments[1..]).map_err(|error| error.to_string())),
        Some(workload::WORD) => Some(workload::run(&arguments[1..])),
        Some(show::WORD) => Some(show::show(&arguments[1..])),
        Some(rates::WORD) => Some(rates::show(&arguments[1..])),
        Some(regions::show::WORD) => Some(regions::show::show(&arguments[1..])),
        Some(regions::dsw::WORD) => Some(regions::dsw::show(&arguments[1..])),
        Some(regions::web::WORD) => Some(regions::web::show(&arguments[1..])),
        Some(contacts::tables::WORD) => Some(contacts::tables::show(&arguments[1..])),
        _ => None,
    };
    match part {
        Some(Ok(())) => return ExitCode::SUCCESS,
        Some(Err(error)) => {
            eprintln!("bench {}: {error}", arguments[0]);
            return ExitCode::FAILURE;
        }
        None => {}
    }
    let options = match Options::read(arguments.into_iter()) {
        Ok(options) => options,
        Err(what) => {
            eprintln!("{what}\nusage: bench [--quick] [--out FOLDER] [--records N] [ID ...]");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    log::start();
    let workshop = Workshop::new(records::count(options), tables::count(options))?;
    let (mut lines, mut failures) = (Vec::new(), Vec::new());
    println!("{}", promise::heading());
    for promise in PROMISES {
        if !options.only.is_empty() && !options.only.iter().any(|id| id == promise.id) {
            continue;
        }
        if let Some(why) = java::lacks(promise.id) {
            println!("{:>26}is not measured: {why}", format!("{} ", promise.id));
            continue;
        }
        match measure(promise, options, &workshop) {
            Ok(measured) => {
                println!("{}", promise.row(&measured));
                for note in &measured.notes {
                    println!("{:>26}{note}", "");
                }
                lines.push(promise.line(&measured));
            }
            Err(what) => failures.push(format!("{} was not measured: {what}", promise.id)),
        }
    }
    write(options, &lines)?;
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn measure(promise: &Promise, options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    match promise.id {
        "null-task" => tasks::null_task(options, workshop),
        "monitoring" => tasks::monitoring(options, workshop, promise.id, tasks::NULL),
        "monitoring-on" => tasks::monitoring(options, workshop, promise.id, tasks::DSW),
        "encrypted-trace" => traced::encrypted(options),
        "sums" => tasks::sums(options, workshop),
        "sums-instructions" => compiler::summed(options, workshop),
        "trace-internal" => compiler::traced(options, workshop),
        "spans" => compiler::spanned(options, workshop),
        "policies-19" => compiler::nineteen(options, workshop),
        "capture-on" => compiler::elsewhere(options, workshop),
        "security-on" => tasks::security(options),
        "link" => tasks::link(options, workshop),
        "exec-call" => tasks::exec_call(options, workshop),
        "tcb-scaling" => scaling::two_tcbs(options, workshop),
        "waiting-task-memory" => waiting::memory(options, workshop),
        "containers-750" => containers::channel(options, workshop),
        "record-read" => records::read(options, workshop),
        "socket-listener" => sockets::listener(options, workshop),
        "socket-optimised-one" => sockets::optimised(options, workshop, 1),
        "socket-optimised-five" => sockets::optimised(options, workshop, 5),
        "optimised-against-ezasoket" => sockets::against_ezasoket(options, workshop),
        "direct-path" => direct::path(options, workshop),
        "direct-against-normal" => direct::against_normal(options, workshop),
        "direct-path-select" => sql::direct(options, workshop),
        "web-sql-select" => sql::web(options, workshop),
        "sql-select" => units::select(options, promise.id, Side::Client),
        "sql-select-server" => units::select(options, promise.id, Side::Server),
        "sql-update-unit" => units::update(options, promise.id),
        "sql-and-records-unit" => units::both(options, promise.id),
        "sql-cursor-100" => units::cursor(options, promise.id),
        "java-call" => java::call(options, promise.id),
        "java-link" => java::link(options, promise.id),
        "java-browse" => java::browse(options, promise.id),
        "rtw" => rtw::workload(options, promise.id),
        "rtw-region" => rtw::over_own_tables(options, promise.id),
        "sql-select-region" => own::select(options, promise.id),
        "sql-cursor-region" => own::cursor(options, promise.id),
        "sql-unit-region" => own::unit(options, promise.id),
        "direct-select-region" => own::direct(options, workshop, promise.id),
        "web-select-region" => own::web(options, workshop, promise.id),
        "contacts-query" => contacts::scenario(options, promise.id, Message::Query),
        "contacts-all-kinds" => contacts::scenario(options, promise.id, Message::AllKinds),
        "contacts-query-service" => contacts::service(options, promise.id, Message::QueryInJson),
        "contacts-all-kinds-service" => contacts::service(options, promise.id, Message::AllKindsInJson),
        "record-update-forced-64" => engine::forced_together(options, workshop),
        "record-update-forced-1" => engine::forced_alone(options, workshop),
        "record-update-unforced" => engine::unforced(options, workshop),
        "record-unit-database" => database::unit(options, workshop, promise.id, Form::Below),
        "record-unit-direct" => database::unit(options, workshop, promise.id, Form::Directly),
        "record-browse-20" => engine::browse(options, workshop),
        "record-load" => engine::load(options, workshop),
        "restart-replay" => engine::replay(options, workshop),
        "encryption" => engine::encrypted(options, workshop),
        "data-table" => tables::transaction(options, workshop),
        "data-table-scaling" => scaling::data_tables(options, workshop),
        "save-to-screen" => saving::to_screen(options, workshop),
        "auth" => authenticator::authentication(options, false),
        "auth-log" => authenticator::authentication(options, true),
        "auth-instructions" => counted::instructions(options),
        "auth-security" => authenticator::security(options),
        "auth-linearity" => authenticator::linearity(options, false),
        "auth-log-linearity" => authenticator::linearity(options, true),
        "console-open" => console::watched(options),
        "rls-four" => regions::four::clones(options),
        "soap-persistent" => web::soap(options, workshop, false),
        "direct-service" => web::direct_service(options, workshop),
        "soap-connection" => web::soap(options, workshop, true),
        "json-persistent" => web::json(options, workshop),
        "order-soap" => web::order_of_fifty_lines(options, workshop),
        "tls-full" => tls::ended_here(options, workshop, promise.id, Tls::Full),
        "tls-resumed" => tls::ended_here(options, workshop, promise.id, Tls::Resumed),
        "tls-persistent" => tls::ended_here(options, workshop, promise.id, Tls::Kept),
        "transparent-tls-full" => tls::ended_by_a_proxy(options, workshop, promise.id, Tls::Full),
        "transparent-tls-resumed" => tls::ended_by_a_proxy(options, workshop, promise.id, Tls::Resumed),
        "transparent-tls-persistent" => tls::ended_by_a_proxy(options, workshop, promise.id, Tls::Kept),
        "web-linearity" => web::linearity(options, workshop),
        "link-exchange" => links::exchange(options, promise.id),
        "function-shipped-read" => links::read(options, promise.id),
        "rls-unit" => engine::unit(options, workshop),
        "dpl" => links::link(options, promise.id),
        "routed-transaction" => links::transaction(options, promise.id),
        "soap-routed" => regions::web::routed(options),
        "invoke-service" => regions::web::invoke(options),
        "dsw" => regions::dsw::beside_published(options),
        "dsw-engine" => regions::dsw::beside_engine(options, workshop),
        "slow-clients" => web::slow_clients(options, workshop),
        "statement" => compiler::statement(options, workshop),
        "call" => compiler::call(options, workshop),
        "compile-2000" => compiler::compile(options, workshop),
        "lsp-keystroke" => compiler::keystroke(options, workshop),
        "load-100" => compiler::load(options),
        "test-pages" => pages::hundred(options),
        "warm-start" => startup::warm(options),
        id => Err(format!("nothing measures {id}")),
    }
}

fn write(options: &Options, lines: &[String]) -> Result<(), String> {
    let path = options.out.join("promises.tsv");
    let text: String = std::iter::once(promise::TSV_HEADING)
        .chain(lines.iter().map(String::as_str))
        .map(|l| format!("{l}\n"))
        .collect();
    std::fs::create_dir_all(&options.out)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    println!("written to {}", path.display());
    Ok(())
}
