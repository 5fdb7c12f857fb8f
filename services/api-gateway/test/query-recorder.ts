import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

export interface QueryRecorder extends AsyncDisposable {
  url: string
  /** Texts of the SQL statements that were executed through the relay, in order. */
  statements: string[]
}

/** Relay to Postgres that records the executed statements (protocol 3.0, without TLS). */
export async function recordQueries(target: string): Promise<QueryRecorder> {
  const { hostname, port } = new URL(target)
  const statements: string[] = []
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const read = createReader((text) => statements.push(text))
    client.on('data', (chunk: Buffer) => {
      read(chunk)
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => client.write(chunk))
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = String((server.address() as AddressInfo).port)
  const url = Object.assign(new URL(target), { hostname: '127.0.0.1', port: at }).href
  return { url, statements, [Symbol.asyncDispose]: async () => void server.close() }
}

/**
 * Parses the protocol messages that one client sends to Postgres, and records SQL texts: of Query,
 * and of each Bind whose statement Parse has named.
 */
function createReader(record: (text: string) => void): (chunk: Buffer) => void {
  const texts = new Map<string, string>()
  let rest: Buffer = Buffer.alloc(0)
  let isStarted = false
  const onMessage = (type: string, body: Buffer) => {
    const [first = '', second = ''] = body.toString('utf8').split('\0')
    if (type === 'Q') record(first)
    if (type === 'P') texts.set(first, second)
    if (type === 'B') record(texts.get(second) ?? '')
  }
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = isStarted ? 1 : 0
      if (rest.length < head + 4) return
      const length = head + rest.readInt32BE(head)
      if (rest.length < length) return
      if (isStarted) onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, length))
      isStarted = true
      rest = rest.subarray(length)
    }
  }
}
