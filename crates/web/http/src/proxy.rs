//! The header of PROXY protocol v2: a proxy names its client, before anything else.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::limits::PROXY_MAX;

const SIGNATURE: [u8; 12] = *b"\r\n\r\n\0\r\nQUIT\n";
/// Signature, version and command, family, length.
const FIXED: usize = 16;

/// The client for which a proxy speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxied {
    /// The client's address, and the address that it connected to. `None`: the proxy speaks for itself, as in a health
    /// check.
    pub addresses: Option<(SocketAddr, SocketAddr)>,
    /// The application protocol that the client chose in its handshake.
    pub protocol: Option<Vec<u8>>,
    /// TLS between client and proxy.
    pub tls: Option<ProxiedTls>,
}

/// The proxy's description of the TLS that it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProxiedTls {
    /// The client has shown a certificate, on this connection or an earlier one of its session.
    pub has_certificate: bool,
    /// The proxy has found it good.
    pub is_verified: bool,
    /// As `TLSv1.3`.
    pub version: Option<String>,
    /// The cipher suite's name.
    pub cipher: Option<String>,
    /// The common name of the client's certificate.
    pub common_name: Option<String>,
    /// The client's certificate, DER.
    pub certificate: Option<Vec<u8>>,
}

/// The reason why the start of a connection is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotProxied {
    /// It begins with something else.
    #[error("the connection does not begin with a header of PROXY protocol v2: is its peer the proxy?")]
    Signature,
    /// Another version, command or family.
    #[error("the header is of another version, command or family of addresses")]
    Unknown,
    /// Too long.
    #[error("the header has more than {PROXY_MAX} bytes")]
    TooLong,
    /// Its parts are longer than it is.
    #[error("the header's parts do not fit into it")]
    Torn,
    /// Its checksum is another one.
    #[error("the header's checksum is wrong")]
    Checksum,
}

/// Reads the header at the beginning of a connection. Returns its content and its length; `None`: more bytes are
/// needed.
///
/// # Errors
/// See [`NotProxied`], as soon as it is certain.
pub fn read(bytes: &[u8]) -> Result<Option<(Proxied, usize)>, NotProxied> {
    let known = bytes.len().min(SIGNATURE.len());
    if bytes[..known] != SIGNATURE[..known] {
        return Err(NotProxied::Signature);
    }
    let Some(fixed) = bytes.get(..FIXED) else { return Ok(None) };
    let (command, family) = (fixed[12], fixed[13]);
    if !matches!(command, 0x20 | 0x21) {
        return Err(NotProxied::Unknown);
    }
    let length = usize::from(u16::from_be_bytes([fixed[14], fixed[15]]));
    if length > PROXY_MAX {
        return Err(NotProxied::TooLong);
    }
    let Some(header) = bytes.get(..FIXED + length) else { return Ok(None) };
    let (addresses, values) = addresses(command, family, &header[FIXED..])?;
    let mut proxied = Proxied { addresses, protocol: None, tls: None };
    for value in Values(values) {
        let (kind, value) = value?;
        match kind {
            0x01 => proxied.protocol = Some(value.to_vec()),
            0x03 => check(header, value)?,
            0x20 => proxied.tls = tls(value)?,
            _ => {}
        }
    }
    Ok(Some((proxied, header.len())))
}

type Addresses = Option<(SocketAddr, SocketAddr)>;

/// The addresses, and the bytes after them.
fn addresses(command: u8, family: u8, rest: &[u8]) -> Result<(Addresses, &[u8]), NotProxied> {
    let length = match family {
        0x00 => 0,
        0x11 => 12,
        0x21 => 36,
        _ => return Err(NotProxied::Unknown),
    };
    let (block, values) = rest.split_at_checked(length).ok_or(NotProxied::Torn)?;
    let port = |at: usize| u16::from_be_bytes([block[at], block[at + 1]]);
    let ends = match family {
        0x11 => {
            let address = |at: usize| -> IpAddr {
                Ipv4Addr::new(block[at], block[at + 1], block[at + 2], block[at + 3]).into()
            };
            Some((SocketAddr::new(address(0), port(8)), SocketAddr::new(address(4), port(10))))
        }
        0x21 => {
            let address = |at: usize| -> IpAddr {
                let mut octets = [0; 16];
                octets.copy_from_slice(&block[at..at + 16]);
                Ipv6Addr::from(octets).into()
            };
            Some((SocketAddr::new(address(0), port(32)), SocketAddr::new(address(16), port(34))))
        }
        _ => None,
    };
    // LOCAL: the addresses in the header are the proxy's own.
    Ok((ends.filter(|_| command == 0x21), values))
}

/// Type, length and value, one after the other.
struct Values<'a>(&'a [u8]);

impl<'a> Iterator for Values<'a> {
    type Item = Result<(u8, &'a [u8]), NotProxied>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = std::mem::take(&mut self.0);
        match rest {
            [] => None,
            [kind, high, low, rest @ ..] => {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                match rest.split_at_checked(length) {
                    Some((value, rest)) => {
                        self.0 = rest;
                        Some(Ok((*kind, value)))
                    }
                    None => Some(Err(NotProxied::Torn)),
                }
            }
            _ => Some(Err(NotProxied::Torn)),
        }
    }
}

fn tls(value: &[u8]) -> Result<Option<ProxiedTls>, NotProxied> {
    let (fixed, values) = value.split_at_checked(5).ok_or(NotProxied::Torn)?;
    if fixed[0] & 1 == 0 {
        return Ok(None);
    }
    let mut tls = ProxiedTls { has_certificate: fixed[0] & 6 != 0, ..ProxiedTls::default() };
    tls.is_verified = tls.has_certificate && fixed[1..5] == [0; 4];
    for value in Values(values) {
        let (kind, value) = value?;
        let text = || Some(String::from_utf8_lossy(value).into_owned());
        match kind {
            0x21 => tls.version = text(),
            0x22 => tls.common_name = text(),
            0x23 => tls.cipher = text(),
            0x28 => tls.certificate = Some(value.to_vec()),
            _ => {}
        }
    }
    Ok(Some(tls))
}

/// Checks the checksum (CRC-32C): that of the whole header with zeros in place of the checksum itself.
fn check(header: &[u8], value: &[u8]) -> Result<(), NotProxied> {
    let told: [u8; 4] = value.try_into().map_err(|_| NotProxied::Torn)?;
    let at = value.as_ptr().addr() - header.as_ptr().addr();
    let whole = [&header[..at], &[0; 4], &header[at + 4..]].concat();
    if crc32c(&whole) == u32::from_be_bytes(told) { Ok(()) } else { Err(NotProxied::Checksum) }
}

/// CRC-32C by the bit: a header has a few hundred bytes, once a connection.
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0x82F6_3B78 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(command: u8, family: u8, rest: &[u8]) -> Vec<u8> {
        let length = u16::try_from(rest.len()).expect("a short one").to_be_bytes();
        [&SIGNATURE[..], &[command, family], &length, rest].concat()
    }

    fn value(kind: u8, value: &[u8]) -> Vec<u8> {
        [&[kind, 0, u8::try_from(value.len()).expect("a short one")], value].concat()
    }

    const ENDS: [u8; 12] = [10, 0, 0, 1, 10, 0, 0, 2, 0x12, 0x34, 0x01, 0xBB];

    #[test]
    fn a_header_is_read_whole_wherever_it_is_cut() {
        let inner = [
            value(0x21, b"TLSv1.3"),
            value(0x22, b"Anna"),
            value(0x23, b"TLS_AES_128_GCM_SHA256"),
            value(0x28, b"DER"),
        ];
        let tls = value(0x20, &[&[7, 0, 0, 0, 0], inner.concat().as_slice()].concat());
        let mut whole =
            header(0x21, 0x11, &[&ENDS[..], &value(1, b"h2"), &tls, &value(0x03, &[0; 4])].concat());
        let sum = crc32c(&whole).to_be_bytes();
        let at = whole.len() - 4;
        whole[at..].copy_from_slice(&sum);
        whole.extend_from_slice(b"GET");
        for end in 0..whole.len() - 3 {
            assert_eq!(read(&whole[..end]), Ok(None), "{end}");
        }
        let (proxied, length) = read(&whole).expect("a header").expect("it is whole");
        assert_eq!(length, whole.len() - 3);
        let ends = ("10.0.0.1:4660".parse().expect("one"), "10.0.0.2:443".parse().expect("one"));
        assert_eq!((proxied.addresses, proxied.protocol.as_deref()), (Some(ends), Some(b"h2".as_slice())));
        let tls = proxied.tls.expect("TLS");
        assert!(tls.has_certificate && tls.is_verified);
        assert_eq!((tls.version.as_deref(), tls.common_name.as_deref()), (Some("TLSv1.3"), Some("Anna")));
        assert_eq!(
            (tls.cipher.as_deref(), tls.certificate.as_deref()),
            (Some("TLS_AES_128_GCM_SHA256"), Some(b"DER".as_slice()))
        );
        whole[20] ^= 1;
        assert_eq!(read(&whole), Err(NotProxied::Checksum));
    }

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(crc32c(b"123456789"), 0xE306_9283);
    }

    #[test]
    fn a_health_check_speaks_for_no_client() {
        let (proxied, _) = read(&header(0x20, 0x11, &ENDS)).expect("a header").expect("it is whole");
        assert_eq!(proxied.addresses, None);
        let (proxied, _) = read(&header(0x21, 0x00, b"")).expect("a header").expect("it is whole");
        assert_eq!(proxied.addresses, None);
    }

    #[test]
    fn whatever_is_no_header_is_refused_at_once() {
        let cases: [(Vec<u8>, NotProxied); 7] = [
            (b"GET / HTTP/1.1\r\n".to_vec(), NotProxied::Signature),
            (b"PROXY TCP4 ".to_vec(), NotProxied::Signature),
            (header(0x11, 0x11, &ENDS), NotProxied::Unknown),
            (header(0x21, 0x12, &ENDS), NotProxied::Unknown),
            (header(0x21, 0x21, &ENDS), NotProxied::Torn),
            (header(0x21, 0x11, &[&ENDS[..], &[1, 0, 9, 0]].concat()), NotProxied::Torn),
            ([&SIGNATURE[..], &[0x21, 0x11, 0xFF, 0xFF]].concat(), NotProxied::TooLong),
        ];
        for (bytes, expected) in cases {
            assert_eq!(read(&bytes), Err(expected), "{bytes:?}");
        }
    }
}
