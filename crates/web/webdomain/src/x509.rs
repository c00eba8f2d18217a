//! The names in a certificate of a client.

use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::x509::{AttributeTypeAndValue, X509Name};

/// Whose names are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// Those of the client.
    Owner,
    /// Those of the authority that has signed.
    Issuer,
}

/// Names, as characters of programs; what a certificate does not have is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    /// The serial number, in hexadecimal.
    pub serial: String,
    pub common: String,
    pub country: String,
    pub state: String,
    pub locality: String,
    pub organization: String,
    pub unit: String,
}

impl Names {
    /// Those in a certificate (DER); none of one that cannot be read.
    pub fn read(certificate: &[u8], whose: Whose) -> Self {
        let Ok((_, certificate)) = X509Certificate::from_der(certificate) else { return Self::default() };
        let name: &X509Name<'_> = match whose {
            Whose::Owner => certificate.subject(),
            Whose::Issuer => certificate.issuer(),
        };
        let serial = certificate.raw_serial();
        Self {
            serial: serial.iter().map(|byte| format!("{byte:02X}")).collect(),
            common: first(name.iter_common_name()),
            country: first(name.iter_country()),
            state: first(name.iter_state_or_province()),
            locality: first(name.iter_locality()),
            organization: first(name.iter_organization()),
            unit: first(name.iter_organizational_unit()),
        }
    }
}

fn first<'a>(mut values: impl Iterator<Item = &'a AttributeTypeAndValue<'a>>) -> String {
    values.next().and_then(|value| value.as_str().ok()).unwrap_or_default().to_owned()
}
