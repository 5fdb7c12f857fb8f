import { defined } from '@posthorn/contracts/defined'
import type { ImapFlow } from 'imapflow'
import type { MovedMessages, UidRange } from '../../mail-session.ts'
import {
  countUids,
  maxUid,
  normaliseRanges,
  parseSequenceSet,
  rangesOf,
  reachesBeyond,
  uidsIn,
} from '../../uid-ranges.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { commandSets, markDeleted } from './flags.ts'
import { encodePath, hasCapability } from '../imapflow-internals.ts'
import { pathOf } from '../mailboxes/mailbox-commands.ts'
import { type Line, responseCode, textOf, type Token } from '../tokens.ts'

/**
 * Moves messages to another mailbox, one sequence set after the other. After a failure each message
 * is in at least one of the two mailboxes. If the server has no MOVE, a message may be in both
 * mailboxes.
 */
export async function moveMessages(
  connection: ImapConnection,
  uids: readonly UidRange[],
  path: string,
): Promise<MovedMessages> {
  const mailbox = connection.selected
  const destination = pathOf(connection.client, path)
  const moved: { path: string; uidValidity?: bigint } = { path: destination }
  const map = new Map<number, number>()
  for (const set of commandSets(uids)) {
    const { uidValidity, uidMap } = await connection.call(
      (client) => moveSet(connection, client, { set, destination }),
      mailbox,
    )
    if (uidValidity !== undefined) moved.uidValidity = uidValidity
    for (const [before, after] of uidMap ?? []) map.set(before, after)
  }
  return moved.uidValidity === undefined || map.size === 0 ? moved : { ...moved, uids: map }
}

/**
 * Marks messages as deleted and expunges exactly these messages. If the server has no UIDPLUS,
 * these messages stay marked while another message is marked as well.
 */
export async function expungeMessages(
  connection: ImapConnection,
  uids: readonly UidRange[],
): Promise<void> {
  const mailbox = connection.selected
  for (const set of commandSets(uids))
    await connection.call(async (client) => {
      await markDeleted(connection, client, set)
      await expungeSet(connection, client, set)
    }, mailbox)
  if (uids.length === 0 || hasCapability(connection.client, 'UIDPLUS')) return
  await connection.call(async (client) => {
    const marked = await client.search({ deleted: true }, { uid: true })
    if (!Array.isArray(marked)) throw connection.rejection('search for messages marked as deleted')
    if (!reachesBeyond(rangesOf(marked), normaliseRanges(uids)))
      await connection.wire.run('EXPUNGE')
  }, mailbox)
}

async function moveSet(
  connection: ImapConnection,
  client: ImapFlow,
  { set, destination }: { set: string; destination: string },
): Promise<CopiedUids> {
  const atomic = hasCapability(client, 'MOVE')
  const requested = parseSequenceSet(set)
  let copied: CopiedUids = {}
  const read = (line: Line) => void (copied = { ...copied, ...readCopyUid(line, requested) })
  const response = await connection.wire.run(
    atomic ? 'UID MOVE' : 'UID COPY',
    [
      { type: 'SEQUENCE', value: set },
      { type: 'ATOM', value: encodePath(client, destination) },
    ],
    // Reads COPYUID from untagged OK responses, because MOVE sends COPYUID before the messages are
    // expunged (RFC 6851 §4.3).
    { OK: async (line) => read(line) },
  )
  read(response)
  if (atomic) return copied
  await markDeleted(connection, client, set)
  await expungeSet(connection, client, set)
  return copied
}

/**
 * Expunges messages by UID EXPUNGE (RFC 4315 §2.1). Does nothing without UIDPLUS, because EXPUNGE
 * would also remove messages that other clients marked.
 */
async function expungeSet(
  connection: ImapConnection,
  client: ImapFlow,
  set: string,
): Promise<void> {
  if (hasCapability(client, 'UIDPLUS'))
    await connection.wire.run('UID EXPUNGE', [{ type: 'SEQUENCE', value: set }])
}

/** UIDs that copied or moved messages got in their destination mailbox. */
export interface CopiedUids {
  uidValidity?: bigint
  uidMap?: Map<number, number>
}

/**
 * Parses the response code COPYUID (RFC 4315 §3) with the old and new UIDs of copied messages. The
 * two sets are not sorted and correspond by position. Sets of different size, or with UIDs that
 * were not requested, are ignored, because a range of 20 bytes could expand to gigabytes.
 */
export function readCopyUid(line: Line, requested: readonly UidRange[]): CopiedUids {
  const [name, uidValidity, from, to] = responseCode(line)
  if (textOf(name)?.toUpperCase() !== 'COPYUID') return {}
  const validity = textOf(uidValidity) ?? ''
  const before = parseOrderedRanges(from)
  const after = parseOrderedRanges(to)
  const count = countUids(before)
  const fits =
    count > 0 &&
    count === countUids(after) &&
    count <= countUids(requested) &&
    !reachesBeyond(normaliseRanges(before), requested)
  return defined({
    uidValidity: /^[1-9]\d{0,19}$/.test(validity) ? BigInt(validity) : undefined,
    uidMap: fits ? pairUids(before, after) : undefined,
  })
}

/** UID ranges of a COPYUID response, in the order of the response. Empty if a range is invalid. */
function parseOrderedRanges(token: Token | undefined): UidRange[] {
  const ranges: UidRange[] = []
  for (const piece of (textOf(token) ?? '').split(',')) {
    const [, first, last = first] = /^(\d{1,10})(?::(\d{1,10}))?$/.exec(piece) ?? []
    const [from, to] = [Number(first), Number(last)].toSorted((a, b) => a - b)
    if (from === undefined || to === undefined || !(from > 0) || to > maxUid) return []
    ranges.push([from, to])
  }
  return ranges
}

function pairUids(before: readonly UidRange[], after: readonly UidRange[]): Map<number, number> {
  const map = new Map<number, number>()
  const target = uidsIn(after)
  for (const uid of uidsIn(before)) map.set(uid, target.next().value ?? 0)
  return map
}
