import { defined } from '@posthorn/contracts/defined'
import type { ListAccountsInput } from '@posthorn/client'
import { take } from '../../io/take.ts'
import type { RunCommand } from '../../program/command.ts'

/** Number of accounts per request of the command `accounts list`. */
const pageSize = 250

/** Command `accounts list`: prints the accounts while their pages are read. */
export const listAccounts: RunCommand = async ({ posthorn, output, signal }, _args, options) => {
  const { state, query, limit } = options as {
    state?: ListAccountsInput['state']
    query?: string
    limit?: number
  }
  const client = await posthorn()
  const accounts = client.listAccounts.all(
    { pageSize: Math.min(pageSize, limit ?? pageSize), ...defined({ state, query }) },
    { signal },
  )
  await output.table(
    take(accounts, limit),
    [
      { title: 'ACCOUNT', isKey: true, text: ({ account }) => account },
      { title: 'STATE', text: ({ state }) => state },
      { title: 'TYPE', text: ({ type }) => type },
      { title: 'EMAIL', text: ({ email }) => email },
      { title: 'NAME', text: ({ name }) => name },
      {
        title: 'LAST ERROR',
        text: ({ lastError }) => lastError?.serverResponseCode ?? lastError?.response,
      },
    ],
    { empty: 'no accounts' },
  )
}
