"""odoriko (踊り子): dancers who bring song and dance to a frozen land, for two to six seats."""
