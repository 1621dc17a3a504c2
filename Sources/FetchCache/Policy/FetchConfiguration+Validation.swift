internal import Files
internal import SystemPackage

extension FetchConfiguration {
    /// The configuration with absolute paths of its folders, so that a change of the process's
    /// current folder does not concern an open cache.
    ///
    /// - Throws: ``FetchError/Code/configuration``, ``FetchError/Code/forbidden`` or
    ///   ``FetchError/Code/storage`` if a setting is not valid.
    func validated() throws(FetchError) -> FetchConfiguration {
        var configuration = self
        configuration.folder.path = try folder.path.validatedFolder()
        configuration.folder.readOnlyCaches =
            folder.readOnlyCaches.map(\.startingAtCurrentFolder)
        try downloader.validate()
        return configuration
    }
}

extension DownloaderConfiguration {
    /// - Throws: ``FetchError/Code/configuration`` or ``FetchError/Code/forbidden`` if a setting is
    ///   not valid.
    func validate() throws(FetchError) {
        try checkHosts()
        try checkFiles()
    }

    private func checkHosts() throws(FetchError) {
        for pattern in Array(hosts.keys).sorted() + network.allowedHosts
            + network.deniedHosts
        {
            guard let error = HostPattern.error(in: pattern) else { continue }
            throw FetchError(
                .configuration, pattern, "the host pattern '\(pattern)' is not valid: \(error)")
        }
        let all = hosts.keys.sorted().first { pattern in
            !HostPattern(pattern).isName && hosts[pattern]?.allowsInvalidCertificate == true
        }
        guard let all else { return }
        throw FetchError(
            .forbidden, all, "invalid certificates can be allowed for named hosts only")
    }

    /// Checks that the files of certificates can be read.
    private func checkFiles() throws(FetchError) {
        for (pattern, options) in hosts.sorted(by: { $0.key < $1.key }) {
            guard let certificate = options.clientCertificate else { continue }
            for file in [certificate.file, certificate.keyFile].compactMap(\.self)
            where (try? readFile(file.string, ofAnyKind: true)) == nil {
                throw FetchError(
                    .configuration, pattern, "the certificate \(file) cannot be read")
            }
        }
    }
}

extension FilePath {
    /// The absolute path of a folder.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the path is empty.
    func validatedFolder() throws(FetchError) -> FilePath {
        let path = startingAtCurrentFolder
        guard path.isAbsolute else {
            throw FetchError(.storage, "", "the path of the folder is empty")
        }
        return path
    }

    /// The path, absolute; an empty path stays empty.
    var startingAtCurrentFolder: FilePath {
        guard isRelative, !isEmpty, let current = resolvedPath(".") else { return self }
        return FilePath(current).pushing(self)
    }
}
