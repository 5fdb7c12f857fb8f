import type { CallOptions, Posthorn } from '@posthorn/client'
import type { RunCommand } from '../../program/command.ts'

/** API call that changes one submission in the outbox. */
type ChangeEntry = (client: Posthorn, queueId: string, options: CallOptions) => Promise<object>

/** Command that changes submissions in the outbox one after the other. Ends at the first error. */
function changeEach(change: ChangeEntry, done: string): RunCommand {
  return async ({ posthorn, output, signal }, queueIds) => {
    const client = await posthorn()
    for (const queueId of queueIds) {
      const result = await change(client, queueId, { signal })
      await output.result({ queueId, ...result }, `${done} ${queueId}`)
    }
  }
}

export const holdEntries = changeEach(
  (client, queueId, options) => client.holdOutboxEntry({ queueId }, options),
  'held',
)

export const releaseEntries = changeEach(
  (client, queueId, options) => client.releaseOutboxEntry({ queueId }, options),
  'released',
)

export const sendEntriesNow = changeEach(
  (client, queueId, options) => client.sendOutboxEntry({ queueId }, options),
  'due now:',
)

export const cancelEntries = changeEach(
  (client, queueId, options) => client.deleteOutboxEntry({ queueId }, options),
  'cancelled',
)
