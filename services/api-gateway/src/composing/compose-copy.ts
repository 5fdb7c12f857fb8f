import { defined } from '@posthorn/contracts/defined'
import { fieldError } from '@posthorn/contracts/describe-error'
import type { MessageContent } from '@posthorn/contracts/schemas/content'
import type { Submission } from '@posthorn/contracts/schemas/submission'
import { validationError } from '@posthorn/contracts/validate'
import type { SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type LinkKeys, listHeaders, type ListLinks, type Tracking } from '@posthorn/links'
import type { ComposedMessage } from '@posthorn/mime'
import type { Renderer, TemplateContent } from '@posthorn/templates'
import { type Mailbox, type Owner, referTo } from './references.ts'
import type { ResolvedSubmission } from './resolve-submission.ts'

/**
 * Data from which one message of a submission is composed. A mail merge has one message per
 * recipient.
 */
export interface Copy {
  messageId: string
  /** Values of the placeholders in one message of a submission. */
  params: Record<string, unknown>
  /**
   * Recipient of a message of a submission; absent unless the message has exactly one recipient.
   */
  recipient?: Mailbox
  /**
   * True for a mail merge, in which the headers of a message name only the recipient of that
   * message.
   */
  isMerged?: boolean
}

export interface ComposedCopy extends ComposedMessage {
  subject?: string
}

export interface ComposeTools {
  renderer: Renderer
  links: MessageLinks
}

/**
 * Composes one message of a submission. Renders placeholders, then quotes the original message, so
 * that foreign text is never a template, then adds tracking.
 *
 * @throws AppError `invalid` with `fields`; `unprocessable` if the template cannot be rendered
 */
export async function composeCopy(
  tools: ComposeTools,
  resolved: ResolvedSubmission,
  copy: Copy,
): Promise<ComposedCopy> {
  const { submission, owner, attached, read } = resolved
  const { recipient, messageId } = copy
  const list = recipient && tools.links.list(recipient.address, messageId)
  const headers = mergeHeaders(submission, list)
  if (submission.raw !== undefined) return prepareRaw(resolved, { messageId, headers })
  const texts = await renderTexts(tools, resolved, { ...copy, list })
  const { draft, references } = await addressCopy(resolved, copy, texts)
  const { from, replyTo, envelope } = submission
  const { previewText } = texts
  const content: MessageContent = {
    ...draft,
    ...defined({ previewText, from, replyTo, envelope, headers }),
    messageId,
  }
  const options = defined({ from: senderOf(submission, owner), attached, references })
  const tracking = tools.links.tracking(messageId)
  const composed = await read('compose', { content, options, ...defined({ tracking }) })
  return { ...composed, ...defined({ subject: draft.subject }) }
}

/**
 * Recipients and texts of one message of a submission, completed from the message that it replies
 * to or forwards.
 */
export function addressCopy(
  { submission, owner, original, read }: ResolvedSubmission,
  { recipient, isMerged = false }: Pick<Copy, 'recipient' | 'isMerged'>,
  texts: TemplateContent,
) {
  const { to, cc, bcc } = submission
  const lists = isMerged && recipient ? { to: [recipient], cc: [], bcc: [] } : { to, cc, bcc }
  return referTo({ ...lists, ...texts }, submission, { original, owner, read })
}

/** Prepares a raw message. Headers set by the request replace headers of the raw message. */
export async function prepareRaw(
  resolved: ResolvedSubmission,
  { messageId, headers }: { messageId?: string; headers?: MessageContent['headers'] | undefined },
): Promise<ComposedCopy> {
  const { submission, owner, original, read } = resolved
  const { from, replyTo, to, cc, bcc, envelope, subject, raw = '' } = submission
  const set = { from, replyTo, to, cc, bcc, envelope, subject, messageId: submission.messageId }
  const reference = submission.reference && { ...submission.reference, inline: false }
  const { references } = await referTo({}, defined({ reference }), { original, owner, read })
  const options = {
    path: 'raw',
    from: senderOf(submission, owner),
    content: defined({ ...set, headers }),
    ...defined({ messageId, references }),
  }
  return read('prepare', [Buffer.from(raw, 'base64'), options])
}

/**
 * Sender of a message: `from` of the request, else the owner of the account.
 *
 * @throws AppError `invalid` if the request has no `from` and the account no address
 */
export function senderOf({ from }: { from?: Mailbox }, { name, email }: Owner): Mailbox {
  if (from) return from
  if (email === null)
    throw validationError([fieldError('from', 'is required, as the account has no address')])
  return { name, address: email }
}

async function renderTexts(
  { renderer, links }: ComposeTools,
  { texts, format, owner: { name, email } }: ResolvedSubmission,
  { params, recipient, list }: Copy & { list: ListLinks | undefined },
): Promise<TemplateContent> {
  if (format === undefined) return texts
  const unsubscribe = list && { unsubscribeUrl: list.unsubscribeUrl }
  const context = {
    params,
    account: { name, email },
    service: { url: links.serviceUrl },
    ...(recipient ? { rcpt: { ...recipient, ...unsubscribe } } : {}),
  }
  const rendered = await renderer.render(texts, { format, context })
  if (rendered.subject === undefined) return rendered
  return { ...rendered, subject: rendered.subject.trim() }
}

/** Merges the headers of a message. Headers of the mailing list override headers of the request. */
function mergeHeaders(
  { headers }: ResolvedSubmission['submission'],
  list: ListLinks | undefined,
): MessageContent['headers'] {
  if (!list) return headers
  const names = new Set(Object.keys(list.headers).map((name) => name.toLowerCase()))
  const others = Object.entries(headers ?? {}).filter(([name]) => !names.has(name.toLowerCase()))
  return { ...Object.fromEntries(others), ...list.headers }
}

/** Adds links of this service to a message: tracking of opens and clicks, and unsubscribe links. */
export interface MessageLinks {
  /** Base URL of tracking and unsubscribe links; null if unknown. */
  serviceUrl: string | null
  /** Tracking of a message, which rewrites its links. Undefined if the message is not tracked. */
  tracking(messageId: string): Tracking | undefined
  /** Mailing list links for a message. Undefined if the message belongs to no list. */
  list(recipient: string, messageId: string): ListLinks | undefined
}

export interface LinkDeps {
  settings: SettingsCache
  links: LinkKeys
}

/**
 * Creates the tracking and unsubscribe links of a submission. Requests the signing key only if
 * links must be signed. A dry run (response with the message instead of sending) contains
 * placeholders instead, because its reader may not be the recipient.
 * @throws AppError `invalid` or `MissingServiceURLSetup` if links are needed without a base URL
 */
export async function createMessageLinks(
  { settings, links }: LinkDeps,
  resolved: ResolvedSubmission,
): Promise<MessageLinks> {
  const { account, submission } = resolved
  const { serviceUrl, ...defaults } = await settings.get()
  const baseUrl = submission.baseUrl ?? serviceUrl
  const { listId } = submission
  const { opens, clicks } = trackingOf(submission, defaults)
  const tracks = mayHaveHtml(resolved) && (opens || clicks)
  if (!tracks && listId === undefined) return { ...noLinks, serviceUrl: baseUrl ?? null }
  if (baseUrl === undefined) throw missingBaseUrl(submission)
  const key = submission.dryRun ? undefined : await links.current()
  return {
    serviceUrl: baseUrl,
    tracking: (messageId) =>
      tracks && key ? { baseUrl, key, account, messageId, opens, clicks } : undefined,
    list: (recipient, messageId) =>
      listId === undefined
        ? undefined
        : listHeaders({ baseUrl, key, account, listId, recipient, messageId }),
  }
}

const noLinks = { tracking: () => undefined, list: () => undefined }

function trackingOf(
  { trackOpens, trackClicks, trackingEnabled, dryRun, raw }: Submission,
  defaults: { trackOpens?: boolean; trackClicks?: boolean },
) {
  if (dryRun || raw !== undefined) return { opens: false, clicks: false }
  return {
    opens: trackOpens ?? trackingEnabled ?? defaults.trackOpens ?? false,
    clicks: trackClicks ?? trackingEnabled ?? defaults.trackClicks ?? false,
  }
}

function mayHaveHtml({ texts, submission: { reference }, original }: ResolvedSubmission): boolean {
  return Boolean(texts.html) || (reference?.inline === true && original !== undefined)
}

/**
 * Error for tracking or unsubscribe links without a base URL. If the request demands the links, the
 * client can add a base URL; if the settings demand them, the operator must.
 */
function missingBaseUrl(submission: Submission): AppError {
  const { listId, trackOpens, trackClicks, trackingEnabled } = submission
  const isRequested = listId !== undefined || trackOpens || trackClicks || trackingEnabled
  return isRequested
    ? validationError([
        fieldError('baseUrl', 'is required, as the service has no address of its own'),
      ])
    : new AppError('internal', 'Tracking is enabled and the setting "serviceUrl" is not set', {
        code: 'MissingServiceURLSetup',
      })
}
