import type { FolderPlace, MailApiTraits } from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import type { MessageCategory, MessageEntry } from '@posthorn/contracts/schemas/message'
import type { NamedFolder } from '@posthorn/db'
import { apiEventMailbox, type EventMailbox } from '../../../events/mailbox-event.ts'
import type { IndexedMessage } from '../index/indexed-message.ts'

/**
 * Virtual mailbox that all events name with placement `labels`, because a message exists only once
 * and has labels instead of a folder.
 */
export const allMail: EventMailbox = { path: '\\All', specialUse: '\\All' }

type EntryUse = NonNullable<MessageEntry['messageSpecialUse']>

/** Special uses that an event may name for a message, the most specific special use first. */
const entryUses: readonly EntryUse[] = ['\\Drafts', '\\Trash', '\\Junk', '\\Inbox', '\\Sent']

type PlacedMessage = Pick<IndexedMessage, 'folderId' | 'labels'>

/** Names of an account's folders and labels, as events contain them. */
export class FolderNames {
  readonly #listed: Map<string, NamedFolder>
  /** Folders in the provider's last list of folders, and former (deleted) folders. */
  readonly #named: Map<string, NamedFolder>
  /** Ids of labels that are absent from all lists of labels that the provider returned. */
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

  /** Mailboxes that events of the account may name. */
  get mailboxes(): EventMailbox[] {
    return this.#placement === 'labels' ? [allMail] : [...this.#listed.values()].map(toMailbox)
  }

  /** True if the messages in a folder are synced. */
  isListed(folderId: string | undefined): boolean {
    return this.#placement === 'labels' || this.#listed.has(folderId ?? '')
  }

  /**
   * True if a folder may have been moved or renamed after the provider listed the folders. Folders
   * with a special use cannot be moved.
   */
  canMove(folderId: string): boolean {
    return this.#listed.get(folderId)?.specialUse === undefined
  }

  /**
   * True if the provider's list of folders contains a folder with this name below this parent.
   * Parents further up are not compared.
   */
  isAt(folderId: string, { name, parentId }: FolderPlace): boolean {
    const parent = this.#named.get(parentId ?? '')?.path ?? []
    const path = [...parent, name]
    const listed = this.#listed.get(folderId)?.path ?? []
    return listed.length === path.length && listed.every((each, at) => each === path[at])
  }

  /** True if the current or the previous list of folders from the provider contains a folder. */
  isKnown(folderId: string | undefined): boolean {
    if (this.#placement === 'labels') return true
    const folder = this.#named.get(folderId ?? '')
    return folder !== undefined && !folder.former
  }

  /** Removes deleted folders from the synced folders. Events can still name these folders. */
  remove(ids: ReadonlySet<string>): void {
    for (const id of ids) this.#listed.delete(id)
  }

  /**
   * Mailbox to name in an event about a message. If the folder of the message was never listed, the
   * folder's id is used as path.
   */
  mailboxOf(folderId: string | null | undefined): EventMailbox {
    if (this.#placement === 'labels') return apiEventMailbox(allMail)
    const folder = this.#named.get(folderId ?? '')
    return apiEventMailbox(folder ? toMailbox(folder) : { path: folderId ?? '', specialUse: null })
  }

  /**
   * Converts labels to their names in events, sorted. A label that replaces a folder (placement
   * `labels`) is named by special use or path; other labels by their display names. A label that
   * was never listed is named by its id. The tabs of the Gmail inbox are left out.
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

  /**
   * Finds labels whose names are unknown, because the labels were created after the provider's
   * labels were listed. Leaves out labels that `addNames` has recorded as deleted.
   */
  findUnnamed(labels: readonly string[]): string[] {
    if (this.#placement === 'folder') return []
    return labels.filter((id) => !this.#named.has(id) && !this.#unlisted.has(id))
  }

  /**
   * Adds names of folders and labels that the provider listed later. Labels of `unnamed` that are
   * absent from this list, too, are recorded as deleted.
   */
  addNames(listed: readonly NamedFolder[], unnamed: readonly string[]): void {
    for (const folder of listed) if (!this.#named.has(folder.id)) this.#named.set(folder.id, folder)
    for (const id of unnamed) if (!this.#named.has(id)) this.#unlisted.add(id)
  }

  /** Tab of the Gmail inbox in which Gmail shows a message. Undefined without a tab. */
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

/** Converts a folder to the form in which events name their mailbox. */
export function toMailbox(folder: NamedFolder): EventMailbox {
  return { path: pathOf(folder), specialUse: folder.specialUse ?? null }
}

/** Path of a folder in responses and events. A `/` within the name of a folder becomes `%2F`. */
export function pathOf({ path }: { path: readonly string[] }): string {
  return path.map((name) => name.replaceAll('/', '%2F')).join('/')
}

/**
 * Splits a path into the names of its folders. If labels replace folders (placement `labels`),
 * `%2F` is not decoded, because names of labels contain no `/`.
 */
export function namesIn(path: string, placement: MailApiTraits['placement']): string[] {
  const names = path.split('/')
  return placement === 'labels' ? names : names.map((name) => name.replace(/%2F/gi, '/'))
}

/**
 * Finds the folders with a path or a special use. INBOX is case-insensitive (RFC 9051 §5.1) and
 * stands for the provider's inbox, whose name depends on the language of the mailbox. Pure.
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
 * Selects the folders to sync: the folders that `paths` names, or all folders if `paths` is empty.
 * If labels replace folders (placement `labels`), always selects all folders. Pure.
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

/** Finds a path in the account's registration for which no folder exists. Pure. */
export function findUnknownPath(
  placement: MailApiTraits['placement'],
  folders: readonly NamedFolder[],
  paths: readonly string[],
): string | undefined {
  if (placement === 'labels') return undefined
  return paths.find((path) => matchFolders(folders, path).length === 0)
}

/** Maximum number of deleted folders and labels whose names are stored. */
const maxFormer = 1_000

/**
 * Merges the stored folders with a new list of folders from the provider. Returns up to 1,000
 * former (deleted) folders, then the listed folders sorted by id. The folders deleted last are at
 * the end of the former folders. Former folders keep their names, because changes in a deleted
 * folder may be reported later. Pure.
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
