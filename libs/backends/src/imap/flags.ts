import { AppError } from '@posthorn/errors'
import type { ImapFlow } from 'imapflow'
import type { FlagsUpdate, UidRange } from '../backend.ts'
import {
  batchesOf,
  countUids,
  formatSequenceSet,
  normaliseRanges,
  piecesOf,
} from '../uid-ranges.ts'
import { maxLineLength } from './exec-command.ts'
import type { ImapConnection } from './connection.ts'

/** A server should not be silent for long over one command. */
const batchUids = 5_000
/** Ranges may name UIDs that never were: those must not make endless commands. */
const maxBatches = 100
const maxLabelLength = 1_024

/**
 * Replaces, or adds and then removes. The server tells the flags that come of it, so that whoever watches on this connection hears of them
 * as of anybody's.
 */
export async function changeFlags(
  connection: ImapConnection,
  uids: readonly UidRange[],
  update: FlagsUpdate,
): Promise<void> {
  for (const flag of Object.values<readonly string[]>({ ...update }).flat()) assertFlag(flag)
  await store(connection, uids, { update, useLabels: false })
}

/** Gmail's labels, stored as flags are. */
export async function changeLabels(
  connection: ImapConnection,
  uids: readonly UidRange[],
  update: FlagsUpdate,
): Promise<void> {
  if (!connection.client.capabilities.has('X-GM-EXT-1'))
    throw new AppError('unprocessable', 'The mail server has no labels', {
      code: 'MissingServerExtension',
    })
  for (const label of Object.values<readonly string[]>({ ...update }).flat()) assertLabel(label)
  await store(connection, uids, { update, useLabels: true })
}

/** Sequence sets for commands about messages: short enough for a line, and about so few messages that the answer does not take long. */
export function* commandSets(uids: readonly UidRange[]): Generator<string, void, undefined> {
  const ranges = normaliseRanges(uids)
  const size = Math.max(batchUids, Math.ceil(countUids(ranges) / maxBatches))
  for (const batch of batchesOf(ranges, size))
    for (const piece of piecesOf(batch, maxLineLength - 1_000)) yield formatSequenceSet(piece)
}

/** Marks messages as deleted, for whoever holds the lane. */
export async function markDeleted(
  connection: ImapConnection,
  client: ImapFlow,
  set: string,
): Promise<void> {
  if (!(await client.messageFlagsAdd(set, ['\\Deleted'], { uid: true, silent: true })))
    throw notKept(connection, client)
}

/** RFC 9051 §9 `flag`: an atom, of the system's flags with a backslash in front. `\Recent` is the server's alone. */
export function assertFlag(flag: string): void {
  if (!/^\\?[^\x00-\x20\x7f-\uffff(){%*"\\\]]{1,128}$/.test(flag) || /^\\recent$/i.test(flag))
    throw new AppError('invalid', `This cannot be a flag: ${JSON.stringify(flag.slice(0, 128))}`)
}

function assertLabel(label: string): void {
  if (label.startsWith('\\')) return assertFlag(label)
  if (label === '' || label.length > maxLabelLength || /[\0-\x1f\x7f]/.test(label))
    throw new AppError('invalid', `This cannot be a label: ${JSON.stringify(label.slice(0, 128))}`)
}

async function store(
  connection: ImapConnection,
  uids: readonly UidRange[],
  { update, useLabels }: { update: FlagsUpdate; useLabels: boolean },
): Promise<void> {
  const mailbox = connection.selected
  const options = { uid: true, useLabels }
  for (const set of commandSets(uids))
    await connection.call(async (client) => {
      for (const { how, flags } of steps(update))
        if (!(await client[how](set, flags, options))) throw notKept(connection, client)
    }, mailbox)
}

type Step = 'messageFlagsSet' | 'messageFlagsAdd' | 'messageFlagsRemove'

function steps({ add = [], remove = [], set }: FlagsUpdate): { how: Step; flags: string[] }[] {
  if (set) return [{ how: 'messageFlagsSet', flags: [...set] }]
  return [
    ...(add.length > 0 ? [{ how: 'messageFlagsAdd' as const, flags: [...add] }] : []),
    ...(remove.length > 0 ? [{ how: 'messageFlagsRemove' as const, flags: [...remove] }] : []),
  ]
}

function notKept(connection: ImapConnection, client: ImapFlow): AppError {
  return client.usable && client.mailbox && client.mailbox.readOnly
    ? new AppError('rejected', 'The mailbox is open for reading only', { code: 'READ-ONLY' })
    : connection.rejection('keep the flags')
}
