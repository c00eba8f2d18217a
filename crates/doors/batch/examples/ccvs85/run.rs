//! One program of the suite, through our own compiler: in a process of its own, which may be ended.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use access::{Client, FileSpec, Reply, Request};
use batch::{Batch, Dd, Dds, Ended, Execution, Output};
use cobol_ir::program::Service;
use cobol_ir::program::files::{File as Described, FileOperation, OpenMode, Organization};
use datasets::{DataSets, File, Shape};
use diagnostics::Source;
use toolchain::{Failure, Toolchain};

use crate::suite::LIBRARY;

/// The printer of the suite.
pub const PRINTER: &str = "XXXXX055";
/// File that it prints to.
pub const PRINTED: &str = "printed";

/// The first two switches of the suite are on and off when a program begins.
const SWITCHES: &str = "/UPSI(10)";

struct Said;

impl Output for Said {
    fn print(&mut self, line: &str) {
        println!("{line}");
    }

    fn log(&mut self, text: String) {
        eprintln!("{text}");
    }
}

async fn data_sets(state: &Path) -> Result<DataSets, Box<dyn std::error::Error>> {
    let engine = records::Local::open(&state.join("data"), records::Limits::default())?;
    let vsam = vsam::Vsam::open(engine).await?;
    Ok(DataSets::open(vsam, &state.join("sequential")).await?)
}

/// Runs a program whose source stands in a folder: exit status 0 where it came back, 1 where it is refused, 2 where it ended
/// abnormally.
pub fn run(folder: &Path, name: &str) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let settings = format!("copybooks = [\".\", \"{LIBRARY}\"]\n");
    let (config, _) = config::region(&Source::new("region.toml", settings));
    let toolchain = Toolchain::new(folder, &config.sources, &config.compile, &folder.join("built"))
        .map_err(|messages| format!("{messages:?}"))?;
    let program = match toolchain.program(name) {
        Ok(program) => program,
        Err(Failure::NotFound(message)) => return refused(&[*message]),
        Err(Failure::Broken(messages)) => return refused(&messages),
    };
    let state = folder.join("state");
    let mut client = Client::new(&state, "ccvs85", async {
        let opened = data_sets(&state).await;
        opened.map_err(|error| vec![diagnostics::Diagnostic::error("DATA", error.to_string())])
    })
    .map_err(|error| format!("{error:?}"))?;
    let unit = program.unit;
    let mut dds = Dds::default();
    // The programs that it CALLs have files, too; its own count where both have one.
    let mut units: Vec<_> =
        called(folder, name).iter().filter_map(|name| Some(toolchain.program(name).ok()?.unit)).collect();
    units.push(unit);
    for unit in units {
        for code in (0..).map_while(|place| unit.program(place)) {
            for (index, file) in code.program().files.iter().enumerate() {
                let made = file.optional || is_written(code.program(), index);
                allocate(file, made, folder, &mut client, &mut dds)?;
            }
        }
    }
    let data = folder.join(format!("{name}.data"));
    if data.exists() {
        dds.add("SYSIN", Dd::Files(vec![File::plain(data, Shape::Lines)]));
    }
    let mut batch = Batch::new(&toolchain, None);
    let execution = Execution { program: name, parm: Some(SWITCHES), dds: &dds, commit_every: 0, time: None };
    match batch.run(&execution, &mut client, &mut Said)? {
        Ended::Returned(_) => Ok(ExitCode::SUCCESS),
        Ended::Abend(code, text) => {
            eprintln!("abend {code}: {text}");
            Ok(ExitCode::from(2))
        }
    }
}

/// The other programs of the folder.
fn called(folder: &Path, name: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names =
        entries.filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".cbl").map(str::to_owned));
    names.filter(|own| own != name).collect()
}

fn refused(messages: &[diagnostics::Diagnostic]) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let errors = messages.iter().filter(|message| message.severity == diagnostics::Severity::Error);
    let told: BTreeSet<String> = errors
        .map(|message| {
            let line = message.place.as_ref().map_or(0, |place| place.line);
            format!("{} line {line}: {}", message.code, message.message)
        })
        .collect();
    told.iter().for_each(|message| eprintln!("{message}"));
    Ok(ExitCode::from(1))
}

/// Returns true if a program has OPEN OUTPUT of a file: one that no program has made is not there.
fn is_written(program: &cobol_ir::Program, file: usize) -> bool {
    program.sites.iter().any(|site| match &site.service {
        Service::File(own, FileOperation::Open(mode)) => *own as usize == file && *mode == OpenMode::Output,
        _ => false,
    })
}

/// A DD statement for a file: lines for the printer, a file for sequential records, a data set for others.
fn allocate(
    file: &Described,
    made: bool,
    folder: &Path,
    client: &mut Client,
    dds: &mut Dds,
) -> Result<(), Box<dyn std::error::Error>> {
    if file.assigned.is_empty() {
        return Ok(());
    }
    let shape = if file.variable { Shape::Variable } else { Shape::Fixed(None) };
    match file.organization {
        _ if file.assigned == PRINTER => {
            dds.add(PRINTER, Dd::Files(vec![File::plain(folder.join(PRINTED), Shape::Lines)]));
        }
        Organization::Sequential | Organization::LineSequential => {
            let path = folder.join(format!("{}.dat", file.assigned));
            if made || path.exists() {
                dds.add(&file.assigned, Dd::Files(vec![File::plain(path, shape)]));
            }
        }
        Organization::Indexed | Organization::Relative => {
            let name = format!("CCVS.{}", file.assigned);
            if made {
                define(&name, file, client)?;
            }
            dds.add(&file.assigned, Dd::DataSet(name));
        }
    }
    Ok(())
}

/// DEFINE of a data set, with an alternate index for each other key, where it is not there yet.
fn define(name: &str, file: &Described, client: &mut Client) -> Result<(), Box<dyn std::error::Error>> {
    if client.ask(Request::Locate { name: name.to_owned() }).is_ok() {
        return Ok(());
    }
    let (least, most) = file.lengths;
    let mut commands = match file.keys.first() {
        Some(key) => format!(
            " DEFINE CLUSTER (NAME({name}) INDEXED KEYS({} {}) RECORDSIZE({most} {most}) REUSE)\n",
            key.length, key.offset
        ),
        None => format!(" DEFINE CLUSTER (NAME({name}) NUMBERED RECORDSIZE({least} {most}) REUSE)\n"),
    };
    for (number, key) in file.keys.iter().enumerate().skip(1) {
        let unique = if key.duplicates { "NONUNIQUEKEY" } else { "UNIQUEKEY" };
        commands.push_str(&format!(
            " DEFINE AIX (NAME({name}.A{number}) RELATE({name}) KEYS({} {}) {unique} UPGRADE REUSE)\n \
             DEFINE PATH (NAME({name}.P{number}) PATHENTRY({name}.A{number}))\n",
            key.length, key.offset
        ));
    }
    let files: Vec<(String, FileSpec)> = Vec::new();
    let request = Request::Utility {
        name: "define".into(),
        text: commands,
        files,
        data_sets: Vec::new(),
        recoverable: Vec::new(),
    };
    if let Reply::Utility(outcome) = client.ask(request)?
        && outcome.max > 0
    {
        eprintln!("{}", outcome.listing);
    }
    Ok(())
}
