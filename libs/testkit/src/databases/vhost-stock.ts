import { createHash } from 'node:crypto'
import { mkdir, readdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localDirectory } from '@posthorn/local/paths'
import {
  listConnections,
  listNames,
  type RabbitAddress,
} from '@posthorn/local/rabbitmq/management-api'
import { type Channel, connect } from 'amqplib'
import { eventually } from '../eventually.ts'

// Stock of virtual hosts of RabbitMQ whose test files have ended. Later test files reuse these
// virtual hosts, because RabbitMQ needs almost a second of CPU time to declare the work queues.

/** Queues that stay in a virtual host: work queues and queues of dead letters. */
const keptQueues = /^(?:webhook\.events\.\d+|sender\.submissions)(?:\.dead)?$/
/** Exchanges that stay in a virtual host. The names of built-in exchanges begin with `amq.`. */
const keptExchanges = /^(?:|amq\..*|events|commands|invalidate|dead)$/

/** Takes a virtual host out of the stock. Returns undefined if the stock is empty. */
export async function takeVhost(address: RabbitAddress): Promise<string | undefined> {
  const dir = directoryOf(address)
  for (const name of await readdir(dir).catch(() => [])) {
    // If several test processes try to take a virtual host, one process succeeds in the deletion.
    const isTaken = await unlink(join(dir, name)).then(
      () => true,
      () => false,
    )
    if (isTaken) return name
  }
  return undefined
}

/**
 * Removes what a test file left in a virtual host, and puts the virtual host into the stock.
 * @throws Error if clients are still connected, because these clients could disturb other tests
 */
export async function returnVhost(address: RabbitAddress, vhost: string): Promise<void> {
  await emptyVhost(address, vhost)
  const dir = directoryOf(address)
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, vhost), '')
}

/** Directory with a file for each virtual host in the stock of a RabbitMQ server. */
function directoryOf({ amqp }: RabbitAddress): string {
  const server = createHash('sha256').update(amqp).digest('hex').slice(0, 16)
  return join(localDirectory, 'vhosts', server)
}

/** Maximum time in milliseconds until RabbitMQ has removed the closed connections of clients. */
const maxCloseMs = 3_000

/**
 * Empties the work queues of a virtual host, and deletes all other queues and exchanges.
 * @throws Error if clients are still connected
 */
export async function emptyVhost(address: RabbitAddress, vhost: string): Promise<void> {
  await eventually(async () => (await listConnections(address, vhost)).length === 0, {
    timeoutMs: maxCloseMs,
  })
  const connection = await connect(`${address.amqp}/${encodeURIComponent(vhost)}`)
  try {
    const channel = await connection.createChannel()
    channel.on('error', () => undefined) // the failed operation of the AMQP channel rejects
    for (const name of await listNames(address, vhost, 'queues'))
      await (keptQueues.test(name) ? emptyQueue(channel, name) : channel.deleteQueue(name))
    for (const name of await listNames(address, vhost, 'exchanges'))
      if (!keptExchanges.test(name)) await channel.deleteExchange(name)
  } finally {
    await connection.close()
  }
}

/**
 * Deletes all messages of a queue, also the unacknowledged messages of closed connections. RabbitMQ
 * makes these messages ready again when it removes the consumers of the connections.
 */
async function emptyQueue(channel: Channel, name: string): Promise<void> {
  await eventually(async () => {
    const { messageCount, consumerCount } = await channel.checkQueue(name)
    if (messageCount > 0) await channel.purgeQueue(name)
    return messageCount === 0 && consumerCount === 0
  })
}
