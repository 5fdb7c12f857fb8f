import { fieldError } from '@posthorn/contracts/describe-error'
import { parseDate } from '@posthorn/contracts/formats'
import { operations } from '@posthorn/contracts/operations'
import type { ImportedToken } from '@posthorn/contracts/schemas/token-import'
import { validationError } from '@posthorn/contracts/validate'
import { noToken } from '../../access/authenticate.ts'
import { assertNotWider } from '../../access/mint.ts'
import { handle } from '../../http/handle.ts'
import { storeImportedTokens, type TokenToImport } from '../../store/access/token-imports.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { OperationDeps } from '../operation-deps.ts'
import { isJson } from './tokens.ts'

/**
 * Imports access tokens of EmailEngine. Their values are unknown, so the tokens are stored with the
 * ids of EmailEngine. Nothing is cached about missing tokens: their first call succeeds.
 */
export function onImportTokens({ db, log }: Pick<OperationDeps, 'db' | 'log'>) {
  return handle(operations.importTokens, async ({ body, caller }) => {
    if (!caller.token) throw noToken('no token')
    assertValid(body.tokens)
    const tokens = body.tokens.map(toStore)
    for (const token of tokens) assertNotWider(caller.token, token)
    const result = await inTransaction(db, (tx) => storeImportedTokens(tx, tokens))
    const { imported, unchanged, skipped } = result
    const counts = { imported, unchanged, skipped: skipped.length }
    log.info({ token: caller.token.id, address: caller.address, ...counts }, 'tokens imported')
    return result
  })
}

/**
 * Rejects repeated ids, malformed metadata and dates that Postgres cannot read, which the schema
 * cannot express.
 */
function assertValid(tokens: readonly ImportedToken[]): void {
  const ids = new Set<string>()
  const errors = tokens.flatMap(({ id, metadata, created, expires, access }, index) => {
    const isRepeated = ids.has(id)
    ids.add(id)
    const dates = { created, expires, 'access.time': access?.time }
    const unreadable = Object.entries(dates).filter(([, text]) => !isStorable(toDate(text)))
    return [
      ...unreadable.map(([name]) => fieldError(`tokens.${index}.${name}`, outOfRange)),
      ...(isRepeated ? [fieldError(`tokens.${index}.id`, 'must be unique')] : []),
      ...(metadata === undefined || isJson(metadata)
        ? []
        : [fieldError(`tokens.${index}.metadata`, 'must be JSON')]),
    ]
  })
  if (errors.length > 0) throw validationError(errors)
}

const outOfRange = 'must be in the years 1 to 9999 (UTC)'

/**
 * True for a date whose ISO 8601 text Postgres can read. A time zone can move a date of the year
 * 9999 to the year 10000 in UTC.
 */
function isStorable(date: Date | null): boolean {
  const year = date?.getUTCFullYear() ?? 1
  return year >= 1 && year <= 9_999
}

function toStore({ created, expires, access = {}, ...token }: ImportedToken): TokenToImport {
  const absent = { account: null, description: null, metadata: null, ip: null, remoteAddress: null }
  return {
    ...absent,
    restrictions: null,
    permissions: null,
    ...token,
    createdAt: toDate(created),
    expiresAt: toDate(expires),
    lastUsedAt: toDate(access.time),
    lastUsedIp: access.ip ?? null,
  }
}

function toDate(text: string | null | undefined): Date | null {
  return parseDate(text ?? '') ?? null
}
