import type { StateChange } from '@posthorn/contracts/schemas/changes'
import type { Position } from '../store/changes.ts'
import { formatPosition } from './position.ts'

// Server-sent events, WHATWG HTML §9.2.5 and §9.2.6.

/**
 * First frame of a stream: product and start position. The frame has no data, so clients dispatch
 * no event.
 */
export function greeting(version: string, start: Position | undefined): string {
  const comment = `: Posthorn v${version}\n\n`
  return start ? `${comment}id: ${formatPosition(start)}\n\n` : comment
}

export function changeFrame(position: Position, change: StateChange): string {
  const { account, type, key, stateDetail, payload } = change
  const data = JSON.stringify({ account, type, key, stateDetail, payload })
  return `id: ${formatPosition(position)}\nevent: message\ndata: ${data}\n\n`
}

/** Reports that changes between the client's id and this position were deleted. */
export function lostFrame(position: Position, lastEventId: Position): string {
  const data = JSON.stringify({ lastEventId: formatPosition(lastEventId) })
  return `id: ${formatPosition(position)}\nevent: historyLost\ndata: ${data}\n\n`
}

export const keepAlive = ': keep-alive\n\n'
