import { once } from 'node:events'
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { RawClient } from '@posthorn/testkit'

/** Number of completed requests of one kind of test client, and its failures. */
export interface Tally {
  done: number
  failures: string[]
  /** Number of refused requests for which the previous release may be the cause. */
  excused: number
}

/** Test clients that work until they are stopped. */
export interface RollingClients {
  readonly tally: Tally
  stop(): Promise<void>
}

interface LoopOptions {
  clients: number
  /** Pause between two rounds of a test client in milliseconds. */
  everyMs: number
  round: (client: number, tally: Tally) => Promise<void>
}

/** Runs test clients concurrently until they are stopped. Each client works in rounds. */
export function runClients({ clients, everyMs, round }: LoopOptions): RollingClients {
  const tally: Tally = { done: 0, failures: [], excused: 0 }
  let isStopped = false
  const runClient = async (client: number) => {
    while (!isStopped) {
      await round(client, tally)
      await delay(everyMs) // pace of the load
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, client) => runClient(client)))
  return {
    tally,
    async stop() {
      isStopped = true
      await running
    },
  }
}

/**
 * Age in milliseconds of the information that test clients have about the replicas of api-gateway.
 */
const knowledgeMs = 2_000

/**
 * List of the api-gateway replicas that were ready up to 2 s ago. Real clients have such outdated
 * information, too, because they resolve names or read a registry only now and then.
 */
export class OutdatedReplicas {
  readonly #urls: readonly string[]
  readonly #timer: NodeJS.Timeout
  #ready: readonly string[]
  #readAt = performance.now()

  constructor(urls: readonly string[]) {
    this.#urls = urls
    this.#ready = urls
    this.#timer = setInterval(() => void this.#refresh(), knowledgeMs)
  }

  /**
   * Returns the URL of a ready replica of api-gateway. Each round of a test client selects another
   * replica. If this process was paused, first reads again which replicas are ready.
   */
  async select(round: number): Promise<string> {
    if (performance.now() - this.#readAt > 1.5 * knowledgeMs) await this.#refresh()
    return this.#ready[round % this.#ready.length] ?? ''
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #refresh(): Promise<void> {
    const readAt = performance.now()
    const states = await Promise.all(
      this.#urls.map((url) =>
        fetch(`${url}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    )
    const ready = this.#urls.filter((_, at) => states[at])
    if (ready.length > 0) this.#ready = ready
    this.#readAt = readAt
  }
}

interface RequestOptions {
  token: string
  paths: readonly string[]
  /** Returns the URL to which a test client sends the request of a round. */
  url: (round: number) => string | Promise<string>
  /**
   * Returns true if a replica of the previous release may currently cause an error code in a
   * response from an address.
   */
  mayRefuse: (address: string, code: string) => boolean
}

/**
 * Time in milliseconds that an API request waits for the next sync-worker of its account. Longer
 * than the default of 10 s, because other tests may take both cores while all services are
 * replaced.
 */
const maxWaitMs = 30_000

/** Error codes of API reads whose account moves between sync-workers. */
const movedCodes = ['WorkerNotAvailable', 'IMAPUnavailable']

/**
 * Time of the last pause of this process. During a pause, this process cannot see that connections
 * end.
 */
class Pauses {
  at = -Infinity

  constructor() {
    let before = performance.now()
    const tick = () => {
      const now = performance.now()
      if (now - before > 1_000) this.at = now
      before = now
    }
    setInterval(tick, 100).unref()
  }
}

/**
 * Sends requests alternately on kept-alive and on new connections. Each response other than 200 is
 * a failure, unless the previous release may cause it. A lost connection is a failure, too, unless
 * this process paused before the loss.
 */
export function createRequests({ token, paths, url, mayRefuse }: RequestOptions) {
  const kept = new Agent({ keepAlive: true })
  const pauses = new Pauses()
  let round = 0
  return async (_client: number, tally: Tally): Promise<void> => {
    round += 1
    const path = paths[round % paths.length] ?? '/'
    const agent = round % 2 === 0 ? kept : new Agent()
    const address = await url(round)
    const startedAt = performance.now()
    const wasExcused = movedCodes.filter((code) => mayRefuse(address, code))
    const isExcused = (code: string) => wasExcused.includes(code) || mayRefuse(address, code)
    try {
      const headers = { authorization: `Bearer ${token}`, 'x-svc-timeout': String(maxWaitMs) }
      const request = httpRequest(`${address}${path}`, { agent, headers }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const body = (await response.toArray()).join('')
      if (response.statusCode === 200) tally.done += 1
      else if (movedCodes.some((code) => body.includes(`"${code}"`) && isExcused(code)))
        tally.excused += 1
      else tally.failures.push(`${address}${path}: ${response.statusCode} ${body}`)
    } catch (error) {
      if (pauses.at < startedAt - 1_000) tally.failures.push(`${address}${path}: ${String(error)}`)
    }
  }
}

interface MailClientOptions {
  port: number
  user: string
  token: string
}

/**
 * IMAP clients that read a message again and again, and log in again after BYE. A FETCH whose
 * response has begun must be completed.
 */
export function createFetches({ port, user, token }: MailClientOptions) {
  const sessions = new Map<number, RawClient>()
  const open = async (client: number): Promise<RawClient | undefined> => {
    const session = await RawClient.open(port).catch(() => undefined)
    if (!session) return undefined
    session.send(`a LOGIN ${user} ${token}\r\nb SELECT INBOX\r\n`)
    const isOpen = await session.until(/^b OK .*\r\n/m).then(
      () => true,
      () => false,
    )
    if (!isOpen) return undefined
    sessions.set(client, session)
    return session
  }
  return async (client: number, tally: Tally): Promise<void> => {
    const session = sessions.get(client) ?? (await open(client))
    if (!session) return
    session.send('f FETCH 1 BODY.PEEK[]\r\n')
    try {
      await session.until(/^f OK .*\r\n/m)
      tally.done += 1
    } catch {
      sessions.delete(client)
      const rest = session.text.replace(/^\* BYE .*\r\n/m, '')
      if (rest.includes('FETCH')) tally.failures.push(`FETCH cut after ${rest.length} bytes`)
    }
  }
}

/**
 * SMTP clients that send a message per round, each in a new session. After a client has sent the
 * end of data, it must get a reply.
 */
export function createSubmissions({ port, user, token }: MailClientOptions, accepted: Set<string>) {
  let count = 0
  const login = Buffer.from(`\0${user}\0${token}`).toString('base64')
  return async (_client: number, tally: Tally): Promise<void> => {
    const key = `rolling-${(count += 1)}`
    const session = await RawClient.open(port).catch(() => undefined)
    if (!session) return
    const reply = async (command: string, code: number) => {
      session.send(`${command}\r\n`)
      await session.until(new RegExp(`^(?:${code}-.*\r\n)*${code} .*\r\n`, 'm'))
    }
    let isSent = false
    try {
      await session.until(/^220 .*\r\n/m)
      await reply('EHLO client.example', 250)
      await reply(`AUTH PLAIN ${login}`, 235)
      await reply('MAIL FROM:<me@mail.test>', 250)
      await reply('RCPT TO:<you@elsewhere.example>', 250)
      await reply('DATA', 354)
      isSent = true
      await reply(`Subject: ${key}\r\nMessage-ID: <${key}@example.test>\r\n\r\nHello\r\n.`, 250)
      accepted.add(`<${key}@example.test>`)
      tally.done += 1
    } catch (error) {
      if (isSent) tally.failures.push(`DATA cut: ${String(error)}`)
    } finally {
      session.socket.destroy()
    }
  }
}
