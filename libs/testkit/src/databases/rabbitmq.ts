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

export interface TestBus {
  /**
   * AMQP address of an empty virtual host for one test file. The heartbeat of 60 s keeps
   * connections of processes that do not run for a while on a busy machine.
   */
  url: string
  vhost: string
  /** Grants access to the services, each as its own user. */
  grantServices: () => Promise<void>
  /** AMQP address for a service. Requires `grantServices`. */
  serviceUrl: (service: ServiceName) => string
  /** Closes all connections of the virtual host from the broker's side. Returns how many. */
  closeConnections: () => Promise<number>
  drop: () => Promise<void>
}

const useServer = sharedServer<RabbitAddress>('rabbitmq', configuredServer, async (directories) => {
  const server = await startRabbit(directories)
  return { address: server, destroy: () => server.destroy() }
})

/**
 * Creates an empty virtual host on the broker of TEST_AMQP_URL and TEST_AMQP_API, else on a broker
 * that is started for this process.
 */
export async function testBus(): Promise<TestBus> {
  const { address, drop } = await useServer()
  const vhost = `t-${randomBytes(8).toString('hex')}`
  const url = `${await createVhost(address, vhost)}?heartbeat=60`
  return {
    url,
    vhost,
    grantServices: () => grantServices(address, vhost),
    serviceUrl: (service) => roleUrl(url, roleOf(service)),
    closeConnections: () => closeConnections(address, vhost),
    async drop() {
      await dropVhost(address, vhost)
      await drop()
    },
  }
}

function configuredServer(): RabbitAddress | undefined {
  const { TEST_AMQP_URL: amqp, TEST_AMQP_API: api } = process.env
  return amqp && api ? { amqp, api } : undefined
}

/**
 * Starts a broker for one test file, which may stop, kill and wipe the broker. `destroy` removes
 * the broker.
 */
export async function startTestRabbit(): Promise<Rabbit> {
  return startRabbit(await serverDirectories('rabbitmq'))
}
