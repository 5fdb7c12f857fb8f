import { setTimeout as delay } from 'node:timers/promises'
import { type CreateWebhookRouteInput, type Posthorn, PosthornError } from '@posthorn/client'
import { CommandError } from '../../exit-codes.ts'

/**
 * Lifetime of a new webhook route until its real expiry is set. The lifetime is long, for local
 * clocks that are wrong.
 */
const unsetLifeMs = 86_400_000
/**
 * Time for which the server keeps the webhook route of a program that does not extend its lifetime
 * any more.
 */
const lifeMs = 60_000
/**
 * Interval at which the lifetime of the webhook route is extended: two attempts may fail before the
 * route is deleted.
 */
const extendMs = 20_000
/**
 * Maximum time for the deletion of the webhook route at the end. If the deletion fails, the server
 * deletes the expired route.
 */
const deleteMs = 5_000

/** Temporary webhook route of the local receiver. Disposal deletes the route. */
export interface ListenRoute extends AsyncDisposable {
  /** Extends the lifetime of the webhook route until `signal` aborts. */
  extend: (signal: AbortSignal) => Promise<void>
}

/**
 * Filter function of a webhook route that selects events by name and account. Undefined if all
 * events are selected.
 */
export function filterSource(
  events: readonly string[] | undefined,
  account: string | undefined,
): string | undefined {
  const conditions = [
    ...(events === undefined ? [] : [`${JSON.stringify(events)}.includes(payload.event)`]),
    ...(account === undefined ? [] : [`payload.account === ${JSON.stringify(account)}`]),
  ]
  return conditions.length === 0 ? undefined : `return ${conditions.join(' && ')}`
}

/**
 * Created webhook route, and the difference between the clocks of the server and of this machine.
 */
interface CreatedRoute {
  id: string
  clockOffsetMs: number
}

/**
 * Creates the webhook route of a local receiver. The server deletes the route a minute after the
 * last extension, so that a killed program leaves no route.
 */
export async function createListenRoute(
  client: Posthorn,
  route: Omit<CreateWebhookRouteInput['body'], 'expiresAt'>,
  { signal, onLost }: { signal: AbortSignal; onLost: (reason: string) => void },
): Promise<ListenRoute> {
  let current = await createRoute(client, route, signal)
  const extendOnce = async () => {
    try {
      const body = { expiresAt: expiryOf(current) }
      await client.updateWebhookRoute({ webhookRoute: current.id, body }, { signal })
    } catch (error) {
      if (!(error instanceof PosthornError) || error.status !== 404) throw error
      onLost('the route had expired or was deleted, and is created again')
      current = await createRoute(client, route, signal)
    }
  }
  return {
    async extend(signal) {
      for (;;) {
        await delay(extendMs, undefined, { signal })
        await extendOnce().catch((error: unknown) => {
          signal.throwIfAborted()
          onLost(`the route was not extended: ${String((error as Error).message)}`)
        })
      }
    },
    async [Symbol.asyncDispose]() {
      const { id } = current
      await deleteRoute(client, id).catch((error: unknown) => {
        onLost(
          `the route ${id} was not deleted: ${String((error as Error).message)}. The server deletes it within a minute.`,
        )
      })
    },
  }
}

/**
 * Creates a webhook route that is off, and turns it on with an expiry by the server's clock, which
 * the new route shows. The clock of this machine may be wrong.
 */
async function createRoute(
  client: Posthorn,
  route: Omit<CreateWebhookRouteInput['body'], 'expiresAt'>,
  signal: AbortSignal,
): Promise<CreatedRoute> {
  const expiresAt = new Date(Date.now() + unsetLifeMs).toISOString()
  const body = { ...route, enabled: false, expiresAt }
  const { id } = await client.createWebhookRoute({ body }, { signal }).catch(explainRejection)
  const receivedAt = Date.now()
  try {
    const { created } = await client.getWebhookRoute({ webhookRoute: id }, { signal })
    const result = { id, clockOffsetMs: Date.parse(created) - receivedAt }
    const change = { enabled: true, expiresAt: expiryOf(result) }
    await client.updateWebhookRoute({ webhookRoute: id, body: change }, { signal })
    return result
  } catch (error) {
    await deleteRoute(client, id).catch(() => undefined)
    throw error
  }
}

function expiryOf({ clockOffsetMs }: CreatedRoute): string {
  return new Date(Date.now() + clockOffsetMs + lifeMs).toISOString()
}

/** Deletes a webhook route, also after an interruption of the program. */
async function deleteRoute(client: Posthorn, id: string): Promise<void> {
  const options = { signal: AbortSignal.timeout(deleteMs), retryForMs: deleteMs }
  await client.deleteWebhookRoute({ webhookRoute: id }, options).catch((error: unknown) => {
    if (!(error instanceof PosthornError) || error.status !== 404) throw error
  })
}

function explainRejection(error: unknown): never {
  const fields = error instanceof PosthornError ? error.fields : []
  const rejection = fields.find(({ path }) => path === 'expiresAt')
  if (rejection?.message.includes('in the future'))
    throw new CommandError(
      'the clock of this machine is more than a day behind the clock of the server: set the clock',
    )
  if (rejection)
    throw new CommandError(
      'the server is older than this program and knows no routes that expire: update the server',
    )
  throw error
}
