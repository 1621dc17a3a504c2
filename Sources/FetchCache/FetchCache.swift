// FetchCache
