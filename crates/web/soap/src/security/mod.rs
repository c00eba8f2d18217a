//! WS-Security: the content of an envelope's header, and the data that a signature was made over.
//!
//! | module | what lives there |
//! |---|---|
//! | this | the header: user names, certificates, signatures |
//! | [`signed`] | elements by their identifiers, in their canonical form |
//! | [`write`] | tokens and signatures of messages that go out |
//!
//! Out of scope: keys, users, and who is trusted.

pub mod signed;
pub mod write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mapping::xml::{Reader, Start, Token, canonical};
use mapping::{FaultKind, MappingFault};

use crate::envelope::Header;

/// The namespace of WS-Security.
pub const SECURITY: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
/// That of its identifiers.
pub const UTILITY: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
/// That of signatures.
pub const SIGNATURE: &str = "http://www.w3.org/2000/09/xmldsig#";
/// The canonical form that signatures are made over.
pub const EXCLUSIVE: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
/// The type of a password in clear.
const TEXT: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText";
/// The type of a certificate's token.
const CERTIFICATE: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3";

/// Tokens of a kind in a header, and forms of an element.
pub const TOKENS_MAX: usize = 16;
/// Signatures in a header.
pub const SIGNATURES_MAX: usize = 4;
/// Elements that a signature covers.
pub const REFERENCES_MAX: usize = 16;

/// The content of a security header.
#[derive(Clone, Debug, Default)]
pub struct Security {
    /// Users.
    pub users: Vec<UserToken>,
    /// Certificates.
    pub certificates: Vec<CertificateToken>,
    /// Signatures.
    pub signatures: Vec<Signature>,
    /// True if something in it is encrypted.
    pub is_encrypted: bool,
    /// When the message was made, and until when it counts.
    pub timestamp: Option<Timestamp>,
}

/// When a message was made, and until when it counts: milliseconds since 1900.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamp {
    /// When it was made.
    pub created: Option<i128>,
    /// Until when it counts.
    pub expires: Option<i128>,
}

/// A user, who has perhaps shown a password.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserToken {
    /// Its identifier, by which a signature may cover it; empty if it has none.
    pub id: String,
    /// The name.
    pub name: String,
    /// The password.
    pub password: Option<Password>,
}

/// The password of a user token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Password {
    /// The password itself.
    Text(String),
    /// Something derived from it.
    Other,
}

/// A certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateToken {
    /// Its identifier; empty if it has none.
    pub id: String,
    /// It in DER.
    pub der: Vec<u8>,
}

/// A signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// The data that it is made over, in the canonical form: it says which elements have which digests.
    pub info: Vec<u8>,
    /// Its algorithm.
    pub method: String,
    /// The form of `info`.
    pub form: String,
    /// The signature's bytes.
    pub value: Vec<u8>,
    /// The elements.
    pub references: Vec<Reference>,
    /// The signer.
    pub signer: Option<Signer>,
}

/// The signer of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signer {
    /// The certificate of this identifier in the header.
    Named(String),
    /// A certificate that is in the signature.
    Shown(Vec<u8>),
}

/// An element that a signature covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reference {
    /// Its identifier.
    pub id: String,
    /// The transforms before the digest, by algorithm.
    pub transforms: Vec<String>,
    /// The prefixes that are kept.
    pub kept: Vec<String>,
    /// The algorithm of the digest.
    pub method: String,
    /// The digest.
    pub digest: Vec<u8>,
}

impl Security {
    /// Reads a header.
    ///
    /// # Errors
    /// It is not well formed, or has more of something than may be.
    pub fn read(header: &Header<'_>) -> Result<Self, MappingFault> {
        let mut read = Self::default();
        let mut reader = header.content();
        while let Some(start) = next(&mut reader)? {
            if start.is(SECURITY, "UsernameToken") {
                room(read.users.len(), TOKENS_MAX)?;
                read.users.push(user(&mut reader, &start)?);
            } else if start.is(SECURITY, "BinarySecurityToken") {
                room(read.certificates.len(), TOKENS_MAX)?;
                read.certificates.push(certificate(&mut reader, &start)?);
            } else if start.is(SIGNATURE, "Signature") {
                room(read.signatures.len(), SIGNATURES_MAX)?;
                read.signatures.push(signature(&mut reader)?);
            } else if start.is(UTILITY, "Timestamp") {
                room(usize::from(read.timestamp.is_some()), 1)?;
                read.timestamp = Some(timestamp(&mut reader)?);
            } else {
                read.is_encrypted |=
                    matches!(start.local, "EncryptedKey" | "EncryptedData" | "ReferenceList");
                reader.skip_element()?;
            }
        }
        Ok(read)
    }
}

fn room(taken: usize, most: usize) -> Result<(), MappingFault> {
    let problem = || {
        MappingFault::new(FaultKind::TooComplex, format!("a header of security has at most {most} of these"))
    };
    if taken < most { Ok(()) } else { Err(problem()) }
}

/// Refuses a second element where only one has a meaning: a reader might look at the other one.
fn once(is_there: bool, what: &str) -> Result<(), MappingFault> {
    let problem =
        || MappingFault::new(FaultKind::UnexpectedContent, format!("a header of security has {what} twice"));
    if is_there { Err(problem()) } else { Ok(()) }
}

/// The next element within the open one; `None` at its end.
fn next<'a>(reader: &mut Reader<'a>) -> Result<Option<Start<'a>>, MappingFault> {
    loop {
        match reader.token()? {
            Token::Start(start) => return Ok(Some(start)),
            Token::Text(_) => {}
            Token::End | Token::Eof => return Ok(None),
        }
    }
}

fn timestamp(reader: &mut Reader<'_>) -> Result<Timestamp, MappingFault> {
    let mut timestamp = Timestamp::default();
    while let Some(start) = next(reader)? {
        let moment = match start.local {
            "Created" if start.is(UTILITY, "Created") => &mut timestamp.created,
            "Expires" if start.is(UTILITY, "Expires") => &mut timestamp.expires,
            _ => {
                reader.skip_element()?;
                continue;
            }
        };
        room(usize::from(moment.is_some()), 1)?;
        *moment = Some(mapping::moment(reader.element_text()?.trim())?);
    }
    Ok(timestamp)
}

fn own_id(start: &Start<'_>) -> String {
    start.attribute(UTILITY, "Id").unwrap_or_default().to_owned()
}

fn user(reader: &mut Reader<'_>, start: &Start<'_>) -> Result<UserToken, MappingFault> {
    let mut token = UserToken { id: own_id(start), ..UserToken::default() };
    let mut named = false;
    while let Some(start) = next(reader)? {
        if start.is(SECURITY, "Username") {
            once(named, "the user of a token")?;
            named = true;
            reader.element_text()?.trim().clone_into(&mut token.name);
        } else if start.is(SECURITY, "Password") {
            once(token.password.is_some(), "the password of a token")?;
            let is_text = start.attribute("", "Type").is_none_or(|kind| kind == TEXT);
            let text = reader.element_text()?.into_owned();
            token.password = Some(if is_text { Password::Text(text) } else { Password::Other });
        } else {
            reader.skip_element()?;
        }
    }
    Ok(token)
}

fn certificate(reader: &mut Reader<'_>, start: &Start<'_>) -> Result<CertificateToken, MappingFault> {
    let is_one = start.attribute("", "ValueType").is_none_or(|kind| kind.contains("#X509"));
    let id = own_id(start);
    let der = bytes(&reader.element_text()?)?;
    if is_one { Ok(CertificateToken { id, der }) } else { Ok(CertificateToken { id, der: Vec::new() }) }
}

/// The bytes of a text in base64, whose lines may be broken.
fn bytes(text: &str) -> Result<Vec<u8>, MappingFault> {
    let text: String = text.split_ascii_whitespace().collect();
    STANDARD
        .decode(text)
        .map_err(|why| MappingFault::new(FaultKind::InvalidBase64, format!("this is no base64: {why}")))
}

fn algorithm(start: &Start<'_>) -> String {
    start.attribute("", "Algorithm").unwrap_or_default().to_owned()
}

fn signature(reader: &mut Reader<'_>) -> Result<Signature, MappingFault> {
    let mut signature = Signature::default();
    while let Some(start) = next(reader)? {
        if start.is(SIGNATURE, "SignedInfo") {
            // Only one is signed. Elements that another one names would count as signed, too.
            once(!signature.info.is_empty(), "what a signature covers")?;
            let mut again = reader.clone();
            let kept = info(reader, &mut signature)?;
            let kept: Vec<&str> = kept.iter().map(String::as_str).collect();
            canonical(&mut again, &start, &kept, &mut signature.info)?;
        } else if start.is(SIGNATURE, "SignatureValue") {
            once(!signature.value.is_empty(), "the value of a signature")?;
            signature.value = bytes(&reader.element_text()?)?;
        } else if start.is(SIGNATURE, "KeyInfo") {
            once(signature.signer.is_some(), "whose a signature is")?;
            signature.signer = signer(reader)?;
        } else {
            reader.skip_element()?;
        }
    }
    Ok(signature)
}

/// Reads the description of the signed data; returns the prefixes that its own form keeps.
fn info(reader: &mut Reader<'_>, into: &mut Signature) -> Result<Vec<String>, MappingFault> {
    let mut kept = Vec::new();
    while let Some(start) = next(reader)? {
        if start.is(SIGNATURE, "CanonicalizationMethod") {
            once(!into.form.is_empty(), "the form of what is signed")?;
            into.form = algorithm(&start);
            kept = prefixes(reader)?;
        } else if start.is(SIGNATURE, "SignatureMethod") {
            once(!into.method.is_empty(), "the method of a signature")?;
            into.method = algorithm(&start);
            reader.skip_element()?;
        } else if start.is(SIGNATURE, "Reference") {
            room(into.references.len(), REFERENCES_MAX)?;
            into.references.push(reference(reader, &start)?);
        } else {
            reader.skip_element()?;
        }
    }
    Ok(kept)
}

fn reference(reader: &mut Reader<'_>, start: &Start<'_>) -> Result<Reference, MappingFault> {
    let id = start.attribute("", "URI").and_then(|uri| uri.strip_prefix('#')).unwrap_or_default();
    let mut reference = Reference { id: id.to_owned(), ..Reference::default() };
    while let Some(start) = next(reader)? {
        if start.is(SIGNATURE, "Transforms") {
            once(!reference.transforms.is_empty(), "the transforms of a reference")?;
            while let Some(start) = next(reader)? {
                room(reference.transforms.len(), TOKENS_MAX)?;
                reference.transforms.push(algorithm(&start));
                reference.kept = prefixes(reader)?;
            }
        } else if start.is(SIGNATURE, "DigestMethod") {
            once(!reference.method.is_empty(), "the method of a digest")?;
            reference.method = algorithm(&start);
            reader.skip_element()?;
        } else if start.is(SIGNATURE, "DigestValue") {
            once(!reference.digest.is_empty(), "a digest")?;
            reference.digest = bytes(&reader.element_text()?)?;
        } else {
            reader.skip_element()?;
        }
    }
    Ok(reference)
}

/// The prefixes that an algorithm keeps, to the end of its element.
fn prefixes(reader: &mut Reader<'_>) -> Result<Vec<String>, MappingFault> {
    let mut kept = Vec::new();
    while let Some(start) = next(reader)? {
        if start.is(EXCLUSIVE, "InclusiveNamespaces") {
            let list = start.attribute("", "PrefixList").unwrap_or_default();
            let own = |prefix: &str| if prefix == "#default" { String::new() } else { prefix.to_owned() };
            kept = list.split_ascii_whitespace().map(own).collect();
        }
        reader.skip_element()?;
    }
    Ok(kept)
}

/// The certificate that a signature names, or shows.
fn signer(reader: &mut Reader<'_>) -> Result<Option<Signer>, MappingFault> {
    let mut found = None;
    while let Some(start) = next(reader)? {
        if !start.is(SECURITY, "SecurityTokenReference") {
            reader.skip_element()?;
            continue;
        }
        while let Some(start) = next(reader)? {
            if start.is(SIGNATURE, "X509Data") || start.is(SECURITY, "Reference") {
                once(found.is_some(), "whose a signature is")?;
            }
            if start.is(SIGNATURE, "X509Data") {
                found = shown(reader)?.map(Signer::Shown);
                continue;
            }
            if start.is(SECURITY, "Reference") {
                let id = start.attribute("", "URI").and_then(|uri| uri.strip_prefix('#'));
                found = id.map(|id| Signer::Named(id.to_owned()));
            }
            reader.skip_element()?;
        }
    }
    Ok(found)
}

/// The only certificate in the data that are open.
fn shown(reader: &mut Reader<'_>) -> Result<Option<Vec<u8>>, MappingFault> {
    let mut found = None;
    while let Some(start) = next(reader)? {
        if start.is(SIGNATURE, "X509Certificate") {
            once(found.is_some(), "a certificate of a signature")?;
            found = Some(bytes(&reader.element_text()?)?);
        } else {
            reader.skip_element()?;
        }
    }
    Ok(found)
}
