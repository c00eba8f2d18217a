//! The product extension `cicsts` of Liberty: a feature, and the bundle that it consists of.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::jdk::Jdk;

/// The folder of an installation's jars with interfaces, and those that the extension needs: beginnings of their names, of which the
/// first one that is there is taken.
const INTERFACES: [(&str, &[&str]); 2] = [
    (
        "dev/api/spec",
        &[
            "io.openliberty.jakarta.servlet.6.0_",
            "io.openliberty.jakarta.servlet.6.1_",
            "io.openliberty.jakarta.servlet.5.0_",
        ],
    ),
    ("lib", &["org.eclipse.osgi_"]),
];

/// The name of the bundle's jar.
const JAR: &str = "com.ibm.cics.server_1.900.0.jar";

/// The name of the file by which Liberty finds the extension.
const PROPERTIES: &str = "cicsts.properties";

const BUNDLE: &str = "Bundle-ManifestVersion: 2
Bundle-SymbolicName: com.ibm.cics.server
Bundle-Version: 1.900.0
Bundle-Activator: syncpoint.jvm.LibertyExtension
Export-Package: com.ibm.cics.server;version=\"1.900.0\"
Import-Package: jakarta.servlet,jakarta.servlet.http,org.osgi.framework
DynamicImport-Package: *
";

const FEATURE: &str = "Manifest-Version: 1.0
Subsystem-ManifestVersion: 1
Subsystem-SymbolicName: core-1.0; visibility:=public
Subsystem-Version: 1.0.0
Subsystem-Type: osgi.subsystem.feature
IBM-Feature-Version: 2
IBM-ShortName: core-1.0
IBM-API-Package: com.ibm.cics.server; type=\"api\"
Subsystem-Content: com.ibm.cics.server; version=\"[1,2)\",
 com.ibm.websphere.appserver.servlet-6.0; ibm.tolerates:=\"5.0,6.1\"; type=\"osgi.subsystem.feature\"
";

/// Held while an extension is made: JVM servers of a process start at one time, and one draft is enough.
static MAKES: Mutex<()> = Mutex::new(());

/// The folder for WLP_PRODUCT_EXT_DIR, below another one: made if it is not there yet.
///
/// # Errors
/// The installation lacks an interface, or the extension cannot be made.
pub(super) fn make(jdk: &Jdk, below: &Path, installed: &Path) -> Result<PathBuf, String> {
    let mut interfaces = OsString::new();
    for (folder, beginnings) in INTERFACES {
        let folder = installed.join(folder);
        let jar = beginnings.iter().find_map(|begin| jar(&folder, begin)).ok_or_else(|| {
            format!(
                "{} has no {}….jar: servlets of Jakarta EE 9 or later are needed",
                folder.display(),
                beginnings[0]
            )
        })?;
        interfaces.push(jar);
        interfaces.push(":");
    }
    let classes = jdk.liberty_classes(below, &interfaces)?;
    let name = classes.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = below.join(format!("extension-{name}"));
    let _turn = MAKES.lock();
    if folder.is_dir() {
        return settle(&folder).map(|()| folder).map_err(failed);
    }
    // It is there as a whole or not at all.
    let draft = below.join(format!("draft-extension-{}", std::process::id()));
    let made =
        write(jdk, &draft, &classes, &folder).and_then(|()| fs::rename(&draft, &folder).map_err(failed));
    let _ = fs::remove_dir_all(&draft);
    made.map(|()| folder)
}

fn write(jdk: &Jdk, draft: &Path, classes: &Path, folder: &Path) -> Result<(), String> {
    let lib = draft.join("cicsts/lib");
    kernel::private::folder(&lib.join("features")).map_err(failed)?;
    fs::write(draft.join(PROPERTIES), properties(folder)).map_err(failed)?;
    fs::write(lib.join("features/core-1.0.mf"), FEATURE).map_err(failed)?;
    let manifest = draft.join("MANIFEST.MF");
    fs::write(&manifest, BUNDLE).map_err(failed)?;
    jdk.jar(&lib.join(JAR), &manifest, classes)
}

/// The properties of the extension in a folder: they name it.
fn properties(folder: &Path) -> String {
    format!(
        "com.ibm.websphere.productId=syncpoint.cicsts\ncom.ibm.websphere.productInstall={}\n",
        folder.join("cicsts").display()
    )
}

/// Has the properties of an extension name its own folder: that of the state may have been moved, or copied.
fn settle(folder: &Path) -> io::Result<()> {
    let (path, text) = (folder.join(PROPERTIES), properties(folder));
    if fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    // No `.properties`: those of the folder are extensions.
    let draft = folder.join(format!("draft-{}", std::process::id()));
    let settled = fs::write(&draft, text).and_then(|()| fs::rename(&draft, &path));
    if settled.is_err() {
        // It may not be there.
        let _ = fs::remove_file(&draft);
    }
    settled
}

fn failed(error: io::Error) -> String {
    format!("the extension of Liberty cannot be kept: {error}")
}

/// The jar in a folder whose name begins so.
fn jar(folder: &Path, begin: &str) -> Option<PathBuf> {
    let jars = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(begin) && name.ends_with(".jar"))
    };
    jars.filter(is_it).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_that_was_moved_names_its_new_folder() {
        let below = tempfile::tempdir().expect("a folder");
        let (old, new) = (below.path().join("old"), below.path().join("new"));
        fs::create_dir(&old).expect("a folder");
        settle(&old).expect("it is written");
        fs::rename(&old, &new).expect("it is moved");
        settle(&new).expect("it is written");
        assert_eq!(fs::read_to_string(new.join(PROPERTIES)).expect("a file"), properties(&new));
        assert_eq!(fs::read_dir(&new).expect("a folder").count(), 1, "no draft is left");
    }
}
