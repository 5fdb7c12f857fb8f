import { backoff, sleep } from '@posthorn/flow'
import { readProviderError } from '@posthorn/net/provider-error'
import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import { isApplicationLimit } from '../provider-client/provider-client.ts'
import { isObject } from '../provider-client/response-form.ts'
import { assertGraphForm } from './form.ts'
import { type GraphClient, graphHeaders, type GraphRequest, queryText } from './graph-client.ts'

export type BatchPart = Omit<GraphRequest, 'signal' | 'mime'>

/** Result of one part of a Graph batch request: its body, or its failure. */
export type PartResult<T> = { body: T } | { error: MailApiError }

interface BatchResponse {
  id?: unknown
  status?: unknown
  headers?: unknown
  body?: unknown
}

/**
 * Maximum repeats of failed parts of a Graph batch, and the longest delay before a repeat. Callers
 * decide whether to wait longer.
 */
const maxRepeats = 5
const maxDelayMs = 60_000
const maxRetryAfterMs = 3_600_000
const defaultDelayMs = backoff({ baseMs: 1_000, maxMs: 30_000, jitter: 0.3 })

/**
 * Sends idempotent Graph requests as parts of batches, several at a time, and returns their results
 * in the same order. Rate-limited and temporarily failed parts are sent again. Parts whose token
 * was rejected are sent again once, with a new token.
 *
 * @throws MailApiError of the batch itself, a token rejected twice, or a rate limit that lasts too
 * long
 */
export async function sendAll<T>(
  client: GraphClient,
  parts: readonly BatchPart[],
  signal: AbortSignal,
): Promise<PartResult<T>[]> {
  const results: PartResult<T>[] = []
  while (results.length < parts.length) {
    const group = parts.slice(results.length, results.length + client.batchSize)
    results.push(...(await sendGroup<T>(client, group, signal)))
  }
  return results
}

async function sendGroup<T>(
  client: GraphClient,
  group: readonly BatchPart[],
  signal: AbortSignal,
): Promise<PartResult<T>[]> {
  const [only] = group
  if (only && group.length === 1) return [await sendOne<T>(client, only, signal)]
  const results: PartResult<T>[] = []
  let left = group.map((_, index) => index)
  for (let attempt = 1; ; attempt++) {
    const received = await sendBatches<T>(client, { group, left }, signal)
    for (const index of left) results[index] = received.get(index) ?? incomplete()
    left = left.filter((index) => isTemporary(results[index]))
    if (left.length === 0 || attempt > maxRepeats) return results
    await wait(client, { errors: left.map((index) => errorOf(results[index])), attempt }, signal)
  }
}

async function sendOne<T>(
  client: GraphClient,
  part: BatchPart,
  signal: AbortSignal,
): Promise<PartResult<T>> {
  try {
    return { body: await client.json<T>({ ...part, repeatable: true, signal }) }
  } catch (error) {
    if (!isMailApiError(error) || isShared(error)) throw error
    return { error }
  }
}

/**
 * True for a failure of a part of a Graph batch that concerns the mailbox instead of the requested
 * object.
 */
function isShared({ failure }: MailApiError): boolean {
  return ['rate-limited', 'unavailable', 'token-rejected', 'unlicensed'].includes(failure)
}

/**
 * Sends those Graph requests of a group whose positions `left` lists, in as many batches as the
 * current batch size of the mailbox requires.
 */
async function sendBatches<T>(
  client: GraphClient,
  { group, left }: { group: readonly BatchPart[]; left: readonly number[] },
  signal: AbortSignal,
): Promise<Map<number, PartResult<T>>> {
  const results = new Map<number, PartResult<T>>()
  for (let sent = 0; sent < left.length;) {
    const part = left.slice(sent, sent + client.batchSize)
    for (const result of await sendBatch<T>(client, { group, left: part }, signal))
      results.set(...result)
    sent += part.length
  }
  return results
}

async function sendBatch<T>(
  client: GraphClient,
  { group, left }: { group: readonly BatchPart[]; left: readonly number[] },
  signal: AbortSignal,
): Promise<Map<number, PartResult<T>>> {
  const root = await client.root(signal)
  const results = new Map<number, PartResult<T>>()
  const requests = () =>
    left
      .filter((index) => !results.has(index))
      .map((index) => partOf(group[index] as BatchPart, { root, index }))
  const take = ({ responses }: { responses: BatchResponse[] }) => {
    const rejections = responses.flatMap((each) => {
      // A part of a Graph batch response with an unknown id is ignored: it must not replace the
      // result of another part of the batch.
      const index = left.find((at) => each.id === String(at))
      if (index === undefined) return []
      const result = resultOf<T>(client, each, group[index])
      const error = errorOf(result)
      if (error?.code === 'OAuthTokenRejected') return [error]
      results.set(index, result)
      return []
    })
    if (rejections[0]) throw rejections[0]
  }
  const repeatable = left.every((index) => (group[index]?.method ?? 'GET') === 'GET')
  await client.batch({ size: left.length, repeatable, requests, take }, signal)
  return results
}

function partOf(part: BatchPart, { root, index }: { root: string; index: number }): object {
  const { method = 'GET', path, query, json } = part
  const type = json ? { 'content-type': 'application/json' } : {}
  return {
    id: String(index),
    method,
    url: `${root}${path}${queryText(query)}`,
    headers: { ...graphHeaders(part), ...type },
    ...(json && { body: json }),
  }
}

function resultOf<T>(
  client: GraphClient,
  { status, headers, body }: BatchResponse,
  part: BatchPart | undefined,
): PartResult<T> {
  if (typeof status !== 'number') return incomplete()
  if (status >= 200 && status < 300) return bodyOf<T>(body, part)
  const lowered = Object.entries(isObject(headers) ? headers : {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
  )
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '')
  const response = { status, headers: Object.fromEntries(lowered), text }
  return { error: client.toError(readProviderError(response, { maxRetryAfterMs })) }
}

/**
 * Body of a successful part of a Graph batch. Only parts that change something may have no body.
 */
function bodyOf<T>(body: unknown, { method = 'GET' }: BatchPart = { path: '' }): PartResult<T> {
  try {
    if (method === 'GET' || (body !== undefined && body !== null)) assertGraphForm(body)
    return { body: body as T }
  } catch (error) {
    if (!isMailApiError(error)) throw error
    return { error }
  }
}

function incomplete(): { error: MailApiError } {
  return { error: new MailApiError('unavailable', 'The provider omitted a part of a batch') }
}

function errorOf(result: PartResult<unknown> | undefined): MailApiError | undefined {
  return result && 'error' in result ? result.error : undefined
}

/**
 * True for a temporary failure of a batch part. 424 is the status of parts that Graph did not
 * execute.
 */
function isTemporary(result: PartResult<unknown> | undefined): boolean {
  const error = errorOf(result)
  if (!error) return false
  return ['rate-limited', 'unavailable'].includes(error.failure) || error.status === 424
}

/**
 * Waits for the longest delay that failed parts of a Graph batch request.
 * @throws MailApiError if that delay is too long
 */
async function wait(
  client: GraphClient,
  { errors, attempt }: { errors: (MailApiError | undefined)[]; attempt: number },
  signal: AbortSignal,
): Promise<void> {
  const requested = errors.map((error) => error?.retryAfterMs ?? 0)
  const refused = errors.filter((error) => isMailApiError(error, 'rate-limited'))
  const limited = refused.find(isApplicationLimit) ?? refused[0]
  const delayMs = Math.max(...requested) || (client.delayMs ?? defaultDelayMs)(attempt)
  if (limited) client.pause(limited, delayMs)
  if (delayMs > maxDelayMs) throw limited ?? errors[0]
  // `pause` has already delayed the next Graph batch of a rate-limited mailbox, so the delay is
  // only awaited here after failures other than rate limits.
  if (!limited) await sleep(delayMs, signal)
}
