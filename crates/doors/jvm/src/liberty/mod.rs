//! Open Liberty as a JVM server: an installation of the user's, and what stands between it and the region.
//!
//! ```text
//! request ─► Liberty ─► filter of cicsts:core ─ "a request" (control connection) ─► task of CJSA ─► a thread of the JVM server
//!                       servlet on its own thread ══ that thread's connection ══════╡ commands, the syncpoint of its end
//! ```

mod config;
mod extension;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use self::config::Held;
use crate::jdk::Jdk;
use crate::profile::Profile;
use crate::wlp::Wlp;

/// The setting of a profile that names the installation, and the variable of the region's environment that does so for all profiles.
const INSTALLED: &str = "WLP_INSTALL_DIR";
/// The program that begins, below the installation.
const LAUNCHER: &str = "bin/tools/ws-server.jar";
/// Options that Liberty gives itself: their files, by the first Java for which they are.
const OPTIONS: [(u32, &str); 2] =
    [(24, "lib/platform/java/java24.options"), (9, "lib/platform/java/java9.options")];
/// The server whose name no profile says.
const SERVER: &str = "defaultServer";

/// Prepares the command of a JVM for Liberty: what it returns is to be kept until the JVM has ended.
///
/// # Errors
/// The installation, or the configuration of the server, is not there or is none that can be used.
pub(crate) fn equip(
    command: &mut Command,
    jdk: &Jdk,
    profile: &Profile,
    (application, folder, name): (&Path, &Path, &str),
    code_page: &str,
) -> Result<Held, String> {
    let wlp = &profile.wlp;
    let installed = installed(wlp, application)?;
    let server = wlp.server.as_deref().unwrap_or(SERVER);
    let own = folder.join(format!("{name}.liberty"));
    let below = |named: &Option<PathBuf>, part: &str| {
        named.as_ref().map_or_else(|| own.join(part), |named| application.join(named))
    };
    let (user, output) = (below(&wlp.user, "usr"), below(&wlp.output, "output"));
    let place = user.join("servers").join(server);
    let held = config::prepare(&place, &wlp.auto)?;
    command.env("SYNCPOINT_JVM_OVERRIDES", config::overrides(&place));
    let extension = extension::make(jdk, folder, &installed)?;
    if let Some((_, file)) = OPTIONS.iter().find(|(java, _)| jdk.major() >= *java) {
        let mut options = OsString::from("@");
        options.push(installed.join(file));
        command.arg(options);
    }
    command.args(&profile.options).arg(code_page);
    command.arg("-jar").arg(installed.join(LAUNCHER)).arg(server);
    command.env("WLP_USER_DIR", user).env("WLP_OUTPUT_DIR", output).env("WLP_PRODUCT_EXT_DIR", extension);
    if wlp.is_standard {
        command.env("SYNCPOINT_JVM_STANDARD", "1");
    }
    Ok(held)
}

/// The folder of the installation.
fn installed(wlp: &Wlp, application: &Path) -> Result<PathBuf, String> {
    let of_region = || std::env::var_os(INSTALLED).filter(|path| !path.is_empty()).map(PathBuf::from);
    let named = wlp.install.clone().or_else(of_region).ok_or_else(|| {
        format!(
            "it is a Liberty JVM server, and {INSTALLED} names no Open Liberty: `scripts/liberty` fetches one"
        )
    })?;
    let path = application.join(named);
    match path.join(LAUNCHER).is_file() {
        true => Ok(path),
        false => Err(format!("{INSTALLED}: {} is no Liberty: it has no {LAUNCHER}", path.display())),
    }
}
