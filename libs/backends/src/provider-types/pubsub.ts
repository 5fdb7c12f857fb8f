// Types of the Cloud Pub/Sub API v1. Written by `make provider-types`, do not edit.

/** Resource `AcknowledgeRequest`. */
export interface PubSubAcknowledgeRequest {
  ackIds?: string[]
}

/** Resource `Binding`. */
export interface PubSubBinding {
  condition?: PubSubExpr
  members?: string[]
  role?: string
}

/** Resource `ExpirationPolicy`. */
export interface PubSubExpirationPolicy {
  ttl?: string
}

/** Resource `Expr`. */
export interface PubSubExpr {
  description?: string
  expression?: string
  location?: string
  title?: string
}

/** Resource `ModifyAckDeadlineRequest`. */
export interface PubSubModifyAckDeadlineRequest {
  ackDeadlineSeconds?: number
  ackIds?: string[]
}

/** Resource `OidcToken`. */
export interface PubSubOidcToken {
  audience?: string
  serviceAccountEmail?: string
}

/** Resource `Policy`. */
export interface PubSubPolicy {
  version?: number
  bindings?: PubSubBinding[]
  etag?: string
}

/** Resource `PubsubMessage`. */
export interface PubSubMessage {
  attributes?: Record<string, string>
  data?: string
  messageId?: string
  orderingKey?: string
  publishTime?: string
}

/** Resource `PullRequest`. */
export interface PubSubPullRequest {
  maxMessages?: number
  returnImmediately?: boolean
}

/** Resource `PullResponse`. */
export interface PubSubPullResponse {
  receivedMessages?: PubSubReceivedMessage[]
}

/** Resource `PushConfig`. */
export interface PubSubPushConfig {
  pushEndpoint?: string
  oidcToken?: PubSubOidcToken
  attributes?: Record<string, string>
}

/** Resource `ReceivedMessage`. */
export interface PubSubReceivedMessage {
  ackId?: string
  deliveryAttempt?: number
  message?: PubSubMessage
}

/** Resource `SetIamPolicyRequest`. */
export interface PubSubSetIamPolicyRequest {
  policy?: PubSubPolicy
}

/** Resource `Subscription`. */
export interface PubSubSubscription {
  name?: string
  topic?: string
  pushConfig?: PubSubPushConfig
  ackDeadlineSeconds?: number
  expirationPolicy?: PubSubExpirationPolicy
  messageRetentionDuration?: string
  labels?: Record<string, string>
  state?: 'STATE_UNSPECIFIED' | 'ACTIVE' | 'RESOURCE_ERROR'
}

/** Resource `Topic`. */
export interface PubSubTopic {
  name?: string
  labels?: Record<string, string>
  state?: 'STATE_UNSPECIFIED' | 'ACTIVE' | 'INGESTION_RESOURCE_ERROR'
}
