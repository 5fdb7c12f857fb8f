import { type Handler, ok, type ScriptCommand, type ScriptServerState } from '../command.ts'
import type { ScriptMailbox } from '../mailbox.ts'
import { asText, asTexts, decodeName, encodeName, string, type Value } from '../syntax.ts'
import { ImapRejection } from '../store.ts'

export function pathOf(value: Value | undefined): string {
  const path = decodeName(asText(value))
  return /^inbox$/i.test(path) ? 'INBOX' : path
}

/** Rejects mailbox paths outside of the personal namespace, except INBOX. */
function checkPrefix(path: string, { prefix }: ScriptServerState): void {
  if (prefix !== '' && path !== 'INBOX' && !path.startsWith(prefix))
    throw new ImapRejection(
      `NO Client tried to access nonexistent namespace. (Mailbox name should probably be prefixed with: ${prefix})`,
    )
}

function statusLine(mailbox: ScriptMailbox, items: readonly string[]): string {
  const unseen = mailbox.messages.filter(({ flags }) => !flags.has('\\Seen')).length
  const values: Record<string, string | number | bigint> = {
    MESSAGES: mailbox.messages.length,
    RECENT: 0,
    UIDNEXT: mailbox.uidNext,
    UIDVALIDITY: mailbox.uidValidity,
    UNSEEN: unseen,
    HIGHESTMODSEQ: mailbox.noModseq ? 0 : mailbox.highestModseq,
    MAILBOXID: `(${mailbox.mailboxId})`,
    SIZE: mailbox.messages.reduce((sum, { rfc822 }) => sum + rfc822.length, 0),
  }
  const supported = items.map((item) => item.toUpperCase()).filter((item) => item in values)
  return `* STATUS ${name(mailbox)} (${supported.map((item) => `${item} ${values[item]}`).join(' ')})`
}

/** STATUS line that NOTIFY sends for a mailbox that is not selected. */
export function statusNotification(mailbox: ScriptMailbox): string {
  return statusLine(mailbox, ['MESSAGES', 'UIDNEXT', 'UIDVALIDITY', 'UNSEEN', 'HIGHESTMODSEQ'])
}

function name(mailbox: ScriptMailbox): string {
  return string(encodeName(mailbox.path))
}

const onList: Handler = (command, world) => {
  const values = [...command.args]
  const selection = Array.isArray(values[0]) ? asTexts(values.shift()) : []
  const [reference, pattern, word, options] = values
  const delimiter = world.store.delimiter === '' ? 'NIL' : string(world.store.delimiter)
  if (asText(pattern) === '' && !Array.isArray(pattern))
    return ok(command, [`* LIST (\\Noselect) ${delimiter} ""`])
  const returned = asText(word).toUpperCase() === 'RETURN' ? (options ?? []) : []
  const matches = matcher(asText(reference), asTexts(pattern), world)
  const only = selection.some((each) => each.toUpperCase() === 'SUBSCRIBED')
  const matching = world.store.all.filter(
    (mailbox) => matches(mailbox.path) && (!only || mailbox.subscribed),
  )
  const kind = command.name === 'LSUB' ? 'LSUB' : 'LIST'
  const items = returnItems(returned)
  return ok(
    command,
    matching
      .filter(({ subscribed }) => kind === 'LIST' || subscribed)
      .flatMap((mailbox) => [
        `* ${kind} (${attributes(mailbox, world, only || items.subscribed)}) ${delimiter} ${name(mailbox)}`,
        ...(items.status && !mailbox.attributes.has('\\Noselect')
          ? [statusLine(mailbox, items.status)]
          : []),
      ]),
  )
}

/**
 * Parses the return options of LIST-EXTENDED (RFC 5258) and LIST-STATUS (RFC 5819), such as `RETURN
 * (SUBSCRIBED STATUS (MESSAGES))`.
 */
function returnItems(returned: Value): { subscribed: boolean; status?: string[] } {
  if (typeof returned === 'string') return { subscribed: false }
  const at = returned.findIndex((each) => asText(each).toUpperCase() === 'STATUS')
  return {
    subscribed: returned.some((each) => asText(each).toUpperCase() === 'SUBSCRIBED'),
    ...(at < 0 ? {} : { status: asTexts(returned[at + 1]) }),
  }
}

function matcher(reference: string, patterns: readonly string[], { store }: ScriptServerState) {
  const level = store.delimiter === '' ? '.*' : `[^${store.delimiter.replace(/[\\\]^]/g, '\\$&')}]*`
  const expressions = patterns.map((pattern) => {
    const text = decodeName(reference + pattern).replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    return new RegExp(`^${text.replaceAll('*', '.*').replaceAll('%', level)}$`, 'i')
  })
  return (path: string) => expressions.some((expression) => expression.test(path))
}

function attributes(
  mailbox: ScriptMailbox,
  { store }: ScriptServerState,
  subscriptions: boolean,
): string {
  const below = `${mailbox.path}${store.delimiter}`
  const children = store.delimiter !== '' && store.all.some(({ path }) => path.startsWith(below))
  return [
    ...mailbox.attributes,
    children ? '\\HasChildren' : '\\HasNoChildren',
    ...(subscriptions && mailbox.subscribed ? ['\\Subscribed'] : []),
  ].join(' ')
}

const onCreate: Handler = (command, world) => {
  const { store, capabilities } = world
  let path = pathOf(command.args[0])
  if (store.delimiter !== '' && path.endsWith(store.delimiter)) path = path.slice(0, -1)
  checkPrefix(path, world)
  const mailbox = store.create(path, { subscribed: false })
  return ok(
    command,
    [],
    capabilities.has('OBJECTID') ? `[MAILBOXID (${mailbox.mailboxId})] done` : 'done',
  )
}

const onRename: Handler = (command, world) => {
  const to = pathOf(command.args[1])
  checkPrefix(to, world)
  world.store.rename(pathOf(command.args[0]), to)
  return ok(command)
}

const subscribe =
  (subscribed: boolean): Handler =>
  (command, { store }) => {
    store.get(pathOf(command.args[0])).subscribed = subscribed
    return ok(command)
  }

const onStatus: Handler = (command, { store }) => {
  const mailbox = store.getSelectable(pathOf(command.args[0]))
  return ok(command, [statusLine(mailbox, asTexts(command.args[1]))])
}

function quotaLines(command: ScriptCommand, { quota }: ScriptServerState): string[] {
  const kibibytes = quota && [quota.usage, quota.limit].map((bytes) => Math.ceil(bytes / 1024))
  const line = kibibytes ? [`* QUOTA "" (STORAGE ${kibibytes.join(' ')})`] : []
  if (command.name === 'GETQUOTA') return line
  return [`* QUOTAROOT ${string(asText(command.args[0]))}${kibibytes ? ' ""' : ''}`, ...line]
}

export const mailboxCommands: Record<string, Handler> = {
  LIST: onList,
  LSUB: onList,
  CREATE: onCreate,
  RENAME: onRename,
  DELETE(command, { store }) {
    store.delete(pathOf(command.args[0]))
    return ok(command)
  },
  SUBSCRIBE: subscribe(true),
  UNSUBSCRIBE: subscribe(false),
  STATUS: onStatus,
  GETQUOTA: (command, world) => ok(command, quotaLines(command, world)),
  GETQUOTAROOT: (command, world) => ok(command, quotaLines(command, world)),
}
