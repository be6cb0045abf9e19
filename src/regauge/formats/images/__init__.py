"""Images where they lie: folders, shards, their contents and checksums."""
