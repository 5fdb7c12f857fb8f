import type { Bus } from '@posthorn/bus'
import { type Invalidation, serviceOf } from '@posthorn/contracts'
import { cacheSettings, type SettingsCache } from '@posthorn/db'
import { createHttpCaller, proxyFromSettings } from '@posthorn/net'
import { createUnsealer, createSealer, keyPairFromSecret, unsealLogin } from '@posthorn/secrets'
import { runPeriodically } from '@posthorn/flow'
import { bootstrap, defaultChecks } from '@posthorn/service'
import type { Config } from './config.ts'
import { keysFit } from './keys-fit.ts'
import { AccessTokens } from './oauth2/access-tokens.ts'
import { oauth2Credentials } from './oauth2/oauth2-credentials.ts'
import { type OAuth2Parts, oauth2Questions, openOAuth2 } from './oauth2/open-oauth2.ts'
import { type AuthServer, authServer, authServerMaxBytes } from './providers/auth-server.ts'
import { authServerAddress } from './providers/auth-server-address.ts'
import { storedPassword } from './providers/stored-password.ts'
import {
  onCheckImapProxyServerPassword,
  onCheckSmtpServerPassword,
} from './queries/check-server-password.ts'
import { onGetCredentials } from './queries/get-credentials.ts'
import { onGetLinkSecret } from './queries/get-link-secret.ts'
import { onGetGatewayCredentials } from './queries/get-gateway-credentials.ts'
import { onGetOpenAiApiKey } from './queries/get-open-ai-api-key.ts'
import { onGetServiceSecret } from './queries/get-service-secret.ts'
import { onOpenHeader } from './queries/open-header.ts'
import { onOpenLogin } from './queries/open-login.ts'

const name = 'auth-bridge'

/** Builds the service. Whatever it opened is closed in reverse order, also when a later step here fails. */
export async function startApp(config: Config, signal: AbortSignal): Promise<AsyncDisposable> {
  const { publicKey } = keyPairFromSecret(config.secret.reveal())
  await using opened = new AsyncDisposableStack()
  let fits = false
  const { log, metrics, db, bus } = await bootstrap(opened, {
    name,
    config,
    signal,
    checks: (ground) => ({ ...defaultChecks(ground), secret: () => assert(fits) }),
    // The gateway seals with it (SVC_SECRET_PUBLIC_KEY); whoever reads it can open nothing.
    fields: { publicKey: publicKey.text },
  })
  const keys = [config.secret, ...config.previousSecrets].map(
    (secret) => keyPairFromSecret(secret.reveal()).privateKey,
  )
  if (serviceOf(new URL(config.amqpUrl).username) !== name)
    log.warn('this is not the RabbitMQ user of auth-bridge: who asks for secrets is not checked')
  const opener = createUnsealer(keys)
  const sealer = createSealer(publicKey)
  const answering = opened.use(new AsyncDisposableStack())
  // Wrong keys would turn every question this replica takes from the shared queue into an error: it takes none until they fit.
  opened.use(
    runPeriodically({ everyMs: 5_000, log, name: 'keys' }, async () => {
      if (fits || !(await keysFit({ db, opener, log }))) return
      await startAnswering(answering, { db, bus, opener, sealer, metrics, log, config })
      fits = true
    }),
  )
  return opened.move()
}

interface Parts extends Omit<OAuth2Parts, 'proxy'> {
  bus: Bus
  config: Pick<
    Config,
    'authServerEgressPolicy' | 'authServerTimeoutMs' | 'oauthEgressPolicy' | 'proxyEgressPolicy'
  >
}

async function startAnswering(opened: AsyncDisposableStack, parts: Parts): Promise<void> {
  const { db, bus, opener, log, config } = parts
  const settings = cacheSettings(db)
  const proxy = proxyFromSettings(() => settings.get(), {
    egress: config.proxyEgressPolicy,
    unseal: (address) => unsealLogin(address, opener),
  })
  const http = opened.use(
    createHttpCaller({
      policy: config.authServerEgressPolicy,
      proxy,
      timeoutMs: config.authServerTimeoutMs,
      maxResponseBytes: authServerMaxBytes,
    }),
  )
  const server = authServer({ http, address: () => authServerAddress({ db, opener, settings }) })
  const oauth2 = openOAuth2(opened, { ...parts, proxy })
  const tokens = new AccessTokens(oauth2)
  opened.use(await bus.onInvalidate((message) => forget(message, settings, server)))
  opened.use(
    await bus.serve({
      queue: 'credentials',
      keys: ['credentials'],
      handlers: [
        onGetCredentials({
          db,
          storedPassword: storedPassword(opener),
          authServer: server,
          oauth2: oauth2Credentials({ db, tokens, authServer: server }),
        }),
        ...oauth2Questions({ ...oauth2, tokens }),
        onGetServiceSecret({ db, opener }),
        onGetGatewayCredentials({ db, opener }),
        onCheckSmtpServerPassword({ db, opener }),
        onCheckImapProxyServerPassword({ db, opener }),
        onGetLinkSecret({ db, opener }),
        onGetOpenAiApiKey({ db, opener }),
        onOpenLogin({ db, opener }),
        onOpenHeader({ opener }),
      ],
    }),
  )
  log.info('answering')
}

function forget({ topic, id }: Invalidation, settings: SettingsCache, server: AuthServer): void {
  if (topic === 'settings') {
    settings.invalidate()
    server.forget()
  }
  if (topic === 'accounts') server.forget(id)
}

function assert(holds: boolean): void {
  if (!holds) throw new Error('not now')
}
