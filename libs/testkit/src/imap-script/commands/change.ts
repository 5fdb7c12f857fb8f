import { type Handler, ok, type ScriptCommand, type ScriptServerState } from '../command.ts'
import type { ChangedFlags, ScriptMessage } from '../mailbox.ts'
import { ImapRejection } from '../store.ts'
import { writeSet } from '../sequence-set.ts'
import { asText, asTexts, decodeName, readDate } from '../syntax.ts'
import { messagesInSet, selectedMailbox, writableMailbox } from './selected.ts'
import { pathOf } from './mailboxes.ts'

const onStore: Handler = (command, world) => {
  const mailbox = writableMailbox(command)
  const { session } = command
  const { item, change, silent, unchangedSince } = readStore(command, world)
  const messages = messagesInSet(command, command.args[0])
  const unchanged = messages.filter(([, { modseq }]) => modseq > unchangedSince)
  const stored = messages.filter(([, { modseq }]) => modseq <= unchangedSince)
  for (const [, message] of stored) {
    if (item === 'FLAGS') mailbox.changeFlags(message.uid, change)
    else mailbox.changeLabels(message.uid, change)
    session.markNotified(message)
  }
  // Clients with CONDSTORE get mod-sequences in reply to STORE, even with .SILENT (RFC 7162
  // §3.1.3).
  const notified = !silent || session.enabled.has('CONDSTORE') ? stored : []
  const modified = unchanged.map(([seq, { uid }]) => (command.name.startsWith('UID ') ? uid : seq))
  return ok(
    command,
    notified.map(([seq, message]) => `* ${seq} FETCH (${session.flagsOf(message)})`),
    modified.length === 0 ? 'done' : `[MODIFIED ${writeSet(modified)}] done`,
  )
}

/**
 * Parses a STORE command such as `STORE 1:3 (UNCHANGEDSINCE 7) +FLAGS.SILENT (\Seen)`. The
 * parentheses around flags are optional.
 */
function readStore({ args }: ScriptCommand, { capabilities }: ScriptServerState) {
  const rest = args.slice(1)
  const unchangedSince = Array.isArray(rest[0]) ? asTexts(rest.shift())[1] : undefined
  const [, sign, item = '', silent] =
    /^([+-]?)(FLAGS|X-GM-LABELS)(\.SILENT)?$/.exec(asText(rest[0]).toUpperCase()) ?? []
  if (item === '' || (item === 'X-GM-LABELS' && !capabilities.has('X-GM-EXT-1')))
    throw new ImapRejection('BAD Unknown item')
  const words = rest.slice(1).flatMap(asTexts)
  const names = item === 'FLAGS' ? words : words.map(decodeName)
  const change: ChangedFlags =
    sign === '+' ? { add: names } : sign === '-' ? { remove: names } : { set: names }
  return {
    item,
    change,
    silent: silent !== undefined,
    unchangedSince: BigInt(unchangedSince ?? 2n ** 64n),
  }
}

/** Handler of COPY and MOVE. MOVE sends COPYUID before the messages are expunged (RFC 6851). */
const onCopy: Handler = (command, world) => {
  const moves = command.name.endsWith('MOVE')
  const mailbox = moves ? writableMailbox(command) : selectedMailbox(command)
  const target = world.store.get(pathOf(command.args[1]), 'TRYCREATE')
  const messages = messagesInSet(command, command.args[0]).map(([, message]) => message)
  const copies = messages.map((message) => message.copyTo(target))
  const uids = (all: readonly ScriptMessage[]) => all.map(({ uid }) => uid)
  const code =
    world.capabilities.has('UIDPLUS') && messages.length > 0
      ? `[COPYUID ${target.uidValidity} ${writeSet(uids(messages))} ${writeSet(uids(copies))}] `
      : ''
  if (!moves) return ok(command, [], `${code}done`)
  mailbox.expunge(...uids(messages))
  return ok(command, code === '' ? [] : [`* OK ${code}moved`])
}

const onExpunge: Handler = (command) => {
  const among =
    command.name === 'UID EXPUNGE'
      ? messagesInSet(command, command.args[0]).map(([, message]) => message)
      : undefined
  writableMailbox(command).expungeDeleted(among)
  return ok(command)
}

const onAppend: Handler = (command, world) => {
  const mailbox = world.store.get(pathOf(command.args[0]), 'TRYCREATE')
  const rest = command.args.slice(1)
  const rfc822 = asText(rest.pop())
  const flags = Array.isArray(rest[0]) ? asTexts(rest.shift()) : []
  const date = rest[0] === undefined ? new Date() : readDate(asText(rest[0]))
  checkRoom(world, rfc822.length)
  const message = mailbox.append(Buffer.from(rfc822, 'latin1'), { flags, date })
  const code = `[APPENDUID ${mailbox.uidValidity} ${message.uid}] `
  return ok(command, [], `${world.capabilities.has('UIDPLUS') ? code : ''}done`)
}

function checkRoom({ quota, appendLimit }: ScriptServerState, bytes: number): void {
  if (bytes > appendLimit) throw new ImapRejection('NO [TOOBIG] Message too large')
  if (!quota) return
  if (quota.usage + bytes > quota.limit) throw new ImapRejection('NO [OVERQUOTA] Quota exceeded')
  quota.usage += bytes
}

export const changeCommands: Record<string, Handler> = {
  STORE: onStore,
  'UID STORE': onStore,
  COPY: onCopy,
  'UID COPY': onCopy,
  MOVE: onCopy,
  'UID MOVE': onCopy,
  EXPUNGE: onExpunge,
  'UID EXPUNGE': onExpunge,
  APPEND: onAppend,
}
