/// The names of files that imgbake writes for itself, besides images and documents.
package enum OwnFiles {
    /// Marks a folder of images; empty.
    package static let folderMark = ".imgbake"
    /// Lists the images in their folder.
    package static let imageList = ".imgbake-images"
    /// Lists what the documents that were baked in place had before.
    package static let origins = ".imgbake-origins"
    /// Lists what a bake has written to an output folder.
    package static let output = ".imgbake-output"
}
