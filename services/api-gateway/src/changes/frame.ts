import type { StateChange } from '@posthorn/contracts'
import type { Position } from '../store/changes.ts'
import { formatPosition } from './position.ts'

// The lines of server-sent events. WHATWG HTML §9.2.5, §9.2.6.

/** The first words: who speaks, and from where one could go on without having heard anything. A frame without data dispatches nothing. */
export function greeting(version: string, start: Position | undefined): string {
  const hello = `: Posthorn v${version}\n\n`
  return start ? `${hello}id: ${formatPosition(start)}\n\n` : hello
}

export function changeFrame(position: Position, change: StateChange): string {
  const { account, type, key, payload } = change
  const data = JSON.stringify({ account, type, key, payload })
  return `id: ${formatPosition(position)}\nevent: message\ndata: ${data}\n\n`
}

/** Says that what lay between the client's id and this one is not kept any more. */
export function lostFrame(position: Position, lastEventId: Position): string {
  const data = JSON.stringify({ lastEventId: formatPosition(lastEventId) })
  return `id: ${formatPosition(position)}\nevent: historyLost\ndata: ${data}\n\n`
}

export const keepAlive = ': keep-alive\n\n'
