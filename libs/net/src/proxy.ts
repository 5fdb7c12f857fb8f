import type { Duplex } from 'node:stream'
import { isIP, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { AppError, messageOf } from '@posthorn/errors'
import { SocksClient } from 'socks'
import { withoutBrackets } from './egress.ts'
import { decoded } from './url.ts'

/** A proxy to reach servers through, as its URL says. */
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

/** Bytes of a proxy's answer to CONNECT. */
const maxAnswerBytes = 16 * 1024

/** Reads the URL of a proxy. @throws AppError `invalid` `EPROXY` when it names none */
export function parseProxy(address: string): Proxy {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const known = url && kinds[url.protocol]
  if (!known || url.hostname === '')
    throw new AppError('invalid', 'The proxy has no address that can be used', { code: 'EPROXY' })
  return {
    kind: known.kind,
    host: withoutBrackets(url.hostname),
    port: url.port === '' ? known.port : Number(url.port),
    ...(url.username === '' ? {} : { user: decoded(url.username) }),
    ...(url.password === '' ? {} : { pass: decoded(url.password) }),
  }
}

/** The address of a proxy as anybody may see it: without user and password, and with nothing behind the port. */
export function publicProxy(address: string): string {
  if (!URL.canParse(address)) return ''
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}

/**
 * Has a proxy, to which `socket` is connected, connect to a server. Resolves to the stream whose other end is the server; nothing the
 * server said meanwhile is lost. The caller bounds the time, by destroying the socket.
 *
 * @throws AppError `unreachable` `EPROXY`
 */
export async function tunnel(
  socket: Socket,
  proxy: Proxy,
  target: { host: string; port: number },
): Promise<Socket> {
  try {
    if (/[^\x21-\x7e]/.test(target.host)) throw new Error('the name of the server is not ASCII')
    if (proxy.kind === 'http') return await connectOver(socket, proxy, target)
    if (proxy.kind === 'https')
      return await connectOver(await encrypted(socket, proxy.host), proxy, target)
    return await socksOver(socket, proxy, target)
  } catch (cause) {
    socket.destroy()
    throw new AppError('unreachable', `The proxy did not connect: ${messageOf(cause)}`, {
      code: 'EPROXY',
      cause,
    })
  }
}

/** SOCKS 4 and 4a, SOCKS 5 (RFC 1928, RFC 1929). With a name the proxy is asked to resolve it. */
async function socksOver(
  socket: Socket,
  { kind, host, port, user, pass }: Proxy,
  target: { host: string; port: number },
): Promise<Socket> {
  // The client would throw where nobody can catch it, and end the process.
  if (![user, pass].every(fitsSocks)) throw new Error('its login is not one that SOCKS can say')
  const client = new SocksClient({
    proxy: {
      host,
      port,
      type: kind === 'socks5' ? 5 : 4,
      ...(user === undefined ? {} : { userId: user }),
      ...(pass === undefined ? {} : { password: pass }),
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
    // What came along with the proxy's answer is emitted in the next turn, to whoever listens by then.
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

/** RFC 1929 §2 has one byte for the length; in SOCKS 4 a name ends with NUL. */
function fitsSocks(word = ''): boolean {
  return Buffer.byteLength(word) <= 255 && !word.includes('\0')
}

/** A proxy behind TLS shows a certificate of its name. */
function encrypted(socket: Socket, host: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const name = isIP(host) === 0 ? { servername: host } : {}
  const secured = connectTls({ socket, host, ...name, minVersion: 'TLSv1.2' })
  secured.once('secureConnect', () => resolve(secured))
  secured.on('error', reject) // for good: an error nobody listens for would end the process
  secured.once('close', () => reject(new Error('the connection ended')))
  return promise
}

/** CONNECT, RFC 9110 §9.3.6. */
async function connectOver(
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
  const { answer, rest } = await readHead(socket)
  const [status = ''] = answer.split('\r\n', 1)
  if (!/^HTTP\/1\.[01] 2\d\d\b/.test(status)) throw new Error(printable(status))
  if (rest.length > 0) socket.unshift(rest)
  return socket
}

/** Everything up to the first empty line, and what came behind it. The stream is left paused. */
async function readHead(stream: Duplex): Promise<{ answer: string; rest: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ answer: string; rest: Buffer }>()
  let read = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    read = Buffer.concat([read, chunk])
    const end = read.indexOf('\r\n\r\n')
    if (end >= 0) resolve({ answer: read.toString('latin1', 0, end), rest: read.subarray(end + 4) })
    else if (read.length > maxAnswerBytes) reject(new Error('its answer is too long'))
  }
  const onEnd = () => reject(new Error('the connection ended'))
  stream.on('data', onData).once('error', reject).once('close', onEnd).once('end', onEnd)
  try {
    return await promise
  } finally {
    stream.pause()
    stream.off('data', onData).off('error', reject).off('close', onEnd).off('end', onEnd)
  }
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200)
}
