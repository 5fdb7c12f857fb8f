import { defined } from '@posthorn/contracts/defined'
import type { Finding } from '@posthorn/contracts/schemas/finding'
import type { Backlog } from '../store/installation/findings.ts'

/** Findings about exports of messages that failed in the last day. */
export function exportFindings({ count, oldestAt }: Backlog): Finding[] {
  if (count === 0) return []
  return [
    defined({
      id: 'exportsFailed',
      level: 'warning' as const,
      title: 'Exports failed',
      detail: `Exports of messages that failed in the last 24 hours: ${count}.`,
      remedy: 'Read the error of each failed export, remove the cause, and start the export again.',
      count,
      since: oldestAt?.toISOString(),
    }),
  ]
}
