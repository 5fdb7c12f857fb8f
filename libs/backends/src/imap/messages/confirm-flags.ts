import { backoff, sleep } from '@posthorn/flow'
import type { ImapFlow } from 'imapflow'
import type { FlagsUpdate, UidRange, UnconfirmedFlags } from '../../mail-session.ts'
import { countUids, formatSequenceSet, rangesOf, uidsIn } from '../../uid-ranges.ts'
import type { ImapConnection, MailboxRef } from '../connection/connection.ts'
import { assertFlags, commandRanges, commandSets, maxConfirmed, storeFlags } from './flags.ts'

/** Maximum repeats of a change of flags, counted for all messages of a call together. */
const maxRepeats = 2
const repeatDelayMs = backoff({ baseMs: 250, maxMs: 1_000, jitter: 0.3 })

/**
 * Changes flags of messages. Repeats the change after NOOP for messages whose change the server
 * does not confirm: STORE ignores messages that the connection does not know yet (RFC 9051 §6.4.9),
 * and a server may drop a flag. Messages without a response are read once per attempt. For more
 * than `maxConfirmed` UIDs, no confirmation is required.
 */
export async function confirmFlags(
  connection: ImapConnection,
  uids: readonly UidRange[],
  update: FlagsUpdate,
): Promise<UnconfirmedFlags> {
  assertFlags(update)
  const states = new Map<number, State>()
  const change = { connection, mailbox: connection.selected, update, states }
  await changeAll(change, uids)
  for (let repeat = 1; states.size > 0 && repeat <= maxRepeats; repeat++) {
    await sleep(repeatDelayMs(repeat))
    await connection.call((client) => connection.noop(client), change.mailbox)
    await changeAll(change, rangesOf(states.keys()))
  }
  const left = (state: State) =>
    rangesOf([...states].flatMap(([uid, each]) => (each === state ? uid : [])))
  // Messages that were marked as deleted are not reported as missing: a server may delete such a
  // message immediately, as Gmail does by default.
  const isDeleted = lowerCase([...(update.add ?? []), ...(update.set ?? [])]).has('\\deleted')
  return { unchanged: left('unchanged'), missing: isDeleted ? [] : left('missing') }
}

type State = 'unchanged' | 'missing'

interface Change {
  connection: ImapConnection
  mailbox: MailboxRef
  update: FlagsUpdate
  /** States of messages whose change of flags the IMAP server has not confirmed, by UID. */
  states: Map<number, State>
}

async function changeAll(change: Change, uids: readonly UidRange[]): Promise<void> {
  for (const ranges of commandRanges(uids)) await changeOnce(change, ranges)
}

/**
 * Changes the flags of messages with one STORE command, and records for which messages the IMAP
 * server confirmed the change.
 */
async function changeOnce(
  { connection, mailbox, update, states }: Change,
  ranges: readonly UidRange[],
): Promise<void> {
  const pending = new Set(countUids(ranges) > maxConfirmed ? [] : uidsIn(ranges))
  const settle = (uid: number, flags: ReadonlySet<string>) => {
    if (!pending.has(uid)) return
    if (!hasChange(flags, update)) return void states.set(uid, 'unchanged')
    pending.delete(uid)
    states.delete(uid)
  }
  await connection.call(async (client) => {
    const set = formatSequenceSet(ranges)
    const shown = await listen(client, () => storeFlags(connection, { client, set, update }))
    for (const uid of pending) states.set(uid, 'missing')
    for (const [uid, flags] of shown) settle(uid, flags)
    const query = { uid: true, flags: true }
    for (const left of commandSets(rangesOf(pending)))
      for await (const row of client.fetch(left, query, { uid: true }))
        if (row.uid && row.flags) settle(row.uid, row.flags)
  }, mailbox)
}

/**
 * Collects the flags of messages that the server reports during a STORE command, by UID. UID STORE
 * reports UIDs (RFC 9051 §6.4.9).
 */
async function listen(
  client: ImapFlow,
  store: () => Promise<void>,
): Promise<Map<number, Set<string>>> {
  const shown = new Map<number, Set<string>>()
  const onFlags = ({ uid, flags }: { uid?: number; flags?: Set<string> }) => {
    if (uid !== undefined && flags) shown.set(uid, flags)
  }
  client.on('flags', onFlags)
  try {
    await store()
  } finally {
    client.off('flags', onFlags)
  }
  return shown
}

/**
 * True if the flags that the IMAP server reports include the requested change. Flags are
 * case-insensitive (RFC 9051 §2.3.2), and only the server changes `\Recent`. A flag that is both
 * added and removed counts as removed.
 */
function hasChange(
  shown: ReadonlySet<string>,
  { add = [], remove = [], set }: FlagsUpdate,
): boolean {
  const flags = lowerCase(shown)
  if (set) {
    flags.delete('\\recent')
    const wanted = lowerCase(set)
    return wanted.size === flags.size && [...wanted].every((flag) => flags.has(flag))
  }
  const removed = lowerCase(remove)
  const isAdded = (flag: string) => flags.has(flag) || removed.has(flag)
  return [...lowerCase(add)].every(isAdded) && [...removed].every((flag) => !flags.has(flag))
}

function lowerCase(flags: Iterable<string>): Set<string> {
  return new Set([...flags].map((flag) => flag.toLowerCase()))
}
