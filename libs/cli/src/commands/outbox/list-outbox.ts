import { defined } from '@posthorn/contracts/defined'
import type { ListOutboxInput } from '@posthorn/client'
import { take } from '../../io/take.ts'
import type { RunCommand } from '../../program/command.ts'

/** Number of submissions per request of the command `outbox list`. */
const pageSize = 250

/** Command `outbox list`: prints the submissions of the outbox while their pages are read. */
export const listOutbox: RunCommand = async ({ posthorn, output, signal }, _args, options) => {
  const { account, state, limit } = options as {
    account?: string
    state?: ListOutboxInput['state']
    limit?: number
  }
  const client = await posthorn()
  const entries = client.listOutbox.all(
    { pageSize: Math.min(pageSize, limit ?? pageSize), ...defined({ account, state }) },
    { signal },
  )
  await output.table(
    take(entries, limit),
    [
      { title: 'QUEUE ID', isKey: true, text: ({ queueId }) => queueId },
      { title: 'ACCOUNT', text: ({ account }) => account },
      { title: 'STATE', text: ({ state }) => state },
      {
        title: 'ATTEMPTS',
        text: ({ attemptsMade, attempts }) => `${attemptsMade} of ${attempts}`,
      },
      { title: 'NEXT ATTEMPT', text: ({ nextAttempt }) => nextAttempt || undefined },
      { title: 'TO', text: ({ envelope }) => envelope.to.join(', ') },
      { title: 'SUBJECT', text: ({ subject }) => subject },
      { title: 'LAST ERROR', text: ({ progress }) => progress.error?.message },
    ],
    { empty: 'no messages' },
  )
}
