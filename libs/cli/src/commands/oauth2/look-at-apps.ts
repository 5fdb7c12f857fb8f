import { defined } from '@posthorn/contracts/defined'
import { CommandError } from '../../exit-codes.ts'
import type { RunCommand } from '../../program/command.ts'

/** Command that prints a list of the OAuth2 applications. */
export const listApps: RunCommand = async ({ posthorn, output, signal }) => {
  const client = await posthorn()
  await output.table(
    client.listOAuth2Apps.all({ pageSize: 1_000 }, { signal }),
    [
      { title: 'ID', isKey: true, text: ({ id }) => id },
      { title: 'PROVIDER', text: ({ provider }) => provider },
      { title: 'ENABLED', text: ({ enabled }) => (enabled ? 'yes' : 'no') },
      { title: 'NAME', text: ({ name }) => name },
    ],
    { empty: 'no OAuth2 applications' },
  )
}

/** Command that prints all members of an OAuth2 application. Secrets are masked. */
export const showApp: RunCommand = async ({ posthorn, output, signal }, [app = '']) => {
  const members = await (await posthorn()).getOAuth2App({ app }, { signal })
  const rows = Object.entries(members).filter(([, value]) => value !== null && value !== '')
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(
    ([name, value]) =>
      `${name.padEnd(width)}  ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  await output.result(members, lines)
}

/** Command that tests an OAuth2 application. Fails if a step of the test fails. */
export const verifyApp: RunCommand = async (context, [app = ''], options) => {
  const { posthorn, output, signal } = context
  const { account } = options as { account?: string }
  const client = await posthorn()
  const result = await client.checkOAuth2App({ app, body: defined({ account }) }, { signal })
  await output.result(
    result,
    result.steps.flatMap(({ label, status, message, hint }) => [
      `${status.padEnd(4)}  ${label}${message === null ? '' : `: ${message}`}`,
      ...(hint === undefined ? [] : [`      ${hint}`]),
    ]),
  )
  if (!result.ok)
    throw new CommandError(`the OAuth2 application ${app} failed the step ${result.failedStep}`)
}
