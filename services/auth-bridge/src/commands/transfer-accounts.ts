import { type CommandHandler, on } from '@posthorn/bus'
import {
  checkAccountTransfers,
  sealAccountTransfers,
} from '@posthorn/contracts/commands/account-transfers'
import type { AccountTransfer } from '@posthorn/contracts/schemas/account-transfer'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { Semaphore } from '@posthorn/flow'
import { createSealer, readPublicKey, type Sealer, type Unsealer } from '@posthorn/secrets'
import type { Logger } from '@posthorn/telemetry'
import { findTransferApps, listTransferRows, type TransferRow } from '../store/account-transfers.ts'
import { checkTransfer } from '../transfers/check-transfer.ts'
import { sealTransfer } from '../transfers/seal-transfer.ts'

export interface TransferDeps {
  db: Db
  unsealer: Unsealer
  sealer: Sealer
  log: Logger
  /** Public keys of other instances for which accounts may be exported. */
  accountExportKeys: readonly string[]
  /** Ids of the private keys of auth-bridge. */
  keyIds: ReadonlySet<string>
}

/**
 * Maximum number of accounts whose secrets are sealed or checked concurrently. Other commands, such
 * as logins of accounts, use the same threads for their cryptography.
 */
const maxConcurrent = 4

/** Handlers of the commands that move accounts between two instances. */
export function transferHandlers(deps: TransferDeps): CommandHandler[] {
  const permits = new Semaphore(maxConcurrent)
  return [onSealAccountTransfers(deps, permits), onCheckAccountTransfers(deps, permits)]
}

/**
 * Exports accounts for another instance. The list of permitted keys is in the environment of
 * auth-bridge, so that a stolen access token cannot export secrets for a key of the thief.
 */
function onSealAccountTransfers(
  { db, unsealer, log, accountExportKeys }: TransferDeps,
  permits: Semaphore,
) {
  return on(sealAccountTransfers, async ({ accounts: ids, publicKey, token }, { signal }) => {
    // The text of the other instance's public key is compared in its canonical form, because
    // several base64url texts stand for the same bytes.
    const key = readPublicKey(publicKey)
    if (!accountExportKeys.includes(key.text)) {
      log.warn({ token, key: key.id }, 'account export refused, key is not listed')
      throw notListed()
    }
    const sealer = createSealer(key)
    const rows = await listTransferRows(db, ids)
    const failed: string[] = []
    const seal = (row: TransferRow) =>
      sealTransfer(row, { unsealer, sealer }).catch((err: unknown) => {
        log.error({ err, account: row.account }, 'account not exported, unsealing failed')
        failed.push(row.account)
      })
    const transfers = await Promise.all(rows.map((row) => permits.run(() => seal(row), signal)))
    const accounts = transfers.filter((transfer): transfer is AccountTransfer => Boolean(transfer))
    log.info({ token, key: key.id, count: accounts.length }, 'accounts sealed for another instance')
    return { accounts, failed }
  })
}

function notListed(): AppError {
  return new AppError(
    'forbidden',
    'The public key is not permitted: add it to SVC_ACCOUNT_EXPORT_KEYS of auth-bridge and restart it',
    { code: 'ApiEndpointDisabled' },
  )
}

function onCheckAccountTransfers({ db, ...deps }: TransferDeps, permits: Semaphore) {
  return on(checkAccountTransfers, async ({ accounts, applications }, { signal }) => {
    const ids = new Map(Object.entries(applications))
    const idOf = ({ oauth2 }: AccountTransfer) => {
      const { provider = '' } = oauth2 ?? {}
      return ids.get(provider) ?? provider
    }
    const apps = await findTransferApps(db, [...new Set(accounts.map(idOf))])
    const check = (transfer: AccountTransfer) =>
      checkTransfer(transfer, apps.get(idOf(transfer)), deps)
    const results = await Promise.all(
      accounts.map((transfer) => permits.run(() => check(transfer), signal)),
    )
    return { results }
  })
}
