import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Fake API with the responses that the client's sample program reads. The API cuts some of its
 * connections.
 */
export interface SampleApi extends AsyncDisposable {
  url: string
}

const exported = Buffer.alloc(3_000_000, 'x')

/** Result that the client's sample program must have with the test API. */
export const expectedResult = {
  queueId: 'q1',
  subjects: ['one', 'two'],
  bytes: exported.length,
  code: 'MessageNotFound',
  changes: ['connecting', 'connected'],
  subject: 'Hello',
  accounts: 3,
}

/** Starts the fake API of the client's sample program. */
export async function startSampleApi(): Promise<SampleApi> {
  const state = { attempts: new Map<string, number>() }
  const server = createServer((request, response) => void respond(request, response, state))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface ApiState {
  attempts: Map<string, number>
}

async function respond(request: IncomingMessage, response: ServerResponse, state: ApiState) {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://api.test')
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const name = pathname.slice(pathname.lastIndexOf('/') + 1)
  const attempt = (state.attempts.get(name) ?? 0) + 1
  state.attempts.set(name, attempt)
  const json = (value: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  const respondBy: Record<string, () => unknown> = {
    submit: () => submit(Buffer.concat(chunks).toString(), { attempt, json }),
    messages: () => json(pageOf(searchParams.get('cursor'))),
    download: () => download(request, response),
    changes: () => response.end(changeFrame(attempt)),
    webhook: () => json(signedWebhook()),
    stats: () => json({ accounts: 3 }),
  }
  const notFound = { statusCode: 404, message: 'not found', code: 'MessageNotFound' }
  return respondBy[name] ? respondBy[name]() : json(notFound, 404)
}

function pageOf(cursor: string | null): object {
  const isLast = cursor === 'next'
  const messages = [{ id: 'm', subject: isLast ? 'two' : 'one' }]
  return { page: 0, pages: 2, nextPageCursor: isLast ? null : 'next', messages }
}

function changeFrame(attempt: number): string {
  const key = attempt === 1 ? 'connecting' : 'connected'
  const data = JSON.stringify({ account: 'anna', type: 'state', key, payload: null })
  return `id: 1-${attempt}\nevent: message\ndata: ${data}\n\n`
}

interface SubmitOptions {
  attempt: number
  json: (value: object, status?: number) => unknown
}

function submit(body: string, { attempt, json }: SubmitOptions): unknown {
  if (attempt === 1) return json({ message: 'starting' }, 503)
  const { raw } = JSON.parse(body) as { raw: string }
  const isComplete = Buffer.from(raw, 'base64').toString().endsWith('Hello')
  return isComplete ? json({ queueId: 'q1' }) : json({ message: 'incomplete' }, 400)
}

/** Sends the file of a download. The first response is cut in its middle. */
function download({ headers }: IncomingMessage, response: ServerResponse): void {
  const start = Number(/\d+/.exec(headers.range ?? '0')?.[0])
  const part = exported.subarray(start)
  response.writeHead(start === 0 ? 200 : 206, {
    etag: '"1"',
    'content-length': part.length,
    ...(start > 0 && {
      'content-range': `bytes ${start}-${exported.length - 1}/${exported.length}`,
    }),
  })
  if (start > 0) return void response.end(part)
  response.write(part.subarray(0, 1_000_000))
  response.socket?.end()
}

function signedWebhook(): { headers: Record<string, string>; body: string } {
  const body = JSON.stringify({ event: 'messageNew', account: 'anna', data: { subject: 'Hello' } })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signed = createHmac('sha256', 'service secret').update(`ev1.${timestamp}.${body}`)
  return {
    headers: {
      'webhook-id': 'ev1',
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signed.digest('base64')}`,
    },
    body,
  }
}
