//! Socket addresses as programs hold them (NAME), and as the system does.
//!
//! IPv4: family 2, port, address, 8 zeros: 16 bytes. IPv6: family 19, port, flow information, address, scope: 28 bytes.
//! All numbers are big-endian.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use rustix::net::{AddressFamily, SocketAddrAny};

use crate::errno::Errno;

/// The family of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// AF_INET.
    Inet,
    /// AF_INET6.
    Inet6,
}

/// Bytes of an IPv4 address in NAME.
const INET_LENGTH: usize = 16;
/// Bytes of an IPv6 address in NAME.
const INET6_LENGTH: usize = 28;

impl Family {
    /// The family of a published number.
    ///
    /// # Errors
    /// EAFNOSUPPORT for another number.
    pub fn of(number: i64) -> Result<Self, Errno> {
        match number {
            2 => Ok(Self::Inet),
            19 => Ok(Self::Inet6),
            _ => Err(Errno::AFNOSUPPORT),
        }
    }

    /// The family of an address.
    pub fn of_address(address: &SocketAddr) -> Self {
        if address.is_ipv4() { Self::Inet } else { Self::Inet6 }
    }

    /// Its published number.
    pub fn number(self) -> u16 {
        match self {
            Self::Inet => 2,
            Self::Inet6 => 19,
        }
    }

    /// The system's name for it.
    pub fn system(self) -> AddressFamily {
        match self {
            Self::Inet => AddressFamily::INET,
            Self::Inet6 => AddressFamily::INET6,
        }
    }

    /// Bytes of a NAME.
    pub fn name_length(self) -> usize {
        match self {
            Self::Inet => INET_LENGTH,
            Self::Inet6 => INET6_LENGTH,
        }
    }

    /// Bytes of an address alone.
    pub fn address_length(self) -> usize {
        match self {
            Self::Inet => 4,
            Self::Inet6 => 16,
        }
    }

    /// An address from its bytes.
    ///
    /// # Panics
    /// If they are not as many as [`Family::address_length`].
    pub fn address(self, bytes: &[u8]) -> IpAddr {
        match self {
            Self::Inet => Ipv4Addr::from(fixed::<4>(bytes)).into(),
            Self::Inet6 => Ipv6Addr::from(fixed::<16>(bytes)).into(),
        }
    }

    /// The address and port in a NAME.
    ///
    /// # Panics
    /// If it is not as long as [`Family::name_length`].
    pub fn decode(self, name: &[u8]) -> SocketAddr {
        let port = u16::from_be_bytes(fixed(&name[2..4]));
        let word = |at: usize| u32::from_be_bytes(fixed(&name[at..at + 4]));
        match self {
            Self::Inet => SocketAddrV4::new(Ipv4Addr::from(fixed::<4>(&name[4..8])), port).into(),
            Self::Inet6 => {
                let address = Ipv6Addr::from(fixed::<16>(&name[8..24]));
                SocketAddrV6::new(address, port, word(4), word(24)).into()
            }
        }
    }
}

fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().unwrap_or_else(|_| unreachable!("the caller has cut {N} bytes"))
}

/// An address as a NAME.
pub fn encode(address: &SocketAddr) -> Name {
    let mut name = Name { bytes: [0; INET6_LENGTH], length: Family::of_address(address).name_length() };
    name.bytes[..2].copy_from_slice(&Family::of_address(address).number().to_be_bytes());
    name.bytes[2..4].copy_from_slice(&address.port().to_be_bytes());
    match address {
        SocketAddr::V4(v4) => name.bytes[4..8].copy_from_slice(&v4.ip().octets()),
        SocketAddr::V6(v6) => {
            name.bytes[4..8].copy_from_slice(&v6.flowinfo().to_be_bytes());
            name.bytes[8..24].copy_from_slice(&v6.ip().octets());
            name.bytes[24..28].copy_from_slice(&v6.scope_id().to_be_bytes());
        }
    }
    name
}

/// The bytes of a NAME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    bytes: [u8; INET6_LENGTH],
    length: usize,
}

impl Name {
    /// As many as its family has.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// The system's address of an IP socket.
///
/// # Errors
/// EAFNOSUPPORT for one of another kind.
pub fn of_system(address: SocketAddrAny) -> Result<SocketAddr, Errno> {
    SocketAddr::try_from(address).map_err(|_| Errno::AFNOSUPPORT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_goes_both_ways() {
        let v4: SocketAddr = "10.1.2.3:3000".parse().expect("an address");
        let name = encode(&v4);
        assert_eq!(name.as_bytes(), [0, 2, 0x0b, 0xb8, 10, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Family::Inet.decode(name.as_bytes()), v4);
        let v6: SocketAddr = SocketAddrV6::new(Ipv6Addr::LOCALHOST, 80, 7, 9).into();
        let name = encode(&v6);
        assert_eq!((name.as_bytes().len(), &name.as_bytes()[..4]), (28, &[0, 19, 0, 80][..]));
        assert_eq!(Family::Inet6.decode(name.as_bytes()), v6);
    }
}
