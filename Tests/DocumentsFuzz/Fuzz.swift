import Documents
import Glibc

/// The kinds of documents to test: that in `IMGBAKE_FUZZ_KIND`, or all.
private let kinds: [DocumentKind] = {
    guard let name = getenv("IMGBAKE_FUZZ_KIND") else { return DocumentKind.allCases }
    let kind = DocumentKind(rawValue: String(cString: name))
    return kind.map { [$0] } ?? DocumentKind.allCases
}()

/// The function that libFuzzer calls with each input.
///
/// The first byte chooses the kind of document, and whether URLs in scripts and data are read. Below
/// 128 the rest is the document; from 128 on it is the seed of a generated document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let data, count > 0 else { return 0 }
    let choice = Int(data[0] % 128)
    let kind = kinds[choice % kinds.count]
    var options = ExtractionOptions()
    options.readsData = kind == .script || kind == .text || choice / kinds.count % 2 == 1
    var bytes = Array(UnsafeBufferPointer(start: data + 1, count: count - 1))
    if data[0] >= 128 {
        let seed = bytes.prefix(8).reduce(into: UInt64(count)) { $0 = $0 &* 257 &+ UInt64($1) }
        var generator = DocumentGenerator(kind: kind, seed: seed)
        bytes = generator.document()
    }
    if case .broken(let reason) = verdict(on: bytes, kind, options) {
        let text = String(decoding: bytes, as: UTF8.self).debugDescription
        print("\(kind): \(reason): \(text)")
        fflush(nil)
        abort()
    }
    return 0
}
