import type { Invalidation } from '@posthorn/contracts/hints'
import { serviceOf } from '@posthorn/contracts/services'
import { cacheSettings, type SettingsCache } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { proxyFromSettings } from '@posthorn/net/proxy-agents'
import { createSealer, createUnsealer, keyPairFromSecret, unsealLogin } from '@posthorn/secrets'
import { bootstrap, busCheck, defaultChecks } from '@posthorn/service/bootstrap'
import type { App } from '@posthorn/service/run'
import { BoundSecrets } from './bound-secrets.ts'
import { canUnsealStored } from './can-unseal-stored.ts'
import { reportShortPasswords } from './commands/check-server-password.ts'
import { createHandlers } from './commands/handlers.ts'
import type { Config } from './config.ts'
import { AccessTokens } from './oauth2/access-tokens.ts'
import { createOAuth2, type OAuth2Options } from './oauth2/create-oauth2.ts'
import {
  type AuthServer,
  authServerMaxBytes,
  createAuthServer,
  getAuthServerUrl,
} from './providers/auth-server.ts'

const name = 'auth-bridge'

/**
 * Starts auth-bridge. The service serves commands once its private keys can unseal (decrypt) the
 * stored secrets. Disposal closes all resources in reverse order.
 */
export async function startApp(config: Config, signal: AbortSignal): Promise<App> {
  const { publicKey } = keyPairFromSecret(config.secret.reveal())
  await using stack = new AsyncDisposableStack()
  let isServing = false
  const context = await bootstrap(stack, {
    name,
    config,
    signal,
    checks: (checked) => ({
      ...defaultChecks(checked),
      ...busCheck(checked),
      secret: () => assertServing(isServing),
    }),
    // Logs the public key, which an operator sets as SVC_SECRET_PUBLIC_KEY of api-gateway. The
    // public key can seal (encrypt) values but not unseal them.
    fields: { publicKey: publicKey.text },
  })
  const { log, db } = context
  const keys = [config.secret, ...config.previousSecrets].map(
    (secret) => keyPairFromSecret(secret.reveal()).privateKey,
  )
  if (serviceOf(new URL(config.amqpUrl).username) !== name)
    log.warn('RabbitMQ user is not auth-bridge, requesters are unchecked')
  const unsealer = createUnsealer(keys)
  const keyIds = new Set(keys.map(({ id }) => id))
  const sealer = createSealer(publicKey)
  const serving = stack.use(new AsyncDisposableStack())
  // Waits until the private keys can unseal (decrypt) the stored secrets. With wrong keys, this
  // replica would take commands from the shared queue and fail them all.
  stack.use(
    runPeriodically({ everyMs: 5_000, log, name: 'keys' }, async () => {
      if (isServing || !(await canUnsealStored(db, unsealer, log))) return
      await startServing(serving, { ...context, unsealer, sealer, keyIds, config })
      isServing = true
    }),
  )
  context.markStarted()
  const app = stack.move()
  return { unfinished: context.unfinished, [Symbol.asyncDispose]: () => app.disposeAsync() }
}

type ServingOptions = Omit<OAuth2Options, 'proxy' | 'secrets' | 'config'> &
  Awaited<ReturnType<typeof bootstrap>> & { config: Config; keyIds: ReadonlySet<string> }

async function startServing(stack: AsyncDisposableStack, options: ServingOptions): Promise<void> {
  const { db, bus, unsealer, log, config } = options
  const secrets = new BoundSecrets(options)
  const settings = cacheSettings(db)
  const proxy = proxyFromSettings(() => settings.get(), {
    egress: config.proxyEgressPolicy,
    unseal: (address) => unsealLogin(address, unsealer),
  })
  const http = stack.use(
    createHttpCaller({
      policy: config.authServerEgressPolicy,
      proxy,
      timeoutMs: config.authServerTimeoutMs,
      maxResponseBytes: authServerMaxBytes,
    }),
  )
  const address = () => getAuthServerUrl({ db, unsealer, settings })
  const sendsProtocol = async () => (await settings.get()).authServerProtocol ?? false
  const authServer = createAuthServer({ http, address, sendsProtocol })
  const oauth2 = createOAuth2(stack, { ...options, secrets, proxy })
  const tokens = new AccessTokens(oauth2)
  const { oauthTokensApi, accountExportKeys = [] } = config
  const transfers = { accountExportKeys, keyIds: options.keyIds }
  const deps = { ...oauth2, ...transfers, tokens, authServer, oauthTokensApi }
  stack.use(await bus.onInvalidate((message) => invalidate(message, settings, authServer)))
  stack.use(
    await bus.serve({
      queue: 'credentials',
      keys: ['credentials'],
      handlers: createHandlers(deps),
    }),
  )
  await reportShortPasswords({ db, unsealer }, log)
  log.info('serving credentials')
}

function invalidate(
  { topic, id }: Invalidation,
  settings: SettingsCache,
  authServer: AuthServer,
): void {
  if (topic === 'settings') {
    settings.invalidate()
    authServer.invalidate()
  }
  if (topic === 'accounts') authServer.invalidate(id)
}

function assertServing(isServing: boolean): void {
  if (!isServing) throw new Error('stored secrets cannot be unsealed yet')
}
