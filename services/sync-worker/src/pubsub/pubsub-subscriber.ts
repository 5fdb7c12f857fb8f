import { backoff, retryUntil, sleep } from '@posthorn/flow'
import { messageOf } from '@posthorn/errors'
import { ProviderError } from '@posthorn/net/provider-error'
import type { Logger } from '@posthorn/telemetry'
import type { PubSubClient, PubSubNames, PulledMessage } from './pubsub-client.ts'

export interface PubSubSubscriberDeps {
  readonly client: Pick<PubSubClient, 'ensure' | 'pull' | 'acknowledge'>
  /**
   * Pub/Sub topic and subscription. Undefined if the OAuth2 application names no Google Cloud
   * project.
   */
  readonly names: PubSubNames | undefined
  /** Returns the days after which Google deletes an unused Pub/Sub subscription; 0 is never. */
  readonly ttlDays: () => Promise<number>
  /**
   * Notifies the accounts whose mailboxes Pub/Sub messages name. Resolves when RabbitMQ has
   * confirmed the notifications.
   */
  readonly notify: (users: readonly string[]) => Promise<void>
  /**
   * Notifies all accounts of the Pub/Sub application. Called if Pub/Sub messages may have been
   * lost.
   */
  readonly notifyAll: () => Promise<void>
  /** Stores the last error of the Pub/Sub application, or null if the application has no error. */
  readonly saveState: (error: { response: string; description?: string } | null) => Promise<void>
  readonly log: Pick<Logger, 'warn' | 'info'>
  readonly now?: () => number
}

/** Interval at which the Pub/Sub topic and subscription are checked. */
const checkMs = 3_600_000
/** Delay after which a failed check of the Pub/Sub topic and subscription is repeated. */
const checkRetryMs = 60_000
const retryMs = backoff({ baseMs: 1_000, maxMs: 60_000, jitter: 0.2 })
const maxUserLength = 320

/**
 * Receives the messages of one Pub/Sub application until the signal aborts. A message is
 * acknowledged after its accounts were notified, so that Google sends the message again after a
 * crash. Creates missing topics and subscriptions. Also reads an existing subscription while topic
 * and subscription cannot be checked. Never rejects.
 */
export async function subscribe(deps: PubSubSubscriberDeps, signal: AbortSignal): Promise<void> {
  const { now = Date.now, log } = deps
  const state: SubscriberState = {
    checkAt: -Infinity,
    isCheckFailing: false,
    isLost: true,
    failures: 0,
    error: undefined,
  }
  const report = (error: unknown) =>
    reportFailure(deps, state, error).catch((err: unknown) =>
      log.warn({ err }, 'storing the state of Pub/Sub failed'),
    )
  while (!signal.aborted) {
    try {
      if (now() >= state.checkAt)
        await check(deps, state, signal).catch((error: unknown) => {
          if (signal.aborted) throw error
          Object.assign(state, { isCheckFailing: true, checkAt: now() + checkRetryMs })
          return report(error)
        })
      await receive(deps, signal)
      if (state.error && !state.isCheckFailing) await clearError(deps, state)
      state.failures = 0
    } catch (error) {
      if (signal.aborted) return
      state.failures += 1
      // If the Pub/Sub topic or subscription was deleted or has expired, creates it again. Then
      // polls all accounts of the application.
      if (error instanceof ProviderError && error.status === 404)
        Object.assign(state, { checkAt: -Infinity, isLost: true })
      if (!state.isCheckFailing) await report(error)
      await sleep(retryMs(state.failures), signal).catch(() => undefined)
    }
  }
}

interface SubscriberState {
  /** Time of the next check of the Pub/Sub topic and subscription. */
  checkAt: number
  isCheckFailing: boolean
  /**
   * True if Pub/Sub messages may have been lost: after a start, or with a new Pub/Sub subscription.
   */
  isLost: boolean
  failures: number
  /**
   * Stored error of the Pub/Sub application: null without an error, undefined before the first
   * check.
   */
  error: string | null | undefined
}

async function check(
  deps: PubSubSubscriberDeps,
  state: SubscriberState,
  signal: AbortSignal,
): Promise<void> {
  const { client, names, ttlDays, notifyAll, now = Date.now } = deps
  const isNew = await client.ensure(requireNames(names), await ttlDays(), signal)
  // A previous worker may have stored an error of the Pub/Sub application after this worker had
  // started. That error is cleared, too.
  await clearError(deps, state)
  state.isCheckFailing = false
  if (isNew) state.isLost = true
  if (state.isLost) await retryNotifying(deps, notifyAll, signal)
  state.isLost = false
  state.checkAt = now() + checkMs
}

async function clearError(
  { saveState }: PubSubSubscriberDeps,
  state: SubscriberState,
): Promise<void> {
  await saveState(null)
  state.error = null
}

function requireNames(names: PubSubNames | undefined): PubSubNames {
  if (names) return names
  throw new Error('The application names no googleProjectId')
}

async function receive(deps: PubSubSubscriberDeps, signal: AbortSignal): Promise<void> {
  const { client, names, notify } = deps
  const { subscription } = requireNames(names)
  const messages = await client.pull(subscription, signal)
  if (messages.length === 0) return
  const users = new Set(messages.flatMap((message) => userOf(message) ?? []))
  if (users.size > 0) await retryNotifying(deps, () => notify([...users]), signal)
  await client.acknowledge(
    subscription,
    messages.map(({ ackId }) => ackId),
    signal,
  )
}

/**
 * Sends notifications of Gmail about mailbox changes to the workers of the accounts. Retries until
 * the signal aborts, because a failure of RabbitMQ or Postgres is no error of the Pub/Sub
 * application.
 */
function retryNotifying(
  { log }: PubSubSubscriberDeps,
  notify: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const onRetry = (err: unknown) => log.warn({ err }, 'notifying accounts failed, will retry')
  return retryUntil(notify, { delayMs: retryMs, signal, onRetry })
}

/**
 * Reads the mail address that a Pub/Sub message of Gmail (`{"emailAddress", "historyId"}`) names,
 * in lower case. Undefined for any other message.
 */
function userOf({ data }: PulledMessage): string | undefined {
  try {
    const message = JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as unknown
    const user = (message as { emailAddress?: unknown } | null)?.emailAddress
    return typeof user === 'string' && user.length <= maxUserLength ? user.toLowerCase() : undefined
  } catch {
    return undefined
  }
}

/** Stores an error of the Pub/Sub application, unless it equals the last stored error. */
async function reportFailure(
  { saveState, log }: PubSubSubscriberDeps,
  state: SubscriberState,
  error: unknown,
): Promise<void> {
  const response = messageOf(error).slice(0, 1_000)
  if (state.error === response) return
  const code = error instanceof ProviderError ? error.code : undefined
  await saveState({ response, ...(code !== undefined && { description: code }) })
  if (!state.error) log.warn({ err: error }, 'receiving from Pub/Sub failed')
  state.error = response
}
