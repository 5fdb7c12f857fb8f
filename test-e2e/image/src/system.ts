import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkout } from '@posthorn/local/paths'
import { rolePasswords, coreServices, type ServiceName } from '@posthorn/local/role-passwords'
import { serviceEnv } from '@posthorn/local/system/service-env'
import {
  Network,
  startContainer,
  startRestrictedContainer,
  type StartedNetwork,
  type StartedTestContainer,
  Wait,
} from '@posthorn/testkit/containers'
import { gatewayOf } from './containers.ts'
import { readLimits } from './limits.ts'
import type { TestImages } from './test-images.ts'

/** System in containers: Postgres, RabbitMQ and the seven services of the image. */
export interface ContainerSystem extends AsyncDisposable {
  /** URL of the API for clients on this machine. */
  url: string
  imapProxyPort: number
  /** Address by which containers reach this machine. */
  gateway: string
  services: Readonly<Record<ServiceName, StartedTestContainer>>
}

const healthPort = 3000
const imapProxyPort = 2993

/** Folder for the logs of the containers. */
const logs = join(checkout, '.local/test-image/log')

/**
 * Starts Postgres and RabbitMQ in containers, runs the jobs of a release, then starts the services.
 */
export async function startContainerSystem(images: TestImages): Promise<ContainerSystem> {
  rmSync(logs, { recursive: true, force: true })
  mkdirSync(logs, { recursive: true })
  await using stack = new AsyncDisposableStack()
  const network = stack.use(await new Network().start())
  const context: Context = {
    images,
    network,
    stack,
    limits: readLimits(join(checkout, 'k8s/base')),
  }
  await startServers(context)
  await runJobs(context)
  const services = await startServices(context)
  const owner = stack.move()
  return {
    url: `http://127.0.0.1:${services['api-gateway'].getMappedPort(healthPort)}`,
    imapProxyPort: services['imap-proxy'].getMappedPort(imapProxyPort),
    gateway: await gatewayOf(network),
    services,
    [Symbol.asyncDispose]: () => owner.disposeAsync(),
  }
}

interface Context {
  images: TestImages
  network: StartedNetwork
  stack: AsyncDisposableStack
  limits: ReturnType<typeof readLimits>
}

const ownerUrlOf = ({ secrets }: TestImages) =>
  `postgres://posthorn:${secrets.postgres}@postgres:5432/posthorn`
const amqpUrlOf = ({ secrets }: TestImages) => `amqp://posthorn:${secrets.rabbitmq}@rabbitmq:5672`

async function startServers({ images, network, stack }: Context): Promise<void> {
  const start = async (name: 'postgres' | 'rabbitmq', ready: RegExp) =>
    stack.use(
      await startContainer({
        image: images.servers,
        name,
        network,
        logs,
        command: [`${name}.sh`],
        user: name,
        env: { PASSWORD: images.secrets[name] },
        wait: Wait.forLogMessage(ready),
      }),
    )
  await settleAll([
    start('postgres', /listening on IPv4 address/),
    start('rabbitmq', /Server startup complete/),
  ])
}

/** Runs the one-time jobs of a release in containers to their end. Each job must exit with 0. */
async function runJobs(context: Context): Promise<void> {
  const { images } = context
  const ownerUrl = ownerUrlOf(images)
  const amqpUrl = amqpUrlOf(images)
  const job = (name: string, env: Record<string, string>) =>
    startProcess(context, { name, env, wait: Wait.forOneShotStartup() })
  await settleAll([
    job('migrate', {
      DATABASE_OWNER_URL: ownerUrl,
      SVC_DATABASE_ROLE_PASSWORDS: JSON.stringify(rolePasswords(ownerUrl)),
    }),
    job('broker-users', {
      AMQP_ADMIN_URL: amqpUrl.replace('amqp:', 'http:').replace(':5672', ':15672'),
      SVC_AMQP_PASSWORDS: JSON.stringify(rolePasswords(amqpUrl)),
    }),
  ])
}

async function startServices(context: Context): Promise<ContainerSystem['services']> {
  const { secrets } = context.images
  const shared = {
    ownerUrl: ownerUrlOf(context.images),
    amqpUrl: amqpUrlOf(context.images),
    amqpUsers: true,
    secret: secrets.secret,
    token: secrets.token,
    bind: '0.0.0.0',
    // The shutdown timeout is longer than by default, because a shutdown takes longer on a busy
    // machine.
    env: { SVC_SHUTDOWN_TIMEOUT: '60s' },
    settings: {
      serviceSecret: secrets.serviceSecret,
      serviceUrl: 'http://api-gateway:3000',
      imapProxyServerEnabled: true,
      imapProxyServerHost: '0.0.0.0',
      imapProxyServerPort: imapProxyPort,
    },
  }
  const entries = coreServices.map(async (name) => {
    const container = await startProcess(context, {
      name,
      env: { ...serviceEnv(name, healthPort, shared), SVC_HOST: '0.0.0.0' },
      ports: name === 'imap-proxy' ? [healthPort, imapProxyPort] : [healthPort],
      wait: Wait.forHttp('/health/ready', healthPort, { abortOnContainerExit: true }),
    })
    return [name, container] as const
  })
  return Object.fromEntries(await settleAll(entries)) as ContainerSystem['services']
}

interface ImageProcess {
  name: string
  env: Record<string, string>
  ports?: readonly number[]
  wait: Parameters<typeof startContainer>[0]['wait']
}

/** Starts a process of the image in a container, with the limits of its Kubernetes manifest. */
async function startProcess(
  { images, network, stack, limits }: Context,
  { name, env, ...options }: ImageProcess,
): Promise<StartedTestContainer> {
  const { memoryBytes, nodeOptions } = limits.get(name) ?? {}
  const all = { ...env, ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }) }
  const container = { image: images.image, name, network, logs, command: [name], env: all }
  return stack.use(await startRestrictedContainer({ ...container, ...options }, memoryBytes))
}

/**
 * Waits for the start of all containers and throws the first failure, so that no container starts
 * after the failure is thrown.
 */
async function settleAll<T>(starts: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(starts)
  return Promise.all(starts)
}
