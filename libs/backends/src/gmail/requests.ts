import type { Readable } from 'node:stream'
import type { Backoff } from '@posthorn/flow'
import type { HttpMethod, StreamedResponse } from '@posthorn/net/call'
import type { ProviderHttp, ProviderJson } from '@posthorn/net/provider-http'
import type { MailApiAccess, MailApiLogin, MailApiUse } from '../mail-api/access.ts'
import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import { isApiId } from '../mail-api/ids.ts'
import { type ClientRequest, ProviderClient } from '../provider-client/provider-client.ts'
import { assertForm, type ResponseForm } from '../provider-client/response-form.ts'
import type { ProviderLimiter } from '../provider-limits/provider-limiter.ts'
import { type BatchOutcome, BatchRound } from './batch.ts'
import { toGmailError, toGmailReadError } from './errors.ts'
import { gmailForm } from './form.ts'

export type QueryValue = string | number | boolean | readonly string[] | undefined

export interface GmailRequest {
  /** Method id of the Gmail API without `gmail.users.`: the name in the table of quota costs. */
  operation: string
  /** HTTP method of the Gmail request; defaults to GET. */
  method?: HttpMethod
  /** Path of the Gmail request below the path of the mailbox. */
  path: string
  /**
   * Query parameters of the Gmail request. A list becomes a repeated parameter. Undefined values
   * are left out.
   */
  query?: Readonly<Record<string, QueryValue>>
  /**
   * Members that the response of Gmail has to contain (guide "Performance tips"). Default: all
   * members.
   */
  fields?: string
  /** Body of the Gmail request, sent as JSON. */
  body?: object
  /**
   * True if the Gmail request may be repeated after temporary failures; defaults to true for GET.
   */
  repeatable?: boolean
  /** Expected form of the response of Gmail; defaults to `gmailForm`. */
  form?: ResponseForm
  /** Maximum bytes of the response of Gmail; defaults to 1 MiB. */
  maxBytes?: number
  /**
   * Checks the content of a Gmail response whose form is correct. If the check fails, the request
   * to Gmail is repeated.
   * @throws MailApiError `unavailable`
   */
  check?: (json: object) => void
  signal: AbortSignal
}

/** Batch request to Gmail that gets several messages, with the query parameters that they share. */
export type GmailBatch = Pick<GmailRequest, 'operation' | 'query' | 'fields' | 'signal'> & {
  paths: readonly string[]
}

export interface GmailRequestsOptions {
  http: ProviderHttp
  limiter: ProviderLimiter
  access: MailApiAccess
  use: MailApiUse
  delayMs?: Backoff
}

const defaultMaxBytes = 1024 * 1024
/** Maximum bytes of a Gmail batch response: 25 messages with texts. */
const maxBatchBytes = 64 * 1024 * 1024

/**
 * Maximum parts of a batch request to Gmail. Gmail permits 100, but runs the parts at the same time
 * and refuses many parts of a batch of more than 50 with 429 (google-api-dotnet-client issue 1982).
 */
export const maxBatchParts = 25

/**
 * Permits that a batch request takes of the 4 permits of a mailbox. So at most one batch request
 * runs at a time, with one other request beside it.
 */
const batchSlots = 3

/** Sends requests to one mailbox of Gmail. Failures are `MailApiError`s. */
export class GmailRequests {
  /**
   * Delays between the repeats that callers of this class make themselves, such as repeating a
   * label change that Gmail's response does not show.
   */
  readonly delayMs: Backoff | undefined
  readonly #client: ProviderClient
  readonly #reads: ProviderClient

  constructor(options: GmailRequestsOptions) {
    this.delayMs = options.delayMs
    this.#client = new ProviderClient({ ...options, toError: toGmailError })
    this.#reads = new ProviderClient({ ...options, toError: toGmailReadError })
  }

  /**
   * Sends a request to Gmail and reads a JSON object, whose form is checked. An empty response body
   * is accepted only for requests without a result, and read as an empty object.
   */
  async json<T extends object>(request: GmailRequest): Promise<Partial<T>> {
    const { method = 'GET', fields, form = gmailForm } = request
    const check = ({ json }: ProviderJson<unknown>) => {
      const hasNoResult = method !== 'GET' && fields === undefined && json === undefined
      if (hasNoResult) return
      assertForm(json, form)
      request.check?.(json)
    }
    const client = method === 'GET' ? this.#reads : this.#client
    const { json } = await repeatedOnce(request.operation, () =>
      client.json<T>({ ...toRequest(request), check }),
    )
    return json ?? {}
  }

  /**
   * Sends a request to Gmail and opens the response. The caller must read or dispose of the
   * response.
   */
  open(request: GmailRequest): Promise<StreamedResponse> {
    return repeatedOnce(request.operation, () => this.#reads.open(toRequest(request)))
  }

  /**
   * Sends a request to Gmail whose body is not JSON, such as an upload. The body of the response
   * may be empty.
   */
  raw<T extends object>(request: ClientRequest) {
    const check = ({ json }: ProviderJson<unknown>) => {
      if (json !== undefined) assertForm(json, gmailForm)
    }
    return repeatedOnce(request.operation, () => this.#client.json<T>({ ...request, check }))
  }

  /**
   * Gets several resources of Gmail with one batch request per 25 resources. Returns the JSON or
   * the failure of each resource. Only parts of a batch that failed temporarily are requested
   * again.
   */
  async batch<T extends object>(batch: GmailBatch): Promise<BatchOutcome<T>[]> {
    const outcomes: BatchOutcome<T>[] = []
    for (let from = 0; from < batch.paths.length; from += maxBatchParts) {
      const paths = batch.paths.slice(from, from + maxBatchParts)
      outcomes.push(...(await this.#batchOnce<T>({ ...batch, paths })))
    }
    return outcomes
  }

  async #batchOnce<T extends object>(batch: GmailBatch): Promise<BatchOutcome<T>[]> {
    const { operation, paths, query, fields = '*', signal } = batch
    const round = new BatchRound<T>(paths.length)
    let mailbox = ''
    const request: ClientRequest = {
      operation,
      count: paths.length,
      slots: batchSlots,
      method: 'POST',
      url: (user, login) => {
        mailbox = mailboxName(user, login)
        return '/batch/gmail/v1'
      },
      maxBytes: maxBatchBytes,
      repeatable: true,
      signal,
    }
    await this.#reads.send(request, (http, ready) =>
      round.run(
        (body) => http.open({ ...ready, ...body }),
        (index) => urlOf({ path: paths[index] ?? '', fields, query: query ?? {} }, mailbox),
      ),
    )
    return round.outcomes
  }
}

/**
 * Request path of a Gmail message, label, thread or draft.
 * @throws MailApiError `failure` for an id that Gmail cannot have created
 */
export function idPath(
  collection: string,
  id: string,
  failure: 'message-missing' | 'folder-missing',
) {
  if (!isApiId(id)) throw new MailApiError(failure, 'The id does not exist.')
  return `/${collection}/${encodeURIComponent(id)}`
}

/**
 * Reads the body of a Gmail response into memory. The stream fails above the `maxBytes` of the
 * request.
 */
export async function readBody(body: Readable, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of body) chunks.push(chunk as Buffer)
  } catch (error) {
    throw bodyError(error, signal)
  }
  return Buffer.concat(chunks)
}

/**
 * Failure while the body of a Gmail response is read: the reason of the abort signal, or a
 * temporary failure.
 */
export function bodyError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (isMailApiError(error)) return error
  return new MailApiError('unavailable', 'The response of Gmail is incomplete', { cause: error })
}

/**
 * Name of the Gmail mailbox in request paths. Gmail refuses an alias or a former address of the
 * token's user with 403, so the mailbox of that user is `me`.
 */
export function mailboxName(mailbox: string, { own = false }: MailApiLogin): string {
  return own ? 'me' : mailbox
}

/** Path and query of a request to a Gmail mailbox. The mailbox is an email address, or `me`. */
export function urlOf(
  { path, query = {}, fields = '*' }: Pick<GmailRequest, 'path' | 'query' | 'fields'>,
  mailbox: string,
  prefix = '',
): string {
  const pairs = Object.entries({ ...query, fields }).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [value].flat().map((each) => `${name}=${encodeURIComponent(String(each))}`),
  )
  return `${prefix}/gmail/v1/users/${encodeURIComponent(mailbox)}${path}?${pairs.join('&')}`
}

function toRequest(request: GmailRequest): ClientRequest {
  const { operation, method = 'GET', body, repeatable = method === 'GET', signal } = request
  return {
    operation,
    method,
    url: (mailbox, login) => urlOf(request, mailboxName(mailbox, login)),
    ...(body && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json; charset=UTF-8' },
    }),
    maxBytes: request.maxBytes ?? defaultMaxBytes,
    repeatable,
    signal,
  }
}

/**
 * Sends a request once more if Gmail reports the mailbox as disabled. Gmail reports this for some
 * healthy mailboxes, too, and does not execute the request then (google-api-php-client issue 2558).
 * For a watch (registration for notifications) the same error reason means that another client has
 * a watch.
 */
async function repeatedOnce<T>(operation: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (isMailApiError(error, 'mailbox-disabled') && operation !== 'watch') return send()
    throw error
  }
}
