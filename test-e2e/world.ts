import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type AccountRegistration, Posthorn, type Settings } from '@posthorn/client'
import type { Postgres, Rabbit } from '@posthorn/local'
import { localDirectory } from '@posthorn/local/paths'
import { OpenConnections } from '@posthorn/local/postgres/client'
import { coreServices, type ServiceName } from '@posthorn/local/role-passwords'
import type { EnvByService } from '@posthorn/local/system/service-env'
import { type Services, startServices } from '@posthorn/local/system/services'
import {
  eventually,
  startWebhookReceiver,
  testBus,
  testDatabase,
  testDovecot,
  type TestDovecot,
  type TestUser,
  type WebhookReceiver,
} from '@posthorn/testkit'
import { shortIntervals } from './intervals.ts'
import { startOwnServers } from './own-servers.ts'
import { type Webhook, webhookReader } from './received-webhooks.ts'

export type { Webhook } from './received-webhooks.ts'

export interface WorldOptions {
  /**
   * With `own`, a Postgres and RabbitMQ are started for this system, which a test may kill and
   * wipe. Default: a database and a virtual host on the servers of all tests.
   */
  servers?: 'shared' | 'own' | ServerAddresses
  /**
   * For `servers: 'own'`: true if Postgres writes each commit to disk before it replies, as in
   * production.
   */
  durable?: boolean
  /**
   * Host and port of a pgbouncer in front of the shared Postgres. The services connect to the
   * pgbouncer.
   */
  pgbouncer?: string
  replicas?: Partial<Record<ServiceName, number>>
  /** Names of the services to start. Defaults to the services of every installation. */
  names?: readonly ServiceName[]
  /** Fixed ports of the services by process name. Processes without an entry get free ports. */
  ports?: Readonly<Record<string, number>>
  env?: Record<string, string>
  /** Additional environment variables by service. */
  envByService?: EnvByService
  settings?: Record<string, unknown>
  /** Sealing keys in the format of `posthorn keys`. Defaults to new keys. */
  keys?: { secret: string; publicKey: string }
  /**
   * Folder of a bundle (`make build`) from which the services start. Default: the bundle of the
   * Jest run, or the source code outside of Jest.
   */
  bundle?: string
}

/** Addresses of a prepared Postgres and RabbitMQ that a test has started. */
export interface ServerAddresses {
  ownerUrl: string
  amqpUrl: string
}

/** Access to a running system: its API, a mail server and a webhook receiver. */
export interface WorldAccess {
  url: string
  token: string
  /** Client of the API. Each call has one attempt, so that a test sees each error. */
  posthorn: Posthorn
  serviceSecret: string
  mail: TestDovecot
  receiver: WebhookReceiver
  /** Webhooks that the receiver has received so far, oldest first. */
  webhooks(): Webhook[]
  /**
   * Waits until the webhook receiver has a webhook for which `match` returns true. Resolves with
   * this webhook.
   */
  webhook(match: (webhook: Webhook) => boolean, timeoutMs?: number): Promise<Webhook>
  /**
   * Registers a new user of the mail server as an account, and waits until the account is
   * connected.
   */
  connectAccount(account?: string): Promise<TestUser & { account: string }>
  register(account: string, user: TestUser, change?: Partial<AccountRegistration>): Promise<void>
}

/** Whole running system with a receiver for its webhooks. */
export interface World extends WorldAccess, AsyncDisposable {
  services: Services
  /** Private Postgres. Present with `servers: 'own'`. */
  postgres?: Postgres
  rabbit?: Rabbit
  ownerUrl: string
  /** Postgres connections to the database of the system, as the owner of the database. */
  database: OpenConnections
  /** AMQP URL of RabbitMQ for an administrator. */
  amqpUrl: string
  /** Directory with a log file per service. */
  logDir: string
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a whole system for one test file. */
export async function startWorld({
  servers = 'shared',
  durable = false,
  pgbouncer,
  replicas = {},
  names = coreServices,
  ports = {},
  env,
  envByService = {},
  settings,
  keys,
  bundle = process.env['TEST_BUNDLE'],
}: WorldOptions = {}): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-world-'))
  await chmod(dir, 0o755) // as root, servers run as the unprivileged user
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const own = servers === 'own' ? await startOwnServers({ dir, durable, bundle }, stack) : undefined
  const { ownerUrl, amqpUrl } = own ?? (await prepareServers({ servers, bundle }, stack))
  const database = stack.use(new OpenConnections(ownerUrl))
  const mail = stack.adopt(await testDovecot(), (dovecot) => dovecot.drop())
  const receiver = stack.adopt(await startWebhookReceiver(), (hook) => hook.close())
  const { shared, serviceSecret, token } = systemConfig({ ownerUrl, amqpUrl })
  const logDir = join(localDirectory, 'e2e-logs', basename(dir)) // logs are kept after a failed run
  const services = await startServices({
    logDir,
    names,
    ports,
    replicas,
    bundle,
    shared: {
      ...shared,
      ...keys,
      pgbouncer,
      settings: { serviceSecret, ...receiverSettings(receiver), ...settings },
      env: { ...shortIntervals, ...env },
      envByService,
    },
  })
  stack.defer(() => services.stopAll())
  const url = `http://127.0.0.1:${services.ports['api-gateway']}`
  const resources = stack.move()
  return {
    ...openWorld({ url, token, serviceSecret, mail, receiver }),
    services,
    ownerUrl,
    database,
    amqpUrl,
    logDir,
    ...(own ? { postgres: own.postgres, rabbit: own.rabbit } : {}),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Secrets and URLs for a new system. */
export function systemConfig({ ownerUrl, amqpUrl }: Pick<World, 'ownerUrl' | 'amqpUrl'>) {
  const token = randomBytes(32).toString('hex')
  const secret = randomBytes(32).toString('hex')
  const serviceSecret = randomBytes(16).toString('hex')
  const shared = { ownerUrl, amqpUrl, amqpUsers: true, secret, token, bind: '127.0.0.1' }
  return { shared, serviceSecret, token }
}

/** Settings with which the system sends all webhooks to a receiver. */
export function receiverSettings({ url }: WebhookReceiver): Settings {
  return { webhooks: url, webhooksEnabled: true, webhookEvents: ['*'] }
}

/**
 * Creates a client of a running system's API, and functions that register accounts and wait for
 * webhooks.
 */
export function openWorld(
  parts: Pick<WorldAccess, 'url' | 'token' | 'serviceSecret' | 'mail' | 'receiver'>,
): WorldAccess {
  const { url, token, serviceSecret, mail, receiver } = parts
  const posthorn = new Posthorn({ url, token, retryForMs: 0 })
  const webhooks = webhookReader(receiver, serviceSecret)
  const register: World['register'] = async (account, user, change) => {
    await posthorn.createAccount({ body: { ...registration(account, user), ...change } })
  }
  return {
    ...parts,
    posthorn,
    webhooks,
    register,
    webhook: (match, timeoutMs = 150_000) =>
      eventually(() => webhooks().find(match) ?? false, { timeoutMs }),
    async connectAccount(account = `acc-${randomBytes(4).toString('hex')}`) {
      const user = mail.freshUser()
      await register(account, user)
      await untilConnected({ posthorn }, account)
      return { ...user, account }
    },
  }
}

export function registration(account: string, user: TestUser) {
  const auth = { user: user.user, pass: user.pass }
  const tls = { rejectUnauthorized: false } // self-signed certificate
  return {
    account,
    name: 'Jane Doe',
    email: user.address,
    imap: { host: user.host, port: user.imapPort, secure: false, auth, tls, resyncDelay: 1 },
    smtp: { host: user.host, port: user.submissionPort, secure: false, auth, tls },
  } satisfies AccountRegistration
}

export function untilConnected(
  { posthorn }: Pick<WorldAccess, 'posthorn'>,
  account: string,
): Promise<true> {
  return eventually(
    async () => {
      const { state, lastError } = await posthorn.getAccount({ account })
      if (state !== 'connected')
        throw new Error(`${account} is ${state}: ${JSON.stringify(lastError)}`)
      return true as const
    },
    { timeoutMs: 150_000 },
  )
}

/** Creates a plain text message (RFC 5322). */
export function plainMessage({
  messageId,
  subject = 'Hello',
  to = 'jane@mail.test',
}: {
  messageId: string
  subject?: string
  to?: string
}): string {
  const head = [
    `From: Shop <shop@example.test>`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Message-ID: ${messageId}`,
    `Date: ${new Date().toUTCString()}`,
  ]
  return [...head, '', 'It is on its way.', ''].join('\r\n')
}

export function freshMessageId(): string {
  return `<${randomBytes(12).toString('hex')}@example.test>`
}

/**
 * Returns the Postgres and RabbitMQ that the test has prepared. By default, creates a database and
 * a virtual host on the servers of all tests.
 */
async function prepareServers(
  { servers, bundle }: { servers: WorldOptions['servers']; bundle: string | undefined },
  stack: AsyncDisposableStack,
): Promise<ServerAddresses> {
  if (typeof servers === 'object') return servers
  const database = stack.adopt(await testDatabase(), (resource) => resource.drop())
  // Another bundle may contain another release, which declares other work queues.
  const reuse = bundle === process.env['TEST_BUNDLE']
  const bus = stack.adopt(await testBus({ reuse }), (resource) => resource.drop())
  await bus.grantServices()
  return { ownerUrl: database.ownerUrl, amqpUrl: bus.url }
}
