"""What `impasse.batch` is made of: jobs and their ids, the file of results, and ways to run."""
