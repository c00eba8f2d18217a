//! `wsse_handler`: what a pipeline's configuration says of WS-Security, as a value.

use crate::element::Element;

/// The program that a `wsse_handler` stands for, by its published name.
pub(crate) const PROGRAM: &str = "DFHWSSE1";
/// The algorithm by which messages are signed that go out.
pub(crate) const RSA_SHA256: &str = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";

/// Security that messages need or get.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Token that vouches for the identity.
    pub trust: Trust,
    /// Token of the identity.
    pub mode: Mode,
    /// No token is looked at, or sent.
    pub is_suppressed: bool,
    /// A message's body must be signed.
    pub expects_signature: bool,
    /// A message with a signature is refused.
    pub rejects_signatures: bool,
    /// Messages are signed by the certificate of this label.
    pub signs_as: Option<String>,
}

/// Tokens that vouch for an identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Itself.
    #[default]
    None,
    /// No token is needed.
    Blind,
    /// A user with a password.
    Basic,
    /// The signer of the message.
    Signature,
}

/// Tokens of an identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// None is asked for.
    #[default]
    None,
    /// The name of a user.
    Basic,
    /// A certificate.
    Signature,
}

impl Policy {
    /// Reads what stands in the handler's element.
    ///
    /// # Errors
    /// It is wrong, or asks for something that is not built.
    pub fn read(handler: &Element, provides: bool) -> Result<Self, String> {
        let mut policy = Self::default();
        let Some(configuration) = handler.part("dfhwsse_configuration") else { return Ok(policy) };
        let mut label = None;
        for part in &configuration.parts {
            match part.name.as_str() {
                "authentication" => label = policy.authentication(part)?,
                "expect_signed_body" => policy.expects_signature = true,
                "reject_signature" => policy.rejects_signatures = true,
                // Nothing that is encrypted is ever taken.
                "reject_encryption" => {}
                "sign_body" => policy.signs_as = Some(signer(part)?),
                "expect_encrypted_body" | "encrypt_body" => {
                    return Err(format!("its {} is not built: messages are not encrypted", part.name));
                }
                "sts_authentication" | "sts_endpoint" => {
                    return Err(String::from(
                        "its sts_authentication is not built: no trust service is asked",
                    ));
                }
                other => return Err(format!("{other} is not known in dfhwsse_configuration")),
            }
        }
        if !provides && policy.mode == Mode::Signature && !policy.is_suppressed {
            policy.signs_as = Some(label.ok_or("its authentication names no certificate_label")?);
        }
        policy.is_valid(provides).then_some(policy.clone()).ok_or_else(|| {
            format!("trust {:?} and mode {:?} do not go together", policy.trust, policy.mode).to_lowercase()
        })
    }

    /// Returns true if a message must show something.
    pub fn asks(&self) -> bool {
        self.expects_signature || self.rejects_signatures || (self.mode != Mode::None && !self.is_suppressed)
    }

    /// Trust, mode, and the label of the certificate.
    fn authentication(&mut self, part: &Element) -> Result<Option<String>, String> {
        let unknown = |name: &str, value: &str| format!("authentication has no {name} '{value}'");
        self.trust = match part.attribute("trust") {
            "" | "none" => Trust::None,
            "blind" => Trust::Blind,
            "basic" => Trust::Basic,
            "signature" => Trust::Signature,
            other => return Err(unknown("trust", other)),
        };
        self.mode = match part.attribute("mode") {
            "" | "none" => Mode::None,
            "basic" => Mode::Basic,
            "signature" => Mode::Signature,
            other => return Err(unknown("mode", other)),
        };
        self.is_suppressed = part.part("suppress").is_some();
        algorithm(part)?;
        Ok(part.part("certificate_label").map(|label| label.text.trim().to_owned()))
    }

    /// The published combinations.
    fn is_valid(&self, provides: bool) -> bool {
        match (provides, self.trust, self.mode) {
            (_, Trust::None, Mode::None) => true,
            (true, Trust::None, _) => true,
            (true, _, mode) => mode != Mode::None,
            (false, Trust::None, Mode::Signature) | (false, Trust::Blind, Mode::Basic) => true,
            (false, ..) => false,
        }
    }
}

/// The label of a certificate that signs.
fn signer(part: &Element) -> Result<String, String> {
    algorithm(part)?;
    let label = part.part("certificate_label").map(|label| label.text.trim().to_owned());
    label
        .filter(|label| !label.is_empty())
        .ok_or_else(|| String::from("its sign_body names no certificate_label"))
}

fn algorithm(part: &Element) -> Result<(), String> {
    match part.part("algorithm").map(|algorithm| algorithm.text.trim()) {
        None | Some(RSA_SHA256) => Ok(()),
        Some(other) => Err(format!("{} signs by {RSA_SHA256} only, and not by {other}", part.name)),
    }
}
