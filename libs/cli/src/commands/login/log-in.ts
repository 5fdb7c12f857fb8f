import { Posthorn } from '@posthorn/client'
import { configPath, writeLogin } from '../../connection/config-file.ts'
import { toToken, toUrl } from '../../connection/connection.ts'
import { readSecretFile } from '../../connection/secret-input.ts'
import { fieldLines } from '../../io/fields.ts'
import type { CommandContext, RunCommand } from '../../program/command.ts'
import { readRights } from './read-rights.ts'

/**
 * Command `login`: stores the URL and the access token of a server, after the server has accepted
 * the token.
 */
export const logIn: RunCommand = async (context, _args, options) => {
  const { terminal, output, signal } = context
  const url = toUrl(await readUrl(context, options['url'] as string | undefined))
  const token = toToken(await readToken(context, options['tokenFile'] as string | undefined))
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

function readToken(context: CommandContext, file: string | undefined) {
  const { terminal, prompt } = context
  if (file !== undefined) return readSecretFile(file, context)
  const remedy = 'name a file with the access token with --token-file'
  return terminal.env['POSTHORN_TOKEN'] || prompt.secret('Access token: ', { remedy })
}
