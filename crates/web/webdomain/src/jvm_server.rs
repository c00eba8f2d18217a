//! Requests that a JVM server with Liberty has got: the URIMAPs with USAGE(JVMSERVER) say whose tasks serve them.

use kernel::name::{Name8, TransactionName};
use kernel::region::Region;
use urimap::Verdict;

use crate::counts::count;
use crate::region::Web;

/// A request, as far as URIMAPs look at it.
#[derive(Clone, Copy, Debug)]
pub struct JvmRequest<'a> {
    /// True if it came over TLS.
    pub tls: bool,
    /// The host it names, without a port.
    pub host: &'a str,
    /// Its path, unescaped.
    pub path: &'a [u8],
    /// Its query string; `None` without one.
    pub query: Option<&'a str>,
}

/// The task of a request, as far as a URIMAP says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JvmTask {
    /// TRANSACTION.
    pub transaction: Option<TransactionName>,
    /// USERID.
    pub user: Option<Name8>,
}

/// The task of a request to a JVM server; where no URIMAP matches, none of them says anything.
///
/// # Errors
/// The URIMAP that matches, if it is disabled or asks for TLS: the request is refused.
pub fn task_of_jvm_server(region: &Region, request: &JvmRequest<'_>) -> Result<JvmTask, String> {
    let web = Web::of(region);
    let uris = web.uris();
    let (host, path) = (Some(request.host), request.path);
    let request = urimap::Request { service: "", tls: request.tls, host, path, query: request.query };
    let mut whole = Vec::new();
    match uris.jvm_servers.find(&request, &mut whole) {
        Verdict::Matched { definition, .. } => {
            let map = uris.maps.get(&Name8::from(definition.name.as_str()));
            if let Some(map) = map {
                count(&web.counts.matched);
                count(&map.counts.matched);
            }
            Ok(map.map_or_else(JvmTask::default, |map| JvmTask {
                transaction: map.transaction,
                user: map.user,
            }))
        }
        Verdict::Disabled(definition) => {
            count(&web.counts.disabled);
            Err(format!("URIMAP {} is disabled", definition.name))
        }
        Verdict::NeedsTls(definition) => Err(format!("URIMAP {} asks for HTTPS", definition.name)),
        Verdict::Redirected(..) | Verdict::Unmatched => Ok(JvmTask::default()),
    }
}
