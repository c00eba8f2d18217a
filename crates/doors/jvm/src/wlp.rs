//! Settings of a profile that a Liberty JVM server alone has.

use std::path::PathBuf;

/// Settings of a Liberty JVM server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wlp {
    /// There is a setting, so it is one.
    pub is_named: bool,
    /// WLP_INSTALL_DIR: Open Liberty, as the user has installed it.
    pub install: Option<PathBuf>,
    /// WLP_USER_DIR: the folder of `servers`.
    pub user: Option<PathBuf>,
    /// WLP_OUTPUT_DIR: the folder for what servers write.
    pub output: Option<PathBuf>,
    /// WLP_SERVER_NAME.
    pub server: Option<String>,
    /// CICS_WLP_MODE=STANDARD: requests have no tasks.
    pub is_standard: bool,
    /// Options of the JVM for a `server.xml` that is written for the user.
    pub auto: Auto,
}

/// Settings of the `server.xml` that is written where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Auto {
    /// It is to be written.
    pub is_on: bool,
    /// The address that Liberty listens at; `None`: this machine's own.
    pub host: Option<String>,
    /// Its port for HTTP; `None`: 9080.
    pub http: Option<u16>,
}

/// The beginning of options of the JVM that are meant for Liberty.
pub(crate) const OPTIONS: &str = "-Dcom.ibm.cics.jvmserver.wlp.";
/// The beginnings of names of settings.
const NAMES: [&str; 3] = ["WLP_", "CICS_WLP_", "LIBERTY_"];
/// Characters of a server's name.
const SERVER_MAX: usize = 64;

/// Returns true if a setting of this name is one of these.
pub(crate) fn is_setting(name: &str) -> bool {
    NAMES.iter().any(|begin| name.starts_with(begin))
}

impl Wlp {
    /// Returns true if requests of the JVM server have tasks: it is a Liberty one, and integrated.
    pub fn is_integrated(&self) -> bool {
        self.is_named && !self.is_standard
    }

    /// Takes a setting.
    ///
    /// # Errors
    /// It is not built, or its value is none.
    pub fn setting(&mut self, name: &str, value: &str) -> Result<(), String> {
        self.is_named = true;
        match (name, value) {
            ("WLP_INSTALL_DIR", _) => self.install = Some(value.into()),
            ("WLP_USER_DIR", _) => self.user = Some(value.into()),
            ("WLP_OUTPUT_DIR", _) => self.output = Some(value.into()),
            ("WLP_SERVER_NAME", _) => self.server = Some(server(value)?),
            ("CICS_WLP_MODE", "INTEGRATED") => self.is_standard = false,
            ("CICS_WLP_MODE", "STANDARD") => self.is_standard = true,
            ("CICS_WLP_MODE", _) => {
                return Err(format!("CICS_WLP_MODE={value} is not INTEGRATED or STANDARD"));
            }
            _ => return Err(format!("{name} of Liberty JVM servers is not built")),
        }
        Ok(())
    }

    /// Takes what follows [`OPTIONS`] in an option of the JVM.
    ///
    /// # Errors
    /// It is not built, or its value is none.
    pub fn option(&mut self, option: &str) -> Result<(), String> {
        self.is_named = true;
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match name {
            "autoconfigure" => {
                self.auto.is_on = match value {
                    "true" => true,
                    "false" => false,
                    _ => return Err(format!("{OPTIONS}{name}={value} is not true or false")),
                };
            }
            "server.name" => self.server = Some(server(value)?),
            "server.host" => self.auto.host = Some(value.to_owned()),
            "server.http.port" => {
                let port = value.parse();
                self.auto.http = Some(port.map_err(|_| format!("{OPTIONS}{name}={value} is no port"))?);
            }
            _ => return Err(format!("{OPTIONS}{name} is not built")),
        }
        Ok(())
    }
}

/// The name of a server: it is that of a folder.
fn server(name: &str) -> Result<String, String> {
    let is_good = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let fits = (1..=SERVER_MAX).contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_good);
    if fits { Ok(name.to_owned()) } else { Err(format!("'{name}' is no name of a server of Liberty")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_tasks_in_an_integrated_liberty_alone() {
        let mut wlp = Wlp::default();
        assert!(!wlp.is_integrated(), "it is no Liberty");
        for (mode, is_integrated) in [("INTEGRATED", true), ("STANDARD", false)] {
            wlp.setting("CICS_WLP_MODE", mode).expect(mode);
            assert_eq!(wlp.is_integrated(), is_integrated, "{mode}");
        }
    }

    #[test]
    fn what_is_not_built_is_refused_by_name() {
        let mut wlp = Wlp::default();
        for (name, value, why) in [
            ("WLP_ZOS_PLATFORM", "TRUE", "WLP_ZOS_PLATFORM of Liberty JVM servers is not built"),
            ("LIBERTY_INCLUDE_XML", "a.xml", "LIBERTY_INCLUDE_XML of Liberty JVM servers is not built"),
            ("CICS_WLP_MODE", "BOTH", "CICS_WLP_MODE=BOTH is not INTEGRATED or STANDARD"),
            ("WLP_SERVER_NAME", "../x", "'../x' is no name of a server of Liberty"),
        ] {
            assert_eq!(wlp.setting(name, value).expect_err(name), why);
        }
        for (option, why) in [
            ("jdbc.driver.location=/opt", "-Dcom.ibm.cics.jvmserver.wlp.jdbc.driver.location is not built"),
            ("server.http.port=70000", "-Dcom.ibm.cics.jvmserver.wlp.server.http.port=70000 is no port"),
            ("server.https.port=9443", "-Dcom.ibm.cics.jvmserver.wlp.server.https.port is not built"),
            ("autoconfigure", "-Dcom.ibm.cics.jvmserver.wlp.autoconfigure= is not true or false"),
        ] {
            assert_eq!(wlp.option(option).expect_err(option), why);
        }
    }
}
