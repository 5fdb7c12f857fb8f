import type { ProviderRequest, ProviderResponse } from '../../requests.ts'
import { GmailFailure, invalid, notFound } from '../failures.ts'
import type { GmailState, MailboxHandler, UploadSession } from '../gmail-state.ts'
import type { GmailMailbox } from '../mailbox.ts'
import { insertMessage, saveDraft, sendMessage, type StoredRequest } from '../storing.ts'

type Store = (mailbox: GmailMailbox, request: StoredRequest) => ProviderResponse

/**
 * Chunk unit of Gmail's resumable uploads in bytes. The size of each chunk except the last is a
 * multiple of this unit.
 */
const chunkUnit = 262_144

/**
 * Handlers of the Gmail fake for the three forms of message uploads: media, multipart and
 * resumable.
 */
export function uploadHandlers(gmail: GmailState): Record<string, MailboxHandler> {
  const handler =
    (store: Store): MailboxHandler =>
    (mailbox, request) =>
      upload(gmail, { mailbox, request, store })
  return {
    'messages.insert#upload': handler((mailbox, request) => insertMessage(mailbox, request)),
    'messages.send#upload': handler((mailbox, request) => sendMessage(gmail, mailbox, request)),
    'drafts.create#upload': handler((mailbox, request) => saveDraft(mailbox, request)),
  }
}

interface Upload {
  mailbox: GmailMailbox
  request: ProviderRequest
  store: Store
}

function upload(gmail: GmailState, { mailbox, request, store }: Upload): ProviderResponse {
  const { query, headers, raw } = request
  switch (query.get('uploadType')) {
    case 'media':
      return store(mailbox, { resource: {}, raw, query })
    case 'multipart':
      return store(mailbox, { ...readRelated(headers['content-type'] ?? '', raw), query })
    case 'resumable':
      return query.has('upload_id')
        ? continueUpload(gmail, { mailbox, request, store })
        : startUpload(gmail, request)
    default:
      throw invalid('Invalid uploadType')
  }
}

function readRelated(type: string, raw: Buffer): Pick<StoredRequest, 'resource' | 'raw'> {
  const [, boundary = ''] = /boundary="?([^";]+)/i.exec(type) ?? []
  const delimiter = `--${boundary}`
  const second = raw.indexOf(`\r\n${delimiter}\r\n`, delimiter.length)
  const end = raw.lastIndexOf(`\r\n${delimiter}--`)
  const [json, source] = [raw.subarray(0, second), raw.subarray(second + delimiter.length + 4, end)]
  const bodyOf = (part: Buffer) => part.subarray(part.indexOf('\r\n\r\n') + 4)
  const resource = JSON.parse(bodyOf(json).toString()) as StoredRequest['resource']
  return { resource, raw: bodyOf(source) }
}

function startUpload(gmail: GmailState, { headers, path, raw }: ProviderRequest): ProviderResponse {
  const id = gmail.newText('ADPycd')
  const resource = JSON.parse(raw.toString() || '{}') as StoredRequest['resource']
  const length = Number(headers['x-upload-content-length'])
  gmail.uploads.set(id, { resource, length, received: Buffer.alloc(0) })
  const location = `${gmail.origin}${path}?uploadType=resumable&upload_id=${id}`
  return { status: 200, headers: { location }, body: '' }
}

function continueUpload(gmail: GmailState, { mailbox, request, store }: Upload): ProviderResponse {
  const session = gmail.uploads.get(request.query.get('upload_id') ?? '')
  if (!session) throw notFound()
  if (session.result) return session.result
  receiveChunk(session, request)
  const { received, length, resource } = session
  if (received.length < length)
    return {
      status: 308,
      body: '',
      ...(received.length > 0 && { headers: { range: `bytes=0-${received.length - 1}` } }),
    }
  session.result = store(mailbox, { resource, raw: received, query: request.query })
  return session.result
}

/**
 * Stores a chunk of a message upload to the Gmail fake. A range that begins with `*` requests the
 * state and contains no chunk.
 */
function receiveChunk(session: UploadSession, { headers, raw }: ProviderRequest): void {
  const [, first] = /^bytes (\d+)-\d+\/\d+$/.exec(String(headers['content-range'] ?? '')) ?? []
  if (first === undefined) return
  const isLast = Number(first) + raw.length === session.length
  const isWhole = isLast || raw.length % chunkUnit === 0
  if (Number(first) !== session.received.length || !isWhole)
    throw new GmailFailure(400, 'badRequest', 'Invalid range')
  session.received = Buffer.concat([session.received, raw])
}
