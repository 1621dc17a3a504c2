/// Finds the references of an XML document.
func xmlFindings(_ bytes: Bytes, options: ExtractionOptions) -> Findings { Findings() }

/// Whether an XML document may name an image.
func mayNameXMLImages(_ bytes: Bytes) -> Bool { bytes.contains(.less) }
