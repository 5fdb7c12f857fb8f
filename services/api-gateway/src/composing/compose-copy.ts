import type { MessageContent } from '@posthorn/contracts'
import type { ListLinks } from '@posthorn/links'
import { composeMessage, type ComposedMessage, prepareStoredMessage } from '@posthorn/mime'
import type { Renderer, TemplateContent } from '@posthorn/templates'
import { referTo } from './refer-to.ts'
import { type Mailbox, senderOf } from './sender.ts'
import type { ResolvedSubmission } from './resolve-submission.ts'
import type { LinkUse } from './link-use.ts'

/** One message of a submission: the only one, or one of a mail merge. */
export interface Copy {
  messageId: string
  /** Values for the placeholders. */
  params: Record<string, unknown>
  /** The one it is for, where it is for one. */
  recipient?: Mailbox
  /** Of a mail merge: nobody else is named. */
  isMerged?: boolean
}

export interface ComposedCopy extends ComposedMessage {
  subject?: string
}

export interface ComposeTools {
  renderer: Renderer
  links: LinkUse
}

/**
 * Makes one message of a submission: fills in, then quotes (what others wrote is no template), then tracks.
 *
 * @throws AppError `invalid` with `fields`; `unprocessable` for a template that cannot be filled in
 */
export async function composeCopy(
  tools: ComposeTools,
  gathered: ResolvedSubmission,
  copy: Copy,
): Promise<ComposedCopy> {
  const { submission, owner } = gathered
  const { recipient, messageId } = copy
  const list = recipient && tools.links.list(recipient.address, messageId)
  const headers = headersOf(submission, list)
  if (submission.raw !== undefined) return prepareRaw(gathered, { messageId, headers })
  const texts = await filledIn(tools, gathered, { ...copy, list })
  const { draft, references } = addressCopy(gathered, copy, texts)
  const { from, replyTo, envelope } = submission
  const content: MessageContent = {
    ...draft,
    ...(draft.html === undefined ? {} : { html: tools.links.track(draft.html, messageId) }),
    ...(texts.previewText === undefined ? {} : { previewText: texts.previewText }),
    ...(from ? { from } : {}),
    ...(replyTo ? { replyTo } : {}),
    ...(envelope ? { envelope } : {}),
    ...(headers ? { headers } : {}),
    messageId,
  }
  const composed = await composeMessage(content, {
    from: senderOf(submission, owner),
    attached: gathered.attached,
    ...(references ? { references } : {}),
  })
  return { ...composed, ...(draft.subject === undefined ? {} : { subject: draft.subject }) }
}

/** The lists of recipients, and all that a reference adds. */
export function addressCopy(
  { submission, owner, original }: ResolvedSubmission,
  { recipient, isMerged = false }: Pick<Copy, 'recipient' | 'isMerged'>,
  texts: TemplateContent,
) {
  const { to, cc, bcc, reference, locale, tz } = submission
  const lists = isMerged && recipient ? { to: [recipient], cc: [], bcc: [] } : { to, cc, bcc }
  return referTo(
    { ...lists, ...texts },
    {
      original,
      reference,
      own: [submission.from?.address, owner.email],
      locale: locale ?? owner.locale,
      tz: tz ?? owner.tz,
    },
  )
}

/** The bytes as they came, with the headers that the request sets in place of theirs. */
export function prepareRaw(
  gathered: ResolvedSubmission,
  { messageId, headers }: { messageId?: string; headers?: MessageContent['headers'] | undefined },
): ComposedCopy {
  const { submission, owner } = gathered
  const { from, replyTo, to, cc, bcc, envelope, subject, messageId: asked } = submission
  const set = { from, replyTo, to, cc, bcc, envelope, subject, messageId: asked, headers }
  const references = threadOf(gathered)
  return prepareStoredMessage(Buffer.from(submission.raw ?? '', 'base64'), {
    path: 'raw',
    from: senderOf(submission, owner),
    content: Object.fromEntries(
      Object.entries(set).filter(([, value]) => value !== undefined),
    ) as MessageContent,
    ...(messageId === undefined ? {} : { messageId }),
    ...(references ? { references } : {}),
  })
}

function threadOf({ original, submission: { reference } }: ResolvedSubmission) {
  const how = { original, reference: reference && { ...reference, inline: false }, own: [] }
  return referTo({}, how).references
}

async function filledIn(
  { renderer, links }: ComposeTools,
  { texts, format, owner: { name, email } }: ResolvedSubmission,
  { params, recipient, list }: Copy & { list: ListLinks | undefined },
): Promise<TemplateContent> {
  if (format === undefined) return texts
  const context = {
    params,
    account: { name, email },
    service: { url: links.serviceUrl },
    ...(recipient ? { rcpt: { ...recipient, ...unsubscribe(list) } } : {}),
  }
  const filled = await renderer.render(texts, { format, context })
  return filled.subject === undefined ? filled : { ...filled, subject: filled.subject.trim() }
}

function unsubscribe(list: ListLinks | undefined) {
  return list ? { unsubscribeUrl: list.unsubscribeUrl } : {}
}

/** Those of the request, where the list does not set them. */
function headersOf({ headers }: ResolvedSubmission['submission'], list: ListLinks | undefined) {
  if (!list) return headers
  const taken = new Set(Object.keys(list.headers).map((name) => name.toLowerCase()))
  const others = Object.entries(headers ?? {}).filter(([name]) => !taken.has(name.toLowerCase()))
  return { ...Object.fromEntries(others), ...list.headers }
}
