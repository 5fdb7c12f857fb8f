import { defined } from '@posthorn/contracts/defined'
import type { ListWebhookDeliveriesInput } from '@posthorn/client'
import { take } from '../../io/take.ts'
import type { RunCommand } from '../../program/command.ts'
import { localTime } from '../../program/times.ts'
import { filterOf } from './filter.ts'

/** Webhook deliveries per request of the command that lists them. */
const pageSize = 1_000

/**
 * Command that prints webhook deliveries while their pages are read, by default the failed
 * deliveries.
 */
export const listFailed: RunCommand = async ({ posthorn, output, signal }, _args, options) => {
  const { state, limit } = options as {
    state?: ListWebhookDeliveriesInput['state']
    limit?: number
  }
  const client = await posthorn()
  const deliveries = client.listWebhookDeliveries.all(
    {
      pageSize: Math.min(pageSize, limit ?? pageSize),
      ...filterOf(options),
      ...defined({ state }),
    },
    { signal },
  )
  await output.table(
    take(deliveries, limit),
    [
      { title: 'DELIVERY', isKey: true, text: ({ id }) => id },
      {
        title: 'TIME',
        text: ({ finishedAt, nextAttemptAt, queuedAt }) =>
          localTime(finishedAt ?? nextAttemptAt ?? queuedAt),
      },
      { title: 'EVENT', text: ({ event }) => event },
      { title: 'ACCOUNT', text: ({ account }) => account },
      { title: 'TARGET', text: ({ address }) => address },
      { title: 'ATTEMPTS', text: ({ attempts }) => attempts },
      { title: 'OUTCOME', text: ({ lastStatus, lastOutcome }) => lastStatus ?? lastOutcome },
      { title: 'REPLAYED', text: ({ replayedAt }) => (replayedAt ? 'yes' : 'no') },
      { title: 'ERROR', text: ({ lastError }) => lastError },
    ],
    { empty: `no ${state ?? 'failed'} webhook deliveries` },
  )
}
