import type { Logger } from '@posthorn/telemetry'

/** Logger that stores its lines, so that a test of IMAP sessions can check them for secrets. */
export function quietLogger(lines: string[] = []): Logger {
  const note = (...entry: unknown[]) => void lines.push(JSON.stringify(entry))
  const log: Logger = {
    trace: note,
    debug: note,
    info: note,
    warn: note,
    error: note,
    fatal: note,
    child: () => log,
  }
  return log
}
