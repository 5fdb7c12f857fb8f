import type { BulkProgress } from '../../data/bulk-run.ts'
import { TextList } from '../content/text-list.tsx'

/** Progress of an action on several things, with the errors of those for which it failed. */
export function BulkState({ done, total, failures }: BulkProgress) {
  return (
    <div role="status">
      <progress value={done} max={total} aria-label="Progress" />{' '}
      {`${done} of ${total} done, ${failures.length} failed`}
      <TextList texts={failures.map(([key, message]) => `${key}: ${message}`)} />
    </div>
  )
}
