import { CommandError, UsageError } from '../exit-codes.ts'
import type { InputContext } from '../io/input.ts'
import type { Terminal } from '../io/terminal.ts'
import { configPath, isReadableByOthers, readLogin } from './config-file.ts'
import { readSecretFile } from './secret-input.ts'

/** URL and access token of the API that a command calls. */
export interface Connection {
  url: string
  token: string | undefined
}

/** Options of each command that select the Posthorn server and the access token. */
export interface ConnectionOptions {
  url?: string | undefined
  tokenFile?: string | undefined
}

/**
 * Finds the server that a command calls: by options, then the environment variables `POSTHORN_URL`
 * and `POSTHORN_TOKEN`, then the login that `posthorn login` has stored. The stored token is used
 * for the stored URL only, so that it is not sent to another server.
 */
export async function resolveConnection(
  { url, tokenFile }: ConnectionOptions,
  context: InputContext & { terminal: Pick<Terminal, 'env' | 'stderr'> },
): Promise<Connection> {
  const { env } = context.terminal
  const requested = url ?? env['POSTHORN_URL']
  const token =
    tokenFile === undefined ? env['POSTHORN_TOKEN'] : await readSecretFile(tokenFile, context)
  const stored = requested && token ? undefined : await readStored(context.terminal)
  const used = requested || stored?.url
  if (!used)
    throw new UsageError('no server: run `posthorn login`, or set POSTHORN_URL and POSTHORN_TOKEN')
  const address = toUrl(used)
  const storedToken = stored && toUrl(stored.url) === address ? stored.token : undefined
  const accepted = token || storedToken
  return { url: address, token: accepted && toToken(accepted) }
}

/**
 * Reads the login that `posthorn login` stored. Prints a warning if other users can read the file
 * of the login.
 */
async function readStored({ env, stderr }: Pick<Terminal, 'env' | 'stderr'>) {
  const path = configPath(env)
  const stored = await readLogin(path)
  if (stored && (await isReadableByOthers(path)))
    stderr.write(`posthorn: other users can read the token in ${path}: run \`chmod 600\`\n`)
  return stored
}

/**
 * Checks the characters of an access token, because the error about an invalid header would show
 * the token. Removes spaces around the token.
 */
export function toToken(text: string): string {
  const token = text.trim()
  if (!/^[!-~]+$/.test(token))
    throw new CommandError(
      'the access token has spaces or other characters that no token has: pass only the token',
    )
  return token
}

/** Checks the URL of the API. Removes slashes at its end. */
export function toUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new UsageError(
      `not a URL of a server: ${text}, expected such as https://posthorn.example`,
    )
  if (url.username || url.password || url.search || url.hash)
    throw new UsageError('the URL of the server must not have a login, query or fragment')
  return url.href.replace(/\/+$/, '')
}
