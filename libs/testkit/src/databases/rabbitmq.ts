import { randomBytes } from 'node:crypto'
import { roleOf, roleUrl, type ServiceName } from '@posthorn/local/role-passwords'
import { type Rabbit, startRabbit } from '@posthorn/local/rabbitmq/server'
import {
  closeConnections,
  dropVhost,
  grantServices,
  createVhost,
  type RabbitAddress,
} from '@posthorn/local/rabbitmq/management-api'
import { serverDirectories, sharedServer } from '../private-server.ts'
import { returnVhost, takeVhost } from './vhost-stock.ts'

export interface TestBus {
  /**
   * AMQP URL of an empty virtual host for one test file. Its heartbeat of 60 s keeps the
   * connections of processes that are suspended for a while on a busy machine.
   */
  url: string
  vhost: string
  /** RabbitMQ server of the virtual host. */
  address: RabbitAddress
  /** Grants the services access to the virtual host of RabbitMQ. Each service has its own user. */
  grantServices: () => Promise<void>
  /** AMQP URL for a service. Requires `grantServices`. */
  serviceUrl: (service: ServiceName) => string
  /**
   * Closes all connections of the virtual host on the side of RabbitMQ. Returns the number of
   * closed connections.
   */
  closeConnections: () => Promise<number>
  drop: () => Promise<void>
}

const useServer = sharedServer<RabbitAddress>('rabbitmq', configuredServer, async (directories) => {
  const server = await startRabbit(directories)
  return { address: server, destroy: () => server.destroy() }
})

/**
 * Creates an empty virtual host on a RabbitMQ broker. Uses the broker of TEST_AMQP_URL and
 * TEST_AMQP_API, or starts a broker for this process. With `reuse`, the virtual host may come from
 * a test file that has ended, and then has work queues without messages. A test that passes `reuse`
 * must not change the arguments or bindings of work queues.
 */
export async function testBus({ reuse = false } = {}): Promise<TestBus> {
  const { address, drop } = await useServer()
  const used = reuse ? await takeVhost(address) : undefined
  const vhost = used ?? `t-${randomBytes(8).toString('hex')}`
  const url = `${await createVhost(address, vhost)}?heartbeat=60`
  return {
    url,
    vhost,
    address,
    grantServices: () => grantServices(address, vhost),
    serviceUrl: (service) => roleUrl(url, roleOf(service)),
    closeConnections: () => closeConnections(address, vhost),
    async drop() {
      const remove = () => dropVhost(address, vhost)
      // A virtual host that cannot be used again, for example because a client is still connected,
      // is deleted.
      await (reuse ? returnVhost(address, vhost).catch(remove) : remove())
      await drop()
    },
  }
}

function configuredServer(): RabbitAddress | undefined {
  const { TEST_AMQP_URL: amqp, TEST_AMQP_API: api } = process.env
  return amqp && api ? { amqp, api } : undefined
}

/**
 * Starts a RabbitMQ broker for one test file. The test file may stop, kill and wipe the broker.
 * `destroy` removes the broker.
 */
export async function startTestRabbit(): Promise<Rabbit> {
  return startRabbit(await serverDirectories('rabbitmq'))
}
