import { settingDefaults, settings } from '@posthorn/contracts/settings/settings'
import type { SettingValues } from '../../data/settings.ts'

/** Kind of form field with which a setting of a mail proxy is edited. */
export type ProxyFieldKind = 'flag' | 'number' | 'text' | 'secret'

/** Setting of a mail proxy. */
export interface ProxyField {
  key: string
  label: string
  kind: ProxyFieldKind
  description: string
}

/** Mail proxy: service to which mail clients connect, with its settings. */
export interface MailProxy {
  title: string
  /** Name of the service, as in the reports of its replicas. */
  service: 'imap-proxy' | 'smtp-proxy'
  /** Beginning of the keys of the settings of the mail proxy. */
  prefix: 'imapProxyServer' | 'smtpServer'
  /** Scope of the access tokens with which mail clients sign in. */
  scope: string
  /** Beginning of the variables with the certificate of the mail proxy. */
  variables: string
}

/** Mail proxies, in the order in which the page shows them. */
export const mailProxies: readonly MailProxy[] = [
  {
    title: 'IMAP proxy',
    service: 'imap-proxy',
    prefix: 'imapProxyServer',
    scope: 'imap-proxy',
    variables: 'SVC_IMAP_PROXY_TLS',
  },
  {
    title: 'SMTP proxy',
    service: 'smtp-proxy',
    prefix: 'smtpServer',
    scope: 'smtp',
    variables: 'SVC_SMTP_PROXY_TLS',
  },
]

/** Ends of the setting keys of a mail proxy, in the order of their form fields. */
const ends: readonly (readonly [end: string, label: string, kind: ProxyFieldKind])[] = [
  ['Enabled', 'Accepts connections', 'flag'],
  ['Host', 'Host', 'text'],
  ['Port', 'Port', 'number'],
  ['TLSEnabled', 'TLS from the start', 'flag'],
  ['Proxy', 'Load balancers send a PROXY header', 'flag'],
  ['AuthEnabled', 'Requires a login', 'flag'],
  ['Password', 'Password for all accounts', 'secret'],
]

interface SchemaPart {
  description?: string
  anyOf?: readonly SchemaPart[]
}

/** Settings of a mail proxy, in the order of their fields. */
export function proxyFields({ prefix }: MailProxy): readonly ProxyField[] {
  const schemas = settings as unknown as Readonly<Record<string, SchemaPart>>
  return ends.flatMap(([end, label, kind]) => {
    const key = prefix + end
    const schema = schemas[key]
    return schema ? [{ key, label, kind, description: descriptionOf(schema) }] : []
  })
}

function descriptionOf({ description, anyOf = [] }: SchemaPart): string {
  return description ?? anyOf.find((part) => part.description !== undefined)?.description ?? ''
}

/** Keys of the settings of all mail proxies. */
export const proxyKeys = mailProxies.flatMap((proxy) => proxyFields(proxy).map(({ key }) => key))

const defaults: Readonly<Record<string, unknown>> = settingDefaults

/** Value of a setting that applies: the stored value, or the default. */
export function effectiveValue(stored: SettingValues, key: string): unknown {
  return stored[key] ?? defaults[key]
}

/** Texts of the fields in the form for a mail proxy, by setting. Flags are `true`. */
export type ProxyValues = Readonly<Record<string, string>>

/** Values of the form for the stored settings of a mail proxy. The password is empty. */
export function proxyValues(proxy: MailProxy, stored: SettingValues): ProxyValues {
  const entries = proxyFields(proxy).map(({ key, kind }) => {
    const value = effectiveValue(stored, key)
    if (kind === 'secret') return [key, '']
    if (kind === 'flag') return [key, value === true ? 'true' : '']
    return [key, value === undefined || value === null ? '' : String(value as string | number)]
  })
  return Object.fromEntries(entries)
}

/** Member of the form's values that removes the password of a mail proxy. */
export const removesPassword = 'removesPassword'

/**
 * Settings of a mail proxy that the form changes. An empty host or port unsets the setting. An
 * empty password keeps the stored password.
 */
export function proxyChanges(
  proxy: MailProxy,
  values: ProxyValues,
  stored: SettingValues,
): SettingValues {
  const before = proxyValues(proxy, stored)
  const entries = proxyFields(proxy)
    .map((field) => ({ field, value: values[field.key] ?? '' }))
    .filter(({ field, value }) => value !== before[field.key])
    .map(({ field, value }): [string, unknown] => [field.key, settingOf(field, value)])
  const removed = values[removesPassword] === 'true' ? { [`${proxy.prefix}Password`]: null } : {}
  return { ...Object.fromEntries(entries), ...removed }
}

function settingOf({ kind }: ProxyField, value: string): unknown {
  if (kind === 'flag') return value === 'true'
  if (value === '') return null
  return kind === 'number' ? Number(value) : value
}
