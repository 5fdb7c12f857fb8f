import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { createEmulator } from 'emulate'
import { EmulateIds } from './emulate-ids.ts'

/** Third-party Gmail server `emulate` with one mailbox. */
export interface EmulateServer extends AsyncDisposable {
  readonly origin: string
  readonly token: string
  /** Sources of the messages that were sent through the Gmail server `emulate`. */
  readonly sent: readonly string[]
}

interface ForwardedRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

interface Reply {
  status: number
  type: string
  body: string
}

type Call = (request: Pick<ForwardedRequest, 'url'> & Partial<ForwardedRequest>) => Promise<Reply>

const boundary = 'front'
const json = 'application/json'

/**
 * Starts the third-party Gmail server `emulate` behind a proxy server. The proxy server adds the
 * two endpoints that `emulate` lacks and every client needs, the profile and batches. The proxy
 * server gives ids the form of Gmail ids, and a draft another message id when the draft is sent.
 */
export async function startEmulate(address: string): Promise<EmulateServer> {
  const token = 'token-of-emulate'
  const emulator = await createEmulator({
    service: 'google',
    port: 0,
    seed: { tokens: { [token]: { login: address } }, google: { users: [{ email: address }] } },
  })
  const ids = new EmulateIds()
  const sent: string[] = []
  const call: Call = async ({ url, method = 'GET', headers = {}, body = '' }) => {
    const type = headers['content-type']
    const response = await fetch(emulator.url + ids.toEmulate(url), {
      method,
      headers: { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) },
      ...(body !== '' && { body: ids.toEmulate(body) }),
    })
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? json,
      body: ids.toGmail(await response.text()),
    }
  }
  const front = createServer((request, response) => {
    void buffer(request).then(async (raw) => {
      const { url = '', method = 'GET', headers } = request
      const received = { url, method, headers, body: raw.toString() }
      respond(response, await handle(call, { address, ids, sent }, received))
    })
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  return {
    origin: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    token,
    sent,
    async [Symbol.asyncDispose]() {
      front.closeAllConnections()
      front.close()
      await emulator.close()
    },
  }
}

function respond(response: ServerResponse, { status, type, body }: Reply): void {
  response.writeHead(status, { 'content-type': type }).end(body)
}

async function handle(
  call: Call,
  { address, ids, sent }: { address: string; ids: EmulateIds; sent: string[] },
  request: ForwardedRequest,
): Promise<Reply> {
  if (request.url.startsWith('/batch/')) return batch(call, request.body)
  if (/\/profile\?/.test(request.url)) return profile(call, request.url, address)
  const reply = await call(request)
  if (reply.status !== 200 || !/\/send\?/.test(request.url)) return reply
  const { id } = JSON.parse(reply.body) as { id: string }
  sent.push(await readSent(call, id))
  return { ...reply, body: ids.renew(reply.body, id) }
}

/** Profile of the Gmail mailbox, with the mailbox's current history id: 1 without any change. */
async function profile(call: Call, url: string, emailAddress: string): Promise<Reply> {
  const { body } = await call({ url: url.replace(/\/profile.*$/, '/history?startHistoryId=1') })
  const { historyId } = JSON.parse(body) as { historyId: string }
  const since = historyId === '0' ? '1' : historyId
  return { status: 200, type: json, body: JSON.stringify({ emailAddress, historyId: since }) }
}

async function batch(call: Call, body: string): Promise<Reply> {
  const responses: string[] = []
  for (const [, id, url = ''] of body.matchAll(/Content-ID: <([^>]+)>\s+GET (\S+)/g)) {
    const part = await call({ url })
    responses.push(
      `--${boundary}\r\nContent-Type: application/http\r\nContent-ID: <response-${id}>\r\n\r\n` +
        `HTTP/1.1 ${part.status} X\r\nContent-Type: ${json}\r\n\r\n${part.body}\r\n`,
    )
  }
  const type = `multipart/mixed; boundary=${boundary}`
  return { status: 200, type, body: `${responses.join('')}--${boundary}--\r\n` }
}

async function readSent(call: Call, id: string): Promise<string> {
  const source = await call({ url: `/gmail/v1/users/me/messages/${id}?format=raw` })
  return Buffer.from((JSON.parse(source.body) as { raw: string }).raw, 'base64url').toString()
}
