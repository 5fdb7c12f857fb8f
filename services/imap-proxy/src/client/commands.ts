import { type ClientLogin, decodeResponse, mechanisms } from '@posthorn/mail-frontend'
import type { MailClient } from './mail-client.ts'
import type { Token } from './parser.ts'

/** IMAP command of a client that is not logged in. */
export interface CommandRequest {
  client: MailClient
  tag: string
  args: readonly Token[]
  /**
   * True if the mail client may send STARTTLS: a certificate is configured and TLS is not active
   * yet.
   */
  canStartTls: boolean
}

/**
 * Step that follows an IMAP command before the login. The login dialog carries out `start-tls`, and
 * the caller of the login dialog carries out `log-in`. The function that carries out a step also
 * responds to the command.
 */
export type NextStep =
  | { do: 'next-command' }
  /** Step after an invalid IMAP command; too many invalid commands end the client's connection. */
  | { do: 'count-invalid' }
  | { do: 'close' }
  | { do: 'start-tls' }
  | { do: 'log-in'; login: ClientLogin }

export type CommandHandler = (request: CommandRequest) => NextStep | Promise<NextStep>

export const nextCommand: NextStep = { do: 'next-command' }

/** Rejects an IMAP command of the client with BAD. */
export function bad(
  { client, tag }: Pick<CommandRequest, 'client' | 'tag'>,
  text: string,
): NextStep {
  client.write(`${tag} BAD ${text}`)
  return { do: 'count-invalid' }
}

const capabilities = [
  'IMAP4rev1',
  'LITERAL+',
  'SASL-IR',
  'ID',
  ...[...mechanisms.keys()].map((mechanism) => `AUTH=${mechanism}`),
].join(' ')

/**
 * Handlers of the IMAP commands accepted before the login, by name. After the login, the account's
 * mail server handles all commands.
 */
export const commands: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ['AUTHENTICATE', authenticate],
  ['CAPABILITY', capability],
  ['ID', id],
  ['LOGIN', login],
  ['LOGOUT', logout],
  ['NOOP', noop],
  ['STARTTLS', startTls],
])

/**
 * Handles the IMAP command AUTHENTICATE (RFC 9051 §6.2.2 and RFC 4959). The user name is the
 * account id, the secret is an access token.
 */
async function authenticate(request: CommandRequest): Promise<NextStep> {
  const { client, tag, args } = request
  const [mechanism, initial, ...rest] = wordsOf(args) ?? []
  if (mechanism === undefined || rest.length > 0)
    return bad(request, 'AUTHENTICATE takes a mechanism')
  const parse = mechanisms.get(mechanism.toUpperCase())
  if (!parse) {
    client.write(`${tag} NO [CANNOT] Unsupported authentication mechanism`)
    return nextCommand
  }
  const response = initial ?? (await requestResponse(client))
  if (response === undefined) return { do: 'close' }
  if (response === '*') return bad(request, 'Authentication cancelled')
  const parsed = parse(decodeResponse(response))
  return parsed ? { do: 'log-in', login: parsed } : bad(request, 'Invalid SASL response')
}

function requestResponse(client: MailClient): Promise<string | undefined> {
  client.write('+ ')
  return client.nextLine()
}

/**
 * Handles the IMAP command CAPABILITY (RFC 9051 §6.1.1). Authentication mechanisms are listed
 * before the login only.
 */
function capability({ client, tag, canStartTls }: CommandRequest): NextStep {
  client.write(
    `* CAPABILITY ${capabilities}${canStartTls ? ' STARTTLS' : ''}`,
    `${tag} OK CAPABILITY completed`,
  )
  return nextCommand
}

/** Handles the IMAP command ID (RFC 2971). The fields that the client sends are ignored. */
function id({ client, tag }: CommandRequest): NextStep {
  client.write('* ID ("name" "Posthorn")', `${tag} OK ID completed`)
  return nextCommand
}

/**
 * Handles the IMAP command LOGIN (RFC 9051 §6.2.3). The user name is the account id, the password
 * is an access token.
 */
function login(request: CommandRequest): NextStep {
  const words = wordsOf(request.args)
  if (words?.length !== 2) return bad(request, 'LOGIN takes an account and a token')
  const [account = '', secret = ''] = words
  return { do: 'log-in', login: { account, secret } }
}

/** Handles the IMAP command LOGOUT (RFC 9051 §6.1.3). */
function logout({ client, tag }: CommandRequest): NextStep {
  client.write('* BYE Logging out', `${tag} OK LOGOUT completed`)
  return { do: 'close' }
}

/** Handles the IMAP command NOOP (RFC 9051 §6.1.2). */
function noop({ client, tag }: CommandRequest): NextStep {
  client.write(`${tag} OK NOOP completed`)
  return nextCommand
}

/**
 * Handles the IMAP command STARTTLS (RFC 9051 §6.2.1). The login dialog replies when it starts TLS.
 */
function startTls(request: CommandRequest): NextStep {
  return request.canStartTls ? { do: 'start-tls' } : bad(request, 'TLS is not available here')
}

/** Returns the arguments of an IMAP command as words. Undefined if the arguments contain a list. */
function wordsOf(args: readonly Token[]): string[] | undefined {
  const words = args.flatMap((token) => (token.kind === 'word' ? [token.text] : []))
  return words.length === args.length ? words : undefined
}
