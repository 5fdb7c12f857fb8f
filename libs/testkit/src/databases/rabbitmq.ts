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
  /** AMQP address of an empty virtual host of one test file alone. */
  url: string
  vhost: string
  /** Lets the services in, each as a user of its own. */
  grantServices: () => Promise<void>
  /** The address for a service, once it was let in. */
  serviceUrl: (service: ServiceName) => string
  /** Closes all connections to it from the broker's side; returns how many there were. */
  closeConnections: () => Promise<number>
  drop: () => Promise<void>
}

const ownServer = sharedServer('rabbitmq', (dir) =>
  startRabbit({ dir, cache: cacheDirectory(process.env) }),
)

/** An empty virtual host: on the broker of TEST_AMQP_URL and TEST_AMQP_API, else on one started for this process. */
export async function testBus(): Promise<TestBus> {
  const { TEST_AMQP_URL: amqp, TEST_AMQP_API: api } = process.env
  const given: RabbitAddress | undefined = amqp && api ? { amqp, api } : undefined
  const address = given ?? (await ownServer.use())
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
      if (!given) await ownServer.release()
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
