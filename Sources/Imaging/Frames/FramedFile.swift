import ImageFormats

/// A file whose frames are drawn onto a canvas, one after the other.
protocol FramedFile {
    var format: ImageFormat { get }
    /// The size of the canvas.
    var width: Int { get }
    var height: Int { get }
    var frames: [CanvasFrame] { get }
    /// The number of times the animation is played; 0 for forever.
    var plays: Int { get }

    /// A file of one frame alone, with an orientation from 1 to 8.
    func still(_ number: Int, of file: borrowing SourceFile, orientation: Int) -> SourceFile
}

/// A frame and the way in which it changes the canvas.
struct CanvasFrame {
    /// How the canvas changes after the frame was shown.
    enum Disposal: UInt8 {
        case none, background, previous

        /// The same for the frame that comes after `count` others; there is nothing before the first.
        func after(_ count: Int) -> Disposal {
            count == 0 && self == .previous ? .background : self
        }
    }

    let width: Int
    let height: Int
    let left: Int
    let top: Int
    /// In milliseconds.
    let delay: Int
    let disposal: Disposal
    /// Whether the pixels are drawn over the canvas; if not, they replace it.
    let isBlended: Bool
    /// The places of the compressed pixels in the file.
    var data: [Range<Int>] = []
}
