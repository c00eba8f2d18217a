//! JVM profiles: files of lines, a setting or an option of the JVM each.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::limits::{ESCALATION_MAX, PROFILE_MAX, START_TIME};
use crate::watch::Bounds;
use crate::wlp::{self, Wlp};

/// The content of a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Profile {
    /// JAVA_HOME.
    pub java_home: Option<PathBuf>,
    /// CLASSPATH_PREFIX and CLASSPATH_SUFFIX; `None`: the JVM server has an OSGi framework, or Liberty.
    pub class_path: Option<Vec<String>>,
    /// Settings of an OSGi JVM server.
    pub osgi: Osgi,
    /// Settings of a Liberty JVM server.
    pub wlp: Wlp,
    /// Options of the JVM.
    pub options: Vec<String>,
    /// MEMORY_MAX, PURGE_ESCALATION_TIMEOUT.
    pub bounds: Bounds,
    /// The other settings: environment of the JVM.
    pub environment: Vec<(String, String)>,
    /// Words about what has no effect.
    pub notes: Vec<String>,
}

/// Settings of an OSGi JVM server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Osgi {
    /// OSGI_FRAMEWORK: the jar of the framework. A setting of our own.
    pub framework: Option<PathBuf>,
    /// OSGI_BUNDLES.
    pub bundles: Vec<String>,
    /// OSGI_FRAMEWORK_TIMEOUT: the time until a JVM server is there.
    pub patience: Duration,
}

impl Osgi {
    /// Returns true if there is a setting that an OSGi JVM server alone has.
    fn is_named(&self) -> bool {
        self.framework.is_some() || !self.bundles.is_empty()
    }
}

impl Default for Osgi {
    fn default() -> Self {
        Self { framework: None, bundles: Vec::new(), patience: START_TIME }
    }
}

/// Seconds of OSGI_FRAMEWORK_TIMEOUT, as published.
const TIMEOUT: std::ops::RangeInclusive<u64> = 1..=60_000;

/// Beginnings of settings of what JVM servers do not do.
const OTHER_KINDS: [(&str, &str); 1] = [("JAVA_PIPELINE", "pipelines do not run in JVM servers")];

/// Settings that regions have their own ways for.
const IDLE: [&str; 9] = [
    "OSGI_CONSOLE",
    "STDOUT",
    "STDERR",
    "STDIN",
    "JVMTRACE",
    "JVMLOG",
    "WORK_DIR",
    "LIBPATH_PREFIX",
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
        if let Some(option) = line.strip_prefix(wlp::OPTIONS) {
            self.wlp.option(option)?;
            return self.is_of_one_kind(line);
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
                let parts = value.split(':').filter(|part| !part.is_empty()).map(str::to_owned);
                self.class_path.get_or_insert_default().extend(parts);
            }
            "OSGI_BUNDLES" => {
                let bundles = value.split(',').map(str::trim).filter(|path| !path.is_empty());
                self.osgi.bundles.extend(bundles.map(str::to_owned));
            }
            "OSGI_FRAMEWORK" => self.osgi.framework = Some(value.into()),
            "OSGI_FRAMEWORK_TIMEOUT" => {
                let seconds = value.parse().ok().filter(|seconds| TIMEOUT.contains(seconds));
                let (low, high) = (TIMEOUT.start(), TIMEOUT.end());
                let seconds =
                    seconds.ok_or_else(|| format!("{name}={value} is not {low} to {high} seconds"))?;
                self.osgi.patience = Duration::from_secs(seconds);
            }
            "MEMORY_MAX" => {
                let bytes = bytes(value).ok_or_else(|| {
                    format!("MEMORY_MAX={value} is no number of bytes with K, M or G behind it, like 512M")
                })?;
                self.bounds.memory_max = Some(bytes);
            }
            "PURGE_ESCALATION_TIMEOUT" => {
                let seconds = value.parse().ok().map(Duration::from_secs);
                let seconds = seconds.filter(|time| (Duration::from_secs(1)..=ESCALATION_MAX).contains(time));
                self.bounds.escalation = seconds.ok_or_else(|| {
                    format!(
                        "PURGE_ESCALATION_TIMEOUT={value} is no number of seconds, 1 to {}",
                        ESCALATION_MAX.as_secs()
                    )
                })?;
            }
            _ if wlp::is_setting(name) => self.wlp.setting(name, value)?,
            _ if IDLE.contains(&name) => self.notes.push(format!("{name} has no effect")),
            _ => self.environment.push((name.to_owned(), value.to_owned())),
        }
        self.is_of_one_kind(name)
    }

    /// Checks that settings of several kinds of JVM servers do not come together.
    fn is_of_one_kind(&self, name: &str) -> Result<(), String> {
        let kinds = [self.class_path.is_some(), self.osgi.is_named(), self.wlp.is_named];
        if kinds.iter().filter(|is_it| **is_it).count() < 2 {
            return Ok(());
        }
        let wanted = if self.wlp.is_named {
            "a JVM server has Liberty, or a class path, or an OSGi framework with bundles"
        } else {
            "a JVM server has a class path, or an OSGi framework with bundles"
        };
        Err(format!("{name}: {wanted}"))
    }
}

/// Bytes of a number with K, M or G behind it.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['K', 'M', 'G', 'k', 'm', 'g']);
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_settings_options_and_environment() {
        let text = "# a comment\nJAVA_HOME=/opt/jdk\nCLASSPATH_SUFFIX=a.jar:\\\n  classes\n-Xmx64m\n-Xgcpolicy:gencon\n\
                    MODE = &JVMSERVER;\nSTDOUT=out\nMEMORY_MAX=2G\nPURGE_ESCALATION_TIMEOUT=30\n";
        let profile = Profile::of(text, &[("&JVMSERVER;", "JVM1")]).expect("a profile");
        assert_eq!(profile.java_home.as_deref(), Some(Path::new("/opt/jdk")));
        assert_eq!(profile.class_path, Some(vec!["a.jar".to_owned(), "classes".to_owned()]));
        assert_eq!(profile.options, ["-Xmx64m"]);
        assert_eq!(profile.environment, [("MODE".to_owned(), "JVM1".to_owned())]);
        assert_eq!(profile.bounds.memory_max, Some(2 << 30));
        assert_eq!(profile.bounds.escalation, Duration::from_secs(30));
        assert_eq!(profile.notes.len(), 2);
    }

    #[test]
    fn a_profile_without_a_class_path_is_that_of_an_osgi_jvm_server() {
        let text = "OSGI_FRAMEWORK=osgi.jar\nOSGI_BUNDLES=a.jar,\\\n  b.jar\nOSGI_FRAMEWORK_TIMEOUT=90\nOSGI_CONSOLE=true\n";
        let profile = Profile::of(text, &[]).expect("a profile");
        assert_eq!(profile.class_path, None);
        assert_eq!(profile.osgi.framework.as_deref(), Some(Path::new("osgi.jar")));
        assert_eq!(profile.osgi.bundles, ["a.jar", "b.jar"]);
        assert_eq!(profile.osgi.patience, Duration::from_secs(90));
        assert_eq!(profile.notes, ["OSGI_CONSOLE has no effect"]);
        let both = Profile::of(&format!("{text}CLASSPATH_SUFFIX=c.jar\n"), &[]).expect_err("both");
        assert_eq!(
            both,
            "line 6: CLASSPATH_SUFFIX: a JVM server has a class path, or an OSGi framework with bundles"
        );
    }

    #[test]
    fn a_profile_that_names_liberty_is_that_of_a_liberty_jvm_server() {
        let text = "WLP_INSTALL_DIR=/opt/wlp\n-Dcom.ibm.cics.jvmserver.wlp.autoconfigure=true\n\
                    -Dcom.ibm.cics.jvmserver.wlp.server.http.port=0\n-Xmx200m\n";
        let profile = Profile::of(text, &[]).expect("a profile");
        assert_eq!(profile.wlp.install.as_deref(), Some(Path::new("/opt/wlp")));
        assert!(profile.wlp.is_named && profile.wlp.auto.is_on);
        assert_eq!((profile.wlp.auto.http, profile.options), (Some(0), vec!["-Xmx200m".to_owned()]));
        let both = Profile::of(&format!("{text}CLASSPATH_SUFFIX=c.jar\n"), &[]).expect_err("both");
        assert!(both.starts_with("line 5: CLASSPATH_SUFFIX: a JVM server has Liberty, or"), "{both}");
    }

    #[test]
    fn what_is_not_built_is_refused_at_its_line() {
        for (line, why) in [
            ("WLP_ZOS_PLATFORM=TRUE", "line 2: WLP_ZOS_PLATFORM of Liberty JVM servers is not built"),
            ("JAVA_PIPELINE=YES", "line 2: JAVA_PIPELINE: pipelines do not run in JVM servers"),
            ("OSGI_FRAMEWORK_TIMEOUT=0", "line 2: OSGI_FRAMEWORK_TIMEOUT=0 is not 1 to 60000 seconds"),
            ("nonsense", "line 2: nonsense is no setting"),
            ("MEMORY_MAX=lots", "line 2: MEMORY_MAX=lots is no number"),
            ("MEMORY_MAX=1MM", "line 2: MEMORY_MAX=1MM is no number"),
            ("MEMORY_MAX=0", "line 2: MEMORY_MAX=0 is no number"),
            ("PURGE_ESCALATION_TIMEOUT=0", "line 2: PURGE_ESCALATION_TIMEOUT=0 is no number"),
        ] {
            let refused = Profile::of(&format!("-Xmx64m\n{line}\n"), &[]).expect_err(line);
            assert!(refused.starts_with(why), "{refused}");
        }
    }
}
