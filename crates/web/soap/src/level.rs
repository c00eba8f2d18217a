//! The two versions of SOAP, and their differences.

use http::media::MediaType;

/// A version of SOAP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// SOAP 1.1.
    Soap11,
    /// SOAP 1.2.
    Soap12,
}

impl Level {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Soap11, Self::Soap12];

    /// The namespace of its envelope, which alone says the version of a message.
    pub const fn namespace(self) -> &'static str {
        match self {
            Self::Soap11 => "http://schemas.xmlsoap.org/soap/envelope/",
            Self::Soap12 => "http://www.w3.org/2003/05/soap-envelope",
        }
    }

    /// The version of an envelope.
    pub fn of_namespace(namespace: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.namespace() == namespace)
    }

    /// The Content-Type of a message.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Soap11 => "text/xml; charset=UTF-8",
            Self::Soap12 => "application/soap+xml; charset=UTF-8",
        }
    }

    /// Returns true if messages of this version may have this media type.
    pub fn takes(self, media: &MediaType) -> bool {
        let essence = media.essence();
        match self {
            Self::Soap11 => matches!(essence.as_str(), "text/xml" | "application/xml"),
            Self::Soap12 => matches!(essence.as_str(), "application/soap+xml" | "application/xml"),
        }
    }

    /// The action of a request: the SOAPAction header of 1.1, in quotes or not, or a parameter of the media type of 1.2.
    pub fn action(self, media: Option<&MediaType>, soap_action: Option<&str>) -> Option<String> {
        let action = match self {
            Self::Soap11 => {
                let text = soap_action?.trim();
                text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text)
            }
            Self::Soap12 => media?.parameter("action")?,
        };
        (!action.is_empty()).then(|| action.to_owned())
    }

    /// Its number in a pipeline's containers.
    pub const fn number(self) -> i32 {
        match self {
            Self::Soap11 => 1,
            Self::Soap12 => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_action_stands_where_the_version_says() {
        let media =
            MediaType::parse("application/soap+xml; charset=utf-8; action=\"urn:a\"").expect("a media type");
        assert!(Level::Soap12.takes(&media) && !Level::Soap11.takes(&media));
        assert_eq!(Level::Soap12.action(Some(&media), Some("\"urn:b\"")).as_deref(), Some("urn:a"));
        for (header, action) in
            [("\"urn:b\"", Some("urn:b")), ("urn:b", Some("urn:b")), ("\"\"", None), ("", None)]
        {
            assert_eq!(Level::Soap11.action(None, Some(header)).as_deref(), action, "{header}");
        }
    }
}
