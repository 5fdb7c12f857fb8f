import type { ProviderHandler } from '../../provider-fake.ts'
import type { SentResponse } from '../../validator.ts'
import { gmailFailures, invalid } from '../failures.ts'
import type { GmailState } from '../gmail-state.ts'

const maxParts = 100
/** Maximum parts of a Gmail batch request that run at the same time. Further parts are refused. */
const maxParallelParts = 40
const boundary = 'batch_x7Kq'

interface BatchRequest {
  contentId: string
  method: string
  url: string
  headers: Record<string, string>
}

/** Handler of Gmail's batch endpoint. Sends the responses in another order than the requests. */
export function batchHandler(gmail: GmailState): ProviderHandler {
  return async ({ headers, raw }) => {
    const [, delimiter] = /boundary="?([^";]+)/i.exec(headers['content-type'] ?? '') ?? []
    const parts = readParts(raw.toString('latin1'), delimiter ?? '')
    if (parts.length === 0 || parts.length > maxParts) return invalid('Invalid batch').response
    const responses: string[] = []
    for (const [index, { contentId, ...request }] of parts.entries()) {
      const response =
        index < maxParallelParts
          ? await gmail.fake.execute({
              ...request,
              headers: { authorization: headers.authorization, ...request.headers },
              raw: Buffer.alloc(0),
            })
          : refusedPart()
      responses.unshift(encodePart(contentId, response))
    }
    const body = `${responses.join('\r\n')}\r\n--${boundary}--\r\n`
    return { headers: { 'content-type': `multipart/mixed; boundary=${boundary}` }, body }
  }
}

function refusedPart(): SentResponse {
  const { status = 429, body, headers } = gmailFailures.tooManyConcurrent()
  return { status, contentType: '', headers, bytes: Buffer.from(JSON.stringify(body)) }
}

function readParts(text: string, delimiter: string): BatchRequest[] {
  return text
    .split(`--${delimiter}`)
    .slice(1, -1)
    .flatMap((part) => {
      const [outer = '', inner = ''] = part.trimStart().split(/\r\n\r\n/)
      const [start = '', ...lines] = inner.split('\r\n')
      const [method = '', url = ''] = start.split(' ')
      const contentId = /^content-id:\s*<(.+)>/im.exec(outer)?.[1]
      if (contentId === undefined || url === '') return []
      const headers = lines.map((line) => line.split(/:\s*/, 2) as [string, string])
      return { contentId, method, url, headers: Object.fromEntries(headers) }
    })
}

function encodePart(contentId: string, { status, headers, bytes }: SentResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return (
    `--${boundary}\r\nContent-Type: application/http\r\nContent-ID: <response-${contentId}>\r\n\r\n` +
    `HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Error'}\r\n${lines.join('')}` +
    `Content-Length: ${bytes.length}\r\n\r\n${bytes.toString('utf8')}`
  )
}
