import {
  type BrokerUse,
  brokerUses,
  type CommandExchange,
  type SharedQueue,
  sharedQueues,
  type WorkTopology,
} from '@posthorn/contracts/broker-access'
import { EventMessageSchema } from '@posthorn/contracts/events/envelope'
import { SubmissionHint } from '@posthorn/contracts/hints'
import { serviceNames } from '@posthorn/contracts/services'
import { eventPartitions, shardCount } from '@posthorn/contracts/shards'
import type { Channel } from 'amqplib'
import type { TSchema } from 'typebox'

/**
 * Names of the RabbitMQ exchanges. The names are public: a deployment may bind its own queues to
 * `events`.
 */
export const exchanges = {
  events: 'events',
  commands: 'commands',
  invalidate: 'invalidate',
  dead: 'dead',
} as const

const exchangeTypes: Readonly<Record<string, string>> = { events: 'topic', invalidate: 'fanout' }
export type ExchangeName = keyof typeof exchanges | SharedQueue

/**
 * Durable work queues in RabbitMQ. Changed arguments need a new queue name, because RabbitMQ
 * rejects a redeclaration with other arguments (406 PRECONDITION_FAILED).
 */
export type WorkQueue = `webhook.events.${number}` | 'sender.submissions'

export const eventQueues: readonly WorkQueue[] = Array.from(
  { length: eventPartitions },
  (_, p): WorkQueue => `webhook.events.${p}`,
)
const workQueues: Readonly<Record<WorkTopology, readonly WorkQueue[]>> = {
  events: eventQueues,
  submissions: ['sender.submissions'],
}

export type { SharedQueue } from '@posthorn/contracts/broker-access'

const unrestricted: BrokerUse = {
  declares: ['events', 'submissions'],
  requests: ['commands', ...sharedQueues],
  serves: ['commands', ...sharedQueues],
}

/**
 * Exchanges and queues of RabbitMQ that a service uses. Names that are no service, such as tools,
 * are unrestricted.
 */
export function brokerUseOf(name: string): BrokerUse {
  const service = serviceNames.find((candidate) => candidate === name)
  return service ? brokerUses[service] : unrestricted
}

/**
 * RabbitMQ exchange of the requests with this key, and of their cancellations. The key of one
 * responder, such as `outbox.<sender>`, begins with the key of its service.
 */
export function exchangeFor(key: string): CommandExchange {
  const plain = key.startsWith('cancel.') ? key.slice('cancel.'.length) : key
  const serves = (queue: string) => queue === plain || plain.startsWith(`${queue}.`)
  return sharedQueues.find(serves) ?? 'commands'
}

/**
 * Redeliveries of a bus message before dead-lettering. Set explicitly: RabbitMQ 3.10 has no limit,
 * 4.0 has 20.
 */
export const deliveryLimit = 20
/**
 * Maximum dead letters in a queue. Beyond the maximum the oldest dead letters are dropped: Postgres
 * holds the data.
 */
const maxDeadLetters = 100_000

/** Binding keys of an event queue: all events of the shards of its partition. */
export function bindingKeys(partition: number): string[] {
  const keys: string[] = []
  for (let shard = partition; shard < shardCount; shard += eventPartitions) keys.push(`*.${shard}`)
  return keys
}

/** Schema of the bus messages of a work queue. */
export function schemaOf(queue: WorkQueue): TSchema {
  return queue === 'sender.submissions' ? SubmissionHint : EventMessageSchema
}

export function declareExchange(channel: Channel, name: ExchangeName): Promise<unknown> {
  return channel.assertExchange(name, exchangeTypes[name] ?? 'direct', { durable: true })
}

/** Declares a work queue in RabbitMQ with its dead letter queue and bindings. */
export async function declareWorkQueue(channel: Channel, queue: WorkQueue): Promise<void> {
  const partition = eventQueues.indexOf(queue)
  const dead = `${queue}.dead`
  // Declarations of queues are pipelined. The first rejection closes the channel and fails all
  // declarations.
  await Promise.all([
    declareExchange(channel, 'dead'),
    channel.assertQueue(dead, {
      arguments: { 'x-queue-type': 'quorum', 'x-max-length': maxDeadLetters },
    }),
    channel.bindQueue(dead, exchanges.dead, queue),
    channel.assertQueue(queue, {
      arguments: {
        'x-queue-type': 'quorum',
        'x-delivery-limit': deliveryLimit,
        'x-dead-letter-exchange': exchanges.dead,
        'x-dead-letter-routing-key': queue,
        // A single active consumer preserves the order of the events of an account.
        ...(partition < 0 ? {} : { 'x-single-active-consumer': true }),
      },
    }),
    ...(partition < 0 ? [] : [bindEvents(channel, queue, partition)]),
  ])
}

async function bindEvents(channel: Channel, queue: WorkQueue, partition: number): Promise<void> {
  await Promise.all([
    declareExchange(channel, 'events'),
    ...bindingKeys(partition).map((key) => channel.bindQueue(queue, exchanges.events, key)),
  ])
}

/**
 * Declares a request queue shared by all responders. Losing its messages is harmless, because
 * requests have deadlines. Queues whose requests carry passwords are classic queues: a quorum queue
 * writes even transient messages to disk.
 */
export async function declareSharedQueue(channel: Channel, queue: SharedQueue): Promise<string> {
  await channel.assertQueue(queue, {
    arguments: isOnDisk(queue)
      ? { 'x-queue-type': 'quorum', 'x-delivery-limit': deliveryLimit }
      : { 'x-queue-type': 'classic' },
  })
  return queue
}

/**
 * True for a shared request queue that is a quorum queue. A quorum queue survives the loss of a
 * broker node but is slow, so its responders also have direct queues.
 */
export function isOnDisk(queue: SharedQueue): boolean {
  return queue === 'credentials'
}

/**
 * Declares the exchanges and queues that a process publishes to, so that events are routed before
 * any consumer started.
 */
export async function declareTopology(channel: Channel, { declares }: BrokerUse): Promise<void> {
  await Promise.all([
    declareExchange(channel, 'invalidate'),
    ...declares
      .flatMap((name) => workQueues[name])
      .map((queue) => declareWorkQueue(channel, queue)),
  ])
}

/**
 * Declares an exclusive queue of this process. The queue has a new name each time: RabbitMQ may not
 * have deleted the last queue.
 */
export async function declareOwnQueue(channel: Channel, purpose: string): Promise<string> {
  const { queue } = await channel.assertQueue(`${purpose}.${crypto.randomUUID()}`, {
    exclusive: true,
    autoDelete: true,
    durable: false,
  })
  return queue
}
