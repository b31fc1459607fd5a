//! Renders a verdict: terminal, HTML, CSV
