import { type Handler, ok, type ScriptCommand, type ScriptServerState } from '../command.ts'
import type { ScriptMailbox } from '../mailbox.ts'
import { isInRanges, readSet, writeSet } from '../sequence-set.ts'
import { asText, asTexts, type Value } from '../syntax.ts'
import { pathOf } from './mailboxes.ts'

const systemFlags = ['\\Answered', '\\Flagged', '\\Deleted', '\\Seen', '\\Draft']

const onSelect: Handler = (command, world) => {
  const { session } = command
  session.unselect() // RFC 9051 §6.3.2: a failed SELECT also unselects the mailbox.
  const mailbox = world.store.getSelectable(pathOf(command.args[0]))
  const readOnly = command.name === 'EXAMINE'
  const parameters = command.args[1]
  const words = asTexts(parameters).map((word) => word.toUpperCase())
  if (words.includes('CONDSTORE')) session.enabled.add('CONDSTORE')
  const lines = describe(mailbox, world, readOnly)
  session.select(mailbox, readOnly)
  const at = words.indexOf('QRESYNC')
  if (at >= 0 && Array.isArray(parameters))
    lines.push(...resynchronise(command, mailbox, parameters[at + 1]))
  return ok(command, lines, `[${readOnly ? 'READ-ONLY' : 'READ-WRITE'}] done`)
}

function describe(mailbox: ScriptMailbox, world: ScriptServerState, readOnly: boolean): string[] {
  const keywords = new Set([...systemFlags, ...mailbox.messages.flatMap(({ flags }) => [...flags])])
  const first = mailbox.messages.findIndex(({ flags }) => !flags.has('\\Seen'))
  const condstore = ['CONDSTORE', 'QRESYNC'].some((name) => world.capabilities.has(name))
  return [
    `* FLAGS (${[...keywords].join(' ')})`,
    `* OK [PERMANENTFLAGS (${readOnly ? '' : `${[...keywords].join(' ')} \\*`})] ok`,
    `* ${mailbox.messages.length} EXISTS`,
    '* 0 RECENT',
    ...(first < 0 ? [] : [`* OK [UNSEEN ${first + 1}] ok`]),
    `* OK [UIDVALIDITY ${mailbox.uidValidity}] ok`,
    `* OK [UIDNEXT ${mailbox.uidNext}] ok`,
    ...(condstore
      ? [
          mailbox.noModseq
            ? '* OK [NOMODSEQ] none'
            : `* OK [HIGHESTMODSEQ ${mailbox.highestModseq}] ok`,
        ]
      : []),
    ...(world.capabilities.has('OBJECTID') ? [`* OK [MAILBOXID (${mailbox.mailboxId})] ok`] : []),
  ]
}

/**
 * Replies to SELECT with QRESYNC, such as `SELECT INBOX (QRESYNC (uidvalidity modseq [uids]))` (RFC
 * 7162 §3.2.5).
 */
function resynchronise(
  { session }: ScriptCommand,
  mailbox: ScriptMailbox,
  parameters: Value | undefined,
): string[] {
  const [uidValidity, modseq, uids] = Array.isArray(parameters) ? (parameters as Value[]) : []
  if (asText(uidValidity) !== String(mailbox.uidValidity)) return []
  const since = BigInt(asText(modseq))
  const wanted = readSet(asText(uids) || '1:4294967295', mailbox.uidNext - 1)
  return [
    ...vanishedSince(mailbox, since, (uid) => isInRanges(wanted, uid)),
    ...session.view.flatMap((message, index) =>
      message.modseq > since ? [`* ${index + 1} FETCH (${session.flagsOf(message)})`] : [],
    ),
  ]
}

/** Returns a VANISHED line with the UIDs that were expunged since a mod-sequence, or no line. */
export function vanishedSince(
  { vanished }: ScriptMailbox,
  since: bigint,
  wanted: (uid: number) => boolean,
): string[] {
  const gone = vanished.filter(({ uid, modseq }) => modseq > since && wanted(uid))
  if (gone.length === 0) return []
  return [`* VANISHED (EARLIER) ${writeSet(gone.map(({ uid }) => uid).sort((a, b) => a - b))}`]
}

const onClose: Handler = (command) => {
  const { session } = command
  const { mailbox } = session
  if (command.name === 'CLOSE' && !session.readOnly) mailbox?.expungeDeleted()
  session.unselect()
  return ok(command)
}

export const selectCommands: Record<string, Handler> = {
  SELECT: onSelect,
  EXAMINE: onSelect,
  CLOSE: onClose,
  UNSELECT: onClose,
}
