import Documents
import FetchCache

/// Bakes the files of a site, a bounded number of documents at a time.
struct SiteBaker: Sendable {
    let baker: DocumentBaker
    private var site: Site { baker.site }
    private var output: OutputFolder { baker.output }
    let tally: Tally

    /// How many documents may wait for their images at once: enough to keep all transfers busy with
    /// one image a page, few enough that memory does not grow with the site.
    private static let documentsInFlight = 48
    /// How many bytes of documents may be held meanwhile; a larger document is held alone.
    private static let bytesInFlight = 16 << 20

    /// Bakes `files` in their order.
    ///
    /// - Throws: `CancellationError`; what goes wrong with a file is reported and the rest goes on.
    func bake(_ files: [SiteFile], report: @escaping @Sendable ([Diagnostic]) -> Void) async throws
    {
        try await withThrowingTaskGroup(of: Int.self) { group in
            var count = 0
            var bytes = 0
            for file in files {
                try Task.checkCancellation()
                guard case .document(let kind) = file.role else {
                    report(copy(file))
                    continue
                }
                let size = FileStatus(site.path(file.path))?.byteCount ?? 0
                while count >= Self.documentsInFlight
                    || count > 0 && bytes + size > Self.bytesInFlight
                {
                    guard let done = try await group.next() else { break }
                    count -= 1
                    bytes -= done
                }
                count += 1
                bytes += size
                group.addTask {
                    report(try await bake(file.path, kind))
                    return size
                }
            }
            try await group.waitForAll()
        }
    }

    private func bake(_ path: String, _ kind: DocumentKind) async throws -> [Diagnostic] {
        do {
            let done = try await baker.bake(path, kind: kind)
            tally.add {
                $0.documentsDone += 1
                $0.documentsRewritten += done.isRewritten ? 1 : 0
                $0.references += done.referenceCount
            }
            return done.diagnostics
        } catch let fault as FileFault {
            return failed(path, fault.description)
        } catch let error as FetchError {
            return failed(path, error.description)
        }
    }

    private func failed(_ path: String, _ reason: String) -> [Diagnostic] {
        tally.add { $0.documentsDone += 1 }
        return [Diagnostic(.error, document: site.name(path), reason: reason)]
    }

    private func copy(_ file: SiteFile) -> [Diagnostic] {
        guard !site.isInPlace else { return [] }
        do throws(FileFault) {
            if file.role == .link {
                try output.copyLink(site.path(file.path), to: file.path)
            } else {
                try output.copy(site.path(file.path), to: file.path)
            }
            return []
        } catch {
            return [Diagnostic(.error, document: site.name(file.path), reason: error.description)]
        }
    }
}
