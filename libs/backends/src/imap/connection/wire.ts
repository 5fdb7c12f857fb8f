import type { ImapFlow, ImapFlowError } from 'imapflow'
import type { UidRange } from '../../mail-session.ts'
import { countUids } from '../../uid-ranges.ts'
import {
  type CompletedCommand,
  type ExecOptions,
  type ImapFlowInternals,
  internalsOf,
} from '../imapflow-internals.ts'
import { MailboxNames } from './mailbox-names.ts'
import { requestedBytes } from '../responses/requested-bytes.ts'
import { limitResponses } from '../responses/limit-responses.ts'
import type { ResponseFilter } from '../responses/response-filter.ts'
import {
  type Attributes,
  type Line,
  type LineHandler,
  readStatus,
  sequenceSet,
  hasOnlyModseq,
  type StatusItems,
  textOf,
  textsOf,
  withStatus,
  words,
  type Token,
} from '../tokens.ts'

type Exec = ImapFlowInternals['exec']

interface Throttled {
  throttleReset?: number
  throttleWaited?: number
}

/**
 * IMAP commands that are not repeated after throttling: imapflow repeats FETCH itself, and the
 * other commands must not be sent twice.
 */
const notRetried = new Set(['FETCH', 'UID FETCH', 'IDLE', 'LOGOUT', 'LOGIN', 'AUTHENTICATE'])
/**
 * Maximum total delay of a throttled IMAP command, and maximum number of its attempts. Beyond these
 * limits the command fails, and the caller tries again on another connection.
 */
const maxThrottleMs = 2 * 60_000
const maxTries = 3

/**
 * STATUS items that are requested together with an IMAP LIST command, and the function that
 * receives their values.
 */
interface ListCounters {
  items: readonly string[]
  onStatus: (path: string, items: StatusItems) => void
}

/**
 * Layer below imapflow's commands. Handles IMAP responses that imapflow ignores or interprets
 * differently, and mailbox names that imapflow cannot encode.
 */
export class Wire {
  readonly client: ImapFlow
  /** Called when a VANISHED response reports deleted messages. */
  onVanished: () => void = () => {}
  /**
   * Receives the UIDs of VANISHED responses to the running IMAP command. Called in addition to
   * `onVanished`.
   */
  onVanishedUids: ((uids: UidRange[]) => void) | undefined
  /** Called for a FETCH response that reports a changed message by its mod-sequence only. */
  onModified: () => void = () => {}
  /**
   * Called for unsolicited STATUS responses with counters of a mailbox. Likewise, `onListed` is
   * called for LIST responses, and `onOverflow` when the server stops sending notifications (RFC
   * 5465 §5.8).
   */
  onStatus: (path: string, items: StatusItems) => void = () => {}
  onListed: () => void = () => {}
  onOverflow: () => void = () => {}
  /** Called when the IMAP server confirms IDLE. */
  onIdle: () => void = () => {}
  readonly #internals: ImapFlowInternals
  readonly #exec: Exec
  readonly #names: MailboxNames
  #onVanishedEarlier: ((uids: UidRange[]) => void) | undefined
  #counters: ListCounters | undefined
  #countersRejected = false
  readonly #filter: ResponseFilter

  constructor(client: ImapFlow) {
    this.client = client
    this.#names = new MailboxNames(client)
    this.#internals = internalsOf(client)
    this.#exec = this.#internals.exec.bind(client)
    this.#filter = limitResponses(this.#internals.streamer)
    const untaggedFetch = this.#internals.untaggedFetch.bind(client)
    Object.assign(client, {
      exec: (...command: Parameters<Exec>) => this.exec(...command),
      // VANISHED is handled here: imapflow would iterate over each UID, so a line of 30 bytes could
      // block the process for minutes.
      untaggedVanished: async (line: Line) => this.#vanished(line),
      untaggedFetch: async (line: Line) => {
        if (hasOnlyModseq(line)) this.onModified()
        else await untaggedFetch(line)
      },
    } satisfies Partial<ImapFlowInternals>)
    this.#internals.untaggedHandlers['STATUS'] = async (line) => this.#status(line)
    this.#internals.untaggedHandlers['LIST'] = async () => this.onListed()
    this.#internals.sectionHandlers['NOTIFICATIONOVERFLOW'] = async () => this.onOverflow()
  }

  /**
   * Sends an IMAP command. Replaces the method `exec` of imapflow for the commands that imapflow
   * sends.
   */
  exec(
    command: string,
    attributes: Attributes,
    options: ExecOptions = {},
  ): Promise<CompletedCommand> {
    const args = this.#names.inCommand(command, attributes)
    this.#filter.startCommand(requestedBytes(args))
    if (command === 'IDLE') return this.#exec(command, args, this.#withIdleHook(options))
    if (notRetried.has(command)) return this.#exec(command, args, options)
    const done =
      command === 'LIST' ? this.#list(args, options) : this.#execThrottled(command, args, options)
    // The empty handler prevents an unhandled rejection of an IMAP command: if the connection
    // closes, commands are rejected before their callers await them. imapflow does the same.
    done.catch(() => {})
    return done
  }

  /** Sends the IMAP command ID (RFC 2971), even if ID was sent before. */
  async identify(): Promise<void> {
    const pairs = Object.entries(this.client.clientInfo).flatMap(([key, value]) =>
      typeof value === 'string' ? [key, value] : [],
    )
    await this.run('ID', [pairs.map((value) => ({ type: 'STRING', value }))])
  }

  /**
   * Ends IDLE and sends an IMAP command. Returns the tagged OK response. Throws the errors of
   * imapflow. The caller must hold the mutex of the connection.
   */
  async run(
    command: string,
    attributes: Attributes = false,
    untagged: Record<string, LineHandler> = {},
  ): Promise<Line> {
    const { preCheck } = this.#internals
    if (preCheck) await preCheck()
    const { response, next } = await this.exec(command, attributes, { untagged })
    next()
    return response
  }

  /**
   * Passes the UIDs of VANISHED (EARLIER) responses (RFC 7162 §3.2.10) to `collect` until the
   * returned function is called.
   */
  collectVanished(collect: (uids: UidRange[]) => void): () => void {
    this.#onVanishedEarlier = collect
    return () => (this.#onVanishedEarlier = undefined)
  }

  /**
   * Runs `work`, and requests mailbox counters with every IMAP LIST command that `work` sends,
   * unless the server has rejected such a LIST before.
   */
  async withCounters<T>(counters: ListCounters, work: () => Promise<T>): Promise<T> {
    if (!this.#countersRejected) this.#counters = counters
    try {
      return await work()
    } finally {
      this.#counters = undefined
    }
  }

  /** Converts a listed mailbox name to the path of the mailbox. */
  pathOf(raw: string): string {
    return this.#names.decodeListed(raw)
  }

  /** Converts the path of a mailbox to an argument of an IMAP command. */
  nameOf(path: string): Token {
    return { type: 'STRING', value: this.#names.encode(path) }
  }

  /**
   * Requests STATUS of one mailbox. STATUS responses for other mailboxes are also passed to
   * `onStatus`.
   */
  async status(
    path: string,
    items: readonly string[],
    onStatus: ListCounters['onStatus'],
  ): Promise<void> {
    await this.run('STATUS', [this.nameOf(path), words(...items)], {
      STATUS: async (line) => this.#status(line, onStatus),
    })
  }

  /** LIST attributes of a mailbox. Undefined if the mailbox does not exist. */
  async findListed(path: string): Promise<string[] | undefined> {
    let listedFlags: string[] | undefined
    const LIST: LineHandler = async ({ attributes: [flags, , name] = [] }) => {
      if (this.pathOf(textOf(name) ?? '') === path) listedFlags = textsOf(flags)
    }
    await this.run('LIST', ['', this.nameOf(path)], { LIST })
    return listedFlags
  }

  /**
   * Lists all mailboxes again. True if the list shows that the server encodes the name of the
   * mailbox differently from imapflow.
   */
  async learnRawName(path: string): Promise<boolean> {
    const name = this.#names.encode(path)
    if (name === path || this.#names.isRaw(name)) return false
    for (const { pathAsListed } of await this.client.list()) this.pathOf(pathAsListed)
    return this.#names.isRaw(name)
  }

  async #execThrottled(
    command: string,
    attributes: Attributes,
    options: ExecOptions,
  ): Promise<CompletedCommand> {
    let waited = 0
    for (let tries = 1; ; tries++) {
      try {
        return await this.#exec(command, attributes, options)
      } catch (error) {
        const { code, throttleReset = 0, throttleWaited = 0 } = error as ImapFlowError & Throttled
        waited += throttleReset
        if (code !== 'ETHROTTLE' || tries === maxTries || waited > maxThrottleMs) throw error
        // Waits for the remaining delay of a throttled IMAP command. imapflow has already waited
        // for a part of the delay.
        if (await this.#internals.throttleWait(throttleReset - throttleWaited)) throw error
      }
    }
  }

  async #list(attributes: Attributes, options: ExecOptions): Promise<CompletedCommand> {
    const counters = this.#counters
    const untagged = {
      ...options.untagged,
      STATUS: async (line: Line) => this.#status(line, counters?.onStatus),
    }
    const counted = counters && withStatus(attributes, counters.items)
    if (counted) {
      try {
        return await this.#execThrottled('LIST', counted, { ...options, untagged })
      } catch (error) {
        const { code, responseStatus } = error as ImapFlowError
        if (code === 'ETHROTTLE' || responseStatus === undefined) throw error
        this.#countersRejected = true
        this.#counters = undefined
      }
    }
    return await this.#execThrottled('LIST', attributes, { ...options, untagged })
  }

  #withIdleHook({ onPlusTag, ...options }: ExecOptions): ExecOptions {
    return {
      ...options,
      onPlusTag: async (line) => {
        this.onIdle()
        await onPlusTag?.(line)
      },
    }
  }

  #status(line: Line, onStatus = this.onStatus): void {
    const status = readStatus(line)
    if (status) onStatus(this.#names.decodeOnly(status.raw), status.items)
  }

  #vanished({ attributes = [] }: Line): void {
    const earlier = Array.isArray(attributes[0])
    const uids = sequenceSet(attributes[earlier ? 1 : 0])
    const { mailbox } = this.client
    // VANISHED stands for one EXPUNGE per existing message (RFC 7162 §3.2.10), so it lowers the
    // message count of the mailbox.
    if (mailbox && !earlier) mailbox.exists = Math.max(0, mailbox.exists - countUids(uids))
    if (earlier && this.#onVanishedEarlier) this.#onVanishedEarlier(uids)
    else this.onVanished()
    if (!earlier) this.onVanishedUids?.(uids)
  }
}
