import type { Feed, FeedPosition } from '@posthorn/backends/mail-api'
import type { MailApiModelOptions } from '@posthorn/testkit/mail-api-model'
import type { PassParts } from '../../src/drivers/api/feeds/feed-pass.ts'
import { FeedScene, memoryWorld } from './feed-world.ts'

export const hour = 3_600_000
/** Ids of the ordinary folders of a `PassScene`, which also has folders with special uses. */
export const folderIds = ['one', 'two', 'three']

/**
 * Synced model mailbox with further folders. `reads` records the feeds (lists of changes) in the
 * order in which they are read; tests empty `reads`.
 */
export class PassScene extends FeedScene {
  reads: { feed: string; isRound: boolean; news: number }[] = []

  constructor(options: Partial<MailApiModelOptions> = {}) {
    super(memoryWorld(), { placement: 'folder', ...options })
    for (const id of folderIds)
      this.model.store.addFolder({ id, path: [id], editable: true, assignable: true })
    const { api } = this.model
    const changes = api.changes.bind(api)
    api.changes = async (feed: Feed, position: FeedPosition, signal) => {
      const news = (await this.eventNames()).filter((name) => name === 'messageNew').length
      this.reads.push({ feed: feed.id, isRound: position.cursor === undefined, news })
      return changes(feed, position, signal)
    }
  }

  static async synced(options: Partial<MailApiModelOptions> = {}): Promise<PassScene> {
    const scene = new PassScene(options)
    await scene.sync()
    scene.reads = []
    return scene
  }

  get rounds(): string[] {
    return this.reads.flatMap(({ feed, isRound }) => (isRound ? [feed] : []))
  }

  get allFolders(): string[] {
    return [...this.model.store.folders.keys()].sort()
  }

  /** Starts to count the requests for each message. Returns the counts by message id. */
  countGets(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    const { api } = this.model
    const getMessages = api.getMessages.bind(api)
    api.getMessages = (ids, ...call) => {
      for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
      return getMessages(ids, ...call)
    }
    return counts
  }

  async news(): Promise<unknown[]> {
    const events = await this.world.events()
    return events.flatMap(({ event, data }) => (event === 'messageNew' ? [data['id']] : []))
  }
}

/** Parts of a sync pass over messages that notifications named, all of which exist. */
export function notified(...ids: string[]): PassParts {
  return { messages: new Map(ids.map((id) => [id, false])), specialUses: [] }
}
