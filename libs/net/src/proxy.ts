import type { Duplex } from 'node:stream'
import { isIP, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { defined } from '@posthorn/contracts/defined'
import { AppError, messageOf } from '@posthorn/errors'
import { SocksClient } from 'socks'
import { withoutBrackets } from './egress.ts'
import { decodePercent } from './url.ts'

/** HTTP or SOCKS proxy, with the parts of its URL. */
export interface Proxy {
  kind: 'socks4' | 'socks4a' | 'socks5' | 'http' | 'https'
  host: string
  port: number
  user?: string
  pass?: string
}

const kinds: Readonly<Record<string, { kind: Proxy['kind']; port: number }>> = {
  'http:': { kind: 'http', port: 80 },
  'https:': { kind: 'https', port: 443 },
  'socks:': { kind: 'socks5', port: 1080 },
  'socks5:': { kind: 'socks5', port: 1080 },
  'socks4:': { kind: 'socks4', port: 1080 },
  'socks4a:': { kind: 'socks4a', port: 1080 },
}

/** Maximum number of bytes in a proxy's response to CONNECT. */
const maxHeadBytes = 16 * 1024

/**
 * Parses the URL of a proxy.
 *
 * @throws AppError `invalid` `EPROXY` if the text is not the URL of a proxy
 */
export function parseProxy(address: string): Proxy {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const scheme = url && kinds[url.protocol]
  if (!scheme || url.hostname === '')
    throw new AppError('invalid', 'Invalid proxy URL', { code: 'EPROXY' })
  return {
    kind: scheme.kind,
    host: withoutBrackets(url.hostname),
    port: url.port === '' ? scheme.port : Number(url.port),
    ...defined({
      user: url.username === '' ? undefined : decodePercent(url.username),
      pass: url.password === '' ? undefined : decodePercent(url.password),
    }),
  }
}

/** Returns scheme, host and port of a proxy URL. Empty if the text is not a URL. */
export function redactProxyUrl(address: string): string {
  if (!URL.canParse(address)) return ''
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}

/**
 * Makes the proxy at the other end of `socket` connect to a server. Resolves with the stream to the
 * server. Bytes that the server has already sent are not lost. To limit the time, the caller
 * destroys the socket.
 *
 * @throws AppError `unreachable` `EPROXY`
 */
export async function connectThroughProxy(
  socket: Socket,
  proxy: Proxy,
  target: { host: string; port: number },
): Promise<Socket> {
  try {
    if (/[^\x21-\x7e]/.test(target.host)) throw new Error('the server name is not ASCII')
    if (proxy.kind === 'http') return await connectWithHttp(socket, proxy, target)
    if (proxy.kind === 'https')
      return await connectWithHttp(await connectTlsToProxy(socket, proxy.host), proxy, target)
    return await connectWithSocks(socket, proxy, target)
  } catch (cause) {
    socket.destroy()
    throw new AppError('unreachable', `The proxy failed to connect: ${messageOf(cause)}`, {
      code: 'EPROXY',
      cause,
    })
  }
}

/**
 * Connects to a server through a proxy with SOCKS 4, 4a or 5 (RFC 1928, RFC 1929). The proxy
 * resolves the host name.
 */
async function connectWithSocks(
  socket: Socket,
  { kind, host, port, user, pass }: Proxy,
  target: { host: string; port: number },
): Promise<Socket> {
  // Logins that SOCKS cannot encode are rejected before the SOCKS client is called, because the
  // client would throw an asynchronous error and end the process.
  if (![user, pass].every(fitsSocks)) throw new Error('the login cannot be encoded for SOCKS')
  const client = new SocksClient({
    proxy: {
      host,
      port,
      type: kind === 'socks5' ? 5 : 4,
      ...defined({ userId: user, password: pass }),
    },
    command: 'connect',
    destination: target,
    timeout: 2 ** 31 - 1,
    existing_socket: socket,
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const early: Buffer[] = []
  const keep = (chunk: Buffer) => void early.push(chunk)
  client.once('established', () => {
    // Bytes that arrived together with the SOCKS proxy's reply are emitted only in the next turn of
    // the event loop. The bytes are collected and put back into the socket.
    socket.on('data', keep)
    resolve()
  })
  client.once('error', reject)
  client.connect(socket)
  await promise
  await setImmediate()
  socket.pause()
  socket.off('data', keep)
  if (early.length > 0) socket.unshift(Buffer.concat(early))
  return socket
}

/**
 * True if a user name or password can be encoded for SOCKS. SOCKS 5 encodes the length in one byte
 * (RFC 1929 §2), and in SOCKS 4 a user name ends with NUL.
 */
function fitsSocks(text = ''): boolean {
  return Buffer.byteLength(text) <= 255 && !text.includes('\0')
}

/**
 * Starts TLS with the proxy and verifies that the certificate is valid for the proxy's host name.
 */
function connectTlsToProxy(socket: Socket, host: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const name = isIP(host) === 0 ? { servername: host } : {}
  const secured = connectTls({ socket, host, ...name, minVersion: 'TLSv1.2' })
  secured.once('secureConnect', () => resolve(secured))
  // stays attached to the socket of the proxy: an error without a listener would end the process
  secured.on('error', reject)
  secured.once('close', () => reject(new Error('the connection was closed')))
  return promise
}

/** Connects to a server through a proxy with HTTP CONNECT (RFC 9110 §9.3.6). */
async function connectWithHttp(
  socket: Socket,
  { user, pass = '' }: Proxy,
  { host, port }: { host: string; port: number },
): Promise<Socket> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const credentials = Buffer.from(`${user ?? ''}:${pass}`).toString('base64')
  const head = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    ...(user === undefined ? [] : [`Proxy-Authorization: Basic ${credentials}`]),
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const { head: responseHead, rest } = await readHead(socket)
  const [status = ''] = responseHead.split('\r\n', 1)
  const code = /^HTTP\/1\.[01] (\d{3})\b/.exec(status)?.[1]
  // The text of a proxy error contains nothing of the proxy's response, because the response may
  // come from a server that is not a proxy.
  if (!code?.startsWith('2')) throw new Error(code ? `status ${code}` : 'not a response of HTTP')
  if (rest.length > 0) socket.unshift(rest)
  return socket
}

/**
 * Reads the head of the proxy's response to HTTP CONNECT, up to the first empty line. `rest`
 * contains the bytes after the head. Afterwards the stream is paused.
 */
async function readHead(stream: Duplex): Promise<{ head: string; rest: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ head: string; rest: Buffer }>()
  let read = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    read = Buffer.concat([read, chunk])
    const end = read.indexOf('\r\n\r\n')
    if (end >= 0) resolve({ head: read.toString('latin1', 0, end), rest: read.subarray(end + 4) })
    else if (read.length > maxHeadBytes) reject(new Error('the response head is too long'))
  }
  const onEnd = () => reject(new Error('the connection was closed'))
  stream.on('data', onData).once('error', reject).once('close', onEnd).once('end', onEnd)
  try {
    return await promise
  } finally {
    stream.pause()
    stream.off('data', onData).off('error', reject).off('close', onEnd).off('end', onEnd)
  }
}
