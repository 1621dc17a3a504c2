// The paths in this library's interface are of the type FilePath, so a program that imports
// FetchCache can name it without swift-system among its dependencies. Swift has no attribute without
// an underscore for this.
@_exported public import struct SystemPackage.FilePath
