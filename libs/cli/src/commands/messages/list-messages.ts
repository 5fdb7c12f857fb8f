import { defined } from '@posthorn/contracts/defined'
import { addressText } from '../../io/fields.ts'
import { take } from '../../io/take.ts'
import type { OptionValues, RunCommand } from '../../program/command.ts'

/** Messages per request of `messages list`: a page is shown after about a second. */
const pageSize = 100

/** Command `messages list`: prints messages while their pages are read. */
export const listMessages: RunCommand = async ({ posthorn, output, signal }, args, options) => {
  const [account = ''] = args
  const { path, limit } = options as { path: string; limit?: number }
  const client = await posthorn()
  const search = toSearch(options)
  const page = { account, path, pageSize: Math.min(pageSize, limit ?? pageSize) }
  const messages =
    Object.keys(search).length === 0
      ? client.listMessages.all(page, { signal })
      : client.searchMessages.all({ ...page, body: { search } }, { signal })
  await output.table(
    take(messages, limit),
    [
      { title: 'MESSAGE', isKey: true, text: ({ id }) => id },
      { title: 'DATE', text: ({ date }) => date?.replace(/\.\d+Z$/, 'Z') },
      { title: 'FROM', text: ({ from }) => addressText(from) },
      { title: 'FLAGS', text: ({ flags }) => flags.join(' ') },
      { title: 'SUBJECT', text: ({ subject }) => subject },
    ],
    { empty: 'no messages', rowsPerPrint: pageSize },
  )
}

function toSearch(options: OptionValues) {
  const { search, subject, from, since, unseen } = options as {
    search?: string
    subject?: string
    from?: string
    since?: string
    unseen?: boolean
  }
  return defined({ body: search, subject, from, since, unseen })
}
