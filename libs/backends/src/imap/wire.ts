import type { ImapFlow, ImapFlowError } from 'imapflow'
import type { UidRange } from '../backend.ts'
import { countUids } from '../uid-ranges.ts'
import {
  type CompletedCommand,
  type ExecOptions,
  type ImapFlowInternals,
  internalsOf,
} from './imapflow-internals.ts'
import { MailboxNames } from './mailbox-names.ts'
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
} from './tokens.ts'

type Exec = ImapFlowInternals['exec']

interface Throttled {
  throttleReset?: number
  throttleWaited?: number
}

/** FETCH is tried again by imapflow itself; of the others each must not be, or cannot be, said twice. */
const notRetried = new Set(['FETCH', 'UID FETCH', 'IDLE', 'LOGOUT', 'LOGIN', 'AUTHENTICATE'])
/** So long all in all, and so often, a throttled command waits for its turn; what takes longer is for another connection, later. */
const maxThrottleMs = 2 * 60_000
const maxTries = 3

/** What a LIST shall tell besides names, and who is told. */
interface ListCounters {
  items: readonly string[]
  onStatus: (path: string, items: StatusItems) => void
}

/** Below the commands that imapflow has: lines it does not know, lines it reads otherwise than we need, and names it could not write. */
export class Wire {
  readonly client: ImapFlow
  /** Messages are gone, as VANISHED told. */
  onVanished: () => void = () => {}
  /** The same with their UIDs, for the command that runs. */
  onVanishedUids: ((uids: UidRange[]) => void) | undefined
  /** A message changed, and not what of it is told. */
  onModified: () => void = () => {}
  /** STATUS and LIST that nobody asked for, and the end of both (RFC 5465 §5.8). */
  onStatus: (path: string, items: StatusItems) => void = () => {}
  onListed: () => void = () => {}
  onOverflow: () => void = () => {}
  /** The server is in IDLE. */
  onIdle: () => void = () => {}
  readonly #internals: ImapFlowInternals
  readonly #exec: Exec
  readonly #names: MailboxNames
  #onVanishedEarlier: ((uids: UidRange[]) => void) | undefined
  #counters: ListCounters | undefined
  #countersRefused = false

  constructor(client: ImapFlow) {
    this.client = client
    this.#names = new MailboxNames(client)
    this.#internals = internalsOf(client)
    this.#exec = this.#internals.exec.bind(client)
    const untaggedFetch = this.#internals.untaggedFetch.bind(client)
    Object.assign(client, {
      exec: (...command: Parameters<Exec>) => this.exec(...command),
      // imapflow walks VANISHED a UID at a time: a line of thirty bytes would keep us busy for minutes.
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

  /** What imapflow's own commands come through. */
  exec(
    command: string,
    attributes: Attributes,
    options: ExecOptions = {},
  ): Promise<CompletedCommand> {
    const args = this.#names.inCommand(command, attributes)
    if (command === 'IDLE') return this.#exec(command, args, this.#withIdleHook(options))
    if (notRetried.has(command)) return this.#exec(command, args, options)
    const done =
      command === 'LIST' ? this.#list(args, options) : this.#execThrottled(command, args, options)
    // As imapflow does: whoever closes the connection rejects commands before anybody looks at them.
    done.catch(() => {})
    return done
  }

  /** ID (RFC 2971), also where it was sent before. */
  async identify(): Promise<void> {
    const pairs = Object.entries(this.client.clientInfo).flatMap(([key, value]) =>
      typeof value === 'string' ? [key, value] : [],
    )
    await this.run('ID', [pairs.map((value) => ({ type: 'STRING', value }))])
  }

  /** Runs a command of our own, out of IDLE, to its end. Failures are imapflow's. */
  async run(command: string, attributes: Attributes, options: ExecOptions = {}): Promise<void> {
    const { preCheck } = this.#internals
    if (preCheck) await preCheck()
    const { next } = await this.exec(command, attributes, options)
    next()
  }

  /** Takes what VANISHED (EARLIER) tells (RFC 7162 §3.2.10), until the function returned is called. */
  collectVanished(collect: (uids: UidRange[]) => void): () => void {
    this.#onVanishedEarlier = collect
    return () => (this.#onVanishedEarlier = undefined)
  }

  /** While `work` lists mailboxes, their counters are asked for in the same round trip, as long as the server does not refuse that. */
  async withCounters<T>(counters: ListCounters, work: () => Promise<T>): Promise<T> {
    if (!this.#countersRefused) this.#counters = counters
    try {
      return await work()
    } finally {
      this.#counters = undefined
    }
  }

  /** The path of a mailbox by the name the server lists it under. */
  pathOf(raw: string): string {
    return this.#names.decodeListed(raw)
  }

  /** STATUS of one mailbox; what it says of others is told as well. */
  async status(
    path: string,
    items: readonly string[],
    onStatus: ListCounters['onStatus'],
  ): Promise<void> {
    await this.run('STATUS', [this.#nameOf(path), words(...items)], {
      untagged: { STATUS: async (line) => this.#status(line, onStatus) },
    })
  }

  /** The attributes of a mailbox in LIST, if it is there. */
  async findListed(path: string): Promise<string[] | undefined> {
    let listedFlags: string[] | undefined
    const LIST: LineHandler = async ({ attributes: [flags, , name] = [] }) => {
      if (this.pathOf(textOf(name) ?? '') === path) listedFlags = textsOf(flags)
    }
    await this.run('LIST', ['', this.#nameOf(path)], { untagged: { LIST } })
    return listedFlags
  }

  #nameOf(path: string): Token {
    return { type: 'STRING', value: this.#names.encode(path) }
  }

  /** Whether the server writes this path otherwise than we would, as only a list can tell that was not asked for yet. */
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
        // imapflow has waited for a part of it already.
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
        this.#countersRefused = true
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
    // RFC 7162 §3.2.10: it stands for as many EXPUNGEs, of messages that were there.
    if (mailbox && !earlier) mailbox.exists = Math.max(0, mailbox.exists - countUids(uids))
    if (earlier && this.#onVanishedEarlier) this.#onVanishedEarlier(uids)
    else this.onVanished()
    if (!earlier) this.onVanishedUids?.(uids)
  }
}
