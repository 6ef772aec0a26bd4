"""What people read: descriptions, explanations, reports of a stream, how objects show."""
