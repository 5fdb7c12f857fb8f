import { randomBytes } from 'node:crypto'
import { cacheDirectory } from '@posthorn/local/paths'
import { roleOf, roleUrl, type ServiceName } from '@posthorn/local/role-passwords'
import { type Rabbit, startRabbit } from '@posthorn/local/rabbitmq/server'
import {
  closeConnections,
  dropVhost,
  grantServices,
  createVhost,
  type RabbitAddress,
} from '@posthorn/local/rabbitmq/management-api'
import { createServerDirectory, sharedServer } from '../private-server.ts'

export interface TestBus {
  /** AMQP address of an empty virtual host for one test file. */
  url: string
  vhost: string
  /** Grants access to the services, each as its own user. */
  grantServices: () => Promise<void>
  /** Address for a service. Requires `grantServices`. */
  serviceUrl: (service: ServiceName) => string
  /** Closes all connections of the virtual host from the broker's side. Returns how many. */
  closeConnections: () => Promise<number>
  drop: () => Promise<void>
}

const ownServer = sharedServer('rabbitmq', (dir) =>
  startRabbit({ dir, cache: cacheDirectory(process.env) }),
)

/**
 * Creates an empty virtual host on the broker of TEST_AMQP_URL and TEST_AMQP_API, else on one that
 * is started for this process.
 */
export async function testBus(): Promise<TestBus> {
  const { TEST_AMQP_URL: amqp, TEST_AMQP_API: api } = process.env
  const configured: RabbitAddress | undefined = amqp && api ? { amqp, api } : undefined
  const address = configured ?? (await ownServer.use())
  const vhost = `t-${randomBytes(8).toString('hex')}`
  const url = await createVhost(address, vhost)
  return {
    url,
    vhost,
    grantServices: () => grantServices(address, vhost),
    serviceUrl: (service) => roleUrl(url, roleOf(service)),
    closeConnections: () => closeConnections(address, vhost),
    async drop() {
      await dropVhost(address, vhost)
      if (!configured) await ownServer.release()
    },
  }
}

export type { Rabbit } from '@posthorn/local/rabbitmq/server'

/** Starts a broker for one test file, which may stop, kill and wipe it. `destroy` removes it. */
export async function startTestRabbit(): Promise<Rabbit> {
  return startRabbit({
    dir: await createServerDirectory('rabbitmq'),
    cache: cacheDirectory(process.env),
  })
}
