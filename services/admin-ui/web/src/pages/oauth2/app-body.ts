import type {
  OAuth2App,
  OAuth2AppBody,
  OAuth2AppChanges,
  OAuth2Provider,
} from '../../data/lists/oauth2-apps.ts'
import { accessKinds, type AppField, appFields } from './app-fields.ts'

/** Texts of the fields in the form for an OAuth2 application, by field name. Flags are `true`. */
export type AppValues = Readonly<Record<string, string>>

/** Values with which the form for a new OAuth2 application starts. */
export function newAppValues(redirectUrl: string): AppValues {
  return { provider: 'gmail', baseScopes: 'imap', enabled: 'true', redirectUrl }
}

/**
 * Adds values to the form for a new OAuth2 application. An access to mail that the provider does
 * not have becomes `imap`.
 */
export function withProvider(values: AppValues, added: AppValues): AppValues {
  const merged = { ...values, ...added }
  const { provider, baseScopes } = kindOf(merged)
  return accessKinds(provider).includes(baseScopes) ? merged : { ...merged, baseScopes: 'imap' }
}

/** Values of the form for a stored OAuth2 application. Secrets are empty. */
export function valuesOfApp(app: OAuth2App): AppValues {
  const { provider, baseScopes = 'imap' } = app
  const members: Readonly<Record<string, unknown>> = { ...app, ...serverValues(app) }
  const values = appFields({ provider, baseScopes })
    .filter(({ kind }) => kind !== 'secret')
    .map(({ name }) => [name, textOf(members[name])])
  return { provider, baseScopes, ...Object.fromEntries(values) }
}

function serverValues({ imap, smtp }: OAuth2App): Readonly<Record<string, unknown>> {
  return {
    imapHost: imap?.host,
    imapPort: imap?.port,
    imapSecure: imap?.secure,
    smtpHost: smtp?.host,
    smtpPort: smtp?.port,
    smtpSecure: smtp?.secure,
  }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === false) return ''
  return Array.isArray(value) ? value.join(' ') : String(value as string | number | boolean)
}

/** Kind of the OAuth2 application that the form describes. */
export function kindOf({ provider, baseScopes }: AppValues) {
  return { provider: (provider ?? 'gmail') as OAuth2Provider, baseScopes: baseScopes ?? 'imap' }
}

/** Request that registers the OAuth2 application of the form. Empty fields are left out. */
export function bodyOfApp(values: AppValues): OAuth2AppBody {
  const kind = kindOf(values)
  const members = appFields(kind).flatMap((field) => {
    const value = values[field.name] ?? ''
    if (value === '' && field.kind !== 'flag') return []
    return isServerField(field) ? [] : [[field.name, valueOfField(field, value)] as const]
  })
  const { id } = values
  return {
    ...(id && { id }),
    provider: kind.provider,
    ...Object.fromEntries(members),
    ...serversOf(values),
  } as OAuth2AppBody
}

/**
 * Request that changes an OAuth2 application to the values of its form. Empty secrets are left out,
 * so that the stored secrets stay. Other empty fields remove the value, as far as the API can.
 */
export function changesOfApp(values: AppValues): OAuth2AppChanges {
  const members = appFields(kindOf(values))
    .filter((field) => field.isFixed !== true && !isServerField(field))
    .flatMap((field) => {
      const value = values[field.name] ?? ''
      if (value !== '' || field.kind === 'flag' || field.kind === 'scopes')
        return [[field.name, valueOfField(field, value)] as const]
      if (field.isRemovable === true) return [[field.name, null] as const]
      return clearable.has(field.name) ? [[field.name, ''] as const] : []
    })
  return { ...Object.fromEntries(members), ...serversOf(values) } as OAuth2AppChanges
}

/** Members of an OAuth2 application that may be empty texts. */
const clearable: ReadonlySet<string> = new Set(['description', 'title'])

function isServerField({ name }: AppField): boolean {
  return /^(?:imap|smtp)(?:Host|Port|Secure)$/.test(name)
}

function valueOfField({ kind }: AppField, value: string): unknown {
  if (kind === 'flag') return value === 'true'
  return kind === 'scopes' ? value.split(/[\s,]+/).filter(Boolean) : value
}

function serversOf(values: AppValues): Readonly<Record<string, unknown>> {
  if (values['provider'] !== 'generic') return {}
  const servers = (['imap', 'smtp'] as const).flatMap((name) => {
    const host = values[`${name}Host`] ?? ''
    if (host === '') return []
    const port = Number(values[`${name}Port`])
    return [[name, { host, port, secure: values[`${name}Secure`] === 'true' }] as const]
  })
  return Object.fromEntries(servers)
}
