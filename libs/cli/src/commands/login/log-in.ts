import { createHash } from 'node:crypto'
import { Posthorn, PosthornError, type TokenRecord } from '@posthorn/client'
import { configPath, writeLogin } from '../../connection/config-file.ts'
import { toUrl } from '../../connection/connection.ts'
import { readSecretFile } from '../../connection/secret-input.ts'
import { CommandError } from '../../exit-codes.ts'
import { fieldLines } from '../../io/fields.ts'
import type { CommandContext, RunCommand } from '../../program/command.ts'

/** Stores the URL and the token of a server, after the server has accepted the token. */
export const logIn: RunCommand = async (context, _args, options) => {
  const { terminal, output, signal } = context
  const url = toUrl(await readUrl(context, options['url'] as string | undefined))
  const token = await readToken(context, options['tokenFile'] as string | undefined)
  const rights = await readRights(new Posthorn({ url, token, retryForMs: 0 }), token, signal)
  const path = configPath(terminal.env)
  await writeLogin(path, { url, token })
  await output.result({ url, path, ...rights }, [
    ...fieldLines([
      ['server', url],
      ['stored', path],
      ['scopes', rights.scopes?.join(', ')],
      ['account', rights.account],
      ['expires', rights.expires],
    ]),
    ...(rights.limit === undefined ? [] : [rights.limit]),
  ])
}

function readUrl({ terminal, prompt }: CommandContext, url: string | undefined) {
  const address = url ?? terminal.env['POSTHORN_URL']
  return (
    address ||
    prompt.text('URL of the server: ', { remedy: 'name the URL of the server with --url' })
  )
}

function readToken({ terminal, prompt }: CommandContext, file: string | undefined) {
  const { env, stdin } = terminal
  if (file !== undefined) return readSecretFile(file, stdin)
  const remedy = 'name a file with the access token with --token-file'
  return env['POSTHORN_TOKEN'] || prompt.secret('Access token: ', { remedy })
}

/** Rights of a token, as far as the token may read them. */
interface TokenRights extends Partial<Pick<TokenRecord, 'scopes' | 'account' | 'expires'>> {
  /** Sentence about commands that the token does not permit. */
  limit?: string
}

/**
 * Reads the rights of the token, by its id: URLs are logged. A token with few permissions may not
 * read its own rights, but the response shows that the token is valid.
 *
 * @throws CommandError if no command can use the token
 */
async function readRights(
  posthorn: Posthorn,
  token: string,
  signal: AbortSignal,
): Promise<TokenRights> {
  const id = createHash('sha256').update(token).digest('hex')
  try {
    const { scopes, account, expires, permissions } = await posthorn.getToken(
      { token: id },
      { signal },
    )
    const limit = describeLimit({ scopes, account, isRestricted: permissions !== null })
    return { scopes, account, ...(expires && { expires }), ...(limit && { limit }) }
  } catch (error) {
    if (!(error instanceof PosthornError) || error.status !== 403) throw error
    const { requestedScope, remoteAddress } = error.problem
    if (requestedScope !== undefined)
      throw new CommandError(
        `the token has no scope \`${requestedScope}\`, which the commands need: create another token`,
      )
    if (remoteAddress !== undefined)
      throw new CommandError(`the token must not be used from ${remoteAddress}`)
    return { limit: `The token has limits (${error.message}): some commands will fail.` }
  }
}

/** Sentence about the commands that a token does not permit. Undefined without limits. */
function describeLimit({
  scopes,
  account,
  isRestricted,
}: {
  scopes: readonly string[]
  account: string | null
  isRestricted: boolean
}): string | undefined {
  if (account !== null) return `The token permits commands for the account ${account} only.`
  if (isRestricted) return 'The token has few permissions: some commands will fail.'
  if (!scopes.includes('*'))
    return 'The token has no scope `*`: commands for operators, such as replays of webhooks, will fail.'
  return undefined
}
