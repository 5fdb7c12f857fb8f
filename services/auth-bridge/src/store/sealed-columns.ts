import { addressSettings } from '@posthorn/contracts/settings/settings'

/** Postgres column with sealed (encrypted) values, and the key columns of its table. */
export interface SealedColumn {
  readonly name: string
  readonly key: readonly string[]
  /**
   * Kind of registration (account, gateway, OAuth2 application) that limits the use of a sealed
   * (encrypted) value. Absent for values without a registration.
   */
  readonly use?: 'account' | 'gateway' | 'app'
  /**
   * Part of the column's value that is sealed (encrypted). Absent for a column `sealed`, whose
   * whole value is sealed.
   */
  readonly inPlace?: InPlace
}

interface InPlace {
  readonly column: string
  /**
   * Kind of the sealed (encrypted) part of a column: the login of an address, or the values of a
   * list of headers.
   */
  readonly what: 'login' | 'headers'
  /**
   * Form in which the column stores its sealed (encrypted) part: text, JSON, or a member of a JSON
   * object.
   */
  readonly as: 'text' | 'json' | 'url' | 'headers'
  readonly keyType?: 'uuid'
  /**
   * Keys of the table rows that have sealed (encrypted) values. Absent if all rows of the table may
   * have sealed values.
   */
  readonly only?: readonly string[]
  /**
   * Owner of the webhook headers whose values are sealed (encrypted). `column` contains the id of
   * the owner.
   */
  readonly owner?: { kind: 'settings' } | { kind: 'account' | 'route'; column: string }
}

/**
 * All tables with a column `sealed`, which contains encrypted values. A new table needs an entry in
 * this list, and auth-bridge needs the right to update the table. A key rotation skips tables
 * without an entry.
 */
export const sealedTables: readonly SealedColumn[] = [
  { name: 'admin_people', key: ['id'] },
  { name: 'credentials', key: ['account', 'kind'], use: 'account' },
  { name: 'exports', key: ['export_id'] },
  { name: 'gateway_credentials', key: ['gateway'], use: 'gateway' },
  { name: 'oauth2_app_secrets', key: ['app', 'kind'], use: 'app' },
  { name: 'oauth2_tokens', key: ['account'], use: 'account' },
  { name: 'sealed_settings', key: ['key'] },
]

/**
 * Settings with addresses that may contain a login. The address of the authentication server is not
 * among these settings; it is encrypted as a whole in `sealed_settings`.
 */
const settings = addressSettings.filter((key) => key !== 'authServer')

const account = { kind: 'account', column: 'account' } as const
const route = { kind: 'route', column: 'id' } as const
const globalHeaders: InPlaceOptions = {
  only: ['webhooksCustomHeaders'],
  owner: { kind: 'settings' },
}

/**
 * Columns with addresses that may contain a sealed (encrypted) login, and columns with webhook
 * headers.
 */
export const inPlaceColumns: readonly SealedColumn[] = [
  inPlace('settings', 'key', login('value', 'json', { only: settings })),
  inPlace('accounts', 'account', login('webhooks', 'text')),
  inPlace('accounts', 'account', login('proxy', 'text')),
  inPlace('webhook_routes', 'id', login('target_url', 'text')),
  inPlace('outbox', 'queue_id', login('proxy', 'text')),
  inPlace('events', 'event_id', login('account_target', 'url', { keyType: 'uuid' })),
  inPlace('settings', 'key', headers('value', 'json', globalHeaders)),
  inPlace('accounts', 'account', headers('webhooks_custom_headers', 'json', { owner: account })),
  inPlace('webhook_routes', 'id', headers('custom_headers', 'json', { owner: route })),
  inPlace(
    'events',
    'event_id',
    headers('account_target', 'headers', { keyType: 'uuid', owner: account }),
  ),
]

function inPlace(name: string, key: string, values: InPlace): SealedColumn {
  return { name, key: [key], inPlace: values }
}

type InPlaceOptions = Pick<InPlace, 'keyType' | 'only' | 'owner'>

function login(column: string, as: 'text' | 'json' | 'url', options: InPlaceOptions = {}): InPlace {
  return { what: 'login', column, as, ...options }
}

function headers(column: string, as: 'json' | 'headers', options: InPlaceOptions): InPlace {
  return { what: 'headers', column, as, ...options }
}
