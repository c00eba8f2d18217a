//! The region of a link, as the link sees it.

use crate::frame::Vitals;
use crate::serving::Asked;

/// Wishes of a link to the region that it belongs to.
pub trait Host {
    /// The health of the region: it rides in every frame.
    fn vitals(&self) -> Vitals;

    /// Takes a request of the other side: it is answered at once or later, through [`Asked`].
    fn asked(&self, asked: Asked, body: &[u8]);

    /// Hears that the other side asks nothing more: the link ends when everything is answered.
    fn closing(&self) {}
}
