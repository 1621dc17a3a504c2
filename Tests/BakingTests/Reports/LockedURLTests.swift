import Secrets
import Testing

/// The names of images in a lockfile.
struct LockedURLTests {
    @Test(arguments: [
        "https://h/a.png", "https://h/a.png?v=12&w=300", "https://h/a%20b.png?expires=soon",
        "https://h/a.png?v=0123456789abcdef0123456789abcdef",
    ]) func publicURLStaysAsItIs(url: String) {
        #expect(lockedURL(url) == url)
    }

    @Test func newSignatureIsTheSameImage() {
        func signed(_ signature: String, _ date: String) -> String {
            "https://bucket.s3.amazonaws.com/a.png?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F\(date)&X-Amz-Date=\(date)T000000Z"
                + "&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Signature=\(signature)"
        }
        let first = lockedURL(
            signed("fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024", "20130524"))
        let second = lockedURL(
            signed("0e5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1025", "20140101"))
        #expect(first == second)
        #expect(
            first
                == "https://bucket.s3.amazonaws.com/a.png?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-SignedHeaders=host")
    }

    @Test(arguments: [
        ("https://user:pass@h/a.png", "https://h/a.png"),
        ("https://h/a.png?token=abcdef", "https://h/a.png"),
        ("https://h/a.png?w=3&sig=abcdef&se=2030", "https://h/a.png?w=3"),
        ("https://h/token/0a1b2c3d4e5f60718293a4b5c6d7/a.png", "https://h/token/[hidden]/a.png"),
        ("https://h/a.png?w=1#token=abcdef", "https://h/a.png?w=1"),
    ]) func secretIsLeftOut(url: String, locked: String) {
        #expect(lockedURL(url) == locked)
    }
}
