import { operations } from '@posthorn/contracts/operations'
import { parsePosition } from '../changes/position.ts'
import { handleEventStream } from '../http/handle.ts'
import type { OperationDeps } from './operation-deps.ts'

/** The header overrides the query: an EventSource reconnects with its first URL. */
export function onFollowChanges({ changes }: Pick<OperationDeps, 'changes'>) {
  return handleEventStream(operations.followChanges, ({ query, headers, caller }) => {
    const { 'last-event-id': lastEventId } = headers
    return changes.open(parsePosition(lastEventId) ?? parsePosition(query.lastEventId), caller)
  })
}
