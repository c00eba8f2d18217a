//! A URI map: what a request leads to, or where a client's requests go.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use csd::Definition;
use kernel::name::{Name8, TransactionName};
use pipelines::webservice::ServiceName;
use urimap::{Redirect, Scheme, Usage};

use crate::ciphers::Ciphers;
use crate::line::is_label;
use crate::service::{ciphers, hhmmss};

/// A URIMAP.
#[derive(Clone, Debug)]
pub(crate) struct UriMap {
    /// Its name.
    pub name: Name8,
    /// Requests that the map applies to.
    pub matches: urimap::Definition,
    /// TRANSACTION.
    pub transaction: Option<TransactionName>,
    /// PROGRAM.
    pub program: Option<Name8>,
    /// CONVERTER.
    pub converter: Option<Name8>,
    /// ANALYZER: the service's analyzer sees the request first.
    pub is_analyzed: bool,
    /// USERID.
    pub user: Option<Name8>,
    /// PIPELINE.
    pub pipeline: Option<Name8>,
    /// WEBSERVICE; none: that of the pipeline at the request's path.
    pub webservice: Option<ServiceName>,
    /// Source of an answer without a task.
    pub page: Option<Source>,
    /// MEDIATYPE; none: a file's ending says it.
    pub media: Option<String>,
    /// CHARACTERSET: that of the answer.
    pub character_set: Option<String>,
    /// HOSTCODEPAGE: that of the template or file.
    pub code_page: Option<String>,
    /// PORT.
    pub port: Option<u16>,
    /// CERTIFICATE: the label of the one that a server may see.
    pub certificate: Option<String>,
    /// CIPHERS; none: all suites that are there.
    pub ciphers: Option<Ciphers>,
    /// SOCKETCLOSE: for how long a connection to a server is kept for the next task; `None`: not at all.
    pub keeps: Option<Duration>,
    /// LOCATION, which a redirection needs.
    pub location: String,
    /// Counts of its requests.
    pub counts: Arc<MapCounts>,
}

/// Counts of a URI map since it was installed.
#[derive(Debug, Default)]
pub(crate) struct MapCounts {
    /// Requests that match.
    pub matched: AtomicU64,
    /// Of them, while it was disabled.
    pub disabled: AtomicU64,
    /// Of them, that were sent elsewhere.
    pub redirected: AtomicU64,
}

/// Sources of an answer without a task. `*` at the end takes the text for the `*` of the path.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// TEMPLATENAME.
    Template(String),
    /// HFSFILE.
    File(String),
}

impl UriMap {
    pub fn of(definition: &Definition) -> Result<Self, String> {
        let Definition { name, .. } = definition;
        let owned = |attribute: &str| definition.get(attribute).map(str::to_owned);
        let usage = match definition.get("USAGE") {
            Some("CLIENT") => Usage::Client,
            Some("PIPELINE") => Usage::Pipeline,
            Some("ATOM") => return Err(format!("URIMAP {name} has USAGE(ATOM): there are no Atom feeds")),
            Some("JVMSERVER") => Usage::JvmServer,
            _ => Usage::Server,
        };
        let location = owned("LOCATION").unwrap_or_default();
        let map = Self {
            name: Name8::from(name.as_str()),
            transaction: definition.get("TRANSACTION").map(TransactionName::from),
            program: definition.get("PROGRAM").map(Name8::from),
            converter: definition.get("CONVERTER").map(Name8::from),
            is_analyzed: definition.is("ANALYZER", "YES"),
            user: definition.get("USERID").map(Name8::from),
            pipeline: definition.get("PIPELINE").map(Name8::from),
            webservice: definition.get("WEBSERVICE").map(ServiceName::from),
            page: owned("TEMPLATENAME").map(Source::Template).or(owned("HFSFILE").map(Source::File)),
            media: owned("MEDIATYPE").map(|media| media.to_ascii_lowercase()),
            character_set: owned("CHARACTERSET"),
            code_page: owned("HOSTCODEPAGE"),
            port: definition.number("PORT").and_then(|port| port.try_into().ok()),
            matches: urimap::Definition {
                name: name.clone(),
                usage,
                scheme: if definition.is("SCHEME", "HTTPS") { Scheme::Https } else { Scheme::Http },
                host: definition.get("HOST").unwrap_or("*").to_owned(),
                path: definition.get("PATH").unwrap_or("/").to_owned(),
                service: owned("TCPIPSERVICE"),
                enabled: !definition.is("STATUS", "DISABLED"),
                redirect: redirect(definition.get("REDIRECTTYPE"), &location),
            },
            certificate: owned("CERTIFICATE"),
            ciphers: ciphers(definition).map_err(|why| format!("URIMAP {name}: {why}"))?,
            keeps: keeps(definition)?,
            location,
            counts: Arc::default(),
        };
        map.complete()?;
        Ok(map)
    }

    /// Returns true if requests to servers may use it.
    pub fn is_for_clients(&self) -> bool {
        self.matches.enabled && self.matches.usage == Usage::Client
    }

    /// Checks that a definition has a target.
    fn complete(&self) -> Result<(), String> {
        let name = self.name;
        self.matches.check().map_err(|why| format!("URIMAP {name}: {why}"))?;
        let leads = self.program.is_some() || self.page.is_some() || self.matches.redirect.is_some();
        let leads = leads || self.is_analyzed || self.converter.is_some();
        match self.matches.usage {
            Usage::Server if !leads && self.transaction.is_none() => Err(format!(
                "URIMAP {name} leads nowhere: it needs PROGRAM, TRANSACTION, TEMPLATENAME, HFSFILE or REDIRECTTYPE"
            )),
            Usage::Server if matches!(self.page, Some(Source::Template(_))) && self.media.is_none() => {
                Err(format!("URIMAP {name} needs MEDIATYPE for the template that it answers with"))
            }
            _ if !self.certificate.as_deref().is_none_or(is_label) => {
                Err(format!("URIMAP {name}: CERTIFICATE names no file of the keyring"))
            }
            Usage::JvmServer if self.matches.service.is_some() || self.matches.redirect.is_some() => {
                Err(format!("URIMAP {name} has USAGE(JVMSERVER), and TCPIPSERVICE or REDIRECTTYPE"))
            }
            Usage::Pipeline if self.pipeline.is_none() => Err(format!("URIMAP {name} needs PIPELINE")),
            _ => Ok(()),
        }
    }
}

/// Time for which connections are kept.
fn keeps(definition: &Definition) -> Result<Option<Duration>, String> {
    let Some(text) = definition.get("SOCKETCLOSE") else { return Ok(None) };
    let name = &definition.name;
    let time = hhmmss(text)
        .ok_or_else(|| format!("URIMAP {name} has SOCKETCLOSE({text}): a time as hhmmss is expected"))?;
    Ok(Some(time).filter(|time| !time.is_zero()))
}

/// The redirection of a REDIRECTTYPE.
pub(crate) fn redirect(kind: Option<&str>, location: &str) -> Option<Redirect> {
    let permanent = match kind {
        Some("PERMANENT") => true,
        Some("TEMPORARY") => false,
        _ => return None,
    };
    Some(Redirect { permanent, location: location.to_owned() })
}
