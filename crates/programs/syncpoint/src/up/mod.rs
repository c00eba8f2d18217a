//! `syncpoint up`: a whole topology, each region and the record server a process, started, watched and ended together.
//!
//! ```text
//! topology.toml ──► members: record server │ owners │ applications │ routers
//!                     start ──► each part once all before it are ready;  end ◄── the other way round
//! ```

mod control;
mod crew;
mod lines;
mod member;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use command_line::ends::Ends;
use command_line::{event_loop, terminal};
use config::{
    FarRecords, Located, REGION_FILE, RecordDatabase, RecordFiles, RecordPort, TOPOLOGY_FILE, Topology,
    TopologyRegion, at, topology,
};
use diagnostics::{Diagnostic, Source, any_error};

use crate::application::{Messages, read};
use crate::codes;
use control::Control;
use crew::{Crew, RECORDS_STAGE};
use member::{Limits, Member, Program};

/// The command's arguments.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The folder that holds topology.toml
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Start nothing: say how the topology is that runs in this folder
    #[arg(long, conflicts_with = "replace")]
    status: bool,
    /// Start nothing: end a region of the topology that runs, and start it again; of clones, one after another
    #[arg(long, value_name = "NAME")]
    replace: Option<String>,
}

/// The name of the record server among the members.
const RECORDS: &str = "records";

/// Runs a topology until a signal ends it, or asks the one that runs.
pub(crate) fn up(arguments: &Arguments) -> Result<(), Messages> {
    let folder = absolute(&arguments.folder)?;
    let topology = load(&folder)?;
    let state = folder.join(&topology.state);
    if arguments.status {
        return control::status(&state);
    }
    if let Some(name) = &arguments.replace {
        return control::replace(&state, name);
    }
    let members = members(&folder, &topology)?;
    let limits = Limits {
        start: Duration::from_secs(topology.start_s.into()),
        end: Duration::from_secs(topology.end_s.into()),
        restarts: topology.restarts,
    };
    event_loop::run(async move {
        let crew = Crew::new(members, limits);
        let signals = Ends::new()?;
        let _control = Control::open(&state, &crew)?;
        crew.run(signals).await
    })
}

/// A folder by its whole path: processes are started with it.
fn absolute(folder: &Path) -> Result<PathBuf, Messages> {
    folder.canonicalize().map_err(|error| {
        let text = format!("the folder {} cannot be used: {error}", folder.display());
        vec![Diagnostic::error(codes::NO_FOLDER, text)]
    })
}

fn load(folder: &Path) -> Result<Topology, Messages> {
    terminal::names_are_in(folder);
    let path = folder.join(TOPOLOGY_FILE);
    if !path.is_file() {
        let text = format!("{} has no {TOPOLOGY_FILE}", folder.display());
        let help = "that file names the regions that run together: docs/several-regions.md";
        return Err(vec![Diagnostic::error(codes::NO_TOPOLOGY, text).help(help)]);
    }
    let (topology, messages) = topology(&Source::new(TOPOLOGY_FILE, read(&path)?));
    if any_error(&messages) { Err(messages) } else { Ok(topology) }
}

/// The processes of a topology, in the order of their parts.
fn members(folder: &Path, topology: &Topology) -> Result<Vec<Member>, Messages> {
    let program = std::env::current_exe().map_err(|error| {
        vec![Diagnostic::error(codes::NO_TOPOLOGY, format!("this program cannot be found: {error}"))]
    })?;
    let parent = format!("--child-of={}", std::process::id());
    let mut members = Vec::new();
    let records_folder = topology.records.as_ref().map(|records| folder.join(&records.folder.value));
    if let (Some(records), Some(records_folder)) = (&topology.records, &records_folder) {
        let mut arguments = vec![String::from("records"), shown(records_folder), parent.clone()];
        if let Some(key) = &records.key {
            arguments.extend([String::from("--key"), shown(&folder.join(&key.value))]);
        }
        if let Some(database) = &records.database {
            arguments.extend(of_database(folder, database));
        }
        if let Some(port) = &records.port {
            arguments.extend(of_port(folder, port));
        }
        let stands_by = records.database.is_some();
        let is = Program { program: program.clone(), arguments, ready: "is ready.", stands_by };
        members.push(Member::new(RECORDS, RECORDS, (RECORDS_STAGE, "records"), is, None));
    }
    let mut wrong = Vec::new();
    for region in &topology.regions {
        let application = folder.join(&region.folder.value);
        if !application.join(REGION_FILE).is_file() {
            let text = format!("{} has no {REGION_FILE}", application.display());
            wrong.push(at(Diagnostic::error(codes::NO_REGION, text), &region.folder));
            continue;
        }
        let state = folder.join(&topology.state).join(region.name.to_ascii_lowercase());
        let records = records_folder.clone().filter(|_| region.shares_records);
        let folders = [("links", Some(folder.join(&topology.links))), ("records", records)];
        let far = topology.far_records.as_ref().filter(|_| region.shares_records);
        let far = far.map(|far| of_far(folder, far)).unwrap_or_default();
        let mut arguments = run(&application, &state, region, &folders, far);
        arguments.push(parent.clone());
        let is = Program { program: program.clone(), arguments, ready: "Press Ctrl-C", stands_by: false };
        let part = (1 + region.part as usize, region.part.word());
        members.push(Member::new(&region.name, &region.group, part, is, Some(state)));
    }
    members.sort_by_key(|member| member.stage);
    if wrong.is_empty() { Ok(members) } else { Err(wrong) }
}

/// The arguments of a record server whose records lie in a database.
fn of_database(folder: &Path, database: &RecordDatabase) -> Vec<String> {
    let mut arguments = vec![String::from("--database"), database.url.value.clone()];
    if let Some(file) = &database.password_file {
        arguments.extend([String::from("--password-file"), shown(&folder.join(&file.value))]);
    }
    if let Some(schema) = &database.schema {
        arguments.extend([String::from("--schema"), schema.value.clone()]);
    }
    if let Some(seconds) = database.lease_s {
        arguments.extend([String::from("--lease"), seconds.to_string()]);
    }
    arguments
}

/// The three files of one end of a connection to a record server, each by its key.
fn of_files(folder: &Path, files: &RecordFiles) -> [(&'static str, String); 3] {
    let RecordFiles { certificate, key, authorities } = files;
    let file = |file: &Located<String>| shown(&folder.join(&file.value));
    [("certificate", file(certificate)), ("certificate-key", file(key)), ("authorities", file(authorities))]
}

/// The arguments of a record server with a port.
fn of_port(folder: &Path, port: &RecordPort) -> Vec<String> {
    let mut arguments = vec![String::from("--listen"), port.listen.value.to_string()];
    for (key, file) in of_files(folder, &port.files) {
        arguments.extend([format!("--{key}"), file]);
    }
    arguments.extend([String::from("--allowed"), shown(&folder.join(&port.allowed.value))]);
    arguments
}

/// The settings of a region whose record server is on another machine.
fn of_far(folder: &Path, far: &FarRecords) -> Vec<String> {
    let servers = far.servers.iter().map(|server| {
        let (host, port) = &server.value;
        if host.contains(':') { format!("\"[{host}]:{port}\"") } else { format!("\"{host}:{port}\"") }
    });
    let servers = format!("records.server=[{}]", servers.collect::<Vec<_>>().join(","));
    let files = of_files(folder, &far.files).map(|(key, file)| format!("records.{key}={file}"));
    std::iter::once(servers).chain(files).collect()
}

/// The arguments with which a region runs; the folders are those that it has with the others. A setting of the region itself stands
/// behind those of the topology, and so counts.
fn run(
    application: &Path,
    state: &Path,
    region: &TopologyRegion,
    folders: &[(&str, Option<PathBuf>)],
    far: Vec<String>,
) -> Vec<String> {
    let mut arguments = vec![String::from("run"), shown(application), String::from("--data"), shown(state)];
    let folders = folders.iter().filter_map(|(key, folder)| Some((key, folder.as_ref()?)));
    let folders = folders.map(|(key, folder)| format!("{key}.folder={}", shown(folder)));
    let sysid = region.sysid.iter().map(|sysid| format!("sysid={sysid}"));
    let settings = region.settings.iter().map(|setting| setting.value.clone());
    let own = std::iter::once(format!("applid={}", region.name));
    for setting in own.chain(folders).chain(far).chain(sysid).chain(settings) {
        arguments.extend([String::from("--set"), setting]);
    }
    arguments
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
