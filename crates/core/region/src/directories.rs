//! Servers that know users beside the users file, from `[ldap]` and `[oidc]`; PassTickets.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use config::{LdapConfig, Located, OidcConfig, Secret, at};
use diagnostics::Diagnostic;
use directory::{
    Address, Cached, Directory, Keys, Ldap, LdapSettings, PassTickets, TokenSettings, Tokens, trust,
};

use crate::codes;

/// The directory that the configuration names, if it names one. Nothing is asked yet: it may come later than the region.
///
/// # Errors
/// A secret or a file of authorities that cannot be used.
pub(crate) fn directory(
    root: &Path,
    config: Option<&LdapConfig>,
) -> Result<Option<Arc<dyn Directory>>, Vec<Diagnostic>> {
    let Some(ldap) = config else { return Ok(None) };
    let password = ldap.bind_password.as_ref().map(|source| unseal::secret(root, source)).transpose()?;
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

/// Checker of tokens for the provider that the configuration names, if it names one. Nothing is asked yet.
///
/// # Errors
/// A file of authorities that cannot be used, or an address that is none.
pub(crate) fn tokens(root: &Path, config: Option<&OidcConfig>) -> Result<Option<Tokens>, Vec<Diagnostic>> {
    let Some(oidc) = config else { return Ok(None) };
    let bad = || {
        let message =
            Diagnostic::error(codes::CERTIFICATE, "the keys of the identity provider have no such address");
        vec![at(message, &oidc.keys).help("keys = \"https://login.example.org/keys\"")]
    };
    let address = Address::parse(&oidc.keys.value).ok_or_else(bad)?;
    let authorities = oidc.authorities.as_ref().map(|file| root.join(&file.value));
    let is_tls = oidc.keys.value.starts_with("https:");
    let trust = is_tls.then(|| trust(authorities.as_deref())).transpose();
    let trust =
        trust.map_err(|why| untrusted(&why.to_string(), oidc.authorities.as_ref().unwrap_or(&oidc.keys)))?;
    let settings = TokenSettings {
        issuer: oidc.issuer.clone(),
        audience: oidc.audience.clone(),
        algorithms: oidc.algorithms.clone(),
        user_claim: oidc.user_claim.clone(),
        groups_claim: oidc.groups_claim.clone(),
    };
    let keys = Keys::new(address, trust, Duration::from_secs(oidc.timeout_s.into()));
    Ok(Some(Tokens::new(settings, keys)))
}

/// PassTickets, by the key that the configuration names, or one of this start's own.
///
/// # Errors
/// A key that cannot be had.
pub(crate) fn tickets(root: &Path, config: Option<&Secret>) -> Result<PassTickets, Vec<Diagnostic>> {
    let Some(source) = config else {
        let mut key = [0; 32];
        // Without random numbers nothing would work here.
        let filled = getrandom::fill(&mut key).map_err(|error| {
            vec![Diagnostic::error(codes::KEY, format!("the system has no random numbers: {error}"))]
        });
        return filled.map(|()| PassTickets::new(&key));
    };
    Ok(PassTickets::new(unseal::secret(root, source)?.trim().as_bytes()))
}

fn untrusted(why: &str, place: &Located<String>) -> Vec<Diagnostic> {
    let message =
        Diagnostic::error(codes::CERTIFICATE, format!("the directory's server cannot be trusted: {why}"));
    vec![
        at(message, place)
            .help("name a PEM file of those who sign its certificate: authorities = \"directory.pem\""),
    ]
}
