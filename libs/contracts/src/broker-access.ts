import type { ServiceName } from './services.ts'

// Use of RabbitMQ by each service, and the least permissions that the service's RabbitMQ user
// needs.

/**
 * Names of the request queues that all replicas of a service share. The queue, its routing key and
 * its exchange have the same name.
 */
export const sharedQueues = [
  'credentials',
  'outbox',
  'verify.imap',
  'verify.smtp',
  'verify.webhook',
] as const
export type SharedQueue = (typeof sharedQueues)[number]

/**
 * Names of the RabbitMQ exchanges for requests. Requests on `commands` go to the sync-worker that
 * holds a shard (group of accounts). Every other service that receives requests has its own
 * exchange, so that binding to an exchange is a separate permission.
 */
export type CommandExchange = 'commands' | SharedQueue

/**
 * Groups of RabbitMQ work queues. A group is declared with its exchange, bindings and dead letter
 * queues.
 */
export type WorkTopology = 'events' | 'submissions'

export interface BrokerUse {
  /**
   * Groups of work queues that the service declares. A service declares the queues from which it
   * consumes, and the queues to which it publishes, because a publisher may start first.
   */
  readonly declares: readonly WorkTopology[]
  readonly requests: readonly CommandExchange[]
  readonly serves: readonly CommandExchange[]
}

/**
 * Use of RabbitMQ by each service. In addition, all services publish and receive invalidations
 * (broadcasts that a cached value has changed), and have exclusive queues.
 */
export const brokerUses: Readonly<Record<ServiceName, BrokerUse>> = {
  'api-gateway': {
    declares: ['events', 'submissions'],
    requests: ['commands', ...sharedQueues],
    serves: [],
  },
  'sync-worker': {
    declares: ['events'],
    // A sync-worker sends commands to other sync-workers: the process that pulls from Pub/Sub
    // notifies the sync-workers that hold the accounts.
    requests: ['commands', 'credentials'],
    serves: ['commands', 'verify.imap'],
  },
  sender: {
    declares: ['events', 'submissions'],
    // Senders send requests to other senders to find out whether they are running.
    requests: ['commands', 'credentials', 'outbox'],
    serves: ['outbox', 'verify.smtp'],
  },
  'webhook-dispatcher': {
    declares: ['events'],
    requests: ['credentials'],
    serves: ['verify.webhook'],
  },
  'imap-proxy': { declares: [], requests: ['credentials'], serves: [] },
  // smtp-proxy does not declare the queue for submission hints, which tell senders about new
  // messages. If the queue does not exist, a hint is lost, and the message is sent at the next
  // sweep (periodic search of the outbox) of a sender.
  'smtp-proxy': { declares: [], requests: ['credentials'], serves: [] },
  'auth-bridge': { declares: [], requests: [], serves: ['credentials'] },
  'admin-ui': { declares: [], requests: ['credentials'], serves: [] },
}

/** RabbitMQ permissions of a user in a virtual host, each as a regular expression for names. */
export interface BrokerPermissions {
  configure: string
  write: string
  read: string
}

const workQueues: Readonly<Record<WorkTopology, { exchanges: string[]; queues: string[] }>> = {
  events: { exchanges: ['events', 'dead'], queues: ['webhook\\.events\\.[0-9]+'] },
  submissions: { exchanges: ['dead'], queues: ['sender\\.submissions'] },
}

/**
 * RabbitMQ permissions of a service's user. To bind a queue, a user needs write permission for the
 * queue and read permission for the exchange. To declare a dead letter exchange, a user needs read
 * permission for the queue. Replies use the default exchange (`amq.default`), which reaches any
 * queue by name, so responders also check `allowedRequesters`.
 */
export function permissionsOf(service: ServiceName): BrokerPermissions {
  const { declares, requests, serves } = brokerUses[service]
  const work = declares.map((name) => workQueues[name])
  const queues = work.flatMap((part) => part.queues)
  const common = [
    `${service}\\..*`,
    'invalidate',
    ...serves.map(escapeDots),
    ...work.flatMap((part) => part.exchanges),
    ...queues,
  ]
  const all = [...common, ...requests.map(escapeDots), ...queues.map((queue) => `${queue}\\.dead`)]
  return {
    configure: anyOf(all),
    write: anyOf([...all, 'amq\\.default']),
    read: anyOf(common),
  }
}

function escapeDots(name: string): string {
  return name.replaceAll('.', '\\.')
}

function anyOf(patterns: readonly string[]): string {
  return `^(${[...new Set(patterns)].join('|')})$`
}
