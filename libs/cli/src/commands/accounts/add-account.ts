import { defined } from '@posthorn/contracts/defined'
import type { AccountRecord, AccountRegistration, Posthorn } from '@posthorn/client'
import { CommandError, UsageError } from '../../exit-codes.ts'
import { fieldLines } from '../../io/fields.ts'
import { readInput } from '../../io/input.ts'
import type { CommandContext, RunCommand } from '../../program/command.ts'
import { type AddOptions, readRegistration } from './read-registration.ts'
import { waitUntilConnected } from './wait-until-connected.ts'

/**
 * Command `accounts add`: registers a mail account, or prints the link of a form that registers an
 * account.
 */
export const addAccount: RunCommand = async (context, args, values) => {
  const options = values as AddOptions
  const [account] = args
  checkOptions(options)
  const client = await context.posthorn()
  if (options.form) return printFormLink({ ...context, client }, account, options)
  const body =
    options.file === undefined
      ? await readRegistration({ ...context, client }, account, options)
      : await readBody(context, account, { file: options.file, paused: options.paused })
  const { signal, output } = context
  const existing = await findExisting({ ...context, client }, body.account, options)
  const result = await client.createAccount({ body }, { signal })
  if (result.redirect !== undefined)
    return output.result(result, ['The owner of the mailbox must consent:', result.redirect])
  const { account: id = '', state } = result
  if (options.wait)
    await waitUntilConnected(context, id, {
      client,
      timeout: options.timeout,
      lastSync: existing?.syncTime,
    })
  await output.result(
    result,
    fieldLines([
      ['account', id],
      ['registered', state === 'existing' ? 'changed' : 'new'],
      ['state', options.wait ? 'connected' : undefined],
    ]),
  )
}

/**
 * Options of `accounts add` about servers, login and form. With a registration file, these options
 * are not allowed.
 */
const excludedByFile = [
  'email',
  'name',
  'user',
  'passwordFile',
  'autoconfig',
  'imapHost',
  'imapPort',
  'smtpHost',
  'smtpPort',
  'starttls',
  'anyCertificate',
  'form',
  'redirectUrl',
] as const satisfies (keyof AddOptions)[]

function checkOptions(options: AddOptions): void {
  if (options.file !== undefined && excludedByFile.some((name) => options[name] !== undefined))
    throw new UsageError(
      '--file has all settings of the account: leave out the other options, except --paused, --update, --wait and --timeout',
    )
  if (options.form && options.wait)
    throw new UsageError('--wait cannot wait for a form: leave out --wait')
  if (options.form && options.redirectUrl === undefined)
    throw new UsageError('name the page that follows the form with --redirect-url')
  if (options.wait && options.paused)
    throw new UsageError('a paused account does not connect: leave out --wait or --paused')
}

/** Client of the API and context of the command `accounts add`. */
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
  context: CommandContext,
  account: string | undefined,
  { file, paused }: { file: string; paused: boolean | undefined },
): Promise<AccountRegistration> {
  const json = await readInput(file, context)
  try {
    const body = JSON.parse(json) as AccountRegistration
    return { ...body, account: account ?? body.account ?? null, ...(paused && { paused }) }
  } catch {
    throw new CommandError(`${file} is not valid JSON: write the body of the request into the file`)
  }
}

/**
 * Account record before `accounts add` changes the account. Undefined if the account does not
 * exist, or if the options of the command do not require the record.
 *
 * @throws CommandError without `--update` if the account exists: the API would change its settings
 */
async function findExisting(
  { client, signal }: AddContext,
  account: string | null | undefined,
  { update, wait }: AddOptions,
): Promise<AccountRecord | undefined> {
  if (!account || (update && !wait)) return undefined
  const record = await client.getAccount({ account }, { signal }).catch((error: unknown) => {
    if ((error as { status?: number }).status === 404) return undefined
    throw error
  })
  if (record && !update)
    throw new CommandError(`the account ${account} exists: change it with --update`)
  return record
}
