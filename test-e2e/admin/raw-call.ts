import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as sendRequest,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface RawReply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Sends an HTTP request whose path and headers are not normalized, unlike with `fetch`. */
export async function rawCall(
  origin: string,
  target: { method?: string; path: string; headers?: OutgoingHttpHeaders; body?: string },
): Promise<RawReply> {
  const { hostname, port } = new URL(origin)
  const { method = 'GET', path, headers = {}, body } = target
  const call = sendRequest({ hostname, port, method, path, headers, agent: false })
  call.end(body)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: await text(response),
  }
}

/** Headers that the administration pages send with a call, for calls without a browser. */
export const ownHeaders = (origin: string, cookie: string) => ({
  'x-svc-admin': '1',
  'content-type': 'application/json',
  origin,
  cookie: `posthorn-session=${cookie}`,
})

/** Server of another web site, which serves one HTML page. */
export async function startOtherSite(): Promise<
  { port: number; show: (html: string) => void } & AsyncDisposable
> {
  let html = ''
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    show: (next) => void (html = next),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
