import { operations } from '@posthorn/contracts'
import type { Db, SettingsCache } from '@posthorn/db'
import { findLastLine, isLogged, listLines } from '../../store/logs.ts'
import { handleStream } from '../../http/route.ts'

/** Lines read at once. */
const pageSize = 1_000

export function onGetLogs({ db, settings }: { db: Db; settings: SettingsCache }) {
  return handleStream(operations.getLogs, async ({ params: { account } }) => {
    const itself = await isLogged(db, account)
    const { logs } = await settings.get()
    return readLog(db, account, itself || logs?.all === true)
  })
}

/** Ends with the line that was the last one when it began. */
async function* readLog(db: Db, account: string, logged: boolean): AsyncGenerator<Uint8Array> {
  const upTo = logged ? await findLastLine(db, account) : undefined
  for (let after = '0'; upTo !== undefined;) {
    const lines = await listLines(db, account, { after, upTo, limit: pageSize })
    if (lines.length > 0) yield Buffer.from(lines.map(({ line }) => `${line}\n`).join(''))
    if (lines.length < pageSize) return
    after = lines.at(-1)?.id ?? upTo
  }
}
