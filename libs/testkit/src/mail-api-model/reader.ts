import {
  type ApiDownload,
  type ApiMessage,
  type ApiPage,
  type GetOptions,
  isApiId,
  MailApiError,
  type MessageQuery,
  type PageOptions,
} from '@posthorn/backends/mail-api'
import { defined } from '@posthorn/contracts/defined'
import { filenameOf } from './content.ts'
import { searchModel } from './search.ts'
import { type ModelMessage, type ModelStore, stateOf } from './store.ts'

/** Lists, messages and downloads of a model mailbox. */
export class ModelReader {
  readonly #store: ModelStore
  readonly #maxListPage: number

  constructor(store: ModelStore, maxListPage: number) {
    this.#store = store
    this.#maxListPage = maxListPage
  }

  /**
   * A page token contains the query of its list, so that a token of another query is refused as
   * stale.
   */
  list<T>(
    query: MessageQuery,
    { pageToken, limit }: PageOptions,
    entry: (message: ModelMessage) => T,
  ): ApiPage<T> {
    const key = JSON.stringify(query, (_name, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    const [tokenKey, below] =
      pageToken === undefined
        ? [key, Infinity]
        : (JSON.parse(Buffer.from(pageToken, 'base64url').toString()) as [string, number])
    if (tokenKey !== key) throw new MailApiError('stale-page', 'The page is not available.')
    const all = searchModel(this.#store, query)
    const rest = all.filter(({ order }) => order < below)
    const listed = rest.slice(0, Math.min(limit, this.#maxListPage))
    const last = listed.at(-1)
    const next =
      last && listed.length < rest.length
        ? Buffer.from(JSON.stringify([key, last.order])).toString('base64url')
        : undefined
    return defined({ entries: listed.map(entry), nextPageToken: next, total: all.length })
  }

  describe(message: ModelMessage, options: GetOptions): ApiMessage {
    return {
      ...stateOf(message),
      receivedAt: message.receivedAt,
      ...message.content.describe(options, (path) => this.#partIdOf(path)),
    }
  }

  /**
   * Part id of an attachment in the model mailbox. In mailboxes with folders (placement `folder`),
   * part ids are opaque and contain `=`.
   */
  #partIdOf(path: string): string {
    return this.#store.placement === 'labels' ? path : `${Buffer.from(path).toString('hex')}=`
  }

  #pathOf(partId: string): string {
    if (this.#store.placement === 'labels') return partId
    return Buffer.from(partId.replace(/=$/, ''), 'hex').toString()
  }

  get(id: string): ModelMessage {
    const message = this.find(id)
    if (!message) throw new MailApiError('message-missing', 'The message does not exist.')
    return message
  }

  find(id: string): ModelMessage | undefined {
    const message = isApiId(id) ? this.#store.messages.get(id) : undefined
    if (message === undefined || message.hiddenReads === 0) return message
    message.hiddenReads--
    return undefined
  }

  source(id: string, signal: AbortSignal): ApiDownload {
    const { raw } = this.get(id).content
    return { size: raw.length, contentType: 'message/rfc822', content: chunksOf(raw, signal) }
  }

  attachment({ id, partId }: { id: string; partId: string }, signal: AbortSignal): ApiDownload {
    const attachment = this.get(id).content.attachment(this.#pathOf(partId))
    if (!attachment) throw new MailApiError('part-missing', 'The part does not exist.')
    const { part, bytes } = attachment
    return defined({
      size: bytes.length,
      contentType: `${part.type}/${part.subtype}`,
      filename: filenameOf(part),
      content: chunksOf(bytes, signal),
    })
  }
}

const chunkBytes = 65_536

async function* chunksOf(bytes: Buffer, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    signal.throwIfAborted()
    yield bytes.subarray(start, start + chunkBytes)
  }
}
