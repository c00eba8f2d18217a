//! Signatures of messages: whether one is right, and made.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::{digest, signature};
use soap::Level;
use soap::security::signed::{self, ElementPlace};
use soap::security::{EXCLUSIVE, Security, Signature, Signer, write};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::refusal::Refusal;
use crate::keys::Identity;
use crate::policy::RSA_SHA256;

const SHA1: &str = "http://www.w3.org/2000/09/xmldsig#sha1";
const SHA256: &str = "http://www.w3.org/2001/04/xmlenc#sha256";
const SHA512: &str = "http://www.w3.org/2001/04/xmlenc#sha512";
const RSA_SHA1: &str = "http://www.w3.org/2000/09/xmldsig#rsa-sha1";
const RSA_SHA512: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512";
const ECDSA_SHA256: &str = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256";

/// A signature that is right.
pub(super) struct Verified {
    /// The certificate of its signer.
    pub signer: Vec<u8>,
    /// True if it covers the body.
    pub covers_body: bool,
    /// Identifiers of the tokens that it covers.
    pub tokens: Vec<String>,
}

/// Looks at a signature of a message.
///
/// # Errors
/// It is wrong, or not to be understood.
pub(super) fn verified(
    text: &str,
    level: Level,
    security: &Security,
    of: &Signature,
) -> Result<Verified, Refusal> {
    if of.form != EXCLUSIVE {
        return Err(Refusal::algorithm(&of.form));
    }
    let signer = signer(security, of)
        .ok_or_else(|| Refusal::Unavailable(String::from("the signature has no certificate")))?;
    is_signed(&signer, of)?;
    let mut verified = Verified { signer, covers_body: false, tokens: Vec::new() };
    if of.references.is_empty() {
        return Err(Refusal::Check(String::from("the signature covers nothing")));
    }
    for reference in &of.references {
        let (form, place) =
            signed::element(text, level, reference).map_err(|fault| Refusal::Check(fault.to_string()))?;
        let wanted = digest::digest(digest_of(&reference.method)?, &form);
        if wanted.as_ref() != reference.digest {
            return Err(Refusal::Check(format!("what the signature covers was changed: {}", reference.id)));
        }
        match place {
            ElementPlace::Body => verified.covers_body = true,
            ElementPlace::Token => verified.tokens.push(reference.id.clone()),
            ElementPlace::Other => {}
        }
    }
    Ok(verified)
}

/// The certificate of a signature: shown in it, or the only token of its identifier.
fn signer(security: &Security, of: &Signature) -> Option<Vec<u8>> {
    let id = match of.signer.as_ref()? {
        Signer::Shown(certificate) => return Some(certificate.clone()),
        Signer::Named(id) => id,
    };
    let mut named = security.certificates.iter().filter(|token| !id.is_empty() && token.id == *id);
    let found = named.next()?;
    named.next().is_none().then(|| found.der.clone())
}

fn digest_of(method: &str) -> Result<&'static digest::Algorithm, Refusal> {
    match method {
        SHA1 => Ok(&digest::SHA1_FOR_LEGACY_USE_ONLY),
        SHA256 => Ok(&digest::SHA256),
        SHA512 => Ok(&digest::SHA512),
        other => Err(Refusal::algorithm(other)),
    }
}

/// Checks that a signature was made by the key of a certificate that holds today.
fn is_signed(certificate: &[u8], of: &Signature) -> Result<(), Refusal> {
    let invalid = |why: &str| Refusal::Token(why.to_owned());
    let (_, certificate) =
        X509Certificate::from_der(certificate).map_err(|_| invalid("the certificate cannot be read"))?;
    if !certificate.validity().is_valid() {
        return Err(invalid("the certificate does not hold today"));
    }
    let key = certificate.public_key().subject_public_key.data.as_ref();
    let algorithm: &dyn signature::VerificationAlgorithm = match of.method.as_str() {
        RSA_SHA1 => &signature::RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY,
        RSA_SHA256 => &signature::RSA_PKCS1_2048_8192_SHA256,
        RSA_SHA512 => &signature::RSA_PKCS1_2048_8192_SHA512,
        ECDSA_SHA256 => &signature::ECDSA_P256_SHA256_FIXED,
        other => return Err(Refusal::algorithm(other)),
    };
    let verified = algorithm.verify_sig(key, &of.info, &of.value);
    verified.map_err(|_| Refusal::Check(String::from("the signature is not that of its certificate")))
}

/// A message whose body is signed, and the header that says so.
///
/// # Errors
/// The message is no envelope, or the key is of no use.
pub(super) fn signed(message: &str, identity: &Identity) -> Result<(String, String), String> {
    let key = signature::RsaKeyPair::from_pkcs8(&identity.key)
        .or_else(|_| signature::RsaKeyPair::from_der(&identity.key))
        .map_err(|why| format!("the key is none of RSA: {why}"))?;
    let (message, body) = write::identified(message).map_err(|fault| fault.to_string())?;
    let info = write::info(RSA_SHA256, SHA256, digest::digest(&digest::SHA256, &body).as_ref());
    let mut value = vec![0; key.public_modulus_len()];
    key.sign(&signature::RSA_PKCS1_SHA256, &SystemRandom::new(), info.as_bytes(), &mut value)
        .map_err(|_| String::from("the message cannot be signed"))?;
    let tokens = [write::certificate(&identity.certificate), write::signature(&info, &value)].concat();
    Ok((message, tokens))
}
