import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { AccountRegistration, Posthorn } from '@posthorn/client'
import { CommandError, UsageError } from '../../exit-codes.ts'
import { fieldLines } from '../../io/fields.ts'
import type { CommandContext, RunCommand } from '../../program/command.ts'
import { defined } from '../../program/values.ts'
import { type AddOptions, readRegistration } from './read-registration.ts'
import { waitUntilConnected } from './wait-until-connected.ts'

/** Registers an account, or prints the link of a form that registers one. */
export const addAccount: RunCommand = async (context, args, values) => {
  const options = values as AddOptions
  const [account] = args
  checkOptions(options)
  const client = await context.posthorn()
  if (options.form) return printFormLink({ ...context, client }, account, options)
  const body =
    options.file === undefined
      ? await readRegistration({ ...context, client }, account, options)
      : await readBody(context, account, options.file)
  const { signal, output } = context
  if (!options.update && body.account) await assertAbsent(client, body.account, signal)
  const result = await client.createAccount({ body }, { signal })
  if (result.redirect !== undefined)
    return output.result(result, ['The owner of the mailbox must consent:', result.redirect])
  const { account: id = '', state } = result
  if (options.wait)
    await waitUntilConnected(context, id, { client, timeout: options.timeout ?? undefined })
  await output.result(
    result,
    fieldLines([
      ['account', id],
      ['registered', state === 'existing' ? 'changed' : 'new'],
      ['state', options.wait ? 'connected' : undefined],
    ]),
  )
}

function checkOptions(options: AddOptions): void {
  const servers = ['email', 'imapHost', 'smtpHost', 'autoconfig', 'passwordFile'] as const
  if (options.file !== undefined && servers.some((name) => options[name] !== undefined))
    throw new UsageError('--file has all settings of the account: leave out the other options')
  if (options.form && options.wait)
    throw new UsageError('--wait cannot wait for a form: leave out --wait')
  if (options.form && options.redirectUrl === undefined)
    throw new UsageError('name the page that follows the form with --redirect-url')
  if (options.wait && options.paused)
    throw new UsageError('a paused account does not connect: leave out --wait or --paused')
}

/** Client and context of a command that adds an account. */
export interface AddContext extends CommandContext {
  client: Posthorn
}

async function printFormLink(
  { client, output, signal }: AddContext,
  account: string | undefined,
  { email, name, redirectUrl = '' }: AddOptions,
): Promise<void> {
  const body = { redirectUrl, ...defined({ account, email, name }) }
  const form = await client.createAuthenticationForm({ body }, { signal })
  await output.result(form, form.url)
}

async function readBody(
  { terminal }: CommandContext,
  account: string | undefined,
  file: string,
): Promise<AccountRegistration> {
  const json = await (file === '-' ? text(terminal.stdin) : readFile(file, 'utf8')).catch(
    (error: unknown) => {
      throw new CommandError(`${file} cannot be read: ${(error as Error).message}`)
    },
  )
  try {
    const body = JSON.parse(json) as AccountRegistration
    return { ...body, account: account ?? body.account ?? null }
  } catch {
    throw new CommandError(`${file} is not valid JSON: write the body of the request into the file`)
  }
}

/** Fails if the account exists: the API would change its settings. */
async function assertAbsent(client: Posthorn, account: string, signal: AbortSignal): Promise<void> {
  const record = await client.getAccount({ account }, { signal }).catch((error: unknown) => {
    if ((error as { status?: number }).status === 404) return undefined
    throw error
  })
  if (record) throw new CommandError(`the account ${account} exists: change it with --update`)
}
