import { defined } from '@posthorn/contracts/defined'
import { CommandError } from '../../exit-codes.ts'
import { countText } from '../../io/fields.ts'
import { jsonText } from '../../io/printable.ts'
import type { RunCommand } from '../../program/command.ts'

/** Maximum accounts per export request: the maximum of the API. */
const pageSize = 250

/**
 * Prints accounts for `accounts import` of another instance, a JSON value per line. The server
 * seals their secrets for the key of that instance: the lines have no secret in plaintext.
 *
 * @throws CommandError at the end if an account was not exported
 */
export const exportAccounts: RunCommand = async (context, accounts, options) => {
  const { posthorn, output, progress, signal } = context
  const publicKey = options['for'] as string
  const client = await posthorn()
  const missing = new Set(accounts)
  const ids = accounts.length === 0 ? undefined : [...accounts]
  let exported = 0
  for (let cursor: string | null | undefined; cursor !== null;) {
    const body = { publicKey, pageSize, ...defined({ accounts: ids, cursor }) }
    const page = await client.exportAccounts({ body }, { signal })
    for (const account of page.accounts) {
      await output.bytes(Buffer.from(`${jsonText(account)}\n`))
      missing.delete(account.account)
    }
    for (const { account, message } of page.failed) {
      progress.note(`${account} was not exported: ${message}`)
      missing.add(account)
    }
    exported += page.accounts.length
    cursor = page.nextCursor
    progress.show(`exported ${countText(exported, 'account')}`)
  }
  progress.note(`exported ${countText(exported, 'account')}`)
  if (missing.size > 0)
    throw new CommandError(`not exported: ${[...missing].slice(0, 20).join(', ')}`)
}
