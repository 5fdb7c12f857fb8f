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
 * Names of the RabbitMQ exchanges. The names are part of the public interface, because a deployment
 * may bind its own queues to `events`.
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
 * Durable work queues in RabbitMQ. If the arguments of a queue change, the queue needs a new name:
 * RabbitMQ rejects a declaration with other arguments (406 PRECONDITION_FAILED).
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
 * Exchanges and queues of RabbitMQ that a service uses. A RabbitMQ client whose name is not the
 * name of a service, such as a tool, may use all of them.
 */
export function brokerUseOf(name: string): BrokerUse {
  const service = serviceNames.find((candidate) => candidate === name)
  return service ? brokerUses[service] : unrestricted
}

/**
 * RabbitMQ exchange for requests with a routing key and for their cancellations. The key of a
 * single responder, such as `outbox.<sender>`, begins with the key of its service.
 */
export function exchangeFor(key: string): CommandExchange {
  const plain = key.startsWith('cancel.') ? key.slice('cancel.'.length) : key
  const serves = (queue: string) => queue === plain || plain.startsWith(`${queue}.`)
  return sharedQueues.find(serves) ?? 'commands'
}

/**
 * Maximum number of redeliveries of a bus message before the message is dead-lettered. The limit is
 * set explicitly, because RabbitMQ 3.10 has no default and RabbitMQ 4.0 has the default 20.
 */
export const deliveryLimit = 20
/**
 * Maximum number of dead letters in a queue. If there are more, RabbitMQ drops the oldest dead
 * letters. No data is lost, because Postgres holds the data.
 */
const maxDeadLetters = 100_000

/**
 * Binding keys for the event queue of a partition, which consists of several shards (groups of
 * accounts): one key per shard, for all events.
 */
export function bindingKeys(partition: number): string[] {
  const keys: string[] = []
  for (let shard = partition; shard < shardCount; shard += eventPartitions) keys.push(`*.${shard}`)
  return keys
}

/** Schema to which all RabbitMQ messages of a work queue must conform. */
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
  // Queue declarations are sent without waiting for replies. If RabbitMQ rejects a declaration, it
  // closes the channel, and all declarations fail.
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
        // `x-single-active-consumer`: only one consumer is active at a time, so that the events of
        // an account are processed in order.
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
 * Declares a request queue that all responders share. The loss of its messages is harmless, because
 * requests have deadlines. A queue whose requests carry passwords is a classic queue: a quorum
 * queue writes even transient messages to disk.
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
 * Declares the exchanges and queues to which a process publishes, so that events are routed even
 * before a consumer has started.
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
 * Declares an exclusive RabbitMQ queue of this process. The name is new for each call, because
 * RabbitMQ may not have deleted the previous queue yet.
 */
export async function declareOwnQueue(channel: Channel, purpose: string): Promise<string> {
  const { queue } = await channel.assertQueue(`${purpose}.${crypto.randomUUID()}`, {
    exclusive: true,
    autoDelete: true,
    durable: false,
  })
  return queue
}
