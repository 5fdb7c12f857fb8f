/** Pub/Sub resource `Policy`: access policy of a topic. */
export interface FakePolicy {
  bindings?: { role?: string; members?: string[] }[]
  etag?: string
}

/** Pub/Sub resource `PubsubMessage`. */
export interface FakePubSubMessage {
  data: string
  messageId: string
  publishTime: string
}

/** Pub/Sub resource `PushConfig`: push endpoint of a subscription. */
export interface FakePushConfig {
  pushEndpoint?: string
  oidcToken?: { serviceAccountEmail?: string; audience?: string }
  /**
   * If set, the body of a Pub/Sub push is the data of the message. If absent, the body is JSON with
   * a member `message`.
   */
  noWrapper?: { writeMetadata?: boolean }
}

/** Members of the Pub/Sub resource `Subscription` that are stored. */
export interface FakeSubscriptionResource {
  name: string
  topic: string
  ackDeadlineSeconds: number
  expirationPolicy?: { ttl?: string }
  pushConfig?: FakePushConfig
}

interface Delivery {
  message: FakePubSubMessage
  attempts: number
}

/** Pub/Sub subscription with the messages that have not been acknowledged. */
export interface FakeSubscription {
  resource: FakeSubscriptionResource
  /** Messages of a Pub/Sub subscription that are due for delivery, oldest first. */
  waiting: Delivery[]
  /** Delivered messages by `ackId`, until their deadline in virtual time has passed. */
  outstanding: Map<string, Delivery & { dueAt: number }>
  /** Number of pull requests that wait for a message of the Pub/Sub subscription. */
  openPulls: number
  /** Messages that the subscriber of the Pub/Sub subscription has acknowledged. */
  acknowledged: FakePubSubMessage[]
}
