import type { AccountBody, VerifyBody } from '../../data/accounts.ts'

type Values = Readonly<Record<string, string>>

/** Mail servers of an account, as the automatic configuration finds them. */
export interface FoundServers {
  imap: { host: string; port: number; secure: boolean } | false
  smtp: { host: string; port: number; secure: boolean } | false
}

/** Values of the account form's fields for the mail servers that were found. */
export function valuesOfServers({ imap, smtp }: FoundServers): Values {
  return {
    ...(imap && serverValues('imap', imap)),
    ...(smtp && serverValues('smtp', smtp)),
  }
}

function serverValues(
  name: string,
  { host, port, secure }: { host: string; port: number; secure: boolean },
): Values {
  return {
    [`${name}Host`]: host,
    [`${name}Port`]: String(port),
    [`${name}Secure`]: secure ? 'true' : '',
  }
}

/**
 * Registration of an account from the values of the account form. Servers without a host are left
 * out.
 */
export function bodyOfForm(values: Values): AccountBody {
  const { account, name = '', email = '' } = values
  return { account: account || null, name, email, ...serversOfForm(values) } as AccountBody
}

/** Request that tests the logins at the mail servers in the account form. */
export function serversOfForm(values: Values): VerifyBody {
  const imap = serverOf('imap', values)
  const smtp = serverOf('smtp', values)
  return { ...(imap && { imap }), ...(smtp && { smtp }) }
}

function serverOf(name: string, values: Values) {
  const host = values[`${name}Host`]
  if (!host) return undefined
  const { email = '', user, password = '' } = values
  return {
    host,
    port: Number(values[`${name}Port`]),
    secure: values[`${name}Secure`] === 'true',
    auth: { user: user || email, pass: password },
  }
}
