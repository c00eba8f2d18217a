//! Directories that know users beside the users file, from `[ldap]`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use config::{LdapConfig, Located, at};
use diagnostics::Diagnostic;
use directory::{Cached, Directory, Ldap, LdapSettings, trust};

use crate::{codes, protection};

/// The directory that the configuration names, if it names one. Nothing is asked yet: it may come later than the region.
///
/// # Errors
/// A secret or a file of authorities that cannot be used.
pub(crate) fn directory(
    root: &Path,
    config: Option<&LdapConfig>,
) -> Result<Option<Arc<dyn Directory>>, Vec<Diagnostic>> {
    let Some(ldap) = config else { return Ok(None) };
    let password = ldap.bind_password.as_ref().map(|source| protection::secret(root, source)).transpose()?;
    let password = password.map(|text| text.trim_end_matches(['\r', '\n']).to_owned());
    let is_tls = ldap.starttls || ldap.url.value.starts_with("ldaps:");
    let authorities = ldap.authorities.as_ref().map(|file| root.join(&file.value));
    let trust = is_tls.then(|| trust(authorities.as_deref())).transpose();
    let trust = trust.map_err(|why| {
        let place = ldap.authorities.as_ref().map_or_else(|| ldap.url.clone(), Clone::clone);
        untrusted(&why.to_string(), &place)
    })?;
    let settings = LdapSettings {
        url: ldap.url.value.clone(),
        starttls: ldap.starttls,
        trust,
        user_dn: ldap.user_dn.clone(),
        groups_base: ldap.groups_base.clone(),
        group_filter: ldap.group_filter.clone(),
        group_name: ldap.group_name.clone(),
        bind: ldap.bind_dn.clone().zip(password),
        timeout: Duration::from_secs(ldap.timeout_s.into()),
    };
    let lasts = Duration::from_secs(u64::from(ldap.cached_min) * 60);
    Ok(Some(Arc::new(Cached::new(Ldap::new(settings), lasts))))
}

fn untrusted(why: &str, place: &Located<String>) -> Vec<Diagnostic> {
    let message =
        Diagnostic::error(codes::CERTIFICATE, format!("the directory's server cannot be trusted: {why}"));
    vec![
        at(message, place)
            .help("name a PEM file of those who sign its certificate: authorities = \"directory.pem\""),
    ]
}
