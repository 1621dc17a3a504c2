import CLinux
import Foundation
import WorkerSandbox

/// A worker that answers as the real one would, except for a lie.
///
/// It asks the real worker for each number of variants and each size of a source only once, and
/// records the answers in its folder: `greeting`, `COUNT-SIZE.json`, and the first variant in
/// `COUNT-SIZE.bytes`. So many lies about the same images take little time.
final class Liar {
    private let folder: String
    private let worker: String
    private let lies: Lies
    private var real: Int32?

    init(folder: String, worker: String) throws {
        self.folder = folder
        self.worker = worker
        let file = URL(filePath: folder + "/lie.json")
        lies = try JSONDecoder().decode(Lies.self, from: Data(contentsOf: file))
    }

    func run() throws {
        Relay.send(lies.greeting(try recorded("greeting") { Relay.answer(from: try self.start()) }))
        while let order = DescriptorSocket.receive(from: STDIN_FILENO) {
            try answer(order.bytes, order.descriptors)
            for descriptor in order.descriptors { close(descriptor) }
        }
    }

    private func answer(_ job: ArraySlice<UInt8>, _ files: [Int32]) throws {
        let size = files.first.map { lseek($0, 0, SEEK_END) } ?? 0
        let name = "\(files.count - 1)-\(size)"
        var output: [UInt8] = []
        let line = try recorded(name + ".json") {
            guard DescriptorSocket.send(job, files, over: try start()) else { exit(1) }
            let line = Relay.answer(from: try start())
            _ = try recorded(name + ".bytes") { files.count > 1 ? contents(of: files[1]) : [] }
            return line
        }
        let lie = lies.lie(about: size)
        if files.count > 1 {
            output = lie.output(try recorded(name + ".bytes") { [] })
            ftruncate(files[1], 0)
            lseek(files[1], 0, SEEK_SET)
            _ = write(files[1], output, output.count)
        }
        Relay.send(lie.line(line))
    }

    private func start() throws -> Int32 {
        if let real { return real }
        let program = try StartedProgram(worker, [])
        let isFirst = !FileManager.default.fileExists(atPath: folder + "/greeting")
        real = program.socket
        if !isFirst { _ = Relay.answer(from: program.socket) }
        return program.socket
    }

    private func recorded(_ name: String, _ make: () throws -> [UInt8]) throws -> [UInt8] {
        let url = URL(filePath: folder + "/" + name)
        if let known = try? Data(contentsOf: url) { return [UInt8](known) }
        let bytes = try make()
        try Data(bytes).write(to: url, options: .atomic)
        return bytes
    }

    private func contents(of file: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
        let count = pread(file, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }
}

/// The contents of `lie.json`.
struct Lies: Codable {
    /// The new values of members of the handshake: see ``Lie/changes``.
    var greeting: [String: String]?
    /// The lies by the sizes of the sources in bytes.
    var sizes: [String: Lie]?
    /// Makes a random lie about each source.
    var seed: UInt64?

    func greeting(_ line: [UInt8]) -> [UInt8] {
        guard let greeting, var tree = JSONTree(line) else { return line }
        for (path, value) in greeting {
            tree.set(path.split(separator: ".").map(String.init), value)
        }
        return tree.line
    }

    func lie(about size: Int) -> Lie {
        var lie = sizes?["\(size)"] ?? Lie()
        lie.random = seed.map { RandomLie(seed: $0, size: size) }
        return lie
    }
}

/// What a ``Liar`` changes about one source; without a member, it changes nothing.
struct Lie: Codable {
    /// The new values, as JSON, of the members at paths such as `header.width`.
    ///
    /// `header`, and `recipe` and `variant` of the first variant stand for the long paths. An empty
    /// value removes the member.
    var changes: [String: String]?
    /// The line to send instead of the answer.
    var line: String?
    /// The text to write instead of the output.
    var output: String?
    /// A text that is added to the output.
    var appended: String?
    /// How often the answer is sent; once by default.
    var count: Int?
    var random: RandomLie?

    private enum CodingKeys: CodingKey { case changes, line, output, appended, count }

    func output(_ bytes: [UInt8]) -> [UInt8] {
        if let random { return random.output(bytes) }
        return (output.map { Array($0.utf8) } ?? bytes) + Array((appended ?? "").utf8)
    }

    func line(_ line: [UInt8]) -> [UInt8] {
        if let random { return random.line(line) }
        if let text = self.line { return Array((text + "\n").utf8) }
        guard let changes, var tree = JSONTree(line) else { return repeated(line) }
        for (path, value) in changes {
            var parts = path.split(separator: ".").map(String.init)
            switch parts[0] {
            case "header": parts = ["image", "_0"] + parts
            case "variant", "recipe":
                parts = ["image", "_0", "variants", "0", "made", "_0"] + parts
            default: break
            }
            tree.set(parts, value)
        }
        return repeated(tree.line)
    }

    private func repeated(_ line: [UInt8]) -> [UInt8] {
        Array((0..<(count ?? 1)).map { _ in line }.joined())
    }
}
