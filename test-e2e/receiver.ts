import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { freePort } from '@posthorn/testkit'

/** Event that the webhook receiver has stored. */
export interface StoredEvent {
  eventId: string
  body: { event: string; account: string; data: Record<string, unknown> }
}

export interface CarefulReceiver extends AsyncDisposable {
  url: string
  /** Events that the webhook receiver has stored, oldest first and without duplicates. */
  stored(): Promise<StoredEvent[]>
  /** Number of webhook requests with an invalid signature. */
  readonly rejected: number
  /** Number of webhook requests for an account whose event id was already stored. */
  repeated(account: string): number
  /**
   * Drops the replies to the next `count` webhook requests with events of an account, after the
   * events are stored. Limited to an account, because other accounts may have older deliveries,
   * whose next attempt is minutes away.
   */
  dropReplies(account: string, count: number): void
}

const maxBytes = 64 * 1024 * 1024
const maxAgeSeconds = 300
/**
 * Loopback address of the webhook receiver. No other server of the tests listens on this address. A
 * webhook that arrives after the end of the receiver therefore never reaches a server with the same
 * port.
 */
const host = '127.0.0.2'

/**
 * Reference implementation of a webhook receiver: verifies the signature, ignores event ids that it
 * has stored before, stores the event, then responds. A file contains all state of the receiver, so
 * a restarted receiver continues with that state.
 */
export async function startCarefulReceiver(file: string, secret: string): Promise<CarefulReceiver> {
  const log = await open(file, 'a+')
  const seen = new Set((await readStored(file)).map(({ eventId }) => eventId))
  const storing = new Map<string, Promise<void>>()
  let rejected = 0
  const repeated = new Map<string, number>()
  const toDrop = new Map<string, number>()

  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    if (!isSigned(request, body, secret)) {
      rejected++
      return void response.writeHead(401).end()
    }
    const eventId = String(request.headers['x-svc-wh-event-id'])
    const event = JSON.parse(body.toString()) as StoredEvent['body']
    if (seen.has(eventId)) repeated.set(event.account, (repeated.get(event.account) ?? 0) + 1)
    else await storeOnce({ eventId, body: event })
    const drops = toDrop.get(event.account) ?? 0
    toDrop.set(event.account, drops - 1)
    if (drops > 0) response.destroy()
    else response.writeHead(204).end()
  }

  /**
   * Stores the event of a webhook request. Concurrent requests with one event id store the event
   * once.
   */
  async function storeOnce(event: StoredEvent): Promise<void> {
    const { eventId } = event
    const running = storing.get(eventId) ?? store(log, event)
    storing.set(eventId, running)
    await running.finally(() => storing.delete(eventId))
    seen.add(eventId)
  }

  const server = createServer((request, response) => {
    onRequest(request, response).catch(() => response.destroy())
  })
  const port = await freePort()
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${host}:${port}/hook`,
    stored: () => readStored(file),
    get rejected() {
      return rejected
    },
    repeated: (account) => repeated.get(account) ?? 0,
    dropReplies: (account, count) => void toDrop.set(account, count),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      await log.close()
    },
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new Error('too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * True if at least one signature of a webhook request matches id, timestamp and body, and the
 * timestamp is recent (Standard Webhooks 1.0).
 */
function isSigned({ headers }: IncomingMessage, body: Buffer, secret: string): boolean {
  const timestamp = String(headers['webhook-timestamp'])
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < maxAgeSeconds)) return false
  const signed = createHmac('sha256', secret).update(
    `${String(headers['webhook-id'])}.${timestamp}.`,
  )
  const expected = signed.update(body).digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .some((each) => {
      const actual = Buffer.from(each.replace(/^v1,/, ''), 'base64')
      return actual.length === expected.length && timingSafeEqual(actual, expected)
    })
}

/**
 * Appends an event as a line to the webhook receiver's file. Syncs the file before the response is
 * sent.
 */
async function store(log: FileHandle, event: StoredEvent): Promise<void> {
  await log.appendFile(`${JSON.stringify(event)}\n`)
  await log.datasync()
}

async function readStored(file: string): Promise<StoredEvent[]> {
  const text = await readFile(file, 'utf8')
  // Ignores the last line of the receiver's file, which is incomplete while another event is being
  // written.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as StoredEvent)
}
