"""Small tools that know nothing about clustering, for all packages."""
