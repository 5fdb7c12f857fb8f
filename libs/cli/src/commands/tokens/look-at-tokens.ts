import { defined } from '@posthorn/contracts/defined'
import type { RunCommand } from '../../program/command.ts'
import { localTime } from '../../program/times.ts'
import { findToken, type ListedToken, shownLength } from './find-token.ts'

/** Command `tokens list`: prints the access tokens while their pages are read. */
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

/** Command `tokens show`: prints an access token with its rights and its last use. */
export const showToken: RunCommand = async ({ posthorn, output, signal }, [text = '']) => {
  const token = await findToken(await posthorn(), text, signal)
  const { id, scopes, account, description, created, expires, access } = token
  await output.result(token, [
    `id           ${id}`,
    `scopes       ${scopes.join(', ')}`,
    `account      ${account ?? 'all accounts'}`,
    ...(description ? [`description  ${description}`] : []),
    ...limitsOf(token),
    `created      ${localTime(created)}`,
    `expires      ${localTime(expires) ?? 'never'}`,
    `last use     ${access.time === null ? 'never' : `${localTime(access.time)} from ${access.ip}`}`,
  ])
}

function limitsOf({ permissions, restrictions }: ListedToken): string[] {
  const { actions, groups } = permissions ?? {}
  const { addresses, referrers, rateLimit } = restrictions ?? {}
  const rate = rateLimit && `${rateLimit.maxRequests} requests in ${rateLimit.timeWindow} s`
  const all = (values: readonly string[] | null | undefined) => values?.join(', ') ?? 'all'
  return [
    `actions      ${all(actions)}`,
    `groups       ${all(groups)}`,
    `addresses    ${all(addresses)}`,
    `referrers    ${all(referrers)}`,
    `rate limit   ${rate ?? 'none'}`,
  ]
}

/**
 * Command `tokens revoke`: deletes an access token. Requests with the token fail within a second.
 */
export const revokeToken: RunCommand = async ({ posthorn, output, signal }, [text = '']) => {
  const client = await posthorn()
  const { id } = await findToken(client, text, signal)
  const deleted = await client.deleteToken({ token: id }, { signal })
  await output.result(deleted, `revoked the token ${id.slice(0, shownLength)}`)
}
