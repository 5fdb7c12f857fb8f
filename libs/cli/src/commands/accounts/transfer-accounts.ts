import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { ExportAccountsResult, ImportAccountsInput } from '@posthorn/client'
import { readSecretFile } from '../../connection/secret-input.ts'
import { CommandError, UsageError } from '../../exit-codes.ts'
import type { RunCommand } from '../../program/command.ts'
import { defined } from '../../program/values.ts'

type Transfer = ExportAccountsResult['accounts'][number]

/** Accounts per request of an export. */
const exportPage = 100
/** Accounts per request of an import. */
const importPage = 100
/** Time for which calls are repeated: a transfer should survive an upgrade of the server. */
const retryForMs = 60_000

/**
 * Prints accounts, one JSON value per line, with secrets that only the instance with the key of
 * `--for` can unseal.
 */
export const exportAccounts: RunCommand = async (context, accounts, { for: key }) => {
  const { output, progress, signal, terminal } = context
  const text = String(key)
  const publicKey = text.startsWith('@')
    ? await readSecretFile(text.slice(1), terminal.stdin)
    : text
  const client = await context.posthorn({ retryForMs })
  let [exported, failed] = [0, 0]
  for (let cursor: string | null | undefined; cursor !== null;) {
    const body = {
      publicKey,
      pageSize: exportPage,
      ...defined({ cursor, accounts: accounts.length > 0 ? [...accounts] : undefined }),
    }
    const page: ExportAccountsResult = await client.exportAccounts({ body }, { signal })
    for (const account of page.accounts) await output.json(account)
    for (const { account, message } of page.failed) progress.note(`${account}: ${message}`)
    exported += page.accounts.length
    failed += page.failed.length
    progress.show(`exported ${exported} accounts`)
    cursor = page.nextCursor
  }
  progress.note(`exported ${exported} accounts`)
  if (failed > 0) throw new CommandError(`${failed} accounts were not exported, see above`)
  const missing = accounts.length - exported
  if (missing > 0) throw new CommandError(`${missing} of the accounts do not exist`)
}

/** Imports accounts from the output of `accounts export`. Existing accounts stay unchanged. */
export const importAccounts: RunCommand = async (context, [file = ''], { paused }) => {
  const { output, progress, signal, terminal } = context
  const client = await context.posthorn({ retryForMs })
  const counts = { imported: 0, exists: 0, rejected: 0 }
  const send = async (accounts: ImportAccountsInput['body']['accounts']) => {
    if (accounts.length === 0) return
    const body = { accounts, ...(paused === true && { paused: true }) }
    const { results } = await client.importAccounts({ body }, { signal })
    for (const { account, result, reason, message } of results) {
      counts[result] += 1
      if (result === 'rejected') progress.note(`${account}: ${message ?? reason ?? result}`)
    }
    progress.show(`imported ${counts.imported} accounts`)
  }
  let batch: Transfer[] = []
  for await (const account of readTransfers(file, terminal.stdin)) {
    batch.push(account)
    if (batch.length < importPage) continue
    await send(batch)
    batch = []
  }
  await send(batch)
  progress.clear()
  const { imported, exists, rejected } = counts
  await output.result(
    counts,
    `imported ${imported} accounts, ${exists} exist already, ${rejected} were rejected`,
  )
  if (rejected > 0)
    throw new CommandError(`${rejected} accounts were rejected: correct them and repeat the import`)
}

/** Reads the accounts of a file line by line. The path `-` is standard input. */
async function* readTransfers(
  file: string,
  stdin: NodeJS.ReadableStream,
): AsyncGenerator<Transfer> {
  const input = file === '-' ? stdin : createReadStream(file)
  let number = 0
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number += 1
    if (line.trim() !== '') yield parse(line, number)
  }
}

function parse(line: string, number: number): Transfer {
  try {
    const value: unknown = JSON.parse(line)
    if (value !== null && typeof value === 'object') return value as Transfer
  } catch {
    // The error below names the line.
  }
  throw new UsageError(`line ${number} is not an account: pass the output of \`accounts export\``)
}
