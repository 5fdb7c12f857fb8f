import { operations } from '@posthorn/contracts'
import type { ChangeStreams } from '../../changes/change-streams.ts'
import { parsePosition } from '../../changes/position.ts'
import { handleEventStream } from '../../http/route.ts'

/** The header wins: a client that comes back by itself keeps its address, and with it an old `lastEventId`. */
export function onFollowChanges({ changes }: { changes: ChangeStreams }) {
  return handleEventStream(operations.followChanges, ({ query, headers, caller }) => {
    const { 'last-event-id': resumed } = headers
    return changes.open(parsePosition(resumed) ?? parsePosition(query.lastEventId), caller)
  })
}
