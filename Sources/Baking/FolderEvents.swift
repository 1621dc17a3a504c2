import Files
import Glibc
import SystemPackage

/// Tells which entries of folders change (inotify).
///
/// It belongs to one thread.
struct FolderEvents: ~Copyable {
    /// The identity of a watched folder.
    typealias ID = Int32

    /// A change of an entry, or of a watched folder itself.
    enum Event: Sendable, Equatable {
        /// A file or link was made, written, moved, removed or given another mode.
        case entry(String, of: ID)
        /// A folder was made, moved or removed, so that the folders below are others.
        case folders(String, of: ID)
        /// There were more events than the kernel keeps.
        case overflow
    }

    private let descriptor: Int32

    private static let changes =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
        | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

    init() throws(FileError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileError("watch", "folders") }
    }

    deinit { close(descriptor) }

    /// Watches the entries of a folder; a folder that is watched already keeps its identity.
    ///
    /// - Throws: ``FileError``; with the cause `noSpace` if the user may not watch more folders.
    borrowing func watch(_ path: String) throws(FileError) -> ID {
        let mask = Self.changes | UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)
        let id = inotify_add_watch(descriptor, path, mask)
        guard id >= 0 else { throw FileError("watch", path) }
        return id
    }

    borrowing func forget(_ id: ID) { inotify_rm_watch(descriptor, id) }

    /// Waits for events.
    ///
    /// - Parameter limit: The longest time to wait, in milliseconds; nil for any.
    /// - Returns: The events; none if the time is over.
    borrowing func next(within limit: Int32?) -> [Event] {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wanted, 1, limit ?? -1) > 0 else { return [] }
        // It has room for hundreds of events with long names.
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(descriptor, &buffer, buffer.count)
        return count > 0 ? Self.events(in: buffer.prefix(count)) : []
    }

    private static func events(in bytes: ArraySlice<UInt8>) -> [Event] {
        let header = MemoryLayout<inotify_event>.size
        var events: [Event] = []
        var start = bytes.startIndex
        while start + header <= bytes.endIndex {
            let event = bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
            }
            let end = min(start + header + Int(event.len), bytes.endIndex)
            let name = String(
                decoding: bytes[start + header..<end].prefix { $0 != 0 }, as: UTF8.self)
            start = end
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                events.append(.overflow)
            } else if event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF) != 0 {
                events.append(.folders("", of: event.wd))
            } else if name.isEmpty || event.mask & UInt32(IN_IGNORED) != 0 {
                continue
            } else if event.mask & UInt32(IN_ISDIR) == 0 {
                events.append(.entry(name, of: event.wd))
            } else if event.mask & UInt32(IN_ATTRIB) == 0 {
                events.append(.folders(name, of: event.wd))
            }
        }
        return events
    }
}
