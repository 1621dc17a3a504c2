/// Counts the elements that are drawn, in one walk over a graph of elements.
struct ReferenceWalk {
    struct Edge: Hashable {
        /// How often the target is drawn with an element.
        enum Kind: Hashable {
            /// Once: a child, or the target of a `<use>`.
            case content
            /// Once for the element: a mask, a clip path or a filter.
            case effect
            /// Once for each element in it, which inherit it: a pattern.
            case paint
            /// Once for each vertex in it.
            case marker

            /// - Parameter property: The property with the reference.
            init(_ property: String) {
                if property.utf8.starts(with: "marker".utf8) {
                    self = .marker
                } else {
                    self = property == "fill" || property == "stroke" ? .paint : .effect
                }
            }
        }

        let target: Int32
        let kind: Kind
    }

    /// The amount of drawing that an element causes.
    private struct Cost {
        /// The elements in it, and those that a `<use>` puts into it.
        var elements = 0
        var vertices = 0
        /// All elements, with patterns, markers, masks and filters.
        var total = 0
        /// The sums over references that are multiplied at the end.
        var paints = 0
        var markers = 0

        mutating func add(_ other: Cost, as kind: Edge.Kind) {
            switch kind {
            case .content:
                elements = Self.bounded(elements + other.elements)
                vertices = Self.bounded(vertices + other.vertices)
                total = Self.bounded(total + other.total)
            case .effect: total = Self.bounded(total + other.total)
            case .paint: paints = Self.bounded(paints + other.total)
            case .marker: markers = Self.bounded(markers + other.total)
            }
        }

        mutating func finish() {
            total = Self.bounded(total + elements * paints)
            total = Self.bounded(total + vertices * markers)
        }

        private static func bounded(_ number: Int) -> Int { min(number, 1 << 30) }
    }

    private enum State { case new, open, done }

    private let edges: [[Edge]]
    private var costs: [Cost]
    private var states: [State]

    init(edges: [[Edge]], vertices: [Int]) {
        self.edges = edges
        costs = vertices.map { Cost(elements: 1, vertices: $0, total: 1) }
        states = [State](repeating: .new, count: edges.count)
    }

    /// The objection to the whole graph, whose root is the first element; nil if it is small.
    var objection: String? {
        mutating get {
            var path: [(node: Int, next: Int)] = [(0, 0)]
            while let (node, next) = path.last {
                states[node] = .open
                guard next < edges[node].count else {
                    costs[node].finish()
                    states[node] = .done
                    path.removeLast()
                    continue
                }
                let target = Int(edges[node][next].target)
                switch states[target] {
                case .open: return "references in a circle"
                case .new: path.append((target, 0))
                case .done:
                    costs[node].add(costs[target], as: edges[node][next].kind)
                    path[path.count - 1].next += 1
                }
            }
            return costs[0].total > SVGLimits.mostInstances
                ? "more than \(SVGLimits.mostInstances) elements to draw" : nil
        }
    }
}
