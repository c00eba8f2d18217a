//! The direct path: `[direct]` and its scenarios.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::direct::{CannotOpen, Direct, Framing, Identity, Reached, Said, Settings};
use config::{Located, RegionConfig};
use diagnostics::Diagnostic;
use kernel::name::{Name8, TransactionName};
use kernel::region::Region;
use kernel::services::Service;
use pipelines::webservice::ServiceName;
use ports::Certificate;
use webdomain::Certificates;

use super::{Door, Inside, Listening, Step, WithWarnings, cannot_listen, tn3270};
use crate::codes;

/// The name of the port of all scenarios that have a path.
const HTTP: &str = "DIRECT";

/// The door that `[direct]` describes.
///
/// # Errors
/// None of its own.
pub(super) fn read(root: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    let direct = &config.direct;
    let certificate = if direct.tls { Some(certificate(root, config)?) } else { None };
    let own = direct.scenarios.iter().filter_map(|scenario| match &scenario.reached {
        config::Reached::Port(at, _) => Some(at.clone()),
        config::Reached::Path(_) => None,
    });
    let asked = direct.listen.iter().cloned().chain(own).collect();
    let seconds = |seconds: u32| Duration::from_secs(seconds.into());
    let settings = Settings {
        listen: direct.listen.as_ref().map(|at| at.value),
        user: direct.user.as_ref().map(|user| user.value.clone()),
        connections: direct.connections as usize,
        per_address: direct.connections_per_address.unwrap_or(direct.connections) as usize,
        idle: seconds(direct.idle_s),
        receive: seconds(direct.receive_s),
        scenarios: direct.scenarios.iter().map(said).collect(),
    };
    let user = direct.user.clone();
    let services = direct.scenarios.iter().filter_map(|scenario| scenario.service.clone()).collect();
    let direct = Arc::new(Direct::new(settings, certificate));
    Ok((Box::new(DirectDoor { direct, asked, user, services }), Vec::new()))
}

/// The certificate of ports with TLS.
fn certificate(root: &Path, config: &RegionConfig) -> Result<Certificate, Vec<Diagnostic>> {
    tn3270::certificate(root, config)?.ok_or_else(|| {
        let message =
            Diagnostic::error(codes::CERTIFICATE, "[direct] tls = true needs a certificate and its key");
        let help = "name their PEM files in [listen]: certificate = \"region.pem\", key = \"region.key\"";
        vec![message.help(help)]
    })
}

fn said(scenario: &config::Scenario) -> Said {
    Said {
        reached: match &scenario.reached {
            config::Reached::Path(path) => Reached::Path(path.clone()),
            config::Reached::Port(at, framing) => Reached::Port {
                at: at.value,
                framing: match framing {
                    config::Framing::Length(digits) => Framing::Length(*digits as usize),
                    config::Framing::Fixed(length) => Framing::Fixed(*length as usize),
                    // It is no choice of a scenario.
                    config::Framing::AsReceived => Framing::Length(2),
                },
            },
        },
        program: Name8::from(scenario.program.value.as_str()),
        commarea: scenario.convert.as_ref().map(|_| scenario.commarea.unwrap_or_default() as usize),
        transaction: TransactionName::from(scenario.transaction.as_str()),
        instances: scenario.instances as usize,
        queue: scenario.queue as usize,
        service: scenario.service.as_ref().map(|service| ServiceName::from(service.value.as_str())),
        authenticate: scenario.authenticate.as_ref().map(|how| match how.value {
            config::Identity::Basic => Identity::Basic,
            config::Identity::Certificate => Identity::Certificate,
        }),
        as_client: scenario.as_client,
        message: scenario.message as usize,
        answer: scenario.answer as usize,
        time: Duration::from_secs(scenario.time_s.into()),
        media: scenario.media.clone(),
    }
}

/// The door.
struct DirectDoor {
    direct: Arc<Direct>,
    /// The addresses that the configuration asks for.
    asked: Vec<Located<SocketAddr>>,
    user: Option<Located<String>>,
    /// The services of its scenarios.
    services: Vec<Located<String>>,
}

impl DirectDoor {
    fn cannot_open(&self, why: CannotOpen) -> Vec<Diagnostic> {
        match why {
            CannotOpen::Port(why) => {
                let asked = self.asked.iter().find(|asked| asked.value == why.address).cloned();
                let asked = asked.unwrap_or_else(|| Located::default_value(why.address));
                cannot_listen("the direct path", &why, &asked)
            }
            CannotOpen::Sharing(why) => {
                let text = format!("the TLS sessions of [direct] cannot be shared: {why}");
                let help =
                    "`folder` of [links] is where regions find each other; `shared` of [ports] asks for it";
                vec![Diagnostic::error(codes::CERTIFICATE, text).help(help)]
            }
            CannotOpen::User(id) => {
                let text = format!("[direct] names user {id}, who is not defined");
                let help = "instances run on that user's behalf: `syncpoint user add` adds it";
                let message = Diagnostic::error(codes::NO_USER, text).help(help);
                vec![match &self.user {
                    Some(user) => config::at(message, user),
                    None => message,
                }]
            }
            CannotOpen::Service(name, why) => {
                let text = format!("a scenario cannot serve WEBSERVICE {name}: it {why}");
                let help = "it is one of [services], or of a PIPELINE, and its program has a COMMAREA";
                let message = Diagnostic::error(codes::NO_DEFINITION, text).help(help);
                let said = self.services.iter().find(|service| service.value.eq_ignore_ascii_case(&name));
                vec![match said {
                    Some(service) => config::at(message, service),
                    None => message,
                }]
            }
        }
    }
}

impl Door for DirectDoor {
    fn services(&self) -> Vec<Arc<dyn Service>> {
        vec![Arc::clone(&self.direct) as Arc<dyn Service>]
    }

    fn install(&mut self, region: &Region) {
        self.direct.install(region);
    }

    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async {
            let certificates = Arc::clone(inside.users) as Arc<dyn Certificates>;
            let opened = self.direct.open(inside.region, certificates, inside.sharing).await;
            opened.map_err(|why| self.cannot_open(why))
        })
    }

    fn listening(&self) -> Vec<Listening> {
        let opened = self.direct.opened().into_iter();
        let name = |program: Option<String>| program.unwrap_or_else(|| HTTP.to_owned());
        opened
            .map(|port| Listening { door: "direct", name: name(port.program), address: port.address })
            .collect()
    }

    fn close(&mut self) -> Step<'_> {
        self.direct.close();
        Box::pin(async {})
    }

    fn stop(&mut self) -> Step<'_> {
        self.direct.stop();
        Box::pin(async {})
    }
}
