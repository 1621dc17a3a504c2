package import FetchCache
package import Records

/// What is remembered about the files of a site.
package struct SiteMemory {
    /// What pages say about the address of their site.
    var addresses = RememberedFiles<AddressClaim>()
    var sheets = RememberedFiles<SheetDigest>()
    /// The images in files that are not read.
    package var unread = RememberedFiles<UnreadURL>()

    /// Remembers nothing.
    init() {}

    package init(of site: Site, cache: FetchManager) async {
        addresses = await RememberedFiles(root: site.root, cache: cache)
        unread = await RememberedFiles(root: site.root, cache: cache)
        guard site.reading.describesImages else { return }
        sheets = await RememberedFiles(root: site.root, cache: cache)
    }

    package func save() async {
        await addresses.save()
        await sheets.save()
        await unread.save()
    }
}
