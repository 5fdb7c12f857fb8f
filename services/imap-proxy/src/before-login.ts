import type { SecureContext } from 'node:tls'
import type { Login } from './access.ts'
import type { Client } from './client.ts'
import { bad, goOn, type Next } from './commands/command.ts'
import { commands } from './commands/index.ts'
import type { Command, Input } from './parser.ts'

/** Who does not speak IMAP is cut here. */
const maxBad = 3
/** A client needs four or five. */
const maxCommands = 50

export interface LoginAttempt {
  tag: string
  login: Login
}

/** Answers a client up to its next LOGIN or AUTHENTICATE. Undefined when it has gone or was sent away. */
export class BeforeLogin {
  readonly #client: Client
  readonly #tls: SecureContext | undefined
  #bad = 0
  #commands = 0

  constructor(client: Client, tls: SecureContext | undefined) {
    this.#client = client
    this.#tls = tls
  }

  async nextAttempt(): Promise<LoginAttempt | undefined> {
    for (;;) {
      const input = await this.#client.next()
      if (!input || !this.#within(input)) return undefined
      if (input.kind === 'continue') this.#client.write('+ OK')
      else if (input.kind === 'bad') {
        if (!this.#count(input)) return undefined
      } else if (input.kind === 'command') {
        const { tag } = input.command
        const next = await this.#answer(input.command)
        if (next.do === 'log-in') return { tag, login: next.login }
        if (!(await this.#follow(next, tag))) return undefined
      }
    }
  }

  /** Counts what the client has said; ends the connection where it is more than enough. */
  #within(input: Input): boolean {
    this.#commands += 1
    if (input.kind !== 'end' && this.#commands <= maxCommands) return true
    this.#client.end(input.kind === 'end' ? input.text : 'Too many commands before a login')
    return false
  }

  #count({ tag = '*', text }: { tag?: string; text: string }): boolean {
    this.#client.write(`${tag} BAD ${text}`)
    return this.#another()
  }

  #another(): boolean {
    this.#bad += 1
    if (this.#bad < maxBad) return true
    this.#client.end('Too many invalid commands')
    return false
  }

  async #answer({ tag, name, args }: Command): Promise<Next> {
    const request = {
      client: this.#client,
      tag,
      args,
      canStartTls: this.#tls !== undefined && !this.#client.secure,
    }
    const answer = commands.get(name)
    return answer ? answer(request) : bad(request, 'Unknown command, or not before a login')
  }

  /** Whether the client is still there afterwards. */
  async #follow(next: Next, tag: string): Promise<boolean> {
    if (next.do === 'count') return this.#another()
    if (next === goOn) return true
    if (next.do === 'start-tls' && this.#tls) {
      if (this.#client.hasMore) this.#client.end('Nothing may follow STARTTLS')
      else {
        this.#client.write(`${tag} OK Begin TLS negotiation now`)
        if (await this.#client.startTls(this.#tls)) return true
      }
    }
    this.#client.end()
    return false
  }
}
