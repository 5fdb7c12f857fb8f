import type { OperatorTokenBody, TokenBody } from '../../data/tokens.ts'

/** Choices for the rights of an access token, from the fewest rights. */
export const tokenPresets = {
  read: { label: 'Read only', permissions: { actions: ['read'] } },
  send: { label: 'Send mail only', permissions: { actions: ['send'], groups: ['submit'] } },
  mail: {
    label: 'Read and change mail, and send',
    permissions: {
      actions: ['read', 'write', 'send'],
      groups: ['account', 'mailbox', 'message', 'submit', 'outbox'],
    },
  },
  all: { label: 'Everything (without an account id: owners only)', permissions: undefined },
} as const satisfies Record<string, { label: string; permissions: TokenBody['permissions'] }>

/** Name of a choice for the rights of an access token. */
export type TokenPreset = keyof typeof tokenPresets

/**
 * Request that creates an access token for scripts of operators, from the values of the form. Empty
 * values are left out.
 */
export function operatorTokenBody(values: Readonly<Record<string, string>>): OperatorTokenBody {
  const { description = '', addresses = '', expires } = values
  const ranges = addresses.split(/[\s,]+/).filter((range) => range !== '')
  return {
    description,
    ...(ranges.length > 0 && { restrictions: { addresses: ranges } }),
    ...(expires && { expires: new Date(expires).toISOString() }),
  }
}

/** Request that creates an access token, from the values of the form. Empty values are left out. */
export function tokenBody(values: Readonly<Record<string, string>>): TokenBody {
  const { description, account, preset, scope = 'api', expires } = values
  const chosen = Object.keys(tokenPresets).find((key) => key === preset) as TokenPreset | undefined
  const permissions = chosen && tokenPresets[chosen].permissions
  return {
    scopes: [scope as 'api' | 'smtp' | 'imap-proxy'],
    ...(description && { description }),
    ...(account && { account }),
    ...(scope === 'api' && permissions && { permissions: structuredClone(permissions) }),
    ...(expires && { expires: new Date(expires).toISOString() }),
  } as TokenBody
}
