import Foundation
import VisualScore

// Prints the score of a picture: quality-probe ORIGINAL ENCODED WIDTH HEIGHT. Both files have the
// pixels in 8-bit RGB with alpha, and nothing else.

let words = CommandLine.arguments
guard words.count == 5, let width = Int(words[3]), let height = Int(words[4]),
    min(width, height) >= VisualScore.shortestSide,
    let files = try? words[1...2].map({ [UInt8](try Data(contentsOf: URL(filePath: $0))) }),
    files.allSatisfy({ $0.count == width * height * 4 })
else {
    print("usage: quality-probe ORIGINAL ENCODED WIDTH HEIGHT")
    exit(2)
}
print(VisualScore(of: files[0], width: width, height: height).score(of: files[1]))
