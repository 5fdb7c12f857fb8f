import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export interface Zone {
  /** SRV records of the fake DNS server, by domain name. */
  srv?: Record<string, [priority: number, weight: number, port: number, target: string][]>
  mx?: Record<string, [priority: number, exchange: string][]>
}

const types = { mx: 15, srv: 33 }

/** DNS server with the SRV and MX records of a zone (RFC 1035 §4). Other queries get NXDOMAIN. */
export async function startDnsStub(zone: Zone) {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) =>
    socket.send(respond(query, zone), port, address),
  )
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    server: `127.0.0.1:${socket.address().port}`,
    [Symbol.dispose]: () => void socket.close(),
  }
}

function respond(query: Buffer, { srv = {}, mx = {} }: Zone): Buffer {
  const { name, type, end } = parseQuestion(query)
  const records =
    type === types.srv
      ? (srv[name] ?? []).map(([priority, weight, port, target]) =>
          Buffer.concat([shorts(priority, weight, port), encode(target)]),
        )
      : type === types.mx
        ? (mx[name] ?? []).map(([priority, exchange]) =>
            Buffer.concat([shorts(priority), encode(exchange)]),
          )
        : []
  // Flags of the DNS response: response, recursion available. Response code 3 is NXDOMAIN.
  const flags = 0x8180 | (records.length === 0 ? 3 : 0)
  const head = Buffer.concat([query.subarray(0, 2), shorts(flags, 1, records.length, 0, 0)])
  const bodies = records.map((data) =>
    Buffer.concat([shorts(0xc00c, type, 1, 0, 60, data.length), data]),
  )
  return Buffer.concat([head, query.subarray(12, end), ...bodies])
}

function parseQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function encode(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '')
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label)]),
    Buffer.of(0),
  ])
}

function shorts(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value, at * 2)
  return bytes
}
