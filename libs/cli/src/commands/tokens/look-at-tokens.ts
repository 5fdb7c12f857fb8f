import type { RunCommand } from '../../program/command.ts'
import { localTime } from '../../program/times.ts'
import { defined } from '../../program/values.ts'
import { findToken, type ListedToken, shownLength } from './find-token.ts'

/** Prints the tokens while their pages are read. */
export const listTokens: RunCommand = async ({ posthorn, output, signal }, _args, options) => {
  const { account, query } = options as { account?: string; query?: string }
  const client = await posthorn()
  await output.table(
    client.listTokens.all({ pageSize: 1_000, ...defined({ account, query }) }, { signal }),
    [
      { title: 'ID', text: ({ id }) => id.slice(0, shownLength) },
      { title: 'SCOPES', text: ({ scopes }) => scopes.join(',') },
      { title: 'ACCOUNT', text: ({ account }) => account },
      { title: 'LIMITED', text: (token) => (isLimited(token) ? 'yes' : 'no') },
      { title: 'EXPIRES', text: ({ expires }) => localTime(expires) },
      { title: 'LAST USE', text: ({ access }) => localTime(access.time) },
      { title: 'DESCRIPTION', text: ({ description }) => description },
    ],
    { empty: 'no tokens' },
  )
}

function isLimited({ permissions, restrictions }: ListedToken): boolean {
  return permissions !== null || restrictions !== null
}

/** Prints a token with its rights and its last use. */
export const showToken: RunCommand = async ({ posthorn, output, signal }, [text = '']) => {
  const token = await findToken(await posthorn(), text, signal)
  const { permissions, restrictions, access } = token
  await output.result(token, [
    `id           ${token.id}`,
    `scopes       ${token.scopes.join(', ')}`,
    `account      ${token.account ?? 'all accounts'}`,
    ...(token.description ? [`description  ${token.description}`] : []),
    `actions      ${permissions?.actions?.join(', ') ?? 'all'}`,
    `groups       ${permissions?.groups?.join(', ') ?? 'all'}`,
    `addresses    ${restrictions?.addresses?.join(', ') ?? 'all'}`,
    `referrers    ${restrictions?.referrers?.join(', ') ?? 'all'}`,
    `rate limit   ${describeRate(restrictions?.rateLimit)}`,
    `created      ${localTime(token.created)}`,
    `expires      ${localTime(token.expires) ?? 'never'}`,
    `last use     ${access.time === null ? 'never' : `${localTime(access.time)} from ${access.ip}`}`,
  ])
}

function describeRate(
  limit: { maxRequests: number; timeWindow: number } | null | undefined,
): string {
  return limit ? `${limit.maxRequests} requests in ${limit.timeWindow} s` : 'none'
}

/** Deletes a token. Requests with the token fail within a second. */
export const revokeToken: RunCommand = async ({ posthorn, output, signal }, [text = '']) => {
  const client = await posthorn()
  const { id } = await findToken(client, text, signal)
  const deleted = await client.deleteToken({ token: id }, { signal })
  await output.result(deleted, `revoked the token ${id.slice(0, shownLength)}`)
}
