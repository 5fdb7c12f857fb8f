import { randomUUID } from 'node:crypto'
import {
  type MessageDetail,
  type MessageUpload,
  operations,
  uploadMessage,
} from '@posthorn/contracts'
import type { Db, SettingsCache } from '@posthorn/db'
import type { AttachedContent } from '@posthorn/mime'
import type { BackgroundTasks } from '../../background-tasks.ts'
import { getOwner } from '../../store/accounts.ts'
import { deleteUpload, insertUpload } from '../../store/uploads.ts'
import { type WorkerDeps, type WorkerCall, callWorker } from '../../http/call-worker.ts'
import { AttachmentCollector } from '../../composing/collect-attachments.ts'
import { readOriginal } from '../../composing/read-original.ts'
import { referenceResult } from '../../composing/reference-outcome.ts'
import { withLanguage } from '../../composing/with-language.ts'
import { handle } from '../../http/route.ts'
import { checkUpload } from './check-upload.ts'
import { composeUpload } from './compose-upload.ts'

export interface Deps extends WorkerDeps {
  /** Connections of their own: a message may take longer to store than anything else may take. */
  outbox: Db
  settings: SettingsCache
  tasks: BackgroundTasks
  maxUploadBytes: number
}

/**
 * Stores a message in a folder. Its bytes go to the worker by way of a table, as they are too large for the bus; what is left there when
 * nobody takes them is removed.
 */
export function onUploadMessage(deps: Deps) {
  return handle(operations.uploadMessage, async (input) => {
    const { params, body: upload } = input
    checkUpload(upload)
    const [known, settings] = await Promise.all([
      getOwner(deps.db, params.account),
      deps.settings.get(),
    ])
    const owner = withLanguage(known, settings)
    const { reference } = upload
    const original = reference && (await readOriginal(deps, input, reference))
    const attached = await attachmentsOf(deps, input, { upload, original })
    const { mime, messageId } = await composeUpload({ upload, owner, original, attached })
    const stored = await store(deps, input, { mime, upload })
    return {
      ...stored,
      ...(messageId === undefined ? {} : { messageId }),
      ...(reference ? { reference: referenceResult(reference, original !== undefined) } : {}),
    }
  })
}

async function attachmentsOf(
  deps: Deps,
  asked: WorkerCall,
  { upload, original }: { upload: MessageUpload; original: MessageDetail | undefined },
): Promise<AttachedContent[]> {
  const collector = new AttachmentCollector(deps, asked, deps.maxUploadBytes)
  const own = await collector.ofUpload(upload.attachments ?? [])
  if (!original || !upload.reference?.forwardAttachments || upload.raw !== undefined) return own
  return [...own, ...(await collector.ofMessage(original))]
}

async function store(
  { outbox, tasks, ...deps }: Deps,
  asked: WorkerCall,
  { mime, upload: { path, flags, internalDate } }: { mime: Buffer; upload: MessageUpload },
) {
  const { account } = asked.params
  const upload = randomUUID()
  await insertUpload(outbox, { id: upload, account, mime })
  const options = { ...(flags ? { flags } : {}), ...(internalDate ? { internalDate } : {}) }
  try {
    return await callWorker(deps, asked, [
      uploadMessage,
      { account, upload, size: mime.length, path, ...options },
    ])
  } catch (error) {
    tasks.run(deleteUpload(outbox, upload))
    throw error
  }
}
