import Testing

@testable import imgbake

@Suite struct SpanTests {
    @Test func placeholder() { #expect(3.grouped == "3") }
}
