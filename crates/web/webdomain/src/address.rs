//! Addresses as programs have them.

use std::net::IpAddr;

use kernel::exec::value::Value;

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

/// The address that a host is, if it is one; of IPv6 with brackets or without.
fn read(host: &str) -> Option<IpAddr> {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).parse().ok()
}

/// HOSTTYPE of a host.
pub(crate) fn host_type(host: &str) -> &'static str {
    match read(host) {
        Some(IpAddr::V4(_)) => "IPV4",
        Some(IpAddr::V6(_)) => "IPV6",
        None if matches!(host, "" | "*") => "NOTAPPLIC",
        None => "HOSTNAME",
    }
}

/// IPFAMILY of a host: a name is not looked up.
pub(crate) fn family(host: &str) -> Value {
    Value::Cvda(match read(host) {
        Some(IpAddr::V4(_)) => "IPV4",
        Some(IpAddr::V6(_)) => "IPV6",
        None => "NOTAPPLIC",
    })
}

/// Characters of an address as text.
const TEXT: usize = 39;

/// IPRESOLVED of a host: a name is not looked up.
pub(crate) fn shown_address(host: &str) -> Value {
    Value::padded(&read(host).map_or_else(|| "0.0.0.0".to_owned(), |address| address.to_string()), TEXT)
}
