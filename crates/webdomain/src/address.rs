//! Addresses as programs have them.

use std::net::IpAddr;

/// The four bytes of an address of IPv4; zeros of another.
pub(crate) fn four(address: IpAddr) -> [u8; 4] {
    match address.to_canonical() {
        IpAddr::V4(address) => address.octets(),
        IpAddr::V6(_) => [0; 4],
    }
}

/// An address in the sixteen bytes of IPv6.
pub(crate) fn six(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped().octets(),
        IpAddr::V6(address) => address.octets(),
    }
}
