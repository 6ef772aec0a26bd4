"""The algorithms of the DDVFA paper, line by line, as the oracle of the tests.

Everything here is slow on purpose: plain loops over doubles, one statement for each statement of
the paper or of the reference decisions ("decisions" in the comments), and no short cut that a
reader would have to trust.
"""
