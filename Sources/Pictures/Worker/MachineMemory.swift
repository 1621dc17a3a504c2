import Glibc
import WorkerSandbox

/// The memory of this machine, or of the control group of this process if that has less.
package enum MachineMemory {
    /// The memory for all workers together without a setting: half of all memory.
    package static var workerBudget: Int { max(total() / 2, 256 << 20) }

    /// All memory.
    ///
    /// - Parameter root: The root of the kernel's file systems; for tests.
    /// - Returns: The number of bytes.
    static func total(root: String = "") -> Int {
        let physical = Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
        return ([physical] + groupLimits(root)).min() ?? physical
    }

    /// The limits of the control group and of the groups around it (cgroups versions 2 and 1).
    private static func groupLimits(_ root: String) -> [Int] {
        let groups = ProcessState.text(of: "\(root)/proc/self/cgroup")
        var files = ["\(root)/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        for line in groups.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isMemory = parts[1].split(separator: ",").contains("memory")
            guard parts[1].isEmpty || isMemory else { continue }
            let name = isMemory ? "memory/" : ""
            let file = isMemory ? "memory.limit_in_bytes" : "memory.max"
            var path = parts[2].split(separator: "/")
            while true {
                files.append(
                    ([Substring("\(root)/sys/fs/cgroup/\(name)")] + path).joined(separator: "/")
                        + "/\(file)")
                if path.popLast() == nil { break }
            }
        }
        return files.map(ProcessState.text).compactMap { Int($0.prefix { $0.isNumber }) }
            .filter { $0 > 0 }
    }
}
