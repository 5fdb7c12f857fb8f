import { operations } from '@posthorn/contracts'
import type { ChangeStreams } from '../changes/change-streams.ts'
import { parsePosition } from '../changes/position.ts'
import { handleEventStream } from '../http/handle.ts'

export interface FollowChangesDeps {
  changes: ChangeStreams
}

/** The header overrides the query: an EventSource reconnects with its first URL. */
export function onFollowChanges({ changes }: FollowChangesDeps) {
  return handleEventStream(operations.followChanges, ({ query, headers, caller }) => {
    const { 'last-event-id': lastEventId } = headers
    return changes.open(parsePosition(lastEventId) ?? parsePosition(query.lastEventId), caller)
  })
}
