//! The COBOL compiler: whether it is there, how it is called, and what it says.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use config::CompileConfig;
use diagnostics::Diagnostic;
use translator::COBC_FLAGS;

use crate::codes;

/// GnuCOBOL's compiler.
#[derive(Clone, Debug)]
pub struct Compiler {
    version: String,
    flags: Vec<String>,
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
/// The Debian package that has it.
const PACKAGE: &str = "gnucobol3";
/// The oldest version that applications were proved with.
const PROVED: (u32, u32) = (3, 1);

/// What became of a compilation.
pub(crate) struct Compilation {
    pub(crate) succeeded: bool,
    /// Everything it printed.
    pub(crate) output: String,
}

impl Compiler {
    /// Asks the installed compiler for its version.
    ///
    /// # Errors
    /// A message that names the package to install.
    pub fn find(options: &CompileConfig) -> Result<Self, Diagnostic> {
        let output =
            Command::new(COMPILER).arg("--version").output().map_err(|error| Self::absent(&error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().next().unwrap_or_default().trim().to_owned();
        let mut flags: Vec<String> = [MODULE, FILE_HANDLER]
            .iter()
            .chain(&COBC_FLAGS)
            .chain(&CHECKS)
            .map(|flag| (*flag).to_owned())
            .collect();
        if options.optimize {
            flags.push("-O".to_owned());
        }
        flags.extend(options.flags.iter().cloned());
        Ok(Self { version, flags })
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

    /// The compiler's own words for its version, as in `cobc (GnuCOBOL) 3.1.2.0`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// A warning if the compiler is older than those that applications were proved with.
    pub fn doubt(&self) -> Option<Diagnostic> {
        let number = self.version.rsplit(' ').next()?;
        let mut parts = number.split('.').map_while(|part| part.parse::<u32>().ok());
        let found = (parts.next()?, parts.next()?);
        (found < PROVED).then(|| {
            Diagnostic::warning(codes::OLD_COMPILER, format!("{} is older than GnuCOBOL 3.1", self.version))
                .help(format!("install a newer one: on Debian 12, apt-get install {PACKAGE}"))
        })
    }

    /// What of the compiler decides what comes out of it.
    pub(crate) fn fingerprint(&self) -> String {
        format!("{} {}", self.version, self.flags.join(" "))
    }

    /// Compiles `NAME.cbl` in a scratch folder of its own to the module beside it.
    pub(crate) fn compile(&self, scratch: &Path, name: &str, further: &[&str]) -> io::Result<Compilation> {
        let source = Self::source(name);
        let mut command = Command::new(COMPILER);
        command.args(&self.flags).args(further).arg("-o").arg(Self::module(name)).arg(&source);
        command.current_dir(scratch).env("LC_ALL", "C").env("TMPDIR", scratch);
        for variable in compiler_variables() {
            command.env_remove(variable);
        }
        let output = command.output()?;
        Ok(Compilation {
            succeeded: output.status.success() && scratch.join(Self::module(name)).is_file(),
            output: all_of(&output),
        })
    }

    /// The file name of the text to compile.
    pub(crate) fn source(name: &str) -> String {
        format!("{name}.cbl")
    }

    /// The file name of a compiled module.
    pub(crate) fn module(name: &str) -> PathBuf {
        PathBuf::from(format!("{name}.so"))
    }
}

/// Variables of the user's environment that would change what the compiler does.
fn compiler_variables() -> impl Iterator<Item = OsString> {
    std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("COB"))
}

fn all_of(output: &Output) -> String {
    let text = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect::<String>();
    format!("{}{}", text(&output.stderr), text(&output.stdout))
}
