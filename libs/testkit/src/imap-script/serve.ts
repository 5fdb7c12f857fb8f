import type { Handler, Hook, RawReply, Reply, ScriptCommand, ScriptServerState } from './command.ts'
import { changeCommands } from './commands/change.ts'
import { fetchCommands } from './commands/fetch.ts'
import { loginCommands } from './commands/login.ts'
import { mailboxCommands } from './commands/mailboxes.ts'
import { searchCommands } from './commands/search.ts'
import { selectCommands } from './commands/select.ts'
import { ImapRejection } from './store.ts'
import type { ScriptSession } from './session.ts'
import { readValues } from './syntax.ts'

const handlers = new Map<string, Handler>(
  Object.entries({
    ...loginCommands,
    ...mailboxCommands,
    ...selectCommands,
    ...fetchCommands,
    ...searchCommands,
    ...changeCommands,
  }),
)
/** Capabilities that IMAP commands require, by command. */
const needs: Record<string, string> = {
  STARTTLS: 'STARTTLS',
  ENABLE: 'ENABLE',
  ID: 'ID',
  NAMESPACE: 'NAMESPACE',
  IDLE: 'IDLE',
  NOTIFY: 'NOTIFY',
  MOVE: 'MOVE',
  'UID MOVE': 'MOVE',
  'UID EXPUNGE': 'UIDPLUS',
  UNSELECT: 'UNSELECT',
  GETQUOTA: 'QUOTA',
  GETQUOTAROOT: 'QUOTA',
}
/** IMAP commands during which sequence numbers must not change (RFC 9051 §7.5.1). */
const withoutExpunges = new Set(['FETCH', 'STORE', 'SEARCH'])
const beforeLogin = new Set([
  'CAPABILITY',
  'LOGIN',
  'AUTHENTICATE',
  'STARTTLS',
  'ID',
  'NOOP',
  'LOGOUT',
])

/**
 * Reads and executes IMAP commands until the client disconnects or starts TLS. Hooks are called
 * before the server replies, the latest hook first.
 */
export async function serveCommands(
  session: ScriptSession,
  world: ScriptServerState,
  hooksOf: (name: string) => readonly Hook[],
): Promise<'starttls' | 'over'> {
  for (;;) {
    const text = await readCommand(session, (begun) =>
      rejectLiteral(parse(begun, session, world), hooksOf('literal')),
    )
    if (text === undefined) return 'over'
    const command = parse(text, session, world)
    const reply = await answer(command, hooksOf(command.name))
    if (!sendReply(command, reply)) return 'over'
    if (!isOk(command, reply)) continue
    if (command.name === 'STARTTLS') return 'starttls'
    if (command.name !== 'LOGOUT') continue
    session.close()
    return 'over'
  }
}

/**
 * Reads an IMAP command with its literals. If `rejects` has replied to the beginning of a command,
 * the client does not send the literal, and the next command is read.
 */
async function readCommand(
  session: ScriptSession,
  rejects: (begun: string) => Promise<boolean>,
): Promise<string | undefined> {
  let text = ''
  for (;;) {
    const line = await session.line()
    if (line === undefined) return undefined
    text += line
    const [, size, plus] = /\{(\d+)(\+?)\}$/.exec(line) ?? []
    if (size === undefined) break
    if (plus === '' && (await rejects(text))) {
      text = ''
      continue
    }
    if (plus === '') session.send('+ go on')
    const bytes = await session.bytes(Number(size))
    if (bytes === undefined) return undefined
    text += `\r\n${bytes}`
  }
  session.received.push(text.replace(/^\S+ /, ''))
  return text
}

/** True if a hook has replied to an IMAP command before the client sent the command's literal. */
async function rejectLiteral(command: ScriptCommand, hooks: readonly Hook[]): Promise<boolean> {
  for (const hook of hooks) {
    const reply = await hook(command)
    if (reply !== undefined) return sendReply(command, reply)
  }
  return false
}

function parse(text: string, session: ScriptSession, world: ScriptServerState): ScriptCommand {
  const [, tag = '*', word = '', rest = ''] = /^(\S+) ?((?:UID )?\S*) ?(.*)$/is.exec(text) ?? []
  const name = word.toUpperCase()
  const command: ScriptCommand = {
    tag,
    name,
    rest,
    args: readValues(rest),
    session,
    defaultReply: () => run(command, world),
  }
  return command
}

/**
 * Returns the reply of the first hook that replies to an IMAP command, or the reply of the server.
 */
export async function answer(command: ScriptCommand, hooks: readonly Hook[]): Promise<Reply> {
  for (const hook of hooks) {
    const reply = await hook(command)
    if (reply !== undefined) return reply
  }
  return command.defaultReply()
}

async function run(command: ScriptCommand, world: ScriptServerState): Promise<string[]> {
  const { tag, name, session } = command
  try {
    const handler = handlers.get(name)
    const needed = needs[name]
    if (!handler || (needed !== undefined && !world.capabilities.has(needed)))
      throw new ImapRejection('BAD Unknown command')
    if (session.user === undefined && !beforeLogin.has(name))
      throw new ImapRejection('BAD Log in first')
    const lines = await handler(command, world)
    const tagged = lines.pop() ?? ''
    if (lagsBehind(command, world)) return [...lines, tagged]
    return [...lines, ...session.takeNotifications(!withoutExpunges.has(name)), tagged]
  } catch (error) {
    if (error instanceof ImapRejection) return [`${tag} ${error.message}`]
    throw error
  }
}

/**
 * True if the reply to an IMAP command must not announce new messages yet. A deleted message ends
 * this delay.
 */
function lagsBehind({ name, session }: ScriptCommand, { lag }: ScriptServerState): boolean {
  if (lag === 0 || !session.hasUnseenMessages) return false
  if (lag === 'select') return true
  return lag === 'noop' ? name !== 'NOOP' : session.commandsBehind++ < lag
}

/** Sends the reply to an IMAP command. Returns false if the reply ends the connection. */
export function sendReply({ session, tag }: ScriptCommand, reply: Reply): boolean {
  if (reply === undefined) return true
  if (!isRaw(reply)) {
    for (const line of reply) session.send(line.replace(/^\{tag\}/, tag))
    return true
  }
  session.write(reply.raw.replaceAll('{tag}', tag))
  if (reply.then === undefined) return true
  session[reply.then]()
  return false
}

function isOk({ tag }: ScriptCommand, reply: Reply): boolean {
  if (reply === undefined || isRaw(reply)) return false
  return reply.some((line) => line.replace(/^\{tag\}/, tag).startsWith(`${tag} OK`))
}

function isRaw(reply: Reply): reply is RawReply {
  return reply !== undefined && 'raw' in reply
}
