import type { Invalidation } from '@posthorn/contracts/hints'
import { cacheSettings, type SettingsCache } from '@posthorn/db'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { proxyFromSettings } from '@posthorn/net/proxy-agents'
import { unsealLogin } from '@posthorn/secrets'
import type { Bootstrapped } from '@posthorn/service/bootstrap'
import { BoundSecrets } from './bound-secrets.ts'
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

type ServingOptions = Omit<OAuth2Options, 'proxy' | 'secrets' | 'config'> &
  Bootstrapped & { config: Config; keyIds: ReadonlySet<string> }

/**
 * Starts to serve the commands of auth-bridge, with the proxy, the authentication server and the
 * OAuth2 tokens that the commands use. Logs stored passwords that are too short.
 */
export async function startServing(
  stack: AsyncDisposableStack,
  options: ServingOptions,
): Promise<void> {
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
