import Glibc
import Locks
import NIOCore
import NIOHTTP1

/// Reads the requests of one connection and sends the responses.
final class OriginHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let shared: Locked<OriginState>
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var keepsAlive = true
    /// The host of the current request, for the count of concurrent requests.
    private var answeringHost: String?

    init(_ shared: Locked<OriginState>) {
        self.shared = shared
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
        case .body(let buffer): body += buffer.readableBytesView
        case .end:
            guard let head else { return }
            self.head = nil
            keepsAlive = head.isKeepAlive
            let request = OriginRequest(
                method: head.method.rawValue, target: head.uri,
                headers: head.headers.map { ($0.name, $0.value) }, body: body)
            answer(request, context: context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        finished()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ request: OriginRequest, context: ChannelHandlerContext) {
        let handler = shared.withLock { state in
            state.begin(request)
            return state.handler(for: request)
        }
        answeringHost = request.header("Host") ?? ""
        let answer = OriginAnswer(to: request, by: handler(request))
        guard let gate = answer.gate else {
            return after(answer.delay, context) { self.send(answer, $0) }
        }
        after(gate, context) { context in
            self.after(answer.delay, context) { self.send(answer, $0) }
        }
    }

    /// Ends the current request in the counts; does nothing if there is none.
    private func finished() {
        guard let host = answeringHost else { return }
        answeringHost = nil
        shared.withLock { $0.end(host: host) }
    }

    private func send(_ answer: OriginAnswer, _ context: ChannelHandlerContext) {
        switch answer.delivery {
        case .silent: return
        case .reset(after: nil): return reset(context)
        default: break
        }
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        switch answer.delivery {
        case .whole, .chunked, .closeDelimited:
            // Before the last byte is sent: a client that has received its response must not be
            // counted.
            finished()
            write(answer.body[...], context)
            end(context, closing: answer.delivery == .closeDelimited)
        case .drip(let piece, let pause):
            drip(answer.body[...], piece: piece, pause: pause, context)
        case .stalled(let count):
            write(answer.body.prefix(count), context)
        case .truncated(let count), .chunkedCut(let count):
            write(answer.body.prefix(count), context)
            context.close(promise: nil)
        case .reset(let count):
            write(answer.body.prefix(count ?? 0), context)
            // The bytes must arrive before the reset, which would discard them.
            guard let gate = answer.resetGate else {
                return after(.milliseconds(50), context) { self.reset($0) }
            }
            after(gate, context) { self.reset($0) }
        case .silent: break
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>, _ context: ChannelHandlerContext) {
        if !bytes.isEmpty {
            let buffer = context.channel.allocator.buffer(bytes: bytes)
            context.write(wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        context.flush()
    }

    private func end(_ context: ChannelHandlerContext, closing: Bool) {
        finished()
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if closing || !keepsAlive { context.close(promise: nil) }
    }

    private func drip(
        _ bytes: ArraySlice<UInt8>, piece: Int, pause: Duration, _ context: ChannelHandlerContext
    ) {
        guard context.channel.isActive else { return }
        let rest = bytes.dropFirst(piece)
        if rest.isEmpty { finished() }
        write(bytes.prefix(piece), context)
        if rest.isEmpty { return end(context, closing: false) }
        after(pause, context) { self.drip(rest, piece: piece, pause: pause, $0) }
    }

    private func reset(_ context: ChannelHandlerContext) {
        guard let options = context.channel as? any SocketOptionProvider else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }

    private func after(
        _ gate: OriginGate, _ context: ChannelHandlerContext,
        _ body: @escaping (ChannelHandlerContext) -> Void
    ) {
        let bound = NIOLoopBound((context, body), eventLoop: context.eventLoop)
        gate.opened.hop(to: context.eventLoop).whenComplete { _ in
            let (context, body) = bound.value
            body(context)
        }
    }

    private func after(
        _ delay: Duration, _ context: ChannelHandlerContext,
        _ body: @escaping (ChannelHandlerContext) -> Void
    ) {
        guard delay > .zero else { return body(context) }
        let bound = NIOLoopBound((context, body), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(delay)) {
            let (context, body) = bound.value
            body(context)
        }
    }
}
