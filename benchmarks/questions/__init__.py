"""One file for each question: what is asked, how, and the words and pictures of its section."""
