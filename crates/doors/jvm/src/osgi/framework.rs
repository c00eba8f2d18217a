//! The OSGi framework of a JVM server: a jar of the user's, and what stands between it and the region.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::jdk::Jdk;
use crate::profile::Profile;

/// The setting of a profile that names the framework, and the variable of the region's environment that does so for all profiles.
const FRAMEWORK: &str = "OSGI_FRAMEWORK";
/// The class of the Java side that finds programs.
const PROGRAMS: &str = "syncpoint.jvm.OsgiPrograms";

/// Prepares the command of a JVM for a framework. Returns the arguments that follow the class path.
///
/// # Errors
/// The framework, or one of the bundles that go with it, is not there.
pub(crate) fn equip(
    command: &mut Command,
    jdk: &Jdk,
    classes: &Path,
    profile: &Profile,
    (application, folder, name): (&Path, &Path, &str),
) -> Result<Vec<PathBuf>, String> {
    let framework = framework(profile, application)?;
    let mut bundles = String::new();
    for path in &profile.osgi.bundles {
        let path = application.join(path);
        if !path.is_file() {
            return Err(format!("OSGI_BUNDLES: there is no {}", path.display()));
        }
        bundles.push_str(&path.display().to_string());
        bundles.push('\n');
    }
    let own = jdk.osgi_classes(folder, classes, &framework)?;
    command.env("SYNCPOINT_JVM_PROGRAMS", PROGRAMS).env("SYNCPOINT_JVM_BUNDLES", bundles);
    command.env("SYNCPOINT_JVM_STORAGE", folder.join(format!("{name}.bundles")));
    Ok(vec![own, framework])
}

/// The jar of the framework.
fn framework(profile: &Profile, application: &Path) -> Result<PathBuf, String> {
    let of_region = || std::env::var_os(FRAMEWORK).filter(|path| !path.is_empty()).map(PathBuf::from);
    let named = profile.osgi.framework.clone().or_else(of_region).ok_or_else(|| {
        format!(
            "it has no class path, so it is an OSGi JVM server, and {FRAMEWORK} names no framework: \
             `scripts/osgi` fetches one"
        )
    })?;
    let path = application.join(named);
    match path.is_file() {
        true => Ok(path),
        false => Err(format!("{FRAMEWORK}: there is no {}", path.display())),
    }
}
