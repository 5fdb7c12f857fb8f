import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, createHash } from 'node:crypto'
import { once } from 'node:events'
import { connectBus } from '@posthorn/bus'
import { Secret } from '@posthorn/config'
import type { Provider } from '@posthorn/contracts/account-types'
import { checkSmtpServerPassword, getCredentials } from '@posthorn/contracts/commands/credentials'
import {
  getOAuth2Token,
  getPubSubToken,
  verifyOAuth2App,
} from '@posthorn/contracts/commands/oauth2'
import {
  completeOAuth2Login,
  revokeOAuth2Grant,
  startOAuth2Login,
} from '@posthorn/contracts/commands/oauth2-login'
import type { CommandRequest } from '@posthorn/contracts/define'
import type { OAuth2AppConfig, OAuth2Provider } from '@posthorn/contracts/schemas/oauth2-app'
import { shardOf } from '@posthorn/contracts/shards'
import type { StoredOAuth2 } from '@posthorn/db'
import { createSealer, keyPairFromSecret } from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import {
  eventually,
  serviceProgram,
  testBus,
  testDatabase,
  testOpenIdProvider,
} from '@posthorn/testkit'
import { sql } from 'kysely'
import { startApp } from '../src/app.ts'
import type { Config } from '../src/config.ts'

const secret = 'secret of the OAuth2 tests, of 32 characters'

export type OAuth2World = Awaited<ReturnType<typeof createOAuth2World>>

interface WorldOptions {
  replicas?: number
  asProcess?: boolean
  config?: Pick<Partial<Config>, 'providerOrigins' | 'identityTokenFile'>
}

/**
 * Starts a database, a RabbitMQ, a fake OAuth2 provider and `replicas` of auth-bridge. With
 * `asProcess`, one replica runs as a child process that a test can kill.
 */
export async function createOAuth2World({
  replicas = 1,
  asProcess = false,
  config: overrides = {},
}: WorldOptions = {}) {
  await using stack = new AsyncDisposableStack()
  const [database, broker, provider] = await Promise.all([
    testDatabase(),
    testBus({ reuse: true }),
    testOpenIdProvider(),
  ])
  stack.defer(() => Promise.all([database.drop(), broker.drop(), provider.close()]).then())
  const log = createLogger('test', 'silent')
  const metrics = createMetrics('test')
  const bus = stack.use(await connectBus({ url: broker.url, name: 'test', log, metrics }))
  const config = { ...configFor(database, broker), ...overrides }
  const processes = stack.use(new AsyncDisposableStack())
  const startBridge = () => processes.adopt(spawnBridge(config), stopBridge)
  const bridge = asProcess ? startBridge() : undefined
  for (let count = 0; !asProcess && count < replicas; count += 1)
    stack.use(await startApp(config, new AbortController().signal))
  const { db } = database
  const sealer = createSealer(keyPairFromSecret(secret).publicKey)
  const options = { key: 'credentials', timeoutMs: 60_000 }
  const isServing = async () => {
    await bus.request(checkSmtpServerPassword, { password: '' }, { ...options, timeoutMs: 1_000 })
  }
  await eventually(isServing, { timeoutMs: 120_000 })
  const running = stack.move()

  return {
    db,
    provider,
    bridge,
    startBridge,
    isServing,
    async insertApp(
      id: string,
      type: OAuth2Provider,
      { clientSecret, ...config }: OAuth2AppConfig & { clientSecret?: string },
    ) {
      const values = { id, provider: type, name: id, enabled: true, config: JSON.stringify(config) }
      await db.insertInto('oauth2Apps').values(values).execute()
      if (clientSecret !== undefined) await this.putSecret(id, 'clientSecret', clientSecret)
    },
    async putSecret(
      app: string,
      kind: 'clientSecret' | 'serviceKey' | 'externalAccount',
      value: string,
    ) {
      const sealed = await sealer.seal(value, `oauth2/${app}/${kind}`)
      await db.insertInto('oauth2AppSecrets').values({ app, kind, sealed }).execute()
    },
    /** Inserts an OAuth2 application of the fake provider. */
    async insertProviderApp(id: string, config: OAuth2AppConfig = {}) {
      const { issuer, clientId, clientSecret } = provider
      const scopes = ['openid', 'email', 'profile', 'offline_access', 'mail']
      const redirectUrl = 'http://127.0.0.1:1/oauth'
      const appConfig = { issuer, clientId, clientSecret, scopes, redirectUrl, ...config }
      await this.insertApp(id, 'generic', appConfig)
    },
    /** Inserts an account of the Gmail API or Microsoft Graph. */
    async insertApiAccount(account: string, backend: Provider, oauth2: StoredOAuth2) {
      const row = { account, shard: shardOf(account), name: account, backend }
      const stored = { ...row, oauth2: JSON.stringify(oauth2) }
      await db.insertInto('accounts').values(stored).execute()
      await this.putGrant(account, { refreshToken: 'rt' })
    },
    async insertAccount(account: string, oauth2: StoredOAuth2, grant?: string | object) {
      const imap = JSON.stringify({ host: 'imap.example.com', port: 993, secure: true })
      const smtp = JSON.stringify({ host: 'smtp.example.com', port: 465, secure: true })
      const row = { account, shard: shardOf(account), name: account, imap, smtp }
      const stored = { ...row, oauth2: JSON.stringify(oauth2), email: `${account}@mail.test` }
      await db.insertInto('accounts').values(stored).execute()
      if (grant !== undefined) await this.putGrant(account, grant)
    },
    /**
     * Stores an OAuth2 grant of an account like api-gateway does. A grant that is an object is
     * sealed first, a string is stored unchanged.
     */
    async putGrant(account: string, grant: string | object) {
      const sealed =
        typeof grant === 'string'
          ? grant
          : await sealer.seal(JSON.stringify(grant), `credentials/${account}/oauth2`)
      const updatedAt = new Date()
      await db
        .insertInto('credentials')
        .values({ account, kind: 'oauth2', sealed, updatedAt })
        .onConflict((conflict) =>
          conflict.columns(['account', 'kind']).doUpdateSet({ sealed, updatedAt }),
        )
        .execute()
    },
    getPubSubToken: (app: string) => bus.request(getPubSubToken, { app }, options),
    start: (request: CommandRequest<typeof startOAuth2Login>) =>
      bus.request(startOAuth2Login, request, options),
    complete: (request: CommandRequest<typeof completeOAuth2Login>, signal?: AbortSignal) =>
      bus.request(completeOAuth2Login, request, { ...options, ...(signal && { signal }) }),
    revoke: (request: CommandRequest<typeof revokeOAuth2Grant>) =>
      bus.request(revokeOAuth2Grant, request, options),
    /**
     * Runs a complete OAuth2 sign-in: consent page, callback, and exchange of the authorization
     * code for a grant.
     */
    async consent(app: string, account: string, user: string) {
      const codeVerifier = randomBytes(32).toString('base64url')
      const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
      const state = randomBytes(16).toString('base64url')
      const { url } = await this.start({ app, state, codeChallenge, loginHint: user })
      const consented = await provider.consent(url)
      if (consented.state !== state) throw new Error('the callback has another state')
      return this.complete({ app, account, code: consented.code, codeVerifier })
    },
    /**
     * Requests the credentials of an account. Returns the credentials without the mail server that
     * may receive them.
     */
    getCredentials: async (
      account: string,
      protocol: CommandRequest<typeof getCredentials>['protocol'] = 'imap',
      fresh = false,
    ) => {
      const request = { account, protocol, fresh }
      const { destination: _, ...login } = await bus.request(getCredentials, request, options)
      return login
    },
    /**
     * Verifies an OAuth2 application. Returns the result of each verification step by the id of the
     * step.
     */
    async verify(app: string, account: string) {
      const { steps } = await bus.request(verifyOAuth2App, { app, account }, options)
      return Object.fromEntries(steps.map(({ id, ...step }) => [id, step]))
    },
    getOAuth2Token: (account: string) => bus.request(getOAuth2Token, { account }, options),
    /** Has the effect of `PUT /v1/account/{account}/reconnect`. */
    async reconnect(account: string) {
      const updatedAt = sql<Date>`now()`
      await db.updateTable('accounts').set({ updatedAt }).where('account', '=', account).execute()
    },
    /**
     * Makes the token renewals of an account count as failing for 1 h. The delay before the next
     * renewal is then minutes, longer than any test.
     */
    async failForAnHour(account: string) {
      const failingSince = sql<Date>`now() - interval '1 hour'`
      await db
        .updateTable('oauth2Tokens')
        .set({ failingSince })
        .where('account', '=', account)
        .execute()
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function spawnBridge({ databaseUrl, amqpUrl }: ReturnType<typeof configFor>): ChildProcess {
  return spawn(process.execPath, serviceProgram('auth-bridge'), {
    stdio: 'ignore',
    env: {
      DATABASE_URL: databaseUrl,
      AMQP_URL: amqpUrl,
      SVC_SECRET: secret,
      SVC_PORT: '0',
      SVC_LOG_LEVEL: 'silent',
      // The child process (auth-bridge) waits up to 5 min for its shutdown, longer than any test.
      SVC_SHUTDOWN_TIMEOUT: '5m',
    },
  })
}

async function stopBridge(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL'))
    await once(child, 'exit')
}

function configFor(
  database: Awaited<ReturnType<typeof testDatabase>>,
  broker: Awaited<ReturnType<typeof testBus>>,
) {
  return {
    databaseUrl: database.roleUrl('posthorn_auth_bridge'),
    databasePoolSize: 4,
    amqpUrl: broker.url,
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent' as const,
    drainDelayMs: 0,
    shutdownTimeoutMs: 10_000,
    secret: new Secret(secret),
    previousSecrets: [],
    authServerEgressPolicy: 'link-local' as const,
    oauthEgressPolicy: 'link-local' as const,
    providerOrigins: {},
    authServerTimeoutMs: 8_000,
    proxyEgressPolicy: 'link-local' as const,
    oauthTokensApi: false,
  }
}
