import { isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type { ApiWatch, MailApiWatches } from '../mail-api/watches.ts'
import type { GmailWatchResponse } from '../provider-types/gmail.ts'
import { relabelled } from './errors.ts'
import type { GmailRequests } from './requests.ts'

/**
 * Id of the watch (registration for notifications) of a Gmail mailbox, which has only one watch.
 */
const watchId = 'watch'

/**
 * Watches (registrations for notifications) of a Gmail mailbox, whose notifications arrive over a
 * Pub/Sub topic. A watch is renewed by starting it again.
 */
export function gmailWatches(
  requests: GmailRequests,
  findTopic: () => Promise<string | undefined>,
): MailApiWatches {
  const watch = async (signal: AbortSignal) => {
    signal.throwIfAborted()
    const topic = await findTopic()
    if (topic === undefined)
      throw new MailApiError('watch-refused', 'The application has no Pub/Sub topic.')
    return startWatch(requests, topic, signal)
  }
  return {
    // Notifications of Gmail are signed by Google and carry no secret.
    watch: (_secret, signal) => watch(signal),
    renewWatch: (_id, signal) => watch(signal),
    stopWatch: (_id, signal) => stopWatch(requests, signal),
    listWatches: async () => undefined,
  }
}

async function startWatch(
  requests: GmailRequests,
  topicName: string,
  signal: AbortSignal,
): Promise<ApiWatch> {
  const start = () =>
    requests.json<GmailWatchResponse>({
      operation: 'watch',
      method: 'POST',
      path: '/watch',
      fields: 'expiration',
      body: { topicName },
      repeatable: true,
      signal,
    })
  try {
    return toWatch(await start().catch(stopOthers))
  } catch (error) {
    throw asWatchError(error)
  }

  /**
   * Stops another client's watch (registration for notifications) of the Gmail mailbox, then starts
   * this client's watch again, once. Gmail permits one topic per mailbox and developer.
   */
  async function stopOthers(error: unknown): Promise<Partial<GmailWatchResponse>> {
    if (!isMailApiError(error, 'mailbox-disabled')) throw error
    await stopWatch(requests, signal)
    return start()
  }
}

/** Error reasons of Gmail for a Pub/Sub topic that Gmail may not publish to. */
const topicReasons = new Set(['forbidden', 'iampermissiondenied', 'permissiondenied'])

/**
 * Converts Gmail's error to a watch request (registration for notifications). An operator has to
 * repair failures of the Pub/Sub topic or its permissions.
 */
function asWatchError(error: unknown): unknown {
  return relabelled(error, {
    400: 'watch-refused',
    403: (reason) => (topicReasons.has(reason) ? 'watch-refused' : undefined),
    404: 'watch-refused',
  })
}

async function stopWatch(requests: GmailRequests, signal: AbortSignal): Promise<void> {
  await requests.json({
    operation: 'stop',
    method: 'POST',
    path: '/stop',
    repeatable: true,
    signal,
  })
}

function toWatch({ expiration }: Partial<GmailWatchResponse>): ApiWatch {
  const expiresAt = new Date(Number(expiration))
  if (!Number.isNaN(expiresAt.getTime())) return { id: watchId, expiresAt }
  throw new MailApiError('unavailable', 'The watch has no expiration')
}
