import { incompleteResponse, isMailApiError, MailApiError } from '../mail-api/errors.ts'
import type {
  AppendTarget,
  BulkResult,
  MailApiWrites,
  MessageUpdate,
  MoveResult,
} from '../mail-api/writes.ts'
import type { GraphMessage } from '../provider-types/graph.ts'
import { type BatchPart, type PartResult, sendAll } from './batch.ts'
import { createDraft, removeDraft } from './drafts.ts'
import { type GraphClient, renameMissing } from './graph-client.ts'
import { folderPath, messagePath } from './lists.ts'
import { isId, labelsOf } from './message-fields.ts'

type Etagged = GraphMessage & { '@odata.etag'?: string }

/**
 * Result of changing one Graph message. `unchanged` means that Graph responded with the message as
 * it was before the change.
 */
type Result = PartResult<Etagged> | { unchanged: true }

interface Changes {
  ids: readonly string[]
  toPart: (id: string) => BatchPart
  /** True if a successful Graph response that does not contain the message confirms the change. */
  silent?: true
  /** True if the message in a Graph response shows the requested change. */
  hasChange?: (id: string, message: Etagged) => boolean
}

/**
 * Maximum number of requests for a change of a Graph message that the responses do not confirm.
 * Changes of messages may be repeated without harm.
 */
const maxConfirmations = 3

/**
 * Maximum attempts to change the labels of a message while other clients change the message, too.
 */
const maxConflicts = 3

/** Changes Graph messages with one request per message. Several requests are sent as a batch. */
export function graphWrites(client: GraphClient): MailApiWrites {
  return {
    async updateMessages(ids, update, signal) {
      if (update.addLabels?.length || update.removeLabels?.length)
        return changeLabels(client, { ids, update }, signal)
      const json = propertiesOf(update, update.setLabels)
      const toPart = (id: string) => ({ method: 'PATCH' as const, path: messagePath(id), json })
      const hasChange = (_id: string, message: Etagged) => hasProperties(message, json)
      return bulkResult(ids, await changeAll(client, { ids, toPart, hasChange }, signal))
    },
    moveMessages: (ids, { to }, signal) => move(client, { ids, destinationId: to }, signal),
    async trashMessages(ids, signal) {
      try {
        return await move(client, { ids, destinationId: 'deleteditems' }, signal)
      } catch (error) {
        throw isMailApiError(error, 'folder-missing')
          ? renameMissing(error, 'trash-missing')
          : error
      }
    },
    async removeMessages(ids, signal) {
      const toPart = (id: string) => ({
        method: 'POST' as const,
        path: `${messagePath(id)}/permanentDelete`,
      })
      return {
        missing: missingOf(ids, await changeAll(client, { ids, toPart, silent: true }, signal)),
      }
    },
    appendMessage: (content, target, signal) => append(client, { content, target }, signal),
  }
}

/**
 * Changes Graph messages and returns the results by message id. An id that Graph cannot have
 * created gets no request and no result, as if the message were missing.
 */
async function changeAll(
  client: GraphClient,
  { ids, toPart, silent, hasChange = () => true }: Changes,
  signal: AbortSignal,
): Promise<Map<string, Result>> {
  const usable = [...new Set(ids)].filter((id) => isId(id) && !/^\.\.?$/.test(id))
  const results = new Map<string, Result>()
  let left = usable
  for (let attempt = 1; left.length > 0 && attempt <= maxConfirmations; attempt++) {
    const sent = await sendAll<Etagged>(client, left.map(toPart), signal)
    for (const [index, id] of left.entries()) results.set(id, sent[index] ?? unconfirmed)
    left = silent ? [] : left.filter((id) => !isConfirmed(id, results.get(id), hasChange))
  }
  for (const id of left)
    results.set(id, isDescribed(results.get(id)) ? { unchanged: true } : unconfirmed)
  return results
}

const unconfirmed = { error: incompleteResponse('The provider did not confirm the change') }

function isConfirmed(
  id: string,
  result: Result | undefined,
  hasChange: NonNullable<Changes['hasChange']>,
): boolean {
  if (result === undefined || 'unchanged' in result) return false
  return 'error' in result || (isId(result.body?.id) && hasChange(id, result.body))
}

/**
 * True if the response to a change of a Graph message contains the message, whether or not the
 * message shows the change.
 */
function isDescribed(result: Result | undefined): boolean {
  return result !== undefined && 'body' in result && isId(result.body?.id)
}

/**
 * True unless the Graph message shows another value for a changed property. Properties that the
 * message lacks are not checked.
 */
function hasProperties(message: Etagged, json: Properties): boolean {
  const { isRead, flag, categories } = message
  return (
    (json.isRead === undefined || typeof isRead !== 'boolean' || isRead === json.isRead) &&
    (json.flag === undefined || !flag?.flagStatus || flag.flagStatus === json.flag.flagStatus) &&
    (json.categories === undefined ||
      !Array.isArray(categories) ||
      isSameSet(categories, json.categories))
  )
}

function isSameSet(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.every((one) => others.includes(one)) && others.every((one) => some.includes(one))
}

function bulkResult(ids: readonly string[], results: ReadonlyMap<string, Result>): BulkResult {
  const unchanged = ids.filter((id) => 'unchanged' in (results.get(id) ?? {}))
  return { missing: missingOf(ids, results), ...(unchanged.length > 0 && { unchanged }) }
}

/**
 * Ids of those Graph messages that were missing when they should have been changed.
 * @throws MailApiError of the first other failure
 */
function missingOf(ids: readonly string[], results: ReadonlyMap<string, Result>): string[] {
  return ids.filter((id) => {
    const result = results.get(id)
    if (!result) return true
    if (!('error' in result)) return false
    if (!['message-missing', 'unreadable-id'].includes(result.error.failure)) throw result.error
    return true
  })
}

interface Properties {
  isRead?: boolean
  flag?: { flagStatus: string }
  categories?: string[]
}

function propertiesOf(
  { unseen, flagged }: MessageUpdate,
  labels: readonly string[] | undefined,
): Properties {
  return {
    ...(unseen !== undefined && { isRead: !unseen }),
    ...(flagged !== undefined && { flag: { flagStatus: flagged ? 'flagged' : 'notFlagged' } }),
    ...(labels && { categories: [...new Set(labels)] }),
  }
}

/**
 * Adds and removes labels of Graph messages. Graph can only replace the whole list of labels, so
 * the list is read first, and read again if another client changes the message in between.
 */
async function changeLabels(
  client: GraphClient,
  { ids, update }: { ids: readonly string[]; update: MessageUpdate },
  signal: AbortSignal,
): Promise<BulkResult> {
  const missing = new Set<string>()
  const unchanged: string[] = []
  let left = ids
  for (let attempt = 1; left.length > 0; attempt++) {
    const read = (id: string) => ({ path: messagePath(id), query: { $select: 'id,categories' } })
    const states = await changeAll(client, { ids: left, toPart: read }, signal)
    for (const id of missingOf(left, states)) missing.add(id)
    const present = left.filter((id) => !missing.has(id))
    if (!present.every((id) => hasLabels(states.get(id)))) throw unconfirmed.error
    const toPart = (id: string) => labelPart(id, states.get(id), update)
    const hasChange = (id: string, message: Etagged) => hasProperties(message, toPart(id).json)
    const results = await changeAll(client, { ids: present, toPart, hasChange }, signal)
    left = present.filter((id) => hasConflict(results.get(id)) && attempt < maxConflicts)
    const settled = present.filter((id) => !left.includes(id))
    const settledResult = bulkResult(settled, results)
    for (const id of settledResult.missing) missing.add(id)
    unchanged.push(...(settledResult.unchanged ?? []))
  }
  return {
    missing: ids.filter((id) => missing.has(id)),
    ...(unchanged.length > 0 && { unchanged }),
  }
}

/**
 * True if a Graph response contains the list of labels. Without the list, a change would remove all
 * labels.
 */
function hasLabels(state: Result | undefined): boolean {
  return state !== undefined && 'body' in state && Array.isArray(state.body.categories)
}

function labelPart(
  id: string,
  state: Result | undefined,
  update: MessageUpdate,
): BatchPart & { json: Properties } {
  const { categories, '@odata.etag': etag } = state && 'body' in state ? state.body : {}
  const { addLabels = [], removeLabels = [], setLabels } = update
  const labels = [...(setLabels ?? labelsOf(categories)), ...addLabels]
  const json = propertiesOf(
    update,
    labels.filter((label) => !removeLabels.includes(label)),
  )
  return {
    method: 'PATCH',
    path: messagePath(id),
    json,
    ...(etag !== undefined && { ifMatch: etag }),
  }
}

function hasConflict(result: Result | undefined): boolean {
  return result !== undefined && 'error' in result && result.error.status === 412
}

async function move(
  client: GraphClient,
  { ids, destinationId }: { ids: readonly string[]; destinationId: string },
  signal: AbortSignal,
): Promise<MoveResult> {
  const toPart = (id: string) => ({
    method: 'POST' as const,
    path: `${messagePath(id)}/move`,
    json: { destinationId },
  })
  const results = await changeAll(client, { ids, toPart }, signal)
  const newIds = new Map<string, string>()
  for (const [id, result] of results)
    if ('body' in result && isId(result.body.id) && result.body.id !== id)
      newIds.set(id, result.body.id)
  return { missing: missingOf(ids, results), newIds }
}

/** Uploads a message as a draft to any folder. Microsoft Graph can create drafts only. */
async function append(
  client: GraphClient,
  { content, target }: { content: Uint8Array; target: AppendTarget },
  signal: AbortSignal,
): Promise<{ id: string; threadId?: string }> {
  if (target.draft !== true)
    throw new MailApiError('unsupported-operation', 'Only drafts can be uploaded')
  const path = `${folderPath(target.folderId)}/messages`
  const { onIncomplete } = target
  const newDraft = { content, path, onIncomplete }
  const draft = await createDraft(client, newDraft, signal).catch((error: unknown) => {
    throw renameMissing(error, 'folder-missing')
  })
  const { unseen = false, flagged = false, labels = [] } = target
  if (unseen || flagged || labels.length > 0) {
    const json = propertiesOf({ unseen, flagged }, labels)
    const request = { path: messagePath(draft.id), json, repeatable: true, signal }
    await client.json({ method: 'PATCH', ...request }).catch(async (error: unknown) => {
      await removeDraft(client, draft.id).catch(() => undefined)
      throw error
    })
  }
  return draft.threadId === undefined
    ? { id: draft.id }
    : { id: draft.id, threadId: draft.threadId }
}
