import type { ServiceName } from './services.ts'

// What each service does at RabbitMQ: what it declares there, and the permissions that its user needs for that and no more.

/** The queues of questions that any replica of a service can answer; the key is the queue's name, and so is the exchange. */
export const sharedQueues = ['credentials', 'outbox', 'verify.imap', 'verify.smtp'] as const
export type SharedQueue = (typeof sharedQueues)[number]

/** Where questions go: those to the holder of a shard all by `commands`. An exchange for each who answers, so that reading along is a permission of its own. */
export type CommandExchange = 'commands' | SharedQueue

/** Work queues with all that leads to them: their exchange, bindings and dead letters. */
export type WorkTopology = 'events' | 'submissions'

export interface BrokerUse {
  /** Whoever publishes to work queues and must not lose anything declares them, for it may be the first to start; whoever reads them does as well. */
  readonly declares: readonly WorkTopology[]
  readonly requests: readonly CommandExchange[]
  readonly serves: readonly CommandExchange[]
}

/** Every service also tells of and hears invalidations, and has queues of its own process. */
export const brokerUses: Readonly<Record<ServiceName, BrokerUse>> = {
  'api-gateway': {
    declares: ['events', 'submissions'],
    requests: ['commands', ...sharedQueues],
    serves: [],
  },
  'sync-worker': {
    declares: ['events'],
    requests: ['credentials'],
    serves: ['commands', 'verify.imap'],
  },
  sender: {
    declares: ['events', 'submissions'],
    requests: ['commands', 'credentials'],
    serves: ['outbox', 'verify.smtp'],
  },
  'webhook-dispatcher': { declares: ['events'], requests: ['credentials'], serves: [] },
  'imap-proxy': { declares: [], requests: ['credentials'], serves: [] },
  // What it submits it hints at; a hint that no queue takes costs the time until the sender's sweep.
  'smtp-proxy': { declares: [], requests: ['credentials'], serves: [] },
  'auth-bridge': { declares: [], requests: [], serves: ['credentials'] },
}

/** Three regular expressions, as RabbitMQ takes them for a user and a virtual host. */
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
 * What the user of a service may do. To bind a queue takes writing to the queue and reading the exchange; to make one with dead letters
 * takes reading it. Answers go to a process by the default exchange (`amq.default`), by which one reaches any queue whose name one knows:
 * that somebody could ask something is no reason to answer, see `askersOf`.
 */
export function permissionsOf(service: ServiceName): BrokerPermissions {
  const { declares, requests: asks, serves: answers } = brokerUses[service]
  const own = `${service}\\..*`
  const asked = asks.map(escapeDots)
  const answered = answers.map(escapeDots)
  const work = declares.map((name) => workQueues[name])
  const exchanges = work.flatMap((part) => part.exchanges)
  const queues = work.flatMap((part) => part.queues)
  const dead = queues.map((queue) => `${queue}\\.dead`)
  return {
    configure: anyOf([own, 'invalidate', ...asked, ...answered, ...exchanges, ...queues, ...dead]),
    write: anyOf([
      own,
      'amq\\.default',
      'invalidate',
      ...asked,
      ...answered,
      ...exchanges,
      ...queues,
      ...dead,
    ]),
    read: anyOf([own, 'invalidate', ...answered, ...exchanges, ...queues]),
  }
}

function escapeDots(name: string): string {
  return name.replaceAll('.', '\\.')
}

function anyOf(patterns: readonly string[]): string {
  return `^(${[...new Set(patterns)].join('|')})$`
}
