import { execFile } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { operations } from '@posthorn/contracts'
import {
  type ManagedServer,
  type Postgres,
  type Rabbit,
  startPostgres,
  startRabbit,
} from '@posthorn/local'
import { cacheDirectory, checkout, localDirectory } from '@posthorn/local/paths'
import { type Services, startServices } from '@posthorn/local/system/services'
import { rolePasswords, serviceNames, type ServiceName } from '@posthorn/local/role-passwords'
import {
  eventually,
  startWebhookReceiver,
  testBus,
  testDatabase,
  testDovecot,
  type ReceivedRequest,
  type TestDovecot,
  type TestUser,
  type WebhookReceiver,
} from '@posthorn/testkit'
import { type Client, createClient } from './client.ts'

export interface WorldOptions {
  /** `own`: Postgres and RabbitMQ of this world alone, to be killed and wiped. Default: those all tests share, a database and a virtual host each. */
  servers?: 'shared' | 'own'
  /** With `own`: Postgres waits for the disk at each commit, as in production. */
  durable?: boolean
  replicas?: Partial<Record<ServiceName, number>>
  /** Default: all seven. */
  names?: readonly ServiceName[]
  env?: Record<string, string>
  settings?: Record<string, unknown>
}

/** A webhook as its receiver sees it. */
export interface Webhook {
  event: string
  account: string
  path?: string
  // A test reads what it expects; a wrong shape fails its assertions.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any
  eventId: string
  attemptsMade: number
  body: Buffer
  signatureValid: boolean
  request: ReceivedRequest
}

/** The whole system with a receiver for its webhooks. */
export interface World extends AsyncDisposable {
  url: string
  client: Client
  token: string
  serviceSecret: string
  services: Services
  mail: TestDovecot
  receiver: WebhookReceiver
  /** Present with `servers: 'own'`. */
  postgres?: Postgres
  rabbit?: Rabbit
  ownerUrl: string
  /** RabbitMQ, as an administrator. */
  amqpUrl: string
  /** Where the services log to, a file each. */
  logDir: string
  /** What was received so far, oldest first. */
  webhooks(): Webhook[]
  /** Waits for a webhook that was answered well. */
  webhook(match: (webhook: Webhook) => boolean, timeoutMs?: number): Promise<Webhook>
  /** Registers a fresh user of the mail server and waits until it is connected. */
  connectAccount(account?: string): Promise<TestUser & { account: string }>
  register(account: string, user: TestUser, change?: Record<string, unknown>): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Waits between looks and retries are short here: stories are about what happens, not about patience. */
const quick = {
  SVC_RECONNECT_MIN: '200ms',
  SVC_RECONNECT_MAX: '1s',
  SVC_QUICK_ROUND_INTERVAL: '500ms',
  SVC_WEBHOOK_RETRY_BASE: '300ms',
  SVC_SENDER_RETRY_BASE: '300ms',
  SVC_SENDER_LEASE: '5s',
  SVC_WEBHOOK_LEASE: '5s',
  SVC_WORKER_HEARTBEAT: '1s',
  SVC_WORKER_ACCOUNTS_SWEEP: '500ms',
  SVC_LOG_LEVEL: 'info',
}

export async function startWorld({
  servers = 'shared',
  durable = false,
  replicas = {},
  names = serviceNames,
  env = {},
  settings = {},
}: WorldOptions = {}): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'posthorn-world-'))
  await chmod(dir, 0o755) // servers that refuse root run as somebody else
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  const own = servers === 'own' ? await ownServers({ dir, durable }, opened) : undefined
  const { ownerUrl, amqpUrl } = own ?? (await sharedServers(opened))
  const mail = opened.adopt(await testDovecot(), (dovecot) => dovecot.drop())
  const receiver = opened.adopt(await startWebhookReceiver(), (hook) => hook.close())
  const serviceSecret = randomBytes(16).toString('hex')
  const token = randomBytes(32).toString('hex')
  const logDir = join(localDirectory, 'e2e-logs', basename(dir)) // kept: what a failed run leaves to look at
  const shared = {
    ownerUrl,
    amqpUrl,
    amqpUsers: true,
    secret: randomBytes(32).toString('hex'),
    token,
    settings: { serviceSecret, ...toReceiver(receiver), ...settings },
    bind: '127.0.0.1',
    env: { ...quick, ...env },
  }
  const services = await startServices({ logDir, names, replicas, shared })
  opened.defer(() => services.stopAll())
  const url = `http://127.0.0.1:${services.ports['api-gateway']}`
  const client = createClient(url, token)
  const webhooks = () => receiver.requests.map((request) => readWebhook(request, serviceSecret))
  const register = registerWith(client)
  const closing = opened.move()
  return {
    url,
    client,
    token,
    serviceSecret,
    services,
    mail,
    receiver,
    ownerUrl,
    amqpUrl,
    logDir,
    webhooks,
    register,
    ...(own ? { postgres: own.postgres, rabbit: own.rabbit } : {}),
    webhook: (match, timeoutMs = 60_000) =>
      eventually(() => webhooks().find(match) ?? false, { timeoutMs }),
    connectAccount: (account) => connectAccount({ client, mail, register }, account),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

async function connectAccount(
  { client, mail, register }: Pick<World, 'client' | 'mail' | 'register'>,
  account = `acc-${randomBytes(4).toString('hex')}`,
) {
  const user = mail.freshUser()
  await register(account, user)
  await untilConnected(client, account)
  return { ...user, account }
}

function toReceiver({ url }: WebhookReceiver): Record<string, unknown> {
  return { webhooks: url, webhooksEnabled: true, webhookEvents: ['*'] }
}

function registerWith(client: Client): World['register'] {
  return async (account, user, change = {}) => {
    const { status, body } = await client.call(operations.createAccount, {
      body: { ...registration(account, user), ...change },
    })
    if (status !== 200) throw new Error(`registering ${account}: ${status} ${JSON.stringify(body)}`)
  }
}

export function registration(account: string, user: TestUser): Record<string, unknown> {
  const auth = { user: user.user, pass: user.pass }
  const tls = { rejectUnauthorized: false } // the test server signs its own certificate
  return {
    account,
    name: 'Jane Doe',
    email: user.address,
    imap: { host: user.host, port: user.imapPort, secure: false, auth, tls, resyncDelay: 1 },
    smtp: { host: user.host, port: user.submissionPort, secure: false, auth, tls },
  }
}

export function untilConnected(client: Client, account: string): Promise<true> {
  return eventually(
    async () => {
      const { body } = await client.call(operations.getAccount, { params: { account } })
      if (body.state !== 'connected')
        throw new Error(`${account} is ${body.state}: ${JSON.stringify(body.lastError)}`)
      return true as const
    },
    { timeoutMs: 60_000 },
  )
}

/** A plain message. */
export function letter({
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

/** The most memory a process has had, in bytes (Linux: VmHWM). */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

function readWebhook(request: ReceivedRequest, serviceSecret: string): Webhook {
  const envelope = request.json() as Pick<Webhook, 'event' | 'account' | 'path' | 'data'>
  const signature = createHmac('sha256', serviceSecret).update(request.body).digest('base64url')
  return {
    ...envelope,
    eventId: String(request.headers['x-svc-wh-event-id']),
    attemptsMade: Number(request.headers['x-svc-wh-attempts-made']),
    body: request.body,
    signatureValid: request.headers['x-svc-wh-signature'] === signature,
    request,
  }
}

async function sharedServers(
  opened: AsyncDisposableStack,
): Promise<{ ownerUrl: string; amqpUrl: string }> {
  const database = opened.adopt(await testDatabase(), (made) => made.drop())
  const bus = opened.adopt(await testBus(), (made) => made.drop())
  await bus.grantServices()
  return { ownerUrl: database.ownerUrl, amqpUrl: bus.url }
}

async function ownServers(
  { dir, durable }: { dir: string; durable: boolean },
  opened: AsyncDisposableStack,
): Promise<{ ownerUrl: string; amqpUrl: string; postgres: Postgres; rabbit: Rabbit }> {
  const stop = (server: ManagedServer & { destroy(): Promise<void> }) => server.destroy()
  const [postgres, rabbit] = await Promise.all([
    startPostgres({ dir: join(dir, 'postgres'), durable }),
    startRabbit({ dir: join(dir, 'rabbitmq'), cache: cacheDirectory(process.env) }),
  ])
  opened.adopt(postgres, stop)
  opened.adopt(rabbit, stop)
  const ownerUrl = await postgres.database('posthorn')
  await Promise.all([migrate(ownerUrl), rabbit.grantServices('/')])
  return { ownerUrl, amqpUrl: rabbit.amqp, postgres, rabbit }
}

/** The migrate command, as a deployment runs it. */
async function migrate(ownerUrl: string): Promise<void> {
  await promisify(execFile)(process.execPath, [join(checkout, 'libs/db/src/migrate-main.ts')], {
    env: {
      DATABASE_OWNER_URL: ownerUrl,
      SVC_DATABASE_ROLE_PASSWORDS: JSON.stringify(rolePasswords(ownerUrl)),
    },
  })
}
