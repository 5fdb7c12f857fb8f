import type { Position } from '../store/events/changes.ts'

/**
 * Parses the event id of a change stream, which is a position in the list of account changes. The
 * id was validated before; undefined for an empty id.
 */
export function parsePosition(text: string | undefined): Position | undefined {
  const [xid, id] = (text ?? '').split('-')
  return xid === undefined || id === undefined ? undefined : { xid: BigInt(xid), id: BigInt(id) }
}

export function formatPosition({ xid, id }: Position): string {
  return `${xid}-${id}`
}

export function isBehind(position: Position, other: Position): boolean {
  return position.xid === other.xid ? position.id < other.id : position.xid < other.xid
}
