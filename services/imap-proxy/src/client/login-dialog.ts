import type { SecureContext } from 'node:tls'
import type { ClientLogin } from '@posthorn/mail-frontend'
import { bad, commands, nextCommand, type NextStep } from './commands.ts'
import type { MailClient } from './mail-client.ts'
import type { Command, Input } from './parser.ts'

/**
 * Number of invalid commands after which a client's connection is closed, because the client does
 * not seem to speak IMAP.
 */
const maxInvalid = 3
/** Maximum IMAP commands of a client before its login; clients need four or five commands. */
const maxCommands = 50

export interface LoginAttempt {
  tag: string
  login: ClientLogin
}

/** Handles the IMAP commands of a client up to its next login attempt. */
export class LoginDialog {
  readonly #client: MailClient
  readonly #tls: SecureContext | undefined
  #invalid = 0
  #commands = 0

  constructor(client: MailClient, tls: SecureContext | undefined) {
    this.#client = client
    this.#tls = tls
  }

  /**
   * Returns the next login attempt of the IMAP client, or undefined after the client's connection
   * ended.
   */
  async nextAttempt(): Promise<LoginAttempt | undefined> {
    for (;;) {
      const input = await this.#client.nextInput()
      if (!input || !this.#checkLimits(input)) return undefined
      if (input.kind === 'continue') this.#client.write('+ OK')
      else if (input.kind === 'bad') {
        if (!this.#rejectInput(input)) return undefined
      } else if (input.kind === 'command') {
        const { tag } = input.command
        const next = await this.#execute(input.command)
        if (next.do === 'log-in') return { tag, login: next.login }
        if (!(await this.#apply(next, tag))) return undefined
      }
    }
  }

  /**
   * Counts the IMAP commands of a client and ends its connection after more than `maxCommands`
   * commands before a login.
   */
  #checkLimits(input: Input): boolean {
    this.#commands += 1
    if (input.kind !== 'end' && this.#commands <= maxCommands) return true
    this.#client.end(input.kind === 'end' ? input.text : 'Too many commands before a login')
    return false
  }

  #rejectInput({ tag = '*', text }: { tag?: string; text: string }): boolean {
    this.#client.write(`${tag} BAD ${text}`)
    return this.#countInvalid()
  }

  #countInvalid(): boolean {
    this.#invalid += 1
    if (this.#invalid < maxInvalid) return true
    this.#client.end('Too many invalid commands')
    return false
  }

  async #execute({ tag, name, args }: Command): Promise<NextStep> {
    const request = {
      client: this.#client,
      tag,
      args,
      canStartTls: this.#tls !== undefined && !this.#client.isSecure,
    }
    const handler = commands.get(name)
    return handler ? handler(request) : bad(request, 'Unknown command, or not before a login')
  }

  /**
   * Carries out the step that follows an IMAP command of the client. Returns false after the
   * client's connection ended.
   */
  async #apply(next: NextStep, tag: string): Promise<boolean> {
    if (next.do === 'count-invalid') return this.#countInvalid()
    if (next === nextCommand) return true
    if (next.do === 'start-tls' && this.#tls) {
      if (this.#client.hasUnreadBytes) this.#client.end('Nothing may follow STARTTLS')
      else {
        this.#client.write(`${tag} OK Begin TLS negotiation now`)
        if (await this.#client.startTls(this.#tls)) return true
      }
    }
    this.#client.end()
    return false
  }
}
