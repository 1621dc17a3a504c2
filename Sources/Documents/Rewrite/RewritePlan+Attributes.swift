extension RewritePlan {
    /// New attributes of an `<img>`: their text, and what the output must have of them.
    struct NewAttributes {
        private(set) var text = ""
        /// The value of the slot for all attributes but `srcset`.
        private(set) var slotValue: [UInt8]
        /// The slot of the `srcset`; nil if none is added.
        private(set) var srcset: Outline.Slot?

        init(of replacement: Replacement, at place: EditPoint.Size, line: Int) {
            var attributes = place.attributes ?? ImageTagAttributes()
            if let size = replacement.size, place.takesSize {
                Self.add("width", "\(size.width)", to: &attributes.width, &text)
                Self.add("height", "\(size.height)", to: &attributes.height, &text)
            }
            if let more = replacement.responsive, place.isDescribed {
                if let width = more.width {
                    Self.add("width", "\(width)", to: &attributes.width, &text)
                }
                if let height = more.height {
                    Self.add("height", "\(height)", to: &attributes.height, &text)
                }
                let prefix = place.isPreload ? "image" : ""
                if !more.candidates.isEmpty {
                    srcset = Self.srcset(more.candidates, line, &text, prefix)
                }
                if let sizes = more.sizes {
                    Self.add(prefix + "sizes", sizes, to: &attributes.sizes, &text)
                }
                if more.loadsLazily { Self.add("loading", "lazy", to: &attributes.loading, &text) }
                if more.decodesLater {
                    Self.add("decoding", "async", to: &attributes.decoding, &text)
                }
                if let style = more.style { Self.add("style", style, to: &attributes.style, &text) }
                if let name = more.className {
                    Self.add("class", name, to: &attributes.className, &text)
                }
            }
            slotValue = attributes.slotValue(isDescribed: place.attributes != nil)
        }

        /// Adds an attribute that the element does not have.
        private static func add(
            _ name: String, _ value: String, to known: inout String?, _ text: inout String
        ) {
            guard known == nil else { return }
            known = value
            text += " \(name)=\"\(value)\""
        }

        /// Adds a `srcset` and returns its slot.
        static func srcset(
            _ candidates: [Replacement.Responsive.Candidate], _ line: Int, _ text: inout String,
            _ prefix: String = ""
        ) -> Outline.Slot {
            let notation = Notation(.attribute(.double), percentEncoding: .srcset)
            var slot = Outline.Slot(value: [], pieces: [], line: line)
            text += " \(prefix)srcset=\""
            for candidate in candidates {
                if !slot.value.isEmpty {
                    slot.value += ", ".utf8
                    text += ", "
                }
                let written = notation.write(candidate.url)
                text += written.text + candidate.descriptor
                for part in [written.url, candidate.descriptor] {
                    let start = slot.value.count
                    slot.value += part.utf8
                    slot.pieces.append(Outline.Piece(range: start..<slot.value.count))
                }
            }
            text += "\""
            return slot
        }
    }
}

extension RewritePlan {
    /// New candidates of a `srcset` that there is.
    struct NewCandidates {
        /// What they add to the value, with a comma before each.
        var value: [UInt8] = []
        /// Their URLs, each followed by its descriptor.
        var urls: [String] = []
    }

    /// Adds candidates after those that the author wrote.
    mutating func addCandidates(
        of replacement: Replacement, at editPoint: EditPoint, _ node: Int
    ) {
        guard let end = editPoint.endOfSet, !replacement.candidates.isEmpty else { return }
        var new = NewCandidates()
        var text = ""
        for candidate in replacement.candidates {
            let written = editPoint.notation.write(candidate.url)
            let descriptor = candidate.descriptor
            text += ", " + written.text + descriptor
            new.value += (", " + written.url + descriptor).utf8
            new.urls += [written.url, descriptor]
        }
        builder.add(Splice(range: end..<end, text: text), to: node)
        builder.add(smaller: replacement.candidates.map(\.url), to: node)
        addedCandidates[editPoint.piece.slot] = new
    }
}
