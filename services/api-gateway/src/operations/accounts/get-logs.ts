import { operations } from '@posthorn/contracts/operations'
import type { Db, SettingsCache } from '@posthorn/db'
import { isTenant } from '../../access/authorize.ts'
import { handleStream } from '../../http/handle.ts'
import { findLastLine, listLines } from '../../store/accounts/account-logs.ts'
import { hasLogs } from '../../store/accounts/accounts.ts'

/** Number of protocol log lines per SQL statement. */
const pageSize = 1_000

/**
 * Streams the protocol log of an account. The stream is empty unless the log is enabled. A tenant
 * reads only the lines after the reply to a login. Earlier lines contain the banner of the server,
 * which a tenant could use to scan ports.
 */
export function onGetLogs({ db, settings }: { db: Db; settings: SettingsCache }) {
  return handleStream(operations.getLogs, async ({ params: { account }, caller }) => {
    const isEnabled = await hasLogs(db, account)
    const { logs } = await settings.get()
    const afterLogin = isTenant(caller.token)
    return { body: isEnabled || logs?.all === true ? readLog(db, account, afterLogin) : noLines() }
  })
}

async function* noLines(): AsyncGenerator<Uint8Array> {}

/**
 * Reads the protocol log of an account, up to the last line that exists when the API request
 * starts.
 */
async function* readLog(db: Db, account: string, afterLogin: boolean): AsyncGenerator<Uint8Array> {
  const upTo = await findLastLine(db, account)
  for (let after = '0'; upTo !== undefined;) {
    const lines = await listLines(db, account, { after, upTo, limit: pageSize, afterLogin })
    if (lines.length > 0) yield Buffer.from(lines.map(({ line }) => `${line}\n`).join(''))
    if (lines.length < pageSize) return
    after = lines.at(-1)?.id ?? upTo
  }
}
