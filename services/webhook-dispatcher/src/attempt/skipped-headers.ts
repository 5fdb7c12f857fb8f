import type { Logger } from '@posthorn/telemetry'

export interface SkippedHeaders {
  target: string
  account: string
  /** Their names. */
  skipped: readonly string[]
}

const maxTold = 10_000

/** Logs custom headers that cannot be sent, once for each target and account: every attempt skips them again. */
export function warnSkippedHeaders(log: Pick<Logger, 'warn'>): (found: SkippedHeaders) => void {
  const told = new Set<string>()
  return (found) => {
    if (found.skipped.length === 0) return
    const key = JSON.stringify([found.target, found.account, found.skipped])
    if (told.has(key)) return
    if (told.size >= maxTold) told.clear()
    told.add(key)
    log.warn({ ...found }, 'custom headers that cannot be sent')
  }
}
