import type { ProviderHandler } from '../../provider-fake.ts'
import type { ProviderRequest, ProviderResponse } from '../../requests.ts'
import type { GmailState } from '../gmail-state.ts'
import type { FakePolicy, FakeSubscription, FakeSubscriptionResource } from './pubsub-resources.ts'

/** Error in the format of Pub/Sub, which has no list `errors`. */
class PubSubFailure extends Error {
  readonly response: ProviderResponse

  constructor(code: number, status: string, message: string) {
    super(message)
    this.response = { status: code, body: { error: { code, message, status } } }
  }
}

const pubSubScopes = ['auth/pubsub', 'auth/cloud-platform']
/** Maximum messages per pull ("Quotas and limits" of Pub/Sub). */
const maxPulled = 1_000
const defaultAckSeconds = 10
const deadlineLimits = { min: 10, max: 600 }
/** Default lifetime of an unused Pub/Sub subscription: 31 days. */
const defaultTtl = '2678400s'

type Handler = (request: ProviderRequest) => object | Promise<object>

/** Handlers of Cloud Pub/Sub by the ids of the published description. */
export function pubSubHandlers(gmail: GmailState): Record<string, ProviderHandler> {
  const handlers = { ...topicHandlers(gmail), ...subscriptionHandlers(gmail) }
  return Object.fromEntries(
    Object.entries(handlers).map(([id, handler]) => [
      `pubsub.projects.${id}`,
      async (request) => {
        try {
          assertScope(gmail, request)
          return { body: await handler(request) }
        } catch (error) {
          if (error instanceof PubSubFailure) return error.response
          throw error
        }
      },
    ]),
  )
}

function topicHandlers({ pubsub }: GmailState): Record<string, Handler> {
  const policyOf = (request: ProviderRequest): FakePolicy => {
    const policy = pubsub.topics.get(topicName(request))
    return policy ?? notFound(topicName(request))
  }
  return {
    'topics.create': (request) => {
      const name = topicName(request)
      if (pubsub.topics.has(name)) alreadyExists(name)
      pubsub.topics.set(name, { etag: pubsub.newEtag() })
      return { name }
    },
    'topics.get': (request) => {
      policyOf(request)
      return { name: topicName(request) }
    },
    'topics.delete': (request) => {
      policyOf(request)
      pubsub.deleteTopic(topicName(request))
      return {}
    },
    'topics.getIamPolicy': policyOf,
    'topics.setIamPolicy': (request) => {
      const { etag } = policyOf(request)
      const { policy = {} } = request.body as { policy?: FakePolicy }
      // Refuses an access policy of Pub/Sub if another client has changed the policy since it was
      // read.
      if (policy.etag !== undefined && policy.etag !== etag)
        throw new PubSubFailure(409, 'ABORTED', 'There were concurrent policy changes.')
      const stored = { ...policy, etag: pubsub.newEtag() }
      pubsub.topics.set(topicName(request), stored)
      return stored
    },
  }
}

function subscriptionHandlers({ pubsub }: GmailState): Record<string, Handler> {
  const subscriptionOf = (request: ProviderRequest): FakeSubscription =>
    pubsub.subscriptions.get(subscriptionName(request)) ?? notFound(subscriptionName(request))
  return {
    'subscriptions.create': (request) => {
      const name = subscriptionName(request)
      const input = request.body as Partial<FakeSubscriptionResource>
      if (pubsub.subscriptions.has(name)) alreadyExists(name)
      if (!pubsub.topics.has(input.topic ?? '')) notFound(input.topic ?? '')
      return pubsub.addSubscription(toResource(name, input)).resource
    },
    'subscriptions.get': (request) => subscriptionOf(request).resource,
    'subscriptions.delete': (request) => {
      subscriptionOf(request)
      pubsub.deleteSubscription(subscriptionName(request))
      return {}
    },
    'subscriptions.patch': (request) => {
      const { resource } = subscriptionOf(request)
      const { subscription = {}, updateMask = '' } = request.body as {
        subscription?: Partial<FakeSubscriptionResource>
        updateMask?: string
      }
      if (updateMask === '') invalid('The update mask is empty')
      const changes = updateMask.split(',').map((name) => [name, Reflect.get(subscription, name)])
      return Object.assign(resource, Object.fromEntries(changes))
    },
    'subscriptions.modifyPushConfig': (request) => {
      const { resource } = subscriptionOf(request)
      resource.pushConfig = (request.body as FakeSubscriptionResource).pushConfig ?? {}
      return {}
    },
    'subscriptions.pull': async (request) => {
      const { maxMessages = 0 } = request.body as { maxMessages?: number }
      if (maxMessages < 1) invalid('The value for max_messages is too small')
      const subscription = subscriptionOf(request)
      const max = Math.min(maxMessages, maxPulled)
      const receivedMessages = await pubsub.pull(subscription, max, request.signal)
      if (!receivedMessages) return notFound(subscriptionName(request))
      return receivedMessages.length > 0 ? { receivedMessages } : {}
    },
    'subscriptions.acknowledge': (request) => {
      const { ackIds = [] } = request.body as { ackIds?: string[] }
      pubsub.acknowledge(subscriptionOf(request), ackIds)
      return {}
    },
    'subscriptions.modifyAckDeadline': (request) => {
      const { ackIds = [], ackDeadlineSeconds = 0 } = request.body as {
        ackIds?: string[]
        ackDeadlineSeconds?: number
      }
      pubsub.modifyDeadline(subscriptionOf(request), ackIds, ackDeadlineSeconds)
      return {}
    },
  }
}

/**
 * Converts a request to a Pub/Sub subscription. A deadline of 0, or a missing deadline, becomes the
 * default.
 */
function toResource(
  name: string,
  {
    topic = '',
    expirationPolicy,
    pushConfig,
    ackDeadlineSeconds,
  }: Partial<FakeSubscriptionResource>,
): FakeSubscriptionResource {
  const seconds = ackDeadlineSeconds || defaultAckSeconds
  if (seconds < deadlineLimits.min || seconds > deadlineLimits.max)
    invalid('Invalid ack_deadline_seconds')
  return {
    name,
    topic,
    ackDeadlineSeconds: seconds,
    expirationPolicy: expirationPolicy ?? { ttl: defaultTtl },
    pushConfig: pushConfig ?? {},
  }
}

function assertScope(gmail: GmailState, { headers }: ProviderRequest): void {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  const grant = gmail.tokens.get(token)
  if (!grant || grant.expiresAt <= gmail.clock.now)
    throw new PubSubFailure(
      401,
      'UNAUTHENTICATED',
      'Request had invalid authentication credentials.',
    )
  if (!grant.scopes.some((scope) => pubSubScopes.some((each) => scope.endsWith(each))))
    throw new PubSubFailure(
      403,
      'PERMISSION_DENIED',
      'Request had insufficient authentication scopes.',
    )
}

function topicName({ params }: ProviderRequest): string {
  return `projects/${params['projectsId']}/topics/${params['topicsId']}`
}

function subscriptionName({ params }: ProviderRequest): string {
  return `projects/${params['projectsId']}/subscriptions/${params['subscriptionsId']}`
}

function notFound(name: string): never {
  const resource = name.split('/').at(-1)
  throw new PubSubFailure(404, 'NOT_FOUND', `Resource not found (resource=${resource}).`)
}

function alreadyExists(name: string): never {
  const resource = name.split('/').at(-1)
  throw new PubSubFailure(409, 'ALREADY_EXISTS', `Resource already exists (resource=${resource}).`)
}

function invalid(message: string): never {
  throw new PubSubFailure(400, 'INVALID_ARGUMENT', message)
}
