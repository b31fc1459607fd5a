//! Drawings for a page. Positions are shares of the width, so that the letters have one size on a phone and on a wide
//! screen. What is untrusted is text: `maud` escapes markup, and `page::html::shown` characters that reorder a line.

mod axis;
mod latencies;
mod over_time;
mod spikes;

pub(crate) use latencies::latencies;
pub(crate) use over_time::over_time;
pub(crate) use spikes::spikes;
