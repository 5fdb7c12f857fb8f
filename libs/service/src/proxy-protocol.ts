import { isIP, type Socket } from 'node:net'

/** Where a connection comes from, as the proxy in front says. Absent: from the proxy itself, which looks whether we are well. */
export interface ProxiedFrom {
  address?: string
  port?: number
}

export type ProxyHeader =
  | { complete: false }
  | { complete: true; length: number; from: ProxiedFrom }
  | { malformed: true }

const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')
/** The longest line of version 1, its end included. */
const maxLine = 107
/** Of version 2, with whatever a proxy adds of its own. */
const maxBinary = 4_096
const malformed = { malformed: true } as const

/** Reads the header a proxy sends first, version 1 or 2 (HAProxy's "The PROXY protocol"). Foreign bytes: never throws. */
export function parseProxyHeader(bytes: Buffer): ProxyHeader {
  const start = Math.min(bytes.length, signature.length)
  if (bytes.subarray(0, start).equals(signature.subarray(0, start)))
    return bytes.length < 16 ? { complete: false } : parseBinary(bytes)
  const word = Buffer.from('PROXY ')
  const known = Math.min(bytes.length, word.length)
  if (!bytes.subarray(0, known).equals(word.subarray(0, known))) return malformed
  return parseLine(bytes)
}

function parseLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, maxLine).indexOf('\r\n')
  if (end === -1) return bytes.length < maxLine ? { complete: false } : malformed
  const length = end + 2
  const [, family = '', source = '', target = '', port = '', ...rest] = bytes
    .toString('latin1', 0, end)
    .split(' ')
  // What follows UNKNOWN is to be ignored.
  if (family === 'UNKNOWN') return { complete: true, length, from: {} }
  const version = { TCP4: 4, TCP6: 6 }[family]
  const fits =
    rest.length === 1 &&
    [source, target].every((address) => version !== undefined && isIP(address) === version) &&
    [port, ...rest].every(isPort)
  return fits
    ? { complete: true, length, from: { address: source, port: Number(port) } }
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
  if (versionAndCommand >> 4 !== 2 || command > 1 || length > maxBinary) return malformed
  if (bytes.length < length) return { complete: false }
  const from = command === 0 ? {} : originOf(familyAndProtocol, bytes.subarray(16, length))
  return from ? { complete: true, length, from } : malformed
}

/** TCP over IP is all we hear of; what says nothing of the origin is taken for the origin. */
function originOf(familyAndProtocol: number, body: Buffer): ProxiedFrom | undefined {
  if (familyAndProtocol === 0) return {}
  if (familyAndProtocol === 0x11 && body.length >= 12)
    return { address: [...body.subarray(0, 4)].join('.'), port: body.readUInt16BE(8) }
  if (familyAndProtocol === 0x21 && body.length >= 36)
    return { address: ipv6(body.subarray(0, 16)), port: body.readUInt16BE(32) }
  return undefined
}

function ipv6(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16))
  // The URL parser knows the one way to write it.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/** Takes the header off a connection, and leaves what follows it to be read. Undefined when none comes that is one, in time. */
export async function readProxyHeader(
  socket: Socket,
  timeoutMs = 3_000,
): Promise<ProxiedFrom | undefined> {
  const { promise, resolve } = Promise.withResolvers<ProxiedFrom | undefined>()
  let bytes: Buffer = Buffer.alloc(0)
  const look = () => {
    for (let chunk: Buffer | null; (chunk = socket.read() as Buffer | null) !== null;)
      bytes = Buffer.concat([bytes, chunk])
    const header = parseProxyHeader(bytes)
    if ('malformed' in header) return resolve(undefined)
    if (!header.complete) return undefined
    // Putting back what follows makes the socket readable once more.
    socket.off('readable', look)
    if (bytes.length > header.length) socket.unshift(bytes.subarray(header.length))
    return resolve(header.from)
  }
  const giveUp = () => resolve(undefined)
  const timer = setTimeout(giveUp, timeoutMs)
  socket.on('readable', look).once('end', giveUp).once('close', giveUp)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    socket.off('readable', look).off('end', giveUp).off('close', giveUp)
  }
}
