import { AppError } from '@posthorn/errors'
import type { ImapFlow } from 'imapflow'
import type { FlagsUpdate, MessageFlags, UidRange } from '../../mail-session.ts'
import {
  batchesOf,
  countUids,
  formatSequenceSet,
  normaliseRanges,
  piecesOf,
} from '../../uid-ranges.ts'
import type { ImapConnection } from '../connection/connection.ts'
import { missingExtension } from '../connection/errors.ts'
import { maxLineLength } from '../tokens.ts'
import { toMessageFlags } from './message.ts'

/**
 * Maximum messages per STORE command. The limit keeps the time short during which the IMAP server
 * sends nothing.
 */
const batchUids = 5_000
/**
 * Maximum number of UIDs for which a change of flags is confirmed. A larger set contains UIDs that
 * never existed.
 */
export const maxConfirmed = batchUids
/**
 * Maximum number of STORE commands for one change of flags. The limit is needed because UID ranges
 * may contain a huge number of UIDs that never existed.
 */
const maxBatches = 100
const maxLabelLength = 1_024

/**
 * Changes flags of messages: sets flags, or adds flags and then removes flags. The new flags that
 * the server reports are passed to `watch` of this connection.
 */
export async function changeFlags(
  connection: ImapConnection,
  uids: readonly UidRange[],
  update: FlagsUpdate,
): Promise<void> {
  assertFlags(update)
  await store(connection, uids, { update, useLabels: false })
}

/** Changes the Gmail labels of messages by STORE, in the same way as flags. */
export async function changeLabels(
  connection: ImapConnection,
  uids: readonly UidRange[],
  update: FlagsUpdate,
): Promise<void> {
  if (!connection.client.capabilities.has('X-GM-EXT-1'))
    throw missingExtension('Mail server does not support labels')
  for (const label of Object.values<readonly string[]>({ ...update }).flat()) assertLabel(label)
  await store(connection, uids, { update, useLabels: true })
}

/**
 * Sequence sets for IMAP commands, from UID ranges. Each set fits into a command line and keeps its
 * command short.
 */
export function* commandSets(uids: readonly UidRange[]): Generator<string, void, undefined> {
  for (const ranges of commandRanges(uids)) yield formatSequenceSet(ranges)
}

/**
 * Splits UID ranges into lists that are short enough for one IMAP command each, as `commandSets`
 * does.
 */
export function* commandRanges(uids: readonly UidRange[]): Generator<UidRange[], void, undefined> {
  const ranges = normaliseRanges(uids)
  const size = Math.max(batchUids, Math.ceil(countUids(ranges) / maxBatches))
  for (const batch of batchesOf(ranges, size)) yield* piecesOf(batch, maxLineLength - 1_000)
}

/** Sets the flag `\Deleted` of messages. The caller must hold the mutex of the IMAP connection. */
export async function markDeleted(
  connection: ImapConnection,
  client: ImapFlow,
  set: string,
): Promise<void> {
  if (!(await client.messageFlagsAdd(set, ['\\Deleted'], { uid: true, silent: true })))
    throw storeError(connection, client)
}

/**
 * Throws unless the name of an IMAP flag is valid by the rule `flag` of RFC 9051 §9: an atom, with
 * a backslash for system flags. `\Recent` is reserved for the server.
 */
export function assertFlag(flag: string): void {
  if (!/^\\?[^\x00-\x20\x7f-\uffff(){%*"\\\]]{1,128}$/.test(flag) || /^\\recent$/i.test(flag))
    throw new AppError('invalid', `Invalid flag: ${JSON.stringify(flag.slice(0, 128))}`)
}

function assertLabel(label: string): void {
  if (label.startsWith('\\')) return assertFlag(label)
  if (label === '' || label.length > maxLabelLength || /[\0-\x1f\x7f]/.test(label))
    throw new AppError('invalid', `Invalid label: ${JSON.stringify(label.slice(0, 128))}`)
}

/**
 * Throws if a change of IMAP flags contains an invalid flag name.
 *
 * @throws AppError `invalid`
 */
export function assertFlags(update: FlagsUpdate): void {
  for (const flag of Object.values<readonly string[]>({ ...update }).flat()) assertFlag(flag)
}

interface Store {
  client: ImapFlow
  /** UIDs of the messages whose flags or labels are changed, as a sequence set. */
  set: string
  update: FlagsUpdate
  useLabels?: boolean
}

/**
 * Sends the STORE commands of a change of flags. The caller must hold the mutex of the connection.
 */
export async function storeFlags(
  connection: ImapConnection,
  { client, set, update, useLabels = false }: Store,
): Promise<void> {
  for (const { method, flags } of steps(update))
    if (!(await client[method](set, flags, { uid: true, useLabels })))
      throw storeError(connection, client)
}

async function store(
  connection: ImapConnection,
  uids: readonly UidRange[],
  { update, useLabels }: { update: FlagsUpdate; useLabels: boolean },
): Promise<void> {
  const mailbox = connection.selected
  for (const set of commandSets(uids))
    await connection.call(
      (client) => storeFlags(connection, { client, set, update, useLabels }),
      mailbox,
    )
}

type Step = 'messageFlagsSet' | 'messageFlagsAdd' | 'messageFlagsRemove'

function steps({ add = [], remove = [], set }: FlagsUpdate): { method: Step; flags: string[] }[] {
  if (set) return [{ method: 'messageFlagsSet', flags: [...set] }]
  const both: { method: Step; flags: string[] }[] = [
    { method: 'messageFlagsAdd', flags: [...add] },
    { method: 'messageFlagsRemove', flags: [...remove] },
  ]
  return both.filter(({ flags }) => flags.length > 0)
}

function storeError(connection: ImapConnection, client: ImapFlow): AppError {
  return client.usable && client.mailbox && client.mailbox.readOnly
    ? new AppError('rejected', 'The mailbox is selected read-only', { code: 'READ-ONLY' })
    : connection.rejection('store the flags')
}

/** Reads the flags and Gmail labels of existing messages in the selected mailbox. */
export async function readFlags(
  connection: ImapConnection,
  uids: readonly UidRange[],
): Promise<MessageFlags[]> {
  const mailbox = connection.selected
  const read: MessageFlags[] = []
  const query = { uid: true, flags: true, labels: true }
  for (const set of commandSets(uids))
    await connection.call(async (client) => {
      for await (const row of client.fetch(set, query, { uid: true }))
        if (row.uid && row.flags) read.push(toMessageFlags(row))
    }, mailbox)
  return read
}
