/// The references of a document, in its order.
///
/// It shares the memory of the extraction that it belongs to.
package struct References: RandomAccessCollection, Sendable {
    private let located: [LocatedReference]

    init(_ located: [LocatedReference]) { self.located = located }

    package var startIndex: Int { 0 }
    package var endIndex: Int { located.count }
    package subscript(index: Int) -> Reference { located[index].reference }
}
