//! Why a histogram cannot be read or written.

/// A histogram that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum SidecarError {
    /// Not base64.
    #[error("histogram is not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    /// Not an HDR histogram.
    #[error("histogram is not HDR V2: {0}")]
    Format(String),
}
