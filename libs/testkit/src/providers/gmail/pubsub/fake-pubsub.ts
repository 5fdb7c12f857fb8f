import type { VirtualClock } from '../../virtual-clock.ts'
import { GooglePushes } from './google-pushes.ts'
import type {
  FakePolicy,
  FakePubSubMessage,
  FakeSubscription,
  FakeSubscriptionResource,
} from './pubsub-resources.ts'

/**
 * Service account with which Gmail publishes. A topic must grant this account the role
 * `publisherRole`.
 */
export const gmailPublisher = 'serviceAccount:gmail-api-push@system.gserviceaccount.com'
export const publisherRole = 'roles/pubsub.publisher'

/** Resource `ReceivedMessage` of Cloud Pub/Sub: a message that a pull delivers. */
interface ReceivedMessage {
  ackId: string
  message: FakePubSubMessage
  deliveryAttempt: number
}

/**
 * Maximum time in milliseconds for which a pull waits for messages. The real Pub/Sub keeps a pull
 * open for about 90 s.
 */
const pullWaitMs = 90_000
/** Topic name that a Pub/Sub subscription reports after its topic was deleted. */
const deletedTopic = '_deleted-topic_'

/**
 * Topics and subscriptions of Cloud Pub/Sub. Deadlines are in virtual time, so that an
 * unacknowledged message is delivered again when the test moves the clock.
 */
export class FakePubSub {
  /** Access policies of Pub/Sub topics, by the full name of the topic. */
  readonly topics = new Map<string, FakePolicy>()
  readonly subscriptions = new Map<string, FakeSubscription>()
  readonly pushes: GooglePushes
  readonly #clock: VirtualClock
  #serial = 0
  #changed = Promise.withResolvers<void>()

  constructor(clock: VirtualClock) {
    this.#clock = clock
    this.pushes = new GooglePushes(clock)
  }

  /** Creates a Pub/Sub topic to which Gmail may publish. */
  addTopic(name: string): void {
    this.topics.set(name, {
      bindings: [{ role: publisherRole, members: [gmailPublisher] }],
      etag: this.newEtag(),
    })
  }

  /** Deletes a Pub/Sub topic. Its subscriptions stay, but receive no more messages. */
  deleteTopic(name: string): void {
    this.topics.delete(name)
    for (const { resource } of this.subscriptions.values())
      if (resource.topic === name) resource.topic = deletedTopic
  }

  addSubscription(resource: FakeSubscriptionResource): FakeSubscription {
    const subscription: FakeSubscription = {
      resource,
      waiting: [],
      outstanding: new Map(),
      openPulls: 0,
      acknowledged: [],
    }
    this.subscriptions.set(resource.name, subscription)
    return subscription
  }

  /** Deletes a Pub/Sub subscription with its messages. Waiting pull requests end. */
  deleteSubscription(name: string): void {
    this.subscriptions.delete(name)
    this.#wake()
  }

  newEtag(): string {
    return Buffer.from(String((this.#serial += 1))).toString('base64')
  }

  /** True if Gmail may publish to the Pub/Sub topic. */
  permitsGmail(topic: string): boolean {
    return (this.topics.get(topic)?.bindings ?? []).some(
      ({ role, members }) => role === publisherRole && members?.includes(gmailPublisher),
    )
  }

  /**
   * Adds a message to all subscriptions of a Pub/Sub topic. Pushes the message for subscriptions
   * with a push endpoint.
   */
  publish(topic: string, content: string): void {
    const message: FakePubSubMessage = {
      data: Buffer.from(content).toString('base64'),
      messageId: String(2_070_443_601_311_540n + BigInt((this.#serial += 1))),
      publishTime: this.#clock.date.toISOString(),
    }
    for (const subscription of this.subscriptions.values()) {
      if (subscription.resource.topic !== topic) continue
      if (subscription.resource.pushConfig?.pushEndpoint) this.pushes.add(subscription, message)
      else subscription.waiting.push({ message, attempts: 0 })
    }
    this.#wake()
  }

  /**
   * Delivers up to `max` messages of a Pub/Sub subscription. Without messages, the pull waits for a
   * message, for up to 90 s of virtual time or until the client disconnects. If the response is
   * lost, its messages are delivered again immediately instead of after their deadline, because the
   * clock of a test stands still. Undefined if the subscription was deleted.
   */
  async pull(
    subscription: FakeSubscription,
    max: number,
    signal: AbortSignal,
  ): Promise<ReceivedMessage[] | undefined> {
    const giveUpAt = this.#clock.now + pullWaitMs
    for (;;) {
      this.#expireDeadlines(subscription)
      if (this.subscriptions.get(subscription.resource.name) !== subscription) return undefined
      if (signal.aborted) return []
      if (subscription.waiting.length > 0) return this.#deliver(subscription, max, signal)
      if (this.#clock.now >= giveUpAt) return []
      subscription.openPulls++
      await this.#untilChange(subscription, giveUpAt, signal)
      subscription.openPulls--
    }
  }

  acknowledge({ outstanding, acknowledged }: FakeSubscription, ackIds: readonly string[]): void {
    for (const id of ackIds) {
      const delivery = outstanding.get(id)
      if (delivery) acknowledged.push(delivery.message)
      outstanding.delete(id)
    }
  }

  /**
   * Changes the deadlines of delivered Pub/Sub messages. With 0, the messages are delivered again
   * immediately.
   */
  modifyDeadline(
    { outstanding }: FakeSubscription,
    ackIds: readonly string[],
    seconds: number,
  ): void {
    for (const id of ackIds) {
      const delivery = outstanding.get(id)
      if (delivery) delivery.dueAt = this.#clock.now + seconds * 1_000
    }
    this.#wake()
  }

  #deliver(subscription: FakeSubscription, max: number, signal: AbortSignal): ReceivedMessage[] {
    const { waiting, outstanding, resource } = subscription
    const received = waiting.splice(0, max).map(({ message, attempts }) => {
      const ackId = `ack-${(this.#serial += 1)}`
      const dueAt = this.#clock.now + resource.ackDeadlineSeconds * 1_000
      outstanding.set(ackId, { message, attempts: attempts + 1, dueAt })
      return { ackId, message, deliveryAttempt: attempts + 1 }
    })
    const ackIds = received.map(({ ackId }) => ackId)
    signal.addEventListener('abort', () => this.modifyDeadline(subscription, ackIds, 0))
    return received
  }

  #expireDeadlines({ outstanding, waiting }: FakeSubscription): void {
    for (const [id, { dueAt, message, attempts }] of outstanding) {
      if (dueAt > this.#clock.now) continue
      outstanding.delete(id)
      waiting.push({ message, attempts })
    }
  }

  async #untilChange(
    { outstanding }: FakeSubscription,
    giveUpAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    const dueAt = Math.min(giveUpAt, ...Array.from(outstanding.values(), (each) => each.dueAt))
    const disconnected = Promise.withResolvers<void>()
    const onAbort = () => disconnected.resolve()
    signal.addEventListener('abort', onAbort)
    await Promise.race([
      this.#changed.promise,
      disconnected.promise,
      this.#clock.wait(dueAt - this.#clock.now),
    ])
    signal.removeEventListener('abort', onAbort)
  }

  #wake(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}
