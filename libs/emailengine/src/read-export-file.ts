import { createReadStream } from 'node:fs'
import type { Secret } from '@posthorn/config'
import type { AccountRegistration } from '@posthorn/contracts/schemas/account'
import type { ImportedToken } from '@posthorn/contracts/schemas/token-import'
import { AppError } from '@posthorn/errors'
import { type StoredObject, tryParse, unpack } from './decode.ts'
import { mapAccount } from './entities/account.ts'
import { mapToken } from './entities/token.ts'
import type { Entry } from './entry.ts'
import { readEntry } from './read-entries.ts'
import { ValueUnsealer } from './sealed-values.ts'
import { UnreadableError } from './unreadable-error.ts'

type ExportEntry = Entry<AccountRegistration> | Entry<ImportedToken>

/**
 * Maximum size of a file that EmailEngine exported, in bytes. An exported account has a few
 * kilobytes.
 */
const maxFileBytes = 256 * 1024 * 1024

/**
 * Reads a file with the output of `emailengine export` (one account, a list of accounts, or one
 * account per line) or of `emailengine tokens export` (one token per line). The file contains
 * secrets.
 *
 * @throws AppError `invalid` if the file is too large or contains neither accounts nor tokens
 */
export async function* readExportFile(
  path: string,
  { secret }: { secret?: Secret | undefined } = {},
): AsyncGenerator<ExportEntry> {
  const text = (await readText(path)).trim()
  const unsealer = new ValueUnsealer(secret)
  const items = /^[{[]/.test(text) ? accountsIn(text) : tokensIn(text)
  for (const [at, item] of items.entries()) {
    const kind = typeof item === 'string' ? 'token' : 'account'
    const entry = await readEntry<unknown>(kind, `${kind} ${at + 1} of the file`, () =>
      entryOf(item, unsealer),
    )
    if (entry) yield entry as ExportEntry
  }
}

async function readText(path: string): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxFileBytes)
      throw new AppError('invalid', `The file has more than ${maxFileBytes} bytes: split the file`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Accounts in a file that EmailEngine exported: one JSON value, or one JSON value per line. */
function accountsIn(text: string): object[] {
  const whole = tryParse(text)
  const values = typeof whole === 'string' ? text.split(/\r?\n/).map(tryParse) : [whole]
  const accounts = values.flat().filter((value) => value !== '')
  if (accounts.every((account) => account !== null && typeof account === 'object'))
    return accounts as object[]
  throw new AppError('invalid', 'The file is not valid JSON: export the accounts again')
}

function tokensIn(text: string): string[] {
  const tokens = text.split(/\s+/).filter((token) => token !== '')
  if (tokens.every((token) => /^[\w+/=-]+$/.test(token))) return tokens
  throw new AppError(
    'invalid',
    'The file contains neither accounts nor tokens: pass the output of `emailengine export` or `emailengine tokens export`',
  )
}

async function entryOf(item: object | string, unsealer: ValueUnsealer): Promise<ExportEntry> {
  const record = typeof item === 'string' ? unpack(Buffer.from(item, 'base64url')) : item
  const decrypted = (await unsealer.unsealMembers(record)) as StoredObject
  const name = typeof item === 'string' ? 'id' : 'account'
  const id = decrypted[name]
  if (typeof id !== 'string' || id === '')
    throw new UnreadableError(`the member ${name} is missing`)
  return typeof item === 'string' ? mapToken(id, decrypted) : mapAccount(id, decrypted)
}
