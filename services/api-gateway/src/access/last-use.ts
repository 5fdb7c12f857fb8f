import type { Db } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { markTokensUsed, type TokenUse } from '../store/tokens.ts'

export interface LastUseTracker extends AsyncDisposable {
  record(token: string, address: string): void
}

/** Interval of the writes: at most one per token and minute, batched. */
const everyMs = 60_000

/** Tracks time and address of the last use of tokens. A crash loses at most one minute. */
export function trackLastUse(db: Db, log: Logger): LastUseTracker {
  let uses = new Map<string, TokenUse>()
  const flush = async () => {
    const batch = uses
    uses = new Map()
    await markTokensUsed(db, [...batch.values()])
  }
  const loop = runPeriodically({ everyMs, log, name: 'last use of tokens' }, flush)
  return {
    record: (token, address) => void uses.set(token, { token, address, at: new Date() }),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]()
      await flush().catch((err: unknown) =>
        log.warn({ err }, 'storing the last use of tokens failed'),
      )
    },
  }
}
