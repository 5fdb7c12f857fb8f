import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Request of a client to the proxy. */
export interface ProxyRequest {
  kind: 'socks4' | 'socks4a' | 'socks5' | 'http'
  /** Requested host. A name if the proxy should resolve it. */
  host: string
  port: number
  user?: string
  pass?: string
  /** Source address of the client. */
  from: string
}

export interface TestProxy extends AsyncDisposable {
  readonly host: string
  readonly port: number
  readonly requests: ProxyRequest[]
  /** True if requests are rejected. May be changed at any time. */
  rejects: boolean
  /**
   * Sends the reply together with the server's greeting in one packet. Not for servers without a
   * greeting.
   */
  withGreeting: boolean
  readonly names: Map<string, string>
}

export interface TestProxyOptions {
  /** Required login. Absent to accept every client. */
  user?: string
  pass?: string
}

/**
 * Starts a proxy for SOCKS 4, 4a, 5 and HTTP CONNECT. The first byte of a client selects the
 * protocol.
 */
export async function startProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const sockets = new Set<Socket>()
  const state = {
    host: '127.0.0.1',
    rejects: false,
    withGreeting: true,
    names: new Map<string, string>(),
    requests: [] as ProxyRequest[],
  }
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    serve(new Reader(socket), options, proxy).catch(() => socket.destroy())
  }).listen(0, state.host)
  await once(server, 'listening')
  const proxy: TestProxy = Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  })
  return proxy
}

/** Reads the bytes of the proxy protocol from a socket and leaves the rest to `pipeTo`. */
class Reader {
  readonly socket: Socket
  #rest = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.socket = socket
    socket.pause()
  }

  async bytes(count: number): Promise<Buffer> {
    while (this.#rest.length < count) {
      const chunk = this.socket.read() as Buffer | null
      if (chunk) this.#rest = Buffer.concat([this.#rest, chunk])
      else if (this.socket.destroyed || this.socket.readableEnded) throw new Error('ended')
      else await Promise.race([once(this.socket, 'readable'), once(this.socket, 'close')])
    }
    const read = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(count)
    return read
  }

  /** Reads up to the mark. The result does not include it. */
  async until(mark: string): Promise<string> {
    let read = ''
    while (!read.endsWith(mark)) read += (await this.bytes(1)).toString('latin1')
    return read.slice(0, -mark.length)
  }

  pipeTo(target: Socket): void {
    if (this.#rest.length > 0) target.write(this.#rest)
    this.socket.pipe(target).pipe(this.socket)
  }
}

/** Request with the bytes that grant or reject it. */
interface ProxyExchange {
  request: Omit<ProxyRequest, 'from'>
  granted: Buffer
  refused: Buffer
}

async function serve(reader: Reader, options: TestProxyOptions, proxy: TestProxy): Promise<void> {
  const [first = 0] = await reader.bytes(1)
  const { request, granted, refused } = await (first === 4
    ? readSocks4Request(reader)
    : first === 5
      ? readSocks5Request(reader)
      : readHttpRequest(reader))
  proxy.requests.push({ ...request, from: reader.socket.remoteAddress ?? '' })
  const isAuthorized = options.user === request.user && options.pass === request.pass
  if (proxy.rejects || (options.user !== undefined && !isAuthorized)) {
    reader.socket.end(refused)
    return
  }
  const target = connect(request.port, proxy.names.get(request.host) ?? request.host)
  target.on('error', () => reader.socket.end(refused))
  target.once('close', () => reader.socket.destroy())
  reader.socket.once('close', () => target.destroy())
  await once(target, 'connect')
  if (proxy.withGreeting) {
    const [greeting] = (await once(target, 'data')) as [Buffer]
    target.pause()
    reader.socket.write(Buffer.concat([granted, greeting]))
  } else reader.socket.write(granted)
  reader.pipeTo(target)
}

async function readSocks4Request(reader: Reader): Promise<ProxyExchange> {
  const head = await reader.bytes(7)
  const address = [...head.subarray(3)].join('.')
  const user = await reader.until('\0')
  const named = /^0\.0\.0\.[^0]/.test(address)
  const host = named ? await reader.until('\0') : address
  const answer = (code: number) => Buffer.from([0, code, 0, 0, 0, 0, 0, 0])
  return {
    request: {
      kind: named ? 'socks4a' : 'socks4',
      host,
      port: head.readUInt16BE(1),
      ...(user === '' ? {} : { user }),
    },
    granted: answer(0x5a),
    refused: answer(0x5b),
  }
}

async function readSocks5Request(reader: Reader): Promise<ProxyExchange> {
  const [count = 0] = await reader.bytes(1)
  const login = (await reader.bytes(count)).includes(2)
  reader.socket.write(Buffer.from([5, login ? 2 : 0]))
  const words: string[] = []
  if (login) {
    await reader.bytes(1)
    for (let n = 0; n < 2; n++) {
      const [length = 0] = await reader.bytes(1)
      words.push((await reader.bytes(length)).toString())
    }
    reader.socket.write(Buffer.from([1, 0]))
  }
  const [, , , type = 0] = await reader.bytes(4)
  const host = await socks5Host(reader, type)
  const port = (await reader.bytes(2)).readUInt16BE()
  const [user, pass] = words
  const answer = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0])
  return {
    request: {
      kind: 'socks5',
      host,
      port,
      ...(user === undefined || user === '' ? {} : { user }),
      ...(pass === undefined || pass === '' ? {} : { pass }),
    },
    granted: answer(0),
    refused: answer(2),
  }
}

async function socks5Host(reader: Reader, type: number): Promise<string> {
  if (type === 1) return [...(await reader.bytes(4))].join('.')
  if (type === 4) return (await reader.bytes(16)).toString('hex').replace(/(.{4})(?!$)/g, '$1:')
  const [length = 0] = await reader.bytes(1)
  return (await reader.bytes(length)).toString()
}

async function readHttpRequest(reader: Reader): Promise<ProxyExchange> {
  const head = await reader.until('\r\n\r\n')
  const [, host = '', port = ''] = /^ONNECT (\S+):(\d+) HTTP/.exec(head) ?? []
  const [, credentials] = /^proxy-authorization: Basic (\S+)$/im.exec(head) ?? []
  const [, user = '', pass = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(credentials ?? '', 'base64').toString()) ?? []
  return {
    request: {
      kind: 'http',
      host: host.replace(/^\[|\]$/g, ''),
      port: Number(port),
      ...(credentials === undefined ? {} : { user, pass }),
    },
    granted: Buffer.from('HTTP/1.1 200 Connection established\r\nX-Proxy: test\r\n\r\n'),
    refused: Buffer.from('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
  }
}
