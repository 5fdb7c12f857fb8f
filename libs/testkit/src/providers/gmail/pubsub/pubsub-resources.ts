/** Resource `Policy`. */
export interface FakePolicy {
  bindings?: { role?: string; members?: string[] }[]
  etag?: string
}

/** Resource `PubsubMessage`. */
export interface FakePubSubMessage {
  data: string
  messageId: string
  publishTime: string
}

/** Resource `PushConfig`. */
export interface FakePushConfig {
  pushEndpoint?: string
  oidcToken?: { serviceAccountEmail?: string; audience?: string }
  /** The body is the data of the message. Without it, a member `message` of JSON contains it. */
  noWrapper?: { writeMetadata?: boolean }
}

/** Resource `Subscription`, as far as it is stored. */
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

/** Subscription with the messages that were not acknowledged. */
export interface FakeSubscription {
  resource: FakeSubscriptionResource
  /** Messages to deliver, oldest first. */
  waiting: Delivery[]
  /** Delivered messages by `ackId`, until their deadline in virtual time. */
  outstanding: Map<string, Delivery & { dueAt: number }>
  /** Pulls that wait for a message. */
  openPulls: number
  /** Messages that the subscriber has acknowledged. */
  acknowledged: FakePubSubMessage[]
}
