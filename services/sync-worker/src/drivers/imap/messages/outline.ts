import type { BodyPart } from '@posthorn/backends'
import { defined } from '@posthorn/contracts/defined'

/** Text part of a message that is shown as its body. */
export interface TextPart {
  part: string
  charset: string | undefined
  /** Size of the message's text part in bytes, in transfer encoding. */
  size: number
}

export interface AttachedPart {
  part: string
  contentType: string
  /** Size of the attachment in bytes, in transfer encoding. */
  size: number
  /** True if the HTML in the same multipart/related may refer to the attachment. */
  embedded: boolean
  inline: boolean
  contentId?: string
  filename?: string
  /** Method of a calendar attachment, such as REQUEST or REPLY. */
  method?: string
  charset?: string
}

/** Outline of a message: its text parts and attachments. */
export interface Outline {
  plain: TextPart[]
  html: TextPart[]
  attachments: AttachedPart[]
  /** BODYSTRUCTURE from which the outline of the message was built. */
  structure: BodyPart
}

/** Maximum nesting and number of MIME parts in a message. Parts beyond these limits are ignored. */
const maxDepth = 50
const maxParts = 1_000

/**
 * Separates the text parts and the attachments in a BODYSTRUCTURE. A nested message counts as one
 * attachment. Pure.
 */
export function parseOutline(structure: BodyPart): Outline {
  const outline: Outline = { plain: [], html: [], attachments: [], structure }
  let count = 0
  const visit = (node: BodyPart, parent: BodyPart | undefined, depth: number) => {
    if (depth > maxDepth || ++count > maxParts) return
    if (isMultipart(node)) for (const child of node.childNodes ?? []) visit(child, node, depth + 1)
    else addPart(outline, node, parent)
  }
  visit(structure, undefined, 0)
  return outline
}

function isMultipart({ type }: BodyPart): boolean {
  return /^multipart\//i.test(type)
}

function addPart(outline: Outline, node: BodyPart, parent: BodyPart | undefined): void {
  const { contentType, charset } = describePart(node)
  const isText = contentType === 'text/plain' || contentType === 'text/html'
  if (isText && isBody(node, parent)) {
    const texts = contentType === 'text/plain' ? outline.plain : outline.html
    texts.push({ part: partNumber(node), charset, size: node.size ?? 0 })
  } else outline.attachments.push(describeAttachment(node, parent))
}

/**
 * True if a text part is shown as the message's body. False if its disposition is attachment, or if
 * it has a name and is outside of multipart/alternative.
 */
function isBody(node: BodyPart, parent: BodyPart | undefined): boolean {
  if (node.disposition?.toLowerCase() === 'attachment') return false
  return filenameOf(node) === undefined || parent?.type.toLowerCase() === 'multipart/alternative'
}

function describeAttachment(node: BodyPart, parent: BodyPart | undefined): AttachedPart {
  const { contentType, charset, filename } = describePart(node)
  return defined({
    part: partNumber(node),
    contentType,
    size: node.size ?? 0,
    embedded: node.id !== undefined && parent?.type.toLowerCase() === 'multipart/related',
    inline: node.disposition?.toLowerCase() === 'inline',
    contentId: node.id,
    filename,
    method: parameter(node.parameters, 'method'),
    charset,
  })
}

/** Reads the media type, charset and file name of a MIME part. */
export function describePart(node: BodyPart) {
  return {
    contentType: node.type.toLowerCase(),
    charset: parameter(node.parameters, 'charset'),
    filename: filenameOf(node),
  }
}

function filenameOf(node: BodyPart): string | undefined {
  const name =
    parameter(node.dispositionParameters, 'filename') ?? parameter(node.parameters, 'name')
  return name?.slice(0, 256)
}

/** Number of a MIME part. A message that is not multipart has only part 1 (RFC 3501 §6.4.5). */
function partNumber({ part }: BodyPart): string {
  return part ?? '1'
}

function parameter(
  parameters: Record<string, string> | undefined,
  name: string,
): string | undefined {
  if (!parameters) return undefined
  const value = Object.entries(parameters).find(([key]) => key.toLowerCase() === name)?.[1]
  return value === '' ? undefined : value
}
