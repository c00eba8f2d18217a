//! The figures of the published V5.5 performance report, section by section: tasks a second, milliseconds of processor time for a
//! task, milliseconds of response time where the section has them.

use super::kind::{Line, line};

/// 9.2.1, table 9-2: DSW with static routing, five regions.
pub(super) const DSW: [Line; 5] = [
    line(4_180.34, 0.175, None),
    line(4_948.82, 0.174, None),
    line(6_057.17, 0.172, None),
    line(6_591.39, 0.170, None),
    line(7_151.20, 0.170, None),
];

/// 9.2.4, table 9-8: the relational workload, threadsafe.
pub(super) const RTW: [Line; 5] = [
    line(713.41, 1.242, None),
    line(997.00, 1.241, None),
    line(1_417.54, 1.247, None),
    line(1_960.32, 1.267, None),
    line(2_402.72, 1.288, None),
];

const fn containers(place: f64, rate: f64, ms: f64, response: f64) -> Line {
    Line { place, rate, ms, response: Some(response) }
}

/// 9.10, table 9-10: containers of programs that are not threadsafe.
pub(super) const CONTAINERS_QR: [Line; 5] = [
    containers(10.0, 570.54, 0.002, 0.448),
    containers(100.0, 570.54, 0.011, 1.659),
    containers(250.0, 570.55, 0.027, 2.687),
    containers(500.0, 570.28, 0.057, 2.828),
    containers(750.0, 570.21, 0.093, 3.093),
];

/// 9.10, table 9-12: the same, threadsafe.
pub(super) const CONTAINERS_OPEN: [Line; 5] = [
    containers(10.0, 570.54, 0.002, 0.523),
    containers(100.0, 570.50, 0.018, 1.144),
    containers(250.0, 570.19, 0.055, 2.248),
    containers(500.0, 569.97, 0.113, 3.207),
    containers(750.0, 565.04, 0.244, 10.917),
];

/// 9.11, table 9-14: coupling-facility data tables, not threadsafe.
pub(super) const TABLES_QR: [Line; 3] = [
    line(798.09, 0.454, Some(1.281)),
    line(1_597.65, 0.451, Some(2.954)),
    line(2_203.78, 0.451, Some(131.9)),
];

/// 9.11, table 9-16: the same, threadsafe.
pub(super) const TABLES_OPEN: [Line; 5] = [
    line(798.14, 0.573, Some(0.883)),
    line(1_598.78, 0.655, Some(1.295)),
    line(3_079.04, 0.707, Some(1.881)),
    line(5_708.62, 0.776, Some(3.285)),
    line(7_936.61, 0.787, Some(4.641)),
];

/// 9.12, table 9-17: DSW without policies.
pub(super) const WITHOUT_POLICIES: [Line; 5] = [
    line(4_181.98, 0.180, None),
    line(4_948.22, 0.180, None),
    line(6_063.40, 0.177, None),
    line(6_610.11, 0.176, None),
    line(7_165.88, 0.175, None),
];

/// 9.12, table 9-18: the same with 19 policies.
pub(super) const WITH_POLICIES: [Line; 5] = [
    line(4_176.96, 0.180, None),
    line(4_932.58, 0.180, None),
    line(6_057.89, 0.177, None),
    line(6_602.11, 0.176, None),
    line(7_176.31, 0.176, None),
];

/// 9.13, table 9-19: 1,650 requests a second with 30 MB of trace each second, in clear and encrypted: the file system's part.
pub(super) const TRACE_CLEAR: [Line; 1] = [line(1_650.0, 2.913_44 + 0.017_28, None)];
pub(super) const TRACE_ENCRYPTED: [Line; 1] = [line(1_650.0, 2.933_98 + 0.020_18, None)];
