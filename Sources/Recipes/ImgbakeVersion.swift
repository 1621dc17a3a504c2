/// The version of imgbake: that of the command and of the worker, which belong together.
package enum ImgbakeVersion {
    package static let text = "0.1.0"
}
