import {
  type BrokerUse,
  brokerUses,
  EventMessageSchema,
  eventPartitions,
  type CommandExchange,
  serviceNames,
  shardCount,
  type SharedQueue,
  sharedQueues,
  SubmissionHint,
  type WorkTopology,
} from '@posthorn/contracts'
import type { Channel } from 'amqplib'
import type { TSchema } from 'typebox'

/** Exchange names are part of the deployment's public face: teams may bind queues of their own to `events`. */
export const exchanges = {
  events: 'events',
  commands: 'commands',
  invalidate: 'invalidate',
  dead: 'dead',
} as const

const exchangeTypes: Readonly<Record<string, string>> = { events: 'topic', invalidate: 'fanout' }
export type ExchangeName = keyof typeof exchanges | SharedQueue

/** The durable queues there are. A changed argument needs a new name: RabbitMQ refuses to redeclare (406). */
export type WorkQueue = `webhook.events.${number}` | 'sender.submissions'

export const eventQueues: readonly WorkQueue[] = Array.from(
  { length: eventPartitions },
  (_, p): WorkQueue => `webhook.events.${p}`,
)
const workQueues: Readonly<Record<WorkTopology, readonly WorkQueue[]>> = {
  events: eventQueues,
  submissions: ['sender.submissions'],
}

export type { SharedQueue } from '@posthorn/contracts'

const everything: BrokerUse = {
  declares: ['events', 'submissions'],
  requests: ['commands', ...sharedQueues],
  serves: ['commands', ...sharedQueues],
}

/** What a process of this name does at the broker; one that is no service may be anything. */
export function useOf(name: string): BrokerUse {
  const service = serviceNames.find((candidate) => candidate === name)
  return service ? brokerUses[service] : everything
}

/** Where questions with this key, and their cancellations, go. */
export function exchangeFor(key: string): CommandExchange {
  const plain = key.startsWith('cancel.') ? key.slice('cancel.'.length) : key
  return sharedQueues.find((queue) => queue === plain) ?? 'commands'
}

/** A message is dead-lettered when it has come back more often. Always said: RabbitMQ 3.10 has no limit, 4.0 has 20. */
export const deliveryLimit = 20
/** Dead letters are evidence, the truth is in Postgres: beyond this the oldest go. */
const deadLettersKept = 100_000

/** The binding keys of an event queue: all events of the shards that fall on its partition. */
export function bindingKeys(partition: number): string[] {
  const keys: string[] = []
  for (let shard = partition; shard < shardCount; shard += eventPartitions) keys.push(`*.${shard}`)
  return keys
}

/** What may be sent to a work queue. */
export function schemaOf(queue: WorkQueue): TSchema {
  return queue === 'sender.submissions' ? SubmissionHint : EventMessageSchema
}

export function declareExchange(channel: Channel, name: ExchangeName): Promise<unknown> {
  return channel.assertExchange(name, exchangeTypes[name] ?? 'direct', { durable: true })
}

/** A work queue, where its dead letters go, and its bindings. */
export async function declareWorkQueue(channel: Channel, queue: WorkQueue): Promise<void> {
  const partition = eventQueues.indexOf(queue)
  const dead = `${queue}.dead`
  // Sent in this order without waiting for the answers one by one; the first refusal closes the channel and fails them all.
  await Promise.all([
    declareExchange(channel, 'dead'),
    channel.assertQueue(dead, {
      arguments: { 'x-queue-type': 'quorum', 'x-max-length': deadLettersKept },
    }),
    channel.bindQueue(dead, exchanges.dead, queue),
    channel.assertQueue(queue, {
      arguments: {
        'x-queue-type': 'quorum',
        'x-delivery-limit': deliveryLimit,
        'x-dead-letter-exchange': exchanges.dead,
        'x-dead-letter-routing-key': queue,
        // One reader at a time: the events of an account stay in order.
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
 * A queue that all who answer share: durable, and lost messages are none, since every question has its deadline. Where questions carry
 * passwords the queue is a classic one: a quorum queue writes every message to disk, be it persistent or not.
 */
export async function declareSharedQueue(channel: Channel, queue: SharedQueue): Promise<string> {
  await channel.assertQueue(queue, {
    arguments: isOnDisk(queue)
      ? { 'x-queue-type': 'quorum', 'x-delivery-limit': deliveryLimit }
      : { 'x-queue-type': 'classic' },
  })
  return queue
}

/** It lives on when a node of the broker dies, and is slow: whoever answers it can be asked directly as well. */
export function isOnDisk(queue: SharedQueue): boolean {
  return queue === 'credentials'
}

/** Whatever must be there before a process publishes, so that an event is routed although no dispatcher has ever run. */
export async function declareTopology(channel: Channel, { declares }: BrokerUse): Promise<void> {
  await Promise.all([
    declareExchange(channel, 'invalidate'),
    ...declares
      .flatMap((name) => workQueues[name])
      .map((queue) => declareWorkQueue(channel, queue)),
  ])
}

/** A queue of this process alone, gone with its connection. A new name each time: the broker may still hold the last one. */
export async function declareOwnQueue(channel: Channel, purpose: string): Promise<string> {
  const { queue } = await channel.assertQueue(`${purpose}.${crypto.randomUUID()}`, {
    exclusive: true,
    autoDelete: true,
    durable: false,
  })
  return queue
}
