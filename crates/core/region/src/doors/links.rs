//! Links to other regions: what `[links]` says of them.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use config::{
    AffinityConfig, AffinityLifetime, AffinityRelation, Located, RegionConfig, SharedPorts, StartType, at,
};
use diagnostics::Diagnostic;
use intersystem::{Affinity, CannotOpen, Certificates, Lifetime, Relation, Run, Setup, Systems};
use kernel::name::{Name, Name8};
use kernel::region::Region;
use link::carrier::Identity;

use super::{Door, Inside, Listening, Step, WithWarnings, cannot_listen};
use crate::codes;
use crate::folders::RESTORED;
use crate::users::Users;

/// The door that `[links]` describes.
///
/// # Errors
/// A certificate that cannot be used.
pub(super) fn read(root: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    let links = &config.links;
    let file = |file: &Option<Located<String>>| file.as_ref().map(|file| root.join(&file.value));
    let identity = match (file(&links.certificate), file(&links.key), file(&links.authorities)) {
        (Some(chain), Some(key), Some(authorities)) => Some(Identity { chain, key, authorities }),
        _ => None,
    };
    if let (Some(identity), Some(certificate)) = (&identity, &links.certificate)
        && let Err(why) = identity.read()
    {
        let message = at(Diagnostic::error(codes::CERTIFICATE, why.to_string()), certificate);
        return Err(vec![message.help("all files must be PEM; the certificate comes before its chain")]);
    }
    let setup = Setup {
        isc: config.sit.isc,
        irc_start: config.sit.irc_start,
        folder: file(&links.folder),
        listen: links.listen.as_ref().map(|listen| listen.value),
        identity,
        network: Name8::from(links.network.as_deref().unwrap_or_default()),
        long_running_mirrors: config.sit.long_running_mirrors,
        answer: links.answer_s.map(|seconds| Duration::from_secs(seconds.into())),
        delete_shipped_interval: config.sit.delete_shipped_interval,
        delete_shipped_idle: config.sit.delete_shipped_idle,
        distributed_routing_program: Name8::from(config.sit.distributed_routing_program.as_str()),
        routing_program: Name8::from(config.sit.routing_program.as_str()),
        targets: links.targets.iter().map(|name| Name::from(name.as_str())).collect(),
        affinities: links.affinities.iter().map(affinity).collect(),
        code_page: format!("{:?}", config.data.code_page),
    };
    let messages = doubts(config);
    let is_initial = config.sit.start == StartType::Initial;
    let door = LinkDoor { setup, asked: links.listen.clone(), is_initial, door: None };
    Ok((Box::new(door), messages))
}

fn affinity(config: &AffinityConfig) -> Affinity {
    Affinity {
        transactions: config.transactions.clone(),
        relation: match config.relation {
            AffinityRelation::Global => Relation::Global,
            AffinityRelation::Terminal => Relation::Terminal,
            AffinityRelation::User => Relation::User,
        },
        lifetime: match config.lifetime {
            AffinityLifetime::Pconv => Lifetime::Pconv,
            AffinityLifetime::Logon => Lifetime::Logon,
            AffinityLifetime::Signon => Lifetime::Signon,
            AffinityLifetime::System => Lifetime::System,
            AffinityLifetime::Permanent => Lifetime::Permanent,
        },
    }
}

/// Everything that is asked for, and has no effect.
fn doubts(config: &RegionConfig) -> Vec<Diagnostic> {
    let (links, sit) = (&config.links, &config.sit);
    let place = links.folder.as_ref();
    let mut messages = Vec::new();
    let shares = config.ports.shared != SharedPorts::None;
    if let (Some(place), false, false) = (place, sit.isc, shares) {
        let text = "[links] has no effect without ISC = \"YES\" in [sit]";
        messages.push(at(Diagnostic::warning(codes::START, text), place).help("add ISC = \"YES\" to [sit]"));
    }
    if sit.isc && sit.irc_start && place.is_none() {
        let text = "IRCSTRT = \"YES\" has no effect: nothing says where the regions of this machine have their sockets";
        let help = "add folder = \"links\" to [links]: the same folder for all regions";
        messages.push(Diagnostic::warning(codes::START, text).help(help));
    }
    messages
}

impl Certificates for Users {
    fn user(&self, fingerprint: &str) -> Option<Name8> {
        self.of_certificate(fingerprint).map(|(user, _)| user.id)
    }
}

/// The door.
struct LinkDoor {
    setup: Setup,
    asked: Option<Located<SocketAddr>>,
    /// START=INITIAL: the log of the last run does not count.
    is_initial: bool,
    door: Option<intersystem::Door>,
}

/// The key under which the name of the log is kept.
const LOG_NAME: &[u8] = b"log name";

/// The key under which the number of the first run behind a restore is kept.
const RESTORED_NAME: &[u8] = b"log restored";

/// The number of this run, and the name of the log: that of the run that has begun it. Data of a backup begin a new log: what was
/// decided behind the backup is in no log.
async fn run(region: &Region, state: &Path, is_initial: bool) -> records::Result<Run> {
    let (store, number) = (region.stores.status, region.first_unit);
    let mut unit = region.records.begin(region.records.locks().new_owner());
    let mark = state.join(RESTORED);
    let is_restored = mark.exists();
    let restored = match is_restored {
        true => number,
        false => number_of(&mut *unit, store, RESTORED_NAME).await?.unwrap_or_default(),
    };
    let kept = number_of(&mut *unit, store, LOG_NAME).await?;
    if let Some(log) = kept.filter(|_| !is_initial && !is_restored) {
        return Ok(Run { number, log, restored });
    }
    unit.put(store, LOG_NAME, &number.to_le_bytes()).await?;
    unit.put(store, RESTORED_NAME, &restored.to_le_bytes()).await?;
    unit.commit().await?;
    if let Err(error) = std::fs::remove_file(&mark)
        && is_restored
    {
        tracing::warn!(target: "IS", "{}: {error}: the next start begins a new log once more", mark.display());
    }
    Ok(Run { number, log: number, restored })
}

/// A number that is kept.
async fn number_of(
    unit: &mut dyn records::UnitOfWork,
    store: records::StoreId,
    name: &[u8],
) -> records::Result<Option<u64>> {
    let mut kept = Vec::new();
    let is_kept = unit.get(store, name, &mut kept).await?;
    Ok(<[u8; 8]>::try_from(kept.as_slice()).ok().filter(|_| is_kept).map(u64::from_le_bytes))
}

impl Door for LinkDoor {
    fn install(&mut self, region: &Region) {
        Systems::of(region).install(region, self.setup.clone());
    }

    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async {
            // A region without links takes no number of a unit of work for them.
            let run = match self.setup.isc {
                true => run(inside.region, inside.state, self.is_initial).await,
                false => Ok(Run::default()),
            };
            let run = run.map_err(|error| {
                vec![Diagnostic::error(codes::START, format!("the name of the log cannot be read: {error}"))]
            })?;
            let users = Arc::clone(inside.users) as Arc<dyn Certificates>;
            let opened = intersystem::Door::open(inside.region, run, users);
            self.door = Some(opened.map_err(|why| match (why, &self.asked) {
                (CannotOpen::Port(why), Some(asked)) => cannot_listen("links", &why, asked),
                (CannotOpen::Port(why), None) => vec![Diagnostic::error(codes::ADDRESS, why.to_string())],
                (CannotOpen::Certificate(why), _) => {
                    vec![Diagnostic::error(codes::CERTIFICATE, why.to_string())]
                }
                (CannotOpen::Socket(folder, why), _) => {
                    let text = format!("the folder of links {} cannot be used: {why}", folder.display());
                    vec![Diagnostic::error(codes::START, text).help("`folder` of [links] names it")]
                }
            })?);
            Ok(())
        })
    }

    fn listening(&self) -> Vec<Listening> {
        let address = self.door.as_ref().and_then(|door| door.listening);
        address.map(|address| Listening { door: "links", name: String::new(), address }).into_iter().collect()
    }

    fn close(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(door) = &self.door {
                door.close();
            }
        })
    }

    fn sever(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(door) = &self.door {
                door.sever().await;
            }
        })
    }

    fn stop(&mut self) -> Step<'_> {
        Box::pin(async {
            if let Some(mut door) = self.door.take() {
                door.stop().await;
            }
        })
    }
}
