//! Malformed code objects.
