import {
  checkAccountTransfers,
  maxTransferBatch,
  sealAccountTransfers,
} from '@posthorn/contracts/commands/account-transfers'
import { parseDate } from '@posthorn/contracts/formats'
import { operations } from '@posthorn/contracts/operations'
import type {
  AccountTransfer,
  TransferRejection,
} from '@posthorn/contracts/schemas/account-transfer'
import { publishEvents } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type AccountImport, importAccount } from '../../accounts/import-account.ts'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { findExistingIds, listAccountIds } from '../../store/accounts/account-transfers.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { OperationDeps } from '../operation-deps.ts'
import { decodeAccountCursor, encodeAccountCursor } from './account-cursor.ts'

type TransferDeps = Pick<
  OperationDeps,
  'db' | 'bus' | 'sealer' | 'sealingKey' | 'settings' | 'tasks'
>

/**
 * Timeout of a command to auth-bridge with one batch of transferred accounts. The secrets of a
 * batch take a fraction of a second.
 */
const timeoutMs = 30_000

/** API operations that move accounts between two instances. */
export function transferHandlers(deps: TransferDeps): OperationHandler[] {
  const { id, text: publicKey } = deps.sealingKey
  return [
    handle(operations.listKeys, () =>
      Promise.resolve({ keys: [{ id, publicKey, current: true }] }),
    ),
    onExportAccounts(deps),
    onImportAccounts(deps),
  ]
}

/**
 * Exports a page of accounts. auth-bridge reads them and seals their secrets for the other
 * instance, so that this service never has the plaintext.
 */
function onExportAccounts({ db, bus }: TransferDeps) {
  return handle(operations.exportAccounts, async ({ body, caller, signal }) => {
    const { publicKey, accounts, cursor, pageSize = 100 } = body
    const after = cursor === undefined ? undefined : decodeAccountCursor(cursor)
    const { ids, last } = await listAccountIds(db, { accounts, after, pageSize })
    const token = caller.token?.id ?? null
    const options = { key: 'credentials', timeoutMs, signal }
    // Sends a command to auth-bridge even without accounts, because auth-bridge rejects public keys
    // that are not listed.
    const batches = ids.length === 0 ? [[]] : batchesOf(ids)
    const replies = await inSequence(batches, (batch) =>
      bus.request(sealAccountTransfers, { accounts: batch, publicKey, token }, options),
    )
    return {
      accounts: replies.flatMap((reply) => reply.accounts),
      failed: replies.flatMap((reply) =>
        reply.failed.map((account) => ({ account, message: notUnsealed })),
      ),
      nextCursor: last === undefined ? null : encodeAccountCursor(last),
    }
  })
}

const notUnsealed =
  'No private key unseals a secret of the account: see the log of auth-bridge and SVC_SECRET_PREVIOUS'

interface ImportResult {
  account: string
  result: 'imported' | 'exists' | 'rejected'
  reason?: TransferRejection
  message?: string
}

/**
 * Imports accounts, each in a transaction of its own. After a crash, a repeated request finds the
 * accounts that were stored before as existing accounts.
 */
function onImportAccounts(deps: TransferDeps) {
  return handle(operations.importAccounts, async ({ body, signal }) => {
    const { accounts, applications = {}, paused } = body
    const ids = new Map(Object.entries(applications))
    const existing = await findExistingIds(
      deps.db,
      accounts.map(({ account }) => account),
    )
    const missing = accounts.filter(({ account }) => !existing.has(account))
    const checks = await checkTransfers(deps, { accounts: missing, applications, signal })
    const { serviceUrl = null } = await deps.settings.get()
    const notifyFrom = parseDate(body.notifyFrom ?? '') ?? new Date()
    const rest = { paused, notifyFrom, serviceUrl, sealer: deps.sealer }
    const results: ImportResult[] = []
    for (const transfer of accounts) {
      const { account, oauth2 } = transfer
      const check = checks.get(transfer)
      if (existing.has(account)) results.push({ account, result: 'exists' })
      else if (!check)
        throw new AppError('internal', 'auth-bridge returned no result for an imported account')
      else if ('reason' in check) results.push(rejected(account, check.reason))
      else {
        const app = oauth2 && (ids.get(oauth2.provider) ?? oauth2.provider)
        const { credentials } = check
        results.push(await storeAccount(deps, { transfer, app, credentials, ...rest }))
      }
    }
    return { results }
  })
}

interface CheckRequest {
  accounts: readonly AccountTransfer[]
  applications: Record<string, string>
  signal: AbortSignal
}

/** Has auth-bridge check the secrets of imported accounts. Stores nothing. */
async function checkTransfers(
  { bus }: TransferDeps,
  { accounts, applications, signal }: CheckRequest,
) {
  const options = { key: 'credentials', timeoutMs, signal }
  const replies = await inSequence(batchesOf(accounts), (batch) =>
    bus.request(checkAccountTransfers, { accounts: batch, applications }, options),
  )
  const results = replies.flatMap((reply) => reply.results)
  return new Map(accounts.map((transfer, index) => [transfer, results[index]]))
}

async function storeAccount(
  { db, bus, tasks }: TransferDeps,
  request: AccountImport,
): Promise<ImportResult> {
  const { account } = request.transfer
  try {
    const events = await inTransaction(db, (tx) => importAccount(tx, request))
    if (!events) return { account, result: 'exists' }
    tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events))
    tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
    return { account, result: 'imported' }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'invalid') throw error
    if (error.code === 'AccountAlreadyExists') return rejected(account, 'userExists')
    return { ...rejected(account, 'invalid'), message: describe(error) }
  }
}

/** Error message of an invalid account in an import, with the names of its invalid members. */
function describe({ message, extras: { fields = [] } }: AppError): string {
  return fields.length === 0 ? message : fields.map((field) => field.message).join('; ')
}

const messages: Readonly<Record<TransferRejection, string>> = {
  invalid: 'A member of the account is invalid',
  unknownApplication:
    'The OAuth2 application does not exist or is for another provider: create it and name it in `applications`',
  userExists: 'Another account logs in as this OAuth2 user already',
  otherKey:
    'A secret is sealed for another instance: export the account for the current key of this instance',
  otherUse:
    'A secret was changed or is sealed for another account, server, user or application: export the account again',
}

function rejected(account: string, reason: TransferRejection): ImportResult {
  return { account, result: 'rejected', reason, message: messages[reason] }
}

/**
 * Sends batches of transferred accounts to auth-bridge one after the other, so that logins of
 * accounts need not wait for many batches.
 */
async function inSequence<T, R>(
  batches: readonly T[],
  send: (batch: T) => Promise<R>,
): Promise<R[]> {
  const replies: R[] = []
  for (const batch of batches) replies.push(await send(batch))
  return replies
}

function batchesOf<T>(list: readonly T[]): T[][] {
  const count = Math.ceil(list.length / maxTransferBatch)
  return Array.from({ length: count }, (_, index) =>
    list.slice(index * maxTransferBatch, (index + 1) * maxTransferBatch),
  )
}
