import FetchCache
import Files
import Foundation
import Locks
package import Reports
import Sites
import SystemPackage

/// Watches folders, on a thread of its own, for as long as the process runs.
///
/// Each bake looks at all files of a site, so the watch need not know what has changed, only that
/// something has. That makes it simple where events are not reliable: after folders were made, moved
/// or removed, and after events were lost, it walks the folders and watches those that there are.
package final class SiteWatch: Sendable {
    /// The changed paths that nobody has taken yet.
    private let pending = Locked<Set<String>>([])
    private let signal: AsyncStream<Void>.Continuation
    /// Has an element when there are changes.
    package let changes: AsyncStream<Void>

    private let folders: WatchedFolders
    private let tell: @Sendable (Diagnostic) -> Void

    /// The time without a change, in milliseconds, after which a bake begins.
    private static let quiet: Int32 = 15
    /// The time after which it begins even if there are more changes.
    private static let patience = Duration.milliseconds(400)
    /// The time between two walks, in seconds.
    private static let interval = 2.0

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - folders: The folders.
    ///   - walks: Whether to walk the folders every two seconds, and use no events.
    ///   - tell: Called if events cannot be used.
    package init(
        _ folders: WatchedFolders, walks: Bool, tell: @escaping @Sendable (Diagnostic) -> Void
    ) {
        (changes, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.folders = folders
        self.tell = tell
        // A change after this call must not be missed.
        let isReady = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            if !walks { followEvents { isReady.signal() } }
            walkAgainAndAgain { isReady.signal() }
        }
        isReady.wait()
    }

    /// The changes since the last call.
    package func take() -> Set<String> {
        pending.withLock { paths in
            defer { paths = [] }
            return paths
        }
    }

    /// Adds changes, as if they happened now.
    package func add(_ paths: Set<String>) {
        if paths.isEmpty { return }
        pending.withLock { $0.formUnion(paths) }
        signal.yield()
    }

    // MARK: - Events

    /// Returns if events cannot be used.
    private func followEvents(_ ready: () -> Void) {
        do throws(FileError) {
            let events = try FolderEvents()
            var roots = folders.roots
            var watched = try watch([:], events)
            ready()
            while true {
                // A missing folder has no events, and may come back. Nor has one whose link is about to
                // lead elsewhere.
                let isComplete = folders.isComplete
                var batch = Batch(folders: folders)
                batch.add(events.next(within: folders.areFixed ? nil : 1_000), watched)
                let deadline = ContinuousClock.now + Self.patience
                while ContinuousClock.now < deadline {
                    let more = events.next(within: Self.quiet)
                    if more.isEmpty { break }
                    batch.add(more, watched)
                }
                let now = folders.roots
                let isOther = now != roots || !isComplete && folders.isComplete
                roots = now
                if batch.changesFolders || isOther { watched = try watch(watched, events) }
                add(isOther ? batch.paths.union(now) : batch.paths)
            }
        } catch {
            tell(Diagnostic(error.watchProblem, .warning))
            // What changed meanwhile is not known.
            add(Set(folders.roots))
        }
    }

    /// Watches the folders that there are, and forgets others.
    private func watch(
        _ watched: [FolderEvents.ID: String], _ events: borrowing FolderEvents
    ) throws(FileError) -> [FolderEvents.ID: String] {
        var found: [FolderEvents.ID: String] = [:]
        try folders.walk { (path) throws(FileError) in
            do throws(FileError) {
                found[try events.watch(path)] = path
            } catch  where error.isFull {
                throw error
            } catch {
                // A folder may be gone by now, or forbidden.
            }
        }
        for id in watched.keys where found[id] == nil { events.forget(id) }
        return found
    }

    /// Events that belong together.
    private struct Batch {
        let folders: WatchedFolders
        var paths: Set<String> = []
        var changesFolders = false

        mutating func add(
            _ events: [FolderEvents.Event], _ watched: [FolderEvents.ID: String]
        ) {
            for event in events {
                switch event {
                case .overflow:
                    changesFolders = true
                    paths.formUnion(folders.roots)
                case .entry(let name, let id):
                    add(name, watched[id])
                case .folders(let name, let id):
                    changesFolders = true
                    // The folder itself: another one may stand at its place.
                    if name.isEmpty {
                        paths.formUnion(folders.roots)
                    } else {
                        add(name, watched[id])
                    }
                }
            }
        }

        private mutating func add(_ name: String, _ folder: String?) {
            guard let folder else { return }
            let path = folder + "/" + name
            if !paths.contains(path), folders.counts(name, in: folder) { paths.insert(path) }
        }
    }

    // MARK: - Walks

    private func walkAgainAndAgain(_ ready: () -> Void) {
        var known = statuses
        ready()
        while true {
            Thread.sleep(forTimeInterval: Self.interval)
            let now = statuses
            let paths = Set(known.keys).union(now.keys).filter { known[$0] != now[$0] }
            known = now
            add(paths)
        }
    }

    private var statuses: [String: FileStatus] {
        var statuses: [String: FileStatus] = [:]
        folders.walk(folder: { _ in }, file: { statuses[$0] = FileStatus($0) })
        return statuses
    }
}

extension FileError {
    /// Why events cannot be used.
    fileprivate var watchProblem: Problem {
        let more = "; the folders are walked every two seconds instead"
        return isFull
            ? Problem(.watchLimit, "the system watches no more folders\(more)")
            : Problem(.watchLimit, "\(self)\(more)")
    }
}

/// The folders whose changes begin a bake, and the changes that do not count.
package struct WatchedFolders: Sendable {
    /// Absolute paths, as they were given: one that leads through a link may lead elsewhere later.
    private let names: [String]
    /// Absolute paths of folders and files that a bake writes.
    private let own: Set<String>

    /// - Parameters:
    ///   - roots: The absolute paths of the folders.
    ///   - options: The options of the bakes; what they write does not count. If the site is not
    ///     one of the folders, a generator writes it, and it does not count either.
    package init(_ roots: [String], of options: BakeOptions) {
        names = roots
        let site = roots.contains(options.input) ? nil : options.input
        let own = [
            options.output, options.fetching.folder.path.string, options.manifest, site,
        ].compactMap(\.self)
        // The last part of a path need not exist yet.
        self.own = Set(
            own.flatMap { path -> [String] in
                let (folder, name) = folderAndName(of: path)
                guard let folder = resolvedPath(folder) else { return [path] }
                return [path, resolvedPath(path) ?? path, folder + "/" + name]
            })
    }

    /// The absolute paths of the folders as they are now: without links, unless a folder is missing.
    var roots: [String] { names.map { resolvedPath($0) ?? $0 } }

    /// Whether all folders exist and no link leads to one, so that none can be exchanged unseen.
    var areFixed: Bool { isComplete && roots == names }

    /// Whether all folders exist.
    var isComplete: Bool { names.allSatisfy(isFolder) }

    /// Whether a change of an entry of a folder counts.
    func counts(_ name: String, in folder: String) -> Bool {
        !Self.isIgnored(name) && !own.contains(folder + "/" + name)
            && !ImageFolder.isMarked(folder) && !ImageFolder.isMarked(folder + "/" + name)
    }

    /// Calls a function for each folder, before its entries are read, and one for each file.
    ///
    /// A folder that cannot be read is left out.
    ///
    /// - Throws: The errors of `folder`.
    func walk<Failure: Error>(
        folder: (String) throws(Failure) -> Void, file: (String) -> Void = { _ in }
    ) throws(Failure) {
        var waiting = roots
        while let path = waiting.popLast() {
            if own.contains(path) || ImageFolder.isMarked(path) { continue }
            try folder(path)
            try? forEachEntry(ofFolder: path) { entry in
                let entryPath = path + "/" + entry.name
                guard !Self.isIgnored(entry.name), !own.contains(entryPath) else { return }
                switch entry.kind ?? FileStatus(entryPath)?.kind {
                case .folder: waiting.append(entryPath)
                case .file, .link: file(entryPath)
                case .other, nil: break
                }
            }
        }
    }

    /// Whether a change of a file or folder of this name begins no bake.
    private static func isIgnored(_ name: String) -> Bool {
        isTemporaryName(name) || HiddenFiles.isForeign(name) || HiddenFiles.isOfEditor(name)
            || name == "node_modules"
    }
}
