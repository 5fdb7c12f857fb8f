import { serviceOf } from '@posthorn/contracts/services'
import { runPeriodically } from '@posthorn/flow'
import { createSealer, createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { bootstrap, busCheck, defaultChecks } from '@posthorn/service/bootstrap'
import type { App } from '@posthorn/service/run'
import { canUnsealStored } from './can-unseal-stored.ts'
import type { Config } from './config.ts'
import { startServing } from './start-serving.ts'

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

function assertServing(isServing: boolean): void {
  if (!isServing) throw new Error('stored secrets cannot be unsealed yet')
}
