import type { FolderPlace, MailApiTraits } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import type { MessageCategory, MessageEntry } from '@posthorn/contracts/schemas/message'
import type { NamedFolder } from '@posthorn/db'
import { apiEventMailbox, type EventMailbox } from '../../../events/mailbox-event.ts'
import type { IndexedMessage } from '../index/indexed-message.ts'

/** Mailbox of all events with placement `labels`: a message exists once, with labels. */
export const allMail: EventMailbox = { path: '\\All', specialUse: '\\All' }

type EntryUse = NonNullable<MessageEntry['messageSpecialUse']>

/** Special uses that a message can have, the most specific first. */
const entryUses: readonly EntryUse[] = ['\\Drafts', '\\Trash', '\\Junk', '\\Inbox', '\\Sent']

type PlacedMessage = Pick<IndexedMessage, 'folderId' | 'labels'>

/** Names that the folders and labels of an account have in events. */
export class FolderNames {
  readonly #listed: Map<string, NamedFolder>
  /** Folders of the last listing, and former folders. */
  readonly #named: Map<string, NamedFolder>
  /** Ids of labels that no listing of the provider has. */
  readonly #unlisted = new Set<string>()
  readonly #placement: MailApiTraits['placement']

  constructor(
    placement: MailApiTraits['placement'],
    listed: readonly NamedFolder[],
    named: readonly NamedFolder[] = listed,
  ) {
    this.#placement = placement
    this.#listed = new Map(listed.map((folder) => [folder.id, folder]))
    this.#named = new Map(named.map((folder) => [folder.id, folder]))
  }

  /** Mailboxes of the account that have events. */
  get mailboxes(): EventMailbox[] {
    return this.#placement === 'labels' ? [allMail] : [...this.#listed.values()].map(toMailbox)
  }

  /** True if messages of this folder are synced. */
  isListed(folderId: string | undefined): boolean {
    return this.#placement === 'labels' || this.#listed.has(folderId ?? '')
  }

  /**
   * True if a folder may have been moved or renamed since the listing. Special folders keep their
   * place.
   */
  canMove(folderId: string): boolean {
    return this.#listed.get(folderId)?.specialUse === undefined
  }

  /** True if a folder has this name and parent in the listing. Parents are not compared. */
  isAt(folderId: string, { name, parentId }: FolderPlace): boolean {
    const parent = this.#named.get(parentId ?? '')?.path ?? []
    const path = [...parent, name]
    const listed = this.#listed.get(folderId)?.path ?? []
    return listed.length === path.length && listed.every((each, at) => each === path[at])
  }

  /** True if the current or the last listing contains this folder. */
  isKnown(folderId: string | undefined): boolean {
    if (this.#placement === 'labels') return true
    const folder = this.#named.get(folderId ?? '')
    return folder !== undefined && !folder.former
  }

  /** Removes deleted folders from the synced folders. The names of the deleted folders stay. */
  remove(ids: ReadonlySet<string>): void {
    for (const id of ids) this.#listed.delete(id)
  }

  /** Mailbox of an event about a message. A folder that was never listed has its id as path. */
  mailboxOf(folderId: string | null | undefined): EventMailbox {
    if (this.#placement === 'labels') return apiEventMailbox(allMail)
    const folder = this.#named.get(folderId ?? '')
    return apiEventMailbox(folder ? toMailbox(folder) : { path: folderId ?? '', specialUse: null })
  }

  /**
   * Names of labels in events, sorted. Labels that replace folders (placement `labels`) are named
   * by special use or path, without Gmail's tabs of the inbox; other labels by their display names.
   * A label that was never listed is named by its id.
   */
  labelsOf(labels: readonly string[]): string[] {
    if (this.#placement === 'folder') return [...labels]
    const names = labels.flatMap((id) => {
      const folder = this.#named.get(id)
      if (!folder) return [id]
      return folder.category ? [] : [folder.specialUse ?? pathOf(folder)]
    })
    return [...new Set(names)].sort()
  }

  /** Finds labels without a name: created after the listing, without labels of `addNames`. */
  findUnnamed(labels: readonly string[]): string[] {
    if (this.#placement === 'folder') return []
    return labels.filter((id) => !this.#named.has(id) && !this.#unlisted.has(id))
  }

  /**
   * Adds the names of folders in a later listing. Labels of `unnamed` that the later listing lacks,
   * too, were deleted.
   */
  addNames(listed: readonly NamedFolder[], unnamed: readonly string[]): void {
    for (const folder of listed) if (!this.#named.has(folder.id)) this.#named.set(folder.id, folder)
    for (const id of unnamed) if (!this.#named.has(id)) this.#unlisted.add(id)
  }

  /** Tab of the Gmail inbox that shows a message. */
  categoryOf({ labels }: PlacedMessage): MessageCategory | undefined {
    if (this.#placement === 'folder') return undefined
    const categories = labels.map((id) => this.#named.get(id)?.category)
    return categories.find((category) => category !== undefined) as MessageCategory | undefined
  }

  specialUseOf({ folderId, labels }: PlacedMessage): EntryUse | undefined {
    const places = this.#placement === 'labels' ? labels : [folderId ?? '']
    const uses = new Set<string | undefined>(places.map((id) => this.#named.get(id)?.specialUse))
    return entryUses.find((use) => uses.has(use))
  }

  /** Finds a listed folder with a special use. */
  findByUse(specialUse: string): NamedFolder | undefined {
    return [...this.#listed.values()].find((folder) => folder.specialUse === specialUse)
  }
}

/** Mailbox of events about a folder. */
export function toMailbox(folder: NamedFolder): EventMailbox {
  return { path: pathOf(folder), specialUse: folder.specialUse ?? null }
}

/** Path of a folder in responses and events. A `/` within a name becomes `%2F`. */
export function pathOf({ path }: { path: readonly string[] }): string {
  return path.map((name) => name.replaceAll('/', '%2F')).join('/')
}

/**
 * Names of the folders in a path. Labels contain no `/`, so names of labels are taken unchanged.
 */
export function namesIn(path: string, placement: MailApiTraits['placement']): string[] {
  const names = path.split('/')
  return placement === 'labels' ? names : names.map((name) => name.replace(/%2F/gi, '/'))
}

/**
 * Finds folders that match a path or special use. RFC 9051 §5.1: INBOX is case-insensitive;
 * providers localize the name of the inbox. Pure.
 */
export function matchFolders<F extends NamedFolder>(folders: readonly F[], name: string): F[] {
  const byUse = (use: string) =>
    folders.filter(({ specialUse = '' }) => specialUse.toLowerCase() === use.toLowerCase())
  const byPath = (wanted: string) => folders.filter((folder) => pathOf(folder) === wanted)
  const isUse = name.startsWith('\\')
  const named = isUse ? byUse(name) : byPath(name)
  if (named.length > 0) return named
  if (isUse) return byPath(name)
  const [inbox] = /^inbox(?=\/|$)/i.test(name) ? byUse('\\Inbox') : []
  return inbox ? byPath(pathOf(inbox) + name.slice('inbox'.length)) : []
}

/**
 * Folders to sync: the folders that `paths` names, or all folders without paths. A mailbox with
 * labels is always synced as a whole. Pure.
 */
export function selectFolders<F extends NamedFolder>(
  placement: MailApiTraits['placement'],
  folders: readonly F[],
  paths: readonly string[],
): readonly F[] {
  if (placement === 'labels' || paths.length === 0) return folders
  const selected = new Set(paths.flatMap((path) => matchFolders(folders, path)))
  return folders.filter((folder) => selected.has(folder))
}

/** Finds a path of the account that matches no folder: nothing is synced for it. Pure. */
export function findUnknownPath(
  placement: MailApiTraits['placement'],
  folders: readonly NamedFolder[],
  paths: readonly string[],
): string | undefined {
  if (placement === 'labels') return undefined
  return paths.find((path) => matchFolders(folders, path).length === 0)
}

/** Maximum names of deleted folders and labels that are stored. */
const maxFormer = 1_000

/**
 * Merges stored with listed folders: names of former folders, then names of listed folders sorted
 * by id. The folders that disappeared last are at the end of the former folders. Names of up to
 * 1,000 deleted folders stay, because changes that concern deleted folders may be reported later.
 * Pure.
 */
export function mergeFolders(
  stored: readonly NamedFolder[],
  listed: readonly NamedFolder[],
): NamedFolder[] {
  const ids = new Set(listed.map(({ id }) => id))
  const former = stored
    .filter(({ id }) => !ids.has(id))
    .slice(-maxFormer)
    .map((folder) => ({ ...folder, former: true as const }))
  const current = listed
    .map(({ id, path, specialUse, category }) => defined({ id, path, specialUse, category }))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
  return [...former, ...current]
}
