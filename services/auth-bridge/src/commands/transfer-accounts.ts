import { type CommandHandler, on } from '@posthorn/bus'
import {
  checkAccountTransfers,
  sealAccountTransfers,
} from '@posthorn/contracts/commands/account-transfers'
import type { AccountTransfer } from '@posthorn/contracts/schemas/account-transfer'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { createSealer, readPublicKey, type Sealer, type Unsealer } from '@posthorn/secrets'
import type { Logger } from '@posthorn/telemetry'
import { findTransferApps, listTransferRows } from '../store/account-transfers.ts'
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

/** Handlers of the commands that move accounts between two instances. */
export function transferHandlers(deps: TransferDeps): CommandHandler[] {
  return [onSealAccountTransfers(deps), onCheckAccountTransfers(deps)]
}

/**
 * Exports accounts for another instance. The list of permitted keys is in the environment of
 * auth-bridge, so that a stolen access token cannot export secrets for a key of the thief.
 */
function onSealAccountTransfers({ db, unsealer, log, accountExportKeys }: TransferDeps) {
  return on(sealAccountTransfers, async ({ accounts: ids, publicKey, token }) => {
    // The text of the key that was read: several texts stand for the same bytes in base64url.
    const key = readPublicKey(publicKey)
    if (!accountExportKeys.includes(key.text)) {
      log.warn({ token, key: key.id }, 'account export refused, key is not listed')
      throw notListed()
    }
    const sealer = createSealer(key)
    const rows = await listTransferRows(db, ids)
    const failed: string[] = []
    const transfers = await Promise.all(
      rows.map((row) =>
        sealTransfer(row, { unsealer, sealer }).catch((err: unknown) => {
          log.error({ err, account: row.account }, 'account not exported, unsealing failed')
          failed.push(row.account)
        }),
      ),
    )
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

function onCheckAccountTransfers({ db, ...deps }: TransferDeps) {
  return on(checkAccountTransfers, async ({ accounts, applications }) => {
    const ids = new Map(Object.entries(applications))
    const idOf = ({ oauth2 }: AccountTransfer) => {
      const { provider = '' } = oauth2 ?? {}
      return ids.get(provider) ?? provider
    }
    const apps = await findTransferApps(db, [...new Set(accounts.map(idOf))])
    const results = await Promise.all(
      accounts.map((transfer) => checkTransfer(transfer, apps.get(idOf(transfer)), deps)),
    )
    return { results }
  })
}
