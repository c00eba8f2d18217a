//! `[sql]` of region.toml in the words of the domain that answers EXEC SQL.

use std::path::{Path, PathBuf};

use config::{InClear, Located, NamedServer, RegionConfig, Server, SqlEngine};
use db2::bind::{self, Remark};
use db2::package::Isolation;
use diagnostics::Diagnostic;
use exec_sql::{Engine, Named, Script, ServerPlace, Settings};
use sql::Address;
use sql::server::Private;

use crate::folders::{private_file, private_folder};
use crate::{codes, texts};

/// Refuses, or warns of, SQL tables in clear beside data that are encrypted, as the configuration wants it.
///
/// # Errors
/// The tables are in clear, and that is refused.
pub(crate) fn check_clear(state: &Path, config: &RegionConfig) -> Result<(), Vec<Diagnostic>> {
    let sql = &config.sql;
    let is_usual = sql.engine == SqlEngine::PostgreSql && sql.server.is_none();
    let is_private = is_usual || sql.named.iter().any(|server| server.server.is_none());
    if config.data.encryption_key.is_none() || !is_private {
        return Ok(());
    }
    let text =
        "the data are encrypted, and the tables of a private SQL server are not: its files are in clear";
    let help = "keep the state on an encrypted disk, or name a server of your own in [sql]; in-clear in [sql] says whether \
                the region starts";
    match sql.in_clear {
        InClear::Refuse => Err(vec![Diagnostic::error(codes::KEY, text).help(help)]),
        InClear::Warn if state.join(PRIVATE).exists() || !sql.scripts.is_empty() => {
            tracing::warn!(target: "DB", "{text}; {help}");
            Ok(())
        }
        InClear::Warn | InClear::Accept => Ok(()),
    }
}

/// The folder of the private server within the state; those of further ones have a name behind it.
pub(crate) const PRIVATE: &str = "postgresql";

/// The way out where records and tables are of different times.
pub(crate) const NO_PAIR: &str = "restore both from one backup (docs/backup.md); or, where you know that they belong together, say so \
                                  by `syncpoint sql DIR --belongs`";

/// The folders of private servers that are in a state.
pub fn folders(state: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(state).into_iter().flatten().flatten();
    let servers = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PRIVATE));
    let mut folders: Vec<_> =
        servers.map(|entry| entry.path()).filter(|path| path.join("data").exists()).collect();
    folders.sort();
    folders
}

/// Settings of the servers, and the scripts that run there first.
///
/// # Errors
/// Addresses that are none, scripts that are not there.
pub fn sql_settings(root: &Path, state: &Path, config: &RegionConfig) -> Result<Settings, Vec<Diagnostic>> {
    let sql = &config.sql;
    let place = match &sql.server {
        Some(server) => ServerPlace::At(address(root, server)?),
        None => ServerPlace::Private(Box::new(private(root, state, config))),
    };
    let named = sql.named.iter().map(|server| named(root, state, config, server));
    let engine = match sql.engine {
        SqlEngine::PostgreSql => Engine::PostgreSql,
        SqlEngine::Region => Engine::Region { order: config.terminal.code_page },
    };
    Ok(Settings {
        engine,
        place,
        named: named.collect::<Result<_, Vec<Diagnostic>>>()?,
        scripts: scripts(root, &sql.scripts)?,
        schemas: sql.schemas.clone(),
        lock_timeout_ms: 1000 * sql.lock_timeout_s,
        declared_tables: sql.declared_tables,
        isolations: decks(root, config)?.0,
        connects_at_start: config.sit.db2conn,
    })
}

/// The isolation of packages: each by its name or a pattern.
type Isolations = Vec<(String, Isolation)>;

/// ISOLATION of packages as decks and `[sql.packages]` say, and what decks ask for that is not done.
///
/// # Errors
/// Decks that are not there.
pub(crate) fn decks(
    root: &Path,
    config: &RegionConfig,
) -> Result<(Isolations, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (mut isolations, mut messages) = (Vec::new(), Vec::new());
    for written in &config.sql.bind {
        for path in toolchain::files(root, written).map_err(|message| vec![message])? {
            let source = texts::source(root, &path)?;
            let deck = bind::deck(&source.text);
            isolations.extend(deck.bound.into_iter().map(|bound| (bound.program, bound.isolation)));
            let mut tell = |line: u32, message: String, help: &str| {
                let place = diagnostics::TextPlace::new(&source, line as usize, 1, 1);
                messages.push(Diagnostic::warning(codes::BIND, message).at(place).help(help.to_owned()));
            };
            for Remark { line, message } in deck.remarks {
                tell(line, message, "it has no effect here");
            }
            for (line, qualifier) in deck.qualifiers {
                if !config.sql.schemas.contains(&qualifier) {
                    let help = format!("write schemas = [\"{qualifier}\"] in [sql]");
                    tell(line, format!("QUALIFIER({qualifier}) is none of the region's schemas"), &help);
                }
            }
        }
    }
    for (program, level) in &config.sql.packages {
        isolations.extend(bind::isolation(level).ok().map(|isolation| (program.clone(), isolation)));
    }
    Ok((isolations, messages))
}

fn scripts(root: &Path, written: &[Located<String>]) -> Result<Vec<Script>, Vec<Diagnostic>> {
    let scripts = written.iter().map(|written| {
        let path = root.join(&written.value);
        if !path.is_file() {
            let message = format!("the script {} is not there", written.value);
            return Err(vec![config::at(Diagnostic::error(codes::UNREADABLE, message), written)]);
        }
        Ok(Script { name: written.value.clone(), path })
    });
    scripts.collect()
}

/// One more server.
fn named(
    root: &Path,
    state: &Path,
    config: &RegionConfig,
    server: &NamedServer,
) -> Result<Named, Vec<Diagnostic>> {
    let place = match &server.server {
        Some(at) => ServerPlace::At(address(root, at)?),
        None => {
            let folder = state.join(format!("{PRIVATE}-{}", server.name.to_ascii_lowercase()));
            ServerPlace::Private(Box::new(Private { folder, ..private(root, state, config) }))
        }
    };
    Ok(Named {
        name: server.name.clone(),
        place,
        transactions: server.transactions.clone(),
        programs: server.programs.clone(),
        scripts: server.scripts.as_deref().map(|written| scripts(root, written)).transpose()?,
        schemas: server.schemas.clone(),
    })
}

/// Makes the tables of private servers from what a backup holds: dumps, and files that were sealed for it.
///
/// # Errors
/// In words.
pub(crate) fn bring_back(root: &Path, state: &Path, config: &RegionConfig) -> Result<(), String> {
    unseal::unlock(root, state, &config.data);
    let failed = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let sealed = state.join(access::SEALED);
    if sealed.exists() {
        unseal(&sealed, state).map_err(|error| failed(&sealed, &error))?;
        std::fs::remove_dir_all(&sealed).map_err(|error| failed(&sealed, &error))?;
    }
    let dumps = state.join(access::DUMPS);
    if !dumps.exists() {
        return Ok(());
    }
    let entries = std::fs::read_dir(&dumps).map_err(|error| failed(&dumps, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| failed(&dumps, &error))?;
        let mut dump = sealed::File::open(&entry.path()).map_err(|error| failed(&entry.path(), &error))?;
        let private = Private { folder: state.join(entry.file_name()), ..private(root, state, config) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(&dumps, &error))?;
        runtime.block_on(sql::server::load(&private, &mut dump)).map_err(|error| error.to_string())?;
    }
    std::fs::remove_dir_all(&dumps).map_err(|error| failed(&dumps, &error))
}

/// Writes what is sealed in a folder to the same place in another, in clear.
fn unseal(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            private_folder(&target)?;
            unseal(&path, &target)?;
        } else {
            std::io::copy(&mut sealed::File::open(&path)?, &mut private_file(&target)?)?;
        }
    }
    Ok(())
}

fn private(root: &Path, state: &Path, config: &RegionConfig) -> Private {
    let sql = &config.sql;
    let usual = Private::new(state.join(PRIVATE));
    Private {
        // It is root's alone.
        through: Some(state.to_owned()),
        binaries: sql.path.as_ref().map(|path| root.join(&path.value)),
        user: sql.user.clone().unwrap_or(usual.user),
        is_tied: sql.is_tied,
        ..usual
    }
}

fn address(root: &Path, server: &Server) -> Result<Address, Vec<Diagnostic>> {
    let read = Address::parse(&server.url.value).map_err(|error| {
        vec![config::at(Diagnostic::error(codes::ADDRESS, error.to_string()), &server.url)]
    })?;
    match &server.password {
        None => Ok(read),
        Some(password) => {
            let password = unseal::secret(root, password)?;
            Ok(Address { password: Some(password.trim_end_matches(['\r', '\n']).to_owned()), ..read })
        }
    }
}
