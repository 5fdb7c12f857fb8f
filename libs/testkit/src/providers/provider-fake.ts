import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Server } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { defined } from '@posthorn/contracts/defined'
import { selfSigned } from '@posthorn/local/files/certificate'
import { listen, stopListening } from '../listening.ts'
import type { ApiDescription, ApiOperation } from './descriptions/api-description.ts'
import { deliver } from './deliver.ts'
import { encode, jsonOf } from './encode.ts'
import type { AlteredResponse, FaultAction, ProviderFault } from './faults.ts'
import type { LoggedRequest, ProviderRequest, ProviderResponse } from './requests.ts'
import {
  type ApiValidator,
  type MatchedOperation,
  type SentResponse,
  validatorOf,
} from './validator.ts'
import { VirtualClock } from './virtual-clock.ts'

export type ProviderHandler = (
  request: ProviderRequest,
) => ProviderResponse | Promise<ProviderResponse>

export interface ProviderFakeOptions {
  /** APIs that the provider fake serves. The paths of the APIs must differ. */
  descriptions: readonly ApiDescription[]
  /** Operations of the provider fake without a published description, such as a token endpoint. */
  undescribed?: readonly Undescribed[]
  /** Handlers by operation id. A missing handler counts as a violation of the API description. */
  handlers: Readonly<Record<string, ProviderHandler>>
  /** Returns the quota units that an operation of the provider fake costs. Defaults to 1 unit. */
  unitsOf?: (operation: string) => number
  clock?: VirtualClock
  /** True if the provider fake serves HTTPS with a self-signed certificate. Defaults to false. */
  tls?: boolean
}

/**
 * Deviation from an API description, caused by the client (`request`) or by the fake (`response`).
 */
export interface Violation {
  direction: 'request' | 'response'
  operation: string
  text: string
}

type Undescribed = { id: string; method: string; path: string }

/** HTTP request to a provider fake, or a part of a batch. `url` is a path with its query. */
type ReceivedHttp = Pick<ProviderRequest, 'method' | 'headers' | 'raw' | 'closed'> & {
  url: string
  signal?: AbortSignal
}

type ApiMatch = MatchedOperation & { api: ApiValidator }

type ReplyAction = Extract<FaultAction, { kind: 'reply' }>

type Outcome = { result: SentResponse; action?: FaultAction | undefined }

type Connection = { request: IncomingMessage; response: ServerResponse }

/**
 * Base of the provider fakes: an HTTP server that validates all requests and responses against the
 * published API descriptions. A violation gets status 500 and makes the disposal fail, so that the
 * test fails.
 */
export class ProviderFake implements AsyncDisposable {
  readonly clock: VirtualClock
  /** Certificate of the provider fake in PEM format. Absent without TLS. */
  readonly cert: string | undefined
  readonly log: LoggedRequest[] = []
  readonly violations: Violation[] = []
  readonly #options: ProviderFakeOptions
  readonly #apis: ApiValidator[]
  readonly #server: Server & { closeAllConnections(): void }
  readonly #faults: { operation: string; fault: ProviderFault }[] = []
  #inFlight = 0
  #port = 0

  constructor(options: ProviderFakeOptions) {
    this.#options = options
    this.clock = options.clock ?? new VirtualClock()
    const extra = (options.undescribed ?? []).map(undescribedOperation)
    const unchecked = { source: '', licence: '', error: true, schemas: {}, operations: extra }
    this.#apis = [...options.descriptions, unchecked].map(validatorOf)
    const certificate = options.tls ? selfSigned(['localhost', '127.0.0.1']) : undefined
    this.cert = certificate?.cert
    const take = (request: IncomingMessage, response: ServerResponse) =>
      void this.#serve({ request, response })
    this.#server = certificate ? createHttpsServer(certificate, take) : createHttpServer(take)
  }

  get origin(): string {
    return `${this.cert === undefined ? 'http' : 'https'}://127.0.0.1:${this.#port}`
  }

  async open(): Promise<void> {
    this.#port = await listen(this.#server, this.#port)
  }

  /** Ends connections and refuses new connections to the provider fake until `open`. */
  async close(): Promise<void> {
    await stopListening(this.#server, () => this.#server.closeAllConnections())
  }

  /**
   * Applies a fault to an operation of the provider fake, or to all operations with `*`. The latest
   * fault decides first. Returns a function that removes the fault.
   */
  on(operation: string, fault: ProviderFault): () => void {
    const entry = { operation, fault }
    this.#faults.unshift(entry)
    return () => void this.#faults.splice(this.#faults.indexOf(entry), 1)
  }

  /** Logged requests of an operation or of the whole provider fake, in order of arrival. */
  requests(operation?: string): LoggedRequest[] {
    return this.log.filter((each) => operation === undefined || each.operation === operation)
  }

  /** Quota units of the requests to the provider fake since the virtual time `since`. */
  unitsSince(since = -Infinity): number {
    return this.log.reduce((sum, { at, units }) => sum + (at >= since ? units : 0), 0)
  }

  /**
   * Checks that all requests and responses of the provider fake matched the API descriptions.
   * @throws Error with all deviations from the descriptions
   */
  assertValid(): void {
    if (this.violations.length === 0) return
    const lines = this.violations.map(
      ({ direction, operation, text }) => `${direction} of ${operation}: ${text}`,
    )
    throw new Error(`deviations from the published description:\n${lines.join('\n')}`)
  }

  /**
   * Executes a part of a batch request to the provider fake like a request from the network. The
   * part is logged, validated and subject to faults that reply.
   */
  async execute(request: ReceivedHttp): Promise<SentResponse> {
    const { result, action } = await this.#run(request)
    if (action && action.kind !== 'reply') throw new Error(`${action.kind} of a part of a batch`)
    return result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
    this.assertValid()
  }

  async #serve({ request, response }: Connection): Promise<void> {
    this.#inFlight++
    const aborted = new AbortController()
    const closed = new Promise<void>((resolve) => void response.once('close', resolve))
    void closed.then(() => {
      this.#inFlight--
      if (!response.writableFinished) aborted.abort()
    })
    try {
      const raw = await buffer(request)
      const { method = '', url = '', headers } = request
      const { signal } = aborted
      const { result, action } = await this.#run({ method, url, headers, raw, closed, signal })
      if (action?.kind === 'reset') request.socket.resetAndDestroy()
      else await deliver(response, result, action)
    } catch {
      // Sending a response of the provider fake fails if the client disconnected, or if a handler
      // failed (see `#run`).
      request.socket.destroy()
    }
  }

  async #run(received: ReceivedHttp): Promise<Outcome> {
    const { pathname } = new URL(received.url, this.origin)
    const matched = this.#match(received.method, pathname)
    const entry = this.#logged(received, matched)
    const { operation } = entry
    if (!matched) return { result: this.#violate('request', operation, ['is not described']) }
    const wrong = matched.api.checkRequest(matched.operation, entry)
    if (wrong.length > 0) return { result: this.#violate('request', operation, wrong) }
    const action = this.#faultOf(entry)
    if (action?.kind === 'reset' && action.phase === 'before') return { result: empty, action }
    const result =
      action?.kind === 'reply'
        ? this.#replied(matched, action)
        : this.#validated(matched, await this.#handle(entry))
    const outcome = action?.kind === 'alter' ? altered(action.alter(result)) : { result, action }
    if (action?.kind !== 'reset') entry.status = outcome.result.status
    return outcome
  }

  #logged(received: ReceivedHttp, matched?: MatchedOperation): LoggedRequest {
    const { method, url, headers, raw, closed, signal = neverAborted } = received
    const { pathname, searchParams } = new URL(url, this.origin)
    const operation = matched?.operation.id ?? `${method} ${pathname}`
    const entry: LoggedRequest = {
      operation,
      method,
      path: pathname,
      params: matched?.params ?? {},
      query: searchParams,
      headers,
      raw,
      body: jsonOf(headers['content-type'], raw),
      at: this.clock.now,
      signal,
      units: this.#options.unitsOf?.(operation) ?? 1,
      inFlight: this.#inFlight,
      ...defined({ closed }),
    }
    this.log.push(entry)
    return entry
  }

  #match(method: string, path: string): ApiMatch | undefined {
    for (const api of this.#apis) {
      const match = api.match(method, path)
      if (match) return { ...match, api }
    }
    return undefined
  }

  #faultOf(request: ProviderRequest): FaultAction | undefined {
    for (const { operation, fault } of this.#faults) {
      const applies = operation === '*' || operation === request.operation
      const action = applies ? fault(request) : undefined
      if (action) return action
    }
    return undefined
  }

  async #handle(request: ProviderRequest): Promise<ProviderResponse> {
    const handler = this.#options.handlers[request.operation]
    try {
      if (handler) return await handler(request)
      this.#violate('request', request.operation, ['is not supported by the fake'])
    } catch (error) {
      this.#violate('response', request.operation, [`handler failed: ${String(error)}`])
    }
    return { status: 500 }
  }

  #replied(matched: ApiMatch, { response, unchecked }: ReplyAction): SentResponse {
    return unchecked ? encode(response) : this.#validated(matched, response)
  }

  #validated({ api, operation }: ApiMatch, response: ProviderResponse): SentResponse {
    const sent = encode(response)
    const wrong = api.checkResponse(operation, sent)
    return wrong.length > 0 ? this.#violate('response', operation.id, wrong) : sent
  }

  #violate(
    direction: Violation['direction'],
    operation: string,
    texts: readonly string[],
  ): SentResponse {
    this.violations.push(...texts.map((text) => ({ direction, operation, text })))
    return encode({ status: 500, body: `${direction} of ${operation}: ${texts.join('; ')}` })
  }
}

/** Starts the fake of a mail provider. */
export async function startProviderFake(options: ProviderFakeOptions): Promise<ProviderFake> {
  const fake = new ProviderFake(options)
  await fake.open()
  return fake
}

function altered({ delivery, ...result }: AlteredResponse): Outcome {
  return { result, action: delivery }
}

/** Abort signal for parts of a batch request to a provider fake. Parts cannot be aborted alone. */
const neverAborted = new AbortController().signal
const empty: SentResponse = { status: 500, contentType: '', headers: {}, bytes: Buffer.alloc(0) }

function undescribedOperation({ id, method, path }: Undescribed): ApiOperation {
  const statuses = [200, 201, 202, 204, 302, 308]
  const responses = Object.fromEntries(statuses.map((status) => [status, true]))
  return {
    id,
    methods: [method],
    paths: [path],
    query: {},
    anyQuery: true,
    request: true,
    responses,
  }
}
