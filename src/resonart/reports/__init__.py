"""What a reading of the density tree says: the condensed tree, and why it was read that way."""
