import { isIP, type Socket } from 'node:net'

/**
 * Source address and port of a mail client's connection, as the PROXY header states them. Both are
 * absent if the proxy itself has connected (health check).
 */
export interface ProxiedSource {
  address?: string
  port?: number
}

export type ProxyHeader =
  | { complete: false }
  | { complete: true; length: number; source: ProxiedSource }
  | { malformed: true }

/** First 12 bytes of a PROXY header of version 2 (signature). */
const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
/**
 * Maximum bytes of a PROXY header of version 1, which is a line, CRLF included (PROXY protocol
 * §2.1).
 */
const maxLineBytes = 107
/** Maximum bytes of a PROXY header of version 2, extensions (TLVs) included. */
const maxBinaryBytes = 4_096
const malformed = { malformed: true } as const

/** Parses a PROXY header of version 1 or 2 (HAProxy, "The PROXY protocol"). Never throws. */
export function parseProxyHeader(bytes: Buffer): ProxyHeader {
  const start = Math.min(bytes.length, signature.length)
  if (bytes.subarray(0, start).equals(signature.subarray(0, start)))
    return bytes.length < 16 ? { complete: false } : parseBinary(bytes)
  const word = Buffer.from('PROXY ')
  const common = Math.min(bytes.length, word.length)
  if (!bytes.subarray(0, common).equals(word.subarray(0, common))) return malformed
  return parseLine(bytes)
}

function parseLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, maxLineBytes).indexOf('\r\n')
  if (end === -1) return bytes.length < maxLineBytes ? { complete: false } : malformed
  const length = end + 2
  const [, family = '', source = '', target = '', port = '', ...rest] = bytes
    .toString('latin1', 0, end)
    .split(' ')
  // Ignores the rest of a header line with the family UNKNOWN (PROXY protocol §2.1).
  if (family === 'UNKNOWN') return { complete: true, length, source: {} }
  const version = { TCP4: 4, TCP6: 6 }[family]
  const isValid =
    rest.length === 1 &&
    [source, target].every((address) => version !== undefined && isIP(address) === version) &&
    [port, ...rest].every(isPort)
  return isValid
    ? { complete: true, length, source: { address: source, port: Number(port) } }
    : malformed
}

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535
}

function parseBinary(bytes: Buffer): ProxyHeader {
  const [versionAndCommand = 0, familyAndProtocol = 0] = bytes.subarray(12)
  const size = bytes.readUInt16BE(14)
  const length = 16 + size
  const command = versionAndCommand & 0x0f
  if (versionAndCommand >> 4 !== 2 || command > 1 || length > maxBinaryBytes) return malformed
  if (bytes.length < length) return { complete: false }
  const source = command === 0 ? {} : parseSource(familyAndProtocol, bytes.subarray(16, length))
  return source ? { complete: true, length, source } : malformed
}

/**
 * Parses the source address and port in a PROXY header of version 2, for TCP over IPv4 or IPv6.
 * Family 0 (unspecified) has no source.
 */
function parseSource(familyAndProtocol: number, body: Buffer): ProxiedSource | undefined {
  if (familyAndProtocol === 0) return {}
  if (familyAndProtocol === 0x11 && body.length >= 12)
    return { address: [...body.subarray(0, 4)].join('.'), port: body.readUInt16BE(8) }
  if (familyAndProtocol === 0x21 && body.length >= 36)
    return { address: ipv6(body.subarray(0, 16)), port: body.readUInt16BE(32) }
  return undefined
}

function ipv6(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16))
  // An IPv6 address in a PROXY header is formatted by the URL parser, which compresses zeros as in
  // RFC 5952.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/**
 * Reads the PROXY header of a mail client's connection and leaves the bytes after the header in the
 * stream. Undefined if no valid header arrives within the timeout.
 */
export async function readProxyHeader(
  socket: Socket,
  timeoutMs = 3_000,
): Promise<ProxiedSource | undefined> {
  const { promise, resolve } = Promise.withResolvers<ProxiedSource | undefined>()
  let bytes: Buffer = Buffer.alloc(0)
  const onReadable = () => {
    for (let chunk: Buffer | null; (chunk = socket.read() as Buffer | null) !== null;)
      bytes = Buffer.concat([bytes, chunk])
    const header = parseProxyHeader(bytes)
    if ('malformed' in header) return resolve(undefined)
    if (!header.complete) return undefined
    // Putting bytes back into the socket with `unshift` emits the event `readable` again, so the
    // listener of the event is removed first.
    socket.off('readable', onReadable)
    if (bytes.length > header.length) socket.unshift(bytes.subarray(header.length))
    return resolve(header.source)
  }
  const onTimeout = () => resolve(undefined)
  const timer = setTimeout(onTimeout, timeoutMs)
  socket.on('readable', onReadable).once('end', onTimeout).once('close', onTimeout)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    socket.off('readable', onReadable).off('end', onTimeout).off('close', onTimeout)
  }
}
