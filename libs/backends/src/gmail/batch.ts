import type { IncomingHttpHeaders } from 'node:http'
import type { StreamedResponse } from '@posthorn/net/call'
import { ProviderError, readProviderError } from '@posthorn/net/provider-error'
import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import { assertForm } from '../provider-client/response-form.ts'
import { toGmailReadError } from './errors.ts'
import { gmailForm } from './form.ts'

/** Result of one part of a Gmail batch request. */
export type BatchOutcome<T> = { json: Partial<T> } | { error: MailApiError }

/**
 * Response to one part of a Gmail batch request. `index` is the position of the part in the batch
 * request.
 */
export interface BatchPart {
  index: number
  status: number
  headers: IncomingHttpHeaders
  text: string
}

const dayMs = 86_400_000
/** Maximum bytes of the headers of one part of a Gmail batch response. */
const maxHeadBytes = 16 * 1024
const boundary = 'posthorn-batch-boundary'

interface BatchBody {
  headers: Readonly<Record<string, string>>
  body: string
}

/**
 * Repeats a Gmail batch request until each part has an outcome (guide "Batching Requests" of the
 * Gmail API). A repeat contains only the parts that are missing or failed temporarily.
 */
export class BatchRound<T extends object> {
  readonly #outcomes: (BatchOutcome<T> | undefined)[]
  /**
   * Parts of a Gmail batch request that Gmail refused by reporting the mailbox as disabled, which
   * may be a false report, see `toGmailError`.
   */
  readonly #refused = new Set<number>()

  constructor(parts: number) {
    this.#outcomes = Array.from({ length: parts }, () => undefined)
  }

  /**
   * Outcomes of the parts of a Gmail batch request, in the order of the parts. Complete after `run`
   * has succeeded.
   */
  get outcomes(): BatchOutcome<T>[] {
    return this.#outcomes.map(
      (outcome) => outcome ?? { error: new MailApiError('unavailable', 'No response') },
    )
  }

  /**
   * Sends the parts of a Gmail batch request that have no outcome yet.
   * @throws ProviderError or AppError of a part that still has no outcome after the request
   */
  async run(
    open: (body: BatchBody) => Promise<StreamedResponse>,
    urlOfPart: (index: number) => string,
  ): Promise<void> {
    const pending = this.#outcomes.flatMap((outcome, index) => (outcome ? [] : [index]))
    using response = await open(encodeBatch(pending, urlOfPart))
    const chunks: Buffer[] = []
    try {
      for await (const chunk of response.body) chunks.push(chunk as Buffer)
    } catch (cause) {
      throw unreadable(cause)
    }
    const parts = parseBatch(response.headers['content-type'] ?? '', Buffer.concat(chunks))
    const failures = parts.flatMap((part) => this.#take(part) ?? [])
    const [first = unreadable()] = failures.sort((one, other) => rank(one) - rank(other))
    if (this.#outcomes.includes(undefined)) throw first
  }

  /**
   * Stores the outcome of one part of a Gmail batch request. Returns the failure of the part if the
   * part should be sent again.
   */
  #take({ index, status, headers, text }: BatchPart): Error | undefined {
    if (index >= this.#outcomes.length || this.#outcomes[index]) return undefined
    if (status >= 200 && status < 300) {
      const json = parseObject<T>(text)
      if (!json) return unreadable()
      this.#outcomes[index] = { json }
      return undefined
    }
    const failure = readProviderError({ status, headers, text }, { maxRetryAfterMs: dayMs })
    const error = toGmailReadError(failure)
    if (['token-rejected', 'rate-limited', 'unavailable'].includes(error.failure)) return failure
    if (error.failure === 'mailbox-disabled' && !this.#refused.has(index)) {
      this.#refused.add(index)
      return unreadable()
    }
    this.#outcomes[index] = { error }
    return undefined
  }
}

/**
 * Rank of a failed part of a Gmail batch request, which reports the failure with the lowest rank. A
 * rejected token ranks first, because a repeat needs a new token. Limits of Gmail rank second.
 */
function rank(error: Error): number {
  if (!(error instanceof ProviderError)) return 3
  if (error.status === 401) return 0
  return isMailApiError(toGmailReadError(error), 'rate-limited') ? 1 : 2
}

function unreadable(cause?: unknown): MailApiError {
  return new MailApiError('unavailable', 'The batch response of Gmail is incomplete', { cause })
}

function parseObject<T>(text: string): Partial<T> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    assertForm(value, gmailForm)
    return value
  } catch {
    return undefined
  }
}

function encodeBatch(indexes: readonly number[], urlOfPart: (index: number) => string): BatchBody {
  const parts = indexes.map(
    (index) =>
      `--${boundary}\r\nContent-Type: application/http\r\nContent-ID: <part-${index}>\r\n\r\n` +
      `GET ${urlOfPart(index)}\r\nAccept: application/json\r\n\r\n`,
  )
  return {
    headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
    body: `${parts.join('\r\n')}\r\n--${boundary}--\r\n`,
  }
}

/**
 * Parses a Gmail batch response, in linear time. Ignores parts that are cut or unreadable or have
 * no index, and all bytes after the closing delimiter.
 */
export function parseBatch(contentType: string, body: Buffer): BatchPart[] {
  const [, quoted, bare] =
    /boundary=(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? []
  const delimiter = `--${quoted ?? bare ?? ''}`
  if (delimiter === '--') return []
  const parts: BatchPart[] = []
  let start = body.indexOf(delimiter)
  while (start !== -1) {
    const from = start + delimiter.length
    if (body.toString('latin1', from, from + 2) === '--') break
    const end = body.indexOf(`\n${delimiter}`, from)
    // A part of a Gmail batch response that no delimiter follows was cut in transfer, and is
    // ignored.
    if (end === -1) break
    const part = parsePart(body.subarray(from, end))
    if (part) parts.push(part)
    start = end + 1
  }
  return parts
}

function parsePart(bytes: Buffer): BatchPart | undefined {
  const outer = splitAtEmptyLine(bytes)
  const inner = outer && splitAtEmptyLine(outer.rest)
  if (!outer || !inner) return undefined
  const [, index] = /^content-id:\s*<response-(?:item:)?part-(\d{1,3})>/im.exec(outer.head) ?? []
  const [, status] = /^HTTP\/1\.[01] (\d{3})\b/.exec(inner.head.trimStart()) ?? []
  if (index === undefined || status === undefined) return undefined
  return {
    index: Number(index),
    status: Number(status),
    headers: headersOf(inner.head),
    // The line end before a delimiter of a Gmail batch response belongs to the delimiter (RFC 2046
    // §5.1.1).
    text: inner.rest.toString().replace(/\r$/, ''),
  }
}

/**
 * Splits a part of a Gmail batch response into headers and body at the first empty line after the
 * headers. Blank lines before the headers belong to the delimiter.
 */
function splitAtEmptyLine(bytes: Buffer): { head: string; rest: Buffer } | undefined {
  const text = bytes.toString('latin1', 0, maxHeadBytes)
  const [blank = ''] = /^(?:[ \t]*\r?\n)*/.exec(text) ?? []
  const match = /\r?\n\r?\n/.exec(text.slice(blank.length))
  if (!match) return undefined
  const end = blank.length + match.index
  return { head: text.slice(blank.length, end), rest: bytes.subarray(end + match[0].length) }
}

/**
 * Headers of one part of a Gmail batch response that tell after which delay the part may be sent
 * again.
 */
function headersOf(head: string): IncomingHttpHeaders {
  const value = (name: string) => new RegExp(`^${name}:[ \\t]*(.{1,200})`, 'im').exec(head)?.[1]
  return { 'retry-after': value('retry-after'), date: value('date') }
}
