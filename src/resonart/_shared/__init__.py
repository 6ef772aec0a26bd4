"""Small tools that know nothing of clustering, for every room."""
