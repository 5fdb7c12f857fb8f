import { defined } from '@posthorn/contracts/defined'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type {
  ImportAccountsInput,
  ImportAccountsResult,
  Posthorn,
  PosthornError,
} from '@posthorn/client'
import { CommandError, UsageError } from '../../exit-codes.ts'
import { countText } from '../../io/fields.ts'
import { inputError, openInput } from '../../io/input.ts'
import type { RunCommand } from '../../program/command.ts'

/** Maximum accounts per import request: the maximum of the API. */
const batchSize = 100

type ImportBody = ImportAccountsInput['body']
type ImportResult = ImportAccountsResult['results'][number]

/**
 * Registers the accounts of a file that `accounts export` has written. Existing accounts stay
 * unchanged, so that the command can be repeated after an interruption.
 *
 * @throws CommandError at the end if accounts were rejected
 */
export const importAccounts: RunCommand = async (context, args, options) => {
  const { posthorn, output, progress, signal } = context
  const [file = ''] = args
  const settings = toSettings(options as ImportOptions)
  const client = await posthorn()
  const input = openInput(file, context)
  const counts: Record<ImportResult['result'], number> = { imported: 0, exists: 0, rejected: 0 }
  const count = (result: ImportResult) => {
    counts[result.result] += 1
    progress.show(countsText(counts))
  }
  const results = importAll(client, readBatches(input, file), { settings, signal, count })
  try {
    await output.table(
      results,
      [
        { title: 'ACCOUNT', isKey: true, text: ({ account }) => account },
        { title: 'RESULT', text: ({ result }) => result },
        { title: 'REASON', text: ({ reason, message }) => message ?? reason },
      ],
      { empty: 'no accounts', rowsPerPrint: batchSize },
    )
  } finally {
    // The counts of imported accounts are also printed after an error, because the accounts before
    // the error are registered.
    progress.note(countsText(counts))
  }
  if (counts.rejected > 0)
    throw new CommandError(`${countText(counts.rejected, 'account')} rejected: see the reasons`)
}

/** Options of the command `accounts import`. */
interface ImportOptions {
  application?: [from: string, to: string][]
  paused?: boolean
  start?: boolean
  notifyFrom?: string
}

function toSettings({ application, paused, start, notifyFrom }: ImportOptions) {
  if (paused && start) throw new UsageError('--paused and --start exclude each other')
  return defined({
    applications: application && Object.fromEntries(application),
    paused: paused ? true : start ? false : undefined,
    notifyFrom,
  })
}

interface ImportAllOptions {
  settings: Omit<ImportBody, 'accounts'>
  signal: AbortSignal
  count: (result: ImportResult) => void
}

async function* importAll(
  client: Posthorn,
  batches: AsyncIterable<Batch>,
  { settings, signal, count }: ImportAllOptions,
): AsyncGenerator<ImportResult> {
  for await (const { accounts, lines } of batches) {
    const body = { ...settings, accounts }
    const { results } = await client
      .importAccounts({ body }, { signal })
      .catch((error: unknown) => {
        throw withLine(error, lines)
      })
    results.forEach(count)
    yield* results
  }
}

/** Accounts of one import request, and the numbers of their lines in the file. */
interface Batch {
  accounts: ImportBody['accounts']
  lines: number[]
}

/**
 * Replaces the error of an import request that the API has rejected because of one account by an
 * error with the number of the account's line in the file. Returns other errors unchanged.
 */
function withLine(error: unknown, lines: readonly number[]): unknown {
  const { name, fields } = error as Partial<PosthornError>
  if (name !== 'PosthornError') return error
  const [, index, path] = /^accounts\.(\d+)(?:\.(.+))?$/.exec(fields?.[0]?.path ?? '') ?? []
  const line = lines[Number(index)]
  if (line === undefined) return error
  const reason = path === undefined ? 'is no account' : `has a missing or wrong value of ${path}`
  return new CommandError(
    `line ${line} ${reason}: import a file that \`posthorn accounts export\` has written`,
  )
}

/** Reads accounts for an import, one JSON value per line, in batches of one request. */
async function* readBatches(input: Readable, file: string): AsyncGenerator<Batch> {
  let batch: Batch = { accounts: [], lines: [] }
  let number = 0
  for await (const line of readLines(input, file)) {
    number += 1
    if (line.trim() === '') continue
    batch.accounts.push(parseLine(line, number))
    batch.lines.push(number)
    if (batch.lines.length < batchSize) continue
    yield batch
    batch = { accounts: [], lines: [] }
  }
  if (batch.lines.length > 0) yield batch
}

async function* readLines(input: Readable, file: string): AsyncGenerator<string> {
  const failure = new Promise<never>((_resolve, reject) => input.once('error', reject))
  failure.catch(() => undefined)
  const lines = createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([lines.next(), failure]).catch((error: unknown) => {
      throw inputError(file, error)
    })
    if (next.done) return
    yield next.value
  }
}

function parseLine(line: string, number: number): ImportBody['accounts'][number] {
  try {
    return JSON.parse(line) as ImportBody['accounts'][number]
  } catch {
    throw new CommandError(
      `line ${number} is not valid JSON: import a file that \`posthorn accounts export\` has written`,
    )
  }
}

function countsText({ imported, exists, rejected }: Record<ImportResult['result'], number>) {
  return `${countText(imported, 'account')} imported, ${exists} existed, ${rejected} rejected`
}
