import type { ProviderResponse } from '../requests.ts'
import type { GraphRequest } from './routes.ts'
import { bodyOf, faultResponse, GraphFault, type Json } from './json.ts'

interface Part {
  id: string
  method: string
  url: string
  headers?: Record<string, string>
  body?: unknown
  dependsOn?: string[]
}

type PartResponse = { id: string; status: number; headers: Record<string, string>; body?: unknown }

const maxParts = 20

/**
 * Runs the parts of a Graph batch one after the other, and returns their responses in another
 * order. A part fails with another part only if it depends on that part.
 */
export async function respondToBatch(request: GraphRequest): Promise<ProviderResponse> {
  const { requests: parts = [] } = bodyOf(request) as { requests?: Part[] }
  if (parts.length > maxParts)
    throw new GraphFault(
      400,
      'BadRequest',
      'The number of batch requests exceeds the maximum of 20.',
    )
  const responses: PartResponse[] = []
  // All parts of a Graph batch count as concurrent requests from the start.
  const refused = new Set(parts.filter((part) => !start(request, part)))
  for (const part of parts) {
    const failed = part.dependsOn?.some(
      (id) => (responses.find((each) => each.id === id)?.status ?? 0) >= 400,
    )
    if (failed) responses.push(partOf(part.id, faultResponse(424, 'FailedDependency')))
    else if (refused.has(part)) responses.push(partOf(part.id, overConcurrency().response))
    else responses.push(await execute(request, part))
  }
  return { body: { responses: responses.reverse() } }
}

/**
 * Counts a part of a Graph batch as a request to its mailbox. Returns false if too many requests
 * are running.
 */
function start({ fake, closed }: GraphRequest, { url }: Part): boolean {
  const [, user] = /^\/users\/([^/]+)\//.exec(url) ?? []
  const address = user === undefined ? fake.mailbox.address : decodeURIComponent(user).toLowerCase()
  return closed === undefined || fake.concurrency.start(address, closed)
}

export function overConcurrency(): GraphFault {
  const text = 'Application is over its MailboxConcurrency limit.'
  const fault = new GraphFault(429, 'ApplicationThrottled', text)
  fault.response.headers = { 'Retry-After': '1' }
  return fault
}

async function execute({ fake, headers }: GraphRequest, part: Part): Promise<PartResponse> {
  const { id, method, url, body } = part
  const own = Object.entries(part.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  if (body !== undefined && !own.some(([name]) => name === 'content-type'))
    return partOf(id, faultResponse(400, 'BadRequest', 'Content-Type header is required.'))
  const sent = await fake.server.execute({
    method,
    url: `/v1.0${url}`,
    headers: { authorization: headers.authorization, ...(Object.fromEntries(own) as object) },
    raw: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
  })
  const text = sent.bytes.toString('utf8')
  const isJson = sent.contentType.startsWith('application/json')
  const encoded = isJson ? (JSON.parse(text) as Json) : sent.bytes.toString('base64url')
  const response = { id, status: sent.status, headers: capitalized(sent.headers) }
  return sent.bytes.length === 0 ? response : { ...response, body: encoded }
}

/** Header names as Graph spells them within batches, such as `Retry-After`. */
function capitalized(headers: Record<string, string>): Record<string, string> {
  const upper = (name: string) => name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [upper(name), value]))
}

function partOf(id: string, { status = 200, headers = {}, body }: ProviderResponse): PartResponse {
  return { id, status, headers: { ...headers, 'Content-Type': 'application/json' }, body }
}
