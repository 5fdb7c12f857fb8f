import type { Posthorn } from '@posthorn/client'
import type { EmailEngineStore, Entry, EntityCounts, MappedEntry } from '@posthorn/emailengine'
import type { BatchResult, KindImport } from './import-kind.ts'

/** Options of an EmailEngine import that determine its effect on accounts. */
export interface AccountMode {
  dryRun: boolean
  /**
   * True if the EmailEngine import starts the imported accounts, false if it registers new accounts
   * as paused.
   */
  start: boolean
  /** Time from which messages that arrive in imported accounts are announced. */
  notifyFrom: string
}

/** Access to the API for an import of EmailEngine entities. */
export interface ImportAccess {
  posthorn: Posthorn
  signal: AbortSignal
}

/**
 * EmailEngine store, counts and options from which the imports of all kinds of entities are made.
 */
export interface ImportParts extends ImportAccess, AccountMode {
  store: EmailEngineStore
  counts: EntityCounts
}

/** Input of the API to which the EmailEngine store maps the entities of one kind. */
type InputOf<
  K extends
    | 'accounts'
    | 'applications'
    | 'gateways'
    | 'routes'
    | 'templates'
    | 'blocklistEntries'
    | 'tokens'
    | 'settings',
> = ReturnType<EmailEngineStore[K]> extends AsyncIterable<Entry<infer Input>> ? Input : never

const unchanged: BatchResult = { unchanged: 1 }
const imported: BatchResult = {}

/**
 * Result of importing an EmailEngine entity by an API operation that reports whether it has created
 * the entity.
 */
const created = (isNew: boolean): BatchResult => (isNew ? imported : unchanged)

/** Function that writes imported EmailEngine entities to Posthorn one by one. */
function single<Input>(write: (input: Input, entry: MappedEntry<Input>) => Promise<BatchResult>) {
  return async ([entry]: readonly MappedEntry<Input>[]) =>
    entry ? write(entry.input.reveal(), entry) : imported
}

async function idsOf<T>(entries: AsyncIterable<T>, idOf: (entry: T) => string) {
  const ids = new Set<string>()
  for await (const entry of entries) ids.add(idOf(entry))
  return ids
}

export async function applicationImport({ posthorn, signal, store, counts, dryRun }: ImportParts) {
  const existing = await idsOf(
    posthorn.listOAuth2Apps.all({ pageSize: 250 }, { signal }),
    ({ id }) => id,
  )
  return {
    kind: 'applications',
    // Applications for Pub/Sub are imported first, because other OAuth2 applications name them.
    entries: independentFirst(store.applications()),
    concurrency: 1,
    total: counts.applications,
    write: single(async (input, { id }) => {
      if (existing.has(id) || dryRun) return created(!existing.has(id))
      return created(
        (await posthorn.createOAuth2App({ body: { ...input, id } }, { signal })).created,
      )
    }),
  } satisfies KindImport<InputOf<'applications'>>
}

async function* independentFirst(applications: AsyncIterable<Entry<InputOf<'applications'>>>) {
  const dependent: Entry<InputOf<'applications'>>[] = []
  for await (const entry of applications)
    if (entry.skipped === undefined && entry.input.reveal().pubSubApp) dependent.push(entry)
    else yield entry
  yield* dependent
}

export async function gatewayImport({ posthorn, signal, store, counts, dryRun }: ImportParts) {
  const existing = await idsOf(
    posthorn.listGateways.all({ pageSize: 250 }, { signal }),
    ({ gateway }) => gateway,
  )
  return {
    kind: 'gateways',
    entries: store.gateways(),
    total: counts.gateways,
    write: single(async (input, { id }) => {
      if (existing.has(id) || dryRun) return created(!existing.has(id))
      return created((await posthorn.createGateway({ body: input }, { signal })).state === 'new')
    }),
  } satisfies KindImport<InputOf<'gateways'>>
}

export async function routeImport({ posthorn, signal, store, counts, dryRun }: ImportParts) {
  const routes = posthorn.listWebhookRoutes.all({ pageSize: 250 }, { signal })
  const existing = await idsOf(routes, ({ id }) => id)
  return {
    kind: 'routes',
    entries: store.routes(),
    total: counts.routes,
    write: single(async (input, { id }) => {
      if (existing.has(id) || dryRun) return created(!existing.has(id))
      return created(
        (await posthorn.createWebhookRoute({ body: { ...input, id } }, { signal })).created,
      )
    }),
  } satisfies KindImport<InputOf<'routes'>>
}

/**
 * Number of accounts per page when the EmailEngine import lists the existing accounts of Posthorn.
 */
const accountPage = 1_000

/** Ids of the accounts that exist in Posthorn. The value is true if the account is paused. */
export async function readAccounts({
  posthorn,
  signal,
}: ImportAccess): Promise<Map<string, boolean>> {
  const accounts = new Map<string, boolean>()
  for await (const { account } of posthorn.listAccounts.all({ pageSize: accountPage }, { signal }))
    accounts.set(account, false)
  const paused = posthorn.listAccounts.all({ pageSize: accountPage, state: 'paused' }, { signal })
  for await (const { account } of paused) accounts.set(account, true)
  return accounts
}

/**
 * Function of the EmailEngine import that registers accounts, and starts accounts that an earlier
 * import has paused. An account that was registered after the accounts were read is not changed.
 */
export function accountWriter(
  { posthorn, signal, dryRun, start, notifyFrom }: AccountMode & ImportAccess,
  existing: Map<string, boolean>,
) {
  return single<InputOf<'accounts'>>(async (input, { id: account }) => {
    const isPaused = existing.get(account)
    if (isPaused === undefined) {
      existing.set(account, !start)
      if (await exists(() => posthorn.getAccount({ account }, { signal }))) return unchanged
      const body = { ...input, account, notifyFrom, paused: !start }
      if (!dryRun) await posthorn.createAccount({ body }, { signal })
      return imported
    }
    if (!start || !isPaused) return unchanged
    const body = { paused: false, notifyFrom }
    if (!dryRun) await posthorn.updateAccount({ account, body }, { signal })
    return { started: 1 }
  })
}

export async function accountImport(parts: ImportParts) {
  return {
    kind: 'accounts',
    entries: parts.store.accounts(),
    total: parts.counts.accounts,
    write: accountWriter(parts, await readAccounts(parts)),
  } satisfies KindImport<InputOf<'accounts'>>
}

export function templateImport({ posthorn, signal, store, counts, dryRun }: ImportParts) {
  return {
    kind: 'templates',
    entries: store.templates(),
    total: counts.templates,
    write: single(async (input, { id }) => {
      if (dryRun)
        return created(!(await exists(() => posthorn.getTemplate({ template: id }, { signal }))))
      return created(
        (await posthorn.createTemplate({ body: { ...input, id } }, { signal })).created,
      )
    }),
  } satisfies KindImport<InputOf<'templates'>>
}

export function blocklistImport({ posthorn, signal, store, counts, dryRun }: ImportParts) {
  const stored = new Map<string, Promise<Set<string>>>()
  const addressesOf = (listId: string) => {
    const list = posthorn.getBlocklist.all({ listId, pageSize: 1_000 }, { signal })
    const addresses =
      stored.get(listId) ??
      idsOf(list, ({ account, recipient }) => `${account} ${recipient}`).catch(() => new Set(''))
    stored.set(listId, addresses)
    return addresses
  }
  return {
    kind: 'blocklists',
    entries: store.blocklistEntries(),
    total: counts.blocklistEntries,
    write: single(async ({ params: { listId }, body }) => {
      const { account, recipient } = body
      if (dryRun) {
        const addresses = await addressesOf(listId)
        return created(!addresses.has(`${account} ${recipient.trim().toLowerCase()}`))
      }
      return created((await posthorn.addToBlocklist({ listId, body }, { signal })).added)
    }),
  } satisfies KindImport<InputOf<'blocklistEntries'>>
}

/** Maximum access tokens per import request. */
const tokenBatch = 500

/** Function that imports access tokens in batches, and the size of a batch. */
export function tokenWriter({
  posthorn,
  signal,
  dryRun,
}: ImportAccess & Pick<AccountMode, 'dryRun'>) {
  return {
    batchSize: tokenBatch,
    async write(entries: readonly MappedEntry<InputOf<'tokens'>>[]): Promise<BatchResult> {
      const tokens = entries.map(({ input }) => input.reveal())
      if (!dryRun) {
        const result = await posthorn.importTokens({ body: { tokens } }, { signal })
        return { unchanged: result.unchanged, skipped: result.skipped }
      }
      let existing = 0
      for (const { id } of tokens)
        if (await exists(() => posthorn.getToken({ token: id }, { signal }))) existing += 1
      return { unchanged: existing }
    },
  }
}

export function tokenImport({ store, counts, ...parts }: ImportParts) {
  return {
    kind: 'tokens',
    entries: store.tokens(),
    total: counts.tokens,
    ...tokenWriter(parts),
  } satisfies KindImport<InputOf<'tokens'>>
}

/**
 * True if Posthorn already has the entity that the EmailEngine import would write. False if the API
 * responds that the entity does not exist.
 */
async function exists(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read()
    return true
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === 404) return false
    throw error
  }
}
