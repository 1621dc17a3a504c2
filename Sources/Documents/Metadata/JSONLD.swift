/// The URLs of images in a text of JSON-LD.
func jsonLDPieces(in text: Bytes) -> [HTMLPiece] { [] }
