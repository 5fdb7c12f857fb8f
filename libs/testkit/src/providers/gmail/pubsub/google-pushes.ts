import { generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'
import type { VirtualClock } from '../../virtual-clock.ts'
import type { FakePubSubMessage, FakePushConfig, FakeSubscription } from './pubsub-resources.ts'

/** Delay before a Pub/Sub push is repeated, in milliseconds of virtual time. */
const retryMs = 10_000
const keyId = 'fake-key-1'
/** HTTP statuses that acknowledge a Pub/Sub push ("Receive messages from push subscriptions"). */
const acknowledging = new Set([102, 200, 201, 202, 204])

/**
 * Request by which Pub/Sub pushes a message, and the HTTP status of its response, or 0 without a
 * response.
 */
export interface SentPush {
  endpoint: string
  messageId: string
  status: number
}

/** Pushes of Pub/Sub, with OpenID Connect tokens as Google signs them. */
export class GooglePushes implements AsyncDisposable {
  /** Pushes of Pub/Sub messages in the order of their responses. */
  readonly sent: SentPush[] = []
  /**
   * Function that returns the URL for a push endpoint of Pub/Sub, because services under test have
   * no public URL.
   */
  addressOf: (endpoint: string) => string = (endpoint) => endpoint
  readonly #clock: VirtualClock
  readonly #stop = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #keys: { publicKey: KeyObject; privateKey: KeyObject } | undefined

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  /** JSON Web Key Set that verifies the signatures of the tokens in Pub/Sub pushes. */
  get keySet(): { keys: (JsonWebKey & { kid: string })[] } {
    return { keys: [{ ...this.#keyPair().publicKey.export({ format: 'jwk' }), kid: keyId }] }
  }

  /**
   * Pushes a Pub/Sub message until the endpoint acknowledges the message or the subscription
   * changes.
   */
  add(subscription: FakeSubscription, message: FakePubSubMessage): void {
    const run = this.#deliver(subscription, message).finally(() => this.#running.delete(run))
    this.#running.add(run)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running)
  }

  async #deliver(subscription: FakeSubscription, message: FakePubSubMessage): Promise<void> {
    const { resource, acknowledged } = subscription
    const stopped = new Promise((resolve) => this.#stop.signal.addEventListener('abort', resolve))
    while (!this.#stop.signal.aborted) {
      const { pushConfig } = resource
      if (!pushConfig?.pushEndpoint) return void subscription.waiting.push({ message, attempts: 0 })
      const status = await this.#post(resource.name, pushConfig, message)
      this.sent.push({ endpoint: pushConfig.pushEndpoint, messageId: message.messageId, status })
      if (acknowledging.has(status)) return void acknowledged.push(message)
      await Promise.race([this.#clock.wait(retryMs), stopped])
    }
  }

  async #post(
    subscription: string,
    { pushEndpoint = '', oidcToken, noWrapper }: FakePushConfig,
    message: FakePubSubMessage,
  ): Promise<number> {
    const { data, messageId, publishTime } = message
    const body = noWrapper
      ? Buffer.from(data, 'base64').toString()
      : JSON.stringify({
          message: { ...message, message_id: messageId, publish_time: publishTime },
          subscription,
        })
    const metadata = noWrapper?.writeMetadata && {
      'x-goog-pubsub-subscription-name': subscription,
      'x-goog-pubsub-message-id': messageId,
      'x-goog-pubsub-publish-time': publishTime,
    }
    const { audience = pushEndpoint, serviceAccountEmail: email } = oidcToken ?? {}
    const token = email && { authorization: `Bearer ${this.signedToken({ aud: audience, email })}` }
    const headers = { 'content-type': 'application/json', ...metadata, ...token }
    return fetch(this.addressOf(pushEndpoint), {
      method: 'POST',
      headers,
      body,
      signal: this.#stop.signal,
    }).then(
      ({ status }) => status,
      () => 0,
    )
  }

  /**
   * Returns the token of a Pub/Sub push, as Google signs it. The times in the token are real times,
   * because receivers compare them with their own clock.
   */
  signedToken(claims: { aud: string; email: string } & Record<string, unknown>): string {
    const now = Math.floor(Date.now() / 1_000)
    const payload = {
      iss: 'https://accounts.google.com',
      sub: '113774264463038321964',
      email_verified: true,
      iat: now,
      exp: now + 3_600,
      ...claims,
    }
    const text = [{ alg: 'RS256', kid: keyId, typ: 'JWT' }, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const { privateKey } = this.#keyPair()
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`
  }

  #keyPair() {
    this.#keys ??= generateKeyPairSync('rsa', { modulusLength: 2_048 })
    return this.#keys
  }
}
