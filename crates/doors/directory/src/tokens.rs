//! Tokens of an OpenID provider: their issuer, audience, time and key.

use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde_json::Value;

use crate::{DirectoryEntry, Keys};

/// Which tokens are taken.
#[derive(Clone, Debug)]
pub struct TokenSettings {
    /// Their issuer.
    pub issuer: String,
    /// The audience that they must be for.
    pub audience: String,
    /// The allowed algorithms of signatures: never one with a secret that both know, never an unsigned token.
    pub algorithms: Vec<String>,
    /// The claim with the user id.
    pub user_claim: String,
    /// The claim with the groups.
    pub groups_claim: String,
}

/// Characters of a token.
const LENGTH_MAX: usize = 16 * 1024;
/// Seconds by which clocks may differ.
const LEEWAY: u64 = 30;
/// Characters of a user id.
const USER_MAX: usize = 8;

/// The reason why a token is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It is not a token, or its signature is of a kind that is not allowed, or is not the provider's.
    #[error("the token is none that is taken here: {0}")]
    Bad(String),
    /// It was good before, or will be.
    #[error("the token is not good now")]
    NotNow,
    /// It is from another provider, or for another audience.
    #[error("the token is for another receiver, or by another issuer")]
    Elsewhere,
    /// It names no user that a region can have.
    #[error("the token names no user: {0}")]
    NoUser(String),
    /// The provider's keys cannot be had.
    #[error("the provider cannot be asked: {0}")]
    Silent(String),
}

/// Takes tokens.
pub struct Tokens {
    settings: TokenSettings,
    algorithms: Vec<Algorithm>,
    keys: Keys,
}

impl Tokens {
    /// Takes tokens that are signed by one of these keys. Algorithms other than public-key signatures are left out.
    pub fn new(settings: TokenSettings, keys: Keys) -> Self {
        let symmetric = [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512];
        let read = settings.algorithms.iter().filter_map(|name| name.parse().ok());
        let algorithms = read.filter(|algorithm| !symmetric.contains(algorithm)).collect();
        Self { settings, algorithms, keys }
    }

    /// Returns the user that a token names, if the token is good now.
    ///
    /// # Errors
    /// The reason why it is not taken.
    pub async fn verify(&self, token: &str, now: SystemTime) -> Result<DirectoryEntry, TokenError> {
        if token.len() > LENGTH_MAX {
            return Err(TokenError::Bad(String::from("it is too long")));
        }
        let header = decode_header(token).map_err(|error| TokenError::Bad(error.to_string()))?;
        if !self.algorithms.contains(&header.alg) {
            return Err(TokenError::Bad(format!("it is signed by {:?}", header.alg)));
        }
        let key = self.keys.key(header.kid.as_deref()).await.map_err(TokenError::Silent)?;
        let key = key.ok_or_else(|| TokenError::Bad(String::from("its key is not the provider's")))?;
        // A key that names its use is used for nothing else.
        let of_key = key.common.key_algorithm.and_then(|name| name.to_string().parse::<Algorithm>().ok());
        if of_key.is_some_and(|algorithm| algorithm != header.alg) {
            return Err(TokenError::Bad(String::from("its key is for another algorithm")));
        }
        let key = DecodingKey::from_jwk(&key).map_err(|error| TokenError::Bad(error.to_string()))?;
        let mut validation = Validation::new(header.alg);
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(&[&self.settings.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        // By the caller's clock, below.
        validation.validate_exp = false;
        let data = decode::<Value>(token, &key, &validation).map_err(|error| match error.kind() {
            ErrorKind::InvalidIssuer | ErrorKind::InvalidAudience => TokenError::Elsewhere,
            _ => TokenError::Bad(error.to_string()),
        })?;
        self.entry(&data.claims, now)
    }

    fn entry(&self, claims: &Value, now: SystemTime) -> Result<DirectoryEntry, TokenError> {
        let now = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let time = |name| claims.get(name).and_then(Value::as_f64).map(|seconds: f64| seconds as u64);
        let expired = time("exp").is_none_or(|exp| exp.saturating_add(LEEWAY) <= now);
        let early = time("nbf").is_some_and(|nbf| nbf > now + LEEWAY);
        if expired || early {
            return Err(TokenError::NotNow);
        }
        let claim = &self.settings.user_claim;
        let user = claims.get(claim).and_then(Value::as_str).unwrap_or_default().to_ascii_uppercase();
        let good = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "@#$".contains(c);
        if user.is_empty() || user.chars().count() > USER_MAX || !user.chars().all(good) {
            return Err(TokenError::NoUser(format!("`{claim}` is no user id of 1 to {USER_MAX} characters")));
        }
        let groups = claims.get(&self.settings.groups_claim).and_then(Value::as_array);
        let groups =
            groups.into_iter().flatten().filter_map(|group| Some(group.as_str()?.to_ascii_uppercase()));
        Ok(DirectoryEntry { user, groups: groups.collect() })
    }
}
