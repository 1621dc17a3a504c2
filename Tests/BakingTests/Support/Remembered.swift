import Testing

@testable import Records

/// A value as it is read again after it was stored; nil if it is refused.
func remembered<Value: Remembered>(_ value: Value) -> Value? {
    Memory<Value>.encoded(value).flatMap { Memory<Value>.decoded($0[...]) }
}
