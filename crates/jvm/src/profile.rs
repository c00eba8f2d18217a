//! JVM profiles: files of lines, a setting or an option of the JVM each.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::limits::PROFILE_MAX;

/// The content of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Profile {
    /// JAVA_HOME.
    pub java_home: Option<PathBuf>,
    /// CLASSPATH_PREFIX and CLASSPATH_SUFFIX.
    pub class_path: Vec<String>,
    /// Options of the JVM.
    pub options: Vec<String>,
    /// The other settings: environment of the JVM.
    pub environment: Vec<(String, String)>,
    /// Words about what has no effect.
    pub notes: Vec<String>,
}

/// Beginnings of settings of JVM servers of other kinds.
const OTHER_KINDS: [(&str, &str); 5] = [
    ("WLP_", "Liberty JVM servers are not built"),
    ("LIBERTY_", "Liberty JVM servers are not built"),
    ("CICS_WLP_", "Liberty JVM servers are not built"),
    ("OSGI_", "OSGi JVM servers are not built"),
    ("JAVA_PIPELINE", "pipelines do not run in JVM servers"),
];

/// Settings that regions have their own ways for.
const IDLE: [&str; 9] = [
    "STDOUT",
    "STDERR",
    "STDIN",
    "JVMTRACE",
    "JVMLOG",
    "WORK_DIR",
    "LIBPATH_PREFIX",
    "PURGE_ESCALATION_TIMEOUT",
    "DISPLAY_JAVA_VERSION",
];

/// Beginnings of options that OpenJ9 alone has: HotSpot does not start with them.
const OPENJ9: [&str; 12] = [
    "-Xgcpolicy",
    "-Xmn",
    "-Xmo",
    "-Xshareclasses",
    "-Xscmx",
    "-Xtune:",
    "-Xcompressedrefs",
    "-Xgc",
    "-Xquickstart",
    "-Xjit",
    "-Xaot",
    "-Xdump",
];

impl Profile {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or has a line that asks for what is not built.
    pub fn read(path: &Path, symbols: &[(&str, &str)]) -> Result<Self, String> {
        let mut text = String::new();
        let read = File::open(path).and_then(|file| file.take(PROFILE_MAX + 1).read_to_string(&mut text));
        read.map_err(|error| format!("the JVM profile {}: {error}", path.display()))?;
        if text.len() as u64 > PROFILE_MAX {
            return Err(format!("the JVM profile {} has more than {PROFILE_MAX} bytes", path.display()));
        }
        Self::of(&text, symbols).map_err(|why| format!("the JVM profile {}, {why}", path.display()))
    }

    /// Reads a text. A line that ends with `\` goes on in the next one; `#` begins a comment.
    fn of(text: &str, symbols: &[(&str, &str)]) -> Result<Self, String> {
        let mut profile = Self::default();
        let (mut whole, mut begun) = (String::new(), 0);
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if whole.is_empty() {
                begun = number + 1;
                if line.starts_with('#') {
                    continue;
                }
            }
            if let Some(part) = line.strip_suffix('\\') {
                whole.push_str(part);
                continue;
            }
            whole.push_str(line);
            let mut line = std::mem::take(&mut whole);
            symbols.iter().for_each(|(symbol, value)| line = line.replace(symbol, value));
            profile.line(line.trim()).map_err(|why| format!("line {begun}: {why}"))?;
        }
        Ok(profile)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() {
            return Ok(());
        }
        if line.starts_with('-') {
            match OPENJ9.iter().any(|option| line.starts_with(option)) {
                true => self.notes.push(format!("{line} is an option of OpenJ9 and has no effect")),
                false => self.options.push(line.to_owned()),
            }
            return Ok(());
        }
        let (name, value) =
            line.split_once('=').ok_or_else(|| format!("{line} is no setting NAME=value, and no option"))?;
        let (name, value) = (name.trim(), value.trim());
        if let Some((_, why)) = OTHER_KINDS.iter().find(|(begin, _)| name.starts_with(begin)) {
            return Err(format!("{name}: {why}"));
        }
        match name {
            "JAVA_HOME" => self.java_home = Some(value.into()),
            "CLASSPATH_PREFIX" | "CLASSPATH_SUFFIX" => {
                self.class_path.extend(value.split(':').filter(|part| !part.is_empty()).map(str::to_owned));
            }
            _ if IDLE.contains(&name) => self.notes.push(format!("{name} has no effect")),
            _ => self.environment.push((name.to_owned(), value.to_owned())),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_settings_options_and_environment() {
        let text = "# a comment\nJAVA_HOME=/opt/jdk\nCLASSPATH_SUFFIX=a.jar:\\\n  classes\n-Xmx64m\n-Xgcpolicy:gencon\n\
                    MODE = &JVMSERVER;\nSTDOUT=out\n";
        let profile = Profile::of(text, &[("&JVMSERVER;", "JVM1")]).expect("a profile");
        assert_eq!(profile.java_home.as_deref(), Some(Path::new("/opt/jdk")));
        assert_eq!(profile.class_path, ["a.jar", "classes"]);
        assert_eq!(profile.options, ["-Xmx64m"]);
        assert_eq!(profile.environment, [("MODE".to_owned(), "JVM1".to_owned())]);
        assert_eq!(profile.notes.len(), 2);
    }

    #[test]
    fn what_is_not_built_is_refused_at_its_line() {
        for (line, why) in [
            ("WLP_INSTALL_DIR=/opt/wlp", "line 2: WLP_INSTALL_DIR: Liberty"),
            ("OSGI_BUNDLES=a.jar", "line 2: OSGI_BUNDLES: OSGi"),
            ("nonsense", "line 2: nonsense is no setting"),
        ] {
            let refused = Profile::of(&format!("-Xmx64m\n{line}\n"), &[]).expect_err(line);
            assert!(refused.starts_with(why), "{refused}");
        }
    }
}
