import { operations } from '@posthorn/contracts/operations'
import type { Db, SettingsCache } from '@posthorn/db'
import { handleStream } from '../http/handle.ts'
import { findLastLine, listLines } from '../store/account-logs.ts'
import { hasLogs } from '../store/accounts.ts'

/** Lines per statement. */
const pageSize = 1_000

/** Streams the protocol log of an account. Empty unless the log is enabled. */
export function onGetLogs({ db, settings }: { db: Db; settings: SettingsCache }) {
  return handleStream(operations.getLogs, async ({ params: { account } }) => {
    const isEnabled = await hasLogs(db, account)
    const { logs } = await settings.get()
    return { body: readLog(db, account, isEnabled || logs?.all === true) }
  })
}

/** Ends with the last line that existed at the start. */
async function* readLog(db: Db, account: string, isEnabled: boolean): AsyncGenerator<Uint8Array> {
  const upTo = isEnabled ? await findLastLine(db, account) : undefined
  for (let after = '0'; upTo !== undefined;) {
    const lines = await listLines(db, account, { after, upTo, limit: pageSize })
    if (lines.length > 0) yield Buffer.from(lines.map(({ line }) => `${line}\n`).join(''))
    if (lines.length < pageSize) return
    after = lines.at(-1)?.id ?? upTo
  }
}
