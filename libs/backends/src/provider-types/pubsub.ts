// Types of the Cloud Pub/Sub API v1. Written by `make provider-types`, do not edit.

/** Resource `AcknowledgeRequest`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubAcknowledgeRequest {
  ackIds?: string[]
}

/** Resource `Binding`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubBinding {
  condition?: PubSubExpr
  members?: string[]
  role?: string
}

/** Resource `ExpirationPolicy`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubExpirationPolicy {
  ttl?: string
}

/** Resource `Expr`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubExpr {
  description?: string
  expression?: string
  location?: string
  title?: string
}

/** Resource `ModifyAckDeadlineRequest`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubModifyAckDeadlineRequest {
  ackDeadlineSeconds?: number
  ackIds?: string[]
}

/** Resource `OidcToken`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubOidcToken {
  audience?: string
  serviceAccountEmail?: string
}

/** Resource `Policy`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubPolicy {
  version?: number
  bindings?: PubSubBinding[]
  etag?: string
}

/** Resource `PubsubMessage`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubMessage {
  attributes?: Record<string, string>
  data?: string
  messageId?: string
  orderingKey?: string
  publishTime?: string
}

/** Resource `PullRequest`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubPullRequest {
  maxMessages?: number
  returnImmediately?: boolean
}

/** Resource `PullResponse`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubPullResponse {
  receivedMessages?: PubSubReceivedMessage[]
}

/** Resource `PushConfig`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubPushConfig {
  pushEndpoint?: string
  oidcToken?: PubSubOidcToken
  attributes?: Record<string, string>
}

/** Resource `ReceivedMessage`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubReceivedMessage {
  ackId?: string
  deliveryAttempt?: number
  message?: PubSubMessage
}

/** Resource `SetIamPolicyRequest`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubSetIamPolicyRequest {
  policy?: PubSubPolicy
}

/** Resource `Subscription`, as defined in Cloud Pub/Sub API v1. */
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

/** Resource `Topic`, as defined in Cloud Pub/Sub API v1. */
export interface PubSubTopic {
  name?: string
  labels?: Record<string, string>
  state?: 'STATE_UNSPECIFIED' | 'ACTIVE' | 'INGESTION_RESOURCE_ERROR'
}
