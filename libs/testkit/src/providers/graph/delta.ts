import type { ProviderRequest } from '../requests.ts'
import { damagedPage, GraphFault, isImmutable, type Json, preferences } from './json.ts'
import type { FakeFolder, FakeMailbox, FolderChange } from './mailbox.ts'
import { messageView } from './views.ts'

/** Faults of Graph deltas (change lists of a folder) that were observed at the real service. */
export interface DeltaFaults {
  /**
   * True if a message that left a folder and returned between two reads of the Graph delta (change
   * list) is only reported as removed.
   */
  losesReturns: boolean
  /** Number of the latest delta links of a Graph folder that stay valid. */
  liveLinks: number
  /** True to repeat the first entry of a Graph delta page at the end of the page. */
  replays: boolean
  /**
   * True to start each read of a Graph delta (change list) with an empty page that has a link to
   * the next page.
   */
  emptyPages: boolean
  /** Reason that Graph deltas (change lists) report for removed messages. */
  reason: 'deleted' | 'changed'
  /** Maximum size of a Graph delta page, even if a larger page is requested. */
  maxPage: number
  /** Id of a folder that Graph deltas (change lists) report as the parent of all messages. */
  unknownParent?: string
  /** Form of the error response after the state of a Graph delta (change list) was lost. */
  lost: { status: number; code: string; location?: boolean }
}

type Entry = { id: string; removed: boolean; props?: string[] | undefined }

/** State of a Graph delta (change list) that a link stands for. */
interface Link {
  folderId: string
  select: string | undefined
  /** Entries of the Graph delta that remain until all changes were sent. */
  entries: Entry[]
  /** Sequence number of the last change that the pages of the Graph delta contain. */
  seq: number
  /** True before the first page of a Graph delta (change list) was sent. */
  starts: boolean
}

/**
 * Deltas of the folders of one mailbox. Each page creates a link of a new generation. Only links of
 * the latest `liveLinks` generations are valid.
 */
export class FakeDelta {
  readonly faults: DeltaFaults = {
    losesReturns: true,
    liveLinks: 4,
    replays: false,
    emptyPages: false,
    reason: 'deleted',
    maxPage: Infinity,
    lost: { status: 410, code: 'SyncStateNotFound' },
  }
  readonly #mailbox: FakeMailbox
  readonly #links = new Map<string, Link>()
  #generation = 0

  constructor(mailbox: FakeMailbox) {
    this.#mailbox = mailbox
  }

  /** Expires the delta links of the given Graph folders. Default: of all folders. */
  expire(isExpired: (folderId: string) => boolean = () => true): void {
    for (const [token, { folderId }] of this.#links)
      if (isExpired(folderId)) this.#links.delete(token)
  }

  /**
   * Creates one page of a Graph delta (change list). `url` is the URL of the link without the
   * query.
   */
  page(folder: FakeFolder, request: ProviderRequest, url: string): Json {
    const { query } = request
    if (query.has('$expand'))
      throw new GraphFault(500, 'InternalServerError', 'Value cannot be null.')
    const token = query.get('$skiptoken') ?? query.get('$deltatoken')
    const link = token === null ? this.#firstLink(folder, query.get('$select')) : this.#find(token)
    const top = topOf(request)
    const entries = this.#entriesOf(link, Math.min(top || sizeOf(request), this.faults.maxPage))
    const left = link.entries.slice(entries.length)
    const isHeldBack = link.starts && this.faults.emptyPages
    // A Graph delta request with `$top` ends the list of changes early, and the remaining entries
    // are lost.
    const isLast = !isHeldBack && (left.length === 0 || top > 0)
    const rest = { ...link, entries: isLast ? [] : left, starts: false }
    const [name, parameter] = isLast ? ['deltaLink', '$deltatoken'] : ['nextLink', '$skiptoken']
    const value = entries.map((entry) => this.#view(entry, link, request))
    if (this.faults.replays && value[0]) value.push(value[0])
    return { value, [`@odata.${name}`]: `${url}?${parameter}=${this.#issue(rest, isLast)}` }
  }

  #entriesOf({ starts, entries }: Link, size: number): Entry[] {
    const page = starts && this.faults.emptyPages ? [] : entries.slice(0, size)
    if (page.some(({ id }) => this.#mailbox.damaged.has(id))) throw damagedPage()
    return page
  }

  #firstLink(folder: FakeFolder, select: string | null): Link {
    const entries = this.#mailbox.list(folder.id).map(({ id }) => ({ id, removed: false }))
    const { seq } = this.#mailbox
    return { folderId: folder.id, select: select ?? undefined, entries, seq, starts: true }
  }

  /**
   * Finds the state of a Graph delta link. After all changes were sent, the link continues with the
   * changes since then.
   */
  #find(token: string): Link {
    const link = this.#links.get(token)
    if (!link) throw this.#lost(token)
    if (!token.startsWith('d')) return link
    const entries = this.#entriesSince(link)
    return { ...link, entries, seq: this.#mailbox.seq, starts: true }
  }

  #lost(token: string): GraphFault {
    const { status, code, location } = this.faults.lost
    const fault = new GraphFault(
      status,
      code,
      `The sync state generation is not found; generation=${token};[highest=${this.#generation}].`,
    )
    if (location)
      fault.response.headers = { location: 'https://graph.microsoft.com/v1.0/me?$deltatoken=' }
    return fault
  }

  #entriesSince({ folderId, seq }: Link): Entry[] {
    const byId = new Map<string, FolderChange[]>()
    for (const change of this.#mailbox.changes.get(folderId) ?? [])
      if (change.seq > seq) byId.set(change.id, [...(byId.get(change.id) ?? []), change])
    return [...byId].flatMap(([id, changes]): Entry[] => {
      const isThere = this.#mailbox.messages.get(id)?.folderId === folderId
      const [first] = changes
      const left = changes.some(({ kind }) => kind === 'removed')
      const wasThere = first?.kind === 'removed' || first?.props !== undefined
      if (!isThere) return [{ id, removed: true }]
      if (left && wasThere && this.faults.losesReturns) return [{ id, removed: true }]
      const props = changes.every((each) => each.props)
        ? changes.flatMap((each) => each.props ?? [])
        : undefined
      return [{ id, removed: false, props }]
    })
  }

  #view({ id, removed, props }: Entry, { select }: Link, request: ProviderRequest): Json {
    const immutable = isImmutable(request)
    const message = this.#mailbox.messages.get(id)
    if (removed || !message) {
      const reason = this.faults.reason
      return { '@odata.type': '#microsoft.graph.message', id, '@removed': { reason } }
    }
    const names = props ? [...props, 'parentFolderId'].join(',') : select
    const view = messageView(message, { immutable, select: names })
    const { unknownParent } = this.faults
    return unknownParent === undefined ? view : { ...view, parentFolderId: unknownParent }
  }

  #issue(link: Link, isLast: boolean): string {
    const token = `${isLast ? 'd' : 's'}${++this.#generation}~${'x'.repeat(40)}`
    this.#links.set(token, link)
    const ofFolder = [...this.#links].filter(([, each]) => each.folderId === link.folderId)
    for (const [old] of ofFolder.slice(0, -this.faults.liveLinks)) this.#links.delete(old)
    return token
  }
}

function topOf({ query }: ProviderRequest): number {
  return Number(query.get('$top') ?? 0)
}

/**
 * Page size that a Graph delta request asks for. Without the header `Prefer`, a page has 10
 * entries.
 */
function sizeOf(request: ProviderRequest): number {
  return Number(/odata\.maxpagesize=(\d+)/.exec(preferences(request))?.[1] ?? 10)
}
