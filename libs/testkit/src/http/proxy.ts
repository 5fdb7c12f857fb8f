import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { defined } from '@posthorn/contracts/defined'
import { ByteReader } from '../byte-reader.ts'
import { listen, stopListening } from '../listening.ts'

/** Request of a client to the test proxy. */
export interface ProxyRequest {
  kind: 'socks4' | 'socks4a' | 'socks5' | 'http'
  /**
   * Host that the client of the test proxy requested: a host name if the proxy has to resolve the
   * name.
   */
  host: string
  port: number
  user?: string
  pass?: string
  /** Source address from which the client connected to the test proxy. */
  from: string
}

export interface TestProxy extends AsyncDisposable {
  readonly host: string
  readonly port: number
  readonly requests: ProxyRequest[]
  /** True if the test proxy rejects all requests. May be changed at any time. */
  rejects: boolean
  /**
   * True to send the test proxy's reply and the server's greeting in one packet. Not usable for
   * servers without a greeting.
   */
  withGreeting: boolean
  readonly names: Map<string, string>
}

export interface TestProxyOptions {
  /** User name that the test proxy requires. If absent, the proxy accepts every client. */
  user?: string
  pass?: string
}

/**
 * Starts a proxy for SOCKS 4, 4a, 5 and HTTP CONNECT. The first byte of a client selects the
 * protocol.
 */
export async function startProxy(options: TestProxyOptions = {}): Promise<TestProxy> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    serve(new ProxyClient(socket), options, proxy).catch(() => socket.destroy())
  })
  const proxy: TestProxy = {
    host: '127.0.0.1',
    port: await listen(server),
    rejects: false,
    withGreeting: true,
    names: new Map(),
    requests: [],
    [Symbol.asyncDispose]: () =>
      stopListening(server, () => sockets.forEach((socket) => socket.destroy())),
  }
  return proxy
}

/** Reads the request of a client to the test proxy. All methods reject if the connection ends. */
class ProxyClient {
  readonly socket: Socket
  readonly #reader: ByteReader

  constructor(socket: Socket) {
    this.socket = socket
    this.#reader = new ByteReader(socket)
  }

  async bytes(count: number): Promise<Buffer> {
    return (await this.#reader.take(count)) ?? Promise.reject(new Error('connection ended'))
  }

  async until(mark: string): Promise<string> {
    return (await this.#reader.until(mark)) ?? Promise.reject(new Error('connection ended'))
  }

  /** Reads a text of a proxy request whose first byte is the length of the text. */
  async word(): Promise<string> {
    const [length = 0] = await this.bytes(1)
    return (await this.bytes(length)).toString()
  }

  pipeTo(target: Socket): void {
    target.write(this.#reader.release())
    this.socket.pipe(target).pipe(this.socket)
  }
}

/**
 * Request to the test proxy, with the bytes that grant the request and the bytes that reject it.
 */
interface ProxyExchange {
  request: Omit<ProxyRequest, 'from'>
  granted: Buffer
  rejected: Buffer
}

/**
 * Functions that read a proxy request, by the first byte of the request. Any other first byte
 * begins an HTTP request.
 */
const requestReaders: Readonly<Record<number, (client: ProxyClient) => Promise<ProxyExchange>>> = {
  4: readSocks4Request,
  5: readSocks5Request,
}

async function serve(
  client: ProxyClient,
  options: TestProxyOptions,
  proxy: TestProxy,
): Promise<void> {
  const { socket } = client
  const [first = 0] = await client.bytes(1)
  const readRequest = requestReaders[first] ?? readHttpRequest
  const { request, granted, rejected } = await readRequest(client)
  proxy.requests.push({ ...request, from: socket.remoteAddress ?? '' })
  const isAuthorized = options.user === request.user && options.pass === request.pass
  if (proxy.rejects || (options.user !== undefined && !isAuthorized)) {
    socket.end(rejected)
    return
  }
  const target = connect(request.port, proxy.names.get(request.host) ?? request.host)
  target.on('error', () => socket.end(rejected))
  target.once('close', () => socket.destroy())
  socket.once('close', () => target.destroy())
  await once(target, 'connect')
  if (proxy.withGreeting) {
    const [greeting] = (await once(target, 'data')) as [Buffer]
    target.pause()
    socket.write(Buffer.concat([granted, greeting]))
  } else socket.write(granted)
  client.pipeTo(target)
}

async function readSocks4Request(client: ProxyClient): Promise<ProxyExchange> {
  const head = await client.bytes(7)
  const address = [...head.subarray(3)].join('.')
  const user = (await client.until('\0')) || undefined
  const named = /^0\.0\.0\.[^0]/.test(address)
  const kind = named ? 'socks4a' : 'socks4'
  const host = named ? await client.until('\0') : address
  const reply = (code: number) => Buffer.from([0, code, 0, 0, 0, 0, 0, 0])
  return {
    request: defined({ kind, host, port: head.readUInt16BE(1), user }),
    granted: reply(0x5a),
    rejected: reply(0x5b),
  }
}

async function readSocks5Request(client: ProxyClient): Promise<ProxyExchange> {
  const [methods = 0] = await client.bytes(1)
  const login = (await client.bytes(methods)).includes(2)
  client.socket.write(Buffer.from([5, login ? 2 : 0]))
  let user: string | undefined
  let pass: string | undefined
  if (login) {
    await client.bytes(1)
    user = (await client.word()) || undefined
    pass = (await client.word()) || undefined
    client.socket.write(Buffer.from([1, 0]))
  }
  const [, , , type = 0] = await client.bytes(4)
  const host = await readSocks5Host(client, type)
  const port = (await client.bytes(2)).readUInt16BE()
  const reply = (code: number) => Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0])
  return {
    request: defined({ kind: 'socks5', host, port, user, pass }),
    granted: reply(0),
    rejected: reply(2),
  }
}

async function readSocks5Host(client: ProxyClient, type: number): Promise<string> {
  if (type === 1) return [...(await client.bytes(4))].join('.')
  if (type !== 4) return client.word()
  return (await client.bytes(16)).toString('hex').replace(/(.{4})(?!$)/g, '$1:')
}

async function readHttpRequest(client: ProxyClient): Promise<ProxyExchange> {
  const head = await client.until('\r\n\r\n')
  const [, host = '', port = ''] = /^ONNECT (\S+):(\d+) HTTP/.exec(head) ?? []
  const [, credentials] = /^proxy-authorization: Basic (\S+)$/im.exec(head) ?? []
  const login = Buffer.from(credentials ?? '', 'base64').toString()
  const [, user, pass] = /^([^:]*):(.*)$/s.exec(login) ?? []
  return {
    request: defined({
      kind: 'http',
      host: host.replace(/^\[|\]$/g, ''),
      port: Number(port),
      user,
      pass,
    }),
    granted: Buffer.from('HTTP/1.1 200 Connection established\r\nX-Proxy: test\r\n\r\n'),
    rejected: Buffer.from('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
  }
}
