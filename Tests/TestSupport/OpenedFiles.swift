import Glibc

/// Notes which files of some folders are opened (inotify).
package final class OpenedFiles {
    /// A folder that cannot be watched.
    package struct Unwatched: Error {
        package var folder: String
    }

    private let descriptor: Int32

    /// - Parameter folders: The absolute paths of the folders; their subfolders do not count.
    /// - Throws: ``Unwatched``.
    package init(in folders: [String]) throws {
        descriptor = inotify_init1(O_NONBLOCK)
        for folder in folders
        where inotify_add_watch(descriptor, folder, UInt32(IN_OPEN)) < 0 {
            throw Unwatched(folder: folder)
        }
    }

    deinit { close(descriptor) }

    /// The names of the files that were opened since the last call.
    package var names: Set<String> {
        var names: Set<String> = []
        let size = 1 << 16
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, size)
                if count <= 0 { return }
                var place = 0
                while place < count {
                    let event = buffer.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
                    let start = place + MemoryLayout<inotify_event>.size
                    let name = buffer[start..<start + Int(event.len)].prefix { $0 != 0 }
                    if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
                    place = start + Int(event.len)
                }
            }
        }
        return names
    }
}
