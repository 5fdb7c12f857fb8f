import { Secret } from '@posthorn/config'
import type { AccountRegistration } from '@posthorn/contracts/schemas/account'
import type { GatewayRegistration } from '@posthorn/contracts/schemas/gateway'
import type { OAuth2AppRegistration } from '@posthorn/contracts/schemas/oauth2-app'
import type { TemplateCreation } from '@posthorn/contracts/schemas/template'
import type { ImportedToken } from '@posthorn/contracts/schemas/token-import'
import type { WebhookRouteCreation } from '@posthorn/contracts/schemas/webhook-route'
import { tryParse } from './decode.ts'
import { accountFields, mapAccount, parseAccountFields } from './entities/account.ts'
import { mapApplication } from './entities/application.ts'
import { type BlocklistInput, mapBlocklistEntry } from './entities/blocklist-entry.ts'
import { gatewayFields, mapGateway } from './entities/gateway.ts'
import { mapRoute } from './entities/route.ts'
import { mapSetting, type SettingInput } from './entities/setting.ts'
import { mapTemplate } from './entities/template.ts'
import { mapToken } from './entities/token.ts'
import type { Entry, EntryKind } from './entry.ts'
import { readEntries, readEntry, readLists } from './read-entries.ts'
import type { ValueUnsealer } from './sealed-values.ts'
import {
  blocklistIds,
  countEntities,
  type EntityCounts,
  templateOwners,
} from './store/count-entities.ts'
import type { Keys } from './store/keys.ts'
import type { HashField, RedisReader } from './store/redis-reader.ts'
import { StoredValues } from './store/stored-values.ts'

interface StoreDeps {
  reader: RedisReader
  keys: Keys
  unsealer: ValueUnsealer
}

/** Setting of EmailEngine with the key of signed links and webhook signatures. */
const linkKeySetting = 'serviceSecret'

/**
 * Store of an EmailEngine instance. Each method reads the entities of one kind in pages and maps
 * them to inputs of Posthorn's API. Entities that cannot be read are returned as skipped entries.
 *
 * All methods throw AppError `unreachable` if the connection to Redis is lost.
 */
export class EmailEngineStore implements AsyncDisposable {
  readonly #reader: RedisReader
  readonly #keys: Keys
  readonly #values: StoredValues

  constructor({ reader, keys, unsealer }: StoreDeps) {
    this.#reader = reader
    this.#keys = keys
    this.#values = new StoredValues(reader, unsealer)
  }

  /** Counts the entities of all kinds, for progress and for the comparison after an import. */
  counts(): Promise<EntityCounts> {
    return countEntities(this.#reader, this.#keys)
  }

  /**
   * Accounts of EmailEngine as bodies of `createAccount`. `oauth2.provider` is the id of an entry
   * of `applications`.
   */
  accounts(): AsyncIterable<Entry<AccountRegistration>> {
    return this.#byId('account', this.#keys.accountIds, async (id) => {
      const fields = await this.#values.texts(this.#keys.account(id), accountFields)
      return mapAccount(id, await this.#values.decrypted(parseAccountFields(fields)))
    })
  }

  /**
   * OAuth2 applications of EmailEngine as bodies of `createOAuth2App`. `pubSubApp` is the id of
   * another entry.
   */
  applications(): AsyncIterable<Entry<OAuth2AppRegistration>> {
    return this.#byId('application', this.#keys.applicationIds, async (id) => {
      const [record = {}] = await this.#values.objects(this.#keys.applications, [`${id}:data`])
      return mapApplication(id, record)
    })
  }

  /** Gateways of EmailEngine as bodies of `createGateway`. */
  gateways(): AsyncIterable<Entry<GatewayRegistration>> {
    return this.#byId('gateway', this.#keys.gatewayIds, async (id) => {
      const fields = await this.#values.texts(this.#keys.gateway(id), gatewayFields)
      return mapGateway(id, await this.#values.decrypted(fields))
    })
  }

  /**
   * Templates of EmailEngine as bodies of `createTemplate`: first the templates that all accounts
   * can use.
   */
  templates(): AsyncIterable<Entry<TemplateCreation>> {
    const read = (account: string) =>
      this.#byId('template', this.#keys.templateIds(account), async (id) => {
        const names = [`${id}:meta`, `${id}:content`]
        const key = this.#keys.templates(account)
        const [meta = {}, content = {}] = await this.#values.objects(key, names)
        return mapTemplate(id, { account, meta, content })
      })
    const pages = templateOwners(this.#reader, this.#keys)
    return readLists({ kind: 'template', pages, read, listName: this.#keys.accountIds })
  }

  /** Webhook routes of EmailEngine as bodies of `createWebhookRoute`. */
  routes(): AsyncIterable<Entry<WebhookRouteCreation>> {
    return this.#byId('route', this.#keys.routeIds, async (id) => {
      const names = [`${id}:meta`, `${id}:content`]
      const [meta = {}, content = {}] = await this.#values.objects(this.#keys.routes, names)
      return mapRoute(id, { meta, content })
    })
  }

  /** Blocklist entries of EmailEngine as inputs of `addToBlocklist`. */
  blocklistEntries(): AsyncIterable<Entry<BlocklistInput>> {
    const read = (listId: string) =>
      this.#byField('blocklist', this.#keys.blocklist(listId), {
        idOf: ([address]) => `${listId}/${address}`,
        read: async ([address, value]) =>
          mapBlocklistEntry({ listId, address, record: await this.#values.parsed(value) }),
      })
    const pages = blocklistIds(this.#reader, this.#keys)
    return readLists({ kind: 'blocklist', pages, read, listName: this.#keys.blocklists })
  }

  /** Access tokens of EmailEngine as items of `importTokens`. */
  tokens(): AsyncIterable<Entry<ImportedToken>> {
    return this.#byField('token', this.#keys.tokens, {
      idOf: ([id]) => id,
      read: async ([id, value]) => mapToken(id, await this.#values.unpacked(value)),
    })
  }

  /**
   * Settings of EmailEngine as bodies of `updateSettings`, one per setting, except the setting
   * `serviceSecret`.
   */
  settings(): AsyncIterable<Entry<SettingInput>> {
    return this.#byField('setting', this.#keys.settings, {
      idOf: ([name]) => name,
      read: async ([name, value]) =>
        name === linkKeySetting
          ? undefined
          : mapSetting(name, await this.#values.settingText(value)),
    })
  }

  /** Secret with which EmailEngine signed links and webhooks. Undefined if there is none. */
  serviceSecret(): Promise<Entry<string> | undefined> {
    const id = linkKeySetting
    return readEntry('serviceSecret', id, async () => {
      const { [id]: value } = await this.#reader.values(this.#keys.settings, [id])
      if (!value) return undefined
      const text = await this.#values.settingText(value)
      const parsed = tryParse(text)
      const input = new Secret(typeof parsed === 'string' ? parsed : text)
      return { kind: 'serviceSecret', id, input, changes: [], omitted: [] }
    })
  }

  /** Ends the connection to EmailEngine's Redis. Reads in progress fail. */
  close(): void {
    this.#reader.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
  }

  /** Reads entities of EmailEngine whose ids are in a Redis set. */
  #byId<Input>(
    kind: EntryKind,
    key: string,
    read: (id: string) => Promise<Entry<Input>>,
  ): AsyncIterable<Entry<Input>> {
    const pages = this.#reader.members(key)
    return readEntries({ kind, pages, idOf: (id) => id, read, listName: key }, new Set())
  }

  /** Reads entities of EmailEngine that are fields of a Redis hash. */
  #byField<Input>(
    kind: EntryKind,
    key: string,
    item: {
      idOf: (field: HashField) => string
      read: (field: HashField) => Promise<Entry<Input> | undefined>
    },
  ): AsyncIterable<Entry<Input>> {
    return readEntries({ kind, pages: this.#reader.fields(key), ...item, listName: key })
  }
}
