//! The configuration of a region that runs apart from all others, on a state of its own: for tests.
//!
//! It listens on free ports of this machine, has no part in links, record servers and databases of others, and changes no file
//! of the application: texts of definitions and files of queues are copies in its state.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use config::{LinkConfig, Located, PortConfig, Reached, RegionConfig, SqlConfig};
use csd::ResourceType;
use diagnostics::Diagnostic;

use crate::{codes, definitions};

/// The folder of the copies of CSD texts within the state, and that of files of queues.
const TEXTS: &str = "csd";
const QUEUES: &str = "queues";

/// Any free port of the loopback address.
const FREE: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Makes the configuration of an application that of a region which runs apart, with its state in a folder.
///
/// # Errors
/// The texts of definitions cannot be read, or a copy not be written.
pub fn run_apart(root: &Path, state: &Path, config: &mut RegionConfig) -> Result<(), Vec<Diagnostic>> {
    let services = web_services(root, config)?;
    listen_on_free_ports(config, services);
    config.records = None;
    config.records_far = None;
    config.records_database = None;
    config.links = LinkConfig::default();
    config.ports = PortConfig::default();
    config.sql = SqlConfig { server: None, is_tied: true, ..config.sql.clone() };
    config.data.encryption_key = None;
    config.data.is_short_lived = true;
    config.log.file = None;
    config.debug_record = None;
    copy_texts(root, &state.join(TEXTS), config)?;
    copy_queues(root, &state.join(QUEUES), config).map_err(|error| unwritable(&error))
}

fn listen_on_free_ports(config: &mut RegionConfig, services: Vec<String>) {
    config.listen.tn3270 = vec![Located::default_value(FREE)];
    config.listen.tn3270_tls = Vec::new();
    config.web.services = services.into_iter().map(|name| (name, Located::default_value(FREE))).collect();
    config.operate_listen = None;
    config.debug_listen = None;
    config.direct.listen = config.direct.listen.take().map(|_| Located::default_value(FREE));
    for scenario in &mut config.direct.scenarios {
        if let Reached::Port(address, _) = &mut scenario.reached {
            address.value = FREE;
        }
    }
    for conversation in &mut config.sockets.conversations {
        conversation.receive.value = FREE;
        if let Some(send) = &mut conversation.send {
            send.value = FREE;
        }
    }
}

/// The services of the definitions and of the configuration.
fn web_services(root: &Path, config: &RegionConfig) -> Result<Vec<String>, Vec<Diagnostic>> {
    let (definitions, _) = definitions::read(root, config)?;
    let defined = definitions.iter().filter(|definition| definition.resource == ResourceType::Tcpipservice);
    let mut names: Vec<String> = defined.map(|definition| definition.name.to_ascii_uppercase()).collect();
    names.extend(config.web.services.iter().map(|(name, _)| name.to_ascii_uppercase()));
    names.sort();
    names.dedup();
    Ok(names)
}

/// Definitions may be changed while the region runs, and its application's texts stay.
fn copy_texts(root: &Path, folder: &Path, config: &mut RegionConfig) -> Result<(), Vec<Diagnostic>> {
    let mut copies = Vec::new();
    for pattern in &config.definitions.csd {
        for path in toolchain::files(root, pattern).map_err(|message| vec![message])? {
            if !repository::is_beside(&path) {
                copies.push(path);
            }
        }
    }
    fs::create_dir_all(folder).map_err(|error| unwritable(&error))?;
    config.definitions.csd.clear();
    for (number, path) in copies.into_iter().enumerate() {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let copy = folder.join(format!("{number:03}-{name}"));
        fs::copy(&path, &copy).map_err(|error| unwritable(&error))?;
        config.definitions.csd.push(Located::default_value(copy.to_string_lossy().into_owned()));
    }
    Ok(())
}

/// A queue reads a copy of its file, and writes to that.
fn copy_queues(root: &Path, folder: &Path, config: &mut RegionConfig) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for queue in &mut config.queues {
        let copy = folder.join(&queue.queue);
        let file = root.join(&queue.file.value);
        if file.is_file() {
            fs::copy(file, &copy)?;
        }
        queue.file.value = copy.to_string_lossy().into_owned();
    }
    Ok(())
}

fn unwritable(error: &io::Error) -> Vec<Diagnostic> {
    vec![Diagnostic::error(codes::UNWRITABLE, format!("the state of a test cannot be written: {error}"))]
}
