import { ProviderError } from '@posthorn/net/provider-error'
import type { ProviderHttp, ProviderJson, ProviderRequest } from '@posthorn/net/provider-http'

/** Message of Google Pub/Sub. `data` is base64. */
export interface PulledMessage {
  readonly ackId: string
  readonly data: string
}

/** Topic and subscription of an OAuth2 application at Google Pub/Sub, as full resource names. */
export interface PubSubNames {
  readonly topic: string
  readonly subscription: string
}

export interface PubSubClientDeps {
  readonly http: Pick<ProviderHttp, 'json'>
  /** Returns an access token of the application's Google service account. @throws AppError */
  readonly token: (signal: AbortSignal | undefined) => Promise<string>
  /** Makes the next request use another access token. Called when Google rejects a token. */
  readonly forgetToken: () => void
}

interface Policy {
  bindings?: { role?: string; members?: string[] }[]
  etag?: string
}

/** Seconds in which a pulled Pub/Sub message must be acknowledged before it is sent again. */
const ackDeadlineSeconds = 60
/** Timeout of a pull from Pub/Sub, which Google keeps open for about 90 s without messages. */
const pullTimeoutMs = 100_000
const requestTimeoutMs = 30_000
/** Maximum number of messages that one pull request to Pub/Sub returns. */
const maxMessages = 100
/**
 * Maximum bytes of Pub/Sub's response to a pull request. A Pub/Sub message from Gmail has less than
 * 1 kB.
 */
const maxBytes = 4 * 1024 * 1024
/** Google account with which Gmail publishes to Pub/Sub ("Push notifications", Gmail API). */
const gmailPublisher = 'serviceAccount:gmail-api-push@system.gserviceaccount.com'
const publisherRole = 'roles/pubsub.publisher'
const daySeconds = 86_400

/**
 * Client of the Cloud Pub/Sub API v1 for one OAuth2 application.
 *
 * @throws ProviderError; AppError `unreachable` without a response
 */
export class PubSubClient {
  readonly #deps: PubSubClientDeps

  constructor(deps: PubSubClientDeps) {
    this.#deps = deps
  }

  /**
   * Creates the topic, the permission to publish and the subscription at Pub/Sub, unless they
   * exist. Returns true if the subscription is new, so that earlier messages are missing in it.
   */
  async ensure(names: PubSubNames, ttlDays: number, signal: AbortSignal): Promise<boolean> {
    await this.#call({ method: 'PUT', url: `/v1/${names.topic}`, accept: [409], signal }, {})
    await this.#ensurePublisher(names.topic, signal)
    return this.#ensureSubscription(names, ttlDays, signal)
  }

  async pull(subscription: string, signal: AbortSignal): Promise<PulledMessage[]> {
    const { json } = await this.#call<PullResponse>(
      { method: 'POST', url: `/v1/${subscription}:pull`, timeoutMs: pullTimeoutMs, signal },
      { maxMessages },
    )
    const received = Array.isArray(json?.receivedMessages) ? json.receivedMessages : []
    return received.slice(0, maxMessages).flatMap(({ ackId, message }) => {
      const data = typeof message?.data === 'string' ? message.data : ''
      return typeof ackId === 'string' ? [{ ackId, data }] : []
    })
  }

  async acknowledge(
    subscription: string,
    ackIds: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    await this.#call({ method: 'POST', url: `/v1/${subscription}:acknowledge`, signal }, { ackIds })
  }

  async #ensurePublisher(topic: string, signal: AbortSignal): Promise<void> {
    const { json } = await this.#call<Policy>({ url: `/v1/${topic}:getIamPolicy`, signal })
    const bindings = json?.bindings ?? []
    const isGranted = bindings.some(
      ({ role, members }) => role === publisherRole && members?.includes(gmailPublisher),
    )
    if (isGranted) return
    const binding = { role: publisherRole, members: [gmailPublisher] }
    const policy = { ...json, bindings: [...bindings, binding] }
    await this.#call({ method: 'POST', url: `/v1/${topic}:setIamPolicy`, signal }, { policy })
  }

  /**
   * Creates or updates the Pub/Sub subscription. With an empty expiration policy, Google never
   * deletes the subscription; by default, an idle subscription would be deleted after 31 days.
   */
  async #ensureSubscription(
    { topic, subscription }: PubSubNames,
    ttlDays: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const expirationPolicy = ttlDays > 0 ? { ttl: `${ttlDays * daySeconds}s` } : {}
    const wanted = { topic, ackDeadlineSeconds, expirationPolicy }
    const url = `/v1/${subscription}`
    const create = () => this.#call({ method: 'PUT', url, accept: [409], signal }, wanted)
    if ((await create()).status !== 409) return true
    const { json } = await this.#call<Partial<typeof wanted>>({ url, signal })
    if (json?.topic !== topic) {
      // The topic of the Pub/Sub subscription was deleted. Such a subscription never receives
      // messages again, so the subscription is replaced.
      await this.#call({ method: 'DELETE', url, signal })
      await create()
      return true
    }
    if (json.expirationPolicy?.ttl !== expirationPolicy.ttl)
      await this.#call(
        { method: 'PATCH', url, signal },
        { subscription: { expirationPolicy }, updateMask: 'expirationPolicy' },
      )
    return false
  }

  async #call<T>(
    request: Omit<ProviderRequest, 'token' | 'body'>,
    body?: object,
  ): Promise<ProviderJson<T>> {
    const content = body && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }
    const limits = { timeoutMs: requestTimeoutMs, maxBytes }
    const token = await this.#deps.token(request.signal)
    try {
      return await this.#deps.http.json<T>({ ...limits, ...request, ...content, token })
    } catch (error) {
      if (error instanceof ProviderError && error.status === 401) this.#deps.forgetToken()
      throw error
    }
  }
}

interface PullResponse {
  receivedMessages?: { ackId?: unknown; message?: { data?: unknown } }[]
}
