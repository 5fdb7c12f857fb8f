import type { ScriptCommand } from '../command.ts'
import type { ScriptMailbox, ScriptMessage } from '../mailbox.ts'
import { ImapRejection } from '../store.ts'
import { isInRanges, readSet } from '../sequence-set.ts'
import type { Value } from '../syntax.ts'
import { asText } from '../syntax.ts'

/** Message of the selected IMAP mailbox with its sequence number. */
export type Numbered = readonly [seq: number, message: ScriptMessage]

export function selectedMailbox({ session }: ScriptCommand): ScriptMailbox {
  if (!session.mailbox) throw new ImapRejection('BAD No mailbox selected')
  return session.mailbox
}

export function writableMailbox(command: ScriptCommand): ScriptMailbox {
  const mailbox = selectedMailbox(command)
  if (command.session.readOnly)
    throw new ImapRejection('NO [READ-ONLY] Mailbox is open for reading')
  return mailbox
}

/**
 * Returns the existing messages of a sequence set. The set has UIDs in UID commands and sequence
 * numbers in other commands.
 */
export function messagesInSet(command: ScriptCommand, set: Value | undefined): Numbered[] {
  const { view } = command.session
  const mailbox = selectedMailbox(command)
  const here = new Set(mailbox.messages)
  const byUid = command.name.startsWith('UID ')
  const ranges = readSet(asText(set), byUid ? (view.at(-1)?.uid ?? 0) : view.length)
  const result: Numbered[] = []
  for (const [index, message] of view.entries()) {
    if (isInRanges(ranges, byUid ? message.uid : index + 1) && here.has(message))
      result.push([index + 1, message])
  }
  return result
}
