import type { BulkProgress } from '../../data/bulk-run.ts'
import { TextList } from '../content/text-list.tsx'
import { Announcement } from './announcement.tsx'

/**
 * Progress of an action that runs for several entries, with the errors of the failed entries.
 * Screen readers announce the end of the action only.
 */
export function BulkState({ done, total, failures }: BulkProgress) {
  const news = done === total ? `Ended: ${failures.length} of ${total} failed.` : ''
  return (
    <>
      <Announcement text={news} />
      <div>
        <progress value={done} max={total} aria-label="Progress" />{' '}
        {`${done} of ${total} done, ${failures.length} failed`}
        <TextList texts={failures.map(([key, message]) => `${key}: ${message}`)} />
      </div>
    </>
  )
}
