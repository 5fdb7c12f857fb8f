import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { selfSigned } from '@posthorn/local/files/certificate'
import { listen, stopListening } from '../listening.ts'
import type { Hook, Lag, Quota, ScriptCommand, ScriptServerState } from './command.ts'
import { statusNotification } from './commands/mailboxes.ts'
import type { MailboxOptions, ScriptMailbox } from './mailbox.ts'
import { answer, sendReply, serveCommands } from './serve.ts'
import { ScriptSession } from './session.ts'
import { MailboxStore } from './store.ts'

export interface ImapScriptOptions {
  /**
   * Capabilities of the IMAP test server; defaults to `usualCapabilities`. Commands whose
   * capability is missing are rejected.
   */
  capabilities?: readonly string[]
  /** Mailboxes of the IMAP test server in addition to INBOX. */
  mailboxes?: readonly string[] | Readonly<Record<string, MailboxOptions>>
  /**
   * Hierarchy delimiter of the IMAP test server's mailboxes. Defaults to `/`. If empty, mailboxes
   * have no hierarchy, and the delimiter is announced as NIL.
   */
  delimiter?: string
  /**
   * Prefix of the IMAP test server's personal namespace, such as `INBOX.`. Defaults to no prefix.
   */
  prefix?: string
  /**
   * Passwords or access tokens by user of the IMAP test server. Default: every user (`*`) has the
   * password `secret`.
   */
  users?: Readonly<Record<string, string>>
  greeting?: string
  quota?: Quota
  /** Value of APPENDLIMIT of the IMAP test server in bytes; defaults to 64 MiB. */
  appendLimit?: number
  /**
   * Delay until the IMAP test server announces new messages. Default 0: the reply to the next
   * command announces a new message.
   */
  lag?: Lag
}

export const usualCapabilities: readonly string[] =
  'IMAP4rev1 SASL-IR AUTH=PLAIN AUTH=XOAUTH2 ID ENABLE IDLE NAMESPACE CHILDREN LIST-EXTENDED LIST-STATUS SPECIAL-USE UNSELECT UIDPLUS MOVE ESEARCH CONDSTORE QRESYNC LITERAL+ QUOTA'.split(
    ' ',
  )

/**
 * Starts an IMAP server in memory whose faults a test controls. The server replies normally unless
 * a hook replies to a command (`imap-script/faults.ts` has some hooks) or a test changes a mailbox.
 * Supports IMAP4rev1 with CONDSTORE, QRESYNC, ESEARCH, LIST-STATUS, MOVE, UIDPLUS, IDLE, NOTIFY,
 * QUOTA, OBJECTID and X-GM-EXT-1, each only if its capability is set. All users share one set of
 * mailboxes.
 */
export async function startImapScript(options: ImapScriptOptions = {}): Promise<ImapScript> {
  const script = new ImapScript(options)
  await script.open()
  return script
}

export class ImapScript implements AsyncDisposable {
  readonly host = '127.0.0.1'
  /** Self-signed certificate of the IMAP test server in PEM format. */
  readonly cert: string
  readonly #state: ScriptServerState
  readonly #greeting: string
  readonly #certificate = selfSigned(['script.mail.test', 'localhost', '127.0.0.1'])
  readonly #servers: readonly [plain: Server, secure: Server]
  readonly #hooks: { name: string; hook: Hook }[] = []
  readonly #openSessions = new Set<ScriptSession>()
  readonly #allSessions: ScriptSession[] = []
  readonly #pendingNotifications = new Set<ScriptSession>()
  readonly #hookErrors: unknown[] = []
  #ports = [0, 0]

  constructor(options: ImapScriptOptions) {
    this.cert = this.#certificate.cert
    this.#greeting = options.greeting ?? '* OK script ready'
    this.#state = this.#createState(options)
    const take = (socket: Socket) => void this.#serve(socket)
    this.#servers = [createServer(take), createTlsServer(this.#certificate, take)]
    // Failed TLS handshakes of the IMAP test server are ignored, because the client reports them.
    this.#servers[1].on('tlsClientError', () => undefined)
  }

  get port(): number {
    return this.#ports[0] ?? 0
  }

  /**
   * Port of the IMAP test server on which TLS starts with the first byte. The other port offers
   * STARTTLS if the capability is set.
   */
  get securePort(): number {
    return this.#ports[1] ?? 0
  }

  /**
   * Capabilities of the IMAP test server. May be changed at any time. Clients see a change with
   * their next CAPABILITY command.
   */
  get capabilities(): Set<string> {
    return this.#state.capabilities
  }

  /** Open connections of the IMAP test server. */
  get sessions(): readonly ScriptSession[] {
    return [...this.#openSessions]
  }

  /** Number of connections to the IMAP test server since its start. */
  get connections(): number {
    return this.#allSessions.length
  }

  /** IMAP commands that the test server received, without their tags, grouped by connection. */
  get received(): readonly string[] {
    return this.#allSessions.flatMap(({ received }) => received)
  }

  get quota(): Quota | undefined {
    return this.#state.quota
  }

  set quota(quota: Quota | undefined) {
    this.#state.quota = quota
  }

  set lag(lag: Lag) {
    this.#state.lag = lag
  }

  /** @throws ImapRejection if the mailbox does not exist. */
  mailbox(path: string): ScriptMailbox {
    return this.#state.store.get(path)
  }

  createMailbox(path: string, options: MailboxOptions = {}): ScriptMailbox {
    return this.#state.store.create(path, options)
  }

  renameMailbox(path: string, newPath: string): void {
    this.#state.store.rename(path, newPath)
  }

  deleteMailbox(path: string): void {
    this.#state.store.delete(path)
  }

  /**
   * Adds a hook that may reply to an IMAP command in place of the test server. `FETCH` also matches
   * UID FETCH, while `UID FETCH` matches only UID FETCH. A hook for `greeting` is called when a
   * client connects, for `literal` before the server requests a literal, and for `*` at every
   * command. The latest hook is called first. Returns a function that removes the hook.
   */
  on(name: string, hook: Hook): () => void {
    const entry = { name, hook }
    this.#hooks.unshift(entry)
    return () => void this.#hooks.splice(this.#hooks.indexOf(entry), 1)
  }

  /** Resets (RST) every connection of the IMAP test server. */
  drop(): void {
    for (const session of this.#openSessions) session.reset()
  }

  /**
   * Ends all connections of the IMAP test server and refuses new connections until `open`, which
   * listens on the same ports again.
   */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => stopListening(server, () => this.drop())))
  }

  async open(): Promise<void> {
    for (const [index, server] of this.#servers.entries())
      this.#ports[index] = await listen(server, this.#ports[index])
  }

  /** @throws The first error of a hook. The client of the failed command saw a reset. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
    if (this.#hookErrors.length > 0) throw this.#hookErrors[0]
  }

  async #serve(socket: Socket): Promise<void> {
    const session = new ScriptSession(socket)
    this.#allSessions.push(session)
    this.#openSessions.add(session)
    socket.once('close', () => this.#openSessions.delete(session))
    const hooksOf = (name: string) => this.#hooksOf(name)
    try {
      if (!(await greet(session, this.#greeting, hooksOf('greeting')))) return
      while ((await serveCommands(session, this.#state, hooksOf)) === 'starttls')
        session.upgrade(this.#certificate)
    } catch (error) {
      this.#hookErrors.push(error)
      session.reset()
    }
  }

  #hooksOf(name: string): Hook[] {
    const fits = (wanted: string) =>
      wanted === name ||
      name === `UID ${wanted}` ||
      (wanted === '*' && name !== 'greeting' && name !== 'literal')
    return this.#hooks.filter((each) => fits(each.name)).map(({ hook }) => hook)
  }

  /**
   * Notifies clients of the IMAP test server of a mailbox change. Changes within one tick of the
   * event loop are sent together.
   */
  #changed(mailbox: ScriptMailbox): void {
    if (this.#pendingNotifications.size === 0) setImmediate(() => this.#notify())
    for (const session of this.#openSessions) {
      if (session.mailbox === mailbox ? session.idling || session.notify : session.notify)
        this.#pendingNotifications.add(session)
      if (session.notify && session.mailbox !== mailbox) session.changedMailboxes.add(mailbox)
    }
  }

  #notify(): void {
    for (const session of this.#pendingNotifications) {
      for (const line of session.takeNotifications()) session.send(line)
      for (const mailbox of session.changedMailboxes) session.send(statusNotification(mailbox))
      session.changedMailboxes.clear()
    }
    this.#pendingNotifications.clear()
  }

  #createState(options: ImapScriptOptions): ScriptServerState {
    const { delimiter = '/', prefix = '', mailboxes = [], users = { '*': 'secret' } } = options
    const store = new MailboxStore(delimiter, (mailbox) => this.#changed(mailbox))
    store.create('INBOX')
    const named: Readonly<Record<string, MailboxOptions>> = Array.isArray(mailboxes)
      ? Object.fromEntries(mailboxes.map((path: string) => [path, {}]))
      : (mailboxes as Readonly<Record<string, MailboxOptions>>)
    for (const [path, each] of Object.entries(named)) store.create(path, each)
    return {
      capabilities: new Set(options.capabilities ?? usualCapabilities),
      store,
      prefix,
      users: new Map(Object.entries(users)),
      quota: options.quota,
      appendLimit: options.appendLimit ?? 64 * 2 ** 20,
      lag: options.lag ?? 0,
    }
  }
}

/**
 * Sends the greeting of the IMAP test server. Returns false if the connection ends with the
 * greeting.
 */
async function greet(
  session: ScriptSession,
  greeting: string,
  hooks: readonly Hook[],
): Promise<boolean> {
  const base = { tag: '*', name: 'greeting', rest: '', args: [], session }
  const command: ScriptCommand = { ...base, defaultReply: async () => [greeting] }
  return sendReply(command, await answer(command, hooks))
}
