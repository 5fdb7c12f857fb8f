import { take } from '../../io/take.ts'
import type { Column } from '../../io/table.ts'
import type { RunCommand } from '../../program/command.ts'

/** Number of exports per request of the command `exports list`. */
const pageSize = 100

interface Row {
  exportId: string
  status: string
  created: string
  expiresAt: string
}

const exportColumns: Column<Row>[] = [
  { title: 'EXPORT', isKey: true, text: ({ exportId }) => exportId },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'CREATED', text: ({ created }) => created },
  { title: 'EXPIRES', text: ({ expiresAt }) => expiresAt },
]

/** Prints the exports of an account, or of all accounts. */
export const listExports: RunCommand = async ({ posthorn, output, signal }, args, options) => {
  const [account] = args
  const { limit } = options as { limit?: number }
  const client = await posthorn()
  const page = { pageSize: Math.min(pageSize, limit ?? pageSize) }
  const empty = 'no exports'
  if (account !== undefined) {
    const exports = client.listExports.all({ account, ...page }, { signal })
    return output.table(take(exports, limit), exportColumns, { empty })
  }
  const exports = client.listAllExports.all(page, { signal })
  await output.table(
    take(exports, limit),
    [...exportColumns, { title: 'ACCOUNT', text: ({ account }) => account }],
    { empty },
  )
}
