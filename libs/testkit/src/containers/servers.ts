import { randomBytes } from 'node:crypto'
import { GenericContainer, getContainerRuntimeClient, ImageName, Wait } from 'testcontainers'

/** Images of Postgres and RabbitMQ, as in `deploy/compose.yaml`. */
const images = { postgres: 'postgres:18', rabbitmq: 'rabbitmq:4-management' }
const startupTimeoutMs = 180_000
const pullTimeoutMs = 300_000

/** Postgres and RabbitMQ in containers of official images. Disposal removes the containers. */
export interface ContainerServers extends AsyncDisposable {
  /** URL of an empty Postgres database, for its owner. */
  ownerUrl: string
  /** AMQP URL of the default virtual host of RabbitMQ, for an administrator. */
  amqpUrl: string
  /** URL of the RabbitMQ management API, for an administrator. */
  apiUrl: string
}

/**
 * Returns the reason why containers cannot be used on this machine. Undefined if they can be used.
 */
export async function whyNoContainers(): Promise<string | undefined> {
  try {
    const client = await getContainerRuntimeClient()
    for (const image of Object.values(images)) {
      const name = ImageName.fromString(image)
      if (!(await client.image.exists(name))) await withinPullTimeout(client.image.pull(name))
    }
    return undefined
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return reason
  }
}

/**
 * Limits the time of pulling Docker images. A machine without access to a registry may never get a
 * response.
 */
async function withinPullTimeout(pull: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const expire = () => reject(new Error('the images of the servers were not pulled in time'))
  const timer = setTimeout(expire, pullTimeoutMs)
  try {
    await Promise.race([pull, promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Starts Postgres and RabbitMQ in containers, with their own passwords and on free ports of this
 * machine.
 */
export async function startContainerServers(): Promise<ContainerServers> {
  // Ryuk, which removes containers of killed test runs, is disabled by default, because it needs
  // another image.
  process.env['TESTCONTAINERS_RYUK_DISABLED'] ??= 'true'
  const password = randomBytes(16).toString('hex')
  await using stack = new AsyncDisposableStack()
  const start = async (container: GenericContainer) => {
    const started = await container.withStartupTimeout(startupTimeoutMs).start()
    return stack.adopt(started, async () => void (await started.stop()))
  }
  const [postgres, rabbitmq] = await Promise.all([
    start(
      new GenericContainer(images.postgres)
        .withEnvironment({
          POSTGRES_USER: 'posthorn',
          POSTGRES_PASSWORD: password,
          POSTGRES_DB: 'posthorn',
        })
        .withExposedPorts(5432)
        // The start of Postgres is complete at the second log line with this text: the image first
        // starts Postgres without a network, to initialize the database.
        .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2)),
    ),
    start(
      new GenericContainer(images.rabbitmq)
        .withEnvironment({ RABBITMQ_DEFAULT_USER: 'posthorn', RABBITMQ_DEFAULT_PASS: password })
        .withExposedPorts(5672, 15_672)
        .withWaitStrategy(Wait.forLogMessage(/Server startup complete/)),
    ),
  ])
  const login = `posthorn:${password}`
  const amqp = `${rabbitmq.getHost()}:${rabbitmq.getMappedPort(5672)}`
  const api = `${rabbitmq.getHost()}:${rabbitmq.getMappedPort(15_672)}`
  const running = stack.move()
  return {
    ownerUrl: `postgres://${login}@${postgres.getHost()}:${postgres.getMappedPort(5432)}/posthorn`,
    amqpUrl: `amqp://${login}@${amqp}`,
    apiUrl: `http://${login}@${api}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
