import type { AccountRegistration, GetAutoconfigResult, Posthorn } from '@posthorn/client'
import { readSecretFile } from '../../connection/secret-input.ts'
import { CommandError, UsageError } from '../../exit-codes.ts'
import type { CommandContext } from '../../program/command.ts'

/** Values of the options of the command `accounts add`. */
export interface AddOptions {
  email?: string
  name?: string
  user?: string
  passwordFile?: string
  autoconfig?: boolean
  imapHost?: string
  imapPort?: number
  smtpHost?: string
  smtpPort?: number
  starttls?: boolean
  anyCertificate?: boolean
  paused?: boolean
  file?: string
  update?: boolean
  form?: boolean
  redirectUrl?: string
  wait?: boolean
  timeout?: number
}

interface Server {
  host: string
  port: number
  secure: boolean
  user?: string
}

/** Mail servers (IMAP and SMTP) of a new account. */
export interface MailServers {
  imap?: Server
  smtp?: Server
}

/** Ports of mail servers at which a TLS handshake comes first (RFC 8314). */
const imapsPort = 993
const submissionsPort = 465

/**
 * Reads an account registration from the options of `accounts add`, and asks the user for missing
 * values.
 */
export async function readRegistration(
  context: CommandContext & { client: Posthorn },
  account: string | undefined,
  options: AddOptions,
): Promise<AccountRegistration> {
  const { client, progress, signal } = context
  const { email } = options
  if (options.autoconfig && email === undefined)
    throw new UsageError('name the address to look up with --email')
  const autoconfig =
    options.autoconfig && email !== undefined
      ? await client.getAutoconfig({ email }, { signal })
      : undefined
  if (autoconfig?.appPassword?.required) progress.note(autoconfig.appPassword.instructions)
  const servers = mergeServers(options, autoconfig)
  const user = options.user ?? servers.imap?.user ?? email
  if (user === undefined) throw new UsageError('name the login with --user or --email')
  const pass = await readPassword(context, user, options.passwordFile)
  return toRegistration({ account, options, servers, user, pass })
}

/**
 * Mail servers from the options of `accounts add`, completed by the servers that autoconfiguration
 * has found.
 */
export function mergeServers(options: AddOptions, autoconfig?: GetAutoconfigResult): MailServers {
  const { imapHost, smtpHost, starttls = false } = options
  const byOption = (host: string, port: number, tlsPort: number) => ({
    host,
    port,
    secure: port === tlsPort && !starttls,
  })
  const imap = imapHost
    ? byOption(imapHost, options.imapPort ?? imapsPort, imapsPort)
    : serverOf(autoconfig?.imap)
  const smtp = smtpHost
    ? byOption(smtpHost, options.smtpPort ?? submissionsPort, submissionsPort)
    : serverOf(autoconfig?.smtp)
  if (imap || smtp) return { ...(imap && { imap }), ...(smtp && { smtp }) }
  throw noServers(options.email, autoconfig !== undefined)
}

function noServers(email: string | undefined, isLookedUp: boolean): CommandError {
  return isLookedUp
    ? new CommandError(
        `no mail servers found for ${email}: name them with --imap-host and --smtp-host`,
      )
    : new UsageError(
        'name the mail servers with --imap-host and --smtp-host, or use --autoconfig, --file or --form',
      )
}

function serverOf(server: GetAutoconfigResult['imap'] | undefined): Server | undefined {
  if (!server) return undefined
  const { host, port, secure, auth } = server
  return { host, port, secure, user: auth.user }
}

function readPassword(
  context: CommandContext,
  user: string,
  file: string | undefined,
): Promise<string> {
  if (file !== undefined) return readSecretFile(file, context)
  const remedy = 'name a file with the password with --password-file'
  return context.prompt.secret(`Password of ${user}: `, { remedy })
}

/** Parts of an account registration: options, mail servers and login. */
interface RegistrationParts {
  account: string | undefined
  options: AddOptions
  servers: MailServers
  user: string
  pass: string
}

function toRegistration(parts: RegistrationParts): AccountRegistration {
  const { account = null, options, servers, user, pass } = parts
  const { email, name = email ?? user, anyCertificate, paused } = options
  const tls = anyCertificate ? { tls: { rejectUnauthorized: false } } : {}
  const config = ({ host, port, secure, user: login }: Server) => ({
    host,
    port,
    secure,
    auth: { user: options.user ?? login ?? user, pass },
    ...tls,
  })
  return {
    account,
    name,
    ...(email !== undefined && { email }),
    ...(paused && { paused }),
    ...(servers.imap && { imap: config(servers.imap) }),
    ...(servers.smtp && { smtp: config(servers.smtp) }),
  }
}
