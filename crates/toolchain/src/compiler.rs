//! The COBOL compiler: whether it is there, how it is called, and what it says.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use config::CompileConfig;
use diagnostics::Diagnostic;
use translator::COBC_FLAGS;

use crate::codes;
use crate::process::{self, Ended};

/// GnuCOBOL's compiler, or that there is none: what is compiled already runs without it.
#[derive(Clone, Debug)]
pub struct Compiler {
    version: String,
    flags: Vec<String>,
    /// How long it may take for one program.
    limit: Duration,
    /// Why there is none that can be used.
    missing: Option<Box<Diagnostic>>,
}

/// The program that is called.
const COMPILER: &str = "cobc";
/// Compile to a module that is loaded. Calls stay dynamic: the host answers them by name.
const MODULE: &str = "-m";
/// What finds a program's mistakes as a mainframe would, and leaves the line that it is at: PERFORM without end, digits
/// that are none. Bounds are not among them: applications read behind their tables and live on.
const CHECKS: [&str; 2] = ["-fstack-check", "-fec=EC-DATA-INCOMPATIBLE"];
/// COBOL's own files are the host's to serve: it answers this function.
const FILE_HANDLER: &str = "-fcallfh=EXTFH";
/// Leaves the C text beside the module: it says where each item of the program's storage is.
const KEEP_C: &str = "--save-temps";
/// The Debian package that has it.
const PACKAGE: &str = "gnucobol3";
/// The version whose runtime the host knows: another one's keeps its state in other structures.
const KNOWN: (u32, u32) = (3, 1);
/// Options for the C compiler behind it, instead of those that it was built with. Nothing reads debugging information:
/// a program leaves its line in its module.
const C_OPTIONS: &str = "-pipe -g0 -include prelude.h";
/// What stands before each program in C: a file and its text.
pub(crate) const PRELUDE: (&str, &str) = ("prelude.h", include_str!("prelude.h"));

/// What became of a compilation.
pub(crate) struct Compilation {
    pub(crate) succeeded: bool,
    /// Everything it printed.
    pub(crate) output: String,
}

/// Why there is no compilation.
pub(crate) enum Without {
    /// The compiler cannot be run.
    Compiler(io::Error),
    /// It has not ended within its limit, and was ended.
    End,
}

impl Compiler {
    /// Asks the installed compiler for its version.
    ///
    /// # Errors
    /// A message that names the package to install.
    pub fn find(options: &CompileConfig) -> Result<Self, Diagnostic> {
        let compiler = Self::look(options);
        match compiler.missing {
            Some(missing) => Err(*missing),
            None => Ok(compiler),
        }
    }

    /// The same, where a compiler may be missing.
    pub(crate) fn look(options: &CompileConfig) -> Self {
        let limit = options.timeout;
        let version = Self::installed_version(limit);
        let mut flags: Vec<String> =
            [FILE_HANDLER].iter().chain(&COBC_FLAGS).chain(&CHECKS).map(|flag| (*flag).to_owned()).collect();
        if options.optimize {
            flags.push("-O".to_owned());
        }
        flags.extend(options.flags.iter().cloned());
        match version {
            Ok(version) => Self { version, flags, limit, missing: None },
            Err(missing) => Self { version: String::new(), flags, limit, missing: Some(Box::new(missing)) },
        }
    }

    fn installed_version(limit: Duration) -> Result<String, Diagnostic> {
        let ended = process::run(Command::new(COMPILER).arg("--version"), limit);
        let ended = ended.map_err(|error| Self::absent(&error))?;
        let [_, text] = ended.ok_or_else(|| Self::endless("its version", limit))?.printed;
        let text = String::from_utf8_lossy(&text);
        let version = text.lines().next().unwrap_or_default().trim().to_owned();
        if is_known(&version) { Ok(version) } else { Err(Self::unknown(&version)) }
    }

    /// Why nothing can be compiled.
    pub fn missing(&self) -> Option<&Diagnostic> {
        self.missing.as_deref()
    }

    /// Whether what a compiler of some version has made is what this one would make. Without one, any will do whose
    /// runtime the host knows.
    pub(crate) fn is_like(&self, version: &str) -> bool {
        if self.missing.is_some() { is_known(version) } else { self.version == version }
    }

    /// That the compiler cannot be started.
    pub(crate) fn absent(error: &io::Error) -> Diagnostic {
        let message = match error.kind() {
            io::ErrorKind::NotFound => format!("the COBOL compiler ({COMPILER}) is not installed"),
            _ => format!("the COBOL compiler ({COMPILER}) cannot be started: {error}"),
        };
        Diagnostic::error(codes::NO_COMPILER, message)
            .help(format!("on Debian 12: apt-get install {PACKAGE}, or run scripts/install"))
    }

    /// That a compilation has not ended within its limit.
    pub(crate) fn too_long(&self, name: &str) -> Diagnostic {
        Self::endless(name, self.limit)
    }

    fn endless(what: &str, limit: Duration) -> Diagnostic {
        let seconds = limit.as_secs();
        let message = format!(
            "the COBOL compiler ({COMPILER}) did not come to an end with {what} in {seconds} s, and was ended"
        );
        Diagnostic::error(codes::ENDLESS, message).help(
            "GnuCOBOL never ends with some sources: compile this program natively (`native` of `[cobol]` in region.toml); \
             if it is large, or the machine busy, let it take longer (`timeout` of `[compile]`)",
        )
    }

    /// That the installed compiler is not one whose programs the host can run.
    fn unknown(version: &str) -> Diagnostic {
        let (major, minor) = KNOWN;
        let found = if version.is_empty() { "does not say its version" } else { version };
        let message =
            format!("GnuCOBOL {major}.{minor} is needed, and the installed compiler is another: {found}");
        Diagnostic::error(codes::OTHER_COMPILER, message).help(format!(
            "on Debian 12, apt-get install {PACKAGE}; beside another one, it must come first in PATH"
        ))
    }

    /// Its options, but for the kind of file that comes out.
    pub fn flags(&self) -> &[String] {
        &self.flags
    }

    /// The compiler's own words for its version, as in `cobc (GnuCOBOL) 3.1.2.0`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What of the compiler decides what comes out of it, beside its version.
    pub(crate) fn fingerprint(&self) -> String {
        format!("{KEEP_C} {} {C_OPTIONS}", self.flags.join(" "))
    }

    /// Compiles `NAME.cbl`, with the [`PRELUDE`] in a scratch folder of its own, to the module beside it.
    pub(crate) fn compile(
        &self,
        scratch: &Path,
        name: &str,
        further: &[String],
    ) -> Result<Compilation, Without> {
        let source = Self::source(name);
        let mut command = Command::new(COMPILER);
        command
            .args([MODULE, KEEP_C])
            .args(&self.flags)
            .args(further)
            .arg("-o")
            .arg(Self::module(name))
            .arg(&source);
        command.current_dir(scratch).env("LC_ALL", "C").env("TMPDIR", scratch);
        for variable in compiler_variables() {
            command.env_remove(variable);
        }
        command.env("COB_CFLAGS", C_OPTIONS);
        let ended = process::run(&mut command, self.limit).map_err(Without::Compiler)?.ok_or(Without::End)?;
        Ok(Compilation {
            succeeded: ended.status.success() && scratch.join(Self::module(name)).is_file(),
            output: all_of(&ended),
        })
    }

    /// The file name of the text to compile.
    pub(crate) fn source(name: &str) -> String {
        format!("{name}.cbl")
    }

    /// The file name of what the compiler says of a program's storage.
    pub(crate) fn storage(name: &str) -> String {
        format!("{name}.c.l.h")
    }

    /// The file name of a compiled module.
    pub(crate) fn module(name: &str) -> PathBuf {
        PathBuf::from(format!("{name}.so"))
    }
}

fn is_known(version: &str) -> bool {
    number(version) == Some(KNOWN)
}

/// Major and minor number of the version in the compiler's first line.
fn number(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.rsplit(' ').next()?.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

/// Variables of the user's environment that would change what the compiler does.
fn compiler_variables() -> impl Iterator<Item = OsString> {
    std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("COB"))
}

fn all_of(ended: &Ended) -> String {
    ended.printed.iter().flatten().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_whose_programs_the_host_cannot_run_is_refused_by_its_version() {
        for (version, found) in [
            ("cobc (GnuCOBOL) 3.1.2.0", Some((3, 1))),
            ("cobc (GnuCOBOL) 3.2.0", Some((3, 2))),
            ("cobc (GnuCOBOL) 2.2.0", Some((2, 2))),
            ("cobc (GnuCOBOL) 4.0-early-dev.0", None),
            ("", None),
        ] {
            assert_eq!(number(version), found, "{version}");
        }
        let message = Compiler::unknown("cobc (GnuCOBOL) 4.0-early-dev.0").render(false);
        assert!(
            message.contains("GnuCOBOL 3.1 is needed") && message.contains("4.0-early-dev.0"),
            "{message}"
        );
    }
}
