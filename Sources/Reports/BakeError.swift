/// The reason why a bake cannot begin.
package struct BakeError: Error, CustomStringConvertible {
    /// The problem and its remedy, without a period.
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    package init(_ problem: Problem) {
        description = "\(problem.reason); \(problem.remedy)"
    }
}
