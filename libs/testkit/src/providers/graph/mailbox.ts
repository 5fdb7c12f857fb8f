import { SeededRandom } from '../../mail-api-model/random.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { contentOfMime, type FakeContent } from './content.ts'
import { folderMissing, GraphFault, itemMissing } from './json.ts'

export interface FakeFolder {
  id: string
  name: string
  /** Id of the Graph folder's parent folder. Absent at the top level. */
  parentId?: string
  wellKnown?: string
  hidden?: true
  search?: true
}

export interface FakeMessage {
  /** Immutable id of the message in Microsoft Graph. */
  id: string
  /** Mutable id of the message in Microsoft Graph, which changes when the message is moved. */
  restId: string
  folderId: string
  content: FakeContent
  isRead: boolean
  isDraft: boolean
  flagStatus: string
  categories: string[]
  receivedAt: number
  sentAt: number
  createdAt: number
  conversationId: string
  version: number
  /** Number of the next reads of the Graph mailbox that do not find the message yet. */
  hiddenReads: number
}

/**
 * Change of a message in a Graph folder. `props` are the properties that changed. Absent if the
 * change concerns the whole message.
 */
export interface FolderChange {
  seq: number
  id: string
  kind: 'changed' | 'removed'
  reason?: 'deleted' | 'changed'
  props?: string[]
}

export interface NewMessage {
  raw: Buffer
  folderId?: string
  id?: string
  unseen?: boolean
  receivedAt?: number
  isDraft?: boolean
}

/** Event of a message for which Graph notifications are sent. */
export interface MessageEvent {
  changeType: 'created' | 'updated' | 'deleted'
  id: string
  isMove?: boolean
}

/**
 * Well-known folders of Graph with localized names. The folder `archive` is created when it is
 * first used.
 */
const wellKnown: [wellKnown: string, name: string][] = [
  ['inbox', 'Posteingang'],
  ['drafts', 'Entwürfe'],
  ['sentitems', 'Gesendete Elemente'],
  ['deleteditems', 'Gelöschte Elemente'],
  ['junkemail', 'Junk-E-Mail'],
  ['outbox', 'Postausgang'],
]

/** Mailbox of the Graph fake. */
export class FakeMailbox {
  readonly address: string
  readonly clock: VirtualClock
  readonly folders = new Map<string, FakeFolder>()
  readonly messages = new Map<string, FakeMessage>()
  readonly changes = new Map<string, FolderChange[]>()
  /** Ids of damaged messages in the Graph fake. Each list that contains a damaged message fails. */
  readonly damaged = new Set<string>()
  /** MIME texts of the messages that were sent from the Graph fake's mailbox, in order. */
  readonly sent: Buffer[] = []
  onEvent: (event: MessageEvent) => void = () => undefined
  seq = 0
  readonly #random: SeededRandom
  #conversations = 0

  constructor(address: string, { clock, seed = 1 }: { clock: VirtualClock; seed?: number }) {
    this.address = address
    this.clock = clock
    this.#random = new SeededRandom(seed)
    for (const [name, displayName] of wellKnown)
      this.addFolder({ name: displayName, wellKnown: name })
  }

  /** Creates an id like those of Graph, which have up to 152 characters and are case-sensitive. */
  newId(prefix: string): string {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const text = Array.from({ length: 120 }, () => alphabet[this.#random.below(64)]).join('')
    return `${prefix}${text}=`
  }

  addFolder(folder: Omit<FakeFolder, 'id'>): FakeFolder {
    const created = { id: this.newId('AQMkADAw'), ...folder }
    this.folders.set(created.id, created)
    return created
  }

  /**
   * Finds a folder of the Graph fake by id or well-known name.
   * @throws GraphFault
   */
  folder(idOrName: string): FakeFolder {
    const named = [...this.folders.values()].find((each) => each.wellKnown === idOrName)
    const folder = named ?? this.folders.get(idOrName)
    if (!folder) throw folderMissing()
    return folder
  }

  /**
   * Finds a message of the Graph fake by its immutable or mutable id, as requested.
   * @throws GraphFault
   */
  message(id: string, immutable: boolean): FakeMessage {
    const message = immutable
      ? this.messages.get(id)
      : [...this.messages.values()].find(({ restId }) => restId === id)
    if (!message) throw itemMissing()
    return message
  }

  list(folderId?: string): FakeMessage[] {
    return [...this.messages.values()]
      .filter((each) => folderId === undefined || each.folderId === folderId)
      .reverse()
      .sort((one, other) => other.receivedAt - one.receivedAt)
  }

  deliver({ raw, folderId, unseen = true, isDraft = false, ...rest }: NewMessage): FakeMessage {
    const content = contentOfMime(raw, (prefix) => this.newId(prefix))
    const message = this.create(content, {
      isDraft,
      folderId: folderId ?? this.folder('inbox').id,
      id: rest.id,
    })
    message.isRead = !unseen
    if (rest.receivedAt !== undefined) message.receivedAt = message.sentAt = rest.receivedAt
    return message
  }

  create(
    content: FakeContent,
    { isDraft, folderId, id }: { isDraft: boolean; folderId: string; id?: string | undefined },
  ): FakeMessage {
    const { now } = this.clock
    const message: FakeMessage = {
      id: id ?? this.newId('AAkALgAA'),
      restId: this.newId('AAMkAGI2'),
      folderId,
      content,
      isRead: isDraft,
      isDraft,
      flagStatus: 'notFlagged',
      categories: [],
      receivedAt: now,
      sentAt: now,
      createdAt: now,
      conversationId: `AAQkADAw${++this.#conversations}=`,
      version: 1,
      hiddenReads: 0,
    }
    this.messages.set(message.id, message)
    this.note(folderId, { id: message.id, kind: 'changed' })
    this.onEvent({ changeType: 'created', id: message.id })
    return message
  }

  /** Records a change of a message's properties in the Graph fake. */
  touch(message: FakeMessage, props: string[]): void {
    message.version++
    this.note(message.folderId, { id: message.id, kind: 'changed', props })
    this.onEvent({ changeType: 'updated', id: message.id })
  }

  move(message: FakeMessage, folderId: string): void {
    if (message.folderId === folderId) return
    this.note(message.folderId, { id: message.id, kind: 'removed', reason: 'deleted' })
    message.folderId = folderId
    message.restId = this.newId('AAMkAGI2')
    message.version++
    this.note(folderId, { id: message.id, kind: 'changed' })
    this.onEvent({ changeType: 'updated', id: message.id, isMove: true })
  }

  remove(message: FakeMessage): void {
    this.messages.delete(message.id)
    this.note(message.folderId, { id: message.id, kind: 'removed', reason: 'deleted' })
    this.onEvent({ changeType: 'deleted', id: message.id })
  }

  /**
   * Moves a Graph folder below Deleted Items. A folder that is already below Deleted Items is
   * removed.
   */
  deleteFolder(folder: FakeFolder): void {
    if (folder.wellKnown !== undefined)
      throw new GraphFault(
        400,
        'ErrorDeleteDistinguishedFolder',
        'Distinguished folders cannot be deleted.',
      )
    const trash = this.folder('deleteditems').id
    if (this.#isBelow(folder, trash)) this.#purge(folder)
    else folder.parentId = trash
  }

  #isBelow(folder: FakeFolder, ancestor: string): boolean {
    if (folder.parentId === undefined) return false
    const parent = this.folders.get(folder.parentId)
    return folder.parentId === ancestor || (parent !== undefined && this.#isBelow(parent, ancestor))
  }

  #purge(folder: FakeFolder): void {
    for (const child of this.childrenOf(folder.id)) this.#purge(child)
    for (const message of this.list(folder.id)) this.remove(message)
    this.folders.delete(folder.id)
  }

  childrenOf(parentId: string | undefined): FakeFolder[] {
    return [...this.folders.values()].filter((each) => each.parentId === parentId)
  }

  note(folderId: string, change: Omit<FolderChange, 'seq'>): void {
    const log = this.changes.get(folderId) ?? []
    this.changes.set(folderId, log)
    log.push({ seq: ++this.seq, ...change })
  }
}
